package foreign

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"doctor/checks/evidence"
)

const capzRoot = "artifacts/clusters/capz-e2e-x/machines/capz-e2e-x-md-win-abcde"

// capzMachine is the folder of one Windows machine, with the names and commands of
// test/e2e/azure_logcollector.go of kubernetes-sigs/cluster-api-provider-azure.
func capzMachine(t *testing.T, changes ...string) fstest.MapFS {
	t.Helper()
	sdn := overlay2022()
	_, endpoints, _ := strings.Cut(sdn["endpoint.txt"], "\n")
	table, _, _ := strings.Cut(endpoints, "\n{")
	table, _, _ = strings.Cut(table, "\n[")
	files := map[string]string{
		"network.log":                     "\nName Type ID AddressPrefix\n---- ---- -- -------------\nnat  nat  1\n",
		"network-detailed.log":            "[" + overlayNetwork + "]\n",
		"network-individual-detailed.log": "[" + overlayNetwork + "]\n",
		"hnsendpoints.log":                table,
		"hnsendpolicy-detailed.log":       sdn["policy.txt"],
		"hnsdiag.txt":                     "Networks:\n" + overlayNetwork + "\nEndpoints:\n" + podEndpoint + "\n" + remoteEndpoint + "\n",
		"ipconfig.log":                    ipEnglish,
		"services.log":                    serviceTable(),
		"scm.log": `
TimeCreated             Id LevelDisplayName Message
-----------             -- ---------------- -------
9/3/2024 9:58:00 AM   7031 Error            The kubelet service terminated
                                            unexpectedly. It has done this 1 time(s).
8/31/2024 9:40:00 AM  7036 Information      The containerd service entered the running state.

`,
		"hyperv-operation.log":      "",
		"containerd-containers.log": "CONTAINER    IMAGE                                         RUNTIME\nabc          mcr.microsoft.com/oss/kubernetes/pause:3.9    io.containerd.runhcs.v1\n",
		"kubelet.log":               "kubelet.exe.WIN-1.log.INFO\n" + kubeletLines,
		"containerd.log":            containerdLines,
		"cni.log":                   "",
		"cloudbase-init.log":        "2024-09-03 09:00:00.1 DEBUG\n",
	}
	m := fstest.MapFS{}
	for name, content := range with(files, changes...) {
		m[path.Join(capzRoot, name)] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(content,
			"\n", "\r\n")), ModTime: collected}
	}
	return m
}

func TestACopiedFolderIsAsOldAsItsEvents(t *testing.T) {
	m := capzMachine(t)
	for _, file := range m {
		file.ModTime = collected.AddDate(1, 0, 0)
	}
	want := time.Date(2024, 9, 3, 9, 58, 0, 0, time.UTC)
	if got := load(t, m).Meta().CollectedAt; !got.Equal(want) {
		t.Errorf("it was collected at %s, want %s", got, want)
	}
}

func TestArtifactsOfClusterAPIAzure(t *testing.T) {
	m := capzMachine(t)
	m["artifacts/clusters/capz-e2e-x/machines/capz-e2e-x-control-plane-1/kubelet.log"] =
		&fstest.MapFile{Data: []byte("Sep 03 10:00:00.1 cp kubelet[1]: E0903 10:00:00.1 1 x.go:1] failed\n")}
	s := load(t, m)
	if meta := s.Meta(); meta.Node != "win-1" || meta.Source != "capz-artifacts" {
		t.Errorf("meta is %+v", meta)
	}
	if n := evidence.HNSNetworks.In(s); len(n) != 1 || n[0].Name != "flannel.4096" {
		t.Errorf("the networks are %+v (%s)", n, evidence.HNSNetworks.Gap(s))
	}
	if e := evidence.HNSEndpoints.In(s); len(e) != 2 {
		t.Errorf("the endpoints are %+v (%s)", e, evidence.HNSEndpoints.Gap(s))
	}
	if evidence.HNSLoadBalancers.Gap(s).Kind != "" || evidence.Adapters.Gap(s).Kind != "" {
		t.Errorf("%s, %s", evidence.HNSLoadBalancers.Gap(s), evidence.Adapters.Gap(s))
	}
	events := evidence.WindowsEvents.In(s)
	if len(events) != 1 || events[0].ID != 7031 || events[0].Message !=
		"The kubelet service terminated unexpectedly. It has done this 1 time(s)." ||
		events[0].Time.Format(time.RFC3339) != "2024-09-03T09:58:00Z" {
		t.Errorf("the events of the last day are %+v (%s)", events, evidence.WindowsEvents.Gap(s))
	}
	if image := evidence.CRI.In(s).ConfigValue("sandboxImage"); !strings.HasSuffix(image,
		"pause:3.9") {
		t.Errorf("the sandbox image is %q", image)
	}
	if svc := evidence.Services.In(s); !slices.ContainsFunc(svc, func(s evidence.Service) bool {
		return s.Name == "kubelet" && s.State == "stopped"
	}) {
		t.Errorf("the services are %+v (%s)", svc, evidence.Services.Gap(s))
	}
	if logs := s.LogFiles(""); !slices.Equal(logs, []string{"logs/containerd/containerd.log",
		"logs/kubelet/kubelet.log"}) {
		t.Errorf("the logs are %q", logs)
	}
}

func TestPartsOfArtifactsOfClusterAPIAzure(t *testing.T) {
	for _, row := range []struct {
		name, file, want string
		changes          []string
	}{
		{"ssh broke off in the networks", "hns-networks.json", "its JSON ends early",
			[]string{"network-detailed.log", "[\n" + overlayNetwork + ",\n",
				"network-individual-detailed.log", "", "hnsdiag.txt", "-"}},
		{"no file of services", "services.json", "services.log is not in the folder",
			[]string{"services.log", "-"}},
		{"no event log", "events.json", "show no event", []string{"scm.log", "-"}},
		{"an error in place of events", "events.json", "show no event",
			[]string{"scm.log", "Get-WinEvent : No events were found\n"}},
		{"no containers", "cri.json", "collect `crictl info`",
			[]string{"containerd-containers.log", "ctr: failed to dial\n"}},
	} {
		nodes, err := Find(capzMachine(t, row.changes...))
		if err != nil || len(nodes) != 1 {
			t.Fatalf("%s: %v, %v", row.name, nodes, err)
		}
		tree, err := nodes[0].Evidence(capzMachine(t, row.changes...))
		if err != nil {
			t.Fatal(err)
		}
		if got := written(tree, row.file); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s is %s", row.name, row.file, got)
		}
	}
}

func FuzzWrappedEvents(f *testing.F) {
	f.Add("\nTimeCreated   Id LevelDisplayName Message\n----------- -- ---------------- -------\n9/3/2024 9:58:00 AM 7031 Error  m\n  x\n")
	f.Fuzz(func(t *testing.T, s string) {
		src := &source{texts: map[string]textFile{"scm.log": {name: "scm.log", content: s}}}
		for _, e := range readWrapped(src, "scm.log", "p").events {
			if e.ID <= 0 || e.stamp == "" {
				t.Errorf("an event without id or time: %+v", e)
			}
		}
	})
}
