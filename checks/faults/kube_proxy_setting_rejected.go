package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kube-proxy-setting-rejected",
	Title:    "kube-proxy rejects a setting of its configuration",
	Healthy:  "kube-proxy accepts its configuration",
	Category: checks.CategoryComponents,
	Doc: `kube-proxy validates its configuration and flags and exits if a value is invalid on Windows or
a flag is unknown. The mode is the usual reason: on Windows it is kernelspace or empty, and a
configuration that is shared with Linux nodes says iptables, ipvs or nftables. An address, a
CIDR or a duration with a typing error is refused, too.

The check looks for the error in the log of kube-proxy, which names the setting and the values that
are allowed.`,
	Fix: checks.Steps(
		checks.Do("Correct the setting that the error names, in the configuration or the flags of kube-proxy on the Windows nodes: mode is kernelspace or empty."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds."),
		checks.Verify("Get-Process kube-proxy | Select-Object StartTime", "the time does not change")),
	Links: []string{
		"https://kubernetes.io/docs/reference/networking/virtual-ips/#proxy-mode-kernelspace",
		"https://kubernetes.io/docs/reference/config-api/kube-proxy-config.v1alpha1/",
		"https://github.com/kubernetes/kubernetes/issues/56522",
	},
	Breaks: []*checks.Effect{effectKubeProxy},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kube-proxy"), evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		// pkg/proxy/apis/config/validation of Kubernetes; feature gates: kubeproxy-overlay-dsr-gates
		{Text: ": Invalid value: ", Also: []string{"KubeProxyConfiguration."},
			Not:   []string{"featureGates"},
			Until: proxyStarted,
			Says:  "kube-proxy exits: it rejects a setting of its configuration"},
		{Text: "unknown flag: --", In: []string{"kube-proxy"}, Until: proxyStarted,
			Says: "kube-proxy exits: it does not know one of its flags"},
		{Text: `Error: invalid argument "`, In: []string{"kube-proxy"}, Until: proxyStarted,
			Says: "kube-proxy exits: it rejects the value of a flag"},
		// cmd/kube-proxy/app: the file that cannot be read or decoded, the name of the node, feature gates
		{Text: `err="failed complete: `, Or: []string{"] failed complete: "},
			Not:   []string{"WinOverlay", "WinDSR", "IPv6DualStack"},
			In:    []string{"kube-proxy", evidence.InEvents, "other"},
			Until: proxyStarted,
			Says:  "kube-proxy exits: it cannot use its configuration file or a flag"},
		// pkg/windows/service, with --windows-service in a console, a pod or below nssm
		{Text: "failed os init: The service process could not connect to the service controller",
			In:    []string{"kube-proxy", "other"},
			Until: proxyStarted,
			Says:  "kube-proxy exits: it has the flag --windows-service, and Windows did not start it as a service",
			Fix: checks.Steps(
				checks.Do("Remove --windows-service from the flags of kube-proxy if nssm, a pod, a script or a console starts it. Or start it as a service of Windows."),
				checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
					Costs("Connections to Services break for a few seconds."),
				checks.Verify("Get-Process kube-proxy | Select-Object StartTime", "the time does not change"))},
		{Text: "kube-proxy configuration is incorrect: ",
			Or:    []string{"--init-only is not implemented on Windows"},
			In:    []string{"kube-proxy", evidence.InEvents, "other"},
			Until: proxyStarted,
			Says:  "kube-proxy exits: it rejects a setting of its configuration"},
	},
})
