package faults_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestIPAMRangeExhausted(t *testing.T) {
	const cidr = "-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"spec\":{\"podCIDR\":\"10.244.2.0/28\"}}\n"
	reserved := func(from, to int, net string) string {
		var list []string
		for i := from; i <= to; i++ {
			list = append(list,
				fmt.Sprintf(
					`{"path":"C:\\var\\lib\\cni\\networks\\cbr0\\%s.%d","outcome":"copied"}`, net,
					i))
		}
		return "-- files.json --\n[{\"path\":\"C:\\\\var\\\\lib\\\\cni\\\\networks\\\\cbr0\\\\last_reserved_ip.0\",\"outcome\":\"copied\"},\n" + strings.Join(list, ",\n") + "]\n"
	}
	running := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, podOf(fmt.Sprintf("web-%d", i), fmt.Sprintf("10.244.2.%d", 2+i),
				"2026-11-20T03:05:00Z"))
		}
		return pods(list...)
	}
	const said = "-- logs/kubelet/kubelet.log --\nE1120 cni.go:331] error while ipam.ExecAdd: failed to allocate for range 0: no IP addresses available in range set: 10.244.2.1-10.244.2.14\n"
	full := reserved(2, 14, "10.244.2")
	azure := func(used, free int) string {
		var list []string
		for i := range used + free {
			list = append(list, fmt.Sprintf(`"10.224.4.%d":{"InUse":%t}`, 10+i, i < used))
		}
		return "-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\"}]}\n-- files/C/k/azure-vnet-ipam.json --\n{\"IPAM\":{\"AddressSpaces\":{\"local\":{\"Pools\":{\"10.224.4.0/22\":{\"Addresses\":{" + strings.Join(list, ",") + "}}}}}}}\n"
	}
	runLooks(t, "ipam-range-exhausted", []look{
		{"three reservations and two pods", onFlannel + cidr + reserved(2, 4, "10.244.2") +
			running(2), "pass"},
		{"all are reserved, and few pods have one", onFlannel + cidr + full + running(3),
			"fail: all 13 addresses of 10.244.2.0/28 are reserved, and 3 pods have an address [state]"},
		{"and a pod says so", onFlannel + cidr + full + running(3) + said,
			"fail: all 13 addresses of 10.244.2.0/28 are reserved, and 3 pods have an address [state+text]"},
		{"a node full of pods lacks nothing", onFlannel + cidr + full + running(12), "pass"},
		{"unless one more wants in", onFlannel + cidr + full + running(12) + said,
			"fail: all 13 addresses of 10.244.2.0/28 are reserved, and 12 pods have an address [state+text]"},
		{"how many pods there are is not known", onFlannel + cidr + full,
			"warn: all 13 addresses of 10.244.2.0/28 are reserved, and how many pods have one is not recorded [state]"},
		{"half of a larger range leaks", onFlannel + strings.Replace(cidr, "/28", "/27", 1) +
			reserved(2, 20, "10.244.2") + running(2),
			"warn: 19 of 29 addresses of 10.244.2.0/27 are reserved, and only 2 pods have an address: leaked reservations [state]"},
		{"reservations of an older podCIDR", onFlannel + cidr + reserved(2, 14, "10.244.7") +
			running(2), "pass"},
		{"it is over", onFlannel + cidr + reserved(2, 4, "10.244.2") + running(2) + said,
			"info: the logs say: host-local has no free address; the node's current state does not confirm it [text]"},
		{"azure-vnet's store is locked, which is another fault", logTelling("cni",
			"Failed to delegate: Failed to allocate address: timed out locking store"), "unknown"},
		{"azure-vnet's log alone", logTelling("cni",
			"Failed to delegate: Failed to allocate address: No available addresses"),
			"fail: azure-vnet-ipam has no free address [text]"},
		{"the log alone", said, "fail: host-local has no free address [text]"},
		{"the range is not known", onFlannel + full, "unknown"},
		{"Azure's pool is used up by nobody", azure(30, 0) + running(4),
			"fail: all 30 addresses of 10.224.4.0/22 are reserved, and 4 pods have an address [state]"},
		{"Azure's pool is used up by pods", azure(8, 0) + running(8), "pass"},
		{"addresses of a small pool belong to nothing (containerd/containerd#6181)", azure(7, 0) + running(2) +
			endpoints("10.244.2.2", "10.244.2.3"),
			"fail: all 7 addresses of 10.224.4.0/22 are reserved, and 2 pods have an address [state]"},
		{"all of them have an endpoint", azure(7, 0) + running(2) + endpoints("10.224.4.10", "10.224.4.11",
			"10.224.4.12", "10.224.4.13", "10.224.4.14", "10.224.4.15", "10.224.4.16"), "pass"},
		{"one of them is between two pods", azure(7, 0) + running(2) + endpoints("10.224.4.10", "10.224.4.11",
			"10.224.4.12", "10.224.4.13", "10.224.4.14", "10.224.4.15"), "pass"},
		{"pods that start have no endpoint yet", azure(3, 0) + endpoints("10.224.4.10") +
			pods(podOf("a", "10.224.4.10", "2026-11-20T03:05:00Z"), `{"metadata":{"name":"b"},"status":{"phase":"Pending"}}`), "pass"},
		{"addresses of a pool with room belong to nothing", azure(7, 3) + running(2) + endpoints("10.244.2.2"), "pass"},
		{"Azure's pool has room", azure(4, 26) + running(4), "pass"},
		{"Azure's pool cannot be read",
			"-- files/C/k/azurecni/netconf/10-azure.conflist --\n{\"name\":\"azure\",\"plugins\":[{\"type\":\"azure-vnet\"}]}\n-- files/C/k/azure-vnet-ipam.json --\n{\"IPAM\":\n", "unknown"},
		{"Calico keeps its own books", onCalico + cidr + full, "skip"},
		{"nobody looked", onFlannel + cidr, "unknown"},
	})
}
