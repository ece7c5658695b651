package fleet

import (
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// poolLabels name the pool of a node, by who runs the cluster.
var poolLabels = []string{"kubernetes.azure.com/agentpool", "agentpool", "eks.amazonaws.com/nodegroup",
	"alpha.eksctl.io/nodegroup-name", "cloud.google.com/gke-nodepool", "karpenter.sh/nodepool",
	"rke.cattle.io/machine-pool-name", "cluster.x-k8s.io/deployment-name",
	"machine.openshift.io/machine-set", "node.kubernetes.io/pool", "pool"}

var zoneLabels = []string{"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"}

var sizeLabels = []string{"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"}

// ages are the classes of the time since a node joined.
var ages = []struct {
	below time.Duration
	name  string
}{{24 * time.Hour, "less than 1 day"}, {7 * 24 * time.Hour, "1 to 7 days"},
	{30 * 24 * time.Hour, "7 to 30 days"}, {90 * 24 * time.Hour, "30 to 90 days"},
	{1 << 62, "90 days or more"}}

// traits are what a node may have in common with others, of what is known of it.
func traits(facts checks.NodeFacts, n evidence.NodeObject, now time.Time) []Trait {
	list := []Trait{}
	add := func(name, value string) {
		if value = evidence.Clip(evidence.Clean(value), maxValue); value != "" {
			list = append(list, Trait{name, value})
		}
	}
	label := func(names []string) string {
		for _, name := range names {
			if value := n.Metadata.Labels[name]; value != "" {
				return value
			}
		}
		return ""
	}
	add("os", facts.OS)
	build := strings.SplitN(facts.Build, ".", 4) // 10.0.20348 and the monthly update
	add("build", strings.Join(build[:min(len(build), 3)], "."))
	if len(build) > 3 {
		add("update", facts.Build)
	}
	add("kubelet", facts.Kubelet)
	add("runtime", facts.Runtime)
	add("network", facts.Network)
	add("platform", facts.Platform)
	add("pool", label(poolLabels))
	add("zone", label(zoneLabels))
	add("size", label(sizeLabels))
	if n.Spec.Unschedulable {
		add("cordoned", "yes")
	}
	if joined := n.Metadata.CreationTimestamp; !joined.IsZero() && !now.IsZero() {
		for _, age := range ages {
			if now.Sub(joined.Time) < age.below {
				add("age", age.name)
				break
			}
		}
	}
	return list
}

const maxValue = 120
