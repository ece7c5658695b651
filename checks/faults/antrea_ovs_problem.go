package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// ovsExtension is the id of the switch extension of Open vSwitch; its name is translated.
const ovsExtension = "583cc151-73ec-4a6a-8b47-578297ad7623"

var _ = register(&checks.Check{
	ID:       "antrea-ovs-problem",
	Title:    "Open vSwitch of Antrea is not working",
	Healthy:  "Open vSwitch of Antrea is working",
	Category: checks.CategoryNetwork,
	Doc: `On Windows Antrea moves all pod traffic with Open vSwitch: the programs ovsdb-server
and ovs-vswitchd, as services of Windows or as containers of Antrea's own pod, and a driver that is
an extension of the virtual switch of antrea-hnsnetwork. Where one of the services is down, the
driver was not installed because it is not signed, or the extension is not enabled, Antrea's agent
cannot begin, and calls of HNS may hang.

An agent of a release before 2024 that is restarted between the creation of the network and the enabling of the extension
finds the network and does not enable the extension again.

HNS removes the network at a boot, and the database of Open vSwitch keeps the bridge br-int with its ports. Where no script
removed them, ovs-vswitchd finds no device for the bridge, and the agent exits.

The check looks at both services or the container antrea-ovs, and at the extension where HNS lists extensions (only its first
interface does) or their policy. Where these are well and the agent is not running, its last words show the fault.`,
	Fix: checks.Steps(
		checks.Run("Get-Service ovsdb-server, ovs-vswitchd | Start-Service",
			"Start the services of Open vSwitch. If the services or the driver are missing, install Antrea's signed build of Open vSwitch."),
		checks.Run("{restart antrea-agent}",
			"Restart Antrea's agent, so that it programs the switch again.").
			Costs("Pods of this node have no network until the agent has programmed the switch."),
		checks.Verify("Get-VMSwitchExtension -VMSwitchName antrea-switch",
			"the Open vSwitch extension with Enabled True")),
	Links: []string{"https://github.com/antrea-io/antrea/issues/1458",
		"https://github.com/antrea-io/antrea/issues/1528",
		"https://github.com/antrea-io/antrea/issues/3636",
		"https://github.com/antrea-io/antrea/issues/4702",
		"https://github.com/antrea-io/antrea/issues/3195",
		"https://github.com/antrea-io/antrea/pull/5841",
		"https://github.com/antrea-io/antrea/pull/6202",
		"https://github.com/antrea-io/antrea/issues/6530",
		"https://github.com/antrea-io/antrea/blob/main/docs/windows.md#known-issues"},
	Breaks: []*checks.Effect{effectNetworkAgent, effectHNSNetwork, effectCNIConfig, effectPodStart,
		effectNodeReady, effectServices, effectContainers},
	Explains: []string{"cni-network-not-found"},
	Applies:  checks.OnCNI(node.Antrea),
	Needs:    []evidence.Need{evidence.Services},
	Uses:     []evidence.Need{evidence.HNSNetworks, evidence.Pods, evidence.Processes, evidence.OSInfo},
	Signs: []checks.Sign{
		{Text: "Failed to set the uplink port with no-flood config", Until: antreaStarted,
			Says: "Antrea's agent could not set up the uplink of its bridge"},
		// It asks again after 2, 4 and 8 seconds: a healthy start is connected before the third time.
		// The second form is of Antrea's main branch of 2026, pkg/ovs/ovsconfig/ovs_client.go.
		{Text: "Not connected yet, will try again in 8s", Or: []string{`retryBackoff="8s"`},
			Also: []string{"Not connected yet"}, Until: antreaConnected,
			Says: "Antrea's agent cannot connect to the Open vSwitch database"},
		// Antrea 0.7 to 1.4 sets the address of the bridge with it (pkg/agent/agent_windows.go). Windows'
		// text goes on in further lines, which name the bridge (antrea 1528).
		{Text: "error initializing agent: Set-NetAdapterAdvancedProperty",
			Or:    []string{"failed to run command 'Set-NetAdapterAdvancedProperty"},
			Until: antreaStarted,
			Says:  "the bridge of Open vSwitch is missing"},
		// Start-Service of PowerShell, in the scripts of Antrea: antrea 5852 and 4027
		{Text: "Service 'ovsdb-server (ovsdb-server)' cannot be started",
			Or:    []string{"Service 'ovs-vswitchd (ovs-vswitchd)' cannot be started"},
			Until: antreaConnected,
			Says:  "Windows cannot start a service of Open vSwitch"},
		// It exits with it; as a service it starts before Open vSwitch, and is started again.
		{Text: "error connecting OVSDB: ", Until: antreaConnected,
			Says: "Antrea's agent cannot connect to the Open vSwitch database"},
		// pkg/agent/util/winnet, Install-OVS.ps1
		{Text: "open vswitch extension driver is not installed", Or: []string{"Failed to install OVSExt driver"},
			Until: antreaStarted,
			Says:  "the driver of Open vSwitch is not installed"},
		// setupOVSBridge in pkg/agent/agent.go
		{Text: "error initializing agent: ", Also: []string{"OVS bridge"}, Until: antreaStarted, Fix: checks.Steps(
			checks.Do("Remove the bridge br-int that is left over from before the last boot: run Clean-AntreaNetwork.ps1 of this release of Antrea, with -OVSRunMode container where Open vSwitch runs in Antrea's pod.").
				Costs("Pods of this node have no network until the agent has programmed the switch."),
			checks.Run("{restart antrea-agent}", "Restart Antrea's agent, so that it programs the switch again."),
			checks.Verify("Get-VMSwitchExtension -VMSwitchName antrea-switch",
				"the Open vSwitch extension with Enabled True")),
			Says: "Antrea's agent cannot set up its bridge in Open vSwitch"},
		// vswitchd/bridge.c of Open vSwitch, which says it at each boot, until the bridge is removed
		{Text: "could not open network device br-int", In: []string{"ovs", "openvswitch", "antrea", "other"}, ConfirmOnly: true, Until: antreaStarted},
		// CheckAndInstallOVSDriver of Install-OVS.ps1, before it installs the driver: antrea 6530
		{Text: ovsCertificate, In: []string{"antrea"}, ConfirmOnly: true},
		// lib/vlog.c of Open vSwitch: a program writes it before it aborts, and begins its log anew at its start
		{Text: "|util|EMER|", Or: []string{"|ovs_thread|EMER|"}, In: []string{"ovs", "openvswitch"}, Until: []string{"|vlog|INFO|opened log file"},
			Says: "a program of Open vSwitch ended with an error of its own"},
		// pkg/agent/agent.go: the feature is of the driver
		{Text: "the required OVS DP feature '", Until: antreaStarted, Fix: checks.Steps(
			checks.Do("Install the build of Open vSwitch that this release of Antrea requires."),
			checks.Run("{restart antrea-agent}",
				"Restart Antrea's agent, so that it programs the switch again.").
				Costs("Pods of this node have no network until the agent has programmed the switch."),
			checks.Verify("Get-VMSwitchExtension -VMSwitchName antrea-switch",
				"the Open vSwitch extension with Enabled True")),
			Says: "the driver of Open vSwitch is too old for Antrea's agent"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings, inPod := ovsOfPods(s)
		for _, name := range ovsPrograms {
			svc, there := node.ServiceNamed(s, name)
			switch {
			case there && svc.Running(), processRuns(s, name), !there && inPod:
			case there:
				findings = append(findings, checks.Findingf(checks.Fail, svc.Name,
					"service %s of Open vSwitch is %s: Antrea's agent cannot work without it",
					svc.Name, svc.State).
					At(svc.Field("state"), "%s: state %s, exit code %d", svc.Name, svc.State,
						svc.Exit()))
			case !evidence.Processes.Known(s) && !evidence.Pods.Known(s),
				len(evidence.Services.In(s)) < fewProcesses:
				return nil, checks.Unknown(
					evidence.NotShown.Gap("whether %s runs in a container of Antrea", name))
			default:
				findings = append(findings, checks.Findingf(checks.Fail, name,
					"service %s is missing: Open vSwitch is not installed", name).
					At(evidence.Services.Field(s), "none of its %d services is %s",
						len(evidence.Services.In(s)), name))
			}
		}
		if findings = append(findings, ovsExtensionOff(s, "antrea-hnsnetwork")...); len(findings) == 0 {
			findings = lastWordsOfOVS(s)
		}
		return findings, nil
	},
})

// lastWordsOfOVS are those of an agent that is not running, about Open vSwitch.
func lastWordsOfOVS(s evidence.Snapshot) []*checks.Finding {
	c := node.Agent(s, node.Antrea)
	if running, _ := c.Running(); running || len(c.Services)+len(c.Pods) == 0 {
		return nil
	}
	for _, m := range liveSigns(s, "antrea-ovs-problem") {
		sign := checkOf("antrea-ovs-problem").SignOf(m)
		f := checks.Findingf(checks.Fail, c.Name, "%s is not running: %s", c.Name, evidence.Phrasef(sign.Says)).
			With(checks.Quote(m)).Cure(sign.Fix.Clone())
		f.Basis = checks.ByBoth
		return []*checks.Finding{f}
	}
	return nil
}

func processRuns(s evidence.Snapshot, name string) bool {
	return slices.ContainsFunc(evidence.Processes.In(s), func(p evidence.Process) bool {
		return strings.EqualFold(node.Program(p.Name), name)
	})
}

// ovsCertificate begins PowerShell's word on the certificate of the driver.
const ovsCertificate = "Import-Certificate : "

// ovsContainers install the driver of Open vSwitch and run its programs, in build/yamls/antrea-windows.yml.
var ovsContainers = []string{"install-ovs-driver", "antrea-ovs"}

// ovsPrograms are services of Windows, or processes of the container antrea-ovs.
var ovsPrograms = []string{"ovsdb-server", "ovs-vswitchd"}

// ovsOfPods judges Antrea's newer setup, in which the pod of the agent brings Open vSwitch along: the
// container has ended before, and neither it nor its programs run. inPod tells that setup.
func ovsOfPods(s evidence.Snapshot) (findings []*checks.Finding, inPod bool) {
	for _, p := range evidence.Pods.In(s) {
		if !strings.HasPrefix(p.Metadata.Name, "antrea-agent-windows") ||
			!slices.ContainsFunc(p.Spec.Containers, func(c evidence.Container) bool {
				return c.Name == "antrea-ovs"
			}) {
			continue
		}
		inPod = true
		if slices.ContainsFunc(ovsPrograms, func(name string) bool { return processRuns(s, name) }) {
			continue
		}
		for i, st := range p.Statuses() {
			why := restartReason(st, s.Now())
			if !slices.Contains(ovsContainers, st.Name) || st.State.Running != nil || why.Format == "" {
				continue
			}
			f := checks.Findingf(checks.Fail, p.FullName(),
				"container %s of %s is not running (%s): Antrea's agent cannot work without Open vSwitch",
				st.Name, p.FullName(), why).Cure(checks.Steps(
				checks.Inspect("kubectl -n "+p.Metadata.Namespace+" logs "+p.Metadata.Name+
					" -c "+st.Name+" --previous", "Read why Open vSwitch ends, and fix that error."),
				checks.Run("kubectl -n "+p.Metadata.Namespace+" delete pod "+p.Metadata.Name,
					"Delete the pod: its replacement starts Open vSwitch and programs the switch again.").
					Costs("Pods of this node have no network until the agent has programmed the switch."),
				checks.Verify("Get-Process ovsdb-server, ovs-vswitchd", "one process of each"))).
				At(p.StatusField(i, "state"), "%s: container %s: restartCount %d", p.FullName(),
					st.Name, st.RestartCount)
			if evidence.Processes.Known(s) {
				f = f.At(evidence.Processes.Field(s), "none of its %d processes is %s.exe",
					len(evidence.Processes.In(s)), strings.Join(ovsPrograms, ".exe or "))
			}
			for _, m := range s.Signs("antrea-ovs-problem") {
				if m.Text == ovsCertificate && m.Over == "" && st.Name == "install-ovs-driver" {
					f = f.With(checks.Quote(m)).Cure(checks.Steps(
						checks.Do("Update Antrea to a release with pull request 6529: it writes the certificate of the driver into the store of trusted publishers in another way."),
						checks.Verify("Get-Process ovsdb-server, ovs-vswitchd", "one process of each")))
				}
			}
			findings = append(findings, f)
		}
	}
	return findings, inPod
}

// ovsExtensionOff judges the extension on the switch of that network. HCN lists
// no extensions at all, so an empty list says nothing; it lists the policy of one that was switched.
func ovsExtensionOff(s evidence.Snapshot, network string) []*checks.Finding {
	for _, net := range evidence.HNSNetworks.In(s) {
		if !strings.EqualFold(net.Name, network) || net.Truncated {
			continue
		}
		for i, p := range net.Policies {
			if p.Type == "VSwitchExtension" && !p.Truncated && strings.EqualFold(p.Text("ExtensionID"), ovsExtension) &&
				strings.EqualFold(p.Text("Enable"), "false") {
				return []*checks.Finding{extensionDisabled(network).
					At(net.Field("Policies", i), "%s: policy VSwitchExtension %s: Enable false", net.Name,
						p.Text("ExtensionID"))}
			}
		}
		if len(net.Extensions) == 0 {
			continue
		}
		at := slices.IndexFunc(net.Extensions, func(e evidence.HNSExtension) bool {
			return strings.EqualFold(e.ID, ovsExtension) ||
				strings.Contains(strings.ToLower(e.Name), "open vswitch")
		})
		switch {
		case at < 0:
			return []*checks.Finding{checks.Findingf(checks.Fail, net.Name,
				"the switch of HNS network %s has no extension of Open vSwitch: its driver is not installed", net.Name).
				At(net.Field("Extensions"), "%s: %d extensions, none is Open vSwitch", net.Name,
					len(net.Extensions))}
		case !net.Extensions[at].Enabled:
			return []*checks.Finding{extensionDisabled(network).
				At(net.Field("Extensions"), "%s: extension %s is not enabled", net.Name,
					net.Extensions[at].Name)}
		}
	}
	return nil
}

func extensionDisabled(network string) *checks.Finding {
	return checks.Findingf(checks.Fail, network,
		"the extension of Open vSwitch is not enabled on the switch of HNS network %s", network).
		Cure(checks.Steps(
			checks.Run(`Enable-VMSwitchExtension -Name "Open vSwitch Extension" -VMSwitchName `+network,
				"Enable the extension.").
				Costs("Pods of this node have no network until the agent has programmed the switch."),
			checks.Verify("Get-VMSwitchExtension -VMSwitchName "+network,
				"the Open vSwitch extension with Enabled True")))
}

// antreaConnected is what an agent says next that has reached the Open vSwitch database.
var antreaConnected = []string{"Setting up node network"}

// antreaStarted is the last word of an agent's start: pkg/agent/agent.go of Antrea.
var antreaStarted = []string{"Agent initialized NodeConfig="}
