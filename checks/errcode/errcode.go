// Package errcode knows the error codes that Windows, HNS, HCS, gRPC and containers print: their
// names, what they mean, and the forms in which logs show them. Windows localizes its messages on
// half of the world's nodes; the codes are the same everywhere, and messages.tsv has what Windows
// says of those that signs look for.
package errcode

import (
	_ "embed" // the table
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"doctor/checks/packed"
)

// A Kind is who returns a code.
type Kind string

// The kinds of codes. The numbers of HCN, HCS, NTStatus and HResult are unique as they are; those of
// Win32, GRPC and Exit are short and mean something only beside words that announce them.
const (
	HCN      Kind = "hcn"     // the host compute network service (HNS): 0x803b….
	HCS      Kind = "hcs"     // the host compute service: 0x8037…, or 0xc037… as an NTSTATUS
	NTStatus Kind = "nt"      // Windows itself, also as the exit code of a program
	HResult  Kind = "hresult" // other HRESULTs
	Win32    Kind = "win32"   // Windows itself and Winsock; 0x8007… as an HRESULT
	GRPC     Kind = "grpc"    // a CSI driver or the container runtime
	Exit     Kind = "exit"    // a container
)

// names are the kinds as a person knows them.
var names = map[Kind]string{HCN: "HNS", HCS: "host compute service", NTStatus: "NTSTATUS",
	HResult: "HRESULT", Win32: "Windows", GRPC: "gRPC", Exit: "exit code"}

// String is the kind as a person knows it.
func (k Kind) String() string { return names[k] }

// A Code is an error code.
type Code struct {
	Kind    Kind
	Number  uint32
	Symbol  string
	Meaning string // a clause in English
}

// tables are codes.tsv and messages.tsv.
//
//go:embed tables.zip.bz2
var tables []byte

var tableFiles = packed.Files(tables, ".")

var table = packed.Text(tableFiles, "codes.tsv")

// All lists the codes, in the order of the table.
var All = sync.OnceValue(func() []Code {
	var list []Code
	for line := range strings.Lines(string(table())) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		number, err := strconv.ParseUint(fields[1], 0, 32)
		if err != nil || len(fields) != 4 {
			panic("errcode: codes.tsv: " + line)
		}
		list = append(list, Code{Kind(fields[0]), uint32(number), fields[2], fields[3]})
	}
	return list
})

// Of returns the code of a symbol, such as HCN_E_NETWORK_NOT_FOUND. It panics where there is none.
func Of(symbol string) Code {
	at := slices.IndexFunc(All(), func(c Code) bool { return c.Symbol == symbol })
	if at < 0 {
		panic("errcode: no code is called " + symbol)
	}
	return All()[at]
}

// numbers are the numbers under which logs print the code: that of an HRESULT for a Win32 error,
// with and without the severity of an NTSTATUS for one of HCS.
func (c Code) numbers() []uint32 {
	switch c.Kind {
	case HCS:
		return []uint32{0x40000000 | c.Number, c.Number}
	case Win32:
		return []uint32{0x80070000 | c.Number}
	case GRPC, Exit:
		return nil
	}
	return []uint32{c.Number}
}

// Forms lists how logs print the code without other words: hcsshim in hex and, in HNS's own JSON, in
// decimal; PowerShell in decimal only, where the sign bit makes it negative.
func (c Code) Forms() []string {
	var forms []string
	if c.Kind == Win32 {
		forms = append(forms, fmt.Sprintf("(0x%x)", c.Number))
	}
	for _, n := range c.numbers() {
		forms = append(forms, fmt.Sprintf("0x%08x", n))
	}
	for _, n := range c.numbers() {
		forms = append(forms, fmt.Sprint(n), fmt.Sprint(int32(n)))
	}
	if c.Kind == Win32 {
		forms = append(forms, fmt.Sprintf(`"ErrorCode":%d}`, c.Number),
			fmt.Sprintf(`\"ErrorCode\":%d}`, c.Number))
	}
	return forms
}

// A Found is a code in a text.
type Found struct {
	Code
	As string // how the text shows it, such as 0x803b0006
}

// whole is a number that means something by itself; announced is a short one behind words that say
// what it is.
var (
	whole     = regexp.MustCompile(`(?i)\b0x[0-9a-f]{8}\b|-[0-9]{9,10}\b|\b[234][0-9]{9}\b`)
	announced = regexp.MustCompile(`(?i)(\(0x[0-9a-f]{1,4}\))|\\?"ErrorCode\\?" ?: ?([0-9]{1,5})\b|` +
		`\b(?:win32|winapi|windows|win|os|system|wsa) ?error:? (?:code )?#?([0-9]{1,5})\b|` +
		`\bWin32Exception \(([0-9]{1,5})\)|` +
		`\bsystem error code is ([0-9]{1,5})\b|\bGetLastError\D{1,4}([0-9]{1,5})\b`)
	rpc    = regexp.MustCompile(`\bcode = ([A-Z][A-Za-z]+)`)
	exited = regexp.MustCompile(`(?i)\bexit(?:ed)?(?: with)?[ _]?(?:code|status)"?[:= ]+"?([0-9]{3})\b`)
)

// In finds the codes that a text shows, each once, in the order of the text within each of: numbers,
// announced numbers, gRPC's names, exit codes; and those of messages that are not in English, in the
// order of the numbers.
func In(text string) []Found {
	var found []Found
	add := func(kinds []Kind, number uint32, as string) {
		c, ok := lookup()[number]
		if !ok || !slices.Contains(kinds, c.Kind) {
			for _, other := range All() {
				if other.Number == number && slices.Contains(kinds, other.Kind) {
					c, ok = other, true
					break
				}
			}
		}
		if ok && slices.Contains(kinds, c.Kind) && !slices.ContainsFunc(found,
			func(f Found) bool { return f.Code == c }) {
			found = append(found, Found{c, as})
		}
	}
	for _, as := range whole.FindAllString(text, -1) {
		if n, ok := number(as); ok {
			add([]Kind{HCN, HCS, NTStatus, HResult, Win32}, n, as)
		}
	}
	for _, m := range announced.FindAllStringSubmatch(text, -1) {
		for _, as := range m[1:] {
			if n, ok := number(strings.Trim(as, "()")); ok {
				add([]Kind{Win32}, n, strings.Trim(as, "()"))
			}
		}
	}
	for _, m := range rpc.FindAllStringSubmatch(text, -1) {
		at := slices.IndexFunc(All(), func(c Code) bool { return c.Kind == GRPC && c.Symbol == m[1] })
		if at >= 0 {
			add([]Kind{GRPC}, All()[at].Number, fmt.Sprint("gRPC ", All()[at].Number))
		}
	}
	for _, m := range exited.FindAllStringSubmatch(text, -1) {
		if n, ok := number(m[1]); ok {
			add([]Kind{Exit}, n, m[1])
		}
	}
	for _, m := range foreignIn(strings.ToLower(text)) {
		add([]Kind{m.Kind}, m.Number, m.Code.String())
	}
	return found
}

// lookup finds a code by each number under which it is printed.
var lookup = sync.OnceValue(func() map[uint32]Code {
	all := map[uint32]Code{}
	for _, c := range All() {
		for _, n := range c.numbers() {
			if _, taken := all[n]; !taken {
				all[n] = c
			}
		}
	}
	return all
})

// number reads a code in hex, in decimal, or in decimal with its sign.
func number(s string) (uint32, bool) {
	if n, err := strconv.ParseUint(s, 0, 32); err == nil {
		return uint32(n), true
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return uint32(n), err == nil
}

// Search returns the codes that a person means by a symbol or a number in any form: a short number
// may be an error of Windows, a gRPC code and an exit code.
func Search(words string) []Code {
	words = strings.Trim(strings.TrimSpace(words), `()"'`)
	n, isNumber := number(strings.ToLower(words))
	var found []Code
	for _, c := range All() {
		if strings.EqualFold(c.Symbol, words) ||
			isNumber && (n == c.Number || slices.Contains(c.numbers(), n)) {
			found = append(found, c)
		}
	}
	return found
}

// String is the code as a person would search for it: a number in hex, a short one in decimal.
func (c Code) String() string {
	switch c.Kind {
	case Win32, Exit, GRPC:
		return fmt.Sprint(c.Number)
	}
	return fmt.Sprintf("0x%08x", c.Number)
}
