package faults

import (
	"doctor/checks"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "registry-unauthorized",
	Title:    "Registry denies the image pull (unauthorized)",
	Healthy:  "Registries authorize the image pulls",
	Category: checks.CategoryImages,
	Doc: `The registry answers 401 to the pull: the pod names no imagePullSecret, its Secret is
wrong or expired, or the identity of the node may not pull. On AKS the identity of the kubelet needs
the role AcrPull on the registry. On EKS the role of the Windows node group needs
AmazonEC2ContainerRegistryReadOnly; it is a role of its own, so Linux nodes may pull while Windows
nodes may not. From Kubernetes 1.27 the kubelet has no code for ECR any more: without the program
ecr-credential-provider, as on the first Windows AMIs of 1.27, it sends no credentials at all. On
GKE the service account of the nodes needs roles/artifactregistry.reader where the repository is. A
registry that knows the identity but gives it no permission, or does not allow the address of the
node, answers 403.

The check looks for the answer at pods that wait for their image. A private image that does not
exist gets the same answer from some registries.`,
	Fix: checks.Steps(
		checks.Inspect(`kubectl get pod POD -n NAMESPACE -o jsonpath='{.spec.imagePullSecrets}'`,
			"Check whether the pod names a Secret for this registry."),
		checks.Do("Create a Secret with credentials that the registry accepts, and name it in imagePullSecrets of the pod or of its service account."),
		checks.Inspect("az aks check-acr --name CLUSTER --resource-group GROUP --acr REGISTRY.azurecr.io",
			"On AKS, check the path from the cluster to the registry.").Only(node.AKS),
		checks.Run("az aks update --name CLUSTER --resource-group GROUP --attach-acr REGISTRY",
			"On AKS, give the identity of the kubelet the role AcrPull.").Only(node.AKS),
		checks.Do("On EKS, attach AmazonEC2ContainerRegistryReadOnly to the role of the Windows node group.").Only(node.EKS),
		checks.Do("On EKS with Kubernetes 1.27 or later, use a current Windows AMI: it contains ecr-credential-provider.").
			Costs("The nodes are replaced.").Only(node.EKS),
		checks.Do("On GKE, give the service account of the nodes the role roles/artifactregistry.reader in the project of the repository, and the nodes the access scope storage-ro or cloud-platform.").
			Only(node.GKECloud),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"all pods are Running")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/azure/azure-kubernetes/extensions/cannot-pull-image-from-acr-to-aks-cluster",
		"https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html",
		"https://github.com/eksctl-io/eksctl/issues/6669",
		"https://github.com/aws/containers-roadmap/issues/2042",
		"https://cloud.google.com/artifact-registry/docs/integrate-gke",
		"https://kubernetes.io/docs/tasks/configure-pod-container/pull-image-private-registry/",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Needs:    complaintNeeds,
	FromPart: complaintNeeds,
	Uses:     complaintUses,
	Signs:    registryUnauthorizedSigns,
	Run:      complain(registryUnauthorizedSigns),
})

const (
	registryDenies  = "the registry denies the image: no credentials, wrong ones, or no permission"
	registryForbids = "the registry forbids the image (403): no permission, or network rules of the registry"
)

// The kubelet pulls with each of its credentials, and without, and lists all errors in one line: where one says that
// the image is for another system, the registry gave it.
var registryUnauthorizedSigns = notIn(imageRefusals, []checks.Sign{
	{Text: "401 Unauthorized",
		Or:   []string{"no basic auth credentials", "pull access denied"},
		Also: []string{"pull image", "failed to"},
		Says: registryDenies},
	{Text: "401 Unauthorized",
		Also: []string{"PullImage from image service failed"},
		Says: registryDenies},
	// Kubernetes until 1.20: kuberuntime_image.go says "Pull image", remote_image.go "PullImage".
	{Text: "401 Unauthorized", Or: []string{"no basic auth credentials", "pull access denied"},
		Also: []string{`Pull image "`, `" failed: rpc error`}, Not: []string{"failed to "},
		Says: registryDenies},
	{Text: "401 Unauthorized", Or: []string{"no basic auth credentials", "pull access denied"},
		Also: []string{`PullImage "`, `" from image service failed: rpc error`},
		Says: registryDenies},
	// containerd 1.6 and later wraps the error over several lines, which web pages keep apart
	{Text: "401 Unauthorized", Also: []string{"pulling from host", "failed with status code"},
		Not:  []string{"pull image", "PullImage"},
		Says: registryDenies},
	// containerd's own line, in each release: remotes/docker/resolver.go says "unexpected status code"
	// until 1.5.4, "pulling from host" until 1.6.24, "unexpected status from HEAD request" since.
	{Text: "401 Unauthorized", Or: []string{"pull access denied"},
		Also: []string{"PullImage", "failed to resolve reference"},
		Not:  []string{"pull image", "PullImage from image service failed"},
		Says: registryDenies},
	// containerd 2.1 and later, by default: core/transfer/local/pull.go
	{Text: "401 Unauthorized", Or: []string{"pull access denied"},
		Also: []string{"PullImage", "failed to resolve image: "},
		Not:  []string{"pull image", "PullImage from image service failed"},
		Says: registryDenies},
	// the kubelet's "with ErrImagePull: ...", crictl and ctr quote containerd, or docker
	{Text: "401 Unauthorized", Or: []string{"no basic auth credentials", "pull access denied"},
		Also: []string{"pull and unpack image"}, Not: []string{"pull image", "PullImage"},
		Says: registryDenies},
	{Text: "pull access denied", Also: []string{"ErrImagePull"},
		Not:  []string{"pull image", "PullImage", "pull and unpack image"},
		Says: registryDenies},
	{Text: "403 Forbidden", Also: []string{"pull and unpack image", "failed to resolve "},
		Says: registryForbids},
	{Text: "unauthorized: authentication required", Also: []string{"Error response from daemon: Get", "/v2/"},
		Not:  []string{"pull image"},
		Says: registryDenies},
	{Text: "unexpected status code ", Also: []string{"pull and unpack image", "failed to copy: ", ": 403 "},
		Says: registryForbids},
	// Azure Container Registry; the second is a page of a proxy or a firewall: distribution of docker
	{Text: "is not allowed access. Refer https://aka.ms/acr/firewall", Or: []string{"error parsing HTTP 403 response body"},
		Also: []string{"Error response from daemon: "},
		Says: registryForbids},
	// ctr and crictl, and the kubelet where it repeats an error without saying what it did
	{Text: "401 Unauthorized", Or: []string{"pull access denied", "no basic auth credentials"},
		Also: []string{"failed to resolve reference"}, Not: []string{"pull image", "PullImage", "pulling from host"},
		Says: registryDenies},
	{Text: "403 Forbidden", Also: []string{"failed to resolve reference"}, Not: []string{"pull and unpack image"},
		Says: registryForbids},
	// what the daemon of docker repeats of the registry's answer, in its log too
	{Text: ": denied: ", Or: []string{"unauthorized: Application not registered with AAD",
		"/v2/ failed with status: 401 Unauthorized"},
		Also: []string{"Error response from daemon: ", "/v2/"}, Not: []string{"is not allowed access"},
		Says: registryDenies},
	{Text: "Error response from daemon: denied: ", Or: []string{"Error response from daemon: unauthorized: ",
		"Not continuing with pull after error: denied: ",
		"Not continuing with pull after error: unauthorized: "},
		Not: []string{"pull image", "PullImage"}, Says: registryDenies},
	// docker pull and docker run
	{Text: "pull access denied for ", Also: []string{"Error response from daemon: "},
		Not:  []string{"pull image", "PullImage"},
		Says: registryDenies},
	{Text: "unauthorized: authentication required", Also: []string{"pull image"},
		Says: registryDenies},
	// RKE2 pulls the image of its own programs before any pod: pkg/bootstrap
	{Text: "failed to get runtime image", Also: []string{"unauthorized: authentication required"},
		Says: "the registry denies RKE2 its runtime image: no credentials, wrong ones, or no permission",
		Fix: checks.Steps(
			checks.Edit(`C:\etc\rancher\rke2\registries.yaml`,
				"Set the credentials of the registry under configs."),
			checks.Run("Restart-Service rke2", "Restart the agent.").
				Costs("The kubelet and the network agents of the node restart."),
			checks.Verify("kubectl get node {node}", "STATUS is Ready"))},
})

// notIn has signs fit only lines without any of the texts.
func notIn(texts []string, signs []checks.Sign) []checks.Sign {
	for i := range signs {
		signs[i].Not = append(signs[i].Not[:len(signs[i].Not):len(signs[i].Not)], texts...)
	}
	return signs
}
