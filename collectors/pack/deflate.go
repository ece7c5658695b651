package pack

import (
	"bytes"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
)

// A deflater compresses blocks of a file side by side, as pigz does: each is a
// piece of the same deflate stream that does not look back at the one before.
type deflater struct {
	w     io.Writer
	block *bytes.Buffer
	queue chan chan *bytes.Buffer
	done  chan error

	end func() error // closes, once

	stuck atomic.Bool // w takes no more; what else is written is lost, and Close says why
}

const (
	blockSize = 512 << 10
	level     = flate.BestSpeed
)

var (
	blocks    = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	deflaters = sync.Pool{New: func() any {
		w, _ := flate.NewWriter(io.Discard, level) // it refuses only a level that there is not
		return w
	}}
)

func newDeflater(w io.Writer) (io.WriteCloser, error) {
	d := &deflater{w: w, block: newBlock()}
	d.end = sync.OnceValue(d.close)
	return d, nil
}

func newBlock() *bytes.Buffer {
	b := blocks.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func (d *deflater) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		n := min(len(p), blockSize-d.block.Len())
		d.block.Write(p[:n])
		p = p[n:]
		if d.block.Len() == blockSize {
			d.start(false)
		}
		if d.stuck.Load() {
			return 0, d.Close()
		}
	}
	return written, nil
}

// start compresses the block beside the others. What comes out is written in order.
func (d *deflater) start(last bool) {
	if d.queue == nil {
		d.queue = make(chan chan *bytes.Buffer, runtime.GOMAXPROCS(0))
		d.done = make(chan error, 1)
		go d.drain()
	}
	result := make(chan *bytes.Buffer, 1)
	d.queue <- result
	block := d.block
	d.block = newBlock()
	go func() {
		result <- compress(block, last)
		blocks.Put(block)
	}()
}

func (d *deflater) drain() {
	var failed error
	for result := range d.queue {
		piece := <-result
		if failed == nil {
			_, failed = d.w.Write(piece.Bytes())
			d.stuck.Store(failed != nil)
		}
		blocks.Put(piece)
	}
	d.done <- failed
}

func compress(block *bytes.Buffer, last bool) *bytes.Buffer {
	out := newBlock()
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(out)
	w.Write(block.Bytes()) // a buffer takes everything
	if last {
		w.Close()
	} else {
		w.Flush()
	}
	return out
}

func (d *deflater) Close() error { return d.end() }

func (d *deflater) close() error {
	if d.queue == nil { // one block: most files
		piece := compress(d.block, true)
		_, err := d.w.Write(piece.Bytes())
		blocks.Put(piece)
		blocks.Put(d.block)
		return err
	}
	d.start(true)
	close(d.queue)
	return <-d.done
}
