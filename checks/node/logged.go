package node

import (
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// A startLine is what a component writes with its version when it starts.
type startLine struct {
	component string // as Node.Logged calls it
	text      evidence.Sign
	behind    string // what the version stands behind
}

// startLines are all that a pasted log, or a bundle without the objects of the API server, shows of
// the versions. Each is from its program's source.
var startLines = []startLine{
	{"kubelet", in("kubelet", `"Kubelet version" kubeletVersion="`), `kubeletVersion=`},
	{"kubelet", in("k3s", `"Kubelet version" kubeletVersion="`), `kubeletVersion=`}, // in its process
	{"kubelet", in("kubelet", "server.go:", "] Version: v1."), "Version: "},
	{"rke2", in("rke2", `msg="Starting rke2 agent v`), "rke2 agent "}, // and that of its kubelet
	// The folder of its programs is named after the tag of their image: pkg/bootstrap of RKE2.
	{"rke2", evidence.Sign{Text: "failed to extract runtime image", In: []string{"rke2", "other", evidence.InEvents},
		Innocent: true}, `\data\`},
	{"kube-proxy", in("kube-proxy", `"Version info" version="v`), "version="},
	{"kube-proxy", in("kube-proxy", "server.go:", "] Version: v1."), "Version: "},
	{"containerd", in("containerd", `msg="starting containerd"`, " version="), " version="},
	{"docker", in("docker", `msg="Docker daemon"`, " version="), " version="},
	{"azure-vnet", in("azure-vnet", "Plugin azure-vnet version v"), "version "}, // until 1.5
	{"azure-vnet", in("azure-vnet", `"msg":"Plugin Info"`, `"name":"azure-vnet"`), `"version":`},
	{"antrea", in("antrea", "Starting Antrea agent", "version"), "version"},
	{"calico", in("calico-node", "Felix starting up", " version="), " version="},
	{"calico", in("calico-node", "Starting node ", " with version v"), "with version "},
	{"azuredisk", in("csi-driver", "driver userAgent: disk.csi.azure.com/v"), "azure.com/"},
	{"azurefile", in("csi-driver", "driver userAgent: file.csi.azure.com/v"), "azure.com/"},
	{"azuredisk", in("csi-driver", `"name":"disk.csi.azure.com","vendor_version":"v`), `version":"`},
	{"azurefile", in("csi-driver", `"name":"file.csi.azure.com","vendor_version":"v`), `version":"`},
	{"ebs", in("csi-driver", "Driver: ebs.csi.aws.com Version: v"), "Version: "},
	{"ebs", in("csi-driver", `"Driver Information" Driver="ebs.csi.aws.com" Version="v`), "Version="},
	{"csi-proxy", in("csi-proxy", "] Version: v"), "Version: "},
}

// FactSigns are the start lines.
var FactSigns = factSigns()

func factSigns() []evidence.Sign {
	var list []evidence.Sign
	for _, l := range startLines {
		list = append(list, l.text)
		list[len(list)-1].Check = loggedVersion(l.component)
	}
	return list
}

func in(component, text string, also ...string) evidence.Sign {
	return evidence.Sign{Text: text, Also: also, In: []string{component}, Innocent: true}
}

// loggedVersion is what a component's start lines stand under in place of a check's id.
func loggedVersion(component string) string { return "the version of " + component + " in its log" }

var versionText = regexp.MustCompile(`^[="( \\]*(v?\d+\.\d+[-+.\w~]*)`)

// learnLogged takes the version from the last start line of each component.
func (n *Node) learnLogged(s evidence.Snapshot) {
	n.Logged = map[string]Fact[string]{}
	last := map[string]time.Time{}
	n.LoggedAt = last
	for _, l := range startLines {
		for _, m := range s.Signs(loggedVersion(l.component)) {
			line, at, when := m.Found, m.Place(), m.Time
			if m.Tail != "" {
				line, at.Line, when = m.Tail, m.LastLine, m.Last
			}
			if version := l.versionIn(line); version != "" && !when.Before(last[l.component]) {
				last[l.component] = when
				n.Logged[l.component] = Fact[string]{Value: version,
					From: at.Because("%s logged its version as %s", l.component, version)}
			}
		}
	}
}

func (l startLine) versionIn(line string) string {
	at := strings.Index(line, l.behind)
	if at < 0 || !l.text.Likes(strings.ToLower(line)) {
		return ""
	}
	m := versionText.FindStringSubmatch(line[at+len(l.behind):])
	if m == nil {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimRight(m[1], "."), "-windows-") // a tag cannot hold a plus sign
	return strings.Replace(version, "-rke2r", "+rke2r", 1)
}
