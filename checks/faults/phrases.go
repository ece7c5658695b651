package faults

import "doctor/checks/evidence"

// verbatim is a text from outside where a phrase may stand.
//
//go:noinline
func verbatim(s string) evidence.Phrase { return evidence.Phrasef("%s", s) }

// orPhrase is the text from outside, or the phrase where there is none.
func orPhrase(s string, p evidence.Phrase) evidence.Phrase {
	if s == "" {
		return p
	}
	return verbatim(s)
}

// wordings makes phrases of texts of doctor's own.
func wordings(texts []string) []evidence.Phrase {
	var list []evidence.Phrase
	for _, text := range texts {
		list = append(list, evidence.Phrasef(text))
	}
	return list
}
