package session

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/collectors/redact"
)

func TestCausesAreSharedWithoutSecrets(t *testing.T) {
	const secret = "hunter2hunter2"
	r := Shareable(checks.Report{Causes: []checks.Cause{
		{ID: "a-fault", Message: "the proxy is http://admin:" + secret + "@proxy.example:3128"}}})
	if m := r.Causes[0].Message; strings.Contains(m, secret) || !strings.Contains(m, "proxy") {
		t.Errorf("the message is %q", m)
	}
}

// A digest that the redactor took for the secret of a check's name would tell the reader of a bundle
// that its logs were searched for other texts.
func TestNoDigestIsTakenForASecret(t *testing.T) {
	want := signs.Digests(faults.Catalogue().Signs())
	content, err := json.MarshalIndent(want, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := redact.New(redact.Options{}).Copy(&out, bytes.NewReader(content), "logs.json"); err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for check, digest := range want {
		if got[check] != digest {
			t.Errorf("%s: %s instead of %s", check, got[check], digest)
		}
	}
}
