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
	ID:       "gke-windows-pool-prereq",
	Title:    "GKE cluster has no Linux node pool for Windows nodes",
	Healthy:  "GKE cluster has a ready Linux node",
	Category: checks.CategoryNode,
	Doc: `A Windows node pool of GKE requires a Linux node pool: cluster DNS and GKE agents run on
Linux only. GKE refuses a Windows pool if no Linux pool is ready yet, for example when Terraform
creates both at once. A cluster whose last Linux nodes were scaled down loses its DNS. From 1.24 on
GKE also refuses node images with docker (WINDOWS_LTSC, WINDOWS_SAC), and requires those with
containerd.

The check looks for a Linux node in the list of the cluster's nodes. The refusal itself is printed
by gcloud or Terraform before there is any node, and is known only if that output was kept.`,
	Fix: checks.Steps(
		checks.Run("gcloud container clusters resize CLUSTER --node-pool LINUX_POOL --num-nodes 1",
			"Give the cluster a Linux node pool with at least one ready node."),
		checks.Run("gcloud container node-pools create windows --cluster CLUSTER --image-type WINDOWS_LTSC_CONTAINERD",
			"If GKE refused the Windows pool, create it again with a containerd image type."),
		checks.Do("In Terraform, make the Windows pool depend on the Linux pool (depends_on)."),
		checks.Verify("kubectl get nodes -l kubernetes.io/os=linux",
			"at least one node with STATUS Ready")),
	Links: []string{
		"https://cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows",
		"https://github.com/GoogleCloudPlatform/gke-poc-toolkit/issues/106",
		"https://github.com/rancher/dashboard/issues/10088",
		"https://github.com/terraform-google-modules/terraform-google-kubernetes-engine/issues/587"},
	Breaks:  []*checks.Effect{effectServices},
	Applies: checks.OnPlatform(node.GKECloud),
	Needs:   []evidence.Need{evidence.Nodes},
	Uses:    []evidence.Need{evidence.PodEvents},
	Signs: []checks.Sign{
		{Text: "image families require at least one other Linux node pool",
			Says: "GKE refuses the Windows node pool: no Linux node pool is ready"},
		{Text: "node images based on Docker container runtimes is not supported",
			Says: "GKE refuses the Windows node pool: its image type uses Docker"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		list, linux, ready, err := linuxNodes(s)
		if err != nil {
			return nil, err
		}
		switch {
		case linux == 0:
			return []*checks.Finding{checks.Findingf(checks.Fail, "cluster",
				"None of the cluster's %d nodes runs Linux: cluster DNS and GKE agents require one",
				len(list)).
				At(evidence.Nodes.Field(s), "kubernetes.io/os is windows on all %d nodes",
					len(list))}, nil
		case ready == 0:
			return []*checks.Finding{checks.Findingf(checks.Fail, "cluster",
					"None of the cluster's %d Linux nodes is Ready: cluster DNS and GKE agents require one", linux).
					At(evidence.Nodes.Field(s), "Ready is not True on any of %d Linux nodes",
						linux)},
				nil
		}
		return nil, nil
	},
})

// linuxNodes lists the nodes of the cluster, and counts those that run Linux, and of these the Ready
// ones. It is Unknown where there may be others, or one does not show its operating system.
func linuxNodes(s evidence.Snapshot) (list []evidence.NodeObject, linux, ready int, err error) {
	list = evidence.Nodes.In(s)
	if len(list) == 0 {
		return nil, 0, 0, checks.Unknown(evidence.NotShown.Gap("any node of the cluster"))
	}
	if len(list) == 1 && list[0].Metadata.Name == node.About(s).Name.Value && !onlyOneNode(s) {
		return nil, 0, 0, checks.Unknown(evidence.NotShown.Gap("any other node of the cluster"))
	}
	for _, o := range list {
		os := cmp.Or(o.Status.NodeInfo.OperatingSystem, o.Metadata.Labels["kubernetes.io/os"])
		if os == "" {
			return nil, 0, 0, checks.Unknown(evidence.NotShown.Gap("the operating system of node %s", o.Metadata.Name))
		}
		if os == "linux" {
			linux++
			if c, told := o.Condition("Ready"); !told || c.Status == "True" {
				ready++
			}
		}
	}
	return list, linux, ready, nil
}

// onlyOneNode tells whether the scheduler counted one node in the whole cluster: a recording may
// hold the Node object of its own node only.
func onlyOneNode(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.PodEvents.In(s), func(e evidence.Event) bool {
		return e.Reason == "FailedScheduling" && strings.HasPrefix(e.Text(), "0/1 nodes are available")
	})
}
