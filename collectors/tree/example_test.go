package tree_test

import (
	"fmt"
	"io/fs"

	"doctor/checks/evidence"
	"doctor/collectors/tree"
)

func ExampleTree() {
	t := tree.New()
	t.JSON("features.json", []string{})
	t.Gap("routes.json", evidence.NeedsAdministrator.Gap())
	for _, name := range []string{"features.json", "routes.json.gap"} {
		content, err := fs.ReadFile(t.FS(), name)
		fmt.Printf("%s: %s%v\n", name, content, err)
	}
	// Output:
	// features.json: []
	// <nil>
	// routes.json.gap: denied: run as Administrator
	// <nil>
}
