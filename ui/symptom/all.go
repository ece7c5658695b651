package symptom

import (
	"slices"

	"doctor/checks"
)

// all is every symptom, in the order in which a node comes up and is used.
var all = slices.Concat(nodeSymptoms, podSymptoms, networkSymptoms, useSymptoms)

// unnoticed are checks that no symptom leads to: nobody sees these faults until
// somebody else makes use of them.
var unnoticed = []string{"kubeconfig-readable", "secrets-clear-text-on-disk", "rancher-plan-for-linux",
	"windows-exporter-collector-unknown", "containerd-shim-leak", "log-links-not-mounted",
	"calico-services-not-started"}

var nodeSymptoms = []Symptom{
	{
		ID:       "node-did-not-join",
		Question: "The node did not join the cluster",
		Shows:    []string{"kubeadm-join-preflight"},
		Checks: []string{"kubelet-not-running", "kubeadm-join-preflight",
			"containers-feature-missing", "runtime-not-running", "runtime-pipe-missing",
			"kubelet-config-missing", "kubelet-removed-flag", "cert-expired-or-clock-skew",
			"time-service-not-running", "proxy-no-proxy-missing", "node-name-case-mismatch",
			"os-version-unsupported", "runtime-too-old", "gke-windows-pool-prereq",
			"static-ip-lost-on-vswitch-creation", "metadata-route-lost", "wsaeacces-excluded-port",
			"version-skew", "kubelet-identity-foreign", "kubelet-client-csr-pending", "kubelet-arguments-joined",
			"powershell-scripts-refused", "karpenter-taint-missing"},
		Next: []Step{
			{"read the end of the kubelet's log: it shows the response of the API server",
				[]string{`Get-Content C:\var\log\kubelet\*.log -Tail 50`}, ""},
			{"check that the node reaches the API server, and that the token is still valid", []string{"Test-NetConnection APISERVER -Port 6443", "kubeadm token create --print-join-command"}, "creates a token that lets nodes join for a day"},
			{"approve the certificate request of the node if one is pending",
				[]string{"kubectl get csr", "kubectl certificate approve CSR"},
				"the requester joins the cluster: make sure that it is this node"},
		},
	},
	{
		ID: "node-not-ready", Question: "The node is NotReady", FAQ: []int{1},
		Shows: []string{"node-not-ready", "node-not-ready-lost"},
		Checks: []string{"kubelet-not-running", "node-not-ready-lost", "node-not-ready",
			"runtime-not-running", "cni-config-uninitialized", "kubelet-service-paused",
			"kubelet-removed-flag", "kubelet-config-missing", "kubelet-cgroups-per-qos",
			"runtime-pipe-missing", "flanneld-not-running", "network-agent-not-running", "kube-proxy-not-running",
			"cert-expired-or-clock-skew", "time-service-not-running", "wsaeacces-excluded-port",
			"rke2-calico-race", "rke2-old-processes", "calico-vswitch-interface-timeout",
			"static-ip-lost-on-vswitch-creation", "paging-file-too-small", "pagefile-disabled",
			"system-reserved-too-low", "disk-full", "disk-pressure-snapshot-leak", "containers-feature-missing",
			"runtime-too-old", "os-version-unsupported", "antrea-ovs-problem",
			"antrea-apiserver-override-missing",
			"l2bridge-unstable-21h2", "rke2-calico-token-missing", "rke2-runtime-image-missing", "kubeadm-node-name-invalid",
			"control-plane-unreachable", "node-under-pressure", "node-address-mismatch", "node-name-shared",
			"kubelet-arguments-joined", "kubelet-client-csr-pending", "kubelet-identity-foreign",
			"admission-webhook-unavailable"},
		Breaks: []string{"kubelet-start", "kubelet", "container-runtime", "runtime-pipe", "node-reports", "node-ready"},
		Next: []Step{
			{"read the conditions of the Node, and since when they hold",
				[]string{"kubectl describe node {node}"}, ""},
			{"check which services of the node are running",
				[]string{"Get-Service kubelet, kube-proxy, containerd, flanneld, hns -ErrorAction SilentlyContinue"}, ""},
			{"check that the node reaches the API server",
				[]string{"Test-NetConnection APISERVER -Port 6443"}, ""},
		},
	},
	{
		ID: "gone-after-restart", Question: "After a restart the node did not come back as it was",
		FAQ: []int{2},
		Checks: []string{"kubelet-not-running", "runtime-not-running", "flanneld-not-running",
			"network-agent-not-running", "kube-proxy-not-running", "component-not-a-service", "kubelet-service-paused",
			"reboot-pending", "kubelet-removed-flag", "kubelet-cgroups-per-qos",
			"runtime-pipe-missing", "hns-network-missing", "wsaeacces-excluded-port",
			"hns-wrong-diskette", "bridge-endpoint-stale", "network-already-exists",
			"antrea-ovs-problem", "rke2-flanneld-exit", "rke2-calico-race", "rke2-old-processes", "metadata-route-lost",
			"windows-server-2019-decap-in-regression", "windows-update-kb5040437-networking",
			"l2bridge-unstable-21h2", "settings-not-applied", "kubeconfig-invalid",
			"node-route-missing"},
		Next: []Step{
			{"check which updates were installed recently, and compare with a healthy node",
				[]string{"Get-HotFix | Sort-Object InstalledOn | Select-Object -Last 5"}, ""},
			{"check what Windows started and stopped since its boot (press t for the timeline)",
				[]string{"Get-WinEvent -FilterHashtable @{LogName='System'; ProviderName='Service Control Manager'} -MaxEvents 50"}, ""},
		},
	},
}

var podSymptoms = []Symptom{
	{
		ID: "cannot-schedule", Question: "I cannot schedule pods here, or the wrong pods land here",
		Checks: []string{"node-not-ready", "node-not-ready-lost", "pod-os-not-selected",
			"linux-daemonset-on-windows", "linux-pod-on-windows", "os-version-unsupported",
			"app-image-os-version-mismatch", "disk-full", "disk-pressure-snapshot-leak",
			"system-reserved-too-low", "pod-limits-unequal", "ipam-range-exhausted",
			"eks-missing-private-ip", "hyperv-feature-missing", "hyperv-annotation",
			"hostprocess-unsupported", "hostport-conflict-or-not-published", "kubeadm-flags-ignored",
			"cloud-provider-uninitialized", "admission-webhook-unavailable", "admission-policy-denies-pods"},
		Next: []Step{
			{"read the scheduler's events of the pod", []string{"kubectl describe pod POD"}, ""},
			{"check whether the node is cordoned or tainted, and what it can still allocate",
				[]string{"kubectl describe node {node}"}, ""},
		},
	},
	{
		ID: "pods-stuck-creating", Question: "Pods are stuck in ContainerCreating",
		FAQ: []int{12, 16},
		Shows: []string{"pods-stuck-creating", "compute-system-unexpected-exit",
			"sandbox-name-reserved"},
		Checks: []string{"pods-stuck-creating", "compute-operations-failing", "compute-start-slow",
			"compute-system-orphaned", "vmcompute-leak", "hns-many-threads",
			"pause-os-version-mismatch", "linux-pod-on-windows", "app-image-os-version-mismatch",
			"os-version-unsupported", "cni-config-uninitialized", "cni-config-invalid",
			"cni-binary-missing", "flannel-subnet-env-missing", "hns-network-missing",
			"podcidr-not-assigned", "cni-network-not-found", "hns-element-not-found",
			"nat-cni-conf-shadows-cni", "cni-wrong-runtime-plugin", "cni-subnet-mismatch",
			"ipam-range-exhausted", "object-already-exists", "hns-parameter-incorrect",
			"calico-policy-config-invalid", "calico-vswitch-interface-timeout",
			"azure-vnet-store-locked", "eks-missing-private-ip", "transparent-network-missing",
			"ovs-network-missing", "antrea-ovs-problem", "sandbox-name-reserved",
			"sandbox-endpoint-gone", "compute-system-unexpected-exit", "container-invalid-state",
			"mount-path-invalid", "smb-global-mapping-failed", "csi-proxy-missing",
			"csi-driver-not-registered", "securitycontext-nonroot", "hostprocess-logon-denied",
			"hostprocess-unsupported", "hyperv-feature-missing", "hyperv-annotation",
			"container-request-unsupported", "containerd-setting-ignored",
			"hostport-conflict-or-not-published", "layer-import-access-denied",
			"win-defaults-path-copy-denied", "paging-file-too-small", "dll-init-failed-0xc0000142",
			"pods-restarting", "pod-host-network", "defender-exclusions-missing"},
		Breaks: []string{"pod-start"},
		Next: []Step{
			{"read the last events of one such pod: the text after FailedCreatePodSandBox or FailedMount names the error", []string{"kubectl describe pod POD"}, ""},
			{"check that each Secret, ConfigMap and volume that the pod names exists",
				[]string{"kubectl get secret,configmap,pvc -n NAMESPACE"}, ""},
			{"start a pod with only the pause image or nanoserver on this node, and check that it runs", []string{`kubectl run probe --image=mcr.microsoft.com/windows/nanoserver:ltsc2022 --overrides='{"spec":{"nodeName":"{node}"}}' -- ping -t localhost`}, "leaves a pod named probe: delete it afterwards"},
		},
	},
	{
		ID: "pods-restart", Question: "Pods restart or are evicted",
		Shows: []string{"pods-restarting"},
		Checks: []string{"pods-restarting", "liveness-probe-too-strict", "probe-path-wrong", "probe-host-localhost", "host-pipe-missing", "container-memory-limit-reached", "container-user-access-denied", "volume-disk-read-only", "iis-servicemonitor-failed", "environment-block-too-long", "entrypoint-not-found", "app-image-os-version-mismatch",
			"pause-os-version-mismatch", "compute-system-unexpected-exit",
			"container-invalid-state", "linux-daemonset-on-windows", "linux-pod-on-windows",
			"dll-init-failed-0xc0000142", "paging-file-too-small", "pagefile-disabled",
			"disk-full", "disk-pressure-snapshot-leak", "container-log-not-rotated", "eviction-flags-ignored",
			"system-reserved-too-low", "pod-limits-unequal", "pod-grace-ignored",
			"hns-service-crashed-or-restarted", "felix-hcsshim-panic", "rke2-flanneld-exit",
			"calico-confd-status-folder-missing", "win-defaults-path-copy-denied",
			"hostprocess-logon-denied", "node-not-ready-lost", "node-under-pressure"},
		Breaks: []string{"running-containers"},
		Next: []Step{
			{"read the last log lines of the container, and its exit code",
				[]string{"kubectl logs POD --previous", "kubectl describe pod POD"}, ""},
			{"check whether its probes are too strict: exec probes are slow on Windows, and a start takes longer than on Linux", []string{"kubectl get pod POD -o yaml"}, ""},
		},
	},
	{
		ID: "image-pulls-fail", Question: "Image pulls fail", FAQ: []int{15},
		Shows: []string{"proxy-not-configured", "image-pull-too-slow",
			"layer-import-access-denied"},
		Checks: []string{"proxy-not-configured", "proxy-env-not-seen-by-runtime",
			"proxy-no-proxy-missing", "registry-mirror-unusable", "app-image-os-version-mismatch", "pause-os-version-mismatch",
			"image-pull-too-slow", "layer-import-access-denied", "defender-exclusions-missing",
			"disk-full", "disk-pressure-snapshot-leak", "image-tag-latest", "os-version-unsupported",
			"cert-expired-or-clock-skew", "metadata-route-lost", "outboundnat-exception-too-broad"},
		Categories: []checks.Category{checks.CategoryImages},
		Next: []Step{
			{"pull the image by hand on the node, and read the response of the registry",
				[]string{"crictl pull IMAGE"}, "the image uses disk space"},
			{"check that the pod or its service account names the pull secret, and that the secret is valid",
				[]string{"kubectl get pod POD -o jsonpath='{.spec.imagePullSecrets}'"}, ""},
		},
	},
	{
		ID: "not-as-on-linux", Question: "A pod runs, but not as its manifest says",
		Checks: []string{"pod-field-unsupported", "pod-subpath", "pod-host-network",
			"pod-grace-ignored", "pod-limits-unequal", "securitycontext-nonroot",
			"hyperv-annotation", "image-tag-latest", "pod-os-not-selected",
			"session-affinity-timeout", "dual-stack-unsupported",
			"hostport-conflict-or-not-published", "flexvolume-in-use"},
		Next: []Step{
			{"check the manifest before you apply it", []string{"doctor lint MANIFEST.yaml"},
				""},
		},
	},
}
