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

// TestFixesFitWhatWasFound: a check with several findings has a fix for each, and names no program,
// platform or file that the node does not have.
func TestFixesFitWhatWasFound(t *testing.T) {
	const (
		gke       = `{"metadata":{"name":"win-1","labels":{"cloud.google.com/gke-nodepool":"w"}},"status":{"nodeInfo":{"kubeletVersion":"v1.33.5-gke.1"}`
		gkeNode   = "-- api/node.json --\n" + gke + "}}\n"
		noRoute   = "-- api/node.json --\n" + gke + `,"conditions":[{"type":"NetworkUnavailable","status":"True"}]}}` + "\n"
		noConfig  = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"stopped\",\"args\":[\"--config=C:\\\\x\\\\c.yaml\",\"--kubeconfig=/etc/kubernetes/kubelet.conf\"]}]\n-- files.json --\n[{\"path\":\"C:\\\\x\\\\c.yaml\",\"outcome\":\"absent\"}]\n"
		forbidden = "-- logs/containerd/c.log --\nlevel=error msg=\"PullImage \\\"r.example.org/a:1\\\" failed\" error=\"failed to pull and unpack image \\\"r.example.org/a:1\\\": failed to resolve reference \\\"r.example.org/a:1\\\": 403 Forbidden\"\n"
		nodePort  = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80,\"nodePort\":31080}]}}]}\n-- ports.json --\n"
		reserved  = `"excluded":[{"protocol":"tcp","start":31040,"end":31103}]}` + "\n"
		expired   = `","subject":"O=system:nodes,CN=system:node:win-1","issuer":"CN=x","notBefore":"2025-11-19T00:00:00Z","notAfter":"2026-11-19T00:00:00Z"}]` + "\n"
		otherName = "-- logs/kubelet/k.log --\nE1120 09:58:00.1 1 kubelet_node_status.go:92] Unable to register node \"win-1\" with API server: tls: failed to verify certificate: x509: certificate is valid for 10.0.0.1, not 10.0.0.2\n"
	)
	for _, row := range []struct{ check, name, tree, want, not string }{
		{"kubelet-config-missing", "GKE", gkeNode + noConfig, "of GKE", "kubeadm"},
		{"kubelet-config-missing", "kubeadm", nodeOf("v1.33.5", "containerd://1.7.2") + noConfig, "kubeadm upgrade node", "GKE"},
		{"registry-unauthorized", "GKE", gkeNode + forbidden, "On GKE", "On EKS"},
		{"registry-unauthorized", "a platform that is not known", forbidden, "On EKS", "nothing"},
		{"registry-unauthorized", "no platform", nodeOf("v1.33.5", "containerd://1.7.2") + forbidden, "Create a Secret", "On "},
		{"node-under-pressure", "no route", noRoute, "route leads podCIDR", "WorkingSet"},
		{"excluded-ports-over-nodeports", "of an administrator", nodePort + `{"dynamic":{"tcp":{"start":49152,"count":16384}},` + reserved,
			"delete excludedportrange protocol=tcp startport=31040 numberofports=64", "set dynamicport"},
		{"excluded-ports-over-nodeports", "of the dynamic range", nodePort + `{"dynamic":{"tcp":{"start":20000,"count":40000}},` + reserved,
			"set dynamicport", "delete excludedportrange"},
		{"cert-expired-or-clock-skew", "of k3s", "-- certificates.json --\n[{\"path\":\"C:\\\\var\\\\lib\\\\rancher\\\\k3s\\\\agent\\\\client-kubelet.crt" + expired,
			"Restart-Service k3s", "kubelet-client-"},
		{"cert-expired-or-clock-skew", "of the kubelet", "-- certificates.json --\n[{\"path\":\"C:\\\\var\\\\lib\\\\kubelet\\\\pki\\\\kubelet-client-current.pem" + expired,
			"kubelet-client-", "k3s"},
		{"apiserver-cert-name", "the kubeconfig that the kubelet names", noConfig + otherName,
			`--kubeconfig C:\etc\kubernetes\kubelet.conf`, `C:\k\config`},
		{"apiserver-cert-name", "no kubeconfig is known", otherName, "--kubeconfig KUBECONFIG-OF-THE-KUBELET", `C:\k\config`},
		{"service-pending-or-gone", "its own name", "-- services.json --\n[{\"name\":\"hns\",\"state\":\"stop-pending\",\"pid\":11}]\n",
			"Get-Service hns", "vmcompute"},
		{"icmp-external-not-snated", "TCP was tested", nodeAt10 + reachTree("a/p icmp 1.1.1.1 timeout", "a/p tcp 1.1.1.1:443 timeout"),
			"firewalls on the path", "Test with TCP"},
	} {
		t.Run(row.check+" "+row.name, func(t *testing.T) {
			r := judgedAgain(t, fixtures.Tree(txtar.Parse([]byte(shortMeta+row.tree))), row.check)
			got := ""
			for _, s := range r.Fix.Steps {
				got += s.Text + "\n" + s.Command + "\n"
			}
			if len(r.Findings) == 0 || !strings.Contains(got, row.want) || strings.Contains(got, row.not) {
				t.Errorf("findings %v, fix\n%sshould have %q and not %q", r.Findings, got, row.want, row.not)
			}
		})
	}
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
