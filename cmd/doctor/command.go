package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/cluster"
	"doctor/fixtures"
	"doctor/ui"
	"doctor/ui/tui"
)

// flags are the options of a diagnosis.
type flags struct {
	session.Options      // Node is anyNode where the flag has no name
	json                 bool
	output               string
	file                 string   // to write to; "-" is standard output
	force                bool     // replaces the file
	inputs               []string // what is read beside From and Kubeconfig
	stdin                *os.File // where standard input is read
	only, skip, category []string
	failOn               failOn
	exitCode             string // npd
	quiet                bool
	ascii                bool
	theme                string
	noScreen             bool
	accessible           bool
	verbose              bool
	lang                 language
}

const exitHelp = `
Exit status:
  0    no fault found; checks that could not run are listed and counted
  1    internal error, or the node or recording cannot be read
  2    usage error
  3    at least one fault
  4    no fault, but a warning (only with --fail-on warn)
  5    no fault, but a check that could not run (only with --fail-on unknown)
  6    the bundle was refused: redaction or its verification failed (doctor bundle)
  130  interrupted
`

func command(std streams) *cobra.Command {
	f := flags{Options: session.Options{Program: program(), In: std.in, Tell: std.tell}}
	root := &cobra.Command{
		Use:   "doctor [RECORDING]",
		Short: "Diagnoses a Kubernetes Windows node: the root cause, its evidence and its fix",
		Long: `doctor reads the Kubernetes Windows node that it runs on, one behind a Kubernetes API, or a
recording of one, and names the root cause of what is wrong with it, with its evidence and its fix.

On a terminal it shows a screen; otherwise it writes text. Nothing on a node is changed.

The connection flags of kubectl have kubectl's meaning: --as, --as-group, --as-uid,
--as-user-extra, --cluster, --user, --token, --server, --namespace, --request-timeout, --proxy-url,
--certificate-authority, --client-certificate, --client-key, --tls-server-name,
--insecure-skip-tls-verify and --disable-compression. In a pod without a kubeconfig, the
account of the pod is used.` + "\n" + exitHelp,
		Example: `  doctor                                  this node; run it as Administrator
  doctor --node win-1                     from anywhere, through the Kubernetes API
  doctor --demo flannel-subnet-env-missing
  doctor collectlogs.zip
  doctor support-bundle.zip --node win-1
  doctor kubelet.log                      one log, one output of a command, or - for a paste
  doctor ./recording --json | jq '.causes[0]'
  doctor collectlogs.zip -o markdown --output-file ticket.md
  doctor explain pause-os-version-mismatch`,
		Args:              f.recordingArgument,
		TraverseChildren:  true, // doctor --demo NAME bundle
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: handDown,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.validateFile(cmd); err != nil {
				return err
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
	f.addFormats(root, "write %s instead of showing a screen", func() []string {
		if f.Node == anyNode && f.From == "" {
			return nodeFormats
		}
		return ui.Formats()
	})
	f.addOutput(root, "write to this file instead of standard output")
	p.BoolVarP(&f.quiet, "quiet", "q", false,
		"print causes and fixes only, or the first error that no check explains; nothing where all is well")
	f.addSelection(root, checkIDs)
	f.addCategories(root)
	p.StringVar(&f.exitCode, "exit-code", "",
		"npd: print one line, and exit as a plugin of node-problem-detector does: 0 fine, 1 problem, 2 unknown")
	f.addLooks(root)
	f.addTheme(root)
	p.BoolVar(&f.accessible, "accessible", false,
		"print plain lines for screen readers, and take numbers as answers; ACCESSIBLE=1 does the same")
	completeWith(root, "exit-code", func() []string { return []string{npd} })

	helpIn(root, std)
	root.AddCommand(explainCommand(std), bundleCommand(std, &f), diffCommand(std), watchCommand(std),
		fleetCommand(std), probeCommand(std), lintCommand(std), convertCommand(std, &f),
		mcpCommand(std), versionCommand(std), selfTestCommand(std), podEvidenceCommand(std, &f))
	if plugin, ok := strings.CutPrefix(std.name, "kubectl "); ok {
		// A shell completes the file that it runs, and its name has an underscore for each hyphen.
		root.Use = "kubectl-" + strings.ReplaceAll(plugin, "-", "_") + " [RECORDING]"
	}
	ownArguments(root)
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: std.name}
	return root
}

// What is needed most comes first. The setting is cobra's own variable, which several doctors in one
// test would write at the same time.
func init() { cobra.EnableCommandSorting = false }

// handDown gives a command the flags before its name: kubectl's users write `--context X` first, and
// a flag that is dropped would have another cluster asked.
func handDown(cmd *cobra.Command, _ []string) (err error) {
	if !cmd.HasParent() {
		return nil
	}
	cmd.Root().Flags().Visit(func(f *pflag.Flag) {
		own := cmd.Flags().Lookup(f.Name)
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case own == nil:
			err = fmt.Errorf("`%s` has no flag --%s; `%[1]s --help` lists them", cmd.CommandPath(), f.Name)
		case own.Changed:
		case isList:
			err = cmp.Or(err, own.Value.(pflag.SliceValue).Replace(list.GetSlice()))
		default:
			err = cmp.Or(err, cmd.Flags().Set(f.Name, f.Value.String()))
		}
	})
	return err
}

// addSource adds the flags that say which node is looked at, and how.
func (f *flags) addSource(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&f.From, "from", "",
		"diagnose a recording: an evidence folder, an archive of one, or another tool's; archives inside are found too")
	p.StringVar(&f.Demo, "demo", "",
		"diagnose a built-in recorded node; without a name: list them by category")
	p.StringVar(&f.Node, "node", "",
		"diagnose this node through the Kubernetes API, from anywhere; with --from: the node of this name or place in a recording of several. Without a name: list the nodes")
	p.Lookup("node").NoOptDefVal = anyNode
	f.addCluster(cmd)
	f.addOnNode(cmd)
	spanFlag(p, &f.Timeout, "timeout", session.DefaultTimeout, "s",
		"time limit for reading the node, in seconds or as 30s or 2m; what has not answered by then is reported as missing")
	spanFlag(p, &f.Since, "since", session.DefaultSince, "",
		"how far back event logs are read, and how old a log file may be")
	p.BoolVar(&f.Passive, "passive", false, "send no probes: read what is there, and nothing more")
	p.StringSliceVar(&f.Targets, "target", nil, "")
	withList(p, "target",
		"probe these, in place of the one host outside the cluster (%s): HOST:PORT, HOST, http://… or https://…", session.OutsideTarget)
	p.StringVar(&f.FromPod, "from-pod", "",
		"probe from inside this pod too (NAMESPACE/NAME), with the programs of its image: what a node reaches is not what its pods reach")
	p.BoolVarP(&f.verbose, "verbose", "v", false,
		"report on standard error how long each part of the reading took")
	completeWith(cmd, "demo", func() []string { return append(fixtures.Names(), listWord) })
	completeWith(cmd, "node", f.nodeNames)
	completeWith(cmd, "from-pod", f.podNames)
}

// addCluster adds the flags that say which cluster is asked, and as whom.
func (f *flags) addCluster(cmd *cobra.Command) {
	for _, name := range f.Cluster.Flags(cmd.Flags()) {
		cmd.Flags().Lookup(name).Hidden = true // the help names them in one line
	}
	completeWith(cmd, "context", func() []string { return f.Cluster.Contexts() })
}

// addFormats adds the flags that choose one of the formats. The usage has %s for them.
func (f *flags) addFormats(cmd *cobra.Command, usage string, formats func() []string) {
	cmd.Flags().BoolVar(&f.json, "json", false, "short for -o json")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "")
	withList(cmd.Flags(), "output", usage, formats()...)
	completeWith(cmd, "output", formats)
}

// addSelection adds the flags that say which of the checks run, and which verdicts are errors.
func (f *flags) addSelection(cmd *cobra.Command, ids func() []string) {
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "run only these checks (ids)")
	cmd.Flags().StringSliceVar(&f.skip, "skip", nil, "leave these checks out (ids)")
	cmd.Flags().StringSliceVar((*[]string)(&f.failOn), "fail-on", nil, failOnUsage)
	completeWith(cmd, "only", ids)
	completeWith(cmd, "skip", ids)
	completeWith(cmd, "fail-on", func() []string { return failLevels })
}

func (f *flags) addCategories(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.category, "category", nil, "")
	withList(cmd.Flags(), "category", "run only the checks of these categories: %s", categories()...)
	completeWith(cmd, "category", categories)
}

// addLooks adds the flags that say how text is written.
func (f *flags) addLooks(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	f.lang.flag(cmd)
}

func (f *flags) addTheme(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.theme, "theme", "", "")
	withList(cmd.Flags(), "theme", "colors of the screen: %s; DOCTOR_THEME does the same", tui.Themes()...)
	completeWith(cmd, "theme", tui.Themes)
}

// connect logs in to the cluster and then starts the clock of --timeout.
func (f *flags) connect(ctx context.Context) (*cluster.Client, context.Context, context.CancelFunc, error) {
	client, err := f.Connect(ctx)
	if err != nil {
		return nil, nil, nil, sourceError(err, "")
	}
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	return client, ctx, cancel, nil
}

// checkSource refuses flags that are given without a value.
func (f *flags) checkSource(cmd *cobra.Command) error {
	for _, name := range []string{"from", "demo", "node", "kubeconfig", "context", "from-pod",
		"nodes", "selector", "save"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed &&
			(flag.Value.String() == "" || flag.Value.String() == "[]") {
			return fmt.Errorf("--%s is given an empty value", name)
		}
	}
	if f.OnNode && !cmd.Flags().Changed("timeout") {
		f.Timeout = session.InsideTimeout
	}
	return nil
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

// mapped is f of each item.
func mapped[T any](list []T, f func(T) string) []string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = f(item)
	}
	return texts
}

func categories() []string {
	return mapped(checks.Categories, func(c checks.Category) string { return string(c) })
}

func checkIDs() []string { return idsOf(faults.Catalogue().All()) }

func idsOf(list []*checks.Check) []string {
	return mapped(list, func(c *checks.Check) string { return c.ID })
}

// selected lists the checks that the flags ask for.
func (f flags) selected() (*checks.Catalogue, error) {
	for _, id := range slices.Concat(f.only, f.skip) {
		if faults.Catalogue().ByID(id) == nil {
			return nil, unknownName("check", id, checkIDs(), "`doctor explain` lists them")
		}
	}
	for _, c := range f.category {
		if !slices.Contains(categories(), c) {
			return nil, unknownName("category", c, categories(),
				"the categories are "+strings.Join(categories(), ", "))
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

// noSource is what a bare `doctor` answers where there is no node to look at.
func noSource() error {
	return errors.New(`this machine is not a Windows node; give doctor something to look at:
  doctor --from PATH   a recording; doctor explain formats lists what doctor reads
  doctor --demo NAME   a built-in recorded node; doctor --demo lists them
  doctor --node NAME   a node through the Kubernetes API; doctor --node lists the cluster's Windows nodes`)
}
