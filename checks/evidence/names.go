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
	if !hasNames(v.Type()) && v.Kind() != reflect.Interface {
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
	if has, known := typesWithNames.Load(t); known {
		return has.(bool)
	}
	typesWithNames.Store(t, false) // until it is known, for a type that holds itself
	has := t.Kind() == reflect.Interface
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		has = hasNames(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			has = has || f.Tag.Get(nameTag) != "" || f.IsExported() && hasNames(f.Type)
		}
	}
	typesWithNames.Store(t, has)
	return has
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
