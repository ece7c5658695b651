package faults_test

import "testing"

func TestKubeletServicePaused(t *testing.T) {
	const paused = `-- services.json --
[{"name":"kubelet","state":"paused","wrapper":"nssm","binPath":"powershell.exe","args":["-File","C:\\k\\StartKubelet.ps1"]}]
-- files.json --
[{"path":"C:\\var\\lib\\kubelet\\config.yaml","outcome":"absent"}]
`
	runLooks(t, "kubelet-service-paused", []look{
		{"before kubeadm join",
			paused + "-- files/C/k/StartKubelet.ps1 --\nC:\\k\\kubelet.exe --config=C:/var/lib/kubelet/config.yaml\n",
			"info: service kubelet is paused: expected before kubeadm join: the kubelet has no configuration yet [state]"},
		{"a node that has joined and lost the file",
			paused + nodeOf("v1.29.9", "containerd://1.7.2") +
				"-- files/C/k/StartKubelet.ps1 --\nC:\\k\\kubelet.exe --config=C:/var/lib/kubelet/config.yaml\n",
			"fail: service kubelet is paused: the kubelet exits as soon as it starts [state]"},
		{"a recipe that has no such file",
			paused + "-- files/C/k/StartKubelet.ps1 --\nC:\\k\\kubelet.exe --kubeconfig=C:\\k\\config\n",
			"fail: service kubelet is paused: the kubelet exits as soon as it starts [state]"},
		{"stopped is not paused",
			"-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"stopped\"}]\n", "pass"},
		{"kubeadm asks before the kubelet listens",
			"-- logs/kubeadm/join.log --\n[kubelet-check] The HTTP call equal to 'curl -sSL http://localhost:10248/healthz' failed with error: Get \"http://localhost:10248/healthz\": dial tcp [::1]:10248: connectex: No connection could be made because the target machine actively refused it.\n",
			"unknown"},
		{"an event alone",
			"-- events.json --\n[{\"log\":\"System\",\"provider\":\"Service Control Manager\",\"id\":7036,\"message\":\"The kubelet service entered the paused state.\"}]\n",
			"fail: the kubelet service entered the paused state [text]"},
	})
}
