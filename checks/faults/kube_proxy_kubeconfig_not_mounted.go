package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kube-proxy-kubeconfig-not-mounted",
	Title:    "Pod of kube-proxy or flannel does not find its configuration",
	Healthy:  "Pods of kube-proxy and flannel find their configuration",
	Category: checks.CategoryComponents,
	Doc: `As a HostProcess container, kube-proxy reads kubeconfig.conf, a key of the ConfigMap kube-proxy,
below $env:CONTAINER_SANDBOX_MOUNT_POINT. containerd 1.6 and 1.7 mount the volumes of such containers
at different paths, and an image of kube-proxy and its manifest fit one of both. Clusters that
kubeadm did not create may have a ConfigMap without that key. In both cases the pod starts again and
again, and Services do not work on the node. flannel's image, of the same makers, looks for net-conf.json
in the same way, and creates no network without it.

The check looks for the error in the logs of the pods.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl -n kube-system get configmap kube-proxy -o yaml",
			"Read whether data has a key kubeconfig.conf. If not, add one with a kubeconfig for kube-proxy."),
		checks.Inspect("kubectl get node {node} -o wide", "Read the version of containerd."),
		checks.Do("Use the images and the manifests of kube-proxy and flannel that are made for this version of containerd, all of the same release.").
			Costs("The pods of kube-proxy are recreated: connections to Services break for a few seconds."),
		checks.Verify("kubectl -n kube-system get pods -o wide --field-selector spec.nodeName={node}",
			"kube-proxy is Running")),
	Links: []string{
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/377",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/367",
		"https://github.com/kubernetes-sigs/sig-windows-tools/pull/297",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/337",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/235",
		"https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#volume-mounts",
	},
	Breaks: []*checks.Effect{effectKubeProxy, effectFlanneld},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("kube-proxy"), evidence.Logs("flanneld"), evidence.Logs("pods"),
		evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: `kube-proxy\kubeconfig.conf' because it does not exist`, Until: proxyStarted,
			Says: "kube-proxy's start script does not find kubeconfig.conf"},
		// PowerShell says this in each language.
		{Text: "kubeconfig.conf:String) [Get-Content]", Also: []string{"ObjectNotFound"}, Until: proxyStarted,
			Says: "kube-proxy's start script does not find kubeconfig.conf"},
		{Text: "lib/kube-proxy/kubeconfig.conf: The system cannot find the path specified",
			Or:    []string{"lib/kube-proxy/kubeconfig.conf: The system cannot find the file specified"},
			Until: proxyStarted,
			Says:  "kube-proxy does not find its kubeconfig.conf"},
		// a relative path counts from the folder of the kubeconfig (sig-windows-tools 341)
		{Text: `kube-proxy\\var\\run\\secrets`, Or: []string{`kube-proxy\var\run\secrets`},
			Also: []string{"unable to read certificate-authority"}, Until: proxyStarted,
			Says: "kube-proxy looks for the token of its pod below the folder of its kubeconfig"},
		{Text: `\mounts\kube-flannel`, Or: []string{`\hpc\etc\kube-flannel`}, Also: []string{"because it does not exist"},
			Until: []string{"Starting flannel"}, Says: noFlannelConfig},
		{Text: `\mounts\kube-flannel`, Or: []string{`\hpc\etc\kube-flannel`}, Also: []string{"ItemNotFoundException"},
			Until: []string{"Starting flannel"}, Says: noFlannelConfig},
	},
})

const noFlannelConfig = "flannel's start script does not find its configuration"
