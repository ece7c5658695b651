package node

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// A serviceStatus is what the service manager says of one service or driver.
type serviceStatus struct {
	name, display string
	driver        bool
	state         string
	pid           int
	exitCode      int64
}

// serviceStateNames are the numbers of SERVICE_STATUS.
var serviceStateNames = []string{"", "stopped", "start-pending", "stop-pending", "running",
	"continue-pending", "pause-pending", "paused"}

// newServiceStatus reads the numbers of SERVICE_STATUS_PROCESS. An exit code of
// the service's own is behind a general one that only points to it.
func newServiceStatus(name, display string, kind, state, exit, ownExit, pid uint32) serviceStatus {
	const drivers, seeOwnExit = 0x0b, 1066
	s := serviceStatus{name: name, display: display, driver: kind&drivers != 0, pid: int(pid),
		exitCode: int64(exit)}
	if int(state) < len(serviceStateNames) {
		s.state = serviceStateNames[state]
	}
	if exit == seeOwnExit {
		s.exitCode = int64(ownExit)
	}
	return s
}

// Drivers that pod networks stand on; of others a node has hundreds.
var networkDrivers = []string{"vfpext", "ovsext"}

// readServices adds the registry's settings to what the service manager says.
// The manager's list is the whole: the registry may hold what is being deleted.
func readServices(open hive, states []serviceStatus) []evidence.Service {
	list := []evidence.Service{}
	for _, s := range states {
		if s.driver && !slices.Contains(networkDrivers, strings.ToLower(s.name)) {
			continue
		}
		out := evidence.Service{Name: s.name, DisplayName: s.display, State: s.state, PID: s.pid,
			ExitCode: &s.exitCode}
		if k, err := open(servicesKey + s.name); err == nil {
			configure(&out, k, s.driver)
			unwrapNSSM(&out, open)
		}
		list = append(list, out)
	}
	sorted.By(list, func(a, b evidence.Service) int { return compareFold(a.Name, b.Name) })
	return list
}

const servicesKey = `SYSTEM\CurrentControlSet\Services\`

var startTypes = []string{"boot", "system", "automatic", "manual", "disabled"}

func configure(s *evidence.Service, k key, driver bool) {
	if n, ok := k.number("Start"); ok && n < uint64(len(startTypes)) {
		s.StartType = startTypes[n]
		if later, _ := k.number("DelayedAutostart"); s.StartType == "automatic" && later != 0 {
			s.StartType = "delayed"
		}
	}
	s.DependsOn, _ = k.strings("DependOnService")
	line, _ := k.expanded("ImagePath")
	if driver {
		s.BinPath = driverPath(line, k.lookup)
		return
	}
	s.Account = k.text("ObjectName")
	s.BinPath, s.Args = programAndArgs(line)
	block, _ := k.strings("Environment")
	addEnv(s, block)
	s.Recovery = []evidence.RecoveryAction{}
	if b, ok := k.binary("FailureActions"); ok {
		s.Recovery = failureActions(b)
	}
}

// addEnv takes in NAME=value lines; a later one replaces an earlier one.
func addEnv(s *evidence.Service, lines []string) {
	for _, line := range lines {
		name, text, ok := strings.Cut(line, "=")
		if !ok || name == "" { // =C:=C:\k is the current folder of a drive
			continue
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		maps.DeleteFunc(s.Env, func(have, _ string) bool { return strings.EqualFold(have, name) })
		s.Env[name] = withoutCredentials(name, text)
	}
}

// failureActions reads a SERVICE_FAILURE_ACTIONS as the registry keeps it: five
// numbers, of which the fourth counts the actions, and then for each of them
// its type and its delay. Nil where the bytes are something else.
func failureActions(b []byte) []evidence.RecoveryAction {
	const head, size, most = 20, 8, 64
	if len(b) < head {
		return nil
	}
	n := int(min(binary.LittleEndian.Uint32(b[12:]), most))
	if len(b) < head+n*size {
		return nil
	}
	list := make([]evidence.RecoveryAction, 0, n)
	names := map[uint32]string{0: "none", 1: "restart", 2: "reboot", 3: "run-command", 4: "restart"}
	for i := range n {
		at := b[head+i*size:]
		name, ok := names[binary.LittleEndian.Uint32(at)]
		if !ok {
			return nil
		}
		list = append(list, evidence.RecoveryAction{Action: name,
			DelayMS: int64(binary.LittleEndian.Uint32(at[4:]))})
	}
	return list
}

// programAndArgs splits a service's command line. A path with spaces and
// without quotes is one program, as Windows finds out by trying.
func programAndArgs(line string) (program string, args []string) {
	line = strings.TrimSpace(line)
	parts := evidence.SplitArgs(line)
	if len(parts) == 0 {
		return "", nil
	}
	program, args = parts[0], parts[1:]
	if line[0] == '"' || strings.HasSuffix(strings.ToLower(program), ".exe") {
		return program, args
	}
	end := strings.Index(strings.ToLower(line), ".exe")
	if end < 0 {
		return program, args
	}
	end += len(".exe")
	whole := line[:end]
	if end < len(line) && line[end] != ' ' && line[end] != '\t' ||
		strings.ContainsAny(whole, `"=`) || strings.Contains(whole, " -") ||
		strings.Contains(whole, " /") || strings.Count(whole, ":") > 1 {
		return program, args
	}
	return whole, evidence.SplitArgs("service " + line[end:])[1:]
}

func baseName(path string) string { return path[strings.LastIndexAny(path, `\/`)+1:] }

// driverPath makes the path of a driver one that others know: the registry
// leaves the beginning out, or writes it as the kernel does.
func driverPath(path string, lookup func(string) (string, bool)) string {
	root := `C:\Windows`
	if lookup != nil {
		if v, ok := lookup("SystemRoot"); ok {
			root = v
		}
	}
	path = strings.TrimPrefix(path, `\??\`)
	switch lower := strings.ToLower(path); {
	case strings.HasPrefix(lower, `\systemroot\`):
		return root + path[len(`\systemroot`):]
	case strings.HasPrefix(lower, `system32\`):
		return root + `\` + path
	}
	return path
}

// unwrapNSSM puts the program that nssm runs in the place of nssm itself.
func unwrapNSSM(s *evidence.Service, open hive) {
	called := strings.HasPrefix(strings.ToLower(baseName(s.BinPath)), "nssm")
	p, err := open(servicesKey + s.Name + `\Parameters`)
	// srvany keeps its program in the same place. A copy of nssm under another
	// name comes from the key that nssm makes for what it does on an exit.
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
// unless a setting says otherwise.
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
