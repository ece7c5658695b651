package faults_test

import "testing"

func TestLinuxSidecarInjected(t *testing.T) {
	pod := func(images ...string) string {
		containers, states := "", ""
		for i, image := range images {
			name := []string{"web", "linkerd-proxy"}[i]
			if len(images) == 1 {
				name = "istio-proxy"
			}
			containers += `,{"name":"` + name + `","image":"` + image + `"}`
			states += `,{"name":"` + name + `","image":"` + image + `","state":{"waiting":{"reason":"ImagePullBackOff"}}}`
		}
		return "-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"d"},"spec":{"nodeName":"win-1","containers":[` +
			containers[1:] + `]},"status":{"phase":"Pending","containerStatuses":[` + states[1:] + "]}}]}\n"
	}
	runLooks(t, "linux-sidecar-injected", []look{
		{"a proxy beside an application", pod("shop.example/web:1", "cr.l5d.io/linkerd/proxy:2.14"),
			"fail: d/p cannot start: Linkerd injected container linkerd-proxy, which runs on Linux only [state]"},
		{"the mesh's own pod", pod("cr.l5d.io/linkerd/controller:2.14", "cr.l5d.io/linkerd/proxy:2.14"), "pass"},
		{"ztunnel, whose only container has the name of the proxy", pod("istio/ztunnel:1.19.0"), "pass"},
	})
}
