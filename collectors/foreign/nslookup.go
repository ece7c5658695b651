package foreign

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

var (
	lookupBegins = regexp.MustCompile(
		`^Server:[ \t]{2,}\S|^DNS request timed out\.$|^\*\*\* (?:Request to|Can't find server|\S+ can't find) |^(?i:Resolve-DnsName) : `)
	lookupLine = regexp.MustCompile(
		`^(?:Server|Address(?:es)?|Name|Aliases):|^\s|^DNS request timed out|^\*\*\* |^Non-authoritative answer|^At line:|^\+ `)
	lookupServer = regexp.MustCompile(`(?m)^Server:[ \t]+\S+\s*^Address:[ \t]+(\S+)`)
	lookupName   = regexp.MustCompile(`(?m)^Name:[ \t]+(\S+)`)
	lookupEnd    = regexp.MustCompile(`(?m)^\*\*\* .*`)
	lookupLost   = regexp.MustCompile(
		`^\*\*\* (?:Request to \S+ timed-out|\S+ can't find \S+: No response from server)`)
	// lookupInPod is a lookup in a pod: a shell whose beginning is not shown does not say where it runs.
	lookupInPod = regexp.MustCompile(
		`^(?:kubectl|oc|k)(?:\.exe)? (.*\b)?exec\b(.*?)(?: --)? (?:(?:cmd|powershell|pwsh)(?:\.exe)? .*)?\bnslookup(?:\.exe)?\b(.*)`)
)

// lookupOf is the pod in which a command runs nslookup, and the name that it asks the pod's own
// server for. A lookup with a server of its own says nothing of the cluster's.
func lookupOf(command string) (pod, name string, ok bool) {
	m := lookupInPod.FindStringSubmatch(command)
	if m == nil {
		return "", "", false
	}
	words := slices.DeleteFunc(strings.Fields(m[3]), func(word string) bool {
		return strings.HasPrefix(word, "-")
	})
	pod = execPod(m[1] + " " + m[2])
	if pod == "" || len(words) != 1 {
		return "", "", false
	}
	return pod, strings.Trim(words[0], `"'`), true
}

// readLookup reads what nslookup of Windows printed in a pod. A query that is lost before the answer
// is the ordinary course: it also looks for the name of the server.
func readLookup(command, text string) (evidence.DNSProbe, bool) {
	pod, name, ok := lookupOf(command)
	server := lookupServer.FindStringSubmatch(text)
	if !ok || server == nil {
		return evidence.DNSProbe{}, false
	}
	address, err := netip.ParseAddr(server[1])
	if err != nil {
		return evidence.DNSProbe{}, false
	}
	p := evidence.DNSProbe{Name: name, Type: "A", Server: netip.AddrPortFrom(address, 53).String(),
		Transport: "udp", From: pod, Form: "plain", Sent: []string{name}}
	switch end := lookupEnd.FindString(text); {
	case lookupLost.MatchString(end):
		p.Outcome = "timeout"
	case end == "" && lookupName.MatchString(text):
		p.Outcome, p.Rcode = "ok", "NOERROR"
	}
	return p, p.Outcome != "" // that a name does not exist may be right
}

// execPod is the pod of kubectl exec with its namespace, "" where another object names it.
func execPod(arguments string) string {
	namespace, pod, words := "default", "", strings.Fields(arguments)
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, value, joined := strings.Cut(word, "=")
		switch {
		case !strings.HasPrefix(word, "-"):
			if pod == "" {
				pod = strings.TrimPrefix(word, "pod/")
			}
			if _, named, ok := strings.Cut(pod, "/"); ok && named != "" {
				return ""
			}
		case joined || !takesValue[name]:
		case i+1 < len(words):
			i++
			value = words[i]
		}
		if name == "-n" || name == "--namespace" {
			namespace = value
		}
	}
	if pod == "" {
		return ""
	}
	return namespace + "/" + pod
}

// takesValue are the flags of kubectl exec whose value is the next word.
var takesValue = map[string]bool{"-n": true, "--namespace": true, "-c": true, "--container": true,
	"--kubeconfig": true, "--context": true}
