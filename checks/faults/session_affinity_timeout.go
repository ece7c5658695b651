package faults

import (
	"fmt"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// defaultAffinity is what the API server fills in, in seconds, where nobody set a timeout.
const defaultAffinity = 10800

var _ = register(&checks.Check{
	ID:       "session-affinity-timeout",
	Title:    "Session affinity of Services is not supported as configured",
	Healthy:  "Session affinity of Services is supported",
	Category: checks.CategoryNetwork,
	Doc: `With sessionAffinity ClientIP a Service sends a client to the same pod for the time in
sessionAffinityConfig.clientIP.timeoutSeconds. HNS of Server 2022 and later (version 12) supports
the affinity, but no timeout: the value is ignored on Windows nodes. On older builds the affinity is
ignored, and connections through this node are spread over all pods. AntreaProxy, which does without
HNS, supports both.

The check reads the Services; a timeout of 10800 seconds is the API server's default and is ignored.`,
	Fix: checks.Steps(
		checks.Run(`kubectl -n NAMESPACE patch service SERVICE -p 'spec: {sessionAffinity: None}'`,
			"On builds before Server 2022, remove the affinity, and use an ingress controller with cookie affinity instead."),
		checks.Do("On later builds, do not rely on timeoutSeconds: Windows ignores it."),
		checks.Verify(
			"kubectl get services -A -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,AFFINITY:.spec.sessionAffinity,TIMEOUT:.spec.sessionAffinityConfig.clientIP.timeoutSeconds",
			"AFFINITY is None, or TIMEOUT is 10800")),
	Links: []string{"https://kubernetes.io/docs/concepts/services-networking/windows-networking/",
		"https://kubernetes.io/docs/reference/networking/virtual-ips/",
		"https://github.com/antrea-io/antrea/releases/tag/v0.11.1"},
	Applies: servedByHNS,
	Needs: []evidence.Need{evidence.KubeServices, evidence.Any(evidence.HNSVersion,
		node.NeedBuild)},
	Uses: []evidence.Need{evidence.HNSVersion, evidence.OSInfo, evidence.Node},
	Signs: []checks.Sign{
		{Text: "Session Affinity is not supported on this version of Windows",
			Says:  "this Windows build does not support sessionAffinity of Services",
			Level: checks.Warn},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		n := node.About(s)
		able, from := hasAffinity(n, s)
		var affine, timed []string
		for _, svc := range evidence.KubeServices.In(s) {
			if svc.Spec.SessionAffinity != "ClientIP" {
				continue
			}
			affine = append(affine, svc.FullName())
			if c := svc.Spec.SessionAffinityConfig; c != nil && c.ClientIP != nil &&
				c.ClientIP.TimeoutSeconds != nil && *c.ClientIP.TimeoutSeconds != defaultAffinity {
				timed = append(timed, fmt.Sprintf("%s (%d s)", svc.FullName(),
					*c.ClientIP.TimeoutSeconds))
			}
		}
		switch {
		case len(affine) > 0 && !able:
			return []*checks.Finding{checks.Findingf(checks.Warn, "Services",
				"sessionAffinity ClientIP requires HNS 12 (Server 2022) or later (found: %s): it is ignored for %s", from.Text, firstThree(affine)).
				At(evidence.KubeServices.Field(s), "sessionAffinity is ClientIP on %s",
					firstThree(affine)).With(from)}, nil
		case len(timed) > 0:
			return []*checks.Finding{checks.Findingf(checks.Info, "Services",
				"Windows ignores the session timeout of %s (normal on Windows)",
				firstThree(timed)).
				At(evidence.KubeServices.Field(s),
					"sessionAffinityConfig.clientIP.timeoutSeconds is set on %s",
					firstThree(timed))}, nil
		}
		return nil, nil
	},
})

// hasAffinity goes by HNS, else by the build.
func hasAffinity(n *node.Node, s evidence.Snapshot) (bool, evidence.Because) {
	if v := evidence.HNSVersion.In(s).Version; v.Known() {
		return v.AtLeast(12, 0), evidence.HNSVersion.Field(s, "Version").Because("HNS %s", v)
	}
	return n.Build.Value.Number >= 19551, n.Build.From.Place().Because("build %s", n.Build.Value)
}
