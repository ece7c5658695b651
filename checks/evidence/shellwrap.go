package evidence

import (
	"path"
	"slices"
	"strings"
)

// PowerShell's own switches, to tell them from the flags of what it starts, and
// whether a value follows them. PowerShell takes any beginning of a name.
var powershellSwitches = []struct {
	name  string
	value bool
}{
	{"executionpolicy", true}, {"ep", true}, {"ex", true}, {"windowstyle", true},
	{"inputformat", true}, {"outputformat", true},
	{"version", true}, {"workingdirectory", true}, {"configurationname", true},
	{"psconsolefile", true}, {"encodedcommand", true}, {"ec", true},
	{"noprofile", false}, {"nologo", false}, {"noninteractive", false}, {"noexit", false},
	{"sta", false}, {"mta", false},
}

// unwrapShell drops powershell.exe or cmd.exe and their switches from the front
// of a command line. The recorders keep program and arguments apart, so the
// switches may come without the program.
func unwrapShell(args []string) []string {
	switch {
	case len(args) == 0:
		return args
	case isProgram(args[0], "powershell", "pwsh"):
		return unwrapPowerShell(args[1:])
	case isProgram(args[0], "cmd") && len(args) > 2 && strings.EqualFold(args[1], "/c"):
		return unwrapShell(args[2:])
	}
	// Without the program only what no Go program has counts: -config is a flag of many.
	for _, name := range []string{"executionpolicy", "noprofile", "nologo", "noninteractive",
		"noexit", "windowstyle"} {
		if isSwitch(args[0], name) {
			return unwrapPowerShell(args)
		}
	}
	if strings.EqualFold(args[0], "-command") || strings.EqualFold(args[0], "-file") {
		return unwrapPowerShell(args)
	}
	return args
}

func unwrapPowerShell(args []string) []string {
	for len(args) > 0 {
		value, known := powershellSwitch(args[0])
		switch {
		case isSwitch(args[0], "command") || strings.EqualFold(args[0], "-c"):
			return commandText(strings.Join(args[1:], " "))
		case isSwitch(args[0], "file") || strings.EqualFold(args[0], "-f"):
			return args[1:]
		case !known:
			// What stands without a switch is a command to Windows PowerShell and a file to pwsh.
			return commandText(strings.Join(args, " "))
		}
		args = args[1:]
		if value && len(args) > 0 {
			args = args[1:]
		}
	}
	return nil
}

// commandText splits what PowerShell is told to run: & 'C:\k\x.exe' --v=6.
func commandText(s string) []string {
	s = strings.TrimSpace(s)
	s = strings.Trim(strings.TrimLeft(s, "& \t"), "{} \t")
	var args []string
	for rest := s; rest != ""; rest = strings.TrimSpace(rest) {
		var arg string
		if rest[0] == '\'' {
			arg, rest, _ = strings.Cut(rest[1:], "'")
		} else {
			arg, rest = cutArg(rest)
		}
		args = append(args, strings.TrimRight(arg, ";"))
	}
	return args
}

func powershellSwitch(arg string) (value, known bool) {
	for _, s := range powershellSwitches {
		if isSwitch(arg, s.name) {
			return s.value, true
		}
	}
	return false, false
}

// isSwitch tells whether arg is the switch in full or a beginning of it that
// is long enough to be meant: -NoP, -Exec.
func isSwitch(arg, name string) bool {
	arg = strings.ToLower(arg)
	if len(arg) < 2 || arg[0] != '-' && arg[0] != '/' {
		return false
	}
	return arg[1:] == name || len(arg) > 3 && strings.HasPrefix(name, arg[1:])
}

func isProgram(arg string, names ...string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(unquote(arg), `\`, "/")))
	return slices.Contains(names, strings.TrimSuffix(base, ".exe"))
}

// StartScript returns the PowerShell script that a command line runs, or "".
func StartScript(args []string) string {
	for _, a := range unwrapShell(args) {
		a = strings.Trim(a, `"'&{}; `)
		if strings.HasSuffix(strings.ToLower(a), ".ps1") {
			return a
		}
	}
	return ""
}
