package faults_test

import "testing"

func TestKubeletResolvConfMissing(t *testing.T) {
	config := func(value string) string {
		return "-- files/C/var/lib/kubelet/config.yaml --\nkind: KubeletConfiguration\n" + value
	}
	const waits = "-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d"},"spec":{"nodeName":"win-1"},"status":{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ContainerCreating"}}}]}}]}` + "\n"
	const events = "-- api/events.json --\n{\"items\":[]}\n"
	const none = "-- api/pods.json --\n{\"items\":[]}\n"
	runLooks(t, "kubelet-resolv-conf-missing", []look{
		{"it is empty", events + waits + config("resolvConf: \"\"\n"), "pass"},
		{"it is not set", events + waits + config(""), "pass"},
		{"the settings of the node", events + waits + config("resolvConf: Host\n"), "pass"},
		{"a file of the node", events + waits + config("resolvConf: C:\\etc\\kubernetes\\cni\\hostdns.conf\n"), "pass"},
		{"a path of Linux that the node has", events + waits + config("resolvConf: /etc/resolv.conf\n") + "-- files/C/etc/resolv.conf --\n", "pass"},
		{"a path of Linux", events + waits + config("resolvConf: /etc/resolv.conf\n"),
			"warn: the kubelet reads /etc/resolv.conf, a path of Linux: it starts no pod unless this file is there [state]"},
		{"systemd's, and a pod waits", events + waits + config("resolvConf: /run/systemd/resolve/resolv.conf\n"),
			"fail: the kubelet reads /run/systemd/resolve/resolv.conf, a path of Linux: it starts no pod unless this file is there [state]"},
		{"systemd's, and no pod waits", events + none + config("resolvConf: /run/systemd/resolve/resolv.conf\n"),
			"warn: the kubelet reads /run/systemd/resolve/resolv.conf, a path of Linux: it starts no pod unless this file is there [state]"},
		{"the flag overrides the file", events + waits + config("resolvConf: /run/systemd/resolve/resolv.conf\n") +
			"-- processes.json --\n[{\"pid\":1,\"name\":\"kubelet.exe\",\"args\":[\"--resolv-conf=\"]}]\n", "pass"},
	})
}
