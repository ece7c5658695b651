package foreign

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

// guestLogs is WindowsAzure\Logs\aks as loggenerator.ps1 of AgentBaker leaves it: links to the
// logs, and outputs without stamps.
func guestLogs(t *testing.T, root string) fstest.MapFS {
	t.Helper()
	kept := []string{"kubelet.log", "kubelet.err.log", "kubeproxy.err.log", "containerd.err.log",
		"csi-proxy.log", "azure-vnet.log", "azure-vnet.json", "kubeclusterconfig.json",
		"config.toml", "10-azure.conflist", "disk-usage.txt", "available-memory.txt"}
	m := fstest.MapFS{}
	for name, file := range aksZip(t) {
		_, unstamped, stamped := strings.Cut(name, "-cri-containerd-")
		switch {
		case stamped:
			m[path.Join(root, "cri-containerd-"+unstamped)] = file
		case strings.HasSuffix(name, "-containerd-info.txt"):
			m[path.Join(root, "containerd-info.txt")] = file
		case slices.Contains(kept, name):
			m[path.Join(root, name)] = file
		}
	}
	m[path.Join(root, "windowsnodereset.log")] = &fstest.MapFile{Data: []byte(
		"2024-09-03T08:14:51 Starting\n"), ModTime: collected}
	return m
}

func TestGuestLogsOfAKS(t *testing.T) {
	const root = "guest/WindowsAzure/Logs/aks"
	s := load(t, guestLogs(t, root))
	if m := s.Meta(); m.Node != "aksnpwin000002" || m.Source != "aks-collect-windows-logs" {
		t.Errorf("meta is %+v", m)
	}
	cri := evidence.CRI.In(s)
	if len(cri.Images) != 2 || len(cri.Sandboxes) != 1 || cri.Version.RuntimeVersion != "v1.7.27" {
		t.Errorf("cri is %+v (%s)", cri, evidence.CRI.Gap(s))
	}
	if len(evidence.Disks.In(s)) != 2 || evidence.MemoryInfo.In(s).AvailableBytes == 0 {
		t.Errorf("disks are %s, memory %s", evidence.Disks.Gap(s), evidence.MemoryInfo.Gap(s))
	}
	for _, name := range []string{"logs/kubelet/kubelet.err.log", "logs/cni/azure-vnet.log",
		"logs/aks/windowsnodereset.log", "files/C/k/kubeclusterconfig.json",
		"files/C/Program Files/containerd/config.toml"} {
		if !slices.Contains(s.Paths(), name) {
			t.Errorf("%s is missing", name)
		}
	}
	if found, _ := judged(t, s); len(found) > 0 {
		t.Errorf("a healthy node has the faults %q", found)
	}
}

// TestInspectedDiskOfAKS: the links are empty in an inspection of the disk, and what they lead to
// was copied from its own place.
func TestInspectedDiskOfAKS(t *testing.T) {
	const root = "disk/WindowsAzure/Logs/aks"
	m := guestLogs(t, root)
	for from, to := range map[string]string{"kubelet.err.log": "disk/k/kubelet.err.log",
		"azure-vnet.log": "disk/k/azurecns/azure-vnet.log",
		"config.toml":    "disk/Program Files/containerd/config.toml"} {
		m[to] = m[path.Join(root, from)]
		m[path.Join(root, from)] = &fstest.MapFile{ModTime: collected}
	}
	s := load(t, m)
	for _, name := range []string{"logs/kubelet/kubelet.err.log", "logs/cni/azure-vnet.log",
		"files/C/Program Files/containerd/config.toml"} {
		if !slices.Contains(s.Paths(), name) {
			t.Errorf("%s is missing", name)
		}
	}
	if found, _ := judged(t, s); len(found) > 0 {
		t.Errorf("a healthy node has the faults %q", found)
	}
}

func TestWhatIsNoRecordingOfGuestLogs(t *testing.T) {
	for name, row := range map[string]struct {
		root string
		kept func(name string) bool
		want bool
	}{
		"the whole":    {"x/WindowsAzure/Logs/aks", func(string) bool { return true }, true},
		"another root": {"upload", func(string) bool { return true }, true},
		"a copy of C:\\k": {"k", func(name string) bool { return !strings.HasSuffix(name, ".txt") },
			false},
		"logs alone below the tool's folder": {"WindowsAzure/Logs/aks", func(name string) bool {
			return strings.HasSuffix(name, ".log")
		}, true},
	} {
		m := guestLogs(t, row.root)
		maps.DeleteFunc(m, func(name string, _ *fstest.MapFile) bool { return !row.kept(name) })
		nodes, _ := Find(m)
		if got := len(nodes) == 1 && nodes[0].Format == aks.name; got != row.want {
			t.Errorf("%s: found %v", name, nodes)
		}
	}
}

func TestPodsAndNodesOfAKSFromKubectl(t *testing.T) {
	s := load(t, aksZip(t, "kubectl-describe-pods.log", "kubectl describe all pods on x\n"+
		describedPodText, "winver.txt", "-"))
	pods := evidence.Pods.In(s)
	if len(pods) != 1 || pods[0].Statuses()[0].RestartCount != 12 ||
		pods[0].Statuses()[0].LastState.Terminated.ExitCode != 3221225794 {
		t.Errorf("the pods are %+v (%s)", pods, evidence.Pods.Gap(s))
	}
	if os := evidence.OSInfo.In(s); os.Build != 20348 || os.UBR != 2655 {
		t.Errorf("os is %+v", os)
	}
	if nodes := evidence.Nodes.In(s); len(nodes) != 1 ||
		nodes[0].Status.NodeInfo.KubeletVersion != "v1.31.7" {
		t.Errorf("the nodes are %+v", nodes)
	}
}
