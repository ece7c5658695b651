package faults_test

import (
	"strings"
	"testing"
)

// Agents and their programs that remain beside the process of the service: rancher issue 42137, rke2
// issues 2204 and 1470.
func TestRKE2OldProcesses(t *testing.T) {
	const service = "-- services.json --\n[{\"name\":\"rke2\",\"state\":\"running\",\"pid\":70}]\n"
	processes := func(list ...string) string {
		return "-- processes.json --\n[" + strings.Join(append(list, `{"pid":7,"name":"services.exe"}`), ",") + "]\n"
	}
	process := func(pid, ppid, name, at string) string {
		return `{"pid":` + pid + `,"ppid":` + ppid + `,"name":"` + name + `.exe","exe":"C:\\var\\lib\\rancher\\rke2\\bin\\` + name +
			`.exe","args":["agent","service"],"startedAt":"2026-11-20T` + at + `Z"}`
	}
	agent, old := process("70", "7", "rke2", "08:00:00"), process("33", "7", "rke2", "02:00:00")
	kubelet := process("71", "70", "kubelet", "08:00:10")
	const says, orphan = "rke2.exe (process 33) is of an earlier agent of RKE2: the service's process is 70 [state]",
		"containerd.exe (process 34) is of an earlier agent of RKE2: the service's process is 70 [state]"
	runLooks(t, "rke2-old-processes", []look{
		{"the agent of before the upgrade", service + processes(old, agent), "fail: " + says},
		{"in another order", service + processes(agent, old), "fail: " + says},
		{"its containerd, whose parent has gone", service + processes(process("34", "33", "containerd", "02:00:00"), agent), "fail: " + orphan},
		{"the kubelet runs", service + processes(old, agent, kubelet), "warn: " + says},
		{"one agent and its children", service + processes(agent, kubelet, process("72", "70", "containerd", "08:00:01")), "pass"},
		{"the agent in a wrapper", strings.Replace(service, "70", "69", 1) + processes(process("69", "7", "nssm", "07:59:59"), agent, kubelet), "pass"},
		{"a shim of containers", service + processes(process("40", "34", "containerd-shim-runhcs-v1", "02:00:00"), agent, kubelet), "pass"},
		{"a containerd of somebody else", service + processes(strings.Replace(process("34", "7", "containerd", "02:00:00"), `rke2\\`, "", 1), agent, kubelet), "pass"},
		{"another command of rke2", service + processes(strings.Replace(old, `"agent","service"`, `"--version"`, 1), agent, kubelet), "pass"},
		{"the parents are not recorded", service + processes(strings.Replace(old, `"ppid":7`, `"ppid":0`, 1), agent, kubelet), "pass"},
		{"the process of the service is not there", service + processes(old), "unknown"},
		{"no RKE2", "-- services.json --\n[{\"name\":\"kubelet\",\"state\":\"running\"}]\n" + processes(), "skip"},
		{"nobody recorded processes", service, "unknown"},
	})
}
