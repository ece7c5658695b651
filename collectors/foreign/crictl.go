package foreign

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// readColumns reads tables that a program of Go drew with blanks, each row by its heads: what stands
// below a column's head begins where the head does. Before a row of heads may stand what the program
// wrote to its error stream, and behind the rows another answer, perhaps wider. gap is how many
// blanks part two heads at least: those of crictl have single blanks within. rows is nil where there
// is no such table, and odd counts the rows that do not fit their heads.
func readColumns(s string, gap int, heads ...string) (rows []map[string]string, odd int) {
	var columns []string
	var starts []int
	found := false
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if names, at := splitHeads(line, gap); slices.Contains(names, heads[0]) {
			columns, starts, found = names, at, hasHeads(names, heads)
			if found && rows == nil {
				rows = []map[string]string{}
			}
			continue
		}
		if !found || strings.TrimSpace(line) == "" {
			continue
		}
		if len(rows) == maxObjects {
			return rows, odd + 1
		}
		row := rowBelow(columns, starts, line)
		if row == nil && gap > 1 {
			row = shiftedRow(columns, line)
		}
		if row != nil {
			rows = append(rows, row)
		} else {
			odd++
		}
	}
	return rows, odd
}

// wholeColumns is readColumns where all rows fit, and otherwise nil.
func wholeColumns(s string, gap int, heads ...string) []map[string]string {
	rows, odd := readColumns(s, gap, heads...)
	if odd > 0 {
		return nil
	}
	return rows
}

// ofRows makes an object of each row; nil stays nil.
func ofRows[T any](rows []map[string]string, object func(row map[string]string) T) []T {
	if rows == nil {
		return nil
	}
	list := make([]T, len(rows))
	for i, row := range rows {
		list[i] = object(row)
	}
	return list
}

func hasHeads(columns, heads []string) bool {
	return !slices.ContainsFunc(heads, func(h string) bool { return !slices.Contains(columns, h) })
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

// rowBelow is nil for a line whose cells do not begin where the columns do.
func rowBelow(columns []string, starts []int, line string) map[string]string {
	row := map[string]string{}
	for i, start := range starts {
		if start >= len(line) {
			break
		}
		if start > 0 && line[start-1] != ' ' {
			return nil
		}
		end := len(line)
		if i+1 < len(starts) {
			end = min(end, starts[i+1])
		}
		row[columns[i]] = strings.TrimSpace(line[start:end])
	}
	if row[columns[0]] == "" {
		return nil
	}
	return row
}

// betweenCells is what the programs leave between two cells at least.
var betweenCells = regexp.MustCompile(` {2,}`)

// shiftedRow reads a line whose cells are not below their heads, since somebody replaced a name in it
// by a shorter or longer one. It counts where no cell is empty.
func shiftedRow(columns []string, line string) map[string]string {
	cells := betweenCells.Split(strings.TrimSpace(line), len(columns))
	if len(cells) != len(columns) {
		return nil
	}
	row := map[string]string{}
	for i, column := range columns {
		row[column] = cells[i]
	}
	return row
}

// readCrictlImages reads `crictl images`. nil means that there is no table.
func readCrictlImages(s string) []evidence.CRIImage {
	return imagesOf(wholeColumns(s, 2, "IMAGE", "TAG", "IMAGE ID"), "IMAGE")
}

// imagesOf gives the rows the names of CRI v1. Identifiers are shortened as the tools do.
func imagesOf(rows []map[string]string, name string) []evidence.CRIImage {
	if rows == nil {
		return nil
	}
	list := []evidence.CRIImage{}
	for _, row := range rows {
		id, tag := row["IMAGE ID"], row[name]+":"+row["TAG"]
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
	states := map[string]string{"Ready": "SANDBOX_READY", "NotReady": "SANDBOX_NOTREADY"}
	return ofRows(wholeColumns(s, 2, "POD ID", "STATE", "NAME", "NAMESPACE"),
		func(row map[string]string) evidence.CRISandbox {
			return evidence.CRISandbox{ID: row["POD ID"], State: states[row["STATE"]],
				Metadata: evidence.CRIMetadata{Name: row["NAME"], Namespace: row["NAMESPACE"],
					Attempt: number(row["ATTEMPT"])}}
		})
}

// readCrictlContainers reads `crictl ps -a`.
func readCrictlContainers(s string) []evidence.CRIContainer {
	s = strings.ReplaceAll(s, "CONTAINER ID ", "CONTAINER    ") // older releases
	return ofRows(wholeColumns(s, 2, "CONTAINER", "IMAGE", "STATE", "NAME", "POD ID"),
		func(row map[string]string) evidence.CRIContainer {
			return evidence.CRIContainer{ID: row["CONTAINER"], SandboxID: row["POD ID"],
				State:    "CONTAINER_" + strings.ToUpper(row["STATE"]),
				Image:    evidence.CRIImageSpec{Image: row["IMAGE"]},
				Metadata: evidence.CRIMetadata{Name: row["NAME"], Attempt: number(row["ATTEMPT"])}}
		})
}

// A ctrImage is one row of `ctr images list`.
type ctrImage struct {
	ref    string
	pinned bool // containerd keeps it from being collected: its sandbox image
}

// readCtrImages reads `ctr -n k8s.io images list`.
func readCtrImages(s string) []ctrImage {
	return ofRows(wholeColumns(s, 1, "REF", "TYPE", "DIGEST", "SIZE", "PLATFORMS", "LABELS"),
		func(row map[string]string) ctrImage {
			return ctrImage{row["REF"],
				strings.Contains(row["LABELS"], "io.cri-containerd.pinned=pinned")}
		})
}

// readCtrContainers reads the image of each row of `ctr -n k8s.io containers list`.
func readCtrContainers(s string) []string {
	return ofRows(wholeColumns(s, 1, "CONTAINER", "IMAGE", "RUNTIME"),
		func(row map[string]string) string { return row["IMAGE"] })
}

// criImages gives ctr's images in the names of CRI v1: a reference that is a
// digest or an identifier is no tag.
func criImages(list []ctrImage) []evidence.CRIImage {
	if list == nil {
		return nil
	}
	images := []evidence.CRIImage{}
	for _, i := range list {
		if !strings.Contains(i.ref, "@") && !strings.HasPrefix(i.ref, "sha256:") {
			images = append(images, evidence.CRIImage{RepoTags: []string{i.ref}})
		}
	}
	return images
}

var ctrServer = regexp.MustCompile(`(?m)^Server:\s*\n\s+(?:containerd:\s*\n\s+)?Version:\s+(v?\d\S*)\s*\n\s+(?:Revision|GitCommit):`)

// ctrVersion is the server's version in `ctr version` and `nerdctl version`, which print their own first.
func ctrVersion(s string) (v evidence.CRIVersion) {
	if m := ctrServer.FindStringSubmatch(s); m != nil {
		v = evidence.CRIVersion{RuntimeName: "containerd", RuntimeVersion: m[1]}
	}
	return v
}

// sandboxImage is a runtime's configuration of which nothing but its pause image is known, nil where
// that is not.
func sandboxImage(ref string) json.RawMessage {
	if ref == "" {
		return nil
	}
	return jsonOf(map[string]string{"sandboxImage": ref})
}

// takeRows replaces a list by one that has rows: a table without any is what crictl prints of a
// runtime that does not answer, too.
func takeRows[T any](into *[]T, list []T) {
	if len(list) > 0 {
		*into = list
	}
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
