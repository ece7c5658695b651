package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/fixtures/schema"
	"doctor/ui"
)

// TestOldDocumentsStayReadable: testdata/v1/node.zip was written when the formats were frozen.
func TestOldDocumentsStayReadable(t *testing.T) {
	const bundle = "testdata/v1/node.zip"
	out, errs, status := doctor(t, bundle, "--json")
	var now checks.Report
	if err := json.Unmarshal([]byte(out), &now); err != nil || status != exitFail {
		t.Fatalf("status %d, %v: %s", status, err, errs)
	}
	archive, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	schema.Tree(t, evidence.Schema)(bundle, archive)
	document, err := fs.ReadFile(archive, "report.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validators(t, ui.Schema)("")(document); err != nil {
		t.Errorf("the old report does not fit today's schema: %v", err)
	}
	var then checks.Report
	d := json.NewDecoder(bytes.NewReader(document))
	d.DisallowUnknownFields() // a field that was removed or renamed
	if err := d.Decode(&then); err != nil {
		t.Errorf("the old report: %v", err)
	}
	if len(then.Causes) == 0 || len(now.Causes) != len(then.Causes) ||
		now.Causes[0].ID != then.Causes[0].ID {
		t.Errorf("the causes were %v and are %v", then.Causes, now.Causes)
	}
	for _, r := range then.Results {
		if !slices.Contains(checkIDs(), r.ID) {
			t.Errorf("the check %s is gone, and old reports name it", r.ID)
		}
	}
}

// TestFormatsKeepWhatTheyPromised: what a frozen schema has, today's has with the same type.
func TestFormatsKeepWhatTheyPromised(t *testing.T) {
	for _, f := range publicFormats {
		content, err := os.ReadFile("testdata/v1/" + f.word + ".schema.json")
		if os.IsNotExist(err) {
			t.Errorf("%s is public, and nothing is frozen in testdata/v1", f.name)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		var then, now map[string]any
		if err := json.Unmarshal(content, &then); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(f.document, &now); err != nil {
			t.Fatal(err)
		}
		broken := brokenPromises(f.name, then, now)
		if len(broken) > 0 {
			t.Errorf("a reader of %s fails:\n%s", f.name, strings.Join(broken, "\n"))
		}
		properties := now["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties))[:1] {
			delete(properties, name)
		}
		if len(brokenPromises(f.name, then, now)) == 0 {
			t.Error("a field that was removed is not noticed")
		}
	}
}

// brokenPromises compares the fields, their types, the values that they may have, and which of them
// are always there. Fields and values may be added.
func brokenPromises(at string, then, now map[string]any) (broken []string) {
	for key, old := range then {
		where := at + "/" + key
		switch old := old.(type) {
		case map[string]any:
			next, ok := now[key].(map[string]any)
			if !ok {
				broken = append(broken, where+" is gone")
				continue
			}
			broken = append(broken, brokenPromises(where, old, next)...)
		case []any:
			if key != "required" && key != "enum" && key != "type" {
				continue
			}
			next, _ := now[key].([]any)
			for _, value := range old {
				if !slices.ContainsFunc(next, func(v any) bool {
					return reflect.DeepEqual(v, value)
				}) {
					broken = append(broken, where+" no longer has "+value.(string))
				}
			}
		case string:
			if (key == "type" || key == "$ref" || key == "format") && now[key] != old {
				broken = append(broken, where+" was "+old)
			}
		}
	}
	return broken
}
