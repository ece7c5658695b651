package evidence

import (
	"slices"
	"strings"
)

// A ScriptFlag is a flag that a start script gives to the kubelet.
type ScriptFlag struct {
	Name, Value string
	Line        int // from 1
	// it stands in a branch, such as one for older versions, so the kubelet may never see it
	Conditional bool
}

// Programs whose flags in a start script are not the kubelet's.
var otherPrograms = []string{
	"docker", "dockerd", "containerd", "ctr", "crictl", "nerdctl", "kubectl", "kubeadm",
	"kube-proxy", "flanneld", "csi-proxy", "nssm",
}

// ScriptFlags finds the kubelet's flags in the text of a PowerShell script that
// starts it: in strings, in arrays of strings and on bare command lines. A
// script is not run here, so variables stay in the values as they are.
func ScriptFlags(text string) []ScriptFlag {
	var flags []ScriptFlag
	sc := script{}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		for _, f := range sc.line(strings.TrimRight(line, "\r\n")) {
			f.Line = number
			flags = append(flags, f)
		}
	}
	return flags
}

// script is what carries over from line to line. Strings do not: an apostrophe
// in a here-string would turn the rest of the file inside out.
type script struct {
	comment  bool   // in <# … #>
	branches []bool // open braces, true for those of if, else and switch
	pending  bool   // a condition was read whose brace is still to come
	foreign  bool   // the statement runs another program
}

func (sc *script) line(s string) []ScriptFlag {
	var flags []ScriptFlag
	var quote byte
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case sc.comment:
			end := strings.Index(s[i:], "#>")
			if end < 0 {
				return flags
			}
			sc.comment = false
			i += end + 2
		case startsFlag(s, i):
			f, end := cutScriptFlag(s, i, quote)
			f.Conditional = slices.Contains(sc.branches, true)
			if !sc.foreign {
				flags = append(flags, f)
			}
			i = end
		case c == '`':
			i += 2
		case quote != 0:
			if c == quote {
				quote = 0
			}
			i++
		case c == '"' || c == '\'':
			quote = c
			i++
			if end := wordEnd(s, i); end < len(s) && s[end] == ' ' {
				sc.noticeProgram(s[i:end])
			}
		case strings.HasPrefix(s[i:], "<#"):
			sc.comment = true
			i += 2
		case c == '#' && (i == 0 || strings.IndexByte(" \t;({", s[i-1]) >= 0):
			i = len(s)
		case isWordByte(c):
			end := wordEnd(s, i)
			if i == 0 || strings.IndexByte("$[", s[i-1]) < 0 { // $docker and [switch] are no words
				sc.word(s[i:end])
			}
			i = end
		default:
			sc.mark(c)
			i++
		}
	}
	if !strings.HasSuffix(strings.TrimSpace(s), "`") {
		sc.foreign = false
	}
	return flags
}

func wordEnd(s string, i int) int {
	for i < len(s) && (isWordByte(s[i]) || s[i] == '-' || s[i] == '.') {
		i++
	}
	return i
}

// word notices conditions and programs.
func (sc *script) word(word string) {
	switch strings.ToLower(word) {
	case "if", "elseif", "else", "switch":
		sc.pending = true
	}
	sc.noticeProgram(word)
}

func (sc *script) noticeProgram(word string) {
	word = strings.TrimSuffix(strings.ToLower(word), ".exe")
	if word == "kubelet" {
		sc.foreign = false // nssm set kubelet AppParameters --v=4
	} else if slices.Contains(otherPrograms, word) {
		sc.foreign = true
	}
}

func (sc *script) mark(c byte) {
	switch c {
	case '{':
		sc.branches = append(sc.branches, sc.pending)
		sc.pending = false
	case '}':
		if len(sc.branches) > 0 {
			sc.branches = sc.branches[:len(sc.branches)-1]
		}
	case ';', '|':
		sc.foreign = false
	}
}

// startsFlag tells whether "--name" begins at i, and does not merely continue a word.
func startsFlag(s string, i int) bool {
	if !strings.HasPrefix(s[i:], "--") || i+2 >= len(s) {
		return false
	}
	letter := s[i+2] | 0x20
	return letter >= 'a' && letter <= 'z' &&
		(i == 0 || strings.IndexByte(" \t\"'`,(=@", s[i-1]) >= 0)
}

// cutScriptFlag reads the flag at i and returns where it ends. quote is the
// string that it stands in, or 0.
func cutScriptFlag(s string, i int, quote byte) (ScriptFlag, int) {
	i += 2
	end := wordEnd(s, i)
	f := ScriptFlag{Name: normalFlag(s[i:end]), Value: "true"}
	if end < len(s) && s[end] == '=' {
		f.Value, end = cutScriptValue(s, end+1, quote)
		return f, end
	}
	// A value may follow after blanks, unless the string or the next flag does.
	next := end
	for next < len(s) && (s[next] == ' ' || s[next] == '\t') {
		next++
	}
	if next > end && next < len(s) && strings.IndexByte("-\"'`,;|)}>#&+$", s[next]) < 0 &&
		(next+1 >= len(s) || s[next+1] != '>') {
		f.Value, end = cutScriptValue(s, next, quote)
	}
	return f, end
}

// cutScriptValue reads a value up to the blank or quote that ends it. Quotes of
// its own come in many spellings: "", `"x`", \"x\", 'x'.
func cutScriptValue(s string, i int, quote byte) (string, int) {
	var b strings.Builder
	var inner byte
	parens := 0
	for i < len(s) {
		c, width, isQuote := quoteAt(s, i, quote, b.Len() == 0 || inner != 0)
		switch {
		case isQuote && inner == 0:
			inner = c
		case isQuote && inner == c:
			inner = 0
		case inner == 0 && (c == '"' || c == '\'') && width == 1 && (quote == c || quote == 0):
			return b.String(), i // the string that holds the flag ends
		case inner != 0:
			b.WriteString(s[i : i+width])
		case (c == ' ' || c == '\t') && parens == 0:
			return b.String(), i
		case quote == 0 && parens == 0 && strings.IndexByte(";|)}", c) >= 0:
			return b.String(), i
		default:
			if c == '(' {
				parens++
			} else if c == ')' && parens > 0 {
				parens--
			}
			b.WriteString(s[i : i+width])
		}
		i += width
	}
	return b.String(), i
}

// quoteAt returns the character at i, how many bytes spell it, and whether it
// is a quote that belongs to the value. fresh is set where a value may open one.
func quoteAt(s string, i int, quote byte, fresh bool) (c byte, width int, isQuote bool) {
	c = s[i]
	// PowerShell escapes with a backtick; a backslash before a quote is for the
	// program that splits the line later, and none where the string itself ends.
	if i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\'') &&
		(c == '`' || c == '\\' && s[i+1] != quote) {
		return s[i+1], 2, true
	}
	if c != '"' && c != '\'' {
		return c, 1, false
	}
	if c == quote {
		// A doubled quote is one that belongs to the text of the string.
		if i+1 < len(s) && s[i+1] == c {
			return c, 2, true
		}
		return c, 1, false
	}
	return c, 1, fresh || quote != 0
}
