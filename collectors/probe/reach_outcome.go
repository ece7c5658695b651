package probe

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"doctor/checks/evidence"
)

// How a probe ends. A denied one was not sent, and an error says nothing of the
// way to the target: nothing was sent, or something odd came back.
const (
	answered     = "ok"
	timedOut     = "timeout"
	refused      = "refused"
	reset        = "reset"
	unreachable  = "unreachable"
	denied       = "denied"
	outcomeError = "error"
)

// Who is not reached: a word for it that is the same on every system, and in every language of Windows.
const (
	noNetwork = unreachable + ": no route to the network"
	noHost    = unreachable + ": no route to the host"
)

// outcomeOf sorts an error of the network, and keeps its text where the outcome does not say it all.
func outcomeOf(err error) (outcome, why string) {
	var timeout net.Error
	var errno syscall.Errno
	switch {
	case err == nil:
		return answered, ""
	case errors.Is(err, context.Canceled):
		return outcomeError, "interrupted"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return timedOut, ""
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return outcomeError, "the other side closed the connection without an answer"
	case errors.As(err, &errno):
		outcome, why, _ = strings.Cut(errnos[errno], ": ")
		if outcome == "" || outcome == denied {
			return cmp.Or(outcome, outcomeError), reasonOf(errno)
		}
		return outcome, why
	case errors.As(err, &timeout) && timeout.Timeout():
		return timedOut, ""
	}
	return outcomeError, reasonOf(err)
}

// reasonOf takes off what a reader of the row knows already: addresses, and the name of the call.
func reasonOf(err error) string {
	var name *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &name) && name.IsTimeout, errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.As(err, &name):
		return evidence.Clean(name.Err)
	case errors.As(err, &op):
		err = op.Err
	}
	return evidence.Clean(err.Error())
}
