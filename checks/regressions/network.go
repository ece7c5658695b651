package regressions

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// calicoRows are by the first release that holds a fix, as the tags of the repository show it.
var calicoRows = []Row{
	{
		ID: "calico-stale-endpoints", Of: Calico,
		From:   "3.28.1 < 3.28.2",
		Title:  "Felix applies policies to the wrong HNS endpoints",
		Breaks: []string{"pod-traffic"},
		Links: []string{"https://github.com/projectcalico/calico/pull/8913",
			"https://github.com/projectcalico/calico/commit/09edfdc8cc"},
	},
	{
		ID: "calico-node-service-flag", Of: Calico,
		From:     "3.27.0 < 3.27.5, 3.28.0 < 3.28.1",
		Title:    "CalicoNode service uses a flag that calico-node removed",
		Explains: []string{"calico-service-hostprocess-only"},
		Signs: []checks.Sign{
			{Text: "flag provided but not defined: -should-install-windows-upgrade"},
		},
		Warn: true, OtherCauses: true,
		Links: []string{"https://github.com/projectcalico/calico/commit/4821bf2338",
			"https://github.com/projectcalico/calico/pull/7857"},
	},
	{
		ID: "calico-confd-host-process", Of: Calico,
		From:        "3.27.0 < 3.27.1",
		Title:       "confd does not find its files in a HostProcess pod",
		Breaks:      []string{"pod-traffic"},
		HostProcess: true,
		Signs: []checks.Sign{
			{Text: "Cannot load template resources: confdir"},
			{Text: "Found no templates", Also: []string{"confd/"}},
		},
		OtherCauses: true, // a confd that was configured by hand
		Links:       []string{"https://github.com/projectcalico/calico/commit/b7e59e0caa"},
	},
	{
		ID: "calico-confd-bgp-watcher", Of: Calico,
		From:   "3.30.0 < 3.30.3",
		Title:  "confd fails: endpoint status files do not exist on Windows",
		Breaks: []string{"pod-traffic"},
		Signs: []checks.Sign{
			{Text: "Failed to create local BGP peer watcher"},
			{Text: "confd/status_file_watcher.go", Also: []string{"endpoint-status", "The system cannot find the"}},
		},
		Explains:    []string{"calico-confd-status-folder-missing"},
		OtherCauses: true, // which says what is known without a version
		Workaround:  "Until the update, create C:\\var\\run\\calico\\endpoint-status and restart confd.",
		Links:       []string{"https://github.com/projectcalico/calico/pull/10691"},
	},
	{
		ID: "calico-policy-updates", Of: Calico,
		From:   "3.30.0 < 3.31.0",
		Title:  "Felix updates HNS policies of endpoints without need",
		Breaks: []string{"pod-traffic"},
		Links:  []string{"https://github.com/projectcalico/calico/pull/10437"},
	},
	{
		ID: "calico-no-path", Of: Calico,
		From:   "3.30.0 < 3.30.6, 3.31.0 < 3.31.3",
		Title:  "calico-node finds no Windows programs: its PATH is empty",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "The term 'hostname' is not recognized"},
		},
		Links: []string{"https://github.com/projectcalico/calico/issues/11109",
			"https://github.com/projectcalico/calico/pull/11490",
			"https://github.com/projectcalico/calico/pull/11491"},
	},
	{
		ID: "calico-network-unavailable-kept", Of: Calico,
		From:  "3.16.0 < 3.29.0", // before, it was for Linux only
		Title: "calico-node tries only at its start to clear NetworkUnavailable",
		Signs: []checks.Sign{
			// of a name or a right that is wrong it would fail again
			{Text: "Unable to set NetworkUnavailable to False", Not: []string{"not found", "forbidden", "Unauthorized"}},
		},
		Shown:      networkUnavailable,
		Both:       true,
		Reads:      []evidence.Need{evidence.Node},
		Workaround: "Until the update, restart calico-node when the API server answers: it clears the condition NetworkUnavailable when it starts.",
		Links: []string{"https://github.com/projectcalico/calico/issues/8651",
			"https://github.com/projectcalico/calico/pull/8673"},
	},
}

// flannelRows are of flanneld on Windows.
var flannelRows = []Row{
	{
		ID: "flannel-br-netfilter", Of: Flannel,
		From:   "0.26.0 < 0.26.1",
		Title:  "flanneld exits: it looks for a kernel module of Linux",
		Breaks: []string{"flanneld"},
		Signs: []checks.Sign{
			{Text: "Failed to check br_netfilter"},
		},
		Links: []string{"https://github.com/flannel-io/flannel/commit/e787d56a",
			"https://github.com/flannel-io/flannel/commit/6242bc8f"},
	},
	{
		ID: "flannel-attach-retries", Of: Flannel,
		From:   "0.25.3 < 0.25.5",
		Title:  "flanneld does not notice its attached gateway endpoint",
		Breaks: []string{"flanneld"},
		Signs: []checks.Sign{
			// it tries again after its success, which HNS refuses
			{Text: "failed to hot attach bridge HNSEndpoint", Also: []string{"already attached to the switch"}},
		},
		Backend: node.L2Bridge,
		Links: []string{"https://github.com/flannel-io/flannel/commit/bb693a3d",
			"https://github.com/flannel-io/flannel/commit/49ce9839"},
	},
	{
		ID: "flannel-gateway-exists", Of: Flannel,
		From:   "0.11.0 < 0.14.0",
		Title:  "flanneld does not start again: its gateway endpoint exists",
		Breaks: []string{"flanneld"},
		Signs: []checks.Sign{
			{Text: "failed to hot attach bridge HNSEndpoint", Also: []string{"already attached to the switch"}},
		},
		Backend: node.L2Bridge,
		Links: []string{"https://github.com/flannel-io/flannel/issues/1391",
			"https://github.com/flannel-io/flannel/commit/a85e1279"},
	},
	{
		ID: "flannel-empty-vtep-mac", Of: Flannel,
		From:    "0.11.0 < 0.13.0",
		Title:   "flannel with etcd announces no VTEP MAC after it renews its lease",
		Breaks:  []string{"pod-traffic"},
		Backend: node.OverlayNet,
		Links:   []string{"https://github.com/flannel-io/flannel/commit/42c1cc9c"},
	},
	{
		ID: "flannel-nil-pointer", Of: Flannel,
		From:   "0.13.0 < 0.14.0",
		Title:  "flanneld panics (nil pointer)",
		Breaks: []string{"flanneld"},
		Signs: []checks.Sign{
			{Text: "hostgw.(*HostgwBackend).RegisterNetwork.func", Or: []string{"vxlan.ensureNetwork.func"}},
		},
		Links: []string{"https://github.com/flannel-io/flannel/commit/bb5eed1a"},
	},
	{
		ID: "flannel-interface-timeout", Of: Flannel,
		From:    "0.24.1 < 0.24.2",
		Title:   "flanneld does not wait long enough for its interface",
		Breaks:  []string{"flanneld"},
		Backend: node.OverlayNet,
		Signs: []checks.Sign{
			{Text: "timeout, failed to get net interface for HostComputeNetwork"},
		},
		OtherCauses: true, // an interface that does not come at all
		Links: []string{"https://github.com/flannel-io/flannel/commit/16c08192",
			"https://github.com/flannel-io/flannel/pull/1865"},
	},
	{
		ID: "flannel-interface-poll", Of: Flannel,
		From:    "0.25.3 < 0.25.4",
		Title:   "flanneld does not wait correctly for its interface",
		Breaks:  []string{"flanneld"},
		Backend: node.OverlayNet,
		Signs: []checks.Sign{
			{Text: "timeout, failed to get net interface for HostComputeNetwork"},
		},
		OtherCauses: true, // an interface that does not come at all
		Links:       []string{"https://github.com/flannel-io/flannel/pull/2013"},
	},
	{
		ID: "flannel-large-cluster-deadlock", Of: Flannel,
		From:   "0.27.0 < 0.27.1",
		Title:  "flanneld blocks at its start in clusters of 5000 nodes",
		Breaks: []string{"flanneld"},
		Signs:  []checks.Sign{{Text: "error waiting for nodeController to sync state: context deadline exceeded"}},
		// an API server that does not answer
		OtherCauses: true, Warn: true,
		Links: []string{"https://github.com/flannel-io/flannel/commit/232d2f08"},
	},
}

// azureRows go by the version of CNS, which the agents of Azure CNI share.
var azureRows = []Row{
	{
		ID: "azure-cns-hns-restart-hangs", Of: AzureCNS,
		From:   "1.5.0 < 1.5.42, 1.6.0 < 1.6.11.1, 1.6.12 < 1.6.20",
		Title:  "Azure CNS hangs when it restarts HNS",
		Breaks: []string{"network-creation"},
		// platform/os_windows.go, in two wordings: each new node has it once, and goes on some seconds later
		Signs: []checks.Sign{
			{Text: "Restarting HNS service", Until: []string{"HNS service restarted successfully",
				"Failed to set remote ARP MAC address", "Failed to Restart HNS Service",
				"SDNRemoteArpMacAddress regKey already set", "[Azure CNS] Start HTTP"}},
		},
		Explains: []string{"azure-cns-unreachable"},
		Links: []string{"https://github.com/Azure/azure-container-networking/pull/3343",
			"https://github.com/Azure/AKS/issues/4679"},
	},
	{
		ID: "azure-cns-hns-restart-needless", Of: AzureCNS,
		From:   "1.6.20 < 1.6.22",
		Title:  "Azure CNS restarts HNS each time it starts",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "SDNRemoteArpMacAddress regKey already set", Not: []string{"skipping HNS restart"}},
		},
		OtherCauses: true, // older versions restart HNS only if they set the key
		Links: []string{"https://github.com/Azure/azure-container-networking/pull/3498",
			"https://github.com/Azure/AKS/issues/4679"},
	},
	{
		ID: "azure-cns-overlay-gateway", Of: AzureVNet,
		From:     "1.4.35 < 1.4.44.5, 1.4.45 < 1.4.45.1",
		Title:    "Pods of Azure CNI Overlay do not reach the metadata service",
		Breaks:   []string{"outbound-traffic"},
		Explains: []string{"hns-object-inconsistent"},
		Shown:    overlayGateway,
		Reads:    []evidence.Need{evidence.HNSEndpoints},
		Links: []string{"https://github.com/Azure/azure-container-networking/pull/1849",
			"https://github.com/Azure/azure-container-networking/pull/1587"},
	},
	{
		ID: "azure-cns-state-lock", Of: AzureVNet,
		From:   "1.4.0 < 1.4.40",
		Title:  "Azure CNI calls time out: one call holds the lock too long",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "Failed to lock store: timed out locking store",
				Or:    []string{"key-value store of network plugin: timed out locking store"},
				Until: []string{"ADD command completed"}},
		},
		Explains:    []string{"azure-vnet-store-locked"},
		OtherCauses: true, // a call that hangs in HNS holds the lock too
		Otherwise:   callHangs,
		Reads:       []evidence.Need{evidence.Processes},
		Workaround:  "Until the update, stop the kubelet, remove C:\\k\\azure-vnet.json.lock when no azure-vnet.exe runs, and start the kubelet.",
		Links:       []string{"https://github.com/Azure/azure-container-networking/pull/1712"},
	},
	{
		ID: "azure-cns-hns-timeout", Of: AzureVNet,
		From:   "1.4.0 < 1.4.27",
		Title:  "Azure CNI waits for HNS forever",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/Azure/azure-container-networking/pull/1369"},
	},
	{
		ID: "azure-cns-hns-stop-pending", Of: AzureCNS,
		From:   "1.6.20 < 1.6.23",
		Title:  "Azure CNS fails to start if HNS does not stop in time",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "Failed to set remote ARP MAC address: context cancelled"},
		},
		OtherCauses: true, // HNS that never stops
		Links: []string{"https://github.com/Azure/azure-container-networking/pull/3529",
			"https://github.com/Azure/azure-container-networking/pull/3540"},
	},
}
