package foreign

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEventsWithoutTheHeadsOfTheirTable(t *testing.T) {
	ran := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, row := range []struct{ name, text, want string }{
		{"of a description", "  Warning  FailedMount  4m49s (x49 over 89m)  kubelet  MountVolume failed",
			`{"count":49,"involvedObject":{"kind":"Pod"},"lastTimestamp":"2026-11-21T09:55:11Z","message":"MountVolume failed","reason":"FailedMount","type":"Warning"}`},
		{"of an old kubelet, with its host", "Warning FailedCreatePodSandBox 59m  kubelet, win-1  Failed create",
			`{"involvedObject":{"kind":"Pod"},"lastTimestamp":"2026-11-21T09:01:00Z","message":"Failed create","reason":"FailedCreatePodSandBox","source":{"component":"kubelet","host":"win-1"},"type":"Warning"}`},
		{"of kubectl 1.7", "  1m  1s  8  kubelet, win-1  spec.containers{a}  Warning  FailedMount  MountVolume failed:\n : no",
			`{"count":8,"involvedObject":{"kind":"Pod"},"lastTimestamp":"2026-11-21T09:59:59Z","message":"MountVolume failed: : no","reason":"FailedMount","source":{"component":"kubelet","host":"win-1"},"type":"Warning"}`},
		{"of an age that kubectl does not know", "Normal Scheduled <unknown> default-scheduler assigned",
			`{"involvedObject":{"kind":"Pod"},"message":"assigned","reason":"Scheduled","type":"Normal"}`},
		{"of a list", "27m Warning Failed pod/one Error: x",
			`{"involvedObject":{"kind":"Pod","name":"one"},"lastTimestamp":"2026-11-21T09:33:00Z","message":"Error: x","reason":"Failed","type":"Warning"}`},
		{"of all namespaces", "kube-system 2m (x3 over 5m) Warning BackOff pod/one again",
			`{"count":3,"involvedObject":{"kind":"Pod","name":"one","namespace":"kube-system"},"lastTimestamp":"2026-11-21T09:58:00Z","message":"again","reason":"BackOff","type":"Warning"}`},
		{"of the page of a pod", "BackOff (41)\t17 mins ago\tBack-off pulling",
			`{"involvedObject":{"kind":"Pod"},"lastTimestamp":"2026-11-21T09:43:00Z","message":"Back-off pulling","reason":"BackOff"}`},
		{"of an end-to-end test", "Jan 13 18:23:06.475: INFO: At 2026-01-13 18:19:11 +0000 UTC - event for c-btmdk: {kubelet 2641k8s001} Failed: Error: x",
			`{"involvedObject":{"kind":"Pod","name":"c-btmdk"},"lastTimestamp":"2026-01-13T18:19:11Z","message":"Error: x","reason":"Failed","source":{"component":"kubelet","host":"2641k8s001"}}`},
		{"of an end-to-end test since Kubernetes 1.30", "I0113 18:23:06.475123   17543 dump.go:53] At 0001-01-01 00:00:00 +0000 UTC - event for web: {default-scheduler } Scheduled: assigned",
			`{"involvedObject":{"kind":"Pod","name":"web"},"message":"assigned","reason":"Scheduled","source":{"component":"default-scheduler","host":""}}`},
		{"about a node", "At 2026-01-13 18:19:11 +0000 UTC - event for win-1: {kubelet win-1} NodeNotReady: status is now: NodeNotReady",
			`{"involvedObject":{"kind":"Node","name":"win-1"},"lastTimestamp":"2026-01-13T18:19:11Z","message":"status is now: NodeNotReady","reason":"NodeNotReady","source":{"component":"kubelet","host":"win-1"}}`},
		{"about what a controller has", "  May  4 11:42:01.242: INFO: At 2026-05-04 11:41:57 +0000 UTC - event for web: {replicaset-controller } FailedCreate: no",
			`{"involvedObject":{"name":"web"},"lastTimestamp":"2026-05-04T11:41:57Z","message":"no","reason":"FailedCreate","source":{"component":"replicaset-controller","host":""}}`},
		{"wrapped by a terminal", "27m Warning Failed pod/one Error:\n  no space",
			`{"involvedObject":{"kind":"Pod","name":"one"},"lastTimestamp":"2026-11-21T09:33:00Z","message":"Error: no space","reason":"Failed","type":"Warning"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			parts := takeApart(row.text)
			if len(parts) != 1 || parts[0].kind != partEventRows {
				t.Fatalf("it is taken apart into %+v", parts)
			}
			got, err := json.Marshal(readEventRows(parts[0].text, ran))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("["+row.want+"]", string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, text := range []string{
		"E0524 15:12:16.688837    4628 cni.go:259] Warning Failed 5m kubelet x",
		"Warning: the node is not ready", "Normal people say 5m", "Restarted (twice) 5 mins ago by me", "Restarted 5 mins ago by me",
		"Jan 13 18:23:06.475: INFO: At the end - event for web: {kubelet win-1} Failed: x",
		"apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    Warning Failed 5m kubelet x\n",
	} {
		for _, p := range takeApart(text) {
			if p.kind == partEventRows {
				t.Errorf("%q is taken for an event", strings.TrimSpace(text))
			}
		}
	}
}

func TestEntriesOfALogAreWhole(t *testing.T) {
	const entry = `time="2017-07-07T13:45:42.799250600-06:00" level=debug msg="start clean shutdown of all`
	for _, row := range []struct{ name, text, want string }{
		{"wrapped by a terminal", entry + "\n  containers\"\n", entry + " containers\"\n"},
		{"later lines keep their numbers", entry + "\n  containers\"\n" + entry + "\"\n",
			entry + " containers\"\n\n" + entry + "\"\n"},
		{"errors of gRPC that begin lines below a colon", "E0530 11:42:13.374889  204644 pod_workers.go:186] Error syncing pod a, skipping: failed to \"CreatePodSandbox\" with CreatePodSandboxError:\n" +
			"\"CreatePodSandbox for pod a failed: rpc error: code = Unknown desc = failed to start sandbox container for pod a:\nError response from daemon: container 02 does not match\n",
			"E0530 11:42:13.374889  204644 pod_workers.go:186] Error syncing pod a, skipping: failed to \"CreatePodSandbox\" with CreatePodSandboxError: " +
				"\"CreatePodSandbox for pod a failed: rpc error: code = Unknown desc = failed to start sandbox container for pod a: Error response from daemon: container 02 does not match\n"},
		{"an end-to-end test goes on", "May  4 11:42:01.242: INFO: At 2026-05-04 11:41:57 +0000 UTC - event for web: {kubelet win-1} Failed: Error: not found at all\nMay  4 11:42:01.300: INFO: POD  NODE\n",
			"May  4 11:42:01.242: INFO: At 2026-05-04 11:41:57 +0000 UTC - event for web: {kubelet win-1} Failed: Error: not found at all\nMay  4 11:42:01.300: INFO: POD  NODE\n"},
		{"what the author writes below a whole entry", entry + "\"\nthe log is attached\n",
			entry + "\"\nthe log is attached\n"},
		{"what the program prints last", entry + "\nError starting daemon: HNS failed\n",
			entry + "\nError starting daemon: HNS failed\n"},
		// kubernetes 98509, 97554 and kubeadm 2330
		{"an error of gRPC behind the first word of a line", "E0930 20:21:31.218007 5020 handler.go:321] HTTP InternalServerError serving /stats/summary: failed to list all container\nstats: rpc error: code = Unknown desc = x\n",
			"E0930 20:21:31.218007 5020 handler.go:321] HTTP InternalServerError serving /stats/summary: failed to list all container stats: rpc error: code = Unknown desc = x\n"},
		{"an error of gRPC of its own", "E0930 20:21:31.218007 5020 handler.go:321] HTTP InternalServerError serving /stats/summary\nFailed to pull: rpc error: code = Unknown desc = x\n",
			"E0930 20:21:31.218007 5020 handler.go:321] HTTP InternalServerError serving /stats/summary\nFailed to pull: rpc error: code = Unknown desc = x\n"},
		{"a head that was cut", "manager.go:270]\n failed to listen to socket while starting device plugin registry, with\nerror listen\n kubelet.go:9] another\n",
			"manager.go:270] failed to listen to socket while starting device plugin registry, with error listen\n\n\n kubelet.go:9] another\n"},
		{"a head behind the end of the line before", "Log line format: x" + strings.Repeat(" ", 90) + "F1022 09:46:18.740525    5956 server.go:254] unable to load client CA file a: open\n C:\\a: gone\n",
			"Log line format: x" + strings.Repeat(" ", 90) + "F1022 09:46:18.740525    5956 server.go:254] unable to load client CA file a: open C:\\a: gone\n"},
		{"what the author writes below a fence", "```\n" + entry + "\n```\nand then it ends\n",
			"\n" + entry + "\n\nand then it ends\n"},
	} {
		if got := wholeEntries(row.text); strings.TrimLeft(got, "\n") != strings.TrimLeft(row.want, "\n") {
			t.Errorf("%s: it is\n%q\nand should be\n%q", row.name, got, row.want)
		}
	}
}

func TestTimesWithoutAYear(t *testing.T) {
	ran := time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct{ name, stamp, want string }{
		{"before the reading", "Jan  2 10:11", "2026-01-02 10:11:00"},
		{"of the year before", "Dec 31 23:59", "2025-12-31 23:59:00"},
		{"a clock in another time zone", "Jan 04 01:00", "2026-01-04 01:00:00"},
		{"a leap day", "Feb 29 10:00", "2024-02-29 10:00:00"},
		{"no time", "yesterday", ""},
		{"a day that no year has", "Feb 30 10:00", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := withYear(row.stamp, ran); got != row.want {
				t.Errorf("%q is %q, want %q", row.stamp, got, row.want)
			}
		})
	}
}

func TestProvidersThatATableCuts(t *testing.T) {
	for _, row := range []struct{ name, provider, want string }{
		{"three dots", "Service Control M...", "Service Control Manager"},
		{"an ellipsis", "Service Contr…", "Service Control Manager"},
		{"two could be meant", "Microsoft-Windows-Kernel-...", "Microsoft-Windows-Kernel-..."},
		{"nobody knows it", "Contoso Age...", "Contoso Age..."},
		{"whole", "nssm", "nssm"},
		{"dots alone", "...", "..."},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := wholeProvider(row.provider); got != row.want {
				t.Errorf("%q is %q, want %q", row.provider, got, row.want)
			}
		})
	}
}

func TestAnErrorWithoutItsLogIsWhole(t *testing.T) {
	const first = "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox"
	for _, row := range []struct{ name, text, want string }{
		{"wrapped by its author", first + "\n'1f': not enough IPs\n", first + " '1f': not enough IPs\n"},
		{"the next event", first + "\n5m Warning Failed pod/one Error: x\n", first + "\n5m Warning Failed pod/one Error: x\n"},
		{"a paragraph below", first + "\n\nWhat can I do?\n", first + "\n\nWhat can I do?\n"},
	} {
		if got := wholeEntries(row.text); strings.TrimRight(got, "\n")+"\n" != row.want {
			t.Errorf("%s: it is\n%q\nand should be\n%q", row.name, got, row.want)
		}
	}
}

func TestJSONFromWhichItsAuthorLeftSomethingOut(t *testing.T) {
	const left = "{\n  \"Name\": \"a\",\n  ...\n  \"Policies\": [\n    1,\n    ...\n  ]\n}\n"
	if got, want := withoutEllipses(left), "{\n  \"Name\": \"a\",\n  \"Policies\": [\n    1\n  ]\n}\n"; got != want {
		t.Errorf("it is\n%s\nand should be\n%s", got, want)
	}
	for _, same := range []string{"the log\n...\n", "{\"a\": \"b, }\"}\n"} {
		if got := withoutEllipses(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
}

func TestTheNodeOfATableOfNodes(t *testing.T) {
	const table = "NAME     STATUS     ROLES    AGE   VERSION\nwin-old  NotReady   <none>   5m    v1.30.0\nwin-new  Ready      <none>   18s   v1.30.0\n"
	for _, row := range []struct{ name, around, want string }{
		{"alone", table, "win-old"},
		{"below the log of a join", "kube-proxy.exe --hostname-override=win-new\n" + table, "win-new"},
		{"below a text about both", "win-new and win-old\n" + table, "win-old"},
	} {
		if got := windowsRow(table, row.around); got != row.want {
			t.Errorf("%s: it is %q and should be %q", row.name, got, row.want)
		}
	}
}
