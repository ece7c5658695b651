package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// A conversation holds back the end of the input until the requests before it are answered: the SDK
// drops them at the end, and a session that comes out of a file or a pipe ends at once.
type conversation struct {
	ctx context.Context
	io.ReadCloser
	out io.WriteCloser

	mu           sync.Mutex
	changed      chan struct{} // has a value after an answer
	asked, given []byte        // the beginning of a line that is not complete
	open         map[string]bool
}

// lastAnswer is how long the end of the input waits for answers.
const lastAnswer = 2 * time.Minute

func converse(ctx context.Context, in io.ReadCloser, out io.WriteCloser) (io.ReadCloser,
	io.WriteCloser) {
	c := &conversation{ctx: ctx, ReadCloser: in, out: out,
		changed: make(chan struct{}, 1), open: map[string]bool{}}
	return c, answers{c}
}

func (c *conversation) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.note(&c.asked, b[:n], true)
	if err == io.EOF {
		c.await()
	}
	return n, err
}

func (c *conversation) await() {
	ctx, cancel := context.WithTimeout(c.ctx, lastAnswer)
	defer cancel()
	for {
		c.mu.Lock()
		left := len(c.open)
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-c.changed:
		case <-ctx.Done():
			return
		}
	}
}

// note keeps the ids of requests that have no answer yet.
func (c *conversation) note(line *[]byte, b []byte, asked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*line = append(*line, b...)
	for {
		one, rest, ok := bytes.Cut(*line, []byte("\n"))
		if !ok {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ RequestID json.RawMessage }
		}
		if json.Unmarshal(one, &m) == nil {
			switch {
			case asked && m.Method == "notifications/cancelled":
				delete(c.open, string(m.Params.RequestID))
			case asked && m.Method != "" && m.ID != nil:
				c.open[string(m.ID)] = true
			case !asked && m.Method == "":
				delete(c.open, string(m.ID))
			}
		}
		*line = rest
	}
}

// answers is the other direction of a conversation.
type answers struct{ *conversation }

func (a answers) Write(b []byte) (int, error) {
	n, err := a.out.Write(b)
	a.note(&a.given, b[:n], false)
	select {
	case a.changed <- struct{}{}:
	default:
	}
	return n, err
}

func (a answers) Close() error { return a.out.Close() }
