package maskname

import (
	"slices"
	"strings"
)

// putLabel masks the text between two indexes as a name that nobody stated:
// what it is, its place tells.
func (s *scan) putLabel(at, end int, k kind) int {
	plain := strings.ToLower(string(s.text[at:end]))
	if mask := s.n.label(plain); mask != plain {
		s.replace(at, end, k)
		s.dst = restyle(s.dst, s.text[at:end], mask)
	}
	return end
}

// account masks the user behind a domain or machine and its backslash: CORP\bob,
// in JSON CORP\\bob.
func (s *scan) account(at int) int {
	t, start := s.text, at
	for start < len(t) && start < at+4 && t[start] == '\\' {
		start++
	}
	if start == at {
		return at
	}
	end := userEnd(t, start, len(t))
	if start == at+1 && s.lineBreak(start, end) {
		return at
	}
	return s.someone(start, end, at)
}

// userEnd is where a user's name that starts at the index ends, one byte behind the most at last.
func userEnd(t []byte, start, most int) int {
	end := start
	for end < len(t) && end-start <= most && (isAlnum[t[end]] || t[end] >= 0x80 ||
		strings.IndexByte("._-$", t[end]) >= 0) {
		end++
	}
	for end > start && strings.IndexByte("._-", t[end-1]) >= 0 {
		end--
	}
	return end
}

// lineBreak tells "win-1\nReady" of JSON from CORP\nancy: a line begins with no
// small letter, or with a word of the evidence.
func (s *scan) lineBreak(at, end int) bool {
	if end-at < 2 || s.spelled(at, end) == 0 || s.text[at] == 'b' || s.text[at] == 'f' {
		return end-at == 1
	}
	if _, e := s.table.find(s.text, at+1); e > 0 {
		return true
	}
	next := s.text[at+1]
	word := strings.ToLower(string(s.text[at+1 : end]))
	return s.text[at] == 'u' && strings.Trim(word[:min(len(word), 4)], "0123456789abcdef") == "" ||
		next < 'a' || next > 'z' || reserved(word)
}

// someone masks a user between two indexes, or returns otherwise.
func (s *scan) someone(start, end, otherwise int) int {
	name := strings.ToLower(string(s.text[start:end]))
	machine := strings.HasSuffix(name, "$")
	name = strings.TrimSuffix(name, "$")
	if len(name) == 0 || len(name) > maxName || wellKnownAccount(name) || reserved(name) &&
		!machine {
		return otherwise
	}
	if strings.Trim(name, "0123456789.") == "" && strings.Contains(name, ".") ||
		strings.HasPrefix(name, "s-1-") {
		return otherwise // an address, a version, a SID
	}
	if _, e := s.table.find(s.text, start); e > 0 {
		return otherwise // the scan comes to it
	}
	if machine {
		end--
	}
	return s.putLabel(start, end, user)
}

// profile masks the user in C:\Users\bob, however often the backslash is escaped.
func (s *scan) profile(at, end int) int {
	t := s.text
	start := end
	for start < len(t) && start < end+4 && (t[start] == '\\' || t[start] == '/') {
		start++
	}
	if at < 2 || !s.onDrive(at-1) {
		return 0
	}
	stop, space := start, 0
	for stop < len(t) && stop < start+64 && strings.IndexByte("\\/\"'<>|*?:;,\r\n\t", t[stop]) < 0 {
		if t[stop] == ' ' && space == 0 {
			space = stop
		}
		stop++
	}
	if space > 0 && (stop >= len(t) || t[stop] != '\\' && t[stop] != '/') {
		stop = space
	}
	for stop > start && (t[stop-1] == '.' || t[stop-1] == ')' || t[stop-1] == ']' ||
		t[stop-1] == '%') {
		stop--
	}
	if strings.ContainsAny(string(t[start:stop]), "%$({") {
		return 0 // a variable
	}
	name := strings.ToLower(string(t[start:stop]))
	if name == "" || wellKnownAccount(name) {
		return 0
	}
	// Here a word of the evidence is a user, too.
	if _, e := s.table.find(t, start); e > 0 {
		return 0
	}
	return s.putLabel(start, stop, user)
}

// onDrive tells whether the slash at the index is the first of a drive.
func (s *scan) onDrive(at int) bool {
	t := s.text
	slash := t[at]
	if slash != '\\' && slash != '/' {
		return false
	}
	for at > 0 && t[at-1] == slash {
		at--
	}
	if at == 0 {
		return false
	}
	c := t[at-1]
	return c == ':' || c == '$' || slash == '\\' && c == '%' || isLetter(c) &&
		(at == 1 || !isAlnum[t[at-2]])
}

// labelsBefore masks the labels before a learnt domain, whose dot is at the index.
func (s *scan) labelsBefore(dot int) {
	start := dot
	for start > s.done && dot-start < maxName &&
		(isAlnum[s.text[start-1]] || s.text[start-1] == '.' || s.text[start-1] == '-' ||
			s.text[start-1] == '_') {
		start--
	}
	start = s.unescaped(start, dot)
	for start < dot {
		end := start
		for end < dot && s.text[end] != '.' {
			end++
		}
		if l := strings.ToLower(string(s.text[start:end])); !staysInDomain(l) && !reserved(l) {
			s.putLabel(start, end, host)
		}
		start = end + 1
	}
}

// unescaped steps over the letter of an escape, as in "\nwin-1".
func (s *scan) unescaped(start, end int) int {
	if next := s.spelled(start, end); start > 0 && next > start && next <= end {
		return next
	}
	return start
}

// notMail are endings of words behind an @ that are no top level of the DNS.
var notMail = []string{"service", "go", "exe", "dll", "log"}

// mail masks an address with its domain: the sign is at the index.
func (s *scan) mail(at int) int {
	t := s.text
	end := at + 1
	for end < len(t) && end-at <= maxName && (isAlnum[t[end]] || t[end] == '.' || t[end] == '-') {
		end++
	}
	for end > at+1 && !isAlnum[t[end-1]] {
		end--
	}
	domain := strings.ToLower(string(t[at+1 : end]))
	top := domain[strings.LastIndexByte(domain, '.')+1:]
	if top == domain || len(top) < 2 || strings.Trim(top, "abcdefghijklmnopqrstuvwxyz") != "" ||
		slices.Contains(notMail, top) {
		return 0
	}
	s.localPart(at)
	if _, e := s.table.find(t, at+1); e > 0 {
		return 0 // the scan comes to it
	}
	if s.learnt(domain) {
		return 0
	}
	own, _ := splitDomain(domain)
	end = at + 1 + len(own)
	if mask := s.n.domain(domain)[:len(own)]; mask != own {
		s.replace(at+1, end, host)
		s.dst = restyle(s.dst, t[at+1:end], mask)
	}
	return end
}

// learnt tells whether a learnt domain ends this one, which the scan finds by itself.
func (s *scan) learnt(domain string) bool {
	return slices.ContainsFunc(parents(domain), func(p string) bool {
		return s.table.entries[p].domain
	})
}

// localPart masks what stands before the @ at the index.
func (s *scan) localPart(at int) {
	whole := localStart(s.text, at)
	all := strings.ToLower(string(s.text[whole:at]))
	if mask, ok := s.n.labels.lookup(all); ok && mask == all {
		return // masked before
	}
	start := s.unescaped(max(whole, s.done), at)
	if local := strings.ToLower(string(s.text[start:at])); !wellKnownAccount(local) &&
		!reserved(local) && strings.Trim(local, "0123456789._-") != "" {
		s.putLabel(start, at, user)
	}
	if s.done > whole {
		s.dst = append(s.dst, s.text[s.done:at]...)
		s.done = at
		// A part of it may have been masked for itself; seen again, it is one name.
		s.n.labels.keep(strings.ToLower(string(s.dst[localStart(s.dst, len(s.dst)):])))
	}
}

// localStart is where the local part of a mail address that ends at the index starts.
func localStart(t []byte, at int) int {
	start := at
	for start > 0 && at-start < 64 && (isAlnum[t[start-1]] || t[start-1] >= 0x80 ||
		strings.IndexByte("._-", t[start-1]) >= 0) {
		start--
	}
	return start
}
