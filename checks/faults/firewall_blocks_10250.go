package faults

import (
	"slices"
	"strconv"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const unheardKubelet = "connections from the control plane to kubelet port 10250 time out: a firewall, or no route to the node"

var _ = register(&checks.Check{
	ID:       "firewall-blocks-10250",
	Title:    "Firewall blocks kubelet port 10250",
	Healthy:  "kubelet port 10250 is reachable through the firewall",
	Category: checks.CategoryComponents,
	Doc: `The API server and metrics-server connect to the kubelet on TCP 10250. Without a Windows
firewall rule that allows this, pods run and the node is Ready, but kubectl logs, exec, attach and
port-forward time out, and there are no metrics. PrepareNode.ps1 creates such a rule; other setup
methods often omit it.

The check looks for enabled profiles that block inbound traffic by default, and for an enabled rule
that allows the port in them. The port is that of the Node object, or of the kubelet's flags and
configuration. On nodes of RKE2 and K3s a closed port is reported as info only: the API server reaches the kubelet through the
tunnel that the node's agent opens, unless the servers have egress-selector-mode: disabled, so only metrics-server needs the port. A rule that allows any port may belong to another program or to some senders only: if
its name does not contain "kubelet", the check cannot decide. Which profile the node's network has is
not recorded, so one profile in which the port is open is enough, and the others are reported as info.
Filters of the cloud provider are not visible on the node.`,
	Fix: checks.Steps(
		checks.Run("New-NetFirewallRule -Name kubelet -DisplayName kubelet -Enabled True -Direction Inbound -Protocol TCP -LocalPort 10250 -Action Allow",
			"Allow inbound TCP to the kubelet's port.").
			Costs("Everyone who can reach the node can connect to the kubelet, which requires authentication."),
		checks.Do("Allow the port from the control plane in the cloud's security groups, too."),
		checks.Verify("kubectl get --raw /api/v1/nodes/{node}/proxy/healthz", "ok")),
	Links: []string{"https://github.com/Azure/acs-engine/issues/2912",
		"https://github.com/Azure/acs-engine/issues/2286",
		"https://github.com/Azure/acs-engine/issues/2573",
		"https://github.com/rancher/rke2/issues/1762", "https://github.com/k3s-io/k3s/pull/5603", "https://github.com/Azure/AKS/issues/1544"},
	Breaks:   []*checks.Effect{effectContainers},
	Needs:    []evidence.Need{evidence.FirewallInfo},
	FromPart: []evidence.Need{evidence.FirewallInfo},
	Uses:     append([]evidence.Need{evidence.Node, evidence.FileIndex}, node.KubeletSources...),
	Signs: []checks.Sign{
		// A node that is off, and a lost tunnel of the control plane, drop the packets too.
		{Text: ":10250: i/o timeout", Also: []string{"dial tcp"}, Level: checks.Warn,
			Says: unheardKubelet},
		{Text: ":10250: getsockopt: connection timed out", Level: checks.Warn,
			Or:   []string{":10250: connect: connection timed out"},
			Says: unheardKubelet},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if noKubernetes(s) {
			return nil, errNoKubernetes
		}
		fw := evidence.FirewallInfo.In(s)
		part := s.Rest(evidence.FirewallInfo.Paths()[0]).Kind != ""
		denied := checks.Fail
		if part && len(fw.Profiles) == 0 {
			// of some rules only one that blocks says anything, where its profile is on
			denied = checks.Warn
			for _, name := range []string{"domain", "private", "public"} {
				fw.Profiles = append(fw.Profiles, evidence.FirewallProfile{Name: name, Enabled: true,
					DefaultInbound: "block"})
			}
		}
		if len(fw.Profiles) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the firewall profiles"))
		}
		port := node.About(s).KubeletPort(s)
		type closed struct {
			evidence.FirewallProfile
			number int
		}
		var shut []closed
		var blocked firewallVerdict
		vague, open := "", 0
		for i, p := range fw.Profiles {
			if !p.Enabled || !strings.EqualFold(p.DefaultInbound, "block") {
				open++
				continue
			}
			v := verdictOf(fw.Rules, p.Name, port.Number)
			switch {
			case v.denied != "":
				blocked = v
			case v.allowed:
				open++
			case v.vague != "":
				vague = v.vague
			default:
				shut = append(shut, closed{p, i})
			}
		}
		tunnel := hasAgentTunnel(s)
		doubt := open > 0 || vague != "" || tunnel
		switch {
		case blocked.denied != "":
			return []*checks.Finding{checks.Findingf(cond(doubt, checks.Info, denied),
				blocked.denied,
				"firewall rule %q blocks TCP %d; a block rule overrides allow rules",
				blocked.denied, port.Number).
				At(evidence.FirewallInfo.Field(s, "rules", blocked.deniedBy),
					"rule %s: in, block, enabled", blocked.denied).With(port.Because()...).
				Cure(checks.Steps(
					checks.Run("Remove-NetFirewallRule -Name '"+
						strings.ReplaceAll(evidence.Clean(blocked.denied), "'", "''")+"'",
						"Remove the rule that blocks the port."),
					allowKubelet(port.Number).Steps[0],
					checks.Verify("kubectl get --raw /api/v1/nodes/{node}/proxy/healthz",
						"ok")))}, nil
		case part:
			return nil, nil
		case len(shut) == 0 && vague != "":
			return nil, checks.Unknown(
				evidence.NotShown.Gap("whose connections rule %s allows", vague))
		case len(shut) == 0:
			return nil, nil
		}
		var names []string
		for _, p := range shut {
			names = append(names, p.Name)
		}
		profiles := strings.Join(names, ", ")
		// without them an agent with a tunnel could be here
		doubt = doubt || !evidence.Services.Known(s) && !evidence.Node.Known(s)
		f := checks.Findingf(cond(doubt, checks.Info, checks.Fail), profiles,
			"no enabled firewall rule allows inbound TCP %d (profiles: %s): kubectl logs, exec and metrics time out", port.Number, profiles)
		if tunnel {
			f = checks.Findingf(checks.Info, profiles,
				"no enabled firewall rule allows inbound TCP %d (profiles: %s): metrics-server cannot read this node", port.Number, profiles)
		}
		for _, p := range shut {
			f = f.At(evidence.FirewallInfo.Field(s, "profiles", p.number),
				"profile %s: enabled, defaultInbound is %s; none of %d rules allows tcp %d", p.Name,
				p.DefaultInbound, len(fw.Rules), port.Number)
		}
		f = f.At(evidence.FirewallInfo.Field(s, "rules"), "%d rules", len(fw.Rules))
		return []*checks.Finding{f.With(port.Because()...).Cure(allowKubelet(port.Number))}, nil
	},
})

// tunnelOfRKE2 is the first RKE2 whose API server reaches kubelets through the tunnels of agents by default, as that of K3s always did:
// k3s-io/k3s, pull request 5603.
var tunnelOfRKE2 = evidence.Version{Major: 1, Minor: 23, Patch: 7}

// hasAgentTunnel tells a node whose agent lets the API server in, so that no firewall is between it and the kubelet.
func hasAgentTunnel(s evidence.Snapshot) bool {
	n := node.About(s)
	_, k3s := node.ServiceNamed(s, "k3s")
	return k3s || strings.Contains(evidence.Node.In(s).Status.NodeInfo.KubeletVersion, "+k3s") ||
		n.Platform.Value == node.RKE2 && (!n.Kubelet.Known() || n.Kubelet.Value.AtLeast(tunnelOfRKE2))
}

// allowKubelet is the fix for the kubelet's own port.
func allowKubelet(port int) checks.Fix {
	fix := fixOf("firewall-blocks-10250")
	own := strconv.Itoa(port)
	for i, step := range fix.Steps {
		fix.Steps[i].Command = strings.ReplaceAll(step.Command, "10250", own)
	}
	return fix
}

// A firewallVerdict is what the rules say of a TCP port in a profile.
type firewallVerdict struct {
	allowed  bool
	denied   string // the rule that blocks it
	deniedBy int    // its number
	vague    string // a rule that allows it to some program or sender
}

func verdictOf(rules []evidence.FirewallRule, profile string, port int) firewallVerdict {
	var v firewallVerdict
	for i, r := range rules {
		if !r.Enabled || !strings.EqualFold(r.Direction, "in") ||
			!node.EqualsAny(r.Protocol, []string{"tcp", "6", "any", ""}) || !inProfile(r, profile) {
			continue
		}
		covers, any := coversPort(r.LocalPorts, port)
		name := r.Name + r.DisplayName
		switch blocks := strings.EqualFold(r.Action, "block"); {
		case !covers, !blocks && !strings.EqualFold(r.Action, "allow"):
		case any && !strings.Contains(strings.ToLower(name), "kubelet"), r.Conditional:
			if !blocks && v.vague == "" {
				v.vague = r.Name
			}
		case blocks && v.denied == "":
			v.denied, v.deniedBy = r.Name, i
		case !blocks:
			v.allowed = true
		}
	}
	if v.allowed {
		v.vague = ""
	}
	return v
}

func inProfile(r evidence.FirewallRule, profile string) bool {
	return len(r.Profiles) == 0 || slices.ContainsFunc(r.Profiles, func(p string) bool {
		return strings.EqualFold(p, profile) || strings.EqualFold(p, "any") ||
			strings.EqualFold(p, "all")
	})
}

// coversPort reads "10250", "10250-10259" and "any"; a rule without ports is one for all of them.
func coversPort(list []string, port int) (covers, any bool) {
	if len(list) == 0 {
		return true, true
	}
	for _, item := range list {
		for part := range strings.SplitSeq(item, ",") {
			part = strings.TrimSpace(part)
			if strings.EqualFold(part, "any") || part == "*" {
				return true, true
			}
			from, to, isRange := strings.Cut(part, "-")
			low, err := strconv.Atoi(strings.TrimSpace(from))
			high := low
			if isRange {
				var err2 error
				if high, err2 = strconv.Atoi(strings.TrimSpace(to)); err2 != nil {
					continue
				}
			}
			if err == nil && low <= port && port <= high {
				covers = true
			}
		}
	}
	return covers, false
}
