package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestHNSManagementAddressWrong(t *testing.T) {
	network := func(name, kind, ip string) string {
		return fmt.Sprintf(`{"ID":"%s-1","Name":"%s","Type":"%s","ManagementIP":"%s","Subnets":[{"AddressPrefix":"10.42.1.0/24","GatewayAddress":"10.42.1.1"}]}`,
			name, name, kind, ip)
	}
	networks := func(list string) string { return "-- hns-networks.json --\n[" + list + "]\n" }
	object := func(notes string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1","annotations":{` + notes + `}},"status":{"addresses":[{"type":"InternalIP","address":"10.1.0.5"},{"type":"ExternalIP","address":"198.51.100.7"},{"type":"Hostname","address":"win-1"}],"nodeInfo":{"operatingSystem":"windows"}}}
`
	}
	wrong := networks(network("Calico", "Overlay", "192.168.50.4"))
	// rke2 issue 3388: Calico took the adapter of VirtualBox's NAT
	agent := func(peers ...string) string {
		list := ""
		for i, peer := range peers {
			list += fmt.Sprintf(`,{"Type":"RemoteSubnetRoute","DestinationPrefix":"10.42.%d.0/24","ProviderAddress":"%s","IsolationId":4096}`, i+2, peer)
		}
		return `-- hns-networks.json --
[{"ID":"A","Name":"Calico","Type":"Overlay","ManagementIP":"10.0.2.15","Policies":[{"Type":"VSID","VSID":4096}` + list + `]}]
-- adapters.json --
[{"name":"vEthernet (Ethernet)","status":"up","addresses":["10.0.2.15/24"],"gateways":["10.0.2.2"]},{"name":"Ethernet 2","status":"up","addresses":["10.1.0.5/24"],"gateways":[]}]
` + object(`"projectcalico.org/IPv4Address":"10.0.2.15/24"`)
	}
	adapter := func(address string) string {
		return "-- adapters.json --\n[{\"name\":\"vEthernet (Ethernet)\",\"status\":\"up\",\"addresses\":[\"" + address + "\"]}]\n"
	}
	const onAzure = "-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\"}]}\n"
	const message = ": HNS network Calico sends from 192.168.50.4 (expected: 10.1.0.5) [state]"
	runLooks(t, "hns-management-address-wrong", []look{
		{"Calico announces another address", wrong + object(`"projectcalico.org/IPv4Address":"10.1.0.5/24"`),
			"fail" + message},
		{"what the agent announces is not recorded", wrong + object(""), "warn" + message},
		{"flannel uses another adapter than the kubelet, and says so",
			networks(network("vxlan0", "Overlay", "192.168.50.4")) +
				object(`"flannel.alpha.coreos.com/public-ip":"192.168.50.4"`), "pass"},
		{"Calico announces an adapter that no other node is near",
			agent("10.1.0.6", "10.1.0.7"), "fail: HNS network Calico sends from 10.0.2.15 (expected: 10.1.0.5) [state]"},
		{"the other nodes are near that adapter", agent("10.0.2.16", "10.0.2.17"), "pass"},
		{"one other node is near that adapter", agent("10.1.0.6", "10.0.2.17"), "pass"},
		{"the other nodes are behind a router", agent("10.9.0.6", "10.9.0.7"), "pass"},
		{"no other node is known", agent(), "pass"},
		{"the adapters are not recorded", strings.Replace(agent("10.1.0.6"), "-- adapters.json --", "-- other.json --", 1), "unknown"},
		{"flannel's announcement is not recorded",
			networks(network("vxlan0", "Overlay", "192.168.50.4")) + object(""), "unknown"},
		{"the address of the node", networks(network("Calico", "Overlay", "10.1.0.5")) + object(""), "pass"},
		{"the node's own public address", networks(network("Calico", "Overlay", "198.51.100.7")) + object(""),
			"pass"},
		{"the Node object is not recorded", wrong, "unknown"},
		{"an address that no adapter has is another fault", wrong + object("") +
			`-- adapters.json --
[{"name":"vEthernet (Ethernet)","status":"Up","addresses":["10.1.0.5/24"]}]
`, "skip"},
		{"an adapter without an address, and another network has one",
			networks(network("External", "Overlay", "10.1.0.5")+","+network("Calico", "Overlay", "169.254.3.4")) +
				object(""), "warn: HNS network Calico sends from 169.254.3.4, but External has 10.1.0.5 [state]"},
		{"flannel announces what Windows made up (flannel-io/flannel#1467)",
			networks(network("vxlan0", "Overlay", "169.254.1.2")) + object(`"flannel.alpha.coreos.com/public-ip":"169.254.1.2"`),
			"fail: HNS network vxlan0 sends from 169.254.1.2 (expected: 10.1.0.5) [state]"},
		{"the address was lost after flannel announced another", networks(network("vxlan0", "Overlay", "169.254.1.2")) +
			object(`"flannel.alpha.coreos.com/public-ip":"10.1.0.5"`), "skip"},
		{"the switch was made before its adapter had the address, and pods have come", networks(network("vxlan0", "Overlay", "169.254.1.2")) +
			object("") + adapter("10.1.0.5/24"), "fail: HNS network vxlan0 sends from 169.254.1.2 (expected: 10.1.0.5) [state]"},
		{"the node has no other address", networks(network("vxlan0", "Overlay", "169.254.1.2")) +
			replace(object(`"flannel.alpha.coreos.com/public-ip":"169.254.1.2"`), "10.1.0.5", "169.254.1.2"), "skip"},
		{"the switch was made before its adapter had the address, and no pod has come yet", onAzure + networks(network("ext", "L2Bridge", "169.254.83.107")) + object("") +
			adapter("10.1.0.5/24"), "fail: HNS network ext sends from 169.254.83.107 (expected: 10.1.0.5) [state]"},
		{"the adapter has no other address either", onAzure + networks(network("ext", "L2Bridge", "169.254.83.107")) + object("") +
			adapter("169.254.83.107/16"), "skip"},
		{"no network has an address", networks(network("Calico", "Overlay", "169.254.3.4")) + object(""), "skip"},
		{"a network that has no packets of its own", networks(network("antrea-hnsnetwork", "Transparent",
			"192.168.50.4")) + object(""), "skip"},
	})
}
