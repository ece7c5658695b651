package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "csi-socket-path-no-drive",
	Title:    "CSI driver registers a socket path without a drive",
	Healthy:  "CSI drivers register socket paths that the kubelet can open",
	Category: checks.CategoryStorage,
	Doc: `A CSI driver reports to the kubelet where its socket is (--kubelet-registration-path of the
node-driver-registrar, often set by DRIVER_REG_SOCK_PATH). In manifests for Windows this path has to
start with the drive. A path that starts with two backslashes is taken for a network name, and
Windows answers that a socket operation was attempted to an unreachable network. The driver does not
register, and its registrar restarts.

The check looks for this answer in the logs of the drivers and of the kubelet.`,
	Fix: checks.Steps(
		checks.Run(`kubectl -n NAMESPACE set env daemonset/DAEMONSET 'DRIVER_REG_SOCK_PATH=C:\var\lib\kubelet\plugins\DRIVER\csi.sock'`,
			"Write the path of the socket with its drive in the DaemonSet for Windows.").
			Costs("The driver's pods on Windows nodes are created again. Mounted volumes stay."),
		checks.Do("If a Helm chart manages the DaemonSet, set the path in its values, or update the chart."),
		checks.Verify("kubectl get csinode {node} -o jsonpath='{.spec.drivers[*].name}'", "the name of the driver")),
	Links: []string{
		"https://github.com/rancher/rke2/issues/4025",
		"https://kubernetes-csi.github.io/docs/node-driver-registrar.html",
	},
	Breaks:   []*checks.Effect{effectPodStart},
	Explains: []string{"csi-driver-not-registered"},
	Needs: []evidence.Need{evidence.Any(evidence.Logs("csi-driver"), evidence.Logs("kubelet"),
		evidence.Logs("pods"))},
	Uses: []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods},
	Moot: noDriver,
	Signs: []checks.Sign{{Text: "A socket operation was attempted to an unreachable network",
		Also: []string{"dial unix", "csi.sock"},
		Says: "the kubelet cannot open the socket of a CSI driver: its registered path has no drive"}},
})
