package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const calicoScript = `C:\CalicoWindows\config.ps1`

var _ = register(checks.Check{
	ID:       "calico-placeholder-service-cidr",
	Title:    "Calico was installed with a placeholder for the service CIDR",
	Category: checks.CategoryNetwork,
	Doc: `Calico's manual installation for Windows reads C:\CalicoWindows\config.ps1, which
comes with "<your service cidr>" where the service CIDR belongs. Left as it is, that text goes into
the CNI configuration and from there, as it stands, into the OutBoundNAT and SDNRoute policies of
every pod's HNS endpoint. HNS takes the endpoint, cannot apply the policy, and refuses to attach it:
pods stop in ContainerCreating over an endpoint in an invalid state.

The check looks for what is no CIDR in the policies of this node's own endpoints, then in the CNI
configuration. The script convicts where neither shows that another value won.`,
	Fix: checks.Steps(
		checks.Run(`Select-String -Path C:\CalicoWindows\config.ps1 -Pattern 'K8S_SERVICE_CIDR|DNS_NAME_SERVERS'`, `set K8S_SERVICE_CIDR in C:\CalicoWindows\config.ps1 to the cluster's service CIDR ({serviceCIDR}), install Calico's services again so that the CNI configuration is rewritten, and have the node's pods made anew`).
			Costs("every pod of this node is replaced, and the node is off the network for some seconds"),
		checks.Run(`C:\CalicoWindows\uninstall-calico.ps1`, ""),
		checks.Run(`C:\CalicoWindows\install-calico.ps1`, ""),
		checks.Run("kubectl delete pods -A --field-selector spec.nodeName={node}", "")),
	Links: []string{"https://github.com/containerd/containerd/issues/5729",
		"https://github.com/projectcalico/felix/issues/2893",
		"https://github.com/projectcalico/cni-plugin/issues/1158",
		"https://github.com/projectcalico/calico/issues/5189"},
	Breaks: []*checks.Effect{effectPodStart, effectServices, effectContainers},
	Explains: []string{"calico-policy-config-invalid", "cni-config-invalid",
		"outboundnat-exception-missing", "outboundnat-exception-too-broad",
		"route-policy-missing", "container-invalid-state"},
	Applies: checks.OnCNI(node.Calico),
	Needs: []evidence.Need{evidence.Any(evidence.HNSEndpoints, node.NeedCNIFiles,
		evidence.File(calicoScript))},
	Uses: []evidence.Need{evidence.HNSEndpoints, evidence.File(calicoScript), evidence.Env},
	Signs: []checks.Sign{
		{Text: "<your service cidr>",
			Says: "Calico works with the placeholder of its own installation script instead of the service CIDR"},
		onEndpointDegraded(),
		{Text: "The requested operation for attach namespace failed",
			Or:   []string{"0x803b002e", "2151350318"},
			Says: "HNS cannot attach a pod's endpoint, as when its policies hold a placeholder in place of the service CIDR"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		n := node.About(s)
		for _, e := range evidence.HNSEndpoints.In(s) {
			if e.Remote {
				continue
			}
			for _, text := range policyPrefixes(e) {
				if !isCIDR(text) {
					return []checks.Finding{checks.Findingf(checks.Fail, node.EndpointName(e),
						"%s has a policy for %q, which is no CIDR", node.EndpointName(e), text).
						At(e.Field("Policies"), "%s: OutBoundNAT or SDNRoute names %s",
							node.EndpointName(e), text)}, nil
				}
			}
		}
		told := false // the CNI configuration shows a value, and it is a CIDR
		if f := n.Intended(); f != nil && f.Config != nil {
			for _, r := range f.Config.Routes {
				if r.Prefix == "" {
					continue // lost, or another plugin's shape
				}
				if !isCIDR(r.Prefix) {
					return []checks.Finding{badCNIPrefix(f, r.Spot, r.Prefix)}, nil
				}
				told = true
			}
			for _, e := range f.Config.Exceptions {
				for _, text := range e.Exceptions {
					if !isCIDR(text) {
						return []checks.Finding{badCNIPrefix(f, e.Spot, text)}, nil
					}
					told = true
				}
			}
		}
		script := s.File(calicoScript)
		m := setsServiceCIDR.FindStringSubmatchIndex(script.Text)
		if m == nil || told || isCIDR(evidence.Env.In(s)["K8S_SERVICE_CIDR"]) {
			return nil, nil
		}
		value := script.Text[m[2]:m[3]]
		if isCIDR(value) || strings.HasPrefix(value, "$") { // worked out as the script runs
			return nil, nil
		}
		line := strings.Count(script.Text[:m[2]], "\n") + 1
		return []checks.Finding{checks.Findingf(checks.Fail, calicoScript,
			"%s sets the service CIDR to %q, and pods to come get that into their policies",
			calicoScript, value).
			At(evidence.InLine(script.Path, line), "K8S_SERVICE_CIDR is %s", value)}, nil
	},
})

// setsServiceCIDR finds the value in both forms that the script has had.
var setsServiceCIDR = regexp.MustCompile(
	`(?mi)^[^#\n]*K8S_SERVICE_CIDR["']?\s*(?:=|-defaultValue)\s*["']([^"'\n]+)["']`)

// policyPrefixes are the texts of an endpoint's policies that must be CIDRs.
func policyPrefixes(e evidence.HNSEndpoint) []string {
	var texts []string
	for _, nat := range e.OutBoundNAT() {
		if !nat.Truncated {
			texts = append(texts, nat.Exceptions...)
		}
	}
	for _, r := range e.SDNRoutes() {
		if !r.Truncated && r.Prefix != "" {
			texts = append(texts, r.Prefix)
		}
	}
	return texts
}

func isCIDR(s string) bool {
	_, prefix := node.ParsePrefix(s)
	_, address := node.ParseAddress(s)
	return prefix || address && !strings.Contains(s, "/")
}

func badCNIPrefix(f *node.CNIFile, spot evidence.Spot, text string) checks.Finding {
	return checks.Findingf(checks.Fail, f.Name,
		"the CNI configuration %s has a policy for %q, which is no CIDR", f.Name,
		text).At(f.File.At(spot), "policy for %s", text)
}

// onEndpointDegraded confirms only: an endpoint comes to be degraded in many ways.
func onEndpointDegraded() checks.Sign {
	sign := checks.SignOfCode("HCN_E_DEGRADED_OPERATION", "", "Endpoint is in invalid state")
	sign.ConfirmOnly = true
	return sign
}
