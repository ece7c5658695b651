package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "registry-plain-http",
	Title:    "Registry answers HTTP where HTTPS is expected",
	Healthy:  "Registries answer over HTTPS",
	Category: checks.CategoryImages,
	Doc: `containerd and docker speak HTTPS to every registry except localhost. A registry without
TLS answers "server gave HTTP response to HTTPS client" until it is named as one. containerd reads
this from hosts.toml in a folder for each registry below config_path. On Windows a folder name
cannot contain a colon: the folder of registry:5000 is called registry_5000_. "ctr" ignores these
files without --hosts-dir, so test with crictl.

The check looks for this answer at pods that wait for their image and in the logs of the kubelet and
the runtime.`,
	Fix: checks.Steps(
		checks.Do("Give the registry a certificate. This is the only safe solution outside of a test network."),
		checks.Edit("{runtimeConfig}", `Otherwise set config_path = 'C:\ProgramData\containerd\certs.d' in the registry section of the CRI plugin.`),
		checks.Do(`Create C:\ProgramData\containerd\certs.d\REGISTRY_PORT_\hosts.toml with server = "http://REGISTRY:PORT". With Docker, add the registry to insecure-registries in daemon.json.`),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the file at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds")),
	Links: []string{
		"https://github.com/containerd/containerd/issues/11274",
		"https://github.com/rancher-sandbox/rancher-desktop/issues/2405",
		"https://github.com/containerd/containerd/blob/main/docs/hosts.md",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    registryPlainHttpSigns,
	Run:      complain(registryPlainHttpSigns),
})

var registryPlainHttpSigns = []checks.Sign{
	// A probe, a webhook and a metrics scrape can get the same answer: the path is the registry's.
	{Text: "server gave HTTP response to HTTPS client", Also: []string{"/v2/"},
		Not:  []string{"probe", "trying next host"},
		Says: "the registry has no TLS, and the runtime expects it"},
	{Text: "server gave HTTP response to HTTPS client", Also: []string{"/v1/_ping"},
		Says: "the registry has no TLS, and the runtime expects it"},
}
