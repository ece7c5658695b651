package evidence

import (
	"cmp"
	"strings"
)

// otherSystem is the error of a Node object whose node runs no Windows: what it shows must not be
// judged by the rules of Windows nodes.
type otherSystem struct{ name, system string }

func (o otherSystem) Error() string { return OtherSystem.Gap(o.name, o.system).String() }

// windowsNodeKind is objectKind for the Node object of the node that is judged.
func windowsNodeKind(path string) *Kind[NodeObject] {
	k := objectKind[NodeObject](path)
	decode := k.decode
	k.decode = func(b []byte) (any, *origin, error) {
		value, from, err := decode(b)
		n, _ := value.(NodeObject)
		if system := n.otherSystem(); err == nil && system != "" {
			err = otherSystem{cmp.Or(n.Metadata.Name, UnknownNode), system}
		}
		return value, from, err
	}
	return k
}

// otherSystem names the operating system of a node that does not run Windows. Tables of kubectl show
// the image and the kernel only, of which Windows has those of one version.
func (n NodeObject) otherSystem() string {
	info := n.Status.NodeInfo
	system := cmp.Or(info.OperatingSystem, n.Metadata.Labels["kubernetes.io/os"],
		n.Metadata.Labels["beta.kubernetes.io/os"])
	switch {
	case system == "linux", system == "" && info.OSImage != "" && info.KernelVersion != "" &&
		!strings.Contains(info.OSImage, "Windows") && !strings.HasPrefix(info.KernelVersion, "10.0."):
		return cmp.Or(info.OSImage, system)
	}
	return ""
}

// podsOfNode is the kind of the pods of the node that is judged.
func podsOfNode(path string) *Kind[[]Pod] {
	k := objectsKind[Pod](path)
	k.foreign = func(s Snapshot) Gap {
		if gap := Node.load(s).gap; gap.Code == OtherSystem {
			return gap
		}
		return Gap{}
	}
	return k
}
