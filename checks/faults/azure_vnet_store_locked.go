package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const azureLock = `C:\k\azure-vnet.json.lock`

var _ = register(&checks.Check{
	ID:       "azure-vnet-store-locked",
	Title:    "azure-vnet state file is locked",
	Healthy:  "azure-vnet state file is not locked",
	Category: checks.CategoryNetwork,
	Doc: `azure-vnet keeps what it gave to pods in C:\k\azure-vnet.json, and each of its calls
takes a lock on that file. A call that hangs in HNS keeps the lock; one that was killed may leave it
behind; and when very many pods start at once, calls run out of time in the queue. Then no pod gets
a network, and none is taken down.

A process azure-vnet.exe that has run for many minutes is the fault: it holds the lock. Otherwise
the plugin's error messages decide, and the age of the lock file is reported too. The file alone
proves nothing, because newer versions leave it in place.`,
	Fix: checks.Steps(
		checks.Run(`{stop kubelet}; Wait-Process azure-vnet -Timeout 60 -ErrorAction SilentlyContinue; Remove-Item C:\k\azure-vnet.json.lock, C:\k\azure-vnet-ipam.json.lock -ErrorAction SilentlyContinue; {start kubelet}`,
			"Stop the kubelet, wait until no azure-vnet.exe is running, remove the lock files, and start the kubelet.").
			Costs("No pod starts or stops until the kubelet runs again. Running pods keep their network."),
		checks.Do("Upgrade the node image to azure-vnet 1.4.16 or later, which releases locks of ended calls."),
		checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
			"pods start and are Running")),
	Links: []string{"https://github.com/Azure/azure-container-networking/issues/1359",
		"https://github.com/Azure/azure-container-networking/issues/321",
		"https://github.com/Azure/azure-container-networking/issues/289",
		"https://github.com/Azure/azure-container-networking/issues/242",
		"https://github.com/Azure/azure-container-networking/issues/194",
		"https://github.com/Azure/azure-container-networking/issues/2817",
		"https://github.com/Azure/azure-container-networking/issues/774",
		"https://github.com/Azure/azure-container-networking/issues/762",
		"https://github.com/Azure/acs-engine/issues/3389"},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"sandbox-name-reserved"},
	Applies:  checks.OnCNI(node.Azure),
	Partial:  true,
	Needs: []evidence.Need{evidence.Any(evidence.Logs("azure-vnet"), evidence.Logs("cni"),
		evidence.Logs("containerd"), evidence.Logs("docker"),
		evidence.Logs("kubelet"), evidence.PodEvents)},
	Uses: []evidence.Need{evidence.Processes, evidence.File(azureLock)},
	Signs: []checks.Sign{
		// Many pods that start at once wait for each other, and all start in the end: a call that
		// came to its end has had the lock.
		{Text: "timed out locking store", Or: []string{"Timed out on locking store",
			"ErrorMessage Store is locked", "lock store: Store is locked"}, // until 1.0.16
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet timed out waiting for the lock of its state file"},
		// an empty lock file: https://github.com/Azure/azure-container-networking/issues/762
		{Text: "Num bytes read from lock file is 0", Until: []string{"ADD command completed"},
			Says: "azure-vnet cannot read the lock of its state file: the lock file is empty"},
		{Text: "error Acquiring store lock", Also: []string{"key-value store"},
			Until: []string{"ADD command completed"},
			Says:  "azure-vnet timed out waiting for the lock of its state file"},
		// any plugin that dies without a word
		{Text: "netplugin failed but error parsing its diagnostic message", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		matches := liveSigns(s, "azure-vnet-store-locked")
		if p, age, ok := node.HungAzureVNet(s); ok {
			return []*checks.Finding{checks.Findingf(checks.Fail, p.Name,
				"an azure-vnet call has hung for %d minutes and holds the lock: every later call waits for it", int(age.Minutes())).
				At(p.Field("startedAt"), "%s has pid %d and runs since %s", p.Name, p.PID,
					p.StartedAt.UTC().Format("2006-01-02 15:04 UTC")).
				Cure(checks.Steps(
					checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
						"Drain and reboot the node: the call hangs in HNS, and ending the process does not fix that.").
						Costs("All pods of this node are moved or stopped."),
					checks.Run("Restart-Computer", "Reboot the node."),
					checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
					checks.Verify("Get-Process azure-vnet -ErrorAction SilentlyContinue",
						"no process that is older than a minute")))}, nil
		}
		if len(matches) == 0 {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, "azure-vnet",
			"azure-vnet timed out waiting for the lock of its state file, so pods get no network").With(
			checks.Quote(matches[0]))
		f.Basis = checks.ByText
		if lock := s.File(azureLock); !lock.ModifiedAt.IsZero() {
			f = f.At(evidence.InFile(lock.Path), "%s is there since %s", azureLock,
				lock.ModifiedAt.UTC().Format("2006-01-02 15:04 UTC"))
			f.Basis = checks.ByBoth
		}
		return []*checks.Finding{f}, nil
	},
})
