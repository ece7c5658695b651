package faults

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "admission-webhook-unavailable",
	Title:    "Admission webhook does not answer, so pods are not created",
	Healthy:  "Admission webhooks answer",
	Category: checks.CategoryWorkloads,
	Doc: `Policy engines, service meshes and certificate managers (Kyverno, Gatekeeper, Istio and others)
register admission webhooks: the API server asks them about each new pod. With failurePolicy Fail it
creates no pod while the webhook does not run, cannot be reached, or has a certificate that the API
server does not trust. If the pod of the network plugin is among them, a new node never becomes
Ready; and if all nodes were restarted, the webhook itself waits for the network that it blocks.

The check looks for the event of the controller. It is a failure if a DaemonSet for Windows has no
pod on this node for some minutes. A shorter time can be the restart of the webhook, and other
workloads may be missing on other nodes only: both are warnings. The webhook of windows-gmsa has a
check of its own.`,
	Fix: checks.Steps(
		checks.Inspect("kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o wide",
			"Find the configuration of the webhook that the event names, and the Service in it."),
		checks.Inspect("kubectl get pods,endpointslices -n NAMESPACE -o wide",
			"Check whether the webhook runs, and whether its Service has endpoints."),
		checks.Do("If it does not run, fix that first. If it runs, allow the control plane to connect to its port. With an error of x509, renew its certificate and the caBundle of its configuration."),
		checks.Run("kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration NAME",
			"If the webhook waits for pods that it blocks, delete its configuration. Most products create it again when they run.").
			Costs("Its policies are not applied meanwhile."),
		checks.Do("Exclude kube-system and the namespaces of node agents with a namespaceSelector, and run several replicas of the webhook."),
		checks.Verify("kubectl get events -A --field-selector reason=FailedCreate", "no new event names the webhook")),
	Links: []string{
		"https://knowledge.broadcom.com/external/article/387563/vsphere-kubernetes-cluster-nodes-continu.html",
		"https://github.com/kyverno/kyverno/issues/11122",
		"https://github.com/kyverno/kyverno/issues/4686",
		"https://github.com/sagikazarmark/helm-charts/issues/154",
		"https://github.com/istio/istio/issues/6186",
		"https://kyverno.io/docs/troubleshooting/",
		"https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/",
	},
	Breaks: []*checks.Effect{},
	Needs:  []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("other"))},
	Uses:   notAdmittedUses,
	Signs:  webhookSilentSigns,
	Run:    notAdmitted(webhookSilentSigns, webhookRestart),
})

// gmsaWebhook has checks of its own.
const gmsaWebhook = "admission-webhook.windows-gmsa.sigs.k8s.io"

// staging/src/k8s.io/apiserver/pkg/util/webhook/error.go: the second is that of releases before 1.14. "Error creating"
// is of the controllers: webhooks are also called about objects that are no pods, and may be let to fail.
var webhookSilentSigns = []checks.Sign{
	{Text: `failed calling webhook "`, Or: []string{`failed calling admission webhook "`},
		Also: []string{creatingRefused}, Not: []string{gmsaWebhook}, In: refusalSources,
		Level: checks.Warn, Until: []string{"SuccessfulCreate"},
		Says: "the API server gets no valid answer from an admission webhook"},
}

const creatingRefused = "Error creating: "

var (
	refusalSources  = []string{evidence.InPodEvents, "other"}
	notAdmittedUses = []evidence.Need{evidence.PodEvents, evidence.DaemonSets, evidence.Pods, evidence.Node}
)

// webhookRestart is longer than an update of a webhook with a single replica takes.
const webhookRestart = 2 * time.Minute

// notAdmitted finds the workloads whose pods the API server refuses to create in the words of the signs: those
// that lack a pod on this node, and those that have pods on it. What is over sooner than brief is an ordinary restart.
func notAdmitted(signs []checks.Sign, brief time.Duration) func(evidence.Snapshot) ([]*checks.Finding, error) {
	return func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, e := range evidence.PodEvents.In(s) {
			about := e.About()
			sign, refused := fits(signs, e.Text())
			if e.Reason != "FailedCreate" || !refused || s.Now().Sub(e.At().Time) > checks.Recently || createdSince(s, e) {
				continue
			}
			name, says := about.Namespace+"/"+about.Name, evidence.Phrasef(sign.Says)
			begun := cmp.Or(e.FirstTimestamp, e.EventTime)
			lasted := !begun.IsZero() && e.At().Sub(begun.Time) >= brief
			because := e.Field().Because("%s: %s", about.Name, folded(e.Text()))
			switch {
			case about.Kind == "DaemonSet" && evidence.Pods.Known(s) && lacksPodHere(s, about):
				f := checks.Findingf(checks.Fail, name, "DaemonSet %s has no pod on this node: %s", name, says).With(because)
				if !lasted {
					f.Level = checks.Warn
				}
				findings = append(findings, explainingAgent(f, about.Name))
			case about.Kind != "DaemonSet" && about.Kind != "Pod" && lasted && workloadHere(s, about):
				findings = append(findings, checks.Findingf(checks.Warn, name, "%s %s gets no new pods: %s",
					about.Kind, name, says).With(because))
			}
		}
		gap := cmp.Or(evidence.PodEvents.Gap(s), evidence.DaemonSets.Gap(s), evidence.Pods.Gap(s))
		if len(findings) == 0 && gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	}
}

// createdSince tells whether the controller created a pod after its refusal.
func createdSince(s evidence.Snapshot, refusal evidence.Event) bool {
	return slices.ContainsFunc(evidence.PodEvents.In(s), func(e evidence.Event) bool {
		return e.Reason == "SuccessfulCreate" && e.About() == refusal.About() && e.At().After(refusal.At().Time)
	})
}

// lacksPodHere tells whether a DaemonSet is for this node and has no pod on it. Where the DaemonSets are not
// recorded, its name tells whether it is for Windows.
func lacksPodHere(s evidence.Snapshot, about evidence.ObjectReference) bool {
	set := evidence.DaemonSet{Metadata: evidence.Metadata{Namespace: about.Namespace, Name: about.Name}}
	windows := strings.Contains(about.Name, "-win")
	if evidence.DaemonSets.Gap(s).Kind == "" {
		at := slices.IndexFunc(evidence.DaemonSets.In(s), func(d evidence.DaemonSet) bool {
			return d.Metadata.Namespace == about.Namespace && d.Metadata.Name == about.Name
		})
		if at < 0 {
			return false
		}
		set = evidence.DaemonSets.In(s)[at]
		windows = staysOnWindows(set.Spec.Template.Spec)
	}
	labels := evidence.Node.In(s).Metadata.Labels
	return windows && (len(labels) == 0 || set.Spec.Template.Spec.Selects(labels)) && !hasPodOf(s, set)
}

// workloadHere tells whether a pod of this node is of the workload: of the same ReplicaSet, StatefulSet or Job, or
// of another ReplicaSet of its Deployment.
func workloadHere(s evidence.Snapshot, about evidence.ObjectReference) bool {
	deployment := func(replicaSet string) string { return replicaSet[:max(0, strings.LastIndexByte(replicaSet, '-'))] }
	return slices.ContainsFunc(evidence.Pods.In(s), func(p evidence.Pod) bool {
		return p.Metadata.Namespace == about.Namespace &&
			slices.ContainsFunc(p.Metadata.OwnerReferences, func(o evidence.OwnerReference) bool {
				return o.Kind == about.Kind && (o.Name == about.Name ||
					o.Kind == "ReplicaSet" && deployment(o.Name) != "" && deployment(o.Name) == deployment(about.Name))
			})
	})
}

// explainingAgent lets a DaemonSet without a pod explain that its program does not run, and what that was to set up.
func explainingAgent(f *checks.Finding, set string) *checks.Finding {
	if node.IsAgent(evidence.Pod{Metadata: evidence.Metadata{Name: set}}) {
		f = f.Explaining(lacksPlugin...)
	}
	for name, id := range programsOfPods {
		if strings.Contains(set, name) {
			f = f.Explaining(id)
		}
	}
	if strings.Contains(set, "csi") {
		f = f.Explaining("csi-driver-not-registered")
	}
	return f
}
