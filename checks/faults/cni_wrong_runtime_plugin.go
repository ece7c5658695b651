package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "cni-wrong-runtime-plugin",
	Title:    "CNI plugin uses the Docker HNS API under containerd",
	Healthy:  "CNI plugin uses the HNS API of the runtime",
	Category: checks.CategoryNetwork,
	Doc: `win-bridge and win-overlay have two ways to HNS. The first, which is their default, was
made for docker: for a pod's network namespace of containerd it looks for an endpoint that somebody
else should have made, and gives up with "failed to find HNSEndpoint". Under containerd the
configuration must say "apiVersion": 2, and the plugin must be new enough to know it; sdnbridge and
sdnoverlay support nothing else.

The check reads apiVersion of the configuration in effect. A plugin that is older than its
configuration shows only in its error message.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}",
			`Add "apiVersion": 2 to the section of the plugin (to delegate for flannel).`),
		checks.Do("Write the policies in the form of apiVersion 2, and use CNI plugins v0.8.6 or later."),
		checks.Do("With Calico, use a release of May 2021 or later, which supports containerd on Windows."),
		checks.Do("On EKS, use a Windows AMI of Kubernetes 1.21 or later: its plugin supports containerd.").
			Costs("The nodes are replaced."),
		checks.Run("{restart runtime}",
			"Restart the container runtime, so that it reads the file.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"new pods get an address")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/94924",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/102",
		"https://github.com/containernetworking/plugins/issues/713",
		"https://github.com/containernetworking/cni/issues/881",
		"https://github.com/containerd/containerd/issues/5892",
		"https://github.com/aws/amazon-vpc-cni-plugins/issues/56",
		"https://github.com/projectcalico/calico/issues/4334",
		"https://github.com/projectcalico/cni-plugin/pull/1054"},
	Breaks:  []*checks.Effect{effectPodStart, effectNodeReady},
	Applies: checks.OnRuntime("containerd"),
	Needs:   []evidence.Need{node.NeedCNIFiles, node.NeedRuntime},
	Uses:    []evidence.Need{evidence.Pods},
	Signs: []checks.Sign{
		// Plugins before 0.7 say so of a pod whose endpoint is gone when the pod is deleted; Antrea
		// says so of its own endpoints: pkg/agent/cniserver.
		{Text: "failed to find HNSEndpoint", Also: []string{"not found"},
			Not:  []string{"(delete)", "deprovision", "StopPodSandbox", "teardown", "antrea"},
			Says: "the CNI plugin uses the Docker HNS API and cannot find the pod's endpoint"},
		// vpc-shared-eni of EKS takes the namespace for the id of a container of docker
		{Text: "failed to parse netns ", Not: []string{"StopPodSandbox", "teardown", "(delete)"},
			Says: "the CNI plugin does not understand the network namespaces of containerd"},
		// Calico before cni-plugin pull request 1054, of April 2021; with docker, HNS that was restarted has the same text
		{Text: "_Calico not found", Also: []string{": Endpoint ", "failed to setup network for sandbox"},
			Says: "the CNI plugin uses the Docker HNS API and cannot find the pod's endpoint"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		f := node.About(s).Effective()
		if f == nil {
			return nil, checks.Unknown(evidence.NotShown.Gap("a CNI configuration"))
		}
		if f.Config == nil {
			return nil, checks.Unknown(evidence.Unreadable.Gap(f.File.Path, f.Err))
		}
		plugin := strings.ToLower(strings.TrimSuffix(strings.ToLower(f.Config.EffectiveType()),
			".exe"))
		if plugin != "win-bridge" && plugin != "win-overlay" {
			if _, told := liveSign(s, "cni-wrong-runtime-plugin"); told && plugin == "calico" {
				return nil, checks.Unknown(evidence.NotShown.Gap("the version of the plugin"))
			}
			return nil, nil
		}
		if f.Config.APIVersion >= 2 {
			if _, told := liveSign(s, "cni-wrong-runtime-plugin"); told {
				return nil, checks.Unknown(evidence.NotShown.Gap("the version of the plugin"))
			}
			return nil, nil
		}
		level, note := checks.Warn, evidence.Phrase{}
		_, told := liveSign(s, "cni-wrong-runtime-plugin")
		switch {
		case told || node.PodsUnhealthy(s):
			level = checks.Fail
		case slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
			return ownsAddress(p) && p.Ready()
		}):
			note = evidence.Phrasef("; the pods that run were made otherwise")
		}
		return []*checks.Finding{checks.Findingf(level, f.Name,
				"%s uses %s without \"apiVersion\": 2, which does not work under containerd%s",
				f.Name,
				plugin, note).
				At(f.TypeField(), "type is %s, apiVersion is %d", plugin,
					f.Config.APIVersion).With(node.About(s).Runtime.From).
				Cure(withFirst(fixOf("cni-wrong-runtime-plugin"),
					checks.EditAt(s, f.TypeField(),
						func(line string) string {
							return strings.Replace(line, `"type"`, `"apiVersion": 2, "type"`, 1)
						},
						`Add "apiVersion": 2 to the section of the plugin (to delegate for flannel).`)))},
			nil
	},
})
