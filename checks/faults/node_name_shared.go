package faults

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const bootID = " has been rebooted, boot id: "

var _ = register(&checks.Check{
	ID:       "node-name-shared",
	Title:    "Two machines use the same node name",
	Healthy:  "One machine uses the node name",
	Category: checks.CategoryNode,
	Doc: `The name is all that identifies a Node. A clone that keeps the host name or --hostname-override,
or a machine that was replaced and not switched off, joins under the name of the first one: two
kubelets write one Node object in turn. Its address, boot id and capacity change every few seconds,
network agents announce the address of the wrong machine, and both machines run the same pods.

A Windows machine has one boot id for as long as it is up. The check looks for events Rebooted of two
boot ids that took turns, or that are both later than the boot of this machine; the second is a fault
only if the Node has an InternalIP of no adapter of this machine. From 1.33 on a kubelet reports a
reboot only once: then a second start of a kubelet, while that of this machine runs on, counts as
well. An address alone is no proof: it may have changed.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get node {node} -o wide -w",
			"Watch the Node: an INTERNAL-IP that changes in turn is of two machines. Find the other one by its address."),
		checks.Do("Stop the kubelet on the machine that is not to have the name.").
			Costs("Its containers keep running until that machine is switched off."),
		checks.Do("Give that machine a host name and a --hostname-override of its own, delete its kubelet.conf and its certificates, and join it again. Prepare images with sysprep."),
		checks.Run("{restart kubelet}", "Restart the kubelet of this machine: it registers its address again."),
		checks.Run("{restart network agent}", "Restart the network agent: it announces the address again.").
			Costs("Pods on this node may lose their network while HNS creates it again."),
		checks.Verify("kubectl get node {node} -o wide", "INTERNAL-IP is an address of this machine and does not change")),
	Links: []string{"https://github.com/kubernetes/kubernetes/issues/79779",
		"https://github.com/kubernetes/kubernetes/issues/37528",
		"https://github.com/kubernetes/kubernetes/pull/129151",
		"https://kubernetes.io/docs/concepts/architecture/nodes/#node-name-uniqueness"},
	Breaks: []*checks.Effect{effectNodeReports, effectPodTraffic},
	Explains: []string{"node-address-mismatch", "hns-management-address-wrong", "kubeproxy-no-host-mac",
		"flannel-interface-not-found", "vxlan-return-path-missing", "route-policy-missing"},
	Needs: []evidence.Need{evidence.PodEvents},
	Uses:  []evidence.Need{evidence.Node, evidence.Adapters, evidence.OSInfo, evidence.Processes},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		object, name := evidence.Node.In(s), cmp.Or(evidence.Node.In(s).Metadata.Name, s.Meta().Node)
		boots, starts := kubeletsOf(s, name)
		booted := evidence.OSInfo.In(s).BootedAt
		for i, a := range boots {
			for _, b := range boots[:i] {
				if a.takesTurnsWith(b) {
					return []*checks.Finding{checks.Findingf(checks.Fail, name,
						"Two machines report as node %s: boot ids %s and %s take turns", name, b.id, a.id).
						With(b.because(), a.because())}, nil
				}
			}
		}
		for _, n := range []evidence.Need{evidence.Node, evidence.Adapters} {
			if gap := n.Gap(s); gap.Kind != "" {
				return nil, checks.Unknown(gap)
			}
		}
		foreign, ok := ofNoAdapter(s, object)
		if !ok && len(boots) < 2 {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, name, "Another machine reports as node %s: its InternalIP %s is of no adapter of this machine",
			name, foreign).With(object.AddressField(foreign).Because("InternalIP is %s", foreign))
		switch {
		case ok && len(boots) > 1 && !booted.IsZero():
			return []*checks.Finding{f.With(boots[0].because(), boots[1].because()).
				At(evidence.OSInfo.Field(s, "bootedAt"), "this machine is up since %s", inUTC(booted))}, nil
		case ok && len(starts) > 1:
			p := node.About(s).Components["kubelet"].Processes[0]
			return []*checks.Finding{f.With(starts[0].because(), starts[len(starts)-1].because()).
				At(p.Field("startedAt"), "%s has run since %s", p.Name, inUTC(p.StartedAt))}, nil
		}
		return nil, checks.Unknown(evidence.NotShown.Gap("whether another machine reports as node %s", name))
	},
})

// told is what events of one text say: that Windows was booted, or that a kubelet started.
type told struct {
	id          string
	first, last evidence.Time
	times       int
	event       evidence.Event
}

func (a told) because() evidence.Because {
	return a.event.Field("message").Because("%s (count %d, last %s)", a.event.Text(), a.times, inUTC(a.last))
}

func inUTC(t evidence.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// takesTurnsWith tells whether each was reported, again and again, between reports of the other. A
// kubelet whose reports fail repeats itself too, and a machine that reboots does not return to an earlier id.
func (a told) takesTurnsWith(b told) bool {
	const again = 3
	return a.times >= again && b.times >= again && a.first.Before(b.last.Time) && b.first.Before(a.last.Time)
}

// kubeletsOf are the boot ids that kubelets of that name have reported since this machine booted, and the
// starts of kubelets since that of this machine started, as far as these times are known.
func kubeletsOf(s evidence.Snapshot, name string) (boots, starts []told) {
	const apart = 10 * time.Minute // events have whole seconds, and a kubelet may be restarted at once
	booted, started := evidence.OSInfo.In(s).BootedAt, time.Time{}
	if list := node.About(s).Components["kubelet"].Processes; len(list) == 1 {
		started = list[0].StartedAt.Time
	}
	for _, e := range evidence.PodEvents.In(s) {
		if about := e.About(); about.Kind != "Node" || !strings.EqualFold(about.Name, name) {
			continue
		}
		t := told{first: cmp.Or(e.FirstTimestamp, e.EventTime, e.Metadata.CreationTimestamp, e.At()), last: e.At(), times: e.Times(), event: e}
		_, id, rebooted := strings.Cut(e.Text(), bootID)
		switch {
		case t.last.IsZero():
		case rebooted && t.last.After(booted.Time):
			t.id = strings.TrimSpace(id)
			if at := slices.IndexFunc(boots, func(b told) bool { return b.id == t.id }); at >= 0 {
				b := &boots[at]
				b.times += t.times
				if t.first.Before(b.first.Time) {
					b.first = t.first
				}
				if t.last.After(b.last.Time) {
					b.last = t.last
				}
				continue
			}
			boots = append(boots, t)
		case e.Reason == "Starting" && e.Text() == "Starting kubelet." && !started.IsZero() && t.first.After(started.Add(-time.Minute)):
			if !slices.ContainsFunc(starts, func(b told) bool { return t.first.Sub(b.first.Time).Abs() <= apart }) {
				starts = append(starts, t)
			}
		}
	}
	return boots, starts
}

// ofNoAdapter is an InternalIP of the Node that is on no adapter of this machine, not even one that is down.
func ofNoAdapter(s evidence.Snapshot, object evidence.NodeObject) (string, bool) {
	var own []node.Address
	for _, a := range evidence.Adapters.In(s) {
		own = append(own, node.ParseAddresses(a.Addresses...)...)
	}
	for _, text := range object.InternalIPs() {
		if ip, ok := node.ParseAddress(text); ok && !slices.Contains(own, ip) &&
			slices.ContainsFunc(own, func(a node.Address) bool { return a.Is4() == ip.Is4() }) {
			return text, true
		}
	}
	return "", false
}
