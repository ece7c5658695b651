package faults_test

import (
	"slices"
	"strings"
	"testing"

	"doctor/checks/faults"
)

// containerd/containerd issue 8070: the image of Calico's own init container does not fit, and so the node
// has no network plugin.
func TestWhatKeepsTheAgentFromRunningExplainsTheMissingPlugin(t *testing.T) {
	pod := func(name string) string {
		return podsJSON(podNamed(name, "", `"containers":[{"name":"c","image":"example/calico-install:v3.26.1"}]`, "",
			`{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ImagePullBackOff","message":"x"}}}]}`)) +
			`-- api/events.json --
{"items":[{"reason":"Failed","type":"Warning","lastTimestamp":"2026-11-20T09:58:00Z","involvedObject":{"kind":"Pod","namespace":"shop","name":"` + name + `"},
"message":"Failed to pull image \"example/calico-install:v3.26.1\": rpc error: code = NotFound desc = failed to pull and unpack image \"docker.io/example/calico-install:v3.26.1\": failed to resolve reference \"docker.io/example/calico-install:v3.26.1\": docker.io/example/calico-install:v3.26.1: not found"}]}
-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"containerRuntimeVersion":"containerd://1.7.2"},"conditions":[{"type":"Ready","status":"False","message":"container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"}]}}
`
	}
	const noServices = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\"}]\n-- processes.json --\n[{\"pid\":9,\"name\":\"kubelet.exe\"}]\n"
	for _, row := range []struct {
		name, pod, with string
		want            []string
	}{
		{"the pod of the network plugin", "calico-node-windows-4hf7p", "", []string{"image-not-found"}},
		{"another pod", "web", "", []string{"cni-config-uninitialized", "image-not-found"}},
		// kubernetes-sigs/sig-windows-tools issue 319
		{"the pod of flanneld, as a HostProcess pod", "kube-flannel-ds-windows-amd64-lz4jv", onFlannel + noServices, []string{"image-not-found"}},
		{"the pod of kube-proxy", "kube-proxy-windows-7mhrd", noServices, []string{"cni-config-uninitialized", "image-not-found"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			tree := strings.Replace(pod(row.pod), `"spec":{`, `"spec":{"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}},`, 1)
			for _, c := range causesOf(t, row.with+tree, "image-not-found", "cni-config-uninitialized", "flanneld-not-running", "kube-proxy-not-running", "network-agent-not-running") {
				got = append(got, c.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, row.want) {
				t.Errorf("the causes are %q, want %q", got, row.want)
			}
		})
	}
}

// A fault that explains the missing plugin must not follow from it: two that explain each other are no cause.
func TestTheMissingPluginExplainsNothingThatExplainsIt(t *testing.T) {
	catalogue := faults.Catalogue()
	for _, lacks := range []string{"cni-config-uninitialized", "hns-network-missing", "flannel-subnet-env-missing", "cni-binary-missing",
		"flanneld-not-running", "kube-proxy-not-running", "network-agent-not-running"} {
		seen := map[string]bool{lacks: true}
		for queue := []string{lacks}; len(queue) > 0; queue = queue[1:] {
			for _, id := range catalogue.Explains(queue[0]) {
				if seen[id] {
					continue
				}
				seen[id] = true
				queue = append(queue, id)
				c := catalogue.ByID(id)
				for _, e := range c.Breaks {
					if (e.ID == "pod-start" || e.ID == "running-containers") && !c.Symptom && c.Run != nil {
						t.Errorf("%s explains %s, which breaks %s and may explain it", lacks, id, e.ID)
					}
				}
			}
		}
	}
}
