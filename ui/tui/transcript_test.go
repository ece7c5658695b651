package tui

import (
	"bytes"
	"sync"
	"testing"

	"doctor/fixtures/wait"
)

// A transcript is what a terminal got, for a test that waits for what it shows.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

// String is all that came since the last text that somebody waited for.
func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// take waits for a text, and forgets what came up to it.
func (t *transcript) take(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := bytes.Index(t.text.Bytes(), []byte(text))
	if at >= 0 {
		t.text.Next(at + len(text))
	}
	return at >= 0
}

// until waits for a text, and forgets what came up to it. Between two looks it does what is given.
func (t *transcript) until(tb testing.TB, text string, meanwhile ...func()) {
	tb.Helper()
	if !wait.Holds(func() bool {
		for _, do := range meanwhile {
			do()
		}
		return t.take(text)
	}) {
		tb.Fatalf("the terminal never got %q, but %q", text, t)
	}
}
