package node

import "context"

// A runner runs a program of System32 and returns what it prints.
type runner func(ctx context.Context, program string, args ...string) (string, error)

const maxPrinted = 4 << 20 // bytes of one command's output

// firstBytes keeps the beginning of what is written. It has no other method,
// such as a buffer's ReadFrom, through which a copy would get around the bound.
type firstBytes struct{ kept []byte }

func (o *firstBytes) Write(p []byte) (int, error) {
	o.kept = append(o.kept, p[:min(len(p), maxPrinted-len(o.kept))]...)
	return len(p), nil
}
