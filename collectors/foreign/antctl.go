package foreign

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// antctl is what one Windows node's agent put into the bundle of `antctl
// supportbundle`. The bundle's own folder around it holds clusterinfo; the
// agents of Linux nodes leave other files, and are not recognised.
var antctl = format{
	name:      "antctl-supportbundle",
	marks:     "a Windows agent in the output of antctl supportbundle (HNSNetwork, HNSEndpoint and network-adapters in one folder)",
	recognise: isAntctlAgent,
	inside:    func(child string) bool { return strings.EqualFold(child, "logs") },
	nodeName:  antctlName,
	convert:   convertAntctl,
}

var (
	antctlWindows = []string{"hnsnetwork", "hnsendpoint", "network-adapters"}
	antctlOthers  = []string{"agentinfo", "ipconfig", "routes", "flows", "groups", "ovsports",
		"networkpolicies", "appliedtogroups", "addressgroups"}
)

func isAntctlAgent(folder listing) bool {
	own, others := folder.count(antctlWindows...), folder.count(antctlOthers...)
	return own >= 2 || own == 1 && others >= 2
}

// antctlArchive is the name of a node's archive, or of the folder that somebody
// unpacked it to: agent_<node>.tar.gz, <collection>_<node>.tar.gz over SFTP.
var antctlArchive = regexp.MustCompile(`^[^/]*?_([A-Za-z0-9][A-Za-z0-9.-]*)$`)

// antctlName is the Node's name as the agent knows it, then that in the
// archive's name, and the computer's at last.
func antctlName(src *source) string {
	if name := agentNode(src.text("agentinfo").content); name != "" {
		return name
	}
	for _, dir := range []string{path.Base(src.root), path.Base(path.Dir(src.root))} {
		if strings.HasPrefix(strings.ToLower(dir), "support-bundles") {
			break
		}
		m := antctlArchive.FindStringSubmatch(archiveEnd.ReplaceAllString(dir, ""))
		if m != nil &&
			hostNamePattern.MatchString(m[1]) {
			return m[1]
		}
	}
	return hostName(src.text("ipconfig").content)
}

// agentNode reads the name of the Node from agentinfo, whose keys the encoder writes in lower case.
func agentNode(s string) string {
	var info struct{ NodeRef struct{ Name string } }
	if len(s) > maxAgentInfo || unmarshalYAML(s, &info) != nil {
		return ""
	}
	return hostNamePattern.FindString(info.NodeRef.Name)
}

const maxAgentInfo = 1 << 20

const antctlTool = "antctl supportbundle"

// antctlLacks is what antctl keeps elsewhere, or in part.
var antctlLacks = map[string]evidence.Gap{
	"api/node.json": missingf(
		"the Node object is in clusterinfo, which is next to the agents' archives in the bundle's folder; give doctor the whole folder, or collect `kubectl get node NODE -o json`"),
	"api/nodes.json": missingf(
		"the Node objects are in clusterinfo, which is next to the agents' archives in the bundle's folder; give doctor the whole folder, or collect `kubectl get nodes -o json`"),
	"api/pods.json": missingf(
		"the pods are in clusterinfo, which is next to the agents' archives in the bundle's folder; give doctor the whole folder, or collect `kubectl get pods -A -o json`"),
	"api/daemonsets.json": missingf(
		"the DaemonSets are in clusterinfo, which is next to the agents' archives in the bundle's folder; give doctor the whole folder, or collect `kubectl get daemonsets -A -o json`"),
	"api/configmaps.json": missingf(
		"%s collects Antrea's own ConfigMaps only; collect `kubectl get configmaps -n kube-system -o json`", antctlTool),
}

func convertAntctl(src *source, out *output) {
	name := antctlName(src)
	networks := convertAntctlHNS(src, out)
	ran := firstFitting(stampIn(src.root),
		src.newest(slices.Concat(antctlWindows, antctlOthers)...))
	out.meta(src, "antctl", name, ran, networks > 0) // HNS answers administrators only

	ip, routes := src.text("ipconfig"), src.text("routes")
	for _, t := range []*textFile{&ip, &routes} {
		if t.missing {
			t.gap = missingf("%s is not in the agent's archive; %s", t.name, runBundle)
		}
	}
	net := interfaces{ip: ip, sections: parseIPConfig(ip.content),
		adapterOf: netAdaptersOf(printed(src.text("network-adapters").content))}
	out.write("adapters.json")(net.adapters())
	out.write("dns-client.json")(net.dnsClient())
	out.write("routes.json")(readRoutes(routes, net))

	for dir, component := range map[string]string{"agent": "antrea-agent", "ovs": "ovs",
		"kubelet": "kubelet"} {
		out.logs(src.folder("logs/"+dir), func(string) bool { return true },
			func(string) string { return component })
	}
	convertClusterInfo(src, out, name)
	out.uncollected(antctlTool, antctlLacks)
}

// lostList stands where PowerShell's list cut inner values off, as readers of
// HNS know it from elsewhere.
const lostList = "System.Object[]"

// convertAntctlHNS takes from PowerShell's lists what is one word. They show at most four items of
// a list, and of an inner object less, so that no list of exceptions can be believed; such a policy
// that is not there would acquit or accuse the wrong one.
func convertAntctlHNS(src *source, out *output) (networks int) {
	const ask = "collect `Get-HnsNetwork | ConvertTo-Json -Depth 20` and `Get-HnsEndpoint | ConvertTo-Json -Depth 20`, or " + runBundle
	t := src.text("HNSNetwork")
	list := []map[string]any{}
	for _, block := range parseFormatList(t.content) {
		if block["Name"] == "" || block["Type"] == "" {
			continue
		}
		n := map[string]any{"Subnets": lostList, "Policies": lostList, "Extensions": lostList}
		for _, key := range []string{"ID", "Name", "Type", "ManagementIP", "NetworkAdapterName"} {
			if v := block[key]; v != "" && !strings.ContainsAny(v, "{}@") &&
				!strings.HasSuffix(v, "...") {
				n[key] = v
			}
		}
		list = append(list, n)
	}
	switch {
	case len(list) > 0:
		out.JSON("hns-networks.json", list)
	case t.missing:
		out.Gap("hns-networks.json", missingf("HNSNetwork is not in the agent's archive; %s", ask))
	case t.gap.Kind != "":
		out.Gap("hns-networks.json", t.gap)
	case t.empty():
		out.Gap("hns-networks.json", brokenf(
			"HNSNetwork is empty: PowerShell writes nothing both for no network and for no rights; %s", ask))
	default:
		out.Gap("hns-networks.json", failureGap(t.name, t.content))
	}
	out.Gap("hns-endpoints.json", missingf(
		"%s takes HNSEndpoint as PowerShell's list, which shows four items of a list at most: the policies of endpoints, such as OutBoundNAT's exceptions, cannot be read from it; %s", antctlTool, ask))
	return len(list)
}

// around is the nearest folder above the agent's that holds clusterinfo or failed_nodes: one level
// up, or two where somebody unpacked the archive into a folder of its own.
func (s *source) around(names ...string) *source {
	dir := s.root
	for range 3 {
		if dir == "." {
			break
		}
		dir = path.Dir(dir)
		entries, err := fs.ReadDir(s.fsys, dir)
		if err != nil {
			break
		}
		if l := newListing(dir, entries); l.count(names...) > 0 {
			return &source{fsys: s.fsys, root: dir, names: l, texts: map[string]textFile{},
				placed: s.placed}
		}
	}
	return nil
}
