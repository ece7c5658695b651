package faults_test

import (
	"strings"
	"testing"
)

func TestKubeletIdentityForeign(t *testing.T) {
	cert := func(subject string) string {
		return "-- certificates.json --\n[{\"path\":\"C:\\\\k\\\\pki\\\\kubelet-client-current.pem\",\"subject\":\"" + subject + "\"}]\n"
	}
	const (
		none    = "-- api/node.json.gap --\nabsent: no Node of this name\n"
		refused = "-- logs/kubelet/kubelet.log --\nE1120 09:55:10.951120    3560 kubelet_node_status.go:107] \"Unable to register node with API server\" err=\"nodes is forbidden: User \\\"client\\\" cannot create resource \\\"nodes\\\" in API group \\\"\\\" at the cluster scope\" node=\"win-1\"\n"
	)
	runLooks(t, "kubelet-identity-foreign", []look{
		{"a shared certificate, and no Node", cert("O=system:nodes,CN=nodeclient") + none,
			"fail: the client certificate of the kubelet is of O=system:nodes,CN=nodeclient and not of a node (expected: CN=system:node:NAME) [state]"},
		{"a shared certificate of a node that registered", cert("O=system:nodes,CN=nodeclient") + nodeOf("v1.17.9", "docker://19.3.14"), "pass"},
		{"a shared certificate, and nobody asked for the Node", cert("O=system:nodes,CN=nodeclient"), "unknown"},
		{"the certificate of AKS engine, before its node is there", cert("O=system:masters,CN=client") + none, "pass"},
		{"the same, and the API server refuses it", cert("O=system:masters,CN=client") + none + refused,
			"fail: the client certificate of the kubelet is of O=system:masters,CN=client and not of a node (expected: CN=system:node:NAME) [state+text]"},
		{"that of a node", cert("O=system:nodes,CN=system:node:win-1") + none, "pass"},
		{"the log alone", refused, "fail: the API server refuses to register the node: the kubelet is another user than system:node:NAME [text]"},
		{"kubernetes-the-hard-way 228", "-- logs/kubelet/kubelet.log --\nE1120 09:55:10.951120    3560 kubelet_node_status.go:107] Unable to register node \"worker-0\" with API server: User \"system:node:\" cannot create nodes at the cluster scope.: \"unknown node for user \\\"system:node:\\\"\" (post nodes)\n",
			"fail: the API server refuses to register the node: the kubelet is another user than system:node:NAME [text]"},
		{"without any identity it is another fault", "-- logs/kubelet/kubelet.log --\n" + strings.ReplaceAll(refused[strings.Index(refused, "E1120"):], "client", "system:anonymous"), "unknown"},
	})
}

func TestKubeletClientCSRPending(t *testing.T) {
	const (
		waits  = "-- logs/kubelet/kubelet.log --\nE1120 09:52:11.020991    4120 certificate_manager.go:562] kubernetes.io/kube-apiserver-client-kubelet: certificate request was not signed: timed out waiting for the condition\n"
		exits  = "-- logs/kubelet/kubelet.log --\nE1120 09:52:11.020991    4120 run.go:72] \"command failed\" err=\"failed to run Kubelet: timed out waiting for the condition\"\n"
		ca     = "-- certificates.json --\n[{\"path\":\"C:\\\\k\\\\kubelet-ca.crt\",\"subject\":\"CN=kubernetes\"}]\n"
		byName = "-- adapters.json --\n[{\"name\":\"Ethernet0\",\"addresses\":[\"10.0.32.118/24\"]}]\n-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"openshift-windows-machine-config-operator\",\"name\":\"windows-instances\"},\"data\":{\"10.0.32.118\":\"username=Administrator\"}}]}\n"
	)
	until := func(from, to string) string {
		return "-- certificates.json --\n[{\"path\":\"C:\\\\var\\\\lib\\\\kubelet\\\\pki\\\\kubelet-client-current.pem\",\"subject\":\"O=system:nodes,CN=system:node:win-1\",\"notBefore\":\"" + from + "\",\"notAfter\":\"" + to + "\"}]\n"
	}
	runLooks(t, "kubelet-client-csr-pending", []look{
		{"events of Windows alone show no request", "-- events.json --\n[{\"log\":\"System\",\"provider\":\"EventLog\",\"id\":6005,\"level\":\"information\",\"time\":\"2026-11-20T09:50:00Z\",\"message\":\"The Event log service was started.\"}]\n", "unknown"},
		{"the first request", waits, "fail: the request of the kubelet for its client certificate is not approved [text]"},
		{"as Kubernetes 1.34 says it", "-- logs/kubelet/kubelet.log --\nE1120 09:52:11.020991    4120 certificate_manager.go:590] \"Certificate request was not signed\" err=\"timed out waiting for the condition\" logger=\"kubernetes.io/kube-apiserver-client-kubelet.UnhandledError\"\n",
			"fail: the request of the kubelet for its client certificate is not approved [text]"},
		{"that of the serving certificate", strings.Replace(waits, "kube-apiserver-client-kubelet", "kubelet-serving", 1), "unknown"},
		{"denied", strings.Replace(waits, "timed out waiting for the condition", "certificate signing request is denied, reason: AutoDenied, message: no", 1),
			"fail: the request of the kubelet for its client certificate is denied [text]"},
		{"a renewal", waits + until("2026-01-01T00:00:00Z", "2026-11-25T00:00:00Z"),
			"warn: the request of the kubelet for a new client certificate is not approved: the node is lost on 2026-11-25 [state+text]"},
		{"a renewal that came too late", waits + until("2026-01-01T00:00:00Z", "2026-11-19T00:00:00Z"),
			"fail: the request of the kubelet for a new client certificate is not approved: the old one expired on 2026-11-19 [state+text]"},
		{"a request that was approved later", waits + until("2026-11-20T09:55:00Z", "2027-11-20T00:00:00Z"), "info: the logs say: the request of the kubelet for its client certificate is not approved; the node's current state does not confirm it [text]"},
		{"a kubelet that does not renew exits", exits + ca + byName, "fail: the kubelet waits for its first client certificate until it exits: its request is not approved [state+text]"},
		{"one with a certificate waits for something else", exits + until("2026-01-01T00:00:00Z", "2027-11-25T00:00:00Z"), "unknown"},
		{"one whose certificates nobody read", exits, "unknown"},
	})
}

func TestKubeadmFlagsIgnored(t *testing.T) {
	flags := func(args string) string {
		return "-- files/C/var/lib/kubelet/kubeadm-flags.env --\nKUBELET_KUBEADM_ARGS=\"" + args + "\"\n"
	}
	kubelet := func(args string) string {
		return "-- processes.json --\n[{\"pid\":7,\"name\":\"kubelet.exe\",\"exe\":\"C:\\\\k\\\\kubelet.exe\",\"args\":[" + args + "]}]\n"
	}
	const (
		node = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\",\"labels\":{\"pool\":\"win\"}},\"spec\":{},\"status\":{\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"10.1.40.54\"}]}}\n"
		file = `, which kubeadm wrote to C:\var\lib\kubelet\kubeadm-flags.env [state]`
	)
	script := func(text string) string {
		return "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"binPath\":\"powershell.exe\",\"args\":[\"-File\",\"C:\\\\k\\\\StartKubelet.ps1\"]}]\n-- files/C/k/StartKubelet.ps1 --\n" + text + "\n"
	}
	fixed := kubelet(`"--windows-service","--v=2"`)
	runLooks(t, "kubeadm-flags-ignored", []look{
		{"a cloud provider", node + fixed + flags("--cloud-provider=external"), "fail: the kubelet is started without --cloud-provider=external" + file},
		{"a node that has its providerID", strings.Replace(node, `"spec":{}`, `"spec":{"providerID":"azure:///x"}`, 1) + fixed + flags("--cloud-provider=external"), "pass"},
		{"a label", node + fixed + flags("--node-labels=pool=win,team=a"), "fail: the kubelet is started without --node-labels=pool=win,team=a" + file},
		{"a label that somebody has set", node + fixed + flags("--node-labels=pool=win"), "pass"},
		{"another address", node + fixed + flags("--node-ip=10.2.0.9"), "fail: the kubelet is started without --node-ip=10.2.0.9" + file},
		{"what the configuration has, too", node + fixed + flags("--container-runtime-endpoint=npipe:////./pipe/containerd-containerd"), "pass"},
		{"the kubelet has the flag", node + kubelet(`"--cloud-provider=external"`) + flags("--cloud-provider=external"), "pass"},
		{"kubeadm gave none", node + fixed + flags(""), "skip"},
		{"a script that does not read the file", node + fixed + script(`C:\k\kubelet.exe --v=2`) + flags("--cloud-provider=external"), "fail: the kubelet is started without --cloud-provider=external" + file},
		{"a script that reads it was not run since", node + fixed + script("$f = Get-Content C:/var/lib/kubelet/kubeadm-flags.env") + flags("--cloud-provider=external"), "skip"},
		{"no kubelet runs", node + "-- processes.json --\n[]\n" + flags("--cloud-provider=external"), "unknown"},
	})
}

func TestLogLinksNotMounted(t *testing.T) {
	agent := func(security string, mounts ...string) string {
		var m, v []string
		for i, path := range mounts {
			host, at, two := strings.Cut(path, " at ")
			if !two {
				at = host
			}
			name := `"name":"` + string(rune('a'+i)) + `",`
			m = append(m, "{"+name+`"mountPath":"`+at+`"}`)
			v = append(v, "{"+name+`"hostPath":{"path":"`+host+`"}}`)
		}
		return `-- api/pods.json --
{"items":[{"metadata":{"namespace":"logging","name":"agent"},"spec":{` + security + `"nodeSelector":{"kubernetes.io/os":"windows"},"containers":[{"name":"agent","volumeMounts":[` +
			strings.Join(m, ",") + `]}],"volumes":[` + strings.Join(v, ",") + "]},\"status\":{\"phase\":\"Running\"}}]}\n"
	}
	const (
		says   = `: logging/agent mounts c:\var\log\containers without `
		cannot = ", to which the files there are links: container agent cannot open them [state"
		pods   = `c:\var\log\pods`
		vector = "-- logs/pods/logging_agent_agent-0.log --\n2026-11-20T09:59:56.001Z ERROR source{component_id=k}: vector::internal_events::file: Failed reading file for fingerprinting. file=C:/var/log/containers/web.log error=The system cannot find the path specified. (os error 3)\n"
	)
	docker := nodeOf("v1.21.5", "docker://20.10.9")
	containerd := nodeOf("v1.30.1", "containerd://1.7.2")
	runLooks(t, "log-links-not-mounted", []look{
		{"the links alone", containerd + agent("", "/var/log/containers"), "warn" + says + pods + cannot + "]"},
		{"and the agent says so", containerd + agent("", "/var/log/containers") + vector, "fail" + says + pods + cannot + "+text]"},
		{"the log of another agent says so", containerd + agent("", "/var/log/containers") + replace(vector, "logging_agent_agent", "logging_agent-2_agent"), "warn" + says + pods + cannot + "+text]"},
		{"with what they link to", containerd + agent("", "/var/log/containers", `C:\\var\\log\\pods`), "pass"},
		{"with what they link to, and nobody knows the runtime", agent("", "/var/log/containers", `C:\\var\\log\\pods`), "unknown"},
		{"with a folder above it, whatever the runtime is", agent("", "/var/log/containers", "/var/log", "/ProgramData"), "pass"},
		{"with a folder above it", containerd + agent("", "/var/log/containers", "/var/log"), "pass"},
		{"at another path", containerd + agent("", "/var/log/containers", "/var/log/pods at /logs"), "warn" + says + pods + cannot + "]"},
		{"pods alone", containerd + agent("", "/var/log/pods"), "pass"},
		{"a HostProcess pod", containerd + agent(`"securityContext":{"windowsOptions":{"hostProcess":true}},`, "/var/log/containers"), "pass"},
		{"Docker", docker + agent("", "/var/log/containers", "/var/log/pods"), "warn" + says + `c:\programdata\docker\containers` + cannot + "]"},
		{"Docker with its folder", docker + agent("", "/var/log/containers", "/var/log/pods", "/ProgramData"), "pass"},
		{"Docker on another drive", docker + agent("", "/var/log/containers", "/var/log/pods", `D:\\docker\\containers`), "pass"},
	})
}

func TestKubeletArgumentsJoined(t *testing.T) {
	kubelet := func(args string) string {
		return "-- processes.json --\n[{\"pid\":7,\"name\":\"kubelet.exe\",\"startedAt\":\"2026-11-20T08:00:00Z\",\"args\":[" + args + "]}]\n"
	}
	down := func(flags, script string) string {
		return "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"paused\",\"wrapper\":\"nssm\",\"binPath\":\"powershell.exe\",\"args\":[\"-File\",\"C:\\\\k\\\\StartKubelet.ps1\"]}]\n" +
			"-- processes.json --\n[]\n-- files/C/var/lib/kubelet/kubeadm-flags.env --\nKUBELET_KUBEADM_ARGS=\"" + flags + "\"\n" +
			"-- files/C/k/StartKubelet.ps1 --\n$FileContent = Get-Content -Path \"/var/lib/kubelet/kubeadm-flags.env\"\n" + script + "\n"
	}
	const (
		text   = "$global:KubeletArgs = $FileContent.Trim(\"KUBELET_KUBEADM_ARGS=`\"\")\n"
		pause  = "--pod-infra-container-image=pause:3.9"
		joined = "fail: --pod-infra-container-image and --cert-dir are one word: --cert-dir has no effect [state]"
	)
	runLooks(t, "kubelet-arguments-joined", []look{
		{"a process", kubelet(`"--v=2","--pod-infra-container-image=pause:3.9--cert-dir=C:\\pki"`), joined},
		{"a quote too many", kubelet(`"--pod-infra-container-image=pause:1.3.0 --cert-dir=C:\\pki --config=C:\\config.yaml --resolv-conf="`), joined},
		{"a wrapper with the arguments of its program", kubelet(`"--args=--config=C:\\config.yaml --kubeconfig=C:\\k\\config"`), "pass"},
		{"a label with dashes", kubelet(`"--node-labels=pool=a--b,x--config=1"`), "pass"},
		{"two words", kubelet(`"--pod-infra-container-image=pause:3.9","--cert-dir=C:\\pki"`), "pass"},
		{"a script", down(pause, text+"$global:KubeletArgs += \"--cert-dir=C:\\pki\""), joined},
		{"a script that writes it out", down(pause, text+"$global:KubeletArgs = $global:KubeletArgs + '--cert-dir=C:\\pki'"), joined},
		{"nobody recorded the flags of kubeadm", replace(down(pause, text+"$global:KubeletArgs += \"--cert-dir=C:\\pki\""), "files/C/var/lib/kubelet/kubeadm-flags.env", "files/C/var/lib/kubelet/other.env"), "unknown"},
		{"with a space", down(pause, text+"$global:KubeletArgs += \" --cert-dir=C:\\pki\""), "pass"},
		{"the space is added before", down(pause, text+"$global:KubeletArgs += \" \"\n$global:KubeletArgs += \"--cert-dir=C:\\pki\""), "pass"},
		{"nothing is before it", down("", text+"$global:KubeletArgs += \"--cert-dir=C:\\pki\""), "pass"},
		{"a list", down(pause, "$global:KubeletArgs = $FileContent.Trim().Split(' ')\n$global:KubeletArgs += \"--cert-dir=C:\\pki\""), "pass"},
		{"the kubelet runs with words of their own", strings.Replace(down(pause, text+"$global:KubeletArgs += \"--cert-dir=C:\\pki\""),
			"-- processes.json --\n[]\n", kubelet(`"--cert-dir=C:\\pki"`), 1), "pass"},
	})
}
