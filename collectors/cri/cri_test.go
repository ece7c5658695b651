package cri

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"doctor/fixtures/runtimepipe"
	"doctor/fixtures/wait"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

var update = flag.Bool("update", false, "write api.binpb anew")

// called are the methods that the doctor calls.
var called = map[protoreflect.FullName][]string{
	"runtime.v1.RuntimeService": {"Version", "Status", "ListPodSandbox", "ListContainers"},
	"runtime.v1.ImageService":   {"ListImages"},
}

func TestTheDescriptorIsThatOfCRI(t *testing.T) {
	whole := runtimeapi.File_staging_src_k8s_io_cri_api_pkg_apis_runtime_v1_api_proto
	used := map[protoreflect.FullName]bool{}
	var use func(protoreflect.MessageDescriptor)
	use = func(m protoreflect.MessageDescriptor) {
		if used[m.FullName()] {
			return
		}
		used[m.FullName()] = true
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			if f.Message() != nil {
				use(f.Message())
			}
			if f.Enum() != nil {
				used[f.Enum().FullName()] = true
			}
		}
	}
	part := &descriptorpb.FileDescriptorProto{Name: proto.String("api.proto"),
		Package: proto.String("runtime.v1"), Syntax: proto.String("proto3")}
	for _, service := range []protoreflect.FullName{"runtime.v1.RuntimeService",
		"runtime.v1.ImageService"} {
		s := &descriptorpb.ServiceDescriptorProto{Name: proto.String(string(service.Name()))}
		for _, name := range called[service] {
			m := whole.Services().ByName(service.Name()).Methods().ByName(protoreflect.Name(name))
			use(m.Input())
			use(m.Output())
			s.Method = append(s.Method, protodesc.ToMethodDescriptorProto(m))
		}
		part.Service = append(part.Service, s)
	}
	all := protodesc.ToFileDescriptorProto(whole)
	for _, m := range all.MessageType {
		if used["runtime.v1."+protoreflect.FullName(m.GetName())] {
			part.MessageType = append(part.MessageType, m)
		}
	}
	for _, e := range all.EnumType {
		if used["runtime.v1."+protoreflect.FullName(e.GetName())] {
			part.EnumType = append(part.EnumType, e)
		}
	}
	want, err := proto.MarshalOptions{Deterministic: true}.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("api.binpb", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(api, want) {
		t.Error("k8s.io/cri-api has changed: go test ./collectors/cri -update")
	}
}

// A server answers as it is told. It is grpc-go with CRI's own types, as in containerd.
type server struct {
	runtimeapi.UnimplementedRuntimeServiceServer
	runtimeapi.UnimplementedImageServiceServer
	status func(context.Context, *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error)
	images *runtimeapi.ListImagesResponse
}

func (s *server) Status(ctx context.Context,
	r *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
	return s.status(ctx, r)
}

func (s *server) ListImages(context.Context,
	*runtimeapi.ListImagesRequest) (*runtimeapi.ListImagesResponse, error) {
	return s.images, nil
}

// pipes counts the names of pipes, which are one space for all processes.
var pipes atomic.Int64

// serve returns a client of the server, which listens where a runtime of this system does.
func serve(t *testing.T, s *server) *Client {
	t.Helper()
	listener, endpoint, err := runtimepipe.Listen(t.TempDir(), fmt.Sprintf("doctor-test-%d-%d", os.Getpid(),
		pipes.Add(1)))
	if err != nil {
		t.Fatal(err)
	}
	grpcServer := grpc.NewServer(grpc.MaxSendMsgSize(64 << 20))
	runtimeapi.RegisterRuntimeServiceServer(grpcServer, s)
	runtimeapi.RegisterImageServiceServer(grpcServer, s)
	go grpcServer.Serve(listener)
	t.Cleanup(grpcServer.Stop)
	return dial(t, endpoint)
}

func dial(t *testing.T, endpoint string) *Client {
	t.Helper()
	conn, err := Dial(t.Context(), endpoint)
	if err != nil {
		t.Fatal(err)
	}
	client, err := NewClient(conn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func TestAResponseIsTheJSONOfItsType(t *testing.T) {
	answer := &runtimeapi.StatusResponse{
		Status: &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
			{Type: "RuntimeReady", Status: true},
			{Type: "NetworkReady", Message: "no CNI: \x01 ü"}}},
		Info:     map[string]string{"config": `{"sandboxImage":"x"}`},
		Features: &runtimeapi.RuntimeFeatures{SupplementalGroupsPolicy: true},
	}
	images := &runtimeapi.ListImagesResponse{Images: []*runtimeapi.Image{{Id: "sha256:1",
		RepoTags: []string{"a:1", "b:2"}, Size: 1 << 40, Uid: &runtimeapi.Int64Value{Value: -1}}}}
	client := serve(t,
		&server{images: images, status: func(_ context.Context,
			r *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
			if !r.Verbose {
				return nil, errors.New("it is not verbose")
			}
			return answer, nil
		}})
	for _, row := range []struct {
		method string
		flags  []string
		want   proto.Message
	}{
		{"RuntimeService/Status", []string{"verbose"}, answer},
		{"ImageService/ListImages", nil, images},
	} {
		t.Run(row.method, func(t *testing.T) {
			got, err := client.Call(t.Context(), row.method, row.flags...)
			if err != nil {
				t.Fatal(err)
			}
			content, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(row.want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parsed(t, content), parsed(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func parsed(t *testing.T, v any) (tree any) {
	t.Helper()
	content, ok := v.([]byte)
	if !ok {
		var err error
		if content, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(content, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestARefusedCallSaysWhy(t *testing.T) {
	for _, row := range []struct {
		name   string
		status func(context.Context, *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error)
		want   string
	}{
		{"the runtime's reason",
			func(context.Context, *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
				return nil, status.Error(codes.FailedPrecondition, "50% of ü\nis missing")
			}, "rpc error: code = FailedPrecondition desc = 50% of ü\nis missing"},
		{"a code that is not known",
			func(context.Context, *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
				return nil, status.Error(99, "x")
			}, "rpc error: code = Code(99) desc = x"},
		{"a response above the bound",
			func(context.Context, *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
				return &runtimeapi.StatusResponse{Info: map[string]string{"x": strings.Repeat("x",
					maxMessage)}}, nil
			}, "the response to runtime.v1.RuntimeService/Status is larger than 16 MiB"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := serve(t, &server{status: row.status}).Call(t.Context(),
				"RuntimeService/Status")
			if err == nil || err.Error() != row.want {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
	_, err := serve(t, &server{}).Call(t.Context(), "RuntimeService/Version")
	if want := "rpc error: code = Unimplemented desc = method Version not implemented"; err == nil || err.Error() != want {
		t.Errorf("a method that the runtime does not have: got %v, want %s", err, want)
	}
}

func TestADeadlineEndsACall(t *testing.T) {
	ended := make(chan struct{})
	ctx, expire := wait.Deadline(t)
	client := serve(t,
		&server{status: func(ctx context.Context,
			_ *runtimeapi.StatusRequest) (*runtimeapi.StatusResponse, error) {
			expire()
			<-ctx.Done() // the end of the call reaches the runtime
			close(ended)
			return nil, ctx.Err()
		}})
	if _, err := client.Call(ctx, "RuntimeService/Status"); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	<-ended
	if !errors.Is(&statusError{code: int(codes.DeadlineExceeded)}, context.DeadlineExceeded) {
		t.Error("a deadline that the runtime reports is not taken for one")
	}
}

func TestWhatIsNoRuntime(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			c.Close()
		}
	}()
	client := dial(t, "tcp://"+listener.Addr().String())
	for range 2 { // the second time the connection is gone
		if _, err := client.Call(t.Context(), "RuntimeService/Version"); err == nil {
			t.Error("no error")
		}
	}
}

func TestEndpoints(t *testing.T) {
	for _, row := range []struct{ endpoint, network, address string }{
		{"npipe:////./pipe/containerd-containerd", "npipe", "//./pipe/containerd-containerd"},
		{`npipe:\\.\pipe\x`, "npipe", "//./pipe/x"},
		{`npipe:////.\pipe\x`, "npipe", "//./pipe/x"},
		{"npipe://./pipe/x", "npipe", "//./pipe/x"},
		{"npipe://host/pipe/x", "npipe", "//host/pipe/x"},
		{"npipe:/pipe/x", "npipe", "//./pipe/x"},
		{"unix:///run/x.sock", "unix", "/run/x.sock"},
		{"tcp://127.0.0.1:1", "tcp", "127.0.0.1:1"},
		{"vsock://1", "", ""},
		{"/run/x.sock", "", ""},
		{"npipe://%zz", "", ""},
	} {
		network, address, err := parseEndpoint(row.endpoint)
		if network != row.network || address != row.address || (row.network == "") != errors.Is(err,
			ErrEndpoint) {
			t.Errorf("%s: %q %q %v", row.endpoint, network, address, err)
		}
	}
	none := "unix://" + filepath.Join(t.TempDir(), "none")
	if runtime.GOOS == "windows" {
		none = "npipe:////./pipe/doctor-test-none"
	}
	if _, err := Dial(t.Context(), none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("where nothing listens: %v", err)
	}
}
