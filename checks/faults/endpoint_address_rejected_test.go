package faults_test

import (
	"strings"
	"testing"
)

func TestEndpointAddressRejected(t *testing.T) {
	const reserved = "Failed to create endpoint: 1c27f3d6-eth0 due to error: hcnCreateEndpoint failed in Win32: An address provided is invalid or reserved. (0x803b002f)"
	const outside = `error creating endpoint hcnCreateEndpoint failed in Win32: IP address is either invalid or not part of any configured subnet(s). (0x803b001e)`
	const isReserved = "fail: HNS rejects the address of a pod: it is reserved, or another endpoint has it [text]"
	runLooks(t, "endpoint-address-rejected", []look{
		{"a reserved address", logTelling("cni", reserved), isReserved},
		{"an address of no subnet", logTelling("containerd", outside),
			"fail: HNS rejects the address of a pod: it is in no subnet of the HNS network [text]"},
		{"in another language, in the kubelet's log", logTelling("kubelet", strings.Replace(reserved,
			"An address provided is invalid or reserved",
			"Eine angegebene Adresse ist ungültig oder reserviert", 1)), isReserved},
		{"the code in decimal alone", logTelling("cni",
			`creating the endpoint: {"Success":false,"ErrorCode":2151350319}`), isReserved},
		{"kube-proxy's source VIP, which another check reports", logTelling("kube-proxy",
			"Source Vip endpoint creation failed: hcnCreateEndpoint failed in Win32: An address provided is invalid or reserved. (0x803b002f)"),
			"unknown"},
		{"a load balancer, whatever its log", logTelling("cni",
			"hcnCreateLoadBalancer failed in Win32: endpoint: IP address is either invalid or not part of any configured subnet(s). (0x803b001e)"),
			"unknown"},
		{"the event of a sandbox, which does not name the call", logTelling("kubelet", `Failed create pod sandbox: rpc error: code = Unknown desc = failed to set up sandbox container "d20eb84d0be212c52e734d4c034f9ea29fb3a98c78d4d4cb111cf536f45298ea" network for pod "p": networkPlugin cni failed to set up pod "p" network: hnsCall failed in Win32: An address provided is invalid or reserved. (0x803b002f)`), isReserved},
		{"a network that the plugin makes", logTelling("kubelet", `networkPlugin cni failed to set up pod "p" network: hcnCreateNetwork failed in Win32: An address provided is invalid or reserved. (0x803b002f)`), "unknown"},
		{"no log", "", "unknown"},
	})
}
