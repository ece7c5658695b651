package node

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
)

const (
	portList = "ITEM LIST\n===========\n\n  Port name             : F2A203DC-F7AB-4354-B969-8F60C466685A\n" +
		"  Port Friendly name    : B5F4E943-756D-4EE8-A70C-DF5AD7C74715\n  MAC address           : 00155D625A1E\n\n" +
		"Command list-vmswitch-port succeeded!\n"
	blockedPort = "PORT STATE\n  Enabled : TRUE\n  Blocked : TRUE\nCommand get-port-state succeeded!\n"
	dsrRules    = "ITEM LIST\n===========\n  RULE : LB_DSR_10a1b_10.224.0.6_10.0.0.10_53_53_17\nCommand list-rule succeeded!\n"
	oneDrop     = "<netEvents><netEvent><header><ipProtocol>6</ipProtocol><localPort>10250</localPort></header>" +
		"<type>FWPM_NET_EVENT_TYPE_CLASSIFY_DROP</type></netEvent></netEvents>"
)

func TestWhatVFPAndWFPShow(t *testing.T) {
	for _, row := range []struct {
		name     string
		printed  map[string]string // by the last argument
		err      error
		vfp, wfp string // what is recorded, or the kind of the gap
	}{
		{"all answer", map[string]string{"/list-vmswitch-port": portList,
			"/get-port-state": blockedPort, "/list-rule": dsrRules, "file=-": oneDrop}, nil,
			`[{"name":"F2A203DC-F7AB-4354-B969-8F60C466685A","friendly":"B5F4E943-756D-4EE8-A70C-DF5AD7C74715","mac":"00-15-5D-62-5A-1E","blocked":true,"dsrRules":["LB_DSR_10a1b_10.224.0.6_10.0.0.10_53_53_17"]}]`,
			`{"drops":[{"protocol":"tcp","localPort":10250,"count":1}],"total":1}`},
		{"a node without a virtual switch", map[string]string{
			"/list-vmswitch-port": "ITEM LIST\n\nCommand list-vmswitch-port succeeded!\n",
			"file=-":              "<netEvents></netEvents>"}, nil, `null`, `{"drops":[]}`},
		{"no right to ask", map[string]string{"/list-vmswitch-port": "ERROR: access is denied",
			"file=-": "The requested operation requires elevation."}, nil, "error", "error"},
		{"no such program", nil, fs.ErrNotExist, "absent", "error"},
		{"another system", nil, errors.ErrUnsupported, "unsupported", "unsupported"},
	} {
		t.Run(row.name, func(t *testing.T) {
			run := func(_ context.Context, _ string, args ...string) (string, error) {
				return row.printed[args[len(args)-1]], row.err
			}
			recorded := tree.New()
			collectors.Run(t.Context(), recorded, []collectors.Collector{
				{Name: "VFP", Answers: []string{evidence.VFPPorts.Path()}, Deadline: time.Minute,
					Read: vfpReader(run)},
				{Name: "WFP", Answers: []string{evidence.WFPInfo.Path()}, Deadline: time.Minute,
					Read: wfpReader(run)}}, func([]collectors.Reading) {})
			for path, want := range map[string]string{evidence.VFPPorts.Path(): row.vfp,
				evidence.WFPInfo.Path(): row.wfp} {
				got := ""
				if content, err := fs.ReadFile(recorded.FS(), path); err == nil {
					var v any
					if err := json.Unmarshal(content, &v); err != nil {
						t.Fatal(err)
					}
					got = strings.Join(strings.Fields(string(content)), "")
				} else if gap, err := fs.ReadFile(recorded.FS(), path+".gap"); err == nil {
					got, _, _ = strings.Cut(string(gap), ":")
				}
				if got != want {
					t.Errorf("%s is %s, want %s", path, got, want)
				}
			}
		})
	}
}
