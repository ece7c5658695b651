package diff

import (
	"slices"
	"strings"
)

// compareFlat returns the fields of two files whose values differ, and the objects that only one has.
func compareFlat(doc *document, path string, flat [2]*flattened) []Difference {
	var list []Difference
	for _, name := range union(flat[0].order, flat[1].order) {
		a, b := flat[0].objects[name], flat[1].objects[name]
		if a > 0 && b > 0 {
			continue
		}
		d := Difference{Group: doc.groupOf(""), Path: path, Object: name, A: []string{}, B: []string{}, Explains: []string{}}
		side := 0
		if a == 0 {
			side = 1
		}
		*d.values(side) = []string{"is there"}
		d.pointers[side] = []string{flat[side].holders[key{name, ""}]}
		list = append(list, d)
	}
	for _, k := range union(flat[0].keys, flat[1].keys) {
		if flat[0].objects[k.object] == 0 || flat[1].objects[k.object] == 0 {
			continue
		}
		if d, ok := compareKey(doc, path, k, flat); ok {
			list = append(list, d)
		}
	}
	return folded(list, flat)
}

func (d *Difference) values(side int) *[]string {
	if side == 0 {
		return &d.A
	}
	return &d.B
}

// compareKey compares how many of an object's instances have each value: none, some or all. One
// object has a value or not; of the pods' endpoints on a network some may lack what others have.
func compareKey(doc *document, path string, k key, flat [2]*flattened) (Difference, bool) {
	d := Difference{Group: doc.groupOf(k.field), Path: path, Object: k.object, Field: k.field,
		A: []string{}, B: []string{}, Explains: []string{}}
	counts := [2]map[string]int{{}, {}}
	var order []string
	for i, f := range flat {
		for _, l := range f.leaves[k] {
			if counts[0][l.value]+counts[1][l.value] == 0 {
				order = append(order, l.value)
			}
			counts[i][l.value]++
		}
	}
	for _, value := range order {
		var share [2]int
		for i, f := range flat {
			switch n := counts[i][value]; {
			case n >= f.objects[k.object]:
				share[i] = 2
			case n > 0:
				share[i] = 1
			}
		}
		for i := range flat {
			if share[i] > share[1-i] {
				shown := value
				if share[1-i] > 0 {
					shown += " (all of them)"
				}
				*d.values(i) = append(*d.values(i), shown)
			}
		}
	}
	if len(d.A)+len(d.B) == 0 {
		return d, false
	}
	for i, f := range flat {
		for _, l := range f.leaves[k] {
			d.pointers[i] = append(d.pointers[i], l.pointer)
			if l.line > 0 {
				d.lines[i] = append(d.lines[i], l.line)
			}
		}
		d.pointers[i] = append(d.pointers[i], f.holder(k))
		if pointer, ok := doc.pointers[topOf(k.field)]; ok {
			d.pointers[i] = []string{pointer}
		}
	}
	return d, true
}

// holder is the pointer of what would hold a field.
func (f *flattened) holder(k key) string {
	for {
		if pointer, ok := f.holders[k]; ok {
			return pointer
		}
		i := strings.LastIndexAny(k.field, ".[")
		if i < 0 {
			return f.holders[key{k.object, ""}]
		}
		k.field = k.field[:i]
	}
}

// folded leaves one difference where one node has nothing at all of what the fields stand in: a
// policy that is missing is one difference, and not one for each of its settings.
func folded(list []Difference, flat [2]*flattened) []Difference {
	var out []Difference
	done := map[key]bool{}
	for _, d := range list {
		side := slices.IndexFunc([][]string{d.A, d.B}, func(v []string) bool { return len(v) == 0 })
		outer := key{d.Object, outermost(d.Field)}
		if side < 0 || outer.field == "" || flat[side].has(outer) {
			out = append(out, d)
			continue
		}
		if done[outer] {
			continue
		}
		done[outer] = true
		d.Field = outer.field
		*d.values(1 - side) = []string{"is there"}
		out = append(out, d)
	}
	return out
}

// outermost is the first named element of a list in a field: Policies[OutBoundNAT].
func outermost(field string) string {
	if i := strings.IndexByte(field, ']'); i > 0 && i < len(field)-1 {
		return field[:i+1]
	}
	return ""
}

// has tells whether there is anything in a field.
func (f *flattened) has(outer key) bool {
	return slices.ContainsFunc(f.keys, func(k key) bool {
		return k.object == outer.object && strings.HasPrefix(k.field, outer.field)
	})
}

func union[T comparable](a, b []T) []T {
	seen := map[T]bool{}
	var all []T
	for _, list := range [][]T{a, b} {
		for _, v := range list {
			if !seen[v] {
				seen[v] = true
				all = append(all, v)
			}
		}
	}
	return all
}
