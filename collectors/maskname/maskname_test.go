package maskname

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// node is a tree that states names in each of the ways there are.
var node = map[string]string{
	"meta.json": `{"layout":"evidence/v1","node":"FRA-WIN01","collectedAt":"2026-11-20T10:02:11Z"}`,
	"api/node.json": `{"metadata":{"name":"fra-win01","labels":{"kubernetes.io/hostname":"fra-win01"}},"status":{"addresses":[
		{"type":"Hostname","address":"fra-win01"},{"type":"InternalDNS","address":"fra-win01.corp.contoso.com"},{"type":"ExternalDNS","address":"ec2-52-1-2-3.compute-1.amazonaws.com"}]}}`,
	"api/nodes.json":         `{"items":[{"metadata":{"name":"fra-win01"}},{"metadata":{"name":"akswinpool-12345678-vmss000001"}},{"metadata":{"name":"windows"}},{"metadata":{"name":"n1"}}]}`,
	"env.json":               `{"COMPUTERNAME":"FRA-WIN01","USERNAME":"FRA-WIN01$","USERDOMAIN":"CONTOSO","USERDNSDOMAIN":"CORP.CONTOSO.COM","TEMP":"C:\\Users\\Max Mustermann\\AppData"}`,
	"services.json":          `[{"name":"kubelet","account":"CONTOSO\\svc-k8s$"},{"name":"a","account":".\\runner"},{"name":"b","account":"jdoe@corp.contoso.com"},{"name":"c","account":"NT AUTHORITY\\LocalService"},{"name":"d","account":"LocalSystem"},{"name":"e","account":"CONTOSO\\li"},{"name":"f","account":"CONTOSO\\Jürgen"}]`,
	"dns-client.json":        `{"suffixSearchList":["corp.contoso.com","default.svc.cluster.local"],"primarySuffix":"corp.contoso.com"}`,
	"adapters.json":          `[{"name":"Ethernet","mac":"00-15-5D-0A-0B-0C","dnsSuffix":"abcdefg.ax.internal.cloudapp.net"}]`,
	"logs/kubelet/a":         "",
	"original/ip.txt":        "\r\nWindows-IP-Konfiguration\r\n\r\n   Hostname  . . . . . . . . . . . . : BER-OLD7\r\n   Prim\u00e4res DNS-Suffix . . . . . . . : ad.fabrikam.de\r\n",
	"files/C/Users/asmith/x": "",
	"logs/kubelet/kubelet.exe.MUC-NODE9.FABRIKAM_kmaier.log.INFO.20260131-100000.1234": "",
}

func tree(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for p, text := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func learnt(t *testing.T) *Names {
	t.Helper()
	n := New([]byte("a key"))
	n.Learn(load(t, tree(node)))
	return n
}

func (n *Names) text(s string) string { return string(n.Append(nil, []byte(s))) }

func TestNamesGoWherever(t *testing.T) {
	n := learnt(t)
	for name, row := range map[string]struct {
		text string
		gone []string
	}{
		"a host in small letters": {"node fra-win01 is ready",
			[]string{"fra-win01"}},
		"a host in capitals": {"Host FRA-WIN01.", []string{"fra-win01"}},
		"a host at the end of a pod's name": {"kube-proxy-fra-win01",
			[]string{"fra-win01"}},
		"a host with its domain": {"https://fra-win01.corp.contoso.com:6443/",
			[]string{"fra-win01", "contoso", "corp."}},
		"another host of the domain": {"dc01.corp.contoso.com",
			[]string{"dc01", "contoso"}},
		"a name cut for NetBIOS": {"AKSWINPOOL-1234",
			[]string{"akswinpool-1234"}},
		"a host between escapes of JSON": {
			`"a\nfra-win01\tfra-win01\u0026fra-win01\""`, []string{"fra-win01"}},
		"a host behind an escape of a URL":            {`q=%5Cfra-win01%20`, []string{"fra-win01"}},
		"a host between quotation marks of a printer": {"“fra-win01”", []string{"fra-win01"}},
		"a host inside of Japanese":                   {"ノードfra-win01の", []string{"fra-win01"}},
		"a machine account": {`CONTOSO\FRA-WIN01$`,
			[]string{"contoso", "fra-win01"}},
		"a user of the domain": {`CONTOSO\jdoe`,
			[]string{"contoso", "jdoe"}},
		"a user of the domain in JSON": {`{"u":"CONTOSO\\jdoe"}`,
			[]string{"contoso", "jdoe"}},
		"a user that nobody stated": {`CONTOSO\\wsmith logged on`,
			[]string{"wsmith"}},
		"a short user with its domain": {`CONTOSO\li, CONTOSO\\li`, []string{`\li`}},
		"a service account":            {`svc-k8s$`, []string{"svc-k8s"}},
		"a principal name": {`jdoe@corp.contoso.com`,
			[]string{"jdoe", "contoso"}},
		"a mail address of elsewhere": {`mail to anna.b@tailspin.org now`,
			[]string{"anna", "tailspin"}},
		"a profile": {`C:\Users\asmith\x`, []string{"asmith"}},
		"a profile in JSON": {`"C:\\Users\\asmith\\x"`,
			[]string{"asmith"}},
		"a profile with a space": {`C:\Users\Max Mustermann\x`,
			[]string{"mustermann"}},
		"a profile that nobody stated": {`open C:\Users\newbie\.kube\config: denied`,
			[]string{"newbie"}},
		"a profile called like a word": {`C:\Users\kubelet\x and /c/users/windows/y`,
			[]string{`s\kubelet`, "users/windows"}},
		"a user with an umlaut": {
			"J\u00fcrgen J\u00dcRGEN j\u00fcrgen J\\u00fcrgen", []string{"rgen"}},
		"the host of a translated ipconfig": {"ber-old7.ad.fabrikam.de",
			[]string{"ber-old7", "fabrikam"}},
		"the names of a glog file": {
			"kubelet.exe.MUC-NODE9.FABRIKAM_kmaier.log.INFO.20260131-100000.1234",
			[]string{"muc-node9", "fabrikam", "kmaier"}},
		"a domain's controller as a share": {`\\fra-win01\c$`, []string{"fra-win01"}},
		"a suffix of Azure": {
			"fra-win01.abcdefg.ax.internal.cloudapp.net", []string{"fra-win01", "abcdefg"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := n.text(row.text)
			for _, gone := range row.gone {
				if strings.Contains(strings.ToLower(got), gone) {
					t.Errorf("%q gives %q, which holds %s", row.text, got, gone)
				}
			}
			if again := n.text(got); again != got {
				t.Errorf("%q masked twice is %q", got, again)
			}
			if ascii(row.text) && !strings.Contains(row.text, `\u00fc`) &&
				len(got) != len(row.text) {
				t.Errorf("%q gives %q: another length", row.text, got)
			}
		})
	}
}

func TestWhatStays(t *testing.T) {
	n := learnt(t)
	n.text("00:15:5d:4e:70:1c")
	for _, text := range []string{
		"kubernetes.default.svc.cluster.local", "fra-win011 xfra-win01", "windows nodes",
		"mcr.microsoft.com/oss/kubernetes/pause:3.6",
		`NT AUTHORITY\SYSTEM`,
		`C:\Users\Administrator\x C:\Users\Public C:\Users\ContainerAdministrator\AppData`,
		`C:\Users\%USERNAME%\x`, "registry.k8s.io",
		"S-1-5-18 S-1-5-32-544 S-1-5-80-3139157870-2983391045-3678747466-658725712-1809340420 S-1-1-0",
		"10.0.17763.5329", "v1.28.4", "1.28.4+k3s1", "4.8.0.0.1", "1.2.3.4.5", "300.1.2.3",
		"01.2.3.4", "v52.1.2.3",
		`"FileVersion": "4.18.0.1"`, "Version : 6.2.1.9", "version=5.1.2.3", "Version 5.1.2.3 (x)",
		`C:\Program Files\x\4.18.0.1\MsMpEng.exe`, `"C:\\x\\4.18.0.1\\MsMpEng.exe"`,
		"Manifest   1.0.0.0    NetAdapter",
		"curl/8.4.0.1", "image: registry/app:4.2.1.1-ltsc2022", "registry/app:4.2.1.1",
		"kube-5.2.3.4", "tool-5.2.3.4.zip", "tool 5.2.3.4.zip", "5.2.3.4-rc1",
		"10.244.1.3 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.1.1 127.0.0.1 169.254.169.254 0.0.0.0 255.255.254.0 224.0.0.251 239.1.1.1 192.0.2.7 198.18.0.4 198.51.100.3 203.0.113.7 168.63.129.16 8.8.8.8",
		"fe80::1 fd00::12 ::1 :: ff02::1 2001:db8::7 fe80::aaaa:bbbb:cccc:dddd%12",
		"10:02:11.123 2026-11-20T10:02:11Z std::string a::b", "64:ff9b::10.0.0.1 ::ffff:10.0.0.1",
		"FF-FF-FF-FF-FF-FF 01:00:5e:00:00:16 00:00:00:00:00:00 33-33-00-00-00-16",
		"0E-2A-0A-F4-03-05", "00155d4e7", "aa-bb-cc-dd-ee-ff-00 deadbeef0123",
		`{"m":"fra-win01x\nReady"}`, "the version is 4.18.0.1", "Docker 4.18.0.1",
		"Script     4.18.0.1   x",
		"ec2-10-0-0-1.x", "name@sha256:0123456789ab", "k8s.io/klog/v2@v2.100.1/klog.go",
		"user@host", "@", "\\", "%", "::", "S-1-5-21-", "ip-",
	} {
		if got := n.text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := n.text("00155D4E701C"); got == "00155D4E701C" || !strings.HasPrefix(got, "00155D") {
		t.Errorf("a MAC address that was seen with colons stays %q", got)
	}
}

func TestALineBehindAHostIsNoUser(t *testing.T) {
	n := learnt(t)
	for text, end := range map[string]string{
		`"fra-win01\nReady"`: `\nReady"`, `"fra-win01\nfailed to"`: `\nfailed to"`,
		`"fra-win01\r\nx"`: `\r\nx"`, `"fra-win01\u0026x"`: `\u0026x"`, `"fra-win01\""`: `\""`,
	} {
		if got := n.text(text); !strings.HasSuffix(got, end) {
			t.Errorf("%s became %s", text, got)
		}
	}
	for _, text := range []string{`CONTOSO\nancy`, `CONTOSO\bob`, `CONTOSO\\nancy`} {
		if got := n.text(text); strings.HasSuffix(got, "ancy") || strings.HasSuffix(got, "bob") {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestNamesThatStayAreListed(t *testing.T) {
	got := learnt(t).Unmasked()
	want := []string{"li: too short to be distinguished from other words (fewer than 3 letters)",
		"n1: too short to be distinguished from other words (fewer than 3 letters)",
		"windows: a word that the evidence itself uses"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestOneValueHasOneMask(t *testing.T) {
	n := learnt(t)
	same := func(what string, masks ...string) {
		for _, m := range masks[1:] {
			if m != masks[0] {
				t.Errorf("%s: %q", what, masks)
			}
		}
	}
	h := n.text("fra-win01")
	same("case", strings.ToUpper(h), n.text("FRA-WIN01"))
	same("place", h, strings.TrimSuffix(n.text("fra-win01:10250"), ":10250"),
		strings.TrimPrefix(n.text("kube-proxy-fra-win01"), "kube-proxy-"))
	full := n.text("fra-win01.corp.contoso.com")
	if !strings.HasPrefix(full, h+".") || !strings.HasSuffix(full, ".com") ||
		strings.Count(full, ".") != 3 {
		t.Errorf("the full name %s is not made of %s", full, h)
	}
	same("domain", n.text("corp.contoso.com"), strings.TrimPrefix(full, h+"."))
	same("the domain's short name", strings.Split(full, ".")[2], strings.ToLower(n.text("CONTOSO")))
	same("NetBIOS", n.text("akswinpool-12345678-vmss000001")[:15], n.text("akswinpool-1234"))
	m := n.text("00-15-5D-4E-70-1C")
	same("spellings of a MAC", m, strings.ToUpper(strings.ReplaceAll(n.text("00:15:5d:4e:70:1c"),
		":", "-")))
	a := n.text("52.1.2.3")
	same("spellings of an address", strings.ReplaceAll(a, ".", "-"),
		strings.TrimPrefix(n.text("ec2-52-1-2-3"), "ec2-"),
		strings.ReplaceAll(strings.TrimPrefix(n.text("::ffff:52.1.2.3"), "::ffff:"), ".", "-"))
	p := strings.Split(a, ".")
	same("reversed", n.text("3.2.1.52.in-addr.arpa"), p[3]+"."+p[2]+"."+p[1]+"."+p[0]+
		".in-addr.arpa")
	six := netip.MustParseAddr(n.text("2a01:4f8:1:2::7"))
	same("reversed IPv6",
		n.text("7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.0.0.0.1.0.0.0.8.f.4.0.1.0.a.2.ip6.arpa"),
		reversed6(six))
	same("expanded", strings.ToUpper(six.StringExpanded()),
		n.text("2A01:04F8:0001:0002:0000:0000:0000:0007"))
	eui := n.text("fe80::215:5dff:fe4e:701c%7")
	low := strings.ToLower(strings.ReplaceAll(m, "-", ""))
	if !strings.HasPrefix(eui, "fe80::215:5dff:fe") ||
		netip.MustParseAddr(eui).WithZone("").StringExpanded()[32:] != low[6:8]+":"+low[8:] {
		t.Errorf("%s is not made of %s", eui, m)
	}
	if other := New([]byte("another key")); other.text("52.1.2.3") == a &&
		other.text("S-1-5-21-1-2-3-500") == n.text("S-1-5-21-1-2-3-500") {
		t.Error("another bundle has the same masks")
	}
}

func reversed6(a netip.Addr) string {
	hex := strings.ReplaceAll(a.StringExpanded(), ":", "")
	var b strings.Builder
	for i := len(hex) - 1; i >= 0; i-- {
		b.WriteString(hex[i:i+1] + ".")
	}
	return b.String() + "ip6.arpa"
}

func TestAddressesAreMasked(t *testing.T) {
	n := New([]byte("k"))
	for _, text := range []string{
		"dial tcp 52.1.2.3:443: i/o timeout", `{"ip":"52.1.2.3"}`, "52.1.2.3", "from 4.18.0.1.",
		"https://20.0.1.9/x", "10.0.0.1/52.1.2.3:80", "52.1.2.3-52.1.2.9", `"\\\\52.1.2.3\\share"`,
		`\\52.1.2.3\share`,
		`"a\n52.1.2.3"`, "2603:1020::5", "[2603:1020::5]:443", "2603:1020:201:3::/64",
		"S-1-5-21-1004336348-1177238915-682003330-512", "(A;;FA;;;S-1-5-21-1-2-3-500)",
		"S-1-12-1-1-2-3-4",
		"00-15-5D-0a-0b-0c", "0015.5d0a.0b0c", "addr:52.1.2.3", "db.contoso.net/52.1.2.3",
		"52.1.0.0/16", "tcp/52.1.2.3", "64:ff9b::52.1.2.3",
	} {
		got := n.text(text)
		if got == text {
			t.Errorf("%q stays", text)
		}
		if again := n.text(got); again != got {
			t.Errorf("%q twice is %q", got, again)
		}
	}
	if got := n.text("S-1-5-21-1004336348-1177238915-682003330-512"); !strings.HasPrefix(got,
		"S-1-5-21-") || !strings.HasSuffix(got, "-512") {
		t.Errorf("the relative id is lost: %s", got)
	}
	for _, text := range []string{"52.1.0.0/16", "52.1.0.0 255.255.0.0",
		"52.1.0.0  mask  255.255.0.0"} {
		if got := n.text(text); !strings.Contains(got, ".0.0") || strings.HasPrefix(got, "52.1.") {
			t.Errorf("%s became %s", text, got)
		}
	}
	if got, want := n.text("52.1.0.0/16"),
		n.text("52.1.77.9"); !netip.MustParsePrefix(got).Contains(netip.MustParseAddr(want)) {
		t.Errorf("%s left %s", want, got)
	}
}

// random4 is a public address, often near another one.
func random4(r *rand.Rand, near netip.Addr) netip.Addr {
	for {
		v := r.Uint32()
		b := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
		if near.IsValid() {
			shared := near.As4()
			copy(b[:], shared[:r.IntN(4)])
		}
		if a := netip.AddrFrom4(b); public(a) {
			return a
		}
	}
}

func shared(a, b []byte) int {
	for i := range a {
		if x := a[i] ^ b[i]; x != 0 {
			for bit := range 8 {
				if x>>(7-bit)&1 == 1 {
					return i*8 + bit
				}
			}
		}
	}
	return len(a) * 8
}

func TestAddressesShareAsManyBitsMasked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := New([]byte("k"))
	for range 20_000 {
		a := random4(r, netip.Addr{})
		b := random4(r, a)
		// Without what is remembered: a mask may be a value too, among so many.
		x, y := n.mask4(a, nil), n.mask4(b, nil)
		if shared(a.AsSlice(), b.AsSlice()) != shared(x.AsSlice(), y.AsSlice()) {
			t.Fatalf("%s and %s became %s and %s", a, b, x, y)
		}
		if !public(x) || (a.As4()[3] == 0) != (x.As4()[3] == 0) {
			t.Fatalf("%s became %s", a, x)
		}
	}
	for range 2_000 {
		a, b := random6(r), random6(r)
		copy(b[:], a[:r.IntN(16)])
		p, q := netip.AddrFrom16(a), netip.AddrFrom16(b)
		if !public(p) || !public(q) || holdsMAC(a) || holdsMAC(b) {
			continue
		}
		x, y := n.mask6(p, nil), n.mask6(q, nil)
		if !public(x) || shared(p.AsSlice(), q.AsSlice()) != shared(x.AsSlice(), y.AsSlice()) {
			t.Fatalf("%s and %s became %s and %s", p, q, x, y)
		}
	}
}

func random6(r *rand.Rand) (b [16]byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	b[0] = b[0]&0x1f | 0x20
	return b
}

func TestManyNodesHaveManyMasks(t *testing.T) {
	l := learner{}
	var names []string
	for i := range 3000 {
		names = append(names, fmt.Sprintf("aks-winpool-%08d-vmss%06x", i%7, i),
			fmt.Sprintf("w%d", i+10), fmt.Sprintf("ip-10-0-%d-%d", i/250, i%250))
	}
	for _, name := range names {
		l.host(name)
	}
	n := New([]byte("k"))
	n.learn(l)
	seen := map[string]string{}
	for _, name := range names {
		mask := n.text(name)
		if other, ok := seen[mask]; ok || mask == name || len(mask) != len(name) {
			t.Fatalf("%s became %s, as %s", name, mask, other)
		}
		seen[mask] = name
	}
}

func TestAPartOfAListStatesNamesToo(t *testing.T) {
	n := New([]byte("a key"))
	n.Learn(load(t, tree(map[string]string{"meta.json": node["meta.json"],
		"services.json.gap":  "absent: only some of the services are there",
		"services-part.json": `[{"name":"kubelet","account":"CONTOSO\\svc-k8s$"}]`,
		"adapters-part.json": `[{"name":"Ethernet","mac":"00-15-5D-0A-0B-0C"}]`})))
	for _, name := range []string{"svc-k8s$ logs on", "00155D0A0B0C"} {
		if n.text(name) == name {
			t.Errorf("%s stays", name)
		}
	}
}

func TestSideBySideMasksAreTheSame(t *testing.T) {
	n := learnt(t)
	text := []byte(
		strings.Repeat("fra-win01 C:\\Users\\u1\\x 52.1.2.3 00:15:5d:4e:70:1c u2@tailspin.org ",
			50))
	var group sync.WaitGroup
	out := make([]string, 8)
	for i := range out {
		group.Go(func() { out[i] = string(n.Append(nil, text)) })
	}
	group.Wait()
	for _, o := range out[1:] {
		if o != out[0] {
			t.Fatal("two blocks of one bundle differ")
		}
	}
	if c := n.Counts(); c["host"] == 0 || c["user"] == 0 || c["mac"] != 400 || c["ip"] != 400 {
		t.Errorf("counted %v", c)
	}
}

func FuzzAppend(f *testing.F) {
	for _, text := range slices.Collect(maps.Values(node)) {
		f.Add(text)
	}
	f.Add("52.1.2.3/16 ip-10-0-0-1 C:\\Users\\\\ \\\\x ::1 2a01::/3 a@b.cd %41 \\u0041fra-win01 \xff\xfe")
	n := New([]byte("k"))
	l := learner{}
	for _, name := range []string{"fra-win01", "ber-old7.corp.contoso.com",
		"akswinpool-12345678-vmss000001"} {
		l.host(name)
	}
	l.user(`contoso\jdoe`)
	n.learn(l)
	f.Fuzz(func(t *testing.T, text string) {
		got := n.text(text)
		for _, name := range []string{"fra-win01", "ber-old7", "corp.contoso.com",
			"akswinpool-12345678-vmss000001", "jdoe"} {
			if holdsWord(strings.ToLower(got), name) {
				t.Errorf("%q gives %q, which holds %s", text, got, name)
			}
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
			t.Errorf("%q gives %q, which is no JSON", text, got)
		}
	})
}

func FuzzLearn(f *testing.F) {
	f.Add("fra-win01", `CORP\bob`, "a.b.contoso.co.uk", "fra-win01 bob")
	f.Fuzz(func(t *testing.T, host, user, domain, text string) {
		l := learner{}
		l.host(host)
		l.user(user)
		l.domain(domain)
		l.profile(user)
		n := New([]byte("k"))
		n.learn(l)
		got := n.text(text)
		_ = n.text(got)
	})
}

func BenchmarkKlog(b *testing.B) {
	n := New([]byte("k"))
	l := learner{}
	for i := range 200 {
		l.host(fmt.Sprintf("aks-winpool-12345678-vmss%06d.corp.contoso.com", i))
	}
	l.host("win-2022-1")
	l.user(`contoso\jdoe`)
	n.learn(l)
	line := `I1120 10:02:11.601139    3560 kubelet_node_status.go:72] "Attempting to register node" node="win-2022-1" podIP="10.244.1.3" uid="fec65dc3-37ef-4227-8572-5e1f54da0277"
E1120 10:02:12.010884    3652 kuberuntime_manager.go:864] container &Container{Name:web,Image:mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022,Command:[],Args:[],WorkingDir:,Ports:[]ContainerPort{ContainerPort{Name:,HostPort:0,ContainerPort:80,Protocol:TCP,HostIP:,},}} start failed in pod web-6d4cf56db6-abcde_default: CreateContainerError: context deadline exceeded
W1120 10:02:13.110884    3652 reflector.go:324] failed to list *v1.Service: Get "https://52.1.2.3:443/api/v1/services?limit=500": dial tcp 52.1.2.3:443: connectex: No connection could be made
`
	text := []byte(strings.Repeat(line, 1000))
	dst := make([]byte, 0, 2*len(text))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = n.Append(dst[:0], text)
	}
	io.Discard.Write(dst)
}
