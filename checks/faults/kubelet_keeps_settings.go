package faults

import (
	"strconv"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// kubeletKeepsSettings compares the one setting of the kubelet's configuration file that its Node object
// repeats, and tells of a file that cannot be read any more. The kubelet reads it at its start only.
func kubeletKeepsSettings(n *node.Node, s evidence.Snapshot) []*checks.Finding {
	config, object := n.KubeletConfig(s), evidence.Node.In(s)
	path := n.KubeletConfigPath(s)
	if path == "" {
		return nil
	}
	if f := s.File(path); f.Gap.Kind == "" && config.Named {
		if _, err := evidence.DecodeKubeletConfig([]byte(f.Text)); err != nil {
			return []*checks.Finding{checks.Findingf(checks.Warn, "kubelet",
				"the configuration of the kubelet cannot be read: it will not start again (%s)",
				evidence.Clean(err.Error())).At(evidence.InFile(f.Path), "%s", evidence.Clean(err.Error()))}
		}
	}
	_, flagged := n.KubeletFlag("max-pods")
	have := object.Status.Capacity["pods"]
	if config.MaxPods <= 0 || config.PodsPerCore > 0 || flagged || have == "" ||
		have == strconv.Itoa(config.MaxPods) {
		return nil
	}
	for _, p := range n.Components["kubelet"].Processes {
		for _, f := range evidence.FileIndex.In(s) {
			if !sameSetting(f.Path, path) || p.StartedAt.IsZero() || !f.ModifiedAt.After(p.StartedAt.Time) {
				continue
			}
			return []*checks.Finding{checks.Findingf(checks.Warn, "kubelet",
				"the kubelet runs with maxPods %s, but its configuration file has %d: it was not restarted since", have, config.MaxPods).
				At(config.Field("maxPods"), "maxPods is %d", config.MaxPods).
				At(object.Field("status", "capacity", "pods"), "capacity: %s pods", have).
				At(p.Field("startedAt"), "%s started at %s", p.Name, p.StartedAt.Format(time.RFC3339)).
				At(f.Field("modifiedAt"), "%s was written at %s", f.Path, f.ModifiedAt.Format(time.RFC3339))}
		}
	}
	return nil
}
