package faults_test

import (
	"fmt"
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

// TestProbeOfLocalhost: the event is that of azuredisk-csi-driver pull request 2266. Each row is also
// judged in the form of events.k8s.io/v1, and with the events the other way round.
func TestProbeOfLocalhost(t *testing.T) {
	const refused = `Liveness probe failed: Get \"http://HOST:29603/healthz\": dial tcp [::1]:29603: connectex: No connection could be made because the target machine actively refused it.`
	const killed = `Container c failed liveness probe, will be restarted`
	events := func(host string, times int) []string {
		message := strings.ReplaceAll(refused, "HOST", host)
		core := fmt.Sprintf(`{"type":"Warning","reason":"Unhealthy","count":%d,"lastTimestamp":"2026-11-20T09:55:34Z","involvedObject":{"kind":"Pod","name":"web","namespace":"shop"},"message":"%s"}`, times, message)
		other := fmt.Sprintf(`{"type":"Normal","reason":"Killing","count":%d,"lastTimestamp":"2026-11-20T09:55:35Z","involvedObject":{"kind":"Pod","name":"web","namespace":"shop"},"message":"%s"}`, times, killed)
		newer := fmt.Sprintf(`{"type":"Warning","reason":"Unhealthy","deprecatedCount":%d,"deprecatedLastTimestamp":"2026-11-20T09:55:34Z","regarding":{"kind":"Pod","name":"web","namespace":"shop"},"note":"%s"}`, times, message)
		untimed := fmt.Sprintf(`{"reason":"Unhealthy","count":%d,"involvedObject":{"kind":"Pod","name":"web","namespace":"shop"},"message":"%s"}`, times, message)
		var list []string
		for _, items := range []string{core + "," + other, other + "," + core, newer, untimed} {
			list = append(list, "-- api/events.json --\n{\"items\":["+items+"]}\n")
		}
		return list
	}
	probe := func(host string) string {
		return `"image":"x/y:1","livenessProbe":{"httpGet":{"host":"` + host + `","path":"/healthz","port":29603}}`
	}
	const ofNode = " connects to localhost of the node, "
	for _, row := range []struct {
		name, pods, host string
		times            int
		want             string
	}{
		{"a pod with a network of its own", podsJSON(podJSON("", probe("localhost"), "")), "localhost", 75,
			"fail: the liveness probe of container c of shop/web" + ofNode + "but the pod has its own network [state]"},
		{"by its address", podsJSON(podJSON("", probe("127.0.0.1"), "")), "127.0.0.1", 75,
			"fail: the liveness probe of container c of shop/web" + ofNode + "but the pod has its own network [state]"},
		{"a HostProcess pod", podsJSON(podJSON(`"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}}`, probe("localhost"), "")), "localhost", 75, "pass"},
		{"the probe was corrected", podsJSON(podJSON("", probe(""), "")), "localhost", 75, "pass"},
		{"at its start only", podsJSON(podJSON("", probe("localhost"), "")), "localhost", 2, "pass"},
		{"the address of the pod", podsJSON(podJSON("", probe(""), "")), "10.244.3.4", 75, "pass"},
		{"the pod is not recorded", "", "localhost", 75,
			"warn: a liveness probe" + ofNode + "where nothing listens [text]"},
		{"a name that begins so", "", "localhost.example", 75, "pass"},
	} {
		for i, list := range events(row.host, row.times) {
			runLooks(t, "probe-host-localhost", []look{{fmt.Sprintf("%s, form %d", row.name, i), list + row.pods, row.want}})
		}
	}
	for _, row := range []struct{ name, answer, want string }{
		{"a German Windows", "connectex: Es konnte keine Verbindung hergestellt werden, da der Zielcomputer die Verbindung verweigerte.",
			"warn: a liveness probe" + ofNode + "where nothing listens [text]"},
		{"a node with Linux", "connect: connection refused", "pass"},
	} {
		list := strings.ReplaceAll(events("localhost", 75)[0], "connectex: No connection could be made because the target machine actively refused it.", row.answer)
		runLooks(t, "probe-host-localhost", []look{{row.name, list, row.want}})
	}
	tree := events("localhost", 75)[0] + podsJSON(podJSON("", probe("localhost"), `{"phase":"Running","containerStatuses":[{"name":"c","restartCount":17,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"startedAt":"2026-11-20T09:53:05Z","finishedAt":"2026-11-20T09:55:35Z"}}}]}`))
	if causes := causesOf(t, tree, "probe-host-localhost", "liveness-probe-too-strict", "pods-restarting"); len(causes) != 1 || causes[0].ID != "probe-host-localhost" {
		t.Errorf("the causes are %+v", causes)
	}
}

// TestNameOfNodeIsNotResolved: acs-engine issue 105 and metrics-server pull request 229.
func TestNameOfNodeIsNotResolved(t *testing.T) {
	const kubectl = "-- logs/other/1.txt --\nGet https://NAME:10250/containerLogs/default/w/w: dial tcp: lookup NAME on 168.63.129.16:53: no such host\n"
	const metrics = "-- logs/metrics-server/1.log --\nE1120 09:58:38.510345       1 manager.go:102] unable to fully collect metrics: unable to fully scrape metrics from source kubelet_summary:win-1: unable to fetch metrics from Kubelet win-1 (NAME): Get https://NAME:10250/stats/summary/: dial tcp: lookup NAME on 172.20.0.10:53: no such host\n"
	const found = "warn: the API server, metrics-server or an agent cannot resolve the name of a node to connect to its kubelet [text]"
	is := func(text, name string) string { return strings.ReplaceAll(text, "NAME", name) }
	node := nodeOf("v1.30.1", "containerd://1.7.20")
	runLooks(t, "node-name-not-resolved", []look{
		{"the node is not known", is(kubectl, "k8s-agentpool2-299742071"), found},
		{"of this node", node + is(kubectl, "win-1"), found},
		{"of metrics-server", node + is(metrics, "win-1"), found},
		{"with its domain", node + is(metrics, "Win-1.ec2.internal"), found},
		{"another node", node + is(kubectl, "win-2"),
			"info: the logs say: the API server, metrics-server or an agent cannot resolve the name of a node to connect to its kubelet; the node's current state does not confirm it [text]"},
		{"another port", "-- logs/other/1.txt --\nGet https://registry:5000/v2/: dial tcp: lookup registry on 10.0.0.1:53: no such host\n", "unknown"},
		{"another error", is(strings.ReplaceAll(kubectl, "no such host", "i/o timeout"), "win-1"), "unknown"},
		{"a node that nobody asked", node, "skip"},
	})
}
