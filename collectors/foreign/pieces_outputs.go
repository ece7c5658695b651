package foreign

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// convertOutputs gives the readers of other tools' files the outputs under the names that they
// know. Only what there is an output of is read: the rest is asked for in one way.
func (p *pieces) convertOutputs(src *source, out *output, ran time.Time, node string) {
	given := func(name string, kinds ...partKind) textFile {
		t := textFile{name: string(kinds[0])}
		for _, k := range kinds {
			t.content += p.texts[k]
		}
		if t.content == "" {
			t.missing, t.gap = true, gapf(evidence.NotCollected, "none of the files shows %s", t.name)
		}
		src.texts[name] = t
		return t
	}
	for i, k := range hnsKinds {
		if p.hns[i] != "" {
			src.texts[k.file] = textFile{name: k.what, content: p.hns[i]}
		}
	}
	given("hnsdiag.txt", partHNSDiag)
	hns := readHNS(src)
	for i, k := range hnsKinds {
		if list, gap := hns.list(i); p.hns[i] != "" || hns.diag.plain[i] > 0 ||
			p.texts[partHNSDiag] != "" && gap.Kind != evidence.NotCollected {
			out.either(k.path, list, gap)
		}
	}
	if version, ok := hnsVersion(hns.all()); ok {
		out.JSON("hns-globals.json", version)
	}
	p.convertMachine(src, out, given)

	net := interfaces{ip: given("ip.txt", partIPConfig, partAddresses),
		sections:  parseIPConfig(p.texts[partIPConfig]),
		addresses: parseNetIPAddress(p.texts[partAddresses]),
		adapterOf: parseNetAdapter(p.texts[partAdapters])}
	if p.texts[partIPConfig] != "" {
		out.write("adapters.json")(net.adapters())
		out.write("dns-client.json")(net.dnsClient())
	}
	if routes := given("routes.txt", partRoutes); !routes.missing {
		out.write("routes.json")(readRoutes(routes, net.byAddress()))
	}
	excluded, dynamic := given("excluded", partExcluded), given("dynamic", partDynamic)
	if !excluded.missing || !dynamic.missing {
		out.write("ports.json")(readPorts(excluded, dynamic))
	}
	p.convertRuntime(out)
	p.convertKubectl(out, ran, node)
}

func (p *pieces) convertMachine(src *source, out *output,
	given func(string, ...partKind) textFile) {
	si, known := readSysteminfo(given("systeminfo", partSystem))
	version := given("winver.txt", partOSVersion)
	switch {
	case known:
		out.JSON("os.json", si.os(si.booted))
		if len(si.hotfixes) > 0 {
			out.JSON("hotfixes.json", hotfixesOf(si.hotfixes))
		}
		if si.totalMemory > 0 {
			out.JSON("memory.json", si.memoryAndPageFiles())
		}
	case !version.missing:
		out.write("os.json")(readOS(version))
	}
	if hotfixes := given("hotfixes", partHotfixes); !hotfixes.missing && !out.Has("hotfixes.json") {
		out.write("hotfixes.json")(readHotfixes(hotfixes))
	}
	if t := given("processes", partProcesses); !t.missing {
		list, gap := readProcesses(t)
		out.either("processes.json", list, gap)
	}
	sc, get := given("scqueryex.txt", partSC), given("windowsServices.txt", partGetService)
	list := given("services", partList)
	switch {
	case !sc.missing:
		out.write("services.json")(readServices(sc, get))
	case len(parseServiceList(list.content)) > 0:
		out.write("services.json")(readAllServices(list))
	case !get.missing:
		out.write("services.json")(readServiceTable(get))
	}
}

// readServiceTable reads Get-Service's table where all services were asked for: only then is one
// that is not in it not there.
func readServiceTable(t textFile) (any, evidence.Gap) {
	list := parseGetService(t.content)
	if len(list) < enoughServices {
		return nil, gapf(evidence.NotCollected,
			"%s lists %d services, too few for all that there are, so what is not in it may run; collect `Get-Service | Format-List *`", t.name, len(list))
	}
	return list, evidence.Gap{}
}

// hnsDocument is the number in hnsKinds of what a JSON document of HNS holds, by its first object.
func hnsDocument(document string) (int, bool) {
	list, _ := records(firstElement(document))
	for _, r := range list {
		if k := kindOf(r); k >= 0 && !r.has("apiVersion") {
			return k, true
		}
	}
	return -1, false
}

// firstElement is the first element of an array, or the document that is none.
func firstElement(document string) json.RawMessage {
	trimmed := strings.TrimSpace(document)
	if !strings.HasPrefix(trimmed, "[") {
		return json.RawMessage(trimmed)
	}
	var first json.RawMessage
	if json.NewDecoder(strings.NewReader(trimmed[1:])).Decode(&first) != nil {
		return nil
	}
	return first
}

// criDocument reads crictl's answers in JSON: info, and the lists of pods, containers and images.
func criDocument(document string) (state evidence.CRIState, ok bool) {
	var answer struct {
		criInfo
		Items      []evidence.CRISandbox   `json:"items"`
		Containers []evidence.CRIContainer `json:"containers"`
		Images     []evidence.CRIImage     `json:"images"`
		APIVersion string                  `json:"apiVersion"`
	}
	if json.Unmarshal([]byte(document), &answer) != nil || answer.APIVersion != "" {
		return state, false
	}
	if len(answer.Status) > 0 && len(answer.Config) > 0 {
		state.Status, state.Config = answer.status(), answer.Config
	}
	if len(answer.Items) > 0 && strings.HasPrefix(answer.Items[0].State, "SANDBOX_") {
		state.Sandboxes = answer.Items
	}
	if len(answer.Containers) > 0 && strings.HasPrefix(answer.Containers[0].State, "CONTAINER_") {
		state.Containers = answer.Containers
	}
	if len(answer.Images) > 0 && answer.Images[0].RepoTags != nil {
		state.Images = answer.Images
	}
	return state, !reflect.ValueOf(state).IsZero()
}

// convertRuntime adds crictl's tables to its answers in JSON.
func (p *pieces) convertRuntime(out *output) {
	if list := readCrictlPods(p.texts[partCrictlPods]); len(list) > 0 {
		p.cri.Sandboxes = list
	}
	if list := readCrictlContainers(p.texts[partCrictlPS]); len(list) > 0 {
		p.cri.Containers = list
	}
	images := readCrictlImages(p.texts[partImages])
	if len(images) > 0 {
		p.cri.Images = images
	} else if list, ok := readCtrImages(p.texts[partCtrImages]); ok && len(list) > 0 {
		p.cri.Images = criImages(list)
	}
	if !reflect.ValueOf(p.cri).IsZero() {
		out.JSON("cri.json", p.cri)
	}
}

// takeCRI adds what an answer holds to what is known.
func (p *pieces) takeCRI(more evidence.CRIState) {
	if more.Config != nil {
		p.cri.Status, p.cri.Config = more.Status, more.Config
	}
	if more.Sandboxes != nil {
		p.cri.Sandboxes = more.Sandboxes
	}
	if more.Containers != nil {
		p.cri.Containers = more.Containers
	}
	if more.Images != nil {
		p.cri.Images = more.Images
	}
}

// convertKubectl writes what kubectl printed for people. Objects in JSON or YAML hold more, and
// go first.
func (p *pieces) convertKubectl(out *output, ran time.Time, node string) {
	described, nodes := p.texts[partDescribe], p.texts[partNodes]
	for _, object := range splitDescribed(described) {
		o, ok := readDescribedNode(object)
		if ok && len(p.objects.lists["Node"]) == 0 && !out.Has("api/node.json") &&
			(node == "" || strings.EqualFold(o["metadata"].(map[string]any)["name"].(string), node)) {
			out.JSON("api/node.json", o)
		}
	}
	if list := readNodeTable(nodes); len(list) > 0 && len(p.objects.lists["Node"]) == 0 {
		out.JSON("api/nodes.json", map[string]any{"kind": "NodeList", "items": list})
		if version, ok := osOfNode(nodes, node); ok && !out.Has("os.json") {
			out.JSON("os.json", version)
		}
	}
	if pods := readDescribedPods(described, node); len(pods) > 0 &&
		len(p.objects.lists["Pod"]) == 0 {
		out.JSON("api/pods.json", map[string]any{"kind": "PodList", "items": pods})
	}
	events := append(readDescribedEvents(described, ran), readEventTable(p.texts[partEvents],
		ran)...)
	if len(events) > 0 && len(p.objects.lists["Event"]) == 0 {
		out.JSON("api/events.json", map[string]any{"kind": "EventList", "items": events})
	}
}

// readEventTable reads `kubectl get events`, with or without -A and -o wide.
func readEventTable(s string, ran time.Time) []map[string]any {
	var list []map[string]any
	for _, table := range tables(s, "LAST SEEN") {
		t, ok := readColumns(table, 2, "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")
		if !ok {
			continue
		}
		for _, row := range t.rows {
			kind, name, ok := strings.Cut(t.cell(row, "OBJECT"), "/")
			if !ok {
				continue
			}
			about := map[string]string{"kind": capitalKind(kind), "name": name}
			if namespace := t.cell(row, "NAMESPACE"); namespace != "" && kind != "node" {
				about["namespace"] = namespace
			}
			e := map[string]any{"type": t.cell(row, "TYPE"), "reason": t.cell(row, "REASON"),
				"message": t.cell(row, "MESSAGE"), "involvedObject": about}
			age, count := describedAge(t.cell(row, "LAST SEEN"))
			if n := number(t.cell(row, "COUNT")); n > 0 {
				count = n
			}
			if count > 0 {
				e["count"] = count
			}
			if age >= 0 && !ran.IsZero() {
				e["lastTimestamp"] = ran.Add(-age).UTC().Format(time.RFC3339)
			}
			list = append(list, e)
		}
	}
	return list
}

func capitalKind(kind string) string {
	for _, l := range apiLists {
		if strings.EqualFold(kind, l.kind) {
			return l.kind
		}
	}
	return kind
}

// tables parts the tables of one kind that stand one after the other, each with its heads.
func tables(s, head string) []string {
	var list []string
	start := -1
	at := 0
	for line := range strings.Lines(s) {
		if strings.Contains(line[:min(len(line), 80)], head) && strings.ToUpper(line) == line {
			if start >= 0 {
				list = append(list, s[start:at])
			}
			start = at
		}
		at += len(line)
	}
	if start >= 0 {
		list = append(list, s[start:])
	}
	return list
}

var kernelOfNode = regexp.MustCompile(`^10\.0\.(\d{5})(?:\.(\d{1,6}))?$`)

// readNodeTable reads `kubectl get nodes`. It shows no podCIDR, no taints and no conditions but
// one, so that its rows are other nodes to look at, and none to judge.
func readNodeTable(s string) []map[string]any {
	list := []map[string]any{}
	eachNode(s, func(t columnTable, row []string) {
		status := map[string]any{"nodeInfo": map[string]string{
			"kubeletVersion": t.cell(row, "VERSION"), "osImage": t.cell(row, "OS-IMAGE"),
			"kernelVersion":           t.cell(row, "KERNEL-VERSION"),
			"containerRuntimeVersion": t.cell(row, "CONTAINER-RUNTIME")}}
		if ip := t.cell(row, "INTERNAL-IP"); ip != "" && ip != "<none>" {
			status["addresses"] = []map[string]string{{"type": "InternalIP", "address": ip}}
		}
		ready := "True"
		if strings.HasPrefix(t.cell(row, "STATUS"), "NotReady") {
			ready = "False"
		}
		status["conditions"] = []map[string]string{{"type": "Ready", "status": ready}}
		list = append(list, map[string]any{"metadata": map[string]string{"name": t.cell(row,
			"NAME")}, "status": status})
	})
	return list
}

func eachNode(s string, do func(t columnTable, row []string)) {
	for _, table := range tables(s, "NAME ") {
		if t, ok := readColumns(table, 2, "NAME", "STATUS", "VERSION"); ok {
			for _, row := range t.rows {
				do(t, row)
			}
		}
	}
}

// windowsRows are the names of the nodes that run Windows, where `-o wide` shows that.
func windowsRows(s string) (names []string) {
	eachNode(s, func(t columnTable, row []string) {
		if strings.HasPrefix(t.cell(row, "OS-IMAGE"), "Windows") {
			names = append(names, t.cell(row, "NAME"))
		}
	})
	return names
}

// osOfNode is the Windows of a node, with its revision, which no other output of AKS has.
func osOfNode(s, node string) (version evidence.OS, ok bool) {
	eachNode(s, func(t columnTable, row []string) {
		m := kernelOfNode.FindStringSubmatch(t.cell(row, "KERNEL-VERSION"))
		if m != nil && strings.EqualFold(t.cell(row, "NAME"), node) {
			version, ok = evidence.OS{ProductName: t.cell(row, "OS-IMAGE"), Build: number(m[1]),
				UBR: number(m[2])}, true
		}
	})
	return version, ok
}

// A lack is what loose files may not show, and the command that does.
type lack struct{ what, command string }

var pieceLacks = map[string]lack{
	"os.json":             {"the version of Windows", "systeminfo"},
	"services.json":       {"the services", "Get-Service | Format-List *"},
	"processes.json":      {"the processes", "Get-Process"},
	"features.json":       {"the Windows features", "doctor bundle"},
	"hotfixes.json":       {"the updates", "Get-HotFix"},
	"memory.json":         {"the memory", "systeminfo"},
	"disks.json":          {"the disks", "doctor bundle"},
	"firewall.json":       {"the firewall", "doctor bundle"},
	"certificates.json":   {"the certificates", "doctor bundle"},
	"security.json":       {"access lists and Defender", "doctor bundle"},
	"time.json":           {"the state of the clock", "doctor bundle"},
	"env.json":            {"the environment", "doctor bundle"},
	"events.json":         {"the event logs", "doctor bundle"},
	"files.json":          {"configuration files", "doctor bundle"},
	"pending-reboot.json": {"whether a reboot is pending", "doctor bundle"},
	"probes/reach.json":   {"whether anything can be reached", "doctor bundle"},
	"probes/dns.json":     {"answers to DNS questions", "doctor bundle"},
	"ports.json": {"the ranges of ports",
		"netsh int ipv4 show excludedportrange tcp; netsh int ipv4 show dynamicport tcp"},
	"adapters.json":      {"the network adapters", "ipconfig /allcompartments /all"},
	"dns-client.json":    {"the DNS settings of the node", "ipconfig /allcompartments /all"},
	"routes.json":        {"the routes", "route print"},
	"hns-networks.json":  {"the HNS networks", "Get-HnsNetwork | ConvertTo-Json -Depth 20"},
	"hns-endpoints.json": {"the HNS endpoints", "Get-HnsEndpoint | ConvertTo-Json -Depth 20"},
	"hns-loadbalancers.json": {"the HNS load balancers",
		"Get-HnsPolicyList | ConvertTo-Json -Depth 20"},
	"hns-namespaces.json": {"the HNS namespaces",
		"Get-HnsNamespace | ConvertTo-Json -Depth 20"},
	"hns-globals.json": {"the version of HNS", "Get-HnsNetwork | ConvertTo-Json -Depth 20"},
	"cri.json":         {"the state of the container runtime", "crictl info"},
	"api/node.json":    {"the Node object", "kubectl get node NODE -o yaml"},
	"api/version.json": {"the version of the API server", "kubectl version -o json"},
	"logs/kubelet":     {"a log of the kubelet", `Get-Content C:\var\log\kubelet\*.log -Tail 2000`},
	"logs/kube-proxy":  {"a log of kube-proxy", "kubectl logs -n kube-system KUBE-PROXY-POD"},
	"logs/containerd":  {"a log of containerd", "doctor bundle"},
	"logs/flanneld":    {"a log of flanneld", "kubectl logs -n kube-flannel FLANNEL-POD"},
}

func init() {
	for _, l := range apiLists {
		pieceLacks[l.path] = lack{l.words, l.ask}
	}
}
