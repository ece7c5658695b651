package faults

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// vpcAddress is the resource that a Windows node of EKS offers, the one that its
// pods ask for, and the annotation (at first a label) that carries the address.
const vpcAddress = "vpc.amazonaws.com/PrivateIPv4Address"

// vpcPatience: the resource controller writes the resource on a new Node and the
// address on a new pod within seconds.
const vpcPatience = 3 * time.Minute

const instanceType = "node.kubernetes.io/instance-type"

// unsupportedOnEKS tells an instance type on which Windows pods get no addresses:
// https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html
func unsupportedOnEKS(size string) bool {
	family, _, _ := strings.Cut(size, ".")
	return slices.Contains([]string{"c3", "c4", "d2", "i2", "m4", "r3"}, family) && size != "m4.16xlarge"
}

// unknownInstance is an event of the Node, of a type that is newer than the controller's list of limits.
const unknownInstance = "is not supported yet by the vpc resource controller"

func offersAddresses() *checks.Step {
	return checks.Verify(`kubectl get node {node} -o jsonpath='{.status.allocatable}'`,
		"vpc.amazonaws.com/PrivateIPv4Address above 0")
}

var _ = register(&checks.Check{
	ID:       "eks-missing-private-ip",
	Title:    "EKS pods get no VPC address",
	Healthy:  "EKS pods get VPC addresses",
	Category: checks.CategoryNetwork,
	Doc: `On EKS the addresses of Windows pods come from the control plane. Its resource
controller offers vpc.amazonaws.com/PrivateIPv4Address on each Windows Node, its webhook lets every
pod that selects Windows request one, and the controller writes the address on the pod, where the
CNI plugin reads it. Windows IPAM that was never switched on, a pod that does not select Windows, or
a network interface and subnet without a free address break this chain. A pod for Linux that was scheduled
to the node gets no address, either: that is reported as info here, and as the fault of the pod.

The check looks for the resource among what the Node can allocate, and for the annotation on pods
that wait. How many addresses the subnet has left, only AWS knows: there the messages of the
controller show it.`,
	Fix: checks.Steps(
		checks.Run(`kubectl patch configmap amazon-vpc-cni -n kube-system --type merge -p 'data: {enable-windows-ipam: !!str true}'`,
			"Enable Windows IPAM in EKS."),
		recreatePods(),
		offersAddresses()),
	Links: []string{"https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html",
		"https://github.com/kubernetes/kubernetes/issues/78429",
		"https://github.com/aws/containers-roadmap/issues/463",
		"https://github.com/aws/containers-roadmap/issues/240",
		"https://github.com/aws/containers-roadmap/issues/481",
		"https://github.com/aws/containers-roadmap/issues/1082",
		"https://github.com/aws/amazon-vpc-resource-controller-k8s/issues/86",
		"https://github.com/aws/amazon-vpc-cni-k8s/issues/1783",
		"https://docs.aws.amazon.com/eks/latest/best-practices/prefix-mode-win.html"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"hns-network-missing"}, // which the plugin creates for the first pod
	Applies: func(n *node.Node) error {
		if n.CNI.Known() && n.CNI.Value != node.VPC {
			return checks.Skip("the network plugin is %s, which assigns its own addresses",
				n.CNI.Value)
		}
		if n.Cloud.Value == "AWS" {
			return nil // EKS marks only the nodes that it made itself
		}
		return checks.OnPlatform(node.EKS)(n)
	},
	Needs: []evidence.Need{evidence.Node},
	Uses:  []evidence.Need{evidence.Pods, evidence.ConfigMaps},
	Signs: []checks.Sign{
		// The plugin until July 2023: plugins/vpc-shared-eni/config of aws/amazon-vpc-cni-plugins.
		{Text: "pod does not have label " + vpcAddress,
			Says: "the CNI plugin finds no VPC address on a pod: neither the webhook nor the resource controller has set one"},
		// The plugin since: its connector waits for the annotation of the pod. It fails in the same way
		// where it may not read the pod.
		{Text: "failed to parse Kubernetes args: failed to get pod IP address", Level: checks.Warn,
			Says: "the CNI plugin gets no VPC address for a pod"},
		// The controller when it was a pod of the cluster (containers-roadmap 463, eksctl 2721). It
		// fills its warm pool, so that a full node may say it with no pod waiting.
		{Text: "node has no open IP address slots", Also: []string{"PrivateIPv4Address"},
			Level: checks.Warn,
			Says:  "all address slots of the node's network interface are taken"},
		{Text: "Reconciler failed to create resource " + vpcAddress,
			Also: []string{"failed to assign IP addresses"},
			Says: "the resource controller got no address for a node from AWS"},
		// Today's, in the control plane, tells the pod: pkg/handler/warm.go of
		// aws/amazon-vpc-resource-controller-k8s since 1.4.0.
		{Text: "because the specified subnet does not have enough free cidr blocks",
			Also: []string{"Warm pool for resource " + vpcAddress}, In: []string{evidence.InPodEvents},
			Says: "the subnet of the node has no free block of 16 addresses", Fix: freePrefixes},
		// the same of the Node, as it fills the pool: pkg/provider/prefix
		{Text: noFreeBlocks,
			In: []string{evidence.InPodEvents}, Level: checks.Warn,
			Says: "the subnet of the node has no free block of 16 addresses", Fix: freePrefixes},
		{Text: unknownInstance, In: []string{evidence.InPodEvents}, ConfirmOnly: true},
		{Text: "Insufficient " + vpcAddress, Not: []string{noScaleUp}, In: []string{evidence.InPodEvents}, Level: checks.Warn,
			Says: "the scheduler finds no Windows node with a VPC address to spare"},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		object := evidence.Node.In(s)
		offered, there := object.Status.Allocatable[vpcAddress]
		if n := node.About(s); !there && n.Platform.Value != node.EKS && n.CNI.Value != node.VPC {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether EKS runs this AWS machine"))
		}
		young := s.Now().Sub(object.Metadata.CreationTimestamp.Time) < vpcPatience
		if len(object.Status.Allocatable) == 0 {
			return nil, checks.Unknown(evidence.NotShown.Gap("what the Node can allocate"))
		}
		// pods of before keep the addresses that they have
		if (!there || offered == "0") && !young && (!podHasAddress(s) || windowsIPAMOff(s)) {
			f := checks.Findingf(checks.Fail, vpcAddress,
				"the Node offers no %s, so no pod of it can get an address", vpcAddress).
				At(object.Field("status", "allocatable", vpcAddress),
					"status.allocatable: %s is %s", vpcAddress, cond(there, offered, "not there"))
			if size := object.Metadata.Labels[instanceType]; unsupportedOnEKS(size) {
				f = checks.Findingf(checks.Fail, vpcAddress, "the Node offers no %s: Amazon EKS runs no Windows pods on %s", vpcAddress, size).
					With(f.Because...).
					At(object.Field("metadata", "labels", instanceType), "%s: %s", instanceType, size).
					Cure(checks.Steps(
						checks.Do("Replace the node group by one of another instance type: Windows pods get no addresses on C3, C4, D2, I2, M4 (except m4.16xlarge) and R3.").
							Costs("The pods of this node move."), offersAddresses()))
			}
			for _, m := range s.Signs("eks-missing-private-ip") {
				if m.Text == unknownInstance && m.Over == "" {
					f = checks.Findingf(checks.Fail, vpcAddress, "the Node offers no %s: the resource controller does not know its instance type", vpcAddress).
						With(f.Because...).With(checks.Quote(m)).Cure(otherInstance)
				}
			}
			for _, cm := range evidence.ConfigMaps.In(s) {
				if ipamOff(cm) {
					f = f.At(cm.Field("data", "enable-windows-ipam"),
						"amazon-vpc-cni: enable-windows-ipam is %s",
						orNotSet(cm.Data["enable-windows-ipam"]))
				}
			}
			return []*checks.Finding{f.Explaining("eks-windows-addresses-insufficient")}, nil
		}
		var findings []*checks.Finding
		for _, p := range evidence.Pods.In(s) {
			if !lacksVPCAddress(s, p) {
				continue
			}
			f := checks.Findingf(checks.Fail, p.FullName(), "%s is waiting: it has no VPC address",
				p.FullName()).
				At(p.Field("metadata", "annotations", vpcAddress), "%s: annotation %s is not set",
					p.FullName(), vpcAddress)
			if !selectsWindows(p) && linuxWithoutSelector(s, p) {
				f.Level = checks.Info // that it is here is the fault: EKS gives addresses to pods of Windows
			} else if !selectsWindows(p) {
				f = f.At(p.Field("spec", "nodeSelector"),
					"%s: spec.nodeSelector does not select windows",
					p.FullName()).Cure(checks.Steps(
					checks.Run(onWorkload(p, "patch",
						`-p 'spec: {template: {spec: {nodeSelector: {kubernetes.io/os: windows}}}}'`),
						"Add the node selector of Windows: the webhook handles only pods that have it.").
						Costs("The pods of the workload are recreated."), hasVPCAddress(p)))
			} else if slices.ContainsFunc(liveSigns(s, "eks-missing-private-ip"),
				func(m evidence.SignMatch) bool { return m.Text == noFreeBlocks }) {
				f = f.Cure(freePrefixes.Clone())
			} else {
				f = f.Cure(checks.Steps(
					checks.Inspect("kubectl -n "+p.Metadata.Namespace+" describe pod "+
						p.Metadata.Name, "Read the events of the pod and fix what they report."),
					checks.Inspect("kubectl get mutatingwebhookconfigurations",
						"Check that the webhook vpc-resource-mutating-webhook exists."),
					checks.Run(deletePods(p),
						"Delete the pod, so that its controller creates it again."),
					hasVPCAddress(p)))
			}
			findings = append(findings, f)
		}
		if gap := evidence.Pods.Gap(s); gap.Kind != "" {
			return nil, checks.Unknown(gap)
		}
		return findings, nil
	},
})

// lacksVPCAddress tells whether a pod has waited long enough for an address.
func lacksVPCAddress(s evidence.Snapshot, p evidence.Pod) bool {
	return !p.Spec.HostNetwork && !p.HostProcess() && stuckReason(p) != "" && p.Status.PodIP == "" &&
		since(s, p, vpcPatience) && p.Metadata.Annotations[vpcAddress] == "" && p.Metadata.Labels[vpcAddress] == ""
}

// waitsForVPCAddress tells whether EKS gives a pod no address because the pod does not select Windows.
func waitsForVPCAddress(s evidence.Snapshot, p evidence.Pod) bool {
	offered := evidence.Node.In(s).Status.Allocatable[vpcAddress]
	return offered != "" && offered != "0" && !selectsWindows(p) && lacksVPCAddress(s, p)
}

func ipamOff(cm evidence.ConfigMap) bool {
	return cm.Metadata.Name == "amazon-vpc-cni" && !strings.EqualFold(cm.Data["enable-windows-ipam"], "true")
}

func windowsIPAMOff(s evidence.Snapshot) bool {
	return slices.ContainsFunc(evidence.ConfigMaps.In(s), ipamOff)
}

const noFreeBlocks = "InsufficientCidrBlocks: The specified subnet does not have enough free cidr blocks"

var freePrefixes = checks.Steps(
	checks.Inspect("kubectl get events -A --field-selector reason=InsufficientCidrBlocks",
		"Read which nodes get no prefix."),
	checks.Do("Reserve a range of the subnet for prefixes in AWS, or put the nodes in a subnet with free blocks of 16 addresses (/28)."),
	checks.Run(`kubectl patch configmap amazon-vpc-cni -n kube-system --type merge -p 'data: {enable-windows-prefix-delegation: !!str false}'`,
		"If you cannot, use single addresses instead of prefixes. A node then has fewer addresses for pods."),
	checks.Do("Delete the pods that are waiting, so that their controllers create them again."),
	checks.Verify(`kubectl get pods -A -o wide --field-selector spec.nodeName={node}`, "all pods have an IP"))

func hasVPCAddress(p evidence.Pod) *checks.Step {
	return checks.Verify("kubectl -n "+p.Metadata.Namespace+" get pods -o wide",
		"the new pod is Running and has an IP")
}

// selectsWindows tells whether EKS's webhook knows the pod for one of Windows.
func selectsWindows(p evidence.Pod) bool {
	return p.Spec.OS != nil && p.Spec.OS.Name == "windows" ||
		p.Spec.NodeSelector["kubernetes.io/os"] == "windows" ||
		p.Spec.NodeSelector["beta.kubernetes.io/os"] == "windows"
}

func orNotSet(s string) evidence.Phrase { return orPhrase(s, evidence.Phrasef("not set")) }
