package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// smbFailure is one way in which Windows refuses to map a share, with its cure.
type smbFailure struct {
	codes []string
	words string // of an English Windows, for a line that was cut off before the code
	says  string
	fix   checks.Fix
}

const (
	smbMapping = "SmbGlobalMapping"
	smbOther   = "New-SmbGlobalMapping failed on this node"
)

var smbFailures = []smbFailure{
	{[]string{"Windows System Error 1326"}, "The user name or password is incorrect",
		"the file server refuses the user name or password (error 1326)", checks.Steps(
			checks.Inspect("Get-SmbGlobalMapping", ""),
			checks.Run(`Remove-SmbGlobalMapping -RemotePath \\SERVER\SHARE -Force`,
				`correct the Secret of the volume: the user name needs its domain (DOMAIN\user), for Azure Files it is AZURE\ACCOUNT with the account's key; and look for another mapping of the same server with other credentials, of which Windows allows only one`).
				Costs("pods of this node that use the removed mapping lose their volume until it is mapped again"))},
	{[]string{"Windows System Error 65,"}, "Network access is denied",
		"Windows denies the access, as it does when it has another mapping of the same server (error 65)", checks.Steps(
			checks.Inspect("Get-SmbGlobalMapping", ""),
			checks.Run(`Remove-SmbGlobalMapping -RemotePath \\SERVER\SHARE -Force`,
				"remove the stale mapping of the same server, and use one set of credentials for all shares of a server: Windows allows no second").
				Costs("pods of this node that use the removed mapping lose their volume until it is mapped again"))},
	{[]string{"Windows System Error 53,"}, "The network path was not found",
		"the node does not find or reach the file server (error 53)", checks.Steps(
			checks.Inspect("Resolve-DnsName SERVER", ""),
			checks.Inspect("Test-NetConnection SERVER -Port 445", ""),
			checks.Do("name the server by a name or address that the node itself resolves: the cluster's DNS (….svc.cluster.local) serves pods only; and see that port 445 is open between them"))},
	{[]string{"Windows System Error 87,"}, "SmbGlobalMapping : The parameter is incorrect",
		`the name of the share is malformed: "The parameter is incorrect"`, checks.Steps(
			checks.Inspect(
				"kubectl get pv -o custom-columns=NAME:.metadata.name,SOURCE:.spec.csi.volumeAttributes.source", ""),
			checks.Do("write the source of the volume as //SERVER/SHARE, without a slash at the end and without a second one inside").
				Costs("a PersistentVolume with another source must be made anew"))},
	{formsOf("STATUS_DLL_INIT_FAILED"), "",
		"the mapping could not be tried: no process starts any more on this node (0xc0000142)",
		checks.Steps(
			checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
				"the desktop heap or the memory of the node is used up, and the share is not to blame: drain and reboot the node, then run fewer pods on it").
				Costs("the pods of this node are evicted, and their emptyDir volumes are lost"),
			checks.Run("Restart-Computer", ""))},
}

var _ = register(checks.Check{
	ID:       "smb-global-mapping-failed",
	Title:    "an SMB share cannot be mapped on the node",
	Category: checks.CategoryStorage,
	Doc: `SMB and Azure Files volumes are mapped once for the whole node, by
New-SmbGlobalMapping, and then linked into pods. Windows tells why it fails by a number that stands
behind its localised message: 1326 is a wrong secret, 65 usually a second mapping of the same server
with other credentials, 53 a server that the node does not find, and exit status 0xc0000142 has
nothing to do with shares: no process starts any more.

The number is in the event of the pod (FailedMount) and in the logs of the kubelet, the driver and
csi-proxy; nothing else in a recording shows the mapping. A pod that has become Ready since speaks
for itself.`,
	Fix: checks.Steps(
		checks.Inspect("Get-SmbGlobalMapping", ""),
		checks.Run(`New-SmbGlobalMapping -RemotePath \\SERVER\SHARE -Credential (Get-Credential)`,
			"read the error behind the message, and try the mapping by hand on the node").
			Costs("none, unless the mapping replaces another")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/655",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/453",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/520",
		"https://github.com/kubernetes-csi/csi-proxy/issues/311",
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/2082",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"),
		evidence.Logs("csi-proxy"))},
	Signs: smbSigns(),
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, m := range s.Signs("smb-global-mapping-failed") {
			if m.Over != "" {
				continue
			}
			f := smbFinding(m)
			if i := slices.IndexFunc(findings, func(g checks.Finding) bool {
				return g.Message() == f.Message()
			}); i >= 0 {
				if len(findings[i].Because) < checks.MaxQuotes {
					findings[i] = findings[i].With(checks.Quote(m))
				}
				continue
			}
			findings = append(findings, f.With(checks.Quote(m)))
		}
		return findings, nil
	},
})

// smbSigns makes a sign of each failure, and one of those that are none of them.
func smbSigns() []checks.Sign {
	var signs []checks.Sign
	other := checks.Sign{Text: "NewSmbGlobalMapping failed", Says: smbOther}
	for _, failure := range smbFailures {
		signs = append(signs, checks.Sign{Text: failure.codes[0], Or: failure.codes[1:],
			Also: []string{smbMapping}, Says: failure.says})
		other.Not = append(other.Not, failure.codes...)
		if failure.words != "" {
			signs = append(signs, checks.Sign{Text: failure.words, Also: []string{smbMapping},
				Not: failure.codes, Says: failure.says})
			other.Not = append(other.Not, failure.words)
		}
	}
	return append(signs, other)
}

func formsOf(symbol string) []string {
	s := checks.SignOfCode(symbol, "")
	return append([]string{s.Text}, s.Or...)
}

func smbFinding(m evidence.SignMatch) checks.Finding {
	f := checks.Findingf(checks.Fail, "SMB share", "%s", smbOther)
	for _, failure := range smbFailures {
		if m.Text == failure.words || slices.Contains(failure.codes, m.Text) {
			f = checks.Findingf(checks.Fail, "SMB share", "%s",
				evidence.Phrasef(failure.says)).Cure(failure.fix)
		}
	}
	f.Subject = cmp.Or(smbShare(m.Found), f.Subject)
	f.Basis = checks.ByText
	return f
}

// smbShare takes the share out of `mount "//server/share" on`, as the driver writes it.
func smbShare(line string) string {
	line = strings.ReplaceAll(line, `\"`, `"`)
	_, rest, ok := strings.Cut(line, `mount "//`)
	if !ok {
		return ""
	}
	share, _, ok := strings.Cut(rest, `"`)
	if !ok || len(share) > node.MaxFact {
		return ""
	}
	return "//" + share
}
