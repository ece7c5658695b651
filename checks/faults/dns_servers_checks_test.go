package faults_test

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/checks/probed"
)

// askedTree is probes/dns.json of lines "from server transport name outcome [answer…]", each name as it stands.
func askedTree(lines ...string) string {
	var list []string
	for _, l := range lines {
		f := strings.Fields(l)
		rcode := map[string]string{"ok": "NOERROR", "nxdomain": "NXDOMAIN", "servfail": "SERVFAIL",
			"truncated": "NOERROR"}[f[4]]
		if f[4] == "REFUSED" {
			f[4], rcode = "refused", "REFUSED"
		}
		list = append(list,
			fmt.Sprintf(
				`{"from":%q,"server":%q,"transport":%q,"name":%q,"sent":[%q],"form":"plain","outcome":%q,"rcode":%q,"answers":["%s"]}`,
				f[0], f[1], f[2], f[3], f[3]+".", f[4], rcode, strings.Join(f[5:], `","`)))
	}
	return "-- probes/dns.json --\n[" + strings.Join(list, ",\n") + "]\n"
}

// theDNS is the cluster's DNS Service at 10.96.0.10, with a pod behind it.
const theDNS = "-- api/services.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"kube-system\",\"name\":\"kube-dns\"},\"spec\":{\"clusterIP\":\"10.96.0.10\"}}]}\n" +
	"-- api/endpointslices.json --\n{\"items\":[{\"metadata\":{\"namespace\":\"kube-system\",\"name\":\"kube-dns-1\",\"labels\":{\"kubernetes.io/service-name\":\"kube-dns\"}},\"endpoints\":[{\"addresses\":[\"10.244.1.9\"]}]}]}\n"

const (
	fullName = "kubernetes.default.svc.cluster.local"
	vip      = "10.96.0.10:53"
	backend  = "10.244.1.9:53"
)

func TestClusterDNSUnreachable(t *testing.T) {
	ask := func(from, server, transport, outcome string) string {
		return strings.Join([]string{from, server, transport, fullName, outcome}, " ")
	}
	runLooks(t, "cluster-dns-unreachable", []look{
		{"a pod gets nothing", theDNS + askedTree(ask("a/p", vip, "udp", "timeout"),
			ask("a/p", vip, "tcp", "timeout")),
			"fail: a/p gets no answer from the cluster DNS at 10.96.0.10 (UDP: timeout, TCP: timeout) [state]"},
		{"nobody listens", theDNS + askedTree(ask("a/p", vip, "udp", "refused"),
			ask("a/p", vip, "tcp", "refused")),
			"fail: a/p gets no answer from the cluster DNS at 10.96.0.10 (UDP: refused, TCP: refused) [state]"},
		{"it refuses the question, which is an answer",
			theDNS + askedTree(ask("a/p", vip, "udp", "REFUSED")), "pass"},
		{"it fails, which is an answer", theDNS + askedTree(ask("a/p", vip, "udp", "servfail")),
			"pass"},
		{"only TCP answers", theDNS + askedTree(ask("a/p", vip, "udp", "timeout"),
			ask("a/p", vip, "tcp", "ok")), "pass"},
		{"one pod of two gets an answer", theDNS + askedTree(ask("a/p", vip, "udp", "timeout"),
			ask("a/q", vip, "udp", "ok")), "pass"},
		{"that the pod behind the Service answers says nothing of the Service",
			theDNS + askedTree(ask("a/p", vip, "udp", "timeout"), ask("a/p", backend, "udp", "ok")),
			"fail: a/p gets no answer from the cluster DNS at 10.96.0.10 (UDP: timeout) [state]"},
		{"nobody asked the Service, and the pod behind it answers",
			theDNS + askedTree(ask("a/p", backend, "udp", "ok")), "unknown"},
		{"nobody asked the Service, and the pod behind it answers the node",
			theDNS + askedTree(ask("node", backend, "udp", "ok")), "unknown"},
		{"nobody asked the Service, and the pod behind it does not answer",
			theDNS + askedTree(ask("a/p", backend, "udp", "timeout")),
			"fail: a/p gets no answer from the pods of the cluster DNS at 10.244.1.9 (UDP: timeout) [state]"},
		{"nothing could be sent", theDNS + askedTree(ask("a/p", vip, "udp", "error")), "unknown"},
		{"a pod asks a server of the world",
			theDNS + askedTree(ask("a/p", "8.8.8.8:53", "udp", "timeout")), "unknown"},
		{"a pod asks whom nobody knows", askedTree(ask("a/p", "10.9.9.9:53", "udp", "timeout")),
			"fail: a/p gets no answer from the cluster DNS at 10.9.9.9 (UDP: timeout) [state]"},
		{"the node asks its own server",
			theDNS + askedTree(ask("node", "10.0.0.2:53", "udp", "timeout")), "unknown"},
		{"the node asks the Service", theDNS + askedTree(ask("node", vip, "udp", "timeout")),
			"info: the node gets no answer from the cluster DNS at 10.96.0.10 (UDP: timeout): documented limit of Service addresses; probe from a pod [state]"},
		{"and the pod behind it answers", theDNS + askedTree(ask("node", vip, "udp", "timeout"),
			ask("node", backend, "udp", "ok")),
			"info: the node gets no answer from the cluster DNS at 10.96.0.10 (UDP: timeout), but its pods answer: documented limit; probe from a pod [state]"},
		{"and the pod behind it does not", theDNS + askedTree(ask("node", vip, "udp", "timeout"),
			ask("node", backend, "udp", "timeout")),
			"warn: the node gets no answer from the cluster DNS at 10.96.0.10 (UDP: timeout) or from its pods [state]"},
		{"the Service answers the node, and the pod behind it does not",
			theDNS + askedTree(ask("node", vip, "udp", "ok"),
				ask("node", backend, "udp", "timeout")), "pass"},
		{"what the node sees does not count beside a pod",
			theDNS + askedTree(ask("node", vip, "udp", "timeout"), ask("a/p", vip, "udp", "ok")),
			"pass"},
	})
}

func TestDNSOverUDPLost(t *testing.T) {
	runLooks(t, "dns-over-udp-lost", []look{
		{"all datagrams of a pod", theDNS + askedTree("a/p "+vip+" udp a.example timeout",
			"a/p "+vip+" tcp a.example ok 1.1.1.1"),
			"fail: cluster DNS 10.96.0.10 answers a/p over TCP, but not over UDP (timeout) [state]"},
		{"one of two", theDNS + askedTree("a/p "+vip+" udp a.example timeout",
			"a/p "+vip+" udp b.example ok 1.1.1.1", "a/p "+vip+" tcp a.example ok 1.1.1.1"),
			"pass"},
		{"nobody listens on UDP", theDNS + askedTree("node "+vip+" udp a.example refused",
			"node "+vip+" tcp a.example nxdomain"),
			"fail: cluster DNS 10.96.0.10 answers the node over TCP, but not over UDP (refused) [state]"},
		{"the node's own server", theDNS + askedTree("node 10.0.0.2:53 udp a.example timeout",
			"node 10.0.0.2:53 tcp a.example ok 1.1.1.1"),
			"warn: DNS server 10.0.0.2 answers the node over TCP, but not over UDP (timeout) [state]"},
		{"neither answers", theDNS + askedTree("a/p "+vip+" udp a.example timeout",
			"a/p "+vip+" tcp a.example timeout"), "pass"},
		{"an answer that does not fit came over UDP",
			theDNS + askedTree("a/p "+vip+" udp a.example truncated",
				"a/p "+vip+" tcp a.example ok 1.1.1.1"), "pass"},
		{"TCP was not asked", theDNS + askedTree("a/p "+vip+" udp a.example timeout"), "unknown"},
		{"a datagram could not be sent", theDNS + askedTree("a/p "+vip+" udp a.example error",
			"a/p "+vip+" tcp a.example ok 1.1.1.1"), "unknown"},
	})
}

func TestDNSServersDisagree(t *testing.T) {
	pod := func(policy, servers string) string {
		return "-- api/pods.json --\n" + `{"items":[{"metadata":{"name":"p","namespace":"a","creationTimestamp":"2026-11-20T06:00:00Z"},"spec":{"nodeName":"win-1","dnsPolicy":"` + policy +
			`"},"status":{"phase":"Running","podIP":"10.244.1.5","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"c","ready":true,"state":{"running":{"startedAt":"2026-11-20T06:00:00Z"}}}]}}]}` +
			"\n-- hns-endpoints.json --\n" + `[{"ID":"1","Name":"e","IPAddress":"10.244.1.5","DNSServerList":"` + servers + `"}]` + "\n"
	}
	azures := askedTree("a/p "+vip+" udp "+fullName+" ok 10.96.0.1", "a/p 168.63.129.16:53 udp "+fullName+" nxdomain")
	runLooks(t, "dns-servers-disagree", []look{
		{"the CNI plugin puts another server first", // azure-container-networking issue 147
			theDNS + pod("ClusterFirst", "168.63.129.16,10.96.0.10") + azures,
			"fail: " + fullName + ": " + vip + " answers 10.96.0.1, but 168.63.129.16:53 answers NXDOMAIN (no such name) [state]"},
		{"another server is asked only if the cluster DNS is silent",
			theDNS + pod("ClusterFirst", "10.96.0.10,168.63.129.16") + azures, "pass"},
		{"the pod wants the servers of the node", theDNS + pod("Default", "168.63.129.16") + azures, "pass"},
		{"one pod behind the Service denies the name",
			theDNS + askedTree("a/p "+vip+" udp "+fullName+" ok 10.96.0.1",
				"a/p "+backend+" udp "+fullName+" nxdomain"),
			"fail: " + fullName + ": " + vip + " answers 10.96.0.1, but " + backend +
				" answers NXDOMAIN (no such name) [state]"},
		{"the same server says now this, now that",
			theDNS + askedTree("a/p "+vip+" udp "+fullName+" ok 10.96.0.1",
				"a/p "+vip+" tcp "+fullName+" nxdomain"),
			"fail: " + fullName + ": " + vip + " answers 10.96.0.1, but " + vip +
				" answers NXDOMAIN (no such name) [state]"},
		{"two addresses of one Service",
			theDNS + askedTree("a/p "+vip+" udp "+fullName+" ok 10.96.0.1",
				"a/p "+backend+" udp "+fullName+" ok 10.0.0.1"),
			"warn: " + fullName + ": " + vip + " answers 10.96.0.1, but " + backend +
				" answers 10.0.0.1 [state]"},
		{"the same addresses in another order",
			theDNS + askedTree("a/p "+vip+" udp web.a.svc.cluster.local ok 10.0.0.1 10.0.0.2",
				"a/p "+backend+" udp web.a.svc.cluster.local ok 10.0.0.2 10.0.0.1"), "pass"},
		{"the node's own server need not know the cluster",
			theDNS + askedTree("node "+vip+" udp "+fullName+" ok 10.96.0.1",
				"node 10.0.0.2:53 udp "+fullName+" nxdomain"), "pass"},
		{"the node's own server answers for the cluster's domain",
			theDNS + askedTree("node "+vip+" udp "+fullName+" ok 10.96.0.1",
				"node system udp "+fullName+" ok 93.184.216.34"),
			"warn: " + fullName + ": " + vip +
				" answers 10.96.0.1, but the node's resolver answers 93.184.216.34 [state]"},
		{"a name of the world has many addresses",
			theDNS + askedTree("node "+vip+" udp mcr.example ok 1.1.1.1",
				"node system udp mcr.example ok 1.1.1.2"), "pass"},
		{"the node denies a name of the world",
			theDNS + askedTree("node "+vip+" udp mcr.example ok 1.1.1.1",
				"node system udp mcr.example nxdomain"),
			"warn: mcr.example: " + vip +
				" answers 1.1.1.1, but the node's resolver answers NXDOMAIN (no such name) [state]"},
		{"one of them gives no answer",
			theDNS + askedTree("node "+vip+" udp mcr.example ok 1.1.1.1",
				"node system udp mcr.example timeout"), "unknown"},
		{"a name without a dot", theDNS + askedTree("node "+vip+" udp web nxdomain",
			"node system udp web ok 1.1.1.1"), "unknown"},
		{"a single server", theDNS + askedTree("node "+vip+" udp mcr.example ok 1.1.1.1",
			"node "+vip+" tcp mcr.example ok 1.1.1.1"), "unknown"},
	})
}

func TestNamesAsTheNodeAsksThem(t *testing.T) {
	asked := func(form, name, sent, outcome string) string {
		return fmt.Sprintf(
			`{"from":"node","server":%q,"transport":"udp","form":%q,"name":%q,"sent":[%q],"outcome":%q}`, vip, form, name, sent, outcome)
	}
	tree := func(list ...string) string {
		return theDNS + "-- probes/dns.json --\n[" + strings.Join(list, ",\n") + "]\n"
	}
	runLooks(t, "dns-pqdn-with-dots", []look{
		{"the cluster's DNS answers the node",
			tree(asked("windows", "kubernetes.default", "kubernetes.default.", "nxdomain"),
				asked("linux", "kubernetes.default", fullName+".", "ok")),
			"info: kubernetes.default resolves on Linux but not on Windows, which adds no suffix to names with a dot (documented) [state]"},
		{"and fails over the cluster's zone",
			tree(asked("plain", fullName, fullName+".", "servfail")),
			"fail: the full name " + fullName +
				" does not resolve (servfail): the DNS suffix is not the cause [state]"},
		{"it does not answer the node, which is another check's",
			tree(asked("plain", fullName, fullName+".", "timeout")), "unknown"},
	})
}

func TestNamesAreJudgedByTheirForms(t *testing.T) {
	const search = "kubernetes.default.shop.svc.cluster.local.,kubernetes.default.svc.cluster.local."
	for _, c := range []struct{ name, asks, forms, want string }{
		{"both resolve", "kubernetes",
			"windows kubernetes.default.svc.cluster.local. ok; linux kubernetes.default.svc.cluster.local. ok", "resolves"},
		{"only Linux completes it", "kubernetes.default",
			"windows kubernetes.default. nxdomain; linux " + search + " ok",
			"resolves on Linux, not on Windows, by design"},
		{"the bare name gets lost on its way out of the cluster", "kubernetes.default",
			"windows kubernetes.default. timeout; linux " + search + " ok",
			"resolves on Linux, not on Windows, by design"},
		{"Windows should complete it", "web",
			"windows web.shop.svc.cluster.local. nxdomain; linux web.shop.svc.cluster.local. ok",
			"resolves on Linux, and should on Windows too: fault"},
		{"a Service that is not there", "web.shop",
			"windows web.shop. nxdomain; linux web.shop.svc.cluster.local. nxdomain",
			"no such name, on either"},
		{"the Service that always is", "kubernetes.default",
			"windows kubernetes.default. nxdomain; linux " + search + " nxdomain",
			"fails on both: fault (nxdomain)"},
		{"the bare name of another namespace", "kubernetes",
			"windows kubernetes.shop.svc.cluster.local. nxdomain; linux kubernetes.shop.svc.cluster.local. nxdomain", "no such name, on either"},
		{"the cluster's zone fails", "web.shop",
			"windows web.shop. nxdomain; linux web.shop.svc.cluster.local. servfail",
			"fails on both: fault (servfail)"},
		{"no way out of the cluster", "mcr.microsoft.com",
			"windows mcr.microsoft.com. servfail; linux mcr.microsoft.com. servfail",
			"fails on both (servfail): no way out of the cluster, or a fault"},
		{"a full name, cut short over UDP", fullName,
			"windows " + fullName + ". truncated; plain " + fullName + ". truncated", "resolves"},
		{"nothing could be sent", fullName, "windows " + fullName + ". error",
			"could not be asked"},
		{"a name as it stands", "mcr.microsoft.com", "plain mcr.microsoft.com. ok", "resolves"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var probes []evidence.DNSProbe
			for form := range strings.SplitSeq(c.forms, "; ") {
				f := strings.Fields(form)
				probes = append(probes, evidence.DNSProbe{Name: c.asks, Form: f[0],
					Sent: strings.Split(f[1], ","), Outcome: f[2]})
			}
			if got := probed.JudgeNames(probes)[0].Text(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestServersAreJudgedByTheirTransports(t *testing.T) {
	for _, c := range []struct{ udp, tcp, want string }{
		{"ok", "nxdomain", "pass: answers over UDP and TCP"},
		{"timeout", "ok", "fail: answers over TCP and not over UDP, by which programs ask"},
		{"servfail", "timeout", "pass: answers over UDP and not over TCP, which long answers need"},
		{"timeout", "refused", "fail: does not answer (UDP: timeout, TCP: refused)"},
		{"error", "ok", "unknown: answers over TCP, and could not be asked over UDP"},
		{"ok", "error", "unknown: answers over UDP, and could not be asked over TCP"},
		{"error", "error", "unknown: could not be asked"},
		{"error", "timeout", "fail: does not answer (TCP: timeout)"},
	} {
		list := probed.JudgeDNS([]evidence.DNSProbe{
			{Name: "web.example", Server: vip, Form: "plain", Sent: []string{"web.example."},
				Transport: "udp", Outcome: c.udp},
			{Name: "web.example", Server: vip, Form: "plain", Sent: []string{"web.example."},
				Transport: "tcp", Outcome: c.tcp},
			// need not know it
			{Name: fullName, Server: "system", Form: "windows", Sent: []string{fullName},
				Transport: "udp", Outcome: "nxdomain"},
		})
		if got := string(probed.DNSStatus(list)) + ": " + list[0].Verdict; got != c.want {
			t.Errorf("UDP %s and TCP %s: %q, want %q", c.udp, c.tcp, got, c.want)
		}
	}
}
