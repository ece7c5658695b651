package checks

import (
	"slices"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "source-vip-json-corrupt",
	Title:    "the source VIP's file holds an error instead of an address",
	Category: CategoryNetwork,
	FAQ:      []int{7},
	Doc: `The start script hands a request to host-local and keeps its answer in sourceVip.json. host-local refuses a request that begins with a byte order mark or was written in another code page, and answers with an error object; the script keeps that as if it were the address, and kube-proxy starts without a source VIP.

A byte order mark in sourceVip.json itself is how Windows PowerShell writes files, and no fault.`,
	Fix: Fix{
		Text:     "remove both files, write the request as ASCII (Set-Content -Encoding ascii), and start kube-proxy's script again",
		Commands: []string{`Remove-Item C:\k\sourceVip.json, C:\k\sourceVipRequest.json, C:\sourcevip\sourceVip.json, C:\sourcevip\sourceVipRequest.json -ErrorAction SilentlyContinue`},
		Impact:   "Services do not answer from this node until kube-proxy has programmed them again",
	},
	Links:    []string{"https://github.com/MicrosoftDocs/Virtualization-Documentation/issues/1240"},
	Explains: []string{"kube-proxy-flags-overlay", "hns-lb-missing-or-stale", "source-vip-invalid", "kube-proxy-not-running"},
	Applies: func(n *Node) error {
		if n.CNI.Value == Calico || n.CNI.Value == OVN {
			return Skip("%s keeps the source VIP as an HNS endpoint of its own", n.CNI.Value)
		}
		if !n.Backend.Known() {
			return nil // the file itself shows that somebody meant an overlay network
		}
		return n.onBackend(OverlayNet)
	},
	Needs: []evidence.Need{evidence.Any(evidence.File(sourceVIPFiles[0]), evidence.File(sourceVIPFiles[1]))},
	Uses:  asFiles(slices.Concat(sourceVIPFiles, sourceVIPRequests)),
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		var findings []Finding
		there := false
		for i, path := range sourceVIPFiles {
			f := s.File(path)
			if f.Gap != "" {
				continue
			}
			there = true
			vip, err := evidence.DecodeSourceVIP([]byte(f.Text))
			var finding Finding
			switch {
			case err != nil:
				finding = Findingf(Fail, path, "%s holds no address: %v", path, err).At(f.Path, "%v", err)
			case vip.ErrorMsg != "" || vip.ErrorCode != 0:
				finding = Findingf(Fail, path, "%s holds an error of host-local where the address should be: %s", path, vip.ErrorMsg).At(f.Path, "code %d, msg %s", vip.ErrorCode, vip.ErrorMsg)
			case vip.IP == "":
				finding = Findingf(Fail, path, "%s names no address", path).At(f.Path, "neither ip4.ip nor ips[0].address is set")
			default:
				continue
			}
			if request := s.File(sourceVIPRequests[i]); request.Gap == "" && request.BOM {
				finding = finding.At(request.Path, "begins with a byte order mark, which host-local refuses")
			}
			findings = append(findings, finding)
		}
		if !there {
			return nil, Skip("the node keeps no source VIP in a file")
		}
		return findings, nil
	},
})
