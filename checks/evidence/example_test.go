package evidence_test

import (
	"fmt"
	"testing/fstest"

	"doctor/checks/evidence"
)

// Three files are enough: what was asked, what was answered, and why something was not.
func ExampleLoad() {
	meta := `{"layout": "evidence/v1", "collectedAt": "2026-11-20T10:00:00Z"}`
	tree := fstest.MapFS{
		"meta.json":       {Data: []byte(meta)},
		"services.json":   {Data: []byte(`[{"name": "kubelet", "state": "stopped"}]`)},
		"routes.json.gap": {Data: []byte("denied: access is denied; run as Administrator")},
	}
	s, err := evidence.Load(tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, service := range evidence.Services.In(s) {
		fmt.Println(service.Name, service.State)
	}
	fmt.Println(evidence.Routes.Gap(s).Kind)
	fmt.Println(evidence.Adapters.Gap(s).Kind)
	// Output:
	// kubelet stopped
	// denied
	// not-collected
}

func ExampleDecodeText() {
	// What `ipconfig > file` of Windows PowerShell writes: UTF-16 with a byte order mark.
	utf16 := []byte{0xff, 0xfe, 'c', 0, 'b', 0, 'r', 0, '0', 0}
	fmt.Printf("%s\n", evidence.DecodeText(utf16))
	// Output: cbr0
}
