package node_test

import (
	"fmt"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/fixtures"
)

func ExampleAbout() {
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
	n := node.About(s)
	fmt.Println(n.CNI.Value, n.Backend.Value, n.PodCIDRs.Value)
	fmt.Println("from", n.PodCIDRs.From.Path)
	// Output:
	// flannel L2Bridge [10.244.2.0/24]
	// from api/node.json
}
