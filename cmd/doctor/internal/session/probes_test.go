package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/fixtures"
)

func TestTheDNSPlanOfALiveRun(t *testing.T) {
	const few = " kubernetes.default.svc.cluster.local mcr.microsoft.com"
	const service = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"kube-system\",\"name\":\"kube-dns\"},\"spec\":{\"clusterIP\":\"10.96.0.10\"}}]}\n"
	adapter := func(servers string) string {
		return fmt.Sprintf(
			"-- adapters.json --\n[{\"name\":\"Ethernet\",\"compartment\":1,\"gateways\":[\"10.0.0.1\"],\"dnsServers\":[%s]}]\n", servers)
	}
	slice := func(ports, endpoints string) string {
		return fmt.Sprintf(
			"-- api/endpointslices.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"kube-system\",\"name\":\"x\",\"labels\":{\"kubernetes.io/service-name\":\"kube-dns\"}},\"ports\":[%s],\"endpoints\":[%s]}]}\n", ports, endpoints)
	}
	for _, c := range []struct {
		name, tree string
		want       []string
	}{
		{"the cluster's DNS is asked everything", service, []string{"10.96.0.10:53"}},
		{"the pods behind it, at their own port, without those that are not ready",
			service + slice(`{"port":9153,"protocol":"TCP"},{"port":5353,"protocol":"UDP"}`,
				`{"addresses":["10.244.1.9"]},{"addresses":["10.244.1.8"],"conditions":{"ready":false}},{"addresses":["10.244.2.9"]},{"addresses":["10.244.3.9"]}`),
			[]string{"10.96.0.10:53", "10.244.1.9:5353" + few, "10.244.2.9:5353" + few}},
		{"the node's own servers, bounded and without those that nobody answers at",
			service + adapter(`"10.0.0.2","fec0:0:0:ffff::1","169.254.1.1","10.0.0.3","10.0.0.4"`),
			[]string{"10.96.0.10:53", "10.0.0.2:53" + few, "10.0.0.3:53" + few}},
		{"a server that is both is asked once", service + adapter(`"10.96.0.10","nonsense"`),
			[]string{"10.96.0.10:53"}},
		{"only the node's own are known", adapter(`"10.0.0.2"`), []string{"10.0.0.2:53" + few}},
		{"an adapter of a pod is none of the node",
			service + "-- adapters.json --\n[{\"name\":\"vEthernet (a)\",\"compartment\":3,\"dnsServers\":[\"10.9.9.9\"]}]\n", []string{"10.96.0.10:53"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := evidence.Load(
				fixtures.Tree(
					txtar.Parse(
						[]byte("-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\",\"collectedAt\":\"2026-11-20T10:00:00Z\"}\n" + c.tree))))
			if err != nil {
				t.Fatal(err)
			}
			plan, err := dnsPlan(s)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, server := range plan.Servers {
				got = append(got, strings.TrimSpace(server.Address+" "+strings.Join(server.Names,
					" ")))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if plan.Namespace != "default" || plan.Domain != "cluster.local" ||
				len(plan.Names) != 6 || len(plan.System) != 2 {
				t.Errorf("%+v", plan)
			}
		})
	}
}

func TestTheDNSPlansOfRecordedNodes(t *testing.T) {
	for name, want := range map[string]string{
		"healthy-flannel-hostgw": "10.96.0.10:53", "healthy-flannel-overlay": "10.96.0.10:53",
		"healthy-calico":    "10.49.0.10:53",
		"healthy-azure-cni": "10.0.0.10:53", "healthy-eks": "172.20.0.10:53",
		"cni-nameserver-mismatch": "10.96.0.10:53 10.0.0.10:53",
	} {
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := evidence.Load(r.FS())
		if err != nil {
			t.Fatal(err)
		}
		plan, err := dnsPlan(s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, server := range plan.Servers {
			got = append(got, server.Address)
		}
		if have := strings.Join(got, " "); !strings.HasPrefix(have+" ", want+" ") ||
			len(got) > maxPodServers+maxBackends+maxNodeServers || plan.Domain != "cluster.local" {
			t.Errorf("%s: %s in %s, want %s first", name, have, plan.Domain, want)
		}
	}
}

func TestWithoutAServerThereIsNoPlan(t *testing.T) {
	s, err := evidence.Load(
		fixtures.Tree(
			txtar.Parse(
				[]byte("-- meta.json --\n{\"layout\":\"evidence/v1\",\"node\":\"win-1\",\"collectedAt\":\"2026-11-20T10:00:00Z\"}\n"))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dnsPlan(s); err == nil || collectors.GapOf(err).Kind != evidence.NotCollected {
		t.Errorf("the plan of nothing is %v", err)
	}
}
