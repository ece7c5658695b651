package evidence

// Manifests is manifests.json: the pods that manifests describe, where `doctor
// lint` reads files in place of a node.
var Manifests = listKind[Manifest]("manifests.json")

// Manifest is one pod that a manifest describes, itself or as a template.
type Manifest struct {
	File string `json:"file"` // as it was named: deploy/web.yaml, or - for standard input
	Line int    `json:"line"` // of the object, from 1
	Kind string `json:"kind"` // of the object: Deployment
	// where the pod's spec lies in the object: spec.template.spec
	At string `json:"at"`
	// under the object's name, with the template's labels and annotations
	Pod   Pod            `json:"pod"`
	Lines map[string]int `json:"lines"` // path below the object → line in the file
}
