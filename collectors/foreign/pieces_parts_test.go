package foreign

import (
	"strings"
	"testing"
)

// Outputs as people paste them, from public threads: a few rows, prompts of other shells, and
// commands above their output without any prompt.
var (
	crictlOfRoot = "[root@cloud-test2:~]$ crictl ps\n" + // cri-tools pull request 369
		"CONTAINER ID        IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID\n" +
		"f60944900ceb3       32609f1b11ae7       3 days ago          Running             kube-proxy          6                   ab863e4ae6f33\n" +
		"[root@cloud-test2:~]$\n[root@cloud-test2:~]$ crictl pods\n" +
		"POD ID              CREATED             STATE               NAME                NAMESPACE           ATTEMPT\n" +
		"ab863e4ae6f33       3 days ago          Ready               kube-proxy-bqnhm    kube-system         0\n[root@cloud-test2:~]$\n"
	commandsAlone = "ctr c ls\nCONTAINER    IMAGE    RUNTIME\nctr t ls\nTASK    PID    STATUS\n\n" + // containerd issue 5188
		" hcsdiag list\ntest-1\n    Windows Server Container,   Running\n"
	netAdapters = "PS C:\\k\\antrea> Get-NetAdapter\n\n" + // antrea issue 3636
		"Name                      InterfaceDescription                    ifIndex Status       MacAddress             LinkSpeed\n" +
		"----                      --------------------                    ------- ------       ----------             ---------\n" +
		"Ethernet                  AWS PV Network Device #0                     10 Up           06-05-9D-C4-A4-11         1 Gbps\n" +
		"vEthernet (HNS Interna... Hyper-V Virtual Ethernet Adapter #3          21 Up           00-15-5D-00-2C-00        10 Gbps\n" +
		"vEthernet (Ethernet)                                                   26 Up           00-15-5D-24-6D-AE        10 Gbps\n" +
		"vEthernet (Ethernet) 2                                                 31 Up           00-15-5D-24-66-0B        10 Gbps\n" +
		"vEthernet (15fdf8c8ade... Hyper-V Virtual Ethernet Adapter #2          14 Up           00-15-5D-24-64-BF        10 Gbps\n" +
		"vEthernet (nat)           Hyper-V Virtual Ethernet Adapter              9 Up           00-15-5D-A4-41-FB        10 Gbps\n"
	someServices = "[node-1]: PS C:\\k> Get-Service kubelet,hns\n\nStatus   Name               DisplayName\n" +
		"------   ----               -----------\nRunning  hns                Host Network Service\nPaused   kubelet            kubelet\n"
	somePods = "root@k8s-master01:~# kubectl get pod -A\n" +
		"NAMESPACE       NAME                        READY   STATUS             RESTARTS        AGE\n" +
		"calico-system   calico-node-4m8dw           0/1     CrashLoopBackOff   3 (1m ago)      20m\n" +
		"calico-system   calico-node-windows-x7k2p   1/2     CrashLoopBackOff   6 (2m31s ago)   9m\n"
	tasklist = "C:\\>tasklist /fi \"imagename eq notepad.exe\"\n\n" + // docker/for-win issue 4868
		"Image Name                     PID Session Name        Session#    Mem Usage\n" +
		"========================= ======== ================ =========== ============\n" +
		"notepad.exe                  17944 Console                    1     17,668 K\n"
	vagrantList = "    2019-box: InterfaceAlias           : Ethernet\n    2019-box: InterfaceIndex           : 3\n" +
		"    2019-box: IPAddress                : 10.0.2.15\n    2019-box: PrefixLength             : 24\n"
	conditionsAlone = "Conditions:\n" + // of a description that begins in its middle
		"  Type    Status  LastHeartbeatTime                LastTransitionTime               Reason           Message\n" +
		"  ----    ------  -----------------                ------------------               ------           -------\n" +
		"  Ready   False   Mon, 03 Jul 2023 12:36:02 +0000  Mon, 03 Jul 2023 12:30:00 +0000  KubeletNotReady  PLEG is not healthy: pleg was last seen active 6m2.1s ago\n"
	rowsOfConditions = "  Type    Status  LastHeartbeatTime                LastTransitionTime               Reason           Message\n" +
		"  Ready   False   Mon, 03 Jul 2023 12:36:02 +0000  Mon, 03 Jul 2023 12:30:00 +0000  KubeletNotReady  cni plugin not initialized\n" +
		"Addresses:\n  InternalIP:  10.240.0.5\n  Hostname:    akswin000001\nSystem Info:\n" +
		"  Kernel Version:             10.0.17763.1757\n  Kubelet Version:            v1.20.2\n"
	containersAlone = "Containers:\n  web:\n    Container ID:   containerd://abc\n    State:          Waiting\n" +
		"      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Exit Code:    128\n    Restart Count:  7\n"
	nodesWide = "NAME      STATUS     ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE                         KERNEL-VERSION    CONTAINER-RUNTIME\n" +
		"linux-1   Ready      master   12d   v1.24.1   10.0.0.4      <none>        Ubuntu 20.04.4 LTS               5.4.0-113         containerd://1.6.6\n" +
		"win-1     NotReady   <none>   12d   v1.24.1   10.0.0.5      <none>        Windows Server 2019 Datacenter   10.0.17763.2928   docker://20.10.9\n"
	ruleOfNetsh = "\nRule Name:                            kubelet\n" + strings.Repeat("-", 70) + "\nEnabled:                              Yes\n" +
		"Direction:                            In\nProfiles:                             Domain,Private\nGrouping:                             \n" +
		"LocalIP:                              Any\nRemoteIP:                             Any\nProtocol:                             TCP\n" +
		"LocalPort:                            10250,10255-10257\nRemotePort:                           Any\n" +
		"Edge traversal:                       No\nAction:                               Block\nOk.\n"
	rulesOfVFP = "LAYER : LB_DSR\n    Priority : 14\n\n    RULE : LB_DSR_10.0.0.1_80\n        Type : block\n"
)

func TestAFewRowsOfAnOutputAreAPart(t *testing.T) {
	for _, row := range []struct{ name, content, evidence, want string }{
		{"containers behind the prompt of root", crictlOfRoot, "cri.json", `"id":"f60944900ceb3"`},
		{"pods behind a prompt without a command above it", crictlOfRoot, "cri.json", `"id":"ab863e4ae6f33"`},
		{"commands without a prompt", commandsAlone, "compute.json", `"id":"test-1"`},
		{"adapters", netAdapters, "adapters-part.json",
			`{"name":"Ethernet","description":"AWS PV Network Device #0","ifIndex":10,"status":"up","mac":"06-05-9D-C4-A4-11"`},
		{"an adapter whose name is cut has none", netAdapters, "adapters-part.json", `{"name":"","description":"Hyper-V`},
		{"the list of adapters stays unknown", netAdapters, "adapters.json", "that is not all of the network adapters"},
		{"services of a remote session", someServices, "services-part.json", `"name":"kubelet","displayName":"kubelet","state":"paused"`},
		{"pods of Windows", somePods, "api/pods-part.json", `"name":"calico-node-windows-x7k2p"`},
		{"the list of pods stays unknown", somePods, "api/pods.json", "calico-node-4m8dw 0/1 CrashLoopBackOff"},
		{"processes of tasklist", tasklist, "processes-part.json", `"pid":17944,"name":"notepad.exe"`},
		{"what Vagrant puts in front", vagrantList, "adapters-part.json", `"addresses":["10.0.2.15/24"]`},
		{"updates of wmic", "C:\\>wmic qfe get hotfixid\nHotFixID\nKB5031364\n", "hotfixes.json", `"id":"KB5031364"`},
		{"rules of a port that is not named", rulesOfVFP, "vfp-part.json", `"dsrRules":["LB_DSR_10.0.0.1_80"]`},
		{"conditions without the name of their node", conditionsAlone, "api/node-part.json",
			`"message":"PLEG is not healthy: pleg was last seen active 6m2.1s ago"`},
		{"the rest of a description of a node", rowsOfConditions, "api/node-part.json", `"name":"akswin000001"`},
		{"the Node object of it stays unknown", rowsOfConditions, "api/node.json", "that is not all of the Node object"},
		{"containers without the name of their pod", containersAlone, "api/pods-part.json", `"exitCode":128`},
		{"the row of the Windows node", nodesWide, "api/node-part.json", `"containerRuntimeVersion":"docker://20.10.9"`},
		{"a row does not tell False from Unknown", nodesWide, "api/node-part.json", `"reason":"NotReady","status":"not True"`},
		{"no row of a Linux node", "NAME STATUS ROLES AGE VERSION\n" + strings.Split(nodesWide, "\n")[1], "api/node.json", "none of the files shows"},
		{"of several Windows nodes the one that is not ready", nodesWide + "win-2     Ready      <none>   12d   v1.24.1   10.0.0.6      <none>        " +
			"Windows Server 2019 Datacenter   10.0.17763.2928   docker://20.10.9\n", "api/node-part.json", `"name":"win-1"`},
		{"none of several Windows nodes that are ready", strings.ReplaceAll(nodesWide, "NotReady", "Ready   ") + // sig-windows-tools issue 285
			"win-2     Ready      <none>   12d   v1.24.1   10.0.0.6      <none>        Windows Server 2019 Datacenter   10.0.17763.2928   docker://20.10.9\n",
			"api/node.json", "kubectl get nodes shows win-1 Ready v1.24.1 10.0.17763.2928 docker://20.10.9, win-2 Ready"},
		{"memory that somebody calculated, a blank beside its column", "PS C:\\> Get-Process | Select-Object Id,ProcessName,@{n='WS(MB)';e={[int]($_.WorkingSet64/1MB)}},StartTime\n\n" +
			"   Id ProcessName              WS(MB) StartTime\n   -- -----------              ------ ---------\n" +
			" 7412 containerd-shim-runhcs-v1   3127 12/9/2022 6:12:44 AM\n 3804 kubelet                      109 12/9/2022 6:10:50 AM\n",
			"processes-part.json", `"name":"containerd-shim-runhcs-v1","workingSetBytes":3278897152`},
		{"memory of tasklist", tasklist, "processes-part.json", `"workingSetBytes":18092032`},
		{"none of several Windows nodes that are ready, but what they have in common", strings.ReplaceAll(nodesWide, "NotReady", "Ready   ") + // sig-windows-tools issue 285
			"win-2     Ready      <none>   12d   v1.24.1   10.0.0.6      <none>        Windows Server 2019 Datacenter   10.0.17763.2928   containerd://1.6.6\n",
			"api/node-part.json", `{"status":{"nodeInfo":{"kernelVersion":"10.0.17763.2928","kubeletVersion":"v1.24.1","osImage":"Windows Server 2019 Datacenter"}}}`},
		{"several Windows nodes without anything in common", strings.ReplaceAll(nodesWide, "NotReady", "Ready   ") +
			"win-2     Ready      <none>   12d   v1.25.1   10.0.0.6      <none>        Windows Server 2022 Datacenter   10.0.20348.1   containerd://1.6.6\n",
			"api/node.json", "kubectl get nodes shows win-1 Ready v1.24.1"},
		{"a program's words below a fence", "```\n" + nodesWide + "```\ncontainer runtime network not ready: NetworkReady=false " +
			"reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized\n", "logs/other/a", "NetworkPluginNotReady"},
		{"an error of HNS in prose", "```\n" + nodesWide + "```\nThe pods stay in ContainerCreating with hnsCall failed in Win32: Element not found. (0x490)\n",
			"logs/other/a", "Element not found"},
		{"an error that prose sets in bold, beside a name in bold", "```\n" + nodesWide + "```\nI have **csi-driver-smb** v1.0.2, and a pod on Windows says " +
			"**driver name smb.csi.k8s.io not found in the list of registered CSI drivers**.\n", "logs/other/a", "not found in the list"},
		{"a node whose name says Windows", "NAME           STATUS     ROLES   AGE   VERSION\n" +
			"aksnpwin000001   NotReady   agent   12d   v1.24.1\n", "api/node-part.json", `"name":"aksnpwin000001"`},
		{"a rule of the firewall", ruleOfNetsh, "firewall-part.json",
			`{"profiles":null,"rules":[{"name":"kubelet","enabled":true,"direction":"in","action":"block",` +
				`"protocol":"tcp","localPorts":["10250","10255-10257"],"profiles":["domain","private"]}]}`},
		{"a rule for one address is none of the port", strings.Replace(ruleOfNetsh, "RemoteIP:                             Any",
			"RemoteIP:                             10.1.2.3/32", 1), "firewall.json", "none of the files shows"},
		{"profiles of the firewall", "C:\\>netsh advfirewall show domainprofile\n\nDomain Profile Settings: \n" + strings.Repeat("-", 70) +
			"\nState                                 ON\nFirewall Policy                       BlockInbound,AllowOutbound\n" +
			"LocalFirewallRules                    N/A (GPO-store only)\nOk.\n", "firewall-part.json",
			`{"name":"domain","enabled":true,"defaultInbound":"block","defaultOutbound":"allow"}`},
		{"a pod that waits has a container that waits", "NAME                        READY   STATUS             RESTARTS   AGE\n" +
			"calico-node-windows-x7k2p   0/1     ImagePullBackOff   0          1h\n", "api/pods-part.json",
			`"waiting":{"reason":"ImagePullBackOff"}`},
		{"a pod whose init container waits", "NAME                        READY   STATUS                  RESTARTS   AGE\n" +
			"calico-node-windows-x7k2p   0/1     Init:ImagePullBackOff   0          1h\n", "api/pods-part.json",
			`"initContainerStatuses":[{"name":"(not shown)","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff"}}}]`},
		{"a pod with an init container that may run", "NAME                        READY   STATUS     RESTARTS   AGE\n" +
			"calico-node-windows-x7k2p   0/1     Init:1/2   0          1h\n", "api/pods-part.json",
			`"status":{"phase":"Init:1/2"}`},
		{"a node whose name says Windows and that does not pull an image", "NAME                  READY   STATUS         RESTARTS   AGE   IP       NODE              NOMINATED NODE   READINESS GATES\n" +
			"web-5877c96d8f-wfb79  0/1     ErrImagePull   0          11m   <none>   aksws2019000000   <none>           <none>\n", "api/pods-part.json",
			`"nodeName":"aksws2019000000"`},
		{"a description that ends above the status has that of the row", "NAME                   READY   STATUS             RESTARTS   AGE\n" + // prometheus-community/helm-charts issue 1426
			"web-create-fcql4       0/1     ImagePullBackOff   0          7m33s\n\nName:         web-create-fcql4\nNamespace:    monitoring\n" +
			"Priority:     0\nNode:         aksnpwin200001o/10.240.0.128\n", "api/pods-part.json",
			`"spec":{"nodeName":"aksnpwin200001o","nodeSelector":{}},"status":{"containerStatuses":[{"name":"(not shown)","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff"}}}],"phase":"Pending"}`},
		{"a pod that runs has its phase alone", "NAME                        READY   STATUS    RESTARTS   AGE\n" +
			"calico-node-windows-x7k2p   1/1     Running   0          1h\n", "api/pods-part.json", `"status":{"phase":"Running"}`},
		{"a Service that is described", "Name:                     win-web\nNamespace:                default\nIP:                       172.30.10.11\n" +
			"Endpoints:                \nSession Affinity:         None\nEvents:                   <none>\n", "api/services.json",
			"kubectl describe shows default/win-web 172.30.10.11"},
		{"a DaemonSet that is described", "Name:           kube-proxy-windows\nNamespace:      kube-system\nDesired Number of Nodes Scheduled: 3\n" +
			"Pods Status:  0 Running / 3 Waiting / 0 Succeeded / 0 Failed\n", "api/daemonsets.json", "kube-system/kube-proxy-windows 0 Running / 3 Waiting"},
		{"an Event that is described", "Name:             web.160b7e1\nNamespace:        default\nInvolved Object:\n  Kind:          Pod\n  Name:          web\n" +
			"  Namespace:     default\nMessage:         no such volume\nReason:                FailedMount\nType:         Warning\n", "api/events.json",
			`"involvedObject":{"kind":"Pod","name":"web","namespace":"default"}`},
		{"events of which the first is of a node", `{"apiVersion":"v1","kind":"List","items":[{"involvedObject":{"kind":"Node","name":"w1"},"kind":"Event","metadata":{"name":"a"},"reason":"Rebooted"}]}`,
			"api/events.json", "Rebooted"},
		{"nodes and pods in one table each", "NAME                   STATUS     ROLES    AGE   VERSION\nnode/ec2amaz-4miqb5r   NotReady   <none>   2m    v1.25.15\n\n" + // rancher/rke2 issue 4790
			"NAMESPACE       NAME                    READY   STATUS    RESTARTS   AGE\ncalico-system   pod/calico-node-gszx9   1/1     Running   0          10m\n",
			"api/node-part.json", `"name":"ec2amaz-4miqb5r"`},
		{"events of Kubernetes 1.9", "LASTSEEN   FIRSTSEEN   COUNT     NAME                                     KIND      SUBOBJECT   TYPE      REASON                   SOURCE                  MESSAGE\n" + // kubernetes/kubernetes issue 69165
			"4s         2m          10        powerflowserver-f8d7887f9-9rsf4.15587    Pod                   Warning   FailedCreatePodSandBox   kubelet, 26207k8s9000   HNS failed with error : Element not found.\n",
			"api/events.json", `"involvedObject":{"kind":"Pod","name":"powerflowserver-f8d7887f9-9rsf4"},`},
		{"names of kubectl", "node/w1\npod/kube-proxy-windows-pz26m\n", "api/pods.json", "kubectl get -o name shows node/w1, pod/kube-proxy-windows-pz26m"},
		{"crictl stats", "CONTAINER           CPU %               MEM                 DISK              INODES\n0a2c761303163f      0.00                983kB             16.38kB             6\n",
			"memory.json", "container stats shows 0a2c761303163f 0.00 983kB"},
		{"docker network inspect", `[{"Name":"nat","Id":"6314c8bde88fbaf92e10a054c2db04e42ea17c8e608b6a9fce0c101f78eb4ddb","Scope":"local","Driver":"nat","IPAM":{"Config":[{"Subnet":"192.168.55.0/24"}]}}]`, // moby/moby issue 29451
			"hns-networks.json", "6314c8bde88f nat nat local 192.168.55.0/24"},
		{"a log with what kubectl puts in front", "[pod/kube-proxy-windows-x/kube-proxy] 2021-03-18T19:55:57.200000000Z " + noReference + "\n", "logs/kube-proxy/a", "0x803b001c"},
		{"a log with what grep -n puts in front", "1234:" + noReference + "\n", "logs/kube-proxy/a", "E0318 19:55:57.547539    3808"},
		{"a log with what stern puts in front", strings.Repeat("kube-proxy-windows-x kube-proxy "+noReference+"\n", 2), "logs/kube-proxy/a", "\nE0318"},
		{"a log with what syslog puts in front", strings.Repeat("<11>1 2021-03-18T19:55:57.547Z win-1 kube-proxy 3808 - - "+noReference+"\n", 2), "logs/kube-proxy/a", "\nE0318"},
		{"a log of a container", strings.Repeat("2021-03-18T19:55:57.547539123Z stderr F "+noReference+"\n", 2), "logs/kube-proxy/a", "\nE0318"},
		{"a log with colours", strings.Repeat("\x1b[31m"+noReference+"\x1b[0m\n", 2), "logs/kube-proxy/a", "\nE0318"},
		{"rows of pods that were searched for", "kube-system   kube-proxy-windows-x   0/1   CrashLoopBackOff   21   1h   10.244.2.5   w1   <none>   <none>\n", "api/pods-part.json",
			`"restartCount":21`},
		{"a row of a node that was searched for", "akswin000001   NotReady   agent   12d   v1.24.1\n", "api/node-part.json", `"name":"akswin000001"`},
		{"a list in YAML without its head", "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: iis\n    namespace: default\n  spec:\n    nodeName: w1\n  status:\n    phase: Pending\n", "api/pods.json", `"nodeName":"w1"`},
		{"a pod whose metadata somebody cut", "$ kubectl get pod web -o yaml\n\napiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: 'x/y:'\n" +
			"status:\n  containerStatuses:\n  - image: 'x/y:'\n    name: web\n    state:\n      waiting:\n        reason: InvalidImageName\n", "api/pods.json", `"name":"(not shown)"`},
		{"of the nodes that are described the one of Windows", "Name:               lin1\nLabels:             kubernetes.io/os=linux\n" +
			"Conditions:\n  Type  Status  LastHeartbeatTime\nSystem Info:\n  Operating System: linux\n\n\n" + "Name:               w1\nLabels:             kubernetes.io/os=windows\n" +
			"Conditions:\n  Type  Status  LastHeartbeatTime\nSystem Info:\n  Operating System: windows\n", "meta.json", `"node":"w1"`},
		{"plugins of containerd", "TYPE                        ID         PLATFORMS        STATUS    \nio.containerd.grpc.v1       cri        windows/amd64    error     \n",
			"cri.json", "io.containerd.grpc.v1 cri windows/amd64 error"},
		{"crictl imagefsinfo", `{"status":{"imageFilesystems":[{"timestamp":"1","fsId":{"mountpoint":"C:\\containerd\\root"}}]}}`, "cri.json", `images at C:\containerd\root`},
		{"conditions that jq cut out", `[{"lastHeartbeatTime":"2024-02-08T09:05:11Z","lastTransitionTime":"2024-02-08T09:05:11Z","message":"cni plugin not initialized","reason":"KubeletNotReady","status":"False","type":"Ready"}]`,
			"api/node-part.json", `"message":"cni plugin not initialized"`},
		{"containers that jq cut out", `[{"image":"a","name":"iis","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff","message":"b"}}}]`, "api/pods.json",
			"shows (not shown) ImagePullBackOff"},
		{"columns that somebody chose", "NAME            OS        READY\nakswin000000    windows   False\n", "env.json", "a table shows akswin000000 windows False"},
		{"claims", "NAME      STATUS    VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   AGE\nwin-pvc   Pending                                      azurefile-csi  5m\n",
			"env.json", "a table shows win-pvc Pending azurefile-csi 5m"},
		{"conditions by jsonpath", "akswin000000\tMemoryPressure=False;Ready=Unknown;\n", "api/node.json", "akswin000000 MemoryPressure=False;Ready=Unknown;"},
		{"an answer in the API server's audit log", `{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","userAgent":"kubelet.exe/v1.28.5","responseStatus":{"status":"Failure","message":"nodes \"akswin000000\" is forbidden"},"stageTimestamp":"2024-02-08T09:05:11.01Z"}`,
			"logs/other/a", `2024-02-08T09:05:11Z nodes "akswin000000" is forbidden`},
		{"the state of azure-vnet", `{"Network":{"ExternalInterfaces":{"Ethernet":{"Networks":{"azure":{"Mode":"bridge","Endpoints":{"a":{"PODName":"iis"}}}}}}}}`, "hns-endpoints.json", "azure-vnet.json shows bridge, iis"},
		{"what a log of nothing known says", "[22:14:59.867][WindowsDaemon  ][Info   ] debug: Network Control Plane MTU: 1500\n2017-09-08T22:14:59Z debug: [GET]=>[/networks/] Request :\n", // docker/for-win
			"env.json", "the text shows [22:14:59.867][WindowsDaemon"},
		{"events of which only their strings were selected", "TimeWritten           ReplacementStrings\n-----------           ------------------\n12/17/2024 8:55:27 PM {Felix exited}\n" + // rancher/rke2 issue 7440
			"12/17/2024 8:40:20 PM {Running RKE2 kube-proxy [--bind-address=10.107.22.24\n                      --enable-dsr=true]}\n", "events.json",
			`"time":"2024-12-17T20:40:20Z","message":"Running RKE2 kube-proxy [--bind-address=10.107.22.24 --enable-dsr=true]"`},
		{"a log in a chat", "[19:51] <jay> " + noReference + "\n", "logs/kube-proxy/a", "0x803b001c"},
		{"a log in a page", "<!DOCTYPE html><html><head><title>x</title></head><body><p>The log:</p><pre>" +
			strings.ReplaceAll(kubeletLines, `"`, "&quot;") + "</pre></body></html>\n", "logs/kubelet/a", `err="failed to`},
		{"a log in a mail", "From: a <a@example.com>\nTo: b <b@example.com>\nSubject: Re: x\nContent-Transfer-Encoding: quoted-printable\n\nThe log:\n> " +
			strings.Replace(noReference, "Win32", "W=\nin32", 1) + "\n", "logs/kube-proxy/a", "failed in Win32: The reference"},
		{"the head of a described node", "Name:               ec2amaz-6naf5c5\nRoles:              <none>\nLabels:             kubernetes.io/os=windows\nTaints:             node.kubernetes.io/unreachable:NoExecute\nUnsched", // kubernetes/kubernetes issue 78582
			"api/node.json", "ec2amaz-6naf5c5, taint node.kubernetes.io/unreachable:NoExecute"},
		{"columns of a node that somebody left", "NAME             STATUS     AGE     VERSION   INTERNAL-IP   KERNEL-VERSION    CONTAINER-RUNTIME\nakswdjob000000   NotReady   2d16h   v1.21.2   10.5.0.97     10.0.17763.2061   containerd://1.4.4+unknown\n", // Azure/AKS issue 2491
			"api/node-part.json", `"kernelVersion":"10.0.17763.2061"`},
		{"docker ps in a narrow console", "PS C:\\> docker ps\nCONTAINER ID        IMAGE               COMMAND             CREATED             STATUS              PORTS\n     NAMES\nf4f40e1025cc        apprenda/pause      \"cmd /S /C 'p...\"   36 minutes ago      Up 36 minutes\n     k8s_POD_dapi_default_0\n", // kubernetes/kubernetes pull 63905
			"cri.json", `"image":{"image":"apprenda/pause"},"metadata":{"name":"k8s_POD_dapi_default_0"`},
		{"a container that exited with a code", "CONTAINER ID    IMAGE       COMMAND    CREATED          STATUS                               PORTS    NAMES\n369992f8d96f    nano:1      \"cmd\"      5 seconds ago    Exited (3221225786) 2 seconds ago             nano-36999\n", // containerd/nerdctl issue 4899
			"logs/other/a", "Exited (3221225786)"},
		{"the name that hostname prints", "PS C:\\> HOSTNAME.EXE\nwin-wsdcn\nPS C:\\> ver\n\nMicrosoft Windows [Version 10.0.17763.1098]\n", "meta.json", `"node":"win-wsdcn"`},
		{"the computer of Get-HotFix", "Source        Description      HotFixID      InstalledBy          InstalledOn\n------        -----------      --------      -----------          -----------\n33990k8s9000  Security Update  KB4343909     NT AUTHORITY\\SYSTEM  8/18/2018 12:00:00 AM\n",
			"meta.json", `"node":"33990k8s9000"`},
		{"what docker info shows beside its version", "Containers: 0\nServer Version: 1.12.2\nDefault Isolation: process\nKernel Version: 10.0 14393 (14393.447.amd64fre.rs1_release_inmarket.161102-0100)\nOperating System: Windows Server 2016 Standard\nTotal Memory: 4 GiB\nName: sandbox-77\n",
			"memory.json", "Total Memory: 4 GiB"},
		{"an event of the Event Viewer that breaks off", "<Event xmlns=\"http://schemas.microsoft.com/win/2004/08/events/event\">\n<System>\n  <Provider Name=\"Microsoft-Windows-Hyper-V-Compute\" /> \n  <EventID>2010</EventID> \n  <Level>4</Level> \n  <TimeCreated SystemTime=\"2023-06-21T08:37:21.3Z\" /> \n  <Computer>WIN-1</Computer> \n  </System>\n<UserData>\n<VmlEventLog>\n  <SystemId>45539421c3ac",
			"events.json", `"id":2010,"level":"information","time":"2023-06-21T08:37:21Z","message":"45539421c3ac"`},
		{"an event as text and as XML", "Log Name:      System\nSource:        Microsoft-Windows-Hyper-V-VmSwitch\nDate:          01.08.2019 8:32:36\nEvent ID:      233\nLevel:         Information\nComputer:      nc\nDescription:\nThe operation 'Delete' succeeded on nic A0.\nEvent Xml:\n<Event xmlns=\"http://schemas.microsoft.com/win/2004/08/events/event\">\n  <System>\n    <Provider Name=\"Microsoft-Windows-Hyper-V-VmSwitch\" />\n    <EventID>233</EventID>\n    <TimeCreated SystemTime=\"2019-08-01T05:32:36.9Z\" />\n  </System>\n  <EventData>\n    <Data Name=\"NicNameLen\">36</Data>\n  </EventData>\n</Event>\n",
			"events.json", `[{"log":"System","provider":"Microsoft-Windows-Hyper-V-VmSwitch","id":233,"level":"information","time":"2019-08-01T05:32:36Z","message":"The operation 'Delete' succeeded on nic A0."}]`},
		{"CSV of a German Event Viewer", "Ebene,Datum und Uhrzeit,Quelle,Ereignis-ID,Aufgabenkategorie\nFehler,27.10.2021 12:28:26,Microsoft-Windows-PrintService,808,Initialisierung,\"Fehler beim Laden, Fehlercode 0x7E.\"\n",
			"events.json", `"id":808,"level":"error","time":"2021-10-27T12:28:26Z"`},
		{"an event that promtail shows, and that breaks off", "level=info ts=2021-09-09T13:39:06.8501032Z caller=server.go:239 msg=\"server listening\"\n2021-09-09T15:39:06.8527463+0200{channel=\"System\"}{\"source\":\"Service Control Manager\",\"channel\":\"System\",\"event_id\":7036,\"level\":4,\"timeCreated\":\"2021-09-09T13:22:48.5Z\",\"user_data\":\"Network Setup Service runn",
			"events.json", `"provider":"Service Control Manager","id":7036`},
		{"letters that lie apart", " S e t   p a r a m e t e r   \" T y p e \"   f o r   s e r v i c e   \" K u b e p r o x y \" .\nerror\n", "logs/other/a", `Set parameter "Type" for service "Kubeproxy".`},
		{"a table that the edge of a console broke", "Events:\n  Type     Reason                  Age               From                   Mess\nage\n  ----     ------                  ----              ----                   ----\n---\n  Normal   Scheduled               2m                default-scheduler      Succ\nessfully assigned default/powerflowserver-f8d7887f9-9rsf4 to 26207k8s9000\n  Warning  FailedCreatePodSandBox  2m                kubelet, 26207k8s9000  Fail\ned create pod sandbox: rpc error: code = Unknown desc = [failed to set up sandbo\nx container \"5cc13\"]\n", // kubernetes/kubernetes issue 69165
			"api/events.json", "Failed create pod sandbox: rpc error: code = Unknown desc = [failed to set up sandbox container"},
		{"a log with what grep puts in front", "containerd.err-20220809T161122.479.log:20084:time=\"2022-08-09T16:10:18.5Z\" level=error msg=\"CreateContainer within sandbox\"\nm=+0.004813101\n", "logs/containerd/a", "\ntime=\"2022"[1:]},
		{"a log that PowerShell calls an error", ".\\kubelet : F0611 19:57:18.295485    5556 server.go:215] [invalid configuration: CgroupsPerQOS (--cgroups-per-qos) true is not supported on \nWindows]\nAt line:1 char:1\n", "logs/kubelet/a", "is not supported on Windows]\n"},
		{"a log in the log of k0s", `time="2024-01-31 14:52:57" level=info msg="E0131 14:52:57.936439    8516 remote_runtime.go:193] \"RunPodSandbox failed\"" component=kubelet.exe` + "\n", "logs/kubelet/a", `remote_runtime.go:193] "RunPodSandbox failed"`},
		{"a log of Open vSwitch", "2020-12-07T22:51:05.016Z|00005|dpif_netlink|INFO|The kernel module does not support meters.\n", "logs/ovs/a", "meters"},
		{"the output of kube-proxy's script", "Running kub-proxy service.\nGet-Content : Cannot find path 'C:\\x' because it does not exist.\n", "logs/kube-proxy/a", "Cannot find"},
		{"logs of two components, each in a fence", "```\n2023-11-07 06:49:53.027 [INFO][3488] felix/win_dataplane.go 307: Applying dataplane updates\n```\n```\nI1107 06:45:21.073167    3112 proxier.go:1507] \"created\"\n```\n", "logs/kube-proxy/a", "I1107"},
		{"the head of a log of klog", "Log file created at: 2020/05/12 12:10:28\nRunning on machine: w1\nBinary: Built with gc go1.13.9 for windows/amd64\nE0512 12:10:36.131945    6984 kubelet.go:1845] PLEG is not healthy\n", "meta.json", `"node":"w1","collectedAt":"2020-05-12T12:10:36Z"`},
		{"the offsets of w32tm", "PS C:\\> w32tm /stripchart /computer:pool.ntp.org\n14:20:21, +00.0042825s\n", "time.json", "shows +00.0042825s"},
		{"the loader without a hypervisor", "Windows Boot Loader\n-------------------\nidentifier              {current}\nnx                      OptIn\n", "features.json", "bcdedit shows nx OptIn"},
		{"a script and its prompt", "PS C:\\k> .\\start.ps1 -ManagementIP eth0 -NetworkMode overlay\nCreating Kubernetes directories\n", "logs/other/a", "-ManagementIP eth0"},
		{"userdata", "<powershell>\n[string]$EKSBinDir = \"$env:ProgramFiles\\Amazon\\EKS\"\n</powershell>\n", "logs/other/a", "EKSBinDir"},
		{"a script with the numbers of its lines", "1\t$KubeDnsServiceIp=\"11.0.0.10\"\n2\t$serviceCIDR=\"11.0.0.0/8\"\n", "logs/other/a", "\n$serviceCIDR"},
		{"an answer of a cloud that says nothing", "a@b:~$ az vm run-command invoke --scripts 'telnet 10.0.4.9 8080'\n{\n\"value\": [\n{\n\"code\": \"ComponentStatus/StdOut/succeeded\",\n\"message\": \"\"\n}\n]\n", "logs/other/a", "telnet 10.0.4.9 8080"},
		{"what no reader takes can be searched", "PS C:\\> Get-Disk\n\nNumber Friendly Name    HealthStatus\n" +
			"------ -------------    ------------\n0      Virtual Disk     Healthy\n", "logs/other/a", "Virtual Disk"},
		{"a table of PowerShell that nothing reads", "PS C:\\> Get-Disk -Number 7 | Get-Partition\n\nPartitionNumber  DriveLetter Offset    Size Type\n---------------  ----------- ------    ---- ----\n1                            17408 15.98 MB Reserved\n", // aws-ebs-csi-driver issue 1001
			"env.json", "Get-Partition shows 1 17408 15.98 MB Reserved; that"},
		{"a list of PowerShell that nothing reads", "Id          : 583CC151\nName        : Open vSwitch Extension\nVendor      :\nEnabled     : False\n\nId          : E7C3B2F0\nName        : Filter\nEnabled     : True\n", // ovn-kubernetes issue 287
			"env.json", "shows Id 583CC151, Name Open vSwitch Extension, Enabled False, Id E7C3B2F0, Name Filter, Enabled True; that"},
		{"tables with heads in capitals", "PS C:\\containerd> bin/ctr.exe -n k8s.io task metrics $ID\nID        TIMESTAMP\nfd0db6ce  2021-10-26 08:25:42\n\nMETRIC                 VALUE\nuptime_ns              78984735400\nmemory.commit_bytes    25169920\n", // containerd pull request 6159
			"env.json", "ctr shows fd0db6ce 2021-10-26 08:25:42, uptime_ns 78984735400, memory.commit_bytes 25169920; that"},
		{"a table with bars", "IPv4 BGP status\n+--------------+-------------------+-------+-------------+\n| PEER ADDRESS |     PEER TYPE     | STATE |    INFO     |\n+--------------+-------------------+-------+-------------+\n" + // calico issue 4595
			"| 10.0.0.21    | node-to-node mesh | up    | Established |\n+--------------+-------------------+-------+-------------+\n", "env.json", "shows 10.0.0.21 node-to-node mesh up Established; that"},
		{"rows in capitals belong to the table around them", "Name                           Value\n----                           -----\nCOMPUTERNAME                   WIN-1\n", "env-part.json", `{"COMPUTERNAME":"WIN-1"}`},
		{"what a container shows", "kubectl exec memtest -- tasklist\n\nImage Name                     PID Session Name        Session#    Mem Usage\n========================= ======== ================ =========== ============\nlsass.exe                     7676 Services                  15     26,676 K\n",
			"env.json", "kubectl exec memtest -- tasklist shows lsass.exe 7676 Services 15 26,676 K; that"},
		{"a container that nerdctl shows", "CONTAINER ID    IMAGE             CREATED          STATUS                               PORTS    NAMES\n369992f8d96f    nano:ltsc2025     5 seconds ago    Exited (3221225786) 2 seconds ago             nanoserver-36999\n",
			"env.json", "Exited (3221225786) 2 seconds ago nanoserver-36999"},
		{"values of JSON that nothing reads", `{"value":[{"code":"ComponentStatus/StdOut/succeeded","displayStatus":"Provisioning succeeded","level":"Info","message":"one\nTwo : failed\n`, // AgentBaker pull request 2441
			"env.json", "JSON shows code ComponentStatus/StdOut/succeeded, displayStatus Provisioning succeeded, level Info"},
		{"docker inspect that breaks off", `[{"Id":"f71c8434","State":{"Status":"exited","Running":false,"ExitCode":3221226219,"Error":"","StartedAt":"a","FinishedAt":"b"},"Name":"/k8s_POD_web_default_3e5_118","RestartCount":0,"Driver":"wind`, // ovn-kubernetes issue 641
			"cri.json", "inspect shows k8s_POD_web_default_3e5_118 Exited (3221226219) a to b; that"},
		{"the list of images of AKS", `{"sku":"2022-containerd","imageBom":[{"id":"sha256:81b9","repoTags":["mcr.microsoft.com/oss/kubernetes/pause:3.9"],"repoDigests":[]}]}`, "cri.json", `"repoTags":["mcr.microsoft.com/oss/kubernetes/pause:3.9"]`},
		{"nodeInfo alone", "    nodeInfo:\n      kernelVersion: 10.0.14393\n      kubeletVersion: v1.9.0\n      operatingSystem: windows\n", "api/node-part.json", `"nodeInfo":{"kernelVersion":"10.0.14393"`},
		{"nodeInfo in JSON", "        \"nodeInfo\": {\n            \"kernelVersion\": \"10.0.20348.1906\",\n            \"kubeletVersion\": \"v1.26.6\",\n            \"operatingSystem\": \"windows\"\n        },\n", "api/node-part.json", `"kernelVersion":"10.0.20348.1906"`},
		{"nodeInfo of Linux", "nodeInfo:\n  kernelVersion: 5.4.0\n  kubeletVersion: v1.9.0\n  operatingSystem: linux\n", "api/node.json", "none of the files shows"},
		{"parts of two nodes", "nodeInfo:\n  kubeletVersion: v1.9.0\n  operatingSystem: windows\n---\nnodeInfo:\n  kubeletVersion: v1.9.1\n  operatingSystem: windows\n", "api/node.json", "none of the files shows"},
		{"conditions and what follows them", "  - lastHeartbeatTime: \"2021-09-09T15:22:03Z\"\n    reason: KubeletNotReady\n    status: \"False\"\n    type: Ready\n  nodeInfo:\n    kubeletVersion: v1.21.4\n", "api/node-part.json",
			`"conditions":[{"lastHeartbeatTime":"2021-09-09T15:22:03Z","reason":"KubeletNotReady","status":"False","type":"Ready"}],"nodeInfo"`},
		{"states of containers are no list of pods", "    containerStatuses:\n    - name: main\n      restartCount: 3\n      state:\n        terminated:\n          exitCode: 2\n          reason: Error\n", "api/pods.json",
			"a part of a Pod shows container main, 3 restarts, terminated Error (exit code 2); that"},
		{"the data of a ConfigMap", "  net-conf.json: |\n    {\n      \"Network\": \"10.244.0.0/16\",\n      \"Backend\": {\"Type\": \"vxlan\", \"VNI\": 4096, \"Port\": 4789}\n    }\n", // kubernetes issue 78582
			"api/configmaps.json", `"metadata":{"name":"(not shown)"}`},
		{"ipconfig that begins within an adapter", "   DHCP 已启用 . . . . . . . . . . . : 否\n   IPv4 地址 . . . . . . . . . . . . : 10.1.36.50(首选)\n   子网掩码  . . . . . . . . . . . . : 255.255.255.0\n\n以太网适配器 vEthernet (nat):\n\n   IPv4 地址 . . . . . . . . . . . . : 172.28.0.1(首选)\n   子网掩码  . . . . . . . . . . . . : 255.255.240.0\n", // microsoft/SDN issue 377
			"adapters.json", "ipconfig without its beginning shows (not shown) 10.1.36.50/24, vEthernet (nat) 172.28.0.1/20; that"},
		{"a virtual machine of hcsdiag", "363319e093c7a688d8d18ad17f5d384e60cb805ba7bf128ea93f0613af5483e9@vm\n    VM,                         Running, C2C42EC1-5040-5D0A-AC86-F4BACF6B75CB, containerd-shim-runhcs-v1.exe\n", // containerd pull request 6901
			"compute.json", `{"id":"363319e093c7a688d8d18ad17f5d384e60cb805ba7bf128ea93f0613af5483e9","type":"VirtualMachine","state":"Running"`},
		{"networks of endpoints of hnsdiag", "Endpoints:\nName             ID                                   Virtual Network Name\nsonobuoy-8b946a  9610568d-0778-413d-9075-c67709812bfc antrea-hnsnetwork\n", "hns-endpoints.json", "shows sonobuoy-8b946a antrea-hnsnetwork"},
		{"the end of a description with empty lines", "System Info:\n\n Machine ID:      WIN-R76R0A6EDBE\n\n Kernel Version:  10.0.17763.253\n\n Kubelet Version:            v1.12.5\n", // Virtualization-Documentation issue 984
			"api/node.json", "shows (not shown), 10.0.17763.253, v1.12.5"},
		{"a log of JSON lines", strings.Repeat("{\"ts\": 1659531000000.5, \"caller\": \"kubelet/kubelet.go:2373\", \"msg\": \"Container runtime network not ready\"}\n", 2), "logs/kubelet/a", "not ready"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"a": row.content}))
			if got := written(tree, row.evidence); !strings.Contains(got, row.want) {
				t.Errorf("%s is\n%s\nwant\n%s", row.evidence, got, row.want)
			}
		})
	}
}

func TestWhatIsNotOfTheNodeIsNoPart(t *testing.T) {
	_, tree := looseTree(t, loose(map[string]string{"a": somePods}))
	if got := written(tree, "api/pods-part.json"); strings.Contains(got, "4m8dw") {
		t.Errorf("a pod of any node is evidence of this one: %s", got)
	}
	const inPod = "PS C:\\> ctr run --cni --rm nanoserver:ltsc2022 test ipconfig\n\nWindows IP Configuration\n\n\n" +
		"Ethernet adapter vEthernet (default-test_nat):\n\n   IPv4 Address. . . . . . . . . . . : 172.20.88.200\n" +
		"   Subnet Mask . . . . . . . . . . . : 255.255.240.0\n" // microsoft/Windows-Containers issue 210
	for what, text := range map[string]string{ // sig-windows-tools issue 340, microsoft/nav-docker issue 292
		"adapters.json": "PS C:\\> ipconfig /all\n\nWindows IP Configuration\n\n   Host Name . . . . . . . . . . . . : my-pod\n\nEthernet adapter vEthernet (d804a0f1ccc4bceb0754f85022a8a16fb9db520b948689f7a4d9ba4b26c44082_flannel.4096):\n\n   IPv4 Address. . . . . . . . . . . : 10.244.11.7\n",
		"os.json":       "PS C:\\> docker run -ti --rm mcr.microsoft.com/windows/servercore:1809 powershell\nPS C:\\> whoami\nuser manager\\containeradministrator\nPS C:\\> Get-ComputerInfo\n\nWindowsBuildLabEx       : 17763.1.amd64fre.rs5_release.180914-1434\nWindowsEditionId        : ServerDatacenterACor\n",
	} {
		_, tree = looseTree(t, loose(map[string]string{"a": text}))
		if got := written(tree, what); !strings.Contains(got, "none of the files shows") || !strings.Contains(written(tree, "logs/other/a"), "PS C:") && what == "os.json" {
			t.Errorf("what a container shows is of the node: %s", got)
		}
	}
	const placeholder = "DNS Servers . . . . . . . . . . . : fec0:0:0:ffff::1%1\n"
	for _, row := range []struct {
		name, text string
		inPod      bool
	}{
		{"OVN names the adapter by the pod", "C:\\>ipconfig /all\n\nWindows IP Configuration\n\n   Host Name . . . . . . . . . . . . : rtx-6cbd744ddf-vf26b\n\nEthernet adapter vEthernet (default_rtx-6cbd744ddf-vf26b):\n\n   " + placeholder, true}, // ovn-kubernetes issue 655
		{"ran by kubectl", "$ kubectl exec -n a win-busybox -- ipconfig /all\n\nWindows IP Configuration\n\nEthernet adapter vEthernet (a):\n\n   " + placeholder, true},
		{"the host", "C:\\>ipconfig /all\n\nWindows IP Configuration\n\n   Host Name . . . . . . . . . . . . : win-1\n\nEthernet adapter vEthernet (nat):\n\n   " + placeholder, false},
	} {
		_, tree = looseTree(t, loose(map[string]string{"a": row.text}))
		if got := written(tree, "logs/pod-ipconfig/a"); strings.Contains(got, strings.TrimSpace(placeholder)) != row.inPod ||
			row.inPod && !strings.Contains(written(tree, "adapters.json"), "none of the files shows") {
			t.Errorf("%s: the adapters of the pod are %q", row.name, got)
		}
	}
	_, tree = looseTree(t, loose(map[string]string{"a": "ComputerName           : 10.0.0.10\nRemoteAddress          : 10.0.0.10\nRemotePort             : 80\nInterfaceAlias         : vEthernet (9fcd829dc8aee649e5d3a0c5800ed17156c2dd4dd65bd308bc5db9ae1a723412_l2bridge)\nSourceAddress          : 10.244.2.195\nTcpTestSucceeded       : False\n"}))
	if got := written(tree, "probes/reach.json"); !strings.Contains(got, `"from":"unknown/10.244.2.195"`) { // Azure/acs-engine issue 1903
		t.Errorf("a connection from a pod is one from the node: %s", got)
	}
	for _, name := range []string{"minwinpc", "5f0b4a6ab1c1"} { // containerd/nerdctl issue 28
		_, tree = looseTree(t, loose(map[string]string{"a": "\nWindows IP Configuration\n\n   Host Name . . . . . . . . . . . . : " + name + inPod[strings.Index(inPod, "\n\n\nEthernet"):]}))
		if got := written(tree, "adapters.json") + written(tree, "meta.json"); !strings.Contains(got, "none of the files shows") || strings.Contains(got, name+`"`) {
			t.Errorf("the container %s is a node: %s", name, got)
		}
	}
	_, tree = looseTree(t, loose(map[string]string{"a": inPod}))
	if got := written(tree, "adapters.json"); !strings.Contains(got, "none of the files shows") {
		t.Errorf("the addresses of a container are those of the node: %s", got)
	}
}

func TestAServiceIsStoppedBeforeItsFirstStart(t *testing.T) {
	const table = "\n\nStatus   Name               DisplayName\n------   ----               -----------\n" +
		"Stopped  kubelet            kubelet\n\n"
	for _, row := range []struct {
		name, text string
		stopped    bool
	}{
		{"created by a command", "PS C:\\k> New-Service -Name kubelet -BinaryPathName C:\\k\\kubelet.exe" + table, false},
		{"created by a script", "PS C:\\k> .\\join.ps1\nCreate a service for [kubelet]" + table +
			"Successfully created the service\n", false},
		{"registered by the script of EKS", "Registering kublet and kube-proxy services..." + table, false},
		{"created, and asked for later", "PS C:\\k> New-Service -Name kubelet -BinaryPathName C:\\k\\kubelet.exe" + table +
			"PS C:\\k> Get-Service kubelet" + table, true},
		{"asked for", "PS C:\\k> Get-Service kubelet" + table, true},
	} {
		_, tree := looseTree(t, loose(map[string]string{"a": row.text}))
		if got := strings.Contains(written(tree, "services-part.json"), "stopped"); got != row.stopped {
			t.Errorf("a service that is %s: its state is read: %t", row.name, got)
		}
	}
}

// TestAnErrorOfPowerShellIsNoPartOfAnOutput: https://github.com/antrea-io/antrea, Clean-AntreaNetwork.ps1
func TestAnErrorOfPowerShellIsNoPartOfAnOutput(t *testing.T) {
	const failed = "Start-Service : Service 'ovsdb-server (ovsdb-server)' cannot be started due to the following error: Cannot start service ovsdb-server on computer '.'."
	_, tree := looseTree(t, loose(map[string]string{"a": "[SC] CreateService SUCCESS\n[SC] ChangeServiceConfig2 SUCCESS\n" + failed +
		"\nAt C:\\k\\antrea\\Clean-AntreaNetwork.ps1:80 char:5\n+     Start-Service ovsdb-server\n+     ~~~~~~~~~~~~~~~~~~~~~~~~~~\n" +
		"    + CategoryInfo          : OpenError: (System.ServiceProcess.ServiceController:ServiceController) [Start-Service], ServiceCommandException\n"}))
	if got := written(tree, "logs/other/a"); !strings.Contains(got, failed) {
		t.Errorf("the log has\n%s\nand lacks the error", got)
	}
}
