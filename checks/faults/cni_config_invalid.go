package faults

import (
	"cmp"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "cni-config-invalid",
	Title:    "CNI configuration is not valid",
	Healthy:  "CNI configuration is valid",
	Category: checks.CategoryNetwork,
	FAQ:      []int{4},
	Doc: `The runtime loads the first CNI configuration of its folder and refuses one that is
not plain JSON: comments, as the documentation's own sample has them, a byte order mark, as some
editors and PowerShell write it, or a cniVersion that the plugin does not know. Values that were
left as placeholders pass as JSON and fail later, in HNS.

The files are judged up to the first that parses and the one of the node's own plugin: a broken file
that sorts first blocks the others, and one that sorts later is never loaded.`,
	Fix: checks.Steps(
		checks.Edit("{cniFile}",
			"Correct the reported line, and save the file as UTF-8 without a byte order mark."),
		checks.Do("Correct the script or template that writes the file, too."),
		runtimeAgain, nodeReady),
	Links: []string{"https://www.cni.dev/docs/spec/",
		"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/",
		"https://kubernetes.io/docs/tasks/administer-cluster/migrating-from-dockershim/troubleshooting-cni-plugin-related-errors/",
		"https://github.com/kubernetes-sigs/sig-windows-tools/issues/266",
		"https://github.com/Azure/azure-container-networking/pull/705"},
	Breaks: []*checks.Effect{effectCNIConfig, effectPodStart, effectNodeReady},
	Explains: []string{"cni-subnet-mismatch", "cni-nameserver-mismatch",
		"outboundnat-exception-missing"},
	Needs: []evidence.Need{node.NeedCNIFiles},
	Signs: []checks.Sign{
		// "failed to load cni config" is also what an empty folder gives
		// containerd also reads a file of which the first half is written:
		// https://github.com/containerd/containerd/issues/8662
		{Text: "error parsing configuration", Also: []string{"CNI"}, Not: halfWritten,
			Says: "the runtime cannot read a CNI configuration"},
		// The kubelet with docker read the folder again every five seconds: what it says twice is no
		// file that is being written (pkg/kubelet/dockershim/network/cni/cni.go).
		{Text: halfWritten[0], Or: halfWritten[1:],
			Also:  []string{"Error loading CNI config", "error parsing configuration"},
			Lasts: 4 * time.Second, Says: "the kubelet cannot read a CNI configuration"},
		{Text: "error reading network config: invalid character",
			Says: "a CNI plugin cannot read its configuration"},
		{Text: "failed to load netconf:", Says: "a CNI plugin cannot read its configuration"},
		// pkg/version/reconcile.go of github.com/containernetworking/cni, in the plugin
		{Text: "incompatible CNI versions; config is", Fix: supportedVersion(),
			Says: "a CNI plugin does not support the cniVersion of its configuration"},
		// libcni, as it validates what it has loaded: libcni/api.go
		{Text: "does not support config version", Fix: supportedVersion(),
			Says: "a CNI plugin does not support the cniVersion of its configuration"},
		// the same, as it takes the network of a pod away: the pod stays Terminating
		{Text: versionEmpty, Also: []string{"invalid version"}, Fix: statedVersion(),
			Says: "the CNI configuration has no cniVersion: pods cannot be stopped"},
		{Text: "Network has host bits set",
			Says: "a CNI plugin refuses the subnet of its configuration"},
		// plugins/ipam/host-local/backend/allocator
		{Text: "invalid range set ", Not: []string{"Network has host bits set"},
			Says: "a CNI plugin refuses the subnet of its configuration"},
		{Text: "no IP ranges specified", Or: []string{"IPAM config missing 'ipam' key"},
			Says: "a CNI plugin finds no subnet in its configuration"},
		{Text: "overlaps with ", Also: []string{"range set "}, In: pluginCallers,
			Says: "a CNI plugin refuses the subnet of its configuration"},
		// pkg/skel of containernetworking/cni, and azure-vnet: cni/network/network.go
		{Text: "missing network name", In: pluginCallers,
			Says: "a CNI plugin finds no name in its configuration"},
		{Text: "Failed to parse network configuration: ", In: pluginCallers,
			Says: "a CNI plugin cannot read its configuration"},
		{Text: "value must be of the format xx-xx", Also: []string{"endpointMacPrefix"},
			Says: "a CNI plugin refuses the endpointMacPrefix of its configuration"},
		{Text: "Unsupported CNI config 'type'",
			Says: "the start script does not know the type in the CNI configuration"},
		// azure-vnet: network/policy/policy_windows.go, under containerd
		{Text: "Failed to set Policy: Type: EndpointPolicy",
			Says: "azure-vnet does not know the type of a policy in its configuration",
			Fix: checks.Steps(
				checks.Do("Update Azure CNI: 1.2.0 and later know policies of type ACL under containerd."),
				checks.Edit("{cniFile}", "Or remove the policy that the error shows."),
				checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
					"new pods get an address"))},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		if len(n.CNIFiles) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("a CNI configuration"))
		}
		var findings []*checks.Finding
		var unread evidence.Gap
		loaded := false
		for i, f := range n.CNIFiles {
			if f.File.Gap.Kind != "" {
				if !loaded {
					unread = cmp.Or(unread, f.File.Gap) // it may be the one that is loaded
				}
				continue
			}
			if !loaded || n.Intended() == &n.CNIFiles[i] {
				findings = append(findings, invalid(s, f)...)
			}
			loaded = loaded || f.Config != nil
		}
		if len(findings) == 0 && unread.Kind != "" {
			return nil, checks.Unknown(unread)
		}
		return findings, nil
	},
})

var (
	runtimeAgain = checks.Run("{restart runtime}",
		"Restart the container runtime: it reads the file at its start.").
		Costs("Running containers are not affected.")
	nodeReady = checks.Verify("kubectl get node {node}", "STATUS is Ready")
)

var macPrefix = regexp.MustCompile(`^[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}$`)

// invalid lists what keeps a configuration from being loaded or used.
func invalid(s evidence.Snapshot, f node.CNIFile) []*checks.Finding {
	if f.Err != nil {
		line := 0
		var fault *evidence.SyntaxFault
		if errors.As(f.Err, &fault) {
			line = fault.Line
		}
		finding := checks.Findingf(checks.Fail, f.Name, "%s is not valid JSON: %v",
			f.Name, f.Err).At(evidence.InLine(f.File.Path, line), "%s", lineOf(f.File.Text, line))
		if fault != nil && fault.Comment {
			finding = finding.Cure(withFirst(fixOf("cni-config-invalid"),
				checks.EditAt(s, evidence.InLine(f.File.Path, line), withoutComment,
					"Remove the comment: JSON has none.")))
		}
		return []*checks.Finding{finding}
	}
	c := f.Config
	var findings []*checks.Finding
	fail := func(place evidence.Place, text, format string, args ...any) {
		findings = append(findings, checks.Findingf(checks.Fail, f.Name, format, args...).At(place,
			"%s", text))
	}
	if f.File.BOM || c.BOM {
		fail(evidence.InLine(f.File.Path, 1), "a byte order mark is in front",
			"%s begins with a byte order mark, which the runtime refuses", f.Name)
	}
	switch list := strings.EqualFold(path.Ext(f.Name), ".conflist"); {
	case c.List && !list:
		fail(f.File.Field("plugins"), "plugins is set",
			"%s holds a list of plugins, which the runtime reads from a .conflist only", f.Name)
	case list && !c.List:
		fail(f.File.Field("plugins"), "plugins is not set",
			"%s holds a single plugin, and a .conflist must hold a list", f.Name)
	case c.Type == "":
		fail(f.Field("type"), "type is not set", "%s names no plugin type", f.Name)
	}
	if c.Name == "" {
		fail(f.File.Field("name"), "name is not set", "%s has no name", f.Name)
	}
	for _, p := range c.Plugins {
		types := []string{p.Type}
		if p.Delegate != nil {
			types = append(types, p.Delegate.Type) // flannel hands its own version down
		}
		for _, kind := range types {
			if ok, known := evidence.CNIVersionSupported(kind, c.Version); known && !ok {
				fail(f.File.Field("cniVersion"), "cniVersion is "+c.Version,
					"the plugin %s does not know cniVersion %s: it takes 0.2.0, 0.3.0, 0.4.0 and 1.0.0", kind, c.Version)
			}
		}
	}
	if c.Version == "" && slices.ContainsFunc(s.Signs("cni-config-invalid"), func(m evidence.SignMatch) bool {
		return m.Text == versionEmpty && m.Over == ""
	}) { // the kubelet with docker does without
		fail(f.File.Field("cniVersion"), "cniVersion is not set",
			"%s has no cniVersion, so pods cannot be stopped", f.Name)
		findings[len(findings)-1] = findings[len(findings)-1].Cure(statedVersion())
	}
	if c.EndpointMacPrefix != "" && !macPrefix.MatchString(c.EndpointMacPrefix) {
		fail(f.Field("endpointMacPrefix"), "endpointMacPrefix is "+c.EndpointMacPrefix,
			"endpointMacPrefix %s is not of the form 0E-2A", c.EndpointMacPrefix)
	}
	for _, e := range c.Exceptions {
		for _, cidr := range e.Exceptions {
			if bad := badCIDR(cidr); bad.Format != "" {
				fail(f.File.At(e.Spot), "OutBoundNAT exception "+cidr,
					"the OutBoundNAT exception %s is %s", cidr, bad)
			}
		}
	}
	for _, r := range c.Routes {
		if bad := badCIDR(r.Prefix); bad.Format != "" {
			fail(f.File.At(r.Spot), "route "+r.Prefix, "the route's DestinationPrefix %s is %s",
				r.Prefix, bad)
		}
	}
	// Calico fills it in
	if sub := c.IPAM.Subnet; sub != "" && !strings.HasPrefix(strings.ToLower(sub), "usepodcidr") {
		network, ok := node.ParsePrefix(sub)
		switch {
		case badCIDR(sub).Format != "":
			fail(f.File.At(c.IPAM.Spot), "ipam.subnet "+sub, "ipam.subnet %s is %s", sub,
				badCIDR(sub))
		case ok && strings.EqualFold(c.IPAM.Type, "host-local") && network.String() != sub &&
			c.EffectiveType() == c.Type:
			fail(f.File.At(c.IPAM.Spot), "ipam.subnet "+sub,
				"ipam.subnet %s is the address of a host, which host-local refuses: the network is %s", sub, network)
		}
	}
	return findings
}

// withFirst is a fix whose first step knows more than that of the check.
//
//go:noinline
func withFirst(f checks.Fix, first *checks.Step) checks.Fix {
	return checks.Fix{Steps: append([]*checks.Step{first}, f.Steps[1:]...)}
}

// withoutComment is a line of JSON without the comment at its end.
func withoutComment(line string) string {
	for i := range line {
		if rest := line[i:]; strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#") {
			if strings.Count(line[:i], `"`)%2 == 0 {
				return strings.TrimRight(line[:i], " \t")
			}
		}
	}
	return line
}

func badCIDR(s string) evidence.Phrase {
	if evidence.Placeholder(s) {
		return evidence.Phrasef("a placeholder that was not replaced")
	}
	if _, ok := node.ParsePrefix(s); ok {
		return evidence.Phrase{}
	}
	if _, ok := node.ParseAddress(s); ok {
		return evidence.Phrase{} // an address alone is taken for a single host
	}
	return evidence.Phrasef("no CIDR")
}

func lineOf(text string, number int) string {
	lines := strings.Split(text, "\n")
	if number < 1 || number > len(lines) {
		return "the file does not parse"
	}
	return strings.TrimSpace(lines[number-1])
}

// halfWritten is how a JSON file ends that is being written: encoding/json of Go.
var halfWritten = []string{"unexpected end of JSON input", "unexpected EOF"}

// pluginCallers say what a CNI plugin answered.
var pluginCallers = []string{evidence.InPodEvents, evidence.InEvents, "cni", "containerd", "docker", "kubelet"}

// versionEmpty is libcni's: pkg/version/plugin.go of containernetworking/cni.
const versionEmpty = "the version is empty"

func statedVersion() checks.Fix {
	return checks.Steps(
		checks.Edit("{cniFile}", "Set cniVersion to a version that the plugin supports, such as 0.3.0."),
		runtimeAgain,
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "no pod is Terminating"))
}

func supportedVersion() checks.Fix {
	return checks.Steps(
		checks.Edit("{cniFile}",
			"Set cniVersion to a version that the plugin supports: the error lists them. Or install a later release of the plugin."),
		runtimeAgain, nodeReady)
}
