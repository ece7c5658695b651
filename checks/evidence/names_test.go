package evidence

import "testing"

func TestNamesAreOneWordOfACommand(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"a pod", "web-7c9d8b6f5d-4kx2p", "web-7c9d8b6f5d-4kx2p"},
		{"a node in capitals", "WIN-1A2B3C.corp.example", "WIN-1A2B3C.corp.example"},
		{"a role of RBAC", "system:node", "system:node"},
		{"a name in another script", "узел-1", "узел-1"},
		{"a second command", "web;calc", "web_calc"},
		{"a second argument", "web --all", "web_--all"},
		{"an option", "--all", "_-all"},
		{"a splatted variable", "@web", "_web"},
		{"a substitution", "web$(calc)`calc`", "web__calc__calc_"},
		{"the end of a quoted part", "web'\"", "web__"},
		{"an escape sequence", "web\x1b[2J", "web__2J"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Name(row.in); got != row.want {
				t.Errorf("Name(%q) is %q, and should be %q", row.in, got, row.want)
			}
		})
	}
}

func TestNamesAreCleanedWhereverTheyAre(t *testing.T) {
	var list []Pod
	const pod = `[{"metadata":{"name":"a b","ownerReferences":[{"kind":"Job","name":"c|d"}]},"spec":{"containers":[{"name":"e&f","image":"g;h"}]}}]`
	if _, err := decodeList([]byte(pod), &list); err != nil {
		t.Fatal(err)
	}
	p := list[0]
	got := p.Metadata.Name + " " + p.Metadata.OwnerReferences[0].Name + " " + p.Spec.Containers[0].Name + " " + p.Spec.Containers[0].Image
	if want := "a_b c_d e_f g;h"; got != want {
		t.Errorf("the names are %q, and should be %q", got, want)
	}
}
