package faults_test

import "testing"

// onFlannel is a node that flannel host-gw serves.
const onFlannel = "-- files/C/k/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"host-gw\",\"Name\":\"cbr0\"}}\n"

// onOther is one that Azure CNI serves.
const onOther = "-- hns-networks.json --\n[{\"Name\":\"azure\",\"Type\":\"L2Bridge\"}]\n-- services.json --\n[{\"name\":\"azure-cns\",\"state\":\"running\"}]\n"

const noSubnetEnv = "-- files.json --\n[{\"path\":\"C:\\\\run\\\\flannel\\\\subnet.env\",\"outcome\":\"absent\"}]\n"

// subnetEnv is flannel's file with that subnet.
func subnetEnv(subnet string) string {
	return "-- files/C/run/flannel/subnet.env --\nFLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=" +
		subnet + "\nFLANNEL_MTU=1500\nFLANNEL_IPMASQ=true\n"
}

// nodeWith is a Node object with that spec.
func nodeWith(spec string) string {
	return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{" + spec + "}}\n"
}

const podCIDR = `"podCIDR":"10.244.2.0/24","podCIDRs":["10.244.2.0/24"]`

func TestFlannelSubnetEnvMissing(t *testing.T) {
	const missed = "-- logs/kubelet/kubelet.log --\nE1120 09:00:00.1 cni.go:331] Error adding pod_network: open /run/flannel/subnet.env: The system cannot find the path specified.\n"
	const elsewhere = "-- processes.json --\n[{\"pid\":9,\"name\":\"flanneld.exe\",\"args\":[\"--subnet-file=D:\\\\run\\\\subnet.env\"]}]\n"
	const log = "-- logs/flanneld/flanneld.log --\nI1120 09:00:00.1 main.go:1] CLI flags config: {subnetFile:/run/flannel/subnet.env}\n"
	runLooks(t, "flannel-subnet-env-missing", []look{
		{"looked for, and absent", onFlannel + noSubnetEnv,
			`fail: C:\run\flannel\subnet.env is missing, and the flannel CNI plugin needs it for every pod [state]`},
		{"flanneld writes another file", onFlannel + noSubnetEnv + elsewhere + "-- files/D/run/subnet.env --\nFLANNEL_SUBNET=10.244.2.1/24\n", "pass"},
		{"flanneld writes another file, at which nobody looked", onFlannel + noSubnetEnv + elsewhere, "unknown"},
		{"nobody looked", onFlannel, "unknown"},
		{"nobody looked, and the plugin complains", onFlannel + missed,
			"fail: the flannel CNI plugin cannot find /run/flannel/subnet.env [text]"},
		{"it is there by now", onFlannel + missed + subnetEnv("10.244.2.1/24"),
			"info: the logs say: the flannel CNI plugin cannot find /run/flannel/subnet.env; the node's current state does not confirm it [text]"},
		{"its path in a log is no complaint", onFlannel + log, "unknown"},
		{"nobody may read it, but it is there",
			onFlannel + "-- files.json --\n[{\"path\":\"C:\\\\run\\\\flannel\\\\subnet.env\",\"outcome\":\"too-large\"}]\n", "unknown"},
		{"another plugin has no such file", onOther + noSubnetEnv, "skip"},
		{"in French, by the plugin's words", onFlannel + logTelling("containerd",
			`plugin type="flannel" failed (add): loadFlannelSubnetEnv failed: open /run/flannel/subnet.env: Le chemin d’accès spécifié est introuvable.`),
			"fail: the flannel CNI plugin cannot find /run/flannel/subnet.env [text]"},
		{"it is there and denied", onFlannel + logTelling("containerd",
			"open /run/flannel/subnet.env: Zugriff verweigert"), "unknown"},
		{"flanneld wrote it since", onFlannel + missed +
			"-- logs/flanneld/f.log --\nI1120 09:00:20.1 main.go:1] Wrote subnet file to /run/flannel/subnet.env\n",
			"info: the logs say: the flannel CNI plugin cannot find /run/flannel/subnet.env; it is over: a later line says: Wrote subnet file to [text]"},
	})
}

func TestSubnetEnvStale(t *testing.T) {
	const etcd = "-- processes.json --\n[{\"pid\":1,\"name\":\"flanneld.exe\",\"args\":[\"--etcd-endpoints=https://10.0.0.9:2379\"]}]\n"
	runLooks(t, "subnet-env-stale", []look{
		{"the first address of the podCIDR", onFlannel + nodeWith(podCIDR) +
			subnetEnv("10.244.2.1/24"), "pass"},
		{"the base address of the podCIDR", onFlannel + nodeWith(podCIDR) +
			subnetEnv("10.244.2.0/24"), "pass"},
		{"the subnet of another node", onFlannel + nodeWith(podCIDR) + subnetEnv("10.244.5.1/24"),
			"fail: FLANNEL_SUBNET is 10.244.5.1/24 (expected: the node's podCIDR 10.244.2.0/24) [state]"},
		{"another length", onFlannel + nodeWith(podCIDR) + subnetEnv("10.244.2.1/25"),
			"fail: FLANNEL_SUBNET is 10.244.2.1/25 (expected: the node's podCIDR 10.244.2.0/24) [state]"},
		{"outside the network, without a Node object", onFlannel + subnetEnv("10.42.2.1/24"),
			"fail: FLANNEL_SUBNET 10.42.2.1/24 is outside FLANNEL_NETWORK 10.244.0.0/16 [state]"},
		{"nothing to compare with", onFlannel + subnetEnv("10.244.2.1/24"), "unknown"},
		{"no CIDR", onFlannel + nodeWith(podCIDR) + subnetEnv("10.244.2.1"),
			`fail: FLANNEL_SUBNET "10.244.2.1" is not a CIDR [state]`},
		{"half written", onFlannel + nodeWith(podCIDR) +
			"-- files/C/run/flannel/subnet.env --\nFLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.2.1/24\n",
			`fail: C:\run\flannel\subnet.env does not set FLANNEL_MTU, FLANNEL_IPMASQ: the CNI plugin refuses the file [state]`},
		{"written by PowerShell", onFlannel + nodeWith(podCIDR) +
			"-- files/C/run/flannel/subnet.env --\n\ufeffFLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.2.1/24\nFLANNEL_MTU=1500\nFLANNEL_IPMASQ=true\n",
			`fail: C:\run\flannel\subnet.env begins with a byte order mark: the CNI plugin ignores its first line [state]`},
		{"flannel takes subnets from etcd", onFlannel + etcd + nodeWith(podCIDR) +
			subnetEnv("10.244.5.1/24"), "pass"},
		{"no file", onFlannel + nodeWith(podCIDR) + noSubnetEnv, "skip"},
		{"nobody looked for it", onFlannel + nodeWith(podCIDR), "unknown"},
	})
}

func TestPodCIDRNotAssigned(t *testing.T) {
	const log = "-- logs/flanneld/flanneld.log --\nE1120 09:00:00.1 main.go:292] Error registering network: failed to acquire lease: node \"win-1\" pod cidr not assigned\n"
	etcd := func(more string) string {
		return "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\flanneld.exe\",\"args\":[\"--etcd-endpoints=https://10.0.0.9:2379\"" + more + "]}]\n"
	}
	const found = "fail: Node object has no podCIDR: flannel gets no pod subnet [state]"
	runLooks(t, "podcidr-not-assigned", []look{
		{"none", onFlannel + nodeWith(""), found},
		{"none, and the log says so", onFlannel + nodeWith("") + log,
			"fail: Node object has no podCIDR: flannel gets no pod subnet [state+text]"},
		{"one, and a log from before", onFlannel + nodeWith(podCIDR) + log,
			"info: the logs say: flanneld gets no subnet: the node has no podCIDR; the node's current state does not confirm it [text]"},
		{"only in the list", onFlannel + nodeWith(`"podCIDRs":["10.244.2.0/24"]`), "pass"},
		{"no Node object, and the log says so", onFlannel + log,
			"fail: flanneld gets no subnet: the node has no podCIDR [text]"},
		{"flanneld came before the controller manager, and started again",
			onFlannel + log + "I1120 09:59:59.000001 1 main.go:366] Running backend.\n",
			"info: the logs say: flanneld gets no subnet: the node has no podCIDR; it is over: a later line says: Running backend. [text]"},
		{"no Node object", onFlannel, "unknown"},
		{"flannel takes subnets from etcd", onFlannel + nodeWith("") + etcd(""), "skip"},
		{"an etcd that it is told to leave alone",
			onFlannel + nodeWith("") + etcd(`,"--kube-subnet-mgr=1"`), found},
		{"Azure CNI keeps addresses itself", onOther + nodeWith(""), "skip"},
		{"nothing tells the plugin", nodeWith(""), "unknown"},
	})
}

func TestFlannelWaitingForNetwork(t *testing.T) {
	network := func(ip string) string {
		return "-- hns-networks.json --\n[{\"ID\":\"A\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"ManagementIP\":\"" + ip + "\",\"State\":1,\"Version\":38654705669}]\n"
	}
	const none = "-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"nat\",\"Type\":\"nat\",\"State\":1,\"Version\":38654705669}]\n"
	const gaveUp = "-- logs/flanneld/flanneld.log --\nE1120 09:06:17.020118 3388 main.go:292] Error registering network: timeout, failed to get management IP from HNSNetwork cbr0\n"
	const briefly = "-- logs/start/start.log --\n2026-11-20T09:00:01Z Waiting for the Network to be created\n2026-11-20T09:00:02Z Waiting for the Network to be created\n"
	const forEver = briefly + "2026-11-20T09:08:02Z Waiting for the Network to be created\n"
	runLooks(t, "flannel-waiting-for-network", []look{
		{"a healthy start prints the line too", onFlannel + network("10.20.30.21") + briefly,
			"pass"},
		{"it came back after a failed start", onFlannel + network("10.20.30.21") + gaveUp,
			"info: the logs say: flanneld got no management address from its HNS network; the node's current state does not confirm it [text]"},
		{"no address", onFlannel + network(""),
			"fail: HNS network cbr0 has no management address: flanneld is waiting for one [state]"},
		{"an address that Windows made up", onFlannel + network("169.254.7.9"),
			"fail: HNS network cbr0 has the management address 169.254.7.9, which Windows assigns when an address is lost [state]"},
		{"HCN shows no such address of an l2bridge",
			onFlannel + "-- hns-networks.json --\n[{\"ID\":\"A\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"Ipams\":[],\"SchemaVersion\":{\"Major\":2,\"Minor\":0}}]\n", "pass"},
		{"no network yet", onFlannel + none + briefly, "pass"},
		{"no network for minutes", onFlannel + none + forEver,
			"fail: flanneld is waiting for HNS network cbr0, which is missing [state+text]"},
		{"no network, and flanneld gave up", onFlannel + none + gaveUp,
			"fail: flanneld is waiting for HNS network cbr0, which is missing [state+text]"},
		{"HNS was not asked, and flanneld gave up", onFlannel + gaveUp,
			"fail: flanneld got no management address from its HNS network [text]"},
		{"HNS was not asked, and a start that waits", onFlannel + forEver, "unknown"},
		{"another plugin", onOther, "skip"},
		{"the second start found the network", onFlannel + gaveUp +
			"I1120 09:07:17.020118 3388 main.go:488] Running backend.\n",
			"info: the logs say: flanneld got no management address from its HNS network; it is over: a later line says: Running backend. [text]"},
	})
}
