package ui

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

var tag = regexp.MustCompile(`<[/!]?([a-zA-Z]+[0-9]?)`)

// pageTags are those that the page is made of.
var pageTags = strings.Fields(`DOCTYPE html head meta title style body h1 h2 h3 p dl dt dd div span article
	ul ol li code pre del ins br a strong time details summary footer svg g rect path text`)

// pageOf is the page of a recorded node.
func pageOf(t *testing.T, name string, secret func(string) string, style Style) string {
	t.Helper()
	recording, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(recording.FS())
	if err != nil {
		t.Fatal(err)
	}
	list := faults.Catalogue()
	s, _ = signs.Record(s, list.Signs())
	r := checks.Diagnose(s, list, checks.Source{Kind: "demo", Name: name}, checks.Program{})
	var b bytes.Buffer
	if err := WriteHTML(&b, r, s, secret, style); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func same(s string) string { return s }

func TestAPageLoadsNothingAndRunsNothing(t *testing.T) {
	for name, page := range map[string]string{
		"a hostile report": string(draw(t, "html", hostile(attack), Style{})),
		"a recorded node":  pageOf(t, "hns-lb-missing-or-stale", same, Style{}),
		"hostile evidence": pageOf(t, "hns-lb-missing-or-stale", func(string) string {
			return `"><script>alert(1)</script><img src=x onerror=alert(1)>`
		}, Style{}),
	} {
		for _, found := range tag.FindAllStringSubmatch(page, -1) {
			if !slices.Contains(pageTags, found[1]) {
				t.Errorf("%s: the page holds %s", name, found[0])
			}
		}
		style := page[strings.Index(page, "<style>")+len("<style>") : strings.Index(page, "</style>")]
		sum := sha256.Sum256([]byte(style))
		if want := "default-src &#39;none&#39;"; !strings.Contains(page, `http-equiv="Content-Security-Policy"`) ||
			!strings.Contains(page, "default-src 'none'") && !strings.Contains(page, want) ||
			!strings.Contains(page, "sha256-"+strings.ReplaceAll(
				base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;")) &&
				!strings.Contains(page, "sha256-"+base64.StdEncoding.EncodeToString(sum[:])) {
			t.Errorf("%s: no policy that allows this style sheet alone", name)
		}
		for _, never := range []string{"url(", "@import", " src=", " style=", "javascript:", " on"} {
			for _, in := range regexp.MustCompile(`<[a-zA-Z][^>]*>`).FindAllString(page, -1) {
				if strings.Contains(in, never) {
					t.Errorf("%s: %s holds %q", name, in, never)
				}
			}
			if strings.Contains(style, never) && never != " on" {
				t.Errorf("the style sheet holds %q", never)
			}
		}
	}
}

func TestAPageHoldsTheCausesTheirFixAndTheTimeline(t *testing.T) {
	page := pageOf(t, "hns-network-missing", same, Style{})
	for _, want := range []string{
		"HNS network cbr0 is missing (found: nat (NAT), External (L2Bridge))",
		"hns-networks.json", "Restart-Service", "<h2>Timeline</h2>", "the fault began here",
		`name="viewport"`, "@media print",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there", want)
		}
	}
}

func TestAPageInASCIIHoldsTheSameAsNumbers(t *testing.T) {
	page := pageOf(t, "hns-lb-missing-or-stale", same, Style{ASCII: true})
	if at := strings.IndexFunc(page, func(r rune) bool { return r >= 0x80 }); at >= 0 {
		t.Errorf("not ASCII: %.40q", page[at:])
	}
	if !strings.Contains(page, "&#x2717;") {
		t.Error("the sign of a fault is lost")
	}
}

func TestWhatAPageTakesFromTheEvidenceLosesItsSecrets(t *testing.T) {
	page := pageOf(t, "hns-lb-missing-or-stale", func(string) string { return "MASKED" }, Style{})
	moments := page[strings.Index(page, `<ol class="moments">`):]
	moments = moments[:strings.Index(moments, "</ol>")]
	if n := strings.Count(moments, "<li"); n == 0 || n != strings.Count(moments, "MASKED") {
		t.Errorf("of %d moments %d are masked", n, strings.Count(moments, "MASKED"))
	}
}

func TestAPageDrawsTheNetwork(t *testing.T) {
	page := pageOf(t, "hns-lb-missing-or-stale", same, Style{})
	for _, want := range []string{"<h2>Network map</h2>", ">load balancer: missing</text>",
		">10.0.0.10 port 53/udp</text>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there", want)
		}
	}
}
