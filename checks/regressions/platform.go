package regressions

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// windowsRows are of builds that no check of their own covers. Windows Server 2019 is not in the
// first: its update has the fix turned off.
var windowsRows = []Row{
	{
		ID: "windows-hns-crash", Of: Windows,
		From:       "20348.1 < 20348.1194",
		Title:      "Host Network Service crashes and pods lose traffic",
		Breaks:     []string{"pod-traffic"},
		State:      "hns-service-crashed-or-restarted",
		Shown:      crashed,
		Workaround: "Until the update, restart kube-proxy when its rules in HNS are lost.",
		Links: []string{"https://github.com/microsoft/Windows-Containers/issues/278",
			"https://support.microsoft.com/help/5018485",
			"https://github.com/Azure/AgentBaker/pull/2380"},
	},
	{
		// the update of 8 September 2020
		ID: "windows-2004-hns-crash", Of: Windows,
		From:   "19041.1 < 19041.508",
		Title:  "Host Network Service of version 2004 crashes",
		Breaks: []string{"pod-traffic"},
		State:  "hns-service-crashed-or-restarted",
		Shown:  crashed,
		Links: []string{"https://github.com/microsoft/Windows-Containers/issues/18",
			"https://support.microsoft.com/help/4571756"},
	},
	{
		// the update of the third week of September 2020
		ID: "windows-2019-single-files", Of: Windows,
		From:   "17763.1 < 17763.1490",
		Title:  "Pods do not start: Windows cannot mount single files",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "The directory name is invalid", Also: []string{"failed to create containerd task"}},
		},
		Explains:    []string{"mount-path-invalid"},
		OtherCauses: true, // the source of a mount that is no folder
		Links: []string{"https://github.com/microsoft/Windows-Containers/issues/31",
			"https://github.com/rancher/rke2/issues/2203",
			"https://github.com/containerd/containerd/issues/10347"},
	},
	{
		// of 11 October 2022; the updates out of band are of a week later
		ID: "windows-october-2022-tls", Of: Windows,
		From:  "17763.3532 < 17763.3534, 20348.1129 < 20348.1131",
		Title: "TLS handshakes fail with SEC_E_ILLEGAL_MESSAGE",
		Signs: []checks.Sign{
			{Text: "SEC_E_ILLEGAL_MESSAGE", Or: []string{"0x80090326", "-2146893018",
				"The message received was unexpected or badly formatted"}},
		},
		Warn: true, OtherCauses: true, // a server that refuses the handshake
		Workaround: "Rebuild images whose base has the same build: a container has a Schannel of its own.",
		Links: []string{"https://github.com/Azure/AKS/issues/3278",
			"https://support.microsoft.com/help/5020436",
			"https://support.microsoft.com/help/5020438"},
	},
	{
		ID: "windows-20h2-full-pipe-names", Of: Windows,
		From:   "19042.1 < 19042.1237",
		Title:  "Programs cannot open the full names of named pipes",
		Breaks: []string{"runtime-pipe"},
		Signs: []checks.Sign{
			{Text: "open npipe:////./pipe/", Also: []string{"syntax is incorrect"}},
		},
		OtherCauses: true, // a program that does not take the form with npipe:
		Links: []string{"https://github.com/microsoft/Windows-Containers/issues/141",
			"https://github.com/rancher/windows/issues/72",
			"https://github.com/rancher/rke2/issues/1454"},
	},
	{
		ID: "windows-2025-images-of-may", Of: Windows,
		From:   "26100.1 < 26100.4061",
		Title:  "Images of May 2025 or later do not start on an older host",
		Breaks: []string{"pod-start"},
		State:  "compute-system-unexpected-exit",
		Shown:  aPod(newestOf2025),
		Links: []string{"https://github.com/microsoft/Windows-Containers/issues/591",
			"https://github.com/actions/runner-images/issues/11582",
			"https://support.microsoft.com/help/5058411"},
	},
	{
		// the update of October 2025; what fails is not published
		ID: "windows-2025-overlay", Of: Windows,
		From:     "26100.1 < 26100.6899",
		Title:    "Overlay networks of Windows Server 2025 lose pod traffic",
		Breaks:   []string{"pod-traffic"},
		Backend:  node.OverlayNet,
		Shown:    overlaySilent,
		Reads:    slices.Concat([]evidence.Need{evidence.ReachProbes}, node.ClusterSources),
		Warn:     true,
		Explains: []string{"vxlan-4789-conflict"},
		Links: []string{"https://github.com/rancher/rancher/issues/50915",
			"https://support.microsoft.com/help/5066835"},
	},
}

// rke2Starts is what RKE2 logs first. It starts all programs that its last run has ended.
var rke2Starts = []string{"Starting rke2 agent"}

// rke2Rows are from the release notes of RKE2 and the issues of wins.
var rke2Rows = []Row{
	{
		ID: "rke2-bootstraps-again", Of: RKE2,
		From:   "1.23.0 < 1.26.13, 1.27.0 < 1.27.10, 1.28.0 < 1.28.6, 1.29.0 < 1.29.1",
		Title:  "RKE2 unpacks its Windows image at each start",
		Breaks: []string{"container-runtime"},
		Signs: []checks.Sign{
			{Text: "failed to extract runtime image",
				Also: []string{"being used by another process"}},
		},
		Links: []string{"https://github.com/rancher/rke2/issues/5138",
			"https://github.com/rancher/rancher/issues/42781",
			"https://github.com/rancher/rke2/issues/5182",
			"https://github.com/rancher/rke2/pull/5159",
			"https://github.com/rancher/rke2/pull/5185"},
	},
	{
		ID: "wins-version-is-commit", Of: Wins,
		From:   "0.4.5 < 0.4.6",
		Title:  "wins reports a commit where its version is expected",
		Breaks: []string{"pod-start", "running-containers"},
		Signs: []checks.Sign{
			// the first letter is cut off, where it is a v otherwise
			{Text: `Cannot convert value "799597-dirty" to type "System.Version"`},
		},
		Links: []string{"https://github.com/rancher/wins/issues/139",
			"https://github.com/rancher/wins/pull/140",
			"https://github.com/rancher/rancher/issues/38650"},
	},
	{
		ID: "rke2-hns-delete-race", Of: RKE2,
		From:   "1.26.0 < 1.26.14, 1.27.0 < 1.27.11, 1.28.0 < 1.28.7, 1.29.0 < 1.29.2",
		Title:  "RKE2 does not wait until HNS has removed old networks",
		Breaks: []string{"network-creation"},
		Shown:  addressCameBack,
		Reads:  []evidence.Need{evidence.WindowsEvents, evidence.Adapters, evidence.HNSNetworks},
		Links: []string{"https://github.com/rancher/rke2/issues/5335",
			"https://github.com/rancher/rke2/pull/5336",
			"https://github.com/rancher/rke2/pull/5385"},
	},
	{
		ID: "rke2-path-not-set", Of: RKE2,
		From:  "1.27.0 < 1.27.13, 1.28.0 < 1.28.9, 1.29.0 < 1.29.4",
		Title: "RKE2 sets a wrong PATH for its child processes",
		Signs: []checks.Sign{
			{Text: "containerd: exec: ", Or: []string{"containerd exited: exec: "}, Also: []string{"executable file not found in %PATH%"}},
		},
		Explains:    []string{"rke2-programs-not-in-path"},
		OtherCauses: true, // a PATH that nobody set, which the installation leaves to the administrator
		Workaround:  "Until the update, add C:\\var\\lib\\rancher\\rke2\\bin and C:\\usr\\local\\bin to the PATH of the machine.",
		Links: []string{"https://github.com/rancher/rke2/issues/2300",
			"https://github.com/rancher/rke2/pull/5698",
			"https://github.com/rancher/rke2/pull/5729"},
	},
	{
		ID: "rke2-hns-cleaned-at-restart", Of: RKE2,
		From:       "1.25.5 < 1.27.16+rke2r2, 1.28.0 < 1.28.13, 1.29.0 < 1.29.8, 1.30.0 < 1.30.4",
		Title:      "RKE2 removes the pod network each time it restarts",
		Breaks:     []string{"pod-traffic"},
		State:      "pod-address-mismatch",
		Findings:   []string{"pod %s has the address %s, but HNS has no endpoint with it"},
		Shown:      rke2StartedSince,
		Alone:      true,
		Reads:      []evidence.Need{evidence.PodEvents},
		Workaround: "Delete the pods that lost their network. Until the update, do not restart the service rke2 while pods run.",
		Links: []string{"https://github.com/rancher/rke2/issues/5551",
			"https://github.com/rancher/rke2/pull/6437",
			"https://github.com/rancher/rke2/pull/6541"},
	},
	{
		ID: "rke2-profile-on-windows", Of: RKE2,
		From:   "1.21.0 < 1.23.15, 1.24.0 < 1.24.9, 1.25.0 < 1.25.5",
		Title:  "RKE2 agent with a CIS profile exits on Windows",
		Breaks: []string{"kubelet-start", "container-runtime"},
		Signs: []checks.Sign{
			// each kubelet of 1.27 says at its start that it does not find osrelease: pkg/kubelet/sysctl
			{Text: "open /proc/sys/", Also: []string{"The system cannot find the path specified"}, Not: []string{"osrelease"}},
		},
		Workaround: "Until the update, remove profile from config.yaml of the Windows agent.",
		Links: []string{"https://github.com/rancher/rke2/issues/3566",
			"https://github.com/rancher/rke2/commit/341d57058"},
	},
	{
		// k3s-io/k3s pull requests 5361, 5362 and 5365, which each of these releases takes in at its end
		ID: "rke2-containerd-address", Of: RKE2,
		From:   "1.21.0 < 1.21.11, 1.22.0 < 1.22.8, 1.23.0 < 1.23.5",
		Title:  "RKE2 cannot open the pipe of containerd",
		Breaks: []string{"kubelet-start"},
		Signs: []checks.Sign{
			// a path that Windows does not have: \\.\pipe\containerd-containerd is the one of the pipe
			{Text: "open npipe:////./pipe/containerd-containerd", Not: []string{"ctr: "}},
		},
		Links: []string{"https://github.com/rancher/rke2/issues/2161",
			"https://github.com/rancher/windows/issues/72",
			"https://github.com/k3s-io/k3s/pull/5361",
			"https://github.com/k3s-io/k3s/pull/5365"},
	},
	{
		ID: "rke2-cni-none", Of: RKE2,
		From:   "1.28.0 < 1.28.15, 1.29.0 < 1.29.10, 1.30.0 < 1.30.6, 1.31.0 < 1.31.2",
		Title:  "RKE2 ends with a panic if cni is none",
		Breaks: []string{"kubelet-start"},
		// it says so, and then sets up the plugin that it does not have
		Signs: []checks.Sign{
			{Text: "Skipping CNI setup"},
		},
		Explains:    []string{"component-panic"},
		OtherCauses: true, // releases with the fix do skip it
		Links: []string{"https://github.com/rancher/rke2/issues/6819",
			"https://github.com/rancher/rke2/pull/6831",
			"https://github.com/rancher/rke2/pull/6834"},
	},
	{
		ID: "rke2-calico-interrupts-start", Of: RKE2,
		From:   "1.31.0 < 1.31.14, 1.32.0 < 1.32.10, 1.33.0 < 1.33.6, 1.34.0 < 1.34.2",
		Title:  "Calico interrupts the download of RKE2 files at its start",
		Breaks: []string{"container-runtime"},
		// A later start takes the files for complete, so only another extraction ends it.
		Signs: []checks.Sign{
			{Text: "failed to extract runtime image", Also: []string{"wsarecv: An established connection was aborted"},
				Until: []string{"Extracting file bin"}},
			{Text: "failed to extract runtime image", Also: []string{"wsarecv: An existing connection was forcibly closed"},
				Until: []string{"Extracting file bin"}},
		},
		Explains:    []string{"rke2-calico-race"},
		OtherCauses: true, // a registry that breaks the connection
		Links: []string{"https://github.com/rancher/rke2/pull/9279",
			"https://github.com/rancher/rke2/pull/9282"},
	},
	{
		ID: "rke2-network-not-restarted", Of: RKE2,
		From:   "1.26.0 < 1.32.11, 1.33.0 < 1.33.7, 1.34.0 < 1.34.3",
		Title:  "RKE2 does not restart Felix and confd",
		Breaks: []string{"pod-traffic"},
		Warn:   true, OtherCauses: true, // what made it exit is the cause
		// releases with the fix add that they restart it
		Signs: []checks.Sign{
			{Text: "Felix exited", Not: []string{"restarting"}, Until: rke2Starts},
			{Text: "Confd exited", Not: []string{"restarting"}, Until: rke2Starts},
		},
		Workaround: "Until the update, restart the service rke2 when one of them has exited.",
		Links: []string{"https://github.com/rancher/rke2/issues/9324",
			"https://github.com/rancher/rke2/commit/15e4c318a"},
	},
	{
		ID: "rke2-cloud-config-flag", Of: RKE2,
		From:   "1.34.0 < 1.34.4, 1.35.0 < 1.35.1",
		Title:  "RKE2 passes --cloud-config, which the kubelet does not know",
		Breaks: []string{"kubelet-start"},
		Signs: []checks.Sign{
			{Text: "unknown flag: --cloud-config"},
		},
		Explains: []string{"kubelet-removed-flag"},
		Links: []string{"https://github.com/rancher/rke2/issues/9591",
			"https://github.com/rancher/rke2/pull/9673",
			"https://github.com/rancher/rke2/pull/9674"},
	},
	{
		ID: "rke2-folder-order", Of: RKE2,
		From:  "1.32.11+rke2r1 < 1.32.11+rke2r3, 1.33.7+rke2r1 < 1.33.7+rke2r3, 1.34.3+rke2r1 < 1.34.3+rke2r3, 1.35.0+rke2r1 < 1.35.0+rke2r3",
		Title: "RKE2 creates its folders in the wrong order",
		// a start that was interrupted leaves the folders that the next one takes for complete
		Signs: []checks.Sign{
			{Text: "containerd: exec: ", Or: []string{"containerd exited: exec: "},
				Also: []string{"executable file not found in %PATH%"}, Until: rke2Starts},
		},
		Explains:    []string{"rke2-programs-not-in-path"},
		OtherCauses: true, // which says what is known without a version
		Workaround:  "Until the update, stop rke2, delete C:\\var\\lib\\rancher\\rke2\\data and start rke2: it unpacks its files again.",
		Links: []string{"https://github.com/rancher/rke2/pull/9525",
			"https://github.com/rancher/rke2/pull/9528"},
	},
	{
		ID: "rke2-calico-token", Of: RKE2,
		From:   "1.24.0 < 1.24.1",
		Title:  "RKE2 Calico has no token: Kubernetes 1.24 creates no Secret",
		Breaks: []string{"network-creation"}, Explains: []string{"rke2-calico-token-missing"},
		Signs: []checks.Sign{
			{Text: "could not retrieve calico node token from the cluster"},
		},
		OtherCauses: true, // a Calico without a service account of that name
		Links: []string{"https://github.com/rancher/rke2/pull/2940",
			"https://github.com/rancher/rancher/issues/37745"},
	},
}

// openShiftRows are of the operator that sets up the Windows nodes of OpenShift.
var openShiftRows = []Row{
	{
		ID: "wmco-cni-config-rewritten", Of: WMCO,
		From:  "7.0.0 < 7.2.1, 8.0.0 < 8.1.2, 9.0.0 < 9.0.1",
		Title: "WMCO rewrites the CNI configuration again and again",
		Shown: configRewritten,
		Reads: []evidence.Need{evidence.FileIndex, evidence.File(wmcoCNIConfig), evidence.Processes},
		Warn:  true,
		Links: []string{"https://github.com/openshift/windows-machine-config-operator/commit/5135284ad",
			"https://github.com/openshift/windows-machine-config-operator/commit/f74a819c3"},
	},
	{
		ID: "wmco-services-panic", Of: WMCO,
		From:  "10.18.0 < 10.18.2, 10.19.0 < 10.19.1",
		Title: "WMCO panics when it replaces the list of services",
		Signs: []checks.Sign{
			{Text: "(*ConfigMapReconciler).reconcileServices("},
		},
		Links: []string{"https://github.com/openshift/windows-machine-config-operator/commit/dad7083ed"},
	},
	{
		ID: "wmco-ssh-leak", Of: WMCO,
		From:  "10.19.0 < 10.19.1",
		Title: "WMCO leaves SSH connections to the node open",
		Shown: manySSH,
		Reads: []evidence.Need{evidence.Processes},
		Warn:  true,
		Links: []string{"https://github.com/openshift/windows-machine-config-operator/commit/7e2a08a21"},
	},
	{
		ID: "wmco-reboots-again", Of: WMCO,
		From:   "10.22.0 < 10.22.1",
		Title:  "WMCO reboots the node again and again",
		Breaks: []string{"node-ready"},
		Signs: []checks.Sign{
			{Text: "error rebooting the Windows VM", Also: []string{"command exited without exit status or exit signal"}},
		},
		Links: []string{"https://github.com/openshift/windows-machine-config-operator/commit/a8f3c2a42"},
	},
	{
		ID: "wmco-overlay-ca", Of: WMCO,
		From:   "10.18.0 < 10.18.2, 10.19.0 < 10.19.1",
		Title:  "Hybrid overlay does not trust the CA of the API server",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "x509: certificate signed by unknown authority", In: []string{"hybrid-overlay"}},
		},
		OtherCauses: true, // a CA that nobody has announced to the cluster
		Links: []string{"https://github.com/openshift/windows-machine-config-operator/commit/47fe4813e",
			"https://github.com/openshift/windows-machine-config-operator/commit/5af9ef3e2"},
	},
	{
		ID: "wmco-reverse-lookup", Of: WMCO,
		From:   "9.0.0 < 9.0.3, 10.15.0 < 10.15.3",
		Title:  "WMCO approves no CSR while reverse DNS lookups fail",
		Breaks: []string{"node-ready"},
		Signs: []checks.Sign{
			// without the lookup, the instance is not configured at all
			{Text: "unable to map node name to the addresses of Windows instances", Also: []string{"failed to lookup DNS for IP"}},
		},
		Links: []string{"https://github.com/openshift/windows-machine-config-operator/commit/c649b9906"},
	},
	{
		ID: "wmco-mirror-path", Of: WMCO,
		From:   "10.16.0 < 10.16.2, 10.17.0 < 10.17.1, 10.18.0 < 10.18.1",
		Title:  "WMCO configures registry mirrors with a wrong path",
		Breaks: []string{"pod-start"},
		Shown:  pathBeforeVersion,
		Reads:  []evidence.Need{evidence.PodEvents},
		Links:  []string{"https://github.com/openshift/windows-machine-config-operator/commit/799d644b3"},
	},
	{
		ID: "wmco-never-contact-source", Of: WMCO,
		From:  "10.15.0 < 10.16.0",
		Title: "containerd contacts the source despite NeverContactSource",
		Links: []string{"https://github.com/openshift/windows-machine-config-operator/commit/de732f721"},
	},
}
