package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "flannel-interface-not-found",
	Title:    "Interface set for flanneld does not exist",
	Healthy:  "Interface set for flanneld exists",
	Category: checks.CategoryNetwork,
	FAQ:      []int{8},
	Doc: `With --iface flanneld gets the address or the name of the adapter that carries
traffic between nodes. If no adapter has it, flanneld ends at once. That happens when the address
came from DHCP and is another one now, when the name is that of the adapter before the virtual
switch took it over, and for some seconds while the switch is created and the address moves to
vEthernet.

The check compares the --iface of flanneld's service or process with the adapters. A flanneld that
runs on has found its interface when it started; then this is a warning about the next start. A log
of such an end on a node whose adapters are right by now was the short moment.`,
	Fix: checks.Steps(
		checks.Do("Set --iface of flanneld to {managementIP}, an address of this node."),
		flanneldAgain, networkThere),
	Links: []string{"https://github.com/kubernetes-sigs/sig-windows-tools/pull/13",
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/40",
		"https://github.com/flannel-io/flannel/issues/944",
		"https://github.com/rancher/rancher/issues/16308",
		"https://github.com/rancher/rke2/pull/5703"},
	Breaks:   []*checks.Effect{effectFlanneld, effectContainers},
	Explains: []string{"rke2-flanneld-exit"},
	Applies:  checks.OnFlannel,
	Needs: []evidence.Need{evidence.Adapters, evidence.Any(evidence.Services, evidence.Processes,
		evidence.Pods)},
	Uses: []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Signs: []checks.Sign{
		// v0.10 to v0.12 look in the output of netsh for "Configuration for interface", which
		// another language of Windows calls something else: github.com/rakelkar/gonetsh.
		{Text: `no index found for interface ""`, Until: subnetWritten,
			Fix: checks.Steps(checks.Do(
				"Update flanneld to v0.13 or later: it does not read the output of netsh."),
				flanneldAgain, networkThere),
			Says: "flanneld exits: this release can read only the English output of netsh"},
		// While a virtual switch takes over the adapter, its address is gone for a moment.
		{Text: "Failed to find interface to use that matches the interfaces and/or regexes provided", Until: subnetWritten, Says: "flanneld exits: no adapter matches its --iface"},
		{Text: "Failed to find any valid interface to use",
			Not:   []string{"cannot unmarshal array"}, // flannel-default-routes
			Until: subnetWritten,
			Says:  "flanneld exits: it cannot find an adapter"},
		// Another --iface may match, so this alone convicts nobody.
		{Text: "Could not find valid interface matching", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		told, _, from := flannelInterfaces(node.About(s))
		switch {
		case from.Path == "":
			return nil, checks.Unknown(evidence.NotShown.Gap("how flanneld is started"))
		case len(told) == 0:
			return nil, nil // it takes the adapter of the default route
		}
		addressed := false
		for _, a := range evidence.Adapters.In(s) {
			addressed = addressed || len(a.Addresses) > 0
			for _, want := range told {
				if strings.ContainsAny(want, "$%(") || matchesInterface(a, want) {
					return nil, nil
				}
			}
		}
		if !addressed {
			return nil, checks.Unknown(evidence.NotShown.Gap("any address of an adapter"))
		}
		level, what := checks.Fail, evidence.Phrasef("flanneld cannot start")
		if running, _ := node.About(s).Components["flanneld"].Running(); running &&
			len(s.Signs("flannel-interface-not-found")) == 0 {
			level, what = checks.Warn, evidence.Phrasef("flanneld will not start again")
		}
		list := strings.Join(told, ", ")
		return []*checks.Finding{checks.Findingf(level, list,
			"no adapter has %s, the --iface of flanneld: %s", list, what).
			With(from).At(evidence.Adapters.Field(s), "%s",
			adapterAddresses(evidence.Adapters.In(s))).Cure(withFirst(
			fixOf("flannel-interface-not-found"), changeSetting(
				node.About(s).Components["flanneld"], from, evidence.Phrasef(
					"Set --iface of flanneld to {managementIP}, an address of this node."),
				"--iface={managementIP}")))}, nil
	},
})

var (
	flanneldAgain = checks.Run("{restart flanneld}", "Restart flanneld.").
			Costs("The node loses its network for a few seconds if flanneld creates the HNS network.")
	networkThere = checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
		"the network {network}")
)

// flannelInterfaces are the values of flanneld's --iface, whether it takes the adapter of the default route instead, and
// what shows its command line at all.
func flannelInterfaces(n *node.Node) (told []string, byRoute bool, from evidence.Because) {
	c := n.Components["flanneld"]
	read := func(args []string, place evidence.Place) {
		flags := evidence.ParseFlags(c.OwnArgs(args))
		if len(flags.Names()) == 0 || from.Path != "" {
			return
		}
		from = place.Because("flanneld is started without --iface")
		for _, v := range flags.All("iface") {
			for part := range strings.SplitSeq(v, ",") {
				told = append(told, strings.TrimSpace(part))
			}
		}
		if len(told) > 0 {
			from = evidence.FlagIn(args, place, "iface").Because("--iface=%s",
				strings.Join(told, ","))
		}
		byRoute = len(told) == 0 && flags.Has("kube-subnet-mgr") // a script may add the rest
		if flags.Has("iface-regex") || flags.Has("iface-can-reach") {
			told, byRoute = nil, false // another way to find one, which is not followed here
		}
	}
	for _, p := range c.Processes {
		read(p.Args, p.Field("args"))
	}
	for _, svc := range c.Services {
		read(svc.Args, svc.Field("args"))
	}
	for _, p := range c.Pods {
		for i, container := range p.Spec.Containers {
			in := p.Field("spec", "containers", i)
			read(container.Args, in.At("args"))
			read(slices.Concat(container.Command, container.Args), in)
		}
	}
	return told, byRoute, from
}

// matchesInterface looks an adapter up as flanneld does: by address, else by name.
func matchesInterface(a evidence.Adapter, want string) bool {
	if ip, ok := node.ParseAddress(want); ok {
		return slices.Contains(node.ParseAddresses(a.Addresses...), ip)
	}
	return strings.EqualFold(a.Name, want)
}

func adapterAddresses(adapters []evidence.Adapter) string {
	var list []string
	for _, a := range adapters {
		if len(a.Addresses) > 0 && a.Compartment <= 1 {
			list = append(list, a.Name+": "+strings.Join(a.Addresses, ", "))
		}
	}
	return strings.Join(list, "; ")
}
