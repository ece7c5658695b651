package foreign

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// converted is an evidence file of the recording's only node, or what its gap says.
func converted(t *testing.T, recorded fs.FS, file string) string {
	t.Helper()
	nodes, err := Find(recorded)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := nodes[0].Evidence(recorded)
	if err != nil {
		t.Fatal(err)
	}
	content, err := fs.ReadFile(tree, file)
	if err != nil {
		if content, err = fs.ReadFile(tree, file+".gap"); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(content))
	}
	return compact(string(content))
}

// compact takes the white space out of JSON, and leaves any other text.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// A conversion is one file of a recording that is another than usual, and the evidence that it
// becomes.
type conversion struct {
	name, content string
	want          string
}

func (c conversion) check(t *testing.T, recorded fs.FS, file string) {
	t.Helper()
	if got := converted(t, recorded, file); got != compact(c.want) {
		t.Errorf("%s: %s is\n%s, want\n%s", c.name, file, got, c.want)
	}
}

func sdnNode(t *testing.T, changes ...string) fstest.MapFS {
	t.Helper()
	return recording(t, "", with(overlay2022(), changes...))
}

func rancherNode(t *testing.T, changes ...string) fstest.MapFS {
	t.Helper()
	return rke2Recording(t, "", with(rke2Healthy(t), changes...))
}

func TestWinverBecomesTheBuild(t *testing.T) {
	const refused = "error: winver.txt says %, which is no build of Windows Server 2016 or " +
		"later: Windows hides its version from programs without a manifest"
	for _, row := range []conversion{
		{"another version of Windows", "11.0.20348.0\n", refused},
		{"the build before the first of Windows 10", "10.0.10239.0\n", refused},
		{"the first build of Windows 10", "10.0.10240.0\n", `{"build":10240}`},
		{"the last build of five digits", "10.0.99999.0\n", `{"build":99999}`},
		{"a build of six digits", "10.0.100000.0\n", refused},
		{"a build that no number holds", "10.0.99999999999999999999.0\n", refused},
		{"no version at all", "'winver' is not recognized\n",
			"error: winver.txt names no version of Windows; it begins with: 'winver' is not " +
				"recognized"},
	} {
		row.want = strings.Replace(row.want, "%", strings.TrimSpace(row.content), 1)
		row.check(t, sdnNode(t, "winver.txt", row.content), "os.json")
	}
}

func TestDatesOfUpdatesAreReadInTheOrderOfTheNode(t *testing.T) {
	const head = "10.0.20348.0\n\nSource Description HotFixID InstalledBy InstalledOn\n"
	update := func(id, date string) string {
		return "WIN-1   Update   " + id + "   NT AUTHORITY\\SYSTEM  " + date + "\n"
	}
	for _, row := range []conversion{
		{"every date could be either", update("KB5000001", "12/10/2022 12:00:00 AM") +
			update("KB5000002", "9/12/2022 12:00:00 AM"),
			`[{"id":"KB5000001"},{"id":"KB5000002"}]`},
		{"one date shows that the month comes first", update("KB5000001",
			"12/10/2022 12:00:00 AM") + update("KB5000002", "9/13/2022 12:00:00 AM"),
			`[{"id":"KB5000001","installedAt":"2022-12-10T00:00:00Z"},{"id":"KB5000002",
				"installedAt":"2022-09-13T00:00:00Z"}]`},
		{"one date shows that the day comes first", update("KB5000001",
			"12/10/2022 12:00:00 AM") + update("KB5000002", "13/9/2022 12:00:00 AM"),
			`[{"id":"KB5000001","installedAt":"2022-10-12T00:00:00Z"},{"id":"KB5000002",
				"installedAt":"2022-09-13T00:00:00Z"}]`},
		{"dots stand between day and month", update("KB5000001", "12.10.2022 00:00:00"),
			`[{"id":"KB5000001","installedAt":"2022-10-12T00:00:00Z"}]`},
		{"dates that contradict each other", update("KB5000001", "13/9/2022") + update("KB5000002",
			"9/13/2022"), `[{"id":"KB5000001"},{"id":"KB5000002"}]`},
		{"the year comes first", update("KB5000001", "2022-09-15"),
			`[{"id":"KB5000001","installedAt":"2022-09-15T00:00:00Z"}]`},
		{"an update is listed twice", update("KB5000001", "13/9/2022") + update("KB5000001",
			"14/9/2022"), `[{"id":"KB5000001","installedAt":"2022-09-13T00:00:00Z"}]`},
		{"a date before these updates", update("KB5000001", "13/9/2009"), `[{"id":"KB5000001"}]`},
		{"a day that no month has", update("KB5000001", "31/2/2022"), `[{"id":"KB5000001"}]`},
		{"no update", "<No hotfix>\n", `[]`},
		{"no table", "Get-HotFix : access denied\n", "error: winver.txt holds no table of updates"},
	} {
		row.check(t, sdnNode(t, "winver.txt", head+row.content), "hotfixes.json")
	}
}

func TestAdaptersAndRoutesOfIPConfig(t *testing.T) {
	const top = "Windows IP Configuration\n\n   Host Name . . . . . . . . . . . . : win-9\n\n"
	for _, row := range []conversion{
		{"a heading without fields is no adapter",
			top + "Ethernet adapter A:\n\nEthernet adapter B:\n\n   Physical Address. . . . . . " +
				". . . : 00-15-5D-01-02-03\n",
			`[{"name":"B","mac":"00-15-5D-01-02-03","addresses":[],"gateways":[],"dnsServers":[],
				"dnsSuffix":""}]`},
		{"no adapter", top, "error: ip.txt shows no adapter; it begins with: Windows IP " +
			"Configuration"},
	} {
		row.check(t, sdnNode(t, "ip.txt", row.content), "adapters.json")
	}
	conversion{name: "no route", want: "error: routes.txt shows no route; it begins with: " +
		"nothing"}.check(t, sdnNode(t, "routes.txt", "nothing\n"), "routes.json")
}

func TestTheStateOfAnEndpointComesFromTheTable(t *testing.T) {
	const endpoint = `{ "ID": "89958F54-0001-4D5B-8F3E-1D2C3B4A5968", "Name": "e",
		 "IPAddress": "10.1.0.5", "MacAddress": "00-15-5D-01-02-03" }`
	list := func(state string) string {
		return "\nIpAddress        : 10.1.0.5\nMacAddress       : " +
			"00-15-5D-01-02-03\nIsRemoteEndpoint : \nState            : " + state + "\n\n" +
			endpoint + "\n"
	}
	for state, want := range map[string]string{"3": `"State":3`, "0": `"State":0`, "Attached": "",
		"-1": ""} {
		got := converted(t, sdnNode(t, "endpoint.txt", list(state)), "hns-endpoints.json")
		if has := strings.Contains(got, `"State"`); has != (want != "") || !strings.Contains(got,
			want) {
			t.Errorf("the state %q becomes %s", state, got)
		}
	}
}

func TestDisksOfTwoTables(t *testing.T) {
	for _, row := range []conversion{
		{"a drive that is all free, one with more free than there is, one without a size, and " +
			"one twice",
			"\nCaption  FreeSpace    Size          \n\nC:       100  100  \nD:       101  " +
				"100\nE:       0  0\nC:       5  50\n\n",
			`[{"drive":"C:","totalBytes":100,"freeBytes":100}]`},
		{"no drive", "nothing\n", "error: system/freediskspace shows no drive and its size; it " +
			"begins with: nothing"},
	} {
		row.check(t, rancherNode(t, "system/freediskspace", row.content, "system/volumes", "-"),
			"disks.json")
	}
}

func TestTheNetworkStateOfTheRuntime(t *testing.T) {
	const info = "containerd/crictl-info.txt"
	alone := []string{"containerd/crictl-images.txt", "-", "containerd/crictl-pods.txt", "-",
		"containerd/crictl-ps.txt", "-", "containerd/ctr-version.txt", "-"}
	for _, row := range []conversion{
		{"loading the CNI configuration worked",
			`{"status":{},"lastCNILoadStatus":"OK","config":{"a":1}}`,
			`{"status":{"conditions":[{"type":"NetworkReady","status":true,"reason":"",
				"message":""}]},"config":{"a":1}}`},
		{"loading the CNI configuration failed",
			`{"status":{},"lastCNILoadStatus":"no network config found"}`,
			`{"status":{"conditions":[{"type":"NetworkReady","status":false,
				"reason":"lastCNILoadStatus","message":"no network config found"}]}}`},
		{"the runtime's own word counts before how loading went",
			`{"status":{"conditions":[{"type":"NetworkReady","status":true}]},
			"lastCNILoadStatus":"failed"}`,
			`{"status":{"conditions":[{"type":"NetworkReady","status":true,"reason":"",
				"message":""}]}}`},
		{"the runtime says only that it is ready itself",
			`{"status":{"conditions":[{"type":"RuntimeReady","status":true}]},
			"lastCNILoadStatus":"OK"}`,
			`{"status":{"conditions":[{"type":"RuntimeReady","status":true,"reason":"",
				"message":""},{"type":"NetworkReady","status":true,"reason":"","message":""}]}}`},
		{"nothing is said of the network", `{"status":{"conditions":[{"type":"RuntimeReady",
			"status":true}]}}`,
			`{"status":{"conditions":[{"type":"RuntimeReady","status":true,"reason":"",
				"message":""}]}}`},
		{"JSON of something else", `{"other":1}`,
			`error: containerd/crictl-info.txt holds no objects; it begins with: {"other":1}`},
	} {
		row.check(t, rancherNode(t, append([]string{info, row.content}, alone...)...), "cri.json")
	}
}

func TestLevelsAndTimesOfEventsInJSON(t *testing.T) {
	event := func(level, at string) string {
		return `[{"Id":7,"Level":` + level + `,"ProviderName":"p","LogName":"System","Message":"m",
			"TimeCreated":` + at + `}]`
	}
	const noon = `"\/Date(1795168920000)\/"`
	shown := func(level, at string) string {
		return `[{"log":"System","provider":"p","id":7,"level":"` + level + `","time":"` + at +
			`","message":"m"}]`
	}
	for _, row := range []conversion{
		{"level 1", event("1", noon), shown("critical", "2026-11-20T10:02:00Z")},
		{"level 2", event("2", noon), shown("error", "2026-11-20T10:02:00Z")},
		{"level 3", event("3", noon), shown("warning", "2026-11-20T10:02:00Z")},
		{"level 0, as classic logs write it", event("0", noon), shown("information",
			"2026-11-20T10:02:00Z")},
		{"a level that there is not", event("9", noon), shown("information",
			"2026-11-20T10:02:00Z")},
		{"a negative level", event("-1", noon), shown("information", "2026-11-20T10:02:00Z")},
		{"a time with an offset, which is for display", event("2",
			`"\/Date(1795168920000+0200)\/"`), shown("error", "2026-11-20T10:02:00Z")},
		{"a time in an object", event("2", `{"value":`+noon+`}`), shown("error",
			"2026-11-20T10:02:00Z")},
		{"a time of PowerShell 7", event("2", `"2026-11-20T11:02:00+01:00"`), shown("error",
			"2026-11-20T10:02:00Z")},
	} {
		row.check(t, rancherNode(t, "eventlogs/application.json", "", "eventlogs/system.json",
			row.content), "events.json")
	}
}

func TestMemoryOfTwoFilesOfAKS(t *testing.T) {
	const available, pages = "available-memory.txt", "20240903-095941_pagefile.txt"
	const d = `"pageFiles":[{"path":"D:\\pagefile.sys","sizeBytes":8589934592,"automatic":true}]`
	for _, row := range []struct {
		name, want string
		changes    []string
	}{
		{"both are there", `{"availableBytes":8589934592,` + d + `}`, nil},
		{"neither is there", "not-collected: available-memory.txt is not in the folder; " +
			"collect-windows-logs.ps1 does not collect the memory otherwise; run `doctor bundle` " +
			"on the node", []string{available, "-", pages, "-"}},
		{"the counter is an error, and nothing is known of page files",
			"error: available-memory.txt shows no counter; it begins with: Get-Counter : failed",
			[]string{available, "Get-Counter : failed\n", pages, "-"}},
		{"there is no counter", `{` + d + `}`, []string{available, "-"}},
		{"nothing is known of page files", `{"availableBytes":8589934592}`, []string{pages, "-"}},
		{"there is no page file", `{"availableBytes":8589934592,"pageFiles":[]}`, []string{pages,
			"AutomaticManagedPagefile : False\n"}},
		{"a size without a page file before it",
			`{"availableBytes":8589934592,"pageFiles":[{"path":"D:\\p","automatic":false}]}`,
			[]string{pages, "AllocatedBaseSize : 5\nName : D:\\p\n"}},
		{"the question about page files failed", `{"availableBytes":8589934592}`, []string{pages,
			"AutomaticManagedPagefile : True\n    + CategoryInfo : NotSpecified\n"}},
	} {
		conversion{name: row.name, want: row.want}.check(t, aksZip(t, row.changes...),
			"memory.json")
	}
}

func TestUptimeNeedsDaysAndHours(t *testing.T) {
	const none = "\n\nDays : 2\nMinutes : 5\n\n"
	// systeminfo tells the boot too, unless its date could be either
	either := strings.Replace(systeminfoEnglish, "11/17/2026", "11/7/2026", 1)
	if got := converted(t, rancherNode(t, "system/uptime", none, "system/systeminfo", either),
		"os.json"); strings.Contains(got, "bootedAt") {
		t.Errorf("half an uptime tells when it was booted: %s", got)
	}
	if got := converted(t, rancherNode(t), "os.json"); !strings.Contains(got,
		`"bootedAt":"2026-11-17T09:12:11Z"`) {
		t.Errorf("it was booted: %s", got)
	}
}

func TestAMetaFileOfSomethingElseIsNamed(t *testing.T) {
	_, err := Find(fstest.MapFS{"x/meta.json": {Data: []byte(`{"name":"chart"}`)}})
	if err == nil || !strings.Contains(err.Error(),
		"x/meta.json is there, and is no JSON object with a layout") {
		t.Errorf("the error is %v", err)
	}
	_, err = Find(fstest.MapFS{"x/readme": {Data: []byte("x")}})
	if err == nil || strings.Contains(err.Error(), "is there, and is no JSON object") {
		t.Errorf("the error is %v", err)
	}
}
