package node

import (
	"encoding/json"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

const someServices = `
[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\hns]
"Type"=dword:00000020
"Start"=dword:00000003
"ImagePath"=expand:"%SystemRoot%\\system32\\svchost.exe -k NetSvcs -p"
"ObjectName"="LocalSystem"
"DependOnService"=multi:"RpcSs","nsi"
"FailureActions"=hex:80,51,01,00,00,00,00,00,00,00,00,00,03,00,00,00,14,00,00,00,\
  01,00,00,00,60,ea,00,00,02,00,00,00,e8,03,00,00,00,00,00,00,00,00,00,00

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\containerd]
"Start"=dword:00000002
"DelayedAutostart"=dword:00000001
"ImagePath"=expand:"\"%ProgramFiles%\\containerd\\containerd.exe\" --run-service"
"ObjectName"="LocalSystem"
"Environment"=multi:"HTTPS_PROXY=http://nina:s3cret@proxy:3128","NO_PROXY=.svc","=C:=C:\\k","broken"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\kube-proxy]
"Start"=dword:00000002
"ImagePath"=expand:"C:\\k\\nssm.exe"
"ObjectName"="LocalSystem"
"Environment"=multi:"kube_network=old","A=1"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\kube-proxy\Parameters]
"Application"=expand:"C:\\k\\kube-proxy.exe"
"AppParameters"=expand:"--proxy-mode=kernelspace \"--kubeconfig=C:\\my k\\config\" --log-dir=%SystemRoot%\\logs"
"AppEnvironmentExtra"=multi:"KUBE_NETWORK=cbr0","LOGS=%SystemRoot%\\logs"
"AppRestartDelay"=dword:00001388

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\kube-proxy\Parameters\AppExit]
@="Restart"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\flanneld]
"Start"=dword:00000002
"ImagePath"="C:\\k\\flannel-service.exe"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\flanneld\Parameters]
"Application"="C:\\k\\flanneld.exe"
"AppEnvironment"=multi:"NODE_NAME=win-1"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\flanneld\Parameters\AppExit]
@="Exit"

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\secret]
"ImagePath"="C:\\k\\nssm64.exe"
[!HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\secret\Parameters]

[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\VfpExt]
"Start"=dword:00000001
"ImagePath"=expand:"\\SystemRoot\\System32\\drivers\\vfpext.sys"
"ObjectName"="\\Driver\\vfpext"
`

func TestReadServices(t *testing.T) {
	const driver, own, shared = 1, 0x10, 0x20
	states := []serviceStatus{
		newServiceStatus("kube-proxy", "kube-proxy", own, 4, 0, 0, 4372),
		newServiceStatus("hns", "Host Network Service", shared, 4, 0, 0, 1212),
		newServiceStatus("containerd", "containerd", own, 1, 1066, 7, 0),
		newServiceStatus("flanneld", "flanneld", own, 7, 0, 0, 9),
		newServiceStatus("secret", "", own, 1, 1077, 0, 0),
		newServiceStatus("gone", "", own, 1, 5, 0, 0),
		newServiceStatus("VfpExt", "", driver, 4, 0, 0, 0),
		newServiceStatus("disk", "", driver, 4, 0, 0, 0),
	}
	var got []string
	for _, s := range readServices(regFile(t, someServices), states) {
		got = append(got, asJSON(t, s))
	}
	want := []string{
		`{"name":"containerd","displayName":"containerd","state":"stopped","startType":"delayed","account":"LocalSystem","binPath":"C:\\Program Files\\containerd\\containerd.exe",` +
			`"args":["--run-service"],"exitCode":7,"env":{"HTTPS_PROXY":"http://proxy:3128","NO_PROXY":".svc"},"recovery":[]}`,
		`{"name":"flanneld","displayName":"flanneld","state":"paused","startType":"automatic","binPath":"C:\\k\\flanneld.exe","pid":9,"exitCode":0,` +
			`"env":{"NODE_NAME":"win-1"},"recovery":[{"action":"none","delayMs":0}],"wrapper":"nssm"}`,
		`{"name":"gone","state":"stopped","exitCode":5}`,
		`{"name":"hns","displayName":"Host Network Service","state":"running","startType":"manual","account":"LocalSystem","binPath":"C:\\Windows\\system32\\svchost.exe",` +
			`"args":["-k","NetSvcs","-p"],"pid":1212,"exitCode":0,"dependsOn":["RpcSs","nsi"],` +
			`"recovery":[{"action":"restart","delayMs":60000},{"action":"reboot","delayMs":1000},{"action":"none","delayMs":0}]}`,
		`{"name":"kube-proxy","displayName":"kube-proxy","state":"running","startType":"automatic","account":"LocalSystem","binPath":"C:\\k\\kube-proxy.exe",` +
			`"args":["--proxy-mode=kernelspace","--kubeconfig=C:\\my k\\config","--log-dir=C:\\Windows\\logs"],"pid":4372,"exitCode":0,` +
			`"env":{"A":"1","KUBE_NETWORK":"cbr0","LOGS":"C:\\Windows\\logs"},"recovery":[{"action":"restart","delayMs":5000}],"wrapper":"nssm"}`,
		`{"name":"secret","state":"stopped","exitCode":1077,"recovery":[],"wrapper":"nssm"}`,
		`{"name":"VfpExt","state":"running","startType":"system","binPath":"C:\\Windows\\System32\\drivers\\vfpext.sys","exitCode":0}`,
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("service %d:\ngot  %s\nwant %s", i, strings.Join(got[min(i, len(got)):], "\n"),
				strings.Join(want[min(i, len(want)):], "\n"))
		}
	}
	var read []evidence.Service
	if err := json.Unmarshal([]byte("["+strings.Join(got, ",")+"]"), &read); err != nil {
		t.Fatal(err)
	}
	if read[2].Recovery != nil || read[0].Recovery == nil {
		t.Error("a recovery that is not known must differ from none")
	}
}

func TestProgramAndArgs(t *testing.T) {
	for _, tt := range []struct{ name, line, want string }{
		{"quotes", `"C:\Program Files\a.exe" --x "b c"`, `C:\Program Files\a.exe|--x|b c`},
		{"spaces without quotes", `C:\Program Files\My App\a.exe --x`,
			`C:\Program Files\My App\a.exe|--x`},
		{"spaces without quotes, and no arguments", `C:\Program Files\a.EXE`,
			`C:\Program Files\a.EXE`},
		{"no spaces", `C:\k\a.exe --run C:\b.exe`, `C:\k\a.exe|--run|C:\b.exe`},
		{"no extension", `C:\k\kubelet --windows-service --tool=C:\b.exe`,
			`C:\k\kubelet|--windows-service|--tool=C:\b.exe`},
		{"a second path is an argument", `C:\k\run C:\b.exe x`, `C:\k\run|C:\b.exe|x`},
		{"nothing", ` `, ``},
	} {
		program, args := programAndArgs(tt.line)
		if got := strings.Join(append([]string{program}, args...), "|"); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFailureActionsOfOtherBytes(t *testing.T) {
	head := make([]byte, 20)
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"no action", head, `[]`},
		{"too short", head[:19], `null`},
		{"fewer actions than it says", append([]byte{12: 2}, make([]byte, 15)...), `null`},
		{"an action of another kind", append(append([]byte{12: 1}, make([]byte, 7)...), 9, 0, 0, 0,
			0, 0, 0, 0), `null`},
	} {
		if got := asJSON(t, failureActions(tt.data)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
