package redact

import (
	"strings"
	"testing"

	"doctor/checks/evidence"
)

func TestContentKeepsItsEncoding(t *testing.T) {
	r := New(Options{Plain: true})
	for name, mark := range map[string]string{"UTF-8": "\xef\xbb\xbf", "UTF-16": "\xff\xfe",
		"big-endian": "\xfe\xff", "none": ""} {
		content, err := r.Content(encodeLike([]byte(mark), "name: bob\npassword: hunter2-hunter\n"),
			"files/C/k/config.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if got := string(
			evidence.DecodeText(content)); got != "name: bob\npassword: <secret:password>\n" ||
			!strings.HasPrefix(string(content), mark) {
			t.Errorf("%s: %q", name, content)
		}
	}
}
