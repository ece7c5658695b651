package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "kubeadm-node-name-invalid",
	Title:    "kubeadm join has an invalid node name",
	Healthy:  "kubeadm join has a valid node name",
	Category: checks.CategoryNode,
	Doc: `kubeadm takes the name of the node from nodeRegistration.name of its configuration, and refuses a
name that is no DNS subdomain: lowercase letters, digits, - and dots. Templates of Cluster API
fill the name in from instance data. cloudbase-init on Windows does not have all variables of
cloud-init, and writes ci_missing_jinja_var/NAME where one is missing.

The check looks for kubeadm's refusal in the text.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-Content 'C:\Program Files\Cloudbase Solutions\Cloudbase-Init\log\cloudbase-init.log' -Tail 50`,
			"Find the name that kubeadm was given."),
		checks.Do("Set nodeRegistration.name in the bootstrap template to a variable that cloudbase-init has, such as ds.meta_data.local_hostname, and create the machine again."),
		checks.Verify("kubectl get nodes", "the node is listed")),
	Links: []string{
		"https://github.com/vmware-tanzu/tanzu-framework/issues/4207",
		"https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/",
	},
	Breaks: []*checks.Effect{effectKubeletStart, effectNodeReady},
	Needs:  []evidence.Need{evidence.Any(evidence.Logs("kubeadm"), evidence.Logs("other"))},
	Uses:   []evidence.Need{evidence.Node},
	Moot:   notJoining,
	Signs: []checks.Sign{
		{Text: "nodeRegistration.name: Invalid value:",
			Says: "kubeadm refuses the name of the node"},
		// Until 1.18 kubeadm's field has no parent (cmd/kubeadm/app/apis/kubeadm/validation).
		{Text: `name: Invalid value: "`, Also: []string{"a DNS-1123 subdomain must consist of"},
			In:   []string{"kubeadm"},
			Says: "kubeadm refuses the name of the node"},
		// a kubelet that joins without kubeadm
		{Text: "is invalid: metadata.name: Invalid value:",
			Also: []string{"Unable to register node", "with API server"},
			In:   []string{"kubelet", "k3s", "rke2"},
			Says: "the API server refuses the name of the node"},
	},
})
