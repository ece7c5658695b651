package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/pack"
	"doctor/ui/tui"
)

// A progressLine is one line of a terminal, written anew as the work goes on.
// Where standard error is no terminal it says nothing.
type progressLine struct {
	mu    sync.Mutex
	w     io.Writer // nil: nobody watches
	width int
	drawn int
}

// maxLeftOut is how many files that are not in a bundle are named on a terminal.
const maxLeftOut = 5

func newProgressLine(f *os.File) *progressLine {
	p := &progressLine{}
	if term.IsTerminal(f.Fd()) {
		p.w, p.width = f, 80
		if width, _, err := term.GetSize(f.Fd()); err == nil && width > 0 {
			p.width = width
		}
	}
	return p
}

// progress tells how far the work is, and how long it may still take once there is something to go
// by.
func (p *progressLine) progress(now tui.BundleProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	line := fmt.Sprintf("%s: %d of %d files, %s of %s", now.Phase, now.Files, now.Of,
		evidence.SizeText(now.Bytes), evidence.SizeText(now.Total))
	if now.Left > 0 {
		line += fmt.Sprintf(", about %s left", now.Left.Round(time.Second))
	}
	line = line[:min(len(line), p.width-1)]
	fmt.Fprint(p.w, "\r"+line+strings.Repeat(" ", max(0, p.drawn-len(line))))
	p.drawn = len(line)
}

// clear takes the line away before anything else is said.
func (p *progressLine) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != nil && p.drawn > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.drawn)+"\r")
		p.drawn = 0
	}
}

func printBundle(w io.Writer, name string, r pack.Result, s evidence.Snapshot) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, %d files\n", name, evidence.SizeText(r.Size), len(r.Manifest.Held()))
	printKept(&b, r.Manifest, s)
	fmt.Fprintf(&b,
		"  read it with: doctor --from %s\n  for a bug report: the text is in issue.md, the zip is to be attached\n", name)
	return printOut(w, b.String())
}

// printKept tells what was replaced, cut and left out.
func printKept(b *strings.Builder, m pack.Manifest, s evidence.Snapshot) {
	if counts := session.Replaced(m, s); len(counts) > 0 {
		fmt.Fprintf(b, "  secrets replaced: %s\n", countsByKind(counts))
	} else {
		b.WriteString("  secrets replaced: none was seen\n")
	}
	if len(m.Masked) > 0 {
		fmt.Fprintf(b, "  names masked: %s\n", countsByKind(m.Masked))
	}
	for _, name := range m.Unmasked {
		fmt.Fprintf(b, "  not masked: %s\n", evidence.Clean(name))
	}
	for _, f := range m.Files {
		if f.Truncated {
			var left int64
			for _, c := range f.LeftOut {
				left += c.Bytes
			}
			fmt.Fprintf(b, "  in part: %s, %s left out\n", evidence.Clean(f.Path),
				evidence.SizeText(left))
		}
	}
	for i, l := range m.LeftOut {
		if i == maxLeftOut {
			fmt.Fprintf(b, "  left out: %d files more; manifest.json names them\n",
				len(m.LeftOut)-i)
			break
		}
		fmt.Fprintf(b, "  left out: %s: %s\n", evidence.Clean(l.Path), evidence.Clean(l.Reason))
	}
}

func printEstimate(w io.Writer, r pack.Result, s evidence.Snapshot) error {
	var b strings.Builder
	var read, kept int64
	for _, f := range r.Manifest.Held() {
		read, kept = read+f.BytesRead, kept+f.BytesKept
	}
	fmt.Fprintf(&b, "a zip of about %s: %d files, %s of %s; nothing was written\n",
		evidence.SizeText(r.Size), len(r.Manifest.Held()), evidence.SizeText(kept),
		evidence.SizeText(read))
	printKept(&b, r.Manifest, s)
	for _, f := range r.Manifest.Held() {
		fmt.Fprintf(&b, "  %10s  %s\n", evidence.SizeText(f.BytesKept), evidence.Clean(f.Path))
	}
	return printOut(w, b.String())
}

func printJSON(w io.Writer, v any) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return trouble(err)
	}
	return printOut(w, string(content)+"\n")
}

func printOut(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return trouble(err)
}
