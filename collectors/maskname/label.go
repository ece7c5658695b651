package maskname

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const netBIOS = 15 // characters of a machine's name that old interfaces show

// Masks are drawn from letters that spell no name that checks look for in a longer one (csi, smb,
// hns, dns): with these a mask could change a verdict.
const maskLetters = "bcdfghjklmpqrtvwxz"

// label masks one label of a name, in small letters: letters become letters and
// digits digits, so that it stays legal wherever the name was. The first 15
// characters of the mask depend on the first 15 of the name alone, as NetBIOS
// cuts both.
func (n *Names) label(name string) string {
	return n.labels.get(strings.ToLower(name), func(name string, taken func(string) bool) string {
		refused := func(mask string) bool { return taken(mask) || mask == name || n.speaks(mask) }
		if a, ok := nodeAddress(name); ok {
			mask := name
			for try := 0; try < 100 && refused(mask); try++ {
				mask = n.addressLabel(a, "node"+strconv.Itoa(try))
			}
			return mask
		}
		if len(name) <= netBIOS || !ascii(name) {
			return n.choose("label", name, "", name, refused)
		}
		head := n.heads.get(name[:netBIOS], func(head string, taken func(string) bool) string {
			return n.choose("label", head, "", head, func(mask string) bool {
				return taken(mask) || n.speaks(mask)
			})
		})
		return n.choose("tail", name, head, name[netBIOS:], refused)
	})
}

// nodeAddress reads the label that AWS gives a node: ip-10-0-1-2.
func nodeAddress(name string) (a netip.Addr, ok bool) {
	if !strings.HasPrefix(name, "ip-") {
		return a, false
	}
	a, end := dotted([]byte(name), 3, '-')
	return a, end == len(name) && a.IsPrivate()
}

// addressLabel makes another label of that kind: of the same network, and as long.
func (n *Names) addressLabel(a netip.Addr, domain string) string {
	octets := a.As4()
	plain := octets
	kept := 2
	if octets[0] == 10 {
		kept = 1
	}
	label := "ip"
	for i := range octets {
		for digits := -1; i >= kept && digits != len(strconv.Itoa(int(plain[i]))); {
			octets[i] = n.octet(domain, plain[:i], octets[i], false)
			digits = len(strconv.Itoa(int(octets[i])))
		}
		label += "-" + strconv.Itoa(int(octets[i]))
	}
	return label
}

// choose makes masks of the shape of a text, behind a prefix, until one is not refused.
func (n *Names) choose(domain, name, prefix, shape string, refused func(string) bool) string {
	const tries = 2000
	mask := ""
	for try := range tries {
		mask = prefix + n.shaped(domain+strconv.Itoa(try), name, shape, prefix == "")
		if !refused(mask) {
			break
		}
	}
	return mask
}

// shaped draws a text of a shape: letters for letters, digits for digits. It may
// be the start of a name.
func (n *Names) shaped(domain, name, shape string, start bool) string {
	var b strings.Builder
	var stream [32]byte
	at := 0
	next := func() int {
		if at%16 == 0 {
			stream = n.digest(domain, append([]byte(name), 0, byte(at/16)))
		}
		v := int(stream[2*(at%16)]) | int(stream[2*(at%16)+1])<<8
		at++
		return v
	}
	for i, r := range shape {
		switch {
		case start && i == 0 && strings.ContainsRune("bfnrt", r):
			// Behind one backslash these letters are an escape of JSON, and would be none otherwise.
			b.WriteRune(r)
		case r >= '0' && r <= '9':
			b.WriteByte('0' + byte(next()%10))
		case unicode.IsLetter(r):
			b.WriteByte(maskLetters[next()%len(maskLetters)])
		case r < 0x80:
			b.WriteRune(r)
		default:
			b.WriteByte('x')
		}
	}
	return b.String()
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// speaks tells the masks that would be read as something: those that hold a
// word of the evidence or a word of a learnt name.
func (n *Names) speaks(mask string) bool {
	t := n.table.Load()
	for word := range strings.FieldsFuncSeq(mask, func(r rune) bool {
		return r < 0x80 && !isAlnum[byte(r)]
	}) {
		if strings.ContainsFunc(word, unicode.IsLetter) && len(word) >= minName &&
			(reserved(word) || t.parts[word]) {
			return true
		}
	}
	return false
}

// domain masks a dotted name, in small letters, label by label. The labels of a
// public service and the top level stay.
func (n *Names) domain(name string) string {
	own, kept := splitDomain(name)
	labels := strings.Split(own, ".")
	for i, l := range labels {
		if !staysInDomain(l) {
			labels[i] = n.label(l)
		}
	}
	return strings.TrimPrefix(strings.Join(labels, ".")+kept, ".")
}

// staysInDomain tells the labels that are an office and no name.
func staysInDomain(label string) bool {
	return len(label) < 2 || label[0] == '_' || label == "*" ||
		strings.Trim(label, "0123456789") == ""
}

// serviceDomain are domains of clouds and of Kubernetes itself: the same names for
// all their customers.
var serviceDomain = setOf(
	"cluster.local", "svc", "internal.cloudapp.net", "cloudapp.azure.com", "cloudapp.net",
	"compute.internal", "ec2.internal", "compute.amazonaws.com", "compute-1.amazonaws.com",
	"amazonaws.com", "amazonaws.com.cn", "aws.dev", "azure.com", "azure.net", "azure.us",
	"azure.cn", "azurecr.io", "azmk8s.io", "azureedge.net", "windows.net", "windows.com",
	"microsoft.com", "microsoftonline.com", "windowsupdate.com", "visualstudio.com", "office.com",
	"msftncsi.com", "msftconnecttest.com", "google.internal", "googleapis.com", "gcr.io", "pkg.dev",
	"google.com", "googleusercontent.com", "k8s.io", "kubernetes.io", "x-k8s.io",
	"projectcalico.org", "coreos.com", "antrea.io", "tigera.io", "cattle.io", "rancher.io",
	"rancher.com", "containerd.io", "docker.io", "docker.com", "quay.io", "ghcr.io", "github.com",
	"githubusercontent.com", "gmail.com", "outlook.com", "in-addr.arpa", "ip6.arpa", "nip.io",
	"sslip.io", "xip.io", "vmware.com", "redhat.com", "redhat.io", "openshift.io", "ntp.org",
	"digicert.com", "example.com", "example.org", "example.net")

// splitDomain parts a dotted name in small letters into the customer's own
// labels and what stays, with the dot before it.
func splitDomain(name string) (own, kept string) {
	for i := 0; i >= 0 && i < len(name); {
		if serviceDomain[name[i:]] {
			own = strings.TrimSuffix(name[:i], ".")
			if j := strings.LastIndexByte(own, '.'); region.MatchString(own[j+1:]) {
				i, own = j+1, own[:max(j, 0)]
			}
			return own, "." + name[i:]
		}
		dot := strings.IndexByte(name[i:], '.')
		if dot < 0 {
			break
		}
		i += dot + 1
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, ""
	}
	if j := strings.LastIndexByte(name[:i], '.'); j >= 0 && len(name)-i == 3 {
		switch name[j+1 : i] {
		case "co", "com", "org", "net", "gov", "edu", "ac", "or", "ne", "go":
			i = j
		}
	}
	return name[:i], name[i:]
}

// region is a region of AWS: eu-central-1.
var region = regexp.MustCompile(`^[^-]{2}-(?s:.*)-[0-9]$`)

// parents returns a domain and those above it that are the customer's: for
// a.b.c.com itself, b.c.com and c.com.
func parents(name string) []string {
	own, kept := splitDomain(name)
	var list []string
	for own != "" {
		list = append(list, own+kept)
		_, rest, ok := strings.Cut(own, ".")
		if !ok {
			break
		}
		own = rest
	}
	return list
}
