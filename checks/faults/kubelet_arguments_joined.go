package faults

import (
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-arguments-joined",
	Title:    "Two arguments of the kubelet are one word",
	Healthy:  "Arguments of the kubelet are separate words",
	Category: checks.CategoryComponents,
	Doc: `A start script that appends text to the arguments, without a space in front, makes one word of two:
--pod-infra-container-image=registry.k8s.io/pause:3.9--cert-dir=C:\var\lib\kubelet\pki. The kubelet takes the
second as a part of the value of the first, and runs with the default of the second: another folder for
certificates, no configuration, no kubeconfig. Mostly it exits at its start. A quote too many does the same: the
closing quote of kubeadm-flags.env, left in the text, opens a string that reaches over the next arguments.

The check looks for a known flag within the value of another, on the command lines of the kubelet and
kube-proxy and in kubeadm-flags.env, and for text that the start script of the kubelet appends without a space
to the flags of kubeadm-flags.env.`,
	Fix: checks.Steps(
		checks.Do("Put a space between the two arguments, or remove the quote that joins them, in the start script or the service."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/antrea-io/antrea/issues/5857",
		"https://github.com/antrea-io/antrea/pull/5858",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/115",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Explains: []string{"kubelet-bootstrap-config-missing", "kubelet-config-missing", "kubeconfig-invalid",
		"kubelet-credentials-refused", "kubelet-resolv-conf-missing", "kubelet-cgroups-per-qos"},
	Needs:    []evidence.Need{node.ComponentSources},
	FromPart: []evidence.Need{evidence.Services, evidence.Processes},
	Uses:     slices.Concat(node.KubeletSources, []evidence.Need{evidence.FileIndex}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		var findings []*checks.Finding
		seen := map[string]bool{}
		judge := func(first, second string, from evidence.Because) {
			if seen[first+second] {
				return
			}
			seen[first+second] = true
			findings = append(findings, checks.Findingf(checks.Fail, "--"+second,
				"--%s and --%s are one word: --%s has no effect", first, second, second).With(from))
		}
		for _, name := range []string{"kubelet", "kube-proxy"} {
			k := n.Components[name]
			for _, p := range k.Processes {
				joinedArgs(p.Args, p.Field("args"), judge)
			}
			for _, svc := range k.Services {
				if evidence.StartScript(svc.Args) == "" {
					joinedArgs(svc.Args, svc.Field("args"), judge)
				}
			}
		}
		file := s.File(flagsOfKubeadm)
		args := evidence.KubeadmFlags(file.Text)
		if file.Gap.Kind == "" {
			joinedArgs(args, evidence.InLine(file.Path, 1), judge)
		}
		switch up := kubeletUp(n, s) != nil; {
		case !up && file.Gap.Kind != "" && file.Gap.Kind != evidence.Absent && len(findings) == 0:
			return nil, checks.Unknown(file.Gap)
		case up, len(args) == 0:
			return findings, nil // its command line shows how its words came out
		}
		for _, svc := range n.Components["kubelet"].Services {
			if evidence.StartScript(svc.Args) == "" {
				continue
			}
			script := s.File(evidence.StartScript(svc.Args))
			if script.Gap.Kind != "" && len(findings) == 0 {
				return nil, checks.Unknown(script.Gap)
			}
			line, second := appendedWithoutSpace(script.Text)
			first, _, flag := strings.Cut(strings.TrimLeft(args[len(args)-1], "-"), "=")
			if second != "" && flag {
				judge(first, second, evidence.InLine(script.Path, line).Because(
					"%s appends --%s without a space to the flags of kubeadm-flags.env, which end with %s",
					script.Path, second, args[len(args)-1]))
			}
		}
		return findings, nil
	},
})

// joinedFlag is a flag in the middle of a word, with a space before it where a quote too many made the word.
// Values such as labels may have dashes too, so only flags that scripts set are known; a wrapper's value may be
// all the arguments of its program.
var joinedFlag = regexp.MustCompile(`^--?([a-z][a-z-]*)=(?:[^\s"'-][^\s"']*?)?[^\s"'=,;-]\s*--(cert-dir|config|config-dir|kubeconfig|` +
	`bootstrap-kubeconfig|hostname-override|pod-infra-container-image|enable-debugging-handlers|cgroups-per-qos|` +
	`enforce-node-allocatable|resolv-conf|node-ip|container-runtime|container-runtime-endpoint|cloud-provider|` +
	`cloud-config|feature-gates|network-plugin|log-dir|log-file|logtostderr|node-labels|register-with-taints|max-pods|` +
	`windows-service|cluster-dns|cluster-domain|cluster-cidr|proxy-mode|network-name|source-vip|enable-dsr|v)=`)

func joinedArgs(args []string, at evidence.Place, judge func(first, second string, from evidence.Because)) {
	for i, arg := range args {
		m := joinedFlag.FindStringSubmatch(arg)
		if m == nil || slices.Contains([]string{"node-labels", "register-with-taints"}, m[1]) && len(m[2]) < len("cert-dir") {
			continue // a label may be named so
		}
		if at.Field != "" {
			at = at.At(i)
		}
		judge(m[1], m[2], at.Because("%s", arg))
	}
}

// kubeadmText is a script's variable with the flags of kubeadm-flags.env as text: what Get-Content read, without
// its quotes, and no list.
var kubeadmText = regexp.MustCompile(`(?i)^\s*(\$[\w:]+)\s*=\s*.*\.(?:trim|trimstart|trimend|replace)\([^)]*\)\s*;?\s*$`)

// appendsFlag is text that begins with a flag and is appended to a variable.
var appendsFlag = regexp.MustCompile(`(?i)^\s*(\$[\w:]+)\s*(?:\+=|=\s*(\$[\w:]+)\s*\+)\s*\(?["']--([a-z][a-z-]*)`)

// appendedWithoutSpace finds the line of a script that appends a flag to the text of kubeadm-flags.env with no
// space before it.
func appendedWithoutSpace(text string) (line int, flag string) {
	if !strings.Contains(strings.ToLower(text), "kubeadm-flags.env") {
		return 0, ""
	}
	variable, number := "", 0
	for l := range strings.Lines(text) {
		number++
		l = strings.TrimRight(l, "\r\n")
		if m := kubeadmText.FindStringSubmatch(l); m != nil {
			variable = m[1]
			continue
		}
		if variable == "" {
			continue
		}
		if m := appendsFlag.FindStringSubmatch(l); m != nil && strings.EqualFold(m[1], variable) &&
			(m[2] == "" || strings.EqualFold(m[2], variable)) {
			return number, m[3]
		}
		// another assignment, and the text may end with a space
		if rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(l)), strings.ToLower(variable)); ok &&
			strings.HasPrefix(strings.TrimLeft(strings.TrimSpace(rest), "+"), "=") {
			variable = ""
		}
	}
	return 0, ""
}
