package tree_test

import (
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

func TestATreeIsAFileSystem(t *testing.T) {
	tr := tree.New()
	tr.JSON("meta.json", map[string]string{"layout": evidence.Layout})
	tr.Gap("hns-networks.json", evidence.NeedsAdministrator.Gap())
	tr.Add("logs/kubelet/kubelet.log", tree.File{Size: 5, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("hello")), nil
	}})
	if err := fstest.TestFS(tr.FS(), "meta.json", "hns-networks.json.gap", "gaps.json",
		"logs/kubelet/kubelet.log"); err != nil {
		t.Error(err)
	}
	if !tr.Has("hns-networks.json") || tr.Has("memory.json") {
		t.Error("a gap is an answer, and nothing is none")
	}
}

func TestAFrozenTreeDoesNotGrow(t *testing.T) {
	tr := tree.New()
	before := tr.FS()
	tr.JSON("memory.json", 1)
	if _, err := fs.Stat(before, "memory.json"); err == nil {
		t.Error("the tree was taken before memory.json was added, and holds it")
	}
}
