package faults

import "doctor/checks"

var _ = register(&checks.Check{
	ID:       "proxy-not-usable",
	Title:    "Runtime cannot use its configured proxy",
	Healthy:  "Runtime can use its configured proxy",
	Category: checks.CategoryImages,
	Doc: `The runtime sends its requests to registries through the proxy of its HTTPS_PROXY variable. If the proxy
does not answer, is not resolved or requires a password, no image can be pulled. Its value is read as
it is: "http://" twice makes a host with the name http, and https:// for a proxy that speaks plain HTTP
fails in the TLS handshake. NO_PROXY lists the registries that are reached without the proxy.

The check looks for the errors of Go's HTTP client ("proxyconnect", "Proxy Authentication Required") at
pods that wait for their image, and in the logs of the runtime and the kubelet.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Services\{runtime} -Name Environment; [Environment]::GetEnvironmentVariable("HTTPS_PROXY", "Machine")`,
			"Read the proxy that the runtime uses: that of its service, else that of the machine."),
		checks.Inspect("Test-NetConnection PROXY -Port PORT", "Check that the node reaches the proxy."),
		checks.Do("Correct HTTPS_PROXY: http://PROXY:PORT, or http://USER:PASSWORD@PROXY:PORT if the proxy requires a password. Add registries of your network to NO_PROXY."),
		checks.Run("{restart runtime}", "Restart the container runtime: it reads its environment at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds")),
	Links: []string{
		"https://github.com/docker/for-win/issues/2860",
		"https://github.com/docker/for-win/issues/9478",
		"https://github.com/docker/for-win/issues/4607",
		"https://github.com/docker/for-win/issues/9143",
		"https://github.com/containerd/containerd/issues/8846",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    proxyNotUsableSigns,
	Run:      complain(proxyNotUsableSigns),
})

// proxyNotUsableSigns are the errors of Go's net/http (transport.go, dialConn) for a request to a registry.
var proxyNotUsableSigns = []checks.Sign{
	{Text: "proxyconnect tcp: tls: first record does not look like a TLS handshake", Also: []string{"/v2/"},
		Not:  notRegistries,
		Says: "the address of the proxy begins with https://, and the proxy does not speak TLS"},
	{Text: "proxyconnect tcp: dial tcp: lookup ", Also: []string{"/v2/"}, Not: notRegistries,
		Says: "the node cannot resolve the name of the proxy"},
	{Text: "proxyconnect tcp: ", Also: []string{"/v2/"},
		Not:  append([]string{"first record does not look like", "proxyconnect tcp: dial tcp: lookup "}, notRegistries...),
		Says: "the runtime cannot connect to its proxy"},
	// the token of the registry, from a server of another name
	{Text: "proxyconnect tcp: ", Also: []string{"failed to authorize: failed to fetch "}, Not: []string{"/v2/"},
		Says: "the runtime cannot connect to its proxy"},
	// what Go says of a CONNECT that a proxy refuses
	{Text: ": Proxy Authentication Required", Also: []string{"/v2/"}, Not: append([]string{"proxyconnect tcp: "}, notRegistries...),
		Says: "the proxy of the runtime requires a user name and password"},
}
