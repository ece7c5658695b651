package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flannel-subnet-env-missing",
	Title:    "flannel file subnet.env is missing",
	Healthy:  "flannel file subnet.env exists",
	Category: checks.CategoryNetwork,
	FAQ:      []int{9},
	Doc: `The flannel CNI plugin reads C:\run\flannel\subnet.env for every pod. flanneld writes it
as the last step of its start, once it has a subnet from the Node object and the HNS network exists.
A missing file therefore always has a reason further up in flanneld's log; without such a reason it
is missing only if something cleared C:\run. --subnet-file of flanneld and subnetFile of the CNI configuration
name another file.`,
	Fix: checks.Steps(
		checks.Run("{restart flanneld}",
			"Restart flanneld, which writes the file. If it does not, read its log for the reason.").
			Costs("The node loses its network for a few seconds if flanneld creates the HNS network."),
		checks.Verify(`Get-Content C:\run\flannel\subnet.env`,
			"FLANNEL_SUBNET with a subnet of {podCIDR}")),
	Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/76"},
	Judges:  effectSubnetEnv,
	Applies: usesFlannel,
	Needs:   []evidence.Need{evidence.File(node.SubnetEnv)},
	Uses:    append(slices.Clone(node.CNISources), evidence.Processes),
	Signs: []checks.Sign{
		// In any language of Windows. Pods may come before flanneld has written the file.
		{Text: "open /run/flannel/subnet.env: ", Not: deniedFile, Until: subnetWritten,
			Says: "the flannel CNI plugin cannot find /run/flannel/subnet.env"},
		{Text: `open C:\run\flannel\subnet.env: `, Or: []string{`open C:\\run\\flannel\\subnet.env: `},
			Not: deniedFile, Until: subnetWritten,
			Says: `the flannel CNI plugin cannot find C:\run\flannel\subnet.env`},
		// flanneld, which goes on without it: main.go
		{Text: "Failed to write subnet file: ", In: []string{"flanneld"}, Until: subnetWritten, Fix: checks.Steps(
			checks.Inspect(`Get-Item C:\run\flannel, C:\run\flannel\subnet.env | Get-Acl | Format-List Path, Owner, AccessToString`,
				"See who may write the file."),
			checks.Do("Correct what the error names: the rights of the folder, or the program that has the file open."),
			flanneldAgain,
			checks.Verify(`Get-Content C:\run\flannel\subnet.env`,
				"FLANNEL_SUBNET with a subnet of {podCIDR}")),
			Says: "flanneld cannot write subnet.env"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		file := node.About(s).SubnetFile()
		f := s.File(file)
		switch {
		case f.Gap.Kind == evidence.NotCollected && !strings.EqualFold(file, node.SubnetEnv):
			return nil, checks.Unknown(f.Gap)
		case f.Gap.Kind != evidence.Absent:
			return nil, nil
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, file,
			"%s is missing, and the flannel CNI plugin needs it for every pod", file).
			At(evidence.InFile(f.Path), "looked for, and absent")}, nil
	},
})

// deniedFile marks a file that is there and cannot be read.
var deniedFile = []string{"denied", "being used by another process"}
