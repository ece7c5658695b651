package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	gorilla "github.com/gorilla/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/transport/websocket"
	"k8s.io/streaming/pkg/httpstream"
)

// An execution is one command in a container, from the request to its end. client-go's transports
// carry it, but its remotecommand package does not: that links the types of the whole core API
// (3.6 MB of doctor.exe), and reads exit codes as eight bits where Windows has 32.
type execution struct {
	client         *Client
	at             *url.URL
	stdout, stderr io.Writer
	// of the WebSocket request, which older servers take for another right
	denied *apierrors.StatusError
}

// run tries WebSocket, and SPDY where a server, or what stands before it, knows no WebSocket.
// It returns how the command ended, as the container runtime reported it.
func (e *execution) run(ctx context.Context) (metav1.Status, error) {
	ended, err := e.overWebSocket(ctx)
	var upgrade *httpstream.UpgradeFailureError
	switch {
	case errors.As(err, &upgrade) && errors.As(upgrade.Cause, &e.denied) &&
		e.denied.ErrStatus.Code != http.StatusForbidden &&
		e.denied.ErrStatus.Code != http.StatusBadRequest:
		// that there is no such pod, or that nobody is logged in, SPDY will not change
		return ended, err
	case upgrade == nil && !httpstream.IsHTTPSProxyError(err):
		return ended, err
	}
	return e.overSPDY(ctx)
}

// overWebSocket reads messages, the first byte of which names their stream.
func (e *execution) overWebSocket(ctx context.Context) (ended metav1.Status, err error) {
	transport, holder, err := websocket.RoundTripperFor(e.client.config)
	if err != nil {
		return ended, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.at.String(), nil)
	if err != nil {
		return ended, err
	}
	conn, err := websocket.Negotiate(transport, holder, request, remotecommand.StreamProtocolV5Name)
	if err != nil {
		return ended, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	status := &keptBeginning{}
	streams := map[byte]io.Writer{remotecommand.StreamStdOut: e.stdout,
		remotecommand.StreamStdErr: e.stderr, remotecommand.StreamErr: status}
	for {
		_, message, err := conn.NextReader()
		if gorilla.IsCloseError(err, gorilla.CloseNormalClosure) {
			return status.parse()
		}
		if err != nil {
			return ended, err
		}
		var id [1]byte
		if _, err := io.ReadFull(message, id[:]); err != nil {
			return ended, err
		}
		if to := streams[id[0]]; to != nil {
			if _, err := io.Copy(to, message); err != nil {
				return ended, err
			}
		}
	}
}

// overSPDY reads a stream for each output.
func (e *execution) overSPDY(ctx context.Context) (ended metav1.Status, err error) {
	transport, upgrader, err := spdy.RoundTripperFor(e.client.config)
	if err != nil {
		return ended, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.at.String(), nil)
	if err != nil {
		return ended, err
	}
	conn, _, err := spdy.NegotiateStreaming(upgrader, &http.Client{Transport: transport}, request,
		remotecommand.StreamProtocolV4Name)
	if err != nil {
		return ended, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	status := &keptBeginning{}
	// of the status alone: what became of a command counts more than the end of its output
	var failed error
	var all sync.WaitGroup
	for _, s := range []struct {
		name string
		to   io.Writer
	}{{"error", status}, {"stdout", e.stdout}, {"stderr", e.stderr}} {
		stream, err := conn.CreateStream(http.Header{"Streamtype": {s.name}})
		if err != nil {
			return ended, err
		}
		all.Go(func() {
			if _, err := io.Copy(s.to, stream); err != nil && s.to == status {
				failed = err
			}
		})
	}
	all.Wait()
	if failed != nil {
		return ended, failed
	}
	return status.parse()
}

// parse reads a Status. Nothing at all is success, as it is to kubectl.
func (k *keptBeginning) parse() (metav1.Status, error) {
	ended := metav1.Status{Status: metav1.StatusSuccess}
	if k.b.Len() == 0 {
		return ended, nil
	}
	if err := json.Unmarshal(k.b.Bytes(), &ended); err != nil {
		return ended, fmt.Errorf("the status of the command is unreadable: %w", err)
	}
	return ended, nil
}
