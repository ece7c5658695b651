package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(checks.Check{
	ID:       "gke-windows-pool-prereq",
	Title:    "the GKE cluster lacks what a Windows node pool needs beside it",
	Category: checks.CategoryNode,
	Doc: `A Windows node pool of GKE cannot stand alone: the cluster's DNS and GKE's own agents
run on Linux only, so GKE refuses a Windows pool where no Linux pool is ready yet, as happens when
Terraform makes both at once, and a cluster whose last Linux nodes were scaled away loses its DNS.
From 1.24 on GKE also refuses node images with docker (WINDOWS_LTSC, WINDOWS_SAC), and wants those
with containerd.

The check looks for a Linux node in the list of the cluster's nodes. The refusal itself is printed
by gcloud or Terraform before there is any node, and is known only where somebody kept that output.`,
	Fix: checks.Steps(
		checks.Run("gcloud container node-pools list --cluster CLUSTER",
			"have a Linux node pool with at least one ready node before the Windows pool is made (in Terraform: depends_on), and use an image type with containerd"),
		checks.Run("gcloud container clusters resize CLUSTER --node-pool LINUX_POOL --num-nodes 1",
			""),
		checks.Run("gcloud container node-pools create windows --cluster CLUSTER --image-type WINDOWS_LTSC_CONTAINERD", "")),
	Links: []string{
		"https://cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows",
		"https://github.com/GoogleCloudPlatform/gke-poc-toolkit/issues/106",
		"https://github.com/rancher/dashboard/issues/10088",
		"https://github.com/terraform-google-modules/terraform-google-kubernetes-engine/issues/587"},
	Breaks:  []*checks.Effect{effectServices},
	Applies: checks.OnPlatform(node.GKECloud),
	Needs:   []evidence.Need{evidence.Nodes},
	Signs: []checks.Sign{
		{Text: "image families require at least one other Linux node pool",
			Says: "GKE refuses the Windows node pool: no Linux node pool is ready"},
		{Text: "node images based on Docker container runtimes is not supported",
			Says: "GKE refuses the Windows node pool: its image type comes with docker"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		list := evidence.Nodes.In(s)
		if len(list) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("any node of the cluster"))
		}
		if len(list) == 1 && list[0].Metadata.Name == node.About(s).Name.Value {
			return nil, checks.Unknown(evidence.NotShown.Gap("any other node of the cluster"))
		}
		linux, ready := 0, 0
		for _, node := range list {
			os := node.Metadata.Labels["kubernetes.io/os"]
			if os == "" && node.Status.NodeInfo.OperatingSystem == "" {
				return nil, checks.Unknown(evidence.NotShown.Gap("the operating system of node %s",
					node.Metadata.Name))
			}
			if os == "linux" || node.Status.NodeInfo.OperatingSystem == "linux" {
				linux++
				if c, told := node.Condition("Ready"); !told || c.Status == "True" {
					ready++
				}
			}
		}
		switch {
		case linux == 0:
			return []checks.Finding{checks.Findingf(checks.Fail, "cluster",
				"none of the cluster's %d nodes is a Linux node: its DNS and GKE's agents have nowhere to run", len(list)).
				At(evidence.Nodes.Field(s), "kubernetes.io/os is windows on all %d nodes",
					len(list))}, nil
		case ready == 0:
			return []checks.Finding{checks.Findingf(checks.Fail, "cluster",
					"none of the cluster's %d Linux nodes is Ready: its DNS and GKE's agents have nowhere to run", linux).
					At(evidence.Nodes.Field(s), "Ready is not True on any of %d Linux nodes",
						linux)},
				nil
		}
		return nil, nil
	},
})
