package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const kubeletKubeconfig = `C:\etc\kubernetes\kubelet.conf`

var _ = register(&checks.Check{
	ID:       "kubelet-config-missing",
	Title:    "kubelet configuration file is missing",
	Healthy:  "kubelet configuration file exists",
	Category: checks.CategoryComponents,
	Doc: `The flag --config specifies the kubelet's configuration file, for kubeadm
C:\var\lib\kubelet\config.yaml. The kubelet exits at its start when the file does not exist. kubeadm
join writes the file: before the join the kubelet exits in a loop, which is expected. After the
join, a missing file means that it was deleted, that the join was interrupted, or that the flag
names another path.

A node that the API server knows, or that has a kubelet.conf, has been joined. The log line alone
does not show whether the join has happened, so it is reported as info only.`,
	Fix: checks.Steps(
		checks.Run("kubeadm upgrade node phase kubelet-config",
			"Write the configuration file again from the cluster's configuration."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/reference/setup-tools/kubeadm/implementation-details/",
		"https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/adding-windows-nodes/"},
	Breaks: []*checks.Effect{effectKubeletStart, effectNodeReports},
	Needs:  []evidence.Need{evidence.Any(node.NeedKubeletFlags, evidence.Logs("kubelet"))},
	Uses: append(slices.Clone(node.KubeletSources), evidence.Node,
		evidence.File(kubeletKubeconfig), evidence.FileIndex),
	Signs: []checks.Sign{
		{Text: "failed to load kubelet config file", Level: checks.Info,
			// A file that is there and wrong is another fault, before the join and after it.
			Not: []string{"failed to decode", "strict decoding", "unmarshal", "no kind \"",
				"no kind \\\"", "was empty"},
			Until: nodeRegistered,
			Says:  "the kubelet cannot read its configuration file: expected before kubeadm join, a fault after it"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if gap := node.NeedKubeletFlags.Gap(s); gap.Kind != "" {
			return joinedWithoutConfig(s, gap)
		}
		flag, ok := n.KubeletFlag("config")
		if !ok || flag.Value == "" {
			if f, err := joinedWithoutConfig(s, evidence.Gap{}); err == nil {
				return f, nil // its flags stand where nobody looked
			}
			if !slices.ContainsFunc(n.KubeletFlags, func(f node.Flag) bool { return f.Live }) {
				return nil, checks.Unknown(evidence.NotShown.Gap("the kubelet's flag --config"))
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
			"kubelet configuration file %s is missing", flag.Value).
			With(flag.From).At(evidence.FileRecordField(s, flag.Value, "outcome"), "%s: absent",
			flag.Value)
		switch n.Platform.Value {
		case node.AKS, node.EKS, node.GKECloud, node.OpenShift:
			f = f.Cure(setUpAgain(n.Platform.Value, flag.Value))
		}
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
		return []*checks.Finding{f}, nil
	},
})

// setUpAgain is the fix where the set-up of a platform writes the file, and not kubeadm.
func setUpAgain(platform node.Platform, file string) checks.Fix {
	return checks.Steps(
		checks.Edit(file, "Write the file again, from another Windows node of the same node pool."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Do("If no other node has it, replace the node: the setup of %s writes the file when it creates a node.", string(platform)).
			Costs("The pods of the node move to other nodes."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready"))
}

// joinedWithoutConfig judges by the log where the flags are not recorded: a node
// that the API server knows has been joined, and should have the file.
func joinedWithoutConfig(s evidence.Snapshot, gap evidence.Gap) ([]*checks.Finding, error) {
	name := evidence.Node.In(s).Metadata.Name
	for _, m := range s.Signs("kubelet-config-missing") {
		if m.Over == "" && name != "" {
			f := checks.Findingf(checks.Fail, "kubelet",
				"the kubelet of %s cannot read its configuration file (the node has joined the cluster)", name).
				With(checks.Quote(m)).At(evidence.Node.Field(s, "metadata", "name"),
				"the API server knows the node %s", name)
			f.Basis = checks.ByBoth
			return []*checks.Finding{f}, nil
		}
	}
	return nil, checks.Unknown(gap)
}
