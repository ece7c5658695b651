package unexplained

import "doctor/checks/evidence"

// Texts are those of all lines and events that say that something is wrong.
func Texts(s evidence.Snapshot) []string {
	var texts []string
	for _, l := range candidates(s, Case{}) {
		texts = append(texts, l.Text)
	}
	return texts
}

// Kind is a short form of the template of a line, as normal.txt has it.
func Kind(line string) string { return hash(Template(line)) }
