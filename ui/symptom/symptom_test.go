package symptom

import (
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/faults"
)

func TestEveryCheckNamedExistsAndIsNamedOnce(t *testing.T) {
	for _, s := range all {
		seen := map[string]bool{}
		for _, id := range s.Checks {
			if faults.Catalogue().ByID(id) == nil {
				t.Errorf("%s: there is no check %s", s.ID, id)
			}
			if seen[id] {
				t.Errorf("%s: %s stands there twice", s.ID, id)
			}
			seen[id] = true
		}
		for _, id := range s.Shows {
			if !seen[id] {
				t.Errorf("%s is shown by %s, which is none of its checks", s.ID, id)
			}
		}
	}
}

func TestASymptomLeadsToEveryCheckOrTheCheckIsUnnoticed(t *testing.T) {
	for _, c := range faults.Catalogue().All() {
		leads := slices.ContainsFunc(all, func(s Symptom) bool {
			return slices.Contains(s.Checks, c.ID) || s.leadsTo(c.ID, c.Category, c.Breaks)
		})
		hidden := slices.Contains(unnoticed, c.ID) ||
			c.Category == checks.CategoryVersions && len(c.Breaks) == 0 // a leak, a wrong figure
		if leads == hidden {
			t.Errorf("%s: a symptom leads to it: %v, and it is listed as unnoticed: %v", c.ID,
				leads, hidden)
		}
	}
}

func TestTheEffectsOfASymptomExistAndBelongToOne(t *testing.T) {
	of := map[string]string{}
	for _, s := range all {
		for _, id := range s.Breaks {
			if !slices.ContainsFunc(faults.Catalogue().Effects(), func(e *checks.Effect) bool {
				return e.ID == id
			}) {
				t.Errorf("%s: there is no effect %s", s.ID, id)
			}
			if of[id] != "" {
				t.Errorf("the effect %s belongs to %s and to %s", id, of[id], s.ID)
			}
			of[id] = s.ID
		}
	}
	for _, e := range faults.Catalogue().Effects() {
		if of[e.ID] == "" {
			t.Errorf("no symptom has the effect %s", e.ID)
		}
	}
}

func TestEveryEntryOfTheFAQBelongsToOneSymptomWithAllItsChecks(t *testing.T) {
	of := map[int]Symptom{}
	for _, s := range all {
		for _, n := range s.FAQ {
			if other, taken := of[n]; taken {
				t.Errorf("entry %d belongs to %s and to %s", n, other.ID, s.ID)
			}
			of[n] = s
		}
	}
	reached := map[int]bool{}
	for _, c := range faults.Catalogue().All() {
		for _, n := range c.FAQ {
			reached[n] = true
			if s, ok := of[n]; !ok {
				t.Errorf("no symptom has entry %d, which %s answers", n, c.ID)
			} else if !slices.Contains(s.Checks, c.ID) {
				t.Errorf("%s answers entry %d and is not in %s", c.ID, n, s.ID)
			}
		}
	}
	for n := range of {
		if !reached[n] {
			t.Errorf("no check answers entry %d", n)
		}
	}
	for n := 1; n <= 16; n++ {
		if _, ok := of[n]; !ok {
			t.Errorf("no symptom has entry %d", n)
		}
	}
}

func TestEverySymptomIsComplete(t *testing.T) {
	ids := map[string]bool{}
	for _, s := range all {
		if s.ID == "" || ids[s.ID] || s.ID != strings.ToLower(s.ID) {
			t.Errorf("the id %q is taken or not lower case", s.ID)
		}
		ids[s.ID] = true
		if len(s.Checks) < 3 || len(s.Next) == 0 || s.Question == "" {
			t.Errorf("%s lacks checks, a question or what comes next", s.ID)
		}
		if len(s.Question) > 80 {
			t.Errorf("%s: the question is too long for a narrow list", s.ID)
		}
		for _, n := range s.Next {
			if n.Text == "" || strings.HasSuffix(n.Text, ".") {
				t.Errorf("%s: the step %q has no text, or a full stop", s.ID, n.Text)
			}
		}
	}
}

func TestAStepThatChangesAnythingSaysWhatItCosts(t *testing.T) {
	for _, s := range all {
		for _, step := range s.Next {
			for _, c := range step.Commands {
				for _, verb := range []string{"Remove-", "Restart-", "Stop-", "New-", "kubectl run",
					"approve", "create", "start "} {
					if strings.Contains(c, verb) && step.Impact == "" {
						t.Errorf("%s: %q changes something, and nothing says what that costs", s.ID,
							c)
					}
				}
			}
		}
	}
}
