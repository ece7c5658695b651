package faults_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// benign are texts that alarm a reader and mean nothing by themselves on
// Windows, each with the log in which nodes have it.
var benign = []struct{ log, text string }{
	{"kubelet", "eviction manager: no observation found for eviction signal nodefs.inodesFree"},
	{"kubelet", `"Eviction manager: no observation found for eviction signal" signal="containerfs.inodesFree"`},
	{"kubelet", "kubelet needs to run as uid `0`. It is being run as -1"},
	{"kubelet", "Could not get process start time, could not read /proc: CreateFile /proc: The system cannot find the file specified."},
	{"kubelet", "Unable to get cpu perf counter data; err: unable to collect data from counter. Error code is 800007d6"},
	{"kubelet", "while getting AWS credentials NoCredentialProviders: no valid providers in chain. Deprecated."},
	{"kubelet", "ResolvConfPath is empty."},
	{"kubelet", `eviction manager: failed to construct signal: "allocatableMemory.available" error: system container "pods" not found in metrics`},
	{"kubelet", "skipping pod synchronization - [container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]"},
	{"kubelet", "Flag --pod-infra-container-image has been deprecated, will be removed in a future release. This parameter should be set via the config file specified by the Kubelet's --config flag."},
	{"flanneld",
		"WARNING: The names of some imported commands from the module 'hns' include unapproved verbs that might make them less discoverable."},
	{"flanneld", "AliVpc is not supported on this platform"},
	{"flanneld", "AWS VPC is not supported on this platform"},
	{"flanneld", "ipip is not supported on this platform"},
	{"flanneld", "ipsec is not supported on this platform"},
	{"flanneld", "udp is not supported on this platform"},
	{"flanneld", "GCE is not supported on this platform"},
	{"flanneld", "unimplemented"},
	{"flanneld", "Starting flannel in windows mode..."},
	{"flanneld", "Found existing HNSNetwork cbr0"},
	{"flanneld", "Deleted stale HNSNetwork cbr0"},
	{"flanneld", "Waiting for the Network to be created"},
	{"flanneld", "Checking if node win-1 is already registered before starting flanneld"},
	{"flanneld", "Flanneld can't start because it can't find node win-1"},
	{"flanneld",
		`time="2026-11-20T09:00:00Z" level=fatal msg="FATA[0000] rpc error: code = Internal desc = could not create IP forward entry: The object already exists."`},
	{"kube-proxy",
		"Could not apply HostRoute policy for local host to local pod connectivity. This policy requires Windows 18321.1000.19h1_release.190117-1502 or newer"},
	{"kube-proxy",
		`"HCN feature check" supportedFeatures="{Acl:{AclAddressLists:true} RemoteSubnet:true HostRoute:false DSR:false VxlanPort:false IPv6DualStack:false}" version="{Major:9 Minor:5}"`},
	{"kube-proxy", "Could not find provider address for 10.1.2.3. Assuming it is a public IP"},
	{"kube-proxy", "Not syncing hns until Services and Endpoints have been received from master"},
	{"docker", "container 3f9a exited with exit code 0xc000013a"},
	{"other", "0/5 nodes are available: 2 node(s) had taint {os: windows}, that the pod didn't tolerate, 3 Insufficient cpu."},
	{"docker", "error pulling image configuration: Get https://mcr.microsoft.com/v2/windows/servercore/blobs/sha256:1f: dial tcp 1.2.3.4:443: i/o timeout"},
	{"kubelet", `Generic (PLEG): container finished podID="x" containerID="y" exitCode=-1073741510`},
}

// TestBenignTextsTripNoCheck puts each text into a recording that holds nothing else, so that no state can acquit.
func TestBenignTextsTripNoCheck(t *testing.T) {
	for i, b := range benign {
		if i%7 != 0 && testing.Short() {
			continue
		}
		for _, file := range []string{"logs/" + b.log + "/x.log", "logs/containerd/x.log"} {
			tree := shortMeta + "-- " + file + " --\nE1120 09:00:00.000000    1 x.go:1] " +
				strings.Repeat(b.text+"\n", 3)
			for _, result := range faultsOf(t, tree) {
				t.Errorf("%q in %s makes %s %s: %s", b.text, file, result.ID, result.Status,
					result.Findings[0].Message)
			}
		}
		event := fmt.Sprintf(
			`{"items":[{"reason":"Warning","message":%q,"lastTimestamp":"2026-11-20T09:59:00Z","involvedObject":{"kind":"Pod","namespace":"d","name":"web"}}]}`, b.text)
		for _, result := range faultsOf(t, shortMeta+"-- api/events.json --\n"+event+"\n") {
			t.Errorf("%q as an event makes %s %s: %s", b.text, result.ID, result.Status,
				result.Findings[0].Message)
		}
	}
}

// TestASymptomsTextTripsOnlyTheSymptom: the name is still reserved because something before it hangs.
func TestASymptomsTextTripsOnlyTheSymptom(t *testing.T) {
	line := "E1120 09:00:00.000000    1 x.go:1] failed to reserve sandbox name \"web_default_1\": name \"web_default_1\" is reserved for \"3f\"\n"
	for _, r := range faultsOf(t, shortMeta+"-- logs/kubelet/x.log --\n"+line) {
		if !faults.Catalogue().ByID(r.ID).Symptom {
			t.Errorf("it trips %s", r.ID)
		}
	}
}

func faultsOf(t *testing.T, tree string) []checks.Result {
	t.Helper()
	return slices.DeleteFunc(reportOf(t, tree).Results, func(r checks.Result) bool {
		return r.Status != checks.StatusFail && r.Status != checks.StatusWarn
	})
}

func reportOf(t *testing.T, tree string) checks.Report {
	t.Helper()
	s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(tree))))
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	return diagnose(s)
}
