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
	"strconv"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/checks/fleet"
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
	schema.Tree(t, evidence.Schema())(bundle, archive)
	document, err := fs.ReadFile(archive, "report.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validators(t, ui.Schema())("")(document); err != nil {
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
		if !slices.Contains(checkIDs(), r.ID) && retired[r.ID] == "" {
			t.Errorf("the check %s is gone, and old reports name it", r.ID)
		}
	}
}

// retired are the checks that old reports name and that are no more, each with the reason.
var retired = map[string]string{
	"regression-azure-file-wmi":              "no release of the driver has it",
	"regression-smb-pod-crash":               "no release of the driver has it",
	"regression-kubelet-binary-secret":       "kubelet-dollar-in-variable has the same texts, versions and fix",
	"regression-containerd-path-overwritten": "containerd sets it in containers of Linux only, except for programs that call its library",
}

// TestOldDocumentsOfSeveralNodesStayReadable: testdata/v1/documents.zip holds a comparison and a
// fleet's report from the day of the freeze. Today's types keep each of their fields and values.
func TestOldDocumentsOfSeveralNodesStayReadable(t *testing.T) {
	archive, err := zip.OpenReader("testdata/v1/documents.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for name, row := range map[string]struct {
		schema []byte
		now    any
	}{
		"diff.json":  {ui.DiffSchema(), &diff.Comparison{}},
		"fleet.json": {ui.FleetSchema(), &fleet.Report{}},
	} {
		document, err := fs.ReadFile(archive, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validators(t, row.schema)("")(document); err != nil {
			t.Errorf("%s does not fit today's schema: %v", name, err)
		}
		if err := json.Unmarshal(document, row.now); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := json.Marshal(row.now)
		if err != nil {
			t.Fatal(err)
		}
		for _, lost := range lostFields(name, decoded(t, document), decoded(t, again)) {
			t.Error(lost, " is lost")
		}
		if len(lostFields(name, decoded(t, document), map[string]any{})) == 0 {
			t.Error("what is lost is not noticed")
		}
	}
}

func decoded(t *testing.T, document []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// lostFields lists what a later document lacks or has another value for. It may have more.
func lostFields(at string, then, now any) (lost []string) {
	switch then := then.(type) {
	case map[string]any:
		later, _ := now.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(then)) {
			lost = append(lost, lostFields(at+"/"+key, then[key], later[key])...)
		}
	case []any:
		later, _ := now.([]any)
		if len(later) != len(then) {
			return []string{at}
		}
		for i := range then {
			lost = append(lost, lostFields(at+"/"+strconv.Itoa(i), then[i], later[i])...)
		}
	default:
		if then != now {
			return []string{at}
		}
	}
	return lost
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
		if err := json.Unmarshal(f.document(), &now); err != nil {
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
	if len(brokenPromises("", map[string]any{}, map[string]any{"required": []any{"new"}})) != 1 {
		t.Error("a new field that is required is not noticed")
	}
}

// brokenPromises compares the fields, their types, the values that they may have, and which of them
// are always there. Fields and values may be added, but the schema must accept documents of before
// them.
func brokenPromises(at string, then, now map[string]any) (broken []string) {
	before, _ := then["required"].([]any)
	required, _ := now["required"].([]any)
	for _, name := range required {
		if !slices.Contains(before, name) {
			broken = append(broken, at+" requires "+name.(string)+", which older documents lack")
		}
	}
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
