package node

import (
	"strings"

	"doctor/checks/evidence"
)

// What the logs of a component are searched for to learn how much of it they hold.
const (
	LogStarts = "a start in the log"     // what it writes when it starts
	LogGoesOn = "a component in its log" // what it writes as long as it runs
)

// voices are the texts of each component. They are its own: no other component's log has them. A
// plugin is a new process for each pod.
var voices = []struct {
	component      string
	starts, goesOn []string
}{
	{"kubelet",
		[]string{`"Kubelet version" kubeletVersion="`, "server.go:*] Version: v1.",
			`"Started kubelet"`, "] Started kubelet", "Starting kubelet main sync loop"},
		[]string{" kubelet.go:", " pod_workers.go:", " eviction_manager.go:",
			" kubelet_node_status.go:", " reconciler_common.go:", " reconciler.go:",
			" status_manager.go:", " kuberuntime_manager.go:"}},
	{"kube-proxy",
		[]string{"Using Kernelspace Proxier", "Using userspace Proxier",
			"Starting service config controller"},
		[]string{" proxier.go:", " hnsV2.go:"}},
	{"containerd",
		[]string{`msg="starting containerd"`, `msg="containerd successfully booted`},
		[]string{`msg="RunPodSandbox `, `msg="StopPodSandbox `, `msg="StartContainer `,
			`msg="PullImage `, `msg="ImageUpdate event `, `msg="RemoveContainer `,
			`msg="CreateContainer `, `msg="ImageCreate event `}},
	{"docker",
		[]string{`msg="Daemon has completed initialization"`, `msg="Loading containers: start."`,
			`msg="API listen on `},
		[]string{`msg="ignoring event"`}},
	{"flanneld",
		[]string{"] CLI flags config: {", "] Installing signal handlers",
			"] Determining IP address of default interface"},
		[]string{"] Subnet added: ", "] Subnet removed: ", "subnet.go:"}},
	{"calico-node",
		[]string{"Successfully loaded configuration. GOMAXPROCS=", "StoredLastBootTime ",
			"Calico node initialisation succeeded"},
		[]string{" felix/daemon.go ", " felix/int_dataplane.go ", " felix/endpoint_mgr.go ",
			" felix/win_dataplane.go "}},
	{"cni",
		[]string{"] Plugin azure-vnet version ", `"Plugin azure-vnet version `,
			"] Plugin vpc-bridge version ", "] Extracted identifiers "}, nil},
	{"antrea", []string{`"Starting Antrea agent"`, "] Starting Antrea agent"}, nil},
	{"rke2", []string{`msg="Starting rke2 agent `}, nil},
	{"k3s", []string{`msg="Starting k3s agent `}, nil},
	{"csi-proxy", []string{"] Starting CSI-Proxy Server "}, nil},
	{"csi-driver", []string{"] Listening for connections on address: "},
		[]string{"] GRPC call: ", "] GRPC response: "}},
	{"kubeadm", []string{"[preflight] Running pre-flight checks"}, nil},
	{"windows-exporter", []string{"Starting windows_exporter"}, nil},
}

// VoiceSigns are the signs of the voices.
var VoiceSigns = voiceSigns()

func voiceSigns() []evidence.Sign {
	var list []evidence.Sign
	add := func(check, component, text string) {
		first, also, _ := strings.Cut(text, "*")
		sign := evidence.Sign{Check: check, Text: first, In: []string{component}, Innocent: true}
		if also != "" {
			sign.Also = []string{also}
		}
		list = append(list, sign)
	}
	for _, v := range voices {
		for _, text := range v.starts {
			add(LogStarts, v.component, text)
		}
		for _, text := range v.goesOn {
			add(LogGoesOn, v.component, text)
		}
	}
	return list
}
