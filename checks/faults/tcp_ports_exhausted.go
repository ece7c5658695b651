package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "tcp-ports-exhausted",
	Title:    "Windows has no free ports for new connections",
	Healthy:  "Windows has free ports for new connections",
	Category: checks.CategoryNetwork,
	Doc: `Each outgoing connection takes a port of the dynamic port range of Windows (49152 to 65535 by default). If a
program opens connections faster than they end, or HNS has taken most of the range for load balancers,
none is left: new connections and DNS queries of the node and its pods fail at once, with error 10055
(WSAENOBUFS) or event 4231 or 4227 of Tcpip. Windows gives the same error where its non-paged memory is used up.

The check looks for this error in the logs and for the events.`,
	Fix: checks.Steps(
		checks.Inspect("Get-NetTCPConnection | Group-Object -Property OwningProcess, State | Sort-Object Count | Select-Object -Last 10 Count, Name",
			"Find the process that has most connections."),
		checks.Inspect("netsh int ipv4 show excludedportrange protocol=tcp", "See how much of the range HNS and others have taken."),
		checks.Do("Let this program use its connections again, or restart its pod."),
		checks.Run("netsh int ipv4 set dynamicportrange tcp start=34000 num=31536",
			"If HNS has taken the ports, enlarge the dynamic port range, and reboot the node.").
			Costs("All pods of this node stop."),
		checks.Verify("Test-NetConnection API-SERVER -Port 443", "TcpTestSucceeded is True")),
	Links: []string{
		"https://github.com/Azure/AKS/issues/1375",
		"https://github.com/docker/for-win/issues/2766",
		"https://learn.microsoft.com/en-us/troubleshoot/windows-client/networking/tcp-ip-port-exhaustion-troubleshooting",
	},
	Breaks:   []*checks.Effect{effectPodTraffic, effectNodeReports},
	Explains: []string{"control-plane-unreachable"},
	Partial:  true, // no state shows that the ports are used up: Windows and the programs tell
	Needs:    []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Logs("kubelet"))},
	Uses:     []evidence.Need{evidence.WindowsEvents, evidence.Logs("kubelet")},
	Signs: []checks.Sign{
		{Text: "the system lacked sufficient buffer space or because a queue was full", Or: []string{"WSAENOBUFS"}, Level: checks.Warn,
			Says: "Windows has no free port or no memory for a new connection"},
		// WSAEADDRINUSE of a connection, and not of a program that listens: its port is one of Windows' choice
		{Text: "connectex: Only one usage of each socket address", Level: checks.Warn,
			Says: "Windows has no free port for a new connection"},
		{Text: noPortLeft, Also: []string{"has failed due to all such ports being in use"},
			Level: checks.Warn, Says: "Windows has no free port for a new connection (event 4231)"},
		{Text: portUsedAgain,
			Level: checks.Warn, Says: "Windows uses ports again too soon: it has few free ones (event 4227)"},
	},
	// The signs read the events in English, wherever they stand; their IDs tell them apart in any language.
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		last := map[int]evidence.WindowsEvent{}
		for _, e := range evidence.WindowsEvents.In(s) {
			if strings.EqualFold(e.Provider, "Tcpip") && !strings.Contains(e.Message, noPortLeft) &&
				!strings.Contains(e.Message, portUsedAgain) && s.Now().Sub(e.Time.Time) <= checks.LongAgo && !e.Time.Before(last[e.ID].Time.Time) {
				last[e.ID] = e
			}
		}
		var findings []*checks.Finding
		if e, ok := last[4231]; ok {
			findings = append(findings, checks.Findingf(checks.Warn, "Tcpip",
				"Windows has no free port for a new connection (event 4231)").
				At(e.Field(), "%s: %s", e.Provider, e.Message))
		}
		if e, ok := last[4227]; ok {
			findings = append(findings, checks.Findingf(checks.Warn, "Tcpip",
				"Windows uses ports again too soon: it has few free ones (event 4227)").
				At(e.Field(), "%s: %s", e.Provider, e.Message))
		}
		for _, need := range []evidence.Need{evidence.WindowsEvents, evidence.Logs("kubelet")} {
			if gap := need.Gap(s); gap.Kind != "" && len(findings) == 0 {
				return nil, checks.Unknown(gap)
			}
		}
		return findings, nil
	},
})

// The beginnings of the events 4231 and 4227 in English.
const (
	noPortLeft    = "A request to allocate an ephemeral port number from the global"
	portUsedAgain = "TCP/IP failed to establish an outgoing connection because the selected local endpoint was recently used"
)
