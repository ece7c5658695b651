package node

import (
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// unwrapNSSM puts the program that nssm runs in the place of nssm itself.
func unwrapNSSM(s *evidence.Service, open hive) {
	called := strings.HasPrefix(strings.ToLower(baseName(s.BinPath)), "nssm")
	p, err := open(servicesKey + s.Name + `\Parameters`)
	// srvany keeps its program in the same place. A copy of nssm under another
	// name is told by the key that nssm makes for what it does on an exit.
	if !called && (err != nil || !slices.ContainsFunc(p.subkeys, func(k string) bool {
		return strings.EqualFold(k, "AppExit")
	})) {
		return
	}
	program, ok := p.expanded("Application")
	if !ok && !called {
		return
	}
	// Where the parameters may not be read, the program is not known.
	s.Wrapper, s.BinPath, s.Args = "nssm", strings.Trim(program, `"`), nil
	if line, _ := p.expanded("AppParameters"); strings.TrimSpace(line) != "" {
		s.Args = evidence.SplitArgs("nssm " + line)[1:]
	}
	// AppEnvironment is in place of all other variables, AppEnvironmentExtra beside them.
	if own, _ := p.strings("AppEnvironment"); len(own) > 0 {
		s.Env = nil
		addEnv(s, p.expandAll(own))
	}
	extra, _ := p.strings("AppEnvironmentExtra")
	addEnv(s, p.expandAll(extra))
	if ok && len(s.Recovery) == 0 {
		s.Recovery = nssmRecovery(open, s.Name, p)
	}
}

// nssmRecovery is what nssm does when the program exits. It starts it again
// unless it is told otherwise.
func nssmRecovery(open hive, service string, p key) []evidence.RecoveryAction {
	exit, _ := open(servicesKey + service + `\Parameters\AppExit`)
	if action := exit.text(""); action != "" && !strings.EqualFold(action, "Restart") {
		return []evidence.RecoveryAction{{Action: "none"}}
	}
	delay, _ := p.number("AppRestartDelay")
	return []evidence.RecoveryAction{{Action: "restart", DelayMS: int64(delay)}}
}

// expandAll replaces %NAME% in texts that a program expands by itself.
func (k key) expandAll(list []string) []string {
	if k.lookup == nil {
		return list
	}
	expanded := make([]string, len(list))
	for i, s := range list {
		expanded[i] = expand(s, k.lookup)
	}
	return expanded
}
