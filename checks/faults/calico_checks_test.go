package faults_test

import (
	"strings"
	"testing"
)

const calicoNode = "-- services.json --\n[{\"name\":\"CalicoNode\",\"state\":\"running\"}]\n"

func TestCalicoPlaceholderServiceCIDR(t *testing.T) {
	endpoint := func(flags, prefix string) string {
		return `-- hns-endpoints.json --
[{"ID":"a","Name":"pod_Calico","Flags":` + flags + `,"HostComputeNetwork":"n","IpConfigurations":[{"IpAddress":"10.1.0.4","PrefixLength":26}],"Policies":[{"Type":"OutBoundNAT","Settings":{"Exceptions":["` + prefix + `"]}}]}]
`
	}
	conf := func(prefix string) string {
		return `-- files/C/etc/cni/net.d/10-calico.conf --
{"name":"Calico","type":"calico","policies":[{"Name":"EndpointPolicy","Value":{"Type":"SDNROUTE","DestinationPrefix":"` + prefix + `","NeedEncap":true}}]}
`
	}
	script := func(line string) string {
		return "-- files/C/CalicoWindows/config.ps1 --\n# edit this\n" + line + "\n"
	}
	const old, later = `$env:K8S_SERVICE_CIDR = "<your service cidr>"`,
		`Set-EnvVarIfNotSet -var "K8S_SERVICE_CIDR" -defaultValue "<your service cidr>"`
	const byScript = `fail: C:\CalicoWindows\config.ps1 sets K8S_SERVICE_CIDR to "<your service cidr>"; new pods get this text in their HNS policies [state]`
	runLooks(t, "calico-placeholder-service-cidr", []look{
		{"in an endpoint", calicoNode + endpoint("0", "<your service cidr>"),
			`fail: endpoint pod_Calico (10.1.0.4/26) has "<your service cidr>" in an HNS policy; expected: a CIDR [state]`},
		{"a CIDR", calicoNode + endpoint("0", "10.96.0.0/12"), "pass"},
		{"a bare address is one too", calicoNode + endpoint("0", "10.96.0.10"), "pass"},
		{"another node's endpoint", calicoNode + endpoint("1", "<your service cidr>"), "pass"},
		{"in the CNI configuration", calicoNode + conf("<your service cidr>"),
			`fail: CNI configuration 10-calico.conf has "<your service cidr>" in a policy; expected: a CIDR [state]`},
		{"a route whose prefix was lost", calicoNode + conf(""), "pass"},
		{"in the script alone", calicoNode + script(old), byScript},
		{"in the later script", calicoNode + script(later), byScript},
		{"the environment overrules the later script",
			calicoNode + script(later) +
				"-- env.json --\n{\"K8S_SERVICE_CIDR\":\"10.96.0.0/12\"}\n", "pass"},
		{"the installed configuration overrules the script",
			calicoNode + script(old) + conf("10.96.0.0/12"), "pass"},
		{"in a comment", calicoNode + script("# "+old), "pass"},
		{"a value that the script works out",
			calicoNode + script(`$env:K8S_SERVICE_CIDR = "$cidr"`), "pass"},
		{"nothing of it was recorded", calicoNode, "unknown"},
		{"an endpoint that is degraded for another reason",
			"-- logs/containerd/c.log --\n{2151350295; endpoint.h; 327; hostnetsvc.dll; 0; Endpoint is in invalid state; 860}\n", "unknown"},
		{"the plugin prints its configuration",
			"-- logs/cni/cni.log --\nconf ExceptionList:[<your service cidr>]\n",
			"fail: Calico uses the placeholder of its installation script as the service CIDR [text]"},
		{"flannel", "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n" +
			endpoint("0", "<your service cidr>"), "skip"},
		{"the plugin prints it as JSON", logTelling("cni",
			`Settings={"Type":"OutBoundNAT","Settings":{"Exceptions":["\u003cyour service cidr\u003e","100.244.0.0/16"]}}`),
			"fail: Calico uses the placeholder of its installation script as the service CIDR [text]"},
		{"an endpoint is refused for one of several reasons", logTelling("containerd",
			"hcsshim::CreateComputeSystem iis: The requested operation for attach namespace failed. (0x803b002e)"),
			"unknown"},
	})
}

func TestCalicoPolicyConfigInvalid(t *testing.T) {
	log := func(folder, line string) string {
		return "-- logs/" + folder + "/x.log --\n" + line + "\n"
	}
	const refused = `plugin type="calico" failed (add): hcnCreateEndpoint failed in Win32: Die Richtlinie ist ungültig. (0x803b000d)`
	runLooks(t, "calico-policy-config-invalid", []look{
		{"refused, in any language", log("containerd", refused),
			"fail: HNS rejects the policies of a pod's endpoint [text]"},
		{"kube-proxy's load balancer is refused with the same code", calicoNode + log("kube-proxy",
			`hcnCreateLoadBalancer failed in Win32: … (0x803b000d) network Calico`) + log("kubelet",
			"ok"), "unknown"},
		{"another plugin's endpoint",
			"-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n" +
				log("containerd", refused), "skip"},
		{"no logs", calicoNode, "unknown"},
		{"kube-proxy's policies are refused", calicoNode + log("kube-proxy",
			`Policy creation failed" err="hcnCreateLoadBalancer failed in Win32: … (0x803b000d)`),
			"warn: HNS rejects a load balancer: one of its addresses or endpoints is not valid [text]"},
	})
}

func TestCalicoVSwitchInterfaceTimeout(t *testing.T) {
	network := func(ip string) string {
		return `-- hns-networks.json --
[{"ID":"n","Name":"Calico","Type":"Overlay","Policies":[{"Type":"ProviderAddress","Settings":{"ProviderAddress":"` + ip + `"}}],"SchemaVersion":{"Major":2,"Minor":0}}]
`
	}
	const adapters = "-- adapters.json --\n[{\"name\":\"Ethernet\",\"addresses\":[]},{\"name\":\"vEthernet (Ethernet)\",\"addresses\":[\"10.0.0.4/24\"],\"compartment\":1},{\"name\":\"vEthernet (ab)\",\"addresses\":[\"10.0.0.5/24\"],\"compartment\":2}]\n"
	const noSwitch = "-- adapters.json --\n[{\"name\":\"Ethernet\",\"addresses\":[]},{\"name\":\"vEthernet (Calico_ep)\",\"addresses\":[\"10.48.0.2/26\"],\"compartment\":1}]\n"
	const timeout = "-- logs/cni/cni.log --\nE1 timed out waiting for interface matching the management IP (10.0.0.5) of network Calico\n"
	runLooks(t, "calico-vswitch-interface-timeout", []look{
		{"the host has the address", calicoNode + network("10.0.0.4") + adapters, "pass"},
		{"only a pod's adapter has it", calicoNode + network("10.0.0.5") + adapters,
			"fail: HNS network Calico has the management address 10.0.0.5, which no adapter of the host has [state]"},
		{"the host has no adapter on the switch", calicoNode + network("10.0.0.4") + noSwitch, "skip"},
		{"it has none, and Calico timed out", calicoNode + network("10.0.0.4") + noSwitch + timeout,
			"fail: HNS network Calico has the management address 10.0.0.4, which no adapter of the host has [state+text]"},
		{"an address that Windows made up", calicoNode + network("169.254.7.9") + adapters,
			"fail: HNS network Calico has the management address 169.254.7.9, which Windows assigns when an address is lost [state]"},
		{"it came back since", calicoNode + network("10.0.0.4") + adapters + timeout,
			"info: the logs say: the Calico plugin timed out waiting for the node's address on its adapter; the node's current state does not confirm it [text]"},
		{"no network came of it",
			calicoNode +
				"-- hns-networks.json --\n[{\"ID\":\"n\",\"Name\":\"nat\",\"Type\":\"NAT\"}]\n" +
				adapters + timeout,
			"fail: Calico timed out waiting for the node's address, and HNS has no network Calico [state+text]"},
		{"no network, for another reason",
			calicoNode +
				"-- hns-networks.json --\n[{\"ID\":\"n\",\"Name\":\"nat\",\"Type\":\"NAT\"}]\n" +
				adapters, "pass"},
		{"a record without management address", calicoNode + network("") + adapters, "unknown"},
		{"adapters without any address", calicoNode + network("10.0.0.4") +
			"-- adapters.json --\n[{\"name\":\"Ethernet\"}]\n", "unknown"},
		{"RKE2 prints this on every start",
			"-- logs/rke2/r.log --\nlevel=debug msg=\"Calico is waiting for the interface with ip: 10.0.0.4 to come back\"\n", "unknown"},
		{"flannel", "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n" +
			network("10.0.0.5") + adapters, "skip"},
	})
}

func TestFelixHcsshimPanic(t *testing.T) {
	pod := func(tag, state, last string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"calico-node-windows-x","namespace":"calico-system"},"spec":{"containers":[{"name":"felix","image":"registry.example:5000/calico/node-windows:` + tag + `"}]},"status":{"phase":"Running","containerStatuses":[{"name":"felix","image":"i","state":{` + state + `},"lastState":{"terminated":{"exitCode":` + last + `}}}]}}]}
`
	}
	const waits, runs = `"waiting":{"reason":"CrashLoopBackOff"}`,
		`"running":{"startedAt":"2026-11-20T09:00:00Z"}`
	event := func(status string) string {
		return "-- events.json --\n[{\"provider\":\"rke2\",\"message\":\"Felix exited: exit status " + status + "\"}]\n"
	}
	runLooks(t, "felix-hcsshim-panic", []look{
		{"it panicked and waits", calicoNode + pod("v3.28.2", waits, "2"),
			"fail: Felix v3.28.2 panicked and is not running [state]"},
		{"it was started again", calicoNode + pod("v3.29.0@sha256:ab", runs, "2"),
			"warn: Felix v3.29.0 panicked and was restarted [state]"},
		{"a release with the mended library", calicoNode + pod("v3.30.2", waits, "2"), "pass"},
		{"a release before it", calicoNode + pod("v3.26.4", waits, "2"), "pass"},
		{"it was told to stop", calicoNode + pod("v3.28.2", runs, "-1073741510"), "pass"},
		{"RKE2 saw it panic", event("2"),
			"fail: RKE2 reports that Felix panicked; RKE2 does not restart it [text]"},
		{"RKE2 was restarted since", calicoNode + replace(event("2"), `"message"`,
			`"time":"2026-11-20T08:00:00Z","message"`) +
			"-- processes.json --\n[{\"pid\":1,\"name\":\"calico-node.exe\",\"args\":[\"-felix\"],\"startedAt\":\"2026-11-20T09:00:00Z\"}]\n",
			"info: the logs say: RKE2 reports that Felix panicked; RKE2 does not restart it; the node's current state does not confirm it [text]"},
		{"RKE2 ended it itself", event("1"), "unknown"},
		{"a trace that leads into the library",
			calicoNode +
				"-- logs/felix/felix.log --\ngithub.com/Microsoft/hcsshim/hcn.HostComputeEndpoint.String(0xc000)\n", "fail: Felix crashed: routes and network policies on this node are not updated [text]"},
		{"nothing was recorded that could tell", calicoNode, "unknown"},
		{"flannel", "-- services.json --\n[{\"name\":\"flanneld\",\"state\":\"running\"}]\n" +
			event("2"), "skip"},
	})
}

func TestCalicoIPPoolsAndIPAM(t *testing.T) {
	pool := func(spec string) string {
		return `-- api/ippools.json --
{"items":[{"metadata":{"name":"p"},"spec":{"cidr":"10.1.0.0/16",` + spec + `}}]}
`
	}
	const pod = `-- hns-endpoints.json --
[{"ID":"a","Name":"pod_Calico","IpConfigurations":[{"IpAddress":"10.1.0.4","PrefixLength":26}]}]
`
	const overlay = "-- hns-networks.json --\n[{\"ID\":\"n\",\"Name\":\"Calico\",\"Type\":\"Overlay\"}]\n"
	const ipip = "IP pool p (10.1.0.0/16) has ipipMode Always, which Calico for Windows does not support [state]"
	const waits = `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"Ready","status":"False","message":"Network plugin returns error: cni plugin not initialized"}]}}
`
	set := func(namespace, name, system string) string {
		return `{"metadata":{"namespace":"` + namespace + `","name":"` + name + `"},"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"` + system + `"}}}}}`
	}
	sets := func(list ...string) string {
		return "-- api/daemonsets.json --\n{\"items\":[" + strings.Join(list, ",") + "]}\n"
	}
	operator := set("calico-system", "calico-node", "linux")
	const across = `"vxlanMode":"CrossSubnet"`
	const noMatter = "info: IP pool p (10.1.0.0/16) has vxlanMode CrossSubnet, which Calico for Windows does not support [state]"
	runLooks(t, "calico-encapsulation-unsupported", []look{
		{"the operator, which refuses it, and a node that waits", waits + sets(operator) + pool(across),
			"fail: the operator installs no Calico for Windows: IP pool p (10.1.0.0/16) has vxlanMode CrossSubnet [state]"},
		{"likewise with IP in IP", waits + sets(operator) + pool(`"ipipMode":"Always"`),
			"fail: the operator installs no Calico for Windows: IP pool p (10.1.0.0/16) has ipipMode Always [state]"},
		{"the operator installed it, and the node waits for something else", waits + sets(operator, set("calico-system", "calico-node-windows", "windows")) +
			pool(across), noMatter},
		{"no operator: a manifest of Calico", waits + sets(set("kube-system", "calico-node", "linux")) + pool(across), noMatter},
		{"Calico as a service of the node", waits + sets(operator) + "-- services.json --\n[{\"name\":\"CalicoNode\",\"state\":\"stopped\"}]\n" + pool(across), noMatter},
		{"RKE2, whose agent runs Calico", waits + sets(operator) + "-- services.json --\n[{\"name\":\"rke2\",\"state\":\"running\"}]\n" + pool(across), noMatter},
		{"the node waits, and the pool is right", waits + sets(operator) + pool(`"vxlanMode":"Always"`), "pass"},
		{"IP in IP, and a pod has an address of the pool", calicoNode + pod + pool(`"ipipMode":"Always"`),
			"fail: " + ipip},
		{"IP in IP, and no pod has an address of the pool", calicoNode + pool(`"ipipMode":"Always"`),
			"warn: " + ipip},
		{"encapsulated between subnets alone", calicoNode + pod + pool(`"vxlanMode":"CrossSubnet"`),
			"warn: IP pool p (10.1.0.0/16) has vxlanMode CrossSubnet, which Calico for Windows does not support [state]"},
		{"an overlay on this node, and none in the pool", calicoNode + pod + overlay + pool(`"vxlanMode":"Never"`),
			"warn: IP pool p (10.1.0.0/16) has no VXLAN, and network Calico of this node is an overlay [state]"},
		{"VXLAN for all packets", calicoNode + pod + pool(`"ipipMode":"Never","vxlanMode":"Always"`), "pass"},
		{"no encapsulation", calicoNode + pod + pool(`"ipipMode":"Never","vxlanMode":"Never"`), "pass"},
		{"a pool for some nodes", calicoNode + pool(`"ipipMode":"Always","nodeSelector":"kubernetes.io/os == 'linux'"`),
			"pass"},
		{"a pool that gives no more addresses", calicoNode + pool(`"ipipMode":"Always","disabled":true`), "pass"},
	})
	ipam := func(spec string) string {
		return `-- api/ipamconfigs.json --
{"items":[{"metadata":{"name":"default"},"spec":{` + spec + `}}]}
`
	}
	const refusal = "-- logs/kubelet/kubelet.log --\nE1120 09:00:00.000001 1 kuberuntime_sandbox.go:72] \"Failed to create sandbox for pod\" err=\"plugin type=\\\"calico\\\" failed (add): global strict affinity should not be false for Windows node\"\n"
	runLooks(t, "calico-strict-affinity-off", []look{
		{"strict affinity is off", calicoNode + ipam(`"strictAffinity":false`),
			"fail: strictAffinity of Calico IPAM is false: Calico refuses to work on Windows [state]"},
		{"strict affinity is on", calicoNode + ipam(`"strictAffinity":true`), "pass"},
		{"no configuration, and Calico refuses", calicoNode + "-- api/ipamconfigs.json --\n{\"items\":[]}\n" + refusal,
			"fail: Calico refuses to work on Windows: strict affinity is off [text]"},
		{"Calico refused before it was turned on", calicoNode + ipam(`"strictAffinity":true`) + refusal,
			"info: the logs say: Calico refuses to work on Windows: strict affinity is off; the node's current state does not confirm it [text]"},
		{"no configuration, and no refusal", calicoNode + "-- api/ipamconfigs.json --\n{\"items\":[]}\n", "pass"},
	})
}

func TestCalicoServicesNotStarted(t *testing.T) {
	services := func(exit, start string) string {
		return "-- services.json --\n[{\"name\":\"CalicoNode\",\"state\":\"running\",\"startType\":\"automatic\"}," +
			"{\"name\":\"CalicoFelix\",\"state\":\"stopped\",\"startType\":\"" + start + "\",\"exitCode\":" + exit + "}]\n"
	}
	booted := func(at string) string {
		return "-- os.json --\n{\"build\":20348,\"bootedAt\":\"2026-11-20T" + at + ":00Z\"}\n"
	}
	const hostProcess = "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"calico-node-windows-x2\",\"namespace\":\"calico-system\"}}]}\n"
	runLooks(t, "calico-services-not-started", []look{
		{"Felix alone", services("1077", "automatic") + booted("05:00"),
			"fail: service CalicoFelix has not been started since Windows booted: Calico enforces no NetworkPolicy on this node [state]"},
		{"Windows runs for a minute", services("1077", "automatic") + booted("09:59"), "unknown"},
		{"nobody knows since when Windows runs", services("1077", "automatic"), "unknown"},
		{"somebody stopped it", services("0", "automatic") + booted("05:00"), "pass"},
		{"it is not to start", services("1077", "disabled") + booted("05:00"), "pass"},
		{"left over from before the HostProcess containers", services("1077", "automatic") + booted("05:00") + hostProcess, "pass"},
		{"no Calico", "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\"}]\n", "skip"},
	})
}

func TestPowerShellScriptsRefused(t *testing.T) {
	const found = "fail: the execution policy of this machine does not let a component run its script [text]"
	runLooks(t, "powershell-scripts-refused", []look{
		{"Windows in German", logTelling("kubelet", `Die Datei "C:\k\StartKubelet.ps1" kann nicht geladen werden, da die Ausführung von Skripts auf diesem System deaktiviert ist. Weitere Informationen finden Sie unter "about_Execution_Policies" (https:/go.microsoft.com/fwlink/?LinkID=135170).`), found},
		{"AllSigned", logTelling("kube-proxy", `File C:\k\start-kubeproxy.ps1 cannot be loaded. The file C:\k\start-kubeproxy.ps1 is not digitally signed. You cannot run this script on the current system.`), found},
		{"a profile, which a command does without", logTelling("kubelet", `. : File C:\Users\a\Documents\WindowsPowerShell\profile.ps1 cannot be loaded because running scripts is disabled on this system.`), "unknown"},
		{"the policy was changed, and the kubelet runs", logTelling("kubelet", "File C:\\k\\StartKubelet.ps1 cannot be loaded because running scripts is disabled on this system.\nI1120 09:50:10.444870    3560 server.go:1262] \"Started kubelet\""),
			"info: the logs say: the execution policy of this machine does not let a component run its script; it is over: a later line says: Started kubelet [text]"},
		{"in a container", logTelling("pods", `File C:\app\start.ps1 cannot be loaded because running scripts is disabled on this system.`), "unknown"},
	})
}
