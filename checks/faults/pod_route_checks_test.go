package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestRoutePolicyMissing(t *testing.T) {
	const nat = `{"Type":"OutBoundNAT","Settings":{"Exceptions":["10.244.0.0/16"]}}`
	route := func(prefix string, encap bool) string {
		return fmt.Sprintf(
			`,{"Type":"SDNRoute","Settings":{"DestinationPrefix":%q,"NeedEncap":%t}}`, prefix,
			encap)
	}
	endpoint := func(policies string) string {
		return "-- hns-endpoints.json --\n[{\"ID\":\"E\",\"Name\":\"p\",\"HostComputeNetwork\":\"N\",\"Policies\":[" + policies + "],\"IpConfigurations\":[{\"IpAddress\":\"10.244.3.5\",\"PrefixLength\":24}],\"Flags\":0,\"SchemaVersion\":{\"Major\":2}}]\n"
	}
	const cluster = "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  serviceSubnet: 10.96.0.0/12\\n\"}}]}\n"
	const azure = "-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\"}]}\n"
	old := strings.Replace(nodeAt10, `"status":{`,
		`"status":{"nodeInfo":{"kubeletVersion":"v1.19.7"},`, 1)
	const lost = "fail: 1 of 1 pods with OutBoundNAT have no NeedEncap route for the service network: p (10.244.3.5/24) [state]"
	const noHost = "warn: 1 of 1 pods have no NeedEncap route for the node's address 10.0.0.10: they cannot reach their node [state]"
	services, host := route("10.96.0.0/12", true), route("10.0.0.10/32", true)
	runLooks(t, "route-policy-missing", []look{
		{"on an overlay the route to Services is enough",
			vxlanConf + cluster + endpoint(nat+services), "pass"},
		{"there is none", vxlanConf + cluster + endpoint(nat), lost},
		{"there is none, and DSR may do without",
			vxlanConf + cluster + proxyArgs(`"--enable-dsr=true"`) + endpoint(nat),
			strings.Replace(lost, "fail", "warn", 1)},
		{"it lacks NeedEncap", vxlanConf + cluster + endpoint(nat+route("10.96.0.0/12", false)),
			lost},
		{"it holds a part of the Services only",
			vxlanConf + cluster + endpoint(nat+route("10.96.0.0/16", true)), lost},
		{"a wider one does", vxlanConf + cluster + endpoint(nat+route("10.0.0.0/8", true)), "pass"},
		{"v1 of HNS calls it ROUTE",
			vxlanConf + cluster +
				"-- hns-endpoints.json --\n[{\"ID\":\"E\",\"Name\":\"p\",\"IPAddress\":\"10.244.3.5\",\"Policies\":[{\"Type\":\"OutBoundNAT\",\"ExceptionList\":[]},{\"Type\":\"ROUTE\",\"DestinationPrefix\":\"10.96.0.0/12\",\"NeedEncap\":true}]}]\n", "pass"},
		{"by the Services where the network is not known",
			vxlanConf + serviceTree("a/web 10.97.7.7 80/TCP") + endpoint(nat+route("10.98.0.0/16",
				true)), lost},
		{"by the Services, and well", vxlanConf + serviceTree("a/web 10.97.7.7 80/TCP") +
			endpoint(nat+route("10.97.0.0/16", true)), "pass"},
		{"host-gw of the start.ps1 age wants one to the node too",
			onFlannel + old + cluster + endpoint(nat+services), noHost},
		{"and is well with it", onFlannel + old + cluster + endpoint(nat+services+host), "pass"},
		{"the NAT network's pods are none of this",
			vxlanConf + cluster +
				"-- hns-networks.json --\n[{\"ID\":\"M\",\"Name\":\"flannel.4096\",\"Type\":\"Overlay\",\"SchemaVersion\":{\"Major\":2}}]\n" + endpoint(nat), "unknown"},
		{"a remote endpoint has no policies", vxlanConf + cluster + endpointTree("e2 10.244.1.9 1"),
			"unknown"},
		{"Azure with DSR leaves it out", azure + cluster + proxyArgs(`"--enable-dsr=true"`) +
			endpoint(nat), "skip"},
		{"Azure without DSR does not", azure + cluster + proxyArgs() + endpoint(nat), lost},
		{"Azure, and nobody knows whether it uses DSR", azure + cluster + endpoint(nat), "unknown"},
		{"EKS with the Services of another cluster (karpenter-provider-aws#4088)", vpcConf + serviceTree("a/web 10.100.7.7 80/TCP") +
			endpoint(nat+route("172.20.0.0/16", true)), lost},
		{"EKS with its own", vpcConf + serviceTree("a/web 172.20.7.7 80/TCP") + endpoint(nat+route("172.20.0.0/16", true)), "pass"},
		{"EKS, and a nameserver outside of the Services", vpcConf + serviceTree("a/web 172.20.7.7 80/TCP") +
			"-- processes.json --\n[{\"name\":\"kubelet.exe\",\"pid\":7,\"args\":[\"--cluster-dns=169.254.20.10\"]}]\n" +
			endpoint(nat+route("172.20.0.0/16", true)), "pass"},
		{"Antrea needs none",
			"-- files/C/etc/cni/net.d/10-antrea.conflist --\n{\"name\":\"antrea\",\"plugins\":[{\"type\":\"antrea\"}]}\n" + cluster + endpoint(nat), "skip"},
		{"K2s routes by rules of its own", "-- files/C/etc/cni/net.d/flannel-l2bridge.conf --\n{\"name\":\"cbr0\",\"type\":\"flannel\",\"delegate\":{\"type\":\"bridge\",\"AdditionalArgs\":[{\"Name\":\"EndpointPolicy\",\"Value\":{\"Type\":\"OutBoundNAT\",\"Settings\":{\"Exceptions\":[\"10.96.0.0/12\"]}}}]}}\n" +
			cluster + endpoint(nat), "skip"},
		{"HNS was not asked", vxlanConf + cluster, "unknown"},
	})
}

func TestWindowsServer2019DecapInRegression(t *testing.T) {
	const timeout = "a/p tcp 10.96.7.7:80 timeout"
	const warned = "warn: Windows build %s breaks pod access to Services when HNS restarts (fixed in 10.0.17763.1554, KB4580390) [state]"
	runLooks(t, "windows-server-2019-decap-in-regression", []look{
		{"the update before", osAt(17763, 1431, true), "pass"},
		{"the first with it", osAt(17763, 1432, true), fmt.Sprintf(warned, "10.0.17763.1432")},
		{"the last with it", osAt(17763, 1553, true), fmt.Sprintf(warned, "10.0.17763.1553")},
		{"the update that mends it", osAt(17763, 1554, true), "pass"},
		{"a pod does not reach a Service", osAt(17763, 1457, true) + oneService +
			reachTree(timeout),
			"fail: a/p cannot reach the Service address 10.96.7.7:80: Windows build 10.0.17763.1457 has the DECAP_IN regression [state]"},
		{"only the node does not, as documented", osAt(17763, 1457, true) + oneService +
			reachTree("node tcp 10.96.7.7:80 timeout"), fmt.Sprintf(warned, "10.0.17763.1457")},
		{"nobody stands behind the Service", osAt(17763, 1457, true) + oneService +
			reachTree(timeout) + sliceTree("default/web 10.244.1.9 lin-1 false 80/TCP"),
			fmt.Sprintf(warned, "10.0.17763.1457")},
		{"a current build with the same symptom has it from elsewhere",
			osAt(17763, 8027, true) + oneService + reachTree(timeout), "pass"},
		{"another Windows", osAt(20348, 1457, true), "skip"},
		{"the revision is not known", osAt(17763, 0, true), "unknown"},
		{"nothing is known", oneService, "unknown"},
	})
}

func TestVXLANReturnPathMissing(t *testing.T) {
	network := func(routes ...string) string {
		var policies []string
		for _, r := range routes {
			f := strings.Fields(r)
			policies = append(policies,
				fmt.Sprintf(
					`{"Type":"RemoteSubnetRoute","Settings":{"DestinationPrefix":%q,"IsolationId":4096,"ProviderAddress":%q,"DistributedRouterMacAddress":%q}}`, f[0], f[1], f[2]))
		}
		return "-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"flannel.4096\",\"Type\":\"Overlay\",\"Policies\":[" + strings.Join(policies, ",") + "],\"SchemaVersion\":{\"Major\":2}}]\n"
	}
	nodes := func(annotations, created string) string {
		return "-- api/nodes.json --\n{\"items\":[{\"metadata\":{\"name\":\"win-1\",\"annotations\":{\"flannel.alpha.coreos.com/backend-type\":\"vxlan\"}},\"spec\":{\"podCIDR\":\"10.244.3.0/24\"}}," +
			"{\"metadata\":{\"name\":\"lin-1\",\"creationTimestamp\":\"" + created +
			"\",\"annotations\":{" + annotations +
			"}},\"spec\":{\"podCIDR\":\"10.244.1.0/24\"}}]}\n"
	}
	const joined = `"flannel.alpha.coreos.com/backend-type":"vxlan","flannel.alpha.coreos.com/public-ip":"10.0.0.11","flannel.alpha.coreos.com/backend-data":"{\"VNI\":4096,\"VtepMAC\":\"f2:19:0c:77:5e:b4\"}"`
	const long = "2026-01-01T00:00:00Z"
	good := network("10.244.1.0/24 10.0.0.11 F2-19-0C-77-5E-B4")
	const at11 = `"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.11"}]}`
	const announced = "fail: HNS network %s reaches the pods of lin-1 (10.0.0.11) by 100.92.24.103, and they do not answer [state]"
	silent := func(outcome string) string {
		return nodeAt10 + kubeadm + reachTree("a/p tcp 10.9.9.9:443 ok", "a/p tcp 10.244.1.3:80 "+outcome, "a/p tcp 10.244.1.4:80 "+outcome)
	}
	tailnet := func(address, outcome string) string {
		return onCalico + replace(network("10.244.1.0/24 "+address+" F2-19-0C-77-5E-B4"), "flannel.4096", "Calico") + replace(
			nodes(`"projectcalico.org/IPv4Address":"`+address+`/32"`, long), `"spec":{"podCIDR":"10.244.1.0/24"}`, `"spec":{"podCIDR":"10.244.7.0/24"},`+at11) + silent(outcome)
	}
	runLooks(t, "vxlan-return-path-missing", []look{
		{"there is a route to the other node", vxlanConf + good + nodes(joined, long), "pass"},
		{"there is none", vxlanConf + network() + nodes(joined, long),
			"fail: HNS network flannel.4096 has no route to the pods of lin-1 (10.244.1.0/24): replies to them are lost [state]"},
		{"it leads to the address of old",
			vxlanConf + network("10.244.1.0/24 10.0.0.99 f2:19:0c:77:5e:b4") + nodes(joined, long),
			"fail: HNS network flannel.4096 has an outdated route to the pods of lin-1 (10.244.1.0/24): it leads to 10.0.0.99, and the node is at 10.0.0.11 [state]"},
		{"it has the MAC of old", vxlanConf + network("10.244.1.0/24 10.0.0.11 02:00:00:00:00:01") +
			nodes(joined, long),
			"fail: HNS network flannel.4096 has an outdated route to the pods of lin-1 (10.244.1.0/24): its MAC is 02-00-00-00-00-01, and the node's is F2-19-0C-77-5E-B4 [state]"},
		{"annotations that nobody can read",
			vxlanConf + good +
				nodes(`"flannel.alpha.coreos.com/backend-type":"vxlan","flannel.alpha.coreos.com/backend-data":"null"`, long), "pass"},
		{"the other node has just joined", vxlanConf + network() + nodes(joined,
			"2026-11-20T09:59:30Z"), "skip"},
		{"flannel does not run there yet", vxlanConf + network() + nodes(``, long), "skip"},
		{"values that were cut off",
			vxlanConf + "-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"flannel.4096\",\"Type\":\"Overlay\",\"Policies\":[\"@{Type=RemoteSubnetRoute; Settings=}\"],\"SchemaVersion\":{\"Major\":2}}]\n" + nodes(joined, long), "unknown"},
		{"the network is not there", vxlanConf + "-- hns-networks.json --\n[]\n" + nodes(joined,
			long), "skip"},
		{"host-gw routes by the host's table", onFlannel + network() + nodes(joined, long), "skip"},
		{"Calico has blocks of its own", onCalico + network() + nodes(joined, long), "skip"},
		{"the other nodes are not recorded", vxlanConf + network(), "unknown"},
		{"the other node announces an adapter that nobody reaches (rancher/rke2#4320)", tailnet("100.92.24.103", "timeout"), fmt.Sprintf(announced, "Calico")},
		{"flannel announces such an adapter", vxlanConf + network("10.244.1.0/24 100.92.24.103 F2-19-0C-77-5E-B4") +
			replace(nodes(replace(joined, "10.0.0.11", "100.92.24.103"), long), `"spec":{"podCIDR":"10.244.1.0/24"}`, `"spec":{"podCIDR":"10.244.1.0/24"},`+at11) + silent("timeout"), fmt.Sprintf(announced, "flannel.4096")},
		{"somebody chose the address for flannel", vxlanConf + network("10.244.1.0/24 100.92.24.103 F2-19-0C-77-5E-B4") +
			replace(nodes(replace(joined, "10.0.0.11", "100.92.24.103")+`,"flannel.alpha.coreos.com/public-ip-overwrite":"100.92.24.103"`, long),
				`"spec":{"podCIDR":"10.244.1.0/24"}`, `"spec":{"podCIDR":"10.244.1.0/24"},`+at11) + silent("timeout"), "pass"},
		{"it is an ExternalIP of the node", replace(tailnet("100.92.24.103", "timeout"), `"address":"10.0.0.11"}`, `"address":"10.0.0.11"},{"type":"ExternalIP","address":"100.92.24.103"}`), "skip"},
		{"its pods answer", tailnet("100.92.24.103", "ok"), "skip"},
		{"it announces its InternalIP", tailnet("10.0.0.11", "timeout"), "skip"},
		{"nobody asked", replace(tailnet("100.92.24.103", "timeout"), "probes/reach.json", "probes/other.json"), "skip"},
	})
}

func TestACLOrNetworkPolicyBlocks(t *testing.T) {
	acl := func(rules ...string) string {
		var policies []string
		for _, r := range rules {
			policies = append(policies, `{"Type":"ACL","Settings":{`+r+`}}`)
		}
		return "-- hns-endpoints.json --\n[{\"ID\":\"E\",\"Name\":\"p\",\"HostComputeNetwork\":\"N\",\"Policies\":[" + strings.Join(policies, ",") + "],\"IpConfigurations\":[{\"IpAddress\":\"10.244.3.5\",\"PrefixLength\":24}],\"Flags\":0,\"SchemaVersion\":{\"Major\":2}}]\n"
	}
	const (
		pod     = "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\",\"name\":\"p\"},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.3.5\"}},{\"metadata\":{\"namespace\":\"a\",\"name\":\"q\"},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.3.6\"}}]}\n"
		deny    = `"Id":"deny","Protocols":"256","Action":"Block","Direction":"Out","Priority":1002`
		allow   = `"Id":"allow","Protocols":"6","Action":"Allow","Direction":"Out","RemoteAddresses":"10.9.0.0/16","RemotePorts":"440-450","Priority":1001`
		wire    = `"Protocols":"6","Action":"Block","Direction":"Out","RemoteAddresses":"168.63.129.16/32","RemotePorts":"80","Priority":200`
		blocked = "warn: HNS rule deny blocks tcp from a/p to 10.9.9.9:443: a network policy, not a node fault [state]"
	)
	out := pod + reachTree("a/p tcp 10.9.9.9:443 timeout")
	hidden := func(flags int, namespace, backend, other string) string {
		return pod + reachTree("a/p tcp 10.96.7.7:80 timeout", "a/p tcp 10.9.9.9:8443 "+backend, "a/p tcp 10.96.0.10:53 "+other) +
			serviceTree("a/web 10.96.7.7 80/TCP", "kube-system/kube-dns 10.96.0.10 53/TCP") +
			sliceTree("a/web 10.9.9.9 lin-1 true 8443/TCP") + balancerTree(fmt.Sprintf("10.96.7.7 6 80 R %d", flags)) +
			replace(acl(`"Id":"policy-`+namespace+`/knp.default.same-0","Action":"Allow","Direction":"In","Priority":1000`),
				`[{"ID":"E"`, `[{"ID":"R","Name":"Ethernet","IpConfigurations":[{"IpAddress":"10.9.9.9","PrefixLength":24}],"Flags":1,"SchemaVersion":{"Major":2}},{"ID":"E"`)
	}
	probedBy := func(at, ready string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"addresses":[{"type":"InternalIP","address":"10.1.2.4"}]}}
-- api/pods.json --
{"items":[{"metadata":{"namespace":"a","name":"p"},"status":{"phase":"Running","podIP":"10.244.3.5","conditions":[{"type":"Ready","status":"` + ready + `"}],"containerStatuses":[{"name":"p","ready":` + strings.ToLower(ready) + `,"state":{"running":{}}}]}}]}
-- api/events.json --
{"items":[{"type":"Warning","reason":"Unhealthy","involvedObject":{"kind":"Pod","namespace":"a","name":"p"},"lastTimestamp":"2026-11-20T` + at + `Z","message":"Liveness probe failed: Get \"http://10.244.3.5:8080/healthz\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"}]}
`
	}
	in := strings.Replace(deny, `"Out"`, `"In"`, 1)
	const kubeletBlocked = "fail: HNS rule deny blocks the kubelet's probes of a/p at 10.244.3.5:8080: a network policy without an exception for the node [state]"
	runLooks(t, "acl-or-networkpolicy-blocks", []look{
		{"the kubelet's probes are blocked", probedBy("09:58:00", "False") + acl(in), kubeletBlocked},
		{"an earlier rule allows the node", probedBy("09:58:00", "False") +
			acl(in, `"Action":"Allow","Direction":"In","RemoteAddresses":"10.1.2.4","Priority":101`), "unknown"},
		{"an earlier rule allows another address", probedBy("09:58:00", "False") +
			acl(in, `"Action":"Allow","Direction":"In","RemoteAddresses":"10.1.2.5","Priority":101`), kubeletBlocked},
		{"the pod is ready since", probedBy("09:58:00", "True") + acl(in), "unknown"},
		{"the event is of hours ago", probedBy("06:58:00", "False") + acl(in), "unknown"},
		{"a rule blocks it", out + acl(deny), blocked},
		{"an earlier rule allows it", out + acl(deny, allow), "pass"},
		{"the priority counts and not the order",
			out + acl(strings.Replace(allow, "1001", "1003", 1), deny), blocked},
		{"an earlier rule that is about another address",
			out + acl(deny, strings.Replace(allow, "10.9.0.0/16", "10.8.0.0/16", 1)), blocked},
		{"an earlier rule that is about other ports",
			out + acl(deny, strings.Replace(allow, "440-450", "53,8000-9000", 1)), blocked},
		{"an earlier rule that is about UDP",
			out + acl(deny, strings.Replace(allow, `"6"`, `"17"`, 1)), blocked},
		{"an earlier rule over a set of addresses may allow it",
			out + acl(deny, strings.Replace(allow, "10.9.0.0/16", "azure-npm-12345", 1)), "pass"},
		{"two rules of one priority contradict each other",
			out + acl(deny, strings.Replace(allow, "1001", "1002", 1)), "pass"},
		{"the rule is for the other direction",
			out + acl(strings.Replace(deny, `"Out"`, `"In"`, 1)), "pass"},
		{"the platform's own address is blocked, and another is probed",
			out + acl(wire), "pass"},
		{"nothing but a Block rule, and the pod reaches nothing (Azure/azure-container-networking#2617)",
			pod + reachTree("a/p tcp 10.9.9.9:443 timeout", "a/p tcp 10.96.0.10:53 timeout") + acl(wire),
			"fail: HNS drops all that a/p sends: its endpoint has rules that block, and none that allows the rest [state]"},
		{"the same, and the pod reaches one of them",
			pod + reachTree("a/p tcp 10.9.9.9:443 timeout", "a/p tcp 10.96.0.10:53 ok") + acl(wire), "pass"},
		{"the same, with a rule that allows the rest",
			pod + reachTree("a/p tcp 10.9.9.9:443 timeout", "a/p tcp 10.96.0.10:53 timeout") +
				acl(wire, `"Action":"Allow","Direction":"Out","Priority":65500`), "pass"},
		{"the connection was answered", pod + reachTree("a/p tcp 10.9.9.9:443 ok") + acl(deny),
			"pass"},
		{"a ping fails anyway", pod + reachTree("a/p icmp 10.9.9.9 timeout") + acl(deny), "pass"},
		{"the way into the pod is blocked", pod + reachTree("a/q tcp 10.244.3.5:80 timeout") +
			acl(strings.Replace(deny, `"Out"`, `"In"`, 1)),
			"warn: HNS rule deny blocks tcp from a/q to 10.244.3.5:80: a network policy, not a node fault [state]"},
		{"a Service's only backend is blocked", pod + reachTree("a/p tcp 10.96.7.7:80 timeout") +
			serviceTree("a/web 10.96.7.7 80/TCP") +
			sliceTree("a/web 10.9.9.9 lin-1 true 8443/TCP") +
			acl(strings.Replace(deny, `"Protocols":"256"`, `"Protocols":"6","RemotePorts":"8443"`,
				1)), "warn: HNS rule deny blocks tcp from a/p to 10.96.7.7:80: a network policy, not a node fault [state]"},
		{"one of its backends is open", pod + reachTree("a/p tcp 10.96.7.7:80 timeout") +
			serviceTree("a/web 10.96.7.7 80/TCP") +
			sliceTree("a/web 10.9.9.9 lin-1 true 8443/TCP", "a/web 10.7.7.7 lin-2 true 8443/TCP") +
			acl(strings.Replace(deny, `"Protocols":"256"`, `"RemoteAddresses":"10.9.0.0/16"`, 1)),
			"pass"},
		{"without DSR a policy sees the node's address (aws/amazon-vpc-cni-plugins#59)", hidden(0, "a", "ok", "ok"),
			"fail: a/p reaches 10.9.9.9:8443 and not its Service a/web: without DSR, policies of namespace a see the address of the node [state]"},
		{"with DSR it sees the pod's", hidden(1, "a", "ok", "ok"), "pass"},
		{"policies of another namespace", hidden(0, "b", "ok", "ok"), "pass"},
		{"the backend is silent, too", hidden(0, "a", "timeout", "ok"), "pass"},
		{"so are other Services", hidden(0, "a", "ok", "timeout"), "pass"},
		{"the load balancer sends elsewhere, which another check reports", replace(hidden(0, "a", "ok", "ok"), `"10.9.9.9","PrefixLength"`, `"10.9.9.8","PrefixLength"`), "pass"},
		{"from the node nothing is known of rules",
			pod + reachTree("node tcp 10.9.9.9:443 timeout") + acl(deny), "pass"},
		{"nothing was probed", pod + acl(deny), "unknown"},
		{"HNS was not asked", out, "unknown"},
	})
}
