package assistant

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/packed"
)

// The Model Context Protocol on two streams: one JSON-RPC message a line. The server has tools alone.
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools

const (
	maxMessage = 1 << 20 // bytes; the longest argument is a path or a pattern
	maxWaiting = 64      // calls that wait for their turn; further ones are read when one has ended
	// lastAnswer is how long calls may take after the client has closed its end: a session that comes
	// out of a file or a pipe ends at once.
	lastAnswer = 2 * time.Minute
)

// protocolVersions that the answers fit, newest first.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// toolList is what tools/list answers. TestTheToolsHaveTheSchemasOfTheirTypes generates it.
//
//go:embed tools.zip.bz2
var packedTools []byte

var toolList = packed.Text(packed.Files(packedTools, "."), "tools.json")

// A tool is called with the arguments of its input schema.
type tool struct {
	name, description string
	in, out           any // a value of each type, which the schemas are generated from
	call              func(s *server, ctx context.Context, arguments []byte) (any, error)
}

func toolOf[In, Out any](name, description string,
	call func(*server, context.Context, In) (Out, error)) tool {
	return tool{name, description, *new(In), *new(Out),
		func(s *server, ctx context.Context, arguments []byte) (any, error) {
			var in In
			d := json.NewDecoder(bytes.NewReader(arguments))
			d.DisallowUnknownFields()
			if err := d.Decode(&in); err != nil {
				return nil, fmt.Errorf("arguments of %s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
			}
			return call(s, ctx, in)
		}}
}

// requiredOf are the arguments that a tool cannot be called without.
var requiredOf = sync.OnceValue(func() map[string][]string {
	var list struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Required []string }
		}
	}
	if err := json.Unmarshal(toolList(), &list); err != nil {
		panic(err)
	}
	required := map[string][]string{}
	for _, t := range list.Tools {
		required[t.Name] = t.InputSchema.Required
	}
	return required
})

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// https://www.jsonrpc.org/specification#error_object
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
)

type toolResult struct {
	Content    []textContent `json:"content"`
	Structured any           `json:"structuredContent,omitempty"`
	IsError    bool          `json:"isError,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// connection is the server's end of the two streams.
type connection struct {
	*server
	tools []tool
	calls chan call

	mu      sync.Mutex
	out     io.Writer
	err     error                         // of the first answer that could not be written
	cancels map[string]context.CancelFunc // of the calls without an answer, by id
}

type call struct {
	ctx  context.Context
	id   json.RawMessage
	tool tool
	args []byte
}

// serve answers until the client closes its end, and then the calls that wait.
func (c *connection) serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages, ended := make(chan []byte), make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxMessage)
		for lines.Scan() {
			select {
			case messages <- bytes.Clone(lines.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		ended <- lines.Err()
	}()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for next := range c.calls {
			c.answerCall(next)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case message := <-messages:
			c.receive(ctx, message)
		case err := <-ended:
			close(c.calls)
			select {
			case <-answered:
			case <-time.After(lastAnswer):
			case <-ctx.Done():
			}
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("a message is longer than %d bytes", maxMessage)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			return errors.Join(err, c.err)
		}
	}
}

func (c *connection) receive(ctx context.Context, message []byte) {
	if len(bytes.TrimSpace(message)) == 0 {
		return
	}
	if !json.Valid(message) {
		c.refuse(nil, codeParse, "the line is not JSON")
		return
	}
	var r request
	if err := json.Unmarshal(message, &r); err != nil {
		c.refuse(nil, codeInvalidRequest, "the line is not one JSON-RPC message")
		return
	}
	id := string(r.ID)
	switch {
	case r.Method == "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &p) == nil {
			c.forget(string(p.RequestID))
		}
	case r.Method == "" || id == "": // an answer to nothing that was asked, or another notification
	case id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		c.refuse(nil, codeInvalidRequest, "an id is a string or a number")
	case r.Method == "initialize":
		c.answer(r.ID, c.initialize(r.Params))
	case r.Method == "ping":
		c.answer(r.ID, struct{}{})
	case r.Method == "tools/list":
		c.answer(r.ID, json.RawMessage(toolList()))
	case r.Method == "tools/call":
		c.enqueue(ctx, r)
	default:
		c.refuse(r.ID, codeUnknownMethod, fmt.Sprintf("there is no method %.100q", r.Method))
	}
}

func (c *connection) initialize(params []byte) any {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &p) // a client that names no version gets the newest
	if !slices.Contains(protocolVersions, p.ProtocolVersion) {
		p.ProtocolVersion = protocolVersions[0]
	}
	return map[string]any{
		"protocolVersion": p.ProtocolVersion,
		"capabilities":    map[string]any{"tools": struct{}{}},
		"serverInfo": map[string]string{"name": "doctor", "title": "Kubernetes Windows node doctor",
			"version": c.Program.Version},
		"instructions": instructions,
	}
}

func (c *connection) enqueue(ctx context.Context, r request) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(r.Params, &p); err != nil {
		c.refuse(r.ID, codeInvalidParams, "params of tools/call: name the tool and its arguments")
		return
	}
	at := slices.IndexFunc(c.tools, func(t tool) bool { return t.name == p.Name })
	if at < 0 {
		c.refuse(r.ID, codeInvalidParams, fmt.Sprintf("there is no tool %.100q", p.Name))
		return
	}
	id := string(r.ID)
	c.mu.Lock()
	_, taken := c.cancels[id]
	if !taken {
		ctx, c.cancels[id] = context.WithCancel(ctx)
	}
	c.mu.Unlock()
	if taken {
		c.refuse(r.ID, codeInvalidRequest, "a call of this id has no answer yet")
		return
	}
	if len(p.Arguments) == 0 || string(p.Arguments) == "null" {
		p.Arguments = []byte("{}")
	}
	select {
	case c.calls <- call{ctx, r.ID, c.tools[at], p.Arguments}:
	case <-ctx.Done():
	}
}

// answerCall runs a tool. Calls take turns, since they share one opened source. A call that was
// cancelled gets no answer.
func (c *connection) answerCall(next call) {
	if next.ctx.Err() != nil {
		return
	}
	out, err := func() (any, error) {
		var given map[string]json.RawMessage
		if err := json.Unmarshal(next.args, &given); err != nil {
			return nil, errors.New("the arguments are a JSON object")
		}
		for _, name := range requiredOf()[next.tool.name] {
			if _, ok := given[name]; !ok {
				return nil, fmt.Errorf("the argument %q is missing", name)
			}
		}
		return next.tool.call(c.server, next.ctx, next.args)
	}()
	var text []byte
	if err == nil {
		text, err = json.Marshal(out)
	}
	if !c.forget(string(next.id)) {
		return
	}
	if err != nil {
		c.answer(next.id, toolResult{Content: []textContent{{"text", evidence.Clip(evidence.Clean(err.Error()), maxError)}}, IsError: true})
		return
	}
	c.answer(next.id, toolResult{Content: []textContent{{"text", string(text)}},
		Structured: json.RawMessage(text)})
}

// forget ends the wait for an answer, and reports whether there was one.
func (c *connection) forget(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel, ok := c.cancels[id]
	if ok {
		cancel()
		delete(c.cancels, id)
	}
	return ok
}

func (c *connection) refuse(id json.RawMessage, code int, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	c.send(response{Version: "2.0", ID: id, Error: &rpcError{code, message}})
}

func (c *connection) answer(id json.RawMessage, result any) {
	c.send(response{Version: "2.0", ID: id, Result: result})
}

func (c *connection) send(r response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = json.NewEncoder(c.out).Encode(r)
	}
}
