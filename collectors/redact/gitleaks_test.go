package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"doctor/fixtures/server"
)

// A gitleaksRule is what the generator needs of a rule of gitleaks' default configuration.
type gitleaksRule struct {
	ID          string
	Regex       string
	SecretGroup int
	Keywords    []string
}

// frames are texts around a secret whose issuer's prefix gives it away: no name is near it.
var frames = []string{
	"%s", "request with %s was refused", `args: ["run", "%s", "--once"]`,
	"GET /v1/me?x=%s HTTP/1.1", "<Value>%s</Value>", "令牌：%s",
}

var keyFrames = []string{
	"%s", "key: |\n%s", `{"private_key": "%s"}`, "PRIVATE_KEY=\"%s\"", "loaded %s from disk",
}

func privateKey(rnd *rand.Rand, i int) string {
	kind := pick(rnd, []string{"RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""})
	text := "-----BEGIN " + kind + "PRIVATE KEY-----\n" +
		wrapped("MII"+chars(rnd, alnum+"+/", 800), 64) + "\n-----END " + kind + "PRIVATE KEY-----"
	switch i % len(keyFrames) {
	case 1:
		return "  " + strings.ReplaceAll(text, "\n", "\n  ")
	case 2, 3:
		return strings.ReplaceAll(text, "\n", `\n`)
	}
	return text
}

// fromGitleaks generates examples from the regular expressions of gitleaks' rules and returns those
// that gitleaks finds by that rule, so that what is no example of it for its entropy or its list of
// exceptions is not counted.
func fromGitleaks(t testing.TB, seeds int) []example {
	t.Helper()
	exe := server.Gitleaks.Require(t)
	var candidates []example
	var pairs bytes.Buffer
	rules := gitleaksRules(t, exe)
	for _, rule := range rules {
		group := rule.SecretGroup
		if group == 0 && regexp.MustCompile(rule.Regex).NumSubexp() > 0 {
			group = 1
		}
		rnd := newRand("gitleaks " + rule.ID)
		other, _, _ := exampleOf(rule.Regex, group, rnd)
		add := func(text string) {
			candidates = append(candidates, example{source: "gitleaks", rule: rule.ID, path: secretPath,
				text: text, other: other})
		}
		if rule.ID == "private-key" { // random characters are no likely key
			for i := range 2 * seeds {
				add(fmt.Sprintf(keyFrames[i%len(keyFrames)], privateKey(rnd, i)))
			}
			continue
		}
		for i := range seeds {
			text, secret, err := exampleOf(rule.Regex, group, rnd)
			if err != nil {
				t.Fatalf("%s: %v", rule.ID, err)
			}
			if text = strings.TrimSpace(text); secret == "" {
				secret = text
			}
			if text == other { // the rule knows how the secret begins, and nothing else
				tail := chars(rnd, alnum, 80)
				candidates = append(candidates, example{source: "gitleaks", rule: rule.ID,
					path: secretPath, text: text + tail, secrets: []string{tail}})
				continue
			}
			add(text)
			if prefixed(rule.Regex, group, secret, rnd) {
				add(fmt.Sprintf(frames[rnd.IntN(len(frames))], secret))
			}
			// Each pair gives two dozen texts.
			if keyword := pick(rnd, rule.Keywords); keyword != "" && i == 0 {
				fmt.Fprintln(&pairs, marshal([3]string{rule.ID, keyword, secret}))
			}
		}
	}
	for _, s := range gitleaksSamples(t, exe, &pairs) {
		candidates = append(candidates, example{source: "gitleaks", rule: s[0], path: secretPath,
			text: s[1]})
	}
	return confirmed(t, exe, candidates)
}

func pick(rnd *rand.Rand, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[rnd.IntN(len(list))]
}

// prefixed tells whether secrets of a rule begin alike: with what their issuer puts there.
func prefixed(regex string, group int, secret string, rnd *rand.Rand) bool {
	if len(secret) < 12 {
		return false
	}
	for range 4 {
		_, again, err := exampleOf(regex, group, rnd)
		if err != nil || len(again) < 3 || !strings.EqualFold(again[:3], secret[:3]) {
			return false
		}
	}
	return true
}

func gitleaksRules(t testing.TB, exe string) []gitleaksRule {
	t.Helper()
	out, err := exec.Command(exe, "rules").Output()
	if err != nil {
		t.Fatalf("gitleaks rules: %v", err)
	}
	var config struct{ Rules []gitleaksRule }
	if err := toml.Unmarshal(out, &config); err != nil {
		t.Fatal(err)
	}
	rules := slices.DeleteFunc(config.Rules, func(r gitleaksRule) bool { return r.Regex == "" })
	if len(rules) < 200 {
		t.Fatalf("gitleaks has %d rules with a regular expression, expected 200 or more", len(rules))
	}
	return rules
}

// gitleaksSamples are the spellings of an assignment that gitleaks tests its own rules with.
func gitleaksSamples(t testing.TB, exe string, pairs *bytes.Buffer) (ruleAndText [][2]string) {
	t.Helper()
	cmd := exec.Command(exe, "samples")
	cmd.Stdin = pairs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gitleaks samples: %v", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var s [2]string
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		ruleAndText = append(ruleAndText, s)
	}
	return ruleAndText
}

// confirmed are the examples that gitleaks finds by their rule, with the secret that it finds.
func confirmed(t testing.TB, exe string, candidates []example) []example {
	t.Helper()
	dir := t.TempDir()
	for i, c := range candidates {
		name := filepath.Join(dir, fmt.Sprintf("%d.txt", i))
		if err := os.WriteFile(name, []byte(c.text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.Command(exe, "dir", dir, "--no-banner", "--log-level=error", "--exit-code=0",
		"--report-format=json", "--report-path="+report)
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gitleaks: %v\n%s", err, out)
	}
	content, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var findings []struct{ RuleID, File, Match, Secret string }
	if err := json.Unmarshal(content, &findings); err != nil {
		t.Fatal(err)
	}
	found := make([][]string, len(candidates))
	for _, f := range findings {
		var i int
		if _, err := fmt.Sscanf(filepath.Base(f.File), "%d.txt", &i); err != nil {
			t.Fatal(err)
		}
		if len(f.Secret) < 6 { // a group that is not the secret, but a part of it that repeats
			f.Secret = strings.TrimSpace(f.Match)
		}
		if candidates[i].rule == f.RuleID {
			found[i] = append(found[i], f.Secret)
		}
	}
	var out []example
	for i, c := range candidates {
		if len(c.secrets) == 0 {
			c.secrets = found[i]
		}
		if len(found[i]) > 0 {
			out = append(out, c)
		}
	}
	return out
}
