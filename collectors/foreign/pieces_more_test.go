package foreign

import (
	"encoding/json"
	"io/fs"
	"net/netip"
	"path"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

func TestOutputsOfToolsAreReadAlone(t *testing.T) {
	for _, row := range []struct{ name, file, content, evidence, want string }{
		{"HNS networks as PowerShell's list", "a", hnsNetworkList, "hns-networks.json",
			`"Subnets":"@{AddressPrefix=100.244.206.64/26;GatewayAddress=100.244.206.65;Policies=System.Object[]}"`},
		{"a wrapped value goes on", "a", hnsNetworkList, "hns-networks.json",
			`Name=MicrosoftWindowsFilteringPlatform}@{Id=E9B59CFA`},
		{"a list that breaks off is not the whole", "a", hnsPolicyLists, "hns-loadbalancers.json",
			"which breaks off, shows D680D0E7-185B-46A7-B097-37A8B439F588, F4F6A3DB"},
		{"one object that was asked for", "a", "PS C:\\> Get-HnsNetwork -Name Calico\n" +
			strings.TrimPrefix(hnsNetworkList, "PS C:\\> Get-HNSNetwork\n"), "hns-networks.json",
			"may be some of them, shows Calico Overlay"},
		{"a list at the end of hnsdiag may go on", "a", "> " + strings.ReplaceAll(
			"Networks:\nName ID\nnat F413E630-CC75-4B89-9ED4-FCD57324153B\n\nNamespaces:\nID | Endpoint IDs\n",
			"\n", "\n> "), "hns-namespaces.json", "none of the files shows the HNS namespaces"},
		{"docker info", "a", dockerInfo, "cri.json", `"runtimeVersion":"18.09.7"`},
		{"the Windows of docker info", "a", dockerInfo, "os.json",
			`"productName":"Windows10Enterprise","displayVersion":"1809","build":17763,"ubr":107,"installationType":"Client"`},
		{"docker images", "a", "REPOSITORY   TAG    IMAGE ID   CREATED   SIZE\nwindowsml    v1     a9d5d08d0  5 days    319MB\n",
			"cri.json", `"repoTags":["windowsml:v1"]`},
		{"systeminfo in Japanese", "a", japaneseSysteminfo, "os.json", `"build":19045`},
		{"systeminfo of a CI runner", "a", "2020-07-11T04:17:22.2787153Z " + strings.ReplaceAll(
			"\nHost Name:                 fv-az50\nOS Name:                   Microsoft Windows Server 2019 Datacenter\nOS Version:                10.0.17763 N/A Build 17763",
			"\n", "\n2020-07-11T04:17:22.2787153Z "), "os.json", `"build":17763`},
		{"ver", "a", "Microsoft Windows [Version 10.0.17763.1098]\n", "os.json", `"build":17763,"ubr":1098`},
		{"indented routes in German", "a", germanRoutes, "routes.json", `"destination":"10.0.0.0/8"`},
		{"netstat with programs", "a", netstatPrograms, "ports.json",
			`{"listeners":[{"protocol":"tcp","address":"0.0.0.0","port":135,"process":"svchost.exe"},{"protocol":"udp","address":"::","port":5353}]}`},
		{"a table of events", "a", eventTableOfWindows, "events.json",
			`"id":220,"level":"information","time":"2023-12-24T09:39:33Z","message":"Statuschange(NicConnected)senttoNic"`},
		{"events that somebody chose acquit nobody", "a", eventTableOfWindows, "logs.json",
			"the output shows some of the events"},
		{"events of wevtutil", "a", wevtutilText, "events.json", `"id":7031,"level":"error","time":"2024-05-20T09:12:11Z"`},
		{"adapters without their addresses", "a", adapterTable, "adapters.json",
			"vEthernet (Ethernet) Up 00-15-5D-63-74-E3, 以太网 Up 42-01-0A-8A-00-05"},
		{"crictl info that breaks off", "a", crictlInfoCut, "cri.json", `"NetworkPluginNotReady"`},
		{"a described node that breaks off", "a", describedNodeCut, "api/node.json",
			"a description without its beginning or end shows win-1, Ready False"},
		{"a described node that breaks off has a name", "a", describedNodeCut, "meta.json", `"node":"win-1"`},
		{"one service", "a", "SERVICE_NAME: kubelet\n        TYPE               : 10  WIN32_OWN_PROCESS\n        STATE              : 4  RUNNING\n        WIN32_EXIT_CODE    : 0  (0x0)\n",
			"services.json", "shows kubelet running"},
		{"a service of nssm", "a", `C:\k\nssm.exe set kubelet AppDirectory C:\k` + "\n", "services.json",
			`of kubelet AppDirectory C:\k`},
		{"rows of events with their heads", "a", "Events:\n  Type     Reason     Age   From      Message\n  ----     ------     ----  ----      -------\n  Warning  FailedCreatePodSandBox  2m  kubelet, w1  Failed create pod sandbox\n",
			"api/events.json", "FailedCreatePodSandBox"},
		{"an error below an output is no part of it", "a",
			"Server Version: v1.21.2\n\n  Failed to create pod sandbox: no route\n", "logs/other/a",
			"no route"},
		{"an answer of a cloud, with its message on lines of its own", "a",
			`{"value":[{"code":"StdOut","message":"At C:\\a.ps1:78\r\nUnexpected token\r\nGet-Content : Cannot find path"}]}`,
			"logs/other/a", "\nGet-Content : Cannot find path"},
		{"a line of a log between backticks", "a",
			"Nodes become not ready, the error is:\n`E0105 01:07:37.904277    4812 kubelet.go:1765] skipping pod synchronization - PLEG is not healthy`\n",
			"logs/kubelet/a", "E0105 01:07:37.904277    4812 kubelet.go:1765]"},
		{"a row of events between backticks", "a",
			"All pods fail, the error was\n`Warning  FailedCreatePodSandBox  59m                 kubelet, 3831k8s001  Failed create pod sandbox`\n",
			"api/events.json", "FailedCreatePodSandBox"},
		{"an error below a file of settings is no part of it", "a",
			"Our configuration:\n\n[plugins.cri]\n  sandbox_image = \"pause:3.2\"\nOur pods fail with\nFailed to create pod sandbox: no route\n",
			"logs/other/a", "no route"},
		{"an error behind the signs of a heading", "a",
			"## Failed to create pod sandbox: no route\nI have no idea.\n", "logs/other/a", "no route"},
		{"an error that prose beside a block quotes", "a",
			"We see `failed to create pod sandbox: no route` here:\n```\nServer Version: v1.21.2\n```\n",
			"logs/other/a", "no route"},
		{"the report says what was read", "a", dockerInfo, "meta.json", `"source":"pieces: docker info"`},
		{"no container", "a", "PS C:\\> docker ps\nCONTAINER ID        IMAGE               COMMAND             CREATED             STATUS\n",
			"cri.json", "the list of containers shows no row"},
		{"ranges in Chinese", "a", "协议 tcp 端口排除范围\n\n开始端口    结束端口\n----------    --------\n      1027        1126\n",
			"ports.json", `"start":1027,"end":1126`},
		{"the dynamic range in German", "a", "Protokoll tcp - Dynamischer Portbereich\n---------------------------------\nStartport       : 49152\nAnzahl Ports    : 16384\n",
			"ports.json", `{"dynamic":{"tcp":{"start":49152,"count":16384}}}`},
		{"properties that somebody chose", "a", "PS C:\\> Get-HnsNetwork | select Name, Type\n\nName     Type\n----     ----\nnat      nat\n",
			"hns-networks.json", "which shows some of their properties, shows nat nat"},
		{"HNS networks as JSON that breaks off", "a", `[` + overlayNetwork + `,{"ActivityId":"B","ID":`,
			"hns-networks.json", "JSON that breaks off shows flannel.4096"},
		{"one endpoint as JSON that breaks off", "a", "Get-HNSEndpoint |? ipaddress -eq 10.1.18.67 | ConvertTo-Json -Depth 5\n" +
			`{"ActivityId":"CF68487D","EncapOverhead":50,"GatewayAddress":"10.1.18.65","ID":"89958F54","IPAddress":"10.1.18.67","MacAddress":"0E-2A-0a-01-12-43","Name":"0dd_Calico","Policies":[{"ExceptionList":["10.1.0.0/16"],"Type":"OutBoundNAT"},{"Destin`,
			"hns-endpoints-part.json", `"ExceptionList":["10.1.0.0/16"]`},
		{"a value of PowerShell's list that breaks off", "a", hnsNetworkList[:strings.Index(hnsNetworkList, "Address=100.244.206.65")],
			"hns-networks-part.json", `AddressPrefix=100.244.206.64/26}`},
		{"an endpoint that breaks off in its last value", "a", "ActivityId         : 9b63aa27-a6d2-4ea0-bb30-3da5f4f913e0\nID                 : 20c707a8-ac6d-4acb-aef8-8707781a4396\nIPAddress          : 10.244.0.4\nMacAddress         : 00:11:22:33:44:55\nName               : Ethernet\nState              : 1\nType               : l2bridge\nVersion            : 21474836481\nVirtualNetwork     : e8d2c084-7392-475c-a28c",
			"hns-endpoints.json", "which breaks off, shows Ethernet 10.244.0.4"},
		{"a path in JSON that is no whole document", "a", `{"Source":"c:\\var\\run\\x","Error":"failed"` + "\n",
			"logs/other/a", `c:\\var\\run\\x`},
		{"a line of a container's log that breaks off", "a", `{"log":"[2020/07/31 01:14:23] [ info] [filter:kubernetes.1] Wait 30 secs until DNS`,
			"logs/other/a", "[2020/07/31 01:14:23] [ info] [filter:kubernetes.1] Wait 30 secs until DNS…"},
		{"what a file shows that breaks off", "a.conflist", `{"cniVersion":"0.3.0","plugins":[{"type":"azure-vnet","ipam":{"type":"azure-cns","mo`,
			"files.json", `a file that breaks off shows {"cniVersion":"0.3.0","plugins":[{"type":"azure-vnet","ipam":{"type":"azure-cns"}}]}`},
		{"what a file of settings shows that breaks off", "a.toml", "root = \"C:\\\\r\"\n[plugins]\n  [plugins.cri]\n    sandbox_image = \"pause:1.4.1\"\n    Debug",
			"files.json", `sandbox_image = "pause:1.4.1"; that is`},
		{"a sandbox of crictl inspectp", "a", `{"status":{"id":"3f","metadata":{"name":"win-web","namespace":"default"},"state":"SANDBOX_READY"},"info":{}}`,
			"cri.json", "default win-web SANDBOX_READY"},
		{"the answer of nssm get", "a", "PS C:\\k> nssm get kubelet AppParameters\nC:\\k\\start-kubelet.ps1 --v=4\n",
			"services.json", `of kubelet AppParameters C:\k\start-kubelet.ps1 --v=4`},
		{"networks of docker", "a", "NETWORK ID     NAME      DRIVER    SCOPE\n9b1b5c7ac3f1   nat       nat       local\n",
			"hns-networks.json", "docker network ls shows 9b1b5c7ac3f1 nat nat local"},
		{"pods as a table", "a", "NAME   READY   STATUS             RESTARTS   AGE\nwin    0/1     CrashLoopBackOff   5          1h\n",
			"api/pods.json", "win 0/1 CrashLoopBackOff"},
		{"how often an event came", "a", "NAMESPACE   LAST SEEN   TYPE      REASON        OBJECT    SUBOBJECT   SOURCE         MESSAGE          FIRST SEEN   COUNT   NAME\n" +
			"default     5m          Warning   FailedMount   pod/web               kubelet, w1    no such volume   1h           7       web.17\n",
			"api/events.json", `"count":7`},
		{"no update is named", "a", "Microsoft Windows [Version 10.0.17763.1098]\n", "hotfixes.json", "none of the files shows"},
		{"a line that any component could have written follows one of the kubelet", "a",
			"Server Version: v1.21.2\n\nI0105 01:07:37.904277    4812 kubelet.go:1765] first\nI0105 01:07:38.904277    4812 server.go:1] second\n",
			"logs/kubelet/a", "second"},
		{"events of the node stand beside those of its pods", "a.json",
			`{"kind":"List","apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"x"},"spec":{"nodeName":"win-1","os":{"name":"windows"}},"status":{"phase":"Running"}},` +
				`{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"type":"Warning","reason":"NodeNotReady","message":"m","involvedObject":{"kind":"Node","name":"win-1"}}]}`,
			"api/events.json", "NodeNotReady"},
		{"the version of the API server", "a", "Client Version: v1.29.0\nServer Version: v1.28.5\n",
			"api/version.json", `{"gitVersion":"v1.28.5"}`},
		{"netsh's subinterfaces", "a", subinterfaces, evidence.PartOf("adapters.json"),
			`"mtu":1460`},
		{"netsh's subinterfaces in a container are not the node's", "a",
			"PS C:\\> docker exec default-container-network cmd.exe '/c netsh interface ipv4 show subinterfaces'\n\n" +
				strings.SplitN(subinterfaces, "\n", 2)[1], "adapters.json", "none of the files shows"},
		{"w32tm without its service", "a",
			"$ w32tm /query /status\nThe following error occurred: The service has not been started. (0x80070426)\n",
			"time.json", `{"service":"stopped"}`},
		{"a feature that needs a reboot", "a", installedFeature, "pending-reboot.json", `"pending":true`},
		{"a reboot that was done", "a", installedFeature + "PS C:\\> Restart-Computer -Force\n",
			"pending-reboot.json", "none of the files shows"},
		{"columns of HNS endpoints are no features", "a", endpointColumns, "hns-endpoints.json",
			"shows 91a0ccd3034a15de35d735ddd6345d4fc5b525023f1f34fce2054ab395ac38ee_Calico 3"},
		{"columns of HNS endpoints are no features", "a", endpointColumns, "features.json", "none of the files shows"},
		{"the shell of a pod is not the node's", "a",
			"$ kubectl exec -it web -- powershell\nPS C:\\> ipconfig\n" + ipEnglish, "adapters.json", "none of the files shows"},
		{"a pod's description that breaks off", "a", describedPodText[:strings.Index(describedPodText, "    State:")],
			"api/pods.json", "a description without its beginning or end shows"},
		{"ranges without the dynamic one", "a", "Protocol tcp Port Exclusion Ranges\n\nStart Port    End Port\n----------    --------\n        80          80\n",
			"ports.json", `{"excluded":[{"protocol":"tcp","start":80,"end":80}]}`},
	} {
		_, tree := looseTree(t, loose(map[string]string{row.file: row.content}))
		if got := written(tree, row.evidence); !strings.Contains(strings.ReplaceAll(got, " ", ""),
			strings.ReplaceAll(row.want, " ", "")) {
			t.Errorf("%s: %s is\n%s\nwant in it\n%s", row.name, row.evidence, got, row.want)
		}
		if _, err := evidence.Load(tree); err != nil {
			t.Error(err)
		}
	}
}

func TestLogsAreOfTheProgramThatWroteThem(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"antrea-agent has a proxier too", "I1208 17:35:59.806388    7832 proxier.go:388] x\nI1208 17:35:59.806388    7832 proxier.go:389] x\n" +
			"I1208 17:35:59.806388    7832 node_route_controller.go:1] x\n", "antrea"},
		{"hybrid-overlay-node has a kube.go, as flanneld has", "I0821 09:05:51.330113    3376 kube.go:374] Waiting for certificate\n" +
			"I0821 09:06:01.930113    3376 ho_node_windows.go:156] Network created. Repopulating routes\n", "hybrid-overlay"},
		{"flags of kube-proxy name flannel's network", "I0409 13:33:53.461032    3560 flags.go:59] FLAG: --network-name=\"flannel.4096\"\n",
			"kube-proxy"},
		{"flags of the kubelet", "I0821 22:17:41.401015     884 flags.go:27] FLAG: --register-node=\"true\"\n", "kubelet"},
		{"flags of either", "I0821 22:17:41.401015     884 flags.go:27] FLAG: --v=\"6\"\n", "other"},
		{"the agent of RKE2", "time=\"2021-08-02T22:44:02Z\" level=error msg=\"Calico exited: <nil>\"\n", "rke2"},
		{"rancher-wins", "time=\"2022-05-06T20:59:38Z\" level=info msg=\"listening for tcp requests on rancher_wins_proxy\"\n", "rancher-wins"},
		{"dockerd", "time=\"2017-02-08T12:00:36.33+13:00\" level=info msg=\"Windows default isolation mode: hyperv\"\n", "docker"},
		{"windows_exporter", "time=2025-05-07T12:33:46.611Z level=DEBUG source=collect.go:220 msg=\"collector cpu succeeded after 6ms\"\n", "windows-exporter"},
		{"a plugin of nobody knows whom", "time=\"2019-01-17T06:20:42-08:00\" level=info msg=\"Creating HNS endpoint\"\n", "other"},
		{"containerd", containerdLines, "containerd"},
		{"azure-vnet", "2021/05/12 02:19:52 [1356] [net] Deleting hcn endpoint with id: d3f5213b\n", "cni"},
		{"azure-vnet of 2018", "2018/07/09 12:04:33 [cni-net] Plugin started.\n", "cni"},
		{"kubeadm join", "[preflight] Running pre-flight checks\nerror execution phase preflight: couldn't validate the identity of the API Server\n", "kubeadm"},
		{"what follows kubectl logs", "$ kubectl logs kube-flannel-ds-windows-amd64-bf4bc -n kube-flannel -f\nCopying SDN CNI binaries to host\n", "flanneld"},
	} {
		_, tree := looseTree(t, loose(map[string]string{"a.txt": row.content}))
		if got := written(tree, "logs/"+row.want+"/a.txt"); got == "" {
			t.Errorf("%s: not in logs/%s", row.name, row.want)
		}
	}
}

func TestConfigurationFilesGetTheirPlaces(t *testing.T) {
	for _, row := range []struct{ name, file, content, want string }{
		{"a list of CNI plugins", "10-azure.conflist", `{"cniVersion":"0.3.0","name":"azure","plugins":[{"type":"azure-vnet"}]}`,
			"files/C/etc/cni/net.d/10-azure.conflist"},
		{"a CNI plugin under any name", "x.txt", `{"cniVersion":"0.2.0","name":"cbr0","type":"flannel"}`,
			"files/C/etc/cni/net.d/10-cni.conf"},
		{"the request for kube-proxy's source VIP", "sourceVipRequest.json",
			`{"cniVersion":"0.2.0","name":"vxlan0","ipam":{"type":"host-local","ranges":[[{"subnet":"10.244.3.0/24"}]]}}`,
			"files/C/sourcevip/sourceVipRequest.json"},
		{"the kubelet's", "k.yaml", "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nreadOnlyPort: 0\n",
			"files/C/var/lib/kubelet/config.yaml"},
		{"the kubelet's, as it runs", "configz", `{"kubeletconfig":{"maxPods":110}}`,
			"files/C/var/lib/kubelet/config.yaml"},
		{"kube-proxy's", "p", "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: kernelspace\n",
			"files/C/var/lib/kube-proxy/config.conf"},
		{"a kubeconfig", "config", "apiVersion: v1\nclusters:\n- name: a\nkind: Config\nusers:\n- name: b\n",
			"files/C/etc/kubernetes/kubelet.conf"},
		{"flannel's subnet", "49.env", "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.4.1/24\n",
			"files/C/run/flannel/subnet.env"},
		{"flannel's network", "n.json", `{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan","VNI":4096}}`,
			"files/C/etc/kube-flannel/net-conf.json"},
		{"containerd's", "c.toml", "version = 2\n[plugins]\n  [plugins.\"io.containerd.grpc.v1.cri\"]\n    sandbox_image = \"x\"\n",
			"files/C/Program Files/containerd/config.toml"},
		{"Calico's", "config.ps1", "# The default is correct.\nSet-EnvVarIfNotSet -var \"KUBE_NETWORK\" -defaultValue \"Calico.*\"\n",
			"files/C/CalicoWindows/config.ps1"},
		{"dockerd's", "d.json", `{"exec-opts":["isolation=process"],"debug":true}`,
			"files/C/ProgramData/docker/config/daemon.json"},
		{"one in a paste", "p.txt", "PS C:\\> type C:\\run\\flannel\\subnet.env\nFLANNEL_SUBNET=10.244.4.1/24\nPS C:\\>\n",
			"files/C/run/flannel/subnet.env"},
	} {
		_, tree := looseTree(t, loose(map[string]string{row.file: row.content}))
		if _, err := fs.Stat(tree, row.want); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if got := written(tree, "files.json"); !strings.Contains(got, path.Base(row.want)) {
			t.Errorf("%s: files.json is %s", row.name, got)
		}
	}
	utf16 := "\xff\xfe"
	for _, c := range `{"cniVersion":"0.2.0","name":"cbr0","type":"flannel"}` {
		utf16 += string(byte(c)) + "\x00"
	}
	_, tree := looseTree(t, loose(map[string]string{"10-a.conf": utf16}))
	if got := written(tree, "files/C/etc/cni/net.d/10-a.conf"); !strings.HasPrefix(got, "{") {
		t.Errorf("what PowerShell saved as UTF-16 is %q", got)
	}
	_, tree = looseTree(t, loose(map[string]string{"a.conflist": `{"cniVersion":"0.3.0","plugins":[{"type":"a"`}))
	if got := written(tree, "files/C/etc/cni/net.d/a.conflist"); !strings.Contains(got, "breaks off") {
		t.Errorf("a configuration that breaks off is %s", got)
	}
}

func FuzzOutputsOfTools(f *testing.F) {
	for _, s := range []string{hnsNetworkList, hnsPolicyLists, dockerInfo, japaneseSysteminfo, germanRoutes,
		netstatPrograms, eventTableOfWindows, wevtutilText, adapterTable, crictlInfoCut, describedNodeCut,
		"<Event xmlns='x'><System><EventID>1</EventID></System></Event>", "a : {@{b=c}, @{", crictlOfRoot, commandsAlone,
		netAdapters, someServices, somePods, tasklist, vagrantList, rulesOfVFP,
		"X509 Certificate:\nSubject:\n    CN=a\n NotAfter: 3/1/2025 8:12 AM\n", "fsutil volume diskfree c:\nTotal free bytes : 1\nTotal bytes : 2\n",
		"set interface interface=\"a\" mtu=1450\nadd address name=\"a\" address=10.0.0.5 mask=255.255.255.0\n",
		"\"C:\\k\\kubelet.exe\" --a=\"b\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(peel(s)) > len(s) {
			t.Error("peeling made the text longer")
		}
		for _, fields := range append(parseFormatTable(s), parseFormatList(s)...) {
			for name, v := range hnsRecord(fields) {
				if !json.Valid(v) {
					t.Errorf("%s is no JSON: %s", name, v)
				}
			}
			classOf(fields)
		}
		objects := printed(s)
		printedServices(objects)
		printedProcesses(objects)
		netAdaptersOf(objects)
		addressesOf(objects)
		podRows(s, "w", nil)
		takeApart(s)
		parseNetstat(s)
		wevtutilEvents(s)
		dockerFields(s)
		pulledImages(s)
		dockerContainers(s)
		brokenDescriptions(s, "")
		withoutOpenEnd(s)
		(&pieces{}).takeConfig("a.conf", s)
		if d, known := diskFree(s); known && d.FreeBytes > d.TotalBytes {
			t.Errorf("more is free than there is: %+v", d)
		}
		for _, a := range dumpedAdapters(s) {
			for _, prefix := range a.Addresses {
				if _, err := netip.ParsePrefix(prefix); err != nil {
					t.Error(err)
				}
			}
		}
		commandLines(s)
		(&pieces{texts: map[partKind]string{partCertutil: s}}).certificates()
	})
}

// A virtual machine of Google's, whose network carries 1460 bytes:
// https://raw.githubusercontent.com/pjh/SDN/mtu-with-new-hnsnetwork/mtu-with-new-hnsnetwork.txt
const subinterfaces = `PS C:\Windows\system32> netsh interface ipv4 show subinterfaces

   MTU  MediaSenseState   Bytes In  Bytes Out  Interface
------  ---------------  ---------  ---------  -------------
4294967295                1          0          0  Loopback Pseudo-Interface 1
  1460                1    1425697    1020127  Ethernet
  1500                1          0       1610  vEthernet (nat)
`

const installedFeature = `PS C:\Users\azureuser> Install-WindowsFeature containers

Success Restart Needed Exit Code      Feature Result
------- -------------- ---------      --------------
True    Yes            SuccessRest... {Containers}
WARNING: You must restart this server to finish the installation process.
`

// https://github.com/projectcalico/calico/issues/11203
const endpointColumns = `PS C:\> Get-HnsEndpoint | Where-Object {$_.IPAddress -eq "100.97.47.77"} | Select Name, State, VirtualNetworkName, GatewayAddress

Name                                                                    State VirtualNetworkName GatewayAddress
----                                                                    ----- ------------------ --------------
91a0ccd3034a15de35d735ddd6345d4fc5b525023f1f34fce2054ab395ac38ee_Calico     3 Calico             100.97.47.65
`
