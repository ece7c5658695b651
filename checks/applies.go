package checks

import (
	"cmp"
	"slices"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// OnCNI is the Applies of checks that concern some network plugins only.
func OnCNI(families ...node.CNI) func(*node.Node) error {
	return func(n *node.Node) error { return RequireCNI(n, families...) }
}

// OnBackend is the Applies of checks that concern one type of pod network only.
//
//go:noinline
func OnBackend(b node.Backend) func(*node.Node) error {
	return func(n *node.Node) error { return RequireBackend(n, b) }
}

// OnPlatform is the Applies of checks that concern some platforms only.
//
//go:noinline
func OnPlatform(platforms ...node.Platform) func(*node.Node) error {
	return func(n *node.Node) error {
		return require(n.Platform, "who set this node up", slices.Contains(platforms, n.Platform.Value),
			"this is not a node of %s: it is %s", platforms[0], n.Platform.Value)
	}
}

// require is Unknown where a fact is not known, and Skip where the check is not for its value.
func require[T any](f node.Fact[T], what string, fits bool, format string, args ...any) error {
	switch {
	case !f.Known():
		return Unknown(cmp.Or(f.Gap, evidence.NotShown.Gap(what)))
	case !fits:
		return Skip(format, args...)
	}
	return nil
}

// unless is the Applies of checks that also look where a fact is not known.
func unless(known func(*node.Node) bool, applies func(*node.Node) error) func(*node.Node) error {
	return func(n *node.Node) error {
		if !known(n) {
			return nil
		}
		return applies(n)
	}
}

// UnlessElsewhere is the Applies of checks whose texts only these platforms have: they also look at
// recordings, such as a pasted log, that do not show who set the node up.
//
//go:noinline
func UnlessElsewhere(platforms ...node.Platform) func(*node.Node) error {
	return unless(func(n *node.Node) bool { return n.Platform.Known() }, OnPlatform(platforms...))
}

// UnlessOtherCNI is UnlessElsewhere for the texts of a network plugin.
//
//go:noinline
func UnlessOtherCNI(families ...node.CNI) func(*node.Node) error {
	return unless(func(n *node.Node) bool { return n.CNI.Known() }, OnCNI(families...))
}

// OnRuntime is the Applies of checks that concern one container runtime only: containerd or docker.
//
//go:noinline
func OnRuntime(name string) func(*node.Node) error {
	return func(n *node.Node) error {
		return require(n.Runtime, "the container runtime", n.Runtime.Value.Name == name,
			"the container runtime is %s, not %s", n.Runtime.Value.Name, name)
	}
}

// UnlessOtherRuntime is the Applies of checks of a runtime whose evidence names it: they skip where
// another runtime is recorded.
func UnlessOtherRuntime(name string) func(*node.Node) error {
	return unless(func(n *node.Node) bool { return n.Runtime.Known() }, OnRuntime(name))
}

// OnGeneration is the Applies of checks that concern setups of one generation only.
//
//go:noinline
func OnGeneration(g node.Generation) func(*node.Node) error {
	return func(n *node.Node) error {
		return require(n.Generation, "the generation of the node's setup", n.Generation.Value == g,
			"the node is set up as of Kubernetes %s, not %s", n.Generation.Value, g)
	}
}

// OnAll is met where all conditions are; the first that is not speaks.
func OnAll(conditions ...func(*node.Node) error) func(*node.Node) error {
	return func(n *node.Node) error {
		for _, applies := range conditions {
			if err := applies(n); err != nil {
				return err
			}
		}
		return nil
	}
}

// OnFlannel is the Applies of checks that only concern flannel.
func OnFlannel(n *node.Node) error { return RequireCNI(n, node.Flannel) }

// RequireCNI returns nil where the node uses one of the plugins, Skip where it uses
// another, and Unknown where that cannot be told.
func RequireCNI(n *node.Node, families ...node.CNI) error {
	return require(n.CNI, "the network plugin", slices.Contains(families, n.CNI.Value),
		"the node uses %s, not %s", n.CNI.Value, families[0])
}

// RequireBackend is RequireCNI for the type of the pod network.
func RequireBackend(n *node.Node, b node.Backend) error {
	return require(n.Backend, "the type of the pod network", n.Backend.Value == b,
		"the pod network is %s, not %s", n.Backend.Value.Label(), b.Label())
}
