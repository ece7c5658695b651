package foreign

import (
	"strings"
	"testing"
)

func TestWhatTheMachinesOwnToolsShow(t *testing.T) {
	for _, row := range []struct{ name, content, evidence, want string }{
		{"the drives of Get-PSDrive", "Name           Used (GB)     Free (GB) Provider      Root             CurrentLocation\n" +
			"----           ---------     --------- --------      ----             ---------------\n" +
			"C                  126.5           0.5 FileSystem    C:\\                             k\n" +
			"Cert                                   Certificate   \\\n",
			"disks-part.json", `[{"drive":"C:","totalBytes":136365211648,"freeBytes":536870912}]`},
		{"the drives of Get-Volume", "DriveLetter FriendlyName FileSystemType DriveType HealthStatus OperationalStatus SizeRemaining      Size\n" +
			"----------- ------------ -------------- --------- ------------ ----------------- -------------      ----\n" +
			"C           Windows      NTFS           Fixed     Healthy      OK                       400 MB    126 GB\n",
			"disks-part.json", `"fileSystem":"NTFS","totalBytes":135291469824,"freeBytes":419430400`},
		{"the drives of CIM", "DeviceID  : C:\nFreeSpace : 419430400\nSize      : 135291469824\n",
			"disks-part.json", `"totalBytes":135291469824,"freeBytes":419430400`},
		{"features of dism", "Features listing for package : Microsoft-Windows-Foundation-Package~31bf3856ad364e35~amd64~~10.0.17763.1\n\n" +
			"Feature Name : Containers\nState : Disabled\n\nFeature Name : Microsoft-Hyper-V\nState : Enabled\n",
			"features-part.json", `{"Containers":"available","Hyper-V":"installed"}`},
		{"one feature of dism", "Feature Name : Containers\nDisplay Name : Containers\nDescription : Provides services\n" +
			"Restart Required : Possible\nState : Disabled\n", "features-part.json", `{"Containers":"available"}`},
		{"the clock", "Leap Indicator: 3(not synchronized)\nStratum: 0 (unspecified)\nSource: Free-running System Clock\n",
			"time.json", `{"service":"running","source":"Free-runningSystemClock"}`},
		{"the environment", "PS C:\\> dir env:\n\nName              Value\n----              -----\nALLUSERSPROFILE   C:\\ProgramData\n" +
			"COMPUTERNAME      WIN-1\nHTTP_PROXY        http://proxy.corp:8080\nwindir            C:\\Windows\n", "env.json",
			`{"ALLUSERSPROFILE":"C:\\ProgramData","COMPUTERNAME":"WIN-1","HTTP_PROXY":"http://proxy.corp:8080","windir":"C:\\Windows"}`},
		{"an environment with a value that is cut is a part", "Name              Value\n----              -----\nALLUSERSPROFILE   C:\\ProgramData\n" +
			"COMPUTERNAME      WIN-1\nNO_PROXY          10.0.0.0/8,10.96...\nwindir            C:\\Windows\n", "env.json", "that is not all of the environment"},
		{"some variables are a part", "Name           Value\n----           -----\nCOMPUTERNAME   WIN-1\nNODE_IP        10.0.0.4\n",
			"env-part.json", `{"COMPUTERNAME":"WIN-1","NODE_IP":"10.0.0.4"}`},
		{"a size with the decimal mark of Europe", "DeviceID  : C:\nFreeSpace : 0,5 GB\nSize      : 127 GB\n", "disks-part.json", `"freeBytes":536870912`},
		{"a size that could be two numbers", "DeviceID  : C:\nFreeSpace : 1,024 GB\nSize      : 127 GB\n", "disks.json", "none of the files shows"},
		{"exclusions that only administrators see", "ExclusionPath             : {N/A: Must be an administrator to view exclusions}\n" +
			"ExclusionProcess          : {N/A: Must be an administrator to view exclusions}\nDisableRealtimeMonitoring : False\n",
			"security.json", "none of the files shows"},
		{"Defender without any exclusion", "ExclusionPath             : {}\nExclusionProcess          : {}\nDisableRealtimeMonitoring : False\n",
			"security-part.json", `"defender":{"running":true,`},
		{"no environment in another table", "Name           Value\n----           -----\nMaxClockSkew   5\n",
			"env.json", "none of the files shows"},
		{"Defender", "ExclusionPath             : {C:\\ProgramData\\docker}\nExclusionProcess          : {dockerd.exe}\n" +
			"DisableRealtimeMonitoring : False\n", "security-part.json",
			`"defender":{"running":true,"exclusions":{"paths":["C:\\ProgramData\\docker"],"processes":["dockerd.exe"]}}`},
		{"a list of exclusions that is cut", "ExclusionPath    : {C:\\a, C:\\b, C:\\c, C:\\d...}\nExclusionProcess : {dockerd.exe}\n",
			"security.json", "none of the files shows"},
		{"crictl's version of the runtime", "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v1.6.8\n",
			"cri.json", `{"runtimeName":"containerd","runtimeVersion":"v1.6.8"}`},
		{"ctr's version of containerd", "Client:\n  Version:  v1.6.8\n  Revision: 9cd3357b\n\nServer:\n  Version:  v1.6.8\n  Revision: 9cd3357b\n",
			"cri.json", `{"runtimeName":"containerd","runtimeVersion":"v1.6.8"}`},
		{"Services of kubectl", "NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)         AGE\n" +
			"kube-dns     ClusterIP   10.96.0.10   <none>        53/UDP,53/TCP   10d\n", "api/services.json", "kube-dns ClusterIP 10.96.0.10"},
		{"flannel's ConfigMap in a manifest", "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: kube-flannel-cfg\n  namespace: kube-flannel\n" +
			"data:\n  net-conf.json: |\n    {\"Network\":\"10.244.0.0/16\",\"Backend\":{\"Type\":\"vxlan\"}}\n", "api/configmaps.json", "kube-flannel-cfg"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"a": row.content}))
			got := strings.Join(strings.Fields(written(tree, row.evidence)), " ")
			if !strings.Contains(got, row.want) && !strings.Contains(strings.ReplaceAll(got, " ", ""), row.want) {
				t.Errorf("%s is\n%s\nwant\n%s", row.evidence, got, row.want)
			}
		})
	}
}
