package node

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// NetworkAgent stands for the program that creates the HNS network of pods,
// whichever plugin the node uses.
const NetworkAgent = "network agent"

// Managed are the names that Command knows.
var Managed = []string{"kubelet", "kube-proxy", "flanneld", "runtime", NetworkAgent, "calico-node",
	"antrea-agent"}

// Actions are what Command can do.
var Actions = []string{"restart", "start", "stop"}

// ofProduct are agents of one plugin, for faults that only this plugin has: its name may be unknown.
var ofProduct = map[string]CNI{"calico-node": Calico, "antrea-agent": Antrea}

// agents create the HNS network of each plugin and keep it. Of the plugins that
// are not listed the CNI plugin itself creates it, as the kubelet starts a pod.
var agents = map[CNI]Component{
	Flannel: {Name: "flanneld"},
	Calico: {Program: []string{"calico-node", "calico"}, Service: []string{"CalicoNode"},
		Pod: []string{"calico-node-windows"}, ParentServices: []string{"rke2"}},
	Antrea: {Program: []string{"antrea-agent"}, Service: []string{"antrea-agent"},
		Pod: []string{"antrea-agent-windows"}},
	OVN: {Program: []string{"hybrid-overlay-node"}, Service: []string{"hybrid-overlay-node"}},
}

// Agent is the agent of a plugin, as far as the evidence shows it, and nil where the plugin has none of its
// own. Of Calico it is Felix: its other programs are of the same file.
func Agent(s evidence.Snapshot, of CNI) *Component {
	c, ok := agents[of]
	if !ok || len(c.Program) == 0 {
		return nil
	}
	c.Name = c.Program[0]
	if of == Calico {
		c.Service = append(slices.Clone(c.Service), "CalicoFelix")
	}
	c.find(s)
	c.Processes = slices.DeleteFunc(c.Processes, func(p evidence.Process) bool {
		own := EqualsAny(Program(p.Name), c.Program[:1])
		return of == Calico && !IsFelix(p) && (len(p.Args) > 0 || !own && p.Args != nil)
	})
	return &c
}

// IsFelix tells Felix from the other programs of the same file: that is calico-node.exe, and since Calico's programs are one,
// calico.exe (projectcalico/calico, node/windows-packaging/CalicoWindows/felix/felix-service.ps1), which is the CNI plugin too.
func IsFelix(p evidence.Process) bool {
	args := strings.Join(p.Args, " ")
	switch strings.ToLower(Program(p.Name)) {
	case "calico-node":
		return strings.Contains(args, "-felix")
	case "calico":
		return strings.HasPrefix(args, "component felix")
	}
	return false
}

// Command is how a component of this node is restarted, started or stopped: by
// its Windows service, by the service that runs it as a child, or through the
// HostProcess pod that it runs in. Where the evidence shows none of them it is
// the service of the usual name, and shown is false.
func (n *Node) Command(s evidence.Snapshot, action, component string) (command string, shown bool) {
	if of, named := ofProduct[component]; named || component == NetworkAgent {
		if !named {
			of = n.CNI.Value
		}
		agent, ok := agents[of]
		switch {
		case !ok && !n.CNI.Known():
			return "", false // it could be any service
		case !ok:
			return n.Command(s, action, "kubelet")
		}
		if c := n.Components[agent.Name]; c != nil {
			return c.command(s, action)
		}
		agent.find(s)
		if !evidence.Services.Known(s) && len(agent.Pods) == 0 && n.underRKE2(s) &&
			slices.Contains(agent.ParentServices, "rke2") {
			agent.Service = agent.ParentServices
		}
		return agent.command(s, action)
	}
	c := n.Components[component]
	if component == "runtime" && len(c.Services) == 0 && n.Runtime.Value.Name != "" {
		named := *c
		named.Service = []string{n.Runtime.Value.Name}
		c = &named
	}
	return c.command(s, action)
}

// underRKE2 tells that RKE2 runs the node's components, also where only its events show it.
func (n *Node) underRKE2(s evidence.Snapshot) bool {
	return n.Platform.Value == RKE2 ||
		slices.ContainsFunc(evidence.WindowsEvents.In(s), func(e evidence.WindowsEvent) bool {
			return strings.EqualFold(e.Provider, "rke2")
		})
}

func (c *Component) command(s evidence.Snapshot, action string) (string, bool) {
	service := func(name string) string {
		return strings.ToUpper(action[:1]) + action[1:] + "-Service " + name
	}
	for _, svc := range c.Services {
		if svc.Running() || len(c.Pods) == 0 {
			return service(svc.Name), true
		}
	}
	if len(c.Pods) > 0 {
		m := c.Pods[0].Metadata
		return "kubectl -n " + m.Namespace + " delete pod " + m.Name, action != "stop"
	}
	for _, svc := range evidence.Services.In(s) {
		if EqualsAny(svc.Name, c.ParentServices) {
			return service(svc.Name), true
		}
	}
	return service(c.Service[0]), false
}
