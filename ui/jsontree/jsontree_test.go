package jsontree

import (
	"encoding/json"
	"strings"
	"testing"
)

const services = `[
 {"name": "kubelet", "state": "paused", "args": ["--v=4", "--network-plugin=cni"],
  "env": {}},
 {"name": "flanneld", "state": "running", "config": "one\ntwo\n"}
]`

const node = `{"kind": "Node", "metadata": {"name": "win-1"},
 "spec": {"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]},
 "status": {"nodeInfo": {"kubeletVersion": "v1.28.15"}, "conditions": [{"type": "Ready", "status": "Unknown"}]}}`

func TestFindTellsWhatAFindingMeans(t *testing.T) {
	for _, row := range []struct {
		name, doc string
		line      int
		text      string
		want      string // name and value of the row, or of the folded one
	}{
		{"a field by its path", node, 0, "status.nodeInfo.kubeletVersion is v1.28.15", `kubeletVersion "v1.28.15"`},
		{"a field that is not there, by what would hold it", node, 0, "spec.podCIDR is empty", `spec {taints: [1]}`},
		{"a list by its path", node, 0, "status.conditions is short", `conditions [1]`},
		{"an item by its values", node, 0, "status.conditions: Ready is Unknown since 2026-11-20", `[0] {type: "Ready", status: "Unknown"}`},
		{"a service's state", services, 0, "flanneld: state is running", `state "running"`},
		{"a service by its name", services, 0, "flanneld", `name "flanneld"`},
		{"an argument", services, 0, "--network-plugin=cni", `[1] "--network-plugin=cni"`},
		{"an item and its field", services, 0, "[1].name is flanneld", `name "flanneld"`},
		{"a record by its number", services, 2, "no word of it", `[1] {name: "flanneld", state: "running", config: 2 lines}`},
		{"a field of a record by its number", services, 2, "x/y: state not set", `state "running"`},
		{"a record of a List of Kubernetes", "{\"kind\":\"List\",\"items\":[\n\n{\"name\":\"a\"},\n{\"name\":\"b\"}]}", 2, "x", `[1] {name: "b"}`},
		{"a line of the file", services, 4, "no word of it", `[1] {name: "flanneld", state: "running", config: 2 lines}`},
		{"a field within a line of the file", services, 4, "x/y: state not set", `state "running"`},
		{"a field deep inside", node, 0, "effect is NoSchedule", `effect "NoSchedule"`},
		{"nothing of the kind", node, 0, "the last heartbeat came at 2026-11-20", ""},
		{"no text", node, 0, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			rows, err := Parse([]byte(row.doc), 1000)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if i := Find(rows, row.line, row.text); i >= 0 {
				got = Name(rows[i]) + " " + rows[i].Value
				if rows[i].Value == "" {
					got += Preview(rows, i, 200)
				}
			}
			if got != row.want {
				t.Errorf("%q means %q, want %q", row.text, got, row.want)
			}
		})
	}
}

func TestRowsKnowTheirLineAndTheirInside(t *testing.T) {
	rows, err := Parse([]byte(services), 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, r := range rows {
		got.WriteString(strings.Repeat(" ", r.Depth) + Name(r) + r.Value + "@" + string(rune('0'+r.Line)) + "\n")
	}
	want := "@1\n [0]@2\n  name\"kubelet\"@2\n  state\"paused\"@2\n  args@2\n   [0]\"--v=4\"@2\n   [1]\"--network-plugin=cni\"@2\n  env@3\n" +
		" [1]@4\n  name\"flanneld\"@4\n  state\"running\"@4\n  config@4\n   one@4\n   two@4\n"
	if got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}

func TestWhatIsNoDocumentIsRefused(t *testing.T) {
	for _, doc := range []string{"", "{", "[1,", "{} {}", "1 2", "plain words", `{"a":}`, "[1]]"} {
		if rows, err := Parse([]byte(doc), 100); err == nil {
			t.Errorf("%q became %v", doc, rows)
		}
	}
	if _, err := Parse([]byte("["+strings.Repeat("1,", 200)+"1]"), 100); err == nil {
		t.Error("more rows than allowed")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(services, 0, "kubelet: state is paused")
	f.Add(node, 2, "spec.podCIDR is empty")
	f.Add("{} {}", 1, "[0].x")
	f.Fuzz(func(t *testing.T, doc string, line int, text string) {
		rows, err := Parse([]byte(doc), 10_000)
		if err != nil {
			return
		}
		if !json.Valid([]byte(doc)) {
			t.Fatalf("%q is not valid JSON", doc)
		}
		for i, r := range rows {
			if r.End <= i || r.End > len(rows) || r.Line < 1 || r.Line > 1+strings.Count(doc, "\n") {
				t.Fatalf("row %d is %+v", i, r)
			}
			Preview(rows, i, 100)
		}
		if i := Find(rows, line, text); i < -1 || i >= len(rows) {
			t.Fatal(i)
		}
	})
}
