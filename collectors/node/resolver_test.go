package node

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"
)

func TestResolver(t *testing.T) {
	const own = `[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\Tcpip\Parameters]` + "\n"
	const policy = "\n" + `[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Windows NT\DNSClient]` +
		"\n"
	const member = "\n" + `[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\System\DNSClient]` + "\n"
	for _, row := range []struct{ name, registry, want string }{
		{"a node that nobody set up", own + `"Domain"=""` + "\n" + `"SearchList"=""`,
			`{"suffixSearchList":[],"primarySuffix":"","devolution":true}`},
		{"a member of a domain searches it", own + `"Domain"="klinik.example"`,
			`{"suffixSearchList":["klinik.example"],"primarySuffix":"klinik.example","devolution":true}`},
		{"a list of its own", own + `"Domain"="a.example"` + "\n" +
			`"SearchList"="b.example,c.example, d.example"` + "\n" +
			`"UseDomainNameDevolution"=dword:00000000`,
			`{"suffixSearchList":["b.example","c.example","d.example"],"primarySuffix":"a.example","devolution":false}`},
		{"what DHCP gave", own + `"Domain"=""` + "\n" + `"DhcpDomain"="cloud.example"`,
			`{"suffixSearchList":["cloud.example"],"primarySuffix":"","devolution":true}`},
		{"policies override", own + `"Domain"="a.example"` + "\n" + `"SearchList"="b.example"` +
			"\n" + `"UseDomainNameDevolution"=dword:00000001` + policy +
			`"SearchList"="p.example"` + "\n" + `"UseDomainNameDevolution"=dword:00000000` +
			member + `"NV PrimaryDnsSuffix"="m.example"`,
			`{"suffixSearchList":["p.example"],"primarySuffix":"m.example","devolution":false}`},
		{"a policy without a list leaves the node's own", own + `"SearchList"="b.example"` +
			policy + `"UseDomainNameDevolution"=dword:00000000`,
			`{"suffixSearchList":["b.example"],"primarySuffix":"","devolution":false}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			settings, err := resolverOf(regFile(t, row.registry))
			got, _ := json.Marshal(settings)
			if err != nil || string(got) != row.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, row.want)
			}
		})
	}
	if _, err := resolverOf(regFile(t, "")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a registry without TCP/IP: %v", err)
	}
	if _, err := resolverOf(regFile(t, "[!HKEY_LOCAL_MACHINE\\"+tcpipKey+"]")); !errors.Is(err,
		os.ErrPermission) {
		t.Errorf("a key that may not be read: %v", err)
	}
}
