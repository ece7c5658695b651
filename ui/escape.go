package ui

import (
	"regexp"
	"strings"
)

// Whoever can write a log line on the node could otherwise write the ticket:
// pictures, HTML, links that hide where they lead, and mentions of people all
// start with one of these.
var markdownSpecial = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `>`, `&gt;`,
	`&`, `&amp;`,
	`|`, `\|`, `~`, `\~`, `$`, `\$`, `!`, `\!`, `@`, `@<!-- -->`,
)

var (
	blockStart = regexp.MustCompile(`^\s*([#+=-]|\d+[.)])`)
	reference  = regexp.MustCompile(`#(\d)`)
)

// inline writes a text so that Markdown shows it as it is.
func inline(s string) string {
	s = strings.TrimSpace(s)
	s = markdownSpecial.Replace(s)
	s = reference.ReplaceAllString(s, "#<!-- -->$1")
	if at := blockStart.FindStringSubmatchIndex(s); at != nil {
		s = s[:at[3]-1] + `\` + s[at[3]-1:]
	}
	return s
}

// code writes a text as a code span, whatever backticks it holds.
func code(s string) string {
	if s == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.TrimSpace(s) == "" {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// tableCode is a code span within a table, where a bar ends the cell even in code.
func tableCode(s string) string {
	if strings.Contains(s, "|") {
		return strings.ReplaceAll(inline(s), `\|`, "&#124;")
	}
	return code(s)
}

// fence writes lines as a code block, within a fence longer than any in them.
func fence(language string, lines []string) string {
	text := strings.Join(lines, "\n")
	ticks := strings.Repeat("`", max(longestRun(text, '`')+1, 3))
	return ticks + language + "\n" + text + "\n" + ticks + "\n"
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != of {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
