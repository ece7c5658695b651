package pack

import (
	"bufio"
	"cmp"
	"io"
)

const aheadSize = 256 << 10

// readAhead reads while what was read before is being worked on: half of the time that a log takes is
// reading and decoding it. stop returns when nothing is read any more.
func readAhead(r io.Reader) (ahead io.Reader, stop func()) {
	from, to := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		whole := bufio.NewWriterSize(to, aheadSize) // few and large pieces change hands
		_, err := io.Copy(whole, r)
		to.CloseWithError(cmp.Or(err, whole.Flush()))
	}()
	return bufio.NewReaderSize(from, aheadSize), func() {
		from.Close()
		<-ended
	}
}
