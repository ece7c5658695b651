package regressions

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

// antreaRows are from the changelogs of Antrea.
var antreaRows = []Row{
	{
		ID: "antrea-audit-log-folder", Of: Antrea,
		From:   "0.11.0 < 0.11.4, 0.12.0 < 0.12.3, 0.13.0 < 0.13.2",
		Title:  "antrea-agent exits: the folder of its audit log is wrong",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "/var/log/antrea/networkpolicy/np.log", Also: []string{"The system cannot find the path specified"}},
		},
		Links: []string{"https://github.com/antrea-io/antrea/pull/2052"},
	},
	{
		ID: "antrea-ovs-interface-retry", Of: Antrea,
		From:   "0.13.0 < 0.13.2, 1.0.0 < 1.0.1",
		Title:  "antrea-agent gives up if the OVS interface comes up slowly",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "failed to enable interface",
				Also: []string{"timed out waiting for the condition"}},
		},
		OtherCauses: true, // an interface that does not come up at all
		Links:       []string{"https://github.com/antrea-io/antrea/pull/2081"},
	},
	{
		ID: "antrea-docker-endpoint-cleanup", Of: Antrea,
		From:   "0.13.0 < 0.13.3, 1.0.0 < 1.0.2, 1.1.0 < 1.1.1",
		Title:  "Antrea cleans up the wrong HNS endpoint with Docker",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "Failed to remove HostComputeEndpoint",
				Also: []string{"00000000-0000-0000-0000-000000000000"}},
		},
		Links: []string{"https://github.com/antrea-io/antrea/pull/2306"},
	},
	{
		ID: "antrea-network-race", Of: Antrea,
		From:   "0.13.0 < 0.13.3, 1.0.0 < 1.0.2, 1.1.0 < 1.1.1",
		Title:  "antrea-agent does not find the HNS network it just created",
		Breaks: []string{"network-creation"},
		Signs:  []checks.Sign{{Text: "Network antrea-hnsnetwork not found"}}, // hcsshim's error
		Links:  []string{"https://github.com/antrea-io/antrea/pull/2253"},
	},
	{
		ID: "antrea-powershell-hangs", Of: Antrea,
		From:   "0.13.0 < 0.13.4, 1.1.0 < 1.1.2",
		Title:  "antrea-agent hangs while it sets routes with PowerShell",
		Breaks: []string{"node-routes"},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/2363"},
	},
	{
		ID: "antrea-node-name-case", Of: Antrea,
		From:   "1.2.0 < 1.2.4",
		Title:  "antrea-agent uses the node name in capital letters",
		Breaks: []string{"network-creation"},
		Signs:  []checks.Sign{{Text: "Failed to get node from K8s with name ", Also: []string{"not found"}}},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/2672"},
	},
	{
		ID: "antrea-host-network-endpoints", Of: Antrea,
		From:   "1.2.0 < 1.2.3",
		Title:  "Pods do not reach Services of host network endpoints",
		Breaks: []string{"services"},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/2702"},
	},
	{
		ID: "antrea-containerd-mtu", Of: Antrea,
		From:   "1.2.0 < 1.2.3, 1.3.0 < 1.4.0",
		Title:  "Antrea cannot set the MTU of pods with containerd",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "failed to configure MTU on container interface",
				Also: []string{"No MSFT_NetIPInterface objects found"}},
		},
		OtherCauses: true, // a container that ends at once
		Links: []string{"https://github.com/antrea-io/antrea/pull/2773",
			"https://github.com/antrea-io/antrea/issues/2754"},
	},
	{
		ID: "antrea-gateway-mtu", Of: Antrea,
		From:   "1.2.0 < 1.2.4, 1.3.0 < 1.5.0",
		Title:  "Antrea sets a wrong MTU on its gateway",
		Breaks: []string{"pod-traffic"},
		Shown:  antreaMTU(true),
		Reads:  []evidence.Need{evidence.Adapters},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/3043"},
	},
	{
		ID: "antrea-vmswitch-host-name", Of: Antrea,
		From:   "1.2.0 < 1.2.4, 1.3.0 < 1.5.0",
		Title:  "VMSwitch commands of antrea-agent fail without a host name",
		Breaks: []string{"network-creation"},
		// pkg/agent/util/net_windows.go, which has -ComputerName after the fix
		Signs: []checks.Sign{
			{Text: "failed to run command 'Get-VMSwitch -Name antrea-hnsnetwork",
				Or:    []string{"failed to run command 'Set-VMSwitch -Name antrea-hnsnetwork"},
				Not:   hyperVFails,
				Until: agentInitialized},
		},
		OtherCauses: true,
		Links:       []string{"https://github.com/antrea-io/antrea/pull/3169"},
	},
	{
		ID: "antrea-netnat-crash", Of: Antrea,
		From:   "1.2.0 < 1.4.0",
		Title:  "antrea-agent crashes when it removes an old NetNat",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "Failed to remove the existing netnat"},
		},
		OtherCauses: true, // WinNAT itself can refuse it
		Links: []string{"https://github.com/antrea-io/antrea/pull/2751",
			"https://github.com/antrea-io/antrea/issues/2750"},
	},
	{
		ID: "antrea-proxy-all-bypasses-policies", Of: Antrea,
		From:  "1.6.0 < 1.6.1",
		Title: "Service traffic bypasses network policies with proxyAll",
		Links: []string{"https://github.com/antrea-io/antrea/pull/3510"},
	},
	{
		ID: "antrea-node-port-dnat", Of: Antrea,
		From:   "1.7.0 < 1.7.2",
		Title:  "AntreaProxy uses a wrong address for NodePorts",
		Breaks: []string{"node-ports"},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/4103"},
	},
	{
		ID: "antrea-service-routes-deleted", Of: Antrea,
		From:   "1.7.0 < 1.7.3, 1.8.0 < 1.8.1, 1.9.0 < 1.9.1, 1.10.0 < 1.10.1",
		Title:  "antrea-agent deletes the routes to Services when it starts",
		Breaks: []string{"services"},
		Shown:  serviceRouteLost,
		Reads:  []evidence.Need{evidence.Routes, evidence.KubeServices},
		Links: []string{"https://github.com/antrea-io/antrea/pull/4470",
			"https://github.com/antrea-io/antrea/issues/4466"},
	},
	{
		ID: "antrea-agent-before-proxy", Of: Antrea,
		From:   "1.10.0 < 1.10.1, 1.11.0 < 1.11.2",
		Title:  "antrea-agent crashes because AntreaProxy is not ready yet",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "error when creating agent API server: unable to load configmap based request-header-client-ca-file",
				Also: []string{"context deadline exceeded"}},
		},
		OtherCauses: true, // the API server cannot be reached
		Links:       []string{"https://github.com/antrea-io/antrea/pull/4946", "https://github.com/antrea-io/antrea/issues/2857"},
	},
	{
		ID: "antrea-packet-out-crash", Of: Antrea,
		From:   "1.11.0 < 1.11.2",
		Title:  "Windows crashes in the OVS driver (antrea-agent packets)",
		Breaks: []string{"node-ready"},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/4992"},
	},
	{
		ID: "antrea-dhcp-address-race", Of: Antrea,
		From:   "1.13.0 < 1.13.3, 1.14.0 < 1.14.2",
		Title:  "Node gets no DHCP address after Antrea creates its network",
		Breaks: []string{"network-creation"},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/5819"},
	},
	{
		ID: "antrea-memory-fault", Of: Antrea,
		From:   "2.1.0 < 2.1.1",
		Title:  "antrea-agent accesses invalid memory",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "winnet.(*Handle).RouteListFiltered(", Or: []string{
				"winnet.(*Handle).ReplaceNetRoute(", "winnet.(*Handle).RemoveNetRoute("}},
		},
		Links: []string{"https://github.com/antrea-io/antrea/pull/6664"},
	},
	{
		ID: "antrea-port-status-timeout", Of: Antrea,
		From:   "2.1.0 < 2.1.1",
		Title:  "Pods get no network if an OVS port takes over 5 seconds",
		Breaks: []string{"pod-start"},
		Signs: []checks.Sign{
			{Text: "Failed to execute postInterfaceCreateHook", Also: []string{"timed out after"}},
		},
		Links: []string{"https://github.com/antrea-io/antrea/pull/6763",
			"https://github.com/antrea-io/antrea/issues/6721"},
	},
	{
		ID: "antrea-vmswitch-active-directory", Of: Antrea,
		From:   "2.1.0 < 2.1.2, 2.2.0 < 2.2.1",
		Title:  "VMSwitch commands of antrea-agent fail in an AD domain",
		Breaks: []string{"network-creation"},
		// pkg/agent/util/winnet/net_windows.go, which has -ComputerName localhost after the fix
		Signs: []checks.Sign{
			{Text: "failed to run command", Also: []string{"VM", "-ComputerName", "$(hostname)"},
				Not:   hyperVFails,
				Until: agentInitialized},
		},
		OtherCauses: true,
		Links:       []string{"https://github.com/antrea-io/antrea/pull/6985"},
	},
	{
		ID: "antrea-host-network-pods-forgotten", Of: Antrea,
		From:  "2.1.0 < 2.1.1, 2.2.0 < 2.2.1",
		Title: "antrea-agent forgets hostNetwork pods when it restarts",
		Links: []string{"https://github.com/antrea-io/antrea/pull/6944"},
	},
	{
		ID: "antrea-port-link-down", Of: Antrea,
		From:   "2.2.0 < 2.2.1",
		Title:  "Pods get no flows if OVS reports their port as LINK_DOWN",
		Breaks: []string{"pod-traffic"},
		Signs: []checks.Sign{
			{Text: "Pod network forwarding rules not installed",
				Until: []string{"Installed Pod network forwarding rules"}},
		},
		OtherCauses: true, // an OVS that does not run
		Links:       []string{"https://github.com/antrea-io/antrea/pull/6889"},
	},
	{
		ID: "antrea-promiscuous-source", Of: Antrea,
		From:   "2.1.0 < 2.1.1",
		Title:  "Antrea mixes source MAC and IP in promiscuous mode",
		Breaks: []string{"pod-traffic"},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/6528"},
	},
	{
		ID: "antrea-infra-container", Of: Antrea,
		From:   "1.4.0 < 1.5.0",
		Title:  "Antrea fails to attach an HNS endpoint again",
		Breaks: []string{"pod-start"},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/3089"},
	},
	{
		ID: "antrea-clean-script-path", Of: Antrea,
		From:   "1.13.0 < 1.13.3, 1.14.0 < 1.14.2",
		Title:  "Antrea start script does not clean up containerized OVS",
		Breaks: []string{"network-creation"},
		Shown:  serviceBesideOVS,
		Reads:  []evidence.Need{evidence.Services},
		Warn:   true, // it may be of an earlier OVS that was no container
		Links: []string{"https://github.com/antrea-io/antrea/pull/5859",
			"https://github.com/antrea-io/antrea/issues/5852"},
	},
	{
		ID: "antrea-adapter-not-found", Of: Antrea,
		From:   "1.6.0 < 1.7.0",
		Title:  "antrea-agent crashes because it uses a wrong adapter",
		Breaks: []string{"network-creation"},
		Shown:  adapterNameTaken,
		Reads:  []evidence.Need{evidence.Adapters},
		Links: []string{"https://github.com/antrea-io/antrea/pull/3641",
			"https://github.com/antrea-io/antrea/issues/3636"},
	},
	{
		ID: "antrea-bridge-forwarding", Of: Antrea,
		From:   "1.5.0 < 1.6.0",
		Title:  "Services of type LoadBalancer do not work with Antrea",
		Breaks: []string{"node-ports"},
		Shown:  bridgeDrops,
		Reads:  []evidence.Need{evidence.Adapters, evidence.KubeServices},
		Links:  []string{"https://github.com/antrea-io/antrea/pull/3137"},
	},
	{
		ID: "antrea-container-mtu-unset", Of: Antrea,
		From:   "1.0.0 < 1.1.0",
		Title:  "Antrea sets no MTU in containers and pods send small packets",
		Breaks: []string{"pod-traffic"},
		Shown:  antreaMTU(false),
		Reads:  []evidence.Need{evidence.Adapters},
		Warn:   true,
		Links:  []string{"https://github.com/antrea-io/antrea/pull/2133"},
	},
	{
		ID: "antrea-ovsdb-listens", Of: Antrea,
		From:  "2.5.0 < 2.5.3, 2.6.0 < 2.6.3",
		Title: "ovsdb-server accepts connections on all interfaces",
		Shown: databaseListens,
		Reads: []evidence.Need{evidence.Ports},
		Warn:  true,
		Links: []string{"https://github.com/antrea-io/antrea/pull/8251"},
	},
	{
		ID: "antrea-ovs-recovery", Of: Antrea,
		From:   "2.2.0 < 2.2.2, 2.3.0 < 2.3.1",
		Title:  "Containers recover slowly after the OVS processes restart",
		Breaks: []string{"pod-traffic"},
		Signs: []checks.Sign{
			{Text: "Cannot find a process with the name", Also: []string{"ovsdb-server"}},
			{Text: "Cannot find a process with the name", Also: []string{"ovs-vswitchd"}},
		},
		Links: []string{"https://github.com/antrea-io/antrea/pull/7228"},
	},
	{
		ID: "antrea-proxy-disabled", Of: Antrea,
		From:   "2.5.0 < 2.5.1",
		Title:  "antrea-agent panics if AntreaProxy is disabled",
		Breaks: []string{"network-creation"},
		Signs: []checks.Sign{
			{Text: "proxy.(*ProxyServer).GetProxyQuerier("},
		},
		Links: []string{"https://github.com/antrea-io/antrea/pull/7636",
			"https://github.com/antrea-io/antrea/pull/7637"},
	},
}

// agentInitialized is the last word of an agent's start: pkg/agent/agent.go.
var agentInitialized = []string{"Agent initialized NodeConfig="}

// hyperVFails is what its commands say of faults of their own: it is not installed, the switch is
// missing, or its service does not run.
var hyperVFails = []string{"is not recognized as the name", "unable to find a virtual switch",
	"Virtual Machine Management service"}
