package faults_test

import (
	"strings"
	"testing"
)

func replace(s string, oldnew ...string) string { return strings.NewReplacer(oldnew...).Replace(s) }

func TestCloudProviderUninitialized(t *testing.T) {
	object := func(spec, created string) string {
		return "-- api/node.json --\n" + `{"metadata":{"name":"win-1","creationTimestamp":"` + created + `"},"spec":{` + spec + "}}\n"
	}
	manager := func(state string) string {
		return podsJSON(podNamed("cloud-node-manager-windows-x7k2p", "", "", "", `{"containerStatuses":[{"name":"c","state":{`+state+`}}]}`))
	}
	const taint = `"taints":[{"key":"os","value":"windows","effect":"NoSchedule"},{"key":"node.cloudprovider.kubernetes.io/uninitialized","value":"true","effect":"NoSchedule"}]`
	const fault = ": the cloud controller manager has not initialized the node: pods that do not tolerate node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule are not scheduled [state]"
	runLooks(t, "cloud-provider-uninitialized", []look{
		{"for hours", object(taint, "2026-11-20T02:16:02Z"), "fail" + fault},
		{"a machine was found, and the rest failed", object(taint+`,"providerID":"azure:///x"`, "2026-11-20T02:16:02Z"), "fail" + fault},
		{"the node registered a minute ago", object(taint, "2026-11-20T09:59:00Z"), "unknown"},
		{"initialized", object(`"providerID":"azure:///w","taints":[{"key":"os","value":"windows","effect":"NoSchedule"}]`, "2026-11-20T02:16:02Z"), "pass"},
		{"the part of Azure that runs on the node does not run", object(taint, "2026-11-20T02:16:02Z") +
			manager(`"waiting":{"reason":"CrashLoopBackOff"}`), "info" + fault},
		{"it runs", object(taint, "2026-11-20T02:16:02Z") + manager(`"running":{}`), "fail" + fault},
	})
	kubelet := func(provider string) string {
		return "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[\"--cloud-provider=" + provider + "\"]}]\n"
	}
	nodes := func(id string) string {
		return "-- api/nodes.json --\n" + `{"items":[{"metadata":{"name":"win-1"}},{"metadata":{"name":"lin-1"},"spec":{"providerID":"` + id + `"}}]}` + "\n"
	}
	lost := func(ready string) string {
		return "-- api/node.json --\n" + `{"metadata":{"name":"win-1","creationTimestamp":"2026-11-20T02:16:02Z"},"status":{"conditions":[{"type":"Ready","status":"` + ready + `"}]}}` + "\n" + kubelet("vsphere")
	}
	const noVM = `E1120 09:58:00.5 4324 kubelet_node_status.go:68] Unable to construct v1.Node object for kubelet: failed to get zone from cloud provider: No VM found`
	const noMachine = "fail: the kubelet does not report the status of win-1: its cloud provider does not find the machine [state+text]"
	const hours, never = "2026-11-20T02:16:02Z", "warn: win-1 has no providerID and no taint node.cloudprovider.kubernetes.io/uninitialized: the cloud controller manager does not initialize it "
	runLooks(t, "cloud-provider-uninitialized", []look{
		{"registered without the taint", object("", hours) + kubelet("external") + nodes("azure:///x"), never + "[state]"},
		{"and passed over", object("", hours) + kubelet("external") + nodes("azure:///x") + logTelling("cloud-node-manager",
			`I1106 17:59:34.680210    5428 nodemanager.go:359] This node win-1 is registered without the cloud taint. Will not process.`), never + "[state+text]"},
		{"passed over after it was initialized", object(`"providerID":"azure:///w"`, hours) + kubelet("external") + nodes("azure:///x") +
			logTelling("cloud-node-manager", `I0511 02:16:32.512113    5248 nodemanager.go:291] "Node has no cloud taint, skipping initialization" nodeName="win-1"`), "pass"},
		{"the part of Azure that runs on the node has passed it over", object("", hours) + kubelet("external") + nodes("") +
			manager(`"running":{}`), never + "[state]"},
		{"no cloud provider", object("", hours) + kubelet("") + nodes("azure:///x"), "pass"},
		{"the kubelet's flags were not recorded, and other nodes have a providerID", object("", hours) + nodes("azure:///x"), "unknown"},
		{"the kubelet's flags were not recorded, and no node has a providerID", object("", hours) + nodes(""), "pass"},
		{"a provider that sets no providerID", object("", hours) + kubelet("external") + nodes(""), "pass"},
		{"other nodes were not recorded", object("", hours) + kubelet("external"), "unknown"},
		{"a provider of its own finds no machine", lost("Unknown") + logTelling("kubelet", noVM), noMachine},
		{"the kubelet exits", lost("False") + logTelling("kubelet", `F0408 09:59:02.9 14977 kubelet.go:1354] Kubelet failed to get node info: failed to get instance ID from cloud provider: instance not found`), noMachine},
		{"it did for a moment", lost("True") + logTelling("kubelet", noVM),
			"info: the logs say: the kubelet cannot register the node: its cloud provider does not find the machine; the node's current state does not confirm it [text]"},
		{"it found it then, and the node is lost for another reason", lost("Unknown") + logTelling("kubelet", noVM+"\n"+
			`I1120 09:58:09.5 4324 kubelet_node_status.go:75] Successfully registered node win-1`),
			"info: the logs say: the kubelet cannot register the node: its cloud provider does not find the machine; it is over: a later line says: Successfully registered node [text]"},
		{"the cloud refuses", lost("Unknown") + logTelling("kubelet",
			`E1120 09:58:00.5 4324 kubelet_node_status.go:68] Unable to construct v1.Node object for kubelet: failed to get zone from cloud provider: POST https://vc/rest: 403 Forbidden`), "pass"},
		{"registered a minute ago", object("", "2026-11-20T09:59:00Z") + kubelet("external") + nodes("azure:///x"), "unknown"},
	})
}

func TestNodeNotReady(t *testing.T) {
	runLooks(t, "node-not-ready", []look{
		{"an event of a reboot alone does not convict",
			"-- api/events.json --\n{\"items\":[{\"reason\":\"NodeNotReady\",\"involvedObject\":{\"kind\":\"Node\",\"name\":\"win-1\"},\"message\":\"Node win-1 status is now: NodeNotReady\"}]}\n", "unknown"},
		{"a Node object without conditions", nodeOf("v1.29.9", "containerd://1.7.2"), "unknown"},
	})
}

func TestOSVersionUnsupported(t *testing.T) {
	on := func(build, kubelet string) string {
		return "-- os.json --\n{\"productName\":\"Windows Server\",\"build\":" + build +
			",\"ubr\":1}\n" + nodeOf(kubelet, "containerd://1.7.2")
	}
	runLooks(t, "os-version-unsupported", []look{
		{"Server 2019 on every release", on("17763", "v1.36.0"), "pass"},
		{"Server 2025 from 1.33 on", on("26100", "v1.33.2-eks-1a2b3c"), "pass"},
		{"Server 2025 before", on("26100", "v1.32.4"),
			"warn: Kubernetes 1.32 supports Windows builds 17763, 20348 (found: 10.0.26100.1) [state]"},
		{"Server 2016 never", on("14393", "v1.19.7"),
			"fail: Kubernetes 1.19 supports Windows builds 17763, 18363, 19041 (found: 10.0.14393.1) [state]"},
		{"the years of the preview had no list", on("16299", "v1.9.6"), "skip"},
	})
}

func TestSystemReservedTooLow(t *testing.T) {
	const full = "-- memory.json --\n{\"totalBytes\":8589934592,\"availableBytes\":268435456}\n"
	flags := func(args string) string {
		return "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[\"--v=2\"" + args + "]}]\n"
	}
	runLooks(t, "system-reserved-too-low", []look{
		{"two reservations add up",
			flags(`,"--system-reserved=cpu=500m,memory=1536Mi","--kube-reserved=memory=512Mi"`),
			"pass"},
		{"too little", flags(`,"--system-reserved=memory=1Gi"`),
			"warn: Only 1.0 GiB of memory is reserved for Windows and node components (expected: at least 2 GiB) [state]"},
		{"the flag wins over the file", flags(`,"--system-reserved=memory=2Gi"`) +
			"-- files/C/var/lib/kubelet/config.yaml --\nsystemReserved: {memory: 1Gi}\n", "pass"},
		{"in a drop-in of --config-dir", flags(`,"--config-dir=C:\\etc\\kubernetes\\kubelet.conf.d"`) +
			"-- files/C/etc/kubernetes/kubelet.conf.d/10.conf --\nsystemReserved: {memory: 2Gi}\n",
			"pass"},
		{"the last drop-in counts",
			flags(`,"--config-dir=C:\\etc\\kubernetes\\kubelet.conf.d"`) +
				"-- files/C/etc/kubernetes/kubelet.conf.d/10.conf --\nsystemReserved: {memory: 2Gi}\n" +
				"-- files/C/etc/kubernetes/kubelet.conf.d/20.conf --\nsystemReserved: {memory: 1Gi}\n",
			"warn: Only 1.0 GiB of memory is reserved for Windows and node components (expected: at least 2 GiB) [state]"},
		{"a drop-in by another name is not read",
			flags(`,"--config-dir=C:\\etc\\kubernetes\\kubelet.conf.d"`) +
				"-- files/C/etc/kubernetes/kubelet.conf.d/10.conf --\nclusterDomain: cluster.local\n" +
				"-- files/C/etc/kubernetes/kubelet.conf.d/20.yaml --\nsystemReserved: {memory: 2Gi}\n",
			"info: No memory is reserved for Windows and node components (recommended: 2 GiB) [state]"},
		{"the folder of --config-dir was not copied",
			flags(`,"--config-dir=C:\\odd\\kubelet.d"`), "unknown"},
		{"nothing reserved, memory to spare", flags(""),
			"info: No memory is reserved for Windows and node components (recommended: 2 GiB) [state]"},
		{"nothing reserved, memory short", flags("") + full,
			"warn: No memory is reserved for Windows and node components; 256 MiB of 8.0 GiB is available [state]"},
		{"the file that --config names was not copied", flags(`,"--config=C:\\odd\\kubelet.yaml"`),
			"unknown"},
		{"what is no quantity", flags(`,"--system-reserved=memory=plenty"`), "unknown"},
		{"no flag seen, and no file there",
			"-- files.json --\n[{\"path\":\"C:\\\\var\\\\lib\\\\kubelet\\\\config.yaml\",\"outcome\":\"absent\"}]\n", "unknown"},
	})
}

func TestPagefileDisabled(t *testing.T) {
	runLooks(t, "pagefile-disabled", []look{
		{"none, with room to promise",
			"-- memory.json --\n{\"commitLimitBytes\":17179869184,\"commitUsedBytes\":4294967296,\"pageFiles\":[]}\n",
			"warn: No page file is configured: allocations fail when 16.0 GiB are committed [state]"},
		{"a recorder that could not see them",
			"-- memory.json --\n{\"commitLimitBytes\":17179869184}\n", "unknown"},
		{"on the temporary disk of a cloud",
			"-- memory.json --\n{\"pageFiles\":[{\"path\":\"D:\\\\pagefile.sys\"}]}\n", "pass"},
		{"a log that speaks of it does not convict",
			"-- logs/kubelet/kubelet.log --\nThe paging file is too small for this operation to complete.\n", "unknown"},
	})
}

func TestSecretsClearTextOnDisk(t *testing.T) {
	acl := func(list string) string {
		return "-- security.json --\n{\"acls\":[" + list + "],\"bitLocker\":[]}\n"
	}
	const closed, open = `"D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"`,
		`"D:AI(A;ID;FA;;;SY)(A;ID;0x1200a9;;;BU)(A;ID;FR;;;AU)"`
	runLooks(t, "secrets-clear-text-on-disk", []look{
		{"an open folder above a closed one",
			acl(`{"path":"C:\\var\\lib","sddl":` + open +
				`},{"path":"C:\\var\\lib\\kubelet","sddl":` + closed + `}`), "pass"},
		{"what folders on drive C: inherit",
			acl(`{"path":"C:\\var\\lib\\kubelet","sddl":"D:AI(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)"}`),
			`info: Users can read C:\var\lib\kubelet, which contains Secrets in clear text (inherited from drive C:, normal on Windows) [state]`},
		{"only the folder above is recorded", acl(`{"path":"C:\\var\\lib","sddl":` + open + `}`),
			`warn: Users and Authenticated Users can read C:\var\lib, which contains Secrets in clear text [state]`},
		{"what the folder inherits from the drive", acl(`{"path":"C:\\var\\lib\\kubelet","sddl":"D:AI(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)"}`),
			`info: Users can read C:\var\lib\kubelet, which contains Secrets in clear text (inherited from drive C:, normal on Windows) [state]`},
		{"a right to write and not to read",
			acl(`{"path":"C:\\var\\lib\\kubelet","sddl":"D:(A;;FW;;;BU)"}`), "pass"},
		{"everybody by identifier and mask",
			acl(`{"path":"c:/var/lib/kubelet/pods","sddl":"D:(A;;0x120089;;;S-1-1-0)"}`),
			`warn: Everyone can read c:/var/lib/kubelet/pods, which contains Secrets in clear text [state]`},
		{"everybody is denied",
			acl(`{"path":"C:\\var\\lib\\kubelet","sddl":"D:(D;;FA;;;WD)(A;;FA;;;BA)"}`), "pass"},
		{"no list of the kubelet's folder", acl(`{"path":"C:\\k","sddl":` + open + `}`), "unknown"},
	})
}
