package pack_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"doctor/checks/evidence"
	"doctor/collectors/bundle"
	"doctor/collectors/pack"
	"doctor/collectors/redact"
	"doctor/fixtures"
)

// What is packed is evidence again for whoever opens it.
func ExampleWrite() {
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
	dir, err := os.MkdirTemp("", "pack")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "node.zip")
	options := pack.Options{Redactor: redact.New(redact.Options{})}
	if _, err := pack.Write(context.Background(), name, s, options); err != nil {
		fmt.Println(err)
		return
	}
	a, err := bundle.Open(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	again, err := evidence.Load(a.FS())
	fmt.Println(again.Meta().Node == s.Meta().Node, err)
	// Output: true <nil>
}
