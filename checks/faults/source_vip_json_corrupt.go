package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "source-vip-json-corrupt",
	Title:    "Source VIP file contains no address",
	Healthy:  "Source VIP file contains an address",
	Category: checks.CategoryNetwork,
	FAQ:      []int{7},
	Doc: `The start script sends a request to host-local and saves the answer in sourceVip.json.
host-local refuses a request that begins with a byte order mark or was written in another code page,
and returns an error object; the script saves it as if it were the address, and kube-proxy starts
without a source VIP.

kube-proxy's start scripts read the address where the answer to their request has it: in ip4.ip of CNI 0.2.0, in ips[0].address
since 0.3.0. They keep a file that exists, and the script of a newer image does not find the address in an older file.

A byte order mark in sourceVip.json itself is how Windows PowerShell writes files, and is not a
fault.`,
	Fix: checks.Steps(
		checks.Run(removeVIPFiles,
			"Delete both source VIP files."),
		checks.Do("In the start script, write the request as ASCII: Set-Content -Encoding ascii."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Services do not answer from this node until kube-proxy has programmed them again."),
		checks.Verify(
			`Get-Content C:\k\sourceVip.json, C:\sourcevip\sourceVip.json -ErrorAction SilentlyContinue`,
			"an address in ip4.ip")),
	Links: []string{"https://github.com/MicrosoftDocs/Virtualization-Documentation/issues/1240",
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/308"},
	Breaks:   []*checks.Effect{effectKubeProxy, effectServiceRules},
	Explains: []string{"kube-proxy-flags-overlay", "source-vip-invalid"},
	Applies: func(n *node.Node) error {
		if n.CNI.Value == node.Calico || n.CNI.Value == node.OVN {
			return checks.Skip("%s keeps the source VIP as an HNS endpoint of its own", n.CNI.Value)
		}
		if !n.Backend.Known() {
			return nil // the file itself shows that somebody meant an overlay network
		}
		return checks.RequireBackend(n, node.OverlayNet)
	},
	Needs: []evidence.Need{evidence.Any(evidence.File(node.SourceVIPFiles[0]),
		evidence.File(node.SourceVIPFiles[1]))},
	Uses: append(node.AsFiles(slices.Concat(node.SourceVIPFiles, node.SourceVIPRequests)), evidence.Processes),
	Signs: []checks.Sign{
		{Text: oldVIPRead, Or: []string{newVIPRead}, Also: []string{"+ "}, Not: []string{"DEBUG"},
			In: []string{"kube-proxy", "pods"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		there := false
		for i, path := range node.SourceVIPFiles {
			f := s.File(path)
			if f.Gap.Kind != "" {
				continue
			}
			there = true
			vip, err := evidence.DecodeSourceVIP([]byte(f.Text))
			var finding *checks.Finding
			switch {
			case err != nil:
				finding = checks.Findingf(checks.Fail, path, "%s contains no address: %v", path,
					err).At(evidence.InFile(f.Path), "%v", err)
			case vip.ErrorMsg != "" || vip.ErrorCode != 0:
				finding = checks.Findingf(checks.Fail, path,
					"%s contains a host-local error instead of an address: %s", path,
					vip.ErrorMsg).At(f.Field("code"), "code %d, msg %s", vip.ErrorCode,
					vip.ErrorMsg)
			case vip.IP == "":
				finding = checks.Findingf(checks.Fail, path, "%s contains no address",
					path).At(f.Field("ip4", "ip"), "neither ip4.ip nor ips[0].address is set")
			default:
				if finding = vipOfOtherCNI(s, f, path, vip); finding == nil {
					continue
				}
			}
			if request := s.File(node.SourceVIPRequests[i]); request.Gap.Kind == "" && request.BOM {
				finding = finding.At(evidence.InFile(request.Path),
					"begins with a byte order mark, which host-local refuses")
			}
			findings = append(findings, finding)
		}
		if !there {
			return nil, checks.Skip("the node keeps no source VIP in a file")
		}
		return findings, nil
	},
})

// What PowerShell quotes of the start script, behind "+ ", where the value is not there.
const (
	oldVIPRead = ".ip4.ip.Split("
	newVIPRead = ".ips[0].address.Split("
)

// vipOfOtherCNI finds a start script that looks for the address where this answer does not have it.
// Where kube-proxy runs, the error is of an image that was replaced since.
func vipOfOtherCNI(s evidence.Snapshot, f evidence.NodeFile, path string, vip evidence.SourceVIP) *checks.Finding {
	if processRuns(s, "kube-proxy") {
		return nil
	}
	has, reads, quote, want := "ips[0].address", "ip4.ip", oldVIPRead, "an address in ip4.ip"
	if vip.Old {
		has, reads, quote, want = reads, has, newVIPRead, "an address in ips[0].address"
	}
	for _, m := range s.Signs("source-vip-json-corrupt") {
		if strings.Contains(m.Found, quote) {
			return checks.Findingf(checks.Fail, path,
				"%s has the address in %s, and the start script of kube-proxy reads %s", path, has, reads).
				At(f.At(vip.Spot), "the address is %s", vip.Prefix).With(checks.Quote(m)).
				Cure(checks.Steps(
					checks.Run(removeVIPFiles, "Delete both source VIP files."),
					checks.Do("Delete the file of that address below C:\\var\\lib\\cni\\networks: host-local reserves an address for kube-proxy again."),
					checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
						Costs("Services do not answer from this node until kube-proxy has programmed them again."),
					checks.Verify("Get-Content "+path, want)))
		}
	}
	return nil
}

const removeVIPFiles = `Remove-Item C:\k\SourceVip.json, C:\k\SourceVipRequest.json, C:\sourcevip\sourceVip.json, C:\sourcevip\sourceVipRequest.json -ErrorAction SilentlyContinue`
