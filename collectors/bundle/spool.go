package bundle

import (
	"errors"
	"fmt"
	"io"

	"doctor/checks/evidence/spool"
)

// An unpacking is what an archive has to keep of what cannot be read from the middle otherwise, in
// one temporary file. It is on disk as a whole: a closed archive must not give anything any more.
type unpacking struct {
	spool.Spool
	left int64 // bytes it still takes
}

var errUnpacked = errors.New("it unpacks to more than doctor takes")

// take keeps what r gives, as far as it goes: cut is why that ended early, the
// fault of what is read, or of the most that is taken of it; err is the fault of
// this machine.
func (u *unpacking) take(r io.Reader, most int64) (kept *io.SectionReader, cut, err error) {
	if most = min(most, u.left); most == 0 {
		return &io.SectionReader{}, fmt.Errorf("%w, in all; extract it and pass it to doctor",
			errUnpacked), nil
	}
	source := &remembering{r: io.LimitReader(r, most)}
	start := u.Size()
	n, err := io.Copy(&u.Spool, source)
	written := u.Spool
	kept = io.NewSectionReader(&written, start, n)
	u.left -= n
	switch {
	case source.err != nil:
		return kept, source.err, nil
	case err != nil:
		return kept, nil, noSpool(err)
	case n < most:
		return kept, nil, nil
	}
	if more, _ := io.ReadFull(r, make([]byte, 1)); more > 0 {
		cut = fmt.Errorf("%w (%s)", errUnpacked, bytesText(most))
	}
	return kept, cut, nil
}

func noSpool(err error) error {
	return fmt.Errorf(
		"it has to be unpacked into a temporary file, and there is no way to write it: %w",
		Bare(err))
}

// remembering tells a failed read from a failed write, which io.Copy does not.
type remembering struct {
	r   io.Reader
	err error
}

func (m *remembering) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}
