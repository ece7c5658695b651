// Package pack writes what is known about a node into one zip that may be
// attached to a public bug report, and that any doctor reads again.
//
// Every byte of it, file names and reports included, passes one sink that takes
// the secrets out. The zip gets its name only after it was read back, compared
// with its manifest and searched for every secret that was seen on the way.
package pack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors/maskname"
	"doctor/collectors/outfile"
	"doctor/collectors/redact"
)

// Options say what goes into a bundle.
type Options struct {
	Since   time.Duration // how far back logs are taken; 0: all of them
	MaxSize int64         // bytes of the zip; 0: as many as it takes

	Output outfile.Options // what the zip may replace

	Redactor *redact.Redactor
	Masked   *maskname.Names // that the Redactor masks; nil: names stay

	Scan        evidence.LogScan  // what the search of all logs found
	SearchedFor map[string]string // and for which texts, by check

	// Conclude makes the documents that explain the evidence. It sees what a reader of the bundle will see.
	Conclude func(Recorded) ([]Document, error)
	Progress func(Progress) // nil: nobody watches
	Doctor   string         // its version
}

// Recorded is the evidence as it is in the bundle.
type Recorded struct {
	fs.FS
	Left []Left
	// all lines of it are in the bundle as they were searched, secrets aside, which are no signs
	Whole func(log string) bool
}

// A Document is a file that is made, not read.
type Document struct {
	Name  string
	Write func(io.Writer) error
}

// A Progress tells how far the work is.
type Progress struct {
	Phase        string // writing, checking
	Files, Of    int
	Bytes, Total int64
}

// Left is a file that is not in the bundle, or a log that is there in part.
type Left struct {
	Path   string          `json:"path"`
	Reason string          `json:"reason"`
	Why    evidence.Phrase `json:"-"` // of which the reason is made
}

func leftOut(path, format string, args ...any) Left {
	return Left{Path: path, Why: evidence.Phrasef(format, args...)}
}

// A Result is a bundle that got its name.
type Result struct {
	Size     int64 // of the zip
	Manifest Manifest
}

// ErrRefused is wrapped by the error for a bundle that was written and may not
// be shared: a secret was found in it, or it is not what was written.
var ErrRefused = errors.New("the bundle is refused")

// maxAttempts bounds how often a bundle is written anew: because it came out too
// large, because a file of it cannot be redacted, or because a secret was first
// recognised behind a place where it stood unrecognised.
const maxAttempts = 16

// maxLeaks is how many files are left out because a secret in them shows in a
// form that is not replaced, such as base64 of a script, until all is refused.
const maxLeaks = 8

// Write makes the bundle at name, or leaves nothing.
func Write(ctx context.Context, name string, s evidence.Snapshot, o Options) (Result, error) {
	if err := outfile.Check(name, o.Output); err != nil {
		return Result{}, err
	}
	room, err := roomFor(name, o.MaxSize)
	if err != nil {
		return Result{}, err
	}
	most := least(o.MaxSize, room)
	p := newPlan(s, o, most)
	if err := learn(ctx, s, o, p.facts); err != nil {
		return Result{}, err
	}
	result, err := repeat(p, func(p *plan) (Result, error) {
		return attempt(ctx, name, s, o, p, most)
	})
	if small := tooSmallError(0); errors.As(err, &small) && most == room {
		err = fmt.Errorf(
			"the disk has room for %s only, too little for the facts alone; write to another disk",
			evidence.SizeText(room))
	}
	return result, err
}

// learn lets the redactor see the facts before anything is written: a password
// that an environment variable holds may stand in a file that comes before it.
func learn(ctx context.Context, s evidence.Snapshot, o Options, facts []item) error {
	for _, it := range facts {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f, err := s.Open(it.path)
		if err != nil {
			continue // it is named when it is to be written
		}
		err = o.Redactor.Learn(evidence.Text(f), it.path)
		f.Close()
		if errors.Is(err, redact.ErrTooMany) {
			return tooManySecrets(it.path)
		}
	}
	return nil
}

// tooManySecrets refuses the bundle, and not only the file: what is not
// remembered of the one cannot be looked for in the others.
func tooManySecrets(path string) error {
	return fmt.Errorf("%w: %s: %w", ErrRefused, evidence.Clean(path), redact.ErrTooMany)
}

// Estimate does all the work and keeps nothing of it, so that its figures are those of the bundle.
func Estimate(ctx context.Context, s evidence.Snapshot, o Options) (Result, error) {
	p := newPlan(s, o, o.MaxSize)
	if err := learn(ctx, s, o, p.facts); err != nil {
		return Result{}, err
	}
	return repeat(p, func(p *plan) (Result, error) {
		w := newWriter(ctx, io.Discard, o.MaxSize, s, o, p)
		if err := cmp.Or(w.evidence(), w.zip.Close()); err != nil {
			return Result{}, w.explain(err)
		}
		return Result{Size: w.out.n, Manifest: w.manifest}, nil
	})
}

// repeat attempts it with a plan that learns from what went wrong.
func repeat(p *plan, attempt func(*plan) (Result, error)) (Result, error) {
	leaks := 0
	for range maxAttempts {
		result, err := attempt(p)
		var dropped *droppedError
		var over *oversizeError
		var leaked *leakError
		switch {
		case errors.As(err, &dropped):
			p.drop(dropped.path, dropped.why)
		case errors.As(err, &over):
			if !p.shrink(over) {
				return Result{}, tooSmallError(over.limit)
			}
		case errors.As(err, &leaked):
			leaks++
			// the first time, the secret may have been recognised behind the place where it stood
			switch {
			case leaks == 1:
			case leaked.item != "" && leaks <= maxLeaks:
				p.drop(leaked.item,
					evidence.Phrasef("it holds a secret (%s) in a form that cannot be taken out",
						leaked.kind))
			default:
				return Result{}, fmt.Errorf("%w: %w; nothing was written", ErrRefused, err)
			}
		default:
			return result, err
		}
	}
	return Result{}, fmt.Errorf("%w: each of %d attempts met another file that cannot be redacted",
		ErrRefused, maxAttempts)
}

// droppedError tells that a file must not be in the bundle.
type droppedError struct {
	path string
	why  evidence.Phrase
}

func (e *droppedError) Error() string { return e.path + ": " + e.why.String() }

// leakError tells where a secret was found in what had been written, and which
// file of the evidence that was; "" for one that was made.
type leakError struct{ path, kind, item string }

func (e *leakError) Error() string {
	return fmt.Sprintf("%s still holds a secret (%s)", e.path, e.kind)
}

var errTooLarge = errors.New("larger than it may be")

// oversizeError tells how well the text compressed until there was no room.
type oversizeError struct {
	limit int64
	ratio float64 // bytes of text for each byte of the zip
}

func (e *oversizeError) Error() string { return errTooLarge.Error() }

// tooSmallError is the size in which not even the facts have room.
type tooSmallError int64

func (e tooSmallError) Error() string {
	return evidence.SizeText(int64(e)) + " is too little for the facts alone; give --max-size more"
}

// least is the smaller of two bounds of which 0 is none.
func least(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
