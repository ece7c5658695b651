package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

func TestAKSZip(t *testing.T) {
	s := load(t, aksZip(t))
	if m := s.Meta(); m.Node != "aksnpwin000002" || m.Source != "aks-collect-windows-logs" ||
		m.CollectedAt.Format(time.RFC3339) != "2024-09-03T10:02:00Z" {
		t.Errorf("meta is %+v", m)
	}
	if os := evidence.OSInfo.In(s); os.Build != 20348 || os.UBR != 0 {
		t.Errorf("winver.txt knows no revision, os is %+v", os)
	}
	node := evidence.Node.In(s)
	if i := node.Status.NodeInfo; i.KernelVersion != "10.0.20348.2655" ||
		i.KubeletVersion != "v1.31.7" || i.ContainerRuntimeVersion != "containerd://1.7.27" {
		t.Errorf("node info is %+v", i)
	}
	if c, ok := node.Condition("Ready"); !ok || c.Status != "True" || c.Reason != "KubeletReady" ||
		c.LastTransitionTime.Format(time.RFC3339) != "2024-08-31T08:15:40Z" {
		t.Errorf("Ready is %+v", c)
	}
	if node.Metadata.Labels["kubernetes.azure.com/agentpool"] != "npwin" ||
		!strings.HasPrefix(node.Spec.ProviderID, "azure:///") || len(node.Spec.Taints) != 1 ||
		node.InternalIPs()[0] != "10.224.4.50" {
		t.Errorf("node is %+v", node)
	}
	m := evidence.MemoryInfo.In(s)
	if m.AvailableBytes != 8192<<20 || m.TotalBytes != 0 ||
		fmt.Sprint(m.PageFiles) != `[{D:\pagefile.sys 8589934592 true}]` {
		t.Errorf("memory is %+v (%s)", m, evidence.MemoryInfo.Gap(s))
	}
	if d := evidence.Disks.In(s); len(d) != 2 || d[1].Drive != "D:" || d[1].TotalBytes>>30 != 31 ||
		d[1].FreeBytes>>30 != 22 {
		t.Errorf("disks are %+v (%s)", d, evidence.Disks.Gap(s))
	}
	p := evidence.Processes.In(s)
	if i := slices.IndexFunc(p, func(p evidence.Process) bool {
		return p.Name == "kubelet"
	}); i < 0 || p[i].PID != 3560 || len(p) != 18 {
		t.Errorf("processes are %+v (%s)", p, evidence.Processes.Gap(s))
	}
	cri := evidence.CRI.In(s)
	if len(cri.Images) != 2 || len(cri.Images[0].RepoTags) != 2 || len(cri.Sandboxes) != 1 ||
		cri.Sandboxes[0].State != "SANDBOX_READY" || cri.Version.RuntimeVersion != "v1.7.27" {
		t.Errorf("cri is %+v (%s)", cri, evidence.CRI.Gap(s))
	}
	if v := cri.ConfigValue("sandboxImage"); v != "" {
		t.Errorf("config.toml tells the pause image, and the tables say %s", v)
	}
	wantGap(t, evidence.NotCollected, evidence.PodEvents.Gap(s),
		evidence.FirewallInfo.Gap(s), evidence.HNSVersion.Gap(s),
		s.File(`C:\run\flannel\subnet.env`).Gap)
	if gap := s.File(`C:\run\flannel\subnet.env`).Gap; !strings.Contains(gap.String(), aksTool) ||
		!strings.Contains(gap.String(), "collect ") {
		t.Errorf("%q does not say who did not look, and what to collect", gap)
	}
}

func TestAKSLogsAndFilesHaveTheirPlaces(t *testing.T) {
	m := aksZip(t)
	m["WER-20240903-095941.zip"] = &fstest.MapFile{Data: []byte("PK\x03\x04"), ModTime: collected}
	s := load(t, m)
	for _, name := range []string{"logs/kubelet/kubelet.err.log",
		"logs/kubelet/kubelet.err-20240902T221530.123.log", "logs/kube-proxy/kubeproxy.err.log",
		"logs/containerd/containerd.err.log",
		"logs/csi-proxy/csi-proxy.log", "logs/cni/azure-vnet.log",
		"logs/hosts-config-agent/hosts-config-agent.log", "logs/aks/CustomDataSetupScript.log",
		"files/C/k/azurecni/netconf/10-azure.conflist", "files/C/k/kubeclusterconfig.json",
		"files/C/Program Files/containerd/config.toml",
		"original/20240903-095941-containerd-toml.txt", "original/kubectl-describe-pods.log",
		"original/WER-20240903-095941.zip"} {
		if !slices.Contains(s.Paths(), name) {
			t.Errorf("%s is not there", name)
		}
	}
	for _, p := range s.Paths() {
		if !strings.HasPrefix(p, "original/") && (strings.Contains(p, "containerd-toml") ||
			strings.Contains(p, "kubectl-") || strings.Contains(p, "WER")) {
			t.Errorf("%s has a place in the layout", p)
		}
	}
	if f := s.File(`C:\Program Files\containerd\config.toml`); !strings.Contains(f.Text,
		"pause:3.9") {
		t.Errorf("config.toml reads %q", f.Text)
	}
	records := evidence.FileIndex.In(s)
	if !slices.ContainsFunc(records, func(r evidence.FileRecord) bool {
		return r.Path == `C:\k\azurecni\netconf\10-azure.conflist` && r.Outcome == "copied" &&
			r.Bytes != nil && *r.Bytes > 0
	}) {
		t.Errorf("files.json is %+v", records)
	}
	if exists, known := s.File(`C:\ProgramData\containerd\root\panic.log`).Exists(); exists ||
		!known {
		t.Errorf("the transcript says that there is no panic.log: exists %v, known %v", exists,
			known)
	}
}

func TestAKSWithoutItsConfigurationTakesThePauseImageFromTables(t *testing.T) {
	tests := []struct{ name, images, containers, want string }{
		// two tags of it: which one is configured is not known
		{"one image of that name", aksFilesOf()["20240903-095941-cri-containerd-images.txt"], "",
			""},
		{"one tag of that name",
			"IMAGE                TAG       IMAGE ID       SIZE\nexample.com/pause    3.9       a9f24f4bd3e2   104MB\n", "", "example.com/pause:3.9"},
		{"the one that containers run", aksFilesOf()["20240903-095941-cri-containerd-images.txt"],
			"CONTAINER    IMAGE                                         RUNTIME\nd9d43e92     mcr.microsoft.com/oss/kubernetes/pause:3.9    io.containerd.runhcs.v1\n", "mcr.microsoft.com/oss/kubernetes/pause:3.9"},
		{"an error in place of a table",
			"crictl.exe : time=\"2024-09-03T09:59:59Z\" level=fatal msg=\"validate service connection\"\n", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, aksZip(t, "config.toml", "-", "20240903-095941-cri-containerd-images.txt",
				tt.images, "containers.txt", tt.containers))
			if got := evidence.CRI.In(s).ConfigValue("sandboxImage"); got != tt.want {
				t.Errorf("the pause image is %q, want %q", got, tt.want)
			}
			wantGap(t, evidence.NotCollected, s.File(`C:\Program Files\containerd\config.toml`).Gap)
		})
	}
}

func TestAKSStepsThatFailed(t *testing.T) {
	failed := strings.Replace(aksFilesOf()[aksTranscript], "Exporting ETW events to CSV files\n", `Exporting ETW events to CSV files
Get-WinEvent : Attempted to perform an unauthorized operation.
At C:\k\debug\collect-windows-logs.ps1:120 char:8
+ $scm = Get-WinEvent -FilterHashtable @{logname = 'System'
+        ~~~~~~~~~~~~
    + CategoryInfo          : NotSpecified: (:) [Get-WinEvent], UnauthorizedAccessException
    + FullyQualifiedErrorId : Attempted to perform an unauthorized operation.,Microsoft.PowerShell.Commands.GetWinEventCommand

crictl.exe command not available
Error: Failed to run kubectl, result: Unable to connect to the server: dial tcp: i/o timeout
`, 1)
	s := load(t, aksZip(t, aksTranscript, failed, "20240903-095941_services.csv", "",
		"20240903-095941_hyper-v-compute-operational.csv", "-",
		"20240903-095941-cri-containerd-images.txt", "-", "20240903-095941-cri-containerd-pods.txt",
		"-", "20240903-095941-cri-containerd-containers.txt", "-",
		"20240903-095941-containerd-info.txt", "-",
		"kubectl-describe-nodes.log", "-", "kubectl-describe-pods.log", "-"))
	for what, tt := range map[string]struct {
		gap  evidence.Gap
		says string
	}{
		"events": {evidence.WindowsEvents.Gap(s), "unauthorized operation"},
		"cri":    {evidence.CRI.Gap(s), "crictl.exe command not available"},
		"node":   {evidence.Node.Gap(s), "Unable to connect to the server"},
	} {
		if !strings.Contains(tt.gap.String(), tt.says) {
			t.Errorf("%s: gap %q does not say %q", what, tt.gap, tt.says)
		}
	}
}

func TestAKSIsRecognisedByContent(t *testing.T) {
	f := &fstest.MapFile{Data: []byte("x")}
	under := func(dir string, names ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for _, n := range names {
			m[dir+n] = f
		}
		return m
	}
	tests := []struct {
		name string
		tree fstest.MapFS
		want string
	}{
		{"zipped again", under("ticket/acme/", aksTranscript, "network.txt", "endpoint.txt",
			"winevt/a.evtx"), "[{aks-collect-windows-logs ticket/acme acme}]"},
		{"without its transcript", under("n/", "20240820-091501_services.csv",
			"kubeclusterconfig.json", "network.txt", "endpoint.txt"),
			"[{aks-collect-windows-logs n n}]"},
		{"a copy of the folder C:\\k and the folder of collectlogs",
			under("k/", "kubeclusterconfig.json", "azure-vnet.json", "bootstrap-config",
				"debug/a/network.txt", "debug/a/endpoint.txt"), "[{sdn-collectlogs k/debug/a a}]"},
		{"the folder of collectlogs alone", under("n/", "network.txt", "endpoint.txt"),
			"[{sdn-collectlogs n n}]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nodes, err := Find(tt.tree)
			if got := fmt.Sprint(nodes); err != nil || got != tt.want {
				t.Errorf("found %s (%v), want %s", got, err, tt.want)
			}
		})
	}
}

func TestAKSPodEvents(t *testing.T) {
	pods := strings.Replace(aksPodsDescribed, "Events:           <none>\n", `Events:
  Type     Reason                  Age                  From               Message
  ----     ------                  ----                 ----               -------
  Normal   Scheduled               16m                  default-scheduler  Successfully assigned shop/web-6d5f7c-abcde to aksnpwin000002
  Warning  FailedCreatePodSandBox  2m (x5 over 10m30s)  kubelet            Failed to create pod sandbox: rpc error: code = Unknown
`, 1)
	s := load(t, aksZip(t, "kubectl-describe-pods.log", pods))
	events := evidence.PodEvents.In(s)
	if len(events) != 2 {
		t.Fatalf("events are %+v (%s)", events, evidence.PodEvents.Gap(s))
	}
	e := events[1]
	if e.Reason != "FailedCreatePodSandBox" || e.Type != "Warning" || e.Count != 5 ||
		e.About().Namespace != "shop" || e.About().Kind != "Pod" ||
		!strings.HasSuffix(e.Text(), "code = Unknown") ||
		e.At().Format(time.TimeOnly) != "10:00:00" {
		t.Errorf("event is %+v at %s", e, e.At())
	}
}

func TestEmptyLogsAreNoLogs(t *testing.T) {
	s := load(t, aksZip(t))
	if slices.Contains(s.Paths(), "logs/kubelet/kubelet.log") ||
		!slices.Contains(s.Paths(), "original/kubelet.log") {
		t.Error("the empty one of the kubelet's logs has a place among the logs")
	}
	wantGap(t, "", s.GapAt("logs/kubelet/"))
	s = load(t, aksZip(t, "kubelet.err.log", "", "kubelet.err-20240902T221530.123.log", ""))
	wantGap(t, evidence.Error, s.GapAt("logs/kubelet/"))
}
