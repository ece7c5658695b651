package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "runtime-data-damaged",
	Title:    "Data of the container runtime is damaged",
	Healthy:  "Container runtime can read its data",
	Category: checks.CategoryComponents,
	Doc: `containerd keeps what it knows of images and containers in databases of its own (meta.db,
metadata.db), docker in local-kv.db and in a file layerchain.json for each layer. If the node loses
power, is reset or its disk is full while they are written, a page is half written or full of zeros.
containerd or dockerd then panics at its start, or a layer cannot be used any more.

The check looks for these errors in the logs and at pods. Only a new database helps: the runtime
loses its images and containers, and the kubelet creates the pods again.`,
	Fix: checks.Steps(
		checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
			"Move the pods to other nodes.").
			Costs("Draining evicts every pod of this node and deletes its emptyDir volumes."),
		checks.Inspect("Get-WinEvent -FilterHashtable @{LogName='System'; Id=41,6008,7,11,55} -MaxEvents 10 | Format-List TimeCreated, ProviderName, Message",
			"Read whether the node went down or its disk has errors: then the damage returns."),
		checks.Run("Stop-Service kubelet, {runtime}", "Stop the kubelet and the runtime."),
		checks.Do(`Rename the file that the stack or the error names: with containerd, io.containerd.metadata.v1.bolt\meta.db below its root; with docker, network\files\local-kv.db, or pull the image of the layer again after docker rmi -f.`).
			Costs("With containerd all images are pulled again and all containers are created again."),
		checks.Run("Start-Service {runtime}, kubelet", "Start the runtime and the kubelet."),
		checks.Run("kubectl uncordon {node}", "Allow pods on the node again."),
		checks.Verify("Get-Service {runtime}", "Status is Running")),
	Links: []string{
		"https://github.com/docker/for-win/issues/806",
		"https://github.com/containerd/containerd/issues/10848",
		"https://github.com/k3s-io/k3s/issues/5189",
		"https://github.com/containerd/containerd/issues/9929",
		"https://github.com/containerd/containerd/issues/10666",
		"https://github.com/etcd-io/bbolt/issues/705",
		"https://github.com/kubernetes/kubernetes/issues/78139",
	},
	Breaks:   []*checks.Effect{effectRuntime},
	Explains: []string{"component-crash-loop", "component-panic"},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("containerd"), evidence.Logs("docker"),
		evidence.Logs("other"), evidence.WindowsEvents, evidence.PodEvents)},
	Signs: []checks.Sign{
		// go.etcd.io/bbolt: page.go, db.go, cursor.go, freelist.go
		{Text: "panic: assertion failed: Page expected to be: ",
			Or: []string{"panic: freepages: failed to get all reachable pages", "panic: invalid page type: ",
				"panic: invalid freelist page: "},
			In: runtimeLogs, Until: runtimeStarted,
			Says: "the container runtime panics at its start: its database is damaged"},
		{Text: "io.containerd.metadata.v1.bolt", Also: []string{"invalid database"}, In: runtimeLogs,
			Until: runtimeStarted, Says: "containerd cannot open its database: it is damaged"},
		{Text: "io.containerd.metadata.v1.bolt", Also: []string{"checksum error"}, In: runtimeLogs,
			Until: runtimeStarted, Says: "containerd cannot open its database: it is damaged"},
		// internal/cri/server/restart.go: after a loss of power, a sandbox is recorded twice, or in part
		{Text: "failed to recover state: failed to get metadata for stored sandbox",
			Or: []string{"failed to recover state: failed to reserve sandbox name"}, In: runtimeLogs,
			Until: runtimeStarted, Says: "containerd exits at its start: its record of a sandbox is damaged"},
		// libnetwork/store.go of docker, with an endpoint that was not deleted whole: for-win 806
		{Text: "failed to get endpoints from store: ", Also: []string{"Error initializing network controller"},
			Or: []string{"failed to get networks from store: "}, Until: runtimeStarted,
			Says: "docker exits at its start: a record of its networks (local-kv.db) is damaged"},
		// daemon/graphdriver/windows/windows.go: "unmarshall" until docker 20.10
		{Text: "layerchain json", Also: []string{"invalid character"},
			Says: "docker cannot read layerchain.json of an image layer: the file is damaged"},
		{Text: "layerchain json", Also: []string{"unexpected end of JSON input"},
			Says: "docker cannot read layerchain.json of an image layer: the file is empty"},
	},
})

var (
	runtimeLogs    = []string{"containerd", "docker", "rke2", "k3s", "other", evidence.InEvents}
	runtimeStarted = []string{"containerd successfully booted", "API listen on"}
)
