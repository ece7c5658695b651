package redact

import (
	"bytes"
	"strings"
)

// setters set what is named behind them to what follows the name.
var setters = strings.Fields(`setx configure_set config_set secrets_set secret_set set-variable setenv
	setenv( putenv git_config config_--global npm_set set_-x setx_/m launchctl_setenv user-secrets_set
	credential_set pip_config_set params_set variable_set set-item_env: new-item_env: si_env: env_set variables_set nssm_set appsettings_set
	setproperty add_header proxy_set_header set_header append_header requestheader setvar var_set`)

// setterOptions come before the value in what sets a name: reg add … /v NAME … /d
// VALUE, Set-ItemProperty … -Name NAME -Value VALUE.
var setterOptions = []string{" /d ", " -value ", " --value ", " --body ", " -b ", " -v ", " -notepropertyvalue ",
	" --secret-string ", " --data "}

// optionForm: the value that an option behind the name gives to it.
func (s *scan) optionForm(f field) bool {
	b := f.b
	if f.at >= len(b) || f.at == f.after || strings.IndexByte("-/", b[f.at]) < 0 {
		return false
	}
	end := lineEnd(b[:min(len(b), f.after+layerBack)], f.after)
	for i := f.at - 1; i < end; i++ {
		if !isBlank(b[i]) {
			if b[i] == '|' || b[i] == '<' {
				return false
			}
			continue
		}
		for _, option := range setterOptions {
			if !hasFold(b, i, option) {
				continue
			}
			v := s.value(b, skipGap(b, i+len(option)), " \t\r\n\"'`;|")
			if v.end > v.start && b[v.start] != '-' {
				s.takeJudged(f, v, false)
				return true
			}
		}
	}
	return false
}

// setterForm: the value that a command gives to the name.
func (s *scan) setterForm(f field) bool {
	b := f.b
	if f.at >= len(b) || f.at == f.after || strings.IndexByte(",;)|&=:\r\n", b[f.at]) >= 0 ||
		!s.afterSetter(f) {
		return false
	}
	v := s.value(b, f.at, " \t\r\n\"'`;|")
	if v.end > v.start && b[v.start] != '-' && (b[v.start] != '$' || !isExpression(v.in(b))) {
		s.takeJudged(f, v, false)
	}
	return true
}

// afterSetter tells whether the words before a name set it.
func (s *scan) afterSetter(f field) bool {
	before := bytes.ToLower(s.b[max(0, f.from-40):f.from])
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	for bytes.HasSuffix(before, []byte(":")) && !bytes.HasSuffix(before, []byte("env:")) { // user-secrets set "Smtp:Password"
		before = before[:runBack(before, len(before)-1, nameByte)]
	}
	before = bytes.ReplaceAll(bytes.TrimRight(before, " \t\"'`\\(%"), []byte(" "), []byte("_"))
	before = bytes.ReplaceAll(before, []byte(".exe_"), []byte("_"))
	for _, setter := range setters {
		if bytes.HasSuffix(before, []byte(setter)) {
			i := len(before) - len(setter)
			return i == 0 || !isAlnum(before[i-1])
		}
	}
	return bytes.Contains(before, []byte("env:\\")) || f.from >= 4 && string(s.b[f.from-4:f.from]) == "ENV " || // of a Dockerfile
		s.afterItem(f)
}

// afterItem tells of what sets a value of the registry: sp HKLM:\SOFTWARE\X NAME VALUE.
func (s *scan) afterItem(f field) bool {
	line := bytes.TrimRight(s.b[lineBack(s.b, f.from, layerBack):f.from], " '\"")
	key := bytes.LastIndexByte(line, ' ') + 1
	if !hasFold(line, key, "hk") || bytes.IndexByte(line[key:], ':') < 0 {
		return false
	}
	command := bytes.ToLower(line[:key])
	return bytes.Contains(command, []byte("itemproperty ")) || hasFold(command, 0, "sp ") ||
		bytes.Contains(command, []byte(" sp "))
}
