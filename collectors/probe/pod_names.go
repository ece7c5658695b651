package probe

import (
	"context"
	"net/netip"
	"regexp"
	"strings"
	"sync"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// resolve asks for the names in two ways. nslookup.exe asks the pod's DNS server
// itself, and has rules of its own for suffixes, so it is given complete names;
// where it is not in the image, PowerShell's Resolve-DnsName may be. What the
// resolver of Windows makes of the name as it stands is seen from curl.exe,
// which every image has.
func (p PodPlan) resolve(ctx context.Context) ([]evidence.DNSProbe, error) {
	var names []string
	var rows []evidence.DNSProbe
	for _, name := range p.Names {
		switch {
		case !podName(name):
			rows = append(rows, p.unasked(name, errPodName))
		case len(names) == maxPodNames:
			rows = append(rows, p.unasked(name, podTooMany))
		default:
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return rows, errPodName
	}
	direct := make([]evidence.DNSProbe, len(names))
	errs := make([]error, len(names)+2)
	var own, told []evidence.DNSProbe
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			direct[i], errs[i] = p.nslookup(ctx, name)
			if i == 0 && podAbsent(errs[0]) {
				told, errs[len(names)+1] = p.resolveByPowerShell(ctx, names)
			}
		})
	}
	all.Go(func() { own, errs[len(names)] = p.resolveByCurl(ctx, names) })
	all.Wait()
	if podAbsent(errs[0]) {
		direct = nil // of a tool that is not there, nothing is missed where others answer
	} else {
		errs = errs[:len(names)+1]
	}
	if told != nil {
		own = told // it tells apart what curl does not
	}
	return append(append(direct, own...), rows...), podFirst(errs...)
}

var errPodName = collectors.GapError(evidence.PodUnusable.Gap("it is not the name of a host"))

// nslookup asks for the name as it stands: a dot at its end keeps suffixes away.
func (p PodPlan) nslookup(ctx context.Context, name string) (evidence.DNSProbe, error) {
	whole := strings.TrimSuffix(name, ".") + "."
	stdout, stderr, _, err := p.run(ctx, []string{"nslookup.exe", "-type=A", "-timeout=1",
		"-retry=1", whole})
	row := p.nameRow(name, "plain")
	if err != nil {
		row.Outcome, row.Why = podWhy(err)
		return row, err
	}
	row.Sent = []string{whole}
	readNslookup(&row, stdout, stderr)
	return row, nil
}

// nslookupWords are those of its resolver library, which are English whatever
// Windows speaks; so is "timed out" in the line before the translated one.
var nslookupWords = []struct{ text, outcome, rcode string }{
	{"Non-existent domain", "nxdomain", "NXDOMAIN"}, {"Server failed", "servfail", "SERVFAIL"},
	{"Query refused", "refused", "REFUSED"},
	{"request timed out", timedOut, ""}, {"No response from server", timedOut, ""},
}

// readNslookup goes by the place of the addresses: the first is the server's
// own, and those after an empty line are the answer. The exit code is always 0.
func readNslookup(row *evidence.DNSProbe, stdout, stderr string) {
	text := stdout + "\n" + stderr
	server, below := false, false
	for _, line := range podLines(stdout) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "***" {
			below = below || server && len(fields) == 0
			continue
		}
		a, err := netip.ParseAddr(fields[len(fields)-1])
		switch {
		case err != nil:
		case !server:
			server = true
			row.Server = netip.AddrPortFrom(a, 53).String()
		case below && a.Is4():
			row.Answers = append(row.Answers, a.String())
		}
	}
	if len(row.Answers) > 0 {
		row.Outcome, row.Rcode, row.Decided = answered, "NOERROR", row.Sent[0]
		return
	}
	for _, w := range nslookupWords {
		if strings.Contains(text, w.text) {
			row.Outcome, row.Rcode = w.outcome, w.rcode
			if w.rcode != "" {
				row.Decided = row.Sent[0]
			}
			return
		}
	}
	if bare := strings.ToLower(strings.TrimSuffix(row.Name, ".")); server &&
		namedAlone(stdout, bare) {
		row.Outcome, row.Rcode, row.Decided = "nodata", "NOERROR", row.Sent[0]
		return
	}
	row.Outcome, row.Why = outcomeError, "nslookup.exe says nothing that is understood"
}

// namedAlone finds the line that repeats the name, which stands above its addresses.
func namedAlone(text, name string) bool {
	for _, line := range podLines(text) {
		fields := strings.Fields(strings.ToLower(line))
		if len(fields) > 1 && fields[0] != "***" && strings.TrimSuffix(fields[len(fields)-1],
			".") == name {
			return true
		}
	}
	return false
}

// curlNameEnd is what curl.exe writes after each name.
const curlNameEnd = "|name|%{time_namelookup}|%{time_total}|"

var curlNameDone = regexp.MustCompile(`\|name\|([0-9.,]+)\|([0-9.,]+)\|`)

// resolveByCurl makes curl.exe resolve all names as every program of the pod
// does, one after the other. It does not connect: the address that it is told to
// connect from is the loopback's, from where no packet leaves.
func (p PodPlan) resolveByCurl(ctx context.Context, names []string) ([]evidence.DNSProbe, error) {
	argv := []string{"curl.exe", "-q", "-sSv", "-4", "-I", "--stderr", "-", "--noproxy", "*",
		"--interface", "host!127.0.0.1",
		"-m", p.patience(0.8 / float64(len(names))), "-w", curlNameEnd}
	rows := make([]evidence.DNSProbe, len(names))
	for i, name := range names {
		rows[i] = p.nameRow(name, "windows")
		argv = append(argv, "-o", "NUL", "http://"+name+"/")
	}
	stdout, _, _, err := p.run(ctx, argv)
	if err != nil {
		for i := range rows {
			rows[i].Outcome, rows[i].Why = podWhy(err)
		}
		return rows, err
	}
	readCurlNames(rows, stdout)
	return rows, nil
}

// readCurlNames finds the part of the output that is about each name. curl tells
// that a name did not resolve and not why; where another name did, the server
// works, and the name does not exist.
func readCurlNames(rows []evidence.DNSProbe, text string) {
	works := false
	for i := range rows {
		end := curlNameDone.FindStringSubmatchIndex(text)
		if end == nil {
			rows[i].Outcome, rows[i].Why = outcomeError, "curl.exe did not come to it"
			continue
		}
		part := text[:end[0]]
		lookup, total := curlTime(text[end[2]:end[3]]), curlTime(text[end[4]:end[5]])
		text = text[end[1]:]
		rows[i].Sent = []string{rows[i].Name}
		rows[i].Answers = append(rows[i].Answers, curlTried(part)...)
		switch {
		case len(rows[i].Answers) > 0:
			rows[i].Outcome, rows[i].LatencyMS, works = answered, lookup, true
		case strings.Contains(part, "timed out"):
			rows[i].Outcome, rows[i].LatencyMS = timedOut, total
		case strings.Contains(part, "Could not resolve host"):
			rows[i].Outcome, rows[i].LatencyMS = "nxdomain", total
		default:
			rows[i].Outcome, rows[i].Why = outcomeError, "curl.exe does not say whether it resolved"
		}
	}
	for i := range rows {
		if rows[i].Outcome == "nxdomain" && !works {
			rows[i].Outcome, rows[i].Why = outcomeError,
				"it does not resolve, no more than any other name, and curl.exe does not report why"
		}
	}
}

// curlAddress finds what curl connects to, or says that the name stands for.
var curlAddress = regexp.MustCompile(
	`(?m)^\* +(?:Trying ([0-9.]+?)(?::[0-9]+)?\.\.\.|IPv4: ([0-9., ]+))`)

func curlTried(text string) []string {
	var list []string
	seen := map[netip.Addr]bool{}
	for _, m := range curlAddress.FindAllStringSubmatch(text, -1) {
		for _, s := range strings.Split(m[1]+m[2], ",") {
			if a, err := netip.ParseAddr(strings.TrimSpace(s)); err == nil && !seen[a] {
				seen[a] = true
				list = append(list, a.String())
			}
		}
	}
	return list
}
