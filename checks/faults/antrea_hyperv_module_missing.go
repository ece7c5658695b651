package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const hypervModule = "Hyper-V-PowerShell"

var _ = register(&checks.Check{
	ID:       "antrea-hyperv-module-missing",
	Title:    "Antrea agent does not find the PowerShell module of Hyper-V",
	Healthy:  "Antrea agent has the PowerShell module of Hyper-V",
	Category: checks.CategoryComponents,
	Doc: `The agent of Antrea sets up its virtual switch with Get-VMSwitch and Get-VMNetworkAdapter,
which are cmdlets of the Windows feature Hyper-V-PowerShell. Without the feature the agent exits, and
its pod restarts again and again. The feature does not need a processor with virtualization.

The check compares the feature with the state of Antrea's agent: an agent that runs is no fault. Where the
agent's log ends with an error that names no cmdlet of Hyper-V, the missing feature is only info.`,
	Fix: checks.Steps(
		checks.Run("Install-WindowsFeature Hyper-V-PowerShell", "Install the PowerShell module of Hyper-V."),
		checks.Run("{restart antrea-agent}", "Restart Antrea's agent.").
			Costs("The node loses its network for a few seconds."),
		checks.Verify("Get-Command Get-VMNetworkAdapter", "the cmdlet is found")),
	Links: []string{"https://github.com/antrea-io/antrea/blob/main/docs/windows.md",
		"https://github.com/sherland/k3s-windows-poc"},
	Breaks:   []*checks.Effect{effectNetworkCreation, effectServices},
	Explains: []string{"antrea-ovs-problem"},
	Applies:  checks.OnCNI(node.Antrea),
	Needs:    []evidence.Need{evidence.Features, evidence.Any(evidence.Pods, node.ComponentSources)},
	Uses:     []evidence.Need{evidence.Pods, evidence.Services, evidence.Processes},
	Signs: []checks.Sign{
		// cmd/antrea-agent: its last words, of whatever error
		{Text: agentEnds, In: []string{"antrea-agent"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		state := featureState(s, hypervModule)
		if state == "" {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the state of the Windows feature Hyper-V-PowerShell"))
		}
		if state == "installed" {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, hypervModule,
			"Antrea's agent does not run: Windows feature %s is %s (expected: installed)", hypervModule, state).
			At(evidence.Features.Field(s, hypervModule), "%s is %s", hypervModule, state)
		if m, other := endsOtherwise(s); other {
			return []*checks.Finding{checks.Findingf(checks.Info, hypervModule,
				"Windows feature %s is %s, and Antrea's agent ends with another error", hypervModule, state).
				At(evidence.Features.Field(s, hypervModule), "%s is %s", hypervModule, state).With(checks.Quote(m))}, nil
		}
		for _, p := range evidence.Pods.In(s) {
			if strings.HasPrefix(p.Metadata.Name, "antrea-agent-windows") && node.PodDown(p) {
				return []*checks.Finding{f.At(p.Field("status"), "%s: %s", p.FullName(), podState(p))}, nil
			}
		}
		if svc, there := node.ServiceNamed(s, "antrea-agent"); there && !svc.Running() && !processRuns(s, "antrea-agent") {
			return []*checks.Finding{f.At(svc.Field("state"), "%s: state %s", svc.Name, svc.State)}, nil
		}
		return nil, nil
	},
})

const agentEnds = "Error running agent: "

// endsOtherwise is the error with which Antrea's agent ended last, where it is not of a cmdlet. The errors of
// PowerShell name the cmdlet, or the command in which it stands.
func endsOtherwise(s evidence.Snapshot) (last evidence.SignMatch, other bool) {
	for _, m := range s.Signs("antrea-hyperv-module-missing") {
		if m.Over == "" && (!other || m.Last.After(last.Last)) {
			last, other = m, true
		}
	}
	said := strings.ToLower(last.Found + last.Tail)
	return last, other && !strings.Contains(said, "get-") && !strings.Contains(said, "-vm") && !strings.Contains(said, "recognized") &&
		!strings.Contains(said, "powershell") && !strings.Contains(said, "exit status")
}
