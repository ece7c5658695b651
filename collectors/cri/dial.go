package cri

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// ErrEndpoint marks an endpoint that cannot be dialed from here, whatever listens there.
var ErrEndpoint = errors.New("not an endpoint of a runtime on this system")

// Dial connects to an endpoint as the kubelet is given it.
func Dial(ctx context.Context, endpoint string) (net.Conn, error) {
	network, address, err := parseEndpoint(endpoint)
	switch {
	case err != nil:
		return nil, err
	case network == "npipe":
		return dialPipe(ctx, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// parseEndpoint reads npipe:////./pipe/x, npipe:\\.\pipe\x, npipe://./pipe/x, unix:///run/x and
// tcp://host:port.
func parseEndpoint(endpoint string) (network, address string, err error) {
	u, err := url.Parse(strings.ReplaceAll(endpoint, `\`, "/"))
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", ErrEndpoint, err)
	}
	switch {
	case u.Scheme == "tcp":
		return "tcp", u.Host, nil
	case u.Scheme == "unix":
		return "unix", u.Path, nil
	case u.Scheme == "npipe" && strings.HasPrefix(u.Path, "//./pipe"):
		return "npipe", u.Path, nil
	case u.Scheme == "npipe" && u.Host != "":
		return "npipe", "//" + u.Host + u.Path, nil
	case u.Scheme == "npipe":
		return "npipe", "//." + u.Path, nil
	case u.Scheme == "":
		return "", "", fmt.Errorf("%w: it does not begin with a scheme such as npipe:// or unix://",
			ErrEndpoint)
	}
	return "", "", fmt.Errorf("%w: protocol %q not supported", ErrEndpoint, u.Scheme)
}
