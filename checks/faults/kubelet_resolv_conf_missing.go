package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubelet-resolv-conf-missing",
	Title:    "kubelet reads a resolv.conf that the node does not have",
	Healthy:  "kubelet reads no resolv.conf of Linux",
	Category: checks.CategoryComponents,
	Doc: `For each sandbox the kubelet reads the file that resolvConf (--resolv-conf) names. On Windows it must
be empty, the path of a file that exists, or, from 1.27 on, "Host" for the settings of the node. A
kubelet before 1.27 without the setting looks for /etc/resolv.conf. kubeadm before 1.31 on a control
plane with systemd-resolved writes /run/systemd/resolve/resolv.conf into the settings that all nodes
of the cluster download. No pod with a network of its own can then start.

The check reads the kubelet's setting, and looks for its error at pods that do not start.`,
	Fix: checks.Steps(
		checks.Edit("{kubeletConfig}", `Set resolvConf: "" (--resolv-conf="").`),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Do("Remove resolvConf from the ConfigMap kubelet-config in kube-system: each node that joins downloads it."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/1",
		"https://github.com/kubernetes/kubernetes/issues/116782",
		"https://github.com/kubernetes/kubernetes/pull/116800",
		"https://github.com/kubernetes/kubeadm/issues/3034",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs:  complaintNeeds,
	Uses:   slices.Concat(complaintUses, node.KubeletSources, []evidence.Need{etcResolvConf}),
	Signs:  resolvConfSigns,
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		path, from := resolvConf(s)
		// Windows reads /etc/resolv.conf as a path of its own; systemd is on Linux only
		systemd := strings.HasPrefix(path, "/run/systemd/")
		exists, _ := s.File(string(etcResolvConf)).Exists()
		foreign := systemd || path == "/etc/resolv.conf" && !exists
		findings, err := complain(resolvConfSigns)(s)
		switch {
		case err != nil || len(findings) > 0 && !foreign:
			return findings, err
		case len(findings) > 0:
			findings[0] = findings[0].With(from)
			return findings, nil
		case !foreign:
			return nil, nil
		}
		level := checks.Warn
		if systemd && slices.ContainsFunc(evidence.Pods.In(s), node.PodDown) {
			level = checks.Fail
		}
		return []*checks.Finding{checks.Findingf(level, "resolvConf",
			"the kubelet reads %s, a path of Linux: it starts no pod unless this file is there", path).With(from)}, nil
	},
})

// resolvConf is the kubelet's setting: the flag before the file.
func resolvConf(s evidence.Snapshot) (string, evidence.Because) {
	n := node.About(s)
	if f, ok := n.KubeletFlag("resolv-conf"); ok {
		return strings.Trim(f.Value, `"`), f.From
	}
	config := n.KubeletConfig(s)
	if config.Gap.Kind != "" {
		return "", evidence.Because{}
	}
	return config.ResolvConf, config.Field("resolvConf").Because("resolvConf: %s", config.ResolvConf)
}

const etcResolvConf = evidence.File(`C:\etc\resolv.conf`)

const noResolvConf = "the kubelet cannot read its resolv.conf"

var resolvConfSigns = []checks.Sign{
	// until 1.26 it opens the file; newer ones look for it first (pkg/kubelet/network/dns)
	{Text: "resolv.conf: The system cannot find the", Also: []string{"open /"}, Says: noResolvConf},
	{Text: "Unexpected resolver config value: ", Says: noResolvConf},
}
