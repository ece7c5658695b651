package foreign

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"doctor/collectors/tree"
)

// placeNodeLog places the node's lines of a file that `oc adm node-logs` wrote for all nodes:
// "NODE " is in front of each. One that has no such line may be of the only node.
func placeNodeLog(out *output, src *source, f looseFile, node string) {
	info, err := fs.Stat(src.fsys, f.path)
	if err != nil || node == "" {
		return
	}
	component := f.component
	if component == "wicd" {
		component = "windows-instance-config-daemon"
	}
	if !hasLineOf(src.fsys, f.path, node) {
		return
	}
	out.Add("logs/"+component+"/"+path.Base(f.path), tree.File{Size: info.Size(),
		Modified: info.ModTime(), Open: func() (io.ReadCloser, error) {
			file, err := src.fsys.Open(f.path)
			if err != nil {
				return nil, err
			}
			return nodeLines(file, node), nil
		}})
}

const maxLogLine = 1 << 20

// eachLine reads lines, and of one that is too long its beginning.
func eachLine(r io.Reader, do func(line string) bool) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		chunk, err := lines.ReadSlice('\n')
		if len(line) < maxLogLine {
			line = append(line, chunk...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && err != io.EOF:
			return err
		case len(line) > 0 && !do(string(line)), err == io.EOF:
			return nil
		}
		line = line[:0]
	}
}

func hasLineOf(fsys fs.FS, name, node string) (found bool) {
	file, err := fsys.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	eachLine(file, func(line string) bool {
		found = found || strings.HasPrefix(line, node+" ")
		return !found
	})
	return found
}

// loggedNodes are the nodes whose lines are at the beginning of a file for all nodes.
func loggedNodes(head string) (names []string) {
	for line := range strings.Lines(head) {
		name, rest, ok := strings.Cut(line, " ")
		if ok && hostNamePattern.MatchString(name) && isLogLine(rest) &&
			!slices.Contains(names, name) && len(names) < maxNodes {
			names = append(names, name)
		}
	}
	return names
}

// nodeLines streams the lines of one node, without its name.
func nodeLines(file io.ReadCloser, node string) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		err := eachLine(file, func(line string) bool {
			rest, ok := strings.CutPrefix(line, node+" ")
			if !ok {
				return true
			}
			_, err := io.WriteString(w, rest)
			return err == nil
		})
		file.Close()
		w.CloseWithError(err)
	}()
	return r
}
