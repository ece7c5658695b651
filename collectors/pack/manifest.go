package pack

import (
	"slices"
	"time"
)

// manifestLayout names the format of manifest.json.
const manifestLayout = "doctor.bundle/v1"

// A Manifest tells of each file of a bundle where it comes from and what became of it.
type Manifest struct {
	Layout    string         `json:"layout"`
	Doctor    string         `json:"doctor"`
	CreatedAt time.Time      `json:"createdAt"`
	Since     string         `json:"since,omitempty"`   // how far back logs are taken
	MaxSize   int64          `json:"maxSize,omitempty"` // bytes that the zip may have
	Masked    map[string]int `json:"masked,omitempty"`  // names, by kind
	Unmasked  []string       `json:"unmasked,omitempty"`
	Files     []File         `json:"files"`
	LeftOut   []Left         `json:"leftOut"`
}

// A File is one entry of the bundle. It holds no entry for manifest.json itself.
type File struct {
	Path string `json:"path"`
	// the evidence path it was read from, or "made by doctor"
	Source     string         `json:"source"`
	BytesRead  int64          `json:"bytesRead"`
	BytesKept  int64          `json:"bytesKept"` // of this file, as UTF-8
	SHA256     string         `json:"sha256"`
	Truncated  bool           `json:"truncated"`
	LeftOut    []Cut          `json:"leftOut,omitempty"`
	Redactions map[string]int `json:"redactions,omitempty"` // by kind
	Millis     float64        `json:"ms"`
	Error      string         `json:"error,omitempty"` // why it is not in the bundle

	item string // its path in the evidence, where it is a file of it
}

// A Cut is where lines of a log were left out.
type Cut struct {
	Line  int   `json:"line"` // of the file in the bundle that says so
	From  int   `json:"from"` // lines of the log
	To    int   `json:"to"`
	Bytes int64 `json:"bytes"`
}

// maxCuts bounds what is told of one file; the log itself shows them all.
const maxCuts = 200

// Held are the files that are in the bundle.
func (m Manifest) Held() []File {
	return slices.DeleteFunc(slices.Clone(m.Files), func(f File) bool { return f.Error != "" })
}

// Redactions counts what was taken out of all files, by kind.
func (m Manifest) Redactions() map[string]int {
	all := map[string]int{}
	for _, f := range m.Files {
		if f.Path == samplesName {
			continue // nobody's secrets
		}
		for kind, n := range f.Redactions {
			all[kind] += n
		}
	}
	return all
}
