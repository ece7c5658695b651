package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures/wait"
)

func TestRunLeavesTheAlternateScreen(t *testing.T) {
	var out bytes.Buffer
	ctx, stop := context.WithTimeout(t.Context(), wait.Limit)
	defer stop()
	if _, err := Run(ctx, strings.NewReader("q"), &out, Finished(sample(), evidence.Snapshot{}),
		Options{}); err != nil {
		t.Fatal(err)
	}
	enter, leave := strings.Index(out.String(), "\x1b[?1049h"), strings.LastIndex(out.String(),
		"\x1b[?1049l")
	if enter < 0 || leave < enter {
		t.Errorf("alternate screen entered at %d and left at %d of the output", enter, leave)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	in, w := io.Pipe() // says nothing
	defer w.Close()
	if _, err := Run(ctx, in, &bytes.Buffer{}, Finished(sample(), evidence.Snapshot{}),
		Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("returned %v", err)
	}
}

// The terminal must not be queried for its background: see package quiet.
func TestQuietComesBeforeBubbletea(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, trace)
	}
	quiet := bytes.Index(trace, []byte("/ui/tui/quiet @"))
	tea := bytes.Index(trace, []byte("init github.com/charmbracelet/bubbletea @"))
	if quiet < 0 || tea < 0 || quiet > tea {
		t.Errorf("quiet at %d, bubbletea at %d of the order of initialization; quiet must come first, "+
			"else every doctor command queries the terminal for its background and may wait for seconds:\n%s",
			quiet, tea, trace)
	}
}

func TestQuietLeavesTheEnvironmentAsItWas(t *testing.T) {
	const child = "DOCTOR_TEST_SHOW_CI"
	if os.Getenv(child) != "" {
		ci, set := os.LookupEnv("CI")
		fmt.Printf("CI=%q %t\n", ci, set)
		return
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, `CI="" false`},
		{[]string{"CI="}, `CI="" true`},
		{[]string{"CI=yes"}, `CI="yes" true`},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		clean := slices.DeleteFunc(os.Environ(), func(v string) bool {
			return strings.HasPrefix(v, "CI=")
		})
		cmd.Env = append(append(clean, child+"=1"), c.env...)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out),
			c.want+"\n") {
			t.Errorf("started with %q: %v, %s instead of %s", c.env, err, out, c.want)
		}
	}
}
