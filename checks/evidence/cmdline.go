package evidence

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// SplitArgs splits a Windows command line into arguments as CommandLineToArgvW and Go's runtime do.
// The program comes first and has rules of its own: quotes end at the next quote and backslashes
// mean nothing. A line that begins with a dash has no program in front.
func SplitArgs(line string) []string {
	var args []string
	rest := strings.TrimLeft(line, " \t\r\n")
	if rest != "" && rest[0] != '-' {
		var program string
		program, rest = cutProgram(rest)
		args = append(args, program)
	}
	return append(args, cutArgs(rest)...)
}

// cutArgs splits what is behind the program.
func cutArgs(rest string) (args []string) {
	for rest = strings.TrimLeft(rest, " \t\r\n"); rest != ""; rest = strings.TrimLeft(rest, " \t\r\n") {
		var arg string
		arg, rest = cutArg(rest)
		args = append(args, arg)
	}
	return args
}

func cutProgram(s string) (program, rest string) {
	if s[0] == '"' {
		program, rest, _ = strings.Cut(s[1:], `"`)
		return program, rest
	}
	if end := strings.IndexAny(s, " \t\r\n"); end >= 0 {
		return s[:end], s[end:]
	}
	return s, ""
}

// cutArg takes one argument off s. Backslashes are plain unless a quote follows
// them: then two of them make one, and an odd one makes the quote plain.
func cutArg(s string) (arg, rest string) {
	var b strings.Builder
	quoted, slashes := false, 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			slashes++
			continue
		}
		if c != '"' {
			b.WriteString(strings.Repeat(`\`, slashes))
			slashes = 0
			if !quoted && strings.IndexByte(" \t\r\n", c) >= 0 {
				return b.String(), s[i:]
			}
			b.WriteByte(c)
			continue
		}
		b.WriteString(strings.Repeat(`\`, slashes/2))
		if slashes%2 == 1 {
			b.WriteByte('"')
		} else {
			if quoted && i+1 < len(s) && s[i+1] == '"' {
				b.WriteByte('"')
				i++
			}
			quoted = !quoted
		}
		slashes = 0
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	return b.String(), ""
}

// Flags are the flags of a Go program's command line.
type Flags struct {
	names  []string
	values map[string][]string
}

// ParseFlags reads --flag=value, --flag value, -flag and --flag="". The program
// itself and other arguments without a dash are passed over; so are the
// switches of PowerShell or cmd.exe, when one of them starts the program.
//
// Whether a flag is boolean cannot be seen, so "--ip-masq vxlan0" gives ip-masq
// the value vxlan0. A flag that no value follows is "true".
func ParseFlags(args []string) Flags {
	f := Flags{values: map[string][]string{}}
	args = unwrapShell(args)
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			break
		}
		name, ok := flagName(args[i])
		if !ok {
			continue
		}
		name, value, given := strings.Cut(name, "=")
		if !given {
			value = "true"
			if i+1 < len(args) && isFlagValue(args[i+1]) {
				i++
				value = args[i]
			}
		}
		name = normalFlag(name)
		f.names = append(f.names, name)
		f.values[name] = append(f.values[name], unquote(value))
	}
	f.names = Unique(f.names)
	return f
}

// Get returns the flag's value, the last one where it is repeated.
func (f Flags) Get(name string) (value string, ok bool) {
	values := f.values[normalFlag(name)]
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// All returns every value of the flags, in order of the names.
func (f Flags) All(names ...string) (values []string) {
	for _, name := range names {
		values = append(values, f.values[normalFlag(name)]...)
	}
	return values
}

// Has tells whether the flag is there.
func (f Flags) Has(name string) bool { return len(f.values[normalFlag(name)]) > 0 }

// Names lists the flags in the order in which they first appear, with dashes
// and without the leading ones.
func (f Flags) Names() []string { return f.names }

// FlagIn is where a flag is among the arguments that are at the place: the last
// argument of its name. In the command line of a shell that is one argument
// itself it is that one, and where none tells the arguments.
func FlagIn(args []string, in Place, name string) Place {
	for i := len(args) - 1; i >= 0; i-- {
		if flag, ok := flagName(args[i]); ok {
			if flag, _, _ = strings.Cut(flag, "="); normalFlag(flag) == name {
				return in.At(i)
			}
		}
	}
	return in
}

// normalFlag makes log_dir and log-dir one flag, as Kubernetes does.
func normalFlag(name string) string { return strings.ReplaceAll(name, "_", "-") }

func flagName(arg string) (string, bool) {
	name, ok := strings.CutPrefix(arg, "-")
	if !ok {
		return "", false
	}
	name = strings.TrimPrefix(name, "-")
	if name == "" || !isWordByte(name[0]) || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	return name, true
}

// isFlagValue tells a value from the next flag; -999 is a value.
func isFlagValue(arg string) bool {
	return !strings.HasPrefix(arg, "-") || len(arg) > 1 && arg[1] >= '0' && arg[1] <= '9'
}

func unquote(s string) string {
	for _, q := range []string{`"`, `'`} {
		if len(s) >= 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// KubeadmFlags reads kubeadm-flags.env, KUBELET_KUBEADM_ARGS="--a=b --c=d", into arguments.
func KubeadmFlags(text string) []string {
	var args []string
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || strings.HasPrefix(name, "#") || !strings.HasPrefix(name, "KUBELET_") {
			continue
		}
		// kubeadm writes the value as a quoted Go string.
		if plain, err := strconv.Unquote(value); err == nil {
			value = plain
		} else {
			value = unquote(value)
		}
		args = append(args, cutArgs(value)...)
	}
	return args
}

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

// unwrapShell drops powershell.exe or cmd.exe and their switches from the front of a command line.
// The recorders keep program and arguments apart, so the switches may come without the program.
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

// commandText splits the command that PowerShell runs: & 'C:\k\x.exe' --v=6.
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
