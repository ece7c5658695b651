package faults_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/fixtures"
)

// proxyService is kube-proxy as a service with these arguments and variables.
func proxyService(args, env string) string {
	return "-- services.json --\n[{\"name\":\"kube-proxy\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kube-proxy.exe\",\"args\":[\"--proxy-mode=kernelspace\"" + args + "],\"env\":{" + env + "}}]\n"
}

// proxyScript is kube-proxy as a service that a script starts.
const proxyScript = "-- services.json --\n[{\"name\":\"kubeproxy\",\"state\":\"running\",\"binPath\":\"C:\\\\Windows\\\\System32\\\\WindowsPowerShell\\\\v1.0\\\\powershell.exe\",\"args\":[\"-File\",\"C:\\\\k\\\\kubeproxystart.ps1\"]}]\n"

// proxyPod is kube-proxy in a HostProcess pod whose script is not recorded.
const proxyPod = `-- api/pods.json --
{"items":[{"metadata":{"name":"kube-proxy-windows-x1","namespace":"kube-system"},
"spec":{"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}},"containers":[{"name":"kube-proxy","command":["powershell.exe","-file","$env:CONTAINER_SANDBOX_MOUNT_POINT/kube-proxy/start.ps1"]}]},
"status":{"phase":"Running"}}]}
`

// named is a Node object of that name.
func named(name string) string {
	return "-- api/node.json --\n{\"metadata\":{\"name\":\"" + name + "\"}}\n"
}

func TestHostnameOverrideMismatch(t *testing.T) {
	const lost = "-- logs/kube-proxy/kube-proxy.log --\nE1120 server.go:1] Failed to retrieve node info: nodes \"win2019-app1\" not found\n"
	const kubelet = "-- processes.json --\n[{\"pid\":7,\"name\":\"kubelet.exe\",\"args\":[\"--hostname-override=win-1\",\"--v=4\"]}]\n"
	runLooks(t, "hostname-override-mismatch", []look{
		{"the Node's name", named("win-1") + proxyService(`,"--hostname-override=win-1"`, ""),
			"pass"},
		{"in another case", named("win-1") + proxyService(`,"--hostname-override=WIN-1"`, ""),
			"pass"},
		{"another machine's", named("win-1") + proxyService(`,"--hostname-override=win-7"`, ""),
			"fail: kube-proxy uses the node name win-7, but the Node object is win-1 [state]"},
		{"short for a full name",
			named("win-1.corp.example") + proxyService(`,"--hostname-override=win-1"`, ""),
			"fail: kube-proxy uses the node name win-1, but the Node object is win-1.corp.example [state]"},
		{"in a configuration file",
			named("win-1") + proxyService(`,"--config=C:\\k\\kube-proxy.conf"`, "") +
				"-- files/C/k/kube-proxy.conf --\nhostnameOverride: win-7\n",
			"fail: kube-proxy uses the node name win-7, but the Node object is win-1 [state]"},
		{"a variable of the start script",
			named("win-1") + proxyService(`,"--hostname-override=$(NODE_NAME)"`, ""), "pass"},
		{"none, and a name that no machine has", named("ip-10-0-1-7.ec2.internal") +
			proxyService("", ""),
			"fail: kube-proxy has no --hostname-override; the machine name that it uses cannot be ip-10-0-1-7.ec2.internal [state]"},
		{"none, and a name that a machine may have", named("win-1") + proxyService("", ""), "pass"},
		{"none, and the kubelet has one", named("win-1") + proxyService("", "") + kubelet,
			"warn: the kubelet uses the name win-1, but kube-proxy has no --hostname-override [state]"},
		{"a DaemonSet's script gives it out of sight", named("ip-10-0-1-7.ec2.internal") + proxyPod,
			"unknown"},
		{"a script that nobody recorded", named("win-1.corp.example") + proxyScript, "unknown"},
		{"no Node object", proxyService(`,"--hostname-override=win-7"`, ""), "unknown"},
		{"no Node object, and kube-proxy complains", lost,
			"fail: kube-proxy requests a Node that does not exist: its node name is wrong [text]"},
		{"no settings", named("win-1"), "unknown"},
		{"the log of Kubernetes 1.22 and later", logTelling("kube-proxy",
			`E1120 node.go:1] "Failed to retrieve node info" err="nodes \"win2019-app1\" not found"`),
			"fail: kube-proxy requests a Node that does not exist: its node name is wrong [text]"},
		{"kube-proxy came before the kubelet had registered the node", lost +
			"I1120 server.go:1] Successfully retrieved node IP: 10.0.0.4\n",
			"info: the logs say: kube-proxy requests a Node that does not exist: its node name is wrong; it is over: a later line says: Successfully retrieved node IP [text]"},
		{"somebody else asks for a node", logTelling("csi-driver",
			`Failed to retrieve node info: nodes "win-9" not found`), "unknown"},
	})
}

func TestSettingsAreChangedInTheirLine(t *testing.T) {
	const config = "-- files/C/k/kube-proxy.conf --\nmode: kernelspace\nhostnameOverride: win-7\n" +
		"winkernel:\n  enableDSR: true\n"
	const script = "-- files/C/k/kubeproxystart.ps1 --\n$p = 1\n" +
		"$flags = @(\"--v=4\", \"--hostname-override=win-7\", \"--network-name=cbr0\")\n"
	byConfig := named("win-1") + proxyService(`,"--config=C:\\k\\kube-proxy.conf"`, "") + config
	for _, test := range []struct{ name, tree, check, file, line string }{
		{"a name in the configuration file", byConfig, "hostname-override-mismatch",
			`C:\k\kube-proxy.conf`, "hostnameOverride: win-1"},
		{"a switch in the configuration file", byConfig +
			"-- os.json --\n{\"build\":17763,\"ubr\":1339}\n", "dsr-unsupported-build",
			`C:\k\kube-proxy.conf`, "enableDSR: false"},
		{"a name in the start script", named("win-1") + proxyScript + script,
			"hostname-override-mismatch", `C:\k\kubeproxystart.ps1`,
			`$flags = @("--v=4", "--hostname-override=win-1", "--network-name=cbr0")`},
		{"the service CIDR in Calico's script", calicoNode + theDNS +
			"-- api/configmaps.json --\n{\"items\":[{\"metadata\":{\"name\":\"kubeadm-config\"},\"data\":{\"ClusterConfiguration\":\"networking:\\n  serviceSubnet: 10.96.0.0/12\\n\"}}]}\n" +
			"-- files/C/CalicoWindows/config.ps1 --\n$env:K8S_SERVICE_CIDR = \"<your service cidr>\"\n",
			"calico-placeholder-service-cidr", `C:\CalicoWindows\config.ps1`,
			`$env:K8S_SERVICE_CIDR = "10.96.0.0/12"`},
		{"a capability that is missing", namedPodWithHostPort + "-- files/C/k/cni/config/cni.conf --\n" +
			"{\n\"cniVersion\": \"0.2.0\", \"name\": \"cbr0\",\n\"type\": \"win-bridge\",\n" +
			"\"capabilities\": {\"dns\": true}\n}\n", "hostport-conflict-or-not-published",
			`C:\k\cni\config\cni.conf`, `"capabilities": {"portMappings": true, "dns": true}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tree := fixtures.Tree(txtar.Parse([]byte(shortMeta + test.tree)))
			r := judgedAgain(t, tree, test.check)
			first := r.Fix.First()
			if first == nil || first.File != test.file || first.To != test.line {
				t.Errorf("the first step is %+v; %s %v", first, r.Status, r.Findings)
			}
		})
	}
}

const namedPodWithHostPort = "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"a\"," +
	"\"name\":\"p\"},\"spec\":{\"containers\":[{\"ports\":[{\"hostPort\":8080}]}]}," +
	"\"status\":{\"phase\":\"Running\",\"podIP\":\"10.244.3.5\"}}]}\n"
