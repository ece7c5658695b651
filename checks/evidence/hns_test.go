package evidence

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func number(n uint64) *uint64 { return &n }

var nine3 = HNSRelease{Major: 9, Minor: 3}

func TestDecodeHNSNetworks(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     HNSNetwork
	}{
		{"v1 NAT",
			`{"ID":"{0FAB-11}","Name":"nat","Type":"nat","Flags":8,"State":1,"Version":64424509440,"DNSServerList":"","NatName":"NAT0FAB",
			  "Subnets":[{"AddressPrefix":"172.21.16.0/20","GatewayAddress":"172.21.16.1","ID":"5","ObjectType":5,"Policies":[]}],
			  "Policies":[{"Type":"VLAN","VLAN":1}],"Extensions":[{"Id":"E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A","IsEnabled":false,"Name":"Microsoft Windows 筛选平台"}]}`,
			HNSNetwork{ID: "0fab-11", Name: "nat", Type: "NAT",
				SchemaMajor: 1,
				Subnets:     []HNSSubnet{{Prefix: "172.21.16.0/20", Gateway: "172.21.16.1"}},
				Policies: []HNSPolicy{{Type: "VLAN",
					Settings: map[string]any{"isolationid": json.Number("1")}}},
				Extensions: []HNSExtension{{ID: "e7c3b2f0-f3c5-48df-af2b-10fed6d72e7a",
					Name: "Microsoft Windows 筛选平台"}}}},
		{"v1 overlay, the placeholder that scripts make",
			`{"ID":"A1","Name":"External","Type":"overlay","ManagementIP":"10.1.36.50","NetworkAdapterName":"Ethernet 2","DrMacAddress":"00-15-5d-aa-bb-cc","Version":38654705667,
			  "Subnets":{"AddressPrefix":"192.168.255.0/30","GatewayAddress":"192.168.255.1","Policies":{"Type":"VSID","VSID":9999}},"Policies":null}`,
			HNSNetwork{ID: "a1", Name: "External", Type: "Overlay", ManagementIP: "10.1.36.50",
				AdapterName: "Ethernet 2", DRMAC: "00-15-5D-AA-BB-CC", SchemaMajor: 1,
				Subnets: []HNSSubnet{{Prefix: "192.168.255.0/30", Gateway: "192.168.255.1",
					VSID: 9999}}}},
		{"v1 L2Bridge",
			`{"id":"B1","name":"cbr0","type":"l2bridge","managementip":"10.0.0.4","NetworkAdapterName":"Ethernet","DNSSuffix":"corp.example, example","DNSServerList":"10.0.0.2,10.0.0.3",
			  "Subnets":[{"AddressPrefix":"10.244.3.0/24","GatewayAddress":"10.244.3.1"}],
			  "Extensions":[{"Id":"e9b59cfa-2be1-4b21-828f-b6fbdbddc017","IsEnabled":true,"Name":"VFP"}]}`,
			HNSNetwork{ID: "b1", Name: "cbr0", Type: "L2Bridge", ManagementIP: "10.0.0.4",
				AdapterName: "Ethernet", SchemaMajor: 1,
				Subnets: []HNSSubnet{{Prefix: "10.244.3.0/24", Gateway: "10.244.3.1"}},
				Extensions: []HNSExtension{{ID: "e9b59cfa-2be1-4b21-828f-b6fbdbddc017", Name: "VFP",
					Enabled: true}}}},
		{"v1 transparent without a management address",
			`{"ID":"C1","Name":"antrea-hnsnetwork","Type":"Transparent","ManagementIP":""}`,
			HNSNetwork{ID: "c1", Name: "antrea-hnsnetwork", Type: "Transparent", SchemaMajor: 1}},
		{"v2 overlay of flannel",
			`{"ID":"7C1A","Name":"flannel.4096","Type":"Overlay","Policies":[{"Type":"HostRoute","Settings":{}},{"Type":"DrMacAddress","Settings":{"Address":"00-15-5D-BB-6E-B1"}},
			  {"Type":"ProviderAddress","Settings":{"ProviderAddress":"10.1.36.50"}},
			  {"Type":"RemoteSubnetRoute","Settings":{"DestinationPrefix":"10.244.0.0/24","IsolationId":70000,"ProviderAddress":"10.1.36.43","DistributedRouterMacAddress":"8e:6c:00:01:02:03"}},
			  {"Type":"VxlanPort","Settings":{"Port":4789}}],
			  "Ipams":[{"Type":"Static","Subnets":[{"IpAddressPrefix":"10.244.3.0/24","Policies":[{"Type":"VSID","Settings":{"IsolationId":4096}}],"Routes":[{"NextHop":"10.244.3.1","DestinationPrefix":"0.0.0.0/0"}]}]}],
			  "Flags":8,"Dns":{},"MacPool":{"Ranges":[]},"Health":{"Data":null},"SchemaVersion":{"Major":2,"Minor":11}}`,
			HNSNetwork{ID: "7c1a", Name: "flannel.4096", Type: "Overlay",
				ManagementIP: "10.1.36.50", DRMAC: "00-15-5D-BB-6E-B1", SchemaMajor: 2,
				Subnets: []HNSSubnet{{Prefix: "10.244.3.0/24", Gateway: "10.244.3.1", VSID: 4096,
					Routes: []HNSRoute{{Prefix: "0.0.0.0/0", NextHop: "10.244.3.1"}}}},
				Policies: []HNSPolicy{
					{Type: "HostRoute", Settings: map[string]any{}},
					{Type: "DrMacAddress",
						Settings: map[string]any{"address": "00-15-5D-BB-6E-B1"}},
					{Type: "ProviderAddress",
						Settings: map[string]any{"provideraddress": "10.1.36.50"}},
					{Type: "RemoteSubnetRoute",
						Settings: map[string]any{"destinationprefix": "10.244.0.0/24",
							"isolationid": json.Number("70000"), "provideraddress": "10.1.36.43",
							"distributedroutermacaddress": "8e:6c:00:01:02:03"}},
					{Type: "VxlanPort", Settings: map[string]any{"port": json.Number("4789")}},
				}}},
		{"v2 L2Bridge of AKS",
			`{"Name":"azure","Type":"L2Bridge","Flags":8,"Policies":[{"Type":"netadaptername","Settings":{"NetworkAdapterName":"Ethernet"}}],
			  "Ipams":[{"Type":"Static","Subnets":[{"IpAddressPrefix":"10.224.0.0/16","Routes":[{"NextHop":"10.224.0.1","DestinationPrefix":"0.0.0.0/0"}]}]}]}`,
			HNSNetwork{Name: "azure", Type: "L2Bridge", AdapterName: "Ethernet",
				SchemaMajor: 2,
				Subnets: []HNSSubnet{{Prefix: "10.224.0.0/16", Gateway: "10.224.0.1",
					Routes: []HNSRoute{{Prefix: "0.0.0.0/0", NextHop: "10.224.0.1"}}}},
				Policies: []HNSPolicy{{Type: "NetAdapterName",
					Settings: map[string]any{"networkadaptername": "Ethernet"}}}}},
		{"v2 NAT, whose type HNS leaves out",
			`{"ID":"1","Name":"nat","SchemaVersion":{"Major":2,"Minor":0}}`,
			HNSNetwork{ID: "1", Name: "nat", Type: "NAT", SchemaMajor: 2}},
		{"a type that nobody knows yet", `{"ID":"1","Type":"Wormhole"}`,
			HNSNetwork{ID: "1", Type: "Wormhole", SchemaMajor: 1}},
		{"numbers as texts and floats",
			`{"ID":"1","Type":"ICS","Flags":"0x8","State":1e0,"Version":"38654705667"}`,
			HNSNetwork{ID: "1", Type: "ICS", SchemaMajor: 1}},
		{"v1 cut off by ConvertTo-Json",
			`{"ID":"1","Name":"External","Type":"Overlay","Subnets":[{"AddressPrefix":"192.168.255.0/30","GatewayAddress":"192.168.255.1","Policies":["@{Type=VSID; VSID=9999}"]}],"Policies":"System.Object[]"}`,
			HNSNetwork{ID: "1", Name: "External", Type: "Overlay", SchemaMajor: 1, Truncated: true,
				Subnets: []HNSSubnet{{Prefix: "192.168.255.0/30", Gateway: "192.168.255.1",
					VSID: 9999}}}},
		{"two objects in one text",
			`{"ID":"1","Subnets":"@{AddressPrefix=10.0.0.0/8; GatewayAddress=10.0.0.1} @{AddressPrefix=10.1.0.0/16; Policies=System.Object[]}"}`,
			HNSNetwork{ID: "1", SchemaMajor: 1, Truncated: true,
				Subnets: []HNSSubnet{{Prefix: "10.0.0.0/8", Gateway: "10.0.0.1"},
					{Prefix: "10.1.0.0/16"}}}},
		{"a whole object as one text",
			`"@{ID=1; Name=cbr0; Type=L2Bridge; Policies=System.Object[]}"`,
			HNSNetwork{ID: "1", Name: "cbr0", Type: "L2Bridge", SchemaMajor: 1, Truncated: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := DecodeHNSNetworks([]byte(test.in))
			if err != nil || len(got) != 1 {
				t.Fatalf("got %+v, %v", got, err)
			}
			if diff := cmp.Diff(test.want, got[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHNSNetworkPolicies(t *testing.T) {
	list, err := DecodeHNSNetworks([]byte(`{"ID":"1","Policies":[
		{"Type":"RemoteSubnetRoute","Settings":{"DestinationPrefix":"10.244.0.0/24","IsolationId":70000,"ProviderAddress":"10.1.36.43","DistributedRouterMacAddress":"8e:6c:00:01:02:03"}},
		{"Type":"RemoteSubnetRoute","Settings":"@{DestinationPrefix=10.244.1.0/24; IsolationId=4096; ProviderAddress=}"},
		{"Type":"RemoteSubnetRoute","Settings":"System.Collections.Hashtable"},
		{"Type":"VxlanPort","Settings":{"Port":"4789"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []HNSRemoteSubnet{
		{Prefix: "10.244.0.0/24", ProviderAddress: "10.1.36.43", DRMAC: "8E-6C-00-01-02-03",
			VNI: 70000},
		{Prefix: "10.244.1.0/24", VNI: 4096, Truncated: true},
		{Truncated: true},
	}
	if diff := cmp.Diff(want, list[0].RemoteSubnets()); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeHNSEndpoints(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     HNSEndpoint // but its policies
	}{
		{"v1 of Calico",
			`{"ID":"E1","Name":"89ab_Calico","VirtualNetwork":"{N1}","VirtualNetworkName":"Calico","IPAddress":"10.1.18.67","PrefixLength":26,"GatewayAddress":"10.1.18.65","MacAddress":"0E-2A-0a-01-12-43",
			  "DNSServerList":"10.152.183.10","DNSSuffix":"default.svc.cluster.local,svc.cluster.local,cluster.local","EncapOverhead":50,"State":3,"SharedContainers":["ABC"],
			  "Namespace":{"ID":"F00D","IsDefault":false,"CompartmentId":2}}`,
			HNSEndpoint{ID: "e1", Name: "89ab_Calico", NetworkID: "n1",
				NamespaceID: "f00d",
				Addresses:   []string{"10.1.18.67/26"}, Gateway: "10.1.18.65",
				MAC: "0E-2A-0A-01-12-43", DNS: HNSDNS{Servers: []string{"10.152.183.10"},
					Search: []string{"default.svc.cluster.local", "svc.cluster.local",
						"cluster.local"}}, State: number(3), SchemaMajor: 1}},
		{"v1 remote",
			`{"ID":"E2","Name":"Ethernet","VirtualNetwork":"N1","IPAddress":"10.244.0.7","IsRemoteEndpoint":true,"MacAddress":"00:11:22:33:44:55","Namespace":null}`,
			HNSEndpoint{ID: "e2", Name: "Ethernet", NetworkID: "n1",
				Addresses: []string{"10.244.0.7"}, MAC: "00-11-22-33-44-55", Remote: true,
				SchemaMajor: 1}},
		{"v1 of two families",
			`{"ID":"E3","IPAddress":"10.244.1.5","PrefixLength":"24","IPv6Address":"fd00::5","IPv6PrefixLength":64,"GatewayAddressV6":"fd00::1"}`,
			HNSEndpoint{ID: "e3", Addresses: []string{"10.244.1.5/24", "fd00::5/64"},
				Gateway: "fd00::1", SchemaMajor: 1}},
		{"v2",
			`{"ID":"E4","Name":"ep","HostComputeNetwork":"N1","HostComputeNamespace":"D00F","IpConfigurations":[{"IpAddress":"10.244.1.5","PrefixLength":24}],
			  "Dns":{"Domain":"default.svc.cluster.local","Search":["svc.cluster.local","cluster.local"],"ServerList":["10.96.0.10"],"Options":[]},
			  "Routes":[{"NextHop":"fd00::1","DestinationPrefix":"::/0"},{"NextHop":"10.244.1.1","DestinationPrefix":"0.0.0.0/0","Metric":5}],"MacAddress":"00-15-5D-00-00-01","Flags":0,"SchemaVersion":{"Major":2,"Minor":0}}`,
			HNSEndpoint{ID: "e4", Name: "ep", NetworkID: "n1", NamespaceID: "d00f",
				Addresses: []string{"10.244.1.5/24"}, MAC: "00-15-5D-00-00-01",
				Gateway: "10.244.1.1",
				DNS: HNSDNS{[]string{"10.96.0.10"},
					[]string{"svc.cluster.local", "cluster.local"}},
				Routes:      []HNSRoute{{"::/0", "fd00::1"}, {"0.0.0.0/0", "10.244.1.1"}},
				SchemaMajor: 2}},
		{"v2 remote, in no namespace, lists of one unrolled",
			`{"ID":"E5","HostComputeNetwork":"N1","HostComputeNamespace":"00000000-0000-0000-0000-000000000000","IpConfigurations":{"IpAddress":"10.244.0.7","PrefixLength":32},"Dns":{"ServerList":"10.96.0.10"},"Flags":1,"SchemaVersion":{"Major":2}}`,
			HNSEndpoint{ID: "e5", NetworkID: "n1", Addresses: []string{"10.244.0.7/32"},
				DNS: HNSDNS{Servers: []string{"10.96.0.10"}}, Flags: 1, Remote: true,
				SchemaMajor: 2}},
		{"v2 cut off by ConvertTo-Json",
			`{"ID":"E6","HostComputeNetwork":"N1","IpConfigurations":["@{IpAddress=10.244.1.5; PrefixLength=24}"],"Dns":"@{Domain=; Search=System.Object[]; ServerList=10.96.0.10}"}`,
			HNSEndpoint{ID: "e6", NetworkID: "n1", Addresses: []string{"10.244.1.5/24"},
				DNS: HNSDNS{Servers: []string{"10.96.0.10"}}, SchemaMajor: 2, Truncated: true}},
		{"an impossible prefix length", `{"ID":"E7","IPAddress":"10.244.1.5","PrefixLength":64}`,
			HNSEndpoint{ID: "e7", Addresses: []string{"10.244.1.5"}, SchemaMajor: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := DecodeHNSEndpoints([]byte(test.in))
			if err != nil || len(got) != 1 {
				t.Fatalf("got %+v, %v", got, err)
			}
			if diff := cmp.Diff(test.want, got[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHNSEndpointPolicies(t *testing.T) {
	for _, test := range []struct {
		name, in string
		nat      []HNSOutBoundNAT
		routes   []HNSSDNRoute
		provider string
	}{
		{"v1",
			`[{"Type":"OutBoundNAT","ExceptionList":["10.244.0.0/16","10.96.0.0/12"],"VIP":"10.0.0.4"},{"Type":"ROUTE","DestinationPrefix":"10.96.0.0/12","NeedEncap":true},{"Type":"PA","PA":"10.1.36.50"},{"Type":"L2Driver"}]`,
			[]HNSOutBoundNAT{{Exceptions: []string{"10.244.0.0/16", "10.96.0.0/12"}}}, []HNSSDNRoute{{Prefix: "10.96.0.0/12", NeedEncap: true}},
			"10.1.36.50"},
		{"v2",
			`[{"Type":"OutBoundNAT","Settings":{"VirtualIP":"10.0.0.4","Exceptions":["10.244.0.0/16"],"Destinations":["10.244.1.5"]}},{"Type":"SDNRoute","Settings":{"DestinationPrefix":"10.0.0.4/32","NextHop":"10.244.1.2","NeedEncap":false}},{"Type":"ProviderAddress","Settings":{"ProviderAddress":"10.1.36.50"}}]`,
			[]HNSOutBoundNAT{{Exceptions: []string{"10.244.0.0/16"},
				Destinations: []string{"10.244.1.5"}}},
			[]HNSSDNRoute{{Prefix: "10.0.0.4/32", NextHop: "10.244.1.2"}}, "10.1.36.50"},
		{"the name of v1 inside of Settings, and both of them",
			`[{"Type":"outboundnat","Settings":{"exceptionlist":["10.0.0.0/8"],"Exceptions":["10.0.0.0/8","10.96.0.0/12"]}}]`,
			[]HNSOutBoundNAT{{Exceptions: []string{"10.0.0.0/8", "10.96.0.0/12"}}}, nil, ""},
		{"a list of one, unrolled", `{"Type":"OutBoundNAT","ExceptionList":"10.0.0.0/8"}`,
			[]HNSOutBoundNAT{{Exceptions: []string{"10.0.0.0/8"}}}, nil, ""},
		{"a list joined by commas",
			`[{"Type":"OutBoundNAT","ExceptionList":"10.0.0.0/8, 10.96.0.0/12"}]`,
			[]HNSOutBoundNAT{{Exceptions: []string{"10.0.0.0/8", "10.96.0.0/12"}}}, nil, ""},
		{"a list joined by spaces",
			`["@{Type=OutBoundNAT; ExceptionList=10.0.0.0/8 10.96.0.0/12}"]`,
			[]HNSOutBoundNAT{{Exceptions: []string{"10.0.0.0/8", "10.96.0.0/12"}}}, nil, ""},
		{"a placeholder that was not replaced",
			`[{"Type":"OutBoundNAT","ExceptionList":["<your service cidr>"]},{"Type":"OutBoundNAT","ExceptionList":"<your service cidr>"}]`,
			[]HNSOutBoundNAT{{Exceptions: []string{"<your service cidr>"}},
				{Exceptions: []string{"<your service cidr>"}}}, nil, ""},
		{"exceptions that are lost",
			`[{"Type":"OutBoundNAT","ExceptionList":"System.Object[]"},"@{Type=OutBoundNAT; ExceptionList=System.Object[]}",{"Type":"OutBoundNAT","Settings":"@{Exceptions=System.Object[]}"},{"Type":"SDNRoute","Settings":"@{DestinationPrefix=10.96.0.0/12; NeedEncap=True}"}]`,
			[]HNSOutBoundNAT{{Truncated: true}, {Truncated: true}, {Truncated: true}},
			[]HNSSDNRoute{{Prefix: "10.96.0.0/12", NeedEncap: true}}, ""},
		{"settings that are lost", `[{"Type":"SDNRoute","Settings":"System.Object[]"}]`, nil,
			[]HNSSDNRoute{{Truncated: true}}, ""},
		{"no policies", `null`, nil, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := DecodeHNSEndpoints([]byte(`[{"ID":"1","Policies":` + test.in + `}]`))
			if err != nil {
				t.Fatal(err)
			}
			e := list[0]
			if diff := cmp.Diff(test.nat, e.OutBoundNAT()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.routes, e.SDNRoutes()); diff != "" {
				t.Error(diff)
			}
			if providerAddress(e.Policies) != test.provider {
				t.Errorf("provider address %q, want %q", providerAddress(e.Policies), test.provider)
			}
			lost := false
			for _, p := range e.Policies {
				lost = lost || p.Truncated
			}
			if e.Truncated != lost {
				t.Errorf("endpoint truncated: %v, one of its policies: %v", e.Truncated, lost)
			}
		})
	}
}

func TestDecodeHNSLoadBalancers(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []HNSLoadBalancer
	}{
		{"v2 of kube-proxy",
			`{"ID":"L1","HostComputeEndpoints":["89958F54-0000"],"SourceVIP":"10.244.3.2","FrontendVIPs":["10.96.0.10"],"PortMappings":[{"Protocol":17,"InternalPort":53,"ExternalPort":53,"Flags":1},{"Protocol":6,"InternalPort":53,"ExternalPort":53}],"Flags":1,"SchemaVersion":{"Major":2}}`,
			[]HNSLoadBalancer{{ID: "l1", SourceVIP: "10.244.3.2", VIPs: []string{"10.96.0.10"},
				Endpoints: []string{"89958f54-0000"}, Ports: []HNSPort{{"udp", 53, 53, 0, 1},
					{"tcp", 53, 53, 0, 0}}, Flags: 1, DSR: true, SchemaMajor: 2}}},
		{"v2 of a node port",
			`{"ID":"L2","HostComputeEndpoints":"E1","FrontendVIPs":null,"PortMappings":{"Protocol":132,"InternalPort":8080,"ExternalPort":30080},"Flags":2}`,
			[]HNSLoadBalancer{{ID: "l2", Endpoints: []string{"e1"},
				Ports: []HNSPort{{"132", 8080, 30080, 0, 0}}, Flags: 2, SchemaMajor: 2}}},
		{"v1 policy list",
			`{"ID":"L3","IsApplied":false,"State":2,"Version":38654705667,"Policies":[{"Type":"ELB","SourceVIP":"10.244.3.2","VIPs":["10.96.0.10"],"Protocol":17,"InternalPort":53,"ExternalPort":53,"ILB":true,"IsDSR":true},{"Type":"ELB","VIPs":"10.96.0.10","Protocol":"TCP","InternalPort":"53","ExternalPort":53}],"References":["/endpoints/AB-1","/endpoints/ab-2"]}`,
			[]HNSLoadBalancer{{ID: "l3", SourceVIP: "10.244.3.2", VIPs: []string{"10.96.0.10"},
				Endpoints: []string{"ab-1", "ab-2"}, Ports: []HNSPort{{"udp", 53, 53, 0, 1},
					{"tcp", 53, 53, 0, 0}}, Flags: 1, DSR: true, State: number(2), SchemaMajor: 1}}},
		{"v1 policy list that is no load balancer",
			`[{"ID":"L4","Policies":[{"Type":"ROUTE","DestinationPrefix":"10.96.0.0/12"}]}]`,
			[]HNSLoadBalancer{}},
		{"v1 policy list that is cut off",
			`[{"ID":"L5","Policies":"System.Object[]","References":"/endpoints/ab-1"}]`,
			[]HNSLoadBalancer{{ID: "l5", Endpoints: []string{"ab-1"}, SchemaMajor: 1,
				Truncated: true}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := DecodeHNSLoadBalancers([]byte(test.in))
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestDecodeHNSNamespaces(t *testing.T) {
	got, err := DecodeHNSNamespaces([]byte(`[
		{"ID":"N1","NamespaceId":3,"Type":"HostDefault","Resources":[{"Type":"Container","Data":{"Id":"C0FFEE"}},{"Type":"Endpoint","Data":{"Id":"E1"}}],"SchemaVersion":{"Major":2}},
		{"ID":"N2","CompartmentId":4,"IsDefault":false,"ResourceList":[{"Type":"Endpoint","Data":{"ID":"/endpoints/E2"}}]},
		{"ID":"N3","NamespaceId":1,"Type":"Host","Resources":["@{Type=Endpoint; Data=}","@{Type=Endpoint; Data=@{Id=E3}}"]},
		{"ID":"N4","Resources":null}]`))
	want := []HNSNamespace{
		{ID: "n1", CompartmentID: 3, Endpoints: []string{"e1"},
			Containers: []string{"c0ffee"}},
		{ID: "n2", CompartmentID: 4, Endpoints: []string{"e2"}},
		{ID: "n3", CompartmentID: 1, Truncated: true},
		{ID: "n4"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestDecodeHNSGlobals(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     HNSRelease
		wrong    string
	}{
		{"the object of HCN", `{"Version":{"Major":13,"Minor":3}}`, HNSRelease{13, 3}, ""},
		{"the bare version", `{"Major":9,"Minor":3}`, nine3, ""},
		{"HNS's own answer", `{"Success":true,"Output":{"Major":15,"Minor":1}}`, HNSRelease{15, 1},
			""},
		{"the number of v1", `{"Version":38654705667}`, nine3, ""},
		{"cut off by ConvertTo-Json", `{"Version":"@{Major=9; Minor=3}"}`, nine3, ""},
		{"nothing", ` `, HNSRelease{},
			`line 1: no HNS version; want {"Version":{"Major":9,"Minor":3}}`},
		{"a version without numbers", `{"Version":{}}`, HNSRelease{},
			`line 1: no HNS version; want {"Version":{"Major":9,"Minor":3}}`},
		{"something else", `{"ID":"1"}`, HNSRelease{},
			"line 1: element 0: it is no HNS version: it has no Version and no Major"},
		{"an impossible version", `{"Version":{"Major":"nine"}}`, HNSRelease{},
			`line 1: element 0: Version.Major is "nine", where a number belongs`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := decodeHNSGlobals([]byte(test.in))
			if got.Version != test.want || fmt.Sprint(err) != test.wrong &&
				!(err == nil && test.wrong == "") {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	for _, test := range []struct {
		major, minor int
		want         bool
	}{{9, 2, true}, {9, 3, true}, {9, 4, false}, {8, 9, true}, {10, 0, false}} {
		if nine3.AtLeast(test.major, test.minor) != test.want {
			t.Errorf("%v at least %d.%d: want %v", nine3, test.major, test.minor, test.want)
		}
	}
	if got := nine3.String(); got != "9.3" {
		t.Errorf("9.3 reads %s", got)
	}
	if (HNSRelease{}).Known() || !nine3.Known() {
		t.Error("an unknown version is known, or the other way round")
	}
}
