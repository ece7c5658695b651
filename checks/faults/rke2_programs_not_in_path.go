package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "rke2-programs-not-in-path",
	Title:    "RKE2 does not find its programs",
	Healthy:  "RKE2 finds its programs",
	Category: checks.CategoryComponents,
	Doc: `RKE2 unpacks containerd, the kubelet and the other programs to C:\var\lib\rancher\rke2\bin and
starts them by their names. The installation guide asks to add that folder to the PATH
of the machine. If it is missing there, or the service was started before it was set, the agent
starts nothing and the node does not join.

The check looks for the error in the log of the agent. It is skipped where other programs of RKE2 are
recorded and containerd.exe is recorded as missing, and where the extraction of the programs was cut off: no PATH finds it
then.`,
	Fix: checks.Steps(
		checks.Run(`[Environment]::SetEnvironmentVariable("Path", [Environment]::GetEnvironmentVariable("Path", "Machine") + ";C:\var\lib\rancher\rke2\bin;C:\usr\local\bin", "Machine")`,
			"Add the folders of RKE2 to the PATH of the machine.").
			Costs("Running services see the new value only after a restart, some only after a reboot."),
		checks.Run("Restart-Service rke2",
			"Restart the agent.").
			Costs("The kubelet and the network agents of the node restart."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://docs.rke2.io/install/quickstart",
		"https://github.com/rancher/rke2/issues/2300",
	},
	Breaks:  startedByAgent,
	Applies: checks.UnlessElsewhere(node.RKE2),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("rke2"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:    []evidence.Need{evidence.FileIndex},
	Signs: []checks.Sign{
		// k3s's pkg/agent/containerd and the executor of RKE2 word it in two ways
		{Text: "containerd: exec: ", Or: []string{"containerd exited: exec: "},
			Also:  []string{"executable file not found in %PATH%"},
			Not:   []string{"failed to start containerd"}, // as Docker says
			Until: rke2Joined,
			Says:  "the folder with the programs of RKE2 is not in the PATH of the agent"},
		{Text: extractionFailed, In: []string{evidence.InEvents, "rke2"}, Until: extractsAgain, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if dir := rke2Incomplete(s); dir != "" {
			return nil, checks.Skip("containerd.exe is missing in %s: the PATH is not why RKE2 does not find it", dir)
		}
		if slices.ContainsFunc(s.Signs("rke2-programs-not-in-path"), func(m evidence.SignMatch) bool {
			return m.Text == extractionFailed && m.Over == ""
		}) {
			return nil, checks.Skip("the extraction of the programs failed: the PATH is not why RKE2 does not find containerd.exe")
		}
		if _, told := liveSign(s, "rke2-programs-not-in-path"); told {
			return nil, checks.Unknown(evidence.NotDecided.Gap("only logs show this fault on this node"))
		}
		return nil, nil
	},
})

// extractionFailed is what RKE2 says where it did not extract all programs. A later start takes the folders for
// complete, so only another extraction ends it.
const extractionFailed = "failed to extract runtime image"

var extractsAgain = []string{"Extracting file bin"}

// rke2Incomplete is the folder with programs of RKE2 in which containerd.exe was looked for and not found. A
// folder in which nothing was found may be that of another data-dir.
func rke2Incomplete(s evidence.Snapshot) string {
	missing, programs := map[string]string{}, map[string]bool{}
	for _, r := range evidence.FileIndex.In(s) {
		at := strings.LastIndex(r.Path, `\`)
		if at < 0 {
			continue
		}
		dir, name := strings.ToLower(r.Path[:at]), strings.ToLower(r.Path[at+1:])
		switch {
		case !strings.HasSuffix(dir, `\rancher\rke2\bin`):
		case r.Outcome != evidence.Absent:
			programs[dir] = programs[dir] || strings.HasSuffix(name, ".exe")
		case name == "containerd.exe":
			missing[dir] = r.Path[:at]
		}
	}
	for dir, path := range missing {
		if programs[dir] {
			return path
		}
	}
	return ""
}
