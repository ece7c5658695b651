package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"doctor/cmd/doctor/internal/session"
	"doctor/collectors/onnode"
)

// addOnNode adds the flags of a reading by pods.
func (f *flags) addOnNode(cmd *cobra.Command) {
	p := cmd.Flags()
	p.BoolVar(&f.OnNode, "on-node", false,
		"read the nodes from inside too, by short-lived HostProcess pods of --image. What a pod prints may be shipped by the cluster's log agents, so it is redacted first")
	p.StringVar(&f.Pods.Image, "image", "",
		"the image of doctor for --on-node; its pod runs in the namespace doctor-system, or that of --namespace")
	p.StringSliceVar(&f.Pods.PullSecrets, "image-pull-secret", nil,
		"the Secret to pull --image with, by name in the pod's namespace")
}

var (
	errNoImage = errors.New(
		"--on-node needs --image REF, an image of doctor that the node can pull; `make image` builds one")
	errOnNodeAlone = errors.New("--image and --image-pull-secret belong to --on-node")
)

// podsAtOnce is how many pods of a fleet run at a time unless the user says otherwise.
const podsAtOnce = 50

func (f *flags) podsGiven() bool { return f.Pods.Image != "" || len(f.Pods.PullSecrets) > 0 }

// validateOnNode checks and completes the flags of a reading by pods.
func (f *flags) validateOnNode() error {
	f.Pods.Namespace = cmp.Or(f.Cluster.Context.Namespace, onnode.DefaultNamespace)
	switch {
	case !f.OnNode && f.podsGiven():
		return errOnNodeAlone
	case !f.OnNode:
		return nil
	case f.Node == "" || f.Node == anyNode || f.From != "" || f.Demo != "":
		return errors.New("--on-node needs --node NAME, a node behind the Kubernetes API")
	case f.Pods.Image == "":
		return errNoImage
	}
	return nil
}

// tellOnNode says what --on-node does before it does it.
func (f flags) tellOnNode(std streams) {
	if f.OnNode {
		std.tell(fmt.Sprintf("--on-node runs %s as SYSTEM in the namespace %s; its log holds the redacted evidence, which log agents of the cluster may ship",
			f.Pods.Image, f.Pods.Namespace))
	}
}

// tellSetup says why no pod could be sent, with the commands that change that.
func tellSetup(std streams, l *session.Live) {
	if err := l.SetupError(); err != nil {
		writeError(std, fmt.Errorf("--on-node sent no pod: %w", err))
	}
}

// podEvidenceCommand is what the pods of --on-node run. It is hidden: its output is for doctor alone.
func podEvidenceCommand(std streams, f *flags) *cobra.Command {
	var maxSize int64
	cmd := &cobra.Command{
		Use:    "pod-evidence",
		Short:  "Prints this node's evidence, redacted and packed, for doctor --on-node",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.WithoutAPI = true
			if err := f.validate(); err != nil {
				return err
			}
			return podEvidence(cmd.Context(), std, *f, maxSize)
		},
	}
	f.addSource(cmd)
	cmd.Flags().Int64Var(&maxSize, "max-size", onnode.MaxZip, "bytes of the packed evidence")
	return cmd
}

// podEvidence ends with the status of a fault where there is a cause: the kubelet then reports the end
// of the log, with the causes, even where nobody can read the log.
func podEvidence(ctx context.Context, std streams, f flags, maxSize int64) error {
	src, err := f.source(ctx, std)
	if err != nil {
		return err
	}
	defer src.Close()
	zip, causes, err := session.PodEvidence(ctx, src, maxSize, f.Options)
	if err != nil {
		return failed(ctx, err)
	}
	if err := onnode.WriteFrame(std.out, zip, causes); err != nil {
		return trouble(err)
	}
	if len(causes) > 0 {
		return exit{status: exitFail}
	}
	return nil
}
