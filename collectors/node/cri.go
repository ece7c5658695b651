package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"

	"github.com/sirupsen/logrus"

	"doctor/checks/evidence"
	facts "doctor/checks/node"
	"doctor/collectors"
	"doctor/collectors/cri"
)

// Where runtimes serve, unless the kubelet is told of another place.
var usualRuntimes = []string{"npipe:////./pipe/containerd-containerd",
	"npipe:////./pipe/cri-dockerd"}

// quiet keeps hcsshim's own logging off the screen: it writes through logrus to stderr.
var quiet = sync.OnceFunc(func() {
	logrus.SetOutput(io.Discard)
})

// readCRI asks the runtime of the node's kubelet.
func readCRI(ctx context.Context, r *collectors.Record) error {
	endpoints := usualRuntimes
	// the kubelet's configuration may name the endpoint too; files that hang must not cost the runtime
	read, stop := context.WithTimeout(ctx, patience)
	defer stop()
	r.Await(read, "files")
	if s, err := r.Snapshot(); err == nil {
		if named := kubeletRuntime(s); named != "" {
			endpoints = []string{named}
		}
	}
	conn, endpoint, err := dialRuntime(ctx, endpoints)
	if err != nil {
		return err
	}
	client, err := cri.NewClient(conn)
	if err != nil {
		return err
	}
	defer client.Close()
	state, err := askRuntime(ctx, client)
	if err != nil && state.Version == nil {
		return runtimeGap(endpoint, err)
	}
	r.JSON(evidence.CRI.Path(), state)
	if err != nil {
		return runtimeGap(endpoint, err)
	}
	return nil
}

// kubeletRuntime is the endpoint that the node's kubelet is told to use, or "".
func kubeletRuntime(s evidence.Snapshot) string {
	if named := facts.About(s).RuntimeEndpoint(s).Value; named != "" {
		return named
	}
	// RKE2 and k3s hand their own flag to the kubelet that they start
	for _, svc := range evidence.Services.In(s) {
		switch strings.TrimSuffix(strings.ToLower(baseName(svc.BinPath)), ".exe") {
		case "rke2", "k3s":
			if v, ok := evidence.ParseFlags(svc.Args).Get("container-runtime-endpoint"); ok {
				return v
			}
		}
	}
	return ""
}

// dialRuntime connects to the first of the endpoints that is there.
func dialRuntime(ctx context.Context, endpoints []string) (net.Conn, string, error) {
	for _, endpoint := range endpoints {
		conn, err := cri.Dial(ctx, endpoint)
		if errors.Is(err, cri.ErrEndpoint) {
			return nil, "", collectors.GapError(evidence.NotSupported.Gap(
				"the runtime's endpoint %s cannot be called from here: %v", endpoint, err))
		}
		if err == nil {
			return conn, endpoint, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", runtimeGap(endpoint, err)
		}
	}
	return nil, "", collectors.GapError(evidence.NotFound.Gap("a container runtime at %s",
		strings.Join(endpoints, " or ")))
}

func runtimeGap(endpoint string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return collectors.GapError(evidence.NoAnswer.Gap("the container runtime at %s", endpoint))
	}
	return fmt.Errorf("the container runtime at %s: %w", endpoint, err)
}

type criState struct {
	Version    json.RawMessage `json:"version,omitempty"`
	Status     json.RawMessage `json:"status,omitempty"`
	Config     json.RawMessage `json:"config,omitempty"`
	Images     json.RawMessage `json:"images,omitempty"`
	Sandboxes  json.RawMessage `json:"sandboxes,omitempty"`
	Containers json.RawMessage `json:"containers,omitempty"`
}

// askRuntime brings what the runtime answers, and the first error of what it does not.
func askRuntime(ctx context.Context, client *cri.Client) (criState, error) {
	// a part that does not answer must not cost the others
	ctx, cancel := collectors.BeforeDeadline(ctx, margin)
	defer cancel()
	var state criState
	version, err := client.Call(ctx, "RuntimeService/Version")
	if err != nil {
		return state, err
	}
	if state.Version, err = json.Marshal(version); err != nil {
		return state, err
	}
	list := func(name, field string, into *json.RawMessage) func() error {
		return func() error {
			answer, err := client.Call(ctx, name)
			*into = answer[field]
			return err
		}
	}
	asks := []func() error{
		func() error {
			answer, err := client.Call(ctx, "RuntimeService/Status", "verbose")
			if err != nil {
				return err
			}
			state.Status = answer["status"]
			var info map[string]string
			err = json.Unmarshal(answer["info"], &info)
			if config := json.RawMessage(info["config"]); json.Valid(config) {
				state.Config = config
			}
			return err
		},
		list("ImageService/ListImages", "images", &state.Images),
		list("RuntimeService/ListPodSandbox", "items", &state.Sandboxes),
		list("RuntimeService/ListContainers", "containers", &state.Containers),
	}
	failed := make([]error, len(asks))
	var all sync.WaitGroup
	for i, ask := range asks {
		all.Go(func() { failed[i] = ask() })
	}
	all.Wait()
	return state, cmp.Or(failed...)
}
