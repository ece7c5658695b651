package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// What the kubelet records of containers that a probe kills: sysdiglabs/charts pulls 2589 and 2592,
// csi-driver-smb pull 1059, Azure/aks-engine issue 1815, kubernetes issue 82987.
func TestLivenessProbeTooStrict(t *testing.T) {
	const (
		refuses = `Liveness probe failed: Get \"http://10.1.2.3:8080/healthz\": dial tcp 10.1.2.3:8080: connectex: No connection could be made because the target machine actively refused it.`
		slow    = `Liveness probe failed: Get \"http://10.1.2.3:29643/healthz\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
		kills   = "Container c failed liveness probe, will be restarted"
		probe   = `"livenessProbe":{"initialDelaySeconds":5,"periodSeconds":5,"failureThreshold":9}`
		strict  = `"livenessProbe":{"initialDelaySeconds":30,"periodSeconds":30,"timeoutSeconds":10,"failureThreshold":5}`
	)
	// collected at 2026-11-20T10:00:00Z
	pod := func(container, lastState string) string {
		return podJSON("", container, `{"phase":"Running","containerStatuses":[{"name":"c","restartCount":7,"state":{"running":{"startedAt":"2026-11-20T09:55:00Z"}},"lastState":{`+lastState+`}}]}`)
	}
	ended := func(from, to string) string {
		return `"terminated":{"exitCode":1067,"reason":"Error","startedAt":"2026-11-20T` + from + `Z","finishedAt":"2026-11-20T` + to + `Z"}`
	}
	event := func(form, reason, at, text string) string {
		if form == "core" {
			return `{"reason":"` + reason + `","metadata":{"namespace":"shop"},"count":7,"lastTimestamp":"2026-11-20T` + at +
				`Z","involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"message":"` + text + `"}`
		}
		return `{"reason":"` + reason + `","metadata":{"namespace":"shop"},"eventTime":"2026-11-20T08:00:00Z","series":{"count":7,"lastObservedTime":"2026-11-20T` +
			at + `Z"},"regarding":{"kind":"Pod","namespace":"shop","name":"web"},"note":"` + text + `"}`
	}
	events := func(list ...string) string {
		return "-- api/events.json --\n{\"items\":[" + strings.Join(list, ",") + "]}\n"
	}
	const (
		gives   = "%s: container c of shop/web is killed by its liveness probe, which gives it %d s to start: it does not listen yet [state]"
		answers = "%s: container c of shop/web is killed by its liveness probe: no answer within %d s, 5 times in a row [state]"
	)
	const (
		status500 = "Liveness probe failed: HTTP probe failed with statuscode: 500"
		health    = "-- logs/pods/shop_web_l-0.log --\nE1120 09:54:42.201144    5284 main.go:78] \"Health check failed\" err=\"rpc error: code = DeadlineExceeded desc = context deadline exceeded\"\n"
	)
	driver := func(wait string) string {
		return strings.Replace(podsJSON(pod(probe, ended("09:30:00", "09:54:57"))), `"containers":[`,
			`"containers":[{"name":"l","image":"registry.k8s.io/sig-storage/livenessprobe:v2.16.0","args":["--probe-timeout=`+wait+`"]},`, 1)
	}
	for _, form := range []string{"core", "events.k8s.io"} {
		killed := event(form, "Killing", "09:54:55", kills)
		both := func(text string) string { return events(event(form, "Unhealthy", "09:54:55", text), killed) }
		minute := podsJSON(pod(probe, ended("09:54:00", "09:54:57")))
		runLooks(t, "liveness-probe-too-strict", []look{
			{"it does not listen yet, " + form, minute + both(refuses), fmt.Sprintf(gives, "fail", 50)},
			{"the events in another order, " + form, minute + events(killed, event(form, "Unhealthy", "09:54:55", refuses)),
				fmt.Sprintf(gives, "fail", 50)},
			{"it answers slowly, " + form, podsJSON(pod(strict, ended("09:51:00", "09:54:57"))) + both(slow),
				fmt.Sprintf(answers, "fail", 10)},
			{"an exec probe that takes too long, " + form, podsJSON(pod(strict, ended("09:51:00", "09:54:57"))) +
				both("Liveness probe errored: rpc error: code = DeadlineExceeded desc = context deadline exceeded"),
				fmt.Sprintf(answers, "fail", 10)},
			{"half a minute for an answer, " + form, podsJSON(pod(strings.Replace(strict, ":10", ":30", 1), ended("09:51:00", "09:54:57"))) +
				both(slow), fmt.Sprintf(answers, "warn", 30)},
			{"time enough to start, " + form, podsJSON(pod(strings.Replace(probe, `Seconds":5`, `Seconds":300`, 1), ended("09:49:00", "09:54:57"))) +
				both(refuses), fmt.Sprintf(gives, "warn", 345)},
			{"it listened and stopped, " + form, podsJSON(pod(probe, ended("09:30:00", "09:54:57"))) + both(refuses), "pass"},
			{"it started by the startup probe, " + form,
				podsJSON(pod(probe+`,"startupProbe":{"periodSeconds":10,"failureThreshold":30}`, ended("09:54:00", "09:54:57"))) + both(refuses), "pass"},
			{"it ended by itself since, " + form, podsJSON(pod(probe, ended("09:54:57", "09:54:59"))) + both(refuses), "pass"},
			{"nothing kills it, " + form, minute + events(event(form, "Unhealthy", "09:54:55", refuses)), "pass"},
			{"a rollout, " + form, minute + events(event(form, "Unhealthy", "09:54:55", refuses),
				event(form, "Killing", "09:54:55", "Stopping container c")), "pass"},
			{"another container, " + form, minute + events(event(form, "Unhealthy", "09:54:55", refuses),
				event(form, "Killing", "09:54:55", "Container b-c failed liveness probe, will be restarted")), "pass"},
			{"a driver that a mount holds up, " + form, driver("3s") + both(status500) + health,
				"fail: container c of shop/web is killed by its liveness probe: the driver does not answer container l within 3s [state]"},
			{"a driver that gets more time, " + form, driver("30s") + both(status500) + health, "pass"},
			{"another driver says so, " + form, driver("3s") + both(status500) + strings.Replace(health, "shop_web_l", "shop_other_l", 1), "pass"},
			{"a driver that nothing says to be slow, " + form, driver("3s") + both(status500), "pass"},
			{"an answer, " + form, minute + both("Liveness probe failed: HTTP probe failed with statuscode: 500"), "pass"},
			{"a network without a way, " + form, minute +
				both("Liveness probe failed: Get http://10.1.2.3:80/: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)"), "pass"},
			{"what the program of an exec probe writes, " + form, minute +
				both(`Liveness probe failed: Felix is not live: Get \"http://localhost:9099/liveness\": dial tcp [::1]:9099: connectex: No connection could be made because the target machine actively refused it.`), "pass"},
			{"a single restart, " + form, strings.Replace(minute, `"restartCount":7`, `"restartCount":1`, 1) + both(refuses), "pass"},
			{"long ago, " + form, podsJSON(pod(probe, ended("07:54:00", "07:54:57"))) +
				events(event(form, "Unhealthy", "07:54:55", refuses), event(form, "Killing", "07:54:55", kills)), "pass"},
			{"the settings are not shown, " + form, podsJSON(pod("", ended("09:54:00", "09:54:57"))) + both(refuses),
				"warn: container c of shop/web is killed by its liveness probe, 7 restarts [state]"},
			{"only the events, " + form, both(refuses), "warn: a probe has killed a container of shop/web 7 times [text]"},
		})
	}
	killed := event("core", "Killing", "09:54:55", kills)
	reply := event("core", "Unhealthy", "09:54:55", refuses)
	api := strings.NewReplacer("shop/web", "shop/api", `"name":"web"`, `"name":"api"`)
	crashes := podsJSON(podJSON("", probe, `{"phase":"Running","containerStatuses":[{"name":"c","restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1067}}}]}`))
	web := pod(probe, ended("09:54:00", "09:54:57"))
	runLooks(t, "liveness-probe-too-strict", []look{
		{"without times", crashes + strings.NewReplacer("2026-11-20T09:54:55Z", "").Replace(events(reply, killed)),
			fmt.Sprintf(gives, "warn", 50)},
		{"several workloads", podsJSON(web+","+api.Replace(web)) + events(reply, killed, api.Replace(reply), api.Replace(killed)),
			fmt.Sprintf(gives, "warn", 50) + "\n" + api.Replace(fmt.Sprintf(gives, "warn", 50))},
		{"one kill, without pods", strings.Replace(events(killed), `"count":7`, `"count":1`, 1), "pass"},
		{"docker of Kubernetes 1.13", podsJSON(web) + events(reply, strings.Replace(killed, "Container c failed liveness probe, will be restarted",
			"Killing container with id docker://c:Container failed liveness probe.. Container will be killed and recreated.", 1)),
			fmt.Sprintf(gives, "fail", 50)},
		{"nobody recorded events", podsJSON(web), "unknown"},
	})
}

// Azure/AKS 3262 and hcsshim 1680: HCS is restarted in a moment, and a container is ended.
func TestExecProbeNotStarted(t *testing.T) {
	event := func(first, last, text string) string {
		return `-- api/events.json --
{"items":[{"reason":"Unhealthy","count":7,"firstTimestamp":"2026-11-20T` + first + `Z","lastTimestamp":"2026-11-20T` + last + `Z","involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"message":"` + text + `"}]}
`
	}
	pod := func(id, state string) string {
		return podsJSON(podJSON("", "", `{"phase":"Running","containerStatuses":[{"name":"c","containerID":"containerd://`+id+`","state":{`+state+`}}]}`))
	}
	const (
		text  = `Readiness probe errored: rpc error: code = Unknown desc = failed to exec in container: failed to start exec \"d6b7\": hcs::System::CreateProcess 05fa: The RPC server is unavailable.: unknown`
		runs  = `"running":{"startedAt":"2026-11-19T09:55:00Z"}`
		found = "warn: Windows does not start the readiness probe of container c of shop/web: the kubelet does not restart the container [state]"
	)
	runLooks(t, "exec-probe-not-started", []look{
		{"for an hour", pod("05fa", runs) + event("08:58:00", "09:58:00", text), found},
		{"in the words of 1.34", pod("05fa", runs) + event("08:58:00", "09:58:00", strings.Replace(text, "errored:", "errored and resulted in unknown state:", 1)), found},
		{"for a minute", pod("05fa", runs) + event("09:57:00", "09:58:00", text), "pass"},
		{"it is over", pod("05fa", runs) + event("08:58:00", "09:40:00", text), "pass"},
		{"of an earlier container", pod("77aa", runs) + event("08:58:00", "09:58:00", text), "pass"},
		{"of a container that ended", pod("05fa", `"terminated":{"exitCode":0}`) + event("08:58:00", "09:58:00", text), "pass"},
		{"a command that the image does not have", pod("05fa", runs) + event("08:58:00", "09:58:00",
			strings.Replace(text, "The RPC server is unavailable", "The system cannot find the file specified", 1)), "pass"},
	})
}
