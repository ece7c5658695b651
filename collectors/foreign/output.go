package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"doctor/checks/evidence"
)

// An output is the tree that a conversion makes: small files in memory, and the
// recording itself below original/, read from where it lies.
type output struct {
	files map[string]*stored
}

// originals is where the recording stays readable, byte for byte. It is not
// below logs/, because nothing in it is the log of one of the node's components.
const originals = "original"

// A stored file is content, or a name in the source.
type stored struct {
	content []byte
	info    fs.FileInfo
	src     fs.FS
	at      string
}

func newOutput() *output { return &output{files: map[string]*stored{}} }

// put writes a value of the layout as JSON.
func (o *output) put(name string, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		o.gap(name, gapf(evidence.Error, "%v", err))
		return
	}
	o.add(name, b.Bytes())
}

// gap says why a file of the layout is not there.
func (o *output) gap(name string, why evidence.Gap) { o.add(name+".gap", []byte(string(why)+"\n")) }

// either writes the value, or the gap where there is one.
func (o *output) either(name string, v any, why evidence.Gap) {
	if why != "" {
		o.gap(name, why)
		return
	}
	o.put(name, v)
}

// has tells whether the file, or its gap, is written.
func (o *output) has(name string) bool { return o.files[name] != nil || o.files[name+".gap"] != nil }

func (o *output) add(name string, content []byte) {
	o.files[name] = &stored{content: content, info: fileInfo{name: path.Base(name), size: int64(len(content))}}
}

var errTooManyFiles = errors.New("too many files")

// addOriginals lists the whole recording below original/.
func (o *output) addOriginals(src *source) error {
	count := 0
	err := fs.WalkDir(src.fsys, src.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == src.root {
				return err
			}
			return nil // the folder cannot be listed: its files are missing from the browser, nothing else
		}
		if !d.Type().IsRegular() || !fs.ValidPath(name) {
			return nil
		}
		if count++; count > maxOriginals {
			return errTooManyFiles
		}
		rel := name
		if src.root != "." {
			rel = strings.TrimPrefix(name, src.root+"/")
		}
		info, err := d.Info()
		if err != nil {
			return nil // it went away since the folder was listed
		}
		o.files[path.Join(originals, rel)] = &stored{src: src.fsys, at: name, info: info}
		return nil
	})
	if errors.Is(err, errTooManyFiles) {
		return fmt.Errorf("it holds more than %d files; give doctor the folder of the recording alone", maxOriginals)
	}
	return err
}

// write takes either from a reader that returns the value and the gap.
func (o *output) write(name string) func(any, evidence.Gap) {
	return func(v any, why evidence.Gap) { o.either(name, v, why) }
}
