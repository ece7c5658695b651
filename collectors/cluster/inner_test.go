package cluster

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTheServersOwnWordsComeFirst(t *testing.T) {
	cause := func(kind metav1.CauseType, message string) metav1.Status {
		return metav1.Status{Message: "general", Details: &metav1.StatusDetails{
			Causes: []metav1.StatusCause{{Type: kind, Message: message}}}}
	}
	for _, row := range []struct {
		name   string
		status metav1.Status
		want   string
	}{
		{"a server that is no API server", cause(metav1.CauseTypeUnexpectedServerResponse, " no such log\n"), "no such log"},
		{"a cause of another type", cause(metav1.CauseTypeFieldValueInvalid, "the field"), "general"},
		{"a cause without words", cause(metav1.CauseTypeUnexpectedServerResponse, ""), "general"},
		{"no cause", metav1.Status{Message: "general"}, "general"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := serverMessage(row.status); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

func TestTrim(t *testing.T) {
	for _, row := range []struct{ name, object, want string }{
		{"what nobody reads", `{"metadata":{"name":"a","managedFields":[1]}}`, `{"metadata":{"name":"a"}}`},
		{"no metadata", `{"spec":{"managedFields":1}}`, `{"spec":{"managedFields":1}}`},
		{"metadata of another type", `{"metadata":5,"managedFields":1}`, "an error"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := Trim(json.RawMessage(row.object))
			if row.want == "an error" {
				if err == nil {
					t.Errorf("%s becomes %s", row.object, got)
				}
				return
			}
			if err != nil || string(got) != row.want {
				t.Errorf("%s becomes %s, %v, want %s", row.object, got, err, row.want)
			}
		})
	}
}
