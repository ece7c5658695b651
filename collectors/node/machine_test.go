package node

import (
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
)

// asJSON is what a reader of the evidence sees.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const server2019 = `
[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows NT\CurrentVersion]
"CurrentBuildNumber"="17763"
"UBR"=dword:000014d1
"ProductName"="Windows Server 2019 Datacenter"
"ReleaseId"="1809"
"EditionID"="ServerDatacenter"
"InstallationType"="Server Core"
"SystemRoot"="C:\\Windows"

[HKEY_LOCAL_MACHINE\HARDWARE\DESCRIPTION\System\BIOS]
"SystemManufacturer"="VMware, Inc."
"SystemProductName"="VMware7,1"
`

func TestReadOS(t *testing.T) {
	booted := time.Date(2026, 11, 20, 3, 4, 36, 789, time.UTC)
	for _, tt := range []struct {
		name   string
		text   string
		kernel int
		want   string
	}{
		{"a server", server2019, 17763,
			`{"productName":"Windows Server 2019 Datacenter","displayVersion":"1809","build":17763,"ubr":5329,"edition":"ServerDatacenter",` +
				`"installationType":"Server Core","bootedAt":"2026-11-20T03:04:36Z","machine":{"manufacturer":"VMware, Inc.","model":"VMware7,1","virtual":true}}`},
		{"a registry of another Windows than the kernel's", server2019, 20348,
			`{"build":20348,"bootedAt":"2026-11-20T03:04:36Z","machine":{"manufacturer":"VMware, Inc.","model":"VMware7,1","virtual":true}}`},
		{"no registry", "", 20348, `{"build":20348,"bootedAt":"2026-11-20T03:04:36Z"}`},
	} {
		got, err := readOS(regFile(t, tt.text), tt.kernel, booted)
		if err != nil || asJSON(t, got) != tt.want {
			t.Errorf("%s: got %s %v, want %s", tt.name, asJSON(t, got), err, tt.want)
		}
	}
	if _, err := readOS(regFile(t, ""), 0, booted); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("neither kernel nor registry: got %v", err)
	}
}

func TestIsVirtual(t *testing.T) {
	for _, tt := range []struct{ maker, model, want string }{
		{"Microsoft Corporation", "Virtual Machine", "true"},
		{"Microsoft Corporation", "Surface Pro 7", "false"},
		{"QEMU", "Standard PC (Q35 + ICH9, 2009)", "true"},
		{"Amazon EC2", "m5.large", "true"},
		{"Amazon EC2", "c5.metal", "false"},
		{"Google", "Google Compute Engine", "true"},
		{"Nutanix", "AHV", "true"},
		{"Nutanix", "NX-3060", "null"},
		{"Dell Inc.", "PowerEdge R740", "false"},
		{"HP", "ProLiant DL360 Gen9", "false"},
		{"HPE", "ProLiant DL360 Gen10", "false"},
		{"Hpcompany", "X", "null"},
		{"System manufacturer", "System Product Name", "null"},
	} {
		if got := asJSON(t, isVirtual(tt.maker, tt.model)); got != tt.want {
			t.Errorf("%s %s: got %s, want %s", tt.maker, tt.model, got, tt.want)
		}
	}
}

func TestReadEnvironment(t *testing.T) {
	got, err := readEnvironment(regFile(t, `
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Session Manager\Environment]
"Path"=expand:"%SystemRoot%\\system32;%K8S_DIR%\\bin"
"K8S_DIR"="C:\\etc\\kubernetes"
"HTTPS_PROXY"="http://nina:s3cret@proxy.example:3128/"
"http_proxy"="nina:s3cret@proxy.example:3128"
"NO_PROXY"="10.96.0.0/12,.svc"
"NUMBER"=dword:00000004
`))
	want := `{"HTTPS_PROXY":"http://proxy.example:3128/","K8S_DIR":"C:\\etc\\kubernetes","NO_PROXY":"10.96.0.0/12,.svc",` +
		`"Path":"C:\\Windows\\system32;C:\\etc\\kubernetes\\bin","http_proxy":"proxy.example:3128"}`
	if err != nil || asJSON(t, got) != want {
		t.Errorf("got %s %v, want %s", asJSON(t, got), err, want)
	}
}

func TestWithoutCredentials(t *testing.T) {
	for _, tt := range []struct{ name, variable, in, want string }{
		{"a URL without a user", "X", "https://10.0.0.1:6443/api", "https://10.0.0.1:6443/api"},
		{"a token for a user", "X", "https://token@git.example/a", "https://git.example/a"},
		{"a password with an at sign", "X", "http://a:b@c@proxy:80", "http://proxy:80"},
		{"a password with a slash", "X", "http://a:b/c@proxy:80", "http://proxy:80"},
		{"an at sign in a path", "X", "https://registry:5000/img@sha256:1",
			"https://registry:5000/img@sha256:1"},
		{"an at sign behind an IPv6 address", "X", "https://[fd00::1]:443/a@b",
			"https://[fd00::1]:443/a@b"},
		{"several URLs", "X", "a=http://u:p@h1 b=http://u:p@h2", "a=http://h1 b=http://h2"},
		{"a proxy without a scheme", "https_proxy", "u:p@h:1", "h:1"},
		{"what looks like one elsewhere is left alone", "MAIL", "u@h", "u@h"},
		{"a path of Windows", "X", `C:/k/a@b`, `C:/k/a@b`},
	} {
		if got := withoutCredentials(tt.variable, tt.in); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestReadPageFiles(t *testing.T) {
	const head = "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management]\n"
	size := func(path string) (int64, bool) { return 4096, path == `C:\pagefile.sys` }
	for _, tt := range []struct{ name, text, want string }{
		{"Windows chooses everything", head + `"PagingFiles"=multi:"?:\\pagefile.sys"` + "\n" +
			`"ExistingPageFiles"=multi:"\\??\\C:\\pagefile.sys"`,
			`[{"path":"C:\\pagefile.sys","sizeBytes":4096,"automatic":true}]`},
		{"Windows chooses the size", head + `"PagingFiles"=multi:"c:\\pagefile.sys 0 0"` + "\n" +
			`"ExistingPageFiles"=multi:"\\??\\C:\\pagefile.sys"`,
			`[{"path":"C:\\pagefile.sys","sizeBytes":4096,"automatic":true}]`},
		{"a fixed size, and one that cannot be told",
			head + `"PagingFiles"=multi:"C:\\pagefile.sys 1024 2048","D:\\page file.sys"` + "\n" +
				`"ExistingPageFiles"=multi:"\\??\\C:\\pagefile.sys","\\??\\D:\\page file.sys"`,
			`[{"path":"C:\\pagefile.sys","sizeBytes":4096,"automatic":false},{"path":"D:\\page file.sys","automatic":true}]`},
		{"only settings", head + `"PagingFiles"=multi:"C:\\pagefile.sys 1024 2048"`,
			`[{"path":"C:\\pagefile.sys","sizeBytes":4096,"automatic":false}]`},
		{"only settings, and the drive is not named",
			head + `"PagingFiles"=multi:"?:\\pagefile.sys"`, `null`},
		{"no page file", head + `"PagingFiles"=hex(7):00,00` + "\n" +
			`"ExistingPageFiles"=hex(7):00,00`, `[]`},
		{"the registry does not say", head, `null`},
	} {
		if got := asJSON(t, readPageFiles(regFile(t, tt.text), size)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestReadPendingReboot(t *testing.T) {
	const cbs = `HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing`
	const names = "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ActiveComputerName]\n\"ComputerName\"=\"WIN-1\"\n" +
		"[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\ComputerName\\ComputerName]\n\"ComputerName\"="
	for _, tt := range []struct{ name, text, want string }{
		{"nothing asks for one", names + `"win-1"`, `{"pending":false,"reasons":[]}`},
		{"servicing does, twice", "[" + cbs + "\\RebootPending]\n[" + cbs + "\\PackagesPending]\n",
			`{"pending":true,"reasons":["component-based-servicing"]}`},
		{"all of them",
			"[" + cbs + "\\RebootPending]\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate\\Auto Update\\RebootRequired]\n" +
				"[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager]\n\"PendingFileRenameOperations\"=multi:\"\\\\??\\\\C:\\\\old.dll\",\"\"\n" + names + `"win-2"`,
			`{"pending":true,"reasons":["component-based-servicing","windows-update","pending-file-rename","computer-name"]}`},
		{"one is enough where another key may not be read", "[!" + cbs + "\\RebootPending]\n" +
			names + `"win-2"`, `{"pending":true,"reasons":["computer-name"]}`},
	} {
		got, err := readPendingReboot(regFile(t, tt.text))
		if err != nil || asJSON(t, got) != tt.want {
			t.Errorf("%s: got %s %v, want %s", tt.name, asJSON(t, got), err, tt.want)
		}
	}
	if _, err := readPendingReboot(regFile(t, "[!"+cbs+"\\RebootPending]\n")); !errors.Is(err,
		fs.ErrPermission) {
		t.Errorf("a key that may not be read: got %v", err)
	}
}

func TestReadTimeService(t *testing.T) {
	const base = `[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\W32Time\`
	const peer = base + "Parameters]\n\"NtpServer\"=\"time.windows.com,0x9\"\n\"Type\"="
	running := []evidence.Service{{Name: "W32Time", State: "running"}}
	for _, tt := range []struct{ name, text, want string }{
		{"a server by name", peer + `"NTP"`,
			`{"service":"running","source":"time.windows.com,0x9"}`},
		{"the domain", peer + `"NT5DS"`, `{"service":"running","source":"domain hierarchy"}`},
		{"a policy goes before the service's own settings",
			peer + "\"NT5DS\"\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\W32Time\\Parameters]\n\"Type\"=\"NTP\"\n\"NtpServer\"=\"ntp.example\"",
			`{"service":"running","source":"ntp.example"}`},
		{"no server, and perhaps the hypervisor", peer + "\"NoSync\"\n" + base +
			"TimeProviders\\VMICTimeProvider]\n\"Enabled\"=dword:00000001",
			`{"service":"running"}`},
		{"no server and no hypervisor", peer + "\"NoSync\"\n" + base +
			"TimeProviders\\VMICTimeProvider]\n\"Enabled\"=dword:00000000",
			`{"service":"running","source":"Free-running System Clock"}`},
		{"a client that is off asks nobody",
			peer + "\"NTP\"\n" + base + "TimeProviders\\NtpClient]\n\"Enabled\"=dword:00000000",
			`{"service":"running","source":"Free-running System Clock"}`},
		{"no settings", "", `{"service":"running"}`},
	} {
		got, err := readTimeService(regFile(t, tt.text), running)
		if err != nil || asJSON(t, got) != tt.want {
			t.Errorf("%s: got %s %v, want %s", tt.name, asJSON(t, got), err, tt.want)
		}
	}
	if _, err := readTimeService(regFile(t, ""), nil); err == nil || !strings.HasPrefix(err.Error(),
		"the service w32time") {
		t.Errorf("no such service: got %v", err)
	}
}

func TestReadHotfixes(t *testing.T) {
	const at = "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\Packages\\"
	const installed = "\"CurrentState\"=dword:00000070\n\"InstallTimeHigh\"=dword:01da5f0a\n\"InstallTimeLow\"=dword:00000000\n"
	text := at + "Package_for_RollupFix~31bf3856ad364e35~amd64~~17763.5458.1.10]\n" + installed +
		at + "Package_for_RollupFix~31bf3856ad364e35~amd64~~17763.5329.1.10]\n\"CurrentState\"=dword:00000050\n" +
		at + "Package_for_KB5005112~31bf3856ad364e35~amd64~~17763.2090.1.1]\n\"CurrentState\"=dword:00000070\n" +
		at + "Package_1_for_KB5005112~31bf3856ad364e35~amd64~~17763.2090.1.1]\n" + installed +
		at + "Package_for_ServicingStack~31bf3856ad364e35~amd64~~17763.5458.1.1]\n" + installed +
		at + "Microsoft-Windows-KB1234567-Package~31bf3856ad364e35~amd64~~10.0.17763.1]\n" +
		installed
	manifest := func(name string) string {
		if strings.Contains(name, "17763.5458.1.10") {
			return `<package identifier="KB5034768" releaseType="Update">`
		}
		return ""
	}
	got, err := readHotfixes(t.Context(), regFile(t, text), manifest)
	want := `[{"id":"KB5005112","installedAt":"2024-02-14T05:52:31Z"},{"id":"KB5034768","installedAt":"2024-02-14T05:52:31Z"}]`
	if err != nil || asJSON(t, got) != want {
		t.Errorf("got %s %v, want %s", asJSON(t, got), err, want)
	}
	if _, err := readHotfixes(t.Context(), regFile(t, ""), manifest); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("no servicing: got %v", err)
	}
}

func TestReadFeatures(t *testing.T) {
	const cache = "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\ServerManager\\ServicingStorage\\ServerComponentCache\\Containers]\n\"InstallState\"=dword:0000000"
	const reboot = "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\RebootPending]\n"
	client := strings.Replace(server2019, "Server Core", "Client", 1)
	for _, tt := range []struct{ name, text, there, want string }{
		{"containers on a server", server2019, "vmcompute hns vmcompute.dll",
			`{"Containers":"installed","Hyper-V":"absent"}`},
		{"neither", server2019, "", `{"Containers":"absent","Hyper-V":"absent"}`},
		{"neither, and Server Manager knows that one is to be had", server2019 + cache + "0\n", "",
			`{"Containers":"available","Hyper-V":"absent"}`},
		{"Hyper-V alone brings the same services", server2019,
			"vmcompute hns vmcompute.dll vmms vmms.exe", `{"Hyper-V":"installed"}`},
		{"both, as Server Manager knows", server2019 + cache + "1\n",
			"vmcompute hns vmcompute.dll vmms vmms.exe",
			`{"Containers":"installed","Hyper-V":"installed"}`},
		{"what Server Manager noted is old", server2019 + cache + "1\n", "",
			`{"Containers":"absent","Hyper-V":"absent"}`},
		{"Server Manager says not, the services are there", server2019 + cache + "0\n",
			"vmcompute hns vmcompute.dll", `{"Hyper-V":"absent"}`},
		{"a library is gone", server2019, "vmcompute hns", `{"Hyper-V":"absent"}`},
		{"Windows 11 has the services for other things", client, "vmcompute hns vmcompute.dll",
			`{"Hyper-V":"absent"}`},
		{"a reboot may be about to bring them", server2019 + reboot, "", `{}`},
		{"System32 may not be looked into", server2019, "denied", `{}`},
	} {
		there := strings.Fields(tt.there)
		var services []evidence.Service
		for _, name := range there {
			services = append(services, evidence.Service{Name: strings.ToUpper(name)})
		}
		exists := func(path string) (bool, bool) {
			file, ok := strings.CutPrefix(path, `C:\Windows\System32\`)
			return slices.Contains(there, file), ok && tt.there != "denied"
		}
		if got := asJSON(t, readFeatures(regFile(t, tt.text), services, exists)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
