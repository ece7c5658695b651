package faults

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "control-plane-unreachable",
	Title:    "Node does not reach the API server",
	Healthy:  "Node reaches the API server",
	Category: checks.CategoryNetwork,
	Doc: `The kubelet, kube-proxy and the network agent of the node talk to the API server. A
firewall, a lost route, an exhausted load balancer or a certificate of another cluster prevents it.
Components keep working with what they know, so the node looks well for some minutes.

The check reads probes to the API server: to the endpoints of the Service kubernetes and to the
servers that the kubeconfig files name, each from the node. Without probes it reads the logs of the
components: their requests have failed for two minutes or more, and none was answered since.`,
	Fix: checks.Steps(
		checks.Inspect("Test-NetConnection -ComputerName API-SERVER -Port 443",
			"Try the connection from the node."),
		checks.Do("Correct the route, or allow the connection in the firewalls between the node and the control plane."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/reference/networking/ports-and-protocols/",
		"https://github.com/projectcalico/calico/issues/4682"},
	Symptom: true,
	Needs:   []evidence.Need{evidence.ReachProbes},
	Signs:   unansweredSigns(),
	Uses: slices.Concat([]evidence.Need{evidence.EndpointSlices},
		node.AsFiles(kubeconfigs), node.KubeletSources),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		targets := apiTargets(s)
		looked := false
		var findings []*checks.Finding
		for _, p := range evidence.ReachProbes.In(s) {
			if p.From != evidence.FromNode || p.Protocol != "tcp" && p.Protocol != "tls" ||
				!slices.Contains(targets, strings.ToLower(p.Target)) {
				continue
			}
			looked = true
			if p.Outcome == "ok" {
				continue
			}
			fix := fixOf("control-plane-unreachable")
			if at, err := netip.ParseAddrPort(p.Target); err == nil {
				fix.Steps[0].Command = fmt.Sprintf("Test-NetConnection -ComputerName %s -Port %d",
					at.Addr(), at.Port())
			}
			findings = append(findings, checks.Findingf(checks.Warn, p.Target,
				"the node does not reach the API server at %s over %s: %s", p.Target, p.Protocol,
				p.Outcome).Cure(fix).
				At(p.Field("outcome"), "%s to %s from %s: %s", p.Protocol, p.Target, p.From,
					p.Outcome))
		}
		if !looked {
			return nil, checks.Unknown(evidence.NotShown.Gap("a probe to the API server"))
		}
		return findings, nil
	},
})

// unansweredSigns are the requests of a component that its socket cannot connect for. A restart of
// the API server fails them for some seconds.
func unansweredSigns() []checks.Sign {
	var signs []checks.Sign
	for _, request := range []string{"Failed to list *v1.", "Failed to watch *v1.",
		"Unable to register node with API server", "Error updating node status",
		`" with API server: Post `, // klog without structure: the node's name is before it
		"Failed to update lease", "Failed to ensure lease exists",
		"failed to update node lease", "failed to ensure node lease exists", // until 1.17
		"Failed to request cluster-info", // kubeadm join, with --v=1
		// startup.go of Calico, which then exits
		"Unable to ensure datastore is migrated",
		// Calico's plugin, for each pod, and flanneld, which then exits
		"error getting ClusterInformation: Get ", "error retrieving pod spec for "} {
		for _, failure := range []string{"connectex: ", "i/o timeout"} {
			signs = append(signs, checks.Sign{Text: request, Also: []string{"dial tcp", failure},
				Not: []string{"dial tcp: lookup", "127.0.0.1"}, Level: checks.Warn,
				Until: append([]string{"Using node name"}, reachedAPIServer...),
				Lasts: 2 * time.Minute, Says: "a component of the node cannot connect to the API server"})
		}
	}
	// A kubelet with a bootstrap kubeconfig waits for a minute, and exits: pkg/kubelet/certificate/bootstrap.
	// kubeadm join tries for five minutes before it says so.
	for _, failure := range []string{"connectex: ", "i/o timeout"} {
		signs = append(signs, checks.Sign{Text: "cannot create certificate signing request: Post",
			Also: []string{"dial tcp", failure}, Not: []string{"dial tcp: lookup", "127.0.0.1"},
			Level: checks.Warn, Until: nodeRegistered,
			Says: "the kubelet cannot connect to the API server to request its certificate"})
		signs = append(signs, checks.Sign{Text: "couldn't validate the identity of the API Server",
			Also: []string{"dial tcp", failure}, Not: []string{"dial tcp: lookup", "127.0.0.1"},
			Level: checks.Warn, Until: joined, Says: "kubeadm cannot connect to the API server"})
	}
	return signs
}

// apiEndpoints are the addresses and ports of the Service kubernetes: those of the API servers.
func apiEndpoints(s evidence.Snapshot) (list []netip.AddrPort) {
	for _, slice := range evidence.EndpointSlices.In(s) {
		if slice.Metadata.Namespace != "default" ||
			slice.Metadata.Labels["kubernetes.io/service-name"] != "kubernetes" {
			continue
		}
		for _, e := range slice.Endpoints {
			for _, ip := range node.ParseAddresses(e.Addresses...) {
				for _, p := range slice.Ports {
					list = append(list, netip.AddrPortFrom(ip, uint16(p.Port)))
				}
			}
		}
	}
	return list
}

// apiTargets are the addresses of the API server as probes name them.
func apiTargets(s evidence.Snapshot) (targets []string) {
	for _, at := range apiEndpoints(s) {
		targets = append(targets, at.String())
	}
	for _, f := range kubeconfigsInUse(node.About(s)) {
		c, err := evidence.DecodeKubeconfig([]byte(s.File(f.Value).Text))
		if err != nil {
			continue
		}
		for _, server := range c.Clusters {
			host, ok := strings.CutPrefix(strings.ToLower(server), "https://")
			host, _, _ = strings.Cut(host, "/")
			if ok && !strings.Contains(host, ":") {
				host += ":443"
			}
			targets = append(targets, host)
		}
	}
	return targets
}
