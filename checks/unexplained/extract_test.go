package unexplained_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"doctor/checks/unexplained"
)

// TestAnErrorOfPowerShellIsItsMessage: the lines below it say where it happened, and Windows prints
// the message in its own language.
func TestAnErrorOfPowerShellIsItsMessage(t *testing.T) {
	const details = `%s C:\hpc\kube-proxy\start.ps1:19 %s9
+         $subnet = $hnsNetwork.Subnets[0].AddressPrefix
+         ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
    + CategoryInfo          : InvalidOperation: (:) [], ParentContainsErrorRecordException
    + FullyQualifiedErrorId : NullArray
`
	const seven = `Get-Command: C:\etc\rancher\bootstrap.ps1:279
Line |
 279 |  Copy-Item $($(Get-Command powershell).Source) $($CATTLE_PREFIX_PATH)e …
     |                ~~~~~
`
	for _, row := range []struct{ name, text, want string }{
		{"in Chinese", "Finding sourcevip\n无法对 Null 数组进行索引。\n" + fmt.Sprintf(details, "所在位置", "字符: "),
			"2: 无法对 Null 数组进行索引。"},
		{"in German", "Es ist nicht möglich, einen Index auf ein NULL-Array anzuwenden.\n" + fmt.Sprintf(details, "In", "Zeichen:"),
			"1: Es ist nicht möglich, einen Index auf ein NULL-Array anzuwenden."},
		{"in English", "Cannot index into a null array.\n" + fmt.Sprintf(details, "At", "char:"),
			"1: Cannot index into a null array."},
		{"a warning of each import", "WARNING: The names of some imported commands from the module 'hns' include unapproved verbs\n", ""},
		// https://github.com/rancher/rancher/issues/20773 and 16269: a long message is broken into lines
		{"broken into lines", "Status: Downloaded newer image\n" +
			"True : The term 'True' is not recognized as the name of a cmdlet, function, script file, or operable program. Check\n" +
			"the spelling of the name, or if a path was included, verify that the path is correct and try again.\n" +
			"At line:1 char:250\n" +
			"+ ... f5624418f1b489c881aecf663eaf51bc8dad7dad953bcaa17d85; if(True){& c:/e ...\n" +
			"+                                                              ~~~~\n" +
			"    + CategoryInfo          : ObjectNotFound: (True:String) [], CommandNotFoundException\n" +
			"    + FullyQualifiedErrorId : CommandNotFoundException\n",
			"2: True : The term 'True' is not recognized as the name of a cmdlet, function, script file, or operable program. Check"},
		{"broken into lines, in Chinese", "True : 无法将“True”项识别为 cmdlet、函数、脚本文件或可运行程序的名称。请检查名称的拼写，如果包括路径，请确保路径正确\n" +
			"，然后再试一次。\n所在位置 行:1 字符: 253\n" +
			"+ ... ab15f7f26df95e5502c2c1fb7e0139f101586f7d03f26f816e5f; if(True){& c:/e ...\n" +
			"+                                                              ~~~~\n" +
			"    + CategoryInfo          : ObjectNotFound: (True:String) [], CommandNotFoundException\n" +
			"    + FullyQualifiedErrorId : CommandNotFoundException\n",
			"1: True : 无法将“True”项识别为 cmdlet、函数、脚本文件或可运行程序的名称。请检查名称的拼写，如果包括路径，请确保路径正确"},
		// https://github.com/rancher/rancher/issues/32937, which ends with the mark
		{"of PowerShell 7, without its message", seven, "1: Get-Command: C:\\etc\\rancher\\bootstrap.ps1:279"},
		// the same as PowerShell 7 goes on
		// (https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_preference_variables, ConciseView)
		{"of PowerShell 7", seven + "     | The term 'powershell' is not recognized as a name of a cmdlet, function, script file, or executable program. Check the\n" +
			"     | spelling of the name, or if a path was included, verify that the path is correct and try again.\nthe pod cannot start\n",
			"5: The term 'powershell' is not recognized as a name of a cmdlet, function, script file, or executable program. Check the\n" +
				"7: the pod cannot start"},
		{"of PowerShell 7, in color", "\x1b[91mGet-Command: \x1b[0mC:\\etc\\rancher\\bootstrap.ps1:279\n\x1b[96mLine |\x1b[0m\n" +
			"\x1b[96m 279 | \x1b[0m Copy-Item\n\x1b[96m     | \x1b[91m   ~~~~\x1b[0m\n" +
			"\x1b[91m\x1b[96m     | \x1b[91mThe term 'powershell' is not recognized as a name of a cmdlet\x1b[0m\n",
			"5: The term 'powershell' is not recognized as a name of a cmdlet"},
		// https://github.com/openshift/windows-machine-config-operator/issues/1107
		{"in one line, at the level of debugging", `1.656434951067332e+09 DEBUG wc 10.33.154.128 setting Windows defender exclusion failed {"command": "Add-MpPreference -ExclusionProcess C:\\k\\containerd\\containerd.exe", ` +
			`"output": "Add-MpPreference : The term 'Add-MpPreference' is not recognized as the name of a cmdlet, function, script file, or \r\noperable program. Check the spelling of the name.\r\n` +
			`At line:1 char:1\r\n+ Add-MpPreference -ExclusionProcess C:\\k\\containerd\\containerd.exe\r\n+ ~~~~~~~~~~~~~~~~\r\n + CategoryInfo : ObjectNotFound: (Add-MpPreference:String) [], CommandNotFoundException\r\n + FullyQualifiedErrorId : CommandNotFoundException\r\n \r\n"}` + "\n",
			`1: 1.656434951067332e+09 DEBUG wc 10.33.154.128 setting Windows defender exclusion failed {"command": "Add-MpPreference -ExclusionProcess C:\\k\\containerd\\containerd.exe", ` +
				`"output": "Add-MpPreference : The term 'Add-MpPreference' is not recognized as the name of a cmdlet, function, script file, or`},
		// https://github.com/microsoft/Windows-Containers/issues/366
		{"one that quotes another, in the log of a container", "2026-11-20T02:15:36.410013100Z stdout F Program 'ruby.exe' failed to run: The application has failed to start because its side-by-side configuration is\n" +
			"2026-11-20T02:15:36.411013100Z stdout F incorrect. Please see the application event log or use the command-line sxstrace.exe tool for more detailAt\n" +
			"2026-11-20T02:15:36.412013100Z stdout F C:\\hpc\\scripts\\main.ps1:63 char:5\n" +
			"2026-11-20T02:15:36.413013100Z stdout F     +     & $rubypath ...\n" +
			"2026-11-20T02:15:36.414013100Z stdout F     +     ~~~~~~~~~~~~~.\n" +
			"2026-11-20T02:15:36.415013100Z stdout F At C:\\hpc\\scripts\\main.ps1:63 char:5\n" +
			"2026-11-20T02:15:36.416013100Z stdout F     +     & $rubypath ...\n" +
			"2026-11-20T02:15:36.417013100Z stdout F     +     ~~~~~~~~~~~~~\n" +
			"2026-11-20T02:15:36.418013100Z stdout F     + CategoryInfo          : ResourceUnavailable: (:) [], ApplicationFailedException\n" +
			"2026-11-20T02:15:36.419013100Z stdout F     + FullyQualifiedErrorId : NativeCommandFailed\n",
			"1: 2026-11-20T02:15:36.410013100Z stdout F Program 'ruby.exe' failed to run: The application has failed to start because its side-by-side configuration is"},
		{"nothing but details", strings.Repeat("    + CategoryInfo          : InvalidOperation: (:) []\n", 10_000), ""},
	} {
		var got []string
		for _, e := range unexplained.Lines("logs/other/a.txt", []byte(row.text), 1, time.Time{}) {
			got = append(got, fmt.Sprintf("%d: %s", e.Line, e.Text))
			if e.Level != "error" && e.Text != "the pod cannot start" {
				t.Errorf("%s: %s: %s", row.name, e.Level, e.Text)
			}
		}
		if strings.Join(got, "\n") != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// TestAnErrorOfACommandIsAnError: docker and kubectl write their own name before it, and PowerShell
// writes a blank behind that.
func TestAnErrorOfACommandIsAnError(t *testing.T) {
	const refused = "Error response from daemon: hcs::CreateComputeSystem 566516d3: winapi error #3489661095." // microsoft/Windows-Containers issue 544
	for _, text := range []string{refused, "docker: " + refused, "docker : " + refused, "docker.exe : " + refused,
		`C:\Program Files\Docker\Docker\resources\bin\docker.exe: ` + refused} {
		lines := unexplained.Lines("logs/docker/docker.log", []byte(text+"\n"), 1, time.Time{})
		if len(lines) != 1 || lines[0].Level != "error" {
			t.Errorf("%s: %v", text, lines)
		}
	}
}

// TestTheLevelOfALine: a line that states none is an error where it begins by saying so, where it carries
// an error, and where it is what Windows says of one.
func TestTheLevelOfALine(t *testing.T) {
	for _, row := range []struct{ line, level, source string }{
		{"Invoke-HNSRequest : @{Error=A network with this name already exists. ; ErrorCode=2151350289; Success=False}", "error",
			"hns.psm1 of microsoft/SDN"},
		{"*** UnKnown can't find kubernetes.default: No response from server", "word", "nslookup of Windows"},
		{`failed to validate required cluster configuration	{"error": "error validating k8s version: Unsupported server version: v1.27.1", "errorVerbose": "Unsupported server version: v1.27.1"}`,
			"error", "https://github.com/openshift/windows-machine-config-operator/issues/1954"},
		{"7/25/2024 6:59:37 PM error while staging: read tcp 10.1.0.4:49830->104.16.101.215:443: wsarecv: An established connection was aborted by the software in your host machine.",
			"error", "https://github.com/rancher/rancher/issues/46344"},
		{"The media is write protected.", "error", "https://github.com/kubernetes-sigs/vsphere-csi-driver/issues/1631"},
		{"Zugriff verweigert", "error", "errcode/messages.tsv"},
		{"Не удается найти указанный файл.", "error", "errcode/messages.tsv"},
		{"2020/12/21 06:23:42 [18824] [net] Failed to restore state, err:EOF", "error",
			"fixtures/azure-vnet-state-corrupt-2"},
		{"docker: Error response from daemon: hcs::CreateComputeSystem 5b1f0c7a13dc: Die Anforderung wird nicht unterstützt.",
			"error", "fixtures/container-request-unsupported-german-mount"},
		{"Error from server (InternalError): Internal error occurred: failed calling webhook", "error", "kubectl, pkg/cmd/util/helpers.go"},
		{"Internal error occurred: failed calling webhook", "error", "https://github.com/kubernetes/apimachinery, pkg/api/errors/errors.go"},
		{`The Pod "web" is invalid: spec.nodeName: Invalid value: "x": a`, "error",
			"https://github.com/kubernetes/apimachinery, pkg/api/errors/errors.go"},
		{"error: unable to read client-cert c:\\k\\pki: The system cannot find the file specified.", "error", "clientcmd, validation.go"},
		{"FATA[2019-10-23T11:17:59+13:00] failed to create server: could not listen npipe:////./pipe/rancher_wins", "fatal",
			"https://github.com/rancher/rancher/issues/23590"},
		{"FATA: Only support with Docker EE", "fatal", "https://github.com/rancher/rancher/issues/30148"},
		{"WARN[0000] could not upgrade", "warning", "https://github.com/sirupsen/logrus, text_formatter.go"},
		{`{"msg":"Test Suite starting","total":1,"completed":0,"skipped":0,"failed":0}`, "", "kubernetes/test/e2e"},
		{"Jan  4 09:19:01.762: INFO: error <nil>", "", "kubernetes/test/e2e"},
		// what states that it is no error does not count as one
		{`time="2026-11-20T02:14:52.01685400Z" level=info msg="skip loading plugin" error="skip plugin: tracing endpoint not configured"`,
			"warning", "fixtures/healthy-antrea"},
		{`time=2026-08-21T09:06:41.604Z level=WARN source=container.go:625 msg="containerd state directory does not exist" err="CreateFile"`,
			"warning", "fixtures/normal/windows-exporter-start"},
		// and these are none
		{`synced node win-1 err=<nil>`, "", ""},
		{`synced {"error": null, "errors": []}`, "", ""},
		{`synced err="<nil>"`, "", ""},
		{`synced {"err":"","error":"\u003cnil\u003e"}`, "", ""},
		{"2024/07/25 18:59:37 finished with 0 errors", "", ""},
		{"error: 0", "", ""},
		{"no error", "", ""},
		{"Access is granted, and the media is not write protected", "", ""},
	} {
		level := ""
		for _, e := range unexplained.Lines("logs/other/a.txt", []byte(row.line+"\n"), 1, time.Time{}) {
			level = e.Level
		}
		if level != row.level {
			t.Errorf("%q is %q, want %q (%s)", row.line, level, row.level, row.source)
		}
	}
}

func TestAWarningAmongEventsIsAnError(t *testing.T) {
	for _, row := range []struct{ name, line, want string }{
		{"of kubectl describe", "  Warning  FailedMount  9m1s  kubelet, win-1  MountVolume.SetUp failed", "error"},
		{"of kubectl get events", "9m1s        Warning   FailedMount   pod/web   MountVolume.SetUp failed", "error"},
		{"that follows from another", "  Warning  BackOff  9m1s  kubelet  Back-off restarting failed container", "word"},
		{"of Windows is none", "11:23:00  Warning  Service Control Manager  failed", "warning"},
	} {
		list := unexplained.Lines("logs/other/pasted.txt", []byte(row.line), 1, time.Time{})
		if len(list) != 1 || list[0].Level != row.want {
			t.Errorf("%s: %+v, want the level %s", row.name, list, row.want)
		}
	}
}

func TestAStateOfAPodSoundsLikeAnError(t *testing.T) {
	for _, row := range []struct{ name, line, want string }{
		{"a row of kubectl get pods", "rook-ceph   rook-ceph-crashcollector-1   0/1   Init:ImagePullBackOff   0   19m", "word"},
		{"the reason of an event", "Failed: ErrImagePull", "word"},
		{"docker, of an image for another Windows", // sitecoreops/sitecore-images#12
			"a Windows version 10.0.17763-based image is incompatible with a 10.0.17134 host", "word"},
		{"a pod that runs", "kube-system   kube-proxy-windows-vjmms   1/1   Running   0   3d1h", ""},
	} {
		level := ""
		for _, l := range unexplained.Lines("logs/other/pasted.txt", []byte(row.line), 1, time.Time{}) {
			level = l.Level
		}
		if level != row.want {
			t.Errorf("%s: level %q, want %q", row.name, level, row.want)
		}
	}
}

// TestAnUncaughtExceptionIsAnError: the last words of programs that are not written in Go.
func TestAnUncaughtExceptionIsAnError(t *testing.T) {
	for _, row := range []struct{ line, level string }{
		// https://github.com/microsoft/Docker-Provider/pull/1001
		{"C:/ruby31/lib/ruby/site_ruby/3.1.0/rubygems/core_ext/kernel_require.rb:85:in `require': cannot load such file -- ipaddress (LoadError)", "error"},
		{"ModuleNotFoundError: No module named 'win32event'", "error"},
		{"urllib3.exceptions.MaxRetryError: HTTPSConnectionPool(host='10.0.0.1', port=443): Max retries exceeded", "error"},
		{"Unhandled exception. System.IO.FileNotFoundException: Could not find file 'C:\\app\\appsettings.json'.", "error"},
		{`Exception in thread "main" java.net.UnknownHostException: kafka`, "error"},
		{"the client throws an exception (see LoadError)", "word"},
	} {
		list := unexplained.Lines("logs/app/app.log", []byte(row.line+"\n"), 1, time.Time{})
		if len(list) != 1 || list[0].Level != row.level {
			t.Errorf("%s: %+v, want the level %s", row.line, list, row.level)
		}
	}
}
