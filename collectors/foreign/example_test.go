package foreign_test

import (
	"fmt"

	"doctor/collectors/foreign"
	"doctor/fixtures"
)

// A tree is searched for recorded nodes, whichever tool wrote them.
func ExampleFind() {
	recording, err := fixtures.Open("healthy-flannel-hostgw")
	if err != nil {
		fmt.Println(err)
		return
	}
	nodes, err := foreign.Find(recording.FS())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range nodes {
		fmt.Printf("%s in %q: %s\n", n.Name, n.Root, n.Format)
	}
	// Output:
	// win-2019-1 in ".": evidence/v1
}
