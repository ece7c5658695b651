package evidence

import (
	"slices"
	"strings"
)

// podsOfNode is the kind of the pods of the node that is judged.
func podsOfNode(path string) *Kind[[]Pod] {
	k := objectsKind[Pod](path)
	k.foreign = func(s Snapshot) Gap {
		if gap := Node.load(s).gap; gap.Code == OtherSystem {
			return gap
		}
		return Gap{}
	}
	k.own = func(s Snapshot, list any) any {
		object, _ := Node.load(s).value.(NodeObject)
		return ownPods(list.([]Pod), s.Meta().Node, object.Metadata.Name)
	}
	return k
}

// ownPods leaves out the pods of other nodes: lists of a whole cluster have such. Where none is of the
// node, its name is not the one by which the API server knows it.
func ownPods(list []Pod, names ...string) []Pod {
	own := slices.DeleteFunc(slices.Clone(list), func(p Pod) bool {
		return p.Spec.NodeName != "" && !slices.ContainsFunc(names, func(name string) bool {
			return strings.EqualFold(name, p.Spec.NodeName)
		})
	})
	if !slices.ContainsFunc(own, func(p Pod) bool { return p.Spec.NodeName != "" }) {
		return list
	}
	return own
}

// Taint is one taint of a Node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// String is the taint as kubectl writes it.
func (t Taint) String() string {
	key := t.Key
	if t.Value != "" {
		key += "=" + t.Value
	}
	return key + ":" + t.Effect
}

// Toleration lets a pod run on nodes with a taint.
type Toleration struct {
	Key      string `json:"key,omitempty"`      // empty: every key
	Operator string `json:"operator,omitempty"` // Equal where it is empty, or Exists
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"` // empty: every effect
}

// Tolerates tells whether a toleration of the pod fits the taint.
func (p PodSpec) Tolerates(t Taint) bool {
	return slices.ContainsFunc(p.Tolerations, func(tol Toleration) bool {
		return (tol.Key == t.Key || tol.Key == "" && tol.Operator == "Exists") &&
			(tol.Operator == "Exists" || tol.Value == t.Value) && (tol.Effect == "" || tol.Effect == t.Effect)
	})
}

// Affinity is the part of an affinity that says on which nodes a pod must run.
type Affinity struct {
	NodeAffinity *struct {
		Required *struct {
			NodeSelectorTerms []struct {
				MatchExpressions []struct {
					Key      string   `json:"key"`
					Operator string   `json:"operator"`
					Values   []string `json:"values"`
				} `json:"matchExpressions"`
			} `json:"nodeSelectorTerms"`
		} `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	} `json:"nodeAffinity,omitempty"`
}

// Selects tells whether a node with these labels fits the node selector and the required affinity.
func (p PodSpec) Selects(labels map[string]string) bool {
	for key, value := range p.NodeSelector {
		if v, ok := labels[key]; !ok || v != value {
			return false
		}
	}
	if p.Affinity == nil || p.Affinity.NodeAffinity == nil || p.Affinity.NodeAffinity.Required == nil {
		return true
	}
	for _, term := range p.Affinity.NodeAffinity.Required.NodeSelectorTerms {
		fits := true
		for _, e := range term.MatchExpressions {
			value, has := labels[e.Key]
			switch e.Operator {
			case "In":
				fits = fits && has && slices.Contains(e.Values, value)
			case "NotIn":
				fits = fits && !(has && slices.Contains(e.Values, value))
			case "Exists":
				fits = fits && has
			case "DoesNotExist":
				fits = fits && !has
			} // Gt and Lt are not judged
		}
		if fits {
			return true
		}
	}
	return false
}
