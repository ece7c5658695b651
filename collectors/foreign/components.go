package foreign

import (
	"path"
	"regexp"
	"strings"
)

// How lines of the components' logs begin.
var (
	klogLine = regexp.MustCompile(`^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{3,9}\s+\d+ ([\w.-]+\.go):\d+\]`)
	logfmt   = regexp.MustCompile(`^time="?\d{4}-\d\d-\d\d[T ]\S+ level=\w+ `)
	isoLine  = regexp.MustCompile(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d`)
	zapLine  = regexp.MustCompile(`^\{"(?:level|ts|time|msg)":.*"(?:msg|message)":`)
)

// isLogLine tells whether a line is the first of an entry of a log.
func isLogLine(line string) bool {
	return klogLine.MatchString(line) || logfmt.MatchString(line) || isoLine.MatchString(line) ||
		zapLine.MatchString(line)
}

// klogFiles are source files whose lines only one component writes. A file of a name that several
// have, such as server.go or main.go, says nothing.
var klogFiles = map[string]string{
	"pod_workers.go": "kubelet", "kubelet_node_status.go": "kubelet", "kubelet.go": "kubelet",
	"remote_runtime.go": "kubelet", "remote_image.go": "kubelet", "log.go": "kubelet",
	"kuberuntime_manager.go": "kubelet", "kuberuntime_sandbox.go": "kubelet",
	"kuberuntime_container.go": "kubelet", "kuberuntime_gc.go": "kubelet",
	"kuberuntime_image.go": "kubelet", "operation_generator.go": "kubelet",
	"reconciler.go": "kubelet", "reconciler_common.go": "kubelet", "generic.go": "kubelet",
	"eviction_manager.go": "kubelet", "prober.go": "kubelet", "setters.go": "kubelet",
	"nestedpendingoperations.go": "kubelet", "container_manager_windows.go": "kubelet",
	"cri_stats_provider.go": "kubelet", "cri_stats_provider_windows.go": "kubelet",
	"pod_container_deletor.go": "kubelet", "csi_plugin.go": "kubelet",
	"pod_startup_latency_tracker.go": "kubelet", "kubelet_pods.go": "kubelet",
	"kubelet_volumes.go": "kubelet", "status_manager.go": "kubelet",
	"desired_state_of_world_populator.go": "kubelet", "docker_sandbox.go": "kubelet",
	"fs_windows.go": "kubelet", "image_gc_manager.go": "kubelet",
	"proxier.go": "kube-proxy", "hns.go": "kube-proxy", "hnsV1.go": "kube-proxy",
	"hnsV2.go": "kube-proxy", "server_windows.go": "kube-proxy", "metaproxier.go": "kube-proxy",
	"endpointslicecache.go": "kube-proxy", "service_health.go": "kube-proxy",
	"proxier_health.go": "kube-proxy",
	"vxlan_network.go":  "flanneld", "vxlan_windows.go": "flanneld",
	"vxlan_network_windows.go": "flanneld", "device_windows.go": "flanneld",
	"hostgw_windows.go": "flanneld", "kube.go": "flanneld", "subnet.go": "flanneld",
}

// words that name the writer of a line that klog did not write.
var lineWords = []struct{ word, component string }{
	{"felix/", "calico"}, {"startup/", "calico"}, {"confd/", "calico"}, {"cni-plugin/", "calico"},
	{"azure-vnet", "cni"}, {"azure cni", "cni"}, {"vpc-bridge", "cni"}, {"vpc-shared-eni", "cni"},
	{"flannel", "flanneld"}, {"hybrid-overlay", "hybrid-overlay"},
}

// componentOfLine is whose log a line is of, "" where that does not show.
func componentOfLine(line string) string {
	if m := klogLine.FindStringSubmatch(line); m != nil {
		if c := klogFiles[m[1]]; c != "" {
			return c
		}
		if strings.Contains(line, "flannel") {
			return "flanneld"
		}
		return ""
	}
	if logfmt.MatchString(line) {
		return "containerd"
	}
	lower := strings.ToLower(line[:min(len(line), maxQuote)])
	for _, w := range lineWords {
		if strings.Contains(lower, w.word) {
			return w.component
		}
	}
	return ""
}

// componentOfFile is whose log a file is by its name, or by the folder that it is in.
func componentOfFile(name string) string {
	if c := logComponent(path.Base(name), ""); c != "" {
		return c
	}
	return logComponent(path.Base(path.Dir(name)), "")
}

// componentOfText is the component of most lines, at their beginning.
func componentOfText(text string) string {
	votes, best, seen := map[string]int{}, "", 0
	for line := range strings.Lines(text) {
		if c := componentOfLine(line); c != "" {
			if votes[c]++; votes[c] > votes[best] || best == "" {
				best = c
			}
		}
		if seen++; seen == maxFields {
			break
		}
	}
	return best
}
