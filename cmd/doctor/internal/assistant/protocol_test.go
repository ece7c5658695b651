package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestMessagesAndTheirAnswers(t *testing.T) {
	ask := func(id, method, params string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
	}
	for _, row := range []struct{ name, in, want string }{
		{"a version that the server knows", ask("1", "initialize", `{"protocolVersion":"2025-06-18"}`),
			`"protocolVersion":"2025-06-18"`},
		{"a version of the future", ask("1", "initialize", `{"protocolVersion":"2100-01-01"}`),
			`"protocolVersion":"2025-11-25"`},
		{"ping with an id that is text", ask(`"a"`, "ping", "{}"),
			`{"jsonrpc":"2.0","id":"a","result":{}}`},
		{"a line that is not JSON, and one that is", "garbage\n" + ask("7", "ping", "{}"),
			`"code":-32700,"message":"the line is not JSON"}}` + "\n" + `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{"several messages in one line", `[` + ask("1", "ping", "{}") + `]`, `"code":-32600`},
		{"an id that is an object", ask("{}", "ping", "{}"), `"id":null,"error":{"code":-32600`},
		{"a method that does not exist", ask("2", "resources/list", "{}"), `"id":2,"error":{"code":-32601`},
		{"a tool that does not exist", ask("3", "tools/call", `{"name":"delete"}`),
			`"code":-32602,"message":"there is no tool \"delete\""`},
		{"an argument that is missing", ask("4", "tools/call", `{"name":"read_evidence","arguments":{"demo":"x"}}`),
			`the argument \"path\" is missing"}],"isError":true`},
		{"an argument of another type", ask("5", "tools/call", `{"name":"explain","arguments":{"check":5}}`),
			`"isError":true`},
		{"arguments that are a list", ask("5", "tools/call", `{"name":"explain","arguments":[1]}`),
			`the arguments are a JSON object`},
		{"calls that wait when the input ends", ask("8", "tools/call", `{"name":"explain","arguments":{"check":"nothing"}}`) +
			"\n" + ask("9", "tools/call", `{"name":"decode_error_code","arguments":{"code":"0x803b0013"}}`),
			`"structuredContent":{"codes":[`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Serve(context.Background(), Options{}, strings.NewReader(row.in), &out); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), row.want) {
				t.Errorf("%s\nis answered with\n%s\nwithout %s", row.in, &out, row.want)
			}
		})
	}
}

func TestWhatGetsNoAnswer(t *testing.T) {
	for _, row := range []struct{ name, in string }{
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"empty lines", "\n \n\r\n"},
		{"the cancellation of what was not asked",
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Serve(context.Background(), Options{}, strings.NewReader(row.in), &out); err != nil ||
				out.Len() > 0 {
				t.Errorf("%q, %v", out.String(), err)
			}
		})
	}
}

// TestACancelledCallGetsNoAnswer: nor does it hold up the call behind it.
func TestACancelledCallGetsNoAnswer(t *testing.T) {
	started := make(chan struct{})
	slow := toolOf("explain", "", func(_ *server, ctx context.Context, _ struct{}) (struct{}, error) {
		close(started)
		<-ctx.Done()
		return struct{}{}, ctx.Err()
	})
	in, toServer := io.Pipe()
	var out bytes.Buffer
	c := &connection{server: &server{}, tools: []tool{slow}, calls: make(chan call, 1), out: &out,
		cancels: map[string]context.CancelFunc{}}
	ended := make(chan error)
	go func() { ended <- c.serve(context.Background(), in) }()
	send := func(line string) {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain"}}`)
	<-started
	send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain"}}`)
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	toServer.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "result\":{\"content") ||
		!strings.Contains(got, "a call of this id has no answer yet") || !strings.Contains(got, `"id":2,"result"`) {
		t.Errorf("the answers are %s", got)
	}
}

func TestAMessageWithoutEndIsRefused(t *testing.T) {
	err := Serve(context.Background(), Options{}, io.LimitReader(endless{}, maxMessage*3), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("it answers %v", err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// FuzzMessages: each line is answered with one line of JSON or none, whatever it holds.
func FuzzMessages(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain","arguments":{"check":"x"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":[]}` + "\n" + `{"id":1,"method":"ping"}`)
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		err := Serve(context.Background(), Options{}, strings.NewReader(in), &out)
		if err != nil && len(in) < maxMessage {
			t.Fatal(err)
		}
		lines := strings.Count(in, "\n") + 1
		for line := range strings.Lines(out.String()) {
			if lines--; !json.Valid([]byte(line)) {
				t.Errorf("%q is answered with %q", in, line)
			}
		}
		if lines < 0 {
			t.Errorf("%q is answered with more lines: %q", in, &out)
		}
	})
}
