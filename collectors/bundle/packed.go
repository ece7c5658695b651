package bundle

import (
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

// mostWindow is what unpacking keeps in memory at most. The archive names the size itself: `xz -9`
// takes 64 MiB, `zstd --ultra` 128.
const mostWindow = 128 << 20

// unpackers are the compressions of one stream by their names in magics. None can be read from the
// middle, and each is checked by a sum at its end.
var unpackers = map[string]func(io.Reader) (io.Reader, error){
	"gzip":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"bzip2": func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil },
	"xz":    func(r io.Reader) (io.Reader, error) { return xz.NewReader(r, mostWindow) },
	"zstd": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostWindow))
	},
}

// unpacked is what a compression made smaller, as far as it can be read.
func unpacked(r io.ReaderAt, size int64) []byte {
	kind, err := kindOf(r, size)
	unpack := unpackers[kind]
	if err != nil || unpack == nil {
		return nil
	}
	plain, err := unpack(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(plain, maxPasted))
	if err != nil && len(content) < tarBlock { // as much could be the head of a tar
		return nil
	}
	return content
}

// tarPacked unpacks a tar.gz or the like once into the temporary file and indexes the tar there. One
// that is cut short, as by a broken upload, still gives what came before the cut.
func (x *index) tarPacked(kind string, r io.ReaderAt, size int64) (opener, error) {
	zr, err := unpackers[kind](io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, notPacked(kind, err)
	}
	most := x.lim.unpacked
	if x.level > 0 {
		most = x.lim.nested
	}
	unpacked, cut, err := x.spool.take(zr, most)
	if err != nil {
		return nil, err
	}
	end, err := indexTar(x, unpacked, unpacked.Size())
	if err != nil {
		return nil, whole(err)
	}
	switch {
	case x.seen == 0 && errors.Is(cut, errUnpacked):
		return nil, cut
	case x.seen == 0 && cut != nil:
		return nil, notPacked(kind, cut)
	case x.seen == 0 && end.err != nil:
		return nil, plainError{
			"it unpacks to something other than a tar: give doctor the .tar.gz, " +
				".zip or folder of a node", end.err}
	case cut != nil:
		end.err = cut // it is why the tar ends early, if it does
	}
	return x.ended(end, unpacked)
}

func notPacked(kind string, err error) error {
	if errors.Is(err, xz.ErrMemlimit) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return plainError{
			"it takes more memory to unpack than doctor gives it: unpack it and give doctor what it holds", err}
	}
	return plainError{"it is cut short or is no " + kind + " file: request it again", err}
}
