package faults

import (
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/checks/probed"
)

const proxyAll = "antreaProxy.proxyAll"

var _ = register(&checks.Check{
	ID:       "antrea-proxy-all-off",
	Title:    "Antrea does not serve all Services, and kube-proxy does not run",
	Healthy:  "Antrea or kube-proxy serves all Services",
	Category: checks.CategoryNetwork,
	Doc: `Without proxyAll, Antrea serves only the connections from pods to Services. NodePorts, and what
the node itself and its HostProcess pods send to Service addresses, are left to kube-proxy. The only
mode of kube-proxy that works next to Antrea on Windows is userspace, which Kubernetes 1.26 removed.
The manifests of Antrea 1.13 and later set proxyAll; a configuration of an earlier release, or one
without the field, has it off. From 2.0 on the agent logs an error at its start.

The check looks for proxyAll in the configuration of the agent on a node without kube-proxy. It
passes if the node itself reaches a Service address: then another program serves it. If several
ConfigMaps of Antrea disagree, only the log of the agent shows which one it reads.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n kube-system edit configmap antrea-windows-config",
			"Set antreaProxy.proxyAll to true in antrea-agent.conf, and kubeAPIServerOverride to the address of the API server, such as 10.10.1.1:6443."),
		checks.Run("{restart antrea-agent}", "Restart Antrea's agent.").
			Costs("The node loses its network for a few seconds."),
		checks.Verify("Test-NetConnection SERVICE-IP -Port PORT", "TcpTestSucceeded is True")),
	Links: []string{"https://github.com/antrea-io/antrea/blob/main/docs/windows.md",
		"https://github.com/antrea-io/antrea/blob/main/docs/antrea-proxy.md",
		"https://github.com/antrea-io/antrea/pull/4980", "https://github.com/antrea-io/antrea/pull/6255"},
	Breaks:   []*checks.Effect{effectNodePorts},
	Explains: []string{"node-cannot-use-cluster-ip"},
	Applies:  checks.OnCNI(node.Antrea),
	Needs:    []evidence.Need{evidence.Any(evidence.ConfigMaps, antreaConf[0], antreaConf[1], evidence.Logs("antrea-agent")), evidence.Processes},
	Uses: slices.Concat(node.ClusterSources, []evidence.Need{evidence.Services, evidence.Pods, evidence.ReachProbes,
		evidence.ConfigMaps, antreaConf[0], antreaConf[1]}),
	// cmd/antrea-agent/options_windows.go of 2.0 and later; a kube-proxy that runs makes it innocent
	Signs: []checks.Sign{{Text: "AntreaProxy proxyAll is disabled, Service traffic is unlikely to work",
		Or: []string{"AntreaProxy is disabled, Service traffic is unlikely to work"}, Level: checks.Warn,
		Says: "Antrea's agent does not serve all Services, which only a kube-proxy in mode userspace can make up for"}},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		off, from, gap := proxyAllOff(s)
		for _, m := range s.Signs("antrea-proxy-all-off") {
			if m.Over == "" && (gap.Kind != "" || off) { // the agent itself knows what it read
				off, gap = true, evidence.Gap{}
			}
		}
		kubeProxy := node.About(s).Components["kube-proxy"]
		running, _ := kubeProxy.Running()
		switch {
		case running || inK3s(kubeProxy, s):
			return nil, nil
		case gap.Kind != "":
			return nil, checks.Unknown(gap)
		case !off:
			return nil, nil
		}
		if err := couldHide(kubeProxy, s); err != nil {
			return nil, err
		}
		f := checks.Findingf(checks.Fail, proxyAll,
			"no kube-proxy runs, and Antrea does not serve NodePorts and the node's own connections to Services").
			With(from...).At(evidence.Processes.Field(s), "none of its %d processes is %s.exe",
			len(evidence.Processes.In(s)), strings.Join(kubeProxy.Program, ".exe or "))
		silent := false
		for _, p := range reachProbes(s) {
			dest, ok := probed.AddressOf(p)
			if !ok || p.From != "node" || p.Protocol == "icmp" || !isService(node.About(s), dest) {
				continue
			}
			if probed.GotAnswer(p) {
				return nil, nil
			}
			if probed.GotNoAnswer(p) && !silent {
				silent, f = true, f.With(probed.ReachBecause(p))
			}
		}
		return []*checks.Finding{f}, nil
	},
})

// antreaConf are the files of an agent that runs as a service, by Antrea's scripts and by its older images.
var antreaConf = []evidence.File{`C:\k\antrea\etc\antrea-agent.conf`, `C:\etc\antrea\antrea-agent.conf`}

// proxyAllOff tells whether the agent's configuration leaves proxyAll out, and what shows it. The default of the
// agent is off in each release. Manifests before 2.0 put a hash behind the ConfigMap's name, and old ones remain.
func proxyAllOff(s evidence.Snapshot) (off bool, from []evidence.Because, gap evidence.Gap) {
	on := false
	judge := func(settings string, at evidence.Place) {
		why, ok := proxyAllIn(settings, at)
		if on = on || ok && why.Path == ""; why.Path != "" {
			from = append(from, why)
		}
	}
	for _, file := range antreaConf {
		if f := s.File(string(file)); f.Gap.Kind == "" && antreaReads(s, string(file)) {
			judge(f.Text, evidence.InFile(f.Path))
		}
	}
	for _, cm := range evidence.ConfigMaps.In(s) { // that for Linux has the same file
		if settings, there := cm.Data["antrea-agent.conf"]; there && strings.HasPrefix(cm.Metadata.Name, "antrea-windows-config") {
			judge(settings, cm.Field("data", "antrea-agent.conf"))
		}
	}
	if on != (len(from) > 0) {
		return !on, from, gap
	}
	return false, nil, evidence.NotShown.Gap("the configuration of Antrea's agent")
}

// antreaReads tells whether the agent has that file as its --config.
func antreaReads(s evidence.Snapshot, file string) bool {
	reads := func(program string, args []string) bool {
		path, _ := evidence.ParseFlags(args).Get("config")
		return strings.EqualFold(node.Program(program), "antrea-agent") &&
			strings.EqualFold(strings.ReplaceAll(path, "/", `\`), file)
	}
	return slices.ContainsFunc(evidence.Processes.In(s), func(p evidence.Process) bool { return reads(p.Name, p.Args) }) ||
		slices.ContainsFunc(evidence.Services.In(s), func(svc evidence.Service) bool { return reads(svc.BinPath, svc.Args) })
}

// proxyAllIn is why an antrea-agent.conf leaves Services to kube-proxy, empty where it does not; ok tells that it
// could be read.
func proxyAllIn(settings string, at evidence.Place) (why evidence.Because, ok bool) {
	for _, path := range []string{"featureGates.AntreaProxy", "antreaProxy.enable", proxyAll} {
		value, err := evidence.InYAML(settings, strings.Split(path, ".")...)
		switch {
		case err != nil:
			return why, false
		case value == nil && path == proxyAll:
			return at.Because("%s is not set", path), true
		case value != nil && fmt.Sprint(value) != "true":
			return at.Because("%s is %s", path, fmt.Sprint(value)), true
		}
	}
	return why, true
}
