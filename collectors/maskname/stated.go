package maskname

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
)

// A field says what its value is.
type field struct {
	kind   kind
	before []string // what may stand before its last word; "" where it is one word
	equals bool     // it is one only before =
}

// fields are those whose values are names, wherever they stand, by their last word: in events,
// connection strings, environments.
var fields = map[string][]field{
	"targetusername":  {{kind: user, before: []string{""}}},
	"subjectusername": {{kind: user, before: []string{""}}},
	"samaccountname":  {{kind: user, before: []string{""}}},
	"accountname":     {{kind: user, before: []string{""}}},
	"username":        {{kind: user, before: []string{""}, equals: true}},
	"name": {{kind: user, before: []string{"account", "user", "logon"}},
		{kind: host, before: []string{"workstation", "computer"}}},
	"user":              {{kind: user, before: []string{"net"}}},
	"targetdomainname":  {{kind: host, before: []string{""}}},
	"subjectdomainname": {{kind: host, before: []string{""}}},
	"workstationname":   {{kind: host, before: []string{""}}},
	"workstation":       {{kind: host, before: []string{"source"}}},
	"computername":      {{kind: host, before: []string{""}}},
	"userdomain":        {{kind: host, before: []string{""}, equals: true}},
	"logonserver":       {{kind: host, before: []string{""}, equals: true}},
	"domain":            {{kind: host, before: []string{"account", "user"}}},
	"server":            {{kind: host, before: []string{""}, equals: true}},
	"source":            {{kind: host, before: []string{"data"}, equals: true}},
}

// stated masks the value of a field of names, whose last word is at the index.
func (s *scan) stated(at, end int) int {
	const shortest, longest = 4, 17
	if end-at < shortest || end-at > longest {
		return 0
	}
	var word [longest]byte // on the stack: this is asked of every word of a bundle
	for i, c := range s.text[at:end] {
		word[i] = folded[c]
	}
	for _, f := range fields[string(word[:end-at])] {
		if s.behindWord(at, f.before) {
			return s.valueOf(f, end)
		}
	}
	return 0
}

// valueOf masks what stands behind a field that ends at the index.
func (s *scan) valueOf(f field, end int) int {
	t, start := s.text, end
	if f.before[0] == "net" {
		if start = skip(t, end, " \t"); start == end {
			return 0
		}
	} else {
		start = skip(t, start, quotes)
		if start >= len(t) || t[start] != '=' && (f.equals || t[start] != ':' && t[start] != '>') {
			return 0
		}
		start = skip(t, skip(t, start+1, " \t"), quotes)
	}
	stop := userEnd(t, start, maxName)
	if stop == start || stop < len(t) && strings.IndexByte("(:/", t[stop]) >= 0 ||
		bytes.HasPrefix(t[stop:], []byte(" AUTHORITY")) {
		return 0
	}
	if f.kind == user && stop < len(t) && t[stop] != '\\' {
		return s.someone(start, stop, 0)
	}
	done := s.machine(start, stop)
	if done > 0 && f.kind == user {
		return s.account(done) // behind its domain
	}
	return done
}

const quotes = `'"\`

// skip returns the first index from i on where there is none of the signs.
func skip(t []byte, i int, signs string) int {
	for i < len(t) && strings.IndexByte(signs, t[i]) >= 0 {
		i++
	}
	return i
}

// behindWord tells whether the index stands behind a blank and one of the words; "" is any place.
func (s *scan) behindWord(at int, words []string) bool {
	if words[0] == "" {
		return true
	}
	if at == 0 || s.text[at-1] != ' ' {
		return false
	}
	for _, word := range words {
		if from := at - 1 - len(word); from >= 0 && startsFold(s.text[from:], word) && startsWord(s.text, from) {
			return true
		}
	}
	return false
}

// machine masks a name of a machine or a domain between two indexes, 0 where it is none.
func (s *scan) machine(start, stop int) int {
	name := strings.ToLower(string(s.text[start:stop]))
	if _, err := netip.ParseAddr(name); err == nil || len(name) < minName || !nameLike(name) ||
		wellKnownDomain(name) || name == "localhost" || name == "workgroup" || strings.Trim(name, "0123456789.-") == "" {
		return 0
	}
	if _, e := s.table.find(s.text, start); e > 0 {
		return 0 // the scan comes to it
	}
	if strings.Contains(name, ".") {
		return s.foreign(start, stop)
	}
	if reserved(name) {
		return 0
	}
	return s.putLabel(start, stop, host)
}

// foreign masks a dotted name but for the domain of a service or its top level.
func (s *scan) foreign(start, stop int) int {
	name := strings.ToLower(string(s.text[start:stop]))
	if s.learnt(name) {
		return 0 // the scan comes to it
	}
	own, kept := splitDomain(name)
	if own == "" || len(own)+len(kept) != len(name) {
		return 0
	}
	last := own[strings.LastIndexByte(own, '.')+1:]
	if mask, ok := s.n.labels.lookup(last); ok && mask == last {
		return 0 // masked before
	}
	mask := s.n.domain(name)
	if mask == name {
		return stop
	}
	s.replace(start, stop, host)
	s.dst = restyle(s.dst, s.text[start:stop], mask)
	return stop
}

// share masks the machine of \\machine\share. In JSON each backslash is two.
func (s *scan) share(at, end int) int {
	t := s.text
	slashes := at
	for slashes > 0 && t[slashes-1] == '\\' && at-slashes < 4 {
		slashes--
	}
	n := at - slashes
	if n != 2 && n != 4 || slashes > 0 && (isAlnum[t[slashes-1]] || strings.IndexByte(":\\.$)}%_-", t[slashes-1]) >= 0) {
		return 0
	}
	stop := end
	for stop < len(t) && (isAlnum[t[stop]] || t[stop] == '-' || t[stop] == '.' || t[stop] == '_') {
		stop++
	}
	if !bytes.HasPrefix(t[stop:], []byte(`\\`[:n/2])) || !isLetter(t[at]) ||
		n == 2 && bytes.HasPrefix(t[stop:], []byte(`\\`)) { // in JSON these are single ones
		return 0
	}
	if dot := bytes.IndexByte(t[at:stop], '.'); dot >= 0 && bytes.Count(t[at:stop], []byte(".")) < 2 {
		return 0 // a file
	}
	return s.machine(at, stop)
}

// topLevels end names of machines. Those that end names of files, packages and Kubernetes' own
// objects as well are left out.
var topLevels = setOf(strings.Fields(`com net org local lan corp internal intra intranet biz cloud gov
	edu mil de fr uk eu nl es it cz ch at se no fi dk be pt gr hu ro ie br mx ar jp cn au nz ca us ru kr tw
	hk sg za tr il`)...)

// customerZones are services below which the labels are the customer's.
var customerZones = []string{".azurecr.io", ".vault.azure.net", ".core.windows.net", ".database.windows.net",
	".azurewebsites.net", ".servicebus.windows.net", ".cache.windows.net", ".documents.azure.com",
	".rds.amazonaws.com", ".eks.amazonaws.com", ".elb.amazonaws.com", ".azmk8s.io"}

// zoneLabels stand between the customer's labels and the service's domain.
var zoneLabels = setOf(
	"blob", "file", "queue", "table", "dfs", "web", "privatelink", "redis", "hcp", "rds", "eks",
	"elb", "gr7", "sk1", "yl4", "core", "vault", "database", "servicebus", "cache", "documents")

// fullName masks a machine's name with its domain that nobody stated: of at least three labels, or two
// before a service's domain.
func (s *scan) fullName(at, end int) int {
	t := s.text
	if at > 0 && strings.IndexByte("./\\-_$@%", t[at-1]) >= 0 &&
		!bytes.HasSuffix(t[:at], []byte("://")) {
		return 0
	}
	stop, dots := end, 1
	for i := end; i < len(t) && i-at <= maxName; i++ {
		if t[i] == '.' && i+1 < len(t) && isAlnum[t[i+1]] {
			dots++
		} else if !isAlnum[t[i]] && t[i] != '-' {
			break
		}
		stop = i + 1
	}
	for stop > at && t[stop-1] == '-' {
		stop--
	}
	if dots < 3 || stop < len(t) && (t[stop] == '_' || t[stop] == '(' || t[stop] == '*') {
		return 0
	}
	name := strings.ToLower(string(t[at:stop]))
	for _, zone := range customerZones {
		if strings.HasSuffix(name, zone) {
			return s.customer(at, name)
		}
	}
	top := name[strings.LastIndexByte(name, '.')+1:]
	if own, _ := splitDomain(name); !topLevels[top] || strings.IndexByte(own, '.') < 0 || ofService(name) {
		return 0
	}
	return s.foreign(at, stop)
}

// ofService tells whether a name ends with the domain of a service.
func ofService(name string) bool {
	for name != "" && !serviceDomain[name] {
		_, name, _ = strings.Cut(name, ".")
	}
	return name != ""
}

// customer masks the labels of a name that are before those of the service.
func (s *scan) customer(at int, name string) int {
	done := at
	for label := range strings.SplitSeq(name, ".") {
		if zoneLabels[label] || region.MatchString(label) || len(label) < 2 || serviceDomain[name[done-at:]] {
			break
		}
		s.putLabel(done, done+len(label), host)
		done += len(label) + 1
	}
	return done
}

// vendors are the first half of the MAC addresses of virtual machines. Twelve digits that begin so
// are one, also where nobody stated it.
var vendors = map[[3]byte]bool{{0x00, 0x15, 0x5d}: true, {0x00, 0x0d, 0x3a}: true, {0x00, 0x22, 0x48}: true,
	{0x60, 0x45, 0xbd}: true, {0x7c, 0x1e, 0x52}: true, {0x00, 0x50, 0x56}: true, {0x00, 0x0c, 0x29}: true}

// binarySID is how the SID of an account of a domain or machine begins in hexadecimal digits.
const binarySID = "010500000000000515000000"

// inBinary masks the domain of a SID that is written as its bytes.
func (s *scan) inBinary(at, end int) int {
	const numbers = 3 * 8
	if end-at < len(binarySID)+numbers || !startsFold(s.text[at:], binarySID) {
		return 0
	}
	from := at + len(binarySID)
	plain, err := hex.DecodeString(string(s.text[from : from+numbers]))
	if err != nil {
		return 0
	}
	var parts []string
	for i := 0; i < len(plain); i += 4 {
		parts = append(parts, strconv.FormatUint(uint64(binary.LittleEndian.Uint32(plain[i:])), 10))
	}
	var mask []byte
	for part := range strings.SplitSeq(s.n.sid(strings.Join(parts, "-")), "-") {
		v, _ := strconv.ParseUint(part, 10, 32)
		mask = binary.LittleEndian.AppendUint32(mask, uint32(v))
	}
	s.replace(from, from+numbers, sid)
	s.dst = append(s.dst, hex.EncodeToString(mask)...)
	return from + numbers
}
