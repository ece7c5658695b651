package foreign

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

func TestServices(t *testing.T) {
	s := load(t, recording(t, "", overlay2022()))
	byName := map[string]evidence.Service{}
	for _, svc := range evidence.Services.In(s) {
		byName[svc.Name] = svc
	}
	if len(byName) != 24 {
		t.Errorf("%d services, gap %s", len(byName), evidence.Services.Gap(s))
	}
	hns := byName["hns"]
	if got := fmt.Sprint(hns.State, hns.StartType, hns.BinPath, hns.Args, hns.DependsOn,
		hns.Account, hns.PID,
		hns.DisplayName); got != `runningmanualC:\Windows\system32\svchost.exe[-k NetSvcs -p] [RpcSs nsi]LocalSystem1009The hns service` {
		t.Errorf("hns is %s", got)
	}
	if got := byName["kubeproxy"]; got.State != "stopped" {
		t.Errorf("kubeproxy, which Get-Service saw stopped, is %+v", got)
	}
	if got, ok := byName["kube-proxy"]; ok {
		t.Errorf("kube-proxy, which nobody asked for, is %+v", got)
	}
}

func TestHalfAListOfServicesIsAGap(t *testing.T) {
	short := scAll()[:900]
	tests := []struct{ name, sc, gap string }{
		{"Get-Service alone", "-", "not-collected: scqueryex.txt is not in the folder"},
		{"nothing", "", "not-collected: scqueryex.txt lists 0 services"},
		{"a few services", short, "not-collected: scqueryex.txt lists 2 services"},
		{"a list that sc.exe cut",
			scAll() + "\nEnum: more data, need 1822 bytes start resume at index 79\n",
			"not-collected: scqueryex.txt breaks off"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, recording(t, "", with(overlay2022(), "scqueryex.txt", tt.sc)))
			if gap := evidence.Services.Gap(s); !strings.HasPrefix(gap.String(), tt.gap) {
				t.Errorf("gap is %q, want %q; %d services", gap, tt.gap,
					len(evidence.Services.In(s)))
			}
		})
	}
}

func TestServiceControllerInSpanish(t *testing.T) {
	list, _, _ := parseSC(
		"\nNOMBRE_SERVICIO: kubelet\nNOMBRE_MOSTRAR : kubelet\n        TIPO               : 10  WIN32_OWN_PROCESS\n        ESTADO             : 7  PAUSED\n                                (STOPPABLE)\n        CÓD_SALIDA_WIN32   : 1077  (0x435)\n")
	if got := asJSON(t,
		list); got != `[{"name":"kubelet","displayName":"kubelet","state":"paused","exitCode":1077}]` {
		t.Errorf("services are %s", got)
	}
}

func TestMachine(t *testing.T) {
	row := func(kb, date string) string {
		return "WIN-1   Update   " + kb + "   NT AUTHORITY\\SYSTEM  " + date + "\n"
	}
	tests := []struct{ name, winver, os, fixes string }{
		{"American dates", "Microsoft Windows NT 10.0.17763.0\n\n" + row("KB1234567",
			"8/13/2024 12:00:00 AM") + row("KB1234568", "8/9/2024 12:00:00 AM"), `{"build":17763}`,
			`[{"id":"KB1234567","installedAt":"2024-08-13T00:00:00Z"},{"id":"KB1234568","installedAt":"2024-08-09T00:00:00Z"}]`},
		{"European dates", "Microsoft Windows NT 10.0.17763.0\n\n" + row("KB1234567",
			"13/08/2024 00:00:00") + row("KB1234568", "09/08/2024 00:00:00"), `{"build":17763}`,
			`[{"id":"KB1234567","installedAt":"2024-08-13T00:00:00Z"},{"id":"KB1234568","installedAt":"2024-08-09T00:00:00Z"}]`},
		{"German dates", "Microsoft Windows NT 10.0.17763.0\n\n" + row("KB1234567",
			"09.08.2024 00:00:00"), `{"build":17763}`,
			`[{"id":"KB1234567","installedAt":"2024-08-09T00:00:00Z"}]`},
		{"Chinese dates", "Microsoft Windows NT 10.0.17763.0\n\n" + row("KB1234567",
			"2024/8/9 0:00:00"), `{"build":17763}`,
			`[{"id":"KB1234567","installedAt":"2024-08-09T00:00:00Z"}]`},
		{"dates that could be either", "Microsoft Windows NT 10.0.17763.0\n\n" + row("KB1234567",
			"8/9/2024 12:00:00 AM"), `{"build":17763}`, `[{"id":"KB1234567"}]`},
		{"no update", "Microsoft Windows NT 10.0.26100.0\n\n<No hotfix>\n", `{"build":26100}`,
			"[]"},
		{"no table", "Microsoft Windows NT 10.0.26100.0\n", `{"build":26100}`,
			"error: winver.txt holds no table of updates"},
		{"a version that Windows makes up", "Microsoft Windows NT 6.2.9200.0\n<No hotfix>\n",
			"error: winver.txt says Microsoft Windows NT 6.2.9200.0, which is no build", "[]"},
		{"no version", "x\n<No hotfix>", "error: winver.txt names no version", "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := textFile{name: "winver.txt", content: tt.winver}
			os, gap := readOS(x)
			if got := asJSON(t, os); gap.Kind != "" && !strings.HasPrefix(gap.String(), tt.os) ||
				gap.Kind == "" && got != tt.os {
				t.Errorf("os is %s %s, want %s", got, gap, tt.os)
			}
			fixes, gap := readHotfixes(x)
			if got := asJSON(t, fixes); gap.Kind != "" && gap.String() != tt.fixes ||
				gap.Kind == "" && got != tt.fixes {
				t.Errorf("hotfixes are %s %s, want %s", got, gap, tt.fixes)
			}
		})
	}
}
