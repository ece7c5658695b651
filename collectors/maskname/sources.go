package maskname

import (
	"io"
	"path"
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// read goes through the places of the evidence that state a name.
func (l *learner) read(s evidence.Snapshot) {
	l.host(s.Meta().Node)
	for _, n := range append(evidence.Nodes.In(s), evidence.Node.In(s)) {
		l.node(n)
	}
	for _, p := range evidence.Pods.In(s) {
		l.host(p.Spec.NodeName)
		l.credentialSpecs(p)
	}
	for _, slice := range evidence.EndpointSlices.In(s) {
		for _, e := range slice.Endpoints {
			l.host(e.Node())
		}
	}
	for _, c := range evidence.Certificates.In(s) {
		if _, name, ok := strings.Cut(c.Subject, "system:node:"); ok {
			name, _, _ = strings.Cut(name, ",")
			l.host(name)
		}
		l.profile(c.Path)
	}
	l.environment(evidence.Env.In(s))
	for _, svc := range evidence.Services.In(s) {
		l.user(svc.Account)
		l.environment(svc.Env)
		l.profile(svc.BinPath)
		l.arguments(svc.Args)
	}
	for _, p := range evidence.Processes.In(s) {
		l.profile(p.Exe)
		l.arguments(p.Args)
	}
	dns := evidence.DNSClient.In(s)
	for _, suffix := range append(dns.SuffixSearchList, dns.PrimarySuffix) {
		l.domain(suffix)
	}
	for _, a := range evidence.Adapters.In(s) {
		if a.DNSSuffix != nil {
			l.domain(*a.DNSSuffix)
		}
	}
	for _, f := range evidence.FileIndex.In(s) {
		l.profile(f.Path)
	}
	for _, p := range s.Paths() {
		l.profile("/" + p)
		l.glog(path.Base(p))
		l.ipconfig(s, p)
	}
}

func (l *learner) node(n evidence.NodeObject) {
	l.host(n.Metadata.Name)
	l.host(n.Metadata.Labels["kubernetes.io/hostname"])
	for _, a := range n.Status.Addresses {
		switch a.Type {
		case "Hostname", "InternalDNS", "ExternalDNS":
			l.host(a.Address)
		}
	}
}

var credentialName = regexp.MustCompile(
	`"(DnsTreeName|DnsName|NetBiosName|MachineAccountName)"\s*:\s*"([^"]+)"`)

// credentialSpecs takes the domain and the account of a pod that is given a
// group managed service account.
func (l *learner) credentialSpecs(p evidence.Pod) {
	contexts := []*evidence.SecurityContext{p.Spec.SecurityContext}
	for _, c := range p.Spec.Containers {
		contexts = append(contexts, c.SecurityContext)
	}
	for _, c := range contexts {
		if c == nil || c.WindowsOptions == nil {
			continue
		}
		for _, m := range credentialName.FindAllStringSubmatch(c.WindowsOptions.GMSACredentialSpec,
			32) {
			switch m[1] {
			case "NetBiosName":
				l.host(m[2])
			case "MachineAccountName":
				l.user(m[2])
			default:
				l.domain(m[2])
			}
		}
	}
}

func (l *learner) environment(env map[string]string) {
	for name, value := range env {
		switch strings.ToUpper(name) {
		case "COMPUTERNAME", "HOSTNAME", "NODE_NAME", "NODENAME", "LOGONSERVER", "USERDOMAIN",
			"USERDOMAIN_ROAMINGPROFILE":
			if !wellKnownDomain(value) {
				l.host(value)
			}
		case "USERNAME":
			l.user(value)
		case "USERDNSDOMAIN":
			l.domain(value)
		default:
			l.profile(value)
		}
	}
}

func (l *learner) arguments(args []string) {
	for i, arg := range args {
		l.profile(arg)
		name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		if name == "hostname-override" {
			l.host(value)
		}
	}
}

var profilePath = regexp.MustCompile(
	`(?i)(?:[a-z]:|[a-z]\$|/[a-z])[\\/]+users[\\/]+([^\\/"'<>|*?:;,]+)`)

// profile takes the users whose folders a path names.
func (l *learner) profile(p string) {
	if !strings.Contains(p, "sers") && !strings.Contains(p, "SERS") {
		return // as nearly all paths
	}
	for _, m := range profilePath.FindAllStringSubmatch(p, 8) {
		l.user(strings.TrimSpace(m[1]))
	}
}

// kubelet.exe.HOST.DOMAIN_USER.log.INFO.20260131-100000.1234
var glogName = regexp.MustCompile(
	`(?i)\.exe\.([^.]+)\.([^._]+)_(.+)\.log\.(?:info|warning|error|fatal)\b`)

// glog takes the names that a log of a component is called by.
func (l *learner) glog(file string) {
	m := glogName.FindStringSubmatch(file)
	if m == nil {
		return
	}
	l.host(m[1])
	if !wellKnownDomain(m[2]) {
		l.user(m[2] + `\` + m[3])
	}
}

var dottedField = regexp.MustCompile(`(?m)^ {1,8}\S[^:\r\n]*\. ?:[ \t]*(\S*)`)

// ipconfig takes the name of the host and its suffix from the first two fields
// of what `ipconfig /all` printed, which is translated but has its order.
func (l *learner) ipconfig(s evidence.Snapshot, p string) {
	base := strings.ToLower(path.Base(p))
	if !strings.HasPrefix(p, "original/") || !strings.HasSuffix(base, ".txt") ||
		!strings.HasPrefix(base, "ip.") && !strings.Contains(base, "ipconfig") {
		return
	}
	fields := dottedField.FindAllSubmatch(beginning(s, p, 16<<10), 2)
	if len(fields) > 0 {
		l.host(string(fields[0][1]))
	}
	if len(fields) > 1 {
		l.domain(string(fields[1][1]))
	}
}

// beginning is what a text of the evidence begins with; empty where it cannot be read.
func beginning(s evidence.Snapshot, path string, limit int64) []byte {
	f, err := s.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(evidence.Text(f), limit))
	if err != nil {
		return nil
	}
	return text
}
