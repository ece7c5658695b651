package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "proxy-unreachable",
	Title:    "Runtime cannot use its proxy",
	Healthy:  "Runtime can use its proxy",
	Category: checks.CategoryImages,
	Doc: `The container runtime pulls images through the proxy that HTTPS_PROXY in its environment names.
If the address is wrong, the proxy is down or does not admit the node, or the proxy wants a user and
a password, every pull fails, also of the pause image, so no pod starts. An address that begins with
https:// is for a proxy that speaks TLS itself, which few do.

The check looks for the errors of the connection to the proxy at pods that wait for their image and
in the logs of the kubelet and the runtime.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\{runtime} -Name Environment; [Environment]::GetEnvironmentVariable("HTTPS_PROXY", "Machine")`,
			"Read the proxy that the runtime uses."),
		checks.Inspect("Test-NetConnection PROXY -Port PORT", "Check that the node reaches it."),
		checks.Do("Correct the address, start with http:// unless the proxy speaks TLS, and put user and password in it if the proxy wants them. If the registry is inside the network, add it to NO_PROXY."),
		checks.Run("{restart runtime}", "Restart the container runtime: it reads its environment at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds")),
	Links: []string{
		"https://github.com/docker/for-win/issues/4607",
		"https://github.com/docker/for-win/issues/9143",
		"https://github.com/containerd/containerd/issues/8846",
	},
	Breaks:  []*checks.Effect{effectPodStart},
	Partial: true,
	Needs:   complaintNeeds,
	Uses:    complaintUses,
	Signs:   proxyUnreachableSigns,
	Run:     complain(proxyUnreachableSigns),
})

// proxyUnreachableSigns are the errors of Go's net/http (transport.go, dialConn) for a request to a registry.
var proxyUnreachableSigns = []checks.Sign{
	{Text: "proxyconnect tcp: tls: first record does not look like a TLS handshake", Also: []string{"/v2/"},
		Says: "the address of the proxy begins with https://, and the proxy does not speak TLS"},
	{Text: "proxyconnect tcp: dial tcp: lookup ", Also: []string{"/v2/"},
		Says: "the node cannot resolve the name of the proxy"},
	{Text: "proxyconnect tcp: ", Also: []string{"/v2/"},
		Not:  []string{"first record does not look like", "proxyconnect tcp: dial tcp: lookup "},
		Says: "the proxy of the runtime does not answer"},
	{Text: "Proxy Authentication Required", Also: []string{"/v2/"}, Not: []string{"proxyconnect tcp: "},
		Says: "the proxy of the runtime wants a user and a password"},
}
