package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const eksProxyGroup = "eks:kube-proxy-windows"

var _ = register(&checks.Check{
	ID:       "eks-kube-proxy-rbac-group",
	Title:    "EKS kube-proxy may not list Services",
	Healthy:  "EKS kube-proxy may list Services",
	Category: checks.CategoryNetwork,
	Doc: `On EKS a Linux node's kube-proxy runs as a DaemonSet with an account of its own. On
Windows it is a service and speaks to the API server as the node, which may not list Services and
EndpointSlices unless the node's IAM role is mapped to the group eks:kube-proxy-windows. Without the
group no Service is programmed, and the first thing to fail is DNS in every Windows pod.

kube-proxy's own log shows it. The ConfigMap aws-auth is quoted where it is recorded, but a cluster
may map roles by access entries instead, which no object of the cluster shows, so the ConfigMap
alone is never reported. It is a warning if kube-proxy runs and HNS has no load balancer at all.`,
	Fix: checks.Steps(
		checks.Run("kubectl edit configmap aws-auth -n kube-system",
			"Add the group eks:kube-proxy-windows to the IAM role of the Windows nodes, or create an access entry of type EC2_WINDOWS."),
		checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
			Costs("Connections to Services break for a few seconds."),
		checks.Verify(`Get-WinEvent -FilterHashtable @{LogName='EKS'; StartTime=(Get-Date).AddMinutes(-2)} | Where-Object Message -match 'is forbidden'`,
			"nothing, two minutes after the restart")),
	Links: []string{"https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html",
		"https://github.com/aws/containers-roadmap/issues/227",
		"https://github.com/terraform-aws-modules/terraform-aws-eks/issues/1456",
		"https://github.com/aws/karpenter-provider-aws/issues/5099"},
	Breaks:   []*checks.Effect{effectServiceRules, effectDNSOverUDP},
	Explains: []string{"nodeport-zero-local-pods"},
	Applies:  checks.UnlessElsewhere(node.EKS),
	Partial:  true,
	Needs:    []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Logs("kube-proxy"), evidence.Logs("other"))},
	Uses: []evidence.Need{evidence.ConfigMaps, evidence.HNSLoadBalancers, evidence.HNSNetworks, evidence.KubeServices,
		node.ComponentSources},
	Signs: []checks.Sign{
		// the first stands for endpointslices too
		refusedToProxy("endpoints", "kube-proxy"), refusedToProxy("services", "kube-proxy"),
		refusedToProxy("endpoints", "other"),
		refusedToProxy("endpoints", evidence.InEvents, "kube-proxy:"),
		refusedToProxy("services", evidence.InEvents, "kube-proxy:"),
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		// kube-proxy asks again within a minute, and the event log EKS goes back for
		// weeks: a refusal that was not repeated is of a role that was mended.
		matches := slices.DeleteFunc(liveSigns(s, "eks-kube-proxy-rbac-group"),
			func(m evidence.SignMatch) bool {
				return !m.Last.IsZero() && s.Now().Sub(m.Last) > checks.Recently
			})
		if len(matches) == 0 {
			if err := checks.OnPlatform(node.EKS)(node.About(s)); err != nil {
				return nil, err
			}
			return programsNothing(s), nil
		}
		f := checks.Findingf(checks.Fail, "kube-proxy",
			"kube-proxy uses the node's identity, which may not list Services and endpoints").With(
			checks.Quote(matches[0]))
		f.Basis = checks.ByText
		for _, cm := range evidence.ConfigMaps.In(s) {
			roles, mapped := cm.Data["mapRoles"]
			switch {
			case cm.Metadata.Name != "aws-auth" || !mapped:
			case strings.Contains(roles, eksProxyGroup):
				f = f.At(cm.Field("data", "mapRoles"),
					"aws-auth maps a role to %s, but not this node's", eksProxyGroup)
				f.Basis = checks.ByBoth
			default:
				f = f.At(cm.Field("data", "mapRoles"), "aws-auth maps no role to %s", eksProxyGroup)
				f.Basis = checks.ByBoth
			}
		}
		return []*checks.Finding{f}, nil
	},
})

// programsNothing reports a node whose kube-proxy has set up no Service at all, in a cluster whose
// aws-auth gives no node the rights that kube-proxy needs.
func programsNothing(s evidence.Snapshot) []*checks.Finding {
	running, _ := node.About(s).Components["kube-proxy"].Running()
	if !running || proxyProgramsHNS(node.About(s), s) != nil || !evidence.HNSLoadBalancers.Known(s) ||
		len(evidence.HNSLoadBalancers.In(s)) > 0 || len(evidence.KubeServices.In(s)) < 2 {
		return nil
	}
	for _, cm := range evidence.ConfigMaps.In(s) {
		if roles := cm.Data["mapRoles"]; cm.Metadata.Name == "aws-auth" && roles != "" &&
			!strings.Contains(roles, eksProxyGroup) {
			return []*checks.Finding{checks.Findingf(checks.Warn, "kube-proxy",
				"kube-proxy has set up no Service, and aws-auth maps no role to %s", eksProxyGroup).
				At(cm.Field("data", "mapRoles"), "aws-auth maps no role to %s", eksProxyGroup).
				At(evidence.HNSLoadBalancers.Field(s), "HNS has no load balancers")}
		}
	}
	return nil
}

// refusedToProxy is the API server's refusal of one resource in one source. The
// user is a node of EKS by its name: everywhere else kube-proxy has an account of its own.
func refusedToProxy(resource, in string, also ...string) checks.Sign {
	return checks.Sign{Text: "is forbidden: User ",
		Also: append([]string{"system:node:", ".internal", "cannot list resource", resource},
			also...), In: []string{in},
		Says: "the API server denies kube-proxy access to Services or endpoints"}
}
