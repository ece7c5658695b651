//go:build !windows

package cri

import (
	"context"
	"fmt"
	"net"
)

func dialPipe(context.Context, string) (net.Conn, error) {
	return nil, fmt.Errorf("%w: only Windows has named pipes", ErrEndpoint)
}
