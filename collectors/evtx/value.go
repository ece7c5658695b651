package evtx

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// A value is what a template is filled in with. Its bytes are those of the chunk.
type value struct {
	kind      byte
	from, len int
}

// Kinds of values. Arrays have the highest bit.
const (
	kindString  = 0x01
	kindANSI    = 0x02
	kindInt8    = 0x03
	kindUint8   = 0x04
	kindInt16   = 0x05
	kindUint16  = 0x06
	kindInt32   = 0x07
	kindUint32  = 0x08
	kindInt64   = 0x09
	kindUint64  = 0x0a
	kindReal32  = 0x0b
	kindReal64  = 0x0c
	kindBool    = 0x0d
	kindGUID    = 0x0f
	kindSize    = 0x10
	kindTime    = 0x11
	kindCivil   = 0x12 // SYSTEMTIME
	kindSID     = 0x13
	kindHex32   = 0x14
	kindHex64   = 0x15
	kindBinXML  = 0x21
	kindIsArray = 0x80
)

// say writes a value as Windows does in XML.
func (v value) say(chunk []byte) string {
	b := chunk[v.from : v.from+v.len]
	kind := v.kind &^ kindIsArray
	switch {
	case v.kind == kindIsArray|kindString:
		return strings.Join(strings.FieldsFunc(decodeUTF16(b), func(r rune) bool { return r == 0 }), ", ")
	case v.kind&kindIsArray == 0 || kindSizes[kind] == 0:
		return sayOne(kind, b)
	}
	var list []string
	for ; len(b) >= kindSizes[kind] && len(list) < maxArray; b = b[kindSizes[kind]:] {
		list = append(list, sayOne(kind, b[:kindSizes[kind]]))
	}
	return strings.Join(list, ", ")
}

var kindSizes = map[byte]int{kindInt8: 1, kindUint8: 1, kindInt16: 2, kindUint16: 2, kindInt32: 4,
	kindUint32: 4, kindInt64: 8, kindUint64: 8, kindReal32: 4, kindReal64: 8, kindBool: 4, kindGUID: 16,
	kindTime: 8, kindCivil: 16, kindHex32: 4, kindHex64: 8}

func sayOne(kind byte, b []byte) string {
	if n := kindSizes[kind]; n > 0 {
		if len(b) < n {
			return ""
		}
		b = b[:n]
	}
	le := binary.LittleEndian
	switch kind {
	case kindString:
		return utf16Text(b)
	case kindANSI:
		text, _, _ := strings.Cut(string(b), "\x00")
		return strings.ToValidUTF8(text, "?")
	case kindInt8, kindInt16, kindInt32, kindInt64:
		unused := 64 - 8*len(b)
		return strconv.FormatInt(int64(number(b)<<unused)>>unused, 10)
	case kindUint8, kindUint16, kindUint32, kindUint64:
		return strconv.FormatUint(number(b), 10)
	case kindReal32:
		return strconv.FormatFloat(float64(math.Float32frombits(le.Uint32(b))), 'g', -1, 32)
	case kindReal64:
		return strconv.FormatFloat(math.Float64frombits(le.Uint64(b)), 'g', -1, 64)
	case kindBool:
		return strconv.FormatBool(le.Uint32(b) != 0)
	case kindGUID:
		return fmt.Sprintf("{%08x-%04x-%04x-%x-%x}", le.Uint32(b), le.Uint16(b[4:]), le.Uint16(b[6:]),
			b[8:10], b[10:16])
	case kindTime:
		return fileTime(le.Uint64(b)).Format(time.RFC3339Nano)
	case kindCivil:
		return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", le.Uint16(b), le.Uint16(b[2:]),
			le.Uint16(b[6:]), le.Uint16(b[8:]), le.Uint16(b[10:]), le.Uint16(b[12:]), le.Uint16(b[14:]))
	case kindHex32, kindHex64:
		return fmt.Sprintf("0x%x", number(b))
	case kindSize:
		if len(b) != 4 && len(b) != 8 {
			return ""
		}
		return fmt.Sprintf("0x%x", number(b))
	case kindSID:
		return saySID(b)
	}
	if len(b) == 0 { // null, and kinds that Windows has not used yet
		return ""
	}
	return base64.StdEncoding.EncodeToString(b)
}

// number reads eight bytes at most, of which the lowest comes first.
func number(b []byte) (n uint64) {
	for i, c := range b {
		n |= uint64(c) << (8 * i)
	}
	return n
}

// saySID writes a SID as S-1-5-21-….
func saySID(b []byte) string {
	if len(b) < 8 || len(b) < 8+4*int(b[1]) {
		return ""
	}
	var authority uint64
	for _, c := range b[2:8] {
		authority = authority<<8 | uint64(c)
	}
	text := fmt.Sprintf("S-%d-%d", b[0], authority)
	for i := range int(b[1]) {
		text += "-" + strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b[8+4*i:])), 10)
	}
	return text
}

// utf16Text decodes a text up to its end, which some writers mark with a zero.
func utf16Text(b []byte) string {
	text, _, _ := strings.Cut(decodeUTF16(b), "\x00")
	return text
}

func decodeUTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	_, _ = binary.Decode(b, binary.LittleEndian, units)
	return string(utf16.Decode(units))
}
