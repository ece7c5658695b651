package foreign

import (
	"path"
	"strings"
)

// An apiList is a list of Kubernetes objects of the layout.
type apiList struct {
	kind, plural string
	words        string // what it holds, in words
	path         string // in the layout; "" for what is read of other kinds
	ask          string // the command that lists them all
}

var apiLists = []apiList{
	{"Node", "nodes", "the nodes", "api/nodes.json", "kubectl get nodes -o json"},
	{"Pod", "pods", "the pods", "api/pods.json", "kubectl get pods -A -o json"},
	{"Event", "events", "the events of Kubernetes", "api/events.json", "kubectl get events -A -o json"},
	{"Service", "services", "the Services", "api/services.json", "kubectl get services -A -o json"},
	{"EndpointSlice", "endpointslices", "the EndpointSlices", "api/endpointslices.json",
		"kubectl get endpointslices -A -o json"},
	{"ConfigMap", "configmaps", "the ConfigMaps", "api/configmaps.json",
		"kubectl get configmaps -n kube-system -o json"},
	{"DaemonSet", "daemonsets", "the DaemonSets", "api/daemonsets.json", "kubectl get daemonsets -A -o json"},
	{"ServiceCIDR", "servicecidrs", "the ServiceCIDRs", "api/servicecidrs.json", "kubectl get servicecidrs -o json"},
	{"IPPool", "ippools", "the IPPools of Calico", "api/ippools.json", "kubectl get ippools -o json"},
	{"IPAMConfig", "ipamconfigs", "the IPAM configuration of Calico", "api/ipamconfigs.json",
		"kubectl get ipamconfigs -o json"},
	{"PersistentVolume", "persistentvolumes", "the PersistentVolumes", "api/persistentvolumes.json",
		"kubectl get pv -o json"},
	{"RuntimeClass", "runtimeclasses", "the RuntimeClasses", "api/runtimeclasses.json",
		"kubectl get runtimeclasses -o json"},
}

// kindOfName is the kind that a file is called after: nodes.json, pods/NAMESPACE.json of
// troubleshoot, core_v1_pods.json of sonobuoy.
func kindOfName(name string) string {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	for _, word := range []string{stem, path.Base(path.Dir(name))} {
		word = strings.ToLower(word[strings.LastIndexByte(word, '_')+1:])
		for _, l := range apiLists {
			if word == l.plural || word == strings.ToLower(l.kind) {
				return l.kind
			}
		}
	}
	return ""
}
