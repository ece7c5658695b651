package foreign

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheEnvironmentIsKnownWhereEitherFileIs(t *testing.T) {
	for _, row := range []struct {
		name, all, proxies, want string
	}{
		{"only that there is no proxy", "-", "", `{}`},
		{"a proxy alone", "-", "HTTP_PROXY     http://proxy:3128\n",
			`{"HTTP_PROXY":"http://proxy:3128"}`},
		{"neither", "-", "-", "not-collected: system/env is not in this recording of Rancher's " +
			"log collector; run `doctor bundle` on the node"},
		{"a proxy that was cut", "-", "HTTP_PROXY     http://pro...\n",
			"error: network/system-env-proxy.txt shows HTTP_PROXY cut to the width of a console; " +
				"collect `Get-ChildItem env: | Format-List`"},
		{"another variable that was cut", "Path     C:\\Win...\nOS     Windows_NT\n", "-",
			`{"OS":"Windows_NT"}`},
		{"no variable", "nothing\n", "", "error: system/env shows no variable; it begins with: " +
			"nothing"},
	} {
		conversion{name: row.name, want: row.want}.check(t, rancherNode(t, "system/env", row.all,
			"network/system-env-proxy.txt", row.proxies), "env.json")
	}
}

func TestARuntimeStateThatCannotBeRead(t *testing.T) {
	alone := []string{"containerd/crictl-images.txt", "-", "containerd/crictl-pods.txt", "-",
		"containerd/crictl-ps.txt", "-", "containerd/ctr-version.txt", "-"}
	for _, row := range []conversion{
		{"no conditions", `{"status":{},"config":{"a":1}}`,
			`{"status":{"conditions":[]},"config":{"a":1}}`},
		{"conditions of another form", `{"status":{"conditions":[{"type":"NetworkReady",
			"status":"yes"}]},"config":{"a":1}}`, `{"status":{"conditions":[]},"config":{"a":1}}`},
	} {
		row.check(t, rancherNode(t, append([]string{"containerd/crictl-info.txt", row.content},
			alone...)...), "cri.json")
	}
}

func TestAdaptersAreToldApartByTheUntranslatedCommands(t *testing.T) {
	const ipconfig = `Windows IP Configuration

   Host Name . . . . . . . . . . . . : win-9

Ethernet adapter My Ethernet:

   Physical Address. . . . . . . . . : 00-15-5D-01-02-03
   IPv4 Address. . . . . . . . . . . : 10.1.0.5(Preferred)
   Subnet Mask . . . . . . . . . . . : 255.255.255.255

IPAddress         : 10.1.0.4
InterfaceIndex    : 7
InterfaceAlias    : Ethernet
PrefixLength      : 24

IPAddress         : 10.1.0.5
InterfaceIndex    : 8
InterfaceAlias    : My Ethernet
PrefixLength      : 32

IPAddress         : 10.1.0.6
InterfaceIndex    : 9
InterfaceAlias    : My Ethernet
PrefixLength      : 33
`
	row := conversion{name: "a name inside another",
		want: `[{"name":"My Ethernet","ifIndex":8,"mac":"00-15-5D-01-02-03",
		"addresses":["10.1.0.5/32"],"gateways":[],"dnsServers":[],"dnsSuffix":""}]`}
	row.check(t, sdnNode(t, "ip.txt", ipconfig), "adapters.json")
}

func TestTheHostsDNSSuffixes(t *testing.T) {
	const adapter = "\nEthernet adapter A:\n\n   Physical Address. . . . . . . . . : " +
		"00-15-5D-01-02-03\n   Connection-specific DNS Suffix  . : other.example\n"
	for _, row := range []conversion{
		{"both", "Windows IP Configuration\n\n   Host Name . . . . : win-9\n   Primary Dns " +
			"Suffix  . . : a.example\n   WINS Proxy Enabled. . : No\n   DNS Suffix Search List. " +
			": b.example\n                             c.example\n" + adapter,
			`{"suffixSearchList":["b.example","c.example"],"primarySuffix":"a.example"}`},
		{"neither", "Windows IP Configuration\n\n   Host Name . . . . : win-9\n" + adapter,
			"error: ip.txt does not show the host's DNS suffixes"},
	} {
		row.check(t, sdnNode(t, "ip.txt", row.content), "dns-client.json")
	}
}

func TestAHostNameOfAnotherCompartmentIsNotTheNodes(t *testing.T) {
	const rule = "==============================================================================\n"
	ip := "Windows IP Configuration\n\n" + rule + "Network Information for *Compartment 1*\n" +
		rule + "   Host Name . . . . . . . . . . . . : no host\n\n" +
		rule + "Network Information for *Compartment 2*\n" + rule +
		"   Host Name . . . . . . . . . . . . : other\n\n"
	noHost := strings.Replace(eksSysinfo, "EC2AMAZ-7H3KQ2L", "a host of no name", 1)
	if got := converted(t, eksZip(t, "sysinfo", noHost, "network/ip.txt", ip),
		"meta.json"); !strings.Contains(got, `"node":"unknown"`) {
		t.Errorf("meta.json is %s", got)
	}
}

func TestObjectsOfHNS(t *testing.T) {
	const network = `{ "ID": "7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11", "Name": "nat", "Type": "NAT",
		 "Success": true }`
	for _, row := range []conversion{
		{"a success is no failure", network + "\n",
			`[{"ID":"7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11","Name":"nat","Success":true,
			"Type":"NAT"}]`},
		{"a failure is quoted", `{ "Success": false, "Error": "The network was not found." }` +
			"\n", "error: network.txt holds no objects; it begins with: The network was not " +
			"found."},
		{"a failure that says nothing", `{ "Success": false }` + "\n",
			"error: network.txt holds no objects; it begins with: HNS answered with Success: " +
				"false"},
		{"an answer as it came", `{ "Success": true, "Output": [ ` + network + ` ] }` + "\n",
			`[{"ID":"7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11","Name":"nat","Success":true,
			"Type":"NAT"}]`},
		{"none", "[]\n", `[]`},
	} {
		row.check(t, sdnNode(t, "network.txt", row.content, "networkdetailed.txt", "-",
			"hnsdiag.txt", "-"), "hns-networks.json")
	}
	const empty = "error: network.txt is empty: PowerShell writes nothing both for no object and " +
		"for a call that failed; run `doctor bundle` on the node"
	for _, row := range []conversion{
		{"a heading above nothing", "Networks             :\n\nEndpoints            :\n", `[]`},
		{"a heading above an error", "Networks             :\nError: access is denied\n", empty},
		{"another heading above nothing", "Endpoints            :\n", empty},
	} {
		row.check(t, sdnNode(t, "network.txt", "", "networkdetailed.txt", "-", "hnsdiag.txt",
			row.content), "hns-networks.json")
	}
	endpoint := `{ "ID": "89958F54-0001-4D5B-8F3E-1D2C3B4A5968", "Name": "e",
		 "MacAddress": "00-15-5D-01-02-03", "IpConfigurations": [] }`
	if got := converted(t, sdnNode(t, "endpoint.txt",
		"10.1.0.5   00-15-5D-01-02-03            False     5\n\n"+endpoint+"\n"),
		"hns-endpoints.json"); strings.Contains(got, `"State"`) {
		t.Errorf("the endpoint without an address has the state of another one: %s", got)
	}
}

func TestWorkingSetsAreInTheUnitOfTheirHead(t *testing.T) {
	table := processTable(rke2Processes...)
	if got := converted(t, rancherNode(t, "system/ps", table),
		"processes.json"); !strings.Contains(got, `"name":"conhost","workingSetBytes":8192000`) {
		t.Errorf("in kilobytes: %.300s", got)
	}
	table = strings.NewReplacer("NPM(K)", "NPM(M)", "PM(K)", "PM(M)", "WS(K)",
		"WS(M)").Replace(table)
	if got := converted(t, rancherNode(t, "system/ps", table),
		"processes.json"); strings.Contains(got, "8192000") {
		t.Errorf("in another unit: %.300s", got)
	}
}

func TestARecordingOfEKSIsKnownByItsNames(t *testing.T) {
	for _, row := range []struct {
		name  string
		files []string
		found bool
	}{
		{"its own file in its own folder", []string{"system/sysinfo"}, true},
		{"its own file elsewhere", []string{"x/sysinfo"}, false},
		{"two names of its own and another", []string{"x/sysinfo", "x/eks/a", "x/kubelet/a"}, true},
		{"one name of its own and two others", []string{"x/sysinfo", "x/kubelet/a", "x/cni/a"},
			true},
		{"one name of its own and another", []string{"x/sysinfo", "x/kubelet/a"}, false},
	} {
		tree := fstest.MapFS{}
		for _, f := range row.files {
			tree[f] = &fstest.MapFile{Data: []byte("x")}
		}
		nodes, _ := Find(tree)
		if found := len(nodes) == 1 && nodes[0].Format == "eks-log-collector"; found != row.found {
			t.Errorf("%s: found %v", row.name, nodes)
		}
	}
}

func TestSysteminfoThatIsCut(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimPrefix(eksSysinfo, "\n"), "\n")
	for n := 3; n < len(lines); n++ { // from the version on
		if got := converted(t, eksZip(t, "sysinfo", strings.Join(lines[:n], "")),
			"os.json"); !strings.Contains(got, `"build":17763`) {
			t.Errorf("of %d lines: %s", n, got)
		}
	}
	if got := converted(t, eksZip(t, "sysinfo", eksSysinfo+"Other:      10.0.99999\n"),
		"os.json"); !strings.Contains(got, `"build":17763`) {
		t.Errorf("with another version at its end: %s", got)
	}
}

func TestLogsThatAreThereHaveNoGap(t *testing.T) {
	recorded := rancherNode(t, "k8s/containerlogs/kube-flannel-c0ffee.log",
		"I1120 10:01:30.000000 1 main.go:1] x\n")
	nodes, err := Find(recorded)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := nodes[0].Evidence(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"logs/flanneld/kube-flannel-c0ffee.log": true,
		"logs/flanneld.gap": false, "logs/calico-node.gap": true} {
		if _, err := fs.Stat(tree, name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExportsWithoutEvents(t *testing.T) {
	const head = "#TYPE Selected.System.Diagnostics.Eventing.Reader.EventLogRecord\n" +
		"\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n"
	for _, row := range []conversion{
		{"only a head", head, "error: 20240903-095941_services.csv holds no events: PowerShell " +
			"writes nothing both where there are none and where they could not be read"},
		{"a row that breaks off", head + "\"9/3/2024 8:14:20 AM\",\"6005\",\"Inform",
			"error: 20240903-095941_services.csv holds no events that can be read: it breaks off " +
				"after 0 events"},
		{"the file is missing", "-", "not-collected: DATE-TIME_services.csv is not in the folder"},
	} {
		row.check(t, aksZip(t, "20240903-095941_services.csv", row.content,
			"20240903-095941_hyper-v-compute-operational.csv", "-"), "events.json")
	}
}

func TestTheAgentOfAntreaIsElevatedWhereHNSAnswered(t *testing.T) {
	for network, want := range map[string]bool{antctlAgent()["HNSNetwork"]: true, "": false} {
		agent := antctlAgent()
		agent["HNSNetwork"] = network
		if got := converted(t, antctlBundle(t, agent), "meta.json"); strings.Contains(got,
			`"elevated":true`) != want {
			t.Errorf("with %d bytes of networks: %s", len(network), got)
		}
	}
}

func TestWhyTheRuntimeOfAKSIsNotKnown(t *testing.T) {
	for _, row := range []conversion{
		{"the table is missing", "-", "not-collected: DATE-TIME-cri-containerd-images.txt is not " +
			"in the folder"},
		{"the table is an error", "crictl.exe : connection refused\n",
			"error: 20240903-095941-cri-containerd-images.txt shows no images; it begins with: " +
				"crictl.exe : connection refused"},
	} {
		changes := []string{"20240903-095941-cri-containerd-images.txt", row.content,
			"20240903-095941-cri-containerd-pods.txt", "-",
			"20240903-095941-cri-containerd-containers.txt", "-",
			"20240903-095941-containerd-info.txt", "-"}
		row.check(t, aksZip(t, changes...), "cri.json")
	}
}

func TestTheNameOfAnAntreaNodeIsInTheAgentsInformation(t *testing.T) {
	for _, row := range []struct{ name, info, want string }{
		{"keys in lower case", "noderef:\n  kind: Node\n  name: win-7\n", "win-7"},
		{"keys as the API writes them", "nodeRef:\n  kind: Node\n  name: win-7\n", "win-7"},
		{"a name that no node can have", "noderef:\n  name: a b\n", "win-1"},
		{"no YAML", "noderef:\n  name: win-7\n- x: [\n", "win-1"},
		{"nothing", "", "win-1"},
	} {
		agent := antctlAgent()
		agent["agentinfo"] = row.info
		if got := converted(t, antctlBundle(t, agent), "meta.json"); !strings.Contains(got,
			`"node":"`+row.want+`"`) {
			t.Errorf("%s: %s", row.name, got)
		}
	}
}
