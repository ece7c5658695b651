package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const foreignNode = "API server rejects the kubelet: its certificate is for another Node name"

var _ = register(&checks.Check{
	ID:       "node-name-case-mismatch",
	Title:    "Certificate or agent uses a wrong Node name",
	Healthy:  "Certificates and agents use the Node name",
	Category: checks.CategoryComponents,
	FAQ:      []int{6},
	Doc: `Windows computer names are often upper case, and Kubernetes Node names are lower case. The
kubelet converts the name; certificates, environment variables and agents that use $env:COMPUTERNAME
do not. The API server compares names byte by byte: a kubelet with a certificate for
system:node:WIN-1 may not modify Node win-1, and flanneld with NODE_NAME=WIN-1 does not find its
Node.

The check compares the kubelet's certificate and the NODE_NAME of flanneld with the name of the
Node. Another check covers the name that kube-proxy uses.`,
	Fix: checks.Steps(
		checks.Do("Set NODE_NAME to {node}, and have the kubelet's client certificate issued for {node}."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{"https://github.com/Azure/aks-engine/issues/4623",
		"https://github.com/antrea-io/antrea/pull/2672",
		"https://github.com/kubernetes/cloud-provider-vsphere/issues/484",
		"https://github.com/kubernetes/kubernetes/issues/54482"},
	Breaks: []*checks.Effect{effectNetworkAgent, effectKubeletStart, effectNodeReports, effectFlanneld,
		effectSubnetEnv, effectHNSNetwork, effectPodStart, effectContainers},
	Explains: []string{"flanneld-node-unknown", "podcidr-not-assigned"},
	Partial:  true,
	Needs: []evidence.Need{evidence.Node, evidence.Any(evidence.Certificates, evidence.Services,
		evidence.Env)},
	Uses: []evidence.Need{evidence.Certificates, evidence.Services, evidence.Env},
	Signs: []checks.Sign{
		{Text: "cannot modify node", Or: []string{"is not allowed to modify node"},
			Also: []string{"is forbidden"}, Until: nodeRegistered, Says: foreignNode},
		// A program that lists the nodes with the kubelet's certificate is refused too, and a person's
		// kubectl: plugin/pkg/auth/authorizer/node of Kubernetes.
		// So is a kubelet that renews the lease of its Node: microk8s 902.
		{Text: "only its own Node object", Also: []string{"forbidden"},
			Not: []string{"cannot read all nodes"}, In: []string{"kubelet", "k3s", "rke2",
				evidence.InEvents}, Until: nodeRegistered, Says: foreignNode},
		// Nobody but a kubelet asks for leases with such a certificate.
		{Text: "can only access node lease with the same name as the requesting node",
			Also: []string{"forbidden"}, Until: nodeRegistered, Says: foreignNode},
		// Every kubelet says so until its Node is there.
		{Text: "failed GetNode: node", Also: []string{"not found"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		name := evidence.Node.In(s).Metadata.Name
		if name == "" {
			return nil, checks.Unknown(evidence.NotShown.Gap("the name of the Node"))
		}
		var findings []*checks.Finding
		compared := 0
		judge := func(what evidence.Phrase, value string, from evidence.Because, fix checks.Fix) {
			compared++
			if value == name {
				return
			}
			format := "%s is %s (expected: %s, the Node name)"
			if strings.EqualFold(value, name) {
				format = "%s is %s (expected: %s): Node names are case-sensitive"
			}
			findings = append(findings, checks.Findingf(checks.Fail, what.String(), format, what,
				value, name).
				With(from).At(evidence.Node.Field(s, "metadata", "name"), "metadata.name is %s",
				name).Cure(fix))
		}
		for _, c := range evidence.Certificates.In(s) {
			if _, cn, ok := strings.Cut(c.Subject, "CN=system:node:"); ok {
				cn, _, _ = strings.Cut(cn, ",")
				judge(evidence.Phrasef("the kubelet's certificate"), strings.TrimSpace(cn),
					c.Field("subject").Because("%s: subject is %s", c.Path, c.Subject),
					withFirst(fixOf("node-name-case-mismatch"),
						checks.Run(`Remove-Item C:\var\lib\kubelet\pki\kubelet-client-*`,
							"Delete the client certificate. After its restart the kubelet requests one for {node}.").
							Costs("The kubelet needs a valid bootstrap kubeconfig to request a new certificate.")))
			}
		}
		n := node.About(s)
		for _, svc := range n.Components["flanneld"].Services {
			if v := svc.Env["NODE_NAME"]; isName(v) {
				judge(evidence.Phrasef("flanneld's NODE_NAME"), v,
					svc.Field("env", "NODE_NAME").Because("%s: NODE_NAME=%s", svc.Name, v),
					flanneldNameFix(svc))
			}
		}
		if v := evidence.Env.In(s)["NODE_NAME"]; isName(v) {
			judge(evidence.Phrasef("the machine's NODE_NAME"), v,
				evidence.Env.Field(s, "NODE_NAME").Because("NODE_NAME=%s", v), checks.Steps(
					checks.Run("[Environment]::SetEnvironmentVariable('NODE_NAME', '{node}', 'Machine')",
						"Set NODE_NAME to {node}."),
					checks.Run("{restart network agent}", "Restart the network agent.").
						Costs("The node's connections may drop for a few seconds."),
					checks.Verify("$env:NODE_NAME", "{node}")))
		}
		if compared == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"a kubelet's certificate or a NODE_NAME to compare with the Node"))
		}
		// The certificate of a kubelet lies there under several file names.
		return slices.CompactFunc(findings, func(a, b *checks.Finding) bool {
			return a.Message() == b.Message()
		}), nil
	},
})

// flanneldNameFix sets the name in the environment of flanneld's service.
func flanneldNameFix(svc evidence.Service) checks.Fix {
	set := checks.Do("Set NODE_NAME to {node} in the environment of service %s.", svc.Name)
	if svc.Wrapper == "nssm" {
		set = checks.Run("nssm set "+svc.Name+" AppEnvironmentExtra NODE_NAME={node}",
			"Set NODE_NAME to {node}.").
			Costs("Other variables of the service's AppEnvironmentExtra are removed: name them, too.")
	}
	return checks.Steps(set,
		checks.Run("{restart flanneld}", "Restart flanneld.").Costs(
			"If flanneld creates the HNS network, the node's connections drop for a few seconds."),
		checks.Verify("Get-Process flanneld", "one process flanneld"))
}

// isName tells a name from a variable that a script fills in.
func isName(v string) bool { return v != "" && !strings.ContainsAny(v, "$%(") }
