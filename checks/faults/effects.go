package faults

import (
	"slices"

	"doctor/checks"
)

// These are the effects: what faults break on a node. Each is declared once, with what breaks along
// with it; the checks say what they break, show and judge. A fault that breaks an effect explains
// every check that shows it. So a fault that breaks only a part of what an effect stands for needs
// an effect of its own, or names what follows in Explains.

var effectKubeletStart = &checks.Effect{
	ID:       "kubelet-start",
	Name:     "starting the kubelet",
	Doc:      "The kubelet starts and does not exit at once.",
	Implies:  []*checks.Effect{effectKubelet},
	EndsWith: append(slices.Clone(agents), "kubelet"),
}

var effectKubelet = &checks.Effect{
	ID:   "kubelet",
	Name: "the kubelet",
	Doc: "The kubelet runs. Without it, no pod starts, components that run as pods included, and " +
		"the control plane gets no status of the node.",
	Implies: []*checks.Effect{effectFlanneld, effectNetworkAgent, effectKubeProxy, effectNodeReady,
		effectNodeReports, effectPodStart},
}

// agents are the services that run containerd, the kubelet and kube-proxy as their children.
var agents = []string{"rke2", "k3s"}

// startedByAgent is what breaks where the agent of RKE2 or K3s does not join: it starts containerd, the
// kubelet and kube-proxy after that.
var startedByAgent = []*checks.Effect{effectRuntime, effectKubeletStart, effectServiceRules}

var effectRuntime = &checks.Effect{
	ID:   "container-runtime",
	Name: "the container runtime",
	Doc:  "containerd or docker runs. The kubelet does not start or work without it.",
	Implies: []*checks.Effect{effectKubelet, effectFlanneld, effectNetworkAgent, effectKubeProxy,
		effectNodeReady, effectNodeReports, effectPodStart, effectRuntimePipe, effectKubeletStart},
	EndsWith: append(slices.Clone(agents), "containerd", "docker"),
}

var effectRuntimePipe = &checks.Effect{
	ID:   "runtime-pipe",
	Name: "the container runtime's pipe",
	Doc:  "The kubelet reaches the container runtime at the named pipe that it is configured with.",
	Implies: []*checks.Effect{effectKubelet, effectFlanneld, effectKubeProxy,
		effectNodeReady, effectPodStart, effectKubeletStart},
}

var effectNodeReports = &checks.Effect{
	ID:   "node-reports",
	Name: "the node's status reports",
	Doc: "The kubelet reports the status of the node to the control plane; without reports, the " +
		"node becomes NotReady.",
	Implies: []*checks.Effect{effectNodeReady},
}

var effectNodeReady = &checks.Effect{
	ID:   "node-ready",
	Name: "the Ready condition",
	Doc:  "The kubelet reports that the node is Ready.",
}

var effectNetworkCreation = &checks.Effect{
	ID:   "network-creation",
	Name: "creating the pod network",
	Doc: "flanneld, Calico or another agent creates the pod network in HNS, and gives the host an " +
		"address on it. Where the agent is a pod, its container restarts until it succeeds.",
	Implies: []*checks.Effect{effectFlanneld, effectNetworkAgent, effectSubnetEnv, effectHNSNetwork,
		effectHostAdapter, effectCNIConfig, effectPodStart, effectNodeReady, effectContainers},
}

var effectFlanneld = &checks.Effect{
	ID:   "flanneld",
	Name: "flanneld",
	Doc: "flanneld runs: it creates the HNS network, writes subnet.env and sets the routes to the " +
		"other nodes.",
	Implies: []*checks.Effect{effectSubnetEnv, effectHNSNetwork, effectRoutes,
		effectContainers},
	EndsWith: []string{"flanneld"},
}

var effectNetworkAgent = &checks.Effect{
	ID:   "network-agent",
	Name: "the network agent",
	Doc: "calico-node, antrea-agent or hybrid-overlay-node runs: it sets up the traffic of pods to other " +
		"nodes, and NetworkPolicies. Where it runs as a pod, its container restarts.",
	Implies:  []*checks.Effect{effectPodTraffic, effectContainers},
	EndsWith: []string{"calico-node", "antrea"},
}

var effectSubnetEnv = &checks.Effect{
	ID:   "subnet-env",
	Name: "flannel's subnet.env",
	Doc: "The file subnet.env is there, from which the flannel CNI plugin reads the subnet of the " +
		"node. Without it, no pod gets an address.",
	Implies: []*checks.Effect{effectPodStart},
}

var effectHNSNetwork = &checks.Effect{
	ID:   "hns-network",
	Name: "the HNS network of pods",
	Doc: "HNS has the network that pods attach to. Without it, pods get no endpoint, and " +
		"kube-proxy has no network for its rules.",
	Implies: []*checks.Effect{effectServiceRules, effectHostAdapter, effectSubnetEnv,
		effectCNIConfig, effectPodStart, effectNodeReady, effectKubeProxy, effectPodTraffic},
}

var effectHostAdapter = &checks.Effect{
	ID:   "host-adapter",
	Name: "the host's adapter on the pod network",
	Doc: "The host has a virtual adapter on the switch of the pod network. Without it, packets " +
		"between the host and pods are lost.",
	Implies: []*checks.Effect{effectRoutes, effectPodTraffic, effectNodePorts,
		effectPodStart, effectNodeReady},
}

var effectCNIConfig = &checks.Effect{
	ID:   "cni-config",
	Name: "the CNI configuration",
	Doc: "The container runtime has a CNI configuration. Without it, the node stays NotReady and " +
		"no pod gets a network.",
	Implies: []*checks.Effect{effectPodStart, effectNodeReady},
}

var effectKubeProxy = &checks.Effect{
	ID:   "kube-proxy",
	Name: "kube-proxy",
	Doc: "kube-proxy runs. Without it, Services and NodePorts get no rules; where it runs as a " +
		"pod, its container restarts.",
	Implies: []*checks.Effect{effectServices, effectNodePorts, effectDNSOverUDP,
		effectContainers},
	EndsWith: []string{"kube-proxy"},
}

var effectServiceRules = &checks.Effect{
	ID:       "service-rules",
	Name:     "kube-proxy's rules",
	Doc:      "HNS has a load balancer for each port of each Service, as kube-proxy sets it.",
	Implies:  []*checks.Effect{effectServices, effectNodePorts},
	EndsWith: agents,
}

var effectPodTraffic = &checks.Effect{
	ID:      "pod-traffic",
	Name:    "pod traffic",
	Doc:     "Packets of pods reach other pods, other nodes and the outside.",
	Implies: []*checks.Effect{effectServices, effectOutbound},
}

var effectRoutes = &checks.Effect{
	ID:   "node-routes",
	Name: "routes to the pods of other nodes",
	Doc:  "The node has a route to the pods of each other node.",
}

var effectServices = &checks.Effect{
	ID:      "services",
	Name:    "Services",
	Doc:     "Pods reach Services by their cluster IPs. The cluster DNS is one of them.",
	Implies: []*checks.Effect{effectClusterDNS},
}

var effectNodePorts = &checks.Effect{
	ID:   "node-ports",
	Name: "NodePorts",
	Doc:  "The node answers on the NodePorts of Services.",
}

var effectOutbound = &checks.Effect{
	ID:   "outbound-traffic",
	Name: "outbound traffic",
	Doc:  "Pods reach hosts outside of the cluster.",
}

var effectClusterDNS = &checks.Effect{
	ID:      "cluster-dns",
	Name:    "the cluster DNS",
	Doc:     "The servers of the cluster DNS answer pods.",
	Implies: []*checks.Effect{effectDNSNames},
}

var effectDNSOverUDP = &checks.Effect{
	ID:      "dns-over-udp",
	Name:    "DNS over UDP",
	Doc:     "DNS servers answer over UDP, which resolvers try first.",
	Implies: []*checks.Effect{effectDNSNames},
}

var effectDNSNames = &checks.Effect{
	ID:   "dns-names",
	Name: "Service names in DNS",
	Doc:  "Names of Services resolve in pods.",
}

var effectPodStart = &checks.Effect{
	ID:   "pod-start",
	Name: "starting pods",
	Doc:  "New pods get a sandbox, a network, volumes and images, and their containers start.",
}

var effectContainers = &checks.Effect{
	ID:   "running-containers",
	Name: "running containers",
	Doc:  "Containers that were started keep running.",
}
