package foreign

import (
	"encoding/json"
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
	"doctor/collectors/netsh"
)

func FuzzSplitDump(f *testing.F) {
	for name, content := range overlay2022() {
		if strings.HasSuffix(name, ".txt") {
			f.Add(content)
		}
	}
	f.Add("{10.1.0.5, fd00::5}\n[\n{\"a\":1},\n")
	f.Add(`{"value":[null,{}],"Count":1}[null]"x"[["a"]]`)
	f.Fuzz(func(t *testing.T, s string) {
		pieces, _ := splitDump(s)
		for _, p := range pieces {
			if p.document == nil {
				if !strings.Contains(s, p.text) {
					t.Errorf("%q is not in the dump", p.text)
				}
				continue
			}
			list, _ := records(p.document)
			for _, r := range list {
				if r == nil {
					t.Errorf("a record of %s is nil", p.document)
				}
				if _, err := json.Marshal(r); err != nil {
					t.Errorf("a record of %s cannot be written: %v", p.document, err)
				}
			}
		}
	})
}

func FuzzIPConfig(f *testing.F) {
	f.Add(ipEnglish)
	f.Add(ipChinese)
	f.Add(ipGerman)
	f.Add(l2bridge2018()["ip.txt"])
	f.Fuzz(func(t *testing.T, s string) {
		n := interfaces{ip: textFile{name: "ip.txt", content: s}, sections: parseIPConfig(s),
			addresses: addressesOf(printed(s)), adapterOf: netAdaptersOf(printed(s)),
			mtus: parseNetshInterfaces(s, false)}
		list, gap := n.adapters()
		if gap.Kind == "" {
			for _, a := range list {
				if a.Name == "" {
					t.Errorf("an adapter has no name: %+v", a)
				}
				for _, p := range a.Addresses {
					if _, err := netip.ParsePrefix(p); err != nil {
						t.Errorf("%q is no address with its length", p)
					}
				}
			}
		}
		n.dnsClient()
		hostName(s)
	})
}

func FuzzRoutes(f *testing.F) {
	f.Add(overlay2022()["routes.txt"])
	f.Add(l2bridge2018()["routes.txt"])
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range append(parseNetRoutes(s), parseRoutePrint(s, func(netip.Addr) int {
			return 0
		})...) {
			if _, err := netip.ParsePrefix(r.Destination); err != nil {
				t.Errorf("%+v: %v", r, err)
			}
			if _, err := netip.ParseAddr(r.NextHop); err != nil {
				t.Errorf("%+v: %v", r, err)
			}
		}
	})
}

func FuzzServices(f *testing.F) {
	f.Add(scAll())
	f.Add(overlay2022()["windowsServices.txt"])
	f.Fuzz(func(t *testing.T, s string) {
		list, _, _ := parseSC(s)
		for _, svc := range append(list, printedServices(printed(s))...) {
			if svc.Name == "" || svc.State == "" {
				t.Errorf("a service without name or state: %+v", svc)
			}
		}
	})
}

func FuzzPortsAndMachine(f *testing.F) {
	for _, name := range []string{"excludedportrange.txt", "dynamicportrange.txt", "winver.txt"} {
		f.Add(overlay2022()[name])
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, _ := netsh.Excluded(s)
		for _, e := range list {
			if e.Start > e.End || e.End > 65535 {
				t.Errorf("%+v is no range of ports", e)
			}
		}
		netsh.Dynamic(s)
		x := textFile{name: "winver.txt", content: s}
		readOS(x)
		readHotfixes(x)
		hotfixSource(s)
	})
}

// FuzzRecording puts one file's bytes everywhere: whatever they are, the result is
// a tree that loads and can be read to its end.
func FuzzRecording(f *testing.F) {
	for _, content := range overlay2022() {
		f.Add([]byte(content))
		f.Add(utf16(f, content))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := fstest.MapFS{}
		for name := range overlay2022() {
			m["n/"+name] = &fstest.MapFile{Data: b, ModTime: collected}
		}
		s := load(t, m)
		for _, name := range s.Paths() {
			r, err := s.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil {
				t.Fatal(err)
			}
			r.Close()
		}
		for _, gap := range []evidence.Gap{evidence.HNSNetworks.Gap(s), evidence.Adapters.Gap(s),
			evidence.Services.Gap(s)} {
			if strings.ContainsAny(gap.String(), "\x1b\n\r") {
				t.Errorf("gap %q is not one clean line", gap)
			}
		}
	})
}
