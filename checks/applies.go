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
		err := unlearned(n.Platform, "who set this node up")
		if err == nil && !slices.Contains(platforms, n.Platform.Value) {
			return Skip("this is not a node of %s: it is %s", platforms[0], n.Platform.Value)
		}
		return err
	}
}

// unlearned is Unknown where a fact is not known.
func unlearned[T any](f node.Fact[T], what string) error {
	if f.Known() {
		return nil
	}
	return Unknown(cmp.Or(f.Gap, evidence.NotShown.Gap(what)))
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
		err := unlearned(n.Runtime, "the container runtime")
		if err == nil && n.Runtime.Value.Name != name {
			return Skip("the container runtime is %s, not %s", n.Runtime.Value.Name, name)
		}
		return err
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
		err := unlearned(n.Generation, "the generation of the node's setup")
		if err == nil && n.Generation.Value != g {
			return Skip("the node is set up as of Kubernetes %s, not %s", n.Generation.Value, g)
		}
		return err
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
	err := unlearned(n.CNI, "the network plugin")
	if err == nil && !slices.Contains(families, n.CNI.Value) {
		return Skip("the node uses %s, not %s", n.CNI.Value, families[0])
	}
	return err
}

// RequireBackend is RequireCNI for the type of the pod network.
func RequireBackend(n *node.Node, b node.Backend) error {
	err := unlearned(n.Backend, "the type of the pod network")
	if err == nil && n.Backend.Value != b {
		return Skip("the pod network is %s, not %s", n.Backend.Value.Label(), b.Label())
	}
	return err
}
