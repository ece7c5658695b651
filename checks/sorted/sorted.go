// Package sorted puts lists of structures in order. The sorts of package slices are compiled anew for
// each type, at 20 kB of program a type; here one is enough for all.
package sorted

import (
	"iter"
	"slices"
	"sort"
)

// By sorts a list as slices.SortStableFunc does.
//
//go:noinline
func By[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}

// Of is By for what a loop gives, such as the keys of a map.
func Of[T any](seq iter.Seq[T], compare func(a, b T) int) []T {
	list := slices.Collect(seq)
	By(list, compare)
	return list
}

// Last orders what is true behind what is not.
func Last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
