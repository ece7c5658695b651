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
		"https://github.com/kubernetes-sigs/vsphere-csi-driver/issues/1661",
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
		// pkg/common/utils of the vSphere CSI driver: its syncer, in the pod of the controller, creates the kind
		{Text: "no matches for kind", Also: []string{"CSINodeTopology", "cns.vmware.com"},
			Until: []string{"PluginRegistered:true", "plugin_registered:true"},
			Level: checks.Warn,
			Says:  "the vSphere CSI driver cannot register: the cluster does not have the kind CSINodeTopology, which the controller of the driver creates",
			Fix: checks.Steps(
				checks.Inspect("kubectl get pods -A -o wide -l app=vsphere-csi-controller; kubectl get crd csinodetopologies.cns.vmware.com",
					"Check whether the controller of the driver runs. Its container vsphere-syncer creates the kind."),
				checks.Inspect("kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints[*].key",
					"If its pods are Pending, look for taints that they do not tolerate: node.cloudprovider.kubernetes.io/uninitialized remains until the cloud controller manager of vSphere has initialized the node."),
				checks.Do("If its pods restart, read the log of vsphere-syncer, and correct the name, the user or the password of vCenter in the Secret vsphere-config-secret."),
				checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'", "csi.vsphere.vmware.com"))},
		// The registrar of the driver exits and tries again: node_register.go, main.go.
		{Text: "Registration process failed with error", Also: []string{"restarting registration container"},
			Not: []string{"A socket operation was attempted to an unreachable network", // csi-socket-path-no-drive
				"no matches for kind"},
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
