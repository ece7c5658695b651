package checks

import (
	"strings"

	"doctor/checks/evidence"
)

var _ = Register(Check{
	ID:       "dns-pqdn-with-dots",
	Title:    "short names with a dot do not resolve in Windows pods",
	Category: CategoryDNS,
	FAQ:      []int{13},
	Doc: `A Windows pod has one DNS suffix, NAMESPACE.svc.cluster.local, and the Windows resolver appends it only to names without a dot. So kubernetes and kubernetes.default.svc.cluster.local resolve, while kubernetes.default and kubernetes.default.svc, which resolve in a Linux pod, do not. That is Windows as documented.

It is a fault where the full name does not resolve either: then it is not about suffixes. nslookup goes by rules of its own; test with Resolve-DnsName.`,
	Fix: Fix{
		Text:     "use the full name, best with a dot at its end, or the bare service name inside its own namespace; where full names fail too, look at the cluster's DNS service {clusterDNS}",
		Commands: []string{"Resolve-DnsName kubernetes.default.svc.cluster.local."},
		Impact:   "none: looking changes nothing",
	},
	Links:    []string{"https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#dns-windows", "https://github.com/microsoft/Windows-Containers/issues/59"},
	Explains: []string{},
	Needs:    []evidence.Need{evidence.DNSProbes},
	Signs: []Sign{
		{Text: "Ping request could not find host", Level: Info, Says: "a name did not resolve on Windows; whether it is one that Linux would complete, only a probe tells"},
	},
	Run: func(s evidence.Snapshot) ([]Finding, error) {
		probes := evidence.DNSProbes.In(s)
		outcome := map[string]map[string]evidence.DNSProbe{} // name, as pods ask for it → form → probe
		looked := false
		for _, p := range probes {
			if p.From == "node" || p.Outcome == "error" {
				continue // the node need not know names of the cluster, and what was not sent says nothing
			}
			name := plainName(p)
			looked = looked || p.Form == "windows" || isClusterName(name)
			if outcome[name] == nil {
				outcome[name] = map[string]evidence.DNSProbe{}
			}
			if have, ok := outcome[name][p.Form]; !ok || have.Outcome != "ok" {
				outcome[name][p.Form] = p // one server that answers is enough here
			}
		}
		if !looked {
			return nil, Unknown(evidence.NotCollected + ": no name was asked for from a pod by the rules of Windows")
		}
		var findings []Finding
		for _, p := range probes {
			name := plainName(p)
			forms := outcome[name]
			delete(outcome, name) // each name once, in the order of the probes
			windows, linux := forms["windows"], forms["linux"]
			switch {
			case isClusterName(name):
				if f := lost(name, forms); f.Level > 0 {
					findings = append(findings, f)
				}
			case windows.Outcome == "nxdomain" && linux.Outcome == "" && strings.Contains(name, ".") && completed(probes, name):
				findings = append(findings, Findingf(Info, name, "%s does not resolve by the rules of Windows, which appends no suffix to a name with a dot, and the full name does: as documented", name).With(dnsBecause(windows)))
			case windows.Outcome == "" || windows.Outcome == "ok" || linux.Outcome != "ok":
			case strings.Contains(name, "."):
				findings = append(findings, Findingf(Info, name, "%s resolves by the rules of Linux and not by those of Windows, which appends no suffix to a name with a dot: as documented", name).With(dnsBecause(windows), dnsBecause(linux)))
			default:
				findings = append(findings, Findingf(Warn, name, "%s has no dot and resolves by the rules of Linux only: Windows should have completed it too", name).With(dnsBecause(windows), dnsBecause(linux)))
			}
		}
		return findings, nil
	},
})

// completed tells whether a longer form of the name resolves.
func completed(probes []evidence.DNSProbe, name string) bool {
	for _, p := range probes {
		if strings.HasPrefix(plainName(p), name+".") && p.Outcome == "ok" {
			return true
		}
	}
	return false
}

func plainName(p evidence.DNSProbe) string {
	return strings.TrimSuffix(strings.ToLower(p.Name), ".")
}

// isClusterName tells a full name of the cluster, which resolves the same everywhere.
func isClusterName(name string) bool { return strings.Contains(name, ".svc.") }

// lost judges a full name: a fault where no form of it resolves. That a Service
// does not exist is an answer too, unless it is the one that always does.
func lost(name string, forms map[string]evidence.DNSProbe) Finding {
	var because []Because
	last := ""
	for _, form := range []string{"windows", "plain", "linux"} {
		p, asked := forms[form]
		switch {
		case !asked:
			continue
		case p.Outcome == "ok", p.Outcome == "truncated":
			return Finding{}
		case p.Outcome == "nxdomain" && !strings.HasPrefix(name, "kubernetes.default.svc."):
			return Finding{}
		}
		because, last = append(because, dnsBecause(p)), p.Outcome
	}
	if len(because) == 0 {
		return Finding{}
	}
	return Findingf(Fail, name, "the full name %s does not resolve in any form (%s): this is not about suffixes", name, last).With(because...)
}

func dnsBecause(p evidence.DNSProbe) Because {
	return Because{Path: evidence.DNSProbes.Path(), Text: p.Name + " as " + p.Form + " from " + p.From + ", " + p.Server + ": sent " + strings.Join(p.Sent, ", ") + ": " + p.Outcome}
}
