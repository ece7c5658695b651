package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// What flanneld accepts on Windows, and what it takes where nothing is said.
const (
	leastVNI  = 4096
	vxlanPort = 4789
)

var _ = register(&checks.Check{
	ID:       "flannel-vxlan-config-invalid",
	Title:    "flannel VXLAN settings are not valid for Windows",
	Healthy:  "flannel VXLAN settings are valid for Windows",
	Category: checks.CategoryNetwork,
	FAQ:      []int{9},
	Doc: `Windows requires a VXLAN network identifier (VNI) of 4096 or more and UDP port 4789, and
knows neither DirectRouting nor GBP. Linux takes VNI 1 and port 8472 where the configuration says
nothing. The ConfigMap of flannel is for all nodes, so it must name 4096 and 4789 for both sides;
with the Linux settings flanneld on Windows ends, and with settings for Windows alone the two sides
cannot exchange packets.

The check reads net-conf.json on the node and in the ConfigMap, and the VNI that each node's
flanneld wrote on its Node object. A node of another backend, or of another VNI, is left out by this
one.`,
	Fix: checks.Steps(
		checks.Run("kubectl -n kube-flannel edit configmap kube-flannel-cfg",
			`Set "Type": "vxlan", "VNI": 4096 and "Port": 4789 in net-conf.json. Remove DirectRouting and GBP.`),
		checks.Run("kubectl -n kube-flannel rollout restart daemonset",
			"Restart flanneld on all nodes, Linux first.").
			Costs("Pod traffic between nodes stops until all nodes use the same settings."),
		checks.Run("{restart flanneld}", "Restart flanneld on this node if no DaemonSet runs it."),
		checks.Verify("Get-HnsNetwork | Where-Object Name -eq '{network}'",
			"the network {network}")),
	Links: []string{"https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md",
		"https://github.com/flannel-io/flannel/blob/master/pkg/backend/vxlan/vxlan_windows.go",
		"https://github.com/flannel-io/flannel/issues/833",
		"https://github.com/flannel-io/flannel/issues/1709"},
	Breaks: []*checks.Effect{effectFlanneld, effectSubnetEnv, effectHNSNetwork,
		effectCNIConfig, effectNodeReady, effectPodStart, effectServices, effectContainers},
	Explains: []string{"vxlan-4789-conflict", "source-vip-invalid", "rke2-flanneld-exit",
		"vxlan-return-path-missing"},
	Applies: checks.OnAll(checks.OnFlannel, checks.OnBackend(node.OverlayNet)),
	Needs: []evidence.Need{evidence.Any(append(node.AsFiles(node.NetConfs),
		evidence.ConfigMaps)...)},
	Uses: append(node.AsFiles(node.NetConfs), evidence.ConfigMaps, evidence.Nodes,
		evidence.Node),
	Signs: []checks.Sign{
		{Text: "invalid VXLAN backend config", Or: []string{"error decoding VXLAN backend config"},
			Until: subnetWritten,
			Says:  "flanneld refuses the VXLAN settings of net-conf.json"},
		{Text: "but it is required to be greater than or equal to 4096 on Windows",
			Or:   []string{"VNI is required to greater than or equal to 4096 on Windows"}, // 0.14 and 0.15
			Says: "flanneld ignores a node whose VNI is below 4096"},
		{Text: "ignoring non-vxlan subnet(", Level: checks.Warn,
			Says: "flanneld ignores a node that uses another backend"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		confs := vxlanConfs(s)
		var findings []*checks.Finding
		for _, c := range confs {
			for _, fault := range c.faults() {
				findings = append(findings, checks.Findingf(checks.Fail, c.of, "%s: %s", c.of,
					fault).With(c.from))
			}
		}
		findings = append(findings, nodesOfOtherBackends(s)...)
		if len(confs) == 0 && len(findings) == 0 {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("net-conf.json of the node or of flannel's ConfigMap"))
		}
		return findings, nil
	},
})

// A vxlanConf is one net-conf.json; shared where Linux nodes read it too.
type vxlanConf struct {
	evidence.FlannelBackend
	of     string
	shared bool
	from   evidence.Because
}

func vxlanConfs(s evidence.Snapshot) []vxlanConf {
	var list []vxlanConf
	add := func(b evidence.FlannelBackend, of string, place evidence.Place, shared bool) {
		if strings.EqualFold(b.Type, "vxlan") {
			from := place.Because("Backend: Type %s, VNI %s, Port %s", b.Type, orDefault(b.VNI),
				orDefault(b.Port))
			list = append(list, vxlanConf{b, of, shared, from})
		}
	}
	for f, c := range node.FlannelNetConfs(s) {
		add(c.Backend, "net-conf.json", f.Field("Backend"), false)
	}
	for _, cm := range evidence.ConfigMaps.In(s) {
		if c, err := evidence.DecodeFlannelNetConf([]byte(cm.Data["net-conf.json"])); err == nil &&
			strings.Contains(cm.Metadata.Name, "flannel") {
			add(c.Backend, "ConfigMap "+cm.Metadata.Name, cm.Field("data", "net-conf.json"),
				!strings.Contains(cm.Metadata.Name, "windows"))
		}
	}
	return list
}

func orDefault(n int) evidence.Phrase {
	if n == 0 {
		return evidence.Phrasef("not given")
	}
	return evidence.Phrasef("%d", n)
}

func (c vxlanConf) faults() []evidence.Phrase {
	var list []evidence.Phrase
	switch {
	case c.VNI != 0 && c.VNI < leastVNI:
		list = append(list, evidence.Phrasef("the VNI is %d, and Windows needs %d or more", c.VNI,
			leastVNI))
	case c.VNI == 0 && c.shared:
		list = append(list,
			evidence.Phrasef("no VNI is given: Linux nodes take 1, Windows nodes %d", leastVNI))
	}
	switch {
	case c.Port != 0 && c.Port != vxlanPort:
		list = append(list, evidence.Phrasef("the port is %d, and Windows knows only %d", c.Port,
			vxlanPort))
	case c.Port == 0 && c.shared:
		list = append(list,
			evidence.Phrasef("no port is given: Linux nodes take 8472, Windows nodes %d",
				vxlanPort))
	}
	if c.DirectRouting {
		list = append(list, evidence.Phrasef("DirectRouting is on, which Windows does not support"))
	}
	if c.GBP {
		list = append(list, evidence.Phrasef("GBP is on, which Windows does not support"))
	}
	if p := c.MacPrefix; p != "" && (len(p) != 5 || p[2] != '-') {
		list = append(list, evidence.Phrasef("MacPrefix is %q, and not of the form 0E-2A",
			evidence.Clean(p)))
	}
	return list
}

// What flanneld writes on its Node object.
const flannelKind, flannelData = "flannel.alpha.coreos.com/backend-type",
	"flannel.alpha.coreos.com/backend-data"

type flannelPeersKey struct{}

// flannelPeers are the nodes of each backend and VNI, as many as are quoted: in a fleet each node is
// compared with them, and not with thousands.
func flannelPeers(all []evidence.NodeObject) (list []evidence.NodeObject) {
	count := map[string]int{}
	for _, n := range all {
		backend := n.Metadata.Annotations[flannelKind]
		of := fmt.Sprint(backend, vniOf(n.Metadata.Annotations[flannelData]))
		if count[of]++; backend != "" && count[of] <= checks.MaxQuotes+1 { // one may be the node
			list = append(list, n)
		}
	}
	return list
}

// nodesOfOtherBackends are the nodes whose flanneld uses another backend or VNI than this node's.
func nodesOfOtherBackends(s evidence.Snapshot) []*checks.Finding {
	own, name := vniOf(evidence.Node.In(s).Metadata.Annotations[flannelData]), node.About(s).Name.Value
	var findings []*checks.Finding
	for _, other := range evidence.MemoOf(s, evidence.Nodes, flannelPeersKey{}, flannelPeers) {
		m := other.Metadata
		vni := vniOf(m.Annotations[flannelData])
		switch backend := m.Annotations[flannelKind]; {
		case m.Name == name:
		case !strings.EqualFold(backend, "vxlan"):
			findings = append(findings, checks.Findingf(checks.Warn, m.Name,
				"node %s uses the backend %s, and this node vxlan: their pods do not reach each other", m.Name, backend).
				At(other.Field("metadata", "annotations", flannelKind), "%s: %s is %s", m.Name,
					flannelKind, backend))
		case vni > 0 && vni < leastVNI || vni > 0 && own > 0 && vni != own:
			findings = append(findings, checks.Findingf(checks.Fail, m.Name,
				"node %s has the VNI %d, and this node %d: their pods do not reach each other",
				m.Name, vni, max(own, leastVNI)).
				At(other.Field("metadata", "annotations", flannelData), "%s: %s is %s", m.Name,
					flannelData, m.Annotations[flannelData]))
		}
	}
	if len(findings) > checks.MaxQuotes {
		findings = slices.Clip(findings[:checks.MaxQuotes]) // all Linux nodes tell the same
	}
	return findings
}

func vniOf(data string) int {
	var d struct{ VNI int }
	if json.Unmarshal([]byte(data), &d) != nil {
		return 0
	}
	return d.VNI
}
