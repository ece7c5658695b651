package foreign

import (
	"strings"
	"testing"
)

func TestADescribedNode(t *testing.T) {
	const node = `Name:               win-9
Labels:             kubernetes.io/os=windows
                    cut=a-long-value...
                    no label=x
Annotations:        node.alpha.kubernetes.io/ttl: 0
                    volumes: {"a":...
CreationTimestamp:  Mon, 02 Sep 2024 22:00:00 +0200
Taints:             os=windows:NoSchedule
                    dedicated:NoExecute
                    nonsense
Unschedulable:      true
Conditions:
  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason        Message
  ----    ------  -----------------                 ------------------                ------        -------
  Ready   True    Tue, 03 Sep 2024 10:00:00 +0000   never                             KubeletReady  posting
Addresses:
  InternalIP:  10.1.0.4
  Hostname:    win-9
System Info:
  Kernel Version:
  Kubelet Version:  v1.31.7
  Machine ID:       win-9
PodCIDR:            10.244.1.0/24
PodCIDRs:           10.244.1.0/24,fd00::/64
`
	const want = `{"apiVersion":"v1","kind":"Node",
		"metadata":{"annotations":{"node.alpha.kubernetes.io/ttl":"0"},
		"creationTimestamp":"2024-09-02T20:00:00Z",` +
		`"labels":{"kubernetes.io/os":"windows"},"name":"win-9"},"spec":{"podCIDR":"10.244.1.0/24",
			"podCIDRs":["10.244.1.0/24","fd00::/64"],` +
		`"taints":[{"effect":"NoSchedule","key":"os","value":"windows"},{"effect":"NoExecute",
			"key":"dedicated","value":""}],"unschedulable":true},` +
		`"status":{"addresses":[{"address":"10.1.0.4","type":"InternalIP"},{"address":"win-9",
			"type":"Hostname"}],` +
		`"conditions":[{"lastHeartbeatTime":"2024-09-03T10:00:00Z","message":"posting",
			"reason":"KubeletReady","status":"True","type":"Ready"}],
			"nodeInfo":{"kubeletVersion":"v1.31.7"}}}`
	for _, row := range []conversion{
		{"all that is printed whole", node, want},
		{"it is no node", "Name:  web\nNamespace:  default\nSystem Info:\n  Machine ID: x\n",
			"error: kubectl-describe-nodes.log describes no node; it begins with: Name:  web"},
	} {
		row.check(t, aksZip(t, "kubectl-describe-nodes.log", row.content,
			"kubectl-describe-pods.log", "-"), "api/node.json")
	}
}

func TestAgesOfDescribedEvents(t *testing.T) {
	const head = "Name:         web\nNamespace:    default\nEvents:\n  Type     Reason   Age   " +
		"From     Message\n  ----     ------   ----  ----     -------\n"
	event := func(more, at string) string {
		return `"involvedObject":{"kind":"Pod","name":"web","namespace":"default"},` + at +
			`"message":"again","reason":"BackOff","type":"Warning"`
	}
	for _, row := range []conversion{
		{"minutes ago", "  Warning  BackOff  2m3s  kubelet  again\n", `{` + event("",
			`"lastTimestamp":"2024-09-03T09:59:57Z",`) + `}`},
		{"just now", "  Warning  BackOff  0s    kubelet  again\n", `{` + event("",
			`"lastTimestamp":"2024-09-03T10:02:00Z",`) + `}`},
		{"nobody knows when", "  Warning  BackOff  ?     kubelet  again\n", `{` + event("",
			"") + `}`},
		{"a message of three lines, one of them without an indent",
			"  Normal   Pulled   5s    kubelet  have it\n  Warning  BackOff  2m3s  kubelet  it ends:\nAt line:1\n   : again\n  Warning  Failed   1s    kubelet  no more\n",
			`"lastTimestamp":"2024-09-03T09:59:57Z","message":"it ends: At line:1 : again","reason":"BackOff"`},
	} {
		got := converted(t, aksZip(t, "kubectl-describe-nodes.log", "-",
			"kubectl-describe-pods.log", head+row.content), "api/events.json")
		if !strings.Contains(got, row.want) {
			t.Errorf("%s: %s, want %s in it", row.name, got, row.want)
		}
	}
}

func TestEventsDescribedByOldKubectl(t *testing.T) {
	const text = "Name:         web\nNamespace:    default\nEvents:\n" +
		"  FirstSeen  LastSeen  Count  From             SubObjectPath            Type     Reason      Message\n" +
		"  ---------  --------  -----  ----             -------------            -------- ------      -------\n" +
		"  33m        2m        11     kubelet, win-1   spec.containers{a}       Warning  Failed      Error: it does not start\n" +
		"  33m        11s       151    kubelet, win-1                            Warning  FailedSync  Error syncing pod:\n : timed out\n"
	got := converted(t, aksZip(t, "kubectl-describe-nodes.log", "-", "kubectl-describe-pods.log",
		text), "api/events.json")
	for _, want := range []string{`"count":11`, `"message":"Error: it does not start"`,
		`"lastTimestamp":"2024-09-03T10:00:00Z"`, `"count":151`, `"message":"Error syncing pod: : timed out"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s, want %s in it", got, want)
		}
	}
}

func TestTheNodesNameIsTakenFromWhereItStands(t *testing.T) {
	noHost := strings.Replace(eksSysinfo, "EC2AMAZ-7H3KQ2L", "a host of no name", 1)
	noHostIP := strings.Replace(eksIP, "EC2AMAZ-7H3KQ2L", "no host", 1)
	for name, row := range map[string]struct {
		changes []string
		want    string
	}{
		"systeminfo": {nil, `"node":"EC2AMAZ-7H3KQ2L"`},
		"ipconfig, where systeminfo has none": {[]string{"sysinfo", noHost, "network/ip.txt",
			strings.Replace(eksIP, "EC2AMAZ-7H3KQ2L", "from-ipconfig", 1)},
			`"node":"from-ipconfig"`},
		"nothing": {[]string{"sysinfo", noHost, "network/ip.txt",
			noHostIP}, `"node":"unknown"`},
	} {
		if got := converted(t, eksZip(t, row.changes...), "meta.json"); !strings.Contains(got,
			row.want) {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestAServiceListThatIsNotThere(t *testing.T) {
	for _, row := range []conversion{
		{"the file is missing", "-", "not-collected: services is not in the folder"},
		{"the file is something else", "Get-Service : access denied\n",
			"not-collected: services lists 0 services, too few for all that there are, so what " +
				"is not in it may run; collect `Get-Service | Format-List *`"},
	} {
		row.check(t, eksZip(t, "services", row.content), "services.json")
	}
}

func TestTablesOfTheRuntimeOfEKS(t *testing.T) {
	for _, row := range []conversion{
		{"an odd row makes the table none", "REF  TYPE  DIGEST  SIZE  PLATFORMS  " +
			"LABELS\nregistry.example.com/a:1-much-longer-than-its-head\n",
			"error: containerd-images.txt shows no images; it begins with: REF  TYPE  DIGEST  " +
				"SIZE  PLATFORMS  LABELS"},
		{"no table", "ctr: connection refused\n",
			"error: containerd-images.txt shows no images; it begins with: ctr: connection " +
				"refused"},
	} {
		row.check(t, eksZip(t, "containerd/containerd-images.txt", row.content,
			"containerd/containerd-containers.txt", "-", "containerd/containerd-version.txt", "-"),
			"cri.json")
	}
}

func TestTheScriptForNodesWithDocker(t *testing.T) {
	for _, row := range []struct {
		name    string
		changes []string
		want    string
	}{
		{"a folder of docker", []string{"docker/info.txt", "x"}, "see original/docker"},
		{"a folder of docker beside one of containerd", []string{"docker/info.txt", "x",
			"containerd/config.toml", "x"}, "not-collected: containerd/crictl-info.txt"},
	} {
		files := map[string]string{}
		for name, content := range rke2Healthy(t) {
			if !strings.HasPrefix(name, "containerd/") && !strings.HasPrefix(name, "k8s/") {
				files[name] = content
			}
		}
		if got := converted(t, rke2Recording(t, "", with(files, row.changes...)),
			"cri.json"); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s, want %s in it", row.name, got, row.want)
		}
	}
}
