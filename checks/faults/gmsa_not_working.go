package faults

import (
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

// The events of Container Credential Guard that tell of a failure, by number:
// the messages are localised. 1, 2 and 7 tell of its work.
var ccgFailures = map[int]evidence.Phrase{
	3: evidence.Phrasef("the credential spec cannot be read"),
	4: evidence.Phrasef(
		"the plug-in cannot be loaded: it is not installed or not registered on this node"),
	6: evidence.Phrasef(
		"the plug-in gives no credentials: look at its input in the credential spec and at the node's access to the secret store"),
	8: evidence.Phrasef(
		"Active Directory does not give out the account's password: the user of the plug-in, or the node, may not retrieve it"),
	9: evidence.Phrasef("the plug-in's GUID in the credential spec cannot be read"),
}

const ccgProvider = "Microsoft-Windows-Containers-CCG"

var _ = register(checks.Check{
	ID:       "gmsa-not-working",
	Title:    "pods do not get the identity of their group managed service account",
	Category: checks.CategoryWorkloads,
	Doc: `A pod names a GMSACredentialSpec; an admission webhook puts its content into the pod,
the runtime hands it to the container, and Container Credential Guard on the node fetches the
account's password from Active Directory, as the node itself or, on nodes outside of the domain,
through a plug-in. Where one of these fails the container runs all the same, as nobody: nltest in it
answers 1722 or 1311.

The check looks at pods that name a credential spec and were not given its content, which means that
the webhook did not see them, and at the failures in the event log of Container Credential Guard
after which no success came. Whether the domain's name resolves in pods, and whether the account is
allowed to this node, no recording tells.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
			""),
		checks.Inspect("kubectl describe gmsacredentialspecs", ""),
		checks.Inspect("Get-WinEvent -LogName Microsoft-Windows-Containers-CCG/Admin -MaxEvents 20",
			""),
		checks.Inspect("Test-ADServiceAccount ACCOUNT", ""),
		checks.Inspect("Resolve-DnsName -Type SRV _ldap._tcp.DOMAIN", ""),
		checks.Run("kubectl exec POD -- nltest /sc_verify:DOMAIN",
			"follow the chain: webhook and its right to the spec, the content of the spec, the node's right to the password, the name of the domain in DNS")),
	Links: []string{
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/",
		"https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/gmsa-troubleshooting",
		"https://github.com/microsoft/SDN/issues/339", "https://github.com/Azure/AKS/issues/3849",
	},
	Breaks: []*checks.Effect{effectContainers},
	Needs:  []evidence.Need{evidence.Pods},
	Uses:   []evidence.Need{evidence.WindowsEvents},
	Signs: []checks.Sign{
		{Text: "Container Credential Guard failed to", In: []string{evidence.InEvents},
			Says: "Container Credential Guard cannot get the account's credentials"},
		{Text: "Getting parent domain failed: Status = 1722",
			Says: "nltest in a container: it was given no credential spec"},
		{Text: "I_NetLogonControl failed: Status = 1722",
			Says: "nltest in a container: it could not sign in at the domain"},
		{Text: "Trusted DC Connection Status Status = 1311",
			Says: "nltest in a container: it finds no domain controller that lets it sign in"},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		using := 0
		for _, p := range evidence.Pods.In(s) {
			for _, w := range gmsaOptions(p) {
				using++
				if w.GMSACredentialSpecName != "" && w.GMSACredentialSpec == "" {
					findings = append(findings, checks.Findingf(checks.Fail, p.FullName(),
						"%s names the credential spec %s and was not given its content: the webhook did not see it", p.FullName(), w.GMSACredentialSpecName).
						At(w.at.At("gmsaCredentialSpecName"),
							"%s: gmsaCredentialSpecName is %s, gmsaCredentialSpec is not set",
							p.FullName(), w.GMSACredentialSpecName))
					break
				}
			}
		}
		if using == 0 {
			return nil, checks.Skip("no pod of this node uses a group managed service account")
		}
		last, seen := evidence.WindowsEvent{}, false
		for _, e := range evidence.WindowsEvents.In(s) {
			if strings.EqualFold(e.Provider, ccgProvider) && (ccgFailures[e.ID].Format != "" ||
				e.ID == 2) && (!seen || !e.Time.Before(last.Time.Time)) {
				last, seen = e, true
			}
		}
		if why := ccgFailures[last.ID]; seen && why.Format != "" {
			findings = append(findings, checks.Findingf(checks.Fail, "Container Credential Guard",
				"%s", why).At(last.Field(), "%s: %s", last.Provider, last.Message))
		}
		if gap := evidence.WindowsEvents.Gap(s); gap.Kind != "" && len(findings) == 0 {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// A gmsaUse is where a pod asks for a group managed service account.
type gmsaUse struct {
	evidence.WindowsOptions
	at evidence.Place
}

// gmsaOptions lists the places of a live pod that ask for a group managed service account.
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
