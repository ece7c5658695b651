package foreign

import (
	"reflect"
	"slices"
)

// joined joins lists of the same things, which several outputs show: what an earlier list does not show
// of one, a later list fills in. Of what changes the earlier list counts.
func joined[T any](same func(have, more T) bool, lists ...[]T) []T {
	all := []T{}
	for _, more := range slices.Concat(lists...) {
		at := slices.IndexFunc(all, func(have T) bool { return same(have, more) })
		if at < 0 {
			all = append(all, more)
			continue
		}
		have, from := reflect.ValueOf(&all[at]).Elem(), reflect.ValueOf(more)
		for i := range have.NumField() {
			if f := have.Field(i); f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 {
				f.Set(from.Field(i))
			}
		}
	}
	return all
}
