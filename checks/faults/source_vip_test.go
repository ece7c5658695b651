package faults_test

import (
	"strings"
	"testing"
)

// onOverlay is a node on flannel's overlay with kube-proxy's arguments.
func onOverlay(args string) string {
	return "-- files/C/etc/kube-flannel/net-conf.json --\n{\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\",\"Name\":\"flannel.4096\"}}\n" +
		"-- processes.json --\n[{\"pid\":1,\"name\":\"kube-proxy.exe\",\"args\":[\"--network-name=flannel.4096\"" + args + "]}]\n"
}

const overlayNetwork = "-- hns-networks.json --\n[{\"ID\":\"A\",\"Name\":\"flannel.4096\",\"Type\":\"Overlay\",\"Ipams\":[{\"Type\":\"Static\",\"Subnets\":[{\"IpAddressPrefix\":\"10.244.3.0/24\"}]}],\"SchemaVersion\":{\"Major\":2}}]\n"

func TestSourceVIPInvalid(t *testing.T) {
	vip := func(ip string) string { return onOverlay(`,"--source-vip=`+ip+`"`) + overlayNetwork }
	sdn := func(ip string) string {
		return onOverlay("") + overlayNetwork +
			"-- files/C/k/sourceVip.json --\n{\"cniversion\":\"0.2.0\",\"ip4\":{\"ip\":\"" + ip +
			"/24\",\"gateway\":\"10.244.3.1\"}}\n"
	}
	const refused = "-- logs/kube-proxy/kube-proxy.log --\nE1120 proxier.go:1] \"Source Vip endpoint creation failed\" err=\"hcnCreateEndpoint failed in Win32: An address provided is invalid or reserved. (0x803b002f)\"\n"
	const endpoint = "-- hns-endpoints.json --\n[{\"ID\":\"E\",\"HostComputeNetwork\":\"A\",\"HostComputeNamespace\":\"00000000-0000-0000-0000-000000000000\",\"IpConfigurations\":[{\"IpAddress\":\"10.244.3.2\",\"PrefixLength\":24}],\"Flags\":0,\"SchemaVersion\":{\"Major\":2}}]\n"
	pod := func(phase string) string {
		return "-- api/pods.json --\n{\"items\":[{\"metadata\":{\"name\":\"p\",\"namespace\":\"a\"},\"status\":{\"phase\":\"" + phase + "\",\"podIP\":\"10.244.3.2\"}}]}\n"
	}
	runLooks(t, "source-vip-invalid", []look{
		{"in the subnet of the network", vip("10.244.3.2"), "pass"},
		{"of the podCIDR of before", vip("10.244.7.2"),
			"fail: Source VIP 10.244.7.2 is outside the node's pod network 10.244.3.0/24 [state]"},
		{"the same, in Microsoft's file", sdn("10.244.7.9"),
			"fail: Source VIP 10.244.7.9 is outside the node's pod network 10.244.3.0/24 [state]"},
		{"Microsoft's file in order", sdn("10.244.3.9"), "pass"},
		{"the subnet's own address", vip("10.244.3.0"),
			"fail: Source VIP 10.244.3.0 is the network address of the subnet 10.244.3.0/24 [state]"},
		{"the gateway", vip("10.244.3.1"),
			"fail: Source VIP 10.244.3.1 is the gateway of 10.244.3.0/24 [state]"},
		{"HNS was not asked, but the Node object", onOverlay(`,"--source-vip=10.244.7.2"`) +
			nodeWith(podCIDR),
			"fail: Source VIP 10.244.7.2 is outside the node's pod network 10.244.2.0/24 [state]"},
		{"a pod has it", vip("10.244.3.2") + pod("Running"),
			"fail: Source VIP 10.244.3.2 is the address of pod a/p [state]"},
		{"a pod that has ended had it", vip("10.244.3.2") + pod("Succeeded"), "pass"},
		{"HNS could not make the endpoint",
			vip("10.244.3.2") + refused + "-- hns-endpoints.json --\n[]\n",
			"fail: HNS endpoint for the source VIP 10.244.3.2 is missing: kube-proxy could not create it [state+text]"},
		{"HNS made it in the end", vip("10.244.3.2") + refused + endpoint,
			"info: the logs say: kube-proxy cannot create the endpoint of its source VIP; the node's current state does not confirm it [text]"},
		{"none is recorded", onOverlay("") + overlayNetwork, "unknown"},
		{"none is recorded, and kube-proxy complains", onOverlay("") + overlayNetwork + refused,
			"fail: kube-proxy cannot create the endpoint of its source VIP [text]"},
		{"nothing to compare with", onOverlay(`,"--source-vip=10.244.7.2"`), "unknown"},
		{"host-gw needs none",
			onFlannel + "-- processes.json --\n[{\"pid\":1,\"name\":\"kube-proxy.exe\",\"args\":[\"--network-name=cbr0\"]}]\n", "skip"},
		{"Calico keeps it elsewhere", onCalico + overlayNetwork, "skip"},
	})
}

func TestSourceVIPJSONCorrupt(t *testing.T) {
	const file = "-- files/C/sourcevip/sourceVip.json --\n"
	const good = `{"cniVersion":"0.3.0","ips":[{"version":"4","address":"10.244.3.2/24","gateway":"10.244.3.1"}],"dns":{}}`
	ended := strings.Replace(onOverlay(""), `"kube-proxy.exe"`, `"kubelet.exe"`, 1)
	const old = "{\"cniVersion\":\"0.2.0\",\"ip4\":{\"ip\":\"10.244.3.2/24\"},\"dns\":{}}\n"
	said := func(code string) string {
		return "-- logs/kube-proxy/kube-proxy.log --\nCannot index into a null array.\nAt C:\\hpc\\kube-proxy\\start.ps1:14 char:17\n+ ...          $vip = " + code + "\n"
	}
	const absent = "-- files.json --\n[{\"path\":\"C:\\\\k\\\\sourceVip.json\",\"outcome\":\"absent\"},{\"path\":\"C:\\\\sourcevip\\\\sourceVip.json\",\"outcome\":\"absent\"}]\n"
	runLooks(t, "source-vip-json-corrupt", []look{
		{"an address", onOverlay("") + file + good + "\n", "pass"},
		{"an address behind a byte order mark, as PowerShell writes it",
			onOverlay("") + file + "\ufeff" + good + "\n", "pass"},
		{"host-local's error",
			onOverlay("") + file +
				`{"code":100,"msg":"error reading network config: invalid character 'x'"}` + "\n",
			`fail: C:\sourcevip\sourceVip.json contains a host-local error instead of an address: error reading network config: invalid character 'x' [state]`},
		{"an old answer, and a script for new ones", ended + file + old + said(`$sourceVipJSONData.ips[0].address.Split("/")[0]`),
			`fail: C:\sourcevip\sourceVip.json has the address in ip4.ip, and the start script of kube-proxy reads ips[0].address [state]`},
		{"a new answer, and a script for old ones", ended + file + good + "\n" + said(`$sourceVipJSON.ip4.ip.Split("/")[0]`),
			`fail: C:\sourcevip\sourceVip.json has the address in ips[0].address, and the start script of kube-proxy reads ip4.ip [state]`},
		{"the image was rolled back, and kube-proxy runs", onOverlay("") + file + old + said(`$sourceVipJSONData.ips[0].address.Split("/")[0]`), "pass"},
		{"an old answer alone", ended + file + old, "pass"},
		{"the script found the file empty, and wrote it again", ended + file + good + "\n" + said(`$sourceVipJSONData.ips[0].address.Split("/")[0]`), "pass"},
		{"the script is traced", ended + file + old + "-- logs/kube-proxy/kube-proxy.log --\nDEBUG:   14+  >>>> $vip = $j.ips[0].address.Split(\"/\")[0]\n", "pass"},
		{"an answer without an address",
			onOverlay("") + file + "{\"cniVersion\":\"0.3.0\",\"ips\":[]}\n",
			`fail: C:\sourcevip\sourceVip.json contains no address [state]`},
		{"on a node that tells no plugin, the file speaks for itself",
			file + "{\"code\":100,\"msg\":\"x\"}\n",
			`fail: C:\sourcevip\sourceVip.json contains a host-local error instead of an address: x [state]`},
		{"a leftover on a host-gw node", onFlannel + file + "{\"code\":100,\"msg\":\"x\"}\n",
			"skip"},
		{"RKE2 keeps no such file", onOverlay("") + absent, "skip"},
		{"nobody looked", onOverlay(""), "unknown"},
	})
}
