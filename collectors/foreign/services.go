package foreign

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// enoughServices is how many active services a whole `sc queryex` has at the very
// least: Windows does not boot with fewer, and other lists are shorter.
const enoughServices = 20

// readServices makes services.json of `sc queryex`, `sc qc` and Get-Service.
//
// The layout has no half list: a service that is not in services.json was looked
// for and is not there. Get-Service was asked for seven names (kube-proxy with its
// hyphen is none of them), so it may not become the list by itself. `sc queryex`
// without a name lists every active service, and where that list is whole, what is
// missing from it does not run; Get-Service then adds the stopped ones that it saw.
func readServices(sc, get textFile) (any, evidence.Gap) {
	if sc.gap.Kind != "" {
		return nil, also(sc.gap, "; the services are known from a whole `sc queryex` only; %s",
			runBundle)
	}
	list, configs, cut := parseSC(sc.content)
	if cut {
		return nil, missingf("%s breaks off: sc.exe had more services than room for them; %s",
			sc.name, runBundle)
	}
	if len(list) < enoughServices {
		return nil, missingf(
			"%s lists %d services, too few for all that run, so a service that is not in it may run; %s", sc.name, len(list), runBundle)
	}
	return joinServices(configs, list, printedServices(printed(get.content))), evidence.Gap{}
}

// joinServices joins what sc.exe and PowerShell show of the same services. PowerShell's state counts. `sc qc`
// shows most of what it shows.
func joinServices(configs map[string][]string, sc, printed []evidence.Service) []evidence.Service {
	states := map[string]string{}
	for _, s := range printed {
		states[strings.ToLower(s.Name)] = s.State
	}
	all := joined(func(have, more evidence.Service) bool {
		return strings.EqualFold(have.Name, more.Name)
	}, sc, printed)
	for i := range all {
		s, key := &all[i], strings.ToLower(all[i].Name)
		s.State = cmp.Or(states[key], s.State)
		configure(s, configs[key])
		if s.State == "stopped" { // the lists are of different moments
			s.PID = 0
		} else if s.ExitCode != nil && s.State == "running" {
			*s.ExitCode = 0
		}
	}
	return all
}

var (
	scHead  = regexp.MustCompile(`^(\S[^:]{2,40}?)\s*:\s*(\S.*?)\s*$`)
	scField = regexp.MustCompile(`^\s+(\S[^:]*?)\s*:(.*)$`)
	scExit  = regexp.MustCompile(`^\d+\s+\(0x`)
	scCut   = regexp.MustCompile(`(?im)^\s*Enum:.*\d`)
)

// scStates are the numbers of SERVICE_STATUS; the words behind them are translated.
var scStates = []string{"", "stopped", "start-pending", "stop-pending", "running",
	"continue-pending", "pause-pending", "paused"}

var scStartTypes = []string{"boot", "system", "automatic", "manual", "disabled"}

// parseSC reads the blocks of `sc queryex` and `sc qc`. A block starts at column 0
// with the service's name. In the first kind the display name follows, at column 0
// too; in the second all else is indented. The fields are told by their place in
// the block, since some languages translate their names. configs are those of `sc qc`.
func parseSC(s string) (list []evidence.Service, configs map[string][]string, cut bool) {
	configs = map[string][]string{}
	var name, display string
	var fields []string
	flush := func() {
		switch {
		case name == "" || len(list)+len(configs) > maxObjects:
		case display == "" && len(fields) > 2 && scExit.MatchString(fields[2]):
			display = name // `sc query NAME` does not print it
			fallthrough
		case display != "" && len(fields) > 1:
			if state := leadingNumber(fields[1]); state > 0 && state < len(scStates) {
				svc := evidence.Service{Name: name, DisplayName: display, State: scStates[state]}
				if len(fields) > 2 {
					if code, ok := startNumber(fields[2]); ok {
						svc.ExitCode = new(int64(code))
					}
				}
				if len(fields) > 6 {
					svc.PID = leadingNumber(fields[6])
				}
				list = append(list, svc)
			}
		case len(fields) > 0:
			configs[strings.ToLower(name)] = fields
		}
		name, display, fields = "", "", nil
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		if m := scHead.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "[") {
			if name != "" && display == "" && len(fields) == 0 {
				display = m[2]
				continue
			}
			flush()
			name = m[2]
		} else if m := scField.FindStringSubmatch(line); m != nil && name != "" {
			fields = append(fields, strings.TrimSpace(m[2]))
		} else if line != "" && line[0] == '[' {
			flush()
		} else if f := strings.TrimSpace(line); strings.HasPrefix(f, ":") && len(fields) > 0 {
			fields = append(fields, "+"+strings.TrimSpace(f[1:])) // one more dependency
		}
	}
	flush()
	return list, configs, scCut.MatchString(s)
}

// configure takes in the fields of `sc qc`: type, start type, error control, path,
// load group, tag, display name, dependencies, account.
func configure(s *evidence.Service, fields []string) {
	if len(fields) < 9 {
		return
	}
	if n, ok := startNumber(fields[1]); ok && n < len(scStartTypes) {
		s.StartType = scStartTypes[n]
		if strings.Contains(strings.ToUpper(fields[1]), "DELAYED") {
			s.StartType = "delayed"
		}
	}
	if args := evidence.SplitArgs(fields[3]); len(args) > 0 {
		s.BinPath, s.Args = args[0], args[1:]
	}
	last := len(fields) - 1
	for _, d := range fields[7:last] {
		if d = strings.TrimPrefix(d, "+"); d != "" {
			s.DependsOn = append(s.DependsOn, d)
		}
	}
	s.Account = fields[last]
}

func startNumber(s string) (int, bool) {
	first, _, _ := strings.Cut(s, " ")
	n, err := strconv.Atoi(first)
	return n, err == nil && n >= 0
}

func leadingNumber(s string) int {
	n, _ := startNumber(s)
	return n
}
