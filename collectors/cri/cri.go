// Package cri calls a container runtime over CRI v1: its own JSON comes back, no types.
//
// A unary gRPC call is one HTTP/2 request, and net/http sends it. grpc-go and cri-api's generated
// clients are not linked: besides their own 2 MB, grpc-go renders its traces with html/template,
// and a program with a template keeps every exported method of every type (6 MB of doctor.exe),
// since a template may call it by name.
package cri

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// maxMessage bounds one response, as the kubelet does.
const maxMessage = 16 << 20

// The part of CRI's api.proto that is called, as a compiled FileDescriptorProto. The test writes it
// from k8s.io/cri-api (-update), and holds it to that.
//
//go:embed api.binpb
var api []byte

// A Client calls one runtime over one connection. When that is gone, it is gone: nothing reconnects
// in the background.
type Client struct {
	conn      net.Conn
	transport *http.Transport
	services  protoreflect.ServiceDescriptors
}

// NewClient takes over the connection.
func NewClient(conn net.Conn) (*Client, error) {
	file := &descriptorpb.FileDescriptorProto{}
	if err := proto.Unmarshal(api, file); err != nil {
		return nil, err
	}
	compiled, err := protodesc.NewFile(file, nil)
	if err != nil {
		return nil, err
	}
	unused := make(chan net.Conn, 1)
	unused <- conn
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	return &Client{conn: conn, services: compiled.Services(), transport: &http.Transport{
		Protocols:          protocols,
		DisableCompression: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			select {
			case c := <-unused:
				return c, nil
			default:
				return nil, net.ErrClosed
			}
		},
	}}, nil
}

// Close ends the connection, and all calls.
func (c *Client) Close() error {
	c.transport.CloseIdleConnections()
	return c.conn.Close()
}

// Call sends a request, named as RuntimeService/Version, in which the flags are true and all else
// is empty. It returns the fields of the response in the JSON of protobuf, with those that are
// zero: SANDBOX_READY is.
func (c *Client) Call(ctx context.Context, name string,
	flags ...string) (map[string]json.RawMessage, error) {
	service, short, _ := strings.Cut(name, "/")
	method := c.services.ByName(protoreflect.Name(service)).Methods().ByName(
		protoreflect.Name(short))
	request, response := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	for _, flag := range flags {
		request.Set(method.Input().Fields().ByName(protoreflect.Name(flag)),
			protoreflect.ValueOfBool(true))
	}
	message, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	if message, err = c.send(ctx, string(method.Parent().FullName())+"/"+short,
		message); err != nil {
		return nil, err
	}
	if err := proto.Unmarshal(message, response); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	content, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(response)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	fields := map[string]json.RawMessage{}
	return fields, json.Unmarshal(content, &fields)
}

// frame is what gRPC puts before a message: whether it is compressed, and its length.
const frame = 5

// send is a unary call as gRPC's "PROTOCOL-HTTP2" document describes it.
func (c *Client) send(ctx context.Context, method string, message []byte) ([]byte, error) {
	body := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/"+method,
		bytes.NewReader(append(body, message...)))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"},
		"User-Agent": {"doctor"}}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers HTTP with %s, so it is no container runtime",
			response.Status)
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, frame+maxMessage+1))
	if err != nil {
		return nil, err
	}
	if len(body) > frame+maxMessage {
		return nil, fmt.Errorf("the response to %s is larger than %d MiB", method, maxMessage>>20)
	}
	status := response.Trailer
	if status.Get("Grpc-Status") == "" {
		status = response.Header // of a response without a message
	}
	switch code, err := strconv.Atoi(status.Get("Grpc-Status")); {
	case err != nil:
		return nil, errors.New(
			"the response has no gRPC status, so it is cut off or of no container runtime")
	case code != 0:
		text, err := url.PathUnescape(status.Get("Grpc-Message"))
		if err != nil {
			text = status.Get("Grpc-Message")
		}
		return nil, &statusError{code: code, message: text}
	case len(body) < frame || body[0] != 0 ||
		int(binary.BigEndian.Uint32(body[1:])) != len(body)-frame:
		return nil, fmt.Errorf("the response to %s is not one whole message", method)
	}
	return body[frame:], nil
}

// A statusError is the runtime's refusal of a call.
type statusError struct {
	code    int
	message string
}

// Names of the codes, as every gRPC program writes them.
var codeNames = [...]string{"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded",
	"NotFound", "AlreadyExists",
	"PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange",
	"Unimplemented", "Internal",
	"Unavailable", "DataLoss", "Unauthenticated"}

// Error is the text of the gRPC status, as grpc-go prints it.
func (e *statusError) Error() string {
	name := "Code(" + strconv.Itoa(e.code) + ")"
	if e.code > 0 && e.code < len(codeNames) {
		name = codeNames[e.code]
	}
	return "rpc error: code = " + name + " desc = " + e.message
}

// Is takes a deadline that passed in the runtime for one that passed here.
func (e *statusError) Is(target error) bool {
	return target == context.DeadlineExceeded && e.code == 4 // DeadlineExceeded
}
