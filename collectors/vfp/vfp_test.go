package vfp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
)

func TestPortsOfVFP(t *testing.T) {
	ports := `ITEM LIST
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
`
	policies := `Port name                            Mac Address  PortId
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
`
	got := Read(ports, policies)
	yes, no := true, false
	want := []evidence.VFPPort{
		{Name: "F2A203DC-F7AB-4354-B969-8F60C466685A",
			Friendly: "B5F4E943-756D-4EE8-A70C-DF5AD7C74715", MAC: "00-15-5D-62-5A-1E",
			Switch: "04F2CC76-AE71-4E04-9B0B-D3F27D8BC4E3", Blocked: &yes,
			DSRRules: []string{"LB_DSR_10a1b_10.224.0.6_10.0.0.10_53_53_17"}},
		{Name: "4FD72AB0-2C35-4AE7-AC9A-F893495BD5EF", Friendly: "ExternalPort", Blocked: &no,
			DSRRules: []string{}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(evidence.VFPPort{}.Placed)); diff != "" {
		t.Error(diff)
	}
	if got := Read("", "'vfpctrl' is not recognized"); len(got) != 0 {
		t.Errorf("a dump without a port is %+v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("  Port name : 4FD72AB0-2C35-4AE7-AC9A-F893495BD5EF\n", "Policy for port :\n"+
		"4FD72AB0-2C35-4AE7-AC9A-F893495BD5EF\nRULE : LB_DSR_1\nBlocked : TRUE\n")
	f.Fuzz(func(t *testing.T, ports, policies string) {
		rules := 0
		list := Read(ports, policies)
		for _, p := range list {
			rules += len(p.DSRRules)
		}
		if len(list) > maxPorts || rules > maxDSRRules {
			t.Errorf("%d ports, %d rules", len(list), rules)
		}
	})
}
