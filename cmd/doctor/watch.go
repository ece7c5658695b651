package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"doctor/checks"
	"doctor/checks/faults"
	"doctor/cmd/doctor/internal/service"
	"doctor/cmd/doctor/internal/session"
	"doctor/ui"
)

// watchFlags are the options of a watch.
type watchFlags struct {
	flags
	nodes             []string
	every, full, stop time.Duration
	paced             bool // the user says how often
	until             []string
	keep, after       time.Duration
	folder            string
	bundles           int
}

// watchGarbage trades processor time for memory: a watch lives beside the node's pods for weeks, and
// little of what a reading allocates outlives it. For the same reason it has one processor: each more
// brings threads, with their stacks.
const watchGarbage = 25

// anyFault triggers a bundle for each fault that appears.
const anyFault = "any"

func watchCommand(std streams) *cobra.Command {
	asService := false
	f := watchFlags{flags: flags{Options: session.Options{Program: program(), Tell: std.tell}}}
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watches a node: one line for each fault that appears or recovers; with --bundle a flight recorder",
		Long: `watch reads the cheap state of a node (services, HNS, adapters, routes, the Node object and its
pods) every few seconds and all of it every few minutes, and prints one line for each fault that
appeared, changed or recovered. It watches this node, or nodes through the Kubernetes API (--node).
Without --every and --full it reads less often where it would take more than 2 % of a core.

With --bundle it is a flight recorder: it keeps the readings of the last minutes in a folder,
without secrets, and when what --until names appears, it writes a bundle with the readings before
and after, and goes on. doctor opens such a bundle as it opens any; its timeline has all readings.
A watch that is started again goes on with the readings that are in the folder. doctor watch install
makes it a Windows service.`,
		Example: `  doctor watch
  doctor watch --node win-1 --node win-2 -o json
  doctor watch --until any --keep 30m --bundle C:\doctor
  doctor watch --until hns-network-missing --bundle /var/tmp/win-1 --node win-1`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if !asService {
				return f.watch(cmd.Context(), std)
			}
			return service.Run(func(ctx context.Context, out, messages *os.File) error {
				return f.watch(ctx, streams{in: std.in, out: out, err: messages, name: std.name})
			})
		},
	}
	cmd.Flags().BoolVar(&asService, serviceFlag, false, "")
	_ = cmd.Flags().MarkHidden(serviceFlag) // it is there
	f.addWatch(cmd)
	cmd.AddCommand(watchInstallCommand(std), watchUninstallCommand(std))
	return cmd
}

func (f *watchFlags) addWatch(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringSliceVar(&f.nodes, "node", nil, "watch this node through the Kubernetes API; may be given several times")
	spanFlag(p, &f.every, "every", 5*time.Second, "s", "how often the cheap state is read")
	spanFlag(p, &f.full, "full", 3*time.Minute, "m", "how often all of the node is read")
	spanFlag(p, &f.stop, "for", 0, "m", "how long to watch; until Ctrl-C without it")
	p.StringSliceVar(&f.until, "until", []string{anyFault},
		"write a bundle when one of these checks (ids) finds a fault, or when any does; with --bundle")
	spanFlag(p, &f.keep, "keep", 30*time.Minute, "m", "how long readings are kept for a bundle")
	spanFlag(p, &f.after, "after", time.Minute, "s", "how long a bundle waits for what follows the fault")
	p.StringVar(&f.folder, "bundle", "", "keep readings and write bundles in this folder")
	p.IntVar(&f.bundles, "bundles", 5, "write at most this many bundles; those in the folder count")
	f.addFormats(cmd, "write %s: one line for each change", textOrJSON)
	f.addLooks(cmd)
	f.addCluster(cmd)
	spanFlag(p, &f.Timeout, "timeout", session.DefaultTimeout, "s", "time limit for one whole reading of a node")
	spanFlag(p, &f.Since, "since", session.DefaultSince, "", "how far back logs are read")
	completeWith(cmd, "until", func() []string { return append(checkIDs(), anyFault) })
	completeWith(cmd, "node", f.nodeNames)
}

func (f *watchFlags) check(cmd *cobra.Command) error {
	if err := f.validateOutput(textOrJSON()); err != nil {
		return err
	}
	for _, id := range f.until {
		if id != anyFault && faults.Catalogue().ByID(id) == nil {
			return unknownName("check", id, append(checkIDs(), anyFault), "`doctor explain` lists them")
		}
	}
	f.paced = cmd.Flags().Changed("every") || cmd.Flags().Changed("full")
	switch {
	case f.folder == "" && cmd.Flags().Changed("bundle"):
		return errors.New("--bundle is given an empty name; name a folder")
	case f.folder == "" && (cmd.Flags().Changed("until") || cmd.Flags().Changed("keep") ||
		cmd.Flags().Changed("after") || cmd.Flags().Changed("bundles")):
		return errors.New("--until, --keep, --after and --bundles say when a bundle is written; name its folder with --bundle")
	case f.every < time.Second:
		return errors.New("--every takes a second or more")
	case f.full < f.every:
		return errors.New("--full cannot be shorter than --every")
	case f.bundles < 1:
		return errors.New("--bundles takes 1 or more")
	case len(f.nodes) == 0 && runtime.GOOS != "windows":
		return errors.New("this machine is not a Windows node; name nodes of the cluster with --node")
	}
	return nil
}

// watch watches each node for itself, and writes the changes of all of them in one stream.
func (f *watchFlags) watch(ctx context.Context, std streams) error {
	if f.stop > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.stop, errWatched)
		defer cancel()
	}
	out := f.displayOn(std)
	defer out.close()
	out.console.EnterText()
	style := out.style()
	var mu sync.Mutex
	write := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(out.console.Output(), text)
	}
	tell := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		std.tell(text)
	}
	changed := func(c session.Change) {
		if f.output == "json" {
			line, err := json.Marshal(c)
			if err == nil {
				write(string(line))
			}
			return
		}
		write(ui.ChangeLine(c.At, c.Node, c.Change, c.Is, c.Line(), style))
	}
	if f.folder != "" {
		warnLost(std, f.folder)
	}
	nodes := f.nodes
	if len(nodes) == 0 {
		nodes = []string{""}
	}
	debug.SetGCPercent(watchGarbage)
	if len(nodes) == 1 {
		runtime.GOMAXPROCS(1)
	}
	var all sync.WaitGroup
	for _, node := range nodes {
		options := f.Options
		options.Node = node
		live, err := session.Start(ctx, options, faults.Catalogue())
		if err != nil {
			return sourceError(err, node)
		}
		defer live.Close()
		o := session.Watching{Every: f.every, Full: f.full, Bounded: !f.paced, Changed: changed}
		if f.folder != "" {
			r := f.recorder(node, tell)
			if o.Earlier, err = r.Start(); err != nil {
				return trouble(err)
			}
			o.Due = r.Due
			o.Read = func(l *session.Live, report checks.Report, full bool, changes []session.Change) {
				if err := r.Record(ctx, l, report, full, changes); err != nil && ctx.Err() == nil {
					tell(err.Error())
				}
			}
		}
		all.Go(func() {
			last := ""
			// It ends with the context alone.
			_ = session.Watch(ctx, live, o, func(err error) {
				if text := err.Error(); text != last { // once, however long it lasts
					last = text
					tell(text)
				}
			})
		})
	}
	all.Wait()
	if context.Cause(ctx) == errWatched || ctx.Err() == nil {
		return nil
	}
	return ctx.Err()
}

// errWatched ends a watch whose time is over.
var errWatched = errors.New("the time of --for is over")

func (f *watchFlags) recorder(node string, tell func(string)) *session.Recorder {
	folder := f.folder
	if len(f.nodes) > 1 {
		folder = filepath.Join(folder, strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(node))
	}
	return &session.Recorder{Folder: folder, Keep: f.keep, After: f.after, Bundles: f.bundles, Options: f.Options,
		Tell: tell, Until: func(c session.Change) bool {
			return c.Is == checks.StatusFail && slices.Contains(f.until, anyFault) || slices.Contains(f.until, c.ID)
		}}
}

// serviceFlag says that Windows started the watch as a service.
const serviceFlag = "service"

func watchInstallCommand(std streams) *cobra.Command {
	f := watchFlags{flags: flags{Options: session.Options{Program: program(), Tell: std.tell}}}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Makes the flight recorder a Windows service, which starts with the node",
		Long: `install makes a Windows service that runs doctor watch with the flags given here, and starts it. The
service starts with Windows, and again a minute after it ends by itself. What it reports is in the
event log Application (source doctor-watch); its bundles are in the folder that --bundle names.
It needs an elevated prompt. doctor watch uninstall takes the service away, and leaves the folder.`,
		Example: `  doctor watch install --bundle C:\doctor
  doctor watch install --bundle C:\doctor --until hns-network-missing --keep 1h
  doctor watch uninstall`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.folder == "" {
				return errors.New("name the folder of the readings and bundles with --bundle")
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			args, err := serviceArgs(cmd.Flags())
			if err != nil {
				return err
			}
			exe, err := os.Executable()
			if err != nil {
				return trouble(err)
			}
			if err := service.Install(exe, args); err != nil {
				return trouble(err)
			}
			fmt.Fprintf(std.out, "installed and started the service %s; its bundles go to %s; "+
				"`doctor watch uninstall` takes it away\n", service.Name, f.folder)
			return nil
		},
	}
	f.addWatch(cmd)
	return cmd
}

func watchUninstallCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Stops and removes the service that doctor watch install made",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := service.Uninstall(); err != nil {
				return trouble(err)
			}
			fmt.Fprintf(std.out, "removed the service %s; its folder stays\n", service.Name)
			return nil
		},
	}
}

// serviceArgs are the arguments of the service: the flags that were given, with paths that do not
// depend on where a service starts.
func serviceArgs(p *pflag.FlagSet) ([]string, error) {
	args := []string{"watch", "--" + serviceFlag}
	var err error
	p.Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch flag.Name {
			case "token":
				err = errors.New("every user could read --token in the service's command line; " +
					"use --kubeconfig")
			case "bundle", "kubeconfig", "certificate-authority":
				full, failed := filepath.Abs(v)
				err = errors.Join(err, failed)
				v = full
			}
			args = append(args, "--"+flag.Name+"="+v)
		}
	})
	return args, err
}
