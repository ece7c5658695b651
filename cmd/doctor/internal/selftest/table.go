package selftest

import (
	"fmt"
	"strings"
)

// Table writes the results in Markdown, as an issue of GitHub shows them.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("| compared | PowerShell | doctor | result |\n|---|---:|---:|---|\n")
	for _, r := range results {
		result := r.State
		if r.Why != "" {
			result += ": " + cell(r.Why)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", r.Name, r.Windows, r.Doctor, result)
	}
	for _, r := range results {
		if len(r.Differs) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n\n", r.Name)
		for _, d := range r.Differs {
			fmt.Fprintf(&b, "    %s\n", d)
		}
		if r.More > 0 {
			fmt.Fprintf(&b, "    and %d more\n", r.More)
		}
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
