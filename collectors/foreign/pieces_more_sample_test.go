package foreign

// More pieces that people put into threads and documents, shortened: HNS's networks in Calico's notes
// on overlays and in tkg-windows' on Antrea, docker info in moby/moby#38306, systeminfo in a Japanese
// Windows, route print in a German one, netstat and Get-WinEvent in documentation of Windows.

const hnsNetworkList = `PS C:\> Get-HNSNetwork

ActivityId             : 20CE6C3F-97EA-4349-A4B2-3861A1B48B5E
AdditionalParams       :
Extensions             : {@{Id=E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A; IsEnabled=False; Name=Microsoft Windows Filtering
                         Platform}, @{Id=E9B59CFA-2BE1-4B21-828F-B6FBDBDDC017; IsEnabled=True;
                         Name=Microsoft Azure VFP Switch Extension}}
ID                     : 28893E01-AC8D-4BE6-85D4-7CD3A78611C1
MacPools               : {@{EndMacAddress=00-15-5D-D3-3F-FF; StartMacAddress=00-15-5D-D3-30-00}}
ManagementIP           : 10.0.2.15
Name                   : Calico
Policies               : {@{Type=HostRoute}, @{DestinationPrefix=100.244.49.64/26; IsolationId=4096; Type=RemoteSubnetRoute}}
Subnets                : {@{AddressPrefix=100.244.206.64/26; GatewayAddress=100.244.206.65; Policies=System.Object[]}}
Type                   : Overlay
Version                : 38654705669
`

const hnsPolicyLists = `ActivityId         : 11903C90-501F-478F-A5C9-3B2A70BF51C2
ID                 : D680D0E7-185B-46A7-B097-37A8B439F588
Policies           : {@{ExternalPort=55680; InternalPort=55680; Protocol=6; Type=ELB; VIPs=System.Object[]}}
References         : {/endpoints/c55b2c86-bd06-400e-bca7-8fb7de11e635}
Version            : 64424509440

ActivityId         : DE759193-759A-473F-93A7-7B290DD64380
ID                 : F4F6A3DB-F234-49B2-960B-F0C45C25208B
`

const dockerInfo = `Containers: 3
 Running: 0
Server Version: 18.09.7
Default Isolation: hyperv
Kernel Version: 10.0 17763 (17763.1.amd64fre.rs5_release.180914-1434)
Operating System: Windows 10 Enterprise Version 1809 (OS Build 17763.107)
Name: DE00INDE044L1
`

const japaneseSysteminfo = `> systeminfo
ホスト名:               NPWE41
OS 名:                  Microsoft Windows 10 Pro
OS バージョン:          10.0.19045 N/A ビルド 19045
システム製造元:         LENOVO
`

const germanRoutes = `   IPv4-Routentabelle
   ===========================================================================
   Aktive Routen:
        Netzwerkziel    Netzwerkmaske          Gateway    Schnittstelle Metrik
            10.0.0.0        255.0.0.0       172.23.0.1     172.23.1.166      2
`

const netstatPrograms = `
Active Connections

  Proto  Local Address          Foreign Address        State           PID
  TCP    0.0.0.0:135            0.0.0.0:0              LISTENING       1712
  RpcSs
 [svchost.exe]
  TCP    10.0.0.4:50123         10.0.0.1:443           ESTABLISHED     2000
 [kubelet.exe]
  UDP    [::]:5353              *:*                                    4
`

const eventTableOfWindows = `
   ProviderName: Microsoft-Windows-Hyper-V-VmSwitch

TimeCreated                      Id LevelDisplayName Message
-----------                      -- ---------------- -------
24/12/2023 09:39:33             220 Information      Status change
(Nic Connected) sent to Nic
24/12/2023 09:39:30            5220 Error            Not done

The cmdlet gets the events from the computer.
`

const wevtutilText = `Event[0]:
  Log Name: System
  Source: Service Control Manager
  Date: 2024-05-20T09:12:11.123
  Event ID: 7031
  Level: Error
  Computer: win-1
  Description: 
The kubelet service terminated unexpectedly.
`

const adapterTable = `Name                      InterfaceDescription                    ifIndex Status       MacAddress             LinkSpeed
----                      --------------------                    ------- ------       ----------             ---------
vEthernet (Ethernet)                                                   17 Up           00-15-5D-63-74-E3        10 Gbps
以太网                    Google VirtIO Ethernet Adapter                6 Up           42-01-0A-8A-00-05       100 Gbps
`

const crictlInfoCut = `PS C:\> crictl info
{
  "status": {
    "conditions": [
      { "type": "RuntimeReady", "status": true, "reason": "", "message": "" },
      { "type": "NetworkReady", "status": false, "reason": "NetworkPluginNotReady", "message": "x" }
    ]
  },
  "cniconfig": {
    "PluginDirs": [
`

const describedNodeCut = `vagrant@k8s-01:~$ kubectl describe node win-1
Name:               win-1
Roles:              <none>
Taints:             <none>
Unschedulable:      false
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message
  ----             ------  -----------------                 ------------------                ------                       -------
  Ready            False   Tue, 03 Apr 2018 04:06:33 +0000   Tue, 03 Apr 2018 02:42:03 +0000   KubeletNotReady              x
`
