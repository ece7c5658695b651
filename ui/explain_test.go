package ui

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
)

// need stands in for evidence, so that these pages do not change with it.
type need []string

func (n need) Gap(evidence.Snapshot) evidence.Gap { return evidence.Gap{} }
func (n need) Paths() []string                    { return n }

var (
	serviceRules = &checks.Effect{ID: "service-rules", Name: "kube-proxy's rules",
		Doc:     "Each Service has a load balancer.",
		Implies: []*checks.Effect{{ID: "services", Name: "Services", Doc: "Pods reach Services."}}}
	leases = &checks.Effect{ID: "leases", Name: "the node's lease",
		Doc: "flanneld holds a subnet, and writes it to a file."}
)

var shelf = []*checks.Check{
	{
		ID: "podcidr-not-assigned", Title: "the Node object has no pod CIDR",
		Category: checks.CategoryNetwork, FAQ: []int{8, 9},
		Doc: `flanneld asks the API server for the range of addresses that this node may give to pods, and waits until there is one.
It never comes where nobody hands out ranges.

The check reads spec.podCIDR of the Node object; <none> and "" count as missing. A path such as C:\run\flannel|x is *not* read.`,
		Fix: checks.Steps(
			checks.Inspect("kubectl get node {node} -o jsonpath='{.spec.podCIDR}'", ""),
			checks.Run("Restart-Service flanneld",
				"start kube-controller-manager with --allocate-node-cidrs=true, then restart flanneld on {node}").
				Costs("this node's pods lose their network for some seconds")),
		Links:    []string{faqPage, "https://example.com/why"},
		Breaks:   []*checks.Effect{leases},
		Explains: []string{"somewhere-else"},
		Needs: []evidence.Need{need{"api/node.json"},
			need{"hns-networks.json", "files/C/run/flannel/subnet.env", "files/C/etc/cni/net.d/",
				"services.json", "processes.json"}},
		Uses: []evidence.Need{need{"logs/flanneld/"}, need{"events.json", "logs/flanneld/"}},
		Signs: []checks.Sign{
			{Text: "pod cidr not assigned", Also: []string{"failed to acquire lease"},
				In: []string{"flanneld"}, Says: "flanneld finds no podCIDR for the node"},
			{Text: "`podCIDR`", ConfirmOnly: true, Level: checks.Warn},
		},
	},
	{ID: "flannel-subnet-env-missing", Shows: []*checks.Effect{leases},
		Title: "flanneld has not written subnet.env", Category: checks.CategoryNetwork,
		Doc: "Without it the plugin has no address to give."},
	{ID: "kube-proxy-not-running", Judges: serviceRules, Title: "kube-proxy does not run",
		Category: checks.CategoryComponents, Doc: "No service address works."},
}

// shelved is a catalogue of them.
var shelved = checks.NewCatalogue(shelf...)

func TestExplain(t *testing.T) {
	for name, style := range map[string]Style{"explain-40": {Width: 40}, "explain-80": {Width: 80},
		"explain-120": {Width: 120}, "explain-colour-80": {Width: 80, Colour: true},
		"explain-ascii-80": {Width: 80, ASCII: true}} {
		var b bytes.Buffer
		if err := Explain(&b, shelved, shelf[0], style); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func TestCatalogue(t *testing.T) {
	for name, style := range map[string]Style{"catalogue-40": {Width: 40},
		"catalogue-80": {Width: 80}} {
		var b bytes.Buffer
		if err := Catalogue(&b, shelf, style); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	var page, doc bytes.Buffer
	if err := CatalogueMarkdown(&page, shelved); err != nil {
		t.Fatal(err)
	}
	golden(t, "catalogue-markdown", page.Bytes())
	if err := CatalogueJSON(&doc, shelved); err != nil {
		t.Fatal(err)
	}
	golden(t, "catalogue-json", doc.Bytes())
}

func TestTheCatalogueAsJSONKeepsEveryText(t *testing.T) {
	var b bytes.Buffer
	if err := CatalogueJSON(&b, shelved); err != nil {
		t.Fatal(err)
	}
	var back []jsonCheck
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(back) // the catalogue lists the check with all the texts last
	if got, want := back[0].Doc, shelf[0].Doc; got != want {
		t.Errorf("the documentation came back as %q, not %q", got, want)
	}
	if got := back[0].Needs[1]; !slices.Equal(got, shelf[0].Needs[1].Paths()) {
		t.Errorf("the alternatives of a need came back as %q", got)
	}
	if got := back[1].Signs; got == nil || len(got) != 0 {
		t.Errorf("no signs came back as %v, not as an empty list", got)
	}
}

// The real catalogue is drawn too: a check that breaks a page breaks here.
func TestEveryRealCheckIsExplained(t *testing.T) {
	if len(faults.Catalogue().All()) == 0 {
		t.Fatal("the catalogue is empty")
	}
	for _, c := range faults.Catalogue().All() {
		var b bytes.Buffer
		if err := Explain(&b, faults.Catalogue(), c, Style{Width: 80, ASCII: true}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !strings.HasPrefix(text, c.ID) || strings.ContainsFunc(text, func(r rune) bool {
			return r >= 0x7f || r < 0x20 && r != '\n'
		}) {
			t.Errorf("%s is not explained in plain ASCII:\n%q", c.ID, text)
		}
		for _, command := range c.Fix.Commands() {
			if !strings.Contains(text, Plain(command, true)) {
				t.Errorf("%s: the command %q is not shown whole", c.ID, command)
			}
		}
	}
}
