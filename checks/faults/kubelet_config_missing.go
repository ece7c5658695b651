package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const kubeletKubeconfig = `C:\etc\kubernetes\kubelet.conf`

var _ = register(checks.Check{
	ID:       "kubelet-config-missing",
	Title:    "the kubelet's configuration file is not there",
	Category: checks.CategoryComponents,
	Doc: `The kubelet is told by --config where its configuration lies, for kubeadm
C:\var\lib\kubelet\config.yaml, and exits at once when there is no such file. kubeadm join writes
it: before the join the kubelet starts and exits in a loop, and that is expected. After the join the
file was deleted, or the join broke off, or the flag names another place.

A node that the API server knows, or that has a kubelet.conf, has been joined. The line in the log
alone does not tell before from after, and is therefore told, no more.`,
	Fix: checks.Steps(
		checks.Run("kubeadm upgrade node phase kubelet-config",
			"join the node anew, or write the configuration again from the one of the cluster; or correct --config").
			Costs("running containers are not touched; joining anew with kubeadm reset first removes them"),
		checks.Run("{restart kubelet}", "")),
	Links: []string{
		"https://kubernetes.io/docs/reference/setup-tools/kubeadm/implementation-details/",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/"},
	Breaks: []*checks.Effect{effectKubeletStart, effectNodeReports},
	Needs:  []evidence.Need{evidence.Any(node.NeedKubeletFlags, evidence.Logs("kubelet"))},
	Uses: append(slices.Clone(node.KubeletSources), evidence.Node,
		evidence.File(kubeletKubeconfig), evidence.FileIndex),
	Signs: []checks.Sign{
		{Text: "failed to load kubelet config file", Level: checks.Info,
			Says: "the kubelet does not get at its configuration file: expected before kubeadm join, a fault after it"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		if gap := node.NeedKubeletFlags.Gap(s); gap.Kind != "" {
			return joinedWithoutConfig(s, gap)
		}
		flag, ok := n.KubeletFlag("config")
		if !ok || flag.Value == "" {
			if f, err := joinedWithoutConfig(s, evidence.Gap{}); err == nil {
				return f, nil // its flags stand where nobody looked
			}
			return nil, nil // this kubelet is set up by flags
		}
		file := s.File(flag.Value)
		switch file.Gap.Kind {
		case "":
			return nil, nil
		case evidence.Absent:
		default:
			if there, known := file.Exists(); there && known {
				return nil, nil
			}
			return nil, checks.Unknown(file.Gap)
		}
		f := checks.Findingf(checks.Fail, flag.Value,
			"the kubelet is to read %s, and the node does not have it", flag.Value).
			With(flag.From).At(evidence.FileRecordField(s, flag.Value, "outcome"), "%s: absent",
			flag.Value)
		joined, known := s.File(kubeletKubeconfig).Exists()
		switch {
		case len(n.Components["kubelet"].Processes) > 0 && flag.Live:
			f.Level, f.Format, f.Args = checks.Warn,
				"%s; the kubelet that runs has read it, and will not start again",
				[]any{evidence.Phrasef(f.Format, f.Args...)}
		case evidence.Node.Known(s) || joined:
		case known:
			f.Level, f.Format, f.Args = checks.Info,
				"%s: expected before kubeadm join, which writes it",
				[]any{evidence.Phrasef(f.Format, f.Args...)}
			f = f.At(evidence.FileRecordField(s, kubeletKubeconfig, "outcome"), "%s: absent",
				kubeletKubeconfig)
		default:
			return nil, checks.Unknown(
				evidence.NotShown.Gap("whether this machine has been joined"))
		}
		return []checks.Finding{f}, nil
	},
})

// joinedWithoutConfig judges by the log where the flags are not recorded: a node
// that the API server knows has been joined, and should have the file.
func joinedWithoutConfig(s evidence.Snapshot, gap evidence.Gap) ([]checks.Finding, error) {
	name := evidence.Node.In(s).Metadata.Name
	for _, m := range s.Signs("kubelet-config-missing") {
		if m.Over == "" && name != "" {
			f := checks.Findingf(checks.Fail, "kubelet",
				"the kubelet of %s does not get at its configuration file, and the node has been joined", name).
				With(checks.Quote(m)).At(evidence.Node.Field(s, "metadata", "name"),
				"the API server knows the node %s", name)
			f.Basis = checks.ByBoth
			return []checks.Finding{f}, nil
		}
	}
	return nil, checks.Unknown(gap)
}
