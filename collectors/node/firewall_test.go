package node

import (
	"reflect"
	"testing"

	"doctor/checks/evidence"
)

func inboundRule(name, display string, enabled bool, action, protocol string, ports,
	profiles []string) evidence.FirewallRule {
	return evidence.FirewallRule{
		Name: name, DisplayName: display, Enabled: enabled, Direction: "in", Action: action,
		Protocol:   protocol,
		LocalPorts: ports, Profiles: profiles,
	}
}

func conditional(r evidence.FirewallRule) evidence.FirewallRule {
	r.Conditional = true
	return r
}

func TestParseFirewallRule(t *testing.T) {
	all := []string{"domain", "private", "public"}
	for _, c := range []struct {
		name, text string
		want       evidence.FirewallRule
		ok         bool
	}{
		{"the kubelet's",
			"v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=kubelet|",
			inboundRule("r", "kubelet", true, "allow", "tcp", []string{"10250"}, all), true},
		{"a range that holds a port of the node, in two profiles",
			"v2.31|Action=Allow|Active=TRUE|Dir=In|Protocol=6|Profile=Domain|Profile=Private|LPort2_10=10000-11000|Name=x|",
			inboundRule("r", "x", true, "allow", "tcp", []string{"10000-11000"},
				[]string{"domain", "private"}), true},
		{"one that is off",
			"v2.30|Action=Allow|Active=FALSE|Dir=In|Protocol=17|LPort=4789|Name=vxlan|",
			inboundRule("r", "vxlan", false, "allow", "udp", []string{"4789"}, all), true},
		{"any port and protocol for all programs",
			"v2.30|Action=Allow|Active=TRUE|Dir=In|Name=all|",
			inboundRule("r", "all", true, "allow", "any", []string{}, all), true},
		{"any port for the kubelet alone",
			`v2.30|Action=Allow|Active=TRUE|Dir=In|App=C:\k\kubelet.exe|Name=k|`,
			inboundRule("r", "k", true, "allow", "any", []string{}, all), true},
		{"any port for another program",
			`v2.30|Action=Allow|Active=TRUE|Dir=In|App=%SystemRoot%\system32\svchost.exe|Svc=Dhcp|Name=d|`, evidence.FirewallRule{}, false},
		{"a block of any other port",
			"v2.30|Action=Block|Active=TRUE|Dir=In|Protocol=6|LPort=23|Name=telnet|",
			inboundRule("r", "telnet", true, "block", "tcp", []string{"23"}, all), true},
		{"a block of some senders blocks nobody else",
			"v2.30|Action=Block|Active=TRUE|Dir=In|Protocol=6|LPort=10250|RA4=10.9.0.0/255.255.0.0|Name=b|", evidence.FirewallRule{}, false},
		{"a block of another program",
			`v2.30|Action=Block|Active=TRUE|Dir=In|App=C:\x\game.exe|Name=b|`,
			evidence.FirewallRule{}, false},
		{"all ports for some senders",
			"v2.30|Action=Allow|Active=TRUE|Dir=In|RA4=10.0.0.0/255.0.0.0|Name=corp|",
			conditional(inboundRule("r", "corp", true, "allow", "any", []string{}, all)), true},
		{"a port that a component may be configured for",
			"v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10260|Name=kubelet|",
			inboundRule("r", "kubelet", true, "allow", "tcp", []string{"10260"}, all), true},
		{"a port of another program",
			`v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=5985|App=System|Name=winrm|`,
			evidence.FirewallRule{}, false},
		{"an app of the store", "v2.30|Action=Allow|Active=TRUE|Dir=In|AppPkgId=S-1-15-2-1|Name=a|",
			evidence.FirewallRule{}, false},
		{"what goes out", "v2.30|Action=Block|Active=TRUE|Dir=Out|Protocol=6|LPort=10250|Name=o|",
			evidence.FirewallRule{}, false},
		{"ICMP", "v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=1|Name=ping|",
			evidence.FirewallRule{}, false},
		{"ports by name",
			"v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=RPC-EPMap|Name=rpc|",
			evidence.FirewallRule{}, false},
		{"no rule", "nonsense", evidence.FirewallRule{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := parseFirewallRule("r", c.text)
			if ok != c.ok || ok && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v, %t\nwant %+v, %t", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestFirewall(t *testing.T) {
	got, err := firewall(regFile(t, `[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\DomainProfile]
"EnableFirewall"=dword:00000000
"DefaultInboundAction"=dword:00000000
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\StandardProfile]
"EnableFirewall"=dword:00000001
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\PublicProfile]
"DefaultOutboundAction"=dword:00000001
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules]
"kubelet"="v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=kubelet|"
"remote"="v2.30|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=3389|App=%SystemRoot%\\system32\\svchost.exe|Name=rdp|"
[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\WindowsFirewall\DomainProfile]
"EnableFirewall"=dword:00000001
"AllowLocalPolicyMerge"=dword:00000000
[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\WindowsFirewall\FirewallRules]
"gpo"="v2.30|Action=Block|Active=TRUE|Dir=In|Protocol=6|Profile=Domain|LPort=10250|Name=gpo|"
`))
	want := evidence.Firewall{
		Profiles: []evidence.FirewallProfile{
			{Name: "domain", Enabled: true, DefaultInbound: "allow", DefaultOutbound: "allow"},
			{Name: "private", Enabled: true, DefaultInbound: "block", DefaultOutbound: "allow"},
			{Name: "public", Enabled: true, DefaultInbound: "block", DefaultOutbound: "block"},
		},
		Rules: []evidence.FirewallRule{
			// the domain does not let it count
			inboundRule("kubelet", "kubelet", true, "allow", "tcp", []string{"10250"},
				[]string{"private", "public"}),
			inboundRule("gpo", "gpo", true, "block", "tcp", []string{"10250"}, []string{"domain"}),
		},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := firewall(regFile(t, "")); err == nil {
		t.Error("a machine without the firewall's keys has one")
	}
}
