package faults_test

import (
	"strings"
	"testing"
)

func TestNodeNotReadyAndLost(t *testing.T) {
	ready := func(status string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"Ready","status":"` + status + `","reason":"R","message":"m."}]}}
`
	}
	const stopped = "-- api/events.json --\n{\"items\":[{\"reason\":\"NodeNotReady\",\"involvedObject\":{\"kind\":\"Node\",\"name\":\"win-1\"},\"message\":\"Kubelet stopped posting node status.\"}]}\n"
	runLooks(t, "node-not-ready-lost", []look{
		{"nobody hears of the kubelet", ready("Unknown"), "fail: Ready is Unknown: R: m [state]"},
		{"the kubelet itself says no", ready("False"), "pass"},
		{"well", ready("True"), "pass"},
		{"well again", ready("True") + stopped,
			"info: the logs say: the control plane reports that the kubelet stopped posting the node's status; the node's current state does not confirm it [text]"},
		{"the event alone", stopped,
			"fail: the control plane reports that the kubelet stopped posting the node's status [text]"},
		{"a Node object without conditions", nodeOf("v1.29.9", "containerd://1.7.2"), "unknown"},
	})
	runLooks(t, "node-not-ready", []look{
		{"the kubelet itself says no", ready("False"), "fail: Ready is False: R: m. [state]"},
		{"nobody hears of the kubelet, which is a symptom of its own besides", ready("Unknown"),
			"fail: Ready is Unknown: R: m. [state]"},
		{"well", ready("True"), "pass"},
	})
}

func TestKubeletConfigMissing(t *testing.T) {
	const (
		service = "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"paused\",\"args\":[\"--config=C:\\\\var\\\\lib\\\\kubelet\\\\config.yaml\"]}]\n"
		process = "-- processes.json --\n[{\"name\":\"kubelet.exe\",\"args\":[\"--config=C:/var/lib/kubelet/config.yaml\"]}]\n"
		log     = "-- logs/kubelet/kubelet.log --\nE1120 09:59:00.1 1 run.go:74] \"command failed\" err=\"failed to load kubelet config file, path: C:/var/lib/kubelet/config.yaml, error: x\"\n"
	)
	files := func(config, conf string) string {
		return `-- files.json --
[{"path":"C:\\var\\lib\\kubelet\\config.yaml","outcome":"` + config + `"},{"path":"C:\\etc\\kubernetes\\kubelet.conf","outcome":"` + conf + `"}]
`
	}
	const missing = `kubelet configuration file C:\var\lib\kubelet\config.yaml is missing`
	runLooks(t, "kubelet-config-missing", []look{
		{"before the join", service + files("absent", "absent"),
			"info: " + missing + ": expected before kubeadm join, which writes it [state]"},
		{"after the join, by kubelet.conf", service + files("absent", "copied"),
			"fail: " + missing + " [state]"},
		{"after the join, by the Node", service + files("absent", "absent") + nodeOf("v1.31.0",
			"containerd://1.7.2"), "fail: " + missing + " [state]"},
		{"the kubelet that runs has read it", process + files("absent", "copied"),
			"warn: " + strings.ReplaceAll(missing, `\`, "/") +
				"; the kubelet that runs has read it, and will not start again [state]"},
		{"it is there", service + files("copied", "copied"), "pass"},
		{"before or after, nobody can tell",
			service + "-- files.json --\n[{\"path\":\"C:\\\\var\\\\lib\\\\kubelet\\\\config.yaml\",\"outcome\":\"absent\"}]\n", "unknown"},
		{"nobody looked for it", service + "-- files.json --\n[]\n", "unknown"},
		{"set up by flags alone",
			"-- services.json --\n[{\"name\":\"kubelet\",\"args\":[\"--v=2\"]}]\n", "pass"},
		{"a file that is there and wrong", "-- logs/kubelet/kubelet.log --\nE1120 09:59:00.1 1 run.go:74] \"command failed\" err=\"failed to load kubelet config file, path: C:/var/lib/kubelet/config.yaml, error: failed to load Kubelet config file C:/var/lib/kubelet/config.yaml, error failed to decode: no kind \\\"Foo\\\" is registered\"\n" +
			nodeOf("v1.31.0", "containerd://1.7.2"), "unknown"},
		{"the log alone does not tell before from after", log,
			"info: the kubelet cannot read its configuration file: expected before kubeadm join, a fault after it [text]"},
	})
}

func TestServingCertificatePending(t *testing.T) {
	const (
		refused = "-- logs/kubelet/kubelet.log --\nI1120 09:00:02.1 1 log.go:245] http: TLS handshake error from 10.0.0.1:40160: no serving certificate available for the kubelet\n"
		later   = "I1120 09:10:00.1 1 kubelet.go:2537] \"SyncLoop UPDATE\"\n"
		warning = "warn: the kubelet refuses connections: its request for a serving certificate is not approved [text]"
		history = "info: the logs say: the kubelet refuses connections: its request for a serving certificate is not approved; "
	)
	pem := func(name, until string) string {
		return `-- certificates.json --
[{"path":"C:\\var\\lib\\kubelet\\pki\\` + name + `","notBefore":"2026-11-20T08:55:09Z","notAfter":"` + until + `"}]
`
	}
	runLooks(t, "kubelet-serving-csr-pending", []look{
		{"nobody has approved it", refused + later, warning},
		{"no certificate of its own, but the one that it signed itself",
			refused + later + pem("kubelet.crt", "2027-11-20T08:55:09Z"), warning},
		{"its certificate is there", refused + later + pem("kubelet-server-current.pem", "2027-11-20T08:55:09Z"),
			history + "the node's current state does not confirm it [text]"},
		{"its certificate has expired", refused + later +
			pem("kubelet-server-current.pem", "2026-11-20T09:00:00Z"), warning},
		{"approved later", refused + "I1120 09:00:12.1 1 csr.go:261] certificate signing request csr-gkd6x is approved, waiting to be issued\n",
			history + "it is over: a later line says: is approved, waiting to be issued [text]"},
		{"approved for its client, and refused since", refused +
			"I1120 09:00:12.1 1 csr.go:261] certificate signing request csr-gkd6x is approved, waiting to be issued\n" +
			strings.Split(strings.ReplaceAll(refused, "09:00:02", "09:05:02"), "\n")[1] + "\n", warning},
	})
}

func TestKubeadmJoinPreflight(t *testing.T) {
	log := func(line string) string { return "-- logs/kubeadm/join.log --\n" + line + "\n" }
	const readyNode = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}\n"
	runLooks(t, "kubeadm-join-preflight", []look{
		{"two runtimes",
			log("found multiple CRI endpoints on the host. Please define which one do you wish to use"), "fail: kubeadm found two container runtimes: --cri-socket is required [text]"},
		{"Docker Desktop in its Linux mode", log("\t[ERROR SystemVerification]: unsupported graph driver: overlay2"),
			"fail: Docker on this machine runs Linux containers [text]"},
		{"a pipe without its scheme", log(`nodeRegistration.criSocket: Invalid value: "//./pipe/containerd-containerd": path is not absolute`),
			"fail: kubeadm does not accept the criSocket of its configuration [text]"},
		{"files of an earlier join",
			log("\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists"), "fail: files of an earlier kubeadm join exist [text]"},
		{"no CA where the configuration names it",
			"-- logs/kubelet/kubelet.log --\nE1120 09:59:00.1 1 run.go:74] err=\"unable to load client CA file /etc/kubernetes/pki/ca.crt: open /etc/kubernetes/pki/ca.crt: The system cannot find the path specified.\"\n",
			"fail: the ca.crt of the kubelet configuration is missing [text]"},
		{"in French", "-- logs/kubelet/kubelet.log --\nE1120 09:59:00.1 1 run.go:74] err=\"unable to load client CA file /etc/kubernetes/pki/ca.crt: open /etc/kubernetes/pki/ca.crt: Le chemin d'accès spécifié est introuvable.\"\n",
			"fail: the ca.crt of the kubelet configuration is missing [text]"},
		{"the kubelet was slow, and the join succeeded",
			log("[kubelet-check] It seems like the kubelet isn't running or healthy.\nThis node has joined the cluster:"),
			"info: the logs say: the kubelet exits while kubeadm waits for it; it is over: a later line says: This node has joined the cluster [text]"},
		{"it has become a node since", log("[preflight] Some fatal errors occurred:") + readyNode,
			"info: the logs say: kubeadm join failed its preflight checks; the node's current state does not confirm it [text]"},
		{"a hint that breaks nothing",
			log("W1120 09:59:00.1 1 initconfiguration.go:120] Usage of CRI endpoints without URL scheme is deprecated and can cause kubelet errors in the future."), "unknown"},
		{"a node that is well", readyNode, "pass"},
		{"nothing was recorded", "", "unknown"},
	})
}

func TestEvictionFlagsIgnored(t *testing.T) {
	flags := func(args string) string {
		return "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\",\"args\":[" +
			args + "]}]\n"
	}
	const docker = "docker://19.3.18"
	runLooks(t, "eviction-flags-ignored", []look{
		{"a flag", nodeOf("v1.19.7", docker) +
			flags(`"--eviction-hard=nodefs.available<10%,memory.available<500Mi"`),
			"warn: memory.available<500Mi has no effect: kubelet v1.19.7 does not evict by memory on Windows [state]"},
		{"the default", nodeOf("v1.19.7", docker) + flags(`"--eviction-hard=memory.available<100Mi"`),
			"info: memory.available<100Mi has no effect: kubelet v1.19.7 does not evict by memory on Windows [state]"},
		{"the default, and the memory is used up", nodeOf("v1.19.7", docker) + flags(`"--eviction-hard=memory.available<100Mi"`) +
			"-- memory.json --\n{\"totalBytes\":17179869184,\"availableBytes\":104857600,\"commitLimitBytes\":20000000000,\"commitUsedBytes\":19990000000,\"pageFiles\":[{\"path\":\"C:\\\\pagefile.sys\",\"automatic\":true}]}\n",
			"warn: memory.available<100Mi has no effect: kubelet v1.19.7 does not evict by memory on Windows [state]"},
		{"the configuration",
			nodeOf("v1.30.0", docker) +
				"-- files/C/var/lib/kubelet/config.yaml --\nevictionSoft: {memory.available: 1Gi}\n", "warn: memory.available<1Gi has no effect: kubelet v1.30.0 does not evict by memory on Windows [state]"},
		{"the flag wins over the file",
			nodeOf("v1.30.0", docker) + flags(`"--eviction-hard=imagefs.available<15%"`) +
				"-- files/C/var/lib/kubelet/config.yaml --\nevictionHard: {memory.available: 1Gi}\n", "pass"},
		{"a kubelet that does it",
			nodeOf("v1.31.0", docker) + flags(`"--eviction-hard=memory.available<500Mi"`), "skip"},
		{"thresholds for the disk",
			nodeOf("v1.29.0", docker) + flags(`"--eviction-hard=nodefs.available<10%"`), "pass"},
		{"the file that --config names was not copied",
			nodeOf("v1.29.0", docker) + flags(`"--config=C:\\odd\\kubelet.yaml"`), "unknown"},
		{"a kubelet of unknown version", flags(`"--eviction-hard=memory.available<500Mi"`),
			"unknown"},
	})
}

func TestRebootPending(t *testing.T) {
	pending := func(reasons string) string {
		return "-- pending-reboot.json --\n{\"pending\":true,\"reasons\":[" + reasons + "]}\n"
	}
	runLooks(t, "reboot-pending", []look{
		{"an update", pending(`"windows-update"`),
			"warn: A reboot is pending: windows-update [state]"},
		{"files to be renamed, as virus scanners leave them", pending(`"pending-file-rename"`),
			"info: A reboot is pending: pending-file-rename [state]"},
		{"no reason", pending(""), "info: A reboot is pending: no reason recorded [state]"},
		{"a feature",
			"-- pending-reboot.json --\n{\"pending\":false}\n-- features.json --\n{\"Containers\":\"pending\",\"Hyper-V\":\"absent\"}\n", "warn: Windows feature Containers is pending: a reboot is required [state]"},
		{"nothing", "-- pending-reboot.json --\n{\"pending\":false}\n", "pass"},
		{"nobody looked", "", "unknown"},
	})
}

func TestProxyEnvNotSeenByRuntime(t *testing.T) {
	const (
		proxy   = "-- env.json --\n{\"HTTPS_PROXY\":\"http://proxy:3128\",\"NO_PROXY\":\".corp.example,10.96.0.0/12\"}\n"
		running = "-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"}]\n"
		timeout = "connectex: A connection attempt failed because the connected party did not properly respond after a period of time"
	)
	pull := func(host, how string) string {
		return podEvent("Failed", `Failed to pull image "`+host+
			`/a:1": failed to resolve reference "`+host+
			`/a:1": failed to do request: Head "https://`+host+`/v2/a/manifests/1": `+how)
	}
	const told = "fail: runtime connects to mcr.example.com directly, but %s has proxy %p [state+text]"
	by := func(who, address string) string {
		return strings.NewReplacer("%s", who, "%p", address).Replace(told)
	}
	runLooks(t, "proxy-env-not-seen-by-runtime", []look{
		{"the machine has it, and containerd dials itself",
			proxy + running + pull("mcr.example.com", "dial tcp 1.2.3.4:443: "+timeout),
			by("the machine", "http://proxy:3128")},
		{"it looks the name up, which a proxy would do for it",
			proxy + running + pull("mcr.example.com",
				"dial tcp: lookup mcr.example.com: no such host"),
			by("the machine", "http://proxy:3128")},
		{"only the kubelet was given it",
			"-- env.json --\n{}\n-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\"},{\"name\":\"kubelet\",\"state\":\"running\",\"env\":{\"HTTPS_PROXY\":\"http://p:1\"}}]\n" + pull("mcr.example.com", "dial tcp 1.2.3.4:443: "+timeout),
			by("service kubelet", "http://p:1")},
		{"the runtime's own, and it was not restarted",
			"-- env.json --\n{}\n-- services.json --\n[{\"name\":\"containerd\",\"state\":\"running\",\"env\":{\"HTTPS_PROXY\":\"http://p:2\"}}]\n" + pull("mcr.example.com", "dial tcp 1.2.3.4:443: "+timeout),
			by("service containerd", "http://p:2")},
		{"it uses the proxy, which does not answer", proxy + running + pull("mcr.example.com",
			"proxyconnect tcp: dial tcp 10.0.0.9:3128: "+timeout), "pass"},
		{"a registry that NO_PROXY names", proxy + running + pull("registry.corp.example",
			"dial tcp 10.0.0.7:443: "+timeout),
			"info: the logs say: the runtime gets no answer from a registry: a firewall, no route to it, or no proxy setting; the node's current state does not confirm it [text]"},
		{"no proxy anywhere, which is another check's matter", "-- env.json --\n{}\n" + running +
			pull("mcr.example.com", "dial tcp 1.2.3.4:443: "+timeout),
			"info: the logs say: the runtime gets no answer from a registry: a firewall, no route to it, or no proxy setting; the node's current state does not confirm it [text]"},
		{"pulls that work", proxy + running + podEvent("Pulled", "Successfully pulled image"),
			"pass"},
		{"no events were recorded", proxy + running, "unknown"},
	})
}
