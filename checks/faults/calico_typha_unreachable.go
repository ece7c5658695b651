package faults

import (
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "calico-typha-unreachable",
	Title:    "Calico does not reach Typha",
	Healthy:  "Calico reaches Typha",
	Category: checks.CategoryNetwork,
	Doc: `Where Calico is installed with its operator, Felix reads policies and routes from Typha,
which runs on other nodes and listens on TCP port 5473 of their addresses. If a firewall or a
security group blocks that port, Felix exits after 30 seconds and starts again. Running pods keep
their network; new pods get no policy, and routes to other nodes are not updated.

The check looks for the error in the log of Felix and confd, if no connection succeeded later.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get endpoints calico-typha -A",
			"Find the addresses of Typha."),
		checks.Inspect("Test-NetConnection TYPHA-ADDRESS -Port 5473",
			"Try the connection from this node."),
		checks.Do("Allow TCP port 5473 from this node to the nodes that run Typha, in their firewalls and in security groups."),
		checks.Verify("Test-NetConnection TYPHA-ADDRESS -Port 5473", "TcpTestSucceeded is True")),
	Links: []string{
		"https://github.com/projectcalico/calico/issues/8404",
		"https://github.com/projectcalico/typha/issues/345",
		"https://docs.tigera.io/calico/latest/getting-started/kubernetes/requirements",
	},
	Breaks:  []*checks.Effect{effectNetworkCreation},
	Applies: checks.UnlessOtherCNI(node.Calico),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("calico"), evidence.Logs("other"))},
	Signs: []checks.Sign{
		// felix/daemon, which exits with it after 30 seconds of attempts
		{Text: "giving up after timeout", Also: []string{"Failed to connect to Typha"},
			Not: typhaCertificates, Until: typhaConnected,
			Says: "Felix cannot connect to Typha"},
		{Text: "Failed to connect to Typha", Also: []string{"dial tcp "},
			Not:   append([]string{"giving up after timeout"}, typhaCertificates...),
			Lasts: time.Minute, Until: typhaConnected,
			Says: "Felix cannot connect to Typha"},
	},
})

// typhaConnected is what typha/pkg/syncclient says that has a connection.
var typhaConnected = []string{"Successfully connected to Typha", "Connected to Typha."}

// typhaCertificates are another fault.
var typhaCertificates = []string{"x509: ", "tls: "}
