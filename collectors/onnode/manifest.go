package onnode

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"doctor/collectors/cluster"
)

// A Manifest is what a cluster needs to be read from its nodes, for `kubectl apply -f -` or as a
// resource of a kustomization.
type Manifest struct {
	Options
	Continuous bool   // publish conditions and events, too
	Reports    bool   // and ClusterReports
	Every      string // 5m
	Port       int    // of /metrics
}

// manifest is YAML in which words in capitals are replaced, and lines from "#if" to "#end" are there
// for some manifests only.
//
//go:embed manifest.yaml
var manifest string

// Text returns the manifest as YAML.
func (m Manifest) Text() string {
	var b strings.Builder
	var around []bool // whether the conditions around the line hold
	for line := range strings.Lines(manifest) {
		switch strings.TrimSpace(line) {
		case "#if continuous", "#if reports":
			around = append(around, m.Continuous && (m.Reports || !strings.Contains(line, "reports")))
		case "#end":
			around = around[:len(around)-1]
		case "#reader":
			b.WriteString(cluster.ClusterRole)
		case "#secrets":
			for i, name := range m.PullSecrets {
				if i == 0 {
					b.WriteString("      imagePullSecrets:\n")
				}
				b.WriteString("      - name: " + name + "\n")
			}
		default:
			if !slices.Contains(around, false) {
				b.WriteString(line)
			}
		}
	}
	return strings.NewReplacer("NAMESPACE", m.Namespace, "PORT", strconv.Itoa(m.Port), "IMAGE",
		m.Image, "EVERY", m.Every, "WITHTOKEN", strconv.FormatBool(m.Continuous)).Replace(b.String())
}
