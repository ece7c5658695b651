package session

import (
	"strings"
	"testing"

	"doctor/checks"
)

func TestCausesAreSharedWithoutSecrets(t *testing.T) {
	const secret = "hunter2hunter2"
	r := Shareable(checks.Report{Causes: []checks.Cause{
		{ID: "a-fault", Message: "the proxy is http://admin:" + secret + "@proxy.example:3128"}}})
	if m := r.Causes[0].Message; strings.Contains(m, secret) || !strings.Contains(m, "proxy") {
		t.Errorf("the message is %q", m)
	}
}
