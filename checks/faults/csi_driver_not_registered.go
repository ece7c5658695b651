package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "csi-driver-not-registered",
	Title:    "CSI driver is not registered on this node",
	Healthy:  "CSI drivers that pods need are registered",
	Category: checks.CategoryStorage,
	Doc: `The kubelet mounts a volume through the node plugin of its CSI driver, which registers itself with
the kubelet of each node. "Not found in the list of registered CSI drivers" has several causes,
which the message does not distinguish: the driver has no pod for Windows nodes, its pod does not
run (without csi-proxy, for instance), or the kubelet missed the registration. Where the driver was
registered before and its pod does not run now, its socket refuses the kubelet.

The check looks for the messages. The first is over once the kubelet registers a plugin: pods may start
before their drivers.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"Find the pod of the driver on this node, and read its logs if it does not run."),
		checks.Do("If the node has no such pod, install the driver for Windows (windows.enabled=true in most Helm charts). If the pod runs, delete it, so that it registers again."),
		checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'", "the name of the driver")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/963",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/148",
		"https://github.com/Azure/secrets-store-csi-driver-provider-azure/issues/139",
		"https://github.com/kubernetes/kubernetes/issues/104584",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"),
		evidence.Logs("csi-driver"), evidence.Logs("other"))},
	Uses: []evidence.Need{evidence.Pods},
	Moot: noClaims,
	Signs: []checks.Sign{
		{Text: notRegistered,
			Not:   []string{"nfs.csi.k8s.io", "efs.csi.aws.com"}, // volume-nfs
			Until: []string{"Register new plugin with name"},
			Level: checks.Warn,
			Says:  "a CSI driver that a pod needs is not registered on this node"},
		// external-attacher, to which the attach-detach controller of the API server listens
		{Text: "does not contain driver ", Also: []string{"CSINode "},
			Until: []string{"Register new plugin with name", "AttachVolume.Attach succeeded"},
			Level: checks.Warn,
			Says:  "a CSI driver that a pod needs is not registered on this node"},
		// The registrar of the driver exits and tries again: node_register.go, main.go.
		{Text: "Registration process failed with error", Also: []string{"restarting registration container"},
			Not:   []string{"A socket operation was attempted to an unreachable network"}, // csi-socket-path-no-drive
			Until: []string{"PluginRegistered:true", "plugin_registered:true"},
			Level: checks.Warn,
			Says:  "the kubelet refuses the registration of a CSI driver"},
		// it was registered once, and its pod does not run now
		{Text: csiSocketRefused, Also: []string{"plugins"}, In: []string{evidence.InPodEvents},
			Until: []string{"MountVolume.SetUp succeeded"},
			Level: checks.Warn,
			Says:  "the node plugin of a CSI driver that a pod needs does not run: its socket refuses connections"},
	},
})

// notRegistered is what the kubelet says of a driver that it does not know.
const notRegistered = "not found in the list of registered CSI drivers"
