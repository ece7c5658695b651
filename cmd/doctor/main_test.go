package main

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets scripts run the program itself under the name doctor.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"doctor": main})
}

// TestScripts runs what a user could type: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole program; run `make test`")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			return nil
		},
	})
}

// doctor runs the program in this process with the given arguments.
func doctor(t testing.TB, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	files := make([]*os.File, 2)
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "stream")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	status = run(context.Background(), args, streams{null, files[0], files[1], "doctor"})
	text := func(f *os.File) string {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	return text(files[0]), text(files[1]), status
}
