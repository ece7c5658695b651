package faults_test

import (
	"strings"
	"testing"
)

// Pods that use rancher-wins where it is not: rancher issues 31994, 39417 and 39643.
func TestHostPipeMissing(t *testing.T) {
	const (
		refused  = `FATA[2026-11-20T09:50:00Z] open \\\\.\\pipe\\rancher_wins_proxy: The system cannot find the file specified.`
		quoted   = `level=error msg=\"Failed to connect to proxy. Empty dialer response\" error=\"open \\\\\\\\.\\\\pipe\\\\rancher_wins_proxy: The system cannot find the file specified.\"`
		none     = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\"}]\n"
		stopped  = "-- services.json --\n[{\"name\":\"rancher-wins\",\"state\":\"stopped\"}]\n"
		starts   = "-- processes.json --\n[{\"pid\":9,\"name\":\"kubelet.exe\"}]\n"
		wins     = "-- processes.json --\n[{\"pid\":9,\"name\":\"wins.exe\"}]\n"
		cannot   = "fail: shop/web cannot open named pipe rancher_wins_proxy of the node: "
		restarts = "warn: shop/web keeps restarting and mounts named pipe rancher_wins of the node: there is no service rancher-wins [state]"
	)
	pod := func(path, state, message string) string {
		return podsJSON(podJSON(`"volumes":[{"name":"p","hostPath":{"path":"`+path+`"}}]`, "",
			`{"phase":"Running","containerStatuses":[{"name":"c","restartCount":9,"state":{`+state+`},"lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"`+message+`"}}}]}`))
	}
	const loop, up = `"waiting":{"reason":"CrashLoopBackOff"}`, `"running":{"startedAt":"2026-11-20T09:50:00Z"}`
	const proxy, pipe = `\\\\.\\pipe\\rancher_wins_proxy`, `\\\\.\\pipe\\rancher_wins`
	runLooks(t, "host-pipe-missing", []look{
		{"no service serves it", pod(proxy, loop, refused) + none + starts, cannot + "there is no service rancher-wins [state+text]"},
		{"as the log writes it", pod("//./pipe/rancher_wins_proxy", loop, quoted) + none + starts, cannot + "there is no service rancher-wins [state+text]"},
		{"its service is stopped", pod(proxy, loop, refused) + stopped + starts, cannot + "service rancher-wins is stopped [state+text]"},
		{"its service runs", pod(proxy, loop, refused) + none + wins, cannot + "it does not exist [state+text]"},
		{"its service was started since", strings.Replace(pod(proxy, loop, refused), `"exitCode":1,`, `"exitCode":1,"finishedAt":"2026-11-20T09:50:00Z",`, 1) +
			none + strings.Replace(wins, `"name"`, `"startedAt":"2026-11-20T09:55:00Z","name"`, 1), "info: the logs say: a program cannot open a named pipe of the node; the node's current state does not confirm it [text]"},
		{"services are not recorded", pod(proxy, loop, refused), cannot + "it does not exist [state+text]"},
		{"a pipe of somebody", pod(`\\\\.\\pipe\\erp`, loop, strings.ReplaceAll(refused, "rancher_wins_proxy", "erp")),
			"fail: shop/web cannot open named pipe erp of the node: it does not exist [state+text]"},
		{"another pipe than the pod mounts", pod(pipe+"2", loop, refused) + none + wins, "info: the logs say: a program cannot open a named pipe of the node; the node's current state does not confirm it [text]"},
		{"a pipe within the container", pod(`C:\\data`, loop, refused) + none + starts, "info: the logs say: a program cannot open a named pipe of the node; the node's current state does not confirm it [text]"},
		{"no error is recorded", pod(pipe, loop, "") + none + starts, restarts},
		{"no error is recorded, and its service runs", pod(pipe, loop, "") + none + wins, "pass"},
		{"no error is recorded, and no services", pod(pipe, loop, ""), "unknown"},
		{"the pipe of csi-proxy", pod(`\\\\.\\pipe\\csi-proxy-smb-v1`, loop, strings.ReplaceAll(refused, "rancher_wins_proxy", "csi-proxy-smb-v1")) + none + starts, "pass"},
		{"the pod runs", strings.Replace(pod(pipe, up, ""), `"name":"c","restartCount"`, `"name":"c","ready":true,"restartCount"`, 1) + none + starts, "pass"},
		{"nobody recorded pods", none, "unknown"},
	})
}
