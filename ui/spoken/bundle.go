package spoken

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"doctor/ui"
	"doctor/ui/tui"
)

// bundle asks for a name and writes the bundle.
func (t *teller) bundle(ctx context.Context, typed <-chan string) error {
	b := t.feed.Bundle
	if b == nil {
		t.say("No bundle can be made of this.")
		return nil
	}
	proposed := b.Name(t.last.Evidence)
	t.say("A bundle is one zip for a bug report, without the secrets. Type a file name, an empty line for %s, or q to go back.", proposed)
	t.say("A name without a folder goes to %s.", b.Folder)
	name, err := next(ctx, typed)
	if err != nil {
		return err
	}
	if name == "q" {
		return nil
	}
	t.say("Writing. Control C stops, and leaves nothing.")
	done, err := b.Write(ctx, t.last.Evidence, cmp.Or(name, proposed), t.progress())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.Canceled):
		t.say("Stopped; nothing was written.")
		return nil
	case err != nil:
		t.say("No bundle was written: %s.", strings.TrimSuffix(t.lang.Phrase(err.Error()), "."))
		return nil
	}
	t.written(done)
	if done.Issue == "" {
		return nil
	}
	t.say("Type i to print the issue text, or an empty line to continue.")
	line, err := next(ctx, typed)
	if err == nil && strings.EqualFold(line, "i") {
		for l := range bytes.Lines([]byte(done.Issue)) {
			t.verbatim(ui.Plain(strings.TrimRight(string(l), "\r\n"), t.ascii))
		}
	}
	return err
}

// phaseNames are what a bundle is being made of.
var phaseNames = map[string]string{
	tui.BundleSearching: "Searching the logs",
	"writing":           "Writing",
	"checking":          "Searching the zip for secrets",
}

// progress tells how far it is every few seconds.
func (t *teller) progress() func(tui.BundleProgress) {
	var mu sync.Mutex
	last := time.Now()
	return func(p tui.BundleProgress) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < stillEvery {
			return
		}
		last = time.Now()
		phase, files, bytes, total := t.lang.Word(phaseNames[p.Phase]), t.count(p.Of, "file"),
			t.size(p.Bytes), t.size(p.Total)
		if p.Left > 0 {
			left := t.count(max(int(p.Left/time.Second), 1), "second")
			t.say("%s: %d of %s, %s of %s, about %s left.", phase, p.Files, files, bytes, total,
				left)
		} else {
			t.say("%s: %d of %s, %s of %s.", phase, p.Files, files, bytes, total)
		}
	}
}

// maxLeftOut is how many files that were left out are named; the manifest names all.
const maxLeftOut = 20

func (t *teller) written(d tui.BundleDone) {
	t.say("The bundle is written: %s", d.Path)
	t.say("It has %s and %s.", t.size(d.Size), t.count(d.Files, "file"))
	if len(d.Redacted) == 0 {
		t.say("Secrets replaced: none was seen.")
	}
	for _, r := range d.Redacted {
		t.say("Secrets replaced: %d of the kind %s.", r.Count, t.lang.Phrase(r.Kind))
	}
	for _, l := range d.LeftOut[:min(len(d.LeftOut), maxLeftOut)] {
		t.say("Left out: %s: %s", l.Path,
			cmp.Or(t.lang.Say(l.Why), t.lang.T("in part, %s of it", t.size(l.Bytes))))
	}
	if more := len(d.LeftOut) - maxLeftOut; more > 0 {
		t.say("Left out: %s more; manifest.json in the zip names them.", t.count(more, "file"))
	}
	t.say("The text for a bug report is issue.md in the zip; attach the zip to it.")
}
