package maskname

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// maxLearnt bounds the names of a hostile tree; a cluster has some thousand nodes.
const maxLearnt = 50_000

// learn makes masks for the names and has them searched for from now on.
func (n *Names) learn(l learner) {
	n.learning.Lock()
	defer n.learning.Unlock()
	old := n.table.Load()
	entries := map[string]entry{}
	maps.Copy(entries, old.entries)

	// What masks must not hold is known before the first is made.
	words := newTable(entries)
	words.parts = l.words(old.parts)
	n.table.Store(words)

	add := func(name string, e entry) { n.add(entries, name, e) }
	for _, domain := range slices.Sorted(maps.Keys(l.domains)) {
		for _, p := range parents(domain) {
			add(p, entry{mask: n.domain(p), domain: true, account: true})
			label, _, _ := strings.Cut(p, ".")
			const telling = 5 // shorter labels are words like corp and prod
			if !strings.Contains(p[len(label)+1:], ".") && len(label) >= telling &&
				!reserved(label) {
				add(label, entry{mask: n.label(label), account: true})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.hosts)) {
		n.learnHost(entries, name)
	}
	for _, name := range slices.Sorted(maps.Keys(l.users)) {
		if why := n.unsearchable(name); why != "" {
			n.unmasked[evidence.Clean(name)] = why
			continue
		}
		add(name, entry{mask: n.label(name), kind: user})
	}
	pairs := slices.Collect(maps.Keys(l.pairs))
	sorted.By(pairs, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, pair := range pairs {
		n.learnPair(entries, pair)
	}
	t := newTable(entries)
	t.parts = words.parts
	n.table.Store(t)
}

func (n *Names) learnHost(entries map[string]entry, name string) {
	label, _, dotted := strings.Cut(name, ".")
	if publicLabel(label) {
		return // its address is masked wherever it stands
	}
	if dotted {
		n.add(entries, name, entry{mask: n.domain(name), account: true})
	}
	if why := n.unsearchable(label); why != "" {
		n.unmasked[evidence.Clean(label)] = why
		return
	}
	mask := n.label(label)
	n.add(entries, label, entry{mask: mask, account: true})
	if ascii(label) && len(label) > netBIOS && label[netBIOS-1] != '-' {
		n.add(entries, label[:netBIOS], entry{mask: mask[:netBIOS], account: true})
	}
}

// publicLabel tells the label that AWS makes of a public address: ec2-52-1-2-3.
func publicLabel(label string) bool {
	_, digits, _ := strings.Cut(label, "-")
	a, end := dotted([]byte(digits), 0, '-')
	return end > 0 && end == len(digits) && public(a)
}

// learnPair has a user found with the domain, however short the name is alone.
func (n *Names) learnPair(entries map[string]entry, pair [2]string) {
	domain, name := pair[0], pair[1]
	if n.unsearchable(name) == "" {
		return
	}
	masked, at := n.label(domain), n.domain(domain)
	e := entry{kind: user}
	for _, slash := range []string{`\`, `\\`} {
		e.mask = masked + slash + n.label(name)
		if strings.Contains(domain, ".") {
			e.mask = at + slash + n.label(name)
		}
		n.add(entries, domain+slash+name, e)
	}
	if strings.Contains(domain, ".") {
		n.add(entries, name+"@"+domain, entry{kind: user, mask: n.label(name) + "@" + at})
	}
}

// unsearchable says why a name cannot be told from the words around it.
func (n *Names) unsearchable(name string) string {
	switch {
	case len(name) < minName:
		return fmt.Sprintf("too short to be distinguished from other words (fewer than %d letters)", minName)
	case strings.Trim(name, "0123456789.-_") == "":
		return "a number like any other"
	case reserved(name):
		return "a word that the evidence itself uses"
	}
	return ""
}

// add enters a name in the spellings that text holds.
func (n *Names) add(entries map[string]entry, name string, e entry) {
	// A name that stands for itself is a mask, learnt from masked evidence.
	if name == e.mask || len(entries) >= maxLearnt {
		return
	}
	for _, spelling := range []string{name, strings.ToUpper(name), titled(name)} {
		for _, text := range []string{spelling, escaped(spelling)} {
			key := lowered(text)
			if _, ok := entries[key]; !ok && len(key) >= minName && len(key) <= maxName {
				entries[key] = e
			}
			if ascii(name) {
				return
			}
		}
	}
}

func titled(name string) string {
	_, first := utf8.DecodeRuneInString(name)
	return strings.ToUpper(name[:first]) + name[first:]
}

// escaped spells a name as JSON in ASCII does: j\u00fcrgen.
func escaped(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, u)
		}
	}
	return b.String()
}

// lowered lowers ASCII letters alone, as the search does.
func lowered(name string) string {
	b := []byte(name)
	for i, c := range b {
		b[i] = folded[c]
	}
	return string(b)
}

// A learner collects what the evidence states, in small letters.
type learner struct {
	hosts, domains, users map[string]bool
	pairs                 map[[2]string]bool
}

func addTo[K comparable](set *map[K]bool, name K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	if len(*set) < maxLearnt {
		(*set)[name] = true
	}
}

// words adds the words that the names are made of to the ones before.
func (l learner) words(before map[string]bool) map[string]bool {
	words := map[string]bool{}
	maps.Copy(words, before)
	for _, set := range []map[string]bool{l.hosts, l.domains, l.users} {
		for name := range set {
			for word := range strings.FieldsFuncSeq(name, func(r rune) bool {
				return r < 0x80 && !isAlnum[byte(r)]
			}) {
				words[word] = true
			}
		}
	}
	return words
}

// host takes a name of a machine, with or without its domain.
func (l *learner) host(name string) {
	name = strings.ToLower(strings.Trim(strings.TrimSpace(name), `\.$`))
	if !nameLike(name) || name == "localhost" || name == "workgroup" {
		return
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return
	}
	addTo(&l.hosts, name)
	if _, domain, ok := strings.Cut(name, "."); ok {
		l.domain(domain)
	}
}

// domain takes a DNS suffix of the customer's.
func (l *learner) domain(name string) {
	name = strings.ToLower(strings.Trim(strings.TrimSpace(name), "."))
	if !nameLike(name) || !strings.Contains(name, ".") ||
		strings.HasSuffix("."+name, ".cluster.local") || strings.Contains("."+name+".", ".svc.") {
		return
	}
	addTo(&l.domains, name)
}

// user takes the name of an account, with or without its domain.
func (l *learner) user(account string) {
	account = strings.ToLower(strings.TrimSpace(account))
	domain, name, ok := strings.Cut(account, `\`)
	if !ok {
		name, domain, _ = strings.Cut(account, "@")
	}
	if wellKnownDomain(domain) || wellKnownAccount(name) {
		return
	}
	name = strings.TrimSuffix(name, "$")
	if domain != "." && nameLike(domain) {
		if strings.Contains(domain, ".") {
			l.domain(domain)
		} else {
			l.host(domain)
		}
		if nameLike(name) {
			addTo(&l.pairs, [2]string{domain, name})
		}
	}
	if nameLike(name) {
		addTo(&l.users, name)
	}
}

// nameLike tells a name from a variable, a path, or a whole sentence.
func nameLike(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsAny(s, "$%(){}[]<>:/\\\"'`,;|*?\r\n\t")
}
