package jsontree_test

import (
	"fmt"
	"strings"

	"doctor/ui/jsontree"
)

func ExampleParse() {
	rows, err := jsontree.Parse([]byte(`{
  "name": "kubelet",
  "dependsOn": ["docker", "nsi"]
}`), 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rows[1:] { // the first is the document itself
		said := strings.TrimSpace(jsontree.Name(r) + " " + r.Value)
		fmt.Printf("line %d, depth %d: %s\n", r.Line, r.Depth, said)
	}
	// Output:
	// line 2, depth 1: name "kubelet"
	// line 3, depth 1: dependsOn
	// line 3, depth 2: [0] "docker"
	// line 3, depth 2: [1] "nsi"
}
