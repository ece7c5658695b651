package cluster_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"doctor/collectors/cluster"
	"doctor/fixtures/apibed"
	"doctor/fixtures/wait"
)

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const rbac = "/apis/rbac.authorization.k8s.io/v1/"

// A rule is one of a ClusterRole.
type rule struct {
	APIGroups       []string `json:"apiGroups,omitempty"`
	Resources       []string `json:"resources,omitempty"`
	ResourceNames   []string `json:"resourceNames,omitempty"`
	NonResourceURLs []string `json:"nonResourceURLs,omitempty"`
	Verbs           []string `json:"verbs"`
}

func rules(t *testing.T) []rule {
	t.Helper()
	var role struct{ Rules []rule }
	if err := yaml.Unmarshal([]byte(cluster.ClusterRole), &role); err != nil {
		t.Fatal(err)
	}
	return role.Rules
}

// withLogs are the rules with the one that the role leaves to whoever applies it.
func withLogs(t *testing.T) []rule {
	t.Helper()
	return append(rules(t), rule{APIGroups: []string{""}, Resources: []string{"nodes/proxy"},
		Verbs: []string{"get"}})
}

// grant gives these rights to the user, and no other.
func grant(t *testing.T, bed *apibed.Bed, user string, rights []rule) {
	t.Helper()
	bed.Create(t, rbac+"clusterroles", apibed.Object{"metadata": apibed.Object{"name": user},
		"rules": rights})
	bind(t, bed, user, user)
}

func bind(t *testing.T, bed *apibed.Bed, role, user string) {
	t.Helper()
	bed.Create(t, rbac+"clusterrolebindings", apibed.Object{"metadata": apibed.Object{"name": user},
		"roleRef": apibed.Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
			"name": role},
		"subjects": []apibed.Object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
			"name": user}}})
}

// withoutDefaults takes from all users what every cluster gives them at first:
// a hardened one does so too, and a right that comes from there proves nothing.
func withoutDefaults(t *testing.T, bed *apibed.Bed) {
	t.Helper()
	for _, name := range []string{"system:discovery", "system:public-info-viewer"} {
		path := rbac + "clusterrolebindings/" + name
		var binding apibed.Object
		if err := json.Unmarshal(bed.Get(t, path), &binding); err != nil {
			t.Fatal(err)
		}
		bed.Patch(t, path, apibed.Object{"subjects": nil})
		t.Cleanup(func() { bed.Patch(t, path, apibed.Object{"subjects": binding["subjects"]}) })
	}
}

// denied are the gaps of refused requests, once the server has heard of the rights: what was granted
// reaches those who decide some time after the grant is answered.
func denied(t *testing.T, kubeconfig string,
	enough func(map[string]string) bool) (gaps map[string]string) {
	t.Helper()
	wait.Holds(func() bool {
		gaps = see(t, kubeconfig, apibed.WindowsNode, 1<<20).gaps(t)
		maps.DeleteFunc(gaps, func(_, gap string) bool {
			return !strings.HasPrefix(gap, "denied:")
		})
		return enough(gaps)
	})
	return gaps
}

func TestTheRoleIsEnough(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Kubelet(t, apibed.KubeletAddress, queryKubelet)
	withoutDefaults(t, bed)
	bed.Apply(t, rbac+"clusterroles/doctor-reader", cluster.ClusterRole)
	bind(t, bed, "doctor-reader", "reader")

	one := func(gaps map[string]string) bool { return len(gaps) == 1 }
	if gaps := denied(t, bed.Kubeconfigs["reader"], one); len(gaps) != 1 ||
		!strings.HasPrefix(gaps["logs/"], "denied: may not get nodes/proxy") {
		t.Errorf("with the role that `doctor explain rbac` prints, there are gaps: %v", gaps)
	}
	grant(t, bed, "reader-of-logs", withLogs(t))
	logs := bed.Kubeconfig(t, apibed.Login{User: apibed.Object{"token": bed.Tokens["admin"],
		"as": "reader-of-logs"}})
	none := func(gaps map[string]string) bool { return len(gaps) == 0 }
	if gaps := denied(t, logs, none); len(gaps) > 0 {
		t.Errorf("with the right to the logs there are gaps: %v", gaps)
	}
	client, err := cluster.Connect(cluster.Options{Kubeconfig: bed.Kubeconfigs["reader"]})
	if err != nil {
		t.Fatal(err)
	}
	if list, unread, err := client.WindowsNodes(t.Context()); err != nil || unread != nil ||
		len(list) != 2 {
		t.Errorf("the list of nodes: %v %v", list, err)
	}
	for _, r := range cluster.Rights {
		allowed, err := client.Allowed(t.Context(), r)
		if err != nil || allowed == r.Optional {
			t.Errorf("%s %s: allowed %v, %v", r.Verb, r.What(), allowed, err)
		}
	}
	text, _, err := bed.Do(http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
		apibed.Object{"spec": apibed.Object{"user": "reader",
			"resourceAttributes": apibed.Object{"verb": "list", "resource": "secrets"}}})
	var review struct{ Status *struct{ Allowed bool } }
	if err != nil || json.Unmarshal(text, &review) != nil || review.Status == nil ||
		review.Status.Allowed {
		t.Errorf("the role gives Secrets away: %s %v", text, err)
	}
}

// TestNoRightIsTooMuch takes one right after the other away.
func TestNoRightIsTooMuch(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Kubelet(t, apibed.KubeletAddress, queryKubelet)
	withoutDefaults(t, bed)
	all := withLogs(t)
	for i, r := range all {
		for _, what := range append(slices.Clone(r.Resources), r.NonResourceURLs...) {
			for _, verb := range r.Verbs {
				t.Run(fmt.Sprintf("without the right to %s %s there is a gap that says so", verb,
					what), func(t *testing.T) {
					user := fmt.Sprintf("without-%s-%s", verb,
						strings.ReplaceAll(strings.TrimPrefix(what, "/"), "/", "-"))
					grant(t, bed, user, without(all, i, what, verb))
					kubeconfig := bed.Kubeconfig(t,
						apibed.Login{User: apibed.Object{"token": bed.Tokens["admin"], "as": user}})
					gaps := denied(t, kubeconfig, func(gaps map[string]string) bool {
						return len(gaps) == 1
					})
					for path, gap := range gaps {
						if want := "denied: may not " + verb + " " + what; !strings.HasPrefix(gap,
							want) && !strings.HasPrefix(gap,
							strings.Replace(want, what, gapName(what), 1)) {
							t.Errorf("%s says %q", path, gap)
						}
						t.Logf("%s: %s", path, gap)
					}
					if len(gaps) != 1 {
						t.Errorf("the gaps are %v", gaps)
					}
				})
			}
		}
	}
}

// gapName is how a gap names an object where the role names its kind.
func gapName(resource string) string {
	return map[string]string{"nodes": "node " + apibed.WindowsNode,
		"configmaps":             "configmap kube-system/kube-proxy",
		"persistentvolumeclaims": "persistentvolumeclaim shop/data", "persistentvolumes": "persistentvolume pv-data",
		"leases": "lease " + apibed.WindowsNode, "/version": "the server's version"}[resource]
}

// without are the rules with one verb less for one resource.
func without(all []rule, at int, what, verb string) []rule {
	kept := slices.Clone(all)
	r := all[at]
	kept = slices.Delete(kept, at, at+1)
	others := func(list []string, one string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == one })
	}
	if rest := others(r.Resources, what); len(rest) > 0 {
		kept = append(kept, rule{APIGroups: r.APIGroups, Resources: rest,
			ResourceNames: r.ResourceNames, Verbs: r.Verbs})
	}
	if rest := others(r.Verbs, verb); len(rest) > 0 {
		one := r
		one.Verbs = rest
		if len(r.Resources) > 0 {
			one.Resources = []string{what}
		}
		kept = append(kept, one)
	}
	return kept
}

// TestAKubeletsRights: on the node there is often no login but the kubelet's own.
func TestAKubeletsRights(t *testing.T) {
	bed := apibed.Require(t)
	bed.Stage(t)
	bed.Kubelet(t, apibed.KubeletAddress, queryKubelet)
	kubeconfig := bed.Kubeconfig(t,
		apibed.Login{User: bed.ClientCert(t, "system:node:"+apibed.WindowsNode,
			[]string{"system:nodes"}, time.Now().Add(time.Hour))})
	client, err := cluster.Connect(cluster.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	if got := client.NodeName(); got != apibed.WindowsNode {
		t.Errorf("the certificate is for %q", got)
	}
	want := map[string]string{
		"api/events.json":         `may not list events: events is forbidden: User "system:node:win-1" cannot list resource "events" in API group ""`,
		"api/nodes.json":          `may not list nodes: nodes is forbidden: User "system:node:win-1" cannot list resource "nodes" in API group ""`,
		"api/configmaps.json":     `may not get configmap kube-system/kube-proxy: configmaps "kube-proxy" is forbidden: User "system:node:win-1" cannot get resource "configmaps" in API group ""`,
		"api/endpointslices.json": `may not list endpointslices: endpointslices.discovery.k8s.io is forbidden: User "system:node:win-1" cannot list resource "endpointslices" in API group "discovery.k8s.io"`,
		"api/daemonsets.json":     `may not list daemonsets: daemonsets.apps is forbidden: User "system:node:win-1" cannot list resource "daemonsets" in API group "apps"`,
		"api/ippools.json":        `may not list ippools: ippools.crd.projectcalico.org is forbidden: User "system:node:win-1" cannot list resource "ippools" in API group "crd.projectcalico.org"`,
		"api/ipamconfigs.json":    `may not list ipamconfigs: ipamconfigs.crd.projectcalico.org is forbidden: User "system:node:win-1" cannot list resource "ipamconfigs" in API group "crd.projectcalico.org"`,
		"api/servicecidrs.json":   `may not list servicecidrs: servicecidrs.networking.k8s.io is forbidden: User "system:node:win-1" cannot list resource "servicecidrs" in API group "networking.k8s.io"`,
	}
	var gaps map[string]string
	wait.Holds(func() bool { // until the server knows which pods are the node's
		gaps = see(t, kubeconfig, apibed.WindowsNode, 0).gaps(t)
		return len(gaps) == len(want)
	})
	if got := slices.Sorted(maps.Keys(gaps)); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("there are gaps of %v", got)
	}
	for path, gap := range want {
		if !strings.HasPrefix(gaps[path], "denied: "+gap) || !strings.HasSuffix(gaps[path],
			"`doctor explain rbac` prints the required role") {
			t.Errorf("%s: %q", path, gaps[path])
		}
	}
	for _, path := range []string{"api/node.json", "api/pods.json", "api/services.json",
		"api/lease.json", "api/version.json"} {
		if gap, ok := gaps[path]; ok {
			t.Errorf("a kubelet may read %s: %s", path, gap)
		}
	}
}
