package jsontree

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// listed writes each value with its line.
func listed(n *Node) string {
	var b strings.Builder
	switch n.Kind {
	case '{':
		for _, f := range n.Fields {
			fmt.Fprintf(&b, " %s:%s", f.Key, listed(f.Node))
		}
		return fmt.Sprintf("{%s}@%d", b.String(), n.Line)
	case '[':
		for _, item := range n.List {
			b.WriteString(" " + listed(item))
		}
		return fmt.Sprintf("[%s]@%d", b.String(), n.Line)
	}
	return fmt.Sprintf("%#v@%d", n.Value, n.Line)
}

func TestValuesKnowTheirLine(t *testing.T) {
	root, err := Parse([]byte("\n{\"a\":\n 1.50,\n \"a\": [true, null,\n \"x\\ny\"], \"b\": {}}\n"),
		100)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listed(root),
		`{ a:"1.50"@3 a:[ true@4 <nil>@4 "x\ny"@5]@4 b:{}@5}@2`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatDoesNotParse(t *testing.T) {
	for _, row := range []struct {
		text, want string
	}{
		{" \n", "line 1: the file is empty"},
		{"{\n\"a\": 1,\n}",
			"line 3: invalid character '}' looking for beginning of object key string"},
		{"{} {}", "line 1: invalid character '{' after top-level value"},
		{"[1]]", "line 1: invalid character ']' after top-level value"},
		{"{\n\"a\": 1 // one\n}", "line 2: JSON allows no comments; delete this one and its marker"},
		{"{\n # one\n}", "line 2: JSON allows no comments; delete this one and its marker"},
		{"[1,2,\n3,4,5]", "line 2: too many values, or too many of them in each other"},
		{strings.Repeat("[", 300) + strings.Repeat("]", 300),
			"line 1: too many values, or too many of them in each other"},
	} {
		_, err := Parse([]byte(row.text), 4)
		if err == nil || err.Error() != row.want {
			t.Errorf("%q: got %v, want %s", row.text, err, row.want)
		}
		var fault *SyntaxFault
		if !errors.As(err, &fault) {
			t.Errorf("%q: the error is no SyntaxFault", row.text)
		}
	}
	if _, err := Parse([]byte(strings.Repeat("[", 300)+strings.Repeat("]", 300)),
		1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("values in each other: %v", err)
	}
	if _, err := Parse([]byte("[1,2,3]"), 4); err != nil {
		t.Errorf("as many as are allowed: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("{\"a\": [1, \"b\", {}]}")
	f.Add("{} {}")
	f.Fuzz(func(t *testing.T, text string) {
		root, err := Parse([]byte(text), 1000)
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is not valid JSON", text)
		}
		if lines := 1 + strings.Count(text, "\n"); root.Line < 1 || root.Line > lines {
			t.Fatalf("line %d of %d", root.Line, lines)
		}
	})
}
