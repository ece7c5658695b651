package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/cmd/doctor/internal/session"
	"doctor/ui"
	"doctor/ui/tui"
)

// flags are the options of a diagnosis.
type flags struct {
	session.Options      // Node is anyNode where the flag has no name
	json                 bool
	output, file         string
	only, skip, category []string
	failOn               string
	ascii                bool
	theme                string
	noScreen             bool
	accessible           bool
	verbose              bool
	lang                 language
}

const exitHelp = `
Exit status:
  0    no fault found, and every check that applies could tell
  1    doctor itself could not do its work
  2    the command line is wrong
  3    at least one fail
  4    no fail, at least one warn, and --fail-on warn was given
  5    no fault found, but some checks could not tell
  6    the bundle was refused: redaction or its verification went wrong (doctor bundle)
  130  interrupted
`

func command(std streams) *cobra.Command {
	f := flags{Options: session.Options{Program: program()}}
	root := &cobra.Command{
		Use:   "doctor",
		Short: "Tells what is wrong with a Kubernetes Windows node, why, and what to do",
		Long: `doctor reads the Kubernetes Windows node that it runs on, one behind a Kubernetes API, or a
recording of one, and names the root cause of what is wrong with it, with the evidence it rests on and the way to mend it.

On a terminal it shows a screen; otherwise it writes text. Nothing on a node is changed.` + "\n" + exitHelp,
		Example: `  doctor                                  this node; run it as Administrator
  doctor --node win-1                     from anywhere, through the Kubernetes API
  doctor --demo flannel-subnet-env-missing
  doctor --from collectlogs.zip
  doctor --from support-bundle.zip --node win-1
  doctor --from ./recording --json | jq '.causes[0]'
  doctor explain pause-os-version-mismatch`,
		Args: func(cmd *cobra.Command, args []string) error {
			return f.nodeArgument(cmd, args)
		},
		TraverseChildren: true, // doctor --demo NAME bundle
		SilenceUsage:     true,
		SilenceErrors:    true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("from") && f.From == "" {
				return errors.New("--from is given an empty path")
			}
			switch {
			case f.Node == anyNode && f.From != "":
				return listRecorded(std, f)
			case f.Node == anyNode:
				return listNodes(cmd.Context(), std, f)
			}
			return diagnose(cmd.Context(), std, f)
		},
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	p := root.Flags()
	f.addSource(root)
	p.BoolVar(&f.json, "json", false, "short for -o json")
	p.StringVarP(&f.output, "output", "o", "", "")
	withList(p, "output", "write %s instead of showing a screen", ui.Formats()...)
	p.StringVarP(&f.file, "file", "f", "", "write to this file instead of standard output")
	p.StringSliceVar(&f.only, "only", nil, "run only these checks (ids)")
	p.StringSliceVar(&f.skip, "skip", nil, "leave these checks out (ids)")
	p.StringSliceVar(&f.category, "category", nil, "")
	withList(p, "category", "run only the checks of these categories: %s", categories()...)
	p.StringVar(&f.failOn, "fail-on", "fail",
		"exit with a status other than 0 from this level on: fail or warn")
	p.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	p.StringVar(&f.theme, "theme", "", "")
	withList(p, "theme", "colors of the screen: %s; DOCTOR_THEME does the same", tui.Themes()...)
	p.BoolVar(&f.accessible, "accessible", false,
		"tell everything in plain lines, for screen readers, and take numbers as answers; ACCESSIBLE=1 does the same")
	f.lang.flag(root)
	completeWith(root, "output", ui.Formats)
	completeWith(root, "theme", tui.Themes)
	completeWith(root, "only", checkIDs)
	completeWith(root, "skip", checkIDs)
	completeWith(root, "category", categories)
	completeWith(root, "fail-on", func() []string { return []string{"fail", "warn"} })

	helpIn(root)
	root.AddCommand(bundleCommand(std, &f), convertCommand(std, &f), lintCommand(std),
		probeCommand(std), explainCommand(std), versionCommand(std))
	return root
}

// addSource adds the flags that say which node is looked at, and how.
func (f *flags) addSource(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&f.From, "from", "",
		"diagnose a recording: an evidence folder, a zip or tar.gz of one, or another tool's; archives inside are found too")
	p.StringVar(&f.Demo, "demo", "", "diagnose a built-in recorded node; \"list\" lists them")
	p.StringVar(&f.Node, "node", "",
		"diagnose this node through the Kubernetes API, from anywhere; with --from: the node of this name or place in a recording of several. Without a name: list the nodes")
	p.Lookup("node").NoOptDefVal = anyNode
	p.StringVar(&f.Kubeconfig, "kubeconfig", "",
		"the kubeconfig to use; else found as kubectl finds it, or on a node the kubelet's own")
	p.StringVar(&f.Context, "context", "", "the context of the kubeconfig to use")
	p.DurationVar(&f.Timeout, "timeout", session.DefaultTimeout,
		"how long reading this node may take; what has not answered by then is told as a gap")
	p.DurationVar(&f.Since, "since", session.DefaultSince,
		"how far back event logs are read, and how old a log file may be")
	p.BoolVar(&f.Passive, "passive", false, "send no probes: read what is there, and nothing more")
	p.StringSliceVar(&f.Targets, "target", nil, "")
	withList(p, "target",
		"probe these, in place of the one host outside the cluster (%s): HOST:PORT, HOST, http://… or https://…", session.OutsideTarget)
	p.StringVar(&f.FromPod, "from-pod", "",
		"probe from inside this pod too (NAMESPACE/NAME), with the programs of its image: what a node reaches is not what its pods reach")
	p.BoolVarP(&f.verbose, "verbose", "v", false,
		"tell on standard error what each part of the reading took")
	completeWith(cmd, "demo", func() []string { return append(demoNames(), "list") })
}

// nodeArgument takes --node NAME: a flag that may go without a value takes one with = only.
func (f *flags) nodeArgument(cmd *cobra.Command, args []string) error {
	if f.Node == anyNode && len(args) == 1 {
		f.Node = args[0]
		return nil
	}
	return noArguments(cmd, args)
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf(
		"there is no command %q; `doctor --help` lists them, and a recording is given with --from %s", evidence.Clean(args[0]), evidence.Clean(args[0]))
}

func completeWith(cmd *cobra.Command, flag string, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // a flag of that name is defined above
	}
}

func categories() []string {
	var list []string
	for _, c := range checks.Categories {
		list = append(list, string(c))
	}
	return list
}

func checkIDs() []string {
	var list []string
	for _, c := range faults.Catalogue().All() {
		list = append(list, c.ID)
	}
	return list
}

// selected lists the checks that the flags ask for.
func (f flags) selected() (*checks.Catalogue, error) {
	for _, id := range slices.Concat(f.only, f.skip) {
		if faults.Catalogue().ByID(id) == nil {
			return nil, unknownID(id)
		}
	}
	for _, c := range f.category {
		if !slices.Contains(categories(), c) {
			return nil, fmt.Errorf("there is no category %q; the categories are %s",
				evidence.Clean(c), strings.Join(categories(), ", "))
		}
	}
	selected := faults.Catalogue().Select(func(c *checks.Check) bool {
		return (len(f.only) == 0 || slices.Contains(f.only, c.ID)) &&
			!slices.Contains(f.skip, c.ID) &&
			(len(f.category) == 0 || slices.Contains(f.category, string(c.Category)))
	})
	if len(selected.All()) == 0 {
		return nil, errors.New("--only, --skip and --category leave no check to run")
	}
	return selected, nil
}

func unknownID(id string) error {
	var near []string
	for _, known := range checkIDs() {
		if strings.Contains(known, id) || strings.Contains(id, known) {
			near = append(near, known)
		}
	}
	hint := "`doctor explain` lists them"
	if len(near) > 0 {
		hint = "did you mean " + strings.Join(near[:min(3, len(near))], " or ") + "?"
	}
	return fmt.Errorf("there is no check %q; %s", evidence.Clean(id), hint)
}

// noSource is what a bare `doctor` answers where there is no node to look at.
func noSource() error {
	return errors.New(`this machine is not a Windows node; give doctor something to look at:
  doctor --from PATH   a recording: an evidence folder, a zip or tar.gz of one, or the output of collectlogs.ps1
  doctor --demo NAME   a built-in recorded node; doctor --demo list lists them
  doctor --node NAME   a node through the Kubernetes API; doctor --node lists the cluster's Windows nodes`)
}
