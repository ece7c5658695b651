package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// nodeBecameReady are the kubelet's texts that the node's network has come up.
var nodeBecameReady = []string{"Fast updating node status as it just became ready",
	"status is now: NodeReady"}

// startOfNetwork is how long the kubelet may wait for a network plugin that is being started.
const startOfNetwork = 30 * time.Second

var _ = register(&checks.Check{
	ID:       "cni-config-uninitialized",
	Title:    "Container runtime has no CNI configuration",
	Healthy:  "Container runtime has a CNI configuration",
	Category: checks.CategoryNetwork,
	FAQ:      []int{1},
	Doc: `The runtime, not the kubelet, reads the CNI configuration, from one folder. While that
holds no .conf, .conflist or .json file, the node stays NotReady with "cni plugin not initialized"
(containerd) or "cni config uninitialized" (docker). Either the plugin was never installed, its
DaemonSet cannot start, or it writes into another folder than the runtime reads. Before kubeadm join
it is expected.

containerd's own default on Windows is C:\Program Files\containerd\cni\conf; a path such as
/etc/cni/net.d in its configuration means C:\etc\cni\net.d.`,
	Fix: checks.Steps(
		checks.Run("{restart network agent}",
			"Restart the network agent, so that it writes its configuration to {cniDir}. If it does not, repair the CNI plugin.").
			Costs("The node loses its network for a few seconds if the agent creates the HNS network."),
		checks.Edit("{runtimeConfig}",
			"Set conf_dir to the folder of the plugin, if the plugin writes to another one than {cniDir}."),
		checks.Run("{restart runtime}", "Restart the container runtime.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/61"},
	Judges: effectCNIConfig,
	// the plugin makes the network too
	Explains: []string{"kubeproxy-network-name-unset-or-missing"},
	Needs:    []evidence.Need{evidence.Any(evidence.Node, evidence.CRI, node.NeedCNIFiles)},
	Uses:     slices.Concat(cniConfigSources, joinSources),
	Signs: []checks.Sign{
		// containerd and the kubelet say so at each start, until the network plugin's pod has
		// written its configuration.
		// containerd says it again each time somebody writes a file beside the configuration that is
		// still to come, such as Calico's kubeconfig: https://github.com/rancher/rke2/issues/4742
		{Text: "cni plugin not initialized", Not: []string{"during init", "fs change event"},
			In: outsideNode, Until: nodeBecameReady,
			Says: "the runtime reports that its CNI plugin is not initialized"},
		{Text: "failed to load cni during init", Or: []string{
			"failed to reload cni configuration after receiving fs change event"}, ConfirmOnly: true},
		{Text: "cni config uninitialized", In: outsideNode, Until: nodeBecameReady,
			Lasts: startOfNetwork,
			Says:  "docker reports that its CNI configuration is not initialized"},
		{Text: "Unable to update cni config: No networks found", Or: []string{ // 1.21 to 1.23
			`"Unable to update cni config" err="no networks found`}, Until: nodeBecameReady,
			Lasts: startOfNetwork,
			Says:  "the kubelet cannot find a CNI configuration"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, err := noCNIConfig(s)
		if len(findings) > 0 && beforeJoin(s) {
			f := findings[0]
			f.Level, f.Format, f.Args = checks.Info, "%s: expected before kubeadm join",
				[]any{evidence.Phrasef(f.Format, f.Args...)}
		}
		return findings, err
	},
})

var cniConfigSources = slices.Concat([]evidence.Need{evidence.Node, evidence.CRI}, node.CNIFolders,
	node.AsFiles(node.CNIFolderPaths), node.RuntimeConfigs)

func noCNIConfig(s evidence.Snapshot) ([]*checks.Finding, error) {
	n := node.About(s)
	object := evidence.Node.In(s)
	if c, ok := object.Condition("Ready"); ok {
		for _, words := range []string{"cni plugin not initialized",
			"cni config uninitialized"} {
			if c.Status != "True" && strings.Contains(c.Message, words) {
				f := checks.Findingf(checks.Fail, "CNI configuration",
					"the node is not Ready because the runtime has no usable CNI configuration (%s)", words).
					At(object.ConditionField("Ready", "message"), "Ready is %s: %s", c.Status,
						c.Message)
				return []*checks.Finding{withFolder(s, n, f)}, nil
			}
		}
		if c.Status == "True" {
			return nil, nil
		}
	}
	for i, c := range evidence.CRI.In(s).Status.Conditions {
		if c.Type == "NetworkReady" {
			if c.Status {
				return nil, nil
			}
			f := checks.Findingf(checks.Fail, "CNI configuration",
				"the runtime's network is not ready: %s", orUnknown(c.Message)).
				At(evidence.CRI.Field(s, "status", "conditions", i),
					"NetworkReady is false: %s: %s", c.Reason, c.Message)
			return []*checks.Finding{withFolder(s, n, f)}, nil
		}
	}
	if len(n.CNIFiles) > 0 {
		return nil, nil
	}
	if !n.CNIDir.Known() {
		return nil, checks.Unknown(n.CNIDir.Gap)
	}
	for _, dir := range node.CNIFolderPaths {
		if files := evidence.CNIFiles(s.FilesIn(dir)); len(files) > 0 {
			return []*checks.Finding{checks.Findingf(checks.Fail, n.CNIDir.Value,
				"the runtime reads %s, which has no CNI configuration; %s is in %s",
				n.CNIDir.Value, files[0], dir).
				With(n.CNIDir.From).At(evidence.InFile(evidence.EvidencePath(dir)+"/"+files[0]),
				"is there").Cure(useFolder(dir))}, nil
		}
	}
	if dir := s.File(n.CNIDir.Value); dir.Gap.Kind == evidence.Absent {
		return []*checks.Finding{checks.Findingf(checks.Fail, n.CNIDir.Value,
			"the runtime reads the folder %s, which is missing", n.CNIDir.Value).
			With(n.CNIDir.From).At(evidence.InFile(dir.Path), "looked for, and absent")}, nil
	}
	return nil, checks.Unknown(evidence.NotShown.Gap("whether %s holds a file", n.CNIDir.Value))
}

func withFolder(s evidence.Snapshot, n *node.Node, f *checks.Finding) *checks.Finding {
	for _, dir := range node.CNIFolderPaths {
		if n.CNIDir.Known() && !strings.EqualFold(evidence.CleanWinPath(n.CNIDir.Value), dir) &&
			len(evidence.CNIFiles(s.FilesIn(dir))) > 0 {
			f = f.Cure(useFolder(dir))
			break
		}
	}
	if n.CNIDir.Known() {
		return f.With(n.CNIDir.From)
	}
	return f
}

// useFolder points the runtime to the folder that has a configuration.
func useFolder(dir string) checks.Fix {
	fix := fixOf("cni-config-uninitialized")
	return checks.Steps(append([]*checks.Step{checks.Edit("{runtimeConfig}",
		"Set conf_dir to %s, which has a CNI configuration.", dir)}, fix.Steps[2:]...)...)
}

// outsideNode is where the words stand besides the Node's condition, which Run
// reads as state and which would only confirm itself.
var outsideNode = []string{"kubelet", "containerd", "docker", "cni", evidence.InEvents,
	evidence.InPodEvents}
