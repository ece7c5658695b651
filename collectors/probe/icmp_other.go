//go:build !windows && !linux && !darwin

package probe

import (
	"context"
	"errors"
)

func sendEcho(context.Context, echoRequest) pong {
	return pong{outcome: outcomeError, why: errors.ErrUnsupported.Error()}
}
