package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-service-paused",
	Title:    "kubelet service is paused",
	Healthy:  "kubelet service is not paused",
	Category: checks.CategoryComponents,
	FAQ:      []int{2},
	Doc: `nssm pauses a service whose program exits again and again. A paused kubelet service
therefore means that the kubelet exits at its start: it does not know a flag, rejects its
configuration, or cannot read a certificate. The reason is in its error log.

Before kubeadm join the kubelet has no configuration and exits in a loop. This is expected.`,
	Fix: checks.Steps(
		checks.Inspect("Get-ChildItem C:\\k, C:\\var\\log -Recurse -Filter kubelet*.log -ErrorAction SilentlyContinue | Sort-Object LastWriteTime | Select-Object -Last 1 | Get-Content -Tail 30", "Read the last lines of the kubelet's error log and fix the error."),
		checks.Run("{restart kubelet}",
			"Restart the kubelet: the paused service does not start it again."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/229",
		"https://nssm.cc/usage"},
	Breaks: []*checks.Effect{effectKubelet},
	Shows:  []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Services},
	Uses:   joinSources,
	Signs: []checks.Sign{
		{Text: "kubelet service entered the paused state", In: []string{evidence.InEvents},
			Says: "the kubelet service entered the paused state"},
		// What nssm says of it on the console. Before kubeadm join it is expected.
		{Text: "kubelet: Unexpected status SERVICE_PAUSED in response to", In: []string{"other"},
			Level: checks.Warn,
			Says:  "nssm has paused the kubelet service: the kubelet exits as soon as it starts"},
		// kubeadm asks before the kubelet listens; and one that is stopped refuses as well
		{Text: "http://localhost:10248/healthz", Or: []string{"http://127.0.0.1:10248/healthz"},
			Also: []string{"refused it"}, ConfirmOnly: true},
	},
	FromPart: []evidence.Need{evidence.Services},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, svc := range node.About(s).Components["kubelet"].Services {
			if !strings.HasPrefix(strings.ToLower(svc.State), "paus") {
				continue
			}
			level, why := checks.Fail, evidence.Phrasef("the kubelet exits as soon as it starts")
			if beforeJoin(s) {
				level, why = checks.Info,
					evidence.Phrasef(
						"expected before kubeadm join: the kubelet has no configuration yet")
			}
			findings = append(findings, checks.Findingf(level, svc.Name, "service %s is paused: %s",
				svc.Name, why).
				At(svc.Field("state"), "%s: state is %s, exit code %d", svc.Name, svc.State,
					svc.Exit()))
		}
		return findings, nil
	},
})

// joinSources is what beforeJoin and notRunning read.
var joinSources = append(slices.Clone(node.KubeletSources), evidence.Node, evidence.File(kubeletKubeconfig),
	evidence.FileIndex, evidence.Pods)

// beforeJoin tells a machine that kubeadm has yet to make a node: its kubelet
// is to read a configuration that kubeadm has not written. Most recipes have no
// file of that name at all.
func beforeJoin(s evidence.Snapshot) bool {
	f, ok := node.About(s).KubeletFlag("config")
	joined, _ := s.File(kubeletKubeconfig).Exists()
	return ok && !joined && strings.HasSuffix(strings.ToLower(evidence.CleanWinPath(f.Value)),
		strings.ToLower(node.KubeletConfigs[0][2:])) &&
		s.File(node.KubeletConfigs[0]).Gap.Kind == evidence.Absent && !evidence.Node.Known(s)
}
