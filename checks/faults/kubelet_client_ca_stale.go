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

// apiServerSigner is the CA of OpenShift that signs the client certificate of the API server. It is
// replaced after 292 of its 365 days, under a name with another number.
const apiServerSigner = "kube-apiserver-to-kubelet-signer"

// kubeletSigner is the CA of OpenShift that signs the certificates of kubelets. The file has both.
const kubeletSigner = "OU=openshift,CN=kubelet-signer"

// caDue is the share of a CA's life, in percent, after which OpenShift has replaced it.
const caDue = 80

var _ = register(&checks.Check{
	ID:       "kubelet-client-ca-stale",
	Title:    "kubelet has an old CA for client certificates",
	Healthy:  "kubelet has the current CA for client certificates",
	Category: checks.CategorySecurity,
	Doc: `The API server shows the kubelet a client certificate when somebody reads logs of a pod or runs
a command in it. The kubelet compares it with the CAs in its client CA file. After the CA was
replaced, a file that was not replaced with it makes the kubelet answer Unauthorized: the node is
Ready and its pods run, but kubectl logs, exec, attach and port-forward fail for them. OpenShift
replaces its CA once a year; older releases of the Windows Machine Config Operator did not write the
new one to every node.

The kubelet logs the same for any other client with a foreign certificate, such as a scanner.
Therefore the log line alone is reported as info. With it, the check warns if a CA in the file has
expired, or is the one of OpenShift and due for replacement, and the file has no newer one, or if the
file has other CAs of OpenShift and not this one. It also warns if an event shows that OpenShift
replaced its CA, the file has only one from before, and the refusals began after that and last for half
an hour.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl logs POD -n NAMESPACE",
			"Read the log of a pod of this node. If the answer is Unauthorized, the refused client is the API server."),
		checks.Do("Add the CA of the API server's client certificate to the client CA file of the kubelet. On OpenShift, update the Windows Machine Config Operator, which then writes the file."),
		checks.Run("{restart kubelet}", "Restart the kubelet.").
			Costs("Running containers are not affected."),
		checks.Verify("kubectl logs POD -n NAMESPACE", "the log of the pod")),
	Links: []string{
		"https://github.com/openshift/windows-machine-config-operator/pull/2228",
		"https://github.com/openshift/windows-machine-config-operator/issues/1954",
		"https://github.com/openshift/machine-config-operator/pull/965",
		"https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/",
	},
	Needs: []evidence.Need{evidence.Certificates, evidence.Logs("kubelet")},
	Uses:  append(slices.Clone(node.KubeletSources), evidence.PodEvents),
	Signs: []checks.Sign{
		// pkg/kubelet/server/server.go and apiserver/pkg/authentication/request/x509 of Kubernetes
		{Text: "Unable to authenticate the request",
			Also: []string{"verifying certificate", "signed by unknown authority"}, In: []string{"kubelet", "other"},
			Level: checks.Info, Says: "the kubelet does not trust the CA of a client's certificate"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		refused := s.Signs("kubelet-client-ca-stale")
		at := slices.IndexFunc(refused, func(m evidence.SignMatch) bool {
			return m.Over == "" && (m.Last.IsZero() || s.Now().Sub(m.Last) < 24*time.Hour)
		})
		if at < 0 {
			return nil, nil
		}
		file := clientCAFile(s)
		if file == "" {
			return nil, checks.Unknown(evidence.NotShown.Gap("the client CA file of the kubelet"))
		}
		newest := map[string]evidence.Certificate{}
		for _, c := range evidence.Certificates.In(s) {
			if !strings.EqualFold(evidence.CleanWinPath(c.Path), file) {
				continue
			}
			name := c.Subject
			if strings.Contains(name, apiServerSigner) {
				name = apiServerSigner
			}
			if c.NotAfter.After(newest[name].NotAfter.Time) {
				newest[name] = c
			}
		}
		if len(newest) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the client CA file of the kubelet"))
		}
		var findings []*checks.Finding
		if own, ok := newest[kubeletSigner]; ok && newest[apiServerSigner].Path == "" {
			findings = append(findings, checks.Findingf(checks.Warn, own.Path,
				"the kubelet refuses a client certificate, and %s has no %s", own.Path, apiServerSigner).
				At(own.Field("subject"), "%s: %s", own.Path, own.Subject).With(checks.Quote(refused[at])))
			findings[0].Basis = checks.ByBoth
		}
		for name, c := range newest {
			life := c.NotAfter.Sub(c.NotBefore.Time)
			due := c.NotAfter.Time
			var replaced []evidence.Because
			if name == apiServerSigner {
				due = c.NotBefore.Add(life * caDue / 100)
				replaced = signerReplaced(s, c, refused[at])
			}
			if s.Now().Before(due) && len(replaced) == 0 {
				continue
			}
			f := checks.Findingf(checks.Warn, c.Path,
				"the kubelet refuses a client certificate, and %s has no newer CA than %s of %s", c.Path, name,
				c.NotBefore.UTC().Format(time.DateOnly)).
				At(c.Field("notAfter"), "%s: %s is valid until %s", c.Path, c.Subject,
					c.NotAfter.UTC().Format(time.DateOnly)).With(checks.Quote(refused[at])).With(replaced...)
			f.Basis = checks.ByBoth
			if !slices.ContainsFunc(outdated(s), func(o *checks.Finding) bool { return o.Subject != c.Path }) {
				f = f.Explaining("cert-expired-or-clock-skew") // which has nothing but this CA
			}
			if agent := agentOf(c.Path); agent != "" {
				f = f.Cure(agentRenews(agent))
			}
			findings = append(findings, f)
		}
		slices.SortFunc(findings, func(a, b *checks.Finding) int { return cmp.Compare(a.Message(), b.Message()) })
		return findings, nil
	},
})

// signerReplaced is the event of OpenShift's new CA (openshift/library-go pkg/operator/certrotation/signer.go), if that of
// the file is older and the refusals are of the time after. An administrator can have it replaced at any time, and
// the operator needs some minutes to write the new one to the nodes.
func signerReplaced(s evidence.Snapshot, ca evidence.Certificate, refused evidence.SignMatch) []evidence.Because {
	for _, e := range evidence.PodEvents.In(s) {
		at := e.At().Time
		if e.Reason == "SignerUpdateRequired" && strings.Contains(e.Text(), `"`+apiServerSigner+`" in `) &&
			ca.NotBefore.Add(time.Hour).Before(at) && // the first one has an event, too
			at.Before(refused.Time) && refused.Last.Sub(at) > 30*time.Minute {
			return []evidence.Because{e.Field().Because("%s", e.Text())}
		}
	}
	return nil
}

// clientCAFile is the file of the CAs whose client certificates the kubelet accepts.
func clientCAFile(s evidence.Snapshot) string {
	n := node.About(s)
	flag, _ := n.KubeletFlag("client-ca-file")
	file := cmp.Or(flag.Value, n.KubeletConfig(s).Authentication.X509.ClientCAFile)
	if file == "" {
		return ""
	}
	return evidence.CleanWinPath(file)
}
