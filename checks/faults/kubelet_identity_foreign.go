package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubelet-identity-foreign",
	Title:    "kubelet does not have the identity of a node",
	Healthy:  "kubelet has the identity of its node",
	Category: checks.CategoryComponents,
	Doc: `The API server lets a kubelet register and report its node only as user system:node:NAME of
the group system:nodes. A kubelet that has a client certificate never requests one with its bootstrap
kubeconfig. So it keeps a wrong certificate: one that was left in an image, copied from another machine, or
made by hand with another name.

The check compares the subject of the client certificate that the kubelet keeps with system:node:, if the
Node does not exist, and looks for refusals in the log of the kubelet. A certificate of another node is
found by node-name-case-mismatch.`,
	Fix: checks.Steps(
		checks.Inspect(`certutil -dump C:\var\lib\kubelet\pki\kubelet-client-current.pem`,
			"Read the subject of the certificate of the kubelet. On AKS the file is in C:\\k\\pki."),
		checks.Do("Check that the bootstrap kubeconfig exists and has a valid token: without one the kubelet gets no other certificate."),
		checks.Do("Stop the kubelet, move the files kubelet-client-* and the kubeconfig of the kubelet to another folder, and start the kubelet: it requests a certificate of its own. In an image, delete these files before you seal it.").
			Costs("Running containers are not affected."),
		reprovisionAKS,
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/Azure/AgentBaker/pull/8535",
		"https://github.com/kubernetes/kubernetes/issues/52711",
		"https://github.com/kelseyhightower/kubernetes-the-hard-way/issues/228",
		"https://kubernetes.io/docs/reference/access-authn-authz/node/",
	},
	Breaks:   []*checks.Effect{effectNodeReports},
	Explains: podsOfTheNode,
	Needs:    []evidence.Need{evidence.Any(evidence.Certificates, evidence.Logs("kubelet"), evidence.WindowsEvents, evidence.Logs("other"))},
	Uses:     []evidence.Need{evidence.Certificates, evidence.Node},
	Signs: []checks.Sign{
		// plugin/pkg/auth/authorizer/node of Kubernetes: the certificate has no name behind system:node:
		{Text: `unknown node for user`, Also: []string{"system:node:", "Unable to register node"}, Until: nodeRegistered,
			Says: "the API server refuses to register the node: the kubelet is another user than system:node:NAME"},
		{Text: "Unable to register node", Also: []string{"User ", "cannot create", "nodes"},
			Not:   []string{"system:anonymous", "system:node:"},
			Until: nodeRegistered,
			Says:  "the API server refuses to register the node: the kubelet is another user than system:node:NAME"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		refused := liveSigns(s, "kubelet-identity-foreign")
		kept, foreign := 0, false
		for _, c := range evidence.Certificates.In(s) {
			if !strings.HasSuffix(strings.ToLower(evidence.CleanWinPath(c.Path)), `\kubelet-client-current.pem`) {
				continue
			}
			kept++
			if strings.Contains(c.Subject, "CN=system:node:") {
				continue
			}
			// AKS engine gave its kubelets CN=client of system:masters, who may register nodes.
			foreign = foreign || !strings.Contains(c.Subject, "O=system:masters")
			if len(refused) == 0 &&
				(!strings.Contains(c.Subject, "O=system:nodes") || evidence.Node.Gap(s).Kind != evidence.Absent) {
				continue
			}
			f := checks.Findingf(checks.Fail, c.Path,
				"the client certificate of the kubelet is of %s and not of a node (expected: CN=system:node:NAME)", c.Subject).
				At(c.Field("subject"), "%s: subject is %s", c.Path, c.Subject)
			if len(refused) > 0 {
				f = f.With(checks.Quote(refused[0]))
				f.Basis = checks.ByBoth
			}
			return []*checks.Finding{f}, nil
		}
		if len(refused) > 0 || kept == 0 && !hasNodeCertificate(s) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the client certificate of the kubelet"))
		}
		if foreign && !evidence.Node.Known(s) {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether the node is registered"))
		}
		return nil, nil
	},
})

// hasNodeCertificate tells that some certificate of the machine is that of a node, such as the one that RKE2
// gives its kubelet, or that the Node is there: on EKS the kubelet has none.
func hasNodeCertificate(s evidence.Snapshot) bool {
	return evidence.Node.Known(s) || slices.ContainsFunc(evidence.Certificates.In(s), func(c evidence.Certificate) bool {
		return strings.Contains(c.Subject, "CN=system:node:")
	})
}
