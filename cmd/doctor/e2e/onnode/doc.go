// Package onnode tests doctor --on-node against a real API server and kube-controller-manager.
package onnode
