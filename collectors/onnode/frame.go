package onnode

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// The lines around the evidence in a pod's log. The last ones are within the 2,048 bytes that the
// kubelet takes as a failed container's termination message.
const (
	beginLine  = "doctor-evidence/v1 begin"
	causesLine = "doctor-evidence/v1 causes"
	endLine    = "doctor-evidence/v1 end"
)

const (
	lineBytes  = 6000    // of each line before base64: container runtimes split lines of 16 KiB
	maxCauses  = 1500    // bytes of the line of causes
	MaxZip     = 4 << 20 // of a pod's evidence; a kubelet rotates its log at 10 MiB
	maxLog     = 8 << 20 // of a pod's log
	maxMessage = 4 << 10 // of a termination message
)

// WriteFrame writes a bundle into a pod's log, with the causes that the pod itself found.
func WriteFrame(w io.Writer, zip []byte, causes []string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s size=%d\n", beginLine, len(zip))
	for chunk := range slices.Chunk(zip, lineBytes) {
		fmt.Fprintln(out, base64.StdEncoding.EncodeToString(chunk))
	}
	line := causesLine
	for _, id := range causes {
		if len(line)+1+len(id) > maxCauses {
			break
		}
		line += " " + id
	}
	sum := sha256.Sum256(zip)
	fmt.Fprintf(out, "%s\n%s size=%d sha256=%s\n", line, endLine, len(zip),
		hex.EncodeToString(sum[:]))
	return out.Flush()
}

// errNoFrame means that a log holds no evidence at all.
var errNoFrame = errors.New("it has no evidence")

// ReadFrame takes the bundle out of a pod's log. What is cut or altered is an error.
func ReadFrame(log []byte) (zip []byte, err error) {
	size, inside := 0, false
	for line := range bytes.Lines(log) {
		text := strings.TrimSpace(string(line))
		begin, begins := strings.CutPrefix(text, beginLine+" size=")
		end, ends := strings.CutPrefix(text, endLine+" size=")
		switch {
		case begins:
			if size, err = strconv.Atoi(begin); err != nil || size < 0 || size > MaxZip {
				return nil, fmt.Errorf("it claims a size of %q", evidence.Clip(begin, 20))
			}
			zip, inside = make([]byte, 0, min(size, maxLog)), true
		case !inside || strings.HasPrefix(text, causesLine):
		case ends:
			sum := sha256.Sum256(zip)
			if end != fmt.Sprintf("%d sha256=%x", len(zip), sum) || len(zip) != size {
				return nil, fmt.Errorf("its digest does not match; %d of %d bytes arrived", len(zip),
					size)
			}
			return zip, nil
		default:
			part, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, fmt.Errorf("a line of it is no base64, after %d of %d bytes", len(zip),
					size)
			}
			if zip = append(zip, part...); len(zip) > size {
				return nil, fmt.Errorf("it is longer than the %d bytes that it claims", size)
			}
		}
	}
	if !inside {
		return nil, errNoFrame
	}
	return nil, fmt.Errorf("it ends after %d of %d bytes", len(zip), size)
}

// causesIn are the causes that a termination message names, and whether it names them.
func causesIn(message string) (ids []string, told bool) {
	for line := range strings.Lines(message[max(0, len(message)-maxMessage):]) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), causesLine)
		if !ok {
			continue
		}
		ids, told = nil, true
		for _, id := range strings.Fields(rest) {
			ids = append(ids, evidence.Clean(id))
		}
	}
	return ids, told
}
