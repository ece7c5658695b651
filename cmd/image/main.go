// Command image writes doctor as an OCI image for Windows nodes, without Docker: `make image`. It is a
// module of its own, so that what it needs stays out of the product's go.mod.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run takes the programs as ARCHITECTURE=FILE.
func run(args []string) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	out := flags.String("out", "", "the folder of the OCI layout to write, in place of what is there")
	push := flags.String("push", "", "a reference such as registry.example/doctor:1 to push to, with Docker's credentials")
	version := flags.String("version", "devel", "the version of the programs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() == 0 {
		return errors.New("usage: image -out FOLDER [-push REF] amd64=doctor.exe …")
	}
	var programs []program
	for _, arg := range flags.Args() {
		architecture, path, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%s is no ARCHITECTURE=FILE", arg)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		programs = append(programs, program{architecture, content})
	}
	all, err := index(*version, programs)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(*out); err != nil {
		return err
	}
	if _, err := layout.Write(*out, all); err != nil {
		return err
	}
	digest, err := all.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("%s  %s\n", *out, digest)
	if *push == "" {
		return nil
	}
	ref, err := name.ParseReference(*push)
	if err != nil {
		return err
	}
	if err := remote.WriteIndex(ref, all,
		remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return err
	}
	fmt.Printf("%s@%s\n", ref.Context(), digest)
	return nil
}
