package foreign

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

func TestFind(t *testing.T) {
	f := func(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }
	const own = `{"layout":"evidence/v1","node":"win-2","collectedAt":"2026-01-31T10:00:00Z"}`
	tests := []struct {
		name string
		tree fstest.MapFS
		want string
	}{
		{"doctor's own tree", fstest.MapFS{"meta.json": f(own)}, "[{evidence/v1 . win-2}]"},
		{"doctor's own tree with a BOM, one folder down",
			fstest.MapFS{"b/meta.json": f("\xef\xbb\xbf" + own)}, "[{evidence/v1 b win-2}]"},
		{"doctor's own tree that still holds the folder it was made of",
			fstest.MapFS{"meta.json": f(own), "original/network.txt": f(""),
				"original/endpoint.txt": f("")}, "[{evidence/v1 . win-2}]"},
		{"a broken meta.json is opened, so that its line is named",
			fstest.MapFS{"w/meta.json": f(`{"layout":"evidence/v1",}`)}, "[{evidence/v1 w w}]"},
		{"a folder that was an archive", fstest.MapFS{"s/win-7.tar.gz/network.txt": f(""),
			"s/win-7.tar.gz/endpoint.txt": f("")}, "[{sdn-collectlogs s/win-7.tar.gz win-7}]"},
		{"a later layout", fstest.MapFS{"meta.json": f(`{"layout":"evidence/v9"}`)},
			"[{evidence/v9 . unknown}]"},
		{"a meta.json of somebody else", fstest.MapFS{"meta.json": f(`{"name":"chart"}`),
			"x/network.txt": f(""), "x/policy.txt": f("")}, "[{sdn-collectlogs x x}]"},
		{"two nodes, the nearer one first", fstest.MapFS{"a/b/c/network.txt": f(""),
			"a/b/c/endpoint.txt": f(""), "z/meta.json": f(own)},
			"[{evidence/v1 z win-2} {sdn-collectlogs a/b/c c}]"},
		{"three leaves of a recording that was cut off", fstest.MapFS{"n/policy.txt": f(""),
			"n/PORTS.TXT": f(""), "n/ip.txt": f("")}, "[{sdn-collectlogs n n}]"},
		{"leaves in another case", fstest.MapFS{"n/Network.txt": f(""), "n/EndPoint.txt": f("")},
			"[{sdn-collectlogs n n}]"},
		{"a copy inside its own folders is no node", fstest.MapFS{"network.txt": f(""),
			"endpoint.txt": f(""), "Logs/network.txt": f(""), "Logs/endpoint.txt": f("")},
			"[{sdn-collectlogs . unknown}]"},
		{"a dump of K2s around it is another tool's", fstest.MapFS{"k/networking/network.txt": f(""), "k/networking/hnsdiag.txt": f(""),
			"k/networking/ports.txt": f(""), "k/networking/excludedportrange.txt": f(""), "k/networking/nmscrub.txt": f(""),
			"n/policy.txt": f(""), "n/endpoint.txt": f("")}, "[{sdn-collectlogs n n}]"},
		{"names taken from elsewhere in the recording", recording(t, "x/hns1", l2bridge2018()),
			"[{sdn-collectlogs x/hns1 win-old}]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nodes, err := Find(tt.tree)
			if got := fmt.Sprint(nodes); err != nil || got != tt.want {
				t.Errorf("found %s (%v), want %s", got, err, tt.want)
			}
		})
	}
}

func TestFindSaysWhatItSaw(t *testing.T) {
	f := &fstest.MapFile{Data: []byte("x")}
	tests := []struct {
		name string
		tree fstest.MapFS
		says string
	}{
		{"nothing", fstest.MapFS{}, "it contains no file at all"},
		{"an ip.txt alone", fstest.MapFS{"out/ip.txt": f}, "it holds out/ip.txt"},
		{"the switch without HNS", fstest.MapFS{"ip.txt": f, "ports.txt": f, "routes.txt": f},
			"it holds ip.txt, ports.txt, routes.txt"},
		{"the HNS folder of another tool", fstest.MapFS{"system/network/hns/network.txt": f,
			"system/network/hns/endpoint.txt": f, "system/network/hns/policy.txt": f},
			"system/network/hns/endpoint.txt"},
		{"many files", fstest.MapFS{"1": f, "2": f, "3": f, "4": f, "5": f, "6": f, "7": f, "8": f},
			"1, 2, 3, 4, 5, 6 and 2 more files"},
		{"control characters in a name", fstest.MapFS{"a\x1b[2Jb": f, "c": f}, "it holds a"},
		{"a manifest without pods", fstest.MapFS{"web.yaml": &fstest.MapFile{Data: []byte(
			"apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n")}}, "it shows no log"},
		{"one file that is none of them", fstest.MapFS{"junk.txt": f}, "it shows no log"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nodes, err := Find(tt.tree)
			if err == nil {
				t.Fatalf("found %v", nodes)
			}
			if !errors.Is(err, errNoNode) || !strings.Contains(err.Error(), tt.says) ||
				!strings.Contains(err.Error(), "`doctor explain formats` lists") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error is %q", err)
			}
			if strings.Contains(err.Error(), "\x1b") {
				t.Errorf("error holds a control character: %q", err)
			}
		})
	}
}

func TestFindIsBounded(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth+1)
	tree := fstest.MapFS{deep + "network.txt": {}, deep + "endpoint.txt": {}}
	if nodes, err := Find(tree); err == nil {
		t.Errorf("found %v below the bound", nodes)
	}
}

func TestEvidenceOfDoctorsOwnTree(t *testing.T) {
	tree := fstest.MapFS{
		"w/meta.json": {
			Data: []byte(
				`{"layout":"evidence/v1","node":"win-2","collectedAt":"2026-01-31T10:00:00Z"}`)},
		"w/services.json": {Data: []byte(`[{"name":"kubelet","state":"running"}]`)},
	}
	s := load(t, tree)
	if got := evidence.Services.In(s); len(got) != 1 {
		t.Errorf("services are %v", got)
	}
	if _, err := (Node{Format: "zip", Root: "w"}).Evidence(tree); err == nil {
		t.Error("an unknown format is converted")
	}
	if _, err := (Node{Format: "sdn-collectlogs", Root: "missing"}).Evidence(tree); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("a missing folder gives %v", err)
	}
}
