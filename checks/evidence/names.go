package evidence

import (
	"reflect"
	"strings"
	"sync"
	"unicode"
)

// Names of objects come into the commands of fixes, which a person copies into a shell. Fields with
// the tag `as:"name"` are therefore words to a shell, whatever the recording has there: what no name
// of Kubernetes has, and none of the services that this program knows, becomes an underscore.
const nameTag = "as"

// cleanNames goes over what a decoder wrote.
func cleanNames(v reflect.Value) {
	if !hasNames(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			cleanNames(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			cleanNames(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get(nameTag) != "" {
				v.Field(i).SetString(Name(v.Field(i).String()))
			} else if f.IsExported() {
				cleanNames(v.Field(i))
			}
		}
	}
}

var typesWithNames sync.Map // reflect.Type → bool

func hasNames(t reflect.Type) bool {
	has, known := typesWithNames.Load(t)
	if !known {
		has = namesIn(t, map[reflect.Type]bool{})
		typesWithNames.Store(t, has)
	}
	return has.(bool)
}

// namesIn looks into a type, once if it holds itself.
func namesIn(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return namesIn(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get(nameTag) != "" || f.IsExported() && namesIn(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// Name is s as one word of a command, and no option of it.
func Name(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "_" + s[1:]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._:/+", r) {
			return '_'
		}
		return r
	}, s)
}

// InCommand tells whether s can stand in a command: in one without quotes if it has no blank, and in
// single or double quotes.
func InCommand(s string) bool {
	return !strings.ContainsAny(s, ";&|`'\"<>{}#\r\n") && !strings.Contains(s, "$(")
}
