package signs_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"doctor/checks/evidence"
	"doctor/checks/signs"
)

func ExampleLogs() {
	meta := `{"layout": "evidence/v1", "collectedAt": "2026-11-20T10:00:00Z"}`
	log := "starting\nError: unknown flag: --network-plugin\n"
	tree := fstest.MapFS{
		"meta.json":                {Data: []byte(meta)},
		"logs/kubelet/kubelet.log": {Data: []byte(log)},
	}
	s, err := evidence.Load(tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	sign := evidence.Sign{Check: "kubelet-removed-flag", Text: "unknown flag:"}
	scan := signs.Logs(context.Background(), s, []evidence.Sign{sign})
	for _, m := range scan.Matches {
		fmt.Printf("%s at %s:%d\n", m.Check, m.Path, m.Line)
	}
	fmt.Println(len(scan.Unsearched), "logs were not searched to their end")
	// Output:
	// kubelet-removed-flag at logs/kubelet/kubelet.log:2
	// 0 logs were not searched to their end
}
