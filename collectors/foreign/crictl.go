package foreign

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// A columnTable is a table that a program of Go drew with blanks: what stands
// below a column's head begins where the head does.
type columnTable struct {
	columns []string
	starts  []int
	rows    [][]string
	gap     int // blanks that part two heads at least
	odd     int // rows that do not fit the head
}

// readColumns finds the row of heads and reads what follows it. Before it may stand
// what the program wrote to its error stream. gap is how many blanks part two
// heads at least: those of crictl have single blanks within.
func readColumns(s string, gap int, heads ...string) (t columnTable, found bool) {
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if columns, starts := splitHeads(line, gap); hasHeads(columns, heads) {
			if len(t.rows) > 0 && !slices.Equal(columns, t.columns) {
				break // another table, whose cells would be read by the wrong heads
			}
			t.columns, t.starts, t.gap, found = columns, starts, gap, true // of a second answer, perhaps wider
			continue
		}
		if !found {
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(t.rows) == maxObjects {
			t.odd++
			break
		}
		if row, ok := t.cells(line); ok {
			t.rows = append(t.rows, row)
		} else {
			t.odd++
		}
	}
	if !found {
		return columnTable{}, false
	}
	return t, true
}

func hasHeads(columns, heads []string) bool {
	for _, h := range heads {
		if !slices.Contains(columns, h) {
			return false
		}
	}
	return len(heads) > 0
}

const maxColumns = 32

func splitHeads(line string, gap int) (names []string, starts []int) {
	between := strings.Repeat(" ", gap)
	for at := 0; at < len(line) && len(names) < maxColumns; {
		if line[at] == ' ' {
			at++
			continue
		}
		end := strings.Index(line[at:], between)
		if end < 0 {
			end = len(line) - at
		}
		names, starts = append(names, strings.TrimSpace(line[at:at+end])), append(starts, at)
		at += end
	}
	return names, starts
}

func (t columnTable) cells(line string) ([]string, bool) {
	row := make([]string, len(t.starts))
	for i, start := range t.starts {
		if start >= len(line) {
			break
		}
		if start > 0 && line[start-1] != ' ' {
			return t.shifted(line)
		}
		end := len(line)
		if i+1 < len(t.starts) && t.starts[i+1] < end {
			end = t.starts[i+1]
		}
		row[i] = strings.TrimSpace(line[start:end])
	}
	return row, row[0] != ""
}

// betweenCells is what the programs leave between two cells at least.
var betweenCells = regexp.MustCompile(` {2,}`)

// shifted reads a row whose cells are not below their heads, since somebody replaced a name in it by
// a shorter or longer one. It counts where no cell is empty.
func (t columnTable) shifted(line string) ([]string, bool) {
	row := betweenCells.Split(strings.TrimSpace(line), len(t.starts))
	return row, t.gap > 1 && len(row) == len(t.starts)
}

// cell is the row's value below a head, "" where the table has no such column.
func (t columnTable) cell(row []string, head string) string {
	if i := slices.Index(t.columns, head); i >= 0 {
		return row[i]
	}
	return ""
}

// readCrictlImages reads `crictl images`. nil means that there is no table.
func readCrictlImages(s string) []evidence.CRIImage {
	t, ok := readColumns(s, 2, "IMAGE", "TAG", "IMAGE ID")
	if !ok || t.odd > 0 {
		return nil
	}
	return t.images("IMAGE", []evidence.CRIImage{})
}

// images adds the rows to a list, in the names of CRI v1. Identifiers are shortened as the tools do.
func (t columnTable) images(name string, list []evidence.CRIImage) []evidence.CRIImage {
	for _, row := range t.rows {
		id, tag := t.cell(row, "IMAGE ID"), t.cell(row, name)+":"+t.cell(row, "TAG")
		i := slices.IndexFunc(list, func(have evidence.CRIImage) bool { return have.ID == id })
		if i < 0 {
			i, list = len(list), append(list, evidence.CRIImage{ID: id, RepoTags: []string{}})
		}
		if !strings.Contains(tag, "<none>") && !strings.HasSuffix(tag, ":") &&
			!slices.Contains(list[i].RepoTags, tag) {
			list[i].RepoTags = append(list[i].RepoTags, tag)
		}
	}
	return list
}

// readCrictlPods reads `crictl pods`.
func readCrictlPods(s string) []evidence.CRISandbox {
	t, ok := readColumns(s, 2, "POD ID", "STATE", "NAME", "NAMESPACE")
	if !ok || t.odd > 0 {
		return nil
	}
	states := map[string]string{"Ready": "SANDBOX_READY", "NotReady": "SANDBOX_NOTREADY"}
	list := []evidence.CRISandbox{}
	for _, row := range t.rows {
		list = append(list, evidence.CRISandbox{
			ID: t.cell(row, "POD ID"), State: states[t.cell(row, "STATE")],
			Metadata: evidence.CRIMetadata{
				Name: t.cell(row, "NAME"), Namespace: t.cell(row, "NAMESPACE"),
				Attempt: number(t.cell(row, "ATTEMPT")),
			},
		})
	}
	return list
}

// readCrictlContainers reads `crictl ps -a`.
func readCrictlContainers(s string) []evidence.CRIContainer {
	s = strings.ReplaceAll(s, "CONTAINER ID ", "CONTAINER    ") // older releases
	t, ok := readColumns(s, 2, "CONTAINER", "IMAGE", "STATE", "NAME", "POD ID")
	if !ok || t.odd > 0 {
		return nil
	}
	list := []evidence.CRIContainer{}
	for _, row := range t.rows {
		list = append(list, evidence.CRIContainer{
			ID: t.cell(row, "CONTAINER"), SandboxID: t.cell(row, "POD ID"),
			State: "CONTAINER_" + strings.ToUpper(t.cell(row, "STATE")),
			Image: evidence.CRIImageSpec{Image: t.cell(row, "IMAGE")},
			Metadata: evidence.CRIMetadata{Name: t.cell(row, "NAME"),
				Attempt: number(t.cell(row, "ATTEMPT"))},
		})
	}
	return list
}

// A ctrImage is one row of `ctr images list`.
type ctrImage struct {
	ref    string
	pinned bool // containerd keeps it from being collected: its sandbox image
}

// readCtrImages reads `ctr -n k8s.io images list`; false where there is no table.
func readCtrImages(s string) ([]ctrImage, bool) {
	t, ok := readColumns(s, 1, "REF", "TYPE", "DIGEST", "SIZE", "PLATFORMS", "LABELS")
	if !ok || t.odd > 0 {
		return nil, false
	}
	list := []ctrImage{}
	for _, row := range t.rows {
		list = append(list, ctrImage{t.cell(row, "REF"), strings.Contains(t.cell(row, "LABELS"),
			"io.cri-containerd.pinned=pinned")})
	}
	return list, true
}

// readCtrContainers reads the image of each row of `ctr -n k8s.io containers list`.
func readCtrContainers(s string) (images []string, ok bool) {
	t, ok := readColumns(s, 1, "CONTAINER", "IMAGE", "RUNTIME")
	if !ok || t.odd > 0 {
		return nil, false
	}
	for _, row := range t.rows {
		images = append(images, t.cell(row, "IMAGE"))
	}
	return images, true
}

// criImages gives ctr's images in the names of CRI v1: a reference that is a
// digest or an identifier is no tag.
func criImages(list []ctrImage) []evidence.CRIImage {
	images := []evidence.CRIImage{}
	for _, i := range list {
		if !strings.Contains(i.ref, "@") && !strings.HasPrefix(i.ref, "sha256:") {
			images = append(images, evidence.CRIImage{RepoTags: []string{i.ref}})
		}
	}
	return images
}

// sandboxImage is a runtime's configuration of which nothing but its pause image is known.
func sandboxImage(ref string) json.RawMessage {
	config, _ := json.Marshal(map[string]string{"sandboxImage": ref})
	return config
}

// isPause tells the references of pause images, by the last element of their name.
func isPause(ref string) bool {
	if strings.Contains(ref, "@") || strings.HasPrefix(ref, "sha256:") {
		return false
	}
	name, _, _ := strings.Cut(path.Base(ref), ":")
	return name == "pause" || strings.HasPrefix(name, "pause-")
}

// pauseImage is the image that sandboxes are made of, as far as tables tell: the
// one that containers run, or the one that containerd pins, or the only one there
// is. Where two come into question it is not known.
func pauseImage(inUse []string, images []ctrImage) string {
	var pinned, all []string
	for _, i := range images {
		if all = append(all, i.ref); i.pinned {
			pinned = append(pinned, i.ref)
		}
	}
	for _, list := range [][]string{inUse, pinned, all} {
		list = slices.DeleteFunc(slices.Clone(list), func(ref string) bool { return !isPause(ref) })
		slices.Sort(list)
		switch list = slices.Compact(list); len(list) {
		case 0:
		case 1:
			return list[0]
		default:
			return ""
		}
	}
	return ""
}
