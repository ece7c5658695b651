package evidence

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestHNSListings(t *testing.T) {
	for _, test := range []struct {
		name, in, want string // the names, or what is wrong
	}{
		{"nothing", "", "[]"},
		{"white space", " \r\n", "[]"},
		{"a byte order mark alone", "\ufeff", "[]"},
		{"NULs alone", "\x00\x00", "[]"},
		{"null", "null", "[]"},
		{"an empty array", "[]", "[]"},
		{"a bare object", `{"Name":"a"}`, "[a]"},
		{"an array", `[{"Name":"a"},null,{"Name":"b"}]`, "[a b]"},
		{"a byte order mark before and NULs after", "\ufeff[{\"Name\":\"a\"}]\r\n\x00\x00", "[a]"},
		{"HNS's answer", `{"Success":true,"Output":[{"Name":"a"},{"Name":"b"}]}`, "[a b]"},
		{"HNS's answer with one object", `{"success":true,"output":{"Name":"a"}}`, "[a]"},
		{"HNS's answer with nothing", `{"Success":true,"Output":null}`, "[]"},
		{"HNS's answer without the field", `{"Success":true}`, "[]"},
		{"PowerShell's wrapped array", `{"value":[{"Name":"a"}],"Count":1}`, "[a]"},
		{"HNS's refusal", "\n" + `{"Success":false,"Error":"Access is denied."}`,
			`line 2: HNS answered with an error instead: "Access is denied."`},
		{"wrappers without an end", strings.Repeat(`{"Output":`, 50) + "1" + strings.Repeat("}",
			50), "line 1: element 0: it is no HNS network: it has no ID and no Name"},
		{"a wrong element among good ones",
			"[\n{\"Name\":\"a\"},\n  {\"Name\":\"b\",\n\"SchemaVersion\":{\"Major\":\"many\"}}]",
			`line 3: element 1: SchemaVersion.Major is "many", where a number belongs`},
		{"a wrong value deep inside", `[{"ID":"1","Ipams":[{"Subnets":[{},{"Routes":[7]}]}]}]`,
			`line 1: element 0: Ipams[0].Subnets[1].Routes[0] is "7", where an object belongs`},
		{"a number as an element", "[\n\n7]",
			`line 3: element 0: it is "7", where an object belongs`},
		{"a name that is an object", `{"Name":{}}`,
			"line 1: element 0: Name is an object, where a text belongs"},
		{"an object that is no network", `[{"Name":"a"},{"os":"windows"}]`,
			"line 1: element 1: it is no HNS network: it has no ID and no Name"},
		{"a name that differs from another by case alone",
			`[{"Name":null,"name":"b"},{"name":"b","Name":"a","id":1,"ID":2}]`, "[b a]"},
		{"a flag that is no flag", `{"ID":"1","Extensions":[{"Id":"2","IsEnabled":"perhaps"}]}`,
			`line 1: element 0: Extensions[0].IsEnabled is "perhaps", where true or false belongs`},
		{"a long text in a wrong place", `{"ID":"1","SchemaVersion":{"Major":"` + strings.Repeat("x", 100) + `"}}`,
			`line 1: element 0: SchemaVersion.Major is "` + strings.Repeat("x", 40) +
				`…", where a number belongs`},
		{"a number that is too large", `{"ID":"1","SchemaVersion":{"Major":1e300}}`,
			`line 1: element 0: SchemaVersion.Major is "1e300", where a number belongs`},
		{"a cut file", "[{\"Name\":\"a\"},\n{\"Name\":", "line 2: unexpected end of JSON input"},
		{"no JSON", "[\n\nName Type\n]",
			"line 3: invalid character 'N' looking for beginning of value"},
		{"more after the array", "\n[]\nx", "line 3: invalid character 'x' after top-level value"},
		{"more after the object", "{\"Name\":\"a\"}\n{}",
			"line 2: invalid character '{' after top-level value"},
		{"too deep", strings.Repeat("[", 20_000),
			"line 1: invalid character '[' exceeded max depth"},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := DecodeHNSNetworks([]byte(test.in))
			got := fmt.Sprint(err)
			if err == nil {
				names := []string{}
				for _, n := range list {
					names = append(names, n.Name)
				}
				got = fmt.Sprint(names)
			}
			if got != test.want || err == nil && list == nil {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestListsOfTexts(t *testing.T) {
	for text, want := range map[string]string{
		`{"ID":"1","Dns":{"Search":{"a":1}}}`:         "line 1: element 0: Dns.Search is an object, where a list of texts belongs",
		`{"ID":"1","Dns":{"Search":["a",["b","c"]]}}`: "line 1: element 0: Dns.Search[1] is a list, where a text belongs",
	} {
		if _, err := DecodeHNSEndpoints([]byte(text)); fmt.Sprint(err) != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestHNSListingsAreBounded(t *testing.T) {
	full := "[" + strings.Repeat("{\"ID\":1},\n", maxHNSObjects-1) + "{\"ID\":1}"
	if list, err := DecodeHNSNamespaces([]byte(full + "]")); err != nil ||
		len(list) != maxHNSObjects {
		t.Errorf("a full listing: %d, %v", len(list), err)
	}
	_, err := DecodeHNSNamespaces([]byte(full + ",{}]"))
	if err == nil || !strings.Contains(err.Error(), "more than 200000 elements") {
		t.Errorf("one more: %v", err)
	}
}

func fuzzHNS[T any](f *testing.F, decode func([]byte) (T, error), use func(T)) {
	for _, s := range []string{
		"", "null", "[]", "\ufeff[{\"ID\":1}]\x00",
		`{"Success":true,"Output":[{"ID":"1"}]}`, `{"value":[{"ID":"1"}],"Count":1}`,
		`[{"ID":"1","Name":"cbr0","Type":"l2bridge","Flags":8,"Version":38654705667,"Subnets":[{"AddressPrefix":"10.0.0.0/8","Policies":["@{Type=VSID; VSID=9999}"]}],"Extensions":[{"Id":"A","IsEnabled":true}]}]`,
		`{"ID":"1","SchemaVersion":{"Major":2},"Policies":[{"Type":"OutBoundNAT","Settings":{"Exceptions":["10.0.0.0/8"],"ExceptionList":"a b"}}],"Ipams":[{"Subnets":[{"Routes":[{"NextHop":"10.0.0.1","DestinationPrefix":"0.0.0.0/0"}]}]}]}`,
		`{"ID":"1","IPAddress":"10.0.0.1","PrefixLength":"24","Policies":"@{Type=PA; PA=10.0.0.1} @{Type=ROUTE}","DNSSuffix":"a.b,c.d","Namespace":{"ID":"0-0"}}`,
		`{"ID":"1","HostComputeEndpoints":["a"],"FrontendVIPs":["10.0.0.1"],"PortMappings":[{"Protocol":6,"InternalPort":1e3}]}`,
		`{"ID":"1","Policies":[{"Type":"ELB","VIPs":["::1"],"IsDSR":true}],"References":["/endpoints/a"]}`,
		`{"ID":"1","Resources":[{"Type":"Endpoint","Data":{"ID":"2"}},"@{Type=Endpoint; Data=}"]}`,
		`{"Version":{"Major":9,"Minor":3}}`, `{"Major":-1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := decode(in)
		again, err2 := decode(in)
		if !reflect.DeepEqual(got, again) || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("decoded twice: %+v, %v and %+v, %v", got, err, again, err2)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("no line in %q", err)
			}
			return
		}
		use(got)
	})
}

func FuzzHNSNetworks(f *testing.F) {
	fuzzHNS(f, DecodeHNSNetworks, func(list []HNSNetwork) {
		for _, n := range list {
			n.RemoteSubnets()
		}
	})
}

func FuzzHNSEndpoints(f *testing.F) {
	fuzzHNS(f, DecodeHNSEndpoints, func(list []HNSEndpoint) {
		for _, e := range list {
			e.OutBoundNAT()
			e.SDNRoutes()
			providerAddress(e.Policies)
		}
	})
}

func FuzzHNSLoadBalancers(f *testing.F) {
	fuzzHNS(f, DecodeHNSLoadBalancers, func([]HNSLoadBalancer) {})
}

func FuzzHNSNamespaces(f *testing.F) {
	fuzzHNS(f, DecodeHNSNamespaces, func([]HNSNamespace) {})
}

func FuzzHNSGlobals(f *testing.F) {
	fuzzHNS(f, decodeHNSGlobals, func(HNSGlobals) {})
}

func BenchmarkHNSEndpoints(b *testing.B) {
	one := `{"ID":"89958F54-0000-0000-0000-000000000001","Name":"Ethernet","HostComputeNetwork":"7C1A","Policies":[{"Type":"ProviderAddress","Settings":{"ProviderAddress":"10.1.36.50"}}],
		"IpConfigurations":[{"IpAddress":"10.244.0.7","PrefixLength":24}],"Dns":{},"MacAddress":"02-11-0a-f4-00-07","Flags":1,"SchemaVersion":{"Major":2,"Minor":0}}`
	in := []byte("[" + strings.Repeat(one+",", 50_000) + one + "]")
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeHNSEndpoints(in); err != nil {
			b.Fatal(err)
		}
	}
}
