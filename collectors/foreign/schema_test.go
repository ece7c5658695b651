package foreign

import (
	"io/fs"
	"os"
	"testing"

	"doctor/fixtures/schema"
)

func TestConvertedRecordingsKeepToTheSchema(t *testing.T) {
	document, err := os.ReadFile("../../checks/evidence/evidence.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := schema.Tree(t, document)
	for name, recorded := range map[string]fs.FS{
		"AKS":                      aksZip(t),
		"EKS":                      eksZip(t),
		"RKE2":                     rke2Recording(t, "", rke2Healthy(t)),
		"antctl":                   antctlBundle(t, antctlAgent()),
		"collectlogs.ps1 of 2018":  recording(t, "", l2bridge2018()),
		"collectlogs.ps1, overlay": recording(t, "", overlay2022()),
	} {
		nodes, err := Find(recorded)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range nodes {
			tree, err := node.Evidence(recorded)
			if err != nil {
				t.Fatal(err)
			}
			validate(name, tree)
		}
	}
}
