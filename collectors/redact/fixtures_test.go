package redact

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"doctor/fixtures"
)

// TestRecordedNodesStayAsTheyAre: what the diagnosis reads is left alone. The
// recordings hold no secrets but those listed here, each looked at.
func TestRecordedNodesStayAsTheyAre(t *testing.T) {
	var changes []string
	seen := map[string]bool{} // recordings stand on each other
	for _, name := range fixtures.Names() {
		rec, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		err = fs.WalkDir(rec.FS(), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(rec.FS(), path)
			if err != nil {
				return err
			}
			if seen[path+"\n"+string(content)] {
				return nil
			}
			seen[path+"\n"+string(content)] = true
			var out bytes.Buffer
			if _, err := New(Options{Plain: true}).Copy(&out, bytes.NewReader(content),
				path); err != nil {
				t.Errorf("%s: %s: %v", name, path, err)
			}
			changes = append(changes, changed(path, string(content), out.String())...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(changes)
	changes = slices.Compact(changes)
	for _, c := range changes {
		if !slices.Contains(trueSecrets, c) {
			t.Errorf("changed: %s", c)
		}
	}
	for _, c := range trueSecrets {
		if !slices.Contains(changes, c) {
			t.Errorf("not changed: %s", c)
		}
	}
}

// trueSecrets are the lines of recordings that hold one.
var trueSecrets = []string{
	`api/pods.json: \":{\"PluginGUID\":\"{CCC2A336-D7F3-4818-A213-272B7924213E}\",\"PluginInput\":\"<secret:gmsa>\",\"PortableCcgVersion\":\"1\"}},\"CmsPlugins\":[\"ActiveDirectory`,
}

// changed lists the lines that differ, in their new form.
func changed(path, before, after string) []string {
	var list []string
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range b {
		if i >= len(a) || a[i] != b[i] {
			at := strings.Index(b[i], tokenStart)
			list = append(list,
				path+": "+strings.TrimSpace(b[i][max(0, at-80):min(len(b[i]), max(at, 0)+80)]))
		}
	}
	return list
}
