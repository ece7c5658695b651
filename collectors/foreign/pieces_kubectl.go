package foreign

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
)

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
	if version := kubectlVersion(p.texts[partVersion]); version != nil && p.objects.version == nil {
		out.JSON("api/version.json", version)
	}
	if list := readNodeTable(nodes); len(list) > 0 && len(p.objects.lists["Node"]) == 0 {
		out.JSON("api/nodes.json", map[string]any{"kind": "NodeList", "items": list})
		if version, ok := osOfNode(nodes, node); ok && !out.Has("os.json") {
			out.JSON("os.json", version)
		}
	}
	if pods := readDescribedPods(described, node); len(pods) > 0 &&
		len(p.objects.lists["Pod"]) == 0 {
		list := map[string]any{"kind": "PodList", "items": pods}
		if cut := cutPods(described); len(cut) > 0 {
			out.partial("api/pods.json", "a description without its beginning or end", cut, list)
		} else {
			out.JSON("api/pods.json", list)
		}
	}
	for _, l := range apiLists {
		kind := map[string]partKind{"Service": partServices, "EndpointSlice": partEndpoints,
			"DaemonSet": partDaemonSets}[l.kind]
		if p.texts[kind] != "" && len(p.objects.lists[l.kind]) == 0 {
			out.partial(l.path, string(kind), rowsOf(p.texts[kind]), nil)
		}
	}
	for path, list := range map[string][]kubeObject{"api/ippools.json": readPoolTable(p.texts[partIPPools]),
		"api/ipamconfigs.json": readIPAM(p.texts[partIPAM])} {
		if len(list) > 0 {
			out.JSON(path, kubeList("List", list))
		}
	}
	for _, d := range []struct{ path, has string }{{"api/services.json", "Session Affinity"},
		{"api/daemonsets.json", "Desired Number of Nodes Scheduled"}} {
		var rows []string
		for _, object := range splitDescribed(described) {
			if s := describeSections(object); s[d.has].key != "" {
				rows = append(rows, clip(strings.Join(strings.Fields(s["Namespace"].value+"/"+s["Name"].value+" "+s["IP"].value+
					" "+s["Pods Status"].value+" "+s["Endpoints"].value), " ")))
			}
		}
		out.partial(d.path, string(partDescribe), rows, nil)
	}
	if len(p.lookups) > 0 {
		out.JSON(evidence.DNSProbes.Path(), p.lookups)
	}
	broken := brokenDescriptions(described, node)
	if len(p.objects.lists["Node"]) == 0 {
		out.partial("api/node.json", "a description without its beginning or end", broken.nodes,
			broken.node)
		if part, name, shown := p.objects.partOfNode(); name == "" || node == "" || strings.EqualFold(name, node) {
			out.partial("api/node.json", "a part of a Node", shown, part)
		}
		row, shown := rowOfNode(nodes, node)
		out.partial("api/node.json", "kubectl get nodes", shown, row)
	}
	if len(p.objects.lists["Pod"]) == 0 {
		rows, pods := podRows(p.texts[partPods], node, broken.parts)
		source := "kubectl get pods"
		if len(broken.pods) > 0 {
			rows, source = append(broken.pods, rows...), "a description without its beginning or end"
		}
		for _, part := range p.objects.podParts {
			rows, source = append(rows, shownContainers(part)), "a part of a Pod"
			pods = append(pods, map[string]any{"metadata": map[string]string{"name": notShown, "namespace": "default"},
				"spec": map[string]any{}, "status": part["status"]})
		}
		out.partial("api/pods.json", source, rows, map[string]any{"kind": "PodList",
			"items": pods})
	}
	events := slices.Concat(readDescribedEvents(described, ran),
		readEventTable(p.texts[partEvents], ran), readEventRows(p.texts[partEventRows]+p.eventRows.String(), ran))
	if len(events) > 0 && len(p.objects.lists["Event"]) == 0 {
		out.JSON("api/events.json", map[string]any{"kind": "EventList", "items": events})
		p.excerpts = append(p.excerpts, evidence.LogRecord{Path: "api/events.json", Excerpt: true})
	}
}

// seenHeads are the heads of old versions, each as wide as before.
var seenHeads = strings.NewReplacer("LASTSEEN ", "LAST SEEN", "FIRSTSEEN ", "FIRST SEEN")

// readEventTable reads `kubectl get events`, with or without -A and -o wide.
func readEventTable(s string, ran time.Time) []map[string]any {
	var list []map[string]any
	rows, _ := readColumns(s, 2, "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE")
	if len(rows) == 0 { // before Kubernetes 1.14, with the name of the event
		rows, _ = readColumns(seenHeads.Replace(s), 2, "LAST SEEN", "NAME", "KIND", "TYPE", "REASON", "MESSAGE")
		for _, row := range rows {
			row["OBJECT"] = row["KIND"] + "/" + strings.TrimSuffix(row["NAME"], path.Ext(row["NAME"]))
		}
	}
	for _, row := range rows {
		kind, name, ok := strings.Cut(row["OBJECT"], "/")
		if !ok {
			continue
		}
		about := map[string]string{"kind": capitalKind(kind), "name": name}
		if namespace := row["NAMESPACE"]; namespace != "" && kind != "node" {
			about["namespace"] = namespace
		}
		e := map[string]any{"type": row["TYPE"], "reason": row["REASON"],
			"message": row["MESSAGE"], "involvedObject": about}
		setAge(e, row["LAST SEEN"], ran)
		if n := number(row["COUNT"]); n > 0 {
			e["count"] = n
		}
		list = append(list, e)
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

var kernelOfNode = regexp.MustCompile(`^10\.0\.(\d{5})(?:\.(\d{1,6}))?$`)

// readNodeTable reads `kubectl get nodes`. It shows no podCIDR, no taints and no conditions but
// one, so that its rows are other nodes to look at, and none to judge.
func readNodeTable(s string) []map[string]any {
	list := []map[string]any{}
	for _, row := range nodeRows(s) {
		status := map[string]any{"nodeInfo": map[string]string{
			"kubeletVersion": row["VERSION"], "osImage": row["OS-IMAGE"],
			"kernelVersion":           row["KERNEL-VERSION"],
			"containerRuntimeVersion": row["CONTAINER-RUNTIME"]}}
		if ip := row["INTERNAL-IP"]; ip != "" && ip != "<none>" {
			status["addresses"] = []map[string]string{{"type": "InternalIP", "address": ip}}
		}
		ready := "True"
		if strings.HasPrefix(row["STATUS"], "NotReady") {
			ready = "False"
		}
		status["conditions"] = []map[string]string{{"type": "Ready", "status": ready}}
		list = append(list, map[string]any{"metadata": map[string]string{"name": row["NAME"]}, "status": status})
	}
	return list
}

// windowsPodName tells by its name a pod that runs on Windows nodes only.
var windowsPodName = regexp.MustCompile(`(?:^|-)(?:windows|win)(?:-|$)`)

// nodesOfRows are the nodes of pods that run on Windows only. Behind them are those that run Windows by
// their own names and have a pod that cannot pull its image.
func nodesOfRows(s string) (names []string) {
	rows, _ := readColumns(s, 2, "NAME", "READY", "STATUS")
	var named []string
	for _, row := range rows {
		if windowsPodName.MatchString(row["NAME"]) && row["NODE"] != "" {
			names = append(names, row["NODE"])
		}
		if evidence.NamesWindows(row["NODE"]) && slices.Contains([]string{"ErrImagePull", "ImagePullBackOff"}, row["STATUS"]) {
			named = append(named, row["NODE"])
		}
	}
	return append(names, named...)
}

// podRows are the pods of `kubectl get pods`, each with its state and node; and as objects, as far
// as a row goes, those that are surely of the node, behind those that descriptions show in part. A
// description that ends above the status has that of the row.
func podRows(s, node string, shown []map[string]any) (list []string, pods []map[string]any) {
	rows, _ := readColumns(s, 2, "NAME", "READY", "STATUS")
	pods = slices.Clone(shown)
	// those of kube-system are of interest where none has a node: the cluster may have none for them
	idle := !slices.ContainsFunc(rows, func(row map[string]string) bool {
		return row["NAMESPACE"] == "kube-system" && row["STATUS"] != "Pending"
	})
	for _, row := range rows {
		name, on, status := strings.TrimPrefix(row["NAME"], "pod/"), strings.TrimPrefix(row["NODE"], "<none>"), row["STATUS"]
		list = append(list, strings.TrimSpace(name+" "+row["READY"]+" "+status+" "+on))
		if at := slices.IndexFunc(shown, func(pod map[string]any) bool {
			return pod["metadata"].(map[string]any)["name"] == name
		}); at >= 0 {
			if pods[at]["status"].(map[string]any)["phase"] == "" {
				pods[at]["status"] = podOfRow(name, "", "", status, row["READY"], 0)["status"]
			}
			continue
		}
		here := on != "" && strings.EqualFold(on, node) || on == "" && (windowsPodName.MatchString(name) || idle && row["NAMESPACE"] == "kube-system")
		if restarts, _, _ := strings.Cut(row["RESTARTS"], " "); here {
			pods = append(pods, podOfRow(name, row["NAMESPACE"], on, status, row["READY"], number(restarts)))
		}
	}
	return list, pods
}

// podOfRow is a pod as far as a row goes. Its state is the phase, or why one of its containers waits.
func podOfRow(name, namespace, node, state, ready string, restarts int) map[string]any {
	status := map[string]any{"phase": state}
	up, all, _ := strings.Cut(ready, "/")
	why, initial := strings.CutPrefix(state, "Init:")
	count := initial && strings.Contains(why, "/") // of the init containers that are done, of which one may run
	if !count && !slices.Contains([]string{"Pending", "Running", "Succeeded", "Failed", "Unknown"}, state) {
		list := "containerStatuses"
		if status["phase"] = "Pending"; initial {
			list = "initContainerStatuses"
		} else if strings.HasPrefix(state, "Crash") {
			status["phase"] = "Running"
		}
		status[list] = []map[string]any{{"name": "(not shown)", "ready": up == all && !initial,
			"restartCount": restarts, "state": map[string]any{"waiting": map[string]string{"reason": why}}}}
	}
	spec := map[string]string{}
	if node != "" {
		spec["nodeName"] = node
	}
	return map[string]any{"metadata": map[string]string{"name": name, "namespace": namespace},
		"spec": spec, "status": status}
}

func nodeRows(s string) []map[string]string {
	rows, _ := readColumns(s, 2, "NAME", "STATUS", "VERSION")
	for _, row := range rows {
		row["NAME"] = strings.TrimPrefix(row["NAME"], "node/") // of several kinds in one table
	}
	return rows
}

// windowsNodeName tells by its name a node that runs Windows, where nothing else does.
var windowsNodeName = regexp.MustCompile(`(?i)(?:^|[^r])win|w2k|ltsc|^ec2amaz`)

// windowsRow is the name of the node that a table is about: the only one that runs Windows, or of
// several the only one that the text around the table names, or that is not ready. `-o wide` shows what
// runs Windows, otherwise names do.
func windowsRow(s, around string) string {
	var names, sick, named []string
	for _, row := range nodeRows(s) {
		os, name := row["OS-IMAGE"], row["NAME"]
		if strings.HasPrefix(os, "Windows") || os == "" && (windowsNodeName.MatchString(name) ||
			kernelOfNode.MatchString(row["KERNEL-VERSION"])) {
			names = append(names, name)
			if strings.Count(around, name) > strings.Count(s, name) {
				named = append(named, name)
			}
			if strings.HasPrefix(row["STATUS"], "NotReady") {
				sick = append(sick, name)
			}
		}
	}
	switch {
	case len(names) == 1:
		return names[0]
	case len(named) == 1:
		return named[0]
	case len(sick) == 1:
		return sick[0]
	}
	return ""
}

// rowOfNode is the row of one node: what it states of versions and of being ready is a part of the
// Node object. The reason is in no row. Without a name it is what all Windows nodes of the table have
// in common.
func rowOfNode(s, node string) (part map[string]any, shown []string) {
	for _, row := range nodeRows(s) {
		if node == "" && kernelOfNode.MatchString(row["KERNEL-VERSION"]) { // several
			shown = append(shown, strings.Join([]string{row["NAME"], row["STATUS"], row["VERSION"], row["KERNEL-VERSION"], row["CONTAINER-RUNTIME"]}, " "))
		}
	}
	if info := commonOfRows(s); node == "" && len(info) > 0 {
		return map[string]any{"status": map[string]any{"nodeInfo": info}}, shown
	}
	for _, o := range readNodeTable(s) {
		name := o["metadata"].(map[string]string)["name"]
		if node == "" || !strings.EqualFold(name, node) {
			continue
		}
		ready := o["status"].(map[string]any)["conditions"].([]map[string]string)[0]
		if ready["status"] == "True" {
			return o, []string{name + " Ready"}
		}
		// a row does not tell False from Unknown, which is another fault
		ready["status"], ready["reason"] = "not True", "NotReady"
		ready["message"] = "kubectl describe node shows why"
		return o, []string{name + " NotReady"}
	}
	return nil, shown
}

// commonOfRows are the versions that are the same in all rows of Windows nodes: whichever node of
// several the text is about, it has them.
func commonOfRows(s string) map[string]string {
	info := map[string]string{}
	first := true
	for _, row := range nodeRows(s) {
		if !kernelOfNode.MatchString(row["KERNEL-VERSION"]) {
			continue
		}
		for field, column := range map[string]string{"kubeletVersion": "VERSION", "osImage": "OS-IMAGE",
			"kernelVersion": "KERNEL-VERSION", "containerRuntimeVersion": "CONTAINER-RUNTIME"} {
			if first && row[column] != "" {
				info[field] = row[column]
			} else if info[field] != row[column] {
				delete(info, field)
			}
		}
		first = false
	}
	return info
}

// osOfNode is the Windows of a node, with its revision, which no other output of AKS has.
func osOfNode(s, node string) (version evidence.OS, ok bool) {
	for _, row := range nodeRows(s) {
		m := kernelOfNode.FindStringSubmatch(row["KERNEL-VERSION"])
		if m != nil && strings.EqualFold(row["NAME"], node) {
			version, ok = evidence.OS{ProductName: row["OS-IMAGE"], Build: number(m[1]),
				UBR: number(m[2])}, true
		}
	}
	return version, ok
}

// calicoInstallation is the kind of the operator's settings.
const calicoInstallation = "Installation"

// poolModes are the modes of an IPPool by the encapsulation of the operator's Installation.
var poolModes = map[string][2]string{ // ipipMode, vxlanMode
	"": {"Always", "Never"}, "IPIP": {"Always", "Never"}, "IPIPCrossSubnet": {"CrossSubnet", "Never"},
	"VXLAN": {"Never", "Always"}, "VXLANCrossSubnet": {"Never", "CrossSubnet"}, "None": {"Never", "Never"},
}

// poolsOf are the IPPools that the operator of Calico makes of an Installation.
func poolsOf(installation kubeObject) (pools []kubeObject) {
	var spec struct {
		CalicoNetwork struct {
			IPPools []struct{ Name, CIDR, Encapsulation, NodeSelector string }
		}
	}
	if json.Unmarshal(installation["spec"], &spec) != nil {
		return nil
	}
	for _, p := range spec.CalicoNetwork.IPPools {
		if modes, known := poolModes[p.Encapsulation]; known {
			pools = append(pools, ipPool(cmp.Or(p.Name, p.CIDR), p.CIDR, modes[0], modes[1], p.NodeSelector))
		}
	}
	return pools
}

func ipPool(name, cidr, ipip, vxlan, selector string) kubeObject {
	return kubeObject{"kind": jsonOf("IPPool"), "metadata": jsonOf(map[string]string{"name": name}),
		"spec": jsonOf(map[string]string{"cidr": cidr, "ipipMode": ipip, "vxlanMode": vxlan,
			"nodeSelector": selector})}
}

// readPoolTable reads `calicoctl get ippool -o wide`. Pools that give no more addresses are left out.
func readPoolTable(s string) (pools []kubeObject) {
	rows, _ := readColumns(s, 2, "NAME", "CIDR", "IPIPMODE", "VXLANMODE", "DISABLED", "SELECTOR")
	for _, row := range rows {
		if row["DISABLED"] != "true" {
			pools = append(pools, ipPool(row["NAME"], row["CIDR"], row["IPIPMODE"], row["VXLANMODE"],
				row["SELECTOR"]))
		}
	}
	return pools
}

// affinity is the row of `calicoctl ipam show --show-configuration`.
var affinity = regexp.MustCompile(`(?m)^\|? *StrictAffinity *\|? *(true|false)\b`)

// readIPAM reads what calicoctl prints of the IPAM configuration.
func readIPAM(s string) (configs []kubeObject) {
	if m := affinity.FindStringSubmatch(s); m != nil {
		configs = append(configs, kubeObject{"kind": jsonOf("IPAMConfig"),
			"metadata": jsonOf(map[string]string{"name": "default"}),
			"spec":     jsonOf(map[string]bool{"strictAffinity": m[1] == "true"})})
	}
	return configs
}
