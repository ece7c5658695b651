package faults

import (
	"regexp"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const calicoScript = `C:\CalicoWindows\config.ps1`

var _ = register(&checks.Check{
	ID:       "calico-placeholder-service-cidr",
	Title:    "Calico service CIDR is a placeholder",
	Healthy:  "Calico service CIDR is set",
	Category: checks.CategoryNetwork,
	Doc: `Calico's manual installation for Windows reads C:\CalicoWindows\config.ps1, which
contains "<your service cidr>" in place of the service CIDR. If it is not replaced, this text
goes into the CNI configuration, and from there into the OutBoundNAT and SDNRoute policies of every
pod's HNS endpoint. HNS creates the endpoint but cannot apply the policy, and refuses to attach it:
pods stay in ContainerCreating because the endpoint is in an invalid state.

The check looks for values that are not CIDRs in the policies of this node's own endpoints, then in
the CNI configuration. It uses the script only where neither of them shows another value.`,
	Fix: checks.Steps(
		checks.Edit(calicoScript, "Set K8S_SERVICE_CIDR to the service CIDR {serviceCIDR}."),
		checks.Run(`C:\CalicoWindows\uninstall-calico.ps1; C:\CalicoWindows\install-calico.ps1`,
			"Install the Calico services again: this rewrites the CNI configuration.").
			Costs("The node and its pods lose their network for a few seconds."),
		checks.Run("kubectl delete pods -A --field-selector spec.nodeName={node}",
			"Recreate the pods of this node: running pods keep the old policies.").
			Costs("All pods of this node restart."),
		checks.Verify("Get-HnsEndpoint | Select-Object Name, Policies | ConvertTo-Json -Depth 6",
			"{serviceCIDR} instead of the placeholder")),
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
		// The second form is that of JSON as Go writes it: containerd issue 5729.
		{Text: "<your service cidr>", Or: []string{`\u003cyour service cidr\u003e`},
			Says: "Calico uses the placeholder of its installation script as the service CIDR"},
		onEndpointDegraded(),
		// without Calico too, and for other reasons: AKS 3627, nerdctl 2412, buildkit 5668
		{Text: "The requested operation for attach namespace failed",
			Or: []string{"0x803b002e", "2151350318"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		for _, e := range evidence.HNSEndpoints.In(s) {
			if e.Remote {
				continue
			}
			for _, text := range policyPrefixes(e) {
				if !isCIDR(text) {
					return []*checks.Finding{checks.Findingf(checks.Fail, node.EndpointName(e),
						"%s has %q in an HNS policy; expected: a CIDR", node.EndpointName(e), text).
						At(e.Field("Policies"), "%s: OutBoundNAT or SDNRoute names %s",
							node.EndpointName(e), text).Cure(calicoCIDRFix(s))}, nil
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
					return []*checks.Finding{badCNIPrefix(s, f, r.Spot, r.Prefix)}, nil
				}
				told = true
			}
			for _, e := range f.Config.Exceptions {
				for _, text := range e.Exceptions {
					if !isCIDR(text) {
						return []*checks.Finding{badCNIPrefix(s, f, e.Spot, text)}, nil
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
		fix := calicoCIDRFix(s)
		if cidrs := node.About(s).ServiceCIDRs.Value; len(cidrs) > 0 {
			fix = withFirst(fix, checks.EditAt(s, evidence.InLine(script.Path, line),
				func(text string) string {
					return strings.Replace(text, value, cidrs[0].String(), 1)
				}, "Set K8S_SERVICE_CIDR to the service CIDR {serviceCIDR}."))
		}
		return []*checks.Finding{checks.Findingf(checks.Fail, calicoScript,
			"%s sets K8S_SERVICE_CIDR to %q; new pods get this text in their HNS policies",
			calicoScript, value).
			At(evidence.InLine(script.Path, line), "K8S_SERVICE_CIDR is %s", value).
			Cure(fix)}, nil
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

func badCNIPrefix(s evidence.Snapshot, f *node.CNIFile, spot evidence.Spot,
	text string) *checks.Finding {
	return checks.Findingf(checks.Fail, f.Name,
		"CNI configuration %s has %q in a policy; expected: a CIDR", f.Name,
		text).At(f.File.At(spot), "policy for %s", text).Cure(calicoCIDRFix(s))
}

// calicoCIDRFix sets the service CIDR where it comes from: in the script of the manual
// installation, or in the Installation of the operator where the node has no script.
func calicoCIDRFix(s evidence.Snapshot) checks.Fix {
	fix := fixOf("calico-placeholder-service-cidr")
	if s.File(calicoScript).Gap.Kind != evidence.Absent {
		return fix
	}
	return checks.Fix{Steps: append([]*checks.Step{checks.Run(
		`kubectl patch installation default --type merge -p 'spec: {serviceCIDRs: [{serviceCIDR}]}'`,
		"Set serviceCIDRs of the Calico Installation to {serviceCIDR}.").
		Costs("The Calico pods restart.")}, fix.Steps[2:]...)}
}

// onEndpointDegraded confirms only: an endpoint comes to be degraded in many ways.
func onEndpointDegraded() checks.Sign {
	return confirming(checks.SignOfCode("HCN_E_DEGRADED_OPERATION", "",
		"Endpoint is in invalid state"))
}
