package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubeadm-flags-ignored",
	Title:    "kubelet is started without the flags of kubeadm",
	Healthy:  "kubelet is started with the flags of kubeadm",
	Category: checks.CategoryComponents,
	Doc: `kubeadm and Cluster API write the flags of this node (kubeletExtraArgs) to
C:\var\lib\kubelet\kubeadm-flags.env. Windows has no environment files for services: only a start script that
reads the file passes them on. A service that runs kubelet.exe with a fixed command line drops them: the
node is Ready, but without its labels, its node IP, or a providerID. Images of image-builder with
windows_service_manager=windows_service do this.

The check compares the file with the command line of the running kubelet, for the flags that have no
counterpart in its configuration file, and with what the Node has. A flag whose effect the Node shows is not
reported. Where a start script reads the file, a difference is reported by settings-not-applied.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content C:\var\lib\kubelet\kubeadm-flags.env; sc.exe qc kubelet`,
			"Compare the flags of kubeadm with the command line of the service."),
		checks.Do("Start the kubelet by a script that reads kubeadm-flags.env (StartKubelet.ps1 of sig-windows-tools with nssm). Or add the flags to the command line of the service with sc.exe config."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").Costs("Running containers are not affected."),
		checks.Do("Taints, and the taint of the cloud provider, are set only when a node registers: delete the Node, and restart the kubelet again. With Cluster API, fix the image and replace the machine.").
			Costs("The pods of the node are recreated."),
		checks.Verify("kubectl get node {node} -o jsonpath='{.spec.providerID} {.metadata.labels}'",
			"the providerID and the labels")),
	Links: []string{
		"https://github.com/kubernetes-sigs/image-builder/issues/2011",
		"https://github.com/kubernetes-sigs/image-builder/pull/526",
		"https://github.com/kubernetes/kubernetes/pull/88287",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Node, evidence.Processes},
	Uses:   slices.Concat(node.KubeletSources, []evidence.Need{evidence.FileIndex}),
	Signs: []checks.Sign{
		// cloud-node-manager of Azure: pkg/nodemanager
		{Text: "is registered without the cloud taint. Will not process.", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		file := s.File(flagsOfKubeadm)
		flags := evidence.ParseFlags(evidence.KubeadmFlags(file.Text))
		if file.Gap.Kind == evidence.Absent || file.Gap.Kind == "" && len(flags.Names()) == 0 {
			return nil, checks.Skip("kubeadm has written no flags of the kubelet for this machine")
		}
		if file.Gap.Kind != "" {
			return nil, checks.Unknown(file.Gap)
		}
		run := slices.IndexFunc(n.Components["kubelet"].Processes, func(p evidence.Process) bool { return len(p.Args) > 0 })
		if run < 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the command line of the running kubelet"))
		}
		p := n.Components["kubelet"].Processes[run]
		for _, svc := range n.Components["kubelet"].Services {
			script := evidence.StartScript(svc.Args)
			if script == "" {
				continue
			}
			f := s.File(script)
			if strings.Contains(strings.ToLower(f.Text), "kubeadm-flags") {
				return nil, checks.Skip("the start script of the kubelet reads kubeadm-flags.env") // settings-not-applied compares them
			}
			if f.Gap.Kind != "" || includes.MatchString(f.Text) {
				return nil, checks.Unknown(cmp.Or(f.Gap, evidence.NotShown.Gap("whether the start script reads kubeadm-flags.env")))
			}
		}
		given := evidence.ParseFlags(n.Components["kubelet"].OwnArgs(p.Args))
		var findings []*checks.Finding
		for _, want := range []struct {
			flag    string
			missing func(value string, n evidence.NodeObject) (evidence.Because, bool)
		}{
			{"cloud-provider", lacksProviderID}, {"node-labels", lacksLabel}, {"node-ip", lacksAddress},
		} {
			value, set := flags.Get(want.flag)
			if !set || value == "" || given.Has(want.flag) {
				continue
			}
			why, missing := want.missing(value, evidence.Node.In(s))
			if !missing {
				continue
			}
			findings = append(findings, checks.Findingf(checks.Fail, "--"+want.flag,
				"the kubelet is started without --%s=%s, which kubeadm wrote to %s", want.flag, value, flagsOfKubeadm).
				At(evidence.InLine(file.Path, 1), "--%s=%s", want.flag, value).
				At(p.Field("args"), "%s (PID %d) has no --%s", p.Name, p.PID, want.flag).With(why))
		}
		return findings, nil
	},
})

// lacksProviderID: the cloud controller manager sets it for a node that asks for one.
func lacksProviderID(value string, n evidence.NodeObject) (evidence.Because, bool) {
	return n.Field("spec", "providerID").Because("spec.providerID: not set"), value == "external" && n.Spec.ProviderID == ""
}

// lacksLabel is the first of the labels that the Node does not have.
func lacksLabel(value string, n evidence.NodeObject) (evidence.Because, bool) {
	for label := range strings.SplitSeq(value, ",") {
		name, want, ok := strings.Cut(strings.TrimSpace(label), "=")
		if _, has := n.Metadata.Labels[name]; ok && !has {
			return n.Field("metadata", "labels").Because("the Node has no label %s=%s", name, want), true
		}
	}
	return evidence.Because{}, false
}

// lacksAddress tells that the Node has none of the addresses.
func lacksAddress(value string, n evidence.NodeObject) (evidence.Because, bool) {
	if len(n.Status.Addresses) == 0 || strings.ContainsAny(value, "$:") || value == "0.0.0.0" {
		return evidence.Because{}, false
	}
	for _, a := range n.Status.Addresses {
		if slices.Contains(strings.Split(value, ","), a.Address) {
			return evidence.Because{}, false
		}
	}
	return n.Field("status", "addresses").Because("the Node has no address %s", value), true
}
