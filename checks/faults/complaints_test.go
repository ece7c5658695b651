package faults_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// podTelling is a pod that waits for the reason, with the message and more of its spec.
func podTelling(reason, message, spec string) string {
	return fmt.Sprintf(`-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default","creationTimestamp":"2026-11-20T09:00:00Z"},"spec":{"nodeName":"win-1"%s},
 "status":{"phase":"Pending","containerStatuses":[{"name":"web","state":{"waiting":{"reason":%q,"message":%s}}}]}}]}
`, spec, reason, strconv.Quote(message))
}

// podRunning is a pod that is well.
const podRunning = `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{"nodeName":"win-1"},
 "status":{"phase":"Running","containerStatuses":[{"name":"web","ready":true,"state":{"running":{"startedAt":"2026-11-20T09:00:00Z"}}}]}}]}
`

// eventTelling is one event of that pod.
func eventTelling(reason, message, at string) string {
	return fmt.Sprintf(
		"-- api/events.json --\n{\"items\":[{\"reason\":%q,\"message\":%s,\"lastTimestamp\":%q,\"type\":\"Warning\",\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"web\",\"namespace\":\"default\"}}]}\n", reason, strconv.Quote(message), at)
}

func logTelling(component, text string) string {
	return "-- logs/" + component + "/it.log --\n" + text + "\n"
}

const now, longAgo = "2026-11-20T09:55:00Z", "2026-11-20T06:00:00Z"

// TestADriveLetterInVOLUMEHasItsOwnFix: the mounts of the pod are right.
func TestADriveLetterInVOLUMEHasItsOwnFix(t *testing.T) {
	const said = `failed to create containerd container: rootpath on mountPath C:\Windows\TEMP\ctd-volume3950197485\377, volume Z:: CreateFile C:\Windows\TEMP\ctd-volume3950197485\377\Z:: The filename, directory name, or volume label syntax is incorrect.`
	r := lookAt(t, "mount-path-invalid", podTelling("CreateContainerError", said, ""))
	if len(r.Findings) != 1 || !strings.Contains(r.Fix.Steps[0].Headline().String(), "Dockerfile") {
		t.Errorf("the findings are %v, the fix is %v", r.Findings, r.Fix)
	}
}

func TestMountPathInvalid(t *testing.T) {
	const (
		invalid = "failed to create shim task: hcs::CreateComputeSystem web: The directory name is invalid.: unknown"
		found   = "fail: default/web is not running: Windows rejects a mount: its source is not a folder, or this Windows is too old to mount single files [state]"
	)
	runLooks(t, "mount-path-invalid", []look{
		{"the container's state tells it", podTelling("RunContainerError", invalid, ""), found},
		{"an event of the pod tells it", podTelling("ContainerCreating", "", "") +
			eventTelling("Failed", "Error: "+invalid, now), found},
		{"an event that nobody repeated for hours", podTelling("ContainerCreating", "", "") +
			eventTelling("Failed", "Error: "+invalid, longAgo),
			"fail: default/web is not running: Windows rejects a mount: its source is not a folder, or this Windows is too old to mount single files [state]"},
		{"the pod runs by now", podRunning + logTelling("containerd", invalid),
			"info: the logs say: Windows rejects a mount: its source is not a folder, or this Windows is too old to mount single files; the node's current state does not confirm it [text]"},
		{"a log alone", logTelling("containerd", invalid),
			"fail: Windows rejects a mount: its source is not a folder, or this Windows is too old to mount single files [text]"},
		{"a drive letter in the image's VOLUME",
			logTelling("containerd",
				`rootpath on mountPath C:\Windows\SystemTemp\ctd-volume1, volume c:\data: CreateFile c:\data: The filename, directory name, or volume label syntax is incorrect.`),
			"fail: VOLUME of the image has a drive letter, which containerd before 2.0 does not support [text]"},
		{"the whole of drive C:", podTelling("CreateContainerError",
			`failed to generate container "a" spec: failed to generate spec: destination path can not be C drive`, ""),
			"fail: default/web is not running: a mount covers all of drive C: [state]"},
		{"a raw volume", podTelling("CrashLoopBackOff", // containerd issue 10001
			`failed to create containerd task: failed to create shim task: failed to resolve path for mount source "\\?\Volume{b43f9d35-4667-4057-b528-66e5a67a8d48}": Incorrect function.: unknown`, ""),
			"fail: default/web is not running: containerd cannot resolve a mount: its source is the raw volume of a disk [state]"},
		{"a folder that is not there is no raw volume", podTelling("RunContainerError",
			`failed to create containerd task: failed to create shim task: failed to resolve path for mount source "c:\data": CreateFile c:\data: The system cannot find the file specified.: unknown`, ""), "pass"},
		{"a volume without filters", logTelling("docker", // hcsshim issue 802
			`hcsshim::CreateComputeSystem 1866c87cc2df38013228fbcc9d1ea13070d8bceb597e81d64e5a77109df1621b: Do not attach the filter to the volume at this time.`),
			"fail: Windows cannot mount a folder of a file system driver, such as WinFsp, into a container [text]"},
		{"in German, by its code",
			logTelling("docker",
				"hcsshim::CreateComputeSystem a: Der Verzeichnisname ist ungültig. (0x10b)"),
			"fail: Windows rejects a mount: its source is not a folder, or this Windows is too old to mount single files [text]"},
		{"a parameter is incorrect, which has many reasons",
			logTelling("containerd",
				"hcs::CreateComputeSystem web: The parameter is incorrect.: unknown"),
			"warn: Windows rejects a container parameter, most often the path of a mount [text]"},
		{"a parameter is incorrect, says the pod's state", podTelling("RunContainerError",
			"hcs::CreateComputeSystem web: The parameter is incorrect.: unknown", ""),
			"warn: default/web is not running: Windows rejects a container parameter, most often the path of a mount [state]"},
		{"a parameter is incorrect, in French by its code",
			logTelling("containerd", "hcsshim::CreateComputeSystem a: Paramètre incorrect. (0x57)"),
			"warn: Windows rejects a container parameter, most often the path of a mount [text]"},
		{"a parameter is incorrect, and docker accepted the mounts", logTelling("docker", // moby 42159
			"hcsshim::CreateComputeSystem a: The parameter is incorrect."), "unknown"},
		{"a parameter is incorrect, and Windows lacks an update", podTelling("RunContainerError", // antrea 1429
			`failed to start container "install-cni": Error response from daemon: hcsshim::CreateComputeSystem install-cni: The parameter is incorrect.`, ""), "pass"},
		{"a working directory that is not in the image is no mount", podTelling("RunContainerError",
			"hcs::System::CreateProcess web: The directory name is invalid.: unknown", ""), "pass"},
		{"all is well", podRunning, "pass"},
	})
}

func TestEntrypointNotFound(t *testing.T) {
	const (
		missing = `failed to start containerd task "web": hcs::System::CreateProcess web: The system cannot find the file specified.: unknown`
		why     = "Windows cannot find the program that the container starts"
		found   = "fail: default/web is not running: " + why + " [state]"
	)
	runLooks(t, "entrypoint-not-found", []look{
		{"the container's state tells it", podTelling("RunContainerError", missing, ""), found},
		{"docker tells it", podTelling("RunContainerError",
			`failed to start container "a": Error response from daemon: container a encountered an error during hcsshim::System::CreateProcess: failure in a Windows system call: Das System kann die Datei nicht finden. (0x2)`, ""), found},
		{"a HostProcess container", podTelling("RunContainerError",
			`failed to get application name from commandline "a.exe": failed to find executable "a.exe": unknown`, `,"securityContext":{"windowsOptions":{"hostProcess":true}}`),
			"fail: default/web is not running: the program of a HostProcess container is not on the node [state]"},
		{"the shim tells it as it creates the task", podTelling("RunContainerError",
			`failed to create containerd task: failed to create shim task: hcs::System::CreateProcess web: The system cannot find the file specified.: unknown`, ""), found},
		{"a process of the utility VM", podTelling("RunContainerError",
			`failed to create containerd task: failed to create shim task: hcs::System::CreateProcess 7c3b@vm: The system cannot find the file specified.: unknown`, ""), "pass"},
		{"somebody ran kubectl exec",
			logTelling("containerd",
				`ExecSync for "a" failed: failed to exec in container: failed to start exec "b": hcs::System::CreateProcess a: The system cannot find the file specified.: unknown`), "unknown"},
		{"port-forward looks for wincat.exe",
			logTelling("containerd",
				`failed to start containerd task "a": hcs::System::CreateProcess: wincat.exe 127.0.0.1 80: The system cannot find the file specified.`), "unknown"},
		{"a probe's command is not there", podRunning + eventTelling("Unhealthy",
			`Liveness probe errored: hcs::System::CreateProcess web: The system cannot find the file specified.`, now), "pass"},
		{"a log alone", logTelling("containerd", missing), "fail: " + why + " [text]"},
		{"pods were not recorded, and an event tells it", eventTelling("Failed", "Error: "+missing,
			now), "fail: " + why + " [text]"},
		{"the pod was repaired", podRunning + logTelling("containerd", missing),
			"info: the logs say: " + why + "; the node's current state does not confirm it [text]"},
		{"nothing recorded", "", "unknown"},
		{"in German, without a code", logTelling("containerd",
			`failed to start containerd task "web": hcs::System::CreateProcess web: Das System kann die angegebene Datei nicht finden.: unknown`),
			"fail: " + why + " [text]"},
		{"nerdctl run, with a PATH of Linux", logTelling("other", // microsoft/Windows-Containers#619
			`time="2025-10-31T00:25:00-07:00" level=fatal msg="hcs::System::CreateProcess 110f1e446ebb: The system cannot find the file specified.: unknown"`),
			"warn: " + why + " [text]"},
		{"crictl exec", logTelling("other",
			`time="2026-11-20T09:28:59Z" level=fatal msg="execing command in container synchronously: rpc error: code = Unknown desc = failed to exec in container: failed to start exec \"b\": hcs::System::CreateProcess a: The system cannot find the file specified.: unknown"`), "unknown"},
		{"a probe's in Chinese", logTelling("containerd",
			`ExecSync for "a" failed: failed to exec in container: failed to start containerd task "b": hcs::System::CreateProcess a: 系统找不到指定的文件。: unknown`),
			"unknown"},
	})
}

func TestComputeSystemUnexpectedExit(t *testing.T) {
	const found = "fail: default/web is not running: the container's system processes exited while Windows started it [state]"
	runLooks(t, "compute-system-unexpected-exit", []look{
		{"docker tells it with its code", podTelling("RunContainerError",
			"container a encountered an error during Start: failure in a Windows system call: Unerwartetes Ende. (0xc0370106)", ""), found},
		{"containerd tells it without", podTelling("RunContainerError",
			"failed to create shim task: hcs::System::Start a: The virtual machine or container exited unexpectedly.: unknown", ""), found},
		{"a container that ran and was ended",
			logTelling("containerd",
				`msg="unexpected system exit" error="hcs::System::waitBackground: The virtual machine or container exited unexpectedly. (0xc0370106)"`), "unknown"},
		{"the sandbox is for another Windows, which is another fault",
			podTelling("ContainerCreating", "", "") + eventTelling("FailedCreatePodSandBox",
				"hcsshim::CreateComputeSystem a: The container operating system does not match the host operating system. (0xc0370101)", now), "pass"},
		{"a log alone",
			logTelling("docker",
				"container a encountered an error during Start: failure in a Windows system call: The compute system exited unexpectedly. (0xc0370106)"),
			"fail: the container's system processes exited while Windows started it [text]"},
		{"all is well", podRunning, "pass"},
		{"the call that creates it, in German", logTelling("docker",
			"hcsshim::CreateComputeSystem a: Der virtuelle Computer oder Container wurde unerwartet beendet. (0xc0370106)"),
			"fail: the container's system processes exited while Windows started it [text]"},
	})
}

func TestContainerInvalidState(t *testing.T) {
	const (
		refused = "encountered an error during CreateProcess: failure in a Windows system call: The requested virtual machine or container operation is not valid in the current state. (0xc0370105)"
		why     = "a process cannot start: its container is still starting or already stopped"
	)
	runLooks(t, "container-invalid-state", []look{
		{"a pod cannot start for it", podTelling("RunContainerError", "container a "+refused, ""),
			"fail: default/web is not running: " + why + " [state]"},
		{"a probe came while the container stopped", podRunning + eventTelling("Unhealthy",
			"Liveness probe errored: "+refused, now),
			"info: the logs say: a process cannot start: its container is still starting or already stopped; the node's current state does not confirm it [text]"},
		{"a probe is no reason for a pod that waits", podTelling("CrashLoopBackOff",
			"back-off 5m0s", "") + eventTelling("Unhealthy", "Liveness probe errored: "+refused,
			now), "info: the logs say: a process cannot start: its container is still starting or already stopped; the node's current state does not confirm it [text]"},
		{"a log alone is a warning", logTelling("docker", "container a "+refused),
			"warn: " + why + " [text]"},
		{"in a log without the code",
			logTelling("containerd",
				"hcs::System::CreateProcess a: The requested virtual machine or container operation is not valid in the current state."), "warn: " + why + " [text]"},
		{"nothing recorded", "", "unknown"},
	})
}

func TestSandboxNameReserved(t *testing.T) {
	const (
		reserved = `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "web_default_0": name "web_default_0" is reserved for "4f1c"`
		why      = "the runtime is still creating the sandbox of an earlier attempt, or did not remove it"
	)
	runLooks(t, "sandbox-name-reserved", []look{
		{"a pod waits for it", podTelling("ContainerCreating", "", "") +
			eventTelling("FailedCreatePodSandBox", reserved, now),
			"fail: default/web waits: " + why + " [state]"},
		{"a container's name is taken", podTelling("CreateContainerError",
			`failed to reserve container name "web"; check if another CreateContainer request is in progress`, ""),
			"fail: default/web waits: the runtime is still creating the container of an earlier attempt, or did not remove it [state]"},
		{"the second attempt went well", podRunning + eventTelling("FailedCreatePodSandBox",
			reserved, now), "pass"},
		{"a pod of two minutes ago has time", `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default","creationTimestamp":"2026-11-20T09:58:00Z"},"spec":{"nodeName":"win-1"},"status":{"phase":"Pending"}}]}
` + eventTelling("FailedCreatePodSandBox", reserved, "2026-11-20T09:59:00Z"), "pass"},
		{"a log alone is information", logTelling("kubelet", reserved), "info: " + why + " [text]"},
		// MicrosoftDocs/Virtualization-Documentation, issue 984
		{"docker's words", logTelling("kubelet", `Error response from daemon: Conflict. The container name "/k8s_POD_web_default_4f009c6c_0" is already in use by container "9af4c411f7d7". You have to remove (or rename) that container to be able to reuse that name.`),
			"info: " + why + " [text]"},
		{"docker's words of a container", logTelling("kubelet", `Error response from daemon: Conflict. The container name "/k8s_web_web_default_4f009c6c_0" is already in use by container "9af4c411f7d7".`),
			"unknown"},
		{"another failure of the sandbox", podTelling("ContainerCreating", "", "") +
			eventTelling("FailedCreatePodSandBox", "context deadline exceeded", now), "pass"},
	})
}

func TestDLLInitFailed(t *testing.T) {
	crashed := func(state, code string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{"nodeName":"win-1"},
 "status":{"phase":"Running","containerStatuses":[{"name":"web","restartCount":4,"state":{` + state + `},"lastState":{"terminated":{"exitCode":` + code + `}}}]}}]}
`
	}
	const (
		waits   = `"waiting":{"reason":"CrashLoopBackOff"}`
		found   = "warn: Container web of default/web exits at start: DLL initialization failed (0xc0000142) [state]"
		sparse  = "-- memory.json --\n{\"commitLimitBytes\":1000,\"commitUsedBytes\":990}\n"
		history = "info: the logs say: a process exited with 0xc0000142: DLL initialization failed; the node's current state does not confirm it [text]"
	)
	runLooks(t, "dll-init-failed-0xc0000142", []look{
		{"containerd writes the code without a sign", crashed(waits, "3221225794"), found},
		{"docker writes it with one", crashed(waits, "-1073741502"), found},
		{"memory is nearly all promised", crashed(waits, "3221225794") + sparse,
			strings.Replace(found, "warn", "fail", 1)},
		{"a program of the node has it too", crashed(waits, "3221225794") + logTelling("kubelet", "E1120 09:50:00.000000 1 x.go:1] exit status 0xc0000142"),
			"fail: Container web of default/web exits at start: DLL initialization failed (0xc0000142) [state+text]"},
		{"pods of two images have it", strings.Replace(crashed(waits, "3221225794"), `{"items":[`,
			`{"items":[{"metadata":{"name":"api","namespace":"default"},"spec":{"nodeName":"win-1"},
"status":{"phase":"Running","containerStatuses":[{"name":"api","image":"api:1","state":{`+waits+`},"lastState":{"terminated":{"exitCode":3221225794}}}]}},`, 1),
			"fail: Container api of default/api exits at start: DLL initialization failed (0xc0000142) [state]\n" +
				"fail: Container web of default/web exits at start: DLL initialization failed (0xc0000142) [state]"},
		{"the exit code of a container in a log", logTelling("kubelet", "container exited with -1073741502"),
			"warn: a container exited with 0xc0000142: a DLL of its image, or the node's desktop heap or memory [text]"},
		{"the container runs by now", crashed(`"running":{}`, "3221225794"), "pass"},
		{"a missing library is another code", crashed(waits, "3221225781"), "pass"},
		{"a normal stop is another code", crashed(waits, "-1073741510"), "pass"},
		{"a volume that a driver's powershell could not mount", podTelling("ContainerCreating", "",
			"") + eventTelling("FailedMount",
			"MountVolume.SetUp failed: error running powershell: exit status 0xc0000142", now),
			"fail: default/web is not running: a process exited with 0xc0000142: DLL initialization failed [state]"},
		{"a log alone", logTelling("csi-proxy", "exit status 0xc0000142"),
			"fail: a process exited with 0xc0000142: DLL initialization failed [text]"},
		{"a log beside pods that run", podRunning + logTelling("csi-proxy",
			"exit status 0xc0000142"), history},
		{"nothing recorded", "", "unknown"},
		{"a message box, as at a shutdown", "-- events.json --\n" +
			`[{"log":"System","provider":"Application Popup","id":26,"message":"Application popup: powershell.exe - Application Error : The application was unable to start correctly (0xc0000142). Click OK to close the application."}]` + "\n",
			"warn: a process exited with 0xc0000142: DLL initialization failed [text]"},
	})
}

func TestLayerImportAccessDenied(t *testing.T) {
	const (
		denied = `failed to extract layer sha256:1: hcsshim::ProcessBaseLayer \\?\C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows\snapshots\7: Access is denied.: unknown`
		why    = "an image layer cannot be unpacked: access denied"
		found  = "fail: default/web waits for its image: " + why + " [state]"
	)
	runLooks(t, "layer-import-access-denied", []look{
		{"a pod waits for its image", podTelling("ImagePullBackOff", "Back-off pulling image", "") +
			eventTelling("Failed", "Failed to pull image: "+denied, now), found},
		{"a newer kubelet tells it in the state", podTelling("ImagePullBackOff",
			"Back-off pulling image \"a\": ErrImagePull: "+denied, ""), found},
		{"the file of a layer is in use",
			podTelling("ErrImagePull",
				`ProcessUtilityVMImage C:\a\UtilityVM: The process cannot access the file because it is being used by another process.`, ""),
			"fail: default/web waits for its image: an image layer cannot be unpacked: a file is in use by another process [state]"},
		{"a missing module is another fault",
			podTelling("ErrImagePull",
				`hcsshim::ProcessBaseLayer \\?\C:\a: The specified module could not be found.: unknown`, ""), "pass"},
		{"a registry that denies access is another fault",
			podTelling("ErrImagePull",
				"pull access denied, repository does not exist: Access is denied.", ""), "pass"},
		{"the image came in the end", podRunning + logTelling("containerd", denied),
			"info: the logs say: " + why + "; the node's current state does not confirm it [text]"},
		{"a log alone, in German, by its code",
			logTelling("docker",
				`hcsshim::ImportLayer failed in Win32: Zugriff verweigert (0x5) layerId=\\?\C:\a`),
			"fail: " + why + " [text]"},
		{"a log alone, in French, without the code",
			logTelling("containerd", strings.Replace(denied, "Access is denied", "Accès refusé", 1)),
			"fail: " + why + " [text]"},
		{"a log alone, in Chinese, of a file in use", logTelling("containerd",
			`hcsshim::ImportLayer \\?\C:\a: 另一个程序正在使用此文件，进程无法访问。: unknown`),
			"fail: an image layer cannot be unpacked: a file is in use by another process [text]"},
		{"nothing recorded", "", "unknown"},
	})
}
