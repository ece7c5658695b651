package foreign

import (
	"strings"
	"testing"

	"doctor/checks/evidence"
)

const zeroPorts = "ITEM LIST\n===========\n\nCommand list-vmswitch-port succeeded!\n"

func TestWhetherThereIsAnHNSNetwork(t *testing.T) {
	diagNone := "Networks:\n\nEndpoints:\n\nNamespaces:\n\nLoadBalancers:\n\n"
	empty := with(overlay2022(), "network.txt", "", "networkdetailed.txt", "", "endpoint.txt", "",
		"policy.txt", "", "namespaces.txt", "")
	tests := []struct {
		name  string
		files map[string]string
		count int
		gap   string // what the gap starts with and holds
	}{
		{"a bare object is a list of one", overlay2022(), 1, ""},
		{"an array of one", with(overlay2022(), "network.txt", "["+overlayNetwork+"]"), 1, ""},
		{"an array that PowerShell wrapped", with(overlay2022(), "network.txt",
			`{"value":[`+overlayNetwork+`],"Count":1}`), 1, ""},
		{"two documents after each other, then a table", with(overlay2022(), "network.txt",
			overlayNetwork+"\n"+strings.ReplaceAll(overlayNetwork, "7C1A", "8C1A")+
				"\nName Type\n---- ----\na    b\n"), 2, ""},
		{"an empty file", empty, 0,
			"error: network.txt is empty: the tool may have run without Administrator rights"},
		{"an empty file, and the switch has ports",
			with(empty, "hnsdiag.txt", "Usage: hnsdiag list <networks|endpoints|all> [-d]\n"), 0,
			"error: network.txt is empty"},
		{"an empty file, and hnsdiag has no network", with(empty, "hnsdiag.txt", diagNone), 0, ""},
		{"an empty file, and hnsdiag has the network",
			with(empty, "hnsdiag.txt", "Networks:\n"+overlayNetwork+"\nEndpoints:\n"), 1, ""},
		{"an empty file, and hnsdiag lists without objects",
			with(empty, "hnsdiag.txt", "Networks:\nName   ID\ncbr0   7C1A\n"), 0,
			"error: network.txt is empty"},
		{"an empty file, and hnsdiag breaks off",
			with(empty, "hnsdiag.txt", "Networks:\n{\"ID\": \"7C1A\",\n"), 0,
			"error: network.txt is empty"},
		{"an empty file, and the switch has no port", with(empty, "ports.txt", zeroPorts), 0, ""},
		{"an empty file, and the switch did not answer", with(empty, "ports.txt", ""), 0,
			"error: network.txt is empty"},
		{"an empty file, and the detailed one has it", with(empty, "networkdetailed.txt",
			overlayNetwork), 1, ""},
		{"a table's head without a row", with(overlay2022(), "network.txt",
			"\nName Type ID AddressPrefix\n---- ---- -- -------------\n\n", "networkdetailed.txt",
			""), 0, ""},
		{"a table whose JSON is missing", with(overlay2022(), "network.txt",
			"\nName Type\n---- ----\ncbr0 L2Bridge\n", "networkdetailed.txt", ""), 0,
			"error: network.txt: the JSON that follows its table is missing"},
		{"HNS's answer as it came", with(overlay2022(), "network.txt",
			`{"Success":true,"Output":[`+overlayNetwork+`]}`), 1, ""},
		{"JSON that breaks off, and the switch has no port", with(overlay2022(), "network.txt",
			"[\n"+overlayNetwork+",\n", "networkdetailed.txt", "", "ports.txt", zeroPorts,
			"hnsdiag.txt", diagNone), 0, "error: network.txt: its JSON ends early"},
		{"JSON that breaks off", with(overlay2022(), "network.txt", "[\n"+overlayNetwork+",\n",
			"networkdetailed.txt", ""), 0, "error: network.txt: its JSON ends early"},
		{"an error about rights", with(overlay2022(), "network.txt",
			"Get-HnsNetwork : Access is denied\nAt line:1 char:1\n    + CategoryInfo          : NotSpecified: (:) [Get-HnsNetwork]\n", "networkdetailed.txt", ""), 0, "denied: network.txt: Get-HnsNetwork : Access is denied; run the tool as Administrator"},
		{"an error about rights in Chinese", with(overlay2022(), "network.txt",
			"Get-HnsNetwork : 拒绝访问。\n", "networkdetailed.txt", ""), 0, "denied: "},
		{"another error", with(overlay2022(), "network.txt",
			"hnsCall failed in Win32: The service has not been started. (0x426)\n",
			"networkdetailed.txt", ""), 0,
			"error: network.txt holds no objects; it begins with: hnsCall failed"},
		{"an envelope of HNS with an error", with(overlay2022(), "network.txt",
			`{"Success":false,"Error":"Access is denied. ","ErrorCode":2147942405}`,
			"networkdetailed.txt", ""), 0, "denied: "},
		{"records that were cut to text", with(overlay2022(), "network.txt", `[ "@{Name=cbr0}" ]`,
			"networkdetailed.txt", ""), 0, "error: network.txt: 1 of its records are no objects"},
		{"no file", with(overlay2022(), "network.txt", "-", "networkdetailed.txt", "-"), 0,
			"not-collected: network.txt is not in the folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, recording(t, "", tt.files))
			list, gap := evidence.HNSNetworks.In(s), evidence.HNSNetworks.Gap(s)
			if len(list) != tt.count {
				t.Errorf("%d networks, want %d", len(list), tt.count)
			}
			if (gap.Kind == "") != (tt.gap == "") || !strings.HasPrefix(gap.String(), tt.gap) {
				t.Errorf("gap is %q, want %q", gap, tt.gap)
			}
		})
	}
}

func TestLoadBalancersAreNotInferredFromPorts(t *testing.T) {
	s := load(t, recording(t, "", with(overlay2022(), "policy.txt", "", "ports.txt", zeroPorts)))
	gap := evidence.HNSLoadBalancers.Gap(s)
	wantGap(t, evidence.Error, gap)
	if strings.Contains(gap.String(), "Administrator") {
		t.Errorf("HNS gave other objects, and still the gap blames rights: %s", gap)
	}
}

func TestElevatedIsUnknownWhenHNSGaveNothing(t *testing.T) {
	s := load(t, recording(t, "", with(overlay2022(), "network.txt", "", "networkdetailed.txt", "",
		"endpoint.txt", "", "policy.txt", "", "namespaces.txt", "")))
	if elevated, known := s.Elevated(); known {
		t.Errorf("elevated is %v", elevated)
	}
}

func TestManagementIPOfTheDetailedDump(t *testing.T) {
	v1 := `{"ID":"11111111-AAAA-4B4B-8C8C-000000000002","Name":"cbr0","Type":"L2Bridge","Subnets":[]`
	s := load(t, recording(t, "", with(l2bridge2018(), "network.txt", v1+"}", "networkdetailed.txt",
		strings.ToLower(v1[:46])+v1[46:]+`,"ManagementIP":"10.0.0.4"}`)))
	if n := evidence.HNSNetworks.In(s); len(n) != 1 || n[0].ManagementIP != "10.0.0.4" ||
		n[0].SchemaMajor != 1 {
		t.Errorf("first schema: %+v", n)
	}
	v2 := `{"ID":"11111111-AAAA-4B4B-8C8C-000000000002","Name":"cbr0","Type":"L2Bridge","Ipams":[],"SchemaVersion":{"Major":2,"Minor":0}}`
	s = load(t, recording(t, "", with(l2bridge2018(), "network.txt", v2, "networkdetailed.txt",
		v1+`,"ManagementIP":"10.0.0.4"}`)))
	if n := evidence.HNSNetworks.In(s); len(n) != 1 || n[0].ManagementIP != "10.0.0.4" ||
		n[0].SchemaMajor != 2 {
		t.Errorf("second schema: %+v", n)
	}
}

const endpointHeads = "IpAddress          MacAddress        IsRemoteEndpoint State\n---------          ----------        ---------------- -----\n"

func TestEndpointTable(t *testing.T) {
	tests := []struct{ name, table, ip, want string }{
		{"a table", "IpAddress  MacAddress        IsRemoteEndpoint State\n---------  ----------        ---------------- -----\n10.1.0.5   00-15-5D-01-02-03            False     5\n", "10.1.0.5", "False 5"},
		{"a blank remote mark", endpointHeads + "10.1.0.5           00-15-5D-01-02-03                      2\n", "10.1.0.5",
			" 2"},
		{"dual stack", endpointHeads + "{10.1.0.5, fd0...} 00-15-5D-01-02-03             True     1\n", "10.1.0.5",
			"True 1"},
		{"a list", "\nIpAddress        : 10.1.0.5\nMacAddress       : 00-15-5D-01-02-03\nIsRemoteEndpoint : True\nState            : 1\n", "10.1.0.5", "True 1"},
		{"an address that was cut", endpointHeads + "10.1.0...          00-15-5D-01-02-03             True     1\n",
			"10.1.0.5", " "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := endpointStates(tt.table)[endpointKey(tt.ip, "00:15:5d:01:02:03")]
			if got := s.remote + " " + s.state; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	two := endpointStates(endpointHeads +
		"10.1.0.5           00-15-5D-01-02-03             True     1\n" +
		"10.1.0.5           00-15-5D-01-02-03            False     5\n")
	if !two[endpointKey("10.1.0.5", "00-15-5D-01-02-03")].clash {
		t.Error("two rows that disagree are believed")
	}
}
