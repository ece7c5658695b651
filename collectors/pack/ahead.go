package pack

import "io"

// An ahead reads while what it read before is being worked on: half of the time
// that a log takes is reading and decoding it.
type ahead struct {
	full  chan piece
	empty chan []byte
	stop  chan struct{}
	ended chan struct{}

	held piece
	at   int
}

type piece struct {
	b   []byte
	n   int
	err error
}

const (
	aheadSize  = 256 << 10
	aheadCount = 3
)

func newAhead(r io.Reader) *ahead {
	a := &ahead{full: make(chan piece, aheadCount), empty: make(chan []byte, aheadCount),
		stop: make(chan struct{}), ended: make(chan struct{})}
	for range aheadCount {
		a.empty <- make([]byte, aheadSize)
	}
	go a.run(r)
	return a
}

func (a *ahead) run(r io.Reader) {
	defer close(a.ended)
	for {
		select {
		case b := <-a.empty:
			n, err := io.ReadFull(r, b)
			if err == io.ErrUnexpectedEOF {
				err = io.EOF
			}
			a.full <- piece{b, n, err} // there is room for all of them
			if err != nil {
				return
			}
		case <-a.stop:
			return
		}
	}
}

func (a *ahead) Read(p []byte) (int, error) {
	for a.at == a.held.n {
		if a.held.err != nil {
			return 0, a.held.err
		}
		if a.held.b != nil {
			a.empty <- a.held.b
		}
		a.held, a.at = <-a.full, 0
	}
	n := copy(p, a.held.b[a.at:a.held.n])
	a.at += n
	return n, nil
}

// Close returns when nothing is read any more.
func (a *ahead) Close() {
	close(a.stop)
	<-a.ended
}
