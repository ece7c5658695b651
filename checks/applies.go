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
		if !n.Platform.Known() {
			return Unknown(cmp.Or(n.Platform.Gap, evidence.NotShown.Gap("who set this node up")))
		}
		if !slices.Contains(platforms, n.Platform.Value) {
			return Skip("this is not a node of %s: it is %s", platforms[0], n.Platform.Value)
		}
		return nil
	}
}

// UnlessElsewhere is the Applies of checks whose texts only these platforms have: they also look at
// recordings, such as a pasted log, that do not show who set the node up.
//
//go:noinline
func UnlessElsewhere(platforms ...node.Platform) func(*node.Node) error {
	return func(n *node.Node) error {
		if !n.Platform.Known() {
			return nil
		}
		return OnPlatform(platforms...)(n)
	}
}

// UnlessOtherCNI is UnlessElsewhere for the texts of a network plugin.
//
//go:noinline
func UnlessOtherCNI(families ...node.CNI) func(*node.Node) error {
	return func(n *node.Node) error {
		if !n.CNI.Known() {
			return nil
		}
		return RequireCNI(n, families...)
	}
}

// OnRuntime is the Applies of checks that concern one container runtime only: containerd or docker.
//
//go:noinline
func OnRuntime(name string) func(*node.Node) error {
	return func(n *node.Node) error {
		if !n.Runtime.Known() {
			return Unknown(cmp.Or(n.Runtime.Gap, evidence.NotShown.Gap("the container runtime")))
		}
		if n.Runtime.Value.Name != name {
			return Skip("the container runtime is %s, not %s", n.Runtime.Value.Name, name)
		}
		return nil
	}
}

// UnlessOtherRuntime is the Applies of checks of a runtime whose evidence names it: they skip where
// another runtime is recorded.
func UnlessOtherRuntime(name string) func(*node.Node) error {
	return func(n *node.Node) error {
		if !n.Runtime.Known() {
			return nil
		}
		return OnRuntime(name)(n)
	}
}

// OnGeneration is the Applies of checks that concern setups of one generation only.
//
//go:noinline
func OnGeneration(g node.Generation) func(*node.Node) error {
	return func(n *node.Node) error {
		if !n.Generation.Known() {
			return Unknown(cmp.Or(n.Generation.Gap,
				evidence.NotShown.Gap("the generation of the node's setup")))
		}
		if n.Generation.Value != g {
			return Skip("the node is set up as of Kubernetes %s, not %s", n.Generation.Value, g)
		}
		return nil
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
	if !n.CNI.Known() {
		return Unknown(cmp.Or(n.CNI.Gap, evidence.NotShown.Gap("the network plugin")))
	}
	if !slices.Contains(families, n.CNI.Value) {
		return Skip("the node uses %s, not %s", n.CNI.Value, families[0])
	}
	return nil
}

// RequireBackend is RequireCNI for the type of the pod network.
func RequireBackend(n *node.Node, b node.Backend) error {
	if !n.Backend.Known() {
		return Unknown(cmp.Or(n.Backend.Gap, evidence.NotShown.Gap("the type of the pod network")))
	}
	if n.Backend.Value != b {
		return Skip("the pod network is %s, not %s", n.Backend.Value.Label(), b.Label())
	}
	return nil
}
