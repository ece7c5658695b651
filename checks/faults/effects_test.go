package faults_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// TestExplanationsEndSomewhere: a circle of faults that explain each other would have no cause.
func TestExplanationsEndSomewhere(t *testing.T) {
	state := map[string]int{}
	var visit func(c *checks.Check, trail []string)
	visit = func(c *checks.Check, trail []string) {
		trail = append(slices.Clone(trail), c.ID)
		switch state[c.ID] {
		case 1:
			t.Errorf("these checks explain each other: %s", strings.Join(trail, " → "))
			return
		case 2:
			return
		}
		state[c.ID] = 1
		for _, id := range faults.Catalogue().Explains(c.ID) {
			if next := faults.Catalogue().ByID(id); next != nil {
				visit(next, trail)
			} else {
				t.Errorf("%s explains %s, which is no check", c.ID, id)
			}
		}
		state[c.ID] = 2
	}
	for _, c := range faults.Catalogue().All() {
		visit(c, nil)
	}
}

// follows lists every fault that a check may explain, where each check between them could not tell.
func follows(id string) []string {
	var list []string
	for open := []string{id}; len(open) > 0; open = open[1:] {
		for _, next := range faults.Catalogue().Explains(open[0]) {
			if !slices.Contains(list, next) {
				list, open = append(list, next), append(open, next)
			}
		}
	}
	return list
}

// TestFlanneldSetsTheRoutes: without flanneld its overlay gets no routes to other nodes (rke2 issue 5702).
func TestFlanneldSetsTheRoutes(t *testing.T) {
	if list := follows("rke2-flanneld-exit"); !slices.Contains(list, "vxlan-return-path-missing") || !slices.Contains(list, "vxlan-4789-conflict") {
		t.Errorf("rke2-flanneld-exit explains %v", list)
	}
}

// TestAnAgentThatDoesNotJoinStartsNothing: the agent of RKE2 and K3s starts containerd and the kubelet
// after it has joined, so what keeps it from that explains that they do not run.
func TestAnAgentThatDoesNotJoinStartsNothing(t *testing.T) {
	for _, id := range []string{"rke2-node-password-rejected", "rke2-token-rejected", "rke2-server-unreachable",
		"rke2-calico-token-missing", "apiserver-name-not-resolved", "rke2-runtime-image-missing"} {
		for _, next := range []string{"runtime-not-running", "kubelet-not-running"} {
			if !slices.Contains(faults.Catalogue().Explains(id), next) {
				t.Errorf("%s does not explain %s", id, next)
			}
		}
	}
}

// TestIndependentFaultsStayTwoCauses pairs faults that may well befall one node and have nothing to
// do with each other: a fault that swallows another hides it from the reader.
func TestIndependentFaultsStayTwoCauses(t *testing.T) {
	for _, pair := range [][2]string{
		{"proxy-not-configured", "kubelet-removed-flag"},
		{"kubelet-not-running", "pagefile-disabled"},
		{"kubelet-not-running", "cni-binary-missing"},
		{"runtime-not-running", "cni-config-invalid"},
		{"hns-network-missing", "app-image-os-version-mismatch"},
		{"hns-network-missing", "csi-proxy-missing"},
		{"hns-network-missing", "outboundnat-exception-missing"},
		{"flanneld-not-running", "cni-nameserver-mismatch"},
		{"flanneld-not-running", "dsr-unsupported-build"},
		{"network-agent-not-running", "dsr-unsupported-build"},
		{"kube-proxy-not-running", "ipam-range-exhausted"},
		{"kube-proxy-not-running", "mtu-mismatch"},
		{"kube-proxy-not-running", "vm-mac-spoofing-disabled"},
		{"hns-lb-missing-or-stale", "route-missing-host-gw"},
		{"lb-port-exhaustion", "kubeproxy-no-host-mac"},
		{"vxlan-4789-conflict", "vm-mac-spoofing-disabled"},
		{"outboundnat-exception-missing", "outboundnat-exception-too-broad"},
		{"node-cannot-use-cluster-ip", "nodeport-local-access"},
		{"cluster-dns-unreachable", "dns-servers-disagree"},
		{"entrypoint-not-found", "app-image-os-version-mismatch"},
		{"disk-pressure-snapshot-leak", "image-pull-too-slow"},
		{"smb-global-mapping-failed", "gmsa-not-working"},
		{"firewall-blocks-10250", "wsaeacces-excluded-port"},
		{"route-policy-missing", "icmp-external-not-snated"},
	} {
		for _, id := range pair {
			if faults.Catalogue().ByID(id) == nil {
				t.Errorf("there is no check %s", id)
			}
		}
		if slices.Contains(follows(pair[0]), pair[1]) {
			t.Errorf("%s explains %s", pair[0], pair[1])
		}
		if slices.Contains(follows(pair[1]), pair[0]) {
			t.Errorf("%s explains %s", pair[1], pair[0])
		}
	}
}

// TestOneFaultOfTwoIsTheCause: both are found, and one of them follows from the other.
func TestOneFaultOfTwoIsTheCause(t *testing.T) {
	const hostEndpoint = "-- hns-endpoints.json --\n[{\"ID\":\"h\",\"Name\":\"cbr0_ep\",\"IPAddress\":\"10.244.2.2\",\"PrefixLength\":24,\"VirtualNetwork\":\"N\"},{\"ID\":\"b\",\"IPAddress\":\"10.244.2.5\",\"PrefixLength\":24,\"VirtualNetwork\":\"N\",\"GatewayAddress\":\"10.244.2.2\"}]\n" +
		"-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"Subnets\":[{\"AddressPrefix\":\"10.244.2.0/24\",\"GatewayAddress\":\"10.244.2.1\"}]}]\n" +
		"-- adapters.json --\n[{\"name\":\"Ethernet0\",\"addresses\":[\"10.0.0.10/24\"]}]\n"
	for _, row := range []struct{ cause, follows, tree string }{
		{"cert-expired-or-clock-skew", "kubelet-credentials-refused",
			"-- certificates.json --\n[{\"path\":\"C:\\\\var\\\\lib\\\\kubelet\\\\pki\\\\kubelet-client-current.pem\",\"subject\":\"O=system:nodes,CN=system:node:win-1\",\"issuer\":\"CN=x\",\"notBefore\":\"2025-11-19T00:00:00Z\",\"notAfter\":\"2026-11-19T00:00:00Z\"}]\n" +
				"-- logs/kubelet/k.log --\nE1120 09:58:00.1 1399 kubelet_node_status.go:92] Unable to register node \"win-1\" with API server: Unauthorized\n"},
		// nothing that needs a pod is there before the kubelet has its certificate
		{"kubelet-certificate-request-refused", "kubeproxy-network-name-unset-or-missing",
			"-- services.json --\n[{\"name\":\"kubeproxy\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kube-proxy.exe\",\"args\":[\"--proxy-mode=kernelspace\",\"--network-name=azure\"]}]\n" +
				"-- hns-networks.json --\n[]\n" +
				"-- logs/kubelet/k.log --\nE1120 09:58:00.1 1399 certificate_manager.go:596] \"Failed while requesting a signed certificate from the control plane\" err=\"cannot create certificate signing request: Unauthorized\"\n"},
		{"cni-config-uninitialized", "kubeproxy-network-name-unset-or-missing",
			"-- services.json --\n[{\"name\":\"kubeproxy\",\"state\":\"running\",\"binPath\":\"C:\\\\k\\\\kube-proxy.exe\",\"args\":[\"--proxy-mode=kernelspace\",\"--network-name=Calico\"]}]\n" +
				"-- hns-networks.json --\n[]\n" +
				"-- api/node.json --\n{\"metadata\":{\"name\":\"win-1\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"message\":\"Network plugin returns error: cni plugin not initialized\"}]}}\n"},
		{"excluded-ports-over-nodeports", "lb-port-exhaustion",
			"-- ports.json --\n{\"dynamic\":{\"tcp\":{\"start\":20000,\"count\":40000}},\"excluded\":[]}\n" +
				"-- logs/kube-proxy/p.log --\nE1120 09:58:00.1 4316 proxier.go:1534] \"Policy creation failed\" err=\"hcnCreateLoadBalancer failed in Win32: The specified port already exists. (0x803b0013)\"\n"},
		{"cert-expired-or-clock-skew", "registry-ca-unknown", clockBy(-3611000) + pullRefused("09:50:00Z is before 2026-11-20T10:31:07Z")},
		{"acl-or-networkpolicy-blocks", "icmp-external-not-snated", wayOut(`"Id":"deny","Protocols":"256"`)},
		{"bridge-endpoint-stale", "hns-object-inconsistent", onFlannel + hostEndpoint + nodeAt10 +
			podSince("2026-11-20T09:00:00Z") + reachTree("default/web tcp 10.0.0.1:6443 timeout")},
		// both are made from serviceCIDR of vpc-bridge.conf
		{"route-policy-missing", "outboundnat-exception-missing", vpcConf + serviceTree("a/web 10.100.7.7 80/TCP") +
			proxyArgs(`"--cluster-cidr=10.60.0.0/16"`) + vpcPod("10.60.0.0/16", "172.20.0.0/16")},
		{"hns-management-address-wrong", "flannel-waiting-for-network", onFlannel + replace(nodeAt10, `"metadata":{`,
			`"metadata":{"annotations":{"flannel.alpha.coreos.com/public-ip":"169.254.1.2"},`) +
			"-- hns-networks.json --\n[{\"ID\":\"N\",\"Name\":\"cbr0\",\"Type\":\"L2Bridge\",\"ManagementIP\":\"169.254.1.2\",\"Subnets\":[{\"AddressPrefix\":\"10.244.3.0/24\"}]}]\n"},
	} {
		s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(shortMeta + row.tree))))
		if err != nil {
			t.Fatal(err)
		}
		s, _ = signs.Record(s, faults.Catalogue().Signs())
		causes := diagnose(s).Causes
		if len(causes) == 0 || causes[0].ID != row.cause || !slices.Contains(causes[0].Consequences, row.follows) {
			t.Errorf("the causes are %v, and should begin with %s, from which %s follows", causes, row.cause, row.follows)
		}
	}
}

// clockBy is a node whose clock differs by so many milliseconds.
func clockBy(skew int) string {
	return fmt.Sprintf("-- time.json --\n{\"service\":\"running\",\"source\":\"a\",\"apiServerSkewMs\":%d}\n", skew)
}

// pullRefused is a pod whose image's registry has a certificate that the node takes for too new or too old.
func pullRefused(times string) string {
	return `-- api/pods.json --
{"items":[{"metadata":{"name":"p","namespace":"a"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ErrImagePull","message":"failed to do request: Head \"https://r/v2/web/manifests/1\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-20T` + times + `"}}}]}}]}
`
}

// wayOut is a pod that gets no answer from the cluster and the outside, with a rule on its way out.
func wayOut(rule string) string {
	return `-- api/pods.json --
{"items":[{"metadata":{"name":"p","namespace":"a"},"status":{"phase":"Running","podIP":"10.244.3.5"}}]}
-- hns-endpoints.json --
[{"ID":"E","Name":"p","HostComputeNetwork":"N","Policies":[{"Type":"ACL","Settings":{"Action":"Block","Direction":"Out","Priority":1002,` + rule +
		`}}],"IpConfigurations":[{"IpAddress":"10.244.3.5","PrefixLength":24}],"Flags":0,"SchemaVersion":{"Major":2}}]
` + reachTree("a/p tcp 10.244.1.9:443 timeout", "a/p tcp r.example:443 timeout", "a/p icmp 8.8.8.8 timeout")
}

// TestTwoFaultsThatLookLikeOneStayTwo: the first explains the second in other cases.
func TestTwoFaultsThatLookLikeOneStayTwo(t *testing.T) {
	for name, row := range map[string]struct{ a, b, tree string }{
		"the certificate is not valid by the right clock either": {"cert-expired-or-clock-skew", "registry-ca-unknown",
			clockBy(-3611000) + pullRefused("09:50:00Z is after 2026-11-19T10:00:00Z")},
		"the rule is about one address of the cluster": {"acl-or-networkpolicy-blocks", "icmp-external-not-snated",
			wayOut(`"Id":"deny","Protocols":"256","RemoteAddresses":"10.244.1.9/32"`)},
	} {
		var ids []string
		for _, cause := range causesOf(t, row.tree, row.a, row.b) {
			ids = append(ids, cause.ID)
		}
		if !slices.Contains(ids, row.b) {
			t.Errorf("%s: the causes are %v, without %s", name, ids, row.b)
		}
	}
}

// TestEffectsConnectFaultsToTheirSigns: an effect that nothing breaks, or that nothing shows, says nothing.
func TestEffectsConnectFaultsToTheirSigns(t *testing.T) {
	id := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{}
	for _, e := range faults.Catalogue().Effects() {
		if seen[e.ID] || seen[e.Name] {
			t.Errorf("two effects are called %s or %q", e.ID, e.Name)
		}
		seen[e.ID], seen[e.Name] = true, true
		if !id.MatchString(e.ID) || e.Name == "" || !strings.HasSuffix(e.Doc, ".") {
			t.Errorf("the effect %q, %q needs an id, a name and a sentence: %q", e.ID, e.Name,
				e.Doc)
		}
		var broken, shown bool
		for _, c := range faults.Catalogue().All() {
			broken = broken || slices.Contains(c.Broken(), e)
			shown = shown || slices.Contains(c.Signifies(), e)
			for _, other := range c.Breaks {
				broken = broken || slices.Contains(other.Implies, e)
			}
		}
		if !broken || !shown {
			t.Errorf("%s: broken by a check: %t, shown by a check: %t", e.ID, broken, shown)
		}
	}
}

// TestNothingIsExplainedTwice: what a check says about its consequences is written down once, as an
// effect, or as an id where no effect says it.
func TestNothingIsExplainedTwice(t *testing.T) {
	all := faults.Catalogue().All()
	for i, c := range all {
		explains := slices.Sorted(slices.Values(faults.Catalogue().Explains(c.ID)))
		superfluous := func(shorter checks.Check) bool {
			list := slices.Clone(all)
			list[i] = &shorter
			return slices.Equal(explains,
				slices.Sorted(slices.Values(checks.NewCatalogue(list...).Explains(c.ID))))
		}
		for j, id := range c.Explains {
			shorter := *c
			if shorter.Explains = slices.Delete(slices.Clone(c.Explains), j,
				j+1); superfluous(shorter) {
				t.Errorf("%s explains %s by what it breaks already", c.ID, id)
			}
		}
		for j, e := range c.Breaks {
			shorter := *c
			if shorter.Breaks = slices.Delete(slices.Clone(c.Breaks), j,
				j+1); superfluous(shorter) {
				t.Errorf("%s breaks %s by what else it breaks already", c.ID, e.ID)
			}
		}
	}
}
