package foreign

import (
	"strings"
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

func TestPortsOfVFP(t *testing.T) {
	ports := textFile{content: `ITEM LIST
===========

  Port name             : F2A203DC-F7AB-4354-B969-8F60C466685A
  Port Friendly name    : B5F4E943-756D-4EE8-A70C-DF5AD7C74715
  Switch name           : 04F2CC76-AE71-4E04-9B0B-D3F27D8BC4E3
  Switch Friendly name  : ext
  PortId                : 3
  MAC address           : 00155D625A1E

  Port name             : 4FD72AB0-2C35-4AE7-AC9A-F893495BD5EF
  Port Friendly name    : ExternalPort
Command list-vmswitch-port succeeded!
`}
	policies := textFile{content: `Port name                            Mac Address  PortId
---------                            -----------  ------
F2A203DC-F7AB-4354-B969-8F60C466685A 00155D625A1E 3

Policy for port :
F2A203DC-F7AB-4354-B969-8F60C466685A
ITEM LIST
===========
  LAYER : LB_DSR
    GROUP : LB_DSR_IPv4_OUT
      RULE : LB_DSR_10a1b_10.224.0.6_10.0.0.10_53_53_17
        Friendly name : LB_DSR_10a1b_10.224.0.6_10.0.0.10_53_53_17
  LAYER : SLB_NAT_LAYER
      RULE : SNAT_TCP_OUTBOUNDNAT_54194_10.180.160.134
Command list-rule succeeded!
PORT STATE
  Enabled : TRUE
  Blocked : TRUE
Command get-port-state succeeded!
Policy for port Name:  4FD72AB0-2C35-4AE7-AC9A-F893495BD5EF
Command list-rule succeeded!
  Blocked : FALSE
`}
	got, gap := readVFP(ports, policies)
	yes, no := true, false
	want := []evidence.VFPPort{
		{Name: "F2A203DC-F7AB-4354-B969-8F60C466685A",
			Friendly: "B5F4E943-756D-4EE8-A70C-DF5AD7C74715", MAC: "00-15-5D-62-5A-1E",
			Switch: "04F2CC76-AE71-4E04-9B0B-D3F27D8BC4E3", Blocked: &yes,
			DSRRules: []string{"LB_DSR_10a1b_10.224.0.6_10.0.0.10_53_53_17"}},
		{Name: "4FD72AB0-2C35-4AE7-AC9A-F893495BD5EF", Friendly: "ExternalPort", Blocked: &no,
			DSRRules: []string{}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(evidence.VFPPort{}.Placed)); diff != "" ||
		gap.Kind != "" {
		t.Error(gap, diff)
	}
	if _, gap := readVFP(ports, textFile{gap: evidence.Gap{Kind: "x"}}); gap.Kind == "" {
		t.Error("no dump is no gap")
	}
	if _, gap := readVFP(textFile{}, textFile{content: "'vfpctrl' is not recognized"}); gap.Kind == "" {
		t.Error("a dump without a port is no gap")
	}
}

// dropEvent is one event as `netsh wfp show netevents` of Windows 10 and Server 2019 writes it, from
// the documentation of Microsoft about app networking.
const dropEvent = `<netEvent>
    <header>
        <timeStamp>2026-11-20T09:58:41.123Z</timeStamp>
        <flags numItems="2"><item>FWPM_NET_EVENT_FLAG_IP_PROTOCOL_SET</item><item>x</item></flags>
        <ipVersion>FWP_IP_VERSION_V4</ipVersion>
        <ipProtocol>17</ipProtocol>
        <localAddrV4>255.255.255.255</localAddrV4>
        <remoteAddrV4>10.195.33.252</remoteAddrV4>
        <localPort>21</localPort>
        <remotePort>61706</remotePort>
        <appId><data>5c00</data>
            <asString>\.d.e.v.i.c.e.\.s.v.c.h.o.s.t...e.x.e...</asString></appId>
    </header>
    <type>FWPM_NET_EVENT_TYPE_CLASSIFY_DROP</type>
    <classifyDrop>
        <filterId>66241</filterId>
        <layerId>44</layerId>
        <msFwpDirection>MS_FWP_DIRECTION_IN</msFwpDirection>
    </classifyDrop>
    <internalFields><terminatingFiltersInfo numItems="1"><item><filterId>66241</filterId></item></terminatingFiltersInfo></internalFields>
</netEvent>
`

func TestDropsOfWFP(t *testing.T) {
	events := func(list ...string) textFile {
		return textFile{name: "netevents.xml", content: `<?xml version="1.0" encoding="utf-16"?>` +
			"\n<netEvents>\n" + strings.Join(list, "") + "</netEvents>\n"}
	}
	allowed := strings.ReplaceAll(dropEvent, "CLASSIFY_DROP", "CLASSIFY_ALLOW")
	again := strings.ReplaceAll(dropEvent, "61706", "61707")
	got, gap := readWFP(events(dropEvent, allowed, again))
	w, ok := got.(evidence.WFP)
	if gap.Kind != "" || !ok || w.Total != 2 || len(w.Drops) != 1 {
		t.Fatalf("%+v, %v", got, gap)
	}
	d := w.Drops[0]
	if d.Program != "svchost.exe" || d.Count != 2 || d.LocalPort != 21 || d.RemotePort != 0 ||
		d.Protocol != "udp" || d.Direction != "in" || d.Filter != "66241" || d.Last.IsZero() {
		t.Errorf("%+v", d)
	}
	items := strings.NewReplacer("<netEvent>", "<item>", "</netEvent>", "</item>").Replace(dropEvent)
	if got, _ := readWFP(events(items)); got.(evidence.WFP).Total != 1 {
		t.Errorf("the newer form: %+v", got)
	}
	if got, gap := readWFP(events()); gap.Kind != "" || got.(evidence.WFP).Total != 0 {
		t.Errorf("no events: %+v, %v", got, gap)
	}
	if got, gap := readWFP(textFile{name: "netevents.xml", content: "Access is denied."}); gap.Kind == "" {
		t.Errorf("a refusal becomes %+v", got)
	}
}

// TestWhatCollectorsKnowOfTheHost: the SDN folder and the zip of AKS have these files under their own
// names, and in the zip with stamps.
func TestWhatCollectorsKnowOfTheHost(t *testing.T) {
	const (
		hcs = firstSandbox + "\n    Windows Server Container, Running, x, containerd-shim-runhcs-v1.exe\n"
		vfp = "Policy for port : F2A203DC-F7AB-4354-B969-8F60C466685A\nCommand list-rule succeeded!\n  Blocked : FALSE\n"
		wfp = "<netEvents>\n" + dropEvent + "</netEvents>\n"
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
