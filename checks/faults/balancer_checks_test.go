package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

// serviceTree is api/services.json of entries "name clusterIP port/protocol" with
// more of the spec behind, in the namespace of the name.
func serviceTree(specs ...string) string {
	var items []string
	for _, s := range specs {
		f := strings.SplitN(s, " ", 4)
		ns, name, _ := strings.Cut(f[0], "/")
		port, protocol, _ := strings.Cut(f[2], "/")
		more := ""
		if len(f) > 3 {
			more = "," + f[3]
		}
		items = append(items,
			fmt.Sprintf(
				`{"metadata":{"namespace":%q,"name":%q},"spec":{"clusterIP":%q,"ports":[{"port":%s,"protocol":%q}]%s}}`, ns, name, f[1], port, protocol, more))
	}
	return "-- api/services.json --\n{\"items\":[" + strings.Join(items, ",\n") + "]}\n"
}

// sliceTree is api/endpointslices.json of entries "service address node ready port/protocol".
func sliceTree(entries ...string) string {
	var items []string
	for _, e := range entries {
		f := strings.Fields(e)
		ns, name, _ := strings.Cut(f[0], "/")
		port, protocol, _ := strings.Cut(f[4], "/")
		items = append(items,
			fmt.Sprintf(
				`{"metadata":{"namespace":%q,"labels":{"kubernetes.io/service-name":%q}},"endpoints":[{"addresses":[%q],"nodeName":%q,"conditions":{"ready":%s}}],"ports":[{"port":%s,"protocol":%q}]}`,
				ns, name, f[1], strings.Trim(f[2], "-"), f[3], port, protocol))
	}
	return "-- api/endpointslices.json --\n{\"items\":[" + strings.Join(items, ",\n") + "]}\n"
}

// balancerTree is hns-loadbalancers.json of entries "VIP protocol-number port backend,backend flags".
func balancerTree(entries ...string) string {
	var items []string
	for _, e := range entries {
		f := strings.Fields(e)
		var ids []string
		for id := range strings.SplitSeq(strings.Trim(f[3], "-"), ",") {
			if id != "" {
				ids = append(ids, fmt.Sprintf("%q", id))
			}
		}
		vips := ""
		if f[0] != "-" {
			vips = fmt.Sprintf("%q", f[0])
		}
		items = append(items,
			fmt.Sprintf(
				`{"ID":"L%s%s","FrontendVIPs":[%s],"HostComputeEndpoints":[%s],"PortMappings":[{"Protocol":%s,"InternalPort":8080,"ExternalPort":%s}],"Flags":%s,"SchemaVersion":{"Major":2}}`,
				f[1], f[2], vips, strings.Join(ids, ","), f[1], f[2], f[4]))
	}
	return "-- hns-loadbalancers.json --\n[" + strings.Join(items, ",\n") + "]\n"
}

// endpointTree is hns-endpoints.json of entries "id address flags"; flag 1 is a remote endpoint.
func endpointTree(entries ...string) string {
	var items []string
	for _, e := range entries {
		f := strings.Fields(e)
		network := "N"
		if len(f) > 3 {
			network = f[3]
		}
		items = append(items,
			fmt.Sprintf(
				`{"ID":%q,"Name":"Ethernet","HostComputeNetwork":%q,"IpConfigurations":[{"IpAddress":%q,"PrefixLength":24}],"Flags":%s,"SchemaVersion":{"Major":2}}`, f[0], network, f[1], f[2]))
	}
	return "-- hns-endpoints.json --\n[" + strings.Join(items, ",\n") + "]\n"
}

func proxyProcess(started string) string {
	return "-- processes.json --\n[{\"pid\":4,\"name\":\"System\"},{\"pid\":5,\"name\":\"services.exe\"},{\"pid\":6,\"name\":\"svchost.exe\"},{\"pid\":7,\"name\":\"kube-proxy.exe\",\"args\":[\"--v=4\"],\"startedAt\":\"" + started + "\"}]\n"
}

func TestHNSLBMissingOrStale(t *testing.T) {
	const web = "a/web 10.96.7.7 80/TCP"
	remote := sliceTree("a/web 10.244.1.9 lin-1 true 8080/TCP")
	endpoint := endpointTree("e1 10.244.1.9 1")
	balancer := balancerTree("10.96.7.7 6 80 e1 0")
	none := balancerTree()
	missing := "fail: HNS has no load balancer for a/web (10.96.7.7 port 80/tcp), although it has ready pods [state]"
	const service = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\",\"name\":\"web\"%s},\"spec\":{\"clusterIP\":\"10.96.7.7\",\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]}}]}\n"
	const refused = "-- logs/kube-proxy/kube-proxy.log --\nE1120 09:00:00.000001 1 proxier.go:1] \"Policy creation failed\" err=\"hcnCreateLoadBalancer failed in Win32: El puerto no existe. (0x803b0007)\"\n"
	whole := func(more string) string {
		return "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  serviceSubnet: 10.96.0.0/12\\n\"}}]}\n" +
			serviceTree(web, "default/kubernetes 10.96.0.1 443/TCP",
				"kube-system/kube-dns 10.96.0.10 53/UDP") + remote + endpoint + more
	}
	podNetwork := func(name, kind string) string {
		return "-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"" + name + "\",\"Type\":\"" + kind + "\",\"SchemaVersion\":{\"Major\":2}}]\n"
	}
	sends := serviceTree(web) + remote + endpoint + replace(balancer, `{"ID"`, `{"SourceVIP":"10.0.0.10","ID"`) + proxyArgs(`"--source-vip=10.244.3.2"`) +
		"-- adapters.json --\n[{\"name\":\"Ethernet\",\"addresses\":[\"10.0.0.10/24\"]}]\n"
	const sendsFrom = ": load balancer of a/web (10.96.7.7 port 80/tcp) sends from 10.0.0.10, but kube-proxy runs with the source VIP 10.244.3.2 [state]"
	runLooks(t, "hns-lb-missing-or-stale", []look{
		{"the load balancer is there", serviceTree(web) + remote + endpoint + balancer, "pass"},
		{"DSR makes no difference", serviceTree(web) + remote + endpoint +
			balancerTree("10.96.7.7 6 80 e1 1"), "pass"},
		{"it sends from another source VIP", sends, "warn" + sendsFrom},
		{"and pods reach a backend, not the Service", sends + reachTree("a/c tcp 10.96.7.7:80 timeout", "a/c tcp 10.244.1.9:8080 ok"),
			"fail" + sendsFrom},
		{"and pods reach neither", sends + reachTree("a/c tcp 10.96.7.7:80 timeout", "a/c tcp 10.244.1.9:8080 timeout"), "warn" + sendsFrom},
		{"and pods reach the Service", sends + reachTree("a/c tcp 10.96.7.7:80 ok", "a/c tcp 10.244.1.9:8080 ok"), "warn" + sendsFrom},
		{"it is missing", serviceTree(web) + remote + endpoint + none, missing},
		{"the one for UDP is none for TCP", serviceTree(web) + remote + endpoint +
			balancerTree("10.96.7.7 17 80 e1 0"), missing +
			"\nwarn: HNS has a load balancer for 10.96.7.7 port 80/udp, a port that a/web does not have [state]"},
		{"v1 of HNS shows it as well", serviceTree(web) + remote + endpoint +
			"-- hns-loadbalancers.json --\n[{\"ID\":\"P\",\"Policies\":[{\"Type\":\"ELB\",\"VIPs\":[\"10.96.7.7\"],\"Protocol\":6,\"InternalPort\":8080,\"ExternalPort\":80,\"ILB\":true}],\"References\":[\"/endpoints/E1\"]}]\n", "pass"},
		{"a headless Service has none", serviceTree("a/web None 80/TCP") + remote + endpoint + none,
			"pass"},
		{"ExternalName has none", serviceTree(web+" \"type\":\"ExternalName\"") + remote +
			endpoint + none, "pass"},
		{"a Service of another proxy has none",
			fmt.Sprintf(service,
				",\"labels\":{\"service.kubernetes.io/service-proxy-name\":\"other\"}") + remote +
				endpoint + none, "pass"},
		{"a Service of a minute ago has none yet",
			fmt.Sprintf(service, ",\"creationTimestamp\":\"2026-11-20T09:59:00Z\"") + remote +
				endpoint + none, "pass"},
		{"no pod is ready", serviceTree(web) + sliceTree("a/web 10.244.1.9 lin-1 false 8080/TCP") +
			endpoint + none, "pass"},
		{"no pod at all", serviceTree(web) + sliceTree() + endpoint + none, "pass"},
		{"its only pod is on the host's network of this node",
			serviceTree(web) + sliceTree("a/web 10.0.0.10 win-1 true 8080/TCP") + endpoint + none,
			"pass"},
		{"a pod of this node counts once it has an endpoint",
			serviceTree(web) + sliceTree("a/web 10.244.3.9 WIN-1 true 8080/TCP") +
				endpointTree("e1 10.244.3.9 0") + none, missing},
		{"internalTrafficPolicy Local wants a pod of this node",
			serviceTree(web+" \"internalTrafficPolicy\":\"Local\"") + remote + endpoint + none,
			"pass"},
		{"internalTrafficPolicy Local with one",
			serviceTree(web+" \"internalTrafficPolicy\":\"Local\"") +
				sliceTree("a/web 10.244.3.9 win-1 true 8080/TCP") +
				endpointTree("e1 10.244.3.9 0") + none, missing},
		{"IPv6 where kube-proxy serves IPv4 only", serviceTree("a/web fd00::7 80/TCP") +
			sliceTree("a/web fd00:1::9 lin-1 true 8080/TCP") + endpoint + balancer, "pass"},
		{"IPv6 where kube-proxy serves it", serviceTree("a/web fd00::7 80/TCP",
			"a/six fd00::8 80/TCP") + sliceTree("a/web fd00:1::9 lin-1 true 8080/TCP") +
			endpointTree("e1 fd00:1::9 1") + balancerTree("fd00::8 6 80 e1 2"),
			"fail: HNS has no load balancer for a/web (fd00::7 port 80/tcp), although it has ready pods [state]\nwarn: HNS has a load balancer for fd00::8 port 80/tcp, but a/six has no backend [state]"},
		{"IPv6 where HNS gives pods addresses of both families", serviceTree("a/web fd00::7 80/TCP") +
			sliceTree("a/web fd00:1::9 win-1 true 8080/TCP") + endpointTree("e1 fd00:1::9 0") + balancer + podNetwork("cbr0", "L2Bridge"),
			"fail: HNS has no load balancer for a/web (fd00::7 port 80/tcp), although it has ready pods [state]"},
		{"on an overlay kube-proxy serves IPv4 only", serviceTree("a/web fd00::7 80/TCP") +
			sliceTree("a/web fd00:1::9 win-1 true 8080/TCP") + endpointTree("e1 fd00:1::9 0") + balancer + podNetwork("flannel.4096", "Overlay"), "pass"},
		{"an IPv4 address has no use for an IPv6 backend",
			serviceTree(web) + sliceTree("a/web fd00:1::9 lin-1 true 8080/TCP") + endpoint + none,
			"pass"},
		{"SCTP is not for Windows", serviceTree("a/web 10.96.7.7 80/SCTP") +
			sliceTree("a/web 10.244.1.9 lin-1 true 8080/SCTP") + endpoint + none, "pass"},
		{"a load balancer without backends", serviceTree(web) + remote + endpoint +
			balancerTree("10.96.7.7 6 80 - 0"),
			"fail: the load balancer of a/web (10.96.7.7 port 80/tcp) has no backend, but the Service has ready pods [state]"},
		{"a backend that is gone", serviceTree(web) + remote + endpoint +
			balancerTree("10.96.7.7 6 80 e1,e2 0", "- 6 30080 e2 0"),
			"fail: HNS has no endpoint for 2 of the 3 backends of 10.96.7.7 port 80/tcp, NodePort port 30080/tcp: traffic to them is lost [state]"},
		{"an address that no Service has any more",
			whole(balancerTree("10.96.7.7 6 80 e1 0", "10.96.99.1 6 80 e1 0")),
			"warn: HNS has load balancers for addresses that no Service has: 10.96.99.1 port 80/tcp [state]"},
		{"an external address is no Service's",
			whole(balancerTree("10.96.7.7 6 80 e1 0", "203.0.113.9 6 80 e1 0")), "pass"},
		{"a list of one namespace does not tell what is stale",
			serviceTree(web) + remote + endpoint + balancerTree("10.96.7.7 6 80 e1 0",
				"10.96.99.1 6 80 e1 0"), "pass"},
		{"values that were cut off", serviceTree(web) + remote + endpoint +
			"-- hns-loadbalancers.json --\n[{\"ID\":\"L\",\"FrontendVIPs\":\"System.Object[]\",\"HostComputeEndpoints\":\"System.Object[]\",\"PortMappings\":\"System.Object[]\",\"SchemaVersion\":{\"Major\":2}}]\n", "unknown"},
		{"kube-proxy does not run", serviceTree(web) + remote + endpoint + none +
			strings.ReplaceAll(proxyProcess("2026-11-20T03:00:00Z"), "kube-proxy.exe",
				"explorer.exe"), "skip"},
		{"kube-proxy runs since the morning", serviceTree(web) + remote + endpoint + none +
			proxyProcess("2026-11-20T03:00:00Z"), missing},
		{"kube-proxy started a minute ago", serviceTree(web) + remote + endpoint + none +
			proxyProcess("2026-11-20T09:59:00Z"), "unknown"},
		{"HNS has no network of pods", onFlannel + serviceTree(web) + remote + endpoint + none +
			"-- hns-networks.json --\n[]\n", "skip"},
		{"Antrea proxies Services itself",
			"-- files/C/etc/cni/net.d/10-antrea.conflist --\n{\"name\":\"antrea\",\"plugins\":[{\"type\":\"antrea\"}]}\n" + serviceTree(web) + remote + endpoint + none, "skip"},
		{"HNS was not asked", serviceTree(web) + remote + endpoint, "unknown"},
		{"the slices are not recorded", serviceTree(web) + endpoint + none, "unknown"},
		{"only the log, in Spanish", refused,
			"warn: kube-proxy cannot create a load balancer: HNS lost the switch port of a backend [text]"},
		{"a Service without endpoints is no fault",
			"-- logs/kube-proxy/kube-proxy.log --\nE1120 proxier.go:1] \"Endpoint information not available for service, not applying any policy\" serviceName=\"a/web\"\n", "unknown"},
		{"the log, and it is over", serviceTree(web) + remote + endpoint + balancer + refused,
			"info: the logs say: kube-proxy cannot create a load balancer: HNS lost the switch port of a backend; the node's current state does not confirm it [text]"},
	})
}

// TestBackendsOfHNSLoadBalancers compares what is behind a load balancer with the EndpointSlices.
func TestBackendsOfHNSLoadBalancers(t *testing.T) {
	const web = "a/web 10.96.7.7 80/TCP"
	const port = "web (10.96.7.7 port 80/tcp)"
	endpoints := endpointTree("e1 10.244.1.9 1", "e2 10.244.1.8 1", "e3 10.244.3.9 0")
	one, both := balancerTree("10.96.7.7 6 80 e1 0"), balancerTree("10.96.7.7 6 80 e1,e2 0")
	remote := "a/web 10.244.1.9 lin-1 true 8080/TCP"
	slice := func(endpoints string) string {
		return `-- api/endpointslices.json --
{"items":[{"metadata":{"namespace":"a","labels":{"kubernetes.io/service-name":"web"}%s},"endpoints":[` +
			endpoints + `],"ports":[{"port":8080,"protocol":"TCP"}]}]}
`
	}
	first := `{"addresses":["10.244.1.9"],"nodeName":"lin-1","conditions":{"ready":true}}`
	ending := `,{"addresses":["10.244.1.8"],"nodeName":"lin-1","conditions":{"ready":false,"serving":true,"terminating":true}}`
	justNow := `,"annotations":{"endpoints.kubernetes.io/last-change-trigger-time":"2026-11-20T09:59:30Z"}`
	const unready = "-- api/pods.json --\n" + `{"items":[{"metadata":{"namespace":"a","name":"p"},"spec":{"nodeName":"lin-1"},"status":{"phase":"Running","podIP":"10.244.1.8","conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-11-20T%sZ"}]}}]}` + "\n"
	runLooks(t, "hns-lb-missing-or-stale", []look{
		{"an address that the slice does not have", serviceTree(web) + sliceTree(remote) +
			endpoints + both,
			"fail: load balancer of a/" + port + " sends traffic to 10.244.1.8, not a backend of the Service [state]"},
		{"a slice that changed half a minute ago", serviceTree(web) +
			fmt.Sprintf(slice(first), justNow) + endpoints + both, "unknown"},
		{"a slice that changed half a minute ago, and HNS has followed", serviceTree(web) +
			fmt.Sprintf(slice(first), justNow) + endpoints + one, "pass"},
		{"the first backend came half a minute ago", serviceTree(web) +
			fmt.Sprintf(slice(first), justNow) + endpoints + balancerTree(), "unknown"},
		{"a terminating backend may still be there", serviceTree(web) +
			fmt.Sprintf(slice(first+ending), "") + endpoints + both, "pass"},
		{"a terminating backend may be gone", serviceTree(web) +
			fmt.Sprintf(slice(first+ending), "") + endpoints + one, "pass"},
		{"a ready backend whose pod is being deleted may be gone", serviceTree(web) + sliceTree(remote,
			"a/web 10.244.3.9 win-1 true 8080/TCP") + endpoints + one +
			"-- api/pods.json --\n" + `{"items":[{"metadata":{"namespace":"a","name":"p","deletionTimestamp":"2026-11-20T10:02:00Z"},"spec":{"nodeName":"win-1"},"status":{"phase":"Running","podIP":"10.244.3.9"}}]}` + "\n",
			"pass"},
		{"a backend that is not ready", serviceTree(web) + sliceTree(remote,
			"a/web 10.244.1.8 lin-1 false 8080/TCP") + endpoints + both,
			"warn: load balancer of a/" + port + " sends traffic to 10.244.1.8, which is not ready [state]"},
		{"a backend whose pod became unready half a minute ago may still be there", serviceTree(web) +
			sliceTree(remote, "a/web 10.244.1.8 lin-1 false 8080/TCP") + endpoints + both +
			fmt.Sprintf(unready, "09:59:30"), "pass"},
		{"a backend whose pod has been unready for an hour", serviceTree(web) +
			sliceTree(remote, "a/web 10.244.1.8 lin-1 false 8080/TCP") + endpoints + both +
			fmt.Sprintf(unready, "09:00:00"),
			"warn: load balancer of a/" + port + " sends traffic to 10.244.1.8, which is not ready [state]"},
		{"a ready backend of another node is missing", serviceTree(web) + sliceTree(remote,
			"a/web 10.244.1.8 lin-1 true 8080/TCP") + endpoints + one,
			"warn: load balancer of a/" + port + " has no backend for 10.244.1.8, which is ready [state]"},
		{"a ready backend of this node is missing", serviceTree(web) + sliceTree(remote,
			"a/web 10.244.3.9 win-1 true 8080/TCP") + endpoints + one,
			"warn: load balancer of a/" + port + " has no backend for 10.244.3.9, which is ready [state]"},
		{"a backend on the host's network of this node gets no endpoint", serviceTree(web) +
			sliceTree(remote, "a/web 10.0.0.10 win-1 true 8080/TCP") + endpoints + one, "pass"},
		{"internalTrafficPolicy Local has the local ones only",
			serviceTree(web+" \"internalTrafficPolicy\":\"Local\"") + sliceTree(remote,
				"a/web 10.244.3.9 win-1 true 8080/TCP") + endpoints +
				balancerTree("10.96.7.7 6 80 e3 0"), "pass"},
		{"a port that the Service does not have", serviceTree(web) + sliceTree(remote) + endpoints +
			balancerTree("10.96.7.7 6 80 e1 0", "10.96.7.7 6 81 e1 0"),
			"warn: HNS has a load balancer for 10.96.7.7 port 81/tcp, a port that a/web does not have [state]"},
		{"no slice has a backend", serviceTree(web) + sliceTree() + endpoints + one,
			"warn: HNS has a load balancer for 10.96.7.7 port 80/tcp, but a/web has no backend [state]"},
		{"the last backend is terminating", serviceTree(web) +
			fmt.Sprintf(slice(ending[1:]), "") + endpoints + balancerTree("10.96.7.7 6 80 e2 0"),
			"pass"},
		{"the last backend went half a minute ago", serviceTree(web) +
			fmt.Sprintf(slice(""), justNow) + endpoints + one, "unknown"},
		{"a pod of two families behind a Service of one", serviceTree(web) + sliceTree(remote) + one +
			strings.Replace(endpoints, `"PrefixLength":24}]`, `"PrefixLength":24},{"IpAddress":"fd00:10:244:1::9","PrefixLength":64}]`, 1), "pass"},
		{"another port than that of the pods", serviceTree(web) +
			sliceTree("a/web 10.244.1.9 lin-1 true 9090/TCP") + endpoints + one,
			"fail: load balancer of a/" + port + " sends traffic to port 8080, but the pods listen on port 9090 [state]"},
	})
}

func TestLocalAndRemoteEndpointSameIP(t *testing.T) {
	pod := func(spec string) string {
		return "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\",\"name\":\"p\"},\"spec\":{" + spec + "},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.3.5\"}}]}\n"
	}
	both := "fail: HNS has 10.244.3.5 as a local and as a remote endpoint: Service traffic may go to the wrong node [state]"
	runLooks(t, "local-and-remote-endpoint-same-ip", []look{
		{"each address once", endpointTree("e1 10.244.3.5 0", "e2 10.244.1.9 1"), "pass"},
		{"one address twice", endpointTree("e1 10.244.3.5 0", "e3 10.244.1.9 1", "e2 10.244.3.5 1"),
			both},
		{"v1 of HNS shows it as well",
			"-- hns-endpoints.json --\n[{\"ID\":\"A\",\"IPAddress\":\"10.244.3.5\",\"VirtualNetwork\":\"N\"},{\"ID\":\"B\",\"IPAddress\":\"10.244.3.5\",\"IsRemoteEndpoint\":true,\"VirtualNetwork\":\"N\"}]\n", both},
		{"two networks may use one address", endpointTree("e1 10.244.3.5 0 NAT",
			"e2 10.244.3.5 1 N"), "pass"},
		{"twice remote is no such fault", endpointTree("e1 10.244.1.9 1", "e2 10.244.1.9 1"),
			"pass"},
		{"the local one is gone, and the pod runs", endpointTree("e2 10.244.3.5 1") + pod(""),
			"fail: HNS has the address of pod a/p, 10.244.3.5, only as a remote endpoint: the pod lost its adapter [state]"},
		{"a pod on the host's network has no endpoint of its own", endpointTree("e2 10.244.3.5 1") +
			pod(`"hostNetwork":true`), "pass"},
		{"a pod that has ended left its address to another", endpointTree("e2 10.244.3.5 1") +
			strings.ReplaceAll(pod(""), "Running", "Succeeded"), "pass"},
		{"HNS was not asked", pod(""), "unknown"},
	})
}

func TestLBPortExhaustion(t *testing.T) {
	ports := func(start, count int, excluded string) string {
		return fmt.Sprintf(
			"-- ports.json --\n{\"dynamic\":{\"tcp\":{\"start\":%d,\"count\":%d}},\"excluded\":[%s]}\n", start, count, excluded)
	}
	const refused = "-- logs/kube-proxy/kube-proxy.log --\nE1120 1 proxier.go:1] %shcnCreateLoadBalancer failed in Win32: x. (%s)\n"
	plain, dsr := balancerTree("10.96.7.7 6 80 e1 0"), balancerTree("10.96.7.7 6 80 e1 1")
	tail := "%s blocks of 64 TCP ports are free in the dynamic range 50000 to %s"
	few := "warn: only " + tail + "; load balancers without DSR take them [state]"
	runLooks(t, "lb-port-exhaustion", []look{
		{"the range that Windows comes with", ports(49152, 16384, ""), "pass"},
		{"eleven pieces are enough", ports(50000, 11*64, ""), "pass"},
		{"ten are few", ports(50000, 10*64, ""), fmt.Sprintf(few, "10", "50639")},
		{"one large exclusion in the middle leaves one piece before it",
			ports(50000, 1000, `{"protocol":"tcp","start":50064,"end":50999}`),
			fmt.Sprintf(few, "1", "50999")},
		{"exclusions overlap and stand in any order",
			ports(50000, 400,
				`{"protocol":"tcp","start":50200,"end":50400},{"protocol":"tcp","start":50100,"end":50250},{"protocol":"tcp","start":50128,"end":50130}`), fmt.Sprintf(few, "1", "50399")},
		{"none is left", ports(50000, 100, `{"protocol":"tcp","start":50050,"end":50060}`),
			"fail: 0 blocks of 64 TCP ports are free in the dynamic range 50000 to 50099: HNS cannot create load balancers without DSR [state]"},
		{"exclusions of UDP do not count for TCP",
			ports(50000, 11*64, `{"protocol":"udp","start":50000,"end":50700}`), "pass"},
		{"all load balancers use DSR", ports(50000, 100, "") + dsr, "pass"},
		{"one does not, and holds the last piece", ports(50000, 100, "") + plain,
			"fail: 0 blocks of 64 TCP ports are free in the dynamic range 50000 to 50099: HNS cannot create load balancers without DSR [state]"},
		{"one that does not, on the last build where it takes a piece alone",
			ports(50000, 100, "") + plain + osAt(17763, 1191, true),
			"fail: 0 blocks of 64 TCP ports are free in the dynamic range 50000 to 50099: HNS cannot create load balancers without DSR [state]"},
		{"eleven pieces, and one that does not", ports(50000, 11*64, "") + plain +
			osAt(17763, 1191, true), fmt.Sprintf(few, "10", "50703")},
		{"eleven pieces, and one that shares its piece", ports(50000, 11*64, "") + plain +
			osAt(17763, 1192, true), "pass"},
		{"the range ends with the last port there is", ports(65000, 99999, ""),
			"warn: only 8 blocks of 64 TCP ports are free in the dynamic range 65000 to 65535; load balancers without DSR take them [state]"},
		{"the excluded ranges are not recorded",
			"-- ports.json --\n{\"dynamic\":{\"tcp\":{\"start\":50000,\"count\":64}}}\n",
			"unknown"},
		{"nobody looked", plain, "unknown"},
		{"the log alone", fmt.Sprintf(refused, "Policy creation failed: ", "0x803b0013"),
			"warn: HNS rejects a load balancer: the ports that it requires are taken or reserved [text]"},
		{"the log alone, of kube-proxy 1.11", logTelling("kube-proxy",
			"E1120 1 proxier.go:1] Policy creation failed: hnsCall failed in Win32: The specified port already exists. (0x803b0013)"),
			"warn: HNS rejects a load balancer: the ports that it requires are taken or reserved [text]"},
		{"no memory for it, says HNS", fmt.Sprintf(refused, "Policy creation failed: ", "0xe"),
			"fail: HNS rejects a load balancer: it has no ports or memory left [text]"},
		{"the probe's load balancer is another fault",
			fmt.Sprintf(refused, "Healthcheck loadbalancer policy creation failed ", "0x803b0013"),
			"unknown"},
		{"the log, and there is room again", ports(49152, 16384, "") + fmt.Sprintf(refused, "",
			"0x803b0013"),
			"info: the logs say: HNS rejects a load balancer: the ports that it requires are taken or reserved; the node's current state does not confirm it [text]"},
	})
}

func TestLBPortCollision10256(t *testing.T) {
	proxy := func(args string) string {
		return "-- processes.json --\n[{\"pid\":7,\"name\":\"kube-proxy.exe\",\"args\":[\"--v=1\"" +
			args + "]}]\n"
	}
	const forward = `,"--forward-healthcheck-vip=true"`
	service := func(policy string) string {
		return "-- api/services.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\",\"name\":\"web\"},\"spec\":{\"type\":\"LoadBalancer\",\"externalTrafficPolicy\":\"" + policy +
			"\",\"clusterIP\":\"10.96.7.7\",\"ports\":[{\"port\":80,\"protocol\":\"TCP\"}]},\"status\":{\"loadBalancer\":{\"ingress\":[{\"ip\":\"203.0.113.9\"}]}}}]}\n"
	}
	slice := sliceTree("a/web 10.244.1.9 lin-1 true 8080/TCP")
	rest := slice + balancerTree("203.0.113.9 6 80 e1 0") + osAt(17763, 8027, true)
	fault := "fail: health probe of a/web is not forwarded: HNS has no load balancer for 203.0.113.9 port 10256 [state]"
	runLooks(t, "lb-port-collision-10256", []look{
		{"the probe's load balancer is missing", proxy(forward) + service("Cluster") + rest, fault},
		{"told by the configuration file",
			"-- files/C/k/kube-proxy.conf --\nwinkernel:\n  forwardHealthCheckVip: true\n" +
				service("Cluster") + rest, fault},
		{"it is there", proxy(forward) + service("Cluster") + slice + osAt(17763, 8027, true) +
			balancerTree("203.0.113.9 6 10256 e1 0"), "pass"},
		{"kube-proxy is not told to forward", proxy("") + service("Cluster") + rest, "pass"},
		{"told not to", proxy(`,"--forward-healthcheck-vip=false"`) + service("Cluster") + rest,
			"pass"},
		{"Local has a port of its own", proxy(forward) + service("Local") + rest, "pass"},
		{"no pod is ready", proxy(forward) + service("Cluster") + sliceTree() + balancerTree() +
			osAt(17763, 8027, true), "pass"},
		{"the cloud has given no address", proxy(forward) + strings.ReplaceAll(service("Cluster"),
			"\"ip\":\"203.0.113.9\"", "\"hostname\":\"x.elb\"") + rest, "pass"},
		{"Server 2022 allows both", proxy(forward) + service("Cluster") + slice + balancerTree() +
			osAt(20348, 4171, true), "skip"},
		{"kube-proxy's settings are not recorded", service("Cluster") + rest, "unknown"},
		{"the log alone",
			"-- logs/kube-proxy/kube-proxy.log --\nE0302 1 proxier.go:1] \"Healthcheck loadbalancer policy creation failed\" err=\"hcnCreateLoadBalancer failed in Win32: x. (0x803b0013)\"\n",
			"fail: HNS rejects the load balancer of a health probe: kube-proxy uses the port [text]"},
		{"another load balancer's refusal",
			"-- logs/kube-proxy/kube-proxy.log --\nE0302 1 proxier.go:1] \"Policy creation failed\" err=\"hcnCreateLoadBalancer failed in Win32: x. (0x803b0013)\"\n", "unknown"},
	})
}

func TestNodePortZeroLocalPods(t *testing.T) {
	node := nodeOf("v1.30.1", "containerd://1.7.20")
	run := func(slices string) string { return node + oneService + slices }
	slice := func(endpoint string) string {
		return "-- api/endpointslices.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"default\",\"labels\":{\"kubernetes.io/service-name\":\"web\"}},\"endpoints\":[" + endpoint + "]}]}\n"
	}
	const told = "info: no ready pod of default/web runs on this node, so the NodePort does not answer here (documented) [state]"
	runLooks(t, "nodeport-zero-local-pods", []look{
		{"a pod runs here", run(slice(`{"addresses":["10.244.3.9"],"nodeName":"win-1"}`)), "pass"},
		{"all run elsewhere", run(slice(`{"addresses":["10.244.1.9"],"nodeName":"lin-1"}`)), told},
		{"the one here is not ready",
			run(slice(`{"addresses":["10.244.3.9"],"nodeName":"win-1","conditions":{"ready":false}},{"addresses":["10.244.1.9"],"nodeName":"lin-1"}`)), told},
		{"v1beta1 names the node in the topology",
			run(slice(`{"addresses":["10.244.3.9"],"topology":{"kubernetes.io/hostname":"win-1"}}`)), "pass"},
		{"v1beta1, elsewhere",
			run(slice(`{"addresses":["10.244.1.9"],"topology":{"kubernetes.io/hostname":"lin-1"}}`)), told},
		{"the slice names no node", run(slice(`{"addresses":["10.244.1.9"]}`)), "unknown"},
		{"no pod is ready anywhere",
			run(slice(`{"addresses":["10.244.1.9"],"nodeName":"lin-1","conditions":{"ready":false}}`)), "skip"},
		{"no Service has a NodePort", node + serviceTree("a/web 10.96.7.7 80/TCP") + slice(""),
			"skip"},
		{"the slices are not recorded", node + oneService, "unknown"},
	})
}
