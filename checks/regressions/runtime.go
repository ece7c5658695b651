package regressions

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// containerdRows hold the faults of hcsshim too: containerd contains it, and a node shows the
// version of containerd alone.
var containerdRows = []Row{
	{
		ID: "containerd-process-handle-leak", Of: Containerd,
		From:        "1.6.0 < 1.6.34, 1.7.0 < 1.7.19",
		Title:       "Each process start in a HostProcess pod leaks a handle",
		HostProcess: true,
		Warn:        true,
		Shown: shimHas("%s has %d handles", func(p evidence.Process) int64 { return int64(p.Handles) },
			manyHandles),
		Reads: []evidence.Need{evidence.Processes},
		Links: []string{"https://github.com/microsoft/hcsshim/pull/2187",
			"https://github.com/microsoft/hcsshim/pull/2188",
			"https://github.com/microsoft/hcsshim/commit/976716ed6"},
	},
	{
		ID: "containerd-exec-memory-leak", Of: Containerd,
		From:  "1.5.0 < 1.5.17, 1.6.0 < 1.6.13",
		Title: "Exec probes leak memory in the containerd shim",
		Warn:  true,
		Shown: shimHas("%s uses %d bytes of memory", func(p evidence.Process) int64 {
			return max(p.WorkingSetBytes, p.PrivateBytes)
		}, muchMemory),
		Reads:    []evidence.Need{evidence.Processes},
		Explains: []string{"containerd-shim-leak"},
		Links: []string{"https://github.com/microsoft/hcsshim/pull/1604",
			"https://github.com/microsoft/hcsshim/pull/1605",
			"https://github.com/microsoft/hcsshim/issues/1574"},
	},
	{
		ID: "containerd-layer-retry", Of: Containerd,
		From:   "1.4.0 < 1.4.10, 1.5.0 < 1.5.6",
		Title:  "Many pods at once fail to mount layers on Server 2019",
		Breaks: []string{"pod-start"},
		Build:  17763,
		Signs: []checks.Sign{
			{Text: "hcsshim::PrepareLayer", Also: []string{"The device is not ready"}},
		},
		OtherCauses: true, // so many containers that each attempt fails
		Links: []string{"https://github.com/microsoft/hcsshim/commit/01b99119b",
			"https://github.com/microsoft/hcsshim/issues/919"},
	},
	{
		ID: "containerd-shutdown-not-forced", Of: Containerd,
		From:  "1.6.0 < 1.6.10",
		Title: "Containers that do not shut down in time are not terminated",
		Signs: []checks.Sign{
			{Text: "failed to wait for container shutdown", Also: []string{"timeout waiting for notification"}},
		},
		OtherCauses: true, // it stays after the fix, which terminates the container then
		Links:       []string{"https://github.com/microsoft/hcsshim/commit/cae120b42"},
	},
	{
		ID: "containerd-no-grace-period", Of: Containerd,
		From:  "1.6.0 < 1.6.19",
		Title: "Server Core containers get no grace period when they stop",
		Links: []string{"https://github.com/microsoft/hcsshim/pull/1416",
			"https://github.com/microsoft/hcsshim/pull/1640"},
	},
	{
		ID: "containerd-stdio-after-restart", Of: Containerd,
		From:  "1.5.0 < 1.5.8",
		Title: "Containers lose their output when containerd restarts",
		Links: []string{"https://github.com/microsoft/hcsshim/commit/565a71c2d"},
	},
	{
		ID: "containerd-stats-all-fail", Of: Containerd,
		From:  "1.7.0 < 1.7.14",
		Title: "Statistics of all pods fail while one pod starts or stops",
		Signs: []checks.Sign{
			{Text: "failed to get pod sandbox stats since sandbox container", Also: []string{"is not in ready state"}},
			{Text: "failed to decode sandbox container metrics for sandbox"},
		},
		Warn:  true,
		Links: []string{"https://github.com/containerd/containerd/commit/f914edf4f"},
	},
	{
		ID: "containerd-host-process-folder", Of: Containerd,
		From:        "1.7.0 < 1.7.16",
		Title:       "HostProcess pods start in C:\\ and not in C:\\hpc",
		HostProcess: true,
		Shown:       aPod(startsInImage),
		Breaks:      []string{"pod-start", "running-containers"},
		Explains:    []string{"entrypoint-not-found"},
		Links: []string{"https://github.com/containerd/containerd/commit/c7ea06a69",
			"https://github.com/projectcalico/calico/issues/7337",
			"https://github.com/Azure/azure-container-networking/issues/2318"},
	},
	{
		ID: "containerd-removed-layers", Of: Containerd,
		From:  "1.4.0 < 1.6.0",
		Title: "containerd cannot clean up partly removed layers",
		Signs: []checks.Sign{
			{Text: "strconv.Atoi: parsing \"rm-"},
		},
		Warn:  true,
		Links: []string{"https://github.com/containerd/containerd/commit/ca35f4e82"},
	},
	{
		ID: "containerd-shim-logs-in-panic-log", Of: Containerd,
		From:  "1.4.0 < 1.6.7", // no release of 1.4 and 1.5 has the fix
		Title: "containerd panic.log grows with the logs of the shims",
		Shown: panicLogGrows,
		Reads: []evidence.Need{evidence.FileIndex},
		Warn:  true,
		Links: []string{"https://github.com/containerd/containerd/commit/ee0f2e906",
			"https://github.com/containerd/containerd/issues/6990"},
	},
	{
		ID: "containerd-image-volumes", Of: Containerd,
		From:   "1.4.0 < 1.6.0",
		Title:  "Containers of images with VOLUME do not start",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "failed to generate spec: failed to stat", Also: []string{"io.containerd.grpc.v1.cri", "volumes"}},
		},
		Links: []string{"https://github.com/containerd/containerd/commit/791e175c7"},
	},
	{
		ID: "containerd-host-process-stats", Of: Containerd,
		From:        "1.6.5 < 1.6.7",
		Title:       "containerd reads no statistics of HostProcess containers",
		HostProcess: true,
		Signs: []checks.Sign{
			{Text: "failed to query for job containers storage information"},
		},
		Links: []string{"https://github.com/containerd/containerd/pull/7200",
			"https://github.com/microsoft/hcsshim/commit/52a4ea998"},
	},
	{
		ID: "containerd-drive-mounts", Of: Containerd,
		From:       "1.5.0 < 1.6.5",
		Title:      "Volumes at a drive letter are not mounted as drives",
		Breaks:     []string{"pod-start"},
		State:      "mount-path-invalid",
		Shown:      aPod(mountsDrive),
		Workaround: "Until the update, mount the volume at a folder.",
		Links: []string{"https://github.com/containerd/containerd/pull/6929",
			"https://github.com/containerd/containerd/issues/6589"},
	},
	{
		ID: "containerd-nil-pointer", Of: Containerd,
		From:   "1.6.0 < 1.6.11",
		Title:  "containerd panics (nil pointer) with Windows containers",
		Breaks: []string{"container-runtime"},
		Signs: []checks.Sign{
			{Text: "server.copyResourcesToStatus("},
		},
		Explains: []string{"component-panic"},
		Links:    []string{"https://github.com/containerd/containerd/pull/7737"},
	},
	{
		ID: "containerd-args-escaped", Of: Containerd,
		From:       "1.6.0 < 1.6.21",
		Title:      "containerd escapes commands of Docker-built images twice",
		Breaks:     []string{"running-containers"},
		State:      "entrypoint-not-found",
		Shown:      aPod(runsImageCommand),
		Workaround: "Until the update, set the command of the image in the pod template.",
		Links: []string{"https://github.com/containerd/containerd/pull/8247",
			"https://github.com/containerd/containerd/commit/8b81d5acc"},
	},
	{
		ID: "containerd-no-os-version", Of: Containerd,
		From:   "1.6.0 < 1.6.18",
		Title:  "containerd refuses images without an OS version",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/containerd/containerd/commit/b327af6a4"},
	},
	{
		ID: "containerd-2025-runs-2022", Of: Containerd,
		From:   "1.6.0 < 1.6.23, 1.7.0 < 1.7.6",
		Title:  "containerd refuses images of Server 2022 on Server 2025",
		Breaks: []string{"pod-start"},
		Build:  26100,
		Signs: []checks.Sign{
			{Text: "no match for platform in manifest", Also: []string{"ltsc2022"}},
		},
		Explains:    []string{"app-image-os-version-mismatch"},
		OtherCauses: true, // an image of another architecture
		Links: []string{"https://github.com/containerd/containerd/pull/8854",
			"https://github.com/containerd/containerd/pull/9069"},
	},
	{
		ID: "containerd-gc-stops", Of: Containerd,
		From:  "1.7.0 < 1.7.11",
		Title: "One layer that cannot be removed stops garbage collection",
		Signs: []checks.Sign{
			{Text: "snapshot garbage collection failed", Also: []string{"snapshotter=windows"}},
		},
		Explains: []string{"disk-pressure-snapshot-leak"},
		Warn:     true, OtherCauses: true, // other releases say so of a damaged database
		Links: []string{"https://github.com/containerd/containerd/pull/9482"},
	},
	{
		ID: "containerd-stopped-stats", Of: Containerd,
		From:  "1.7.0 < 1.7.3",
		Title: "containerd requests statistics of stopped containers",
		Signs: []checks.Sign{
			{Text: "failed to find metrics for container with id"},
		},
		OtherCauses: true, // a container that ends while it is asked for
		Links:       []string{"https://github.com/containerd/containerd/pull/8654"},
	},
	{
		ID: "containerd-volume-links", Of: Containerd,
		From:   "1.4.0 < 1.4.7, 1.5.0 < 1.5.3",
		Title:  "containerd fails to resolve links in volume paths",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "failed to resolve symlink", Also: []string{"The system cannot find the path specified"},
				Not: []string{`pipe\`}},
		},
		Explains:    []string{"mount-path-invalid"},
		OtherCauses: true, // a link to nowhere
		Links: []string{"https://github.com/containerd/containerd/commit/cba7b44b6",
			"https://github.com/containerd/containerd/issues/5405",
			"https://github.com/kubernetes/kubernetes/issues/99342"},
	},
	{
		ID: "containerd-delete-stops-pod", Of: Containerd,
		From:   "1.5.0 < 1.5.3",
		Title:  "One container that ends can stop its whole pod",
		Breaks: []string{"running-containers"},
		Signs: []checks.Sign{
			{Text: "failed to get sandbox container task: no running task found"},
		},
		OtherCauses: true,
		Links:       []string{"https://github.com/microsoft/hcsshim/commit/c2840dd62"},
	},
	{
		ID: "containerd-stdin-not-closed", Of: Containerd,
		From:  "1.7.6 < 1.7.7",
		Title: "containerd does not close the input of processes",
		Links: []string{"https://github.com/microsoft/hcsshim/pull/1899",
			"https://github.com/containerd/containerd/commit/5756f6064"},
	},
	{
		// its shim is hcsshim 0.14.0-rc.1, which parses an option that the default configuration leaves empty
		ID: "containerd-hyperv-platform", Of: Containerd,
		From:   "2.2.0 < 2.2.3",
		Title:  "containerd refuses pods with Hyper-V isolation",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "invalid runtime sandbox platform"},
		},
		Workaround: "Until the update, set SandboxPlatform = \"windows/amd64\" in the options of runhcs-wcow-hypervisor in containerd's config.toml, and restart containerd.",
		Links: []string{"https://github.com/microsoft/hcsshim/issues/2619",
			"https://github.com/microsoft/hcsshim/pull/2620"},
	},
	{
		// its shim is hcsshim 0.15.0-rc.1, which sends the guest a field of HCS schema 2.9
		ID: "containerd-hyperv-filter-type", Of: Containerd,
		From:   "2.3.0 < 2.3.3",
		Title:  "Hyper-V isolated images of Server 2022 and older fail",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "guest RPC failure: The virtual machine or container JSON document is invalid",
				Also: []string{"failed to mount container storage"}},
		},
		Links: []string{"https://github.com/containerd/containerd/issues/13254",
			"https://github.com/microsoft/hcsshim/issues/2714",
			"https://github.com/microsoft/hcsshim/pull/2739"},
	},
	{
		ID: "containerd-temp-ignored", Of: Containerd,
		From:  "2.3.0 < 2.3.3",
		Title: "containerd ignores temp and unpacks on the system drive",
		Shown: tempOnDrive,
		Reads: slices.Concat(node.RuntimeConfigs, node.NeedBuild.Sources),
		Warn:  true,
		Links: []string{"https://github.com/containerd/containerd/commit/26dce170d"},
	},
}

// dockerRows are of Docker Engine, which is moby.
var dockerRows = []Row{
	{
		ID: "docker-restore-panic", Of: Docker,
		From:   "28.0.0 < 28.0.2",
		Title:  "dockerd panics when it restores older containers",
		Breaks: []string{"container-runtime"},
		Signs: []checks.Sign{
			{Text: "client.(*Client).ContentStore("},
		},
		Links: []string{"https://github.com/moby/moby/commit/26fea35942"},
	},
	{
		ID: "docker-network-not-found", Of: Docker,
		From:  "23.0.0 < 27.5.0",
		Title: "dockerd cannot delete networks that HNS no longer has",
		Signs: []checks.Sign{
			{Text: "error while removing network", Or: []string{"Error occurred when removing network"},
				Also: []string{"The object identifier does not represent a valid object"}},
		},
		Warn:  true,
		Links: []string{"https://github.com/moby/moby/commit/5b31a5b370"},
	},
	{
		ID: "docker-log-rotation", Of: Docker,
		From:  "19.3.0 < 20.10.0",
		Title: "dockerd cannot rotate a log that somebody follows",
		Signs: []checks.Sign{
			{Text: "Failed to log msg", Also: []string{"error closing file", "file already closed"}},
		},
		Warn:       true,
		Workaround: "Until the update, recreate the pods whose logs have stopped.",
		Links: []string{"https://github.com/moby/moby/commit/b102d4637c",
			"https://github.com/moby/moby/issues/39274",
			"https://github.com/moby/moby/pull/40921",
			"https://github.com/Azure/aks-engine/issues/3573"},
	},
	{
		ID: "docker-exec-left-running", Of: Docker,
		From:  "23.0.0 < 24.0.7",
		Title: "Processes of failed execs keep running",
		Signs: []checks.Sign{
			{Text: "failed to get stdio pipes", Also: []string{" exec="}},
		},
		Warn: true, OtherCauses: true, // it stays after the fix, which ends the process then
		Links: []string{"https://github.com/moby/moby/commit/7e198a01ec"},
	},
	{
		ID: "docker-no-network-panic", Of: Docker,
		From:   "29.0.0 < 29.1.4",
		Title:  "dockerd panics with containers without a network",
		Breaks: []string{"container-runtime"},
		Signs: []checks.Sign{
			{Text: "libnetwork.findHNSEp("},
		},
		Links: []string{"https://github.com/moby/moby/commit/3eca177282"},
	},
	{
		ID: "docker-temp-ignored", Of: Docker,
		From:  "29.0.0 < 29.4.0",
		Title: "dockerd unpacks layers in the SystemTemp of Windows",
		Shown: dataOnDrive,
		Reads: append([]evidence.Need{evidence.File(daemonJSON)}, node.NeedBuild.Sources...),
		Warn:  true,
		Links: []string{"https://github.com/moby/moby/commit/b5bc84bec3",
			"https://github.com/moby/moby/issues/48093"},
	},
}
