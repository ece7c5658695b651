package node

import (
	"strings"

	"doctor/checks/evidence"
)

// A ProxyEnv is the proxy environment that one program, or the whole machine, gets.
type ProxyEnv struct {
	Service     string // which gets it; "" for the whole machine
	Proxy       string // HTTPS_PROXY or HTTP_PROXY
	NoProxy     []string
	HTTPS       bool // HTTPS_PROXY is set: HTTP_PROXY alone leaves the API server's https alone
	From, From2 evidence.Because
}

// Of is who gets it, as a sentence names it.
func (p ProxyEnv) Of() evidence.Phrase {
	if p.Service == "" {
		return evidence.Phrasef("the machine")
	}
	return evidence.Phrasef("%s", "service "+p.Service)
}

// ProxyEnvs collects the proxy settings of the machine and of the services that
// reach for the API server or a registry. A service gets the machine's
// variables and its own on top.
func ProxyEnvs(s evidence.Snapshot, n *Node) []ProxyEnv {
	var envs []ProxyEnv
	machine := proxyEnv("", evidence.Env.In(s), evidence.Env.Field(s))
	if machine.Proxy != "" {
		envs = append(envs, machine)
	}
	for _, name := range []string{"kubelet", "runtime", "kube-proxy", "flanneld"} {
		for _, svc := range n.Components[name].Services {
			own := proxyEnv(svc.Name, svc.Env, svc.Field("env"))
			if own.Proxy == "" && own.NoProxy == nil {
				continue
			}
			if own.Proxy == "" {
				own.Proxy, own.From, own.HTTPS = machine.Proxy, machine.From, machine.HTTPS
			}
			if own.NoProxy == nil {
				own.NoProxy, own.From2 = machine.NoProxy, machine.From2
			}
			if own.Proxy != "" {
				envs = append(envs, own)
			}
		}
	}
	return envs
}

func proxyEnv(service string, env map[string]string, in evidence.Place) ProxyEnv {
	p := ProxyEnv{Service: service}
	of := p.Of()
	for _, want := range []string{"HTTPS_PROXY", "HTTP_PROXY"} {
		for name, value := range env {
			if strings.EqualFold(name, want) && value != "" && p.Proxy == "" {
				p.Proxy, p.HTTPS = value, want == "HTTPS_PROXY"
				p.From = in.At(name).Because("%s of %s is %s", want, of, value)
			}
		}
	}
	for name, value := range env {
		if strings.EqualFold(name, "NO_PROXY") {
			p.NoProxy = []string{}
			for part := range strings.SplitSeq(value, ",") {
				if part = strings.TrimSpace(part); part != "" {
					p.NoProxy = append(p.NoProxy, part)
				}
			}
			p.From2 = in.At(name).Because("NO_PROXY of %s is %s", of, value)
		}
	}
	return p
}

// Bypasses tells whether the program goes straight to the address, by the rules
// of Go's HTTP client: a CIDR, an address, or * for everything. Other programs
// understand less.
func (p ProxyEnv) Bypasses(a Address) bool {
	for _, entry := range p.NoProxy {
		if entry == "*" {
			return true
		}
		if prefix, ok := ParsePrefix(entry); ok && prefix.Contains(a) {
			return true
		}
		if addr, ok := ParseAddress(entry); ok && !strings.Contains(entry, "/") && addr == a {
			return true
		}
	}
	return false
}

// BypassesDomain tells whether names below the domain (".svc") are reached directly.
func (p ProxyEnv) BypassesDomain(domain string) bool {
	name := "x" + domain
	for _, entry := range p.NoProxy {
		suffix := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(entry), "*"), ".")
		if entry == "*" || suffix != "" && strings.HasSuffix(name, "."+suffix) {
			return true
		}
	}
	return false
}
