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
	// what RKE2 and Rancher's agent pull themselves: pkg/bootstrap of rke2, pkg/image of system-agent
	{Text: "failed to get runtime image", Also: []string{"x509: certificate signed by unknown authority"},
		Says: "RKE2 does not trust the certificate of the registry of its runtime image"},
	{Text: ": failed to get image ", Also: []string{"x509: certificate signed by unknown authority"},
		Not:  []string{"pull image"},
		Says: "the agent of Rancher does not trust the certificate of the registry of its installer"},
}
