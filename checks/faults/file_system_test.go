package faults_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestAFileSystemIsCorrupt(t *testing.T) {
	const (
		found     = "The Master File Table (MFT) contains a corrupted file record."
		corrupt   = "A corruption was discovered in the file system structure on volume %s.\r\n\r\n" + found
		offline   = `Volume %s (\Device\HarddiskVolume3) needs to be taken offline to perform a Full Chkdsk.`
		healthy   = `Volume %s (\Device\HarddiskVolume3) is healthy.  No action is needed.`
		warn      = "warn: NTFS reports that its file system on %s is corrupt [state]"
		elsewhere = "info: NTFS reports that its file system on %s is corrupt; no recorded setting of the runtime or the kubelet names this volume [state]"
		pod       = "default/web is not running: Windows cannot read data of the runtime: the file system or the file is corrupt"
		layer     = `failed to mount rootfs component: hcsshim::ActivateLayer failed in Win32: The file or directory is corrupted and unreadable. (0x570)`
		started   = "The operating system started at system time 2026-11-20T09:00:00.500000000Z."
	)
	event := func(provider string, id int, level, at, message string) string {
		return fmt.Sprintf(`{"log":"System","provider":%q,"id":%d,"level":%q,"time":"2026-11-20T%s:00Z","message":%s}`,
			provider, id, level, at, strconv.Quote(message))
	}
	manager := event("Service Control Manager", 7036, "information", "09:30", "The containerd service entered the running state.")
	events := func(list ...string) string {
		return "-- events.json --\n[" + strings.Join(append(list, manager), ",") + "]\n"
	}
	onDrive := func(drive string) string {
		return events(event("Microsoft-Windows-Ntfs", 55, "error", "09:40", fmt.Sprintf(corrupt, drive)))
	}
	c := event("Ntfs", 55, "error", "09:40", fmt.Sprintf(corrupt, "C:"))
	runLooks(t, "file-system-corrupt", []look{
		{"the volume of Windows", onDrive("C:"), fmt.Sprintf(warn, "C:")},
		{"in French", events(event("Ntfs", 55, "error", "09:40", "Une altération a été découverte dans la structure du système de fichiers sur le volume C:.")),
			fmt.Sprintf(warn, "C:")},
		{"that the volume must be taken offline", events(event("Microsoft-Windows-Ntfs", 98, "", "09:40", fmt.Sprintf(offline, "C:"))), fmt.Sprintf(warn, "C:")},
		{"another drive", onDrive("E:"), fmt.Sprintf(elsewhere, "E:")},
		{"the drive of containerd", onDrive("E:") + "-- files/C/Program Files/containerd/config.toml --\nversion = 2\nroot = 'E:\\containerd'\n", fmt.Sprintf(warn, "E:")},
		{"the drive of docker", onDrive("E:") + "-- files/C/ProgramData/docker/config/daemon.json --\n{\"data-root\": \"E:\\\\docker\"}\n", fmt.Sprintf(warn, "E:")},
		{"the scratch volume of a container", onDrive(`\\?\Volume{3676a1ae-0000-0000-0000-c0a01f000000}`), "pass"},
		{"a volume that is healthy", events(event("Microsoft-Windows-Ntfs", 98, "information", "09:40", fmt.Sprintf(healthy, "C:"))), "pass"},
		{"a volume that asks for a scan", events(event("Microsoft-Windows-Ntfs", 98, "error", "09:40", `Volume C: (\Device\HarddiskVolume3) requires an Online Scan.`)), "pass"},
		{"it was repaired", events(c, event("Ntfs", 130, "information", "09:41", "The file system structure on volume C: has now been repaired.")), "pass"},
		{"it is healthy since", events(c, event("Microsoft-Windows-Ntfs", 98, "information", "09:41", fmt.Sprintf(healthy, "C:"))), "pass"},
		{"before the last boot", events(c, event("Microsoft-Windows-Kernel-General", 12, "information", "09:50", started)), "pass"},
		{"after the last boot", events(event("Microsoft-Windows-Kernel-General", 12, "information", "09:00", started), c), fmt.Sprintf(warn, "C:")},
		{"event 55 of another provider", events(event("Microsoft-Windows-Kernel-Processor-Power", 55, "information", "09:40", "Processor 0 in group 0 exposes the following power management capabilities: C: 3")), "pass"},
		{"a pod that cannot read its layers", podTelling("ContainerCreating", "", "") + eventTelling("FailedCreatePodSandBox", layer, now) + onDrive("C:"),
			"fail: " + pod + " [state]\nfail: NTFS reports that its file system on C: is corrupt [state]"},
		{"the events are not recorded", podTelling("ContainerCreating", "", "") + eventTelling("FailedCreatePodSandBox", layer, now), "fail: " + pod + " [state]"},
		{"nothing but pods that run", podRunning, "unknown"},
		{"by its code", logTelling("containerd", `failed to activate layer: hcsshim::ActivateLayer failed in Win32: Soubor nebo adresář je poškozen. (0x570)`),
			"fail: Windows cannot read data of the runtime: the file system or the file is corrupt [text]"},
		{"a folder of the kubelet", logTelling("kubelet", `mkdir C:\var\lib\kubelet\pods\ee1b7de6\plugins: The disk structure is corrupted and unreadable.`),
			"fail: Windows cannot read a folder of the kubelet: the file system is corrupt [text]"},
		{"the volume of a pod", logTelling("kubelet", `MountVolume.SetUp failed for volume "pvc-1": stat C:\var\lib\kubelet\pods\ee1b7de6\volumes\kubernetes.io~csi\pvc-1\mount: The file or directory is corrupted and unreadable.`), "unknown"},
		{"a file of a program in a container", logTelling("web", `[WinError 1392] The file or directory is corrupted and unreadable: 'D:\\data\\a.db'`), "unknown"},
		{"an object of HNS that exists already", logTelling("cni", `hcsshim::HNSEndpointRequest failed in Win32: The object already exists. (0x1392)`), "unknown"},
	})
}

func TestAVirtualMachineMayNotLogOn(t *testing.T) {
	const denied = "Logon failure: the user has not been granted the requested logon type at this computer."
	const found = "Windows denies the account of a virtual machine the right to log on as a service (0x80070569)"
	start := "failed to create shim task: hcs::System::Start 86b43c9d4d7a@vm: " + denied
	runLooks(t, "vm-logon-right-missing", []look{
		{"a pod with Hyper-V isolation", podTelling("ContainerCreating", "", "") + eventTelling("FailedCreatePodSandBox", start, now),
			"fail: default/web is not running: " + found + " [state]"},
		{"it runs since", podRunning + eventTelling("FailedCreatePodSandBox", start, longAgo),
			"info: the logs say: " + found + "; the node's current state does not confirm it [text]"},
		{"Hyper-V's event, by its code", "-- events.json --\n" +
			`[{"provider":"Microsoft-Windows-Hyper-V-VMMS","id":3040,"level":"error","time":"2026-11-20T09:50:00Z","message":"«86b43c9d4d7a»: 0x80070569"}]` + "\n",
			"fail: " + found + " [text]"},
		{"WSL", logTelling("other", "Error code: Wsl/Service/CreateInstance/CreateVm/HCS/0x80070569"), "fail: " + found + " [text]"},
		{"the account of a service", "-- events.json --\n" +
			`[{"provider":"Service Control Manager","id":7041,"level":"error","time":"2026-11-20T09:50:00Z","message":"The kubelet service was unable to log on as .\\k8s with the currently configured password because of the following error: ` + denied + `"}]` + "\n", "unknown"},
		{"a scheduled task", "-- events.json --\n" +
			`[{"provider":"Microsoft-Windows-TaskScheduler","id":101,"level":"error","time":"2026-11-20T09:50:00Z","message":"Task Scheduler failed to start \"\\backup\" task. Additional Data: Error Value: 2147943785."}]` + "\n", "unknown"},
		{"the user of a HostProcess container", logTelling("containerd", "failed to create containerd task: failed to create user process token: failed to logon user: "+denied), "unknown"},
		{"a process in a container", logTelling("containerd", "hcs::System::CreateProcess 4c5de02b0ba1: "+denied), "unknown"},
	})
}

func TestAClusterWithoutLinux(t *testing.T) {
	node := func(name, os, ready string) string {
		return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"kubernetes.io/os":%q}},"status":{"conditions":[{"type":"Ready","status":%q}]}}`, name, os, ready)
	}
	tree := func(label, endpoints string, nodes ...string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1","labels":{"kubernetes.io/os":"windows","` + label + `":"a"}}}
-- api/nodes.json --
{"items":[` + strings.Join(nodes, ",") + `]}
-- api/services.json --
{"items":[{"metadata":{"name":"kube-dns","namespace":"kube-system"},"spec":{"clusterIP":"10.0.0.10"}}]}
-- api/endpointslices.json --
{"items":[{"metadata":{"name":"kube-dns-x","namespace":"kube-system","labels":{"kubernetes.io/service-name":"kube-dns"}},"endpoints":[` + endpoints + `]}]}
`
	}
	const eks, aks = "eks.amazonaws.com/nodegroup", "kubernetes.azure.com/agentpool"
	endpoint := func(ready, node string) string {
		return `{"addresses":["10.1.0.5"],"conditions":{"ready":` + ready + `},"nodeName":"` + node + `"}`
	}
	win := []string{node("win-1", "windows", "True"), node("win-2", "windows", "True")}
	down := append([]string{node("lin-1", "linux", "Unknown")}, win...)
	const none = "fail: none of the cluster's 2 nodes runs Linux, and Service kube-system/kube-dns has no ready endpoint [state]"
	runLooks(t, "linux-node-missing", []look{
		{"Windows alone", tree(eks, "", win...), none},
		{"on AKS", tree(aks, "", win...), none},
		{"Linux nodes that are stopped", tree(aks, endpoint("false", "lin-1"), down...),
			"fail: none of the cluster's 1 Linux nodes is Ready, and Service kube-system/kube-dns has no ready endpoint [state]"},
		{"CoreDNS that does not run on a Linux node", tree(eks, endpoint("false", "lin-1"), append(win, node("lin-1", "linux", "True"))...), "pass"},
		{"a DNS that is elsewhere", tree(eks, endpoint("true", "win-2"), win...), "skip"},
		{"a list of the Windows nodes", tree(eks, endpoint("false", "lin-1"), win...), "unknown"},
		{"a list of this node", tree(eks, "", win[0]), "unknown"},
		{"a node that does not show its system", tree(eks, "", append(win, `{"metadata":{"name":"x"}}`)...), "unknown"},
		{"the endpoints are not recorded", strings.Replace(tree(eks, "", win...), "api/endpointslices", "api/other", 1), "unknown"},
		{"a cluster whose control plane may be among its nodes", tree("node.kubernetes.io/instance-type", "", win...), "skip"},
	})
}
