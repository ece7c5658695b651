package foreign

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// serviceList is Get-Service | Format-List of these services; "-" in front of a
// name is a stopped one.
func serviceList(names ...string) string {
	var b strings.Builder
	b.WriteString("\n\n")
	for _, name := range names {
		status, stop := "Running", "True"
		if rest, stopped := strings.CutPrefix(name, "-"); stopped {
			name, status, stop = rest, "Stopped", "False"
		}
		fmt.Fprintf(&b,
			"Name                : %s\nDisplayName         : The service %s\nStatus              : %s\nDependentServices   : {}\nServicesDependedOn  : {RpcSs, nsi}\nCanPauseAndContinue : False\nCanShutdown         : False\nCanStop             : %s\nServiceType         : Win32OwnProcess\n\n", name, name, status, stop)
	}
	return b.String() + "\n\n"
}

var rke2Services = []string{"BFE", "-AJRouter", "CryptSvc", "csiproxy", "DcomLaunch", "Dhcp",
	"Dnscache", "EventLog", "hns", "LSM", "mpssvc", "nsi", "rancher-wins", "rke2", "RpcSs",
	"vmcompute", "W32Time", "Winmgmt"}

// processTable is the table of Get-Process; blank processor time for a process
// that nobody may ask.
func processTable(names ...string) string {
	var b strings.Builder
	b.WriteString(
		"\nHandles  NPM(K)    PM(K)      WS(K)     CPU(s)     Id  SI ProcessName                                                  \n-------  ------    -----      -----     ------     --  -- -----------                                                  \n")
	for i, name := range names {
		cpu := fmt.Sprintf("%d.%02d", 12+i, i)
		if name == "Memory Compression" {
			cpu = ""
		}
		fmt.Fprintf(&b, "%7d %7d %8d %10d %10s %6d %3d %-60s \n", 200+i, 13, 2000+i, 8000+i, cpu,
			1000+4*i, 0, name)
	}
	return b.String() + "\n\n"
}

var rke2Processes = []string{"conhost", "containerd", "csi-proxy", "csrss", "flanneld",
	"kube-proxy", "kubelet", "lsass", "Memory Compression", "rke2", "services", "smss", "svchost",
	"svchost", "System", "wininit", "wins"}

func eventsJSON(t testing.TB, events ...map[string]any) string {
	t.Helper()
	for _, e := range events {
		e["Properties"] = []string{"System.Diagnostics.Eventing.Reader.EventProperty"}
		e["Bookmark"], e["MatchedQueryIds"], e["UserId"] = map[string]any{}, []string{}, nil
	}
	var v any = events
	if len(events) == 1 {
		v = events[0]
	}
	b, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), `"/Date(`, `"\/Date(`)
}

func serviceEvent(at time.Time, message string) map[string]any {
	return map[string]any{"Id": 7036, "Level": 4, "ProviderName": "Service Control Manager",
		"LogName": "System", "LevelDisplayName": "Information",
		"Message": message, "TimeCreated": fmt.Sprintf("/Date(%d)/", at.UnixMilli())}
}
