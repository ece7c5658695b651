package faults

import (
	"doctor/checks"
)

var _ = register(&checks.Check{
	ID:       "registry-ca-unknown",
	Title:    "Runtime does not trust the registry certificate",
	Healthy:  "Runtime trusts the certificates of its registries",
	Category: checks.CategoryImages,
	Doc: `The container runtime of a Windows node checks the certificate of a registry against the
certificate store of the machine. A certificate of a private authority, or of a proxy that inspects
TLS, is unknown until its root is imported there. Trust that was set up on the Linux nodes does not
reach Windows nodes, and RKE2 before 1.29.14, 1.30.10, 1.31.6 and 1.32.2 ignored parts of
registries.yaml on Windows.

The check looks for the answer at pods that wait for their image and in the logs of the kubelet and
the runtime.`,
	Fix: checks.Steps(
		checks.Run(`Import-Certificate -FilePath C:\root-ca.crt -CertStoreLocation Cert:\LocalMachine\Root`,
			"Import the root certificate of the registry into the store of the machine.").
			Costs("Every program of the node trusts this authority."),
		checks.Run("{restart runtime}",
			"Restart the container runtime: it reads the store at its start.").
			Costs("Running containers are not affected."),
		checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/3239",
		"https://github.com/rancher/rke2/issues/7103",
		"https://github.com/kubernetes/kubernetes/issues/43924",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    registryCaUnknownSigns,
	Run:      complain(registryCaUnknownSigns),
})

var registryCaUnknownSigns = []checks.Sign{
	{Text: "x509: certificate signed by unknown authority",
		Also: []string{"pull image"},
		Says: "the runtime does not trust the certificate of the registry"},
	{Text: "x509: certificate signed by unknown authority",
		Also: []string{"PullImage"}, Not: []string{"pull image"},
		Says: "the runtime does not trust the certificate of the registry"},
	// the kubelet's "with ErrImagePull: ...", crictl and ctr quote containerd
	{Text: "x509: certificate signed by unknown authority",
		Also: []string{"pull and unpack image"}, Not: []string{"pull image", "PullImage"},
		Says: "the runtime does not trust the certificate of the registry"},
	// docker run and docker pull; a layer from a further address is not named: docker for-win 36 and 735
	{Text: "x509: certificate signed by unknown authority",
		Also: []string{"Error response from daemon: Get"}, Not: []string{"pull image", "PullImage"},
		Says: "the runtime does not trust the certificate of the registry"},
	// The first API of a registry, which Docker asked until 17.12: docker docs 357
	{Text: "/v1/_ping: x509: certificate signed by unknown authority",
		Not:  []string{"Error response from daemon: Get", "pull image", "PullImage"},
		Says: "the runtime does not trust the certificate of the registry"},
	{Text: "docker: x509: certificate signed by unknown authority",
		Says: "the runtime does not trust the certificate of the registry"},
	// Go's crypto/x509: HostnameError, CertificateInvalidError
	{Text: "x509: certificate is valid for ", Also: []string{"failed to do request", "/v2/"},
		Says: "the certificate of the registry is for another name", Fix: registryCertificateFix},
	{Text: "x509: certificate is valid for ", Also: []string{"Error response from daemon: Get", "/v2/"},
		Not:  []string{"failed to do request"},
		Says: "the certificate of the registry is for another name", Fix: registryCertificateFix},
	{Text: "x509: certificate has expired or is not yet valid", Also: []string{"failed to do request", "/v2/"},
		Says: "the certificate of the registry has expired, or the clock of the node is wrong", Fix: registryCertificateFix},
	{Text: "x509: certificate has expired or is not yet valid", Also: []string{"Error response from daemon: Get", "/v2/"},
		Not:  []string{"failed to do request"},
		Says: "the certificate of the registry has expired, or the clock of the node is wrong", Fix: registryCertificateFix},
	// remotes/docker/config/hosts.go, where hosts.toml names a file in ca
	{Text: "unable to read CA cert ", Or: []string{"unable to load CA cert "}, Also: []string{"pull"},
		Says: "containerd cannot read the CA file that hosts.toml names for the registry",
		Fix: checks.Steps(
			checks.Do("Put the CA file where the error says, or correct the path in ca of hosts.toml in the registry's folder below config_path."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
}

var registryCertificateFix = checks.Steps(
	checks.Inspect("w32tm /query /status", "Check that the clock of the node is right."),
	checks.Do("Give the registry a certificate that is valid today and has the name by which images name it. Or use the name of the certificate in the images."),
	checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))
