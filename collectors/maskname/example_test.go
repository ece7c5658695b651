package maskname_test

import (
	"fmt"

	"doctor/checks/evidence"
	"doctor/collectors/maskname"
	"doctor/fixtures"
)

// The names that the evidence states are masked wherever they stand, each the same way.
func ExampleNames() {
	recording, err := fixtures.Open("healthy-flannel-hostgw")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := evidence.Load(recording.FS())
	if err != nil {
		fmt.Println(err)
		return
	}
	names := maskname.New([]byte("the same for each run of this example"))
	names.Learn(s)
	line := []byte("node " + s.Meta().Node + " registered, " + s.Meta().Node + " is Ready")
	fmt.Printf("%s\n", names.Append(nil, line))
	// Output:
	// node qjv-3997-7 registered, qjv-3997-7 is Ready
}
