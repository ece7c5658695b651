package faults_test

import "testing"

func TestRawBlockVolume(t *testing.T) {
	const device = `"volumeDevices":[{"name":"d","devicePath":"/dev/x"}]`
	const waits = `{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
	runLooks(t, "raw-block-volume", []look{
		{"a pod that waits for it", podsJSON(podJSON("", device, waits)),
			"fail: shop/web uses a raw block volume, which Windows cannot attach to a container [state]"},
		{"a pod that runs", podsJSON(podJSON("", device, "")), "pass"},
		{"a pod for Linux", podsJSON(podJSON(`"nodeSelector":{"kubernetes.io/os":"linux"}`, device, waits)), "pass"},
		{"a pod that waits for something else", podsJSON(podJSON("", "", waits)), "pass"},
		{"a manifest", `-- manifests.json --
[{"file":"web.yaml","line":1,"kind":"Pod","at":"spec","lines":{"spec":3},"pod":{"metadata":{"name":"web"},"spec":{"nodeSelector":{"kubernetes.io/os":"windows"},"containers":[{"name":"c",` + device + `}]}}}]
`, "fail: web uses a raw block volume, which Windows cannot attach to a container [state]"},
		// formed: pkg/volume/util/util.go of Kubernetes 1.34 around the text of volume_path_handler_unsupported.go
		{"the kubelet of another driver's volume", logTelling("kubelet",
			`E1120 09:58:00.1 1 nestedpendingoperations.go:348] MapVolume.MapBlockVolume failed for volume "d" : blkUtil.AttachFileDevice failed. globalMapPath:\var\lib\kubelet\plugins\d, podUID: 1: AttachFileDevice not supported for this build.`),
			"fail: a raw block volume cannot be mapped into a pod on Windows [text]"},
		{"a folder without its drive", logTelling("csi-proxy", "not an absolute Windows path: var"), "unknown"},
	})
}

func TestPodIdentityUnsupported(t *testing.T) {
	const bound = `{"metadata":{"namespace":"shop","name":"web","labels":{"aadpodidbinding":"id"}},"spec":{"nodeName":"win-1","containers":[{"name":"c"}]},"status":{"phase":"Running","containerStatuses":[{"name":"c","state":{"running":{}}}]}}`
	const none = "-- api/events.json --\n{\"items\":[]}\n"
	const refused = `Get "http://localhost:2579/host/token/?resource=https://vault.azure.net": dial tcp `
	runLooks(t, "pod-identity-unsupported", []look{
		{"a pod with its label", podsJSON(bound) + none,
			"warn: shop/web has the label aadpodidbinding: AAD Pod Identity does not run on Windows [state]"},
		{"the events were not recorded", podsJSON(podJSON("", "", "")), "unknown"},
		{"no pod has it", podsJSON(podJSON("", "", "")) + none, "pass"},
		{"the provider on Windows", logTelling("other", refused+"[::1]:2579: connectex: Es konnte keine Verbindung hergestellt werden"),
			"fail: the Azure provider gets no token: AAD Pod Identity does not run on Windows [text]"},
		{"the provider on Linux", logTelling("other", refused+"127.0.0.1:2579: connect: connection refused"), "unknown"},
	})
}

func TestEphemeralStorageLimitExceeded(t *testing.T) {
	evicted := func(message, at string) string {
		return podsJSON(podJSON("", "", `{"phase":"Failed","reason":"Evicted","message":"`+message+
			`","conditions":[{"type":"DisruptionTarget","status":"True","lastTransitionTime":"`+at+`"}]}`)) +
			"-- api/events.json --\n{\"items\":[]}\n"
	}
	const volume = `Usage of EmptyDir volume \"tmp\" exceeds the limit \"1Gi\". `
	runLooks(t, "ephemeral-storage-limit-exceeded", []look{
		{"of an emptyDir", evicted(volume, "2026-11-20T09:00:00Z"),
			"fail: shop/web was evicted: an emptyDir volume is larger than its sizeLimit [state]"},
		{"of a container, two days ago", evicted(`Container c exceeded its local ephemeral storage limit \"1Gi\". `,
			"2026-11-18T09:00:00Z"),
			"info: shop/web was evicted: a container used more local disk space than its limit [state]"},
		{"the node had no space", evicted("The node was low on resource: ephemeral-storage. ",
			"2026-11-20T09:00:00Z"), "pass"},
		{"the pod is deleted", podsJSON(podJSON("", "", "")) + podEvent("Evicted",
			"Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "),
			"warn: the logs say: it used more local disk space than the limits of its containers allow; the node's state does not show it [text]"},
		{"the events were not recorded", podsJSON(podJSON("", "", "")), "unknown"},
	})
}
