package regressions

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

// kubeletRows are from the release notes of Kubernetes, patch by patch.
var kubeletRows = []Row{
	{
		ID: "kubelet-socket-left-behind", Of: Kubelet,
		From:   "1.31.0 < 1.31.1",
		Title:  "kubelet does not restart: its old socket file still exists",
		Breaks: []string{"kubelet-start"},
		Signs: []checks.Sign{
			{Text: "Failed to listen to socket while starting device plugin registry",
				Or: []string{"Failed to start ContainerManager"}, Also: []string{"kubelet.sock: bind"}},
		},
		Workaround: "Until the update, delete device-plugins\\kubelet.sock in the folder of the kubelet before it starts.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/126965",
			"https://github.com/kubernetes/kubernetes/pull/127100"},
	},
	{
		ID: "kubelet-hundred-disks", Of: Kubelet,
		From:   "1.20.0 < 1.20.13, 1.21.0 < 1.21.7, 1.22.0 < 1.22.4",
		Title:  "kubelet mounts no more than 100 disks on Windows",
		Breaks: []string{"pod-start"},
		Signs:  []checks.Sign{{Text: "disk number out of range:"}},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/105673"},
	},
	{
		ID: "kubelet-disk-data-loss", Of: Kubelet,
		From:  "1.17.0 < 1.17.14, 1.18.0 < 1.18.11, 1.19.0 < 1.19.4",
		Title: "Unmounting an in-tree Azure disk can lose data",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/95456"},
	},
	{
		ID: "kubelet-volume-path-characters", Of: Kubelet,
		From:   "1.18.0 < 1.18.17, 1.19.0 < 1.19.9, 1.20.0 < 1.20.5",
		Title:  "Volumes with special characters in their path fail",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			// vSphere has a path with brackets, which PowerShell takes for a pattern
			{Text: "failed to prepare subPath for volumeMount",
				Also: []string{" link ", "vsphere-volume", ": exit status 1"}},
		},
		OtherCauses: true, // a PowerShell that does not run
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/99008",
			"https://github.com/kubernetes/kubernetes/pull/99137"},
	},
	{
		ID: "kubelet-cgroup-driver-checked", Of: Kubelet,
		From:    "1.18.0 < 1.18.16, 1.19.0 < 1.19.8, 1.20.0 < 1.20.3",
		Title:   "kubelet compares cgroup drivers on Windows and exits",
		Runtime: "docker",
		Breaks:  []string{"kubelet-start"},
		Signs: []checks.Sign{
			{Text: "misconfiguration: kubelet cgroup driver", Also: []string{"is different from docker cgroup driver"}},
		},
		Workaround: "Until the update, set cgroupDriver: cgroupfs in the configuration of the kubelet.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/97759",
			"https://github.com/kubernetes/kubernetes/pull/98383"},
	},
	{
		ID: "kubelet-metrics-time-out", Of: Kubelet,
		From:    "1.15.0 < 1.15.12, 1.16.0 < 1.16.9, 1.17.0 < 1.17.5",
		Title:   "kubelet metrics time out with more than three pods",
		Runtime: "docker", // the fix asks HCS in its place
		Signs: []checks.Sign{
			// metrics-server, which says so once where a node is busy
			{Text: fetchFailed, Also: []string{"/stats/summary", "context deadline exceeded"}, Lasts: 10 * time.Minute},
		},
		Warn: true, OtherCauses: true, // a node that is busy or does not answer
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/87730",
			"https://github.com/kubernetes/kubernetes/issues/74991",
			"https://github.com/kubernetes/kubernetes/issues/104283"},
	},
	{
		ID: "kubelet-metrics-not-english", Of: Kubelet,
		From:   "1.14.0 < 1.14.9, 1.15.0 < 1.15.6, 1.16.0 < 1.16.3",
		Title:  "kubelet does not start on Windows that is not English",
		Breaks: []string{"kubelet-start"},
		Signs: []checks.Sign{
			{Text: "unable to valid path to counter. Error code is c0000bb8"},
		},
		Explains:    []string{"kubelet-perf-counter-missing"},
		OtherCauses: true, // which says what is known without a version
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/74173",
			"https://github.com/kubernetes/kubernetes/pull/84156"},
	},
	{
		ID: "kubelet-empty-dir-usage", Of: Kubelet,
		From:   "1.14.0 < 1.14.8, 1.15.0 < 1.15.5",
		Title:  "kubelet counts the whole disk as the size of an emptyDir",
		Breaks: []string{"running-containers"},
		Signs: []checks.Sign{
			{Text: "Pod ephemeral local storage usage exceeds the total limit of containers"},
			{Text: "Usage of EmptyDir volume", Also: []string{"exceeds the limit"}},
		},
		Explains:    []string{"ephemeral-storage-limit-exceeded"},
		OtherCauses: true, // a pod that does use more than its limit
		Workaround:  "Until the update, remove the limits of ephemeral-storage and the sizeLimit of emptyDir volumes.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/81088",
			"https://github.com/kubernetes/kubernetes/issues/83038",
			"https://github.com/kubernetes/kubernetes/pull/81437"},
	},
	{
		ID: "kubelet-docker-stats", Of: Kubelet,
		From:    "1.17.5 < 1.19.12, 1.20.0 < 1.20.8", // since the fix of kubelet-metrics-time-out; 1.17 and 1.18 have none
		Title:   "Container statistics fail with Docker",
		Runtime: "docker",
		Signs: []checks.Sign{
			{Text: "failed to list all container stats", Also: []string{"encountered an error during Properties"}},
		},
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/98510",
			"https://github.com/kubernetes/kubernetes/issues/98509"},
	},
	{
		// since the fix of kubelet-metrics-time-out, which asks HCS; docker keeps what has ended
		ID: "kubelet-stats-ended-container", Of: Kubelet,
		From:  "1.16.9 < 1.16.13, 1.17.5 < 1.17.9, 1.18.0 < 1.18.6",
		Title: "Docker: all statistics fail if one container has ended",
		Signs: []checks.Sign{
			{Text: "failed to list all container stats",
				Also: []string{"hcsshim::OpenComputeSystem", "specified identifier does not exist"}},
			// the end of the error alone, which other callers have too (aks-engine 3388)
			{Text: endedContainer, Also: []string{"specified identifier does not exist"}, In: []string{"kubelet", "other"},
				// the last are of dockerd and containerd, and of what asks dockerd
				Not: []string{"failed to list all container stats", "NetworkPlugin", "cni", "attach", "restore", "start container",
					"level=", "Error response from daemon"}},
		},
		Alike: endedContainer,
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/90554",
			"https://github.com/Azure/aks-engine/issues/3388",
			"https://github.com/kubernetes/kubernetes/issues/91575"},
	},
	{
		ID: "kubelet-hostpath-directory", Of: Kubelet,
		From:     "1.9.0 < 1.9.7, 1.10.0 < 1.10.2",
		Title:    "hostPath volumes of type Directory fail: no folder counts as one",
		Breaks:   []string{"pod-start"},
		Explains: []string{"hostpath-type-mismatch"},
		Signs:    []checks.Sign{{Text: "hostPath type check failed", Also: []string{" is not a directory"}}},
		// that there is no such folder
		OtherCauses: true,
		Workaround:  "Until the update, leave out the type of hostPath volumes.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/62121",
			"https://github.com/kubernetes/kubernetes/pull/62154",
			"https://github.com/kubernetes/kubernetes/issues/68603"},
	},
	{
		ID: "kubelet-smb-permission-denied", Of: Kubelet,
		From:   "1.20.0 < 1.20.7",
		Title:  "SMB mounts of pods get PermissionDenied",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/kubernetes/kubernetes/pull/99550"},
	},
	{
		ID: "kubelet-metrics-memory-leak", Of: Kubelet,
		From:     "1.14.0 < 1.14.4",
		Title:    "kubelet leaks memory when it reads container metrics",
		Warn:     true,
		Shown:    largestIsKubelet,
		Reads:    []evidence.Need{evidence.Processes},
		Explains: []string{"paging-file-too-small", "node-under-pressure"},
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/78594",
			"https://github.com/kubernetes/kubernetes/pull/78665",
			"https://github.com/kubernetes/kubernetes/issues/78917"},
	},
	{
		ID: "kubelet-logs-follow", Of: Kubelet,
		From:    "1.14.0 < 1.14.7, 1.15.0 < 1.15.4",
		Title:   "kubectl logs -f does not work for Windows containers",
		Runtime: "docker", // only its log is a symbolic link
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/81735",
			"https://github.com/kubernetes/kubernetes/pull/81747"},
	},
	{
		ID: "kubelet-gce-disk-cache", Of: Kubelet,
		From:  "1.14.0 < 1.14.9, 1.15.0 < 1.15.6, 1.16.0 < 1.16.3",
		Title: "Unmounting an in-tree GCE disk does not flush its cache",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/83591"},
	},
	{
		ID: "kubelet-processor-count", Of: Kubelet,
		From:  "1.20.0 < 1.21.0",
		Title: "kubelet counts no more than 64 logical processors",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/97378"},
	},
	{
		ID: "kubelet-post-start", Of: Kubelet,
		From:       "1.32.0 < 1.32.3",
		Title:      "Pods with a postStart sleep hook do not start",
		Breaks:     []string{"pod-start"},
		Shown:      sleepsForever,
		Reads:      []evidence.Need{evidence.CRI},
		Workaround: "Until the update, remove the postStart sleep hook from the pod template.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/129907",
			"https://github.com/kubernetes/kubernetes/pull/130496"},
	},
	{
		ID: "kubelet-status-after-restart", Of: Kubelet,
		From:   "1.32.0 < 1.32.3",
		Title:  "kubelet does not report the node status after its restart",
		Breaks: []string{"node-reports"},
		Shown:  statusNotReported,
		Reads:  []evidence.Need{evidence.Node, evidence.NodeLease, evidence.Processes},
		Warn:   true,
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/130356",
			"https://github.com/kubernetes/kubernetes/pull/130305"},
	},
	{
		ID: "kubelet-unmounts-running", Of: Kubelet,
		From:   "1.29.0 < 1.30.12, 1.31.0 < 1.31.8, 1.32.0 < 1.32.4",
		Title:  "A kubelet restart unmounts volumes of running pods",
		Breaks: []string{"running-containers"},
		// of a pod that it has accepted before, it says so after a restart only
		Signs: []checks.Sign{
			{Text: "error processing PVC", Also: []string{"PVC is being deleted"}},
		},
		OtherCauses: true, // a claim that is deleted while its pod comes to the node
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/130684",
			"https://github.com/kubernetes/kubernetes/pull/130685",
			"https://github.com/kubernetes/kubernetes/pull/130686"},
	},
	{
		// releases from 1.34.4 and 1.35.1 fail with binary data of a Secret only
		ID: "kubelet-dollar-in-variable", Of: Kubelet,
		From:   "1.34.0 < 1.34.9, 1.35.0 < 1.35.6, 1.36.0 < 1.36.2",
		Title:  "Pods with bytes in a variable that are not UTF-8 fail",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "grpc: error while marshaling: string field contains invalid UTF-8"},
		},
		Workaround: "Put text into the variable, without $ before a character that is not ASCII.",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/136490",
			"https://github.com/kubernetes/kubernetes/issues/139132",
			"https://github.com/kubernetes/kubernetes/pull/139192",
			"https://github.com/kubernetes/kubernetes/pull/139193",
			"https://github.com/kubernetes/kubernetes/pull/139194"},
	},
	{
		ID: "kubelet-republish-deletes-mount", Of: Kubelet,
		From:       "1.34.0 < 1.34.9, 1.35.0 < 1.35.6, 1.36.0 < 1.36.2",
		Title:      "kubelet deletes a CSI mount if republishing it fails",
		Breaks:     []string{"running-containers"},
		Shown:      republishFailed,
		Reads:      []evidence.Need{evidence.PodEvents},
		Workaround: "Until the update, delete the pod: its controller creates another one.",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/139228",
			"https://github.com/kubernetes/kubernetes/pull/139229",
			"https://github.com/kubernetes/kubernetes/pull/139230"},
	},
	{
		ID: "kubelet-mount-point-left", Of: Kubelet,
		From:   "1.20.0 < 1.29.0", // 1.19 asks first whether it is mounted
		Title:  "kubelet refuses volumes whose mount point is left over",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			// such links of the SMB drivers are smb-mapping-disconnected's
			{Text: "Cannot create a file when that file already exists",
				Also: []string{"attacher.MountDevice failed to create dir"},
				Not:  []string{"smb.csi.k8s.io", "file.csi.azure.com"}},
		},
		Workaround: "Until the update, remove the link that the error names with rmdir, which leaves its target alone.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/119401",
			"https://github.com/kubernetes/kubernetes/pull/119735"},
	},
	{
		ID: "kubelet-nested-sub-path", Of: Kubelet,
		From:       "1.18.0 < 1.23.0", // 1.22.17 does not have the fix
		Title:      "A subPath below a folder of a ConfigMap is not mounted",
		Runtime:    "containerd",
		Breaks:     []string{"pod-start"},
		State:      "mount-path-invalid",
		Shown:      aPod(nestedSubPath),
		Workaround: "Until the update, give the items of the volume paths without a folder, or mount the whole volume.",
		Links: []string{"https://github.com/kubernetes/kubernetes/issues/97802",
			"https://github.com/kubernetes/kubernetes/pull/97642"},
	},
	{
		ID: "kubelet-volume-metrics-missing", Of: Kubelet,
		From:  "1.34.0 < 1.34.2",
		Title: "kubelet reports no volume metrics",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/133905"},
	},
	{
		ID: "kubelet-sidecar-restart", Of: Kubelet,
		From:       "1.35.0 < 1.35.4",
		Title:      "Containers of a pod with a sidecar do not restart",
		Breaks:     []string{"running-containers"},
		Shown:      endedBesideSidecar,
		Reads:      []evidence.Need{evidence.Node},
		Workaround: "Until the update, delete the pod: its controller creates another one.",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/137146",
			"https://github.com/kubernetes/kubernetes/pull/137885"},
	},
	{
		ID: "kubelet-volume-detached-early", Of: Kubelet,
		From:  "1.29.0 < 1.29.13, 1.30.0 < 1.30.9, 1.31.0 < 1.31.5",
		Title: "Pods stay in Terminating: kubelet loses track of a mount",
		Links: []string{"https://github.com/kubernetes/kubernetes/pull/129062",
			"https://github.com/kubernetes/kubernetes/pull/129063",
			"https://github.com/kubernetes/kubernetes/pull/129064"},
	},
}

// endedContainer is what the host compute service says of a container that has ended.
const endedContainer = "hcsshim::OpenComputeSystem "
