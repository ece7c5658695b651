package faults_test

import (
	"strings"
	"testing"
)

// What the kubelet records of programs that reject a probe: prometheus-community/helm-charts issue 4790
// (404), kubernetes issue 104731 (401), kubeflow/examples issue 106.
func TestProbePathWrong(t *testing.T) {
	const (
		rejects = "Liveness probe failed: HTTP probe failed with statuscode: 404"
		unready = "Readiness probe failed: HTTP probe failed with statuscode: 404"
		kills   = "Container c failed liveness probe, will be restarted"
		probes  = `"livenessProbe":{"httpGet":{"path":"/"}},"readinessProbe":{"httpGet":{"path":"/"}}`
		killed  = "fail: container c of shop/web is killed by its liveness probe, which gets status 404, 7 restarts [state]"
		waits   = "fail: container c of shop/web does not become Ready: its readiness probe gets status 404 [state]"
	)
	// collected at 2026-11-20T10:00:00Z
	pod := func(count, state, last string) string {
		return podsJSON(podJSON("", probes, `{"phase":"Running","containerStatuses":[{"name":"c","restartCount":`+count+`,"state":{`+state+`},"lastState":{`+last+`}}]}`))
	}
	const running, ended = `"running":{"startedAt":"2026-11-20T09:50:00Z"}`,
		`"terminated":{"exitCode":1,"reason":"Error","startedAt":"2026-11-20T09:48:00Z","finishedAt":"2026-11-20T09:49:00Z"}`
	loops := pod("7", running, ended)
	for _, form := range []string{"core", "events.k8s.io"} {
		event := func(reason, at, text, container string) string {
			about := `{"kind":"Pod","namespace":"shop","name":"web","fieldPath":"spec.containers{` + container + `}"}`
			if form == "core" {
				return `{"reason":"` + reason + `","metadata":{"namespace":"shop"},"count":7,"lastTimestamp":"2026-11-20T` + at + `Z","involvedObject":` + about + `,"message":"` + text + `"}`
			}
			return `{"reason":"` + reason + `","metadata":{"namespace":"shop"},"eventTime":"2026-11-20T08:00:00Z","series":{"count":7,"lastObservedTime":"2026-11-20T` +
				at + `Z"},"regarding":` + about + `,"note":"` + text + `"}`
		}
		events := func(list ...string) string {
			return "-- api/events.json --\n{\"items\":[" + strings.Join(list, ",") + "]}\n"
		}
		fails := func(text string) string { return event("Unhealthy", "09:48:58", text, "c") }
		kill := event("Killing", "09:48:59", kills, "c")
		untimed := func(list string) string {
			return strings.NewReplacer(`"lastTimestamp":"2026-11-20T09:48:58Z",`, "", `"lastTimestamp":"2026-11-20T09:48:59Z",`, "",
				`"eventTime":"2026-11-20T08:00:00Z",`, "", `,"lastObservedTime":"2026-11-20T09:48:58Z"`, "", `,"lastObservedTime":"2026-11-20T09:48:59Z"`, "").Replace(list)
		}
		status := func(code string) string {
			return loops + events(fails(strings.Replace(rejects, "404", code, 1)), kill)
		}
		runLooks(t, "probe-path-wrong", []look{
			{"it kills again and again, " + form, loops + events(fails(rejects), kill), killed},
			{"the events in another order, " + form, loops + events(kill, fails(rejects)), killed},
			{"events without times, " + form, loops + untimed(events(fails(rejects), kill)), strings.Replace(killed, "fail", "warn", 1)},
			{"no credentials, " + form, status("401"), strings.Replace(killed, "404", "401", 1)},
			{"the program is not well, " + form, status("503"), "pass"},
			{"the program is busy, " + form, status("429"), "pass"},
			{"no answer, " + form, loops + events(fails("Liveness probe failed: Get http://10.1.2.3/: context deadline exceeded"), kill), "pass"},
			{"the last failure is another, " + form, loops + events(fails(rejects), event("Unhealthy", "09:48:59", "Liveness probe failed: HTTP probe failed with statuscode: 503", "c"), kill), "pass"},
			{"another container of the pod, " + form, loops + events(event("Unhealthy", "09:48:58", rejects, "d"), kill), "pass"},
			{"a single restart, " + form, pod("1", running, ended) + events(fails(rejects), kill), "pass"},
			{"nothing kills it, " + form, loops + events(fails(rejects)), "pass"},
			{"killed before its last end, " + form, pod("7", running, strings.Replace(ended, "09:48:00", "09:48:59.5", 1)) + events(fails(rejects), kill), "pass"},
			{"it does not become Ready, " + form, pod("0", running, "") + events(event("Unhealthy", "09:59:00", unready, "c")), waits},
			{"its first seconds, " + form, pod("0", running, "") + events(event("Unhealthy", "09:50:20", unready, "c")), "pass"},
			{"it became Ready, " + form, strings.Replace(pod("0", running, ""), `"name":"c","restart`, `"name":"c","ready":true,"restart`, 1) +
				events(event("Unhealthy", "09:59:00", unready, "c")), "pass"},
			{"another pod, " + form, pod("0", running, "") + strings.Replace(events(event("Unhealthy", "09:59:00", unready, "c")), `"name":"web"`, `"name":"api"`, 1), "pass"},
			{"only the events, " + form, events(fails(rejects), kill), "warn: the liveness probe of shop/web gets status 404 and kills its container [text]"},
			{"only the events, of a program that is not well, " + form, events(fails(strings.Replace(rejects, "404", "503", 1)), kill), "pass"},
		})
		runLooks(t, "liveness-probe-too-strict", []look{
			{"the probe is rejected, only the events, " + form, events(fails(rejects), kill), "pass"},
		})
	}
}
