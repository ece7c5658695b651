package faults_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/fixtures"
)

// eksNode is a Node of EKS that can allocate that.
func eksNode(allocatable string) string {
	return `-- api/node.json --
{"metadata":{"name":"win-1","creationTimestamp":"2026-11-19T10:00:00Z","labels":{"eks.amazonaws.com/nodegroup":"w"}},"status":{"allocatable":{` + allocatable + `},"nodeInfo":{"kubeletVersion":"v1.31.1-eks-1a2b3c"}}}
`
}

const twenty = `"cpu":"2","vpc.amazonaws.com/PrivateIPv4Address":"20"`

func waitingPod(spec, annotations string) string {
	return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"shop","annotations":{` + annotations + `}},"spec":{"nodeName":"win-1"` + spec + `},"status":{"phase":"Pending","startTime":"2026-11-20T09:00:00Z"}}]}
`
}

func TestEKSMissingPrivateIP(t *testing.T) {
	const lacks = "fail: the Node offers no vpc.amazonaws.com/PrivateIPv4Address, so no pod of it can get an address [state]"
	const addressed = "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"old\",\"namespace\":\"shop\",\"annotations\":{\"vpc.amazonaws.com/PrivateIPv4Address\":\"10.0.0.9/24\"}},\"spec\":{\"nodeName\":\"win-1\"},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0.9\",\"hostIP\":\"10.0.0.4\"}}]}\n"
	vpcConfig := func(data string) string {
		return "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"amazon-vpc-cni\",\"namespace\":\"kube-system\"},\"data\":{" + data + "}}]}\n"
	}
	const noBlock = "-- api/events.json --\n{\"items\":[{\"reason\":\"InsufficientCidrBlocks\",\"type\":\"Warning\",\"involvedObject\":{\"kind\":\"Node\",\"name\":\"win-1\"},\"lastTimestamp\":\"2026-11-20T09:58:00Z\",\"message\":\"InsufficientCidrBlocks: The specified subnet does not have enough free cidr blocks to satisfy the request\"}]}\n"
	unsupported := func(says string) string {
		return "-- api/events.json --\n{\"items\":[{\"reason\":\"Unsupported\",\"type\":\"Warning\",\"involvedObject\":{\"kind\":\"Node\",\"name\":\"win-1\"},\"lastTimestamp\":\"2026-11-20T09:58:00Z\",\"message\":\"The instance type m7a.large " + says + "\"}]}\n"
	}
	runLooks(t, "eks-missing-private-ip", []look{
		{"the resource is not there", eksNode(`"cpu":"2"`), lacks},
		{"the machine is of a type without Windows pods", replace(eksNode(`"cpu":"2"`), `"labels":{`,
			`"labels":{"node.kubernetes.io/instance-type":"m4.large",`),
			"fail: the Node offers no vpc.amazonaws.com/PrivateIPv4Address: Amazon EKS runs no Windows pods on m4.large [state]"},
		// karpenter-provider-aws pull request 6415; a healthy node may be told that its type has no trunk interface
		{"the controller does not know the machine's type", eksNode(`"cpu":"2"`) + unsupported("is not supported yet by the vpc resource controller"),
			"fail: the Node offers no vpc.amazonaws.com/PrivateIPv4Address: the resource controller does not know its instance type [state]"},
		{"the type has no trunk interface", eksNode(`"cpu":"2"`) + unsupported("is not supported for trunk interface (Security Group for Pods)"), lacks},
		{"the resource is none", eksNode(`"cpu":"2","vpc.amazonaws.com/PrivateIPv4Address":"0"`),
			lacks},
		{"the resource is gone, and pods of before have addresses", eksNode(`"cpu":"2"`) + addressed + vpcConfig(""), lacks},
		{"the same, and Windows IPAM is enabled", eksNode(`"cpu":"2"`) + addressed + vpcConfig(`"enable-windows-ipam":"true"`), "pass"},
		{"the subnet has no free block, and no pod waits", eksNode(twenty) + addressed + noBlock,
			"info: the logs say: the subnet of the node has no free block of 16 addresses; the node's current state does not confirm it [text]"},
		{"the subnet has no free block, and a pod waits", eksNode(twenty) + noBlock +
			waitingPod(`,"nodeSelector":{"kubernetes.io/os":"windows"}`, ""),
			"fail: shop/web is waiting: it has no VPC address [state+text]"},
		{"a pod selects its node by a label of its own", eksNode(twenty) + waitingPod(`,"nodeSelector":{"instance-type":"windows"}`, "") +
			podEvent("FailedCreatePodSandBox", "failed to parse Kubernetes args: pod does not have label vpc.amazonaws.com/PrivateIPv4Address"),
			"fail: shop/web is waiting: it has no VPC address [state+text]"},
		{"a pod for Linux waits, too", eksNode(twenty) + waitingPod(`,"containers":[{"name":"c","image":"nginx:1.27"}]`, ""),
			"info: shop/web is waiting: it has no VPC address [state]"},
		{"an image of that name for Windows", eksNode(twenty) + waitingPod(`,"containers":[{"name":"c","image":"shop/nginx:1.27-ltsc2022"}]`, ""),
			"fail: shop/web is waiting: it has no VPC address [state]"},
		{"a Node of a minute", replace(eksNode(`"cpu":"2"`), "2026-11-19T10:00:00Z",
			"2026-11-20T09:59:00Z") + podsJSON(""), "pass"},
		{"its pods are not recorded", eksNode(twenty), "unknown"},
		{"a Node object cut down to its labels", eksNode(""), "unknown"},
		{"a pod waits without an address",
			eksNode(twenty) + waitingPod(`,"nodeSelector":{"kubernetes.io/os":"windows"}`, ""),
			"fail: shop/web is waiting: it has no VPC address [state]"},
		{"a pod waits for something else", eksNode(twenty) + waitingPod("",
			`"vpc.amazonaws.com/PrivateIPv4Address":"10.0.0.9/24"`), "pass"},
		{"a pod that has its address waits for something else", // containerd issue 10001
			replace(eksNode(twenty)+waitingPod(`,"nodeSelector":{"kubernetes.io/os":"windows"}`, ""), `"phase":"Pending"`,
				`"phase":"Pending","podIP":"10.60.3.148"`), "pass"},
		{"a pod on the host's network needs none",
			eksNode(twenty) + waitingPod(`,"hostNetwork":true`, ""), "pass"},
		{"Calico hands out addresses of its own",
			eksNode(`"cpu":"2"`) +
				"-- services.json --\n[{\"name\":\"CalicoNode\",\"state\":\"running\"}]\n", "skip"},
		{"a node of somebody else", nodeOf("v1.29.9", "containerd://1.7.2"), "skip"},
		{"the scheduler alone, which a full cluster makes say so",
			"-- api/events.json --\n{\"items\":[{\"reason\":\"FailedScheduling\",\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"web\"},\"message\":\"0/5 nodes are available: 5 Insufficient vpc.amazonaws.com/PrivateIPv4Address.\"}]}\n",
			"warn: the scheduler finds no Windows node with a VPC address to spare [text]"},
		{"the controller finds no free block in the subnet, which is no matter of a moment",
			podEvent("ResourceAllocationFailed", "Warm pool for resource vpc.amazonaws.com/PrivateIPv4Address is currently empty because the specified subnet does not have enough free cidr blocks, will retry in 120s"),
			"fail: the subnet of the node has no free block of 16 addresses [text]"},
		{"the controller fills its pool",
			podEvent("ResourceAllocationFailed", "Warm pool for resource vpc.amazonaws.com/PrivateIPv4Address is currently empty, will retry in 600ms"),
			"unknown"},
	})
}

// TestEKSGivesPodsOfLinuxNoAddress: the webhook of EKS passes by a pod that does not select Windows, so that what is
// said of a pod for Linux is a consequence (aws-samples/amazon-cloudwatch-container-insights issue 14).
func TestEKSGivesPodsOfLinuxNoAddress(t *testing.T) {
	const refused = "plugin type=\"vpc-bridge\" name=\"vpc\" failed (add): failed to parse Kubernetes args: pod does not have label vpc.amazonaws.com/PrivateIPv4Address"
	owned := func(kind, image string) string {
		return eksNode(twenty) + replace(waitingPod(`,"containers":[{"name":"c","image":"`+image+`"}]`, ""), `"annotations":{`,
			`"ownerReferences":[{"kind":"`+kind+`","name":"web"}],"annotations":{`) + podEvent("FailedCreatePodSandBox", refused)
	}
	for _, row := range []struct{ name, recording, want string }{
		{"a DaemonSet", owned("DaemonSet", "fluent/fluentd-kubernetes-daemonset:v1.7.3-debian-cloudwatch-1.0"), "linux-daemonset-on-windows"},
		{"a Deployment", owned("ReplicaSet", "shop/web:1.27-alpine"), "linux-pod-on-windows"},
		{"a DaemonSet for Windows", owned("DaemonSet", "shop/agent:1.27-ltsc2022"), "eks-missing-private-ip"},
		{"an image that may be for Windows", owned("ReplicaSet", "shop/web:1.27"), "eks-missing-private-ip"},
	} {
		causes := causesOf(t, row.recording, "linux-daemonset-on-windows", "linux-pod-on-windows", "eks-missing-private-ip", "pods-stuck-creating")
		if len(causes) != 1 || causes[0].ID != row.want {
			t.Errorf("%s: the causes are %+v, want %s", row.name, causes, row.want)
		}
	}
}

func TestKarpenterTaintMissing(t *testing.T) {
	of := func(labels, taints, args string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1","creationTimestamp":"2026-11-20T09:50:00Z","labels":{` + labels + `}},"spec":{"taints":[` + taints + `]},"status":{"nodeInfo":{"kubeletVersion":"v1.31.1-eks-1a2b3c"}}}
-- services.json --
[{"name":"kubelet","state":"running","binPath":"C:\\kubelet.exe","args":["--node-labels=karpenter.sh/nodepool=win"` + args + `]}]
`
	}
	const pool = `"karpenter.sh/nodepool":"win"`
	const log = "-- logs/other/karpenter.log --\n" + `{"level":"ERROR","time":"2026-11-20T09:59:50.965Z","logger":"controller","message":"Reconciler error","controller":"nodeclaim.lifecycle","error":"missing required startup taint, karpenter.sh/unregistered"}` + "\n"
	runLooks(t, "karpenter-taint-missing", []look{
		{"user data without the taint", of(pool, "", ""),
			"fail: the kubelet does not register the node with the taint karpenter.sh/unregistered, so Karpenter does not take it over [state]"},
		{"another taint", of(pool, "", `,"--register-with-taints=os=windows:NoSchedule"`),
			"fail: the kubelet does not register the node with the taint karpenter.sh/unregistered, so Karpenter does not take it over [state]"},
		{"an older Karpenter, which needs no taint", of(pool+`,"karpenter.sh/registered":"true"`, "", ""), "pass"},
		{"a person set the label", replace(of(pool, "", ""), `"--node-labels=karpenter.sh/nodepool=win"`, `"--node-labels=eks.amazonaws.com/nodegroup=win"`), "skip"},
		{"Karpenter set the label", replace(of(pool+`,"karpenter.sh/registered":"true"`, "", ""), `"--node-labels=karpenter.sh/nodepool=win"`, `"--node-labels=eks.amazonaws.com/nodegroup=win"`), "pass"},
		{"Karpenter itself has not come to it", of(pool, `{"key":"karpenter.sh/unregistered","effect":"NoExecute"}`, ""), "pass"},
		{"the taint was there", of(pool, "", `,"--register-with-taints=karpenter.sh/unregistered=true:NoExecute,os=windows:NoSchedule"`), "pass"},
		{"the taint is in the configuration", of(pool, "", `,"--config=C:\\k\\config.json"`) + "-- files/C/k/config.json --\n" +
			`{"kind":"KubeletConfiguration","registerWithTaints":[{"key":"karpenter.sh/unregistered","effect":"NoExecute"}]}` + "\n", "pass"},
		{"the configuration is not recorded", of(pool, "", `,"--config=C:\\k\\config.json"`), "unknown"},
		{"the Node is a minute old", strings.Replace(of(pool, "", ""), "T09:50", "T09:59", 1), "unknown"},
		{"a node group", of("", "", "") + log, "skip"},
		{"the log of Karpenter", log, "warn: Karpenter does not take a node over: its kubelet did not register it with the taint karpenter.sh/unregistered [text]"},
	})
}

func TestEKSKubeProxyRBACGroup(t *testing.T) {
	const refused = `E1120 09:58:40.842740 4036 reflector.go:166] "Unhandled Error" err="failed to list *v1.Service: services is forbidden: User \"system:node:ip-10-0-0-1.ec2.internal\" cannot list resource \"services\" in API group \"\" at the cluster scope"`
	log := "-- logs/kube-proxy/kube-proxy.log --\n" + refused + "\n"
	auth := func(roles string) string {
		return fmt.Sprintf(
			"-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"aws-auth\",\"namespace\":\"kube-system\"},\"data\":{\"mapRoles\":%q}}]}\n", roles)
	}
	const fail = "fail: kube-proxy uses the node's identity, which may not list Services and endpoints "
	runLooks(t, "eks-kube-proxy-rbac-group", []look{
		{"refused, and the group is not mapped",
			eksNode(twenty) + log + auth("- rolearn: a\n  groups: [system:nodes]\n"),
			fail + "[state+text]"},
		{"refused, and roles may be mapped elsewhere", eksNode(twenty) + log, fail + "[text]"},
		{"the ConfigMap alone proves nothing: access entries may map the role",
			eksNode(twenty) + auth("- rolearn: a\n") +
				"-- logs/kube-proxy/kube-proxy.log --\nI1119 ok\n", "unknown"},
		{"refused last night, and the role was mended since",
			eksNode(twenty) +
				"-- events.json --\n[{\"log\":\"EKS\",\"provider\":\"kube-proxy\",\"time\":\"2026-11-19T21:00:00Z\",\"message\":" + fmt.Sprintf("%q", refused) + "}]\n",
			"info: the logs say: the API server denies kube-proxy access to Services or endpoints; the node's current state does not confirm it [text]"},
		{"another component is refused",
			eksNode(twenty) +
				"-- events.json --\n[{\"log\":\"EKS\",\"provider\":\"kubelet\",\"message\":" +
				fmt.Sprintf("%q", refused) + "}]\n", "unknown"},
		{"no log and no event log", eksNode(twenty), "unknown"},
		{"RKE2's kube-proxy has an account of its own",
			nodeOf("v1.32.5+rke2r1", "containerd://1.7.2") + log, "skip"},
		{"an account that is no node of EKS", replace(log, ".ec2.internal", ""), "unknown"},
	})
}

func TestAzureVnetStoreLocked(t *testing.T) {
	const aks = "-- services.json --\n[{\"name\":\"azure-cns\",\"state\":\"running\"}]\n"
	kubelet := func(line string) string {
		return "-- logs/kubelet/kubelet.err.log --\n" + line + "\n"
	}
	const locked = `E1120 09:59:10.1 1 x.go:1] plugin type="azure-vnet" failed (add): Failed to initialize key-value store of network plugin: error Acquiring store lock: timed out locking store`
	call := func(since string) string {
		return "-- processes.json --\n[{\"pid\":77,\"name\":\"azure-vnet.exe\",\"startedAt\":\"" +
			since + "\"},{\"pid\":78,\"name\":\"azure-vnet-telemetry.exe\",\"startedAt\":\"2026-11-01T00:00:00Z\"}]\n"
	}
	const lock = "-- files.json --\n[{\"path\":\"C:\\\\k\\\\azure-vnet.json.lock\",\"outcome\":\"copied\",\"modifiedAt\":\"2026-11-20T07:00:00Z\"}]\n"
	runLooks(t, "azure-vnet-store-locked", []look{
		{"a call that hangs", aks + kubelet("ok") + call("2026-11-20T09:00:00Z"),
			"fail: an azure-vnet call has hung for 60 minutes and holds the lock: every later call waits for it [state]"},
		{"a call at work, and telemetry that always runs",
			aks + kubelet("ok") + call("2026-11-20T09:59:57Z"), "unknown"},
		{"the plugin's own words", aks + kubelet(locked),
			"fail: azure-vnet timed out waiting for the lock of its state file, so pods get no network [text]"},
		{"and the age of the lock", aks + kubelet(locked) + lock,
			"fail: azure-vnet timed out waiting for the lock of its state file, so pods get no network [state+text]"},
		{"a lock file alone, which newer versions leave there", aks + kubelet("ok") + lock, "unknown"},
		{"a plugin that died without a word",
			aks + kubelet(
				`netplugin failed but error parsing its diagnostic message "": unexpected end of JSON input`), "unknown"},
		{"no log at all", aks, "unknown"},
		{"flannel has no such store",
			"-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n" +
				kubelet(locked), "skip"},
		{"a call after it had the lock", aks + logTelling("azure-vnet",
			"2021/03/24 00:30:24 [15540] [cni-net] Failed to initialize key-value store of network plugin: timed out locking store\n"+
				"2021/03/24 00:30:52 [15612] [cni-net] ADD command completed with result:Interfaces:[{Name:eth0}]"),
			"info: the logs say: azure-vnet timed out waiting for the lock of its state file; it is over: a later line says: ADD command completed [text]"},
	})
}

func TestGKEWindowsPoolPrereq(t *testing.T) {
	nodes := func(list ...string) string {
		return "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\",\"labels\":{\"cloud.google.com/gke-nodepool\":\"w\"}}}\n-- api/nodes.json --\n{\"items\":[" + strings.Join(list, ",") + "]}\n"
	}
	node := func(name, os, ready string) string {
		return fmt.Sprintf(
			`{"metadata":{"name":%q,"labels":{"kubernetes.io/os":%q}},"status":{"conditions":[{"type":"Ready","status":%q}]}}`, name, os, ready)
	}
	runLooks(t, "gke-windows-pool-prereq", []look{
		{"Windows alone", nodes(node("win-1", "windows", "True"), node("win-2", "windows", "True")),
			"fail: None of the cluster's 2 nodes runs Linux: cluster DNS and GKE agents require one [state]"},
		{"a Linux node that is down", nodes(node("win-1", "windows", "True"),
			node("lin-1", "linux", "Unknown")),
			"fail: None of the cluster's 1 Linux nodes is Ready: cluster DNS and GKE agents require one [state]"},
		{"as it should be", nodes(node("win-1", "windows", "True"), node("lin-1", "linux", "True")),
			"pass"},
		{"a list of this node only", nodes(node("win-1", "windows", "True")), "unknown"},
		{"a node that does not say", nodes(node("win-1", "windows", "True"),
			`{"metadata":{"name":"x"}}`), "unknown"},
		{"docker images since 1.24",
			"-- logs/gcloud/out.log --\nCreation of node pools using node images based on Docker container runtimes is not supported in GKE v1.24+ clusters\n", "fail: GKE refuses the Windows node pool: its image type uses Docker [text]"},
		{"another cloud", eksNode(twenty), "skip"},
	})
}

func TestRKE2Children(t *testing.T) {
	const since = "2026-11-20T08:00:00Z"
	rke2 := func(state, started string, more ...string) string {
		list := []string{"System", "services.exe", "svchost.exe"}
		procs := fmt.Sprintf(`{"pid":9,"name":"rke2.exe","startedAt":%q}`, started)
		for _, name := range append(list, more...) {
			procs += fmt.Sprintf(`,{"pid":1,"name":%q}`, name)
		}
		return nodeOf("v1.32.5+rke2r1", "containerd://1.7.2") +
			"-- services.json --\n[{\"name\":\"rke2\",\"state\":\"" + state +
			"\"}]\n-- processes.json --\n[" + procs + "]\n"
	}
	const flannel = "-- files/C/run/flannel/subnet.env --\nFLANNEL_SUBNET=10.42.1.1/24\n"
	runLooks(t, "rke2-flanneld-exit", []look{
		{"RKE2 did not come to start it", rke2("running", since) + flannel, "skip"},
		{"it ended", rke2("running", since, "kubelet.exe") + flannel,
			"fail: service rke2 is running, but its child flanneld is not: RKE2 does not restart it [state]"},
		{"it runs", rke2("running", since, "flanneld.exe") + flannel, "pass"},
		{"it runs again after an error", rke2("running", since, "flanneld.exe") + flannel +
			"-- events.json --\n[{\"provider\":\"rke2\",\"time\":\"2026-11-20T07:00:00Z\",\"message\":\"Flanneld has an error: exit status 0xffffffff. Check c:\\\\x\"}]\n",
			"info: the logs say: RKE2 reports that flanneld exited with an error; the node's current state does not confirm it [text]"},
		{"RKE2 has only just started", rke2("running", "2026-11-20T09:58:00Z") + flannel, "pass"},
		{"RKE2 is stopped, which is another fault", rke2("stopped", since) + flannel, "pass"},
		{"RKE2 ends it by itself when it is stopped",
			"-- events.json --\n[{\"provider\":\"rke2\",\"message\":\"Flanneld has an error: exit status 1. Check c:\\\\x\"}]\n",
			"warn: RKE2 reports that flanneld exited: a fault unless RKE2 itself was stopping [text]"},
		{"Windows ends it by itself when it shuts down",
			"-- events.json --\n[{\"provider\":\"rke2\",\"message\":\"Flanneld has an error: exit status 0xc000013a. Check c:\\\\x\"}]\n",
			"unknown"},
		{"three processes that somebody wrote down",
			nodeOf("v1.32.5+rke2r1", "containerd://1.7.2") + flannel +
				"-- services.json --\n[{\"name\":\"rke2\",\"state\":\"running\"}]\n-- processes.json --\n[{\"name\":\"rke2.exe\"}]\n", "unknown"},
		{"a node set up otherwise", nodeOf("v1.32.5", "containerd://1.7.2") + flannel, "skip"},
	})
	const calico = "-- files/C/var/lib/rancher/rke2/agent/etc/cni/10-calico.conf --\n{\"name\":\"Calico\",\"type\":\"calico\",\"cniVersion\":\"0.3.1\"}\n"
	networks := func(names ...string) string {
		var list []string
		for _, n := range names {
			list = append(list, fmt.Sprintf(`{"ID":"x","Name":%q,"Type":"Overlay"}`, n))
		}
		return "-- hns-networks.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	runLooks(t, "rke2-calico-race", []look{
		{"neither process nor network", rke2("running", since) + calico + networks("External"),
			"fail: service rke2 is running, but Calico's process and HNS network are missing [state]"},
		{"Calico runs and makes its network", rke2("running", since, "calico-node.exe") + calico +
			networks("External"), "pass"},
		{"it came up, and Felix ended later", rke2("running", since) + calico + networks("Calico"),
			"pass"},
		{"HNS was not asked", rke2("running", since) + calico, "unknown"},
		{"it tries again on most starts",
			"-- events.json --\n[{\"provider\":\"rke2\",\"message\":\"Calico exited: exit status 1. Retrying\"}]\n", "unknown"},
		{"it says what failed, and tries again",
			"-- events.json --\n[{\"provider\":\"rke2\",\"message\":\"Calico startup failed: exit status 1, retrying...\"}]\n",
			"warn: RKE2 reports that Calico failed to start [text]"},
		{"flannel", rke2("running", since) + flannel + networks("External"), "skip"},
	})
}

func TestAntreaHyperVModuleMissing(t *testing.T) {
	features := func(module string) string {
		return "-- features.json --\n{\"Containers\":\"installed\"" + module + "}\n"
	}
	agent := func(state string) string {
		return "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"antrea-agent-windows-x2\",\"namespace\":\"kube-system\"},\"spec\":{\"securityContext\":{\"windowsOptions\":{\"hostProcess\":true}},\"containers\":[{\"name\":\"antrea-agent\"}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"antrea-agent\",\"state\":{" + state + "}}]}}]}\n"
	}
	const available, crashes = `,"Hyper-V-PowerShell":"available"`, `"waiting":{"reason":"CrashLoopBackOff"}`
	const lacks = "fail: Antrea's agent does not run: Windows feature Hyper-V-PowerShell is available (expected: installed) [state]"
	const stopped = "-- services.json --\n[{\"name\":\"antrea-agent\",\"state\":\"stopped\"}]\n"
	runLooks(t, "antrea-hyperv-module-missing", []look{
		{"the pod of the agent crashes", features(available) + agent(crashes), lacks},
		{"the agent is a service and does not run", features(available) + stopped, lacks},
		{"the agent runs", features(available) + agent(`"running":{}`), "pass"},
		{"the module is there", features(`,"Hyper-V-PowerShell":"installed"`) + agent(crashes), "pass"},
		{"the module is not recorded", features("") + agent(crashes), "unknown"},
		{"the features are not recorded", agent(crashes), "unknown"},
		{"Calico does not use it", features(available) + "-- services.json --\n[{\"name\":\"CalicoNode\",\"state\":\"stopped\"}]\n", "skip"},
	})
}

func TestAntreaAPIServerOverrideMissing(t *testing.T) {
	const id, onAntrea = "antrea-apiserver-override-missing", "-- files/C/etc/cni/net.d/10-antrea.conflist --\n{\"name\":\"antrea\",\"plugins\":[{\"type\":\"antrea\"}]}\n"
	const kubelet, proxy = `{"name":"kubelet","state":"running"}`, `,{"name":"kube-proxy","state":"running"}`
	services := func(list string) string { return onAntrea + "-- services.json --\n[" + list + "]\n" }
	config := func(name, line string) string {
		return "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"kube-system\"},\"data\":{\"antrea-agent.conf\":\"#ovsBridge: br-int\\n" + line + "\\nantreaProxy:\\n  proxyAll: true\\n\"}}]}\n"
	}
	agent := func(state string) string {
		return "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"antrea-agent-windows-x2\",\"namespace\":\"kube-system\"},\"spec\":{\"securityContext\":{\"windowsOptions\":{\"hostProcess\":true}},\"containers\":[{\"name\":\"antrea-agent\"}]},\"status\":{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"antrea-agent\",\"state\":{" + state + "}}]}}]}\n"
	}
	const ours, crashes, empty = "antrea-windows-config", `"waiting":{"reason":"CrashLoopBackOff"}`, `kubeAPIServerOverride: \"\"`
	const lacks = "fail: Antrea's agent does not run: antrea-windows-config has no kubeAPIServerOverride, and no kube-proxy serves the address of the Service kubernetes [state]"
	runLooks(t, id, []look{
		{"an empty address", services(kubelet) + config(ours, empty) + agent(crashes), lacks},
		{"a comment only", services(kubelet) + config(ours, "#"+empty) + agent(crashes), lacks},
		{"an address", services(kubelet) + config(ours, `kubeAPIServerOverride: \"10.10.1.1:6443\"`) + agent(crashes), "pass"},
		{"kube-proxy runs", services(kubelet+proxy) + config(ours, empty) + agent(crashes), "pass"},
		{"the agent runs", services(kubelet) + config(ours, empty) + agent(`"running":{}`), "pass"},
		{"a configuration that cannot be read", services(kubelet) + config(ours, "\\tkubeAPIServerOverride: [") + agent(crashes), "unknown"},
		{"the configuration of Linux", services(kubelet) + config("antrea-config", empty) + agent(crashes), "unknown"},
	})
}

func TestAntreaProxyAllOff(t *testing.T) {
	const id, onAntrea = "antrea-proxy-all-off", "-- files/C/etc/cni/net.d/10-antrea.conflist --\n{\"name\":\"antrea\",\"plugins\":[{\"type\":\"antrea\"}]}\n"
	tree := func(proxy string) string {
		return onAntrea + "-- processes.json --\n[{\"name\":\"kubelet.exe\"},{\"name\":\"containerd.exe\"},{\"name\":\"ovsdb-server.exe\"},{\"name\":\"antrea-agent.exe\",\"args\":[\"--config=C:/k/antrea/etc/antrea-agent.conf\"]}" + proxy + "]\n"
	}
	config := func(settings ...string) string {
		var list []string
		for i, text := range settings {
			list = append(list, fmt.Sprintf(`{"metadata":{"name":"antrea-windows-config-%d"},"data":{"antrea-agent.conf":%q}}`, i, text))
		}
		return "-- api/configmaps.json --\n{\"items\":[" + strings.Join(list, ",") + "]}\n"
	}
	const off, on = "antreaProxy:\n  proxyAll: false\n", "antreaProxy:\n  proxyAll: true\n"
	const log = "-- logs/antrea-agent/antrea-agent.log --\nE1120 09:58:48.304201    4320 options_windows.go:83] \"AntreaProxy proxyAll is disabled, Service traffic is unlikely to work as expected\"\n"
	const services = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubernetes\"},\"spec\":{\"clusterIP\":\"10.96.0.1\"}}]}\n"
	const said = ": no kube-proxy runs, and Antrea does not serve NodePorts and the node's own connections to Services "
	runLooks(t, id, []look{
		{"proxyAll is off", tree("") + config(off), "fail" + said + "[state]"},
		{"a configuration before 1.13", tree("") + config("antreaProxy:\n  #proxyAll: false\n"), "fail" + said + "[state]"},
		{"the proxy itself is off", tree("") + config("featureGates:\n  AntreaProxy: false\n"+on), "fail" + said + "[state]"},
		{"the file of an agent that runs as a service", tree("") + "-- files/C/k/antrea/etc/antrea-agent.conf --\n" + off, "fail" + said + "[state]"},
		{"the log alone shows the setting", tree("") + log, "fail" + said + "[state+text]"},
		{"a log alone", onAntrea + log, "warn: Antrea's agent does not serve all Services, which only a kube-proxy in mode userspace can make up for [text]"},
		{"two ConfigMaps, and the agent reads the old one", tree("") + config(off, on) + log, "fail" + said + "[state+text]"},
		{"an upgrade left the ConfigMap of the earlier release", tree("") + config(off, on), "unknown"},
		{"kube-proxy in mode userspace", tree(",{\"name\":\"kube-proxy.exe\"}") + config(off), "pass"},
		{"another program serves Services", tree("") + config(off) + services + reachTree("node tcp 10.96.0.1:443 ok"), "pass"},
		{"Services do not answer the node", tree("") + config(off) + services + reachTree("node tcp 10.96.0.1:443 timeout"), "fail" + said + "[state]"},
		{"proxyAll is on", tree("") + config(on), "pass"},
		{"the configuration of Linux", tree("") + "-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"antrea-config\"},\"data\":{\"antrea-agent.conf\":\"antreaProxy:\\n  proxyAll: false\\n\"}}]}\n", "unknown"},
		{"nobody looked for kube-proxy", onAntrea + config(off), "unknown"},
		{"a few processes", onAntrea + "-- processes.json --\n[{\"name\":\"kubelet.exe\"}]\n" + config(off), "unknown"},
		{"flannel", "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n" + config(off), "skip"},
	})
}

func TestOverlayVXLANPortUnsupported(t *testing.T) {
	overlay := func(args string) string {
		return "-- services.json --\n[{\"name\":\"hybrid-overlay-node\",\"state\":\"running\",\"args\":[" + args + "]}]\n"
	}
	operator := func(port string) string {
		return `-- api/networks.json --
{"items":[{"metadata":{"name":"cluster"},"spec":{"defaultNetwork":{"type":"OVNKubernetes","ovnKubernetesConfig":{"hybridOverlayConfig":{"hybridOverlayVXLANPort":` + port + "}}}}}]}\n"
	}
	const other = `"--hybrid-overlay-vxlan-port","9898"`
	const ready = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}\n"
	runLooks(t, "overlay-vxlan-port-unsupported", []look{
		{"Server 2019", osAt(17763, 5329, true) + overlay(other),
			"fail: hybrid-overlay-node uses VXLAN port 9898, and Windows build 10.0.17763.5329 supports only 4789 [state]"},
		{"by its process", osAt(17763, 5329, true) + overlay("") +
			"-- processes.json --\n[{\"name\":\"hybrid-overlay-node.exe\",\"args\":[\"--hybrid-overlay-vxlan-port=9898\"]}]\n",
			"fail: hybrid-overlay-node uses VXLAN port 9898, and Windows build 10.0.17763.5329 supports only 4789 [state]"},
		{"the node works", osAt(17763, 5329, true) + overlay(other) + ready, "pass"},
		{"Server 2022", osAt(20348, 1, true) + overlay(other), "pass"},
		{"the port of Windows", osAt(17763, 5329, true) + overlay(`"--hybrid-overlay-vxlan-port=4789"`), "pass"},
		{"no port", osAt(17763, 5329, true) + overlay(`"--node","win-1"`), "pass"},
		{"by the network operator", osAt(17763, 5329, true) + operator("9898"),
			"fail: hybrid-overlay-node uses VXLAN port 9898, and Windows build 10.0.17763.5329 supports only 4789 [state]"},
		{"by the network operator, and the node works", osAt(17763, 5329, true) + operator("9898") + ready, "pass"},
		{"by the network operator, on Server 2022", osAt(20348, 1, true) + operator("9898"), "pass"},
		{"the network operator names no port", osAt(17763, 5329, true) + operator("0"), "pass"},
		{"the program has another port than the network operator", osAt(17763, 5329, true) + operator("9898") +
			overlay(`"--hybrid-overlay-vxlan-port=4789"`), "pass"},
		{"flannel", osAt(17763, 5329, true) + "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n", "skip"},
	})
}

func TestAntreaOVSProblem(t *testing.T) {
	antrea := func(db, vswitchd string, more ...string) string {
		list := []string{`{"name":"antrea-agent","state":"running"}`,
			`{"name":"kubelet","state":"running"}`, `{"name":"containerd","state":"running"}`,
			`{"name":"hns","state":"running"}`}
		for name, state := range map[string]string{"ovsdb-server": db, "ovs-vswitchd": vswitchd} {
			if state != "" {
				list = append(list, fmt.Sprintf(`{"name":%q,"state":%q}`, name, state))
			}
		}
		return "-- services.json --\n[" + strings.Join(list, ",") + "]\n" + strings.Join(more, "")
	}
	network := func(extension string) string {
		return "-- hns-networks.json --\n[{\"ID\":\"x\",\"Name\":\"antrea-hnsnetwork\",\"Type\":\"Transparent\",\"Extensions\":[{\"Id\":\"E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A\",\"IsEnabled\":false}" + extension + "]}]\n"
	}
	policy := func(enable string) string {
		return "-- hns-networks.json --\n[{\"ID\":\"x\",\"Name\":\"antrea-hnsnetwork\",\"Type\":\"Transparent\",\"SchemaVersion\":{\"Major\":2,\"Minor\":0},\"Policies\":[{\"Type\":\"VSwitchExtension\",\"Settings\":{\"ExtensionID\":\"583CC151-73EC-4A6A-8B47-578297AD7623\",\"Enable\":" + enable + "}}]}]\n"
	}
	const containers = "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"antrea-agent-windows-x2\",\"namespace\":\"kube-system\"},\"spec\":{\"containers\":[{\"name\":\"antrea-agent\"},{\"name\":\"antrea-ovs\"}]}}]}\n"
	crashing := strings.Replace(containers, `{"name":"antrea-ovs"}]}`, `{"name":"antrea-ovs"}]},"status":{"phase":"Running","containerStatuses":[{"name":"antrea-ovs","restartCount":8,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1}}}]}`, 1)
	log := func(wait string) string {
		return "-- logs/antrea-agent/a.log --\nI1219 05:34:29.542572     968 ovs_client.go:86] Not connected yet, will try again in " + wait + "\n"
	}
	stopped := func(tree string) string {
		return strings.Replace(tree, `"antrea-agent","state":"running"`, `"antrea-agent","state":"stopped"`, 1)
	}
	agentSays := func(err string) string {
		return "-- logs/antrea/a.log --\nF1219 05:34:29.542572     968 main.go:53] Error running agent: error initializing agent: " + err + "\n"
	}
	runLooks(t, "antrea-ovs-problem", []look{
		{"the driver does not let it start", antrea("running", "start-pending"),
			"fail: service ovs-vswitchd of Open vSwitch is start-pending: Antrea's agent cannot work without it [state]"},
		{"all is well",
			antrea("running", "running",
				network(`,{"Id":"583CC151-73EC-4A6A-8B47-578297AD7623","IsEnabled":true}`)),
			"pass"},
		{"the extension is off",
			antrea("running", "running",
				network(`,{"Id":"583cc151-73ec-4a6a-8b47-578297ad7623","IsEnabled":false,"Name":"OVS"}`)), "fail: the extension of Open vSwitch is not enabled on the switch of HNS network antrea-hnsnetwork [state]"},
		{"the extension is off, in HCN", antrea("running", "running", policy("false")),
			"fail: the extension of Open vSwitch is not enabled on the switch of HNS network antrea-hnsnetwork [state]"},
		{"the extension is on, in HCN", antrea("running", "running", policy("true")), "pass"},
		{"HCN does not say", antrea("running", "running", strings.Replace(policy("true"), `,"Enable":true`, "", 1)), "pass"},
		{"another extension is off, in HCN", antrea("running", "running", strings.Replace(policy("false"), "583CC151", "E7C3B2F0", 1)), "pass"},
		{"the driver is not installed", antrea("running", "running", network("")),
			"fail: the switch of HNS network antrea-hnsnetwork has no extension of Open vSwitch: its driver is not installed [state]"},
		{"Open vSwitch in the pod of the agent", antrea("", "", containers), "pass"},
		{"its container ends again and again", antrea("", "", crashing),
			"fail: container antrea-ovs of kube-system/antrea-agent-windows-x2 is not running (CrashLoopBackOff after 8 restarts, last exit code 1): Antrea's agent cannot work without Open vSwitch [state]"},
		{"its container waits, and its programs run", antrea("", "", crashing+
			"-- processes.json --\n[{\"name\":\"ovsdb-server.exe\"},{\"name\":\"ovs-vswitchd.exe\"}]\n"), "pass"},
		{"its container is being created", antrea("", "", strings.NewReplacer("CrashLoopBackOff", "ContainerCreating",
			`"restartCount":8`, `"restartCount":0`).Replace(crashing)), "pass"},
		{"the other container ends again and again", antrea("", "", strings.Replace(crashing,
			`{"name":"antrea-ovs","restartCount"`, `{"name":"antrea-agent","restartCount"`, 1)), "pass"},
		{"the container that installs the driver ends again and again", antrea("", "", strings.NewReplacer("containerStatuses", "initContainerStatuses",
			`{"name":"antrea-ovs","restartCount"`, `{"name":"install-ovs-driver","restartCount"`).Replace(crashing)),
			"fail: container install-ovs-driver of kube-system/antrea-agent-windows-x2 is not running (CrashLoopBackOff after 8 restarts, last exit code 1): Antrea's agent cannot work without Open vSwitch [state]"},
		// After a boot the network is gone, and the bridge is not: docs/windows.md of Antrea, known issues.
		{"the last words of the agent", stopped(antrea("running", "running")) + agentSays("error when waiting for OVS bridge datapath ID: context deadline exceeded"),
			"fail: antrea-agent is not running: Antrea's agent cannot set up its bridge in Open vSwitch [state+text]"},
		{"the last words of the agent in a pod", stopped(antrea("", "", strings.Replace(crashing, `{"name":"antrea-ovs","restartCount"`, `{"name":"antrea-agent","restartCount"`, 1))) +
			agentSays("open vswitch extension driver is not installed"), "fail: antrea-agent is not running: the driver of Open vSwitch is not installed [state+text]"},
		{"the agent got through at last, and stopped", stopped(antrea("running", "running")) + agentSays("error when waiting for OVS bridge datapath ID: context deadline exceeded") +
			"I1219 05:35:29.542572     968 agent.go:340] Agent initialized NodeConfig=x\n",
			"info: the logs say: Antrea's agent cannot set up its bridge in Open vSwitch; it is over: a later line says: Agent initialized NodeConfig= [text]"},
		{"the agent runs", antrea("running", "running") + agentSays("error when waiting for OVS bridge datapath ID: context deadline exceeded"),
			"info: the logs say: Antrea's agent cannot set up its bridge in Open vSwitch; the node's current state does not confirm it [text]"},
		{"the agent says something else", stopped(antrea("running", "running")) + agentSays("failed to find valid IPv4 PodCIDR"), "pass"},
		{"no services, and nobody looked at the pods", antrea("", ""), "unknown"},
		{"every start asks twice", log("4s"), "unknown"},
		{"no start asks a third time", log("8s"),
			"fail: Antrea's agent cannot connect to the Open vSwitch database [text]"},
		{"another plugin", "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n",
			"skip"},
		{"the agent got through at last", log("8s\nI1219 05:36:29.542572     968 agent.go:340] Setting up node network"),
			"info: the logs say: Antrea's agent cannot connect to the Open vSwitch database; it is over: a later line says: Setting up node network [text]"},
		{"Antrea of 2026", logTelling("antrea-agent", `"Not connected yet" error="dial unix: connect: refused" retryBackoff="8s"`),
			"fail: Antrea's agent cannot connect to the Open vSwitch database [text]"},
		{"the same at the first attempt of a start", logTelling("antrea-agent",
			`"Not connected yet" error="dial unix: connect: refused" retryBackoff="2s"`), "unknown"},
	})
}

// TestTheGenerationOfANode holds the parts against the version: a new kubelet
// beside an old part is not an old node.
func TestTheGenerationOfANode(t *testing.T) {
	const transparent = "-- adapters.json --\n[{\"name\":\"vEthernet (HNSTransparent)\"}]\n"
	const userspace = "-- processes.json --\n[{\"name\":\"kube-proxy.exe\",\"args\":[\"--proxy-mode=userspace\"]}]\n"
	ovs := func(path string) string {
		return "-- services.json --\n[{\"name\":\"ovs-vswitchd\",\"state\":\"running\",\"binPath\":\"" + path + "\"}]\n"
	}
	const cloudbase,
		antrea = `C:\\Program Files\\Cloudbase Solutions\\Open vSwitch\\bin\\ovs-vswitchd.exe`,
		`C:\\openvswitch\\usr\\sbin\\ovs-vswitchd.exe`
	for _, l := range []struct {
		name, tree string
		want       node.Generation
		cni        node.CNI
	}{
		{"1.5 by its version", nodeOf("v1.5.3", "docker://1.12.2"), node.Gen15, ""},
		{"1.8 on a transparent network", nodeOf("v1.8.4", "docker://17.6.2") + transparent,
			node.Gen15, ""},
		{"a transparent network of docker on a modern node",
			nodeOf("v1.29.9", "containerd://1.7.2") + transparent, node.Gen25, ""},
		{"the userspace proxy lived on", nodeOf("v1.20.4", "docker://19.3.14") + userspace,
			node.Gen14, ""},
		{"only the adapters are known", transparent, node.Gen15, ""},
		{"OVN's recipe makes a transparent network too", nodeOf("v1.8.4", "docker://17.6.2") +
			transparent + ovs(cloudbase), node.Gen19, node.OVN},
		{"Open vSwitch of Antrea, of which nothing else is known",
			nodeOf("v1.29.9", "containerd://1.7.2") + ovs(antrea), node.Gen25, ""},
		{"a new kubelet beside flanneld as a service", nodeOf("v1.28.15", "containerd://1.6.36") +
			"-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n", node.Gen14,
			node.Flannel},
		{"OVN by its plugin", nodeOf("v1.10.2", "docker://17.6.2") +
			"-- files/C/etc/cni/net.d/ovn.conf --\n{\"name\":\"net\",\"type\":\"ovn_cni.exe\"}\n",
			node.Gen19, node.OVN},
	} {
		s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta + l.tree))))
		if err != nil {
			t.Fatal(err)
		}
		n := node.About(s)
		if n.Generation.Value != l.want || n.CNI.Value != l.cni {
			t.Errorf("%s: the generation is %q and the plugin %q, not %q and %q", l.name,
				n.Generation.Value, n.CNI.Value, l.want, l.cni)
		}
	}
}
