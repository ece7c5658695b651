package faults_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// eachFault calls f for each fault that is found in a recording.
func eachFault(t *testing.T, f func(t *testing.T, tree fs.FS, s evidence.Snapshot,
	r checks.Result)) {
	t.Helper()
	for _, name := range fixtures.Names() {
		t.Run(name, func(t *testing.T) {
			l := load(t, name)
			for _, r := range l.report.Results {
				if r.Status == checks.StatusFail || r.Status == checks.StatusWarn {
					f(t, l.recording.FS(), l.snapshot, r)
				}
			}
		})
	}
}

// judgedAgain is what a check says of a tree.
func judgedAgain(t *testing.T, tree fs.FS, id string) checks.Result {
	t.Helper()
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	only := faults.Catalogue().Only(id)
	return checks.Diagnose(s, only, checks.Source{}, checks.Program{}).Results[0]
}

// TestEditsRemoveTheFault carries out each step that names a line, and judges again.
func TestEditsRemoveTheFault(t *testing.T) {
	edits := 0
	eachFault(t, func(t *testing.T, tree fs.FS, s evidence.Snapshot, r checks.Result) {
		var files []string
		edited := fstest.MapFS{}
		for _, step := range r.Fix.Steps {
			if step.Kind != checks.StepEdit || step.Line == 0 {
				continue
			}
			path := evidence.EvidencePath(step.File)
			if len(edited) == 0 {
				copyTree(t, edited, tree)
			}
			key := pathIn(edited, path)
			if key == "" {
				t.Errorf("%s edits %s, which is not recorded", r.ID, step.File)
				continue
			}
			lines := strings.Split(string(edited[key].Data), "\n")
			if step.Line > len(lines) || strings.TrimSpace(lines[step.Line-1]) != step.From {
				t.Errorf("%s: line %d of %s is not %q", r.ID, step.Line, step.File, step.From)
				continue
			}
			lines[step.Line-1] = step.To
			edited[key] = &fstest.MapFile{Data: []byte(strings.Join(lines, "\n"))}
			files = append(files, step.File)
			edits++
		}
		if len(files) == 0 {
			return
		}
		now := judgedAgain(t, edited, r.ID)
		if len(now.Findings) > 0 && now.Findings[0].Message == r.Findings[0].Message &&
			now.Findings[0].Basis != checks.ByText {
			t.Errorf("after the edit of %v %s still says: %s", files, r.ID, now.Findings[0].Message)
		}
	})
	if edits < 8 { // what the recordings show today
		t.Errorf("only %d steps name a line to edit", edits)
	}
}

func copyTree(t *testing.T, to fstest.MapFS, from fs.FS) {
	t.Helper()
	err := fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, path)
		to[path] = &fstest.MapFile{Data: content}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func pathIn(tree fstest.MapFS, path string) string {
	for key := range tree {
		if strings.EqualFold(key, path) {
			return key
		}
	}
	return ""
}

var (
	serviceInCommand = regexp.MustCompile(
		`(?i)\b(?:Restart|Start|Stop|Set|Suspend|Resume)-Service (?:-Name )?("[^"]+"|[\w.-]+(?:, [\w.-]+)*)|` +
			`\b(?:sc\.exe|nssm(?:\.exe)?) (?:start|stop|config|failure|set|edit|restart) ([\w.-]+)`)
	podInCommand  = regexp.MustCompile(`kubectl -n (\S+) delete pod (\S+)`)
	fileInCommand = regexp.MustCompile(`(?i)\bC:\\[\w\\.$-]+\.[a-z0-9]{2,10}\b`)
)

// ofWindows are services that each Windows Server has, recorded or not.
var ofWindows = []string{"hns", "vmcompute", "w32time", "RemoteAccess", "mpssvc", "Dnscache",
	"WinDefend", "LanmanWorkstation"}

// TestFixesNameWhatTheNodeHas: a command names no service, pod or file that the recording shows to
// be missing, unless the step makes it.
func TestFixesNameWhatTheNodeHas(t *testing.T) {
	eachFault(t, func(t *testing.T, _ fs.FS, s evidence.Snapshot, r checks.Result) {
		for _, step := range r.Fix.Steps {
			if evidence.Services.Known(s) {
				for _, m := range serviceInCommand.FindAllStringSubmatch(step.Command, -1) {
					for name := range strings.SplitSeq(strings.Trim(m[1]+m[2], `"`), ", ") {
						if !hasService(s, name) {
							t.Errorf("%s: `%s` names service %s, which the node does not have",
								r.ID, step.Command, name)
						}
					}
				}
			}
			for _, m := range podInCommand.FindAllStringSubmatch(step.Command, -1) {
				if !hasPod(s, m[1], m[2]) {
					t.Errorf("%s: `%s` names a pod that the node does not have", r.ID, step.Command)
				}
			}
			if step.Kind == checks.StepVerify || creates.MatchString(step.Command) {
				continue
			}
			for _, path := range append(fileInCommand.FindAllString(step.Command, -1), step.File) {
				if path != "" && s.File(path).Gap.Kind == evidence.Absent {
					t.Errorf("%s: step %q names %s, which the node does not have", r.ID,
						step.Command+step.Text, path)
				}
			}
		}
	})
}

var creates = regexp.MustCompile(
	`(?i)New-Item|Set-Content|Add-Content|Out-File|Copy-Item|Invoke-WebRequest|curl|tar |SilentlyContinue|Test-Path`)

func hasService(s evidence.Snapshot, name string) bool {
	for _, known := range ofWindows {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	for _, svc := range evidence.Services.In(s) {
		if strings.EqualFold(svc.Name, name) {
			return true
		}
	}
	return false
}

func hasPod(s evidence.Snapshot, namespace, name string) bool {
	for _, p := range evidence.Pods.In(s) {
		if p.Metadata.Namespace == namespace && p.Metadata.Name == name {
			return true
		}
	}
	return false
}

// TestFixesFitTheEvidence: the service, file, program or registry of the evidence.
func TestFixesFitTheEvidence(t *testing.T) {
	const hash = `time="2026-11-20T09:58:00Z" level=error msg="token CA hash does not match the Cluster CA certificate hash"` + "\n"
	denied := podTelling("ImagePullBackOff", `a: hcsshim::ProcessBaseLayer \\?\C:\a: Access is denied.: unknown`, "")
	for _, row := range []struct{ id, tree, has, hasNot string }{
		{"rke2-token-rejected", "-- logs/rke2/rke2.log --\n" + hash, "Restart-Service rke2", "k3s"},
		{"rke2-token-rejected", "-- logs/k3s/k3s.log --\n" + hash, "Restart-Service k3s", "rke2"},
		{"rke2-token-rejected", "-- logs/k3s/k3s.log --\n" + hash, `C:\etc\rancher\k3s\config.yaml`, "rke2"},
		{"runtime-not-running", `-- services.json --
[{"name":"rke2","state":"running"}]
-- processes.json --
[{"pid":7,"name":"rke2.exe"},{"pid":1},{"pid":2},{"pid":3}]
`, "Restart-Service rke2", "Start-Service"},
		{"runtime-not-running", "-- services.json --\n[{\"name\":\"rke2\",\"state\":\"stopped\"}]\n-- processes.json --\n[]\n", "Start-Service rke2", "Restart-Service"},
		{"registry-name-not-resolved", podTelling("ImagePullBackOff",
			`Get "https://registry.corp.example:5000/v2/": dial tcp: lookup registry.corp.example: no such host`, ""),
			"Resolve-DnsName registry.corp.example", "REGISTRY"},
		{"layer-import-access-denied", denied, "Add-MpPreference", "Defender"},
		{"layer-import-access-denied", denied + "-- security.json --\n{\"defender\":{\"running\":true}}\n", "Add-MpPreference", "Defender"},
		{"layer-import-access-denied", denied + "-- security.json --\n{\"defender\":{\"running\":false}}\n", "fltmc", "Add-MpPreference"},
	} {
		t.Run(row.id+" "+row.has, func(t *testing.T) {
			var text string
			for _, step := range judgedAgain(t, fixtures.Tree(txtar.Parse([]byte(shortMeta+row.tree))), row.id).Fix.Steps {
				text += step.Text + "\n" + step.Command + "\n" + step.File + "\n"
			}
			if !strings.Contains(text, row.has) || strings.Contains(text, row.hasNot) {
				t.Errorf("the fix does not have %q, or has %q:\n%s", row.has, row.hasNot, text)
			}
		})
	}
}
