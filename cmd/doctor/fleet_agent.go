package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"doctor/checks/evidence"
	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/cluster"
	"doctor/collectors/onnode"
	"doctor/collectors/publish"
)

// agentEvery is how often an agent reads its node unless the user says otherwise.
const agentEvery = 5 * time.Minute

// metricsPort is where an agent's metrics are.
const metricsPort = 9105

// manifestValue is a value that stands in YAML without quotes: what an image, a namespace or a Secret
// can be called.
var manifestValue = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)

func fleetManifestCommand(std streams) *cobra.Command {
	m := onnode.Manifest{Every: agentEvery.String(), Port: metricsPort}
	every := agentEvery
	cmd := &cobra.Command{
		Use:   "manifest --image REF",
		Short: "Prints the namespace, the roles and a DaemonSet, for kubectl apply or a kustomization",
		Long: `manifest prints YAML: the namespace of doctor's pods, the roles for who runs doctor --on-node, and a DaemonSet that
runs the checks on each Windows node every few minutes and serves Prometheus metrics. It sends nothing.

With --continuous, each pod also publishes on its Node, where the causes change: the condition WindowsNodeProblem and
an Event. A ValidatingAdmissionPolicy lets each pod write the status of its own Node alone.`,
		Example: `  doctor fleet manifest --image registry.example/doctor:1 | kubectl apply -f -
  doctor fleet manifest --image registry.example/doctor:1 --continuous > doctor.yaml`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if m.Image == "" {
				return errors.New("manifest needs --image REF; `make image` builds one")
			}
			if m.Reports && !m.Continuous {
				return errors.New("--openreports belongs to --continuous")
			}
			if every < time.Minute {
				return errors.New("--every takes a minute or more")
			}
			for _, value := range append([]string{m.Image, m.Namespace}, m.PullSecrets...) {
				if !manifestValue.MatchString(value) {
					return fmt.Errorf("%q is no name of an image, a namespace or a Secret",
						evidence.Clean(value))
				}
			}
			m.Every = every.String()
			_, err := fmt.Fprint(std.out, m.Text())
			return err
		},
	}
	p := cmd.Flags()
	p.StringVar(&m.Image, "image", "", "the image of doctor")
	p.StringVar(&m.Namespace, "namespace", onnode.DefaultNamespace, "the namespace of the pods")
	p.StringSliceVar(&m.PullSecrets, "image-pull-secret", nil, "the Secret to pull the image with")
	p.BoolVar(&m.Continuous, "continuous", false,
		"publish a node condition and Events where the causes change")
	p.BoolVar(&m.Reports, "openreports", false,
		"with --continuous: publish a ClusterReport of openreports.io for each node, too")
	spanFlag(p, &every, "every", agentEvery, "s", "how often a node is read")
	return cmd
}

func fleetCleanCommand(std streams) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "Removes the Jobs and pods that interrupted runs of --on-node left",
		Long: `clean removes what runs of doctor --on-node created in the namespace and did not remove: where the client was killed,
that would expire after 15 minutes. A run that is going on loses its pods, too.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Tell = std.tell
			return fleetClean(cmd.Context(), std, f)
		},
	}
	f.addCluster(cmd)
	spanFlag(cmd.Flags(), &f.Timeout, "timeout", 30*time.Second, "s",
		"time limit for the answers of the API server")
	return cmd
}

func fleetClean(ctx context.Context, std streams, f flags) error {
	client, ctx, cancel, err := f.connect(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	namespace := cmp.Or(f.Cluster.Context.Namespace, onnode.DefaultNamespace)
	removed, err := onnode.Clean(ctx, client, namespace)
	for _, name := range removed {
		fmt.Fprintln(std.out, "removed", evidence.Clean(name))
	}
	if err != nil {
		return trouble(err)
	}
	if len(removed) == 0 {
		fmt.Fprintln(std.out, "nothing is left in the namespace", evidence.Clean(namespace))
	}
	return nil
}

// fleetAgentCommand is what the pods of the manifest run.
func fleetAgentCommand(std streams) *cobra.Command {
	var f flags
	var every time.Duration
	var listen, node string
	var publishes, reports bool
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "Runs the checks on this node every few minutes, for Prometheus and the Node's conditions",
		Long: `agent is what the pods of doctor fleet manifest run. It reads this node alone, serves /metrics, and with --publish writes
the condition WindowsNodeProblem and an Event on its Node where the causes change. Its pauses vary by a tenth, so that
the nodes of a cluster do not act together; after an error it waits twice as long each time, up to an hour.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Program, f.Tell, f.WithoutAPI = program(), std.tell, true
			switch _, _, err := net.SplitHostPort(listen); {
			case err != nil:
				return errors.New("--listen takes HOST:PORT or :PORT")
			case every < time.Second:
				return errors.New("--every takes a second or more")
			case reports && !publishes:
				return errors.New("--openreports belongs to --publish")
			case publishes && node == "":
				return errors.New("--publish needs the name of the Node: --node-name, or NODE_NAME")
			}
			a := session.Agent{Every: every, Listen: listen, Reports: reports, Program: f.Program,
				Tell: std.tell, Read: func(ctx context.Context) (session.Source, error) {
					return f.source(ctx, std)
				}}
			if f.From == "" && f.Demo == "" {
				if err := f.validate(); err != nil {
					return err
				}
			}
			if publishes {
				o := f.Options
				o.InPod()
				client, err := cluster.Connect(o.Cluster)
				if err != nil {
					return trouble(err)
				}
				a.Publisher = &publish.Publisher{Client: client, Node: node}
			}
			return trouble(a.Run(cmd.Context()))
		},
	}
	f.addSource(cmd)
	p := cmd.Flags()
	spanFlag(p, &every, "every", agentEvery, "s", "how often the node is read")
	p.StringVar(&listen, "listen", ":"+strconv.Itoa(metricsPort), "the address of /metrics")
	p.BoolVar(&publishes, "publish", false, "write a condition and Events on the Node")
	p.BoolVar(&reports, "openreports", false, "with --publish: write a ClusterReport, too")
	p.StringVar(&node, "node-name", os.Getenv("NODE_NAME"), "with --publish: the name of the Node; NODE_NAME does the same")
	for _, name := range strings.Fields("node on-node image image-pull-secret from-pod") {
		p.Lookup(name).Hidden = true
	}
	return cmd
}
