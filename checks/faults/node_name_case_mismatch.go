package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const foreignNode = "the API server refuses what the kubelet writes: its certificate is for another name than that of its Node"

var _ = register(checks.Check{
	ID:       "node-name-case-mismatch",
	Title:    "a certificate or agent of the node does not use the name of its Node",
	Category: checks.CategoryComponents,
	FAQ:      []int{6},
	Doc: `Windows likes its computer names in capitals, and Kubernetes keeps Node names in small
letters. The kubelet lowers the case by itself; certificates, environment variables and agents that
take $env:COMPUTERNAME do not. The API server compares byte by byte: a kubelet whose certificate
says system:node:WIN-1 may not touch the Node win-1, and a flanneld with NODE_NAME=WIN-1 finds no
Node of that name.

The check compares the certificate of the kubelet and the NODE_NAME of flanneld with the name of the
Node. kube-proxy's name has a check of its own.`,
	Fix: checks.Steps(
		checks.Run(`$env:COMPUTERNAME.ToLower()`,
			"use the name in small letters, {node}, wherever a name is given, and have the kubelet's client certificate issued for it; a machine that was renamed joins the cluster anew").
			Costs("while the kubelet has no valid certificate the node is NotReady; its containers run on"),
		checks.Run("nssm set flanneld AppEnvironmentExtra NODE_NAME={node}", ""),
		checks.Inspect(`Get-ChildItem C:\var\lib\kubelet\pki`, ""),
		checks.Run("Restart-Service flanneld, kubelet", "")),
	Links: []string{"https://github.com/Azure/aks-engine/issues/4623",
		"https://github.com/antrea-io/antrea/pull/2672",
		"https://github.com/kubernetes/cloud-provider-vsphere/issues/484",
		"https://github.com/kubernetes/kubernetes/issues/54482"},
	Breaks: []*checks.Effect{effectKubeletStart, effectNodeReports, effectFlanneld,
		effectSubnetEnv, effectHNSNetwork, effectPodStart, effectContainers},
	Explains: []string{"podcidr-not-assigned"},
	Partial:  true,
	Needs: []evidence.Need{evidence.Node, evidence.Any(evidence.Certificates, evidence.Services,
		evidence.Env)},
	Uses: []evidence.Need{evidence.Certificates, evidence.Services, evidence.Env},
	Signs: []checks.Sign{
		{Text: "cannot modify node", Or: []string{"is not allowed to modify node"},
			Also: []string{"is forbidden"}, Says: foreignNode},
		{Text: "only its own Node object", Also: []string{"forbidden"}, Says: foreignNode},
		// Every kubelet says so until its Node is there.
		{Text: "failed GetNode: node", Also: []string{"not found"}, ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		name := evidence.Node.In(s).Metadata.Name
		if name == "" {
			return nil, checks.Unknown(evidence.NotShown.Gap("the name of the Node"))
		}
		var findings []checks.Finding
		compared := 0
		judge := func(what evidence.Phrase, value string, from evidence.Because) {
			compared++
			if value == name {
				return
			}
			format := "%s says %s, and the Node is called %s"
			if strings.EqualFold(value, name) {
				format = "%s says %s, and the Node is called %s: the API server tells case apart"
			}
			findings = append(findings, checks.Findingf(checks.Fail, what.String(), format, what,
				value, name).
				With(from).At(evidence.Node.Field(s, "metadata", "name"), "metadata.name is %s",
				name))
		}
		for _, c := range evidence.Certificates.In(s) {
			if _, cn, ok := strings.Cut(c.Subject, "CN=system:node:"); ok {
				cn, _, _ = strings.Cut(cn, ",")
				judge(evidence.Phrasef("the kubelet's certificate"), strings.TrimSpace(cn),
					c.Field("subject").Because("%s: subject is %s", c.Path, c.Subject))
			}
		}
		n := node.About(s)
		for _, svc := range n.Components["flanneld"].Services {
			if v := svc.Env["NODE_NAME"]; isName(v) {
				judge(evidence.Phrasef("flanneld's NODE_NAME"), v,
					svc.Field("env", "NODE_NAME").Because("%s: NODE_NAME=%s", svc.Name, v))
			}
		}
		if v := evidence.Env.In(s)["NODE_NAME"]; isName(v) {
			judge(evidence.Phrasef("the machine's NODE_NAME"), v,
				evidence.Env.Field(s, "NODE_NAME").Because("NODE_NAME=%s", v))
		}
		if compared == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap(
					"a kubelet's certificate or a NODE_NAME to compare with the Node"))
		}
		// The certificate of a kubelet lies there under several file names.
		return slices.CompactFunc(findings, func(a, b checks.Finding) bool {
			return a.Message() == b.Message()
		}), nil
	},
})

// isName tells a name from a variable that a script fills in.
func isName(v string) bool { return v != "" && !strings.ContainsAny(v, "$%(") }
