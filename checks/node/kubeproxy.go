package node

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// A ProxySetting is one of kube-proxy's settings with where it is written. It is
// not Set where the evidence shows a configuration without it.
type ProxySetting struct {
	Value string
	Set   bool
	From  evidence.Because
}

// ProxySettings are kube-proxy's settings as the evidence shows them, ranked
// as kube-proxy itself ranks them.
type ProxySettings struct {
	NetworkName, SourceVIP, HostnameOverride, ClusterCIDR ProxySetting
	BindAddress, EnableDSR, ForwardHealthCheckVIP         ProxySetting
	HealthzAddress, MetricsAddress                        ProxySetting // of its configuration file
	// feature gates, "true" or "false"
	Gates map[string]ProxySetting
	// of its command line or start script; ignored by kube-proxy where it has a configuration file
	Flags []Flag

	From evidence.Because // what shows the command line or configuration at all
	Gap  evidence.Gap     // of From
	// of a start script or configuration that nobody recorded: it may set what is not seen
	Hidden evidence.Gap
}

// kube-proxy's configuration files, by distribution; --config names the others.
var proxyConfigs = []string{`C:\k\kube-proxy.conf`, `C:\var\lib\kube-proxy\config.conf`,
	`C:\ProgramData\kubernetes\kube-proxy-config.yaml`}

// ProxySources is the evidence from which kube-proxy's settings are learned.
var ProxySources = slices.Concat([]evidence.Need{evidence.Services, evidence.Processes,
	evidence.Pods}, AsFiles(proxyConfigs))

// NeedProxySettings is met where kube-proxy's command line or configuration is recorded.
var NeedProxySettings = FactNeed{"kube-proxy's settings", ProxySources,
	func(s evidence.Snapshot) evidence.Gap { return About(s).proxy.Gap }}

// Proxy returns kube-proxy's settings.
func (n *Node) Proxy() *ProxySettings { return n.proxy }

func learnProxy(s evidence.Snapshot, c *Component) *ProxySettings {
	p := &ProxySettings{Gates: map[string]ProxySetting{}}
	for _, proc := range c.Processes {
		p.fromArgs(s, c.OwnArgs(proc.Args), argsOf(proc.Args, proc.Field("args")))
	}
	live := len(p.Flags) > 0 // what the process does not have is not set, whatever it was started from says now
	for _, svc := range c.Services {
		if !live {
			p.fromArgs(s, c.OwnArgs(svc.Args), argsOf(svc.Args, svc.Field("args")))
		}
		p.NetworkName.learn(svc.Env["KUBE_NETWORK"], svc.Field("env", "KUBE_NETWORK"),
			"%s: KUBE_NETWORK=%s", svc.Name)
		if script := evidence.StartScript(svc.Args); script != "" {
			p.fromScript(s, script, live)
		}
	}
	for _, pod := range c.Pods {
		for i, container := range pod.Spec.Containers {
			in := pod.Field("spec", "containers", i)
			if !live {
				p.fromArgs(s, slices.Concat(container.Command, container.Args),
					containerArgs(container, in))
			}
			for j, env := range container.Env {
				if env.Name == "KUBE_NETWORK" {
					p.NetworkName.learn(env.Value, in.At("env", j, "value"), "%s: KUBE_NETWORK=%s",
						pod.FullName())
				}
			}
		}
	}
	for _, path := range proxyConfigs {
		p.fromFile(s, path)
	}
	p.NetworkName.learn(evidence.Env.In(s)["KUBE_NETWORK"], evidence.Env.Field(s, "KUBE_NETWORK"),
		"%s=%s", "KUBE_NETWORK")
	if p.From.Path == "" {
		p.Gap = evidence.NotShown.Gap("the command line or the configuration of kube-proxy")
		if g := evidence.Any(ProxySources...).Gap(s); g.Kind != "" {
			p.Gap = g
		}
	}
	return p
}

// containerArgs finds flags in a container's command line: its own arguments come
// last, so they count.
func containerArgs(c evidence.Container, in evidence.Place) func(name string) evidence.Place {
	return func(name string) evidence.Place {
		args := in.At("args")
		if at := evidence.FlagIn(c.Args, args, name); at != args || len(c.Command) == 0 {
			return at
		}
		return evidence.FlagIn(c.Command, in.At("command"), name)
	}
}

// fromArgs takes the flags of a command line; at is where a flag is, and without
// a name where the command line is.
func (p *ProxySettings) fromArgs(s evidence.Snapshot, args []string,
	at func(name string) evidence.Place) {
	flags := evidence.ParseFlags(args)
	if len(flags.Names()) == 0 {
		return
	}
	p.seen(at(""), "kube-proxy's command line has %d flags", len(flags.Names()))
	p.Flags = append(p.Flags, flagsOf(flags, false, at)...)
	set := func(to *ProxySetting, name string) {
		if v, ok := flags.Get(name); ok {
			to.learn(v, at(name), "--%s=%s", name)
		}
	}
	set(&p.HostnameOverride, "hostname-override")
	if config, ok := flags.Get("config"); ok && config != "" {
		p.fromFile(s, config) // with a configuration file kube-proxy ignores all its other flags
		if gap := s.File(config).Gap; gap.Kind != "" {
			p.Hidden = gap
		}
		return
	}
	set(&p.NetworkName, "network-name")
	set(&p.SourceVIP, "source-vip")
	set(&p.ClusterCIDR, "cluster-cidr")
	set(&p.BindAddress, "bind-address")
	set(&p.EnableDSR, "enable-dsr")
	set(&p.ForwardHealthCheckVIP, "forward-healthcheck-vip")
	for _, list := range flags.All("feature-gates") {
		for gate := range strings.SplitSeq(list, ",") {
			if name, value, ok := strings.Cut(gate, "="); ok {
				p.learnGate(strings.TrimSpace(name), strings.TrimSpace(value), at("feature-gates"),
					"--feature-gates=%s=%s")
			}
		}
	}
}

func (p *ProxySettings) learnGate(name, value string, place evidence.Place, format string) {
	g := p.Gates[name]
	g.learn(strings.ToLower(value), place, format, name)
	p.Gates[name] = g
}

var setsNetwork = regexp.MustCompile(
	`(?mi)^[^#\n]*\bKUBE_NETWORK\b["']?\s*[=,]\s*["']?([^"'\s;,)]+)`)

// joinsGates is in a script that makes the flag of a list, as AKS' kubeproxystart.ps1 does.
var joinsGates = regexp.MustCompile(`(?i)--feature-gates=["']\s*\+`)

// fromScript reads the script that a service runs to start kube-proxy: what it
// sets for its child only is seen nowhere else.
func (p *ProxySettings) fromScript(s evidence.Snapshot, script string, live bool) {
	f := s.File(script)
	if f.Gap.Kind != "" {
		p.Hidden = f.Gap
		return
	}
	if m := setsNetwork.FindStringSubmatch(f.Text); m != nil {
		// AKS' kubeproxystart.ps1 says $KubeNetwork = "azure" and then $env:KUBE_NETWORK = $KubeNetwork
		// (Azure/AgentBaker, staging/cse/windows/provisioningscripts).
		if variable, ok := strings.CutPrefix(m[1], "$"); ok {
			set := regexp.MustCompile(`(?mi)^\s*\$` + regexp.QuoteMeta(variable) +
				`\s*=\s*["']([^"'$]+)["']`)
			if value := set.FindStringSubmatch(f.Text); value != nil {
				m[1] = value[1]
			}
		}
		p.NetworkName.learn(m[1], evidence.InFile(f.Path), "%s=%s", "KUBE_NETWORK")
	}
	if live {
		return
	}
	if joinsGates.MatchString(f.Text) {
		p.Hidden = evidence.NotShown.Gap("the feature gates of kube-proxy: its start script puts them together")
	}
	var args []string
	for _, flag := range evidence.ScriptFlags(f.Text) {
		args = append(args, "--"+flag.Name+"="+flag.Value)
	}
	p.fromArgs(s, args, func(string) evidence.Place { return evidence.InFile(f.Path) })
}

func (p *ProxySettings) fromFile(s evidence.Snapshot, path string) {
	f := s.File(path)
	if f.Gap.Kind != "" {
		return
	}
	c, err := evidence.DecodeKubeProxyConfig([]byte(f.Text))
	if err != nil {
		p.Hidden = evidence.Unreadable.Gap(f.Path, err)
		return
	}
	p.seen(evidence.InFile(f.Path), "kube-proxy's configuration file %s", path)
	p.NetworkName.learn(c.Winkernel.NetworkName, f.Field("winkernel", "networkName"), "%s: %s",
		"winkernel.networkName")
	p.SourceVIP.learn(c.Winkernel.SourceVIP, f.Field("winkernel", "sourceVip"), "%s: %s",
		"winkernel.sourceVip")
	p.HostnameOverride.learn(c.HostnameOverride, f.Field("hostnameOverride"), "%s: %s",
		"hostnameOverride")
	p.ClusterCIDR.learn(c.ClusterCIDR, f.Field("clusterCIDR"), "%s: %s", "clusterCIDR")
	p.BindAddress.learn(c.BindAddress, f.Field("bindAddress"), "%s: %s", "bindAddress")
	p.HealthzAddress.learn(c.HealthzBindAddress, f.Field("healthzBindAddress"), "%s: %s",
		"healthzBindAddress")
	p.MetricsAddress.learn(c.MetricsBindAddress, f.Field("metricsBindAddress"), "%s: %s",
		"metricsBindAddress")
	p.EnableDSR.learnBool(c.Winkernel.EnableDSR, f.Field("winkernel", "enableDSR"),
		"winkernel.enableDSR")
	p.ForwardHealthCheckVIP.learnBool(c.Winkernel.ForwardHealthCheckVIP,
		f.Field("winkernel", "forwardHealthCheckVip"), "winkernel.forwardHealthCheckVip")
	for name, on := range c.FeatureGates {
		p.learnGate(name, strconv.FormatBool(on), f.Field("featureGates", name),
			"featureGates.%s: %s")
	}
}

// On tells whether a setting that is true or false is true, in any of the ways in which Go reads it.
func (v ProxySetting) On() bool {
	on, err := strconv.ParseBool(v.Value)
	return err == nil && on
}

// UnseenProxy is the gap of what kube-proxy may be told where nobody recorded it: a
// setting that was not found is only missing where the whole command line or
// configuration is there.
func (n *Node) UnseenProxy() evidence.Gap {
	switch p := n.proxy; {
	case p.Hidden.Kind != "":
		return p.Hidden
	case p.From.Path == evidence.Pods.Path():
		return evidence.NotShown.Gap(
			"kube-proxy's settings: the start script of its DaemonSet sets them")
	}
	return evidence.Gap{}
}

// ProxyVersion is the release of kube-proxy: of its image where it runs as a
// pod, else the kubelet's, with which every recipe installs it.
func (n *Node) ProxyVersion() (evidence.Version, evidence.Because, bool) {
	for _, pod := range n.Components["kube-proxy"].Pods {
		for i, c := range pod.Spec.Containers {
			_, tag, _ := strings.Cut(c.Image[strings.LastIndex(c.Image, "/")+1:], ":")
			if v, ok := evidence.ParseVersion(tag); ok && v.Major == 1 {
				return v, pod.Field("spec", "containers", i, "image").Because("%s runs %s",
					pod.FullName(), c.Image), true
			}
		}
	}
	return n.Kubelet.Value, n.Kubelet.From, n.Kubelet.Known()
}

// Flag returns one flag of kube-proxy's command line, the one of the running process first.
func (p *ProxySettings) Flag(name string) (Flag, bool) { return flagNamed(p.Flags, name) }

func (p *ProxySettings) seen(place evidence.Place, format string, args ...any) {
	if p.From.Path == "" {
		p.From = place.Because(format, args...)
	}
}

// learn keeps the first value; an empty one is as good as none, kube-proxy falls through to the next source too.
func (v *ProxySetting) learn(value string, place evidence.Place, format, name string) {
	if v.Set || value == "" {
		return
	}
	*v = ProxySetting{value, true, place.Because(format, name, value)}
}

func (v *ProxySetting) learnBool(value *bool, place evidence.Place, name string) {
	if value != nil {
		v.learn(strconv.FormatBool(*value), place, "%s: %s", name)
	}
}
