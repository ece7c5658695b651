package faults

import (
	"encoding/json"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// The events of Container Credential Guard that report a failure, by number, because the messages
// are localized. 1, 2 and 7 report success.
var ccgFailures = map[int]evidence.Phrase{
	3: evidence.Phrasef("the credential spec cannot be read"),
	4: evidence.Phrasef(
		"the plug-in cannot be loaded: not installed or not registered on this node"),
	6: evidence.Phrasef(
		"the plug-in returned no credentials (its input in the credential spec, or access to the secret store)"),
	8: evidence.Phrasef(
		"Active Directory denies the account's password to this node or to the user of the plug-in"),
	9: evidence.Phrasef("the GUID of the plug-in in the credential spec cannot be read"),
	ccgNoDomain: evidence.Phrasef(
		"the node finds no domain controller: DNS of the domain over UDP and TCP, or its ports"),
}

// ccgNoDomain is a reason of event 8 that has another fix: nobody was there to deny the password.
const ccgNoDomain = -8

// ccgTexts are the beginnings of the messages in English, by number: an export or a paste may have
// lost the number.
var ccgTexts = map[string]int{
	"fetched gmsa credentials for": 2, "failed to parse the credential spec": 3,
	"failed to instantiate the plug": 4, "failed to fetch credentials from the plug": 6,
	"failed to fetch gmsa credentials for": 8, "failed to parse the plug": 9,
}

// ccgOutcome is the number of an event of Container Credential Guard.
func ccgOutcome(e evidence.WindowsEvent) int {
	id := e.ID
	for text, of := range ccgTexts {
		if strings.HasPrefix(e.Message, "Container Credential Guard "+text) {
			id = of
		}
	}
	if id == 8 && strings.Contains(e.Message, "directory service is not available") {
		return ccgNoDomain
	}
	return id
}

var verifyGMSA = checks.Verify("kubectl exec POD -n NAMESPACE -- nltest /sc_verify:DOMAIN",
	"NERR_Success")

// ccgRepairs are what fixes these failures, by the number of the event.
var ccgRepairs = map[int]*checks.Step{
	3: checks.Do("Correct the credential spec, and recreate the pod."),
	4: checks.Do("Install and register the plug-in on this node."),
	6: checks.Do(
		"Correct the input of the plug-in in the credential spec, and give the node access to the secret store."),
	8: checks.Do(
		"In Active Directory, add the node or the user of the plug-in to PrincipalsAllowedToRetrieveManagedPassword of the account."),
	9: checks.Do("Correct the GUID of the plug-in in the credential spec, and recreate the pod."),
	// An answer with all domain controllers does not fit into a UDP packet.
	ccgNoDomain: checks.Do(
		"Allow DNS over TCP and UDP (port 53) from the node and from CoreDNS to the DNS servers of the domain, and check that Resolve-DnsName -Type SRV _ldap._tcp.dc._msdcs.DOMAIN has an answer on the node and in the pod."),
}

// The webhook handles a pod only when it is created.
var gmsaWebhookFix = checks.Steps(
	checks.Inspect("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
		"Look for the gMSA webhook."),
	checks.Do("Install or repair the gMSA webhook, and allow the pod's service account to use the credential spec."),
	checks.Run("kubectl delete pod POD -n NAMESPACE",
		"Delete the pod, so that its controller creates it again.").
		Costs("A pod without a controller is not created again."),
	verifyGMSA)

// gmsaDenied is what the API server says of a pod that is then not created.
const gmsaDenied = `admission webhook "admission-webhook.windows-gmsa.sigs.k8s.io" denied the request`

// gmsaUnauthorized is what the webhook says if a role is missing: most often for the account default of a
// new namespace.
const gmsaUnauthorized = "is not authorized to `use`"

var gmsaMayUse = checks.Verify("kubectl auth can-i use gmsacredentialspecs/NAME --as system:serviceaccount:NAMESPACE:ACCOUNT -n NAMESPACE",
	"yes")

// gmsaUseFix is for a service account that no role allows to use the credential spec.
var gmsaUseFix = checks.Steps(
	checks.Inspect("kubectl get clusterroles,rolebindings -A -o wide",
		"Look for a ClusterRole with the verb use for the credential spec, and for its bindings."),
	checks.Run("kubectl create clusterrole NAME-user --verb=use --resource=gmsacredentialspecs.windows.k8s.io --resource-name=NAME",
		"If there is no such role, create it."),
	checks.Run("kubectl create rolebinding NAME-user --clusterrole=NAME-user --serviceaccount=NAMESPACE:ACCOUNT -n NAMESPACE",
		"Bind it to the service account of the pod, in the namespace of the pod."),
	gmsaMayUse)

// gmsaDeniedFix is for a pod that the webhook does not let in for another reason.
var gmsaDeniedFix = checks.Steps(
	checks.Inspect("kubectl get gmsacredentialspecs",
		"Check that the credential spec that the pod names exists, with a field credspec."),
	checks.Do("If it exists, give the service account of the pod the verb use for it: a ClusterRole with resourceNames, and a RoleBinding in the namespace of the pod."),
	gmsaMayUse)

const ccgProvider = "Microsoft-Windows-Containers-CCG"

var _ = register(&checks.Check{
	ID:       "gmsa-not-working",
	Title:    "Pods do not get the identity of their gMSA",
	Healthy:  "Pods get the identity of their gMSA",
	Category: checks.CategoryWorkloads,
	Doc: `A pod names a GMSACredentialSpec. An admission webhook copies its content into the pod,
the runtime passes it to the container, and Container Credential Guard on the node gets the password
of the group managed service account (gMSA) from Active Directory: as the node itself or, on nodes
outside the domain, through a plug-in. If one of these steps fails, the container still runs, but
without the identity: nltest in it returns 1722 or 1311.

The check searches for pods that name a credential spec without having its content, which means that
the webhook did not process them, and for failures in the event log of Container Credential Guard
that no success followed, and for failures of nltest in the logs of these pods. With nltest, it also
reads whether the Corefile of CoreDNS has a rule for the domain. Recordings do not show whether this
node may use the account.`,
	Fix: checks.Steps(
		checks.Inspect("Get-WinEvent -LogName Microsoft-Windows-Containers-CCG/Admin -MaxEvents 20",
			"Read the newest error of Container Credential Guard."),
		checks.Do("In Active Directory, add the node or the user of the plug-in to PrincipalsAllowedToRetrieveManagedPassword of the account."),
		checks.Inspect("Resolve-DnsName -Type SRV _ldap._tcp.DOMAIN",
			"If the account allows the node, check that the name of the domain resolves."),
		verifyGMSA),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/gmsa-troubleshooting",
		"https://github.com/MicrosoftDocs/azure-aks-docs/pull/245", "https://github.com/kubernetes/website/pull/26784",
		"https://github.com/microsoft/SDN/issues/339", "https://github.com/Azure/AKS/issues/3849",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Pods},
	Uses:   []evidence.Need{evidence.WindowsEvents, evidence.ConfigMaps},
	Signs: []checks.Sign{
		{Text: "Container Credential Guard failed to", In: []string{evidence.InEvents, "other"},
			Says: "Container Credential Guard cannot get the credentials of the account"},
		// webhook.go and kube_client.go of windows-gmsa: the pod is not created at all
		{Text: gmsaUnauthorized, Also: []string{"cred spec"},
			Says: "the gMSA webhook refuses the pod: its service account may not use the credential spec",
			Fix:  gmsaUseFix},
		{Text: gmsaDenied, Not: []string{gmsaUnauthorized},
			Says: "the gMSA webhook refuses the pod: the credential spec that it names does not exist or has other content",
			Fix:  gmsaDeniedFix},
		{Text: "refusing to admit pod", Also: []string{"cred spec"}, Not: []string{gmsaUnauthorized},
			In:   []string{"gmsa-webhook", "other"},
			Says: "the gMSA webhook refuses the pod: the credential spec that it names does not exist or has other content",
			Fix:  gmsaDeniedFix},
		{Text: "Getting parent domain failed: Status = 1722",
			Says: "nltest in a container: the container has no credential spec"},
		// the same and the next in other languages, in which the names of errors stay
		{Text: "1722 0x6ba RPC_S_SERVER_UNAVAILABLE", Not: []string{"failed: Status"}, Until: nltestWorks,
			Says: "nltest in a container: it cannot log on to the domain"},
		{Text: "I_NetLogonControl failed: Status = 1722", Until: nltestWorks,
			Says: "nltest in a container: it cannot log on to the domain"},
		{Text: "Trusted DC Connection Status Status = 1311",
			Or: []string{"1311 0x51f ERROR_NO_LOGON_SERVERS"}, Until: nltestWorks,
			Says: "nltest in a container: no domain controller accepts its logon"},
		// plooploops/windows-containers-AD issue 7
		{Text: "Trusted DC Connection Status Status = 1787",
			Or: []string{"1787 0x6fb ERROR_NO_TRUST_SAM_ACCOUNT"}, Until: nltestWorks,
			Says: "nltest in a container: the domain has no account for its logon"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		using := 0
		var without *checks.Finding // what nltest finds in a pod
		for _, p := range evidence.Pods.In(s) {
			for _, w := range gmsaOptions(p) {
				if using++; without == nil {
					without = nltestFails(s, p, w)
				}
				if w.GMSACredentialSpecName != "" && w.GMSACredentialSpec == "" {
					findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
						"%s names credential spec %s without having its content: the gMSA webhook did not process it", p.FullName(), w.GMSACredentialSpecName).
						At(w.at.At("gmsaCredentialSpecName"),
							"%s: gmsaCredentialSpecName is %s, gmsaCredentialSpec is not set",
							p.FullName(), w.GMSACredentialSpecName).
						Cure(gmsaWebhookFix))
					break
				}
			}
		}
		if using == 0 && slices.ContainsFunc(s.Signs("gmsa-not-working"), func(m evidence.SignMatch) bool {
			return m.Text == gmsaDenied || m.Text == gmsaUnauthorized
		}) {
			return nil, checks.Unknown(evidence.NotShown.Gap("the pod that the gMSA webhook refused"))
		}
		if using == 0 {
			return nil, checks.Skip(
				"no pod on this node uses a group managed service account (gMSA)")
		}
		last, seen := evidence.WindowsEvent{}, false
		for _, e := range evidence.WindowsEvents.In(s) {
			id := ccgOutcome(e)
			if strings.EqualFold(e.Provider, ccgProvider) && (ccgFailures[id].Format != "" || id == 2) && (!seen || !e.Time.Before(last.Time.Time)) {
				last, seen = e, true
			}
		}
		if why := ccgFailures[ccgOutcome(last)]; seen && why.Format != "" {
			findings = append(findings, checks.Findingf(checks.Fail, "Container Credential Guard",
				"Container Credential Guard: %s", why).
				At(last.Field(), "%s: %s", last.Provider, last.Message).
				Cure(checks.Steps(ccgRepairs[ccgOutcome(last)], verifyGMSA)))
		}
		if len(findings) == 0 && without != nil {
			return []*checks.Finding{without}, nil
		}
		if gap := evidence.WindowsEvents.Gap(s); gap.Kind != "" && len(findings) == 0 {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// nltestWorks ends what nltest said while the container was starting.
var nltestWorks = []string{"Trusted DC Connection Status Status = 0 0x0 NERR_Success"}

// nltestFails finds what nltest says in the log of a pod with such an account, and where CoreDNS
// sends the names of the domain.
func nltestFails(s evidence.Snapshot, p evidence.Pod, w gmsaUse) *checks.Finding {
	m, ok := saidBy(s, "gmsa-not-working", p)
	if !ok {
		return nil
	}
	f := checks.Findingf(checks.Fail, p.FullName(),
		"nltest in %s fails: the pod uses a gMSA, but has no identity in the domain", p.FullName()).
		With(checks.Quote(m)).At(w.at.At("gmsaCredentialSpecName"), "%s: gmsaCredentialSpecName is %s",
		p.FullName(), orUnknown(w.GMSACredentialSpecName))
	f.Basis = checks.ByBoth
	var spec struct{ DomainJoinConfig struct{ DNSName string } }
	if json.Unmarshal([]byte(w.GMSACredentialSpec), &spec) != nil || spec.DomainJoinConfig.DNSName == "" ||
		p.Spec.DNSPolicy != "" && p.Spec.DNSPolicy != "ClusterFirst" {
		return f
	}
	domain := spec.DomainJoinConfig.DNSName
	if corefile, forward := forwardOf(s, domain); forward != "" {
		f = f.At(corefile, "the Corefile has no rule for %s: its names go to %s", domain, forward).
			Cure(checks.Steps(
				checks.Inspect("kubectl exec POD -n NAMESPACE -- nslookup -type=srv _ldap._tcp.dc._msdcs."+domain,
					"Check whether the pod finds the domain controllers."),
				checks.Do("If it does not, add a server block for the domain to the Corefile in the ConfigMap of CoreDNS, with a forward to the DNS servers of the domain."),
				checks.Do("If it does, give the account and the node what they need in Active Directory."),
				verifyGMSA))
	}
	return f
}

// forwardOf is where the Corefile sends the names of a domain for which, like the domains above it,
// CoreDNS has no rule; empty where it has one.
func forwardOf(s evidence.Snapshot, domain string) (evidence.Place, string) {
	var corefile evidence.Place
	forward := ""
	for _, cm := range evidence.ConfigMaps.In(s) {
		if !strings.Contains(cm.Metadata.Name, "dns") { // AKS has its additions in coredns-custom
			continue
		}
		for key, text := range cm.Data {
			for name := strings.ToLower(domain); strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") {
				if strings.Contains(strings.ToLower(text), name) {
					return evidence.Place{}, ""
				}
			}
			if _, to, ok := strings.Cut(text, "forward . "); ok && key == "Corefile" {
				to, _, _ = strings.Cut(to, "\n")
				corefile, forward = cm.Field("data", key), strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(to), "{"))
			}
		}
	}
	return corefile, forward
}

// A gmsaUse is where a pod sets a group managed service account.
type gmsaUse struct {
	evidence.WindowsOptions
	at evidence.Place
}

// gmsaOptions lists the places of a live pod that set a group managed service account.
func gmsaOptions(p evidence.Pod) []gmsaUse {
	if p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
		return nil
	}
	var list []gmsaUse
	add := func(c *evidence.SecurityContext, of evidence.Place) {
		if c != nil && c.WindowsOptions != nil && (c.WindowsOptions.GMSACredentialSpecName != "" ||
			c.WindowsOptions.GMSACredentialSpec != "") {
			list = append(list,
				gmsaUse{*c.WindowsOptions, of.At("securityContext", "windowsOptions")})
		}
	}
	add(p.Spec.SecurityContext, p.Field("spec"))
	for i, c := range p.Spec.InitContainers {
		add(c.SecurityContext, p.Field("spec", "initContainers", i))
	}
	for i, c := range p.Spec.Containers {
		add(c.SecurityContext, p.Field("spec", "containers", i))
	}
	return list
}
