package foreign

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// aksZip is the zip of a healthy AKS node as collect-windows-logs.ps1 leaves it:
// what PowerShell redirects is UTF-16, exports are ASCII, copies are as they were.
func aksZip(t testing.TB, changes ...string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	for name, content := range with(aksFilesOf(), changes...) {
		data := []byte(strings.ReplaceAll(content, "\n", "\r\n"))
		switch {
		case name == aksTranscript:
			data = append([]byte("\xef\xbb\xbf"), data...)
		case strings.HasSuffix(name, ".txt") && !strings.Contains(name, "containerd-toml"),
			strings.HasPrefix(name, "kubectl-"):
			data = utf16(t, content)
		case strings.HasSuffix(name, ".log"), strings.HasSuffix(name, ".json"),
			strings.HasSuffix(name, ".toml"), strings.HasSuffix(name, ".conflist"):
			data = []byte(content)
		}
		if content == "" {
			data = nil
		}
		m[name] = &fstest.MapFile{Data: data, ModTime: collected}
	}
	return m
}

func aksFilesOf() map[string]string {
	files := map[string]string{
		aksTranscript: `**********************
Windows PowerShell transcript start
Start time: 20240903095941
Username: WORKGROUP\aksnpwin000002$
Machine: aksnpwin000002 (Microsoft Windows NT 10.0.20348.0)
**********************
Transcript started, output file is C:\Users\azureuser\AppData\Local\Temp\collect-windows-logs-output.log
Collecting logs for various Kubernetes components
Collecting kubeclusterconfig
Collecting Azure CNI configurations
Exporting ETW events to CSV files
Collecting networking related logs
Collecting Containerd info from ctr
Containerd panic logs not available
Collecting calico logs
Calico logs not available
All logs collected: C:\k\kubelet.log
**********************
Windows PowerShell transcript end
End time: 20240903100200
**********************
`,
		"kubelet.log":                         "",
		"kubelet.err.log":                     "I0903 08:15:09.100000    3560 server.go:484] \"Kubelet version\" kubeletVersion=\"v1.31.7\"\nI0903 08:15:21.100000    3560 kubelet_node_status.go:79] \"Successfully registered node\" node=\"aksnpwin000002\"\n",
		"kubelet.err-20240902T221530.123.log": "I0902 22:15:09.100000    3560 server.go:484] \"Kubelet version\" kubeletVersion=\"v1.31.7\"\n",
		"kubeproxy.err.log":                   "I0903 08:15:44.100000    4488 flags.go:64] FLAG: --hostname-override=\"aksnpwin000002\"\n",
		"containerd.err.log":                  "time=\"2024-09-03T08:14:52.2Z\" level=info msg=\"starting containerd\" version=v1.7.27\n",
		"csi-proxy.log":                       "I0903 08:14:53.000000    3104 main.go:54] Starting CSI-Proxy Server ...\n",
		"azure-vnet.log":                      "{\"level\":\"info\",\"ts\":\"2024-09-03T08:16:30.000Z\",\"caller\":\"network/network.go:120\",\"msg\":\"Plugin started\"}\n",
		"hosts-config-agent.log":              "hosts-config-agent started\n",
		"CustomDataSetupScript.log":           "2024-09-03T08:10:00Z Microsoft Azure Windows node setup\n",
		"kubeclusterconfig.json":              "{\"Cri\":{\"Name\":\"containerd\",\"Images\":{\"Pause\":\"mcr.microsoft.com/oss/kubernetes/pause:3.9\"}},\"Cni\":{\"Name\":\"azure\"},\"Kubernetes\":{\"Network\":{\"ClusterCidr\":\"10.224.0.0/16\",\"ServiceCidr\":\"10.0.0.0/16\",\"DnsIp\":\"10.0.0.10\"}}}\n",
		"10-azure.conflist":                   azureConflist,
		"config.toml": containerdToml(
			"mcr.microsoft.com/oss/kubernetes/pause:3.9"),
		"20240903-095941-containerd-toml.txt": containerdToml("registry.k8s.io/pause:3.3"),
		"20240903-095941-containerd-info.txt": "containerd github.com/containerd/containerd v1.7.27 05044ec0a9a75232cad458027ca83437aae3f4da\n",
		"20240903-095941_services.csv": `#TYPE Selected.System.Diagnostics.Eventing.Reader.EventLogRecord
"TimeCreated","Id","LevelDisplayName","Message"
"9/3/2024 8:14:20 AM","6005","Information","The Event log service was started."
"9/3/2024 8:14:52 AM","7036","Information","The containerd service entered the running state."
"9/3/2024 8:14:55 AM","7036","Information","The Kubelet service entered the running state.

"
`,
		"20240903-095941_hyper-v-compute-operational.csv": "#TYPE Selected.System.Diagnostics.Eventing.Reader.EventLogRecord\n\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n\"9/3/2024 8:16:30 AM\",\"2000\",\"Information\",\"[4f0e] Create compute system, result 0x00000000\"\n",
		"20240903-095941_pagefile.txt":                    "\n\nStatus            : \nName              : D:\\pagefile.sys\nCurrentUsage      : 120\nCaption           : D:\\pagefile.sys\nAllocatedBaseSize : 8192\nPeakUsage         : 130\n\n\n\nAutomaticManagedPagefile : True\n\n\n",
		"available-memory.txt":                            "\nTimestamp                 CounterSamples                                            \n---------                 --------------                                            \n9/3/2024 9:59:50 AM       \\\\aksnpwin000002\\memory\\available mbytes :                \n                          8192                                                      \n\n\n",
		"disk-usage.txt":                                  "\n\nSize(GB)       : 127.449188232422\nFree Space(GB) : 81.9937057495117\nFree (%)       :    64%\nDeviceID       : C:\nDriveType      : 3\n\nSize(GB)       : 31.9990196228027\nFree Space(GB) : 22.9990196228027\nFree (%)       :    72%\nDeviceID       : D:\nDriveType      : 3\n\n\n",
		"processes.txt":                                   aksProcesses,
		"20240903-095941-cri-containerd-images.txt": `IMAGE                                     TAG                 IMAGE ID            SIZE
mcr.microsoft.com/oss/kubernetes/pause    3.9                 a9f24f4bd3e2a       104MB
mcr.microsoft.com/oss/kubernetes/pause    3.9-hotfix          a9f24f4bd3e2a       104MB
registry.example.com/shop/web             <none>              0d0cf3ad6a1f0       5.2GB
`,
		"20240903-095941-cri-containerd-pods.txt": `POD ID              CREATED             STATE               NAME                  NAMESPACE           ATTEMPT             RUNTIME
d9d43e9276264       19 seconds ago      Ready               web-6d5f7c-abcde      shop                0                   (default)
`,
		"20240903-095941-cri-containerd-containers.txt": `CONTAINER           IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD
f0e1d2c3b4a59       0d0cf3ad6a1f0       About an hour ago   Running             web                 0                   d9d43e9276264       web-6d5f7c-abcde
`,
		"kubectl-get-nodes.log":      "NAME             STATUS   ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE                         KERNEL-VERSION    CONTAINER-RUNTIME\naksnpwin000002   Ready    <none>   3d    v1.31.7   10.224.4.35   <none>        Windows Server 2022 Datacenter   10.0.20348.2655   containerd://1.7.27\n",
		"kubectl-describe-nodes.log": aksNodeDescribed,
		"kubectl-describe-pods.log":  aksPodsDescribed,
		"windowsServices.txt":        "\nStatus   Name               DisplayName                           \n------   ----               -----------                           \nRunning  containerd         containerd                            \nRunning  hns                Host Network Service                  \nRunning  kubelet            Kubelet                               \nRunning  kubeproxy          Kubeproxy                             \n",
	}
	for name, content := range overlay2022() {
		switch name {
		case "network.txt", "networkdetailed.txt", "endpoint.txt", "policy.txt", "namespaces.txt",
			"windowsServices.txt":
		default:
			files[name] = strings.NewReplacer("WIN-1", "AKSNPWIN000002", "win-1", "aksnpwin000002",
				"10.1.36.", "10.224.4.", "10.244.3.", "10.224.4.", "10.96.0.10", "10.0.0.10",
				"SERVICE_NAME: Power", "SERVICE_NAME: Kubeproxy").Replace(content)
		}
	}
	files["network.txt"] = "\nName  Type     ID                                   AddressPrefix\n----  ----     --                                   -------------\nazure L2Bridge D2DAB241-2AC3-4722-A66E-B4661E6E5504 10.224.4.0/22\n\n\n" + azureNetwork
	files["networkdetailed.txt"] = azureNetwork
	files["endpoint.txt"] = "\nIpAddress   MacAddress        IsRemoteEndpoint State\n---------   ----------        ---------------- -----\n10.224.4.41 00-15-5D-62-5A-1E                      3\n\n\n" + azureEndpoint("10.224.0.0/16")
	files["policy.txt"] = `{ "ID": "AAAAAAAA-0001-4D5B-8F3E-1D2C3B4A5968", "HostComputeEndpoints": [ "2a632a7b-a128-45c1-8e6c-cfd48cc6af8a" ], "SourceVIP": "", "FrontendVIPs": [ "10.0.0.10" ], "PortMappings": [ { "Protocol": 17, "InternalPort": 53, "ExternalPort": 53, "Flags": 0 } ], "Flags": 0, "SchemaVersion": { "Major": 2, "Minor": 0 } }
`
	files["namespaces.txt"] = "\n\nID : D9D43E92-7626-4F74-B691-AF53DAF1AFA9\n\n\n\n" + `{ "ID": "D9D43E92-7626-4F74-B691-AF53DAF1AFA9", "NamespaceId": 3, "Type": "Host", "Resources": [ { "Type": "Endpoint", "Data": { "Id": "2A632A7B-A128-45C1-8E6C-CFD48CC6AF8A" } } ], "SchemaVersion": { "Major": 2, "Minor": 0 } }
`
	return files
}

const azureNetwork = `{
    "ID":  "D2DAB241-2AC3-4722-A66E-B4661E6E5504",
    "Name":  "azure",
    "Type":  "L2Bridge",
    "Policies":  [ { "Type": "NetAdapterName", "Settings": { "NetworkAdapterName": "Ethernet" } }, { "Type": "ProviderAddress", "Settings": { "ProviderAddress": "10.224.4.50" } } ],
    "Ipams":  [ { "Type": "Static", "Subnets": [ { "IpAddressPrefix": "10.224.4.0/22", "Policies": [], "Routes": [ { "NextHop": "10.224.4.1", "DestinationPrefix": "0.0.0.0/0" } ] } ] } ],
    "Flags":  8,
    "SchemaVersion":  { "Major":  2, "Minor":  0 }
}
`

func azureEndpoint(exceptions ...string) string {
	return fmt.Sprintf(`{
    "ID":  "2A632A7B-A128-45C1-8E6C-CFD48CC6AF8A",
    "Name":  "9d1f2889-eth0",
    "HostComputeNetwork":  "D2DAB241-2AC3-4722-A66E-B4661E6E5504",
    "HostComputeNamespace":  "D9D43E92-7626-4F74-B691-AF53DAF1AFA9",
    "MacAddress":  "00-15-5D-62-5A-1E",
    "IpConfigurations":  [ { "IpAddress":  "10.224.4.41", "PrefixLength":  22 } ],
    "Policies":  [ { "Type": "OutBoundNAT", "Settings": { "Exceptions": [ "%s" ] } }, { "Type": "SDNRoute", "Settings": { "DestinationPrefix": "10.0.0.0/16", "NeedEncap": true } } ],
    "Dns":  { "Domain": "", "Search": [ "shop.svc.cluster.local", "svc.cluster.local" ], "ServerList": [ "10.0.0.10", "168.63.129.16" ] },
    "Routes":  [ { "NextHop": "10.224.4.1", "DestinationPrefix": "0.0.0.0/0" } ],
    "SchemaVersion":  { "Major":  2, "Minor":  0 }
}
`, strings.Join(exceptions, `", "`))
}

const azureConflist = `{
  "cniVersion": "0.3.0", "name": "azure", "adapterName": "",
  "plugins": [ {
    "type": "azure-vnet", "mode": "bridge", "bridge": "azure0",
    "capabilities": { "portMappings": true, "dns": true },
    "ipam": { "type": "azure-vnet-ipam" },
    "dns": { "Nameservers": [ "10.0.0.10", "168.63.129.16" ], "Search": [ "svc.cluster.local" ] },
    "AdditionalArgs": [
      { "Name": "EndpointPolicy", "Value": { "Type": "OutBoundNAT", "ExceptionList": [ "10.224.0.0/16" ] } },
      { "Name": "EndpointPolicy", "Value": { "Type": "ROUTE", "DestinationPrefix": "10.0.0.0/16", "NeedEncap": true } }
    ],
    "windowsSettings": { "enableLoopbackDSR": true }
  } ]
}
`

func containerdToml(pause string) string {
	return fmt.Sprintf(`version = 2
root = "C:\\ProgramData\\containerd\\root"
state = "C:\\ProgramData\\containerd\\state"
[grpc]
  address = "\\\\.\\pipe\\containerd-containerd"
[plugins]
  [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = %q
    [plugins."io.containerd.grpc.v1.cri".containerd]
      default_runtime_name = "runhcs-wcow-process"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runhcs-wcow-process]
        runtime_type = "io.containerd.runhcs.v1"
    [plugins."io.containerd.grpc.v1.cri".cni]
      bin_dir = "c:/k/azurecni/bin"
      conf_dir = "c:/k/azurecni/netconf"
`, pause)
}

const aksProcesses = `
Handles  NPM(K)    PM(K)      WS(K)     CPU(s)     Id  SI ProcessName                                                  
-------  ------    -----      -----     ------     --  -- -----------                                                  
    182      12     3004       9872       0.13   5120   0 conhost                                                      
    241      24    38912      61440     113.55   3052   0 containerd                                                   
    205      17    22212      32505      11.02   4920   0 containerd-shim-runhcs-v1                                    
    131      15    14008      19922       1.92   3104   0 csi-proxy                                                    
    430      18     1712       5612       1.20    512   0 csrss                                                        
      0       0       60          8                 0   0 Idle                                                         
    362      41    91000     117440   1,204.45   3560   0 kubelet                                                      
    229      30    40120      49283     310.27   4488   0 kube-proxy                                                   
   1201      31     8760      21004      36.33    724   0 lsass                                                        
      0       0      168      91000                88   0 Memory Compression                                           
     98       9     2100       6291       0.11   3036   0 nssm                                                         
      0      12     3040      70616                 96   0 Registry                                                     
    401      14     6200      12582      20.08    704   0 services                                                     
     53       3     1060       1204       0.08    384   0 smss                                                         
    910      44    22300      98566     240.31   1328   0 svchost                                                      
   2210       0      192        144   2,110.92      4   0 System                                                       
    288      16     9000      17825       9.77   2904   0 vmcompute                                                    
    160      11     1500       7000       0.05    604   0 wininit                                                      


`

const aksNodeDescribed = `Name:               aksnpwin000002
Roles:              <none>
Labels:             agentpool=npwin
                    kubernetes.azure.com/agentpool=npwin
                    kubernetes.azure.com/cluster=MC_shop_shop_westeurope
                    kubernetes.io/hostname=aksnpwin000002
                    kubernetes.io/os=windows
                    node.kubernetes.io/windows-build=10.0.20348
Annotations:        node.alpha.kubernetes.io/ttl: 0
                    volumes.kubernetes.io/controller-managed-attach-detach: true
CreationTimestamp:  Sat, 31 Aug 2024 08:15:21 +0000
Taints:             os=windows:NoSchedule
Unschedulable:      false
Lease:
  HolderIdentity:  aksnpwin000002
  AcquireTime:     <unset>
  RenewTime:       Tue, 03 Sep 2024 10:01:50 +0000
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message
  ----             ------  -----------------                 ------------------                ------                       -------
  MemoryPressure   False   Tue, 03 Sep 2024 09:59:11 +0000   Sat, 31 Aug 2024 08:15:20 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available
  DiskPressure     False   Tue, 03 Sep 2024 09:59:11 +0000   Sat, 31 Aug 2024 08:15:20 +0000   KubeletHasNoDiskPressure     kubelet has no disk pressure
  PIDPressure      False   Tue, 03 Sep 2024 09:59:11 +0000   Sat, 31 Aug 2024 08:15:20 +0000   KubeletHasSufficientPID      kubelet has sufficient PID available
  Ready            True    Tue, 03 Sep 2024 09:59:11 +0000   Sat, 31 Aug 2024 08:15:40 +0000   KubeletReady                 kubelet is posting ready status
Addresses:
  InternalIP:  10.224.4.50
  Hostname:    aksnpwin000002
Capacity:
  cpu:                4
  memory:             16776756Ki
  pods:               30
Allocatable:
  cpu:                3860m
  memory:             12792372Ki
  pods:               30
System Info:
  Machine ID:                 aksnpwin000002
  System UUID:                0A1B2C3D-1111-2222-3333-444455556666
  Boot ID:                    24
  Kernel Version:             10.0.20348.2655
  OS Image:                   Windows Server 2022 Datacenter
  Operating System:           windows
  Architecture:               amd64
  Container Runtime Version:  containerd://1.7.27
  Kubelet Version:            v1.31.7
  Kube-Proxy Version:         v1.31.7
ProviderID:                   azure:///subscriptions/0/resourceGroups/mc/providers/Microsoft.Compute/virtualMachineScaleSets/aksnpwin/virtualMachines/2
Non-terminated Pods:          (1 in total)
  Namespace                   Name                CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------                   ----                ------------  ----------  ---------------  -------------  ---
  shop                        web-6d5f7c-abcde    0 (0%)        0 (0%)      0 (0%)           0 (0%)         3d
Events:                       <none>
`

const aksPodsDescribed = `kubectl describe all pods on aksnpwin000002
Name:             web-6d5f7c-abcde
Namespace:        shop
Priority:         0
Node:             aksnpwin000002/10.224.4.50
Start Time:       Sat, 31 Aug 2024 08:16:21 +0000
Labels:           app=web
Status:           Running
IP:               10.224.4.41
Containers:
  web:
    Image:          registry.example.com/shop/web:1.4
    State:          Running
      Started:      Sat, 31 Aug 2024 08:17:21 +0000
    Ready:          True
Conditions:
  Type              Status
  Ready             True 
Events:           <none>
`
