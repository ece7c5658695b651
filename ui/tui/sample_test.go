package tui

import (
	"fmt"
	"testing"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// finished is the screen of a report that will not change.
func finished(r checks.Report, opt Options) model {
	opt.Catalogue = faults.Catalogue()
	m, _ := newModel(opt, false).update(<-Finished(r, evidence.Snapshot{}).Updates)
	return m
}

// sample is a node whose controller-manager hands out no pod CIDR.
func sample() checks.Report {
	r := checks.Report{
		Source: checks.Source{Kind: "demo", Name: "podcidr-not-assigned",
			Format: "evidence/v1"},
		CollectedAt: time.Date(2026, 11, 20, 10, 2, 0, 0, time.UTC),
		Node: checks.NodeFacts{Name: "win-1", OS: "Windows Server 2019", Build: "10.0.17763.5329",
			Kubelet: "v1.28.4", Runtime: "containerd://1.7.2", Network: "flannel host-gw"},
		Causes: []checks.Cause{
			{ID: "podcidr-not-assigned", Consequences: []string{"flannel-subnet-env-missing",
				"hns-network-missing", "pods-stuck-creating"}},
			{ID: "paging-file-too-small", Consequences: []string{}},
		},
	}
	cause := []string{"podcidr-not-assigned"}
	r.Results = []checks.Result{
		{ID: "podcidr-not-assigned", Title: "Node has no pod CIDR",
			Category: checks.CategoryNetwork, Status: checks.StatusFail,
			Findings: []checks.ReportFinding{{Level: "fail", Subject: "win-1", Basis: checks.ByBoth,
				Message: "the Node object win-1 has no podCIDR, so flanneld gets no subnet",
				Because: []evidence.Because{
					{Path: "api/node.json", Field: "/spec/podCIDR", Text: "spec.podCIDR is empty"},
					{Path: "logs/flanneld/flanneld.log", Line: 41,
						Text: `E1120 10:01:07 failed to acquire lease: node "win-1" pod cidr not assigned  (and 17 more)`}}}},
			Fix: checks.Fix{Steps: []*checks.Step{
				{Kind: checks.StepRun,
					Text: "start kube-controller-manager with --allocate-node-cidrs=true and --cluster-cidr=10.244.0.0/16; a CIDR set by hand tides the node over", Command: `kubectl patch node win-1 -p '{"spec":{"podCIDR":"10.244.7.0/24"}}'`, Impact: "this node's pods lose their network for some seconds"},
				{Kind: checks.StepRun, Command: "Restart-Service flanneld"}}},
			FAQ: []int{8, 9}, Links: []string{"https://github.com/flannel-io/flannel/issues/728"}},
		{ID: "flannel-subnet-env-missing", Title: "subnet.env was never written",
			Category: checks.CategoryNetwork, Status: checks.StatusFail,
			ExplainedBy: cause,
			Findings: []checks.ReportFinding{{Level: "fail", Basis: checks.ByState,
				Subject: `C:\run\flannel\subnet.env`,
				Message: "flanneld has not written its lease, which the CNI plugin reads",
				Because: []evidence.Because{{Path: "files.json", Field: "/0/outcome",
					Text: `C:\run\flannel\subnet.env: absent`}}}}},
		{ID: "hns-network-missing", Title: "HNS network of the pods is missing",
			Category: checks.CategoryNetwork, Status: checks.StatusFail,
			ExplainedBy: cause,
			Findings: []checks.ReportFinding{{Level: "fail", Basis: checks.ByText,
				Message: "no HNS network is called cbr0; there are nat and external",
				Because: []evidence.Because{{Path: "logs/flanneld/flanneld.log", Line: 44,
					Text: "network cbr0 not found"}}}}},
		{ID: "pods-stuck-creating", Title: "Pods stay in ContainerCreating",
			Category: checks.CategoryWorkloads, Status: checks.StatusWarn,
			ExplainedBy: cause, Findings: []checks.ReportFinding{
				{Level: "warn", Subject: "shop/web-7d9f", Basis: checks.ByState,
					Message: "waits since 09:12 for its sandbox",
					Because: []evidence.Because{{Path: "api/pods.json",
						Field: "/items/3/status/phase",
						Text:  "shop/web-7d9f status.phase is Pending"}}},
				{Level: "warn", Subject: "shop/cart-5c44", Basis: checks.ByState,
					Message: "waits since 09:14 for its sandbox",
					Because: []evidence.Because{{Path: "api/pods.json",
						Field: "/items/7/status/phase",
						Text:  "shop/cart-5c44 status.phase is Pending"}}}}},
		{ID: "paging-file-too-small", Title: "Paging file is too small",
			Category: checks.CategoryNode, Status: checks.StatusWarn,
			Findings: []checks.ReportFinding{{Level: "warn", Basis: checks.ByState,
				Message: "the paging file holds 1.0 GiB on a node with 32 GiB of memory; commit is at 96%",
				Because: []evidence.Because{{Path: "memory.json", Field: "/commitUsedBytes",
					Text: "commitUsedBytes is 33.9 of 35.4 GB"}}}},
			Fix: checks.Fix{Steps: []*checks.Step{
				{Kind: checks.StepRun,
					Text: "let Windows manage the paging file, then restart the node when it is drained"}}}},
		{ID: "hns-nat-network-present", Title: "A nat network is there too",
			Category: checks.CategoryNetwork, Status: checks.StatusInfo,
			Findings: []checks.ReportFinding{{Level: "info",
				Message: "the network nat comes with the container runtime; it is normal and does no harm",
				Because: []evidence.Because{{Path: "hns-networks.json", Field: "/0/Name",
					Text: "[0].Name is nat"}}}}},
		{ID: "hns-stale-endpoint", Title: "HNS endpoint outlives its pod",
			Category: checks.CategoryNetwork, Status: checks.StatusUnknown,
			Gap: "denied: run as Administrator", Missing: evidence.NeedsAdministrator.Gap()},
		{ID: "dns-suffix-missing", Title: "DNS suffix of the namespace is missing",
			Category: checks.CategoryDNS, Status: checks.StatusUnknown,
			Gap: evidence.Passive.Gap().String(), Missing: evidence.Passive.Gap()},
		{ID: "calico-vswitch-timeout", Title: "Calico waits for its vSwitch",
			Category: checks.CategoryNetwork, Status: checks.StatusSkip,
			Reason: "this node uses flannel, not Calico"},
	}
	for category, n := range map[checks.Category]int{checks.CategoryNode: 4,
		checks.CategoryComponents: 6, checks.CategoryNetwork: 9,
		checks.CategoryDNS: 3, checks.CategoryImages: 5, checks.CategoryStorage: 4} {
		for i := range n {
			r.Results = append(r.Results,
				checks.Result{ID: fmt.Sprintf("%s-sound-%d", category, i+1),
					Title:    fmt.Sprintf("A fault of %s that is not there (%d)", category, i+1),
					Category: category, Status: checks.StatusPass})
		}
	}
	r.Summary = map[checks.Status]int{}
	for _, res := range r.Results {
		r.Summary[res.Status]++
	}
	return r
}

// recorded is the evidence of a recorded node.
func recorded(t testing.TB, name string) evidence.Snapshot {
	t.Helper()
	r, err := fixtures.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := evidence.Load(r.FS())
	if err != nil {
		t.Fatal(err)
	}
	s, _ = signs.Record(s, faults.Catalogue().Signs())
	return s
}

// demo is the screen of a recorded node.
func demo(t testing.TB, name string, w, h int) model {
	t.Helper()
	s := recorded(t, name)
	r := checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "demo", Name: name},
		checks.Program{})
	m, _ := newModel(Options{Catalogue: faults.Catalogue(), Width: w, Height: h},
		false).update(<-Finished(r, s).Updates)
	return m
}
