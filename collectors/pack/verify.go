package pack

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"doctor/collectors/bundle"
	"doctor/collectors/redact"
)

// compare reads the zip from the disk: it must be what was written.
func compare(ctx context.Context, f io.ReaderAt, want []byte) error {
	sum := crc32.NewIEEE() // against faults of the disk, not against people
	_, err := io.Copy(sum, watched{ctx, io.NewSectionReader(f, 0, 1<<62), func(int64) {}})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w: it cannot be read back: %s", ErrRefused, reason(err))
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return fmt.Errorf("%w: the disk does not hold what was written to it", ErrRefused)
	}
	return nil
}

// verify opens the bundle as its receiver will: each file must be what the
// manifest says, and hold no secret. Where no secret was seen there is none to
// look for in the logs, which passed the rules line by line.
func verify(ctx context.Context, name string, m Manifest, samples []string, seen bool,
	o Options) error {
	a, err := bundle.Open(name)
	if err != nil {
		return fmt.Errorf("%w: it cannot be read back: %w", ErrRefused, err)
	}
	defer a.Close()
	if refused := a.Refused(); len(refused) > 0 {
		return fmt.Errorf("%w: it cannot be read back: %s: %s", ErrRefused, refused[0].Name,
			refused[0].Reason)
	}
	files := slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool {
		return f.Error != "" || !seen && strings.HasPrefix(f.Path, "logs/")
	})
	var total int64
	for _, f := range files {
		total += f.BytesKept
	}
	v := &verifier{ctx: ctx, fsys: a.FS(), samples: samples, o: o,
		progress: Progress{Phase: "checking", Of: len(files), Total: total}}
	all, failed := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range files {
		if failed.Err() != nil {
			break
		}
		all.Go(func() error { return v.file(f) })
	}
	return cmp.Or(all.Wait(), context.Cause(ctx))
}

type verifier struct {
	ctx     context.Context
	fsys    fs.FS
	samples []string
	o       Options

	mu       sync.Mutex
	progress Progress
}

func (v *verifier) file(f File) error {
	r, err := v.fsys.Open(f.Path)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read back: %s", ErrRefused, f.Path, reason(err))
	}
	defer r.Close()
	sum := sha256.New()
	var text io.Reader = watched{v.ctx, r, v.tell}
	isLog := strings.HasPrefix(f.Path, "logs/")
	if !isLog { // of a log, the archive's own sum is enough beside that of the whole zip
		text = io.TeeReader(text, sum)
	}
	if f.Path == samplesName {
		if err := v.sampled(&text); err != nil {
			return err
		}
	}
	search := func(text io.Reader) (*redact.Leak, error) {
		return v.o.Redactor.Search(text, f.Path)
	}
	if isLog && !v.o.Redactor.Overflowed() {
		search = v.o.Redactor.SearchSeen
	}
	leak, err := search(text)
	switch {
	case v.ctx.Err() != nil:
		return context.Cause(v.ctx)
	case err != nil:
		return fmt.Errorf("%w: %s cannot be read back: %s", ErrRefused, f.Path, reason(err))
	case leak != nil:
		return &leakError{f.Path, leak.Kind, f.item}
	}
	if _, err := io.Copy(io.Discard, text); err != nil {
		return fmt.Errorf("%w: %s cannot be read back: %s", ErrRefused, f.Path, reason(err))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); !isLog && got != f.SHA256 {
		return fmt.Errorf("%w: %s is not what was written", ErrRefused, f.Path)
	}
	v.mu.Lock()
	v.progress.Files++
	v.mu.Unlock()
	return nil
}

// sampled looks for the made-up secrets: the rules must have known each of them.
func (v *verifier) sampled(text *io.Reader) error {
	content, err := io.ReadAll(*text)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read back: %s", ErrRefused, samplesName, reason(err))
	}
	for _, value := range v.samples {
		if strings.Contains(string(content), value) {
			return fmt.Errorf("%w: a made-up secret passed the redaction; please report this",
				ErrRefused)
		}
	}
	*text = strings.NewReader(string(content))
	return nil
}

// tell reports how far all of the files are.
func (v *verifier) tell(n int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.progress.Bytes += n
	if v.o.Progress != nil && n > 0 {
		v.o.Progress(v.progress)
	}
}
