package faults

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "linux-node-missing",
	Title:    "Cluster has no Linux node for CoreDNS",
	Healthy:  "Cluster has a ready Linux node",
	Category: checks.CategoryDNS,
	Doc: `CoreDNS and most programs of kube-system run on Linux only. Where the provider runs the control
plane, no Linux node is there until one is added: in a cluster that has only a Windows node group,
or whose Linux nodes were scaled to zero or are stopped, these pods stay Pending, and no name resolves in
pods.

The check looks for a ready Linux node in the list of all nodes of a cluster of AKS or EKS, and for
endpoints of the cluster DNS. If an endpoint names a node that is not in the list, the list is not complete
and is not judged. Tables of kubectl may show a part of the cluster: Windows nodes alone, and no pod of
kube-system with a node, are a warning. On GKE, gke-windows-pool-prereq checks this.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get nodes -L kubernetes.io/os", "Check which nodes run Linux, and whether they are Ready."),
		checks.Do("Start the Linux nodes, or add some: with eksctl create nodegroup on EKS, with az aks nodepool scale or add on AKS.").
			Costs("The provider charges for the nodes."),
		checks.Verify("kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide",
			"the pods of CoreDNS are Running")),
	Links: []string{
		"https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html",
		"https://learn.microsoft.com/en-us/azure/aks/use-system-pools",
		"https://github.com/Azure/AKS/issues/121",
	},
	Breaks:  []*checks.Effect{effectClusterDNS},
	Applies: checks.UnlessElsewhere(node.AKS, node.EKS),
	Needs:   []evidence.Need{evidence.Nodes},
	Uses: slices.Concat(node.ClusterSources, []evidence.Need{evidence.PodEvents, evidence.Pods,
		evidence.KubeServices, evidence.EndpointSlices}),
	FromPart: []evidence.Need{evidence.Pods},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if f := pendingWithoutLinux(s); f != nil {
			return []*checks.Finding{f}, nil
		}
		if platform := node.About(s).Platform; !platform.Known() {
			return nil, checks.Unknown(cmp.Or(platform.Gap, evidence.NotShown.Gap("who set this node up")))
		}
		list, linux, ready, err := linuxNodes(s)
		if err != nil || ready > 0 {
			return nil, err
		}
		for _, needs := range []evidence.Need{evidence.KubeServices, evidence.EndpointSlices} {
			if gap := needs.Gap(s); gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
		}
		for _, slice := range evidence.EndpointSlices.In(s) {
			for _, e := range slice.Endpoints {
				if e.Node() != "" && !slices.ContainsFunc(list, func(o evidence.NodeObject) bool {
					return o.Metadata.Name == e.Node()
				}) {
					return nil, checks.Unknown(evidence.NotShown.Gap("node %s, which an endpoint names", e.Node()))
				}
			}
		}
		for _, svc := range evidence.KubeServices.In(s) {
			if !node.IsClusterDNS(svc) {
				continue
			}
			recorded := false
			for slice := range svc.Slices(s) {
				recorded = true
				if slices.ContainsFunc(slice.Endpoints, evidence.ServiceEndpoint.Ready) {
					return nil, checks.Skip("the cluster DNS of this cluster needs no Linux node")
				}
			}
			if !recorded {
				return nil, checks.Unknown(evidence.NotShown.Gap("the endpoints of Service %s", svc.FullName()))
			}
			f := checks.Findingf(checks.Fail, "cluster", "none of the cluster's %d nodes runs Linux, and Service %s has no ready endpoint", len(list), svc.FullName())
			if linux > 0 {
				f = checks.Findingf(checks.Fail, "cluster", "none of the cluster's %d Linux nodes is Ready, and Service %s has no ready endpoint", linux, svc.FullName())
			}
			return []*checks.Finding{f.At(evidence.Nodes.Field(s), "%d nodes, %d of them with Linux", len(list), linux).
				At(svc.Field("spec"), "%s: no ready endpoint", svc.FullName())}, nil
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("the Service of the cluster DNS"))
	},
})

// pendingWithoutLinux is about rows of kubectl, which show a pod of kube-system without a node only
// where none of them has one: that of DNS is among them, and no node that is listed runs Linux.
func pendingWithoutLinux(s evidence.Snapshot) *checks.Finding {
	list, pods := evidence.Nodes.In(s), evidence.Pods.In(s)
	i := slices.IndexFunc(pods, func(p evidence.Pod) bool {
		return len(p.Spec.Containers) == 0 && p.Metadata.Annotations[evidence.DescribedPod] == "" &&
			p.Spec.NodeName == "" && p.Status.Phase == "Pending" && dnsPodName.MatchString(p.FullName())
	})
	if i < 0 || len(list) == 0 || slices.ContainsFunc(list, func(o evidence.NodeObject) bool {
		return !evidence.NamesWindows(o.Metadata.Name) && !strings.HasPrefix(o.Status.NodeInfo.OSImage, "Windows")
	}) {
		return nil
	}
	return checks.Findingf(checks.Warn, "cluster", "no pod of kube-system has a node, and none of the %d nodes that are listed runs Linux", len(list)).
		At(evidence.Nodes.Field(s), "%d nodes, none with Linux", len(list)).
		At(pods[i].Field("status", "phase"), "%s: Pending, without a node", pods[i].FullName())
}

var dnsPodName = regexp.MustCompile(`^kube-system/(?:coredns|kube-dns)-`)
