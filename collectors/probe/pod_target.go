package probe

import (
	"net/netip"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// A podTarget is one host as a pod asks for it.
type podTarget = ReachTarget

// parsePodTarget reads a target as the node's own probes do, and takes no host
// that a program could read as anything else.
func parsePodTarget(s string) (podTarget, error) {
	t, err := ParseReachTarget(s)
	if err != nil {
		return podTarget{}, collectors.GapError(
			evidence.Reported.OfKind(evidence.NotCollected, err))
	}
	if a, err := netip.ParseAddr(t.Host); (err != nil || a.Zone() != "") && !podName(t.Host) {
		return podTarget{}, collectors.GapError(evidence.PodUnusable.Gap(
			"the host of the target %q cannot be probed from a pod", s))
	}
	return t, nil
}

// podName tells whether a name may stand in a command line, and in a script:
// letters, digits, and what else host names are made of.
func podName(s string) bool {
	return s != "" && len(s) <= 254 && s[0] != '-' && strings.Trim(s, ".") != "" &&
		strings.Trim(s, hostCharacters) == ""
}

// hostCharacters are what names of hosts are made of, in ASCII.
const hostCharacters = "-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
