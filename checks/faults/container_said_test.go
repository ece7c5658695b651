package faults_test

import (
	"strings"
	"testing"
)

// What programs of containers print before they exit.
func TestWhatContainersPrintBeforeTheyExit(t *testing.T) {
	pod := func(spec, image, state string) string {
		return strings.Replace(podsJSON(podJSON(spec, "", `{"phase":"Running","containerStatuses":[{"name":"c","restartCount":9,"state":{`+state+
			`},"lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"MESSAGE"}}}]}`)), `"image":"i"`, `"image":"`+image+`"`, 1)
	}
	logged := func(lines ...string) string {
		text := "-- logs/pods/shop_web_c_8.log --\n"
		for _, line := range lines {
			text += "2026-11-20T09:50:00.000000000Z stdout F " + line + "\n"
		}
		return text
	}
	const (
		loop, up = `"waiting":{"reason":"CrashLoopBackOff"}`, `"running":{"startedAt":"2026-11-20T09:50:00Z"}`
		code     = "APPCMD failed with error code 4312"
		last     = "Failed to update IIS configuration"
		noIIS    = "fail: shop/web is not running: ServiceMonitor cannot configure IIS [state+text]"
		user     = `"securityContext":{"windowsOptions":{"runAsUserName":"ContainerUser"}}`
		admin    = `"securityContext":{"windowsOptions":{"runAsUserName":"ContainerAdministrator"}}`
		denied   = `Unhandled exception. System.UnauthorizedAccessException: Access to the path 'C:\data\gates.db' is denied.`
		noRight  = "warn: shop/web is not running: its user ContainerUser is denied access [state+text]"
	)
	runLooks(t, "iis-servicemonitor-failed", []look{
		{"in the log", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + logged(code, last), noIIS},
		{"in the state of the container", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop), "MESSAGE", last, 1), noIIS},
		{"an error of appcmd after which ServiceMonitor goes on", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + logged(code, "Service 'w3svc' started"), "pass"},
		{"a log of another pod", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + strings.ReplaceAll(logged(code, last), "shop_web_", "shop_api_"),
			"info: the logs say: ServiceMonitor cannot configure IIS, and its container exits; the node's current state does not confirm it [text]"},
		{"a log of a pod whose name goes on", pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop) + strings.ReplaceAll(logged(code, last), "shop_web_", "shop_web-1_"),
			"info: the logs say: ServiceMonitor cannot configure IIS, and its container exits; the node's current state does not confirm it [text]"},
		{"the log of another pod alone", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop), "MESSAGE", "", 1) +
			strings.ReplaceAll(logged("ready"), "shop_web_", "shop_api_"), "unknown"},
		{"the container runs again", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", up), `"name":"c",`, `"name":"c","ready":true,`, 1) + logged(code, last),
			"info: the logs say: ServiceMonitor cannot configure IIS, and its container exits; the node's current state does not confirm it [text]"},
		{"no log is recorded", strings.Replace(pod(`"dnsPolicy":"ClusterFirst"`, "iis", loop), "MESSAGE", "", 1), "unknown"},
	})
	runLooks(t, "container-user-access-denied", []look{
		{"the user of the pod", pod(user, "app", loop) + logged(denied), noRight},
		{"in the state of the container", strings.Replace(pod(user, "app", loop), "MESSAGE", "Access is denied.", 1), noRight},
		{"an administrator", pod(admin, "nanoserver:ltsc2022", loop) + logged(denied), "pass"},
		{"an image whose user is not known", pod(`"dnsPolicy":"ClusterFirst"`, "app", loop) + logged(denied), "pass"},
		{"the container runs", strings.Replace(pod(user, "app", up), `"name":"c",`, `"name":"c","ready":true,`, 1) + logged(denied), "pass"},
		{"another container of the pod is down", strings.Replace(pod(user, "app", loop), `"containerStatuses":[{"name":"c",`, `"containerStatuses":[{"name":"d",`, 1) + logged(denied), "pass"},
		{"the log of another container", pod(user, "app", loop) + strings.ReplaceAll(logged(denied), "shop_web_c_", "shop_web_d_"), "pass"},
		{"the log of another pod alone", strings.Replace(pod(user, "app", loop), "MESSAGE", "", 1) +
			strings.ReplaceAll(logged("ready"), "shop_web_", "shop_api_"), "unknown"},
		{"another error", pod(user, "app", loop) + logged("connection refused"), "pass"},
		{"no log is recorded", strings.Replace(pod(user, "app", loop), "MESSAGE", "", 1), "unknown"},
	})
}

// TestDiskThatIsReadOnly: a program that cannot write to a disk, and programs that are not meant to.
func TestDiskThatIsReadOnly(t *testing.T) {
	const (
		said   = "System.IO.IOException: The media is write protected. : 'C:\\data\\a.log'"
		claim  = `"persistentVolumeClaim":{"claimName":"data-web"}`
		loop   = `"ready":false,"restartCount":9,"state":{"waiting":{"reason":"CrashLoopBackOff"}}`
		ran    = `"ready":true,"restartCount":1,"state":{"running":{"startedAt":"2026-11-20T09:45:00Z"}}`
		fails  = "fail: container c of shop/web cannot write to its volume data: the disk is read-only [state+text]"
		warns  = "warn: container c of shop/web cannot write to its volume data: the disk is read-only [state+text]"
		before = "info: the logs say: a program cannot write to a volume: its disk is read-only; the node's current state does not confirm it [text]"
		mount  = `{"name":"data","mountPath":"C:\\data"}`
	)
	pod := func(volume, mounts, state string) string {
		return podsJSON(podJSON(`"volumes":[{"name":"data",`+volume+`},{"name":"old","persistentVolumeClaim":{"claimName":"old","readOnly":true}},{"name":"conf","configMap":{"name":"conf"}}]`,
			`"volumeMounts":[`+mounts+`]`, `{"phase":"Running","containerStatuses":[{"name":"c",`+state+`}]}`))
	}
	pv := func(source string) string {
		return `-- api/persistentvolumes.json --
{"items":[{"metadata":{"name":"pv"},"spec":{"claimRef":{"namespace":"shop","name":"data-web"},` + source + `}}]}
`
	}
	disk := pv(`"csi":{"driver":"csi.vsphere.vmware.com"}`)
	logged := func(line string) string {
		return "-- logs/pods/shop_web_c_8.log --\n2026-11-20T09:50:00.000000000Z stderr F " + line + "\n"
	}
	ended := func(message string) string {
		return loop + `,"lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"` + message + `"}}`
	}
	runLooks(t, "volume-disk-read-only", []look{
		{"a disk", pod(claim, mount, loop) + disk + logged(said), fails},
		{"a claim of which no volume is recorded", pod(claim, mount, loop) + logged(said), warns},
		{"a disk of a plugin within Kubernetes", pod(`"azureDisk":{"fsType":"ntfs"}`, mount, loop) + logged(said), fails},
		{"in the last state of the container", pod(claim, mount, ended(`Out-File : The media is write protected.\r\nAt line:1`)) + disk, fails},
		{"Node.js", pod(claim, mount, loop) + disk + logged(`Error: EROFS: read-only file system, open 'C:\data\a.log'`), fails},
		{"Python, in Chinese", pod(claim, mount, loop) + disk + logged(`OSError: [WinError 19] 介质受写入保护。: 'C:/data/a'`), fails},
		{"a number alone", pod(claim, mount, loop) + disk + logged(`CreateFile C:\data\a: error 0x80070013`), fails},
		{"SQL Server", pod(claim, mount, loop) + disk + logged(`Operating system error 19(Носитель защищен от записи.) on file "c:\data\a.mdf"`), fails},
		{"it runs, and said so since its start", pod(claim, mount, ran) + disk + logged(said), warns},
		{"it started since", pod(claim, mount, strings.Replace(ran, "09:45", "09:55", 1)) + disk + logged(said), before},
		{"a mount for reading", pod(claim, strings.Replace(mount, `"}`, `","readOnly":true}`, 1), loop) + disk + logged(said), before},
		{"a claim for reading", pod(strings.Replace(claim, `"}`, `","readOnly":true}`, 1), mount, loop) + disk + logged(said), before},
		{"a volume for reading", pod(claim, mount, loop) + pv(`"gcePersistentDisk":{"readOnly":true}`) + logged(said), before},
		{"a claim of which no volume is recorded, and a disk was attached", pod(claim, mount, loop) + logged(said) +
			`-- api/events.json --
{"items":[{"reason":"SuccessfulAttachVolume","involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"message":"AttachVolume.Attach succeeded for volume \"pv\""}]}
`, fails},
		{"a folder of the node", pod(claim, mount, loop) + pv(`"hostPath":{"path":"D:\\\\"}`) + logged(said), before},
		{"a share", pod(claim, mount, loop) + pv(`"csi":{"driver":"smb.csi.k8s.io"}`) + logged(said), before},
		{"a volume of the pod with secrets", pod(`"csi":{"driver":"secrets-store.csi.k8s.io"}`, mount, loop) + logged(said), before},
		{"a ConfigMap below the disk", pod(claim, mount+`,{"name":"conf","mountPath":"C:\\data\\conf"}`, loop) + disk +
			logged(strings.Replace(said, "a.log", `conf\a.log`, 1)), before},
		{"another disk, which is for reading", pod(claim, mount+`,{"name":"old","mountPath":"C:\\old"}`, loop) + disk +
			logged(strings.Replace(said, "data", "old", 1)), before},
		{"no path, and another disk is for reading", pod(claim, mount+`,{"name":"old","mountPath":"C:\\old"}`, loop) + disk +
			logged("The media is write protected."), before},
		{"no path, and the one disk", pod(claim, mount, loop) + disk + logged("The media is write protected."), fails},
		{"no such disk", pod(claim, "", loop) + disk + logged(said), before},
		{"the log of another container", pod(claim, mount, loop) + disk + strings.ReplaceAll(logged(said), "_c_", "_d_"), before},
		{"access is denied", pod(claim, mount, loop) + disk + logged("Access to the path 'C:\\data' is denied."), "pass"},
		{"no log is recorded", pod(claim, mount, ended("")) + disk, "unknown"},
		{"no pods, and a program's log", logged(said), "warn: a program cannot write to a volume: its disk is read-only [text]"},
		{"a runtime that cannot prepare a container's disk", pod(claim, mount, ended(`FSCTL_EXTEND_VOLUME \\\\?\\Volume{1c308590-7223-4329-a61e-f92c47529a9d}: The media is write protected.`)) + disk, "pass"},
	})
}

// TestGMSAWebhookRefuses: Azure/aks-engine 2025, in the words of windows-gmsa's admission-webhook/webhook.go.
func TestGMSAWebhookRefuses(t *testing.T) {
	refused := func(why string) string {
		return "-- logs/other/events.txt --\nWarning  FailedCreate  21s  replicaset-controller  Error creating: admission webhook \"admission-webhook.windows-gmsa.sigs.k8s.io\" denied the request: " + why + "\n"
	}
	runLooks(t, "gmsa-not-working", []look{
		{"a service account without the role", refused("service account \"default\" is not authorized to `use` GMSA cred spec \"webapp1\""),
			"fail: the gMSA webhook refuses the pod: its service account may not use the credential spec [text]"},
		{"no such credential spec", refused(`cred spec webapp1 does not exist`),
			"fail: the gMSA webhook refuses the pod: the credential spec that it names does not exist or has other content [text]"},
	})
}

// TestContainerRefusedMemory: Windows refuses memory at the limit of the container as it does at the limit
// of the node.
func TestContainerRefusedMemory(t *testing.T) {
	pod := func(limit, state, ended, message string) string {
		return podsJSON(podJSON("", `"env":[ENV],"resources":{"limits":{`+limit+`}}`, `{"phase":"Running","containerStatuses":[{"name":"c","restartCount":9,"state":{`+state+
			`},"lastState":{"terminated":{"exitCode":2,"reason":"Error","startedAt":"2026-11-20T`+ended+`:00Z","finishedAt":"2026-11-20T`+ended+`:30Z","message":"`+message+`"}}}]}`))
	}
	env := func(tree, env string) string { return strings.Replace(tree, "[ENV]", "["+env+"]", 1) }
	logged := func(at, line string) string {
		return "-- logs/pods/shop_web_c_8.log --\n2026-11-20T" + at + ".000000000Z stderr F " + line + "\n"
	}
	memory := func(used string) string {
		return "-- memory.json --\n{\"totalBytes\":8589934592,\"availableBytes\":4294967296,\"commitLimitBytes\":10737418240,\"commitUsedBytes\":" + used + "}\n"
	}
	const (
		loop, up = `"waiting":{"reason":"CrashLoopBackOff"}`, `"running":{"startedAt":"2026-11-20T09:30:00Z"}`
		mib      = `"memory":"100Mi"`
		goSays   = "runtime: VirtualAlloc of 8192 bytes failed with errno=1455"
		java     = "OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory(0x0000000700000000, 268435456, 0) failed; error='The paging file is too small for this operation to complete' (DOS error/errno=1455)"
		dotnet   = "Unhandled exception. System.OutOfMemoryException: Exception of type 'System.OutOfMemoryException' was thrown."
		bitmap   = "System.OutOfMemoryException: Out of memory. at System.Drawing.Image.FromFile(String filename)"
		half     = "5368709120"
		fails    = "fail: container c of shop/web is refused memory (its limit: 100Mi) [state+text]"
		warns    = "warn: container c of shop/web is refused memory (its limit: 100Mi) [state+text]"
	)
	said := env(pod(mib, loop, "09:49", goSays+`\nfatal error: out of memory`), "")
	silent := func(state string) string { return env(pod(mib, state, "09:49", ""), "") }
	runLooks(t, "container-memory-limit-reached", []look{
		{"at its end", said + memory(half), fails},
		{"in its log", silent(loop) + logged("09:50:00", goSays) + memory(half), fails},
		{"in its log, and it was just started again", silent(`"running":{"startedAt":"2026-11-20T09:55:00Z"}`) + logged("09:50:00", goSays) + memory(half), fails},
		{"Java", silent(loop) + logged("09:50:00", java) + memory(half), fails},
		{".NET", silent(loop) + logged("09:50:00", dotnet) + memory(half), warns},
		{"the memory of the node is not recorded", said, warns},
		{"the limit is more than the node has left", strings.Replace(said, "100Mi", "6Gi", 1) + memory(half),
			"warn: container c of shop/web is refused memory (its limit: 6Gi) [state+text]"},
		{"a process of the node was refused as well", said + memory(half) +
			"-- logs/kubelet/kubelet.log --\nE1120 09:52:00.000000    3912 pod_workers.go:1] failure in a Windows system call: The paging file is too small for this operation to complete. (0x5af)\n", warns},
		{"the memory of the node is committed", said + memory("10200547328"), "skip"},
		{"it has no limit", strings.Replace(said, mib, `"cpu":"1"`, 1) + memory(half), "pass"},
		{"it runs since", strings.Replace(env(pod(mib, up, "09:29", goSays), ""), `"name":"c","restart`, `"name":"c","ready":true,"restart`, 1) + memory(half), "pass"},
		{"it ended hours ago, as a Job", env(pod(mib, `"terminated":{"exitCode":2,"finishedAt":"2026-11-20T07:00:30Z"}`, "07:00", goSays), "") + memory(half), "pass"},
		{"long before its end", silent(loop) + logged("09:40:00", goSays) + memory(half), "pass"},
		{"in the log of an earlier start", silent(loop) + logged("08:10:00", goSays) + memory(half), "pass"},
		{"the log of another container", silent(loop) + strings.Replace(logged("09:50:00", goSays), "web_c_", "web_d_", 1) + memory(half), "unknown"},
		{".NET with a limit of its own", env(pod(mib, loop, "09:49", dotnet), `{"name":"DOTNET_GCHeapHardLimit","value":"0x1000000"}`) + memory(half), "pass"},
		{"an image that is no image", env(pod(mib, loop, "09:49", bitmap), "") + memory(half), "pass"},
		{"its words are not recorded", silent(loop) + memory(half), "unknown"},
	})
	runLooks(t, "paging-file-too-small", []look{
		{"a container at its limit", silent(loop) + logged("09:50:00", java) + memory(half),
			"info: the logs say: Windows refused memory: the commit limit (RAM plus page file) is exhausted; the node's current state does not confirm it [text]"},
		{"a container without one", strings.Replace(silent(loop), mib, `"cpu":"1"`, 1) + logged("09:50:00", java) + memory(half),
			"warn: Windows refused memory within the last day; committed now: 5.0 GiB of 10.0 GiB (RAM plus page files) [state+text]"},
	})
}
