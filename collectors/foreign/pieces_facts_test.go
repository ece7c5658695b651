package foreign

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

const (
	// the XML view of the Event Viewer, with the marks of its tree
	viewerXML = `- <Event xmlns="http://schemas.microsoft.com/win/2004/08/events/event">
- <System>
  <Provider Name="Microsoft-Windows-Host-Network-Service" Guid="{0c885e0d-6eb6-476c-a048-2457eed3a5c1}" /> 
  <EventID>1007</EventID> 
  <Level>2</Level> 
  <TimeCreated SystemTime="2026-11-01T23:48:01.6238111Z" /> 
  <Channel>System</Channel> 
  <Computer>win-7</Computer> 
  </System>
- <EventData>
  <Data Name="Reason">The network is gone</Data> 
  </EventData>
  </Event>
`
	// with the networks of the CNI, whose configurations are within (containerd issue 11436, changed)
	crictlInfoOfNAT = `{
  "status": {"conditions": [
    {"type": "RuntimeReady", "status": true, "reason": "", "message": ""},
    {"type": "NetworkReady", "status": %t, "reason": "%s", "message": ""}]},
  "cniconfig": {"PluginDirs": ["C:\\cni"], "Networks": [{"Config": {"Name": "nat", "CNIVersion": "0.3.0",
    "Plugins": [{"Network": {"cniVersion": "0.3.0", "name": "nat", "type": "nat"},
      "Source": "{\"type\":\"nat\",\"ipam\":{\"subnet\":\"10.7.0.0/16\",\"routes\":[{\"GW\":\"10.7.0.1\"}]}}"}]}}]}`
	podOfNAT = `>nerdctl run --rm nanoserver:ltsc2022 ipconfig /all

Windows IP Configuration

   Host Name . . . . . . . . . . . . : minwinpc

Ethernet adapter vEthernet (27157d866c9ea519d931a2cf112db5037656d84b7f81ed7d160a7dd00b084a89_nat):

   Physical Address. . . . . . . . . : 00-15-5D-16-73-AA
   IPv4 Address. . . . . . . . . . . : 172.20.60.34(Preferred)
   Subnet Mask . . . . . . . . . . . : 255.255.240.0
   Default Gateway . . . . . . . . . : 10.4.0.1
`
	bootstrapOfEKS = `PS C:\Windows\Temp> type .\InvokeUserdataOutput.log
Creating/Updating EKS CNI plugin config...
Registering kublet and kube-proxy services...

Status   Name               DisplayName
------   ----               -----------
Stopped  kubelet            kubelet
Stopped  kube-proxy         kube-proxy

Actions            : {MSFT_TaskExecAction}
State              : Ready
TaskName           : EKS Windows startup task
TaskPath           : \
`
)

// TestWhoseTextItIs gives texts without a name to the program that wrote them.
func TestWhoseTextItIs(t *testing.T) {
	for _, row := range []struct{ name, content, component string }{
		{"the kubelet's server_windows.go", "I0328 11:55:26.927635   23820 server_windows.go:40] \"Kubelet is running as\" login name=\"a\"\n", "kubelet"},
		{"the kubelet's start", ".\\kubelet.exe --config .\\config.yaml\nI0328 11:55:26.929710   23820 server.go:484] \"Kubelet version\" kubeletVersion=\"v1.31.0\"\n" +
			"I0328 11:55:26.930269   23820 init_windows.go:82] \"Creating a Windows job object and adding kubelet process to it\" windowsPriorityClass=\"NORMAL_PRIORITY_CLASS\"\n", "kubelet"},
		{"kube-proxy's server_windows.go", "I0328 11:55:26.927635   23820 server_windows.go:88] \"Using Kernelspace Proxier.\"\n", "kube-proxy"},
		{"kube-proxy's, of another release", "I0328 11:55:26.927635   23820 server_windows.go:211] creating dualStackProxier for Windows kernel.\n", "kube-proxy"},
		{"a file that both have", "I0328 11:55:26.927635   23820 server.go:486] \"Golang settings\" GOGC=\"\"\n", "other"},
		{"Calico's plugin", "2024-08-09 20:57:55.736 [INFO][14032] dataplane_windows.go 79: Trying to acquire lock\n", "cni"},
		{"Calico's plugin since 3.20", "2024-08-09 20:57:55.736 [WARNING][88] cni-plugin/k8s.go 549: CNI_CONTAINERID does not match\n", "cni"},
		{"Calico's plugin looks at a pod", "2021-12-15 22:10:38.425 [INFO][7148] k8s.go 72: Extracted identifiers for CmdAddK8s ContainerID=\"ab013a\"\n", "cni"},
		{"a library of Calico's, in any of its programs", "2021-12-15 22:10:38.425 [INFO][9] k8s.go 228: Using Calico IPAM\n", "other"},
		{"Felix", "2024-02-07 19:29:13.248 [INFO][9524] felix/win_dataplane.go 314: Finished applying updates\n", "calico"},
		{"RKE2's events", "10/10/2023 10:39:45 PM {Calico exited: exit status 1. Retrying}\n10/10/2023 10:39:43 PM {WinDSR support is enabled}\n", "rke2"},
		{"RKE2's events with a date of Europe", "10.10.2023 22:39:43 {Tunnel authorizer set Kubelet Port 10250}\n", "rke2"},
		{"RKE2's events without their times", "{Running containerd -c C:\\var\\lib\\rancher\\rke2\\agent\\etc\\containerd\\config.toml}\n{containerd exited: exit status 1}\n", "rke2"},
		{"an event of another program", "10/10/2023 10:39:45 PM {The service failed to start}\n", "other"},
		{"Rancher's collector", "Running Rancher RKE2 Log Collection\nCreating temporary directory\nget_firewall_info : Unable to Collect Windows Firewall information\n", "rancher-log-collector"},
		{"Azure's provisioning", "2018-04-04T05:35:17.6293924+00:00: Provisioning Docker... with IP 10.240.255.5\nVERBOSE: GET\n", "aks"},
		{"AKS' provisioning", "2026-04-04T05:35:17.6293924Z: CSEScriptsPackageUrl is set to https://packages.example\n2026-04-04T05:35:18.6293924Z: Starting kubelet service\n", "aks"},
		{"another script with the same stamps", "2026-04-04T05:35:17.6293924Z: Starting kubelet service\n", "other"},
		{"EKS' bootstrap", "Creating/Updating EKS CNI plugin config...\nCreating/Updating kubelet configuration file...\n", "eks"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"a": row.content}))
			if got := written(tree, "logs/"+row.component+"/a"); got == "" || strings.HasPrefix(got, "not-collected") {
				t.Errorf("logs/%s/a is %q", row.component, got)
			}
		})
	}
}

// TestSingleOutputsSayWhatTheyShow looks at what is shown of outputs that no check judges.
func TestSingleOutputsSayWhatTheyShow(t *testing.T) {
	ready := fmt.Sprintf(crictlInfoOfNAT, true, "")
	many := strings.Repeat("I1107 06:45:22.073167    3112 proxier.go:1] \"between\"\n", 20)
	for _, row := range []struct{ name, content, file, want, not string }{
		{"an event of the viewer", viewerXML, "events.json", `"provider":"Microsoft-Windows-Host-Network-Service","id":1007,"level":"error"`, ""},
		{"a collapsed one, below another text", "This is the event:\n\n" + strings.Replace(viewerXML, "- <Event ", "+ <Event ", 1), "events.json", `"message":"The network is gone"`, ""},
		{"one that breaks off", viewerXML[:strings.Index(viewerXML, "  </EventData>")-3], "events.json", `"id":1007`, ""},
		{"the viewer's file", `<?xml version="1.0" encoding="utf-8" standalone="yes"?><Events>` + strings.ReplaceAll(viewerXML[2:], "\n", ""), "events.json", `"id":1007`, ""},
		{"what the event says", viewerXML, "env.json", "wevtutil shows 2026-11-01T23:48:01.6238111Z Microsoft-Windows-Host-Network-Service 1007 error The network is gone", ""},
		{"updates", "PS C:\\> Get-HotFix\n\nSource        Description      HotFixID      InstalledBy          InstalledOn\n------        -----------      --------      -----------          -----------\n" +
			"########      Update           KB5015731     NT AUTHORITY\\SYSTEM  8/12/2022 12:00:00 AM\n########      Security Update  KB5016623     NT AUTHORITY\\SYSTEM  8/13/2022 12:00:00 AM\n",
			"env.json", "Get-HotFix shows KB5016623 8/13/2022, KB5015731 8/12/2022;", ""},
		{"updates of wmic", "HotFixID\nKB5015731\nKB5016623\n", "env.json", "Get-HotFix shows KB5015731, KB5016623;", ""},
		{"crictl info that breaks off", ready, "env.json", "crictl info shows RuntimeReady true, NetworkReady true, CNI network nat nat 10.7.0.0/16 gateway 10.7.0.1;", ""},
		{"a whole one", ready + "}", "env.json", "crictl info shows RuntimeReady true", ""},
		{"one without a network", fmt.Sprintf(crictlInfoOfNAT, false, "NetworkPluginNotReady") + "}", "cri.json", `"reason":"NetworkPluginNotReady"`, ""},
		{"a node's adapters", "Windows-IP-Konfiguration\n\nEthernet-Adapter Ethernet 2:\n\n   DHCP aktiviert. . . . . . . . . . : Ja\n   IPv4-Adresse  . . . . . . . . . . : 10.240.0.218(Bevorzugt)\n" +
			"   Subnetzmaske  . . . . . . . . . . : 255.240.0.0\n   Standardgateway . . . . . . . . . : 10.240.0.1\n", "env.json", "ipconfig shows Ethernet 2 10.240.0.218/12, gateway 10.240.0.1, DHCP;", ""},
		{"a container whose gateway is elsewhere", podOfNAT, "env.json", "172.20.60.34/20, gateway 10.4.0.1 outside of the subnet;", ""},
		{"a container whose gateway is in its subnet", strings.Replace(podOfNAT, "10.4.0.1", "172.20.48.1", 1), "env.json", "172.20.60.34/20, gateway 172.20.48.1;", "outside"},
		{"a container with an address of its own alone", strings.Replace(podOfNAT, "255.255.240.0", "255.255.255.255", 1), "env.json", "gateway 10.4.0.1;", "outside"},
		{"the tasks of EKS", bootstrapOfEKS, "env.json", `scheduled tasks shows \ EKS Windows startup task Ready;`, "type shows"},
		{"services before their first start", bootstrapOfEKS, "services.json", "kubelet stopped, kube-proxy stopped;", ""},
		{"a few entries", "I1107 06:45:21.073167    3112 hns.go:398] \"first\"\nI1107 06:45:21.073168    3112 proxier.go:1507] \"second\"\n", "env.json",
			`the log shows I1107 06:45:21.073167 3112 hns.go:398] "first" / I1107 06:45:21.073168 3112 proxier.go:1507] "second";`, ""},
		{"many entries", "I1107 06:45:21.073167    3112 hns.go:398] \"first\"\n" + many + "I1107 06:45:23.073168    3112 proxier.go:1507] \"last\"\n", "env.json",
			`"first" / I1107 06:45:23.073168 3112 proxier.go:1507] "last";`, "between"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"a": row.content}))
			got := strings.Join(strings.Fields(written(tree, row.file)), " ")
			if !strings.Contains(got, row.want) || row.not != "" && strings.Contains(got, row.not) {
				t.Errorf("%s is\n%s\nwant in it\n%s\nand not %s", row.file, got, row.want, row.not)
			}
			if _, err := evidence.Load(tree); err != nil {
				t.Error(err)
			}
		})
	}
}
