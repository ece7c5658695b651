package signs

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// panicHead begins what the runtime of Go prints of a panic that nothing recovers from.
const panicHead = "panic: "

// stackFrame is a line of the stack below it: a function with its arguments, or where it is in the source.
var stackFrame = regexp.MustCompile(`^\s*\S+(?:\(.*\)|\.go:\d+(?: \+0x.*)?)\s*$`)

// ofStack tells whether a sign is of a line of such a stack.
func ofStack(sign evidence.Sign) bool {
	return slices.ContainsFunc(sign.Also, func(also string) bool { return strings.HasPrefix(also, panicHead) })
}

// panicAbove is the line that begins a panic of whose stack the line is a part, and how many lines above it is,
// where the sign has the beginning of that line. The two are one record.
func panicAbove(sign evidence.Sign, line, before []byte) (head []byte, lines int) {
	const mostFrames = 60
	if !ofStack(sign) || !stackFrame.Match(line) {
		return nil, 0
	}
	inStack := true
	for lines = 1; lines < mostFrames && len(before) > 0; lines++ {
		before = bytes.TrimSuffix(before, newline)
		head = bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])
		before = before[:bytes.LastIndexByte(before, '\n')+1]
		switch {
		case inStack && bytes.HasPrefix(head, []byte("goroutine ")):
			inStack = false
		case inStack && len(head) == 0:
			return nil, 0
		case !inStack && bytes.HasPrefix(head, []byte(panicHead)):
			return head, lines
		case !inStack && len(head) > 0 && head[0] != '[': // the signal
			return nil, 0
		}
	}
	return nil, 0
}
