package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func portsTree(excluded, listeners string) string {
	return "-- ports.json --\n{\"excluded\":[" + excluded + "],\"listeners\":[" + listeners + "]}\n"
}

func TestKubeletPortInUse(t *testing.T) {
	const bind = "-- logs/kubelet/kubelet.log --\nE1120 09:00:00.1 3088 server.go:220] \"Failed to listen and serve\" err=\"listen tcp 0.0.0.0:10250: bind: Only one usage of each socket address (protocol/network address/port) is normally permitted.\"\n"
	has := func(program string) string {
		return portsTree("", `{"protocol":"tcp","address":"::","port":10250,"process":"`+program+`"}`)
	}
	started := func(at string) string {
		return `-- processes.json --
[{"pid":7,"name":"kubelet.exe","startedAt":"2026-11-20T` + at + `Z"}]
`
	}
	const told = "fail: the kubelet cannot listen: another process has its port [text]"
	runLooks(t, "kubelet-port-in-use", []look{
		{"another program has it", bind + has("node-agent.exe"),
			"fail: the kubelet cannot listen: node-agent.exe has its port 10250 [state+text]"},
		{"a kubelet that started later has it", bind + has("kubelet.exe") + started("09:00:05"),
			"info: the logs say: the kubelet cannot listen: another process has its port; the node's current state does not confirm it [text]"},
		{"a kubelet that was started before has it", bind + has("kubelet.exe") + started("08:00:00"), told},
		{"nobody listens now", bind + portsTree("", ""), told},
		{"no error", "-- logs/kubelet/kubelet.log --\nI1120 09:00:00.1 1 a.go:1] Starting kubelet\n" + has("node-agent.exe"), "unknown"},
	})
}

func TestWSAEACCESExcludedPort(t *testing.T) {
	const rpc = `{"protocol":"tcp","address":"0.0.0.0","port":135}`
	const kubelet = `,{"protocol":"tcp","address":"::","port":10250,"process":"kubelet.exe"}`
	const low = `{"protocol":"tcp","start":10200,"end":10249},{"protocol":"udp","start":10256,"end":10256}`
	const at10250 = `{"protocol":"tcp","start":10250,"end":10250}`
	const log = "-- logs/kubelet/kubelet.log --\nF1120 09:00:00.1 server.go:172] listen tcp 0.0.0.0:10250: bind: An attempt was made to access a socket in a way forbidden by its access permissions.\n"
	const dial = "-- logs/kubelet/kubelet.log --\nE1120 09:00:00.1 a.go:1] dial tcp 10.0.0.1:443: connectex: An attempt was made to access a socket in a way forbidden by its access permissions.\n"
	const says = "a component cannot listen on its port: it is reserved or used by another process"
	const found = ": the kubelet cannot listen on tcp port 10250: Windows reserves ports 10250 to 10250 [state"
	pod := func(phase string, port int) string {
		return fmt.Sprintf(
			"-- api/pods.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\",\"name\":\"p\"},\"spec\":{\"containers\":[{\"ports\":[{\"hostPort\":%d}]}]},\"status\":{\"phase\":%q}}]}\n", port, phase)
	}
	// dotnet-monitor issue 147
	hostPod := func(state, message, hostProcess string) string {
		return fmt.Sprintf("-- api/pods.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\",\"name\":\"p\"},\"spec\":{\"hostNetwork\":true,\"securityContext\":{\"windowsOptions\":{\"hostProcess\":%s}},\"containers\":[{\"name\":\"c\"}]},"+
			"\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{%s},\"lastState\":{\"terminated\":{\"exitCode\":1,\"message\":%q}}}]}}]}\n", hostProcess, state, message)
	}
	const (
		dynamic  = `{"protocol":"tcp","start":52302,"end":52401}`
		loop     = `"waiting":{"reason":"CrashLoopBackOff"}`
		refusal  = "An attempt was made to access a socket in a way forbidden by its access permissions."
		kestrel  = "Unable to start Kestrel.\nSystem.IO.IOException: Failed to bind to address https://localhost:52323.\n ---> System.Net.Sockets.SocketException (10013): " + refusal
		inUse    = "System.IO.IOException: Failed to bind to address https://localhost:52323: address already in use."
		podFails = "fail: pod a/p cannot listen on tcp port 52323: Windows reserves ports 52302 to 52401 [state+text]"
	)
	inLog := "-- logs/pods/a_p_c_3.log --\n2026-11-20T09:00:00.0Z stderr F System.IO.IOException: Failed to bind to address http://[::]:52323.\n" +
		"2026-11-20T09:00:00.0Z stderr F  ---> System.Net.Sockets.SocketException (10013): Der Zugriff auf einen Socket war aufgrund der Zugriffsrechte des Sockets unzulässig.\n"
	runLooks(t, "wsaeacces-excluded-port", []look{
		{"Kestrel in a HostProcess container", portsTree(dynamic, rpc) + hostPod(loop, kestrel, "true"), podFails},
		{"Kestrel in its log, in German", portsTree(dynamic, rpc) + hostPod(loop, "", "true") + inLog, podFails},
		{"Go in a HostProcess container", portsTree(dynamic, rpc) + hostPod(loop, "listen tcp :52323: bind: "+refusal, "true"), podFails},
		{"Python in a HostProcess container", portsTree(dynamic, rpc) + hostPod(loop,
			"[Errno 13] error while attempting to bind on address ('0.0.0.0', 52323): an attempt was made to access a socket in a way forbidden by its access permissions", "true"), podFails},
		{"Node.js in a HostProcess container", portsTree(dynamic, rpc) + hostPod(loop, "Error: listen EACCES: permission denied 0.0.0.0:52323", "true"), podFails},
		{"a pod with its own ports", portsTree(dynamic, rpc) + hostPod(loop, kestrel, "false"), "pass"},
		{"its port is in no range", portsTree(`{"protocol":"tcp","start":52402,"end":52501}`, rpc) + hostPod(loop, kestrel, "true"), "pass"},
		{"another process has the port", portsTree(dynamic, rpc+`,{"protocol":"tcp","address":"0.0.0.0","port":52323,"process":"app.exe"}`) + hostPod(loop, kestrel, "true"), "pass"},
		{"another process had the port", portsTree(dynamic, rpc) + hostPod(loop, inUse, "true"), "pass"},
		{"it runs again", portsTree(dynamic, rpc) + hostPod(`"running":{"startedAt":"2026-11-20T09:00:00Z"}`, kestrel, "true"), "pass"},
		{"ranges elsewhere", portsTree(`{"protocol":"tcp","start":50000,"end":50059}`, rpc),
			"pass"},
		{"the port of the kubelet", portsTree(at10250, rpc), "warn" + found + "]"},
		{"the port of the kubelet, which was refused it", portsTree(at10250, rpc) + log,
			"fail" + found + "+text]"},
		{"the kubelet has another port", portsTree(at10250, rpc) +
			"-- api/node.json --\n{\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":10260}}}}\n",
			"pass"},
		{"a single port that was kept for the kubelet", portsTree(at10250, rpc+kubelet), "pass"},
		{"two ports within one range, and UDP for nobody", portsTree(low, rpc),
			"warn: the kubelet cannot listen on tcp port 10248: Windows reserves ports 10200 to 10249 [state]\nwarn: kube-proxy cannot listen on tcp port 10249: Windows reserves ports 10200 to 10249 [state]"},
		{"the host port of a pod that waits",
			portsTree(`{"protocol":"tcp","start":8000,"end":8099}`, rpc) + pod("Pending", 8080),
			"warn: pod a/p cannot listen on tcp port 8080: Windows reserves ports 8000 to 8099 [state]"},
		{"HNS excludes what it publishes", portsTree(`{"protocol":"tcp","start":8080,"end":8080}`,
			rpc) + pod("Running", 8080), "pass"},
		{"no listeners recorded", portsTree(at10250, ""), "unknown"},
		{"no listeners recorded, and the log says so", portsTree(at10250, "") + log,
			"fail: " + says + " [text]"},
		{"it was refused at an earlier boot", portsTree("", rpc+kubelet) + log,
			"info: the logs say: " + says + "; the node's current state does not confirm it [text]"},
		{"the log alone, in German", logTelling("kubelet",
			"E1120 1 server.go:1] listen tcp 0.0.0.0:10250: bind: Der Zugriff auf einen Socket war aufgrund der Zugriffsrechte des Sockets unzulässig."),
			"fail: " + says + " [text]"},
		{"the old kubelet held the port a moment longer", log +
			"I1120 1 kubelet_node_status.go:1] \"Successfully registered node\"\n",
			"info: the logs say: " + says + "; it is over: a later line says: Successfully registered node [text]"},
		{"a connection that is refused is another fault", dial, "unknown"},
	})
}

func TestHostPortConflictOrNotPublished(t *testing.T) {
	pods := func(list string) string { return "-- api/pods.json --\n{\"items\":[" + list + "]}\n" }
	pod := func(name, phase, ip, more string) string {
		return fmt.Sprintf(
			`{"metadata":{"namespace":"a","name":%q,"uid":%q},"spec":{%s"containers":[{"ports":[{"containerPort":80,"hostPort":8080}]}]},"status":{"phase":%q,"podIP":%q}}`, name, name, more, phase, ip)
	}
	conf := func(capabilities string) string {
		return "-- files/C/k/cni/config/cni.conf --\n{\"cniVersion\":\"0.2.0\",\"name\":\"cbr0\",\"type\":\"win-bridge\",\"capabilities\":{" + capabilities + "}}\n"
	}
	endpoint := func(policies string) string {
		return "-- hns-endpoints.json --\n[{\"ID\":\"A\",\"Name\":\"p_cbr0\",\"HostComputeNetwork\":\"B\",\"IpConfigurations\":[{\"IpAddress\":\"10.244.3.4\"}],\"Policies\":[" + policies + "],\"SchemaVersion\":{\"Major\":2,\"Minor\":0}}]\n"
	}
	dual := func(policies string) string {
		return replace(endpoint(policies), `{"IpAddress":"10.244.3.4"}`, `{"IpAddress":"10.244.3.4"},{"IpAddress":"fd00:1::4"}`)
	}
	nodeAt10Dual := replace(nodeAt10, `"address":"10.0.0.10"}`, `"address":"10.0.0.10"},{"type":"InternalIP","address":"fd00::10"}`)
	const mapping = `{"Type":"PortMapping","Settings":{"Protocol":6,"InternalPort":80,"ExternalPort":8080}}`
	running := pods(pod("p", "Running", "10.244.3.4", ""))
	waiting := pods(pod("p", "Pending", "", ""))
	iis := portsTree("", `{"protocol":"tcp","address":"0.0.0.0","port":8080,"process":"System"}`)
	free := portsTree("",
		`{"protocol":"tcp","address":"127.0.0.1","port":8080,"process":"debug.exe"},{"protocol":"udp","address":"0.0.0.0","port":8080}`)
	event := func(message string) string {
		return fmt.Sprintf(
			"-- api/events.json --\n{\"items\":[{\"reason\":\"FailedCreatePodSandBox\",\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"a\",\"name\":\"p\"},\"message\":%q}]}\n", message)
	}
	const taken = "HNS cannot publish a pod's host port: another pod or process uses it"
	runLooks(t, "hostport-conflict-or-not-published", []look{
		{"published on the endpoint", running + endpoint(mapping), "pass"},
		{"the endpoint has another policy", running + endpoint(`{"Type":"OutBoundNAT"}`),
			"fail: host port of pod a/p is not published: no PortMapping policy for tcp/8080 on its HNS endpoint [state]"},
		{"the plugin would not be told", running + conf(`"dns":true`),
			"fail: host port of pod a/p (tcp/8080) is not published: CNI configuration cni.conf has no capability portMappings [state]"},
		{"the plugin is told", running + conf(`"portMappings":true`), "pass"},
		{"the node does not reach it (Azure/azure-container-networking#1863)", running + endpoint(mapping) + nodeAt10 +
			reachTree("node tcp 10.0.0.10:8080 timeout", "node tcp 10.244.3.4:80 ok"),
			"warn: the node does not reach host port tcp/8080 of pod a/p: its mapping has no flag LocalRoutedVIP [state]"},
		{"the mapping has the flag", running + endpoint(replace(mapping, `"Protocol"`, `"Flags":1,"Protocol"`)) + nodeAt10 +
			reachTree("node tcp 10.0.0.10:8080 timeout", "node tcp 10.244.3.4:80 ok"), "pass"},
		{"the node does not reach the pod either", running + endpoint(mapping) + nodeAt10 +
			reachTree("node tcp 10.0.0.10:8080 timeout", "node tcp 10.244.3.4:80 timeout"), "pass"},
		{"the node reaches it", running + endpoint(mapping) + nodeAt10 +
			reachTree("node tcp 10.0.0.10:8080 ok", "node tcp 10.244.3.4:80 ok"), "pass"},
		{"the node does not reach another node's port", running + endpoint(mapping) + nodeAt10 +
			reachTree("node tcp 10.0.0.11:8080 timeout", "node tcp 10.244.3.4:80 ok"), "pass"},
		{"it answers by IPv4 only (Azure/azure-container-networking#1986)", running + dual(mapping) + nodeAt10Dual +
			reachTree("node tcp 10.0.0.10:8080 ok", "node tcp [fd00::10]:8080 timeout"),
			"fail: host port tcp/8080 of pod a/p is published for IPv4 only [state]"},
		{"it is refused by IPv6", running + dual(mapping) + nodeAt10Dual +
			reachTree("node tcp 10.0.0.10:8080 ok", "node tcp [fd00::10]:8080 refused"),
			"fail: host port tcp/8080 of pod a/p is published for IPv4 only [state]"},
		{"a mapping for IPv6 is there", running + dual(mapping+","+replace(mapping, `"Protocol"`, `"Flags":3,"Protocol"`)) + nodeAt10Dual +
			reachTree("node tcp 10.0.0.10:8080 ok", "node tcp [fd00::10]:8080 timeout"), "pass"},
		{"by IPv4 it does not answer either", running + dual(mapping) + nodeAt10Dual +
			reachTree("node tcp [fd00::10]:8080 timeout"), "pass"},
		{"the pod has no IPv6 address", running + endpoint(mapping) + nodeAt10Dual +
			reachTree("node tcp 10.0.0.10:8080 ok", "node tcp [fd00::10]:8080 timeout"), "pass"},
		{"nobody asked by IPv6", running + dual(mapping) + nodeAt10Dual + reachTree("node tcp 10.0.0.10:8080 ok"), "pass"},
		{"IIS holds the port", waiting + iis,
			"fail: host port of pod a/p is taken: tcp/8080 is used by System [state]"},
		{"IIS holds the port, and the pod runs", running + endpoint(mapping) + iis,
			"warn: host port of pod a/p is taken: tcp/8080 is used by System [state]"},
		{"loopback and UDP are other sockets", running + endpoint(mapping) + free, "pass"},
		{"two pods with one port",
			pods(pod("p", "Running", "10.244.3.4", "")+","+pod("q", "Pending", "", "")) +
				endpoint(mapping),
			"fail: pods a/p and a/q both use host port tcp/8080 [state]"},
		{"the second one has ended",
			pods(pod("p", "Running", "10.244.3.4", "")+","+pod("q", "Succeeded", "", "")) +
				endpoint(mapping), "pass"},
		{"nothing tells whether it is published", running + free, "unknown"},
		{"on the host's network", pods(pod("p", "Running", "10.0.0.10", `"hostNetwork":true,`)) +
			conf(""), "skip"},
		{"nobody asks for one",
			pods(`{"metadata":{"name":"p"},"spec":{"containers":[{"ports":[{"containerPort":80}]}]}}`) + conf(""), "skip"},
		{"the event alone",
			event("hcnCreateEndpoint failed in Win32: The specified port already exists. (0x803b0013)"), "fail: " + taken + " [text]"},
		{"a load balancer of kube-proxy's",
			event("endpoint x: hcnCreateLoadBalancer failed in Win32: The specified port already exists. (0x803b0013)"), "unknown"},
		{"the first interface of HNS, in German", logTelling("kubelet",
			"error while ProvisionEndpoint(a,b,c): failed to create the new HNSEndpoint: hnsCall failed in Win32: Der angegebene Port ist bereits vorhanden. (0x803b0013)"),
			"fail: HNS cannot publish a pod's host port: another pod or process uses it [text]"},
	})
}

func TestFirewallBlocks10250(t *testing.T) {
	tree := func(profiles, rules string) string {
		return "-- firewall.json --\n{\"profiles\":[" + profiles + "],\"rules\":[" + rules + "]}\n"
	}
	const block = `{"name":"domain","enabled":true,"defaultInbound":"block"},{"name":"public","enabled":true,"defaultInbound":"Block"}`
	rule := func(name, action, protocol, ports, more string) string {
		return fmt.Sprintf(
			`{"name":%q,"enabled":true,"direction":"in","action":%q,"protocol":%q,"localPorts":[%s]%s}`, name, action, protocol, ports, more)
	}
	const shut = "fail: no enabled firewall rule allows inbound TCP 10250 (profiles: domain, public): kubectl logs, exec and metrics time out [state]"
	const metrics = "info: no enabled firewall rule allows inbound TCP 10250 (profiles: domain, public): metrics-server cannot read this node [state]"
	const kubelet = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\"}]\n"
	const announced = "-- api/node.json --\n{\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":10260}}}}\n"
	const dropIn = "-- processes.json --\n[{\"name\":\"kubelet.exe\",\"pid\":7,\"args\":[\"--config-dir=C:\\\\k\\\\conf.d\"]}]\n" +
		"-- files/C/k/conf.d/10-port.conf --\nport: 10261\n"
	const log = "-- logs/kubectl/out.txt --\nError from server: error dialing backend: dial tcp 10.0.0.10:10250: i/o timeout\n"
	const says = "connections from the control plane to kubelet port 10250 time out: a firewall, or no route to the node"
	runLooks(t, "firewall-blocks-10250", []look{
		{"a docker host without Kubernetes", dockerHost("absent") + tree(block, ""), "skip"},
		{"allowed", tree(block, rule("kubelet", "allow", "tcp", `"10250"`, "")), "pass"},
		{"within a range, by number", tree(block, rule("k8s", "Allow", "6", `"80", "10250-10259"`,
			"")), "pass"},
		{"the kubelet's program", tree(block, rule("kubelet.exe", "allow", "any", "", "")), "pass"},
		{"no rule", tree(block, "") + kubelet, shut},
		{"no rule, and nothing shows whether an agent has a tunnel", tree(block, ""), strings.Replace(shut, "fail", "info", 1)},
		{"no rule on RKE2, whose agent has a tunnel", tree(block, "") + nodeOf("v1.34.3+rke2r1", "containerd://2.1.5-k3s1"), metrics},
		{"no rule on K3s", tree(block, "") + "-- services.json --\n[{\"name\":\"k3s\",\"state\":\"running\"}]\n", metrics},
		{"no rule on an RKE2 without a tunnel", tree(block, "") + nodeOf("v1.21.4+rke2r2", "containerd://1.4.9-k3s1"), shut},
		{"a rule for the next port", tree(block, rule("kube-proxy", "allow", "tcp", `"10256"`, "")) + kubelet,
			shut},
		{"a rule for UDP", tree(block, rule("k", "allow", "udp", `"10250"`, "")) + kubelet, shut},
		{"a rule for going out",
			tree(block, `{"name":"k","enabled":true,"direction":"out","action":"allow","protocol":"tcp","localPorts":["10250"]}`) + kubelet, shut},
		{"a disabled rule",
			tree(block, `{"name":"kubelet","direction":"in","action":"allow","protocol":"tcp","localPorts":["10250"]}`) + kubelet, shut},
		{"a rule that blocks beside one that allows",
			tree(block, rule("kubelet", "allow", "tcp", `"10250"`, "")+","+rule("hardening",
				"block", "tcp", `"10000-11000"`, "")),
			`fail: firewall rule "hardening" blocks TCP 10250; a block rule overrides allow rules [state]`},
		{"somebody's program on any port", tree(block, rule("Agent", "allow", "any", `"Any"`, "")),
			"unknown"},
		{"one profile of two",
			tree(block, rule("kubelet", "allow", "tcp", `"10250"`, `,"profiles":["domain"]`)),
			"info: no enabled firewall rule allows inbound TCP 10250 (profiles: public): kubectl logs, exec and metrics time out [state]"},
		{"a rule that blocks in one profile of two", tree(block, rule("kubelet", "allow", "tcp",
			`"10250"`, "")+","+rule("hardening", "block", "tcp", `"10250"`, `,"profiles":["public"]`)),
			`info: firewall rule "hardening" blocks TCP 10250; a block rule overrides allow rules [state]`},
		{"one profile is off", tree(block+`,{"name":"private","enabled":false}`, ""),
			"info: no enabled firewall rule allows inbound TCP 10250 (profiles: domain, public): kubectl logs, exec and metrics time out [state]"},
		{"the port for some senders", tree(block, rule("kubelet", "allow", "tcp", `"10250"`, `,"conditional":true`)), "unknown"},
		{"the port for some senders, and for all", tree(block, rule("corp", "allow", "tcp", `"10250"`, `,"conditional":true`)+","+
			rule("kubelet", "allow", "tcp", `"10250"`, "")), "pass"},
		{"all ports for some senders", tree(block, rule("corp", "allow", "any", "",
			`,"conditional":true`)), "unknown"},
		{"all ports for some senders in one profile of two", tree(block, rule("corp", "allow", "any",
			"", `,"conditional":true,"profiles":["domain"]`)),
			"info: no enabled firewall rule allows inbound TCP 10250 (profiles: public): kubectl logs, exec and metrics time out [state]"},
		{"the port that the Node object announces", tree(block, rule("k", "allow", "tcp",
			`"10260"`, "")) + announced, "pass"},
		{"a rule for another port than the Node object announces", tree(block, rule("k", "allow",
			"tcp", `"10250"`, "")) + announced, strings.ReplaceAll(shut, "10250", "10260")},
		{"the port of a file of --config-dir", tree(block, rule("k", "allow", "tcp", `"10261"`, "")) +
			dropIn, "pass"},
		{"the firewall is off", tree(`{"name":"domain","enabled":false,"defaultInbound":"block"}`,
			""), "pass"},
		{"it lets everything in", tree(`{"name":"domain","enabled":true,"defaultInbound":"allow"}`,
			""), "pass"},
		{"no profiles recorded", tree("", ""), "unknown"},
		{"the message alone", log, "warn: " + says + " [text]"},
		{"allowed here, so a filter in between",
			tree(block, rule("kubelet", "allow", "tcp", `"10250"`, "")) + log,
			"info: the logs say: " + says + "; the node's current state does not confirm it [text]"},
	})
}

func TestWinDefaultsPathCopyDenied(t *testing.T) {
	const containerd = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"nodeInfo\":{\"containerRuntimeVersion\":\"containerd://1.7.20\"}}}\n"
	const docker = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"nodeInfo\":{\"containerRuntimeVersion\":\"docker://19.3.14\"}}}\n"
	const log = "-- logs/flanneld/pod.log --\ncp : Access to the path 'C:\\etc\\kube-flannel\\net-conf.json' is denied.\n"
	const found = "fail: flannel pod cannot write net-conf.json: the image is too old for this containerd [text]"
	runLooks(t, "win-defaults-path-copy-denied", []look{
		{"the log says so", onVXLAN + containerd + log, found},
		{"the log alone", log, found},
		{"PowerShell in another language",
			containerd + onVXLAN +
				"-- logs/flanneld/pod.log --\n    + CategoryInfo          : PermissionDenied: (C:\\hpc\\etc\\kube-flannel\\net-conf.json:FileInfo) [Copy-Item], UnauthorizedAccessException\n", found},
		{"a log without it",
			onVXLAN + containerd + "-- logs/flanneld/pod.log --\nCopied net-conf.json\n", "unknown"},
		{"no log", onVXLAN + containerd, "unknown"},
		{"docker has no HostProcess containers", onVXLAN + docker + log, "skip"},
	})
}

func TestNodeNameCaseMismatch(t *testing.T) {
	const node = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"}}\n"
	cert := func(subject string) string {
		return fmt.Sprintf(
			"-- certificates.json --\n[{\"path\":\"C:\\\\k\\\\ca.crt\",\"subject\":\"CN=kubernetes\"},{\"path\":\"C:\\\\pki\\\\kubelet-client-current.pem\",\"subject\":%q}]\n", subject)
	}
	service := func(name string) string {
		return "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\",\"env\":{\"NODE_NAME\":\"" + name + "\"}}]\n"
	}
	const log = "-- logs/kubelet/kubelet.log --\nE1120 09:00:00.1 a.go:1] nodes \"win-1\" is forbidden: node \"WIN-1\" cannot modify node \"win-1\"\n"
	const young = "-- logs/kubelet/kubelet.log --\nE1120 09:00:00.1 a.go:1] eviction manager: unexpected err: failed GetNode: node 'win-1' not found\n"
	const says = "API server rejects the kubelet: its certificate is for another Node name"
	runLooks(t, "node-name-case-mismatch", []look{
		{"all alike", node + cert("O=system:nodes,CN=system:node:win-1") + service("win-1"),
			"pass"},
		{"a certificate in capitals", node + cert("CN=system:node:WIN-1, O=system:nodes"),
			"fail: the kubelet's certificate is WIN-1 (expected: win-1): Node names are case-sensitive [state]"},
		{"a certificate of a machine that was renamed", node + cert("CN=system:node:win-old"),
			"fail: the kubelet's certificate is win-old (expected: win-1, the Node name) [state]"},
		{"flanneld in capitals", node + service("WIN-1"),
			"fail: flanneld's NODE_NAME is WIN-1 (expected: win-1): Node names are case-sensitive [state]"},
		{"the machine in capitals",
			node + "-- env.json --\n{\"NODE_NAME\":\"WIN-1\",\"COMPUTERNAME\":\"WIN-1\"}\n",
			"fail: the machine's NODE_NAME is WIN-1 (expected: win-1): Node names are case-sensitive [state]"},
		{"a variable that a script fills in", node + service("$(hostname)"), "unknown"},
		{"certificates of others", node + cert("CN=system:kube-proxy"), "unknown"},
		{"the log alone", log, "fail: " + says + " [text]"},
		{"the log and the certificate", node + cert("CN=system:node:WIN-1") + log,
			"fail: the kubelet's certificate is WIN-1 (expected: win-1): Node names are case-sensitive [state+text]"},
		{"a node that has yet to register", young, "unknown"},
		{"the node authorizer's words", logTelling("kubelet",
			"nodes \"win-1\" is forbidden: User \"system:node:WIN-1\" cannot get resource \"nodes\" in API group \"\" at the cluster scope: node 'WIN-1' cannot read 'win-1', only its own Node object"),
			"fail: " + says + " [text]"},
		{"a list of all nodes with the kubelet's certificate", logTelling("kubelet",
			"nodes is forbidden: User \"system:node:win-1\" cannot list resource \"nodes\" in API group \"\" at the cluster scope: node 'win-1' cannot read all nodes, only its own Node object"),
			"unknown"},
	})
}
