package diff

import (
	"encoding/json"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// An identity is what a node does not share with others of its cluster. Texts are compared with
// placeholders in place of it.
type identity struct {
	names    []string // lower case, longest first
	own      map[netip.Addr]bool
	nodes    map[netip.Addr]bool // addresses of other nodes
	podCIDRs []netip.Prefix
	others   []netip.Prefix // podCIDRs of other nodes
}

// nodeShape is what is read of a Node object.
type nodeShape struct {
	Metadata struct{ Name string }
	Spec     struct {
		PodCIDR  string
		PodCIDRs []string
	}
	Status struct{ Addresses []struct{ Address string } }
}

func identify(s Side) identity {
	id := identity{own: map[netip.Addr]bool{}, nodes: map[netip.Addr]bool{}}
	name := s.Report.Node.Name
	id.addName(name)
	var node nodeShape
	if decode(s, "api/node.json", &node) {
		id.add(node, true)
	}
	var nodes struct{ Items []nodeShape }
	decode(s, "api/nodes.json", &nodes)
	for _, n := range nodes.Items {
		id.add(n, strings.EqualFold(n.Metadata.Name, name))
	}
	var adapters []struct{ Addresses []string }
	decode(s, "adapters.json", &adapters)
	for _, a := range adapters {
		for _, address := range a.Addresses {
			if p, err := netip.ParsePrefix(address); err == nil && !id.isPod(p.Addr()) {
				id.own[p.Addr()] = true
			}
		}
	}
	for _, path := range s.Paths {
		if strings.HasSuffix(path, "/subnet.env") {
			if text, err := s.Read(path); err == nil {
				id.addPodCIDR(evidence.DecodeFlannelSubnet(string(text)).Subnet)
			}
		}
	}
	sorted.By(id.names, func(a, b string) int { return len(b) - len(a) })
	return id
}

func decode(s Side, path string, v any) bool {
	if !slices.Contains(s.Paths, path) {
		return false
	}
	text, err := s.Read(path)
	return err == nil && json.Unmarshal(text, v) == nil
}

func (id *identity) add(n nodeShape, self bool) {
	for _, a := range n.Status.Addresses {
		switch addr, err := netip.ParseAddr(a.Address); {
		case err == nil && self:
			id.own[addr] = true
		case err == nil:
			id.nodes[addr] = true
		case self:
			id.addName(a.Address)
		}
	}
	if self {
		id.addName(n.Metadata.Name)
	}
	for _, cidr := range append(n.Spec.PodCIDRs, n.Spec.PodCIDR) {
		if self {
			id.addPodCIDR(cidr)
		} else if p, err := netip.ParsePrefix(cidr); err == nil {
			id.others = append(id.others, p.Masked())
		}
	}
}

// leastName keeps a short name from standing for letters in other words.
const leastName = 3

func (id *identity) addName(name string) {
	name = strings.ToLower(name)
	if len(name) >= leastName && name != evidence.UnknownNode && !slices.Contains(id.names, name) {
		id.names = append(id.names, name)
		if short, _, ok := strings.Cut(name, "."); ok {
			id.addName(short)
		}
	}
}

func (id *identity) addPodCIDR(cidr string) {
	if p, err := netip.ParsePrefix(cidr); err == nil && !slices.Contains(id.podCIDRs, p.Masked()) {
		id.podCIDRs = append(id.podCIDRs, p.Masked())
	}
}

func (id *identity) isPod(a netip.Addr) bool {
	return slices.ContainsFunc(id.podCIDRs, func(p netip.Prefix) bool { return p.Contains(a) })
}

var (
	guidText = regexp.MustCompile(`(?i)\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?`)
	macText  = regexp.MustCompile(`(?i)\b[0-9a-f]{2}(?:[-:][0-9a-f]{2}){5}\b`)
	timeText = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?`)
	hashText = regexp.MustCompile(`\b[0-9a-f]{40,64}\b`)
	addrText = regexp.MustCompile(`\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?|(?i)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:/\d{1,3})?`)
)

// common is a text as any node of the cluster would have it.
func (id *identity) common(text string) string {
	if len(text) > maxValue {
		text = text[:maxValue]
	}
	text = timeText.ReplaceAllString(text, "<time>")
	text = guidText.ReplaceAllString(text, "<guid>")
	text = macText.ReplaceAllString(text, "<mac>")
	text = hashText.ReplaceAllString(text, "<hash>")
	text = addrText.ReplaceAllStringFunc(text, id.address)
	return id.withoutNames(text)
}

const maxValue = 8 << 10

func (id *identity) address(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil {
		switch {
		case slices.Contains(id.podCIDRs, p.Masked()) && p.Bits() < p.Addr().BitLen():
			return "<podCIDR>"
		case slices.Contains(id.others, p.Masked()):
			return "<podCIDR of another node>"
		case id.own[p.Addr()] || id.nodes[p.Addr()] || id.isPod(p.Addr()):
			_, bits, _ := strings.Cut(text, "/")
			return id.addr(p.Addr(), text) + "/" + bits
		}
		return text
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return id.addr(a, text)
	}
	return text
}

func (id *identity) addr(a netip.Addr, text string) string {
	switch {
	case id.own[a]:
		return "<node IP>"
	case id.isPod(a):
		return "<pod IP>"
	case id.nodes[a]:
		return "<IP of another node>"
	}
	return text
}

func (id *identity) withoutNames(text string) string {
	lower := strings.ToLower(text)
	for _, name := range id.names {
		for from := 0; ; {
			i := strings.Index(lower[from:], name)
			if i < 0 {
				break
			}
			i += from
			end := i + len(name)
			// What follows a dash may be what was made for the node: win-1-ca.
			if i > 0 && isNameByte(lower[i-1]) || end < len(lower) && lower[end] != '-' && isNameByte(lower[end]) {
				from = end
				continue
			}
			const placeholder = "<node>"
			text = text[:i] + placeholder + text[end:]
			lower = lower[:i] + placeholder + lower[end:]
			from = i + len(placeholder)
		}
	}
	return text
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'
}
