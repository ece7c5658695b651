package faults_test

import (
	"os"
	"strings"
	"testing"
)

// treeOf is the evidence of a recorded node, without its shortMeta, as text.
func treeOf(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../fixtures/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(string(b), "-- os.json --")
	tree, _, _ = strings.Cut(tree, "-- want --")
	return "-- os.json --" + tree
}

func TestServiceSelectsNoPod(t *testing.T) {
	tree := treeOf(t, "service-selects-no-pod")
	const other = `{"metadata": {"name": "orders-v2", "namespace": "shop"}, "spec": {"clusterIP": "10.0.40.14", "selector": {"app": "orders"}}},`
	runLooks(t, "service-selects-no-pod", []look{
		{"a label with another value", tree,
			"warn: the Service shop/orders has no endpoints: it selects app=orders-api, but its pods have app=orders [state]"},
		{"the pods match", replace(tree, `"app": "orders-api"`, `"app": "orders"`), "pass"},
		{"it has endpoints that are not ready", replace(tree, `"endpoints": []`, `"endpoints": [{"addresses": ["10.244.5.5"], "conditions": {"ready": false}}]`), "pass"},
		{"its slices are not in the list", replace(tree, `"kubernetes.io/service-name": "orders"`, `"kubernetes.io/service-name": "other"`), "unknown"},
		{"another Service selects the pods", replace(tree, `{"apiVersion": "v1", "kind": "Service"`, other+`{"apiVersion": "v1", "kind": "Service"`), "pass"},
		{"pods of another workload, this one is scaled to zero", replace(tree, "orders-6c9f7b5d4", "worker-6c9f7b5d4"), "pass"},
		{"pods of another namespace", replace(tree, `"name": "orders-6c9f7b5d4-2xk9p", "namespace": "shop"`, `"name": "orders-6c9f7b5d4-2xk9p", "namespace": "test"`), "pass"},
		{"the pods lack a label of the selector", replace(tree, `"selector": {"app": "orders-api"}`, `"selector": {"app": "orders-api", "tier": "web"}`), "pass"},
		{"the pod is not ready", replace(tree, `"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-09T09:02:11Z"`, `"type": "Ready", "status": "False"`), "pass"},
		{"a Service without a selector", replace(tree, `"selector": {"app": "orders-api"}, `, ""), "pass"},
		{"a headless Service", replace(tree, `"clusterIP": "10.0.40.12", "clusterIPs": ["10.0.40.12"]`, `"clusterIP": "None"`), "pass"},
	})
}

func TestServiceTargetPortRefused(t *testing.T) {
	tree := treeOf(t, "service-target-port-refused")
	runLooks(t, "service-target-port-refused", []look{
		{"another port is declared", tree,
			"warn: the Service shop/catalog sends to port 5000 of shop/catalog-5d8c7f6b9-qm4zt, which refuses connections; its containers declare 8080 [state]"},
		{"two probes say so", replace(tree, `{"target": "10.244.2.18:8080", "from": "shop/catalog-5d8c7f6b9-qm4zt", "protocol": "tcp", "outcome": "ok"`, `{"target": "10.244.2.18:5000", "from": "node", "protocol": "tcp", "outcome": "refused"`),
			"warn: the Service shop/catalog sends to port 5000 of shop/catalog-5d8c7f6b9-qm4zt, which refuses connections; its containers declare 8080 [state]"},
		{"no port is declared", replace(tree, `"ports": [{"containerPort": 8080, "protocol": "TCP"}], `, ""), "pass"},
		{"this port is declared, and the program does not listen", replace(tree, `"containerPort": 8080`, `"containerPort": 5000`), "pass"},
		{"it answers", replace(tree, `"outcome": "refused"`, `"outcome": "ok"`), "pass"},
		{"nobody answers, which is no refusal", replace(tree, `"outcome": "refused"`, `"outcome": "timeout"`), "pass"},
		{"the pod is not ready", replace(tree, `"type": "Ready", "status": "True"`, `"type": "Ready", "status": "False"`), "skip"},
		{"another port was probed", replace(tree, "10.244.2.18:5000", "10.244.2.18:5001"), "skip"},
	})
}
