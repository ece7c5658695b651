package signs

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
)

var noNetwork = evidence.Sign{Check: "c", Text: "no network here"}

// podEvent is an event about a pod of the namespace d.
func podEvent(at, kind, pod string) string {
	return fmt.Sprintf(`{"reason":"Failed","message":"no network here",
		"lastTimestamp":"2026-11-20T%sZ","involvedObject":{"kind":%q,"namespace":"d","name":%q}}`, at, kind, pod)
}

func TestEventsOfAPodThatIsReadySinceAreOver(t *testing.T) {
	const since = "the pod has been Ready since 2026-11-20 09:00 UTC"
	started := func(pod string) string {
		return strings.Replace(strings.Replace(podEvent("09:05:00", "Pod", pod), `"Failed"`, `"Started"`, 1),
			"no network here", "Started container web", 1)
	}
	for _, row := range []struct{ name, event, ready, over string }{
		{"a container of the Ready pod started later", podEvent("09:04:00", "Pod", "a") + "," + started("a"), "True",
			"the pod has been Ready since 2026-11-20 09:05 UTC"},
		{"one started and the pod is not Ready", podEvent("09:04:00", "Pod", "a") + "," + started("a"), "False", ""},
		{"one of another pod started", podEvent("09:04:00", "Pod", "a") + "," + started("b"), "True", ""},
		{"it came after the start", podEvent("09:06:00", "Pod", "a") + "," + started("a"), "True", ""},
		{"it came before the pod was Ready", podEvent("08:59:59", "Pod", "a"), "True", since},
		{"it came when the pod became Ready", podEvent("09:00:00", "Pod", "a"), "True", ""},
		{"the pod is not Ready", podEvent("08:59:59", "Pod", "a"), "False", ""},
		{"it is about another pod", podEvent("08:59:59", "Pod", "b"), "True", ""},
		{"it is about a node of that name", podEvent("08:59:59", "Node", "a"), "True", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"api/events.json": `{"items":[` + row.event + `]}`,
				"api/pods.json": fmt.Sprintf(`{"items":[{
					"metadata":{"namespace":"d","name":"a"},"status":{"conditions":[
					{"type":"Ready","status":%q,"lastTransitionTime":"2026-11-20T09:00:00Z"},
					{"type":"Initialized","status":"True","lastTransitionTime":"2026-11-20T09:30:00Z"}
					]}}]}`, row.ready)}, noNetwork)
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

func TestALaterEventOfTheSameProviderEndsAnEarlierOne(t *testing.T) {
	sign := evidence.Sign{Check: "c", Text: "no network here", Until: []string{"found the network"}}
	event := func(provider, at, says string) string {
		return fmt.Sprintf(`{"provider":%q,"time":"2026-11-20T%sZ","message":%q}`, provider, at, says)
	}
	trouble := event("kube-proxy", "09:00:00", "no network here")
	const over = "a later event says: found the network"
	for _, row := range []struct {
		name   string
		events []string
		over   string
	}{
		{"it comes later", []string{trouble, event("kube-proxy", "09:00:05", "found the network")},
			over},
		{"it stands first and is later, as in a list that begins with the newest",
			[]string{event("kube-proxy", "09:00:05", "found the network"), trouble}, over},
		{"it came before", []string{event("kube-proxy", "08:59:59", "found the network"), trouble},
			""},
		{"the trouble came back", []string{trouble,
			event("kube-proxy", "09:00:05", "found the network"),
			event("kube-proxy", "09:00:09", "no network here")}, ""},
		{"another provider says so", []string{trouble,
			event("kubelet", "09:00:05", "found the network")}, ""},
		{"another provider's is the later of two", []string{trouble,
			event("kube-proxy", "09:00:05", "found the network"),
			event("kubelet", "09:00:07", "found the network")}, over},
		{"the Service Control Manager says so", []string{trouble,
			event("Service Control Manager", "09:00:05", "found the network")}, over},
		{"the trouble has no time", []string{`{"provider":"kube-proxy","message":"no network here"}`,
			event("kube-proxy", "09:00:05", "found the network")}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t, map[string]string{"events.json": "[" + strings.Join(row.events, ",") +
				"]"}, sign)
			if len(got) != 1 || got[0].Over != row.over {
				t.Errorf("%+v, want one that is over because %q", got, row.over)
			}
		})
	}
}

func TestALaterEventAboutTheSamePodEndsAnEarlierOne(t *testing.T) {
	sign := noNetwork
	sign.Until = []string{"found the network"}
	found := func(pod string) string {
		return strings.Replace(podEvent("09:00:05", "Pod", pod), "no network here",
			"found the network", 1)
	}
	for pod, over := range map[string]string{"a": "a later event says: found the network", "b": ""} {
		got := record(t, map[string]string{"api/events.json": `{"items":[` +
			podEvent("09:00:00", "Pod", "a") + "," + found(pod) + `]}`}, sign)
		if len(got) != 1 || got[0].Over != over {
			t.Errorf("after an event about %s: %+v, want one that is over because %q", pod, got, over)
		}
	}
}

func TestAPodsReadinessWithoutATimeMakesNothingOver(t *testing.T) {
	got := record(t, map[string]string{"api/events.json": `{"items":[` + podEvent("08:00:00",
		"Pod", "a") + `]}`,
		"api/pods.json": `{"items":[{"metadata":{"namespace":"d","name":"a"},
			"status":{"conditions":[{"type":"Ready","status":"True"}]}}]}`}, noNetwork)
	if len(got) != 1 || got[0].Over != "" {
		t.Errorf("%+v, want one that is not over", got)
	}
}

func TestWhatAContainerDiedOfIsOverOnceItRunsAgain(t *testing.T) {
	const died = `"lastState":{"terminated":{"reason":"Error","message":"no network here"}}`
	const running = `"state":{"running":{"startedAt":"2026-11-20T09:00:00Z"}}`
	for _, row := range []struct{ name, status, over, found string }{
		{"it runs and is Ready", `"ready":true,` + running + `,` + died,
			"the container runs since 2026-11-20 09:00 UTC", "d/a c: Error: no network here"},
		{"it runs and is not Ready", running + `,` + died, "", "d/a c: Error: no network here"},
		{"it does not run, whatever it says of being Ready", `"ready":true,` + died, "",
			"d/a c: Error: no network here"},
		{"it waits because of it", `"state":{"waiting":{"reason":"Wait",
			"message":"no network here"}}`, "", "d/a c: Wait: no network here"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := record(t,
				map[string]string{"api/pods.json": `{"items":[{"metadata":{"namespace":"d",
				"name":"a"},"status":{"containerStatuses":[{"name":"c",` + row.status + `}]}}]}`},
				noNetwork)
			if len(got) != 1 || got[0].Over != row.over || got[0].Found != row.found {
				t.Errorf("%+v, want %q, over because %q", got, row.found, row.over)
			}
		})
	}
}

func TestAStateWithoutAMessageSaysNothing(t *testing.T) {
	for _, state := range []string{`"waiting":{"reason":"no network here"}`,
		`"terminated":{"reason":"no network here"}`} {
		got := record(t, map[string]string{"api/pods.json": `{"items":[{"metadata":{"namespace":"d",
			"name":"a"},"status":{"containerStatuses":[{"name":"c","state":{` + state + `}}]}}]}`},
			noNetwork)
		if len(got) != 0 {
			t.Errorf("%s: %+v", state, got)
		}
	}
}

func TestEventsAreCountedFromTheFirstToTheLatest(t *testing.T) {
	got := record(t, map[string]string{"api/events.json": `{"items":[` +
		strings.Join([]string{podEvent("08:00:00", "Pod", "a"),
			podEvent("09:00:00", "Pod", "a"), podEvent("08:30:00", "Pod", "b")}, ",") + `]}`},
		noNetwork)
	want := []evidence.SignMatch{{Check: "c", Text: noNetwork.Text, Path: "api/events.json",
		Field: "/items/0", Found: "Failed d/a: no network here",
		Time: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC), More: 2, Last: time.Date(2026, 11, 20,
			9, 0, 0, 0, time.UTC)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTwoTextsInOneRecordAreOneFindEach(t *testing.T) {
	files := map[string]string{"events.json": `[{"provider":"p","time":"2026-11-20T09:00:00Z",
		"message":"no network here, and no network there: no network here"}]`}
	got := record(t, files, noNetwork, evidence.Sign{Check: "d", Text: "no network there"},
		evidence.Sign{Check: "e", Text: "no network", Not: []string{"THERE"}},
		evidence.Sign{Check: "f", Text: "no network", Also: []string{"elsewhere"}},
		evidence.Sign{Check: "g", Text: "(p)", Also: []string{"no network"}})
	if len(got) != 2 || got[0].More != 0 || got[1].More != 0 || got[1].Check != "d" {
		t.Errorf("%+v, want one of c and one of d", got)
	}
}

// TestWhatIsOverForTwoReasonsKeepsTheFirst: the pod's own recovery says more than the node's boot.
func TestWhatIsOverForTwoReasonsKeepsTheFirst(t *testing.T) {
	got := record(t, map[string]string{"os.json": `{"bootedAt":"2026-11-20T09:30:00Z"}`,
		"api/events.json": `{"items":[` + podEvent("08:00:00", "Pod", "a") + `]}`,
		"api/pods.json": `{"items":[{"metadata":{"namespace":"d","name":"a"},
			"status":{"conditions":[{"type":"Ready","status":"True",
			"lastTransitionTime":"2026-11-20T09:00:00Z"}]}}]}`}, noNetwork)
	if len(got) != 1 || !strings.HasPrefix(got[0].Over, "the pod has been Ready") {
		t.Errorf("%+v", got)
	}
}

func TestWhatAnEarlierScanRecordedIsMergedInOrder(t *testing.T) {
	second := evidence.Sign{Check: "c", Text: "no route either"}
	files := map[string]string{
		"logs/kubelet/k.log": "no network here\nno network here\n",
		"signs.json": `[
			{"id":"c","sign":"no route either","path":"logs/kubelet/k.log","line":8,
			"text":"no route either"},
			{"id":"c","sign":"no network here","path":"logs/kubelet/z.log","line":7,
			"text":"no network here"},
			{"id":"c","sign":"no network here","path":"logs/kubelet/a.log","line":6,
			"text":"no network here","over":"it was long ago"},
			{"id":"c","sign":"no network here","path":"","line":5,"text":"no network here"},
			{"id":"c","sign":"no network here","path":"logs/kubelet/k.log","line":4,
			"text":"no network here","more":0}]`}
	var got []string
	for _, m := range record(t, files, noNetwork, second) {
		got = append(got, fmt.Sprint(m.Path, ":", m.Line, " ", m.Text, " +", m.More, " ", m.Over))
	}
	want := []string{"logs/kubelet/a.log:6 no network here +0 it was long ago",
		"logs/kubelet/k.log:1 no network here +1 ",
		"logs/kubelet/z.log:7 no network here +0 ", "logs/kubelet/k.log:8 no route either +0 "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func snapshotFiles(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{"meta.json": {Data: []byte(meta)}}
	for path, text := range files {
		tree[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// TestALogThatIsHereInPartWasSearchedForTheSameTexts: what a bundle left out of a log counts as
// searched only where its doctor looked for the texts that this one looks for.
func TestALogThatIsHereInPartWasSearchedForTheSameTexts(t *testing.T) {
	list := []evidence.Sign{noNetwork, {Check: "d", Text: "no route either", Also: []string{"x"}, Until: []string{"route added"}}}
	same := Digests(list)
	const partly = "it is here in part, and whoever had all of it searched it for other texts"
	for _, row := range []struct {
		name, c, d, logs string
		want             []evidence.UnsearchedLog
	}{
		{"for the same texts", same["c"], same["d"], `{"path":"logs/a/a.log","leftOutLines":1}`,
			nil},
		{"for other texts of the first check", "x", same["d"],
			`{"path":"logs/a/a.log","leftOutLines":1}`,
			[]evidence.UnsearchedLog{{Path: "logs/a/a.log", Why: partly}}},
		{"for other texts of the last check", same["c"], "x",
			`{"path":"logs/a/a.log","leftOutBytes":1}`,
			[]evidence.UnsearchedLog{{Path: "logs/a/a.log", Why: partly}}},
		{"for other texts, and nothing is left out", same["c"], "x", `{"path":"logs/a/a.log"}`,
			nil},
		{"not to its end", same["c"], same["d"], `{"path":"logs/a/a.log","unsearched":"no time"}`,
			[]evidence.UnsearchedLog{{Path: "logs/a/a.log", Why: "no time"}}},
		{"of two records of a log the first counts", same["c"], "x",
			`{"path":"logs/a/a.log","unsearched":"no time"},{"path":"logs/a/a.log",
			"leftOutLines":1}`,
			[]evidence.UnsearchedLog{{Path: "logs/a/a.log", Why: "no time"}}},
		{"two logs are both named", same["c"], same["d"],
			`{"path":"logs/a/a.log","unsearched":"no time"},{"path":"logs/a/b.log",
			"unsearched":"no time"}`,
			[]evidence.UnsearchedLog{{Path: "logs/a/a.log", Why: "no time"}, {Path: "logs/a/b.log",
				Why: "no time"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := evidence.Load(snapshotFiles(map[string]string{"logs.json": fmt.Sprintf(
				`{"searchedFor":{"c":%q,"d":%q},"logs":[%s]}`, row.c, row.d, row.logs)}))
			if err != nil {
				t.Fatal(err)
			}
			_, unsearched := Record(s, list)
			if diff := cmp.Diff(row.want, unsearched); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDigestsTellTextsApart(t *testing.T) {
	one := Digests([]evidence.Sign{{Check: "c", Text: "a", Also: []string{"b"}}})["c"]
	for name, other := range map[string][]evidence.Sign{
		"the other text must not stand there": {{Check: "c", Text: "a", Not: []string{"b"}}},
		"the other text is a place":           {{Check: "c", Text: "a", In: []string{"b"}}},
		"one text more": {{Check: "c", Text: "a", Also: []string{"b"}},
			{Check: "c", Text: "d"}},
	} {
		if Digests(other)["c"] == one {
			t.Errorf("%s, and the digest is the same", name)
		}
	}
	if Digests([]evidence.Sign{{Check: "d", Text: "z"}, {Check: "c", Text: "a",
		Also: []string{"b"}}})["c"] != one {
		t.Error("the texts of another check change the digest")
	}
}
