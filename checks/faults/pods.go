package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/node"
)

// needPodSpecs is met by the node's pods, and where manifests are judged by those.
var needPodSpecs = evidence.Any(evidence.Pods, evidence.Manifests)

// A podSpec is a pod as somebody wrote it: one of the node's, or one that a
// manifest describes.
type podSpec struct {
	evidence.Pod
	Path  string         // the manifest's file; "" for a pod of the node
	Line  int            // of the object in it; 0 where it is not known
	At    fieldPath      // where the spec begins in its object: spec, spec.template.spec
	Kind  string         // Pod, or the kind of the manifest's object
	lines map[string]int // of a manifest
	more  int            // pods of the same owner that look the same
}

// podSpecs lists the pods for Windows. Pods of one owner are made from one
// template, so they are reported once.
func podSpecs(s evidence.Snapshot) []podSpec { return specsOf(s, evidence.Pods.In(s)) }

func specsOf(s evidence.Snapshot, pods []evidence.Pod) []podSpec {
	var list []podSpec
	owners := map[string]int{}
	for _, p := range pods {
		if node.PodSystem(p) == "linux" {
			continue
		}
		if owner := ownerOf(p); owner != "" {
			if at, ok := owners[owner]; ok {
				list[at].more++
				if node.PodDown(p) { // which shows more than one that runs
					list[at].Pod = p
				}
				continue
			}
			owners[owner] = len(list)
		}
		list = append(list, podSpec{Pod: p, At: fieldPath{"spec"}, Kind: "Pod"})
	}
	for _, m := range evidence.Manifests.In(s) {
		if node.PodSystem(m.Pod) != "linux" {
			list = append(list, podSpec{Pod: m.Pod, Path: m.File, Line: m.Line, At: pathOf(m.At),
				Kind: m.Kind, lines: m.Lines})
		}
	}
	return list
}

func ownerOf(p evidence.Pod) string {
	for _, o := range p.Metadata.OwnerReferences {
		return p.Metadata.Namespace + "/" + o.Kind + "/" + o.Name
	}
	return ""
}

// Name is what a finding calls the pod, with how many others are like it.
func (p podSpec) Name() string { return p.phrase().String() }

func (p podSpec) phrase() evidence.Phrase {
	name := strings.TrimPrefix(p.FullName(), "/")
	if p.Kind != "Pod" {
		name = p.Kind + " " + name
	}
	if p.more > 0 {
		return evidence.Phrasef("%s (and %d like it)", name, p.more)
	}
	return verbatim(name)
}

// A podField is a field of a pod that is set, under its full path.
type podField struct {
	Path  fieldPath
	Value string
}

// A fieldPath is the steps to a field: names, and the numbers of a list's elements.
type fieldPath []any

func pathOf(dotted string) fieldPath {
	var path fieldPath
	for name := range strings.SplitSeq(dotted, ".") {
		path = append(path, name)
	}
	return path
}

//go:noinline
func (p fieldPath) to(steps ...any) fieldPath { return append(slices.Clip(p), steps...) }

// String is the path as people write it: spec.containers[0].securityContext.privileged.
func (p fieldPath) String() string {
	var b strings.Builder
	for i, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}

// because points at the field: in a manifest by its line.
func (p podSpec) because(f podField) evidence.Because {
	text := fmt.Sprintf("%s: %s", f.Path, f.Value)
	place := p.Field(f.Path...)
	if p.lines == nil {
		text = strings.TrimPrefix(p.FullName(), "/") + ": " + text
	} else {
		place = evidence.InLine(p.Path, p.Line)
		// the field may come from an alias
		for path := f.Path; len(path) > 0; path = path[:len(path)-1] {
			if at := p.lines[path.String()]; at > 0 {
				place.Line = at
				break
			}
		}
	}
	return place.Because("%s", evidence.Clip(text, evidence.MaxText))
}

// containers goes over all containers of the pod with their paths.
func (p podSpec) containers(visit func(at fieldPath, c evidence.Container)) {
	for _, list := range []struct {
		name string
		list []evidence.Container
	}{{"initContainers", p.Spec.InitContainers}, {"containers", p.Spec.Containers},
		{"ephemeralContainers", p.Spec.EphemeralContainers}} {
		for i, c := range list.list {
			visit(p.At.to(list.name, i), c)
		}
	}
}

// isSet reports whether a raw field says anything: null, false, an empty list or
// object, and the value that Linux has by default anyway do not.
func isSet(raw json.RawMessage, defaults ...string) bool {
	v := strings.Join(strings.Fields(string(raw)), "")
	return !slices.Contains(append(defaults, "", "null", "false", "{}", "[]", `""`), v)
}

// isManifest reports whether the pod is in a manifest, which no API server has accepted yet.
func (p podSpec) isManifest() bool { return p.lines != nil }

// forWindows reports whether the pod itself sets that it is for Windows, so that
// the API server judges its fields.
func (p podSpec) forWindows() bool {
	return p.Spec.OS != nil && strings.EqualFold(p.Spec.OS.Name, "windows")
}
