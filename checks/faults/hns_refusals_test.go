package faults_test

import (
	"strings"
	"testing"
)

// flanneldSays is a flanneld log of that one line.
func flanneldSays(line string) string {
	return "-- logs/flanneld/flanneld.log --\nE1120 09:59:00.000000    3388 main.go:292] Error registering network: " + line + "\n"
}

func TestAdapterNotFound(t *testing.T) {
	const refused = "failed to create HNSNetwork cbr0: hnsCall failed in Win32: An adapter was not found. (0x803b0006)"
	const german = "failed to create HNSNetwork cbr0: hnsCall failed in Win32: Es wurde kein Adapter gefunden. (0x803b0006)"
	const script = "-- logs/start/start.log --\nInvoke-HnsRequest : @{Error=An adapter was not found. ; ErrorCode=2151350278; Success=False}\n"
	const adapters = "-- adapters.json --\n[{\"name\":\"Ethernet0 2\",\"description\":\"vmxnet3\"},{\"name\":\"vEthernet (nat)\"}]\n"
	const started = "-- processes.json --\n[{\"pid\":9,\"name\":\"powershell.exe\",\"args\":[\"-File\",\"C:\\\\k\\\\start.ps1\",\"-InterfaceName\",\"Ethernet0\",\"2\"]}]\n"
	const bound = "-- hns-networks.json --\n[{\"Name\":\"lab\",\"Type\":\"Transparent\",\"NetworkAdapterName\":\"Ethernet0\"}]\n"
	runLooks(t, "adapter-not-found", []look{
		{"the network is there", onFlannel + networks("cbr0 L2Bridge"), "pass"},
		{"a second run of the script on a healthy node", onFlannel + networks("cbr0 L2Bridge") +
			script, "info: the logs say: HNS finds no adapter for the new network; the node's current state does not confirm it [text]"},
		{"the same without the network", onFlannel + networks("nat nat") + script,
			"fail: HNS finds no adapter for the network cbr0 [state+text]"},
		{"no network and nobody complains", onFlannel + networks("nat nat"), "pass"},
		{"another network has the adapter", onFlannel + bound + flanneldSays(refused),
			"fail: HNS finds no adapter for the network cbr0, and Ethernet0 is bound by the network lab (Transparent) [state+text]"},
		{"wins.exe cut the name in two", onFlannel + networks("nat nat") + adapters + started,
			"fail: the start script uses the adapter Ethernet0, and the node has Ethernet0 2 [state]"},
		{"the name is there, if a virtual one", onFlannel + networks("nat nat") +
			strings.Replace(adapters, "vEthernet (nat)", "Ethernet0", 1) + started, "pass"},
		{"HNS was not asked", onFlannel, "unknown"},
		{"HNS was not asked, and flanneld is refused", onFlannel + flanneldSays(refused),
			"fail: HNS finds no adapter for the new network [text]"},
		{"in another language", onFlannel + flanneldSays(german),
			"fail: HNS finds no adapter for the new network [text]"},
		{"HNS was not asked, and the script does not say what it wanted", onFlannel + script,
			"fail: HNS finds no adapter for the new network [text]"},
		{"HNS's answer, a line of its own", onFlannel + "-- logs/start/start.log --\n" +
			`VERBOSE: Result : {"Error":"An adapter was not found. ","ErrorCode":2151350278,"Success":false}` + "\n",
			"fail: HNS finds no adapter for the new network [text]"},
		{"an endpoint misses its adapter for reasons of its own",
			onFlannel + flanneldSays(
				"failed to set up the endpoint: hnsCall failed in Win32: An adapter was not found. (0x803b0006)"), "unknown"},
		{"it was so before, and is no more", onFlannel + networks("cbr0 L2Bridge") +
			flanneldSays(refused),
			"info: the logs say: HNS finds no adapter for the new network; the node's current state does not confirm it [text]"},
		{"docker's own network", onFlannel + logTelling("docker",
			`Error creating default "nat" network: failed during hnsCallRawResponse: hnsCall failed in Win32: An adapter was not found. (0x803b0006)`),
			"unknown"},
		{"a load balancer of kube-proxy", onFlannel + logTelling("kube-proxy",
			"Policy creation failed: hnsCall failed in Win32: An adapter was not found. (0x803b0006)"),
			"unknown"},
		{"flanneld got it at the second attempt",
			onFlannel + flanneldSays(refused+"\nI1120 main.go:366] Running backend."),
			"info: the logs say: HNS finds no adapter for the new network; it is over: a later line says: Running backend. [text]"},
	})
}

func TestNetworkAlreadyExists(t *testing.T) {
	const refused = "failed to create HNSNetwork cbr0: hnsCall failed in Win32: A network with this name already exists. (0x803b0010)"
	const says = "HNS refuses to create the pod network: the name is already in use"
	runLooks(t, "network-already-exists", []look{
		{"HNS lists nothing of the kind", onFlannel + networks("nat nat") + flanneldSays(refused),
			"fail: HNS refuses to create network cbr0 because it already exists, but lists only nat (NAT) [state+text]"},
		{"it lists nothing at all", onFlannel + "-- hns-networks.json --\n[]\n" +
			flanneldSays(refused),
			"fail: HNS refuses to create network cbr0 because it already exists, but lists only none [state+text]"},
		{"it is there by now", onFlannel + networks("cbr0 L2Bridge") + flanneldSays(refused),
			"info: the logs say: " + says + "; the node's current state does not confirm it [text]"},
		{"nobody was refused", onFlannel + networks("nat nat"), "pass"},
		{"the logs alone", flanneldSays("échec : (0x803b0010)"), "fail: " + says + " [text]"},
		{"docker's own network", logTelling("docker",
			`error creating default "nat" network: HNS failed with error : A network with this name already exists. (0x803b0010)`),
			"unknown"},
		{"flanneld started in the end", flanneldSays(refused + "\nI1120 main.go:366] Running backend."),
			"info: the logs say: " + says + "; it is over: a later line says: Running backend. [text]"},
		{"a route that exists is harmless", onFlannel + networks("nat nat") +
			"-- logs/start/start.log --\nFATA[0000] rpc error: code = Internal desc = could not create IP forward entry: The object already exists.\n", "pass"},
		{"nobody looked", onFlannel, "unknown"},
	})
}

func TestHNSParameterIncorrect(t *testing.T) {
	const refused = "failed to create HNSNetwork cbr0: hnsCall failed in Win32: The parameter is incorrect. (0x57)"
	const script = "-- logs/start/start.log --\nInvoke-HnsRequest : @{Error=The parameter is incorrect. ; ErrorCode=2147942487; Success=False}\n"
	runLooks(t, "hns-parameter-incorrect", []look{
		{"the network is not there, and another owns the adapter",
			onFlannel + networks("old L2Bridge") + flanneldSays(refused),
			"fail: HNS refuses to create network cbr0: invalid parameter (found: old (L2Bridge)) [state+text]"},
		{"it is there by now", onFlannel + networks("cbr0 L2Bridge") + flanneldSays(refused),
			"info: the logs say: HNS refuses to create the pod network: invalid parameter; the node's current state does not confirm it [text]"},
		{"the logs alone, of another call",
			flanneldSays("hcnCreateNetwork failed in Win32: (0x57)"),
			"fail: HNS refuses to create the pod network: invalid parameter [text]"},
		{"a load balancer is another matter",
			flanneldSays(
				"hcnCreateLoadBalancer failed in Win32: The parameter is incorrect. (0x57)"),
			"unknown"},
		{"PowerShell does not say what it wanted", onFlannel + script, "unknown"},
		{"two external networks are no fault", onFlannel + networks("cbr0 L2Bridge",
			"External L2Bridge"), "pass"},
		{"docker's own network", onFlannel + logTelling("docker",
			`Error creating default "nat" network: failed during hnsCallRawResponse: hnsCall failed in Win32: The parameter is incorrect. (0x57)`),
			"unknown"},
		{"the agent of Antrea got its network since", onFlannel + logTelling("antrea-agent",
			"failed to create HNSNetwork: hcnCreateNetwork failed in Win32: The parameter is incorrect. (0x57)\nI1120 09:01:00.000000 1 net_windows.go:1] Created HNSNetwork with name antrea-hnsnetwork"),
			"info: the logs say: HNS refuses to create the pod network: invalid parameter; it is over: a later line says: Created HNSNetwork [text]"},
	})
}

func TestHNSWrongDiskette(t *testing.T) {
	const says = `HNS reports "The wrong diskette is in the drive": its stored objects are from before a Windows update`
	runLooks(t, "hns-wrong-diskette", []look{
		{"the message breaks the line",
			flanneldSays(
				"hnsCall failed in Win32: The wrong diskette is in the drive.\nInsert %2 (Volume Serial Number: %3) into drive %1. (0x22)"), "fail: " + says + " [text]"},
		{"in another language",
			flanneldSays(
				"hnsCall failed in Win32: Falscher Datenträger.\nLegen Sie %2 (Seriennummer: %3) ein. (0x22) {\"Success\":false,\"Error\":\"Falscher Datenträger. \",\"ErrorCode\":34}"), "fail: " + says + " [text]"},
		{"the number alone means nothing", flanneldSays("handle (0x22)"), "unknown"},
		{"before the last boot",
			"-- os.json --\n{\"build\":17763,\"bootedAt\":\"2026-11-20T09:59:30Z\"}\n" +
				flanneldSays("The wrong diskette is in the drive."), "info: the logs say: " + says +
				"; it is over: the node has booted since, at 2026-11-20 09:59 UTC [text]"},
		{"no log was read", onFlannel, "unknown"},
		{"flanneld made its endpoint since", flanneldSays(
			"hnsCall failed in Win32: The wrong diskette is in the drive.\nI1120 hostgw_windows.go:244] Attached bridge endpoint cbr0_ep to host successfully"),
			"info: the logs say: " + says + "; it is over: a later line says: Attached bridge endpoint [text]"},
	})
}

func TestBridgeEndpointStale(t *testing.T) {
	const endpoint = "-- hns-endpoints.json --\n[{\"Name\":\"cbr0_ep\",\"IPAddress\":\"10.244.2.2\",\"PrefixLength\":24,\"VirtualNetworkName\":\"cbr0\"}]\n"
	adapters := func(list string) string {
		return "-- adapters.json --\n[{\"name\":\"Ethernet0\"}" + list + "]\n"
	}
	throughHost := strings.Replace(endpoint, "]", `,{"ID":"b1","IPAddress":"10.244.2.5","PrefixLength":24,"VirtualNetworkName":"cbr0","GatewayAddress":"10.244.2.2"}]`, 1)
	const attached = `,{"name":"vEthernet (cbr0_ep)","compartment":1}`
	const fault = "fail: HNS endpoint cbr0_ep of the host is not attached: adapter vEthernet (cbr0_ep) is missing"
	refused := flanneldSays(
		"failed to hot attach bridge HNSEndpoint cbr0_ep to host compartment: hnsCall failed in Win32: This endpoint is already attached to the switch. (0x803b0014)")
	runLooks(t, "bridge-endpoint-stale", []look{
		{"attached", onFlannel + endpoint + adapters(attached), "pass"},
		{"not attached, and nothing suffers", onFlannel + endpoint + adapters(""),
			strings.Replace(fault, "fail", "info", 1) + " [state]"},
		{"not attached, and pods wait", onFlannel + endpoint + adapters("") +
			podsJSON(podJSON("", "", `{"phase":"Pending"}`)), strings.Replace(fault, "fail", "warn",
			1) + " [state]"},
		{"not attached, and flanneld says so", onFlannel + endpoint + adapters("") + refused,
			fault + " [state+text]"},
		{"not attached, and the gateway of pods", onFlannel + throughHost + adapters(""),
			strings.Replace(fault, "fail", "warn", 1) + " [state]"},
		{"the gateway of pods, and nothing leaves the node", onFlannel + throughHost + adapters("") +
			reachTree("a/p tcp 10.0.0.1:6443 timeout"), fault + " [state]"},
		{"no gateway of pods, and nothing leaves the node", onFlannel + endpoint + adapters("") +
			reachTree("a/p tcp 10.0.0.1:6443 timeout"), strings.Replace(fault, "fail", "info", 1) + " [state]"},
		{"the gateway of pods, and a pod reaches another host", onFlannel + throughHost + adapters("") +
			reachTree("a/p tcp 10.0.0.1:6443 timeout", "a/p tcp 10.0.0.2:443 ok"),
			strings.Replace(fault, "fail", "warn", 1) + " [state]"},
		{"attached, and nothing leaves the node", onFlannel + throughHost + adapters(attached) +
			reachTree("a/p tcp 10.0.0.1:6443 timeout"), "pass"},
		{"an overlay needs none", onFlannel + "-- hns-endpoints.json --\n[]\n" + adapters(""),
			"pass"},
		{"of a network that is not the pods'",
			onFlannel + "-- hns-endpoints.json --\n[{\"Name\":\"other_ep\"}]\n" + adapters(""),
			"pass"},
		{"Calico's",
			onCalico + "-- hns-endpoints.json --\n[{\"Name\":\"Calico_ep\",\"IPAddress\":\"10.48.1.2\"}]\n" + adapters("") + podsJSON(podJSON("", "", `{"phase":"Pending"}`)), "warn: HNS endpoint Calico_ep of the host is not attached: adapter vEthernet (Calico_ep) is missing [state]"},
		{"no adapter is recorded", onFlannel + endpoint + "-- adapters.json --\n[]\n", "unknown"},
		{"attached by now", onFlannel + endpoint + adapters(attached) + refused,
			"info: the logs say: flanneld cannot attach the host's endpoint on the pod network; the node's current state does not confirm it [text]"},
		{"the log alone", refused,
			"fail: flanneld cannot attach the host's endpoint on the pod network [text]"},
		{"an update of Windows is another cause",
			flanneldSays(
				"failed to hot attach bridge HNSEndpoint cbr0_ep to host compartment: (0x22)"),
			"unknown"},
		{"other plugins have none", onOther + endpoint + adapters(""), "skip"},
		{"flanneld attached it at its next start", onFlannel + flanneldSays("failed to hot attach bridge HNSEndpoint cbr0_ep to host compartment: hnsCall failed in Win32: Element not found. (0x490)"+
			"\nI1120 hostgw_windows.go:244] Attached bridge endpoint cbr0_ep to host successfully"),
			"info: the logs say: flanneld cannot attach the host's endpoint on the pod network; it is over: a later line says: Attached bridge endpoint [text]"},
	})
}
