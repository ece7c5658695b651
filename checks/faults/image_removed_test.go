package faults_test

import (
	"strings"
	"testing"
)

func TestAnImageIsRemovedThatNobodyGivesBack(t *testing.T) {
	const (
		removed = "time=\"2026-11-20T09:10:00Z\" level=info msg=\"ImageDelete event name:\\\"docker.io/intranet/other:1\\\"\"\n" +
			"time=\"2026-11-20T09:10:01Z\" level=info msg=\"ImageDelete event name:\\\"docker.io/intranet/reports:2\\\"\"\n" +
			"time=\"2026-11-20T09:10:02Z\" level=info msg=\"ImageDelete event name:\\\"docker.io/intranet/third:1\\\"\"\n"
		created = "time=\"TIME\" level=info msg=\"ImageCreate event name:\\\"docker.io/intranet/reports:2\\\"\"\n"
		pull    = "time=\"2026-11-20T08:00:00Z\" level=info msg=\"PullImage \\\"intranet/reports:2\\\"\"\n"
		refused = "time=\"2026-11-20T09:52:00Z\" level=error msg=\"PullImage \\\"docker.io/intranet/reports:2\\\" failed\" error=\"failed to pull and unpack image \\\"docker.io/intranet/reports:2\\\": failed to resolve reference \\\"docker.io/intranet/reports:2\\\": pull access denied, repository does not exist or may require authorization\"\n"
		denied  = "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed"
		silent  = `failed to do request: Head \"https://registry-1.docker.io/v2/\": dial tcp 34.1.2.3:443: i/o timeout`
		found   = "fail: shop/web is not running: its image docker.io/intranet/reports:2 was removed from the node, and cannot be pulled again [state]"
		loaded  = "-- cri.json --\n{\"images\":[{\"repoTags\":[\"docker.io/intranet/reports:2\"]}]}\n"
		private = "-- cri.json --\n{\"images\":[{\"repoTags\":[\"registry.corp.example/a:1\"]}]}\n"
	)
	lives := func(lines string) string { return logTelling("containerd", lines) }
	of := func(image, policy, fields, answer string) string {
		full := image
		if strings.Count(image, "/") == 1 && !strings.Contains(image, ".") {
			full = "docker.io/" + image
		}
		return podsJSON(podJSON(fields, `"image":"`+image+`","imagePullPolicy":"`+policy+`"`,
			`{"phase":"Pending","containerStatuses":[{"name":"c","image":"`+image+`","state":{"waiting":{"reason":"ErrImagePull","message":"failed to pull and unpack image \"`+full+`\": failed to resolve reference \"`+full+`\": `+answer+`"}}}]}`))
	}
	waits := of("intranet/reports:2", "IfNotPresent", "", denied)
	runLooks(t, "image-removed-from-node", []look{
		{"the registry denies it", waits + lives(removed), found},
		{"the registry does not have it", of("registry.corp.example/reports:2", "IfNotPresent", "", "registry.corp.example/reports:2: not found") +
			lives(strings.ReplaceAll(removed, "docker.io/intranet", "registry.corp.example")), strings.Replace(found, "docker.io/intranet", "registry.corp.example", 1)},
		{"another image was removed", waits + lives(strings.Replace(removed, "/reports:2", "/reports:1", 1)), "pass"},
		{"nothing was removed", waits + lives("time=\"2026-11-20T09:10:00Z\" level=info msg=\"serving...\""), "pass"},
		{"the runtime's log is not recorded", waits, "unknown"},
		{"it was pulled before", waits + lives(pull+removed), "pass"},
		{"it was loaded again", waits + lives(removed+strings.Replace(created, "TIME", "2026-11-20T09:30:00Z", 1)), "pass"},
		{"the runtime has it", waits + lives(removed) + loaded, "pass"},
		{"the pod needs the registry in any case", of("intranet/reports:2", "Always", "", denied) + lives(removed), "pass"},
		{"the pod has credentials, which may have expired", of("intranet/reports:2", "IfNotPresent", `"imagePullSecrets":[{"name":"hub"}]`, denied) + lives(removed), "pass"},
		{"a registry of the company may deny an image that it has", of("registry.corp.example/reports:2", "IfNotPresent", "", "401 Unauthorized") +
			lives(strings.ReplaceAll(removed, "docker.io/intranet", "registry.corp.example")), "pass"},
		{"the registry does not answer", of("intranet/reports:2", "IfNotPresent", "", silent) + lives(removed), strings.Replace(found, "fail:", "warn:", 1)},
		{"and the image was imported", of("intranet/reports:2", "IfNotPresent", "", silent) +
			lives(strings.Replace(created, "TIME", "2026-11-19T09:30:00Z", 1)+removed), found},
		{"and the others are of a private registry", of("intranet/reports:2", "IfNotPresent", "", silent) + lives(removed) + private, found},
		{"too many pulls", of("intranet/reports:2", "IfNotPresent", "", "unexpected status code: 429 Too Many Requests") + lives(removed), "pass"},
		{"no pod waits for an image", podsJSON("") + lives(removed), "pass"},
		{"no pods are recorded, and nobody knows who removed it", lives(removed + refused), "unknown"},
	})
}
