package faults

import (
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// nodeResetLog is the log of the script, to which each run appends.
const nodeResetLog = evidence.File(`C:\k\windowsnodereset.log`)

// resetPatience is how long the reset of a node may take.
const resetPatience = 10 * time.Minute

var _ = register(&checks.Check{
	ID:       "aks-node-reset-failed",
	Title:    "AKS node reset did not finish",
	Healthy:  "AKS node reset finished",
	Category: checks.CategoryComponents,
	Doc: `On AKS the scheduled task k8s-restart-job runs C:\k\windowsnodereset.ps1 at each boot: it
stops the kubelet and kube-proxy, deletes the HNS networks, creates them again, and starts the
services. If it stops half way, the services stay down. It waits without a limit for the node's IPv6
address where the cluster is dual-stack, and ends if kubeclusterconfig.json or the HNS module cannot
be read. The provisioning script then reports exit code 32.

The check reads windowsnodereset.log: a last run that began ten minutes before the evidence was
collected and did not end is a warning. A run takes a minute or two.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content C:\k\windowsnodereset.log -Tail 30`,
			"Read the last step of the script."),
		checks.Inspect("Get-ScheduledTaskInfo -TaskName k8s-restart-job",
			"Read the result of the task."),
		checks.Run("Start-ScheduledTask -TaskName k8s-restart-job",
			"Fix the error, then run the reset again.").
			Costs("The HNS networks are created again: pods on this node lose their network and restart."),
		checks.Verify(`Get-Content C:\k\windowsnodereset.log -Tail 1`,
			"Exiting windowsnodereset.ps1")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/blob/dev/staging/cse/windows/provisioningscripts/windowsnodereset.ps1",
		"https://github.com/Azure/AgentBaker/blob/dev/parts/windows/windowscsehelper.ps1"},
	Breaks:  []*checks.Effect{effectKubelet, effectNetworkCreation},
	Applies: notOutsideAKS,
	Needs:   []evidence.Need{nodeResetLog},
	Signs: []checks.Sign{
		{Text: "Set ExitCode to 32 and exit", In: aksLogs, Until: []string{"Setup Complete"},
			Says: "the provisioning script of AKS could not run the node reset"},
		// what the extension reports since February 2024
		{Text: "ExitCode: |32|", Not: []string{cseCommand}, In: aksLogs,
			Says: "the provisioning script of AKS could not run the node reset"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		f := s.File(string(nodeResetLog))
		if exists, known := f.Exists(); known && !exists {
			return nil, checks.Skip("the node has no windowsnodereset.log of AKS")
		}
		began, last, number := "", "", 0
		count := 0
		for line := range strings.Lines(f.Text) {
			count++
			line = strings.TrimSpace(line)
			switch {
			case strings.HasSuffix(line, ": Entering windowsnodereset.ps1"):
				began, number = line, count
			case strings.HasSuffix(line, ": Exiting windowsnodereset.ps1"):
				began = ""
			}
			if line != "" {
				last = line
			}
		}
		at, err := time.Parse(time.RFC3339Nano, strings.TrimSuffix(began,
			": Entering windowsnodereset.ps1"))
		if began == "" || err != nil || s.Now().Sub(at) < resetPatience {
			return nil, nil
		}
		place := evidence.InFile(f.Path)
		place.Line = number
		return []*checks.Finding{checks.Findingf(checks.Warn, "windowsnodereset.ps1",
			"the node reset of AKS began at %s and did not end",
			at.UTC().Format("2006-01-02 15:04 UTC")).
			At(place, "%s", evidence.Clean(began)).
			At(evidence.InFile(f.Path), "the last line is: %s", evidence.Clean(last))}, nil
	},
})

// notOutsideAKS is the Applies of checks whose files only AKS has: a node that did not join may show
// nothing else of who set it up.
func notOutsideAKS(n *node.Node) error {
	if !n.Platform.Known() {
		return nil
	}
	return checks.OnPlatform(node.AKS)(n)
}
