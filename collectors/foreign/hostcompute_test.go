package foreign

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
)

const (
	firstSandbox  = "5fef401a09d8c3d2a3593dcd5cef84cad440b4ca75eb4ce9a3d557038b90f0f2"
	secondSandbox = "a3993a0cbe404d658f963954b61d35b0b7d5b98d31b1c2f4fa35f5c17070ea29"
)

func TestComputeSystemsAndShims(t *testing.T) {
	// An id and an indented line below it: Microsoft's TSS reads the state from there too.
	hcs := textFile{name: "hcsdiag.txt", content: firstSandbox + `
    Windows Server Container,  	Running, 6B5BCF6A-0B5C-5B7E-8F4E-6A6F0B1B8A11, containerd-shim-runhcs-v1.exe

9C3F1A5E-4B9C-4D6C-9B6B-8B0C5E8C7A11
    VM,                         SavedAsTemplate, 9C3F1A5E-4B9C-4D6C-9B6B-8B0C5E8C7A11, CmService
` + secondSandbox + " Windows Server Container, Running, 0, containerd-shim-runhcs-v1.exe\n"}
	shims := textFile{name: "shims", content: "Shim \t Pid\nk8s.io-" + firstSandbox + " \t 4212\n" +
		"k8s.io-" + secondSandbox + "\n"}
	got, gap := readCompute(hcs, shims)
	want := evidence.Compute{
		Systems: []evidence.ComputeSystem{
			{ID: firstSandbox, Type: "Container", State: "Running",
				Owner: "containerd-shim-runhcs-v1.exe"},
			{ID: "9C3F1A5E-4B9C-4D6C-9B6B-8B0C5E8C7A11", Type: "VirtualMachine",
				State: "SavedAsTemplate", Owner: "CmService"},
			{ID: secondSandbox, Type: "Container", State: "Running",
				Owner: "containerd-shim-runhcs-v1.exe"}},
		Shims: []evidence.Shim{{Namespace: "k8s.io", ID: firstSandbox, PID: 4212},
			{Namespace: "k8s.io", ID: secondSandbox}},
	}
	if diff := cmp.Diff(want, got); diff != "" || gap.Kind != "" {
		t.Error(gap, diff)
	}
	refused := textFile{content: "Error: Access is denied. (0x80070005)\n"}
	if got, gap := readCompute(refused, textFile{gap: evidence.Gap{Kind: "x"}}); gap.Kind == "" {
		t.Errorf("a refusal becomes %v", got)
	}
}

// TestWhatCollectorsKnowOfTheHost: the SDN folder and the zip of AKS have these files under their own
// names, and in the zip with stamps.
func TestWhatCollectorsKnowOfTheHost(t *testing.T) {
	const (
		hcs = firstSandbox + "\n    Windows Server Container, Running, x, containerd-shim-runhcs-v1.exe\n"
		vfp = "Policy for port : F2A203DC-F7AB-4354-B969-8F60C466685A\nCommand list-rule succeeded!\n  Blocked : FALSE\n"
		wfp = "<netEvents><netEvent><header><localPort>21</localPort></header>" +
			"<type>FWPM_NET_EVENT_TYPE_CLASSIFY_DROP</type></netEvent></netEvents>\n"
	)
	sdn := fstest.MapFS{}
	for name, content := range map[string]string{"network.txt": "[]", "endpoint.txt": "[]",
		"policy.txt": "[]", "ports.txt": "", "hcsdiag.txt": hcs, "vfpOutput.txt": vfp,
		"wfp/netevents.xml": wfp} {
		sdn[name] = &fstest.MapFile{Data: []byte(content), ModTime: collected}
	}
	zip := aksZip(t)
	for name, content := range map[string]string{
		"20240903-081500-hcsdiag-list.txt":            hcs,
		"20240903-081500-shimdiag-list-with-pids.txt": "Shim \t Pid\nk8s.io-" + firstSandbox + " \t 42\n",
		"vfpOutput.txt": vfp, "wfp/netevents.xml": wfp,
		"CSEResult.log": "0\n", "windowsnodereset.log": "2024-09-03T08:14:51+00:00: Entering windowsnodereset.ps1\n"} {
		zip[name] = &fstest.MapFile{Data: []byte(content), ModTime: collected}
	}
	for name, recorded := range map[string]fstest.MapFS{"sdn": sdn, "aks": zip} {
		s := load(t, recorded)
		compute := evidence.ComputeInfo.In(s)
		if len(compute.Systems) != 1 || compute.Systems[0].ID != firstSandbox {
			t.Errorf("%s: compute systems are %+v (%s)", name, compute, evidence.ComputeInfo.Gap(s))
		}
		ports := evidence.VFPPorts.In(s)
		if len(ports) == 0 || ports[len(ports)-1].Blocked == nil {
			t.Errorf("%s: ports of VFP are %+v (%s)", name, ports, evidence.VFPPorts.Gap(s))
		}
		if evidence.WFPInfo.In(s).Total != 1 {
			t.Errorf("%s: drops of WFP are %+v (%s)", name, evidence.WFPInfo.In(s),
				evidence.WFPInfo.Gap(s))
		}
		if name == "aks" && (len(compute.Shims) != 1 || s.File(`C:\AzureData\CSEResult.log`).Text == "" ||
			s.File(`C:\k\windowsnodereset.log`).Text == "") {
			t.Errorf("aks: shims are %+v; the scripts left %+v and %+v", compute.Shims,
				s.File(`C:\AzureData\CSEResult.log`), s.File(`C:\k\windowsnodereset.log`))
		}
	}
}
