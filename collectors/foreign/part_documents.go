package foreign

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

var jsonToken = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"?|[{}\[\],]`)

// documentEnd is where the JSON document that s begins with ends. One that breaks off goes on to
// the end of the text, or to the fence that closes it.
func documentEnd(s string) (end int, ok bool) {
	var document json.RawMessage
	d := json.NewDecoder(strings.NewReader(s))
	switch err := d.Decode(&document); {
	case err == nil:
		return int(d.InputOffset()), true
	case errors.Is(err, io.ErrUnexpectedEOF):
		return len(s), true
	}
	lines := 0
	for line := range strings.Lines(s) {
		bare := strings.TrimRight(line, " \t\n")
		if fence.MatchString(bare) || prompt.MatchString(bare) {
			break
		}
		end += len(line)
		lines++
	}
	return end, lines >= 3 && end < len(s) && strings.Contains(s[:end], `": `)
}

// closedJSON is what is whole of a document that breaks off, with the brackets that it lacks, and "" where
// that is no JSON. A value that the end cuts is left out; of a sentence its beginning says enough.
func closedJSON(s string) string {
	whole, rest := "", ""
	var open []byte // the brackets that close what is open, the outermost first
	for _, at := range jsonToken.FindAllStringIndex(s, maxCommas) {
		switch token := s[at[0]:at[1]]; {
		case token == "{" || token == "[":
			open = append(open, token[0]+2)
			whole, rest = s[:at[1]], ""
		case token == "}" || token == "]":
			open = open[:max(0, len(open)-1)]
			whole, rest = s[:at[1]], ""
		case token == ",":
			whole, rest = s[:at[0]], ""
		case at[1] >= len(s)-1 && !strings.HasSuffix(token, `"`) && strings.Contains(token, " ") &&
			strings.HasSuffix(strings.TrimRight(s[:at[0]], " \t\n"), ":"):
			whole, rest = strings.TrimRight(s, "\\ \n"), `…"`
		}
	}
	slices.Reverse(open)
	if whole += rest + string(open); !json.Valid([]byte(whole)) {
		return ""
	}
	return whole
}
