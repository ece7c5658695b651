package ui

import (
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

var recorded = time.Date(2026, 11, 20, 10, 2, 31, 0, time.UTC)

// blank is a report with every list there and nothing in it.
func blank() checks.Report {
	r := checks.Report{Schema: checks.Schema, Doctor: checks.Program{Version: "v0.1.0",
		Commit: "0123456789ab"},
		Source:      checks.Source{Kind: "directory", Name: "empty", Format: "evidence/v1"},
		CollectedAt: recorded,
		Summary:     map[checks.Status]int{}, Causes: []checks.Cause{}, Results: []checks.Result{},
		Gaps: []checks.EvidenceGap{}}
	for _, s := range checks.Statuses {
		r.Summary[s] = 0
	}
	return r
}

func add(r *checks.Report, result checks.Result) {
	if result.Title == "" {
		result.Title = strings.ReplaceAll(result.ID, "-", " ")
	}
	r.Summary[result.Status]++
	r.Results = append(r.Results, result)
}

func addMany(r *checks.Report, c checks.Category, s checks.Status, gap evidence.Gap, reason string,
	ids ...string) {
	for _, id := range ids {
		add(r, checks.Result{ID: id, Category: c, Status: s, Gap: gap.String(), Missing: gap,
			Reason: reason})
	}
}

func found(level, message string, because ...evidence.Because) checks.ReportFinding {
	if len(because) == 0 {
		because = []evidence.Because{{Path: "api/node.json", Field: "/status/conditions/0",
			Text: "the field that says so"}}
	}
	return checks.ReportFinding{Level: level, Message: message, Basis: checks.ByState,
		Because: because}
}

func healthy() checks.Report {
	r := blank()
	r.Source = checks.Source{Kind: "live"}
	r.Node = checks.NodeFacts{Name: "aks-win-000001", OS: "Windows Server 2022",
		Build:   "10.0.20348.2700",
		Kubelet: "v1.31.2", Runtime: "containerd://1.7.22", Network: "azure overlay"}
	addMany(&r, checks.CategoryNode, checks.StatusPass, evidence.Gap{}, "", "build-unsupported",
		"reboot-pending", "memory-exhausted")
	addMany(&r, checks.CategoryNetwork, checks.StatusPass, evidence.Gap{}, "",
		"hns-network-missing", "routes-missing")
	addMany(&r, checks.CategoryNetwork, checks.StatusSkip, evidence.Gap{},
		"the node uses azure, not flannel", "flannel-subnet-env-missing")
	addMany(&r, checks.CategoryDNS, checks.StatusPass, evidence.Gap{}, "",
		"dns-service-unreachable")
	return r
}

// flannel is the story that the whole program was made for: one missing field,
// five red rows.
func flannel() checks.Report {
	r := blank()
	r.Source = checks.Source{Kind: "foreign", Name: "win-1-logs.zip", Format: "sdn-collectlogs"}
	r.Node = checks.NodeFacts{Name: "win-1", OS: "Windows Server 2019", Build: "10.0.17763.5329",
		Kubelet: "v1.28.4", Runtime: "containerd://1.7.2", Network: "flannel host-gw"}
	r.Causes = []checks.Cause{
		{ID: "podcidr-not-assigned", Consequences: []string{"flannel-subnet-env-missing",
			"hns-network-missing", "pods-stuck-creating", "node-not-ready"}},
		{ID: "clock-skew", Consequences: nil},
	}
	addMany(&r, checks.CategoryNode, checks.StatusPass, evidence.Gap{}, "", "build-unsupported",
		"memory-exhausted", "pagefile-off")
	add(&r, checks.Result{ID: "clock-skew", Category: checks.CategoryNode,
		Status: checks.StatusWarn,
		Findings: []checks.ReportFinding{found("warn",
			"the clock is 94 s behind the API server's; tokens and certificates are judged by it",
			evidence.Because{Path: "time.json", Field: "/apiServerSkewMs",
				Text: "apiServerSkewMs is -94000, service is stopped"})},
		Fix: checks.Fix{Steps: []*checks.Step{
			{Kind: checks.StepInspect, Command: "Get-Service w32time"},
			{Kind: checks.StepRun,
				Text: "set the Windows time service to start by itself, and let it ask the domain or an NTP server that the node can reach", Command: "Set-Service w32time -StartupType Automatic; Start-Service w32time"},
			{Kind: checks.StepRun, Command: "w32tm /resync"}}}})
	add(&r, checks.Result{ID: "node-not-ready", Category: checks.CategoryNode,
		Status: checks.StatusFail, ExplainedBy: []string{"podcidr-not-assigned"},
		Findings: []checks.ReportFinding{found("fail",
			"the node is NotReady: container runtime network not ready")}})
	addMany(&r, checks.CategoryComponents, checks.StatusPass, evidence.Gap{}, "",
		"kubelet-not-running", "kube-proxy-not-running", "runtime-not-running",
		"flanneld-not-running")
	add(&r, checks.Result{ID: "podcidr-not-assigned", Title: "the Node object has no pod CIDR",
		Category: checks.CategoryNetwork, Status: checks.StatusFail,
		Findings: []checks.ReportFinding{
			{Level: "fail", Subject: "win-1", Basis: checks.ByBoth,
				Message: "the Node object has no podCIDR, so flanneld gets no subnet",
				Because: []evidence.Because{
					{Path: "api/node.json", Field: "/spec/podCIDR", Text: "spec.podCIDR is empty"},
					{Path: "logs/flanneld/flanneld.log", Line: 41,
						Text: `E1120 09:58:12.000417    4312 main.go:332] Error registering network: failed to acquire lease: node "win-1" pod cidr not assigned  (and 117 more)`},
					{Path: "logs/flanneld/中文/flanneld-2026.log", Line: 7,
						Text: "获取租约失败：节点 win-1 没有分配 Pod 网段，请检查 kube-controller-manager 的启动参数 allocate-node-cidrs 和 cluster-cidr 是否设置正确，否则节点无法加入网络"},
					{Path: "events.json", Field: "/2", Text: "one too many to show"},
				}},
			found("fail", "flanneld has restarted 118 times in the last hour"),
			found("warn",
				"3 of 5 nodes have a podCIDR of /24, and the cluster CIDR 10.244.0.0/22 has room for no more than 4"),
			found("info", "third"), found("info", "fourth"), found("info", "fifth"),
		},
		Fix: checks.Fix{Steps: []*checks.Step{
			{Kind: checks.StepInspect,
				Command: "kubectl get node win-1 -o jsonpath='{.spec.podCIDR}'"},
			{Kind: checks.StepRun,
				Text: "start kube-controller-manager with --allocate-node-cidrs=true and --cluster-cidr=10.244.0.0/16, wait until the node has a podCIDR, then restart flanneld", Command: "Restart-Service flanneld", Impact: "this node's pods lose their network for some seconds"}}},
		FAQ:   []int{8, 9},
		Links: []string{"https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/"}})
	add(&r, checks.Result{ID: "flannel-subnet-env-missing", Category: checks.CategoryNetwork,
		Status: checks.StatusFail, ExplainedBy: []string{"podcidr-not-assigned"},
		Findings: []checks.ReportFinding{found("fail",
			`C:\run\flannel\subnet.env is not there, and flanneld never wrote it`)}})
	add(&r, checks.Result{ID: "hns-network-missing", Category: checks.CategoryNetwork,
		Status: checks.StatusFail, ExplainedBy: []string{"podcidr-not-assigned"},
		Findings: []checks.ReportFinding{found("fail", "there is no HNS network cbr0")}})
	denied := evidence.NeedsAdministrator.Gap()
	broken := evidence.Reported.OfKind(evidence.Error, "line 3: unexpected end of JSON input")
	addMany(&r, checks.CategoryNetwork, checks.StatusUnknown, denied, "", "hns-stale-endpoint",
		"hns-endpoint-duplicate-ip", "lb-policy-missing")
	addMany(&r, checks.CategoryNetwork, checks.StatusPass, evidence.Gap{}, "", "routes-missing",
		"forwarding-off", "mtu-mismatch", "firewall-blocks-kubelet")
	add(&r, checks.Result{ID: "icmp-not-answered", Category: checks.CategoryNetwork,
		Status: checks.StatusInfo,
		Findings: []checks.ReportFinding{found("info",
			"ping to a service address gets no answer; on Windows that is normal, so try TCP")}})
	addMany(&r, checks.CategoryDNS, checks.StatusUnknown,
		evidence.NotInRecording.Gap("probes/dns.json"), "", "dns-service-unreachable")
	addMany(&r, checks.CategoryDNS, checks.StatusUnknown,
		evidence.NotInRecording.Gap("dns-client.json"), "", "dns-suffix-missing")
	addMany(&r, checks.CategoryDNS, checks.StatusPass, evidence.Gap{}, "", "dns-address-mismatch")
	addMany(&r, checks.CategoryImages, checks.StatusPass, evidence.Gap{}, "", "image-os-mismatch",
		"pause-image-wrong", "pull-denied", "disk-full")
	addMany(&r, checks.CategoryImages, checks.StatusUnknown, broken, "", "image-too-new")
	add(&r, checks.Result{ID: "pods-stuck-creating", Category: checks.CategoryWorkloads,
		Status: checks.StatusFail, ExplainedBy: []string{"podcidr-not-assigned"},
		Findings: []checks.ReportFinding{found("fail",
			"default/web-1 is in ContainerCreating for 14 min"), found("fail", "default/web-2 is"),
			found("fail", "default/web-3 is")}})
	add(&r, checks.Result{ID: "host-network-ignored", Category: checks.CategoryWorkloads,
		Status: checks.StatusInfo,
		Findings: []checks.ReportFinding{found("info",
			"default/agent asks for hostNetwork, which a Windows node does not give to process-isolated containers; use a HostProcess container where it must be")}})
	addMany(&r, checks.CategoryStorage, checks.StatusPass, evidence.Gap{}, "", "csi-proxy-missing")
	addMany(&r, checks.CategorySecurity, checks.StatusSkip, evidence.Gap{},
		"no pod asks for a group managed service account", "gmsa-denied", "gmsa-spec-missing")
	r.Gaps = []checks.EvidenceGap{
		lacking("cri.json", broken),
		lacking("dns-client.json", evidence.NotInRecording.Gap("dns-client.json")),
		lacking("hns-endpoints.json", denied),
		lacking("hns-loadbalancers.json", denied),
		lacking("probes/dns.json", evidence.NotInRecording.Gap("probes/dns.json")),
	}
	for i := range r.Causes { // as Diagnose does
		c := &r.Causes[i]
		result := r.Result(c.ID)
		c.Title, c.Message, c.Fix = result.Title, result.Findings[0].Message, result.Fix
	}
	return r
}

// lacking is a piece of evidence that is missing.
func lacking(path string, gap evidence.Gap) checks.EvidenceGap {
	return checks.EvidenceGap{Path: path, Reason: gap.String(), Kind: gap.Kind, Code: gap.Code,
		Gap: gap}
}

// attack is what a node under someone else's control would like to see on the
// screen of the person who looks at it.
const attack = "\x1b[2J\x1b]0;pwned\x07<b>`rm`</b>\u202e| \x9b31m\r\n## @admin [x](http://e.example) ```\n\x00 \x7f ﷽ 👩‍👩‍👧 \xff"

// hostile carries the attack in every text of a report.
func hostile(s string) checks.Report {
	r := blank()
	r.Schema, r.Doctor, r.Source = s, checks.Program{Version: s, Commit: s},
		checks.Source{Kind: s, Name: s, Format: s}
	r.Node = checks.NodeFacts{Name: s, OS: s, Build: s, Kubelet: s, Runtime: s, Network: s}
	b := []evidence.Because{{Path: s, Line: 1, Text: s}, {Path: s, Text: s}}
	fix := checks.Fix{Steps: []*checks.Step{
		{Kind: checks.StepRun, Text: s, Command: s, Impact: s}}}
	finding := func(level string) checks.ReportFinding {
		return checks.ReportFinding{Level: level, Subject: s, Message: s, Basis: checks.Basis(s),
			Because: b}
	}
	for _, st := range checks.Statuses {
		add(&r, checks.Result{ID: s + string(st), Title: s, Category: checks.Category(s),
			Status: st, Gap: s, Reason: s, Missing: evidence.Gap{Kind: s, Code: evidence.Code(s),
				Args: [6]string{s}}, ExplainedBy: []string{s},
			Findings: []checks.ReportFinding{finding("fail"), finding("warn")}, Fix: fix,
			FAQ: []int{-1}, Links: []string{s}})
	}
	add(&r, checks.Result{ID: s, Category: checks.CategoryDNS, Status: checks.Status(s), Fix: fix})
	r.Causes = []checks.Cause{{ID: s + "fail", Title: s, Message: s, Fix: fix,
		Consequences: []string{s, s + "warn"}},
		{ID: s + "none"}}
	gap := evidence.Gap{Kind: s, Code: evidence.Code(s), Args: [6]string{s}}
	r.Gaps = []checks.EvidenceGap{lacking(s, gap), lacking("x", gap)}
	return r
}

// unseen is a healthy node of which too little was recorded.
func unseen() checks.Report {
	r := blank()
	r.Source = checks.Source{Kind: "demo", Name: "two-files", Format: "evidence/v1"}
	r.Node.Name = "win-9"
	addMany(&r, checks.CategoryNode, checks.StatusPass, evidence.Gap{}, "", "reboot-pending")
	for _, name := range strings.Fields(
		"os services processes features hotfixes memory disks firewall certificates time env adapters routes ports") {
		reason := evidence.NotInRecording.Gap(name + ".json")
		addMany(&r, checks.CategoryNode, checks.StatusUnknown, reason, "", name+"-fault")
		r.Gaps = append(r.Gaps, lacking(name+".json", reason))
	}
	return r
}
