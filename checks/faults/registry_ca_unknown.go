package faults

import (
	"regexp"
	"slices"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
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
registries.yaml on Windows. A certificate that has expired or is for another name is rejected, too.

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
		"https://github.com/vmware-tanzu/tanzu-framework/pull/2092",
		"https://github.com/containerd/containerd/pull/13128",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    registryCaUnknownSigns,
	Run:      complain(registryCaUnknownSigns),
})

const notTrusted = "the runtime does not trust the certificate of the registry"

// notRegistries marks requests with /v2/ in their path that go to an API server or a pod, and those
// after which another host is asked.
var notRegistries = []string{"/apis/", "webhook", "probe", "trying next host", "Attempting next endpoint"}

// certificateDated is Go's error for a certificate that is too old or too new.
const certificateDated = "x509: certificate has expired or is not yet valid"

// validBySkew tells whether the certificates of registries that pods wait for would be valid by a clock that is
// off by skew in the other direction: a node that finds them too new is behind, whatever sign a recording gives it.
func validBySkew(s evidence.Snapshot, skew time.Duration) bool {
	skew = skew.Abs()
	waiting := complaints(s, registryCaUnknownSigns)
	return len(waiting) > 0 && !slices.ContainsFunc(waiting, func(c complaint) bool {
		m := comparedTimes.FindStringSubmatch(c.from.Text)
		if m == nil {
			return true
		}
		now, err := time.Parse(time.RFC3339, m[1])
		bound, err2 := time.Parse(time.RFC3339, m[3])
		if m[2] == "before" {
			return err != nil || err2 != nil || now.Add(skew).Before(bound)
		}
		return err != nil || err2 != nil || !now.Add(-skew).Before(bound)
	})
}

// comparedTimes is how Go ends certificateDated: crypto/x509.
var comparedTimes = regexp.MustCompile(certificateDated + `: current time (\S+) is (before|after) ([-0-9T:Z+]+)`)

var registryCaUnknownSigns = []checks.Sign{
	// crypto/x509 of Go before 1.18, where a registry has a ca_file: core/remotes/docker/config of containerd
	{Text: "system root pool is not available on Windows", Also: []string{"failed to get system cert pool"},
		Says: "containerd cannot use the ca_file of a registry: it is built with Go before 1.18",
		Fix: checks.Steps(
			checks.Run(`Import-Certificate -FilePath C:\root-ca.crt -CertStoreLocation Cert:\LocalMachine\Root`,
				"Import the root certificate of the registry into the store of the machine.").
				Costs("Every program of the node trusts this authority."),
			checks.Edit("{runtimeConfig}", "Remove ca_file from the configuration of the registry, or update containerd to a version that is built with Go 1.18 or later."),
			checks.Run("{restart runtime}", "Restart the container runtime: it reads the store at its start.").
				Costs("Running containers are not affected."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
	{Text: "x509: certificate signed by unknown authority",
		Also: []string{"pull image"},
		Says: notTrusted},
	{Text: "x509: certificate signed by unknown authority",
		Also: []string{"PullImage"}, Not: []string{"pull image"},
		Says: notTrusted},
	// docker run and docker pull; a layer from a further address is not named: docker for-win 36 and 735
	{Text: "x509: certificate signed by unknown authority",
		Also: []string{"Error response from daemon: Get"}, Not: []string{"pull image", "PullImage"},
		Says: notTrusted},
	// The first API of a registry, which Docker asked until 17.12: docker docs 357
	{Text: "/v1/_ping: x509: certificate signed by unknown authority",
		Not:  []string{"Error response from daemon: Get", "pull image", "PullImage"},
		Says: notTrusted},
	{Text: "docker: x509: certificate signed by unknown authority",
		Says: notTrusted},
	// ctr, crictl, the log of docker, and the kubelet where it repeats the error; not the attempts of
	// several hosts of which another may answer
	{Text: "x509: certificate signed by unknown authority", Also: []string{"/v2/"},
		Not: append([]string{"pull image", "PullImage", "Error response from daemon: Get", "/v1/_ping: x509"},
			notRegistries...),
		Says: notTrusted},
	{Text: "x509: certificate signed by unknown authority", Also: []string{"failed to authorize: failed to fetch "},
		Not:  []string{"pull image", "PullImage", "/v2/", "trying next host"},
		Says: notTrusted},
	// core/remotes/docker/config/hosts.go of containerd
	{Text: "unable to load CA cert ", Also: []string{"failed to resolve "},
		Says: "containerd cannot load the CA certificate of the registry: the file has no PEM certificate",
		Fix: checks.Steps(
			checks.Do("Write the root certificate of the registry in PEM format to the file that the error names."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
	{Text: "unable to read CA cert ", Also: []string{"pull"},
		Says: "containerd cannot read the CA file that hosts.toml names for the registry",
		Fix: checks.Steps(
			checks.Do("Put the CA file where the error says, or correct the path in ca of hosts.toml in the registry's folder below config_path."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
	// crypto/x509 of Go: a certificate that is known, and not for this name
	{Text: "x509: certificate is valid for ", Or: []string{"x509: certificate is not valid for any names",
		"x509: certificate relies on legacy Common Name field",
		"because it doesn't contain any IP SANs"},
		Also: []string{"/v2/"}, Not: notRegistries,
		Says: "the certificate of the registry does not have the name by which images call it",
		Fix: checks.Steps(
			checks.Do("Call the registry by a name that is in its certificate, or give it a certificate with this name as a subject alternative name (SAN)."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
	{Text: certificateDated, Also: []string{"/v2/", " is before "}, Not: notRegistries,
		Says: "the certificate of the registry is not yet valid by the clock of the node",
		Fix: checks.Steps(
			checks.Inspect("[DateTime]::UtcNow", "Compare the clock of the node with the times in the error."),
			setClock(),
			checks.Do("If the clock is right, correct the clock of the machine that issued the certificate of the registry."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
	{Text: certificateDated, Also: []string{"/v2/"}, Not: append([]string{" is before "}, notRegistries...),
		Says: "the certificate of the registry has expired, or the clock of the node is wrong",
		Fix: checks.Steps(
			checks.Inspect("[DateTime]::UtcNow", "Compare the clock of the node with the times in the error."),
			checks.Run("w32tm /resync", "If the clock is wrong, synchronize it.").
				Costs("The clock may jump once."),
			checks.Do("Otherwise renew the certificate of the registry."),
			checks.Verify("{pull} REGISTRY/IMAGE:TAG", "the pull succeeds"))},
	// what RKE2 and Rancher's agent pull themselves: pkg/bootstrap of rke2, pkg/image of system-agent
	{Text: "failed to get runtime image", Also: []string{"x509: certificate signed by unknown authority"},
		Says: "RKE2 does not trust the certificate of the registry of its runtime image"},
	{Text: ": failed to get image ", Also: []string{"x509: certificate signed by unknown authority"},
		Not:  []string{"pull image"},
		Says: "the agent of Rancher does not trust the certificate of the registry of its installer"},
}
