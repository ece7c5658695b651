package faults_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/fixtures"
)

// TestUnexplainedShowsTheLineOfAFaultThatNoCheckKnows judges each recording without its own check:
// the line of a log, or the event, that the check quotes must be among the first three that the
// report leaves for a person to read.
func TestUnexplainedShowsTheLineOfAFaultThatNoCheckKnows(t *testing.T) {
	found, all, least := 0, 0, 100
	for i, name := range fixtures.Names() {
		if testing.Short() {
			least = 20
			if i%5 != 0 {
				continue
			}
		}
		own := ownCheck(name)
		l := load(t, name)
		result := l.report.Result(own)
		if result == nil || result.Status != checks.StatusFail && result.Status != checks.StatusWarn {
			continue
		}
		rest := slices.DeleteFunc(checkIDs(), func(id string) bool { return id == own })
		r := checks.Diagnose(l.snapshot, faults.Catalogue().Only(rest...), checks.Source{},
			checks.Program{})
		lines := quotedLines(result)
		lines = slices.DeleteFunc(lines, func(line string) bool { return explained(r, line) })
		if len(lines) == 0 {
			continue // its evidence is state, or another check quotes the line too
		}
		all++
		first := r.Unexplained[:min(3, len(r.Unexplained))]
		if slices.ContainsFunc(first, func(u checks.Unexplained) bool {
			return slices.ContainsFunc(lines, func(line string) bool { return sameLine(u.Text, line) })
		}) {
			found++
			continue
		}
		t.Logf("%s: not among the first three: %.200s", name, lines[0])
		for _, u := range r.Unexplained {
			t.Logf("\t%s (%s)", u.Text[:min(len(u.Text), 150)], u.Why)
		}
	}
	t.Logf("%d of %d", found, all)
	if all < least || found*100 < 80*all {
		t.Errorf("%d of %d lines are among the first three, want 80 %%", found, all)
	}
}

// ownCheck is the check after which a recording is named.
func ownCheck(name string) string {
	longest := ""
	for _, id := range checkIDs() {
		if strings.HasPrefix(name, id) && len(id) > len(longest) {
			longest = id
		}
	}
	return longest
}

func checkIDs() []string {
	var ids []string
	for _, c := range faults.Catalogue().All() {
		ids = append(ids, c.ID)
	}
	return ids
}

// quotedLines are the lines of logs and the events that the faults of a result quote.
func quotedLines(result *checks.Result) []string {
	var lines []string
	for _, f := range result.Findings {
		if f.Level == "info" {
			continue
		}
		for _, b := range f.Because {
			if strings.HasPrefix(b.Path, "logs/") || b.Path == "api/events.json" ||
				b.Path == "events.json" {
				lines = append(lines, b.Text)
			}
		}
	}
	return lines
}

func explained(r checks.Report, line string) bool {
	return slices.ContainsFunc(r.Results, func(res checks.Result) bool {
		c := faults.Catalogue().ByID(res.ID)
		return !c.Symptom && slices.ContainsFunc(quotedLines(&res), func(q string) bool {
			return sameLine(q, line)
		})
	})
}

// sameLine compares the middles of lines: a quote may carry a count, or begin with the event's
// object.
func sameLine(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	words := strings.Fields(a)
	same := 0
	for _, w := range words {
		if strings.Contains(b, w) {
			same++
		}
	}
	return same*10 >= len(words)*8
}

// TestAHealthyNodeLeavesLittleToRead: lines that a well node has too would hide those that matter.
func TestAHealthyNodeLeavesLittleToRead(t *testing.T) {
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		if lines := load(t, name).report.Unexplained; len(lines) > 2 {
			t.Errorf("%s: %d lines are left to read", name, len(lines))
			for _, u := range lines {
				t.Logf("\t%s (%s)", u.Text, u.Why)
			}
		}
	}
}

// TestUnexplainedOfAPaste has lines that somebody copied: what its author writes around them is no
// error, what a start has too matters if it may go on, and the harmless lines of a start do not.
func TestUnexplainedOfAPaste(t *testing.T) {
	const uninitialized = "E0309 23:48:53.261240 700 kubelet.go:2183] Container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized"
	const missing = "E0628 16:57:09.679372 1180 proxier.go:564] Unable to find HNS Network specified by cbr0. Please check network name and CNI deployment"
	for _, c := range []struct{ name, log, text, first, why string }{
		{"the lines of a start that may go on, before those that every start has", "kubelet",
			"E0309 23:48:53.012433 700 aws_credentials.go:77] while getting AWS credentials NoCredentialProviders: no valid providers in chain. Deprecated. For verbose messaging see aws.Config.CredentialsChainVerboseErrors\n" +
				uninitialized + "\n", uninitialized, "cni-config-uninitialized"},
		{"kube-proxy waits for its network", "kube-proxy", missing + "\n" + missing + "\n",
			missing, "kubeproxy-network-name-unset-or-missing"},
		{"it found its network", "kube-proxy", missing + "\n" +
			"I0628 16:57:10.1 1180 config.go:315] Starting service config controller\n", "", ""},
		{"what the author writes", "other",
			"When I deploy it the pod fails to start\n[CRI] frobnicator: refused 0x80070005\nThe kubelet failed with the following error:\n",
			"[CRI] frobnicator: refused 0x80070005", ""},
		{"a line that ends in the words of one that a check quotes", "kubelet",
			"E1120 09:50:16.688837 4628 remote_runtime.go:92] RunPodSandbox from runtime service failed: rpc error: code = Unknown desc = NetworkPlugin cni failed to set up pod \"a_default\" network: Failed to allocate address: Failed to delegate: Failed to allocate address: No available addresses\n" +
				"E1120 09:50:16.688837 4628 cni.go:227] Error while adding to cni network: Failed to allocate address: Failed to delegate: Failed to allocate address: No available addresses\n" +
				"E1120 09:50:18.688837 4628 remote_runtime.go:92] RunPodSandbox from runtime service failed: rpc error: code = Unknown desc = NetworkPlugin cni failed to set up pod \"b_default\" network: frobnicator is upside down\n",
			"E1120 09:50:18.688837 4628 remote_runtime.go:92] RunPodSandbox from runtime service failed: rpc error: code = Unknown desc = NetworkPlugin cni failed to set up pod \"b_default\" network: frobnicator is upside down", ""},
		{"nothing else", "other", "We cannot reach the pod and it fails\n",
			"We cannot reach the pod and it fails", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "logs/" + c.log + "/pasted.txt"
			r := reportOf(t, shortMeta+"-- logs.json --\n"+
				`{"logs":[{"path":"`+path+`","excerpt":true}]}`+"\n-- "+path+" --\n"+c.text)
			var texts []string
			for _, u := range r.Unexplained {
				texts = append(texts, u.Text)
			}
			if c.first == "" && len(texts) > 0 || c.first != "" && (len(texts) != 1 || texts[0] != c.first) {
				t.Errorf("it shows\n\t%s\nand should show\n\t%s", strings.Join(texts, "\n\t"), c.first)
			} else if len(texts) == 1 && !strings.Contains(r.Unexplained[0].Why, c.why) {
				t.Errorf("it does not name %s: %s", c.why, r.Unexplained[0].Why)
			}
		})
	}
}

// TestUnexplainedIsNotSilent has logs with nothing but a line that states no error, or one that every start
// has: where the node is not known to be well it is shown.
func TestUnexplainedIsNotSilent(t *testing.T) {
	const (
		carried = `{"level":"info","ts":"2026-11-20T09:59:00Z","msg":"frobnicator","error":"it is upside down"}`
		retried = `{"level":"info","ts":"2026-11-20T09:59:00Z","msg":"frobnicator, will retry","error":"it is upside down"}`
		missing = "E1120 09:50:09.679372 1180 proxier.go:564] Unable to find HNS Network specified by cbr0. Please check network name and CNI deployment"
		well    = "-- api/node.json --\n" + `{"kind":"Node","metadata":{"name":"a","labels":{"kubernetes.io/os":"windows"}},"status":{"conditions":[{"type":"Ready","status":"True"}]}}` + "\n"
	)
	for _, row := range []struct{ name, log, more, want string }{
		{"an error at the level of an information", carried, "", carried},
		{"one of a node that is Ready", carried, well, ""},
		{"one that is tried again", retried, "", ""},
		{"a line that sounds like an error", "the frobnicator was rejected", "", "the frobnicator was rejected"},
		{"the last lines of a start that may go on", missing, "", missing},
		{"those of a start that went on", missing + strings.Repeat("\nI1120 09:50:10.1 1180 config.go:315] Starting", 6), "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var texts []string
			for _, u := range reportOf(t, shortMeta+row.more+"-- logs/kube-proxy/a.log --\n"+row.log+"\n").Unexplained {
				texts = append(texts, u.Text)
			}
			if got := strings.Join(texts, "\n"); got != row.want {
				t.Errorf("it shows %q, want %q", got, row.want)
			}
		})
	}
}

// TestUnexplainedEventsThatOnlyFollow: an event that a probe failed says little beside another error,
// and is all there is where somebody copied nothing else.
func TestUnexplainedEventsThatOnlyFollow(t *testing.T) {
	const (
		probe = `{"type":"Warning","reason":"Unhealthy","message":"Readiness probe failed: frobnicator","count":12,"involvedObject":{"kind":"Pod","name":"web"}}`
		again = `{"type":"Warning","reason":"Failed","message":"Error: ErrImagePull","count":12,"lastTimestamp":"2026-11-20T09:59:00Z","involvedObject":{"kind":"Pod","name":"web"}}`
		why   = `{"type":"Warning","reason":"Failed","message":"Failed to pull image \"a\": frobnicator is upside down","count":12,"lastTimestamp":"2026-11-20T09:59:00Z","involvedObject":{"kind":"Pod","name":"web"}}`
		other = `{"type":"Warning","reason":"FailedFrobnication","message":"frobnicator is upside down","lastTimestamp":"2026-11-20T09:59:00Z","involvedObject":{"kind":"Pod","name":"web"}}`
	)
	for _, row := range []struct{ name, events, excerpt, want string }{
		{"alone in a paste", probe, "true", "Unhealthy web: Readiness probe failed: frobnicator"},
		{"beside another in a paste", probe + "," + other, "true", "FailedFrobnication web: frobnicator is upside down"},
		{"alone in all events of the node", probe, "false", ""},
		{"the reason of an image's state", again, "false", "Failed web: Error: ErrImagePull"},
		{"and what it is about", again + "," + why, "false", `Failed web: Failed to pull image "a": frobnicator is upside down`},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := reportOf(t, shortMeta+"-- logs.json --\n"+
				`{"logs":[{"path":"api/events.json","excerpt":`+row.excerpt+`}]}`+"\n-- api/events.json --\n{\"items\":["+row.events+"]}\n")
			var texts []string
			for _, u := range r.Unexplained {
				texts = append(texts, u.Text)
			}
			if got := strings.Join(texts, "\n"); got != row.want {
				t.Errorf("it shows %q, want %q", got, row.want)
			}
		})
	}
}

// TestUnexplainedIsOfThisNode: a list of all events of a cluster speaks of much else, and what a pod has
// overcome is history, in the events and in the logs.
func TestUnexplainedIsOfThisNode(t *testing.T) {
	event := func(kind, name, reason, message string) string {
		return fmt.Sprintf(`{"type":"Warning","reason":%q,"message":%q,"lastTimestamp":"2026-11-20T09:59:00Z","involvedObject":{"kind":%q,"namespace":"shop","name":%q}}`,
			reason, message, kind, name)
	}
	pods := func(ready string) string {
		return "-- api/pods.json --\n" + `{"items":[{"metadata":{"namespace":"shop","name":"web"},"spec":{"nodeName":"win-1"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"` +
			ready + `"}]}}]}` + "\n"
	}
	const node = "-- api/node.json --\n" + `{"kind":"Node","metadata":{"name":"win-1","labels":{"kubernetes.io/os":"windows"}}}` + "\n"
	const pull = `Failed to pull image "a": rpc error: code = Unknown desc = failed to pull and unpack image "a": frobnicator is upside down`
	const line = `E1120 09:59:00.104233    3268 remote_image.go:180] "PullImage from image service failed" err="rpc error: code = Unknown desc = failed to pull and unpack image \"a\": frobnicator is upside down" image="a"`
	kubelet := "-- logs/kubelet/kubelet.log --\n" + line + "\n"
	for _, row := range []struct{ name, more, event, want string }{
		// pkg/controller/job/job_controller.go of Kubernetes
		{"a Job", "", event("Job", "report", "BackoffLimitExceeded", "Job has reached the specified backoff limit"), ""},
		// pkg/controller/daemon/daemon_controller.go
		{"a pod of another node", "", event("DaemonSet", "agent", "FailedDaemonPod", "Found failed daemon pod shop/agent-2 on node lin-1, will try to kill it"), ""},
		{"a pod of this node", "", event("DaemonSet", "agent", "FailedDaemonPod", "Found failed daemon pod shop/agent-2 on node win-1, will try to kill it"),
			"FailedDaemonPod agent: Found failed daemon pod shop/agent-2 on node win-1, will try to kill it"},
		{"a pod that a Job may not make", "", event("Job", "report", "FailedCreate", "Error creating: admission webhook frobnicator denied the request"),
			"FailedCreate report: Error creating: admission webhook frobnicator denied the request"},
		{"an image that could not be pulled", kubelet, event("Pod", "web", "Failed", pull), "Failed web: " + pull},
		{"one that was pulled later", kubelet + pods("2026-11-20T09:59:30Z"), event("Pod", "web", "Failed", pull), ""},
		{"one that was not, of a pod that was Ready before", kubelet + pods("2026-11-20T09:00:00Z"), event("Pod", "web", "Failed", pull), "Failed web: " + pull},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := reportOf(t, shortMeta+node+row.more+"-- api/events.json --\n{\"items\":["+row.event+"]}\n")
			var texts []string
			for _, u := range r.Unexplained {
				texts = append(texts, u.Text)
			}
			if got := strings.Join(texts, "\n"); got != row.want {
				t.Errorf("it shows %q, want %q", got, row.want)
			}
		})
	}
}

// The texts are those of https://learn.microsoft.com/troubleshoot/windows-client/application-management/event-10016-logged-when-accessing-dcom
// and kubernetes 99173, of another pod.
func TestErrorsThatAreExpectedAreNotShown(t *testing.T) {
	const machine = `{"log":"System","provider":"Microsoft-Windows-DistributedCOM","id":10016,"level":"error","time":"2026-11-20T09:59:00Z","message":"The machine-default permission settings do not grant Local Activation permission for the COM Server application with CLSID {C2F03A33-21F5-47FA-B4BB-156362A2F239} and APPID {316CDED5-E4AE-4B15-9113-7055D84DCC97} to the user NT AUTHORITY\\LOCAL SERVICE"}`
	const other = `{"log":"System","provider":"Microsoft-Windows-DistributedCOM","id":10010,"level":"error","time":"2026-11-20T09:59:00Z","message":"The server {C2F03A33-21F5-47FA-B4BB-156362A2F239} did not register with DCOM within the required timeout."}`
	log := "-- logs/kubelet/kubelet.log --\nI1120 08:00:00.000000    3560 server.go:1262] \"Started kubelet\"\n" + strings.Repeat(
		`E1120 09:58:18.504066    3560 cri_stats_provider.go:583] Unable to fetch container log stats: failed to get fsstats for  "\\var\\log\\pods\\shop_web-0_2a632a7b-a128-45c1-8e6c-cfd48cc6af8a\\web\\0.log": failed to get FsInfo due to error The directory name is invalid.`+"\n", 3) +
		strings.Repeat("I1120 09:59:10.000000    3560 kubelet.go:2537] \"SyncLoop (PLEG): event for pod\"\n", 30)
	for _, row := range []struct {
		name, tree string
		want       int
	}{
		{"DCOM", "-- events.json --\n[" + machine + "]\n", 0},
		{"another event of DCOM", "-- events.json --\n[" + machine + "," + other + "]\n", 1},
		{"statistics of a log", log, 0},
	} {
		if got := reportOf(t, shortMeta+row.tree).Unexplained; len(got) != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}
