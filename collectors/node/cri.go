package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-client/pkg/util"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// Where runtimes serve, unless the kubelet is told of another place.
var usualRuntimes = []string{"npipe:////./pipe/containerd-containerd", "npipe:////./pipe/cri-dockerd"}

const maxAnswer = 16 << 20 // as the kubelet has it

// quiet keeps the libraries' own logging off the screen: hcsshim writes through
// logrus, and gRPC complains of a connection that breaks, both to stderr.
var quiet = sync.OnceFunc(func() {
	logrus.SetOutput(io.Discard)
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
})

// readCRI asks the runtime of the node's kubelet.
func readCRI(ctx context.Context, r *collectors.Record) error {
	endpoints := usualRuntimes
	if s, err := r.Snapshot(); err == nil {
		if named := kubeletRuntime(s); named != "" {
			endpoints = []string{named}
		}
	}
	conn, endpoint, err := dialRuntime(ctx, endpoints)
	if err != nil {
		return err
	}
	state, err := askRuntime(ctx, conn)
	if err != nil && state.Version == nil {
		return runtimeGap(endpoint, err)
	}
	r.JSON(evidence.CRI.Path(), state)
	if err != nil {
		return runtimeGap(endpoint, err)
	}
	return nil
}

// kubeletRuntime is the endpoint that a kubelet's command line names: that of
// the process, or where it does not run, that of its service.
func kubeletRuntime(s evidence.Snapshot) string {
	var named string
	look := func(program string, args []string) {
		base := program[strings.LastIndexAny(program, `\/`)+1:]
		switch strings.TrimSuffix(strings.ToLower(base), ".exe") {
		case "kubelet", "rke2", "k3s":
			if v, ok := evidence.ParseFlags(args).Get("container-runtime-endpoint"); ok && v != "" && named == "" {
				named = v
			}
		}
	}
	for _, p := range evidence.Processes.In(s) {
		look(p.Name, p.Args)
	}
	for _, svc := range evidence.Services.In(s) {
		look(svc.BinPath, svc.Args)
	}
	if strings.HasPrefix(strings.ReplaceAll(named, `\`, "/"), "//./pipe/") { // as old kubelets took it
		return "npipe:" + named
	}
	return named
}

// dialRuntime connects to the first of the endpoints that is there.
func dialRuntime(ctx context.Context, endpoints []string) (net.Conn, string, error) {
	for _, endpoint := range endpoints {
		address, dial, err := util.GetAddressAndDialer(endpoint)
		if err != nil {
			return nil, "", collectors.Gapf(evidence.Unsupported, "the runtime's endpoint %s is none that can be asked from here: %v", endpoint, err)
		}
		conn, err := dial(ctx, address)
		if err == nil {
			return conn, endpoint, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", runtimeGap(endpoint, err)
		}
	}
	return nil, "", collectors.Gapf(evidence.Absent, "no container runtime serves at %s", strings.Join(endpoints, " or "))
}

func runtimeGap(endpoint string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded {
		return collectors.Gapf(evidence.Timeout, "the container runtime at %s did not answer in time", endpoint)
	}
	return fmt.Errorf("the container runtime at %s: %w", endpoint, err)
}

type criState struct {
	Version    json.RawMessage   `json:"version,omitempty"`
	Status     json.RawMessage   `json:"status,omitempty"`
	Config     json.RawMessage   `json:"config,omitempty"`
	Images     []json.RawMessage `json:"images,omitzero"`
	Sandboxes  []json.RawMessage `json:"sandboxes,omitzero"`
	Containers []json.RawMessage `json:"containers,omitzero"`
}

// askRuntime brings what the runtime answers, and the first error of what it
// does not.
//
// It speaks CRI over cri-client's connection but not through its service types:
// those connect anew for images, keep reconnecting in the background when the
// first answer fails, hide why a pipe could not be opened, and log through klog.
// Here there is one connection, and when it is gone it is gone.
func askRuntime(ctx context.Context, over net.Conn) (criState, error) {
	// A part that does not answer must not cost the others, which are written
	// before the collector's own time is over.
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-200*time.Millisecond))
		defer cancel()
	}
	unused := make(chan net.Conn, 1)
	unused <- over
	conn, err := grpc.NewClient("passthrough:///runtime",
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithAuthority("localhost"), grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			select {
			case c := <-unused:
				return c, nil
			default:
				return nil, net.ErrClosed
			}
		}))
	if err != nil {
		over.Close()
		return criState{}, err
	}
	defer over.Close()
	defer conn.Close()
	return askAll(ctx, runtimeapi.NewRuntimeServiceClient(conn), runtimeapi.NewImageServiceClient(conn))
}

func askAll(ctx context.Context, runtime runtimeapi.RuntimeServiceClient, images runtimeapi.ImageServiceClient) (criState, error) {
	var state criState
	version, err := runtime.Version(ctx, &runtimeapi.VersionRequest{})
	if err != nil {
		return state, err
	}
	state.Version, err = protoJSON(version)
	if err != nil {
		return state, err
	}
	asks := []func() error{
		func() error {
			v, err := runtime.Status(ctx, &runtimeapi.StatusRequest{Verbose: true})
			if err != nil {
				return err
			}
			if config := json.RawMessage(v.GetInfo()["config"]); json.Valid(config) {
				state.Config = config
			}
			state.Status, err = protoJSON(v.GetStatus())
			return err
		},
		func() error {
			v, err := images.ListImages(ctx, &runtimeapi.ListImagesRequest{})
			if err != nil {
				return err
			}
			state.Images, err = protoList(v.GetImages())
			return err
		},
		func() error {
			v, err := runtime.ListPodSandbox(ctx, &runtimeapi.ListPodSandboxRequest{})
			if err != nil {
				return err
			}
			state.Sandboxes, err = protoList(v.GetItems())
			return err
		},
		func() error {
			v, err := runtime.ListContainers(ctx, &runtimeapi.ListContainersRequest{})
			if err != nil {
				return err
			}
			state.Containers, err = protoList(v.GetContainers())
			return err
		},
	}
	failed := make([]error, len(asks))
	var all sync.WaitGroup
	for i, ask := range asks {
		all.Go(func() { failed[i] = ask() })
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return state, err
		}
	}
	return state, nil
}

// protoJSON writes what is zero too: SANDBOX_READY is.
func protoJSON(m proto.Message) (json.RawMessage, error) {
	return protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(m)
}

func protoList[T proto.Message](items []T) ([]json.RawMessage, error) {
	list := make([]json.RawMessage, 0, len(items))
	for _, item := range items {
		b, err := protoJSON(item)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}
