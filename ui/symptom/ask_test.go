package symptom

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
	"doctor/ui/lang"
)

// diagnosed is the report of a recorded node.
func diagnosed(t *testing.T, name string) checks.Report {
	t.Helper()
	node, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(node.FS())
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	return checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "demo", Name: name},
		checks.Program{})
}

func TestAnswersForRecordedNodes(t *testing.T) {
	for _, row := range []struct{ node, symptom, begins, holds string }{
		{"wincat-not-found", "port-forward-fails", "The cause: ", "wincat"},
		{"podcidr-not-assigned", "pods-stuck-creating", "The cause: Node object has no podCIDR",
			"Fix: "},
		{"kubelet-removed-flag", "node-not-ready", "The cause: --network-plugin was removed",
			"Fix: "},
		{"cluster-dns-unreachable", "dns-fails", "The cause: ", "10.96.0.10"},
		{"healthy-flannel-overlay", "ping-fails", "This is normal on Windows: ", "ping"},
		{"cni-binary-missing-from-logs", "dns-fails", "Nothing found here; ", "First "},
		{"healthy-flannel-overlay", "network-went-away", "These ", " causes are ruled out. Next: "},
	} {
		r := diagnosed(t, row.node)
		s, _ := ByID(row.symptom)
		got := s.Ask(&r).Answer.String()
		if !strings.HasPrefix(got, row.begins) || !strings.Contains(got, row.holds) ||
			strings.Contains(got, "%!") {
			t.Errorf("%s of %s answers %q, want %q … %q", row.symptom, row.node, got, row.begins,
				row.holds)
		}
	}
}

func TestTheSymptomOfANodeComesFirst(t *testing.T) {
	for node, want := range map[string]string{
		"wincat-not-found": "port-forward-fails", "kubelet-removed-flag": "node-not-ready",
		"cluster-dns-unreachable":   "dns-fails",
		"smb-global-mapping-failed": "volumes-do-not-mount", "gmsa-not-working": "gmsa-fails",
		"nodeport-local-access": "services-unreachable",
		"pods-restarting":       "pods-restart", "kubeadm-join-preflight": "node-did-not-join",
	} {
		r := diagnosed(t, node)
		if list := Ranked(&r); list[0].ID != want {
			t.Errorf("%s: %s comes first, want %s", node, list[0].ID, want)
		}
	}
}

func TestEverySymptomOfEveryRecordingHasAnAnswer(t *testing.T) {
	for i, name := range fixtures.Names() {
		if i%21 != 0 && testing.Short() {
			continue
		}
		r := diagnosed(t, name)
		for _, a := range Ranked(&r) {
			text := a.Answer.String()
			if text == "" || strings.Contains(text, "%!") || strings.HasSuffix(text, "..") ||
				strings.HasSuffix(text, " .") || strings.Contains(text, ". . ") {
				t.Errorf("%s: %s answers %q", name, a.ID, text)
			}
			shown := map[string]bool{}
			for _, it := range a.Items {
				if shown[it.Result.ID] {
					t.Errorf("%s: %s shows %s twice", name, a.ID, it.Result.ID)
				}
				shown[it.Result.ID] = true
				if it.Outcome == Unknown && it.HowTo.Text == "" {
					t.Errorf("%s: %s does not say what to do about %s", name, a.ID, it.Result.ID)
				}
			}
			for _, id := range a.Checks {
				if r.Result(id) != nil && !shown[id] {
					t.Errorf("%s: %s does not show %s", name, a.ID, id)
				}
			}
			if testing.Verbose() && (a.Status() == checks.StatusFail || name == "healthy-calico") {
				fmt.Println(name, a.ID, a.Status(), a.Seen, a.Answer)
			}
		}
	}
}

func TestEveryRemedyHasItsAdvice(t *testing.T) {
	zh := lang.Of("zh", faults.Catalogue())
	for remedy, advice := range advices {
		for _, text := range []string{advice.Reason, advice.Text} {
			if text == "" || zh.Word(text) == text {
				t.Errorf("%s: %q has no Chinese", remedy, text)
			}
		}
	}
	got := AdviceOn(evidence.ViaAPI, "win-1")
	if got.Commands[0] != "doctor --node win-1" {
		t.Errorf("the commands are %q", got.Commands)
	}
}

func TestTheRemedyFollowsTheGap(t *testing.T) {
	for gap, want := range map[evidence.Gap]evidence.Remedy{
		evidence.NeedsAdministrator.Gap():                             evidence.Elevate,
		evidence.AsRecorded.OfKind(evidence.Denied, "a line by hand"): evidence.Elevate,
		evidence.NotAuthorized.Gap("list", "services",
			"it is forbidden"): evidence.ClusterRights,
		evidence.NotInRecording.Gap("api/pods.json"):            evidence.ViaAPI,
		evidence.NotInRecording.Gap("probes/dns.json"):          evidence.FromPod,
		evidence.NotInRecording.Gap("files/C/k/x.json"):         evidence.OnNode,
		evidence.NotProbed.Gap("a server of the cluster's DNS"): evidence.FromPod,
		evidence.Passive.Gap():                                  evidence.WithoutPassive,
		evidence.NoAnswerWithin.Gap("HNS",
			"5s"): evidence.MoreTime,
		evidence.Reported.OfKind(evidence.Unsupported, "no such call"): evidence.ByHand,
		evidence.Reported.OfKind(evidence.Error,
			"line 3: the file is empty"): evidence.ReadFile,
		evidence.NotShown.Gap(
			"the Node's Ready condition"): evidence.OpenCheck,
		// words decide nothing
		evidence.AsRecorded.OfKind(evidence.NotCollected,
			"run as Administrator"): evidence.OpenCheck,
		{}: evidence.OpenCheck,
	} {
		if got := gap.Remedy(); got != want {
			t.Errorf("%q: %q, want %q", gap, got, want)
		}
	}
}

// TestAnswersInAnotherLanguageSayTheSame: what a gap says in another language
// does not change how it can be closed.
func TestAnswersInAnotherLanguageSayTheSame(t *testing.T) {
	zh := lang.Of("zh", faults.Catalogue())
	for i, name := range fixtures.Names() {
		if i%9 != 0 {
			continue
		}
		r := diagnosed(t, name)
		said := zh.Report(r)
		for _, a := range Ranked(&r) {
			b := a.In(zh, &said)
			if b.Answer.Outcome != a.Answer.Outcome || b.Answer.Check != a.Answer.Check ||
				strings.Contains(b.Answer.String(), "%!") {
				t.Errorf("%s: %s answers %q, and in Chinese %q", name, a.ID, a.Answer, b.Answer)
			}
			if !strings.ContainsFunc(b.Answer.String(), isHan) || !strings.ContainsFunc(b.Question,
				isHan) {
				t.Errorf("%s: %s is not in Chinese: %q", name, a.ID, b.Answer)
			}
			for i, it := range b.Items {
				if it.Outcome == Unknown &&
					(!slices.Equal(it.HowTo.Commands, a.Items[i].HowTo.Commands) ||
						it.HowTo.Text == a.Items[i].HowTo.Text) {
					t.Errorf("%s: %s tells %v in English, and %v", name, it.Result.ID,
						a.Items[i].HowTo, it.HowTo)
				}
			}
		}
	}
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
