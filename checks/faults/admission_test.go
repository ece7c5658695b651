package faults_test

import (
	"strings"
	"testing"
)

func TestAWebhookKeepsPodsFromBeingCreated(t *testing.T) {
	const (
		silent = `Error creating: Internal error occurred: failed calling webhook \"validate.kyverno.svc-fail\": failed to call webhook: Post \"https://kyverno-svc.kyverno.svc:443/validate/fail?timeout=10s\": context deadline exceeded`
		denied = `Error creating: pods \"agent-\" is forbidden: ValidatingAdmissionPolicy 'no-host-network' with binding 'all' denied request: hostNetwork is not allowed`
		found  = "fail: DaemonSet ops/agent has no pod on this node: the API server gets no valid answer from an admission webhook [state]"
		brief  = "warn: DaemonSet ops/agent has no pod on this node: the API server gets no valid answer from an admission webhook [state]"
		fewer  = "warn: ReplicaSet shop/web-new gets no new pods: the API server gets no valid answer from an admission webhook [state]"
		long   = `"firstTimestamp":"2026-11-20T09:40:00Z","lastTimestamp":"2026-11-20T09:55:00Z"`
		begun  = `"firstTimestamp":"2026-11-20T09:59:10Z","lastTimestamp":"2026-11-20T09:59:50Z"`
		past   = `"firstTimestamp":"2026-11-20T08:40:00Z","lastTimestamp":"2026-11-20T08:55:00Z"`
		noted  = "info: the logs say: the API server gets no valid answer from an admission webhook; the node's current state does not confirm it [text]"
		itsPod = `{"metadata":{"namespace":"ops","name":"agent-x","ownerReferences":[{"kind":"DaemonSet","name":"agent"}]},"spec":{"nodeName":"win-1"}}`
		oldPod = `{"metadata":{"namespace":"shop","name":"web-old-x","ownerReferences":[{"kind":"ReplicaSet","name":"web-old"}]},"spec":{"nodeName":"win-1"}}`
	)
	event := func(kind, name, message, times string) string {
		namespace, name, _ := strings.Cut(name, "/")
		return `{"involvedObject":{"kind":"` + kind + `","namespace":"` + namespace + `","name":"` + name +
			`"},"reason":"FailedCreate","message":"` + message + `",` + times + `}`
	}
	set := func(selector string) string {
		return `-- api/daemonsets.json --
{"items":[{"metadata":{"name":"agent","namespace":"ops"},"spec":{"template":{"spec":{"nodeSelector":{` + selector + `},"containers":[{"name":"c","image":"x/y:1"}]}}}}]}
-- api/node.json --
{"metadata":{"name":"win-1","labels":{"kubernetes.io/os":"windows","pool":"a"}}}
`
	}
	windows := set(`"kubernetes.io/os":"windows"`)
	tree := func(sets, pods, events string) string {
		return sets + podsJSON(pods) + "-- api/events.json --\n{\"items\":[" + events + "]}\n"
	}
	lacks := event("DaemonSet", "ops/agent", silent, long)
	runLooks(t, "admission-webhook-unavailable", []look{
		{"a DaemonSet for Windows has no pod", tree(windows, "", lacks), found},
		{"for some seconds, as the webhook restarts", tree(windows, "", event("DaemonSet", "ops/agent", silent, begun)), brief},
		{"it created a pod since", tree(windows, "", lacks+`,{"involvedObject":{"kind":"DaemonSet","namespace":"ops","name":"agent"},"reason":"SuccessfulCreate","message":"Created pod: agent-x","lastTimestamp":"2026-11-20T09:56:00Z"}`),
			"info: the logs say: the API server gets no valid answer from an admission webhook; it is over: a later event says: SuccessfulCreate [text]"},
		{"another controller created a pod since", tree(windows, "", lacks+`,{"involvedObject":{"kind":"DaemonSet","namespace":"ops","name":"other"},"reason":"SuccessfulCreate","message":"Created pod: other-x","lastTimestamp":"2026-11-20T09:56:00Z"}`), found},
		{"it has a pod here", tree(windows, itsPod, lacks), noted},
		{"an hour ago", tree(windows, "", event("DaemonSet", "ops/agent", silent, past)), "info: the logs say: the API server gets no valid answer from an admission webhook; it is over: its controller has not failed for 1h5m0s [text]"},
		{"a DaemonSet for Linux", tree(set(`"kubernetes.io/os":"linux"`), "", lacks), noted},
		{"one for other nodes with Windows", tree(set(`"kubernetes.io/os":"windows","pool":"b"`), "", lacks), noted},
		{"a Deployment that has pods here", tree(windows, oldPod, event("ReplicaSet", "shop/web-new", silent, long)), fewer},
		{"one that has none here", tree(windows, oldPod, event("ReplicaSet", "shop/api-new", silent, long)), noted},
		{"one without another ReplicaSet", tree(windows, oldPod, event("ReplicaSet", "shop/web", silent, long)), noted},
		{"the webhook of windows-gmsa", tree(windows, "", strings.Replace(lacks, "validate.kyverno.svc-fail", "admission-webhook.windows-gmsa.sigs.k8s.io", 1)), "pass"},
		{"a refusal by a policy", tree(windows, "", event("DaemonSet", "ops/agent", denied, long)), "pass"},
		{"the DaemonSets are not recorded", tree("", "", event("DaemonSet", "ops/agent-windows", silent, long)),
			strings.Replace(found, "agent", "agent-windows", 1)},
		{"nor is the system in the name", tree("", "", lacks), "warn: the API server gets no valid answer from an admission webhook [text]"},
		{"pasted, of an Ingress", logTelling("other", `Error from server (InternalError): Internal error occurred: failed calling webhook "validate.nginx.ingress.kubernetes.io": failed to call webhook`), "unknown"},
		{"nobody knows the pods", strings.ReplaceAll(tree(windows, "", ""), "api/pods.json", "api/other.json"), "unknown"},
	})
	runLooks(t, "admission-policy-denies-pods", []look{
		{"a ValidatingAdmissionPolicy refuses the pods", tree(windows, "", event("DaemonSet", "ops/agent", denied, begun)),
			"fail: DaemonSet ops/agent has no pod on this node: a ValidatingAdmissionPolicy denies its pods [state]"},
		{"of a DaemonSet for Linux", tree(set(`"kubernetes.io/os":"linux"`), "", event("DaemonSet", "ops/agent", denied, long)),
			"info: the logs say: a ValidatingAdmissionPolicy denies its pods; the node's current state does not confirm it [text]"},
		{"a webhook that does not answer", tree(windows, "", lacks), "pass"},
	})
}
