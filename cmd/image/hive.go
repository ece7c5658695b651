package main

import (
	"encoding/binary"
	"unicode/utf16"
)

// Windows looks for these registry hives when it unpacks a base layer; Server 2025 and later also read
// them, so that empty files no longer do:
// https://github.com/microsoft/windows-host-process-containers-base-image
var hives = []string{"DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM"}

// Sizes and places in a hive, as https://github.com/msuhanov/regf documents the format.
const (
	baseBlock = 4096
	bin       = 4096
	binHeader = 32
	none      = 0xffffffff
)

// hive is the smallest registry hive: a root key without values, with its security descriptor. All
// times in it are zero, so that it is the same each time.
func hive(name string) []byte {
	b := make([]byte, baseBlock+bin)
	le := binary.LittleEndian

	copy(b, "regf")
	le.PutUint32(b[4:], 1) // both sequence numbers are the same: it was written to its end
	le.PutUint32(b[8:], 1)
	le.PutUint32(b[20:], 1) // version 1.5
	le.PutUint32(b[24:], 5)
	le.PutUint32(b[32:], 1)         // loaded directly
	le.PutUint32(b[36:], binHeader) // the root key
	le.PutUint32(b[40:], bin)
	le.PutUint32(b[44:], 1) // sectors at a time
	for i, unit := range utf16.Encode([]rune(name)) {
		le.PutUint16(b[48+2*i:], unit)
	}
	sum := uint32(0)
	for i := 0; i < 508; i += 4 {
		sum ^= le.Uint32(b[i:])
	}
	le.PutUint32(b[508:], sum)

	h := b[baseBlock:]
	copy(h, "hbin")
	le.PutUint32(h[8:], bin)

	root := "ROOT"
	at, security := binHeader, binHeader+cellSize(76+len(root))
	key := cell(h, at, 76+len(root))
	copy(key, "nk")
	le.PutUint16(key[2:], 0x2c)  // a root, that cannot be deleted, with a name in Latin-1
	le.PutUint32(key[16:], none) // the parent
	for _, list := range []int{28, 32, 40, 48} {
		le.PutUint32(key[list:], none) // subkeys, volatile ones, values, class: there are none
	}
	le.PutUint32(key[44:], uint32(security))
	le.PutUint16(key[72:], uint16(len(root)))
	copy(key[76:], root)

	descriptor := securityDescriptor(true)
	sk := cell(h, security, 20+len(descriptor))
	copy(sk, "sk")
	le.PutUint32(sk[4:], uint32(security)) // the next, and the one before: it is alone
	le.PutUint32(sk[8:], uint32(security))
	le.PutUint32(sk[12:], 1)
	le.PutUint32(sk[16:], uint32(len(descriptor)))
	copy(sk[20:], descriptor)

	rest := security + cellSize(20+len(descriptor))
	le.PutUint32(h[rest:], uint32(bin-rest)) // free
	return b
}

// cell marks a cell as used, and returns its content.
func cell(h []byte, at, size int) []byte {
	binary.LittleEndian.PutUint32(h[at:], uint32(-int32(cellSize(size))))
	return h[at+4 : at+4+size]
}

// cellSize is that of a cell with its length, in units of eight bytes.
func cellSize(content int) int { return (4 + content + 7) / 8 * 8 }

// administrators and system are security identifiers in bytes.
var (
	administrators = []byte{1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0} // S-1-5-32-544
	system         = []byte{1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0}                // S-1-5-18
)

// securityDescriptor belongs to the administrators. With access, they and the system have all of it;
// without, what is inherited decides.
func securityDescriptor(access bool) []byte {
	le := binary.LittleEndian
	d := make([]byte, 20)
	d[0] = 1
	control := uint16(0x8000) // everything follows in these bytes
	le.PutUint32(d[4:], 20)
	d = append(d, administrators...)
	le.PutUint32(d[8:], uint32(len(d)))
	d = append(d, administrators...)
	if access {
		control |= 4
		le.PutUint32(d[16:], uint32(len(d)))
		acl := []byte{2, 0, 0, 0, 2, 0, 0, 0}
		for _, sid := range [][]byte{administrators, system} {
			entry := []byte{0, 2, 0, 0, 0x3f, 0, 0x0f, 0} // allow, for subkeys too, everything
			le.PutUint16(entry[2:], uint16(len(entry)+len(sid)))
			acl = append(append(acl, entry...), sid...)
		}
		le.PutUint16(acl[2:], uint16(len(acl)))
		d = append(d, acl...)
	}
	le.PutUint16(d[2:], control)
	return d
}
