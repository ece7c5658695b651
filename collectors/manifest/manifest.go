// Package manifest reads Kubernetes manifests as evidence, so that the checks
// of pod specs judge a file before it ever meets a node. It takes what kubectl
// takes: YAML or JSON, several documents in a file, Lists, and workloads of any
// kind that hold a pod template, custom ones too.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing/fstest"

	"sigs.k8s.io/yaml"

	"doctor/checks/evidence"
)

// Bounds on what a file may hold. They are far above what people write by hand.
const (
	maxFile      = 16 << 20
	maxDocuments = 5000
	maxItems     = 20_000
	maxLines     = 50_000 // of one document whose places are kept
)

// Manifests is what files hold.
type Manifests struct {
	Pods   []evidence.Manifest
	Others int // objects without a pod, such as Services
}

// Read adds the pods of one file. The errors name each document that cannot be
// read; the others count all the same.
func (m *Manifests) Read(name string, r io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(content) > maxFile {
		return fmt.Errorf("%s: more than %d MiB; split it", name, maxFile>>20)
	}
	documents := split(evidence.DecodeText(content))
	if len(documents) > maxDocuments {
		return fmt.Errorf("%s: more than %d documents; split it", name, maxDocuments)
	}
	var problems []error
	read := 0
	for i, d := range documents {
		if d.empty() {
			continue
		}
		read++
		raw, err := toJSON(d.text)
		if err == nil {
			err = m.object(name, raw, "", linesOf(d), 0)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: document %d, from line %d: %w", name, i+1,
				d.line, err))
		}
	}
	if read == 0 {
		problems = append(problems, fmt.Errorf("%s: it contains no manifest", name))
	}
	return errors.Join(problems...)
}

// document is one of the documents of a file.
type document struct {
	text []byte
	line int // of its first line, from 1
}

// split cuts a file at the lines that YAML separates documents with.
func split(content []byte) []document {
	list := []document{{line: 1}}
	number := 0
	for line := range bytes.Lines(content) {
		number++
		last := &list[len(list)-1]
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok &&
			(len(bytes.TrimRight(rest, " \t\r\n")) == 0 ||
				rest[0] == ' ' && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("#"))) {
			list = append(list, document{line: number + 1})
			continue
		}
		last.text = append(last.text, line...)
	}
	return list
}

// empty tells whether nothing but comments and directives stands in it.
func (d document) empty() bool {
	for line := range bytes.Lines(d.text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && line[0] != '%' &&
			!bytes.Equal(line, []byte("...")) {
			return false
		}
	}
	return true
}

// toJSON converts as kubectl does.
func toJSON(text []byte) (raw []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser is not ours
			err = fmt.Errorf("the YAML parser gave up (%v)", p)
		}
	}()
	if json.Valid(text) {
		// a List of a whole cluster is more than the YAML parser should have to take
		return text, nil
	}
	if err := evidence.CheckNesting(text); err != nil {
		return nil, err
	}
	raw, err = yaml.YAMLToJSON(text)
	if err != nil {
		reason := strings.TrimPrefix(strings.TrimPrefix(err.Error(),
			"error converting YAML to JSON: "), "yaml: ")
		if bytes.Contains(text, []byte("{{")) {
			return nil, fmt.Errorf("%s; it looks like a template: render it first (helm template)",
				reason)
		}
		return nil, fmt.Errorf("it is not valid YAML: %s", reason)
	}
	return raw, nil
}

// object takes an object's pod, or those of a List's items.
func (m *Manifests) object(name string, raw []byte, at string, places lines, depth int) error {
	var head struct {
		Kind     string            `json:"kind"`
		Metadata evidence.Metadata `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return errors.New("no Kubernetes object: " + evidence.JSONReason(err))
	}
	if head.Kind == "" {
		return errors.New("no Kubernetes object: it has no kind")
	}
	if strings.HasSuffix(head.Kind, "List") && head.Items != nil {
		if depth > 3 || len(head.Items) > maxItems {
			return errors.New("a List that is too deep or too long")
		}
		var problems []error
		for i, item := range head.Items {
			if err := m.object(name, item, fmt.Sprintf("%sitems[%d].", at, i), places,
				depth+1); err != nil {
				problems = append(problems, fmt.Errorf("items[%d]: %w", i, err))
			}
		}
		return errors.Join(problems...)
	}
	pod, spec, err := podOf(raw, head.Kind)
	if err != nil {
		return err
	}
	if spec == "" {
		m.Others++
		return nil
	}
	pod.Metadata.Name, pod.Metadata.Namespace = head.Metadata.Name, head.Metadata.Namespace
	m.Pods = append(m.Pods, evidence.Manifest{
		File: name, Line: places[strings.TrimSuffix(at, ".")], Kind: head.Kind, At: spec,
		Pod: pod, Lines: places.below(at),
	})
	return nil
}

// podOf finds the pod in an object and where its spec lies, or "".
func podOf(raw []byte, kind string) (evidence.Pod, string, error) {
	type template struct {
		Metadata evidence.Metadata `json:"metadata"`
		Spec     json.RawMessage   `json:"spec"`
	}
	var object struct {
		template
		Template template `json:"template"` // PodTemplate
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return evidence.Pod{}, "", errors.New(evidence.JSONReason(err))
	}
	var spec struct {
		Template    template `json:"template"`
		JobTemplate struct {
			Spec struct {
				Template template `json:"template"`
			} `json:"spec"`
		} `json:"jobTemplate"`
	}
	if kind != "Pod" && len(object.Spec) > 0 {
		_ = json.Unmarshal(object.Spec, &spec) // of another shape: no workload
	}
	for _, place := range []struct {
		at string
		t  template
	}{
		{"spec", object.template},
		{"spec.template.spec", spec.Template},
		{"spec.jobTemplate.spec.template.spec", spec.JobTemplate.Spec.Template},
		{"template.spec", object.Template},
	} {
		if place.at == "spec" && kind != "Pod" || !holdsContainers(place.t.Spec) {
			continue
		}
		pod := evidence.Pod{Metadata: place.t.Metadata}
		if err := json.Unmarshal(place.t.Spec, &pod.Spec); err != nil {
			return pod, "", fmt.Errorf("%s: %s", place.at, evidence.JSONReason(err))
		}
		return pod, place.at, nil
	}
	if kind == "Pod" {
		return evidence.Pod{}, "", errors.New("a Pod without containers")
	}
	return evidence.Pod{}, "", nil
}

func holdsContainers(spec json.RawMessage) bool {
	var s struct {
		Containers []json.RawMessage `json:"containers"`
	}
	return json.Unmarshal(spec, &s) == nil && len(s.Containers) > 0
}

// FS is the evidence tree of the manifests.
func (m *Manifests) FS() (fs.FS, error) {
	meta, err := json.Marshal(map[string]string{"layout": evidence.Layout, "source": "manifest"})
	if err != nil {
		return nil, err
	}
	pods, err := json.Marshal(m.Pods)
	if err != nil {
		return nil, err
	}
	return fstest.MapFS{"meta.json": {Data: meta}, evidence.Manifests.Path(): {Data: pods}}, nil
}
