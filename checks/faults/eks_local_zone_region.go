package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "eks-local-zone-region",
	Title:    "EKS node uses its local zone as its region",
	Healthy:  "EKS node uses the region of its cluster",
	Category: checks.CategoryNode,
	Doc: `The bootstrap script of older EKS images for Windows derives the region from the
availability zone by removing its last letter. In a local zone such as us-west-2-lax-1a the result
is us-west-2-lax-1, which is no region. The kubeconfig of the kubelet passes it to
aws-iam-authenticator, no token is issued, and the node does not join.

The check reads the region in the kubeconfig of the node.`,
	Fix: checks.Steps(
		checks.Edit(`C:\ProgramData\kubernetes\kubeconfig`, "Set --region to the region of the cluster, such as us-west-2."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Do("Update the image of the node group, or correct the file in the user data after the bootstrap."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/aws/containers-roadmap/issues/1147",
	},
	Breaks:  []*checks.Effect{effectNodeReports},
	Applies: checks.OnPlatform(node.EKS),
	Needs:   []evidence.Need{evidence.File(eksKubeconfig)},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		file := s.File(eksKubeconfig)
		number := 0
		for line := range strings.Lines(file.Text) {
			number++
			if zone := localZone.FindString(line); zone != "" {
				return []*checks.Finding{checks.Findingf(checks.Fail, eksKubeconfig,
					"the kubeconfig uses region %s, which is a local zone", zone).
					At(evidence.InLine(file.Path, number), "%s",
						strings.TrimSpace(line))}, nil
			}
		}
		return nil, nil
	},
})

const eksKubeconfig = `C:\ProgramData\kubernetes\kubeconfig`

// localZone is the name of a local zone without the letter at its end, as the bootstrap script
// leaves it: us-west-2-lax-1.
var localZone = regexp.MustCompile(`\b[a-z]{2}(-[a-z]+)+-\d-[a-z]{3}-\d\b`)
