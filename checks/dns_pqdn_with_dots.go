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
		outcome := map[string]map[string]evidence.DNSProbe{} // name → form → probe
		for _, p := range evidence.DNSProbes.In(s) {
			name := strings.TrimSuffix(strings.ToLower(p.Name), ".")
			if outcome[name] == nil {
				outcome[name] = map[string]evidence.DNSProbe{}
			}
			if have, ok := outcome[name][p.Form]; !ok || have.Outcome != "ok" {
				outcome[name][p.Form] = p // one server that answers is enough here
			}
		}
		if len(outcome) == 0 {
			return nil, Unknown(evidence.NotCollected + ": no name was asked for")
		}
		var findings []Finding
		for _, p := range evidence.DNSProbes.In(s) {
			name := strings.TrimSuffix(strings.ToLower(p.Name), ".")
			forms := outcome[name]
			delete(outcome, name) // each name once, in the order of the probes
			windows, linux := forms["windows"], forms["linux"]
			because := []Because{dnsBecause(windows), dnsBecause(linux)}
			switch {
			case windows.Outcome == "" || windows.Outcome == "ok":
			case linux.Outcome == "ok":
				findings = append(findings, Findingf(Info, name, "%s resolves by the rules of Linux and not by those of Windows, which appends no suffix to a name with a dot: as documented", name).With(because...))
			case isClusterName(name) && lost(windows.Outcome):
				f := Findingf(Fail, name, "the full name %s does not resolve in any form (%s): this is not about suffixes", name, windows.Outcome).With(because[0])
				if linux.Outcome != "" {
					f = f.With(because[1])
				}
				findings = append(findings, f)
			}
		}
		return findings, nil
	},
})

// isClusterName tells a full name of the cluster, which must resolve everywhere.
func isClusterName(name string) bool { return strings.Contains(name, ".svc.") }

// lost tells a failure of the resolution from an answer that only says no more here.
func lost(outcome string) bool { return outcome != "ok" && outcome != "truncated" && outcome != "" }

func dnsBecause(p evidence.DNSProbe) Because {
	return Because{Path: evidence.DNSProbes.Path(), Text: p.Name + " as " + p.Form + " from " + p.From + ", " + p.Server + ": sent " + strings.Join(p.Sent, ", ") + ": " + p.Outcome}
}
