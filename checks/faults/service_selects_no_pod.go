package faults

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "service-selects-no-pod",
	Title:    "Selector of a Service does not match its pods",
	Healthy:  "Selectors of Services match the pods of the same name",
	Category: checks.CategoryNetwork,
	Doc: `A Service sends traffic to the ready pods whose labels match its selector. After a label was renamed
in the pod template or in the Service, it has no endpoints, kube-proxy makes no load balancer for it,
and its cluster IP does not answer, although the pods run.

A Service without endpoints can be intended: its workload is scaled to zero. The check therefore
reports only a Service with the name of a workload on this node whose ready pods have the labels of
the selector, one of them with another value, and are selected by no Service at all.`,
	Fix: rightSelector("NAMESPACE", "NAME", "KEY=VALUE,KEY=VALUE"),
	Links: []string{"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/connectivity/connection-issues-application-hosted-aks-cluster",
		"https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/"},
	Needs: []evidence.Need{evidence.KubeServices, evidence.EndpointSlices, evidence.Pods},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		unlisted := false
		services := evidence.KubeServices.In(s)
		for _, svc := range services {
			listed, endpoints := false, 0
			for slice := range svc.Slices(s) {
				listed, endpoints = true, endpoints+len(slice.Endpoints)
			}
			if len(svc.Spec.Selector) == 0 || len(svc.ClusterIPs()) == 0 || endpoints > 0 {
				continue
			}
			for _, p := range evidence.Pods.In(s) {
				_, name, _ := strings.Cut(workloadOf(p), "/")
				if p.Metadata.Namespace != svc.Metadata.Namespace || name != svc.Metadata.Name || !p.Ready() ||
					slices.ContainsFunc(services, func(o evidence.KubeService) bool { return selects(o, p) }) {
					continue
				}
				key := otherValue(svc, p)
				if key == "" {
					continue
				}
				if !listed { // each Service with a selector has a slice
					unlisted = true
					break
				}
				findings = append(findings, checks.Findingf(checks.Warn, svc.FullName(),
					"the Service %s has no endpoints: it selects %s=%s, but its pods have %s=%s", svc.FullName(),
					key, svc.Spec.Selector[key], key, p.Metadata.Labels[key]).
					At(svc.Field("spec", "selector", key), "%s selects %s=%s", svc.FullName(), key, svc.Spec.Selector[key]).
					At(p.Field("metadata", "labels", key), "%s has %s=%s", p.FullName(), key, p.Metadata.Labels[key]).
					Cure(rightSelector(svc.Metadata.Namespace, svc.Metadata.Name, labelsFor(svc, p))))
				break
			}
		}
		if unlisted && len(findings) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("the EndpointSlices of each Service"))
		}
		return findings, nil
	},
})

// rightSelector names all labels: kubectl replaces the selector as a whole.
func rightSelector(namespace, name, labels string) checks.Fix {
	return checks.Steps(
		checks.Inspect("kubectl get pods -A --show-labels --field-selector spec.nodeName={node}",
			"Compare the labels of the pods with the selector of the Service."),
		checks.Run("kubectl -n "+namespace+" set selector service "+name+" '"+quoteForPowerShell(labels)+"'",
			"Set the selector to the labels of the pods. If a chart makes the Service, change the chart.").
			Costs("The Service sends its traffic to all pods that match."),
		checks.Verify("kubectl -n "+namespace+" get endpointslices -l kubernetes.io/service-name="+name,
			"the addresses of the pods"))
}

// labelsFor are the labels of the pod that the selector asks for, as kubectl takes them.
func labelsFor(svc evidence.KubeService, p evidence.Pod) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(svc.Spec.Selector)) {
		list = append(list, key+"="+p.Metadata.Labels[key])
	}
	return strings.Join(list, ",")
}

// selects tells whether the Service is for the pod, as far as its namespace and labels say.
func selects(svc evidence.KubeService, p evidence.Pod) bool {
	if len(svc.Spec.Selector) == 0 || svc.Metadata.Namespace != p.Metadata.Namespace {
		return false
	}
	for key, value := range svc.Spec.Selector {
		if p.Metadata.Labels[key] != value {
			return false
		}
	}
	return true
}

// otherValue is a label of the selector that the pod has with another value; "" where it lacks one.
func otherValue(svc evidence.KubeService, p evidence.Pod) (key string) {
	for _, k := range slices.Sorted(maps.Keys(svc.Spec.Selector)) {
		value, ok := p.Metadata.Labels[k]
		if !ok {
			return ""
		}
		if value != svc.Spec.Selector[k] {
			key = cmp.Or(key, k)
		}
	}
	return key
}
