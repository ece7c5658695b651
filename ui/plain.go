package ui

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// Plain makes a text from evidence fit for one line of output. With ascii,
// whatever is not ASCII is spelt out as \u{4e2d 6587}, by which a reader can
// still tell what stood there.
func Plain(s string, ascii bool) string {
	if s = called.Replace(evidence.Clean(s)); ascii {
		return spellOut(s)
	}
	return s
}

// called gives the program its name in texts that say what to run.
var called = strings.NewReplacer()

// CalledBy is the name that the program was called by. What runs on the node is doctor all the same.
func CalledBy(name string) {
	called = strings.NewReplacer("`doctor explain", "`"+name+" explain", "`doctor --", "`"+name+" --")
}

var asciiFor = strings.NewReplacer("·", "-", "→", "->", "←", "<-", "…", "...", "–", "-", "—", "-",
	"×", "x", "\u00a0", " ", "‘", "'", "’", "'", "“", `"`, "”", `"`, "✗", "x", "✓", "+", "≤", "<=",
	"≥", ">=")

var notASCII = regexp.MustCompile(`[^\x00-\x7f]+`)

// spellOut writes \u{…} for each run of characters that have no like in ASCII.
func spellOut(s string) string {
	return notASCII.ReplaceAllStringFunc(asciiFor.Replace(s), func(run string) string {
		return `\u{` + strings.Trim(fmt.Sprintf("%x", []rune(run)), "[]") + "}"
	})
}

// plainly is a report, or a part of one, in which every text is plain, every list is there and every
// time is in UTC, so that no writer has to think of them. What texts are made of, so that another
// language can make its own, stays as it is.
func plainly[T any](report T, ascii bool) T {
	makePlain(reflect.ValueOf(&report).Elem(), ascii)
	return report
}

var gapType = reflect.TypeFor[evidence.Gap]()

func makePlain(v reflect.Value, ascii bool) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(Plain(v.String(), ascii))
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem()) // the caller's stays as it was
			own.Elem().Set(v.Elem())
			v.Set(own)
			makePlain(own.Elem(), ascii)
		}
	case reflect.Slice:
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			makePlain(v.Index(i), ascii)
		}
	case reflect.Struct:
		if t, is := v.Addr().Interface().(*time.Time); is {
			*t = t.UTC()
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && (f.Tag.Get("json") != "-" || f.Type == gapType) {
				makePlain(v.Field(i), ascii)
			}
		}
	}
}

// there is a list that is never nil, which JSON has no list for.
func there[T any](list []T) []T { return append([]T{}, list...) }

// mapped maps a list; its answer is never nil.
func mapped[T, U any](list []T, f func(T) U) []U {
	mapped := make([]U, 0, len(list))
	for _, v := range list {
		mapped = append(mapped, f(v))
	}
	return mapped
}
