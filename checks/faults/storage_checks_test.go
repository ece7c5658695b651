package faults_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// podEvent is a list of one warning of a pod, as somebody would paste it.
func podEvent(reason, message string) string {
	quoted, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return `-- api/events.json --
{"items":[{"reason":"` + reason + `","type":"Warning","message":` + string(quoted) + `,"involvedObject":{"kind":"Pod","namespace":"shop","name":"web-1"},"lastTimestamp":"2026-11-20T09:58:00Z"}]}
`
}

func TestSMBGlobalMappingFailed(t *testing.T) {
	failed := func(output string) string {
		return podEvent("FailedMount",
			`MountVolume.MountDevice failed for volume "v" : rpc error: code = Internal desc = volume(v) mount "//files/share" on "x" failed with NewSmbGlobalMapping failed. output: "`+output+`", err: exit status 1`)
	}
	// Trident issue 827
	const noUser = `MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = error mounting SMB volume \\10.0.3.203\trident_pvc_1 on mountpoint \var\lib\kubelet\plugins\x\globalmount: empty username or password is not allowed`
	volume := func(secret string) string {
		return "-- api/persistentvolumes.json --\n" + `{"items":[{"metadata":{"name":"pvc-1"},"spec":{"csi":{` + secret + `"driver":"csi.trident.netapp.io"},"claimRef":{"namespace":"shop","name":"data"}}}]}` + "\n"
	}
	const up = `-- api/pods.json --
{"items":[{"metadata":{"namespace":"shop","name":"web-1"},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-20T09:59:00Z"}]}}]}
`
	service := func(state string) string {
		return `-- services.json --` + "\n" + `[{"name":"LanmanWorkstation","displayName":"Workstation","state":"` + state + `","startType":"automatic"}]` + "\n"
	}
	const (
		workstation = "New-SmbGlobalMapping : The Workstation service has not been started. + FullyQualifiedErrorId : Windows System Error 2138,New-SmbGlobalMapping"
		stopped     = "fail: SMB shares cannot be mapped: the Workstation service of Windows is stopped [state+text]"
	)
	runLooks(t, "smb-global-mapping-failed", []look{
		{"the code of a wrong secret, in words of any language",
			failed("New-SmbGlobalMapping : Der Benutzername oder das Kennwort ist falsch. + FullyQualifiedErrorId : Windows System Error 1326,New-SmbGlobalMapping"),
			"fail: file server rejects the user name or password (error 1326) [text]"},
		{"a second mapping of the same server",
			failed("New-SmbGlobalMapping : Network access is denied. + FullyQualifiedErrorId : Windows System Error 65,New-SmbGlobalMapping"),
			"fail: access denied, usually because of another mapping of the same server (error 65) [text]"},
		{"a server that only pods find, cut off before the code",
			failed("New-SmbGlobalMapping : The network path was not found."),
			"fail: the node cannot connect to the file server (error 53) [text]"},
		{"a slash too many",
			failed("New-SmbGlobalMapping : The parameter is incorrect. + FullyQualifiedErrorId : Windows System Error 87,New-SmbGlobalMapping"),
			`fail: the name of the share is malformed: "The parameter is incorrect" [text]`},
		{"no process starts any more, and the share is not to blame",
			strings.Replace(failed(""), "exit status 1", "exit status 0xc0000142", 1),
			"fail: the mapping was not tried: no new process starts on this node (0xc0000142) [text]"},
		{"another user's mapping of the server, in German",
			failed("New-SmbGlobalMapping : Mehrfache Verbindungen. + FullyQualifiedErrorId : Windows System Error 1219,New-SmbGlobalMapping"),
			"fail: the node already has a mapping of this server: of another user, or left over from before a reboot (error 1219) [text]"},
		{"another user's mapping, cut before the code",
			failed("New-SmbGlobalMapping : Multiple connections to a server or shared resource by the same user, using more than one user"),
			"fail: the node already has a mapping of this server: of another user, or left over from before a reboot (error 1219) [text]"},
		{"an old kubelet maps a share twice",
			podEvent("FailedMount", `MountVolume.SetUp failed for volume "v" : azureMount: SmbGlobalMapping failed: exit status 1, only SMB mount is supported now, output: "New-SmbGlobalMapping : Generic failure At line:1 char:190 FullyQualifiedErrorId : HRESULT 0x80041001,New-SmbGlobalMapping"`),
			"fail: the kubelet's own Azure Files driver maps a share twice (0x80041001) [text]"},
		{"an old kubelet, cut before the reason",
			podEvent("FailedMount", `MountVolume.SetUp failed for volume "v" : azureMount: SmbGlobalMapping failed: exit status 1, only SMB mount`),
			"fail: New-SmbGlobalMapping failed on this node [text]"},
		{"the Workstation service, which runs", // csi-driver-smb issue 754
			failed(workstation) + service("running"),
			"fail: the Workstation service of Windows does not run, or must be restarted (error 2138) [text]"},
		{"the Workstation service is stopped", failed(workstation) + service("stopped"), stopped},
		{"it is stopped, and Windows says 1203, in German", failed(`FullyQualifiedErrorId : Windows System Error 1203,New-SmbGlobalMapping`) + service("stopped"), stopped},
		{"1203, and services are not recorded",
			failed("New-SmbGlobalMapping : The network path was either typed incorrectly, does not exist, or the network provider is not currently available."),
			"fail: Windows finds no SMB client for the path of the share (error 1203) [text]"},
		{"it was stopped after the file server had answered",
			failed("FullyQualifiedErrorId : Windows System Error 1326,New-SmbGlobalMapping") + service("stopped"),
			"fail: file server rejects the user name or password (error 1326) [text]"},
		{"it is stopped, and nobody maps a share", service("stopped"), "unknown"},
		{"an error that nobody knows yet",
			failed("New-SmbGlobalMapping : Something else. + FullyQualifiedErrorId : Windows System Error 9999,New-SmbGlobalMapping"),
			"fail: New-SmbGlobalMapping failed on this node [text]"},
		{"Trident without a Secret", podEvent("FailedMount", noUser), "fail: the driver gets no user name and password for the share [text]"},
		{"the same, and its volume names none", podEvent("FailedMount", noUser) + volume(""), "fail: the driver gets no user name and password for the share [state+text]"},
		{"the same, and its volume names one", podEvent("FailedMount", noUser) + volume(`"nodeStageSecretRef":{"name":"smb"},`), "fail: the driver gets no user name and password for the share [text]"},
		{"a volume without a user that nobody complains of", podEvent("Pulled", "x") + volume(""), "pass"},
		{"such words of a program", podEvent("Unhealthy", "Liveness probe failed: empty username or password is not allowed"), "pass"},
		{"the driver has no PowerShell, so no share was tried",
			strings.Replace(failed(""), "exit status 1", `exec: \"powershell\": executable file not found in %PATH%`, 1),
			"pass"},
		{"the pod has become Ready since",
			failed("FullyQualifiedErrorId : Windows System Error 1326,New-SmbGlobalMapping") + up,
			"info: the logs say: file server rejects the user name or password (error 1326); it is over: the pod has been Ready since 2026-11-20 09:59 UTC [text]"},
		{"error 53 of something else", podEvent("Failed", "Windows System Error 53, net use"),
			"pass"},
		{"a mapping that works",
			"-- logs/csi-proxy/csi-proxy.log --\nI1120 09:00:00.000000  1 smb.go:33] calling NewSmbGlobalMapping\n", "unknown"},
		{"no log and no event was recorded", nodeOf("v1.31.0", "containerd://1.7.2"), "unknown"},
	})
}

func TestCSIProxyMissing(t *testing.T) {
	const pipe = `panic: open \\.\\pipe\\csi-proxy-filesystem-v1: The system cannot find the file specified.`
	log := "-- logs/csi-driver/smb.log --\nE1120 09:50:00.000000  1 main.go:1] " + pipe + "\n"
	services := func(list string) string { return "-- services.json --\n[" + list + "]\n" }
	processes := func(list string) string {
		return "-- processes.json --\n[{\"name\":\"System\"},{\"name\":\"services.exe\"},{\"name\":\"lsass.exe\"},{\"name\":\"svchost.exe\"}" + list + "]\n"
	}
	stopped := `{"name":"csi-proxy","state":"stopped","startType":"automatic"}`
	runLooks(t, "csi-proxy-missing", []look{
		{"a driver asks for it, and there is none", log + services("") + processes(""),
			"fail: a CSI driver cannot open the csi-proxy pipe: csi-proxy is not on this node [state+text]"},
		{"a driver asks for it, and its service is stopped", log + services(stopped),
			"fail: a CSI driver cannot open the csi-proxy pipe: service csi-proxy is stopped [state+text]"},
		{"it came up after the driver",
			log + services(
				`{"name":"csiproxy","binPath":"C:\\k\\csi-proxy.exe","state":"running"}`) +
				processes(`,{"name":"csi-proxy.exe","startedAt":"2026-11-20T09:55:00Z"}`),
			"info: the logs say: a CSI driver cannot open the csi-proxy pipe; the node's current state does not confirm it [text]"},
		{"it runs and does not serve that version",
			log + services(`{"name":"csi-proxy","state":"running"}`) +
				processes(`,{"name":"csi-proxy.exe","startedAt":"2026-11-20T08:00:00Z"}`),
			"fail: a CSI driver cannot open the csi-proxy pipe: the running csi-proxy does not serve it (too old, or the pipe is not mounted) [state+text]"},
		{"without the processes it could run from a console or a pod", log + services(""),
			"fail: a CSI driver cannot open the csi-proxy pipe [text]"},
		{"a driver that has no node plugin here",
			podEvent("FailedMount",
				"driver name x.csi.io not found in the list of registered CSI drivers") +
				services(""),
			"pass"},
		{"stopped, and nobody asked", services(stopped),
			"warn: service csi-proxy is stopped (start type: automatic): drivers that need it cannot mount volumes [state]"},
		{"disabled since the drivers are HostProcess containers",
			services(`{"name":"csi-proxy","state":"stopped","startType":"disabled"}`), "pass"},
		{"it is overrun",
			podEvent("FailedMount",
				`open \\.\pipe\csi-proxy-filesystem-v1: All pipe instances are busy.`) + services(`{"name":"csi-proxy","state":"running"}`),
			"warn: csi-proxy is overloaded: all instances of its pipe are busy [text]"},
		{"an old containerd opens the pipe as a file",
			podEvent("FailedMount",
				`failed to resolve symlink "": CreateFile \\.\pipe\csi-proxy-filesystem-v1: All pipe instances are busy.`) + services(`{"name":"csi-proxy","state":"running"}`),
			"pass"},
		{"a node without storage of this kind", services(""), "pass"},
		{"nothing was recorded", "", "unknown"},
		{"in German", logTelling("csi-driver",
			`panic: open \\.\\pipe\\csi-proxy-filesystem-v1: Das System kann die angegebene Datei nicht finden.`) +
			services("") + processes(""),
			"fail: a CSI driver cannot open the csi-proxy pipe: csi-proxy is not on this node [state+text]"},
	})
}

func TestDiskPressureSnapshotLeak(t *testing.T) {
	node := func(status string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"DiskPressure","status":"` + status + `","message":"m"}]}}
`
	}
	folders := func(names ...string) string {
		var list []string
		for _, n := range names {
			list = append(list,
				`{"path":"C:\\ProgramData\\containerd\\root\\io.containerd.snapshotter.v1.windows\\snapshots\\`+n+`","outcome":"too-large"}`)
		}
		return "-- files.json --\n[" + strings.Join(list, ",") + "]\n"
	}
	const freedNothing = "failed to garbage collect required amount of images. Wanted to free 9437184000 bytes, but freed 0 bytes"
	runLooks(t, "disk-pressure-snapshot-leak", []look{
		{"full, with leftovers", node("True") + folders("rm-1", "rm-2", "7"),
			"fail: node has DiskPressure: 2 removed image layers are still on the disk [state]"},
		{"full, and layers cannot be removed", node("True") + logTelling("containerd",
			`level=error msg="snapshot garbage collection failed" error="second rename attempt following detach failed: rename 1 rm-1: Access is denied."`),
			"fail: node has DiskPressure: removed layers keep their space [state+text]"},
		{"full, and images give nothing back, for they are in use", node("True") + folders("7") + podEvent("FreeDiskSpaceFailed", freedNothing), "pass"},
		{"full of something else", node("True") + folders("7", "8"), "pass"},
		{"full of something that nobody has listed", node("True"), "unknown"},
		{"other files are listed, and the layers are not", node("True") + "-- files.json --\n[{\"path\":\"C:\\\\k\\\\config\",\"outcome\":\"copied\"},{\"path\":\"C:\\\\ProgramData\\\\containerd\\\\root\\\\io.containerd.snapshotter.v1.windows\\\\snapshots\",\"outcome\":\"absent\"}]\n", "unknown"},
		{"the folder of the layers has no leftover", node("True") + folders(""), "pass"},
		{"not full yet", node("False") + folders("rm-1", "rm-2", "rm-3"),
			"warn: 3 removed image layers are still on the disk and will fill it [state]"},
		{"a removal in progress", node("False") + folders("rm-1", "7"), "pass"},
		{"files inside one leftover are no leftovers of their own", node("False") + folders("rm-1",
			`rm-1\\Files`, `rm-1\\Hives`, `rm-1\\Files\\a`), "pass"},
		{"a node that is lost says nothing of its disk", node("Unknown"), "unknown"},
		{"inodes that Windows does not have",
			node("False") +
				"-- logs/kubelet/kubelet.log --\neviction manager: no observation found for eviction signal nodefs.inodesFree\n", "pass"},
		{"a Node object without conditions", nodeOf("v1.31.0", "containerd://1.7.2"), "unknown"},
		{"a layer that a scanner had open for a moment", logTelling("containerd",
			`time="2026-11-20T09:41:17Z" level=warning msg="snapshot garbage collection failed" error="rename C:\\snapshots\\912 C:\\snapshots\\rm-912: Access is denied."`),
			"warn: containerd cannot remove the layers of ended containers [text]"},
		{"docker kept its layers, and the disk is full", node("True") + logTelling("docker", removalDenied),
			"fail: node has DiskPressure: removed layers keep their space [state+text]"},
		{"docker kept its layers, and the disk has room", node("False") + logTelling("docker", removalDenied), "pass"},
	})
	runLooks(t, "disk-full", []look{
		{"full, and images give nothing back", node("True") + podEvent("FreeDiskSpaceFailed", freedNothing),
			"fail: node has DiskPressure: its disk is full [state+text]"},
		{"full of something else", node("True"), "fail: node has DiskPressure: its disk is full [state]"},
		{"not full yet", node("False") + "-- disks.json --\n" + `[{"drive":"C:","totalBytes":137438953472,"freeBytes":20401094656}]` + "\n", "pass"},
		{"a node that is lost says nothing of its disk", node("Unknown"), "unknown"},
		{"freed since", node("False") + podEvent("FreeDiskSpaceFailed", freedNothing),
			"info: the logs say: the kubelet needs disk space, but removing images frees none; the node's current state does not confirm it [text]"},
		{"the event alone", podEvent("FreeDiskSpaceFailed", freedNothing),
			"warn: the kubelet needs disk space, but removing images frees none [text]"},
		{"pods are evicted", podEvent("Evicted", // kubernetes 83038
			"The node was low on resource: ephemeral-storage."),
			"warn: the kubelet evicts pods: the disk of the node is almost full [text]"},
		{"pods were evicted", node("False") + podEvent("Evicted", "The node was low on resource: ephemeral-storage."),
			"info: the logs say: the kubelet evicts pods: the disk of the node is almost full; the node's current state does not confirm it [text]"},
		{"pods are evicted, and nothing was removed in vain", node("True") + podEvent("Evicted", "The node was low on resource: ephemeral-storage."),
			"fail: node has DiskPressure: its disk is full [state+text]"},
		{"one container had written most", node("True") + podEvent("Evicted",
			"The node was low on resource: ephemeral-storage. Threshold quantity: 13743895347, available: 9632112Ki. Container log was using 10Gi, request is 0, has larger consumption of ephemeral-storage. Container web was using 20Ki, request is 0, has larger consumption of ephemeral-storage. "),
			"fail: node has DiskPressure: its disk is full (container log of shop/web-1 used 10.0 GiB, with its log) [state]"},
		{"in the words of Kubernetes 1.24", node("True") + podEvent("Evicted",
			"The node was low on resource: ephemeral-storage. Container log was using 10485760Ki, which exceeds its request of 0. "),
			"fail: node has DiskPressure: its disk is full (container log of shop/web-1 used 10.0 GiB, with its log) [state]"},
		{"one container had used memory", node("True") + podEvent("Evicted",
			"The node was low on resource: memory. Container log was using 10485760Ki, which exceeds its request of 0. "),
			"fail: node has DiskPressure: its disk is full [state]"},
		{"pods are evicted for memory", podEvent("Evicted", "The node was low on resource: memory."), "unknown"},
		{"images were freed", podEvent("FreeDiskSpaceFailed",
			"failed to garbage collect required amount of images. Wanted to free 10 bytes, but freed 8 bytes"), "unknown"},
		{"the event of Kubernetes 1.27 and later", podEvent("FreeDiskSpaceFailed",
			"Failed to garbage collect required amount of images. Attempted to free 1339201945 bytes, but only found 0 bytes eligible to free."),
			"warn: the kubelet needs disk space, but removing images frees none [text]"},
	})
}

// microsoft/Windows-Containers issue 207
const removalDenied = `container ecddba62: driver "windowsfilter" failed to remove root filesystem: failed to detach VHD: failed to open virtual disk: The process cannot access the file because it is being used by another process.: rename C:\ProgramData\docker\windowsfilter\ecddba62 C:\ProgramData\docker\windowsfilter\ecddba62-removing: Access is denied.`

func TestDockerLayerInUse(t *testing.T) {
	const kept = "warn: docker cannot remove the layers of ended containers [text]"
	runLooks(t, "docker-layer-in-use", []look{
		{"a container whose disk is still attached", logTelling("docker", removalDenied), kept},
		{"the kubelet quotes docker", logTelling("kubelet", "E1120 09:58:00.100000 1 remote_runtime.go:271] "+removalDenied), kept},
		// microsoft/navcontainerhelper issue 24
		{"without a word of access", logTelling("docker",
			`driver "windowsfilter" failed to remove root filesystem for ad6b: rename C:\ProgramData\Docker\windowsfilter\ad6b C:\ProgramData\Docker\windowsfilter\ad6b-removing: The process cannot access the file because it is being used by another process.`), kept},
		{"docker in French", logTelling("docker",
			`Error removing container: failed to remove root filesystem: C:\ProgramData\docker\windowsfilter\7c: hcsshim::DestroyLayer failed in Win32: Accès refusé. (0x5)`), kept},
		{"docker says nothing of it", logTelling("docker", `level=info msg="API listen on //./pipe/docker_engine"`), "pass"},
		{"nothing was recorded", "", "unknown"},
	})
}

func TestPagingFileTooSmall(t *testing.T) {
	memory := func(used, files string) string {
		return "-- memory.json --\n{\"commitLimitBytes\":34359738368,\"commitUsedBytes\":" + used +
			",\"pageFiles\":" + files + "}\n"
	}
	refused := func(at string) string {
		return "-- logs/containerd/containerd.log --\ntime=\"" + at +
			"\" level=error msg=\"failure in a Windows system call: Le fichier de pagination est insuffisant. (0x5af)\"\n"
	}
	runLooks(t, "paging-file-too-small", []look{
		{"promised to the brim", memory("33822867456", "null"),
			"fail: Committed memory is 31.5 GiB of the 32.0 GiB commit limit (RAM plus page files) [state]"},
		{"nearly", memory("31675383808", "[]"),
			"warn: Committed memory is 29.5 GiB of the 32.0 GiB commit limit (RAM plus page files) [state]"},
		{"room again, and a refusal an hour ago",
			memory("17179869184", "[]") + refused("2026-11-20T09:00:00Z"),
			"warn: Windows refused memory within the last day; committed now: 16.0 GiB of 32.0 GiB (RAM plus page files) [state+text]"},
		{"room again for days", memory("17179869184", "[]") + refused("2026-11-17T09:00:00Z"),
			"info: the logs say: Windows refused memory: the commit limit (RAM plus page file) is exhausted; the node's current state does not confirm it [text]"},
		{"the code alone", refused("2026-11-20T09:00:00Z"),
			"fail: Windows refused memory: the commit limit (RAM plus page file) is exhausted [text]"},
		{"event 2004 in German",
			"-- events.json --\n[{\"log\":\"System\",\"provider\":\"Microsoft-Windows-Resource-Exhaustion-Detector\",\"id\":2004,\"message\":\"Windows hat einen Zustand mit wenig virtuellem Speicher diagnostiziert. Die folgenden Programme belegen am meisten: w3wp.exe (4711)\"}]\n",
			"fail: Windows reports low virtual memory [text]"},
		{"plenty", memory("8589934592", "[]"), "pass"},
		{"a recorder that does not know the commit limit",
			"-- memory.json --\n{\"totalBytes\":34359738368,\"availableBytes\":1048576}\n",
			"unknown"},
	})
}

func TestWhoHoldsTheCommittedMemory(t *testing.T) {
	const narrow = "-- memory.json --\n{\"commitLimitBytes\":34359738368,\"commitUsedBytes\":33822867456}\n"
	hung := `{"pid":1,"name":"powershell.exe","workingSetBytes":4294967296},{"pid":2,"name":"powershell.exe","privateBytes":4294967296}`
	for _, row := range []struct{ name, processes, want string }{
		{"two of a program together", hung + `,{"pid":3,"name":"w3wp.exe","privateBytes":5368709120}`,
			"2 processes of powershell.exe hold 8.0 GiB"},
		{"nobody holds much", `{"pid":3,"name":"w3wp.exe","privateBytes":5368709120}`, ""},
		{"a recorder that measures none", `{"pid":3,"name":"w3wp.exe"}`, ""},
		{"a node component", `{"pid":3,"name":"kubelet.exe","privateBytes":10737418240}`, "1 processes of kubelet.exe hold 10.0 GiB"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := lookAt(t, "paging-file-too-small", narrow+"-- processes.json --\n["+row.processes+"]\n")
			got := ""
			for _, e := range r.Findings[0].Because {
				if e.Path == "processes.json" {
					got = e.Text
				}
			}
			if got != row.want {
				t.Errorf("the evidence is %q and should be %q", got, row.want)
			}
			// a component of the node needs no more: a larger page file would only be filled later
			if first := r.Fix.Steps[0].Headline().String(); strings.Contains(first, "kubelet") != strings.Contains(row.want, "kubelet") {
				t.Errorf("the fix begins with %q", first)
			}
		})
	}
}

func TestADriverThatIsNotRegistered(t *testing.T) {
	const said = "driver name smb.csi.k8s.io not found in the list of registered CSI drivers"
	runLooks(t, "csi-driver-not-registered", []look{
		{"a driver that has no node plugin here", podEvent("FailedMount", said),
			"warn: a CSI driver that a pod needs is not registered on this node [text]"},
		{"the driver registered after the pods came", logTelling("kubelet",
			"E1120 09:50:00.000000 1 csi_attacher.go:1] "+said+"\n"+
				"I1120 09:50:20.000000 1 csi_plugin.go:119] kubernetes.io/csi: Register new plugin with name: smb.csi.k8s.io at endpoint: C:\\csi.sock"),
			"info: the logs say: a CSI driver that a pod needs is not registered on this node; it is over: a later line says: Register new plugin with name [text]"},
	})
}

func TestADiskThatWasAttachedElsewhere(t *testing.T) {
	const refused = `Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can't be attached to another`
	waiting := podTelling("ContainerCreating", "", "")
	runLooks(t, "volume-multi-attach", []look{
		{"the pod still waits for it", waiting + eventTelling("FailedAttachVolume", refused, now),
			"fail: default/web is not running: the disk of a pod is still attached to another node [state]"},
		// kubernetes-sigs/aws-ebs-csi-driver issue 1001
		{"it came later, and the pod waits for something else", waiting + attachEvents("pvc-1"),
			"info: the logs say: the disk of a pod is still attached to another node; it is over: a later event says: AttachVolume.Attach succeeded for volume [text]"},
		{"another disk came later", waiting + attachEvents("pvc-2"),
			"fail: default/web is not running: the disk of a pod is still attached to another node [state]"},
	})
}

// attachEvents are of one pod: the disk pvc-1 is refused, and the named one is attached later.
func attachEvents(later string) string {
	const about = `"involvedObject":{"kind":"Pod","name":"web","namespace":"default"}`
	return `-- api/events.json --
{"items":[
 {"reason":"FailedAttachVolume","type":"Warning","lastTimestamp":"2026-11-20T09:48:00Z",` + about + `,
  "message":"Multi-Attach error for volume \"pvc-1\" Volume is already exclusively attached to one node and can't be attached to another"},
 {"reason":"SuccessfulAttachVolume","type":"Normal","lastTimestamp":"2026-11-20T09:54:00Z",` + about + `,
  "message":"AttachVolume.Attach succeeded for volume \"` + later + `\""}]}
`
}

// Two forms of events: core/v1, and events.k8s.io/v1 with its own names of the fields.
func TestCSIRegistrationMissed(t *testing.T) {
	const refused = `MountVolume.MountDevice failed for volume \"pvc-1\" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name file.csi.azure.com not found in the list of registered CSI drivers`
	core := func(at string) string {
		return `-- api/events.json --
{"items":[{"reason":"FailedMount","type":"Warning","lastTimestamp":"` + at + `","involvedObject":{"kind":"Pod","namespace":"d","name":"web"},"message":"` + refused + `"}]}
`
	}
	const events = `-- api/events.json --
{"items":[{"apiVersion":"events.k8s.io/v1","reason":"FailedMount","type":"Warning","eventTime":"2026-11-20T09:50:00.000000Z","regarding":{"kind":"Pod","namespace":"d","name":"web"},"note":"` + refused + `"}]}
`
	driver := func(image, ready, plugin string) string {
		return `{"metadata":{"name":"csi-azurefile-node-win-1","namespace":"kube-system"},"spec":{"containers":[{"name":"node-driver-registrar","image":"` + image +
			`","args":["--kubelet-registration-path=C:\\var\\lib\\kubelet\\plugins\\` + plugin + `\\csi.sock"]}]},` +
			`"status":{"phase":"Running","containerStatuses":[{"name":"node-driver-registrar","ready":` + ready + `,"state":{"running":{"startedAt":"2026-11-20T09:00:00Z"}}}]}}`
	}
	pods := func(state, driver string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"d"},"spec":{"containers":[{"name":"web"}]},"status":` + state + `},` + driver + "]}\n"
	}
	const pending = `{"phase":"Pending","containerStatuses":[{"name":"web","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
	const running = `{"phase":"Running","containerStatuses":[{"name":"web","ready":true,"state":{"running":{"startedAt":"2026-11-20T09:55:00Z"}}}]}`
	const old, plugin = "mcr.microsoft.com/oss/kubernetes-csi/csi-node-driver-registrar:v2.1.0", "file.csi.azure.com"
	const missed = "fail: CSI driver file.csi.azure.com runs, but the kubelet has not registered it; its node-driver-registrar is v2.1.0, and 2.3.0 detects this [state]"
	const minutes = "2026-11-20T09:50:00Z"
	runLooks(t, "csi-registration-missed", []look{
		{"an old registrar that has been ready for long", core(minutes) + pods(pending, driver(old, "true", plugin)), missed},
		{"the same event in the newer form", events + pods(pending, driver(old, "true", plugin)), missed},
		// Azure/secrets-store-csi-driver-provider-azure issue 798
		{"a newer registrar, in a folder of a short name", core(minutes) + pods(pending, driver("registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.3.0", "true", "csi-file")),
			"fail: CSI driver file.csi.azure.com runs, but the kubelet has not registered it [state]"},
		{"the pod of another driver", core(minutes) + pods(pending, driver(old, "true", "disk.csi.azure.com")), "pass"},
		{"a driver that is not ready", core(minutes) + pods(pending, driver(old, "false", plugin)), "pass"},
		{"the driver had just started", core("2026-11-20T09:01:00Z") + pods(pending, driver(old, "true", plugin)), "pass"},
		{"the pod runs now", core(minutes) + pods(running, driver(old, "true", plugin)), "pass"},
	})
}

// TestVSphereSupportIsTurnedOn: vsphere-csi-driver issue 2578, and k8sorchestrator.go of the driver.
func TestVSphereSupportIsTurnedOn(t *testing.T) {
	const off = `{"level":"error","time":"2026-11-20T02:22:33.1125210Z","caller":"osutils/windows_os_utils.go:507","msg":"csi plugin started on windows node without enabling feature switch"}` + "\n"
	states := func(at, value string) string {
		return `{"level":"info","time":"2026-11-20T` + at + `.3897125Z","caller":"k8sorchestrator/k8sorchestrator.go:689","msg":"configMapAdded: Internal feature state values from \"internal-feature-states.csi.vsphere.vmware.com\" stored successfully: map[csi-migration:true csi-windows-support:` + value + ` online-volume-extend:true]"}` + "\n"
	}
	const log = "-- logs/vsphere-csi-node/1.log --\n"
	const found = "fail: the vSphere CSI driver exits: its support for Windows is turned off [text]"
	runLooks(t, "vsphere-csi-windows-off", []look{
		{"off", log + states("02:22:30", "false") + off, found},
		{"switched on since", log + off + states("02:24:12", "true"),
			"info: the logs say: the vSphere CSI driver exits: its support for Windows is turned off; it is over: a later line says: stored successfully: map[ … csi-windows-support:true [text]"},
		{"switched off since", log + states("02:20:12", "true") + off, found},
	})
}
