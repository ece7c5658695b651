package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxHNSObjects bounds one listing. A node that sees 5,000 others has some
// 100,000 remote endpoints.
const maxHNSObjects = 200_000

// decodeHNS decodes a listing, whatever stands around it: an array, one bare
// object, HNS's own answer {"Success":true,"Output":[…]}, null, or nothing at
// all, which is what ConvertTo-Json writes for no objects. One wrong element
// spoils the listing: a list with a hole would look like a smaller list.
func decodeHNS[T any](b []byte, what string, known []string,
	decode func(*hnsObject) (T, bool)) ([]T, error) {
	list := []T{}
	err := eachHNSObject(b, what, known, func(o *hnsObject, in *origin, index int) {
		value, ok := decode(o)
		if !ok {
			return
		}
		if p, ok := any(&value).(placer); ok {
			p.place(in, index)
		}
		list = append(list, value)
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func eachHNSObject(b []byte, what string, known []string,
	yield func(o *hnsObject, in *origin, index int)) error {
	n, in := 0, &origin{}
	return eachHNSValue(b, in, func(line int, v any) error {
		index := n
		if n++; n > maxHNSObjects {
			return fmt.Errorf("line %d: more than %d elements", line, maxHNSObjects)
		}
		if v == nil {
			return nil
		}
		state := &hnsState{}
		objects := (&hnsObject{state: state}).inner("it", v)
		if len(objects) != 1 && state.err == nil {
			state.err = fmt.Errorf("it is %s, where an object belongs", describe(v))
		}
		if state.err == nil && !objects[0].has(known...) {
			state.err = fmt.Errorf("it is no HNS %s: it has no %s", what,
				strings.Join(known, " and no "))
		}
		if state.err == nil {
			objects[0].path = ""
			yield(objects[0], in, index)
		}
		if state.err != nil {
			return fmt.Errorf("line %d: element %d: %w", line, index, state.err)
		}
		return nil
	})
}

// eachHNSValue calls yield with each element and the line that it begins in, and
// notes in in what stands around them.
func eachHNSValue(b []byte, in *origin, yield func(line int, v any) error) error {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	b = bytes.TrimRight(b, "\x00 \t\r\n")
	start := len(b) - len(bytes.TrimLeft(b, "\x00 \t\r\n"))
	if start == len(b) {
		return nil
	}
	if !json.Valid(b[start:]) {
		err := json.Unmarshal(b[start:], &json.RawMessage{})
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			syntax.Offset += int64(start)
		}
		return jsonError(b, err)
	}
	dec := json.NewDecoder(bytes.NewReader(b[start:])) // which has no errors from here on
	dec.UseNumber()
	if b[start] == '[' {
		return eachElement(b, start, dec, yield)
	}
	var v any
	_ = dec.Decode(&v)
	items, err := unwrapHNS(v, in)
	line := lineOf(b, int64(start))
	if err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	for _, item := range items {
		if err := yield(line, item); err != nil {
			return err
		}
	}
	return nil
}

// eachElement decodes an array element by element, so that only one of them is
// held in its loose form.
func eachElement(b []byte, start int, dec *json.Decoder, yield func(int, any) error) error {
	_, _ = dec.Token()
	line, counted := 1, 0
	for dec.More() {
		var v any
		at := start + int(dec.InputOffset())
		_ = dec.Decode(&v)
		for at < len(b) && strings.IndexByte(", \t\r\n", b[at]) >= 0 {
			at++
		}
		line += bytes.Count(b[counted:at], []byte("\n"))
		counted = at
		if err := yield(line, v); err != nil {
			return err
		}
	}
	return nil
}

// unwrapHNS takes the elements out of what stands around them: HNS's answer, or
// the {"value":[…],"Count":2} that Windows PowerShell makes of some arrays.
func unwrapHNS(v any, in *origin) ([]any, error) {
	for range 3 {
		m, ok := v.(map[string]any)
		if !ok {
			break
		}
		o := newHNSObject(m, "", &hnsState{})
		if o.has("Success") && !o.bool("Success") {
			return nil, fmt.Errorf("HNS answered with an error instead: %s",
				describe(o.text("Error")))
		}
		inner, name := o.fields["output"], "output"
		if _, found := o.fields[name]; !found {
			inner, name = o.fields["value"], "value"
		}
		if _, found := o.fields[name]; !found && !o.has("Success") {
			break
		}
		v = inner
		for key := range m {
			if strings.EqualFold(key, name) {
				in.prefix = Place{Field: in.prefix}.At(key).Field
			}
		}
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	in.bare = true
	return []any{v}, nil
}

// decodeHNSGlobals decodes the answer about HNS's version, with or without the object around it.
func decodeHNSGlobals(b []byte) (HNSGlobals, error) {
	list, err := decodeHNS(b, "version", []string{"Version", "Major"},
		func(o *hnsObject) (HNSGlobals, bool) {
			if o.has("Major") {
				return HNSGlobals{HNSRelease{o.int("Major"), o.int("Minor")}}, true
			}
			return HNSGlobals{hnsVersion(o)}, true
		})
	if err != nil {
		return HNSGlobals{}, err
	}
	if len(list) != 1 || !list[0].Version.Known() {
		return HNSGlobals{},
			errors.New(`line 1: no HNS version; want {"Version":{"Major":9,"Minor":3}}`)
	}
	return list[0], nil
}
