package node

import (
	"encoding/json"
	"testing"

	"github.com/Microsoft/hcsshim/hcn"

	"doctor/checks/evidence"
)

// What the library's structures keep of HNS's own JSON is what the decoder
// would have made of it directly.
func TestLibraryKeepsWhatIsDecoded(t *testing.T) {
	const (
		networks = `[{"ID":"7C1A0000-0000-0000-0000-000000000001","Name":"flannel.4096","Type":"Overlay","Policies":[{"Type":"HostRoute","Settings":{}},{"Type":"DrMacAddress","Settings":{"Address":"00-15-5D-BB-6E-B1"}},{"Type":"ProviderAddress","Settings":{"ProviderAddress":"10.1.36.50"}},
			{"Type":"RemoteSubnetRoute","Settings":{"DestinationPrefix":"10.244.0.0/24","IsolationId":70000,"ProviderAddress":"10.1.36.43","DistributedRouterMacAddress":"8e:6c:00:00:00:01"}}],
			"Dns":{"Domain":"d","Search":["a.local"],"ServerList":["10.96.0.10"]},
			"Ipams":[{"Type":"Static","Subnets":[{"IpAddressPrefix":"10.244.3.0/24","Policies":[{"Type":"VSID","Settings":{"IsolationId":4096}}],"Routes":[{"NextHop":"10.244.3.1","DestinationPrefix":"0.0.0.0/0"}]}]}],"Flags":8,"SchemaVersion":{"Major":2,"Minor":0}}]`
		endpoints = `[{"ID":"89958F54-0000-0000-0000-000000000001","Name":"a","HostComputeNetwork":"7C1A0000-0000-0000-0000-000000000001","HostComputeNamespace":"AA000000-0000-0000-0000-000000000001",
			"Policies":[{"Type":"OutBoundNAT","Settings":{"Exceptions":["10.244.0.0/16"]}},{"Type":"SDNRoute","Settings":{"DestinationPrefix":"10.96.0.0/12","NeedEncap":true}}],
			"IpConfigurations":[{"IpAddress":"10.244.3.4","PrefixLength":24}],"Dns":{"Search":["x"]},"Routes":[{"NextHop":"10.244.3.1","DestinationPrefix":"0.0.0.0/0"}],"MacAddress":"0E-2A-0A-F4-03-04","Flags":1,"SchemaVersion":{"Major":2,"Minor":0}}]`
		balancers  = `[{"ID":"1B","HostComputeEndpoints":["89958f54-0000-0000-0000-000000000001"],"SourceVIP":"10.244.3.2","FrontendVIPs":["10.96.0.10"],"PortMappings":[{"Protocol":17,"InternalPort":53,"ExternalPort":53,"Flags":1}],"Flags":1,"SchemaVersion":{"Major":2,"Minor":0}}]`
		namespaces = `[{"ID":"AA","NamespaceId":2,"Type":"HostDefault","Resources":[{"Type":"Container","Data":{"Id":"c0ffee"}},{"Type":"Endpoint","Data":{"Id":"89958f54"}}],"SchemaVersion":{"Major":2,"Minor":0}}]`
	)
	keeps(t, networks, &[]hcn.HostComputeNetwork{}, evidence.DecodeHNSNetworks)
	keeps(t, endpoints, &[]hcn.HostComputeEndpoint{}, evidence.DecodeHNSEndpoints)
	keeps(t, balancers, &[]hcn.HostComputeLoadBalancer{}, evidence.DecodeHNSLoadBalancers)
	keeps(t, namespaces, &[]hcn.HostComputeNamespace{}, evidence.DecodeHNSNamespaces)
}

func keeps[T any](t *testing.T, sample string, through any, decode func([]byte) ([]T, error)) {
	t.Helper()
	if err := json.Unmarshal([]byte(sample), through); err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(through)
	if err != nil {
		t.Fatal(err)
	}
	want, err := decode([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	got, err := decode(kept)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}
