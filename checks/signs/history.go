package signs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"doctor/checks/evidence"
)

// A sign is over when its log went on for this long and this many lines without
// any error. A component that fails repeats itself sooner: kubelet and
// kube-proxy retry within five minutes, a crash loop within five too.
const (
	quietTime  = 10 * time.Minute
	quietLines = 3
)

// aftermath reads a log once more, to tell which of its matches the log has
// been well since. Only files with matches are read twice.
func aftermath(found []*match, file string, r io.Reader, now time.Time) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	number, lastError := 0, 0
	var end time.Time
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) == 0 && err != nil {
			break
		}
		number++
		if isError(line) {
			lastError = number
		}
		if at := lineTime(string(line[:min(len(line), 200)]), now); at.After(end) {
			end = at
		}
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			break
		}
	}
	for _, m := range found {
		well := lastError <= m.lastLine && number-m.lastLine >= quietLines && !m.Last.IsZero()
		if quiet := end.Sub(m.Last); well && quiet >= quietTime {
			m.Over = fmt.Sprintf("the log went on for %s without an error", quiet.Round(time.Minute))
		}
	}
	return nil
}

// errorWords are how components mark a line that tells of trouble.
var errorWords = [][]byte{[]byte("error"), []byte("fail"), []byte("fatal"), []byte("panic"), []byte("timed out"), []byte("timeout"), []byte("not found"), []byte("unable to"), []byte("denied"), []byte("refused")}

// isError tells whether a line may tell of trouble. It errs on the side of
// trouble: a log is well only where nothing in it sounds like it.
func isError(line []byte) bool {
	line = line[:min(len(line), 4<<10)]
	if len(line) > 5 && (line[0] == 'E' || line[0] == 'F') && line[1] >= '0' && line[1] <= '9' {
		return true
	}
	lower := bytes.ToLower(line)
	for _, word := range errorWords {
		if bytes.Contains(lower, word) {
			return true
		}
	}
	return false
}

// beforeBoot marks what happened before the node was last booted.
func beforeBoot(matches []evidence.SignMatch, booted time.Time) {
	for i := range matches {
		m := &matches[i]
		if m.Over == "" && !booted.IsZero() && !m.Last.IsZero() && m.Last.Before(booted) {
			m.Over = "the node has booted since, at " + booted.UTC().Format("2006-01-02 15:04 UTC")
		}
	}
}
