package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "component-panic",
	Title:    "Node component panics",
	Healthy:  "No node component has panicked",
	Category: checks.CategoryComponents,
	Doc: `A program written in Go panics when its code does what it must not: it uses a pointer that is nil,
or an index outside of a list. This is a bug of the program. Most components end and are started
again. The kubelet goes on and does not finish what it was doing: it does not start the pod, for
instance. What leads to the panic is often there at the next start, too.

The check looks for the line that begins the report of a panic in the logs of the node components.
The stack stands below it, and names the component if the log does not. Panics that this catalog knows have checks of their own.`,
	Fix: checks.Steps(
		checks.Do("Read the stack below the line: the first function of the component's own code shows where the bug is. Search its issues for that function."),
		checks.Do("Update the component to the newest patch release of its minor version, or return to the version before."),
		checks.Verify("kubectl get node {node}", "STATUS is Ready")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/88913",
		"https://github.com/kubernetes/kubernetes/pull/88917",
		"https://github.com/Mirantis/cri-dockerd/issues/330",
		"https://github.com/rancher/rke2/issues/1954",
		"https://go.dev/blog/defer-panic-and-recover",
	},
	Breaks: []*checks.Effect{effectPodStart},
	// each component reports its own panics
	Needs: []evidence.Need{evidence.Logs("kubelet"), evidence.Logs("kube-proxy"), runtimeLog},
	Signs: []checks.Sign{
		// apimachinery's pkg/util/runtime; a server that gives up a request panics on purpose
		{Text: "Observed a panic", Not: []string{"abort Handler", "request timed out"},
			In: panicking, Level: checks.Warn, Says: panicked},
		// The kubelet gives the panic of a volume's operation as its error: pkg/util/goroutinemap and
		// pkg/volume/util/nestedpendingoperations, which also say when they try again.
		{Text: "recovered from panic", Also: []string{"durationBeforeRetry"}, In: append(panicking, "other"),
			Level: checks.Warn, Says: panicked},
		// the runtime of Go ends the program, whoever recovers from panics
		{Text: "fatal error: concurrent map ", In: panicking,
			Says: "a component of the node ended with a fatal error: its build has a bug"},
		{Text: "panic: runtime error: ", Or: []string{
			"panic: The specified module could not be found"}, // kubernetes 55031
			In: panicking, Level: checks.Warn, Says: panicked},
		// what no log names the component of, and panics that the code itself begins: the stack names it (rke2 1954)
		{Text: ownCode[0], Or: ownCode[1:], Also: []string{"panic: runtime error: "}, In: []string{"other"},
			Level: checks.Warn, Says: panicked},
		{Text: ownCode[0], Or: ownCode[1:], Also: []string{"panic: "}, In: append(panicking, "other"),
			// of logrus, which ends the program so where something else is wrong
			Not: []string{"panic: runtime error: ", "(*logrus.Entry)"}, Level: checks.Warn, Says: "a component of the node ended with a panic"},
		// The kubelet repeats what the plugin printed before it ended.
		{Text: "invalid memory address or nil pointer dereference", Also: []string{"NetworkPlugin cni failed"},
			Level: checks.Warn, Says: "the CNI plugin panicked: its build has a bug"},
		// azure-vnet recovers, and gives the panic to the kubelet as its error (cni/plugin.go)
		{Text: "Failed to execute network plugin, err:runtime error: ", Or: []string{"Recovered panic"},
			In: []string{"azure-vnet", "cni"}, Level: checks.Warn, Says: panicked},
	},
})

const panicked = "a component of the node panicked: its build has a bug"

var panicking = []string{"kubelet", "kube-proxy", "flanneld", "containerd", "docker", "cri-dockerd", "calico-node",
	"felix", "antrea-agent", "csi-proxy", "csi-driver", "rke2", "k3s", "rancher-wins", "azure-npm", "azure-cns", "hybrid-overlay",
	"cloud-node-manager", "windows-exporter", evidence.InEvents}

// ownCode are paths of the components' own code, which no other program is built with.
var ownCode = []string{"k8s.io/kubernetes/pkg/kubelet", "k8s.io/kubernetes/cmd/kubelet", "k8s.io/kubernetes/pkg/proxy",
	"k8s.io/kubernetes/cmd/kube-proxy", "github.com/rancher/rke2/pkg/", "github.com/k3s-io/k3s/pkg/", "github.com/rancher/k3s/pkg/",
	"containerd/cmd/containerd/", "containerd/containerd/pkg/cri/", "containerd/v2/internal/cri/", "containerd/cri/pkg/",
	"hcsshim/cmd/containerd-shim-runhcs-v1/", "docker/docker/daemon", "docker/docker/cmd/dockerd", "Mirantis/cri-dockerd/",
	"flannel-io/flannel/", "coreos/flannel/", "projectcalico/calico/felix/", "projectcalico/felix/", "projectcalico/calico/node/",
	"projectcalico/node/", "antrea/pkg/agent", "antrea/cmd/antrea-agent", "ovn-kubernetes/go-controller/hybrid-overlay",
	"kubernetes-csi/csi-proxy/cmd/", "kubernetes-csi/csi-proxy/internal/", "rancher/wins/"}
