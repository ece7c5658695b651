package checks

import (
	"slices"
	"strings"

	"doctor/checks/errcode"
)

// SignOfCode makes a sign of an error code: any of its forms betrays the fault,
// together with the texts in also.
func SignOfCode(symbol, says string, also ...string) Sign {
	forms := errcode.Of(symbol).Forms()
	if !slices.ContainsFunc(also, func(a string) bool { return len(a) >= MinSign }) {
		forms = slices.DeleteFunc(forms, func(f string) bool { return len(f) < MinSign })
	}
	return Sign{Text: forms[0], Or: forms[1:], Also: also, Says: says}
}

// MinSign is how long one of a sign's texts must be: a shorter one betrays
// little, and keeps the search for all signs from jumping far.
const MinSign = 10

// A DecodedCode is an error code in a text, with what it means.
type DecodedCode struct {
	Code    string `json:"code"`   // such as 0x803b0006
	Symbol  string `json:"symbol"` // such as HCN_E_ADAPTER_NOT_FOUND
	Meaning string `json:"meaning"`
}

// maxCodes is how many codes a finding explains: a text of codes alone explains nothing.
const maxCodes = 10

// decode finds the codes in the texts of a finding.
func decode(texts ...string) []DecodedCode {
	found := errcode.In(strings.Join(texts, "\n"))
	var list []DecodedCode
	for _, f := range found[:min(len(found), maxCodes)] {
		list = append(list, DecodedCode{f.As, f.Symbol, f.Meaning})
	}
	return list
}

// MeaningOf lists the faults that a code can mean: those whose signs look for it.
func (c *Catalogue) MeaningOf(code errcode.Code) []*Check {
	forms := code.Forms()
	shows := func(text string) bool {
		return len(text) >= MinSign && errcode.Says(text, code) ||
			slices.ContainsFunc(forms, func(form string) bool {
				return len(form) >= MinSign && strings.Contains(strings.ToLower(text), form)
			})
	}
	var found []*Check
	for _, check := range c.All() {
		if slices.ContainsFunc(check.Signs, func(s Sign) bool {
			return slices.ContainsFunc(slices.Concat([]string{s.Text}, s.Or, s.Also), shows)
		}) {
			found = append(found, check)
		}
	}
	return found
}
