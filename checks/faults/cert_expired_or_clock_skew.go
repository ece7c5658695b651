package faults

import (
	"path"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// How far the node's clock may be from the API server's. Tokens are judged with
// a minute's leeway; new certificates are dated back by five, and Kerberos
// refuses whoever is further off.
const (
	skewWorries = time.Minute
	skewBreaks  = 5 * time.Minute
)

// expiresSoon is when a certificate that nobody renewed becomes a worry. One
// that lives for a day is renewed later, so a tenth of its life counts as well.
const expiresSoon = 7 * 24 * time.Hour

// Calls that fail over somebody else's certificate: a registry's, a webhook's.
var othersCertificates = []string{"pull", "failed to resolve reference",
	"failed to resolve image: ", "/v2/", "webhook"}

// reachedAPIServer is what the components say that the API server has answered: after a boot the
// clock may be wrong until Windows has set it.
var reachedAPIServer = slices.Concat(nodeRegistered, nodeBecameReady, proxyStarted, subnetWritten,
	antreaStarted, joined)

var _ = register(&checks.Check{
	ID:       "cert-expired-or-clock-skew",
	Title:    "Node certificate expired or clock skewed",
	Healthy:  "Node certificates and clock are valid",
	Category: checks.CategoryNode,
	Doc: `The kubelet authenticates with a client certificate. It renews the certificate itself if
rotation is enabled and the request is approved; nodes that were joined by hand often have neither.
The agents of RKE2 and k3s renew theirs only when they start.
Once it has expired the API server refuses the kubelet and the node is lost. A wrong clock makes
valid certificates and service account tokens fail in the same way.

The check compares the dates of the recorded certificates with the time of the recording, and the
clock with the API server's: measured on the node, or by the lease that the kubelet renews. Earlier
generations of the kubelet's rotated certificates are ignored, and so is a CA bundle in which
another certificate is valid. A log line about a registry's or a webhook's certificate is not
counted.`,
	Fix: checks.Steps(
		checks.Inspect("w32tm /query /status", "Check that the clock of the node is right."),
		newCertificate(),
		checks.Inspect("kubectl get csr", "Find the pending request of this node."),
		checks.Run("kubectl certificate approve CSR",
			"Approve the request if the cluster does not approve it automatically."),
		setClock(),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://github.com/projectcalico/calico/pull/9178",
		"https://github.com/kubernetes/kubernetes/pull/97680",
		"https://github.com/Azure/AKS/issues/1152",
		"https://docs.rke2.io/security/certificates",
		"https://learn.microsoft.com/en-us/azure/aks/hybrid/known-issues-security",
		"https://kubernetes.io/docs/tasks/tls/certificate-rotation/",
		"https://kubernetes.io/docs/concepts/architecture/leases/",
		"https://kubernetes.io/docs/reference/using-api/server-side-apply/"},
	Breaks: []*checks.Effect{effectKubeletStart, effectNodeReports, effectPodStart,
		effectContainers},
	// without a certificate the kubelet falls back to its bootstrap token
	Explains: []string{"kubelet-bootstrap-config-missing", "kubelet-certificate-request-refused",
		"kubelet-credentials-refused"},
	Needs: []evidence.Need{evidence.Any(evidence.Certificates, evidence.TimeService,
		evidence.NodeLease)},
	FromPart: []evidence.Need{evidence.Certificates},
	Uses: append([]evidence.Need{evidence.Certificates, evidence.TimeService, evidence.NodeLease,
		evidence.Pods, evidence.PodEvents}, node.KubeletSources...),
	Signs: []checks.Sign{
		{Text: "x509: certificate has expired or is not yet valid", Not: othersCertificates,
			Also: []string{" is before "}, Until: reachedAPIServer, Fix: clockFix(), In: apiClients,
			Says: "a certificate of the cluster is not yet valid for this node: its clock is behind"},
		{Text: "x509: certificate has expired or is not yet valid",
			Not:   append([]string{" is before "}, othersCertificates...),
			In:    apiClients,
			Until: reachedAPIServer,
			Says:  "a certificate between this node and the API server has expired or is not yet valid"},
		// cni-plugin/pkg/plugin/plugin.go of Calico
		{Text: "error getting ClusterInformation: Get",
			Also: []string{"x509: certificate has expired or is not yet valid"}, In: []string{evidence.InPodEvents},
			Says: "a certificate between this node and the API server has expired or is not yet valid"},
		// kubectl, on whatever machine: pkg/cmd/util/helpers.go
		{Text: "Unable to connect to the server: x509: certificate has expired or is not yet valid",
			Also: []string{" is before "}, In: []string{"other"}, Fix: clockFix(),
			Says: "a certificate of the cluster is not yet valid for this node: its clock is behind"},
		{Text: "Unable to connect to the server: x509: certificate has expired or is not yet valid",
			Not: []string{" is before "}, In: []string{"other"}, Fix: serverCertificateFix(),
			Says: "the certificate of the API server has expired"},
		// pkg/k8splan of Rancher's agent, whose certificate is that of Rancher
		{Text: "x509: certificate has expired or is not yet valid",
			Also: []string{" is before ", "error while connecting to Kubernetes cluster"},
			In:   []string{"rancher-wins", "other"}, Until: rancherConnected, Fix: clockFix(),
			Says: "a certificate of the cluster is not yet valid for this node: its clock is behind"},
		{Text: "Certificate information is displayed above. error: ", Also: []string{" is before "},
			In: []string{"rancher-wins", "rke2", "other"}, Fix: clockFix(),
			Says: "a certificate of the cluster is not yet valid for this node: its clock is behind"},
		{Text: "part of the existing bootstrap client certificate", Also: []string{"is expired"},
			Until: nodeRegistered, // it has got a new one with its bootstrap token
			Says:  "the kubelet's client certificate has expired"},
		// pkg/kubelet/certificate/transport.go of Kubernetes: every ten seconds, or as its last words
		{Text: "The currently active client certificate has expired", In: []string{"kubelet"},
			Until: append([]string{"certificate rotation detected"}, nodeRegistered...),
			Says:  "the kubelet's client certificate has expired"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		findings := outdated(s)
		skew, from, measured := clockSkew(s)
		if off := skew.Abs(); measured && off >= skewWorries {
			level := checks.Warn
			if off >= skewBreaks {
				level = checks.Fail
			}
			f := checks.Findingf(level, "clock",
				"Node clock differs from the API server by %s", off.Round(time.Second)).
				With(from).Cure(clockFix())
			if validBySkew(s, skew) {
				f = f.Explaining("registry-ca-unknown")
			}
			findings = append(findings, f)
		}
		if len(findings) > 0 {
			return findings, nil
		}
		if gap := evidence.Certificates.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		if !measured {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("how far the clock is from the API server's"))
		}
		return nil, nil
	},
})

// clockSkew is how far the node's clock is from the API server's. A renewal of the lease shows both: the
// kubelet writes its own time, and the API server when it came.
func clockSkew(s evidence.Snapshot) (skew time.Duration, from evidence.Because, measured bool) {
	clock := evidence.TimeService.In(s)
	if skew, measured = skewOf(clock); measured {
		return skew, evidence.TimeService.Field(s, "apiServerSkewMs").Because(
			"apiServerSkewMs is %d", *clock.APIServerSkewMS), true
	}
	renewed := evidence.NodeLease.In(s).Spec.RenewTime
	for _, by := range evidence.NodeLease.In(s).Metadata.ManagedFields {
		if by.FieldsV1.Spec.RenewTime != nil && !renewed.IsZero() && !by.Time.IsZero() {
			return renewed.Sub(by.Time.Time), evidence.NodeLease.Field(s, "spec", "renewTime").Because(
				"the kubelet renewed its lease at %s, which the API server received at %s",
				renewed.UTC().Format(time.DateTime), by.Time.UTC().Format(time.DateTime)), true
		}
	}
	return 0, from, false
}

// outdated judges the certificates by file: one that is valid is enough for its file.
func outdated(s evidence.Snapshot) []*checks.Finding {
	certificates, now := evidence.Certificates.In(s), s.Now()
	valid := func(c evidence.Certificate) bool {
		return (c.NotBefore.IsZero() || !now.Before(c.NotBefore.Time)) &&
			!now.After(c.NotAfter.Time)
	}
	var findings []*checks.Finding
	for _, c := range certificates {
		if now.IsZero() || c.NotAfter.IsZero() || rotatedAway(c.Path) || ofDocker(c.Path) {
			continue
		}
		if slices.ContainsFunc(certificates, func(o evidence.Certificate) bool {
			return strings.EqualFold(o.Path, c.Path) && o != c && valid(o)
		}) {
			continue
		}
		level, what := weightOf(c)
		if onlyOfClients(s, c) {
			level, what = checks.Warn, evidence.Phrasef("the CA certificate for clients of the kubelet")
		}
		var message evidence.Phrase
		soon := min(expiresSoon, c.NotAfter.Sub(c.NotBefore.Time)/10)
		switch left := c.NotAfter.Sub(now); {
		case left < 0:
			message = evidence.Phrasef("%s expired on %s at %s", what,
				c.NotAfter.Format("2006-01-02"), c.NotAfter.Format("15:04 UTC"))
		case !valid(c):
			message = evidence.Phrasef("%s is not valid before %s: the node's clock is behind",
				what, c.NotBefore.Format("2006-01-02 15:04 UTC"))
		case left < soon && level == checks.Fail:
			level = checks.Warn
			message = evidence.Phrasef("%s expires on %s at %s and was not renewed", what,
				c.NotAfter.Format("2006-01-02"), c.NotAfter.Format("15:04 UTC"))
		default:
			continue
		}
		f := checks.Findingf(level, c.Path, "%s", message)
		switch agent := agentOf(c.Path); {
		case now.Before(c.NotBefore.Time):
			f = f.Cure(clockFix())
		case agent != "":
			f = f.Cure(agentRenews(agent))
		}
		findings = append(findings, f.At(c.Field(), "%s: %s, valid from %s to %s", c.Path, c.Subject,
			c.NotBefore.Format(time.DateTime), c.NotAfter.Format(time.DateTime)))
	}
	return findings
}

// onlyOfClients tells whether a CA is one that the kubelet needs for its clients alone: another valid CA
// is there, by which it knows the API server.
func onlyOfClients(s evidence.Snapshot, ca evidence.Certificate) bool {
	return strings.EqualFold(evidence.CleanWinPath(ca.Path), clientCAFile(s)) && ca.Subject == ca.Issuer &&
		slices.ContainsFunc(evidence.Certificates.In(s), func(c evidence.Certificate) bool {
			return !strings.EqualFold(c.Path, ca.Path) && !ofDocker(c.Path) && c.Subject != "" && c.Subject == c.Issuer &&
				s.Now().Before(c.NotAfter.Time)
		})
}

func agentRenews(agent string) checks.Fix {
	return checks.Steps(
		checks.Run("Restart-Service "+agent,
			"Restart the agent: %s requests the certificates of the node again at each start.", agent).
			Costs("The kubelet and the network agents of the node restart."),
		setClock(), checks.Verify("kubectl get node {node}", "STATUS is Ready"))
}

// apiClients are the logs in which the certificates are those of the API server and of its clients.
var apiClients = []string{"kubelet", "kubeadm", "kube-proxy", "flanneld", "cni", "calico-node", "antrea", "rke2",
	"k3s", evidence.InEvents}

func setClock() *checks.Step {
	return checks.Run("w32tm /resync", "If the clock is wrong, synchronize it.").
		Costs("The clock may jump once.")
}

func clockFix() checks.Fix {
	return checks.Steps(setClock(),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready"))
}

// serverCertificateFix is for kubectl, which checks the certificate of the API server.
func serverCertificateFix() checks.Fix {
	return checks.Steps(
		checks.Inspect("w32tm /query /status", "Check that the clock of this machine is right."),
		checks.Run("kubeadm certs renew all",
			"Renew the certificates of the control plane: on kubeadm on each of its nodes, elsewhere with the tool of the platform.").
			Costs("The control plane's pods must restart to use them."),
		checks.Verify("kubectl get nodes", "STATUS is Ready"))
}

func newCertificate() *checks.Step {
	return checks.Run(`Remove-Item C:\var\lib\kubelet\pki\kubelet-client-*; {restart kubelet}`,
		"If the client certificate has expired, delete it and restart the kubelet: it requests a new certificate.").
		Costs("The kubelet needs a valid bootstrap kubeconfig to request a new certificate.")
}

// agentOf is the service that renews a certificate at its start: the agents of RKE2 and k3s keep all
// their own in one folder.
func agentOf(file string) string {
	file = strings.ToLower(evidence.CleanWinPath(file))
	for _, agent := range []string{"rke2", "k3s"} {
		if strings.Contains(file, `\rancher\`+agent+`\agent\`) {
			return agent
		}
	}
	return ""
}

// ofDocker tells a certificate of the remote API of docker, which no program of Kubernetes uses.
func ofDocker(file string) bool {
	return strings.Contains(strings.ToLower(evidence.CleanWinPath(file)), `\docker\certs.d\`)
}

// rotatedAway tells an earlier generation of a certificate that the kubelet
// renews: only kubelet-client-current.pem counts, not kubelet-client-2026-02-03-….pem.
func rotatedAway(file string) bool {
	name := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	for _, kind := range []string{"kubelet-client-", "kubelet-server-"} {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			return !strings.HasPrefix(rest, "current")
		}
	}
	return false
}

// weightOf tells what a certificate is for. Without the node's own and without
// the cluster's CA nothing works; the kubelet's serving certificate only
// matters to those who check it.
func weightOf(c evidence.Certificate) (checks.Level, evidence.Phrase) {
	file := path.Base(strings.ToLower(strings.ReplaceAll(c.Path, `\`, "/")))
	switch {
	case strings.HasPrefix(file, "kubelet-server") || file == "kubelet.crt" || file == "serving-kubelet.crt":
		return checks.Warn, evidence.Phrasef("the kubelet's serving certificate")
	case strings.Contains(file, "kubelet-client") || strings.Contains(strings.ToLower(c.Subject),
		"cn=system:node:"):
		return checks.Fail, evidence.Phrasef("the kubelet's client certificate")
	case c.Subject != "" && c.Subject == c.Issuer:
		return checks.Fail, evidence.Phrasef("the cluster's CA certificate")
	}
	return checks.Warn, evidence.Phrasef("the certificate %s", c.Path)
}
