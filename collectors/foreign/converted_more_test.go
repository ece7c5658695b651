package foreign

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheVersionOfHNSIsThatOfTheNewestObject(t *testing.T) {
	const none = "not-collected: collectlogs.ps1 does not ask HNS for its version, and no object " +
		"in the folder carries one; run `doctor bundle` on the node"
	network := func(versions ...string) string {
		var b strings.Builder
		for _, v := range versions {
			b.WriteString(`{ "ID": "7C1A2F10-3F38-4E5B-9C1B-0E6C2F1E8A11", "Name": "nat",
				 "Type": "NAT", "Version": ` + v + " }\n")
		}
		return b.String()
	}
	for _, row := range []conversion{
		{"one", network("64424509440"), `{"Version":{"Major":15,"Minor":0}}`},
		{"an older one beside it", network("38654705666", "64424509440", "38654705666"),
			`{"Version":{"Major":15,"Minor":0}}`},
		{"text", network(`"15.0"`), none},
		{"a number below all versions", network("7"), none},
		{"a major number beyond all versions", network("4294967296000"), none},
		{"a minor number beyond all versions", network("64424510440"), none},
	} {
		row.check(t, sdnNode(t, "network.txt", row.content, "networkdetailed.txt", "-",
			"endpoint.txt", "-", "policy.txt", "-", "namespaces.txt", "-", "hnsdiag.txt", "-"),
			"hns-globals.json")
	}
}

func TestObjectsOfHnsdiagAreToldApart(t *testing.T) {
	const diag = "Networks :\n\n" + `{ "ID": "A", "Name": "nat", "Type": "NAT", "Subnets": [] }` +
		"\n\nEndpoints :\n\n" +
		`{ "ID": "B", "Name": "e", "MacAddress": "00-15-5D-01-02-03", "IPAddress": "10.1.0.5",
			 "CompartmentId": 3 }` + "\n\nNamespaces :\n\n" +
		`{ "ID": "C", "CompartmentId": 3 }` + "\n\nLoadbalancers :\n\n" +
		`{ "ID": "D", "References": [] }` + "\n"
	recorded := sdnNode(t, "network.txt", "", "networkdetailed.txt", "-", "endpoint.txt", "",
		"policy.txt", "", "namespaces.txt", "", "hnsdiag.txt", diag)
	for file, want := range map[string]string{"hns-networks.json": `[{"ID":"A","Name":"nat",
		"Subnets":[],"Type":"NAT"}]`,
		"hns-endpoints.json": `[{"CompartmentId":3,"ID":"B","IPAddress":"10.1.0.5",
		"MacAddress":"00-15-5D-01-02-03","Name":"e"}]`,
		"hns-namespaces.json":    `[{"CompartmentId":3,"ID":"C"}]`,
		"hns-loadbalancers.json": `[{"ID":"D","References":[]}]`} {
		conversion{name: "hnsdiag", want: want}.check(t, recorded, file)
	}
	conversion{name: "a single heading above nothing", want: "[]"}.check(t,
		sdnNode(t, "network.txt", "", "networkdetailed.txt", "-", "hnsdiag.txt",
			"Networks             :\n"), "hns-networks.json")
}

func TestDetailsOfANetworkAreAddedToIt(t *testing.T) {
	plain := `{ "ID": "A", "Name": "nat", "Type": "NAT", "Subnets": [], "ManagementIP": "" }` + "\n"
	for _, row := range []conversion{
		{"of the same schema, all that is blank",
			`{ "ID": "a", "Type": "other", "Subnets": [ 1 ], "ManagementIP": "10.1.0.4",
			 "Extra": 1 }`,
			`[{"Extra":1,"ID":"A","ManagementIP":"10.1.0.4","Name":"nat","Subnets":[],
				"Type":"NAT"}]`},
		{"of the other schema, only the address",
			`{ "ID": "a", "Type": "other", "Ipams": [ 1 ], "ManagementIP": "10.1.0.4",
			 "Extra": 1 }`,
			`[{"ID":"A","ManagementIP":"10.1.0.4","Name":"nat","Subnets":[],"Type":"NAT"}]`},
		{"of another network", `{ "ID": "b", "Subnets": [], "ManagementIP": "10.1.0.4" }`,
			`[{"ID":"A","ManagementIP":"","Name":"nat","Subnets":[],"Type":"NAT"}]`},
	} {
		row.check(t, sdnNode(t, "network.txt", plain, "networkdetailed.txt", row.content+"\n",
			"hnsdiag.txt", "-"), "hns-networks.json")
	}
}

func TestExportsOfEventsInTheirForms(t *testing.T) {
	const services, compute = "20240903-095941_services.csv",
		"20240903-095941_hyper-v-compute-operational.csv"
	for _, row := range []conversion{
		{"semicolons, as the node's culture has them",
			"#TYPE x\n\"TimeCreated\";\"Id\";\"LevelDisplayName\";\"Message\"\n\"9/13/2024 " +
				"8:14:20 AM\";\"6005\";\"Information\";\"a, b\"\n",
			`[{"id":6005,"level":"Information","time":"2024-09-13T08:14:20Z","message":"a, b"}]`},
		{"commas, and a message with a quoted semicolon",
			"#TYPE x\n\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n\"9/13/2024 " +
				"8:14:20 AM\",\"6005\",\"Error\",\"a \"\";\"\" b\"\n",
			`[{"id":6005,"level":"Error","time":"2024-09-13T08:14:20Z","message":"a \";\" b"}]`},
		{"it breaks off behind an event", "#TYPE " +
			"x\n\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n\"9/13/2024 8:14:20 " +
			"AM\",\"6005\",\"Warning\",\"a\"\n\"9/13/2024\n",
			`[{"id":6005,"level":"Warning","time":"2024-09-13T08:14:20Z","message":"a"}]`},
		{"the oldest last, as Get-WinEvent lists them",
			"\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n\"9/13/2024 8:14:20 " +
				"AM\",\"2\",\"\",\"b\"\n\"9/13/2024 8:14:19 AM\",\"1\",\"\",\"a\"\n",
			`[{"id":1,"time":"2024-09-13T08:14:19Z","message":"a"},{"id":2,
			"time":"2024-09-13T08:14:20Z","message":"b"}]`},
		{"the oldest " +
			"first", "\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n\"9/13/2024 " +
			"8:14:19 AM\",\"1\",\"\",\"a\"\n\"9/13/2024 8:14:20 AM\",\"2\",\"\",\"b\"\n",
			`[{"id":1,"time":"2024-09-13T08:14:19Z","message":"a"},{"id":2,
			"time":"2024-09-13T08:14:20Z","message":"b"}]`},
		{"in one second, the oldest " +
			"last", "\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n\"9/13/2024 " +
			"8:14:20 AM\",\"2\",\"\",\"b\"\n\"9/13/2024 8:14:20 AM\",\"1\",\"\",\"a\"\n",
			`[{"id":1,"time":"2024-09-13T08:14:20Z","message":"a"},{"id":2,
			"time":"2024-09-13T08:14:20Z","message":"b"}]`},
		{"more than a day before the " +
			"last", "\"TimeCreated\",\"Id\",\"LevelDisplayName\",\"Message\"\n\"9/13/2024 " +
			"8:14:20 AM\",\"2\",\"\",\"b\"\n\"9/12/2024 8:14:20 " +
			"AM\",\"1\",\"\",\"a\"\n\"9/12/2024 8:14:19 AM\",\"0\",\"\",\"z\"\n",
			`[{"id":1,"time":"2024-09-12T08:14:20Z","message":"a"},{"id":2,
			"time":"2024-09-13T08:14:20Z","message":"b"}]`},
		{"no column for the message", "\"TimeCreated\",\"Id\"\n\"9/13/2024 8:14:20 AM\",\"2\"\n",
			`error: 20240903-095941_services.csv holds no events that can be read: ` +
				`its first line names no column Message`},
	} {
		row.check(t, aksZip(t, services, row.content, compute, "-"), "events.json")
	}
}

func TestEventsOfBrokenJSON(t *testing.T) {
	const unread = "not-collected: the system log cannot be read in this recording of Rancher's " +
		"log collector: eventlogs/system.json: "
	const rest = "; eventlogs/application.json is empty, which PowerShell leaves of a question " +
		"that failed; collect " +
		"`Get-WinEvent -LogName System -MaxEvents 2500 | ConvertTo-Json`, or run `doctor bundle` " +
		"on the node"
	for _, row := range []conversion{
		{"a single event that breaks off", `{"Id":1,"Mess`, unread + "unexpected EOF" + rest},
		{"a list that breaks off", `[{"Id":1,"Level":2,"ProviderName":"p","LogName":"System",
			"Message":"m","TimeCreated":"2026-11-20T10:00:00Z"},{"Id`,
			`[{"log":"System","provider":"p","id":1,"level":"error","time":"2026-11-20T10:00:00Z",
			"message":"m"}]`},
		{"a number", `7777777`, unread + "it begins with 7.777777e+06 and not with an event" +
			rest},
		{"no JSON", `Get-WinEvent : denied`, unread +
			"it does not begin with JSON: invalid character 'G' looking for beginning of value" +
			rest},
	} {
		row.check(t, rancherNode(t, "eventlogs/application.json", "", "eventlogs/system.json",
			row.content), "events.json")
	}
}

func TestTablesWithoutRowsSayNothing(t *testing.T) {
	got := converted(t, rancherNode(t, "containerd/crictl-pods.txt",
		"POD ID              CREATED             STATE               NAME                "+
			"NAMESPACE           ATTEMPT             RUNTIME\n",
		"containerd/crictl-ps.txt", "CONTAINER           IMAGE               CREATED             "+
			"STATE               NAME                ATTEMPT             POD ID              POD\n",
		"containerd/crictl-images.txt", "IMAGE                                    TAG            "+
			"     IMAGE ID            SIZE\n"), "cri.json")
	for _, key := range []string{`"images"`, `"sandboxes"`, `"containers"`} {
		if strings.Contains(got, key) {
			t.Errorf("%s are known from a table without rows: %s", key, got)
		}
	}
}

func TestMTUsByNameOrByIndex(t *testing.T) {
	const ip = "Windows IP Configuration\n\n   Host Name . . . : win-9\n\nEthernet adapter " +
		"A:\n\n   Physical Address. . . . . . . . . : 00-15-5D-01-02-03\n"
	const known = "\nIPAddress         : 10.1.0.5\nInterfaceIndex    : 8\nInterfaceAlias    : " +
		"A\nPrefixLength      : 24\n"
	const head = "Idx     Met         MTU          State                Name\n---  ----------  " +
		"----------  ------------  ---------------------------\n"
	for _, row := range []struct{ name, ip, mtu, want string }{
		{"the index is known and the name is another", ip + known,
			head + "  9          25        9000  connected     B\n  8          25        1450  " +
				"connected     C\n", `"ifIndex":8,"mac":"00-15-5D-01-02-03","mtu":1450`},
		{"the name alone", ip, head + "  9          25        9000  connected     B\n  8         " +
			" 25        1450  connected     A\n", `"mtu":1450`},
		{"the name of an interface with another index", ip + known,
			head + "  9          25        9000  connected     A\n", `"ifIndex":8`},
		{"the loopback's, which is none", ip,
			head + "  8          25  4294967295  connected     A\n", `"ifIndex":8`},
		{"neither", ip, head + "  9          25        9000  connected     B\n", `"name":"A"`},
	} {
		got := converted(t, sdnNode(t, "ip.txt", row.ip, "mtu.txt", row.mtu), "adapters.json")
		if !strings.Contains(got, row.want) || strings.Contains(got,
			`"mtu"`) != strings.Contains(row.want, `"mtu"`) {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestDrivesOfAKSWithoutTheListOfDisks(t *testing.T) {
	const head = "\nName           Used (GB)     Free (GB) Provider      Root\n----           " +
		"---------     --------- --------      ----\n"
	for _, row := range []conversion{
		{"a drive, an empty one, and one without size",
			head + "C                  35.25         44.75 FileSystem    C:\\\nD                 " +
				"                     FileSystem    D:\\\nE                   0.00          0.00 " +
				"FileSystem    E:\\\n", `[{"drive":"C:","totalBytes":85899345920,
			"freeBytes":48049946624}]`},
		{"a size that no disk has", head + "C             2000000.00          1.00 FileSystem    " +
			"C:\\\n", `error: 20240903-095941-disk-usage-all-drives.txt shows no drive and its size; it begins with: Name           Used (GB)     Free (GB) Provider      Root`},
	} {
		row.check(t, aksZip(t, "disk-usage.txt", "-", "20240903-095941-disk-usage-all-drives.txt",
			row.content), "disks.json")
	}
	for _, row := range []conversion{
		{"a disk", "\nSize(GB)       : 100.5\nFree Space(GB) : 50,25\nFree (%)       :    " +
			"50%\nDeviceID       : C:\n", `[{"drive":"C:","totalBytes":107911053312,
			"freeBytes":53955526656}]`},
		{"more free than there is", "\nSize(GB)       : 100\nFree Space(GB) : 101\nDeviceID      " +
			" : C:\n", `error: disk-usage.txt shows no drive and its size; it begins with: Size(GB)       : 100`},
		{"all of it free", "\nSize(GB)       : 100\nFree Space(GB) : 100\nDeviceID       : C:\n",
			`[{"drive":"C:","totalBytes":107374182400,"freeBytes":107374182400}]`},
		{"a disk without its free space before another",
			"\nSize(GB)       : 100\nDeviceID       : C:\nSize(GB)       : 50\nFree Space(GB) : " +
				"10\nDeviceID       : D:\n", `[{"drive":"D:","totalBytes":53687091200,
			"freeBytes":10737418240}]`},
		{"negative", "\nSize(GB)       : -1\nFree Space(GB) : 0\nDeviceID       : C:\n",
			`error: disk-usage.txt shows no drive and its size; it begins with: Size(GB)       : -1`},
	} {
		row.check(t, aksZip(t, "disk-usage.txt", row.content,
			"20240903-095941-disk-usage-all-drives.txt", "-"), "disks.json")
	}
}

func TestWhyAKSHasNoHNSObjects(t *testing.T) {
	failed := strings.Replace(aksFilesOf()[aksTranscript], "Collecting networking related logs\n",
		"Collecting networking related logs\nInvoke-WebRequest : The remote name could not be "+
			"resolved\n    + CategoryInfo          : InvalidOperation\n", 1)
	gone := []string{"network.txt", "-", "networkdetailed.txt", "-", "endpoint.txt", "-",
		"policy.txt", "-", "namespaces.txt", "-", "hnsdiag.txt", "-"}
	for _, row := range []struct {
		name    string
		changes []string
		want    string
	}{
		{"the transcript says why", append([]string{aksTranscript, failed}, gone...),
			"not-collected: collect-windows-logs.ps1 did not get the HNS load balancers; " +
				"collect-windows-logs-output.log says: Invoke-WebRequest : The remote name could " +
				"not be resolved; run `doctor bundle` on the node"},
		{"the transcript says nothing", gone,
			"not-collected: policy.txt is not in the folder, which would hold the HNS load " +
				"balancers; run `doctor bundle` on the node"},
		{"the objects are there", []string{aksTranscript, failed},
			`[{"Flags":0,"FrontendVIPs":["10.0.0.10"],
			"HostComputeEndpoints":["2a632a7b-a128-45c1-8e6c-cfd48cc6af8a"],
			"ID":"AAAAAAAA-0001-4D5B-8F3E-1D2C3B4A5968","PortMappings":[{"Protocol":17,
			"InternalPort":53,"ExternalPort":53,"Flags":0}],"SchemaVersion":{"Major":2,"Minor":0},
			"SourceVIP":""}]`},
	} {
		conversion{name: row.name, want: row.want}.check(t, aksZip(t, row.changes...),
			"hns-loadbalancers.json")
	}
}

func TestEmptyLogsAcquitNobody(t *testing.T) {
	for _, row := range []conversion{
		{"all logs of the component are empty", "-",
			`error: kubelet.log is empty in this recording, ` +
				`and so is every other log of kubelet; collect it again`},
	} {
		row.check(t, aksZip(t, "kubelet.log", "", "kubelet.err.log", "",
			"kubelet.err-20240902T221530.123.log", row.content), "logs/kubelet")
	}
}

func TestAServiceWithoutAPath(t *testing.T) {
	sc := scAll() + "\n[SC] QueryServiceConfig SUCCESS\n\nSERVICE_NAME: hns\n        TYPE        " +
		"       : 20  WIN32_SHARE_PROCESS \n        START_TYPE         : 3   DEMAND_START\n      " +
		"  ERROR_CONTROL      : 1   NORMAL\n        BINARY_PATH_NAME   : \n        " +
		"LOAD_ORDER_GROUP   : \n        TAG                : 0\n        DISPLAY_NAME       : " +
		"hns\n        DEPENDENCIES       : \n        SERVICE_START_NAME : LocalSystem\n"
	if got := converted(t, sdnNode(t, "scqueryex.txt", sc),
		"services.json"); !strings.Contains(got, `"name":"hns"`) {
		t.Errorf("services are %s", got)
	}
}

func TestClusterInfoWithoutItsNode(t *testing.T) {
	with := func(info string) fstest.MapFS {
		m := antctlBundle(t, antctlAgent())
		for name, f := range m {
			if strings.HasSuffix(name, "/clusterinfo") {
				f.Data = []byte(info)
			}
		}
		return m
	}
	for _, row := range []struct{ name, info, file, want string }{
		{"another node alone", "#nodes\nitems:\n- metadata:\n    name: lin-1\n---\n",
			"api/node.json", "not-collected: clusterinfo has 1 nodes, and none is called win-1; " +
				"collect `kubectl get nodes -o json`"},
		{"another node alone, in the list", "#nodes\nitems:\n- metadata:\n    name: lin-1\n---\n",
			"api/nodes.json", `{"items":[{"metadata":{"name":"lin-1"}}],"kind":"NodeList"}`},
		{"no node", "#nodes\nitems: []\n---\n", "api/nodes.json", `{"items":[],"kind":"NodeList"}`},
		{"no list of pods", "#nodes\nitems: []\n---\n", "api/pods.json",
			"not-collected: clusterinfo has no list of pods; collect `kubectl get pods -A -o " +
				"json`"},
		{"pods of this node alone", "#pods\nitems:\n- metadata:\n    name: a\n  spec:\n    " +
			"nodeName: win-1\n- metadata:\n    name: b\n  spec:\n    nodeName: win-11\n---\n",
			"api/pods.json", `{"items":[{"metadata":{"name":"a"},"spec":{"nodeName":"win-1"}}],
			"kind":"PodList"}`},
		{"a pod that is no YAML", "#pods\nitems:\n- metadata: [\n  spec:\n    nodeName: " +
			"win-1\n---\n", "api/pods.json",
			`error: clusterinfo: one of its pods is no YAML: yaml: line 2: did not find expected ',' ` +
				`or ']'`},
		{"a list of something else", "#pods\nother: 1\n---\n", "api/pods.json",
			`error: clusterinfo: the list of pods cannot be taken apart, or is too long`},
		{"a key behind the list", "#pods\nitems:\n- spec:\n    nodeName: win-1\nkind: " +
			"PodList\n---\n", "api/pods.json",
			`{"items":[{"spec":{"nodeName":"win-1"}}],"kind":"PodList"}`},
	} {
		conversion{name: row.name, want: row.want}.check(t, with(row.info), row.file)
	}
}
