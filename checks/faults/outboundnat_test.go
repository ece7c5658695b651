package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// bridgeConf is flannel's configuration with a delegate that keeps these exceptions.
func bridgeConf(exceptions ...string) string {
	return "-- files/C/k/cni/config/cni.conf --\n{\"cniVersion\":\"0.2.0\",\"name\":\"cbr0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"win-bridge\",\"policies\":[\n" +
		"{\"Name\":\"EndpointPolicy\",\"Value\":{\"Type\":\"OutBoundNAT\",\"ExceptionList\":[" +
		quoted(exceptions) + "]}}]}}\n"
}

// podEndpoint is an HNS endpoint of a pod of this node with these exceptions.
func podEndpoint(exceptions ...string) string {
	return "-- hns-endpoints.json --\n[{\"ID\":\"E\",\"Name\":\"web\",\"VirtualNetworkName\":\"cbr0\",\"IPAddress\":\"10.244.2.5\",\"Policies\":[{\"Type\":\"OutBoundNAT\",\"ExceptionList\":[" + quoted(exceptions) + "]}]}]\n"
}

func quoted(list []string) string {
	var q []string
	for _, s := range list {
		q = append(q, fmt.Sprintf("%q", s))
	}
	return strings.Join(q, ",")
}

// kubeadm is what kubeadm knows of the cluster's networks.
const kubeadm = "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\",\"namespace\":\"kube-system\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  podSubnet: 10.244.0.0/16\\n  serviceSubnet: 10.96.0.0/12\\n\"}}]}\n"

const nodeAddress = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"10.20.30.21\"}]}}\n"

func TestOutboundNATExceptionMissing(t *testing.T) {
	const pods, services, nodes = "10.244.0.0/16", "10.96.0.0/12", "10.20.30.0/24"
	v2 := func(version string) string {
		return "-- files/C/etc/cni/net.d/10-bridge.conf --\n{\"name\":\"l2\",\"type\":\"win-bridge\"" + version + ",\"policies\":[\n" +
			"{\"name\":\"EndpointPolicy\",\"value\":{\"Type\":\"OutBoundNAT\",\"Settings\":{\"Exceptions\":[\"10.244.0.0/16\",\"10.96.0.0/12\"]}}}]}\n"
	}
	const dns = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"kube-dns\",\"namespace\":\"kube-system\"},\"spec\":{\"clusterIP\":\"10.96.0.10\"}}]}\n"
	gke := func(route string) string {
		return "-- files/C/etc/kubernetes/cni/config/l2bridge.conf --\n{\"name\":\"l2bridge\",\"type\":\"sdnbridge\",\"AdditionalArgs\":[\n" +
			"{\"Name\":\"EndpointPolicy\",\"Value\":{\"Type\":\"OutBoundNAT\",\"Settings\":{\"Exceptions\":[\"10.0.0.0/9\",\"10.244.0.0/16\"]}}}" +
			route + "]}\n"
	}
	sdnRoute := func(prefix string) string {
		return ",\n{\"Name\":\"EndpointPolicy\",\"Value\":{\"Type\":\"SDNRoute\",\"Settings\":{\"DestinationPrefix\":\"" +
			prefix + "\",\"NeedEncap\":true}}}"
	}
	const wide = "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\",\"namespace\":\"kube-system\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  podSubnet: 10.244.0.0/16\\n  serviceSubnet: 34.118.224.0/20\\n\"}}]}\n"
	const clusterCIDR = "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\",\"namespace\":\"kube-system\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  podSubnet: 10.244.0.0/16\\n\"}}]}\n"
	azure := func(exception string) string {
		return "-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"cniVersion\":\"0.3.0\",\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\",\"mode\":\"bridge\",\"AdditionalArgs\":[{\"Name\":\"EndpointPolicy\",\"Value\":{\"Type\":\"OutBoundNAT\",\"ExceptionList\":[\"" + exception + "\"]}}]}]}\n"
	}
	pools := func(own, other string) string {
		object := func(name, ip string) string {
			return `{"metadata":{"name":"` + name + `"},"status":{"addresses":[{"type":"InternalIP","address":"` + ip + `"}]}}`
		}
		return "-- api/node.json --\n" + object("win-1", own) + "\n-- api/nodes.json --\n{\"items\":[" + object("pool-1", other) + "," + object("win-1", own) + "]}\n"
	}
	runLooks(t, "outboundnat-exception-missing", []look{
		{"GKE puts the service CIDR into a route policy", wide + gke(sdnRoute("34.118.224.0/20")),
			"pass"},
		{"GKE without that route", wide + gke(""),
			"fail: The service CIDR 34.118.224.0/20 is missing from the OutBoundNAT exceptions of l2bridge.conf [state]"},
		{"GKE with a route for a part of it, which route-policy-missing reports",
			wide + gke(sdnRoute("34.118.224.0/24")), "pass"},
		{"aks-engine puts the service CIDR into a route policy", clusterCIDR + "-- files/C/k/cni/config/a.conf --\n" + aksEngineConf + "\n", "pass"},
		{"the same with the gateway of the pods", clusterCIDR + "-- files/C/k/cni/config/a.conf --\n" +
			strings.Replace(aksEngineConf, `"GW":"10.240.0.1"`, `"GW":"10.244.2.2"`, 1) + "\n",
			"fail: The service CIDR 10.0.0.0/16 is missing from the OutBoundNAT exceptions of a.conf [state]"},
		{"Azure CNI with a pool of nodes in another subnet of the VNet (Azure/aks-engine#901)", azure("10.224.4.0/22") + replace(clusterCIDR, "10.244.0.0/16", "10.224.4.0/22") + pools("10.224.4.35", "10.224.64.4"),
			"warn: the OutBoundNAT exceptions of 10-azure.conflist have the subnet of this node, but not the one of node pool-1 (10.224.64.4) [state]"},
		{"Azure CNI, and nobody asked for the other nodes", azure("10.224.4.0/22") + replace(clusterCIDR, "10.244.0.0/16", "10.224.4.0/22") +
			strings.Split(pools("10.224.4.35", ""), "-- api/nodes.json")[0], "unknown"},
		{"Azure CNI with the whole VNet", azure("10.224.0.0/12") + replace(clusterCIDR, "10.244.0.0/16", "10.224.4.0/22") + pools("10.224.4.35", "10.224.64.4"), "pass"},
		{"Azure CNI Overlay, whose list has no node", azure("10.244.0.0/16") + clusterCIDR + pools("10.224.4.35", "10.224.64.4"), "pass"},
		{"all three", kubeadm + nodeAddress + bridgeConf(pods, services, nodes), "pass"},
		{"a broader entry holds them", kubeadm + bridgeConf("10.0.0.0/8"), "pass"},
		{"two of one address (Azure/application-gateway-kubernetes-ingress#535)", kubeadm + bridgeConf(services, "10.240.0.0/16", "10.240.0.0/12"),
			"info: exceptions 10.240.0.0/16 and 10.240.0.0/12 of cni.conf begin with the same address: Windows may apply only the first [state]"},
		{"the first is the larger", kubeadm + bridgeConf(services, "10.240.0.0/12", "10.240.0.0/16"), "pass"},
		{"the documentation's third is only told", kubeadm + nodeAddress + bridgeConf(pods,
			services),
			"info: The node's subnet (10.20.30.21) is not among the exceptions: normal if the subnet contains hosts outside the cluster [state]"},
		{"no service CIDR", kubeadm + bridgeConf(pods),
			"fail: The service CIDR 10.96.0.0/12 is missing from the OutBoundNAT exceptions of cni.conf [state]"},
		{"a part of the cluster CIDR", kubeadm + bridgeConf("10.244.2.0/24", services),
			"fail: The cluster CIDR 10.244.0.0/16 is missing from the OutBoundNAT exceptions of cni.conf [state]"},
		{"the file and a pod lack the same", kubeadm + bridgeConf(pods) + podEndpoint(pods),
			"fail: The service CIDR 10.96.0.0/12 is missing from the OutBoundNAT exceptions of cni.conf [state]"},
		{"the file is right, and a pod is from before", kubeadm + bridgeConf(pods, services) +
			podEndpoint(),
			"warn: endpoint web (10.244.2.5) has outdated OutBoundNAT exceptions without the cluster CIDR 10.244.0.0/16: recreate its pod [state]\n" +
				"warn: endpoint web (10.244.2.5) has outdated OutBoundNAT exceptions without the service CIDR 10.96.0.0/12: recreate its pod [state]"},
		{"only HNS was asked", kubeadm + onFlannel + podEndpoint(pods),
			"fail: The service CIDR 10.96.0.0/12 is missing from the OutBoundNAT exceptions of endpoint web (10.244.2.5) [state]"},
		{"the service CIDR is not known, but a Service outside the list",
			onFlannel + dns + bridgeConf(pods),
			"fail: The Service address 10.96.0.10 is missing from the OutBoundNAT exceptions of cni.conf [state]"},
		{"the service CIDR is not known, and no Service either", onFlannel + bridgeConf(pods),
			"unknown"},
		{"a configuration without the policy",
			kubeadm + onFlannel +
				"-- files/C/k/cni/config/cni.conf --\n{\"name\":\"cbr0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"win-bridge\"}}\n", "skip"},
		{"the shape of the other interface", kubeadm + v2(""),
			"fail: win-bridge ignores the OutBoundNAT exceptions: their format is for apiVersion 2, the configuration sets 1 [state]"},
		{"the shape of its own", kubeadm + v2(`,"apiVersion":2`), "pass"},
		{"Calico adds networks at run time", kubeadm + onCalico, "skip"},
		{"Amazon's plugin did its work", vpcConf + vpcPod("10.60.0.0/16", "172.20.0.0/16"), "pass"},
		{"HNS lacks the service CIDR of Amazon's plugin", vpcConf + vpcPod("10.60.0.0/16"),
			"fail: The service CIDR 172.20.0.0/16 is missing from the OutBoundNAT exceptions of endpoint cid-1 (10.60.3.24) [state]"},
		{"HNS lacks the VPC", vpcConf + vpcPod("172.20.0.0/16"),
			"fail: The VPC CIDR 10.60.0.0/16 is missing from the OutBoundNAT exceptions of endpoint cid-1 (10.60.3.24) [state]"},
		{"Amazon's plugin, and nobody asked HNS", vpcConf, "unknown"},
		{"an older configuration names no VPC", replace(vpcConf, `"vpcCIDRs":["10.60.0.0/16"],`,
			"") + vpcPod("10.60.3.0/24", "172.20.0.0/16"), "unknown"},
	})
}

const vpcConf = "-- files/C/ProgramData/Amazon/EKS/cni/config/vpc-bridge.conf --\n{\"name\":\"vpc\",\"type\":\"vpc-bridge\",\"vpcCIDRs\":[\"10.60.0.0/16\"],\"serviceCIDR\":\"172.20.0.0/16\"}\n"

func vpcPod(exceptions ...string) string {
	return replace(podEndpoint(exceptions...), `"Name":"web"`, `"Name":"cid-1"`, "cbr0",
		"vpcbr065E2C9A41D7", "10.244.2.5", "10.60.3.24")
}

func TestOutboundNATExceptionTooBroad(t *testing.T) {
	probes := func(lines ...string) string {
		return reachTree(append(lines, "node tcp 10.60.12.8:1433 ok", "a/p tcp 1.1.1.1:443 ok")...)
	}
	const broad = "warn: OutBoundNAT exception 10.0.0.0/8 of cni.conf is much larger than the cluster: pods cannot reach its other hosts [state]"
	const convicted = "fail: 10.60.12.8 is inside the OutBoundNAT exception 10.0.0.0/8 of cni.conf: its replies cannot return to pods [state]"
	azure := func(tree string) string {
		return replace(tree, `"type":"flannel"`, `"type":"azure-vnet"`, `"name":"cbr0"`,
			`"name":"azure"`)
	}
	runLooks(t, "outboundnat-exception-too-broad", []look{
		{"what the documentation asks for", kubeadm + nodeAddress + bridgeConf("10.244.0.0/16",
			"10.96.0.0/12", "10.20.30.0/24"), "pass"},
		{"a whole private range", kubeadm + bridgeConf("10.0.0.0/8"), broad},
		{"a whole private range, and nobody knows the cluster CIDR", bridgeConf("10.0.0.0/8"),
			"unknown"},
		{"the whole internet, and nobody knows the cluster CIDR", bridgeConf("0.0.0.0/0"),
			"warn: OutBoundNAT exception 0.0.0.0/0 of cni.conf is much larger than the cluster: pods cannot reach its other hosts [state]"},
		{"small networks, and nobody knows the cluster CIDR", bridgeConf("10.20.30.0/24"), "pass"},
		{"a private range that holds none of the cluster", kubeadm + bridgeConf("10.244.0.0/16",
			"10.96.0.0/12", "192.168.0.0/16"), "pass"},
		{"a host in it that pods do not reach", kubeadm + bridgeConf("10.0.0.0/8") +
			probes("a/p tcp 10.60.12.8:1433 timeout"), convicted},
		{"a host in it that pods reach", kubeadm + bridgeConf("10.0.0.0/8") +
			probes("a/p tcp 10.60.12.8:1433 ok"), broad},
		{"a host that refuses was reached", kubeadm + bridgeConf("10.0.0.0/8") +
			probes("a/p tcp 10.60.12.8:1433 refused"), broad},
		{"a host that the node does not reach either", kubeadm + bridgeConf("10.0.0.0/8") +
			reachTree("a/p tcp 10.60.12.9:22 timeout", "node tcp 10.60.12.9:22 timeout",
				"a/p tcp 1.1.1.1:443 ok"), broad},
		{"pods reach nothing at all", kubeadm + bridgeConf("10.0.0.0/8") +
			reachTree("a/p tcp 10.60.12.8:1433 timeout", "a/p tcp 1.1.1.1:443 timeout",
				"node tcp 10.60.12.8:1433 ok"), broad},
		{"a neighbour in the node's own subnet, which the documentation asks for",
			kubeadm + nodeAddress + bridgeConf("10.244.0.0/16", "10.96.0.0/12", "10.20.30.0/24") +
				probes("a/p tcp 10.20.30.99:445 timeout"),
			"warn: 10.20.30.99 is inside the OutBoundNAT exception 10.20.30.0/24 of cni.conf: its replies cannot return to pods [state]"},
		{"a Service that does not answer is another fault", kubeadm + bridgeConf("10.244.0.0/16",
			"10.96.0.0/12") +
			"-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"web\"},\"spec\":{\"clusterIP\":\"10.96.7.7\"}}]}\n" + probes("a/p tcp 10.96.7.7:80 timeout"), "pass"},
		{"a host of the company in the service CIDR", kubeadm + bridgeConf("10.244.0.0/16",
			"10.96.0.0/12") + probes("a/p tcp 10.100.4.4:443 timeout"),
			"fail: 10.100.4.4 is inside the OutBoundNAT exception 10.96.0.0/12 of cni.conf: its replies cannot return to pods [state]"},
		{"a host by its name", kubeadm + bridgeConf("10.0.0.0/8") +
			replace(probes("a/p tcp sql.corp.example:1433 timeout"), `"target":"sql.`,
				`"address":"10.60.12.8","target":"sql.`), convicted},
		{"the address of a load balancer", kubeadm + bridgeConf("10.0.0.0/8") + probes("a/p tcp 10.60.12.8:1433 timeout") +
			balancerTree("10.60.12.8 6 1433 e1 0"), broad},
		{"the address of another load balancer", kubeadm + bridgeConf("10.0.0.0/8") + probes("a/p tcp 10.60.12.8:1433 timeout") +
			balancerTree("10.60.12.9 6 1433 e1 0"), convicted},
		{"the address of a Service of type LoadBalancer", kubeadm + bridgeConf("10.0.0.0/8") + probes("a/p tcp 10.60.12.8:1433 timeout") +
			"-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"sql\"},\"spec\":{\"clusterIP\":\"10.96.1.1\"},\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"10.60.12.8\"}]}}}]}\n", broad},
		{"a ping says nothing", kubeadm + nodeAddress + bridgeConf("10.244.0.0/16", "10.96.0.0/12",
			"10.20.30.0/24") + probes("a/p icmp 10.20.30.99 timeout"), "pass"},
		{"Azure lists its virtual network", azure(kubeadm + bridgeConf("10.240.0.0/12", "10.96.0.0/12")), "pass"},
		{"Azure lists 10.0.0.0/8, and nobody connected to a host of it (Azure/aks-engine#1235)", azure(kubeadm + bridgeConf("10.0.0.0/8")), "unknown"},
		{"Azure lists 10.0.0.0/8, and its hosts answer", azure(kubeadm+bridgeConf("10.0.0.0/8")) + probes("a/p tcp 10.180.12.20:1433 ok"), "pass"},
		{"no list at all",
			onFlannel + "-- files/C/k/cni/config/cni.conf --\n{\"name\":\"cbr0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"win-bridge\"}}\n", "pass"},
		{"nothing was recorded", onFlannel, "unknown"},
	})
}

func TestOutboundNATPolicyMissing(t *testing.T) {
	pod := func(ip, spec string) string {
		return `{"metadata":{"name":"p` + ip[len(ip)-1:] + `","namespace":"d"},"spec":{` + spec + `},"status":{"podIP":"` + ip + `"}}`
	}
	pods := "-- api/pods.json --\n{\"items\":[" + pod("10.244.2.5", "") + "," + pod("10.244.2.6", "") + "," +
		pod("10.244.2.7", `"hostNetwork":true`) + "]}\n"
	endpoint := func(ip, policies string) string {
		return `{"ID":"` + ip + `","Name":"web","VirtualNetworkName":"cbr0","IPAddress":"` + ip + `","Policies":[` + policies + `]}`
	}
	endpoints := func(list ...string) string {
		return "-- hns-endpoints.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	const nat, loopback = `{"Type":"OutBoundNAT","ExceptionList":["10.244.0.0/16"]}`, `{"Type":"OutBoundNAT","Destinations":["10.244.2.5"]}`
	calico := func(nat string) string {
		return "-- files/C/etc/cni/net.d/10-calico.conf --\n{\"name\":\"Calico\",\"type\":\"calico\",\"policies\":[{\"Name\":\"EndpointPolicy\",\"Value\":{\"Type\":\"OutBoundNAT\",\"ExceptionList\":[\"10.96.0.0/12\"]}}]}\n" +
			"-- api/ippools.json --\n{\"items\":[{\"metadata\":{\"name\":\"p\"},\"spec\":{\"cidr\":\"10.244.0.0/16\",\"natOutgoing\":" + nat + "}}]}\n"
	}
	const without = "fail: 2 of 2 pods have no OutBoundNAT policy, which %s sets: web (10.244.2.5), web (10.244.2.6) [state]"
	two := endpoints(endpoint("10.244.2.5", ""), endpoint("10.244.2.6", ""))
	conf := bridgeConf("10.244.0.0/16")
	runLooks(t, "outboundnat-policy-missing", []look{
		{"each pod has it", conf + pods + endpoints(endpoint("10.244.2.5", nat), endpoint("10.244.2.6", nat)), "pass"},
		{"no pod has it", conf + pods + two, fmt.Sprintf(without, "cni.conf")},
		{"that of the loopback is another one", conf + pods + endpoints(endpoint("10.244.2.5", loopback), endpoint("10.244.2.6", loopback)),
			fmt.Sprintf(without, "cni.conf")},
		{"one pod lacks it", conf + pods + endpoints(endpoint("10.244.2.5", nat), endpoint("10.244.2.6", "")),
			"warn: 1 of 2 pods have no OutBoundNAT policy, which cni.conf sets: web (10.244.2.6) [state]"},
		{"the endpoint of the host, and of no pod", conf + pods + endpoints(endpoint("10.244.2.1", ""), endpoint("10.244.2.7", ""), endpoint("10.244.2.5", nat)), "pass"},
		{"no endpoint of a pod", conf + pods + endpoints(endpoint("10.244.2.1", "")), "unknown"},
		{"the configuration has none", "-- files/C/k/cni/config/cni.conf --\n{\"name\":\"cbr0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"win-bridge\"}}\n" + pods + two, "skip"},
		{"a pool of Calico with NAT", calico("true") + pods + two, fmt.Sprintf(without, "10-calico.conf")},
		{"a pool of Calico without NAT", calico("false") + pods + two, "unknown"},
	})

	// Calico issue 4277; https://learn.microsoft.com/en-us/azure/aks/nat-gateway
	plain := "-- files/C/k/cni/config/cni.conf --\n{\"name\":\"cbr0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"win-bridge\"}}\n"
	const off = "fail: pods have no outbound NAT, and 1.2.3.4:443 answers the node but not d/p5 [state]"
	lost := reachTree("node tcp 1.2.3.4:443 ok", "d/p5 tcp 1.2.3.4:443 timeout")
	runLooks(t, "outboundnat-turned-off", []look{
		{"a pool of Calico without NAT", calico("false") + pods + two + lost, off},
		{"a pool of Calico with NAT", calico("true") + pods + two + lost, "pass"},
		{"the configuration has none", plain + pods + two + lost, off},
		{"a policy for the metadata service only", plain + pods + endpoints(endpoint("10.244.2.5", loopback), endpoint("10.244.2.6", loopback)) + lost, off},
		{"the configuration sets it", conf + pods + two + lost, "pass"},
		{"the endpoints have it", plain + pods + endpoints(endpoint("10.244.2.5", nat)) + lost, "pass"},
		{"a gateway translates", plain + pods + two + reachTree("node tcp 1.2.3.4:443 ok", "d/p5 tcp 1.2.3.4:443 ok"), "pass"},
		{"the node does not reach it either", plain + pods + two + reachTree("node tcp 1.2.3.4:443 timeout", "d/p5 tcp 1.2.3.4:443 timeout"), "unknown"},
		{"the host refuses", plain + pods + two + reachTree("node tcp 1.2.3.4:443 ok", "d/p5 tcp 1.2.3.4:443 refused"), "pass"},
		{"no probe from a pod", plain + pods + two + reachTree("node tcp 1.2.3.4:443 ok"), "unknown"},
	})
}
