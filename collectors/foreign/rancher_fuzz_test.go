package foreign

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

func FuzzSysteminfoAndLists(f *testing.F) {
	f.Add(systeminfoEnglish)
	f.Add(systeminfoChinese)
	f.Add(serviceList("hns", "-rke2"))
	f.Add(processTable(rke2Processes...))
	f.Add(antctlAgent()["HNSNetwork"])
	f.Add(rke2Healthy(f)["eventlogs/rke2-service.txt"])
	f.Add(rke2Healthy(f)["system/freediskspace"])
	f.Fuzz(func(t *testing.T, s string) {
		x := textFile{name: "x", content: s}
		if si, ok := readSysteminfo(x); ok {
			if si.memory.TotalBytes < 0 || si.memory.CommitLimitBytes < 0 || si.os.Build == 0 {
				t.Errorf("systeminfo is %+v", si)
			}
		}
		for _, svc := range printedServices(printed(s)) {
			if svc.Name == "" || svc.State == "" {
				t.Errorf("a service without name or state: %+v", svc)
			}
		}
		if list, gap := readProcesses(x); gap.Kind == "" {
			addArgs(list, "kubelet", s)
		}
		if list, gap := readDrives(x); gap.Kind == "" {
			for _, d := range list.([]evidence.Disk) {
				if d.FreeBytes < 0 || d.FreeBytes > d.TotalBytes {
					t.Errorf("drive %+v", d)
				}
			}
		}
		readEnvironment(x, x)
		readUptime(s)
		wrappedRows(s)
		parseNetshInterfaces(s, true)
		readCRIInfo(s)
		readCrictlImages(s)
		readCrictlPods(s)
		readCrictlContainers(s)
	})
}

func FuzzEvents(f *testing.F) {
	f.Add(rke2Healthy(f)["eventlogs/system.json"])
	f.Add(`{"Id":1,"TimeCreated":{"value":"/Date(1)/"}}`)
	f.Add(`[{},[],null,"x",{"TimeCreated":"2025-11-20T18:02:00Z"}`)
	f.Fuzz(func(t *testing.T, s string) {
		var list []evidence.WindowsEvent
		decodeEvents(strings.NewReader(s), func(e evidence.WindowsEvent) { list = append(list, e) })
		if _, err := json.Marshal(recent(list)); err != nil {
			t.Error(err)
		}
	})
}

func FuzzClusterInfo(f *testing.F) {
	f.Add(antctlClusterInfo)
	f.Add("#nodes\nitems:\n- &a [*a]\n- !!binary x\n")
	f.Fuzz(func(t *testing.T, s string) {
		c := clusterInfo{left: maxKubeParsed}
		for name := range splitYAML(s) {
			list, gap := c.list(splitYAML(s), name, nil)
			for _, o := range list {
				o.name()
			}
			if gap.Kind != "" && len(list) > 0 {
				t.Errorf("a gap and %d objects", len(list))
			}
		}
		agentNode(s)
	})
}

// FuzzRancherAndAntctl puts one file's bytes everywhere: whatever they are, the
// result is a tree that loads and can be read to its end.
func FuzzRancherAndAntctl(f *testing.F) {
	seeds := rke2Healthy(f)
	for _, content := range seeds {
		f.Add([]byte(content))
	}
	f.Add(bytes.Repeat([]byte("-"), 200))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, names := range []map[string]string{seeds, antctlAgent()} {
			m := fstest.MapFS{}
			for name := range names {
				m["a_n/"+name] = &fstest.MapFile{Data: b, ModTime: rke2At}
			}
			m["clusterinfo"] = &fstest.MapFile{Data: b}
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
			for _, k := range layoutKinds {
				if strings.ContainsAny(k.Gap(s).String(), "\x1b\n\r") {
					t.Errorf("gap %q is not one clean line", k.Gap(s))
				}
			}
			_ = evidence.CRI.In(s)
		}
	})
}
