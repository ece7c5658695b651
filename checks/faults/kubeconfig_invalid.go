package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "kubeconfig-invalid",
	Title:    "kubeconfig is missing or inconsistent",
	Healthy:  "kubeconfig files are complete and consistent",
	Category: checks.CategoryComponents,
	Doc: `A kubeconfig defines clusters, users and contexts by name, and its current-context chooses
one. Where a name refers to nothing, kubelet, kube-proxy and flanneld do not start, or try to reach
an API server at localhost:8080. This happens when a file is put together by hand or by a script, or
when a user or a context is renamed.

The check reads the usual files. A
component that runs has read its file before; the error then shows at its next start. A kubelet
without its kubeconfig makes a new one if it has a bootstrap kubeconfig.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl config view --kubeconfig FILE",
			"Compare the names of contexts, clusters and users."),
		checks.Do("Correct the name, or restore the file from the node's setup."),
		checks.Run("{restart kubelet}", "Restart the kubelet."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/"},
	Breaks: []*checks.Effect{effectKubeletStart, effectKubeProxy},
	Needs:  []evidence.Need{evidence.FileIndex},
	Uses: slices.Concat([]evidence.Need{evidence.Services, evidence.Processes},
		node.AsFiles(kubeconfigs), node.KubeletSources, node.ProxySources),
	Signs: []checks.Sign{
		// kube-proxy looks for no other file before it has logged its configuration. kubeconfig.conf:
		// kube-proxy-kubeconfig-not-mounted
		{Text: `"command failed" err="CreateFile `,
			Or:  []string{`"command failed" err="GetFileAttributesEx `, `"command failed" err="stat `},
			Not: []string{"kubeconfig.conf"},
			In:  []string{"kube-proxy"}, Until: proxyStarted,
			Says: "kube-proxy exits: its kubeconfig is missing", Fix: proxyKubeconfigFix},
		// client-go tools/clientcmd; until 1.20 in a line of server.go
		{Text: `"command failed" err="invalid configuration: `,
			Or: []string{"] invalid configuration: ", `"command failed" err="auth info `, `"command failed" err="cluster `,
				`"command failed" err="context `},
			In: []string{"kube-proxy"}, Until: proxyStarted,
			Says: "kube-proxy exits: its kubeconfig is inconsistent", Fix: proxyKubeconfigFix},
		{Text: bootstrapInconsistent, Until: nodeRegistered,
			Says: "the kubelet exits: its bootstrap kubeconfig is inconsistent"},
		// kubectl --kubeconfig in a script that sets up the node, as install-calico-windows.ps1
		{Text: `config: The system cannot find the file specified.`, Also: []string{"error: CreateFile "}, In: []string{"other"},
			Says: "the kubeconfig that kubectl gets from a script does not exist"},
		// kubernetes-the-hard-way 807
		{Text: "failed to run Kubelet: invalid kubeconfig",
			// pkg/kubelet/certificate/bootstrap of Kubernetes: without a bootstrap kubeconfig, and with one
			Or: []string{"failed to run Kubelet: unable to load kubeconfig: ",
				"failed to run Kubelet: error reading existing bootstrap kubeconfig "}, Until: nodeRegistered,
			Says: "the kubelet exits: it cannot use its kubeconfig"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		looked, unread := false, evidence.Gap{}
		var findings []*checks.Finding
		for _, path := range kubeconfigsInUse(n) {
			f := s.File(path.Value)
			if there, known := f.Exists(); known && !there {
				looked = true
				if path.From.Path != "" && !renewsKubeconfig(n, s) {
					findings = append(findings, checks.Findingf(levelOfNextStart(n),
						path.Value, "the kubeconfig %s does not exist", path.Value).
						At(evidence.FileRecordField(s, path.Value), "%s is absent", path.Value).
						With(path.From))
				}
				continue
			}
			c, err := evidence.DecodeKubeconfig([]byte(f.Text))
			if f.Gap.Kind != "" || err != nil || len(c.Contexts)+len(c.Clusters) == 0 {
				if path.From.Path != "" { // cut by the recorder, or not readable
					unread = cmp.Or(f.Gap, evidence.NotShown.Gap("the contents of %s", path.Value))
				}
				continue
			}
			looked = true
			if what, name := danglingName(c); what.Format != "" {
				file := strings.ReplaceAll(path.Value, "/", `\`)
				fix := fixOf("kubeconfig-invalid")
				fix.Steps[0].Command = strings.Replace(fix.Steps[0].Command, "FILE", file, 1)
				findings = append(findings, checks.Findingf(levelOfNextStart(n), path.Value,
					"%s: %s %s is not defined", file, what, orPhrase(name,
						evidence.Phrasef("without a name"))).Cure(fix).
					At(evidence.InFile(f.Path), "%d contexts, %d clusters, %d users",
						len(c.Contexts), len(c.Clusters), len(c.Users)))
			}
		}
		if !looked {
			unread = cmp.Or(unread, evidence.NotShown.Gap("a kubeconfig of the node"))
		}
		if len(findings) == 0 && unread.Kind != "" {
			return nil, checks.Unknown(unread)
		}
		return findings, nil
	},
})

// kubeconfigsInUse are the usual files, with the flags that name them.
func kubeconfigsInUse(n *node.Node) []node.Flag {
	var list []node.Flag
	add := func(f node.Flag) {
		same := func(path string) bool { return sameSetting(path, f.Value) }
		if slices.ContainsFunc(kubeconfigs, same) && !slices.ContainsFunc(list,
			func(have node.Flag) bool { return same(have.Value) }) {
			list = append(list, f)
		}
	}
	if f, ok := n.KubeletFlag("kubeconfig"); ok {
		add(f)
	}
	if f, ok := n.Proxy().Flag("kubeconfig"); ok {
		add(f)
	}
	for _, path := range kubeconfigs {
		add(node.Flag{Value: path})
	}
	return list
}

// renewsKubeconfig tells whether the kubelet can make its kubeconfig itself.
func renewsKubeconfig(n *node.Node, s evidence.Snapshot) bool {
	f, ok := n.KubeletFlag("bootstrap-kubeconfig")
	if !ok || f.Value == "" {
		return false
	}
	there, known := s.File(f.Value).Exists()
	return there || !known
}

// levelOfNextStart is how bad an error is that a running kubelet has not met yet.
func levelOfNextStart(n *node.Node) checks.Level {
	if running, _ := n.Components["kubelet"].Running(); running {
		return checks.Warn
	}
	return checks.Fail
}

// danglingName is a name in use that the file does not define.
func danglingName(c *evidence.Kubeconfig) (what evidence.Phrase, name string) {
	context, ok := c.Contexts[c.CurrentContext]
	if !ok {
		return evidence.Phrasef("the current context"), c.CurrentContext
	}
	if _, ok := c.Clusters[context.Cluster]; !ok {
		return evidence.Phrasef("the cluster"), context.Cluster
	}
	if !slices.Contains(c.Users, context.User) {
		return evidence.Phrasef("the user"), context.User
	}
	return evidence.Phrase{}, ""
}

var proxyKubeconfigFix = checks.Steps(
	checks.Inspect("kubectl config view --kubeconfig FILE",
		"Compare the names of contexts, clusters and users, and look for the files that it names."),
	checks.Do("Correct the name or the path, or restore the file from the node's setup."),
	checks.Run("{restart kube-proxy}", "Restart kube-proxy.").
		Costs("Connections to Services break for a few seconds."),
	checks.Verify("Get-Process kube-proxy | Select-Object StartTime", "the time does not change"))
