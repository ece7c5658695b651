package session

import (
	"bytes"
	"fmt"
	"io"

	"doctor/checks"
	"doctor/checks/diff"
	"doctor/checks/evidence"
	"doctor/checks/signs"
	"doctor/collectors/redact"
)

// Judge searches the logs of a recording and runs the checks. The report holds no secrets; the logs
// that could not be read to their end come beside it.
func Judge(src Source, list *checks.Catalogue, program checks.Program) (evidence.Snapshot, checks.Report,
	[]evidence.UnsearchedLog) {
	scanned, unread := signs.Record(src.Snapshot, list.Signs())
	return scanned, Shareable(checks.Diagnose(scanned, list, src.Origin, program)), unread
}

// NewSecrets makes what takes the secrets out of two nodes that are compared: the same value has the
// same token on both, so that a password that differs is seen to differ and not seen.
func NewSecrets() *redact.Redactor { return redact.New(redact.Options{}) }

// maxCompared bounds one file of a comparison.
const maxCompared = 32 << 20

// Side is a node as a comparison reads it: without its secrets.
func Side(name string, s evidence.Snapshot, r checks.Report, secrets *redact.Redactor) diff.Side {
	return diff.Side{Name: name, Report: r, Paths: s.Paths(), Gap: s.GapAt,
		Read: func(path string) ([]byte, error) {
			f, err := s.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			var b bytes.Buffer
			_, err = secrets.Copy(&b, evidence.Text(io.LimitReader(f, maxCompared+1)), path)
			if err == nil && b.Len() > maxCompared {
				err = fmt.Errorf("%s is too large to compare", path)
			}
			return b.Bytes(), err
		}}
}
