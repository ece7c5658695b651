package faults_test

import (
	"fmt"
	"testing"
)

func TestEnvironmentBlockTooLong(t *testing.T) {
	pod := func(spec, state string) string {
		return "-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d"},"spec":{` + spec + `"containers":[{"name":"c","image":"i:1"}]},` +
			`"status":{"phase":"Running","containerStatuses":[{"name":"c","image":"i:1","restartCount":4,` + state + `}]}}]}` + "\n"
	}
	ended := func(message string) string {
		return fmt.Sprintf(`"ready":false,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"message":%q}}`, message)
	}
	const block = "Add-Type : The environment block used to start a process cannot be longer than\n65535 bytes.  Your environment block is 77321 bytes long."
	const found = "fail: d/p is not running: container c cannot start processes, because its environment is longer than 65,535 bytes [state+text]"
	runLooks(t, "environment-block-too-long", []look{
		{"it says so at its end", pod("", ended(block)), found},
		{"it has no variables of Services", pod(`"enableServiceLinks":false,`, ended(block)), found},
		{"another error at its end", pod("", ended("cannot open the database")), "pass"},
		{"nothing shows what it said", pod("", ended("")), "unknown"},
		// a job in an agent of builds, with variables of its own, which fails while the agent goes on
		{"a container that runs", pod("", `"ready":true,"state":{"running":{"startedAt":"2026-11-20T08:00:00Z"}}`) +
			"-- logs/pods/d_p_c_4.log --\n2026-11-20T09:00:00.1Z stderr F " + block[:79] + "\n",
			"info: the logs say: a program cannot start a process: its environment is longer than 65,535 bytes; the node's current state does not confirm it [text]"},
	})
}
