package faults

import (
	"slices"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "pod-dns-config-ignored",
	Title:    "CNI plugin ignores the dnsConfig of pods",
	Healthy:  "Pods use the nameservers of their dnsConfig",
	Category: checks.CategoryDNS,
	FAQ:      []int{13},
	Doc: `On Windows the CNI plugin sets the DNS servers of a pod. The runtime passes it the DNS settings of
the pod (dnsPolicy, dnsConfig) only if the CNI configuration contains "capabilities": {"dns": true}.
Without it, every pod gets the dns section of the CNI configuration, and a pod with its own
nameservers does not get them.

The check compares the HNS endpoints of pods with dnsPolicy None with the nameservers of their
dnsConfig. It passes if the configuration has the capability.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}", addCapabilityText, "dns"),
		checks.Do("If the plugin does not support this capability (vpc-bridge of EKS), set the nameservers in the container instead: Set-DnsClientServerAddress."),
		recreatePods(),
		checks.Verify("Get-HnsEndpoint | Format-List Name, IPAddress, DNSServerList",
			"the nameservers of the pod's dnsConfig")),
	Links: []string{"https://github.com/kubernetes/kubernetes/pull/67435",
		"https://github.com/containernetworking/plugins/issues/229",
		"https://github.com/aws/amazon-vpc-cni-k8s/issues/2978",
		"https://github.com/projectcalico/calico/issues/4307"},
	Needs: []evidence.Need{evidence.Pods, evidence.HNSEndpoints, node.NeedCNIFiles},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		f := node.About(s).Effective()
		if f == nil || f.Config == nil {
			return nil, checks.Unknown(noConfig(f))
		}
		local := localEndpoints(s)
		var names []string
		var first *checks.Finding
		asked, unseen := false, false
		for _, p := range settledPods(s) {
			ip, _ := node.ParseAddress(p.Status.PodIP)
			e, there := local[ip]
			if p.Spec.DNSPolicy != "None" || p.Spec.DNSConfig == nil || !there || hostPod(p) {
				continue
			}
			wanted := node.ParseAddresses(p.Spec.DNSConfig.Nameservers...)
			has := node.ParseAddresses(e.DNS.Servers...)
			if len(wanted) == 0 {
				continue
			}
			if asked = true; len(has) == 0 {
				unseen = true
				continue
			}
			if anyOf(has, wanted) {
				continue
			}
			if names = append(names, p.FullName()); first == nil {
				first = (&checks.Finding{}).
					At(p.Field("spec", "dnsConfig"), "%s: nameserver %s", p.FullName(), wanted[0]).
					At(e.Field(), "%s: DNS server %s", node.EndpointName(e), has[0])
			}
		}
		switch {
		case !asked:
			return nil, checks.Skip("no pod of this node has dnsPolicy None")
		case slices.ContainsFunc(f.Config.Plugins, func(plugin evidence.CNIPlugin) bool {
			return plugin.Capabilities["dns"]
		}):
			return nil, nil
		case first == nil && unseen:
			return nil, checks.Unknown(evidence.NotShown.Gap("the DNS servers of the endpoints of pods"))
		case first == nil:
			return nil, nil
		}
		finding := checks.Findingf(checks.Fail, f.Name,
			"%s has no capability dns: pods do not get the nameservers of their dnsConfig: %s",
			f.Name, firstThree(names)).
			At(f.Field("capabilities"), "capabilities of %s: no dns", f.Config.Type).
			With(first.Because...)
		return []*checks.Finding{finding.Cure(withFirst(fixOf("pod-dns-config-ignored"),
			addCapability(s, f, "dns")))}, nil
	},
})
