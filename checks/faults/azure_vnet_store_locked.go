package faults

import (
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

const azureLock = `C:\k\azure-vnet.json.lock`

// A call of the CNI plugin takes seconds, and the kubelet gives it up after four minutes at the most.
const azureCallLimit = 10 * time.Minute

var _ = register(checks.Check{
	ID:       "azure-vnet-store-locked",
	Title:    "azure-vnet waits for the lock of its own store",
	Category: checks.CategoryNetwork,
	Doc: `azure-vnet keeps what it gave to pods in C:\k\azure-vnet.json, and each of its calls
takes a lock on that file. A call that hangs in HNS keeps the lock; one that was killed may leave it
behind; and when very many pods start at once, calls run out of time in the queue. Then no pod gets
a network, and none is taken down.

A process azure-vnet.exe that has run for many minutes convicts: it holds the lock. Otherwise the
plugin's own words do, and the age of the lock file is told beside them; the file alone proves
nothing, because newer versions leave it where it is.`,
	Fix: checks.Steps(
		checks.Run("Stop-Service Kubelet",
			"with the kubelet stopped and no azure-vnet.exe running, remove the lock file, then start the kubelet; upgrade the node image, since 1.4.16 of the plugin frees locks of dead calls").
			Costs("running pods keep their network; none is started or stopped while the kubelet is down"),
		checks.Inspect("Get-Process azure-vnet -ErrorAction SilentlyContinue", ""),
		checks.Run(`Remove-Item C:\k\azure-vnet.json.lock, C:\k\azure-vnet-ipam.json.lock -ErrorAction SilentlyContinue`, ""),
		checks.Run("Start-Service Kubelet", "")),
	Links: []string{"https://github.com/Azure/azure-container-networking/issues/1359",
		"https://github.com/Azure/azure-container-networking/issues/321",
		"https://github.com/Azure/azure-container-networking/issues/289",
		"https://github.com/Azure/azure-container-networking/issues/242",
		"https://github.com/Azure/azure-container-networking/issues/194",
		"https://github.com/Azure/azure-container-networking/issues/2817",
		"https://github.com/Azure/azure-container-networking/issues/774",
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
		{Text: "timed out locking store", Says: "azure-vnet got no lock on its store in time"},
		{Text: "Timed out on locking store", Says: "azure-vnet got no lock on its store in time"},
		{Text: "error Acquiring store lock", Also: []string{"key-value store"},
			Says: "azure-vnet got no lock on its store in time"},
		// any plugin that dies without a word
		{Text: "netplugin failed but error parsing its diagnostic message", ConfirmOnly: true},
	},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		matches := liveSigns(s, "azure-vnet-store-locked")
		for _, p := range evidence.Processes.In(s) {
			age := s.Now().Sub(p.StartedAt.Time)
			if !strings.EqualFold(node.Program(p.Name), "azure-vnet") || p.StartedAt.IsZero() ||
				age < azureCallLimit {
				continue
			}
			return []checks.Finding{checks.Findingf(checks.Fail, p.Name,
				"a call of azure-vnet has hung for %d minutes and holds the lock: every later call waits for it", int(age.Minutes())).
				At(p.Field("startedAt"), "%s has pid %d and runs since %s", p.Name, p.PID,
					p.StartedAt.UTC().Format("2006-01-02 15:04 UTC")).
				Cure(checks.Steps(
					checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
						"a call that hangs is held up in HNS: drain the node and reboot it; ending the process frees the lock, and the next call hangs in the same place").
						Costs("every pod of this node is moved or ends"),
					checks.Run("Restart-Computer", "")))}, nil
		}
		if len(matches) == 0 {
			return nil, nil
		}
		f := checks.Findingf(checks.Fail, "azure-vnet",
			"azure-vnet got no lock on its store in time, so pods get no network").With(
			checks.Quote(matches[0]))
		f.Basis = checks.ByText
		if lock := s.File(azureLock); !lock.ModifiedAt.IsZero() {
			f = f.At(evidence.InFile(lock.Path), "%s is there since %s", azureLock,
				lock.ModifiedAt.UTC().Format("2006-01-02 15:04 UTC"))
			f.Basis = checks.ByBoth
		}
		return []checks.Finding{f}, nil
	},
})
