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

func TestFindFollowsAPointer(t *testing.T) {
	for _, row := range []struct {
		name, doc, pointer string
		want               string // name and value of the row, or of the folded one
	}{
		{"a field", node, "/status/nodeInfo/kubeletVersion", `kubeletVersion "v1.28.15"`},
		{"a field that is not there, by what would hold it", node, "/spec/podCIDR",
			`spec {taints: [1]}`},
		{"a field of what is not there", node, "/spec/a/b/c", `spec {taints: [1]}`},
		{"a field in another case", node, "/status/nodeinfo/KubeletVersion",
			`kubeletVersion "v1.28.15"`},
		{"an exact name before one in another case", `{"ID": 1, "Id": 2}`, "/Id", "Id 2"},
		{"a list", node, "/status/conditions", `conditions [1]`},
		{"an element", node, "/status/conditions/0", `[0] {type: "Ready", status: "Unknown"}`},
		{"an element that is not there", services, "/7/name", ` [2]`},
		{"a field of an element", services, "/1/state", `state "running"`},
		{"an argument", services, "/0/args/1", `[1] "--network-plugin=cni"`},
		{"a name with a slash and a tilde", `{"a/b": {"~c": 5}}`, "/a~1b/~0c", `~c 5`},
		{"a name that is a number", `{"0": {"1": 5}}`, "/0/1", `1 5`},
		{"all of the document", services, "", ` [2]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			rows, err := Parse([]byte(row.doc), 1000)
			if err != nil {
				t.Fatal(err)
			}
			i := Find(rows, row.pointer)
			got := Name(rows[i]) + " " + rows[i].Value
			if rows[i].Value == "" {
				got += Preview(rows, i, 200)
			}
			if got != row.want {
				t.Errorf("%q leads to %q, want %q", row.pointer, got, row.want)
			}
		})
	}
	if i := Find(nil, "/a"); i != -1 {
		t.Errorf("without a document it is row %d", i)
	}
}

func TestRowsKnowTheirLineAndTheirInside(t *testing.T) {
	rows, err := Parse([]byte(services), 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, r := range rows {
		got.WriteString(strings.Repeat(" ", r.Depth) + Name(r) + r.Value + "@" +
			string(rune('0'+r.Line)) + "\n")
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
	f.Add(services, "/0/state")
	f.Add(node, "/spec/podCIDR")
	f.Add("{} {}", "/0/x")
	f.Fuzz(func(t *testing.T, doc, pointer string) {
		rows, err := Parse([]byte(doc), 10_000)
		if err != nil {
			return
		}
		if !json.Valid([]byte(doc)) {
			t.Fatalf("%q is not valid JSON", doc)
		}
		for i, r := range rows {
			if r.End <= i || r.End > len(rows) || r.Line < 1 ||
				r.Line > 1+strings.Count(doc, "\n") {
				t.Fatalf("row %d is %+v", i, r)
			}
			Preview(rows, i, 100)
		}
		if i := Find(rows, pointer); i < 0 || i >= len(rows) {
			t.Fatal(i)
		}
	})
}
