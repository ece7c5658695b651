package foreign

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A parcel in memory: each archive is what turns up once it is mounted.
type parcel struct {
	tree   fstest.MapFS
	inside map[string]fstest.MapFS // nil for one that cannot be opened
	tried  []string
}

func (p *parcel) FS() fs.FS        { return p.tree }
func (p *parcel) Nested() []string { return slices.Sorted(maps.Keys(p.inside)) }

func (p *parcel) Mount(path string) bool {
	p.tried = append(p.tried, path)
	content := p.inside[path]
	delete(p.inside, path)
	for name, f := range content {
		if _, isArchive := strings.CutSuffix(name, ".zip"); isArchive {
			p.inside[path+"/"+name] = fstest.MapFS{"deep/meta.json": f}
			continue
		}
		p.tree[path+"/"+name] = f
	}
	return content != nil
}

func TestSearch(t *testing.T) {
	own := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"layout":"evidence/v1","node":"` + name + `"}`)}
	}
	f := &fstest.MapFile{}
	for _, tt := range []struct {
		name         string
		parcel       parcel
		found, tried string
	}{
		{"a node that is a zip in a zip", parcel{tree: fstest.MapFS{"readme": f},
			inside: map[string]fstest.MapFS{"n.zip": {"meta.json": own("win-1")}}},
			"[{evidence/v1 n.zip win-1}]", "[n.zip]"},
		{"two levels down",
			parcel{tree: fstest.MapFS{},
				inside: map[string]fstest.MapFS{"a.zip": {"b.zip": own("win-2")}}},
			"[{evidence/v1 a.zip/b.zip/deep win-2}]", "[a.zip a.zip/b.zip]"},
		{"one node's own archives stay closed",
			parcel{tree: fstest.MapFS{"network.txt": f, "endpoint.txt": f},
				inside: map[string]fstest.MapFS{"WER-1.zip": {"meta.json": own("no")},
					"logs/x.zip": {"x": f}}},
			"[{sdn-collectlogs . unknown}]", "[]"},
		{"the archives beside a node are opened, its own are not",
			parcel{tree: fstest.MapFS{"win-1/meta.json": own("win-1")},
				inside: map[string]fstest.MapFS{"win-1/x.zip": {"meta.json": own("no")},
					"win-1.zip": {"meta.json": own("win-3")}}},
			"[{evidence/v1 win-1 win-1} {evidence/v1 win-1.zip win-3}]", "[win-1.zip]"},
		{"an archive for each node, of which one is broken",
			parcel{tree: fstest.MapFS{"sb/clusterinfo": f}, inside: map[string]fstest.MapFS{
				"sb/1.tgz": {"meta.json": own("win-1")}, "sb/2.tgz": nil,
				"sb/3.tgz": {"meta.json": own("win-3")}}},
			"[{evidence/v1 sb/1.tgz win-1} {evidence/v1 sb/3.tgz win-3}]",
			"[sb/1.tgz sb/2.tgz sb/3.tgz]"},
		{"archives inside of a node that an archive holds",
			parcel{tree: fstest.MapFS{},
				inside: map[string]fstest.MapFS{"a.zip": {"meta.json": own("win-1"),
					"WER.zip": own("no")}}},
			"[{evidence/v1 a.zip win-1}]", "[a.zip]"},
		{"manifests and nothing else", parcel{tree: fstest.MapFS{"web.yaml": &fstest.MapFile{Data: []byte(
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: c}]}}}\n")}}},
			"[{kubernetes-manifests . unknown}]", "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			nodes, err := Search(&tt.parcel)
			if got := fmt.Sprint(nodes); err != nil || got != tt.found {
				t.Errorf("found %s (%v), want %s", got, err, tt.found)
			}
			if got := fmt.Sprint(tt.parcel.tried); got != tt.tried {
				t.Errorf("opened %s, want %s", got, tt.tried)
			}
		})
	}
	if nodes, err := Search(&parcel{tree: fstest.MapFS{"x": f},
		inside: map[string]fstest.MapFS{"a.zip": {"y": f}}}); !errors.Is(err, errNoNode) ||
		!strings.Contains(err.Error(), "a.zip/y") {
		t.Errorf("found %v, %v", nodes, err)
	}
}

func TestChoose(t *testing.T) {
	nodes := []Node{{"antctl", "sb/agent_win-1.tar.gz", "win-1"},
		{"antctl", "sb/agent_win-2.tar.gz", "WIN-2"}, {"antctl", "old/a", "win-3"},
		{"antctl", "new/win-1", "win-3"}, {"antctl", "x/gr\u202e\u00f6\u00dfe", "win-5"}}
	for _, tt := range []struct{ name, asked, want, says string }{
		{"by name", "win-1", "sb/agent_win-1.tar.gz", ""},
		{"by name in another case", "win-2", "sb/agent_win-2.tar.gz", ""},
		{"by place", "new/win-1", "new/win-1", ""},
		{"by place as a shell completes it", "./old/a/", "old/a", ""},
		{"by place with backslashes", `old\a`, "old/a", ""},
		{"by place as it was shown", "x/gr\u00f6\u00dfe", "x/gr\u202e\u00f6\u00dfe", ""},
		{"a name that two have", "win-3", "",
			"2 of its recorded nodes are called win-3; select one by PLACE; name one of its recorded nodes"},
		{"a name that none has", "win-9\x1b[2J", "",
			"it holds no recorded node called win-9; name one"},
		{"no name at all", "", "",
			"it holds 5 recorded nodes; name one of its recorded nodes with --node NAME or --node PLACE:\n  NAME   FORMAT  PLACE\n  win-1  antctl  sb/agent_win-1.tar.gz\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, err := Choose(nodes, tt.asked)
			if n.Root != tt.want || (err == nil) != (tt.says == "") || err != nil &&
				(!isWhich(err) || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("chose %v, %v", n, err)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x1b\u202e") {
				t.Errorf("the error %q would drive a terminal", err)
			}
		})
	}
	if n, err := Choose(nodes[:1], ""); n != nodes[0] || err != nil {
		t.Errorf("the only one: %v, %v", n, err)
	}
	if _, err := Choose(nodes[:1], "win-9"); !isWhich(err) {
		t.Errorf("another than the only one: %v", err)
	}
	if _, err := Choose(slices.Repeat(nodes, 50), ""); err == nil || !strings.HasSuffix(err.Error(),
		"\n  and 150 more") || strings.Count(err.Error(), "\n") != 102 {
		t.Errorf("many: %v", err)
	}
}

func isWhich(err error) bool {
	_, is := errors.AsType[*WhichError](err)
	return is
}
