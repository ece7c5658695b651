package cluster_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/collectors/cluster"
)

func TestTheWindowsNodesOfARecordedCluster(t *testing.T) {
	server := recordedServer(t, instead("/api/v1/nodes", func(w http.ResponseWriter,
		r *http.Request) {
		if r.URL.Query().Get("labelSelector") != "kubernetes.io/os=windows" ||
			r.URL.Query().Get("resourceVersion") != "0" {
			t.Errorf("asked for %s", r.URL.RawQuery)
		}
		answer(w, `{"items":[
			{"metadata":{"name":"win-2"},"status":{"conditions":[{"type":"Ready","status":"False"}]}},
			{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"kubeletVersion":"v1.31.4"}}}]}`)
	}), instead("/api/v1/pods", func(w http.ResponseWriter, r *http.Request) {
		answer(w, `{"items":[{"spec":{"nodeName":"win-1"}},{"spec":{"nodeName":"win-1"}},
			{"spec":{"nodeName":"linux-1"}}]}`)
	}))
	got, unread, err := server.client(t).WindowsNodes(t.Context())
	two, none := 2, 0
	want := []cluster.WindowsNode{{Name: "win-1", Ready: "Unknown", Kubelet: "v1.31.4", Stuck: &two},
		{Name: "win-2", Ready: "False", Stuck: &none}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || unread != nil {
		t.Errorf("%v %v\n%s", err, unread, diff)
	}
	refused := recordedServer(t, instead("/api/v1/nodes", refusing(http.StatusForbidden, "Forbidden",
		"no")))
	if list, _, err := refused.client(t).WindowsNodes(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "may not list") {
		t.Errorf("without the right to list nodes: %v, %v", list, err)
	}
}

func TestTheListOfNodesNeedsNoRightToPods(t *testing.T) {
	refused := recordedServer(t, instead("/api/v1/pods", refusing(http.StatusForbidden, "Forbidden",
		"no")))
	list, unread, err := refused.client(t).WindowsNodes(t.Context())
	if err != nil || len(list) == 0 || list[0].Stuck != nil || unread == nil ||
		!strings.Contains(unread.Error(), "may not list pods") {
		t.Errorf("%v, %v, %v", list, unread, err)
	}
}

func TestANodeThatCannotBeDiagnosedIsNamed(t *testing.T) {
	server := recordedServer(t, instead("/api/v1/nodes/linux-1", func(w http.ResponseWriter,
		_ *http.Request) {
		answer(w, `{"status":{"nodeInfo":{"operatingSystem":"linux"}}}`)
	}), instead("/api/v1/nodes/labelled-1", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, `{"metadata":{"labels":{"kubernetes.io/os":"linux"}}}`)
	}), instead("/api/v1/nodes/untold-1", func(w http.ResponseWriter, _ *http.Request) {
		answer(w,
			`{}`)
	}),
		instead("/api/v1/nodes/odd-1", func(w http.ResponseWriter, _ *http.Request) {
			answer(w,
				`{"status":7}`)
		}),
		instead("/api/v1/nodes/secret-1", refusing(http.StatusForbidden, "Forbidden", "no")))
	for _, row := range []struct{ name, node, want string }{
		{"a Windows node", recordedNode, ""},
		{"one that is not there", "win-9", `has no node "win-9"`},
		{"a Linux node", "linux-1", `node "linux-1" runs linux`},
		{"a node that a label says to be Linux", "labelled-1", `node "labelled-1" runs linux`},
		{"a node that does not say what it is", "untold-1", ""},
		{"a node that cannot be read", "odd-1", ""},
		{"a node that may not be read", "secret-1", ""},
		{"a name that leads elsewhere", "../secrets", "is no name that a node can have"},
		{"a name with a slash", "a/b", "is no name that a node can have"},
	} {
		err := server.client(t).Check(t.Context(), row.node)
		if row.want == "" && err != nil || row.want != "" && (err == nil ||
			!strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", row.name, err, row.want)
		}
	}
}

func TestAPodForCommandsIsFound(t *testing.T) {
	const running = `"status":{"phase":"Running","containerStatuses":[{"name":"b",
		"state":{"running":{}}},{"name":"a","state":{"running":{}}}]}`
	const windows = `"spec":{"os":{"name":"windows"},"nodeName":"` + recordedNode +
		`","containers":[{"name":"a"},{"name":"b"}]}`
	for _, row := range []struct {
		name, pod, node string
		container, want string
	}{
		{"its first running container", `{` + windows + `,` + running + `}`, "", "a", ""},
		{"the container that it names itself",
			`{"metadata":{"annotations":{"kubectl.kubernetes.io/default-container":"b"}},` +
				windows + `,` + running + `}`, recordedNode, "b", ""},
		{"the container that it names does not run",
			`{"metadata":{"annotations":{"kubectl.kubernetes.io/default-container":"c"}},` +
				windows + `,` + running + `}`, "", "a", ""},
		{"its node says that it is Windows", `{"spec":{"nodeName":"` + recordedNode +
			`","containers":[{"name":"a"}]},` + running + `}`, "", "a", ""},
		{"it runs Linux", `{"spec":{"os":{"name":"linux"}},` + running + `}`, "", "",
			"web/p is a linux pod"},
		{"its node runs Linux", `{"spec":{"nodeName":"linux-1"},` + running + `}`, "", "",
			"web/p is a linux pod"},
		{"it waits for a Linux node", `{"spec":{"nodeSelector":{"kubernetes.io/os":"linux"}}}`, "",
			"", "web/p is a linux pod"},
		{"it is in the network of its node", `{"spec":{"os":{"name":"windows"},"hostNetwork":true},
			` + running + `}`, "", "", "is in the network of its node"},
		{"it runs elsewhere", `{` + windows + `,` + running + `}`, "win-9", "",
			"web/p runs on the node win-2022-1, not on win-9"},
		{"it is being deleted", `{"metadata":{"deletionTimestamp":"2026-11-20T10:00:00Z"},` +
			windows + `,` + running + `}`, "", "", "it is being deleted"},
		{"its container waits", `{` + windows +
			`,"status":{"phase":"Pending","containerStatuses":[{"name":"a",
			"state":{"waiting":{"reason":"ImagePullBackOff"}}}]}}`,
			"", "", "its container a waits (ImagePullBackOff)"},
		{"its container has ended", `{` + windows + `,"status":{"phase":"Running",
			"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0}}}]}}`, "", "",
			"it has no running container (Running)"},
		{"nothing is known of its containers", `{` + windows + `,"status":{"phase":"Pending"}}`,
			"", "", "it has no running container (Pending)"},
		{"not even its phase is known", `{` + windows + `}`, "", "",
			"it has no running container (unknown phase)"},
		{"it is not there", "", "", "", "pod web/p was not found"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := recordedServer(t, instead("/api/v1/namespaces/web/pods",
				func(w http.ResponseWriter, r *http.Request) {
					if got := r.URL.Query().Get("fieldSelector"); got != "metadata.name=p" {
						t.Errorf("asked for %q", got)
					}
					answer(w, `{"items":[`+row.pod+`]}`)
				}), instead("/api/v1/nodes/linux-1", func(w http.ResponseWriter, _ *http.Request) {
				answer(w, `{"status":{"nodeInfo":{"operatingSystem":"linux"}}}`)
			}))
			pod, err := server.client(t).OpenPod(t.Context(), "web/p", row.node)
			switch {
			case row.want == "" && (err != nil || pod.Container != row.container):
				t.Errorf("%+v, %v, want the container %s", pod, err, row.container)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("%+v, %v, want %q", pod, err, row.want)
			}
		})
	}
	for _, name := range []string{"p", "web/", "/p", "a/b/c", ""} {
		if _, err := recordedServer(t).client(t).OpenPod(t.Context(), name, ""); err == nil ||
			!strings.Contains(err.Error(), "NAMESPACE/NAME") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestANodeThatDidNotAnswerInTimeIsAskedForAgain: what is refused once is refused always.
func TestANodeThatDidNotAnswerInTimeIsAskedForAgain(t *testing.T) {
	ctx, timeIsOver := context.WithCancel(t.Context())
	defer timeIsOver()
	server := recordedServer(t, once("/api/v1/nodes/"+recordedNode,
		func(_ http.ResponseWriter, r *http.Request) {
			timeIsOver()
			<-r.Context().Done()
		}))
	client := server.client(t)
	for range 3 {
		if err := client.Check(ctx, recordedNode); err != nil {
			t.Error(err)
		}
		ctx = t.Context()
	}
	if sent := server.sent(); len(sent) != 2 {
		t.Errorf("the requests are %v, want the node twice", sent)
	}
	refused := recordedServer(t, instead("/api/v1/nodes/",
		refusing(http.StatusForbidden, "Forbidden", "no")))
	client = refused.client(t)
	for range 2 {
		if err := client.Check(t.Context(), recordedNode); err != nil {
			t.Error(err)
		}
	}
	if sent := refused.sent(); len(sent) != 1 {
		t.Errorf("the requests are %v, want one that is refused", sent)
	}
}

func TestTheNodeIsAskedForOnce(t *testing.T) {
	server := recordedServer(t)
	client := server.client(t)
	for range 2 {
		if err := client.Check(context.Background(), recordedNode); err != nil {
			t.Fatal(err)
		}
	}
	if sent := server.sent(); len(sent) != 1 {
		t.Errorf("%d requests: %v", len(sent), sent)
	}
}
