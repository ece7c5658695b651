package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"regexp"
	"slices"

	"doctor/checks/evidence"
	"doctor/ui/lang"
)

// A span is the value of a flag that takes a time. A bare number has the unit, where there is one.
type span struct {
	*time.Duration
	unit string
}

// spanFlag adds a flag that takes a time.
func spanFlag(p *pflag.FlagSet, d *time.Duration, name string, value time.Duration, unit,
	usage string) {
	*d = value
	p.Var(&span{d, unit}, name, usage)
}

func (s *span) Type() string { return "duration" }

func (s *span) Set(text string) error {
	number := text
	if text != "" && strings.IndexByte("0123456789", text[len(text)-1]) >= 0 {
		number += s.unit
	}
	d, err := time.ParseDuration(number)
	if err != nil {
		return errors.New("takes a time such as 30s, 5m or 24h")
	}
	*s.Duration = d
	return nil
}

// flagError says in the program's own words what the flag library found wrong; other errors stay
// as they are.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		return fmt.Errorf("--%s needs a value; `%s --help` shows which", missing.GetFlag().Name,
			cmd.CommandPath())
	case errors.As(err, &invalid):
		return invalidValue(invalid)
	case errors.As(err, &syntax):
		return fmt.Errorf("%q is no flag; flags are written as --name or --name=value",
			evidence.Clean(syntax.GetSpecifiedFlag()))
	}
	return err
}

func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	typed := "--" + err.GetSpecifiedName()
	if letters := err.GetSpecifiedShortnames(); letters != "" {
		if typed = "-" + letters; len(letters) > 1 {
			if near := didYouMean("-"+typed, names); near != "" { // -json
				return fmt.Errorf("there is no flag %s%s", evidence.Clean(typed), near)
			}
			typed = "-" + err.GetSpecifiedName()
		}
	}
	hint := fmt.Sprintf("; `%s --help` lists them", cmd.CommandPath())
	switch {
	case typed == "-f" && cmd.Flags().Lookup("output-file") != nil:
		hint = "; --output-file FILE names the file to write"
	case len(typed) > len("--x"):
		if near := didYouMean(typed, names); near != "" {
			hint = near
		}
	}
	return fmt.Errorf("there is no flag %s%s", evidence.Clean(typed), hint)
}

func invalidValue(err *pflag.InvalidValueError) error {
	flag, value := err.GetFlag(), evidence.Clean(err.GetValue())
	switch flag.Value.Type() {
	case "bool":
		return fmt.Errorf("--%s takes true, false or no value, not %q", flag.Name, value)
	case "int":
		return fmt.Errorf("--%s takes a whole number, not %q", flag.Name, value)
	case "stringSlice":
		return fmt.Errorf("--%s takes values with commas between them, not %q", flag.Name, value)
	}
	near := ""
	if flag.Name == "lang" {
		near = didYouMean(value, lang.Languages)
	}
	return fmt.Errorf("--%s %w, not %q%s", flag.Name, errors.Unwrap(err), value, near)
}

// joinNode writes --node NAME as --node=NAME: a flag that may go without a value takes one with =
// only, and would leave NAME to be read as a recording or a file.
func joinNode(args []string) []string {
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" || i == 0 && strings.HasPrefix(args[i], cobra.ShellCompRequestCmd) {
			return append(joined, args[i:]...)
		}
		if args[i] == "--node" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			joined = append(joined, "--node="+args[i+1])
			i++
			continue
		}
		joined = append(joined, args[i])
	}
	return joined
}

// negativeCode is an error code in decimal with its sign, as Windows prints an HRESULT.
var negativeCode = regexp.MustCompile(`^-[0-9]{5,}$`)

// codeAsWord puts a negative code of `doctor explain` behind "--", so that it is no flag.
func codeAsWord(args []string) []string {
	if len(args) < 2 || args[0] != "explain" {
		return args
	}
	at := slices.IndexFunc(args, negativeCode.MatchString)
	if at < 0 {
		return args
	}
	return append(slices.Delete(slices.Clone(args), at, at+1), "--", args[at])
}
