package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"
)

func TestASpoolIsReadAnywhere(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 100)
	for _, memory := range []int{0, 1, 500, len(text), 5000} {
		s := Spool{Memory: memory}
		for rest := text; len(rest) > 0; rest = rest[min(len(rest), 333):] {
			if n, err := s.Write(rest[:min(len(rest), 333)]); n != min(len(rest), 333) ||
				err != nil {
				t.Fatalf("%d bytes in memory: wrote %d, %v", memory, n, err)
			}
		}
		if s.Size() != int64(len(text)) || s.OnDisk() != (memory < len(text)) {
			t.Errorf("%d bytes in memory: size %d, on disk %v", memory, s.Size(), s.OnDisk())
		}
		if err := iotest.TestReader(io.NewSectionReader(&s, 0, s.Size()), text); err != nil {
			t.Errorf("%d bytes in memory: %v", memory, err)
		}
		for _, at := range []struct {
			from, size int
			want       []byte
			err        error
		}{
			{0, 1000, text, nil}, {495, 10, text[495:505], nil}, {990, 20, text[990:], io.EOF},
			{1000, 1, nil, io.EOF}, {2000, 1, nil, io.EOF}, {3, 0, nil, nil},
		} {
			p := make([]byte, at.size)
			if n, err := s.ReadAt(p, int64(at.from)); !bytes.Equal(p[:n], at.want) ||
				err != at.err {
				t.Errorf("%d bytes in memory: %d bytes at %d gave %d, %v", memory, at.size, at.from,
					n, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestACopyReadsWhatWasThere(t *testing.T) {
	s := Spool{Memory: 2}
	s.Write([]byte("abcd"))
	then := s
	s.Write([]byte("ef"))
	p := make([]byte, 6)
	if n, err := then.ReadAt(p, 0); string(p[:n]) != "abcd" || err != io.EOF {
		t.Errorf("%q, %v", p[:n], err)
	}
	if n, err := s.ReadAt(p, 0); string(p[:n]) != "abcdef" || err != nil {
		t.Errorf("%q, %v", p[:n], err)
	}
	s.Close()
	if _, err := then.ReadAt(p[:1], 3); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	s := Spool{}
	if _, err := s.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
	t.Setenv("TMPDIR", "/nowhere/at/all")
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	if n, err := (&Spool{Memory: 1}).Write([]byte("xy")); n != 1 || err == nil {
		t.Errorf("without a place for a file: %d, %v", n, err)
	}
}
