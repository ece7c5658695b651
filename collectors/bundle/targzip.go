package bundle

import (
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// tarGzip unpacks a tar.gz once into the temporary file, since gzip cannot be read
// from the middle, and indexes the tar there. A gzip that is cut short, as by a
// broken upload, still gives what came before the cut.
func (x *index) tarGzip(r io.ReaderAt, size int64) (opener, error) {
	zr, err := gzip.NewReader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, noGzip(err)
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
		return nil, noGzip(cut)
	case x.seen == 0 && end.err != nil:
		return nil, plainError{
			"it unpacks to something other than a tar: give doctor the .tar.gz, " +
				".zip or folder of a node", end.err}
	case cut != nil:
		end.err = cut // it is why the tar ends early, if it does
	}
	return x.ended(end, unpacked)
}

func noGzip(err error) error {
	return plainError{"it is cut short or is not a gzip: request it again", err}
}
