package manifest

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

func read(t *testing.T, text string) (*Manifests, error) {
	t.Helper()
	var m Manifests
	err := m.Read("web.yaml", strings.NewReader(text))
	return &m, err
}

const containers = "containers: [{name: c, image: i}]"

func TestPodsAreFoundInWhateverHoldsThem(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       string // kind name at line
	}{
		{"a pod", "kind: Pod\nmetadata: {name: a}\nspec: {" + containers + "}\n", "Pod a spec 1"},
		{"a deployment behind a comment",
			"# it\n# serves\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {" +
				containers + "}}}\n", "Deployment a spec.template.spec 3"},
		{"a cron job",
			"kind: CronJob\nmetadata: {name: a}\nspec: {jobTemplate: {spec: {template: {spec: {" +
				containers + "}}}}}\n", "CronJob a spec.jobTemplate.spec.template.spec 1"},
		{"a pod template", "kind: PodTemplate\nmetadata: {name: a}\ntemplate: {spec: {" +
			containers + "}}\n", "PodTemplate a template.spec 1"},
		{"a workload of somebody's own",
			"kind: Rollout\nmetadata: {name: a}\nspec: {template: {spec: {" + containers + "}}}\n",
			"Rollout a spec.template.spec 1"},
		{"several documents", "---\nkind: Service\n---\nkind: Pod\nmetadata: {name: a}\nspec: {" +
			containers + "}\n--- # and\nkind: Pod\nmetadata: {name: b}\nspec: {" + containers +
			"}\n...\n", "Pod a spec 4; Pod b spec 8"},
		{"a list, and a list in it",
			"kind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n  spec: {" + containers +
				"}\n- kind: PodList\n  items:\n  - kind: Pod\n    metadata: {name: b}\n    spec: {" + containers + "}\n", "Pod a spec 3; Pod b spec 8"},
		{"JSON with tabs",
			"{\n\t\"kind\": \"Pod\",\n\t\"metadata\": {\"name\": \"a\"},\n\t\"spec\": {\"containers\": [{\"name\": \"c\"}]}\n}\n", "Pod a spec 1"},
		{"UTF-16 of PowerShell",
			"\xff\xfek\x00i\x00n\x00d\x00:\x00 \x00P\x00o\x00d\x00\n\x00s\x00p\x00e\x00c\x00:\x00 \x00{\x00c\x00o\x00n\x00t\x00a\x00i\x00n\x00e\x00r\x00s\x00:\x00 \x00[\x00{\x00}\x00]\x00}\x00\n\x00", "Pod  spec 1"},
		{"nothing but other objects",
			"kind: Service\nmetadata: {name: a}\n---\nkind: ConfigMap\ndata: {x: '{{ y }}'}\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := read(t, row.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range m.Pods {
				got = append(got, fmt.Sprintf("%s %s %s %d", p.Kind, p.Pod.Metadata.Name, p.At,
					p.Line))
				if len(p.Pod.Spec.Containers) != 1 {
					t.Errorf("%s has %d containers", p.Kind, len(p.Pod.Spec.Containers))
				}
			}
			if have := strings.Join(got, "; "); have != row.want {
				t.Errorf("%q, want %q", have, row.want)
			}
		})
	}
}

func TestFieldsAreFoundInTheirLines(t *testing.T) {
	m, err := read(t, `kind: List
items:
- kind: Service
- kind: Deployment
  metadata:
    name: web
  spec:
    template:
      metadata:
        annotations: {a: b}
      spec:
        containers:
        - name: one
          image: i
        - name: two
          securityContext:
            readOnlyRootFilesystem: true
`)
	if err != nil || len(m.Pods) != 1 || m.Others != 1 {
		t.Fatal(err, m)
	}
	p := m.Pods[0]
	for path, want := range map[string]int{
		"spec.template.spec.containers[1].securityContext.readOnlyRootFilesystem": 17,
		"spec.template.spec.containers[0]":                                        13,
		"metadata.name":                                                           6} {
		if got := p.Lines[path]; got != want {
			t.Errorf("%s is in line %d, want %d", path, got, want)
		}
	}
	if p.Pod.Metadata.Name != "web" || p.Pod.Metadata.Annotations["a"] != "b" {
		t.Errorf("metadata %+v", p.Pod.Metadata)
	}
}

func TestWhatCannotBeReadIsNamedAndTheRestCounts(t *testing.T) {
	const pod = "kind: Pod\nspec: {" + containers + "}\n"
	for _, row := range []struct {
		name, text, want string
		pods             int
	}{
		{"a template", "{{ if .x }}\nkind: Pod\n---\n" + pod, "render it first (helm template)", 1},
		{"a tab where YAML takes none", pod + "---\nkind: Pod\nspec:\n\tcontainers: []\n",
			"document 2, from line 4", 1},
		{"no object", "[1, 2]", "no Kubernetes object", 0},
		{"an object without a kind", "a: b", "it has no kind", 0},
		{"a field of another type", "kind: Pod\nspec: {containers: [{name: 7}]}\n", "containers",
			0},
		{"a pod without containers", "kind: Pod\nspec: {}\n", "a Pod without containers", 0},
		{"nothing", "# only a comment\n---\n", "it contains no manifest", 0},
		{"too many brackets in brackets", "kind: Pod\nspec: " + strings.Repeat("[", 5000), "levels",
			0},
		{"an item of a list that is none", "kind: List\nitems: [{kind: Pod}, 7]\n", "items[1]", 0},
		{"aliases that multiply",
			"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nkind: Pod\n", "alias", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := read(t, row.text)
			if err == nil || !strings.Contains(err.Error(), row.want) ||
				!strings.Contains(err.Error(), "web.yaml") {
				t.Errorf("error %v, want one with %q", err, row.want)
			}
			if len(m.Pods) != row.pods {
				t.Errorf("%d pods, want %d", len(m.Pods), row.pods)
			}
		})
	}
}

func TestManifestsAreEvidence(t *testing.T) {
	m, err := read(t, "kind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {"+containers+"}\n")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := m.FS()
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	list := evidence.Manifests.In(s)
	if len(list) != 1 || list[0].Pod.FullName() != "shop/a" || list[0].Lines["spec"] != 3 {
		t.Errorf("%+v, %v", list, evidence.Manifests.Gap(s))
	}
}

func FuzzRead(f *testing.F) {
	f.Add("kind: Pod\nspec: {" + containers + "}\n---\nkind: List\nitems: [{kind: Pod}]\n")
	f.Add("a: &a [*a]\n--- # x\n%YAML 1.2\n...\n")
	f.Fuzz(func(t *testing.T, text string) {
		var m Manifests
		err := m.Read("f", strings.NewReader(text))
		if err == nil && len(m.Pods)+m.Others == 0 && strings.Contains(text, "kind") &&
			!strings.Contains(text, "items") {
			t.Error("nothing was read, and nothing was said")
		}
		for _, p := range m.Pods {
			if p.At == "" || len(p.Pod.Spec.Containers) == 0 {
				t.Errorf("%+v", p)
			}
		}
	})
}
