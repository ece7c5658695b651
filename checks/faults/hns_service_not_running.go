package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "hns-service-not-running",
	Title:    "HNS, or a service that it needs, is not running",
	Healthy:  "HNS can start",
	Category: checks.CategoryNetwork,
	Doc: `The Host Network Service (hns) creates the networks, endpoints and load balancers of pods. It
starts when it is called, and needs other services: the extension of the virtual switch (vfpext),
Windows Firewall (mpssvc), Base Filtering Engine (BFE), WinNAT, and Internet Connection Sharing
(SharedAccess) for NAT. If one of them is disabled, was removed, or cannot start, each call to HNS
fails: "There are no more endpoints available from the endpoint mapper" (0x6d9), "The service has
not been started" (0x426), or "The service cannot be started" (0x422).

The check reads the start type of hns, and looks for these errors of calls to HNS and for the events
of the service manager. The errors do not show which of the services it is.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service hns, vfpext, mpssvc, BFE, WinNat, SharedAccess, nsi -ErrorAction SilentlyContinue | Format-Table Name, Status, StartType",
			"Find the service that is stopped, disabled or not in the list."),
		checks.Do("Enable that service: hns and SharedAccess manual, mpssvc and BFE automatic. If a group policy or baseline has disabled it, correct that, too."),
		checks.Run("Start-Service hns", "Start HNS. If Windows refuses, read the error."),
		checks.Verify("Get-Service hns", "Status is Running")),
	Links: []string{
		"https://github.com/docker/for-win/issues/8226",
		"https://github.com/docker/for-win/issues/6535",
		"https://github.com/docker/for-win/issues/9474",
		"https://github.com/prometheus-community/windows_exporter/issues/2105",
		"https://github.com/microsoft/WSL/issues/5152",
	},
	Breaks: []*checks.Effect{effectNetworkAgent, effectHNSNetwork, effectFlanneld, effectKubeProxy, effectCNIConfig,
		effectPodStart},
	Explains: []string{"docker-nat-network-refused", "hns-service-crashed-or-restarted"},
	Partial:  true,
	Needs:    []evidence.Need{evidence.Services},
	Uses:     []evidence.Need{evidence.WindowsEvents, evidence.OSInfo},
	Signs:    hnsNotRunningSigns(),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		names := []string{"Host Network Service"}
		for _, svc := range evidence.Services.In(s) {
			switch {
			case !strings.EqualFold(svc.Name, "hns"):
				continue
			case strings.EqualFold(svc.StartType, "disabled"):
				return []*checks.Finding{checks.Findingf(checks.Fail, svc.Name,
					"service %s is disabled (expected: start type manual)", svc.Name).
					At(svc.Field("startType"), "%s: start type %s, state %s", svc.Name,
						svc.StartType, svc.State)}, nil
			case svc.Running():
				return withoutItsServices(s), nil
			}
			names = append(names, svc.DisplayName)
		}
		for _, end := range hnsEnds {
			if e, ok := startEvent(s, end.event, names, func(evidence.WindowsEvent) bool { return true }); ok {
				f := &checks.Finding{Level: checks.Fail, Subject: "hns", Format: end.says, Basis: checks.ByState}
				return []*checks.Finding{f.At(e.Field(), "%s", evidence.Clean(e.Message))}, nil
			}
		}
		return unansweredCalls(s, names), nil
	},
})

// unansweredCalls are those to an HNS that is stopped, and did not crash. Windows starts it when it is needed,
// so that it is stopped is no fault by itself.
func unansweredCalls(s evidence.Snapshot, names []string) []*checks.Finding {
	svc, there := node.ServiceNamed(s, "hns")
	if !there {
		return nil
	}
	for _, event := range []int{serviceCrashed, serviceCrashedAgain} {
		if _, crashed := startEvent(s, event, names, func(evidence.WindowsEvent) bool { return true }); crashed {
			return nil
		}
	}
	for _, m := range s.Signs("hns-service-not-running") {
		if m.Text != rpcUnavailable || m.Over != "" {
			continue
		}
		f := checks.Findingf(checks.Fail, svc.Name, "service %s is %s, and calls to it fail", svc.Name, svc.State).
			At(svc.Field("state"), "%s: state %s, start type %s", svc.Name, svc.State, orUnknown(svc.StartType)).
			With(checks.Quote(m))
		f.Basis = checks.ByBoth
		return []*checks.Finding{f}
	}
	return nil
}

// rpcUnavailable is the answer to a call of a service that does not run.
const rpcUnavailable = "The RPC server is unavailable"

// withoutItsServices are the services without which HNS runs and refuses each call, where a log says
// that it does.
func withoutItsServices(s evidence.Snapshot) []*checks.Finding {
	format := "service %s, which HNS needs, is %s (start type %s): HNS refuses calls"
	if len(liveSigns(s, "hns-service-not-running")) == 0 {
		if !slices.ContainsFunc(s.Signs("hns-service-not-running"), func(m evidence.SignMatch) bool {
			return m.Text == newRule && m.Over == ""
		}) {
			return nil
		}
		format = "service %s, which HNS and the firewall need, is %s (start type %s): programs cannot add firewall rules"
	}
	for _, name := range []string{"BFE", "mpssvc", "nsi"} {
		svc, there := node.ServiceNamed(s, name)
		if there && !svc.Running() {
			return []*checks.Finding{checks.Findingf(checks.Fail, svc.Name, format, svc.Name,
				svc.State, orUnknown(svc.StartType)).
				At(svc.Field("state"), "%s: state %s, start type %s, exit code %d", svc.Name,
					svc.State, orUnknown(svc.StartType), svc.Exit()).Cure(checks.Steps(
				checks.Run("Set-Service "+name+" -StartupType Automatic; Start-Service "+name,
					"Enable and start service %s.", name),
				fixOf("hns-service-not-running").Steps[1],
				checks.Verify("Get-Service hns, "+name, "Status is Running")))}
		}
	}
	return nil
}

// newRule is in the error of a program, such as an exporter, that adds a rule to the firewall.
const newRule = "New-NetFirewallRule : There are no more endpoints available"

// hnsEnds are the events of the service manager which say that HNS does not run; their texts are in
// the language of Windows.
var hnsEnds = []struct {
	event int
	says  string
}{
	{serviceNotStarted, "HNS does not start"},
	{serviceDependency, "a service that HNS depends on does not start"},
	{serviceExited, "HNS ended with an error"},
	{serviceExitedOwn, "HNS ended with an error"},
}

func hnsNotRunningSigns() []checks.Sign {
	var signs []checks.Sign
	for i, text := range []string{"There are no more endpoints available from the endpoint mapper",
		"The service has not been started", serviceDisabled,
		"The dependency service or group failed to start"} {
		var not []string
		if i > 0 { // of dockerd's own network they are docker-nat-network-refused
			not = []string{"creating default network"}
		}
		signs = append(signs,
			checks.Sign{Text: text, Also: []string{"hnsCall failed in Win32"}, Not: not,
				Says: "HNS, or a service that it needs, is not running"},
			checks.Sign{Text: text, Also: []string{"hcn", "failed in Win32"}, Not: []string{"hnsCall"},
				Says: "HNS, or a service that it needs, is not running"})
	}
	signs = append(signs, checks.Sign{Text: newRule, ConfirmOnly: true})
	for _, call := range []string{"hcn", "hnsCall"} {
		signs = append(signs, checks.Sign{Text: rpcUnavailable, Also: []string{"failed in Win32", call}, ConfirmOnly: true})
	}
	in, until := []string{"other"}, []string{"The Host Network Service service entered the running state"}
	return append(signs,
		checks.Sign{Text: "The Host Network Service service depends on", Also: []string{"failed to start"}, In: in, Until: until,
			Says: "a service that HNS depends on does not start"},
		checks.Sign{Text: "The Host Network Service service terminated with the following", In: in, Until: until,
			Says: "HNS ended with an error"},
		checks.Sign{Text: "The Host Network Service service failed to start", In: in, Until: until,
			Says: "HNS does not start"})
}
