package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
)

// judged runs the whole catalogue over a recording, as the program does, and
// lists what it found to be wrong: "fail id", "warn id".
func judged(t *testing.T, s evidence.Snapshot) (found []string, report checks.Report) {
	t.Helper()
	s, unread := signs.Record(s, faults.Catalogue().Signs())
	if len(unread) > 0 && !strings.HasPrefix(unread[0].String(), "events.json: ") {
		t.Errorf("unread logs: %v", unread)
	}
	report = checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "foreign"},
		checks.Program{})
	for _, r := range report.Results {
		if status := fmt.Sprint(r.Status); status == "fail" || status == "warn" {
			found = append(found, status+" "+r.ID)
		}
	}
	slices.Sort(found)
	return found, report
}

func without(list []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		return slices.Contains(names, s)
	})
}

func TestVerdictsOverRKE2(t *testing.T) {
	healthy := rke2Healthy(t)
	children := []string{"rke2", "kubelet", "kube-proxy", "containerd", "flanneld"}
	tests := []struct {
		name    string
		changes []string
		want    []string
	}{
		{"a healthy node", nil, nil},
		{"exceptions without the service network, in the file and in HNS", []string{
			"config/cni/07-flannel.conflist",
			strings.Replace(rke2CNI, `"10.42.0.0/16", "10.43.0.0/16"`, `"10.42.0.0/16"`, 1),
			"network/hns/endpoint.txt",
			strings.Replace(rke2Endpoint, `"10.42.0.0/16", "10.43.0.0/16"`, `"10.42.0.0/16"`, 1),
		}, []string{"fail outboundnat-exception-missing"}},
		{"exceptions without the cluster's network", []string{
			"config/cni/07-flannel.conflist", strings.Replace(rke2CNI, `"10.42.0.0/16", `, ``, 1),
		}, []string{"fail outboundnat-exception-missing"}},
		{"exceptions of HNS alone, without the file", []string{
			"config/cni/07-flannel.conflist", "-",
			"network/hns/endpoint.txt",
			strings.Replace(rke2Endpoint, `"10.42.0.0/16", "10.43.0.0/16"`, `"10.43.0.0/16"`, 1),
		}, []string{"fail outboundnat-exception-missing"}},
		{"a pause image for Server 2019 on Server 2022", []string{
			"containerd/crictl-info.txt", strings.Replace(crictlInfo, "pause:3.9", "pause:3.5", 1),
			"containerd/config.toml", strings.Replace(rke2ConfigTOML,
				"index.docker.io/rancher/mirrored-pause:3.6", "registry.k8s.io/pause:3.5", 1),
		}, []string{"fail pause-os-version-mismatch"}},
		{"the same in config.toml, where crictl failed", []string{
			"containerd/crictl-info.txt",
			`time="2026-11-20T10:01:40Z" level=fatal msg="validate service connection: npipe: The system cannot find the file specified."` + "\n",
			"containerd/config.toml", strings.Replace(rke2ConfigTOML,
				"index.docker.io/rancher/mirrored-pause:3.6", "registry.k8s.io/pause:3.5", 1),
		}, []string{"fail pause-os-version-mismatch"}},
		{"service rke2 is stopped", []string{
			"system/services", serviceList(append(without(rke2Services, "rke2"), "-rke2")...),
			"system/ps", processTable(without(rke2Processes, children...)...),
		}, []string{"fail flanneld-not-running", "fail kube-proxy-not-running",
			"fail kubelet-not-running", "fail runtime-not-running"}},
		{"service rke2 was stopped when it was asked for by itself", []string{
			"services/rke2-status.txt", strings.Replace(healthy["services/rke2-status.txt"],
				"Status              : Running", "Status              : Stopped", 1), "system/ps",
			processTable(without(rke2Processes, children...)...),
		}, []string{"fail flanneld-not-running", "fail kube-proxy-not-running",
			"fail kubelet-not-running", "fail runtime-not-running"}},
		{"the kubelet is gone, and RKE2 runs", []string{
			"system/ps", processTable(without(rke2Processes, "kubelet")...),
		}, []string{"fail kubelet-not-running"}},
		{"the kubelet's certificate expired two days ago", []string{
			"certs/rke2/client-kubelet.crt", kubeletCertificate(t, rke2At.Add(-48*time.Hour)),
		}, []string{"fail cert-expired-or-clock-skew"}},
		{"the runtime could not load its CNI configuration", []string{
			"containerd/crictl-info.txt",
			strings.NewReplacer(`"type": "NetworkReady", "status": true, "reason": ""`,
				`"type": "NetworkReady", "status": false, "reason": "NetworkPluginNotReady"`,
				`"lastCNILoadStatus": "OK"`,
				`"lastCNILoadStatus": "cni config load failed"`).Replace(crictlInfo),
		}, []string{"fail cni-config-uninitialized"}},
		{"wmic is gone, and PowerShell says so", []string{
			"system/freememory",
			"wmic : The term 'wmic' is not recognized as the name of a cmdlet, function, script file, or operable program.\n",
			"system/freediskspace", healthy["system/volumes"],
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, rke2Recording(t, "rancher_rke2_WIN-RKE2-1_2026-11-20_10_02_00",
				with(healthy, tt.changes...)))
			if found, _ := judged(t, s); !slices.Equal(found, tt.want) {
				t.Errorf("found %q, want %q", found, tt.want)
			}
		})
	}
}

// TestNothingIsConcludedFromWhatIsMissing takes away and spoils each file of a
// healthy recording by itself: no verdict may come from it, and what it would
// have told is a gap.
func TestNothingIsConcludedFromWhatIsMissing(t *testing.T) {
	healthy := rke2Healthy(t)
	denied := "Get-Something : Access is denied\nAt C:\\win-log-collect-rke2.ps1:1 char:1\n    + CategoryInfo          : PermissionDenied: (:) [], Exception\n"
	for file, content := range healthy {
		for how, with1 := range map[string]string{"missing": "-", "empty": "", "denied": denied,
			"cut": content[:len(content)/2]} {
			if how != "missing" && testing.Short() {
				continue
			}
			if how == "denied" && slices.ContainsFunc(rawCopies, func(raw string) bool {
				return strings.HasPrefix(file, raw)
			}) {
				continue // a copy is there or it is not
			}
			if how == "cut" && strings.HasPrefix(file, "config/") || how == "empty" &&
				(strings.HasPrefix(file, "config/") || file == "containerd/config.toml") {
				continue // so it is on the node, then
			}
			if how == "cut" && (file == "containerd/config.toml" || file == "system/ps" ||
				strings.HasPrefix(file, "containerd/crictl")) {
				continue // nothing tells that a table goes on
			}
			s := load(t, rke2Recording(t, "", with(healthy, file, with1)))
			if found, _ := judged(t, s); len(found) > 0 {
				t.Errorf("%s %s: found %q", file, how, found)
			}
		}
	}
}

func TestVerdictsOverAntctl(t *testing.T) {
	agent := antctlAgent()
	tests := []struct {
		name    string
		changes []string
		want    []string
	}{
		{"a healthy node", nil, nil},
		{"the network is not there",
			[]string{"HNSNetwork", "\n\nID   : 1A\nName : nat\nType : nat\n\n"},
			[]string{"fail hns-network-missing"}},
		{"nobody could ask HNS", []string{"HNSNetwork", "Get-HNSNetwork : Access is denied.\n"},
			nil},
		{"the agent does not reach Open vSwitch", []string{"logs/agent/antrea-agent.log",
			"I1120 10:01:58.375115    6120 ovs_client.go:89] Not connected yet, will try again in 8s\n"}, []string{"fail antrea-ovs-problem"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, antctlBundle(t, with(agent, tt.changes...)))
			if found, _ := judged(t, s); !slices.Equal(found, tt.want) {
				t.Errorf("found %q, want %q", found, tt.want)
			}
		})
	}
	for file := range agent {
		for _, content := range []string{"-", "", "x : y\n"} {
			if content == "-" && strings.HasPrefix(file, "HNS") {
				continue
			}
			s := load(t, antctlBundle(t, with(agent, file, content)))
			if found, _ := judged(t, s); len(found) > 0 {
				t.Errorf("%s as %q: found %q", file, content, found)
			}
		}
	}
}

func TestVerdictsOverRKE2AsOthersWriteIt(t *testing.T) {
	chinese := with(rke2Healthy(t), "system/systeminfo", systeminfoChinese,
		"network/ipconfigall.txt", strings.NewReplacer("192.168.10.21", "10.70.8.47",
			"192.168.10.", "10.70.8.").Replace(ipChinese),
		"containerd/crictl-info.txt", strings.Replace(crictlInfo, "pause:3.9", "pause:3.6", 1),
		"containerd/config.toml", strings.Replace(rke2ConfigTOML,
			"index.docker.io/rancher/mirrored-pause:3.6", "registry.k8s.io/pause:3.6", 1),
		"system/freememory", "wmic : 无法将“wmic”项识别为 cmdlet、函数、脚本文件或可运行程序的名称。\n",
		"system/freediskspace", "\n")
	calicoNetwork := strings.NewReplacer("flannel.4096", "Calico").Replace(rke2Network)
	calico := with(rke2Healthy(t), "config/cni/07-flannel.conflist", "-",
		"config/cni/10-calico.conf", rke2Calico,
		"network/hns/network.txt", calicoNetwork, "network/hns/networkdetailed.txt",
		calicoNetwork[strings.Index(calicoNetwork, "{"):],
		"network/hns/endpoint.txt", strings.ReplaceAll(rke2Endpoint, "flannel.4096", "Calico"),
		"eventlogs/rke2-service.txt",
		strings.ReplaceAll(rke2Healthy(t)["eventlogs/rke2-service.txt"], "flannel.4096", "Calico"),
		"system/ps", processTable(append(without(rke2Processes, "flanneld"), "calico-node",
			"calico-node")...))
	for name, files := range map[string]map[string]string{"a Chinese Server 2019": chinese,
		"Calico": calico} {
		for _, encoding := range []string{"UTF-8", "UTF-16"} {
			m := rke2Recording(t, "", files)
			for file, f := range m {
				raw := slices.ContainsFunc(rawCopies, func(raw string) bool {
					return strings.HasPrefix(file, raw)
				})
				if encoding == "UTF-16" && !raw {
					f.Data = utf16(t, files[file])
				}
			}
			s := load(t, m)
			if found, _ := judged(t, s); len(found) > 0 {
				t.Errorf("%s in %s: found %q", name, encoding, found)
			}
			for _, k := range []interface {
				Gap(evidence.Snapshot) evidence.Gap
			}{evidence.OSInfo, evidence.Services, evidence.Processes, evidence.MemoryInfo,
				evidence.Disks, evidence.Hotfixes, evidence.Adapters, evidence.Routes,
				evidence.HNSNetworks, evidence.HNSEndpoints, evidence.CRI, evidence.WindowsEvents,
				evidence.Env} {
				if gap := k.Gap(s); gap.Kind != "" {
					t.Errorf("%s in %s: %s", name, encoding, gap)
				}
			}
		}
	}
}

const rke2Calico = `{
  "name": "Calico",
  "cniVersion": "0.3.1",
  "type": "calico",
  "windows_use_single_network": true,
  "mode": "vxlan",
  "vxlan_mac_prefix": "0E-2A",
  "vxlan_vni": 4096,
  "policy": {"type": "k8s"},
  "capabilities": {"dns": true},
  "DNS": {"Nameservers": ["10.43.0.10"], "Search": ["svc.cluster.local"]},
  "datastore_type": "kubernetes",
  "kubernetes": {"kubeconfig": "C:\\var\\lib\\rancher\\rke2\\agent\\calico.kubeconfig"},
  "ipam": {"type": "calico-ipam"},
  "policies": [
    {"Name": "EndpointPolicy", "Value": {"Type": "OutBoundNAT", "ExceptionList": ["10.43.0.0/16", "10.42.0.0/16"]}},
    {"Name": "EndpointPolicy", "Value": {"Type": "SDNROUTE", "DestinationPrefix": "10.43.0.0/16", "NeedEncap": true}}
  ]
}
`
