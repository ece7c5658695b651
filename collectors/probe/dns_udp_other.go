//go:build !windows

package probe

import "net"

// hearRefusals is for Windows: other systems report that nobody listens.
func hearRefusals(net.Conn) {}
