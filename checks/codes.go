package checks

import (
	"fmt"
	"slices"
	"strings"
)

// A Code is an error of HNS, HCS or Windows itself. Its message is localised on
// half of the world's nodes, so signs look for the code.
type Code struct {
	Symbol string
	// how logs print it: hcsshim in hex and, in HNS's own JSON, in decimal; PowerShell in decimal only
	Forms   []string
	Meaning string
}

// Codes is the only place where codes stand. Symbols and numbers are those of
// golang.org/x/sys/windows and of hcsshim's internal/hcs/errors.go.
var Codes = slices.Concat([]Code{
	hcnCode(0x01, "HCN_E_NETWORK_NOT_FOUND", "HNS has no network of that name or id"),
	hcnCode(0x02, "HCN_E_ENDPOINT_NOT_FOUND", "HNS has no endpoint of that name or id"),
	hcnCode(0x06, "HCN_E_ADAPTER_NOT_FOUND", "HNS finds no adapter to put the network on"),
	hcnCode(0x07, "HCN_E_PORT_NOT_FOUND", "the virtual switch has no such port"),
	hcnCode(0x0d, "HCN_E_INVALID_POLICY",
		"a policy of the network, endpoint or load balancer is not valid"),
	hcnCode(0x10, "HCN_E_NETWORK_ALREADY_EXISTS",
		"HNS already has a network of that name, visible or not"),
	hcnCode(0x13, "HCN_E_PORT_ALREADY_EXISTS", "the port is already taken or reserved"),
	hcnCode(0x14, "HCN_E_ENDPOINT_ALREADY_ATTACHED",
		"the endpoint is attached to the switch already"),
	hcnCode(0x17, "HCN_E_DEGRADED_OPERATION",
		"the operation succeeded in part: the endpoint is degraded"),
	hcnCode(0x1e, "HCN_E_INVALID_IP", "the address is in none of the network's subnets"),
	hcnCode(0x2e, "HCN_E_NAMESPACE_ATTACH_FAILED",
		"the endpoint could not be attached to the pod's namespace"),
	hcnCode(0x2f, "HCN_E_ADDR_INVALID_OR_RESERVED",
		"the address is invalid or reserved for the network itself"),
}, []Code{
	hcsCode(0x101, "HCS_E_IMAGE_MISMATCH",
		"the image was built for another Windows version than the host's"),
	hcsCode(0x102, "HCS_E_HYPERV_NOT_INSTALLED",
		"Hyper-V is needed and not installed or not exposed to this machine"),
	hcsCode(0x105, "HCS_E_INVALID_STATE",
		"the container is in a state that does not allow this: it is starting or gone"),
	hcsCode(0x106, "HCS_E_UNEXPECTED_EXIT", "the container's system process exited unexpectedly"),
	hcsCode(0x10e, "HCS_E_SYSTEM_NOT_FOUND", "there is no container of that id"),
	hcsCode(0x118, "HCS_E_OPERATION_TIMEOUT", "the host compute service did not answer in time"),
	win32Code(0x490, "ERROR_NOT_FOUND",
		"the network, endpoint or adapter does not exist"),
	win32Code(0x1392, "ERROR_OBJECT_ALREADY_EXISTS",
		"there is an object of that name or address already"),
	win32Code(0x57, "ERROR_INVALID_PARAMETER", "a parameter is wrong for the state that HNS is in"),
	win32Code(0x22, "ERROR_WRONG_DISK", "HNS's stored state does not match this version of Windows"),
	win32Code(0xb7, "ERROR_ALREADY_EXISTS", "HNS has such an object already"),
	win32Code(0x20, "ERROR_SHARING_VIOLATION", "another process holds the file or port"),
	win32Code(0xe, "ERROR_OUTOFMEMORY", "Windows has not enough memory or ports for it"),
	win32Code(0x5, "ERROR_ACCESS_DENIED", "access is denied"),
	win32Code(0x5af, "ERROR_COMMITMENT_LIMIT", "memory and page file together are used up"),
	win32Code(0x7e, "ERROR_MOD_NOT_FOUND",
		"a system library is missing: a Windows feature is not installed"),
	{"STATUS_DLL_INIT_FAILED", []string{"0xc0000142", "3221225794", "-1073741502"},
		"a DLL could not be initialized: the desktop heap or memory is exhausted"},
	{"STATUS_DLL_NOT_FOUND", []string{"0xc0000135", "3221225781", "-1073741515"},
		"the image does not contain a library that the program needs"},
	{"STATUS_CONTROL_C_EXIT", []string{"0xc000013a", "3221225786", "-1073741510"},
		"the program was stopped from outside (normal at shutdown)"},
	{"STATUS_STACK_BUFFER_OVERRUN", []string{"0xc0000409", "3221226505", "-1073740791"},
		"the program stopped itself after an internal error (fail fast)"},
})

// hcnCode is an error of the HCN facility, 0x803b….
func hcnCode(low uint32, symbol, meaning string) Code {
	code := 0x803b0000 | low
	return Code{symbol, []string{fmt.Sprintf("0x%08x", code), fmt.Sprint(code)}, meaning}
}

// hcsCode is an error of the HCS facility, which is printed with and without the severity of an NTSTATUS.
func hcsCode(low uint32, symbol, meaning string) Code {
	return Code{symbol, []string{fmt.Sprintf("0xc037%04x", low), fmt.Sprintf("0x8037%04x", low),
		fmt.Sprint(0xc0370000 | low), fmt.Sprint(0x80370000 | low)}, meaning}
}

// win32Code is an error of Windows itself. Its number is short, so only what
// hcsshim, HNS and HRESULTs make of it is looked for.
func win32Code(code uint32, symbol, meaning string) Code {
	hresult := 0x80070000 | code
	return Code{symbol, []string{fmt.Sprintf("(0x%x)", code), fmt.Sprintf("0x%08x", hresult),
		fmt.Sprint(hresult), fmt.Sprintf(`"ErrorCode":%d}`, code), fmt.Sprintf(`\"ErrorCode\":%d}`,
			code)}, meaning}
}

// SignOfCode makes a sign of an error code: any of its forms betrays the fault,
// together with the texts in also.
func SignOfCode(symbol, says string, also ...string) Sign {
	at := slices.IndexFunc(Codes, func(c Code) bool { return c.Symbol == symbol })
	if at < 0 {
		panic("checks: no code is called " + symbol)
	}
	forms := slices.Clone(Codes[at].Forms)
	if !slices.ContainsFunc(also, func(a string) bool { return len(a) >= MinSign }) {
		forms = slices.DeleteFunc(forms, func(f string) bool { return len(f) < MinSign })
	}
	return Sign{Text: forms[0], Or: forms[1:], Also: also, Says: says}
}

// MinSign is how long one of a sign's texts must be: a shorter one betrays
// little, and keeps the search for all signs from jumping far.
const MinSign = 10

// A DecodedCode is a code that stands in a finding, with what it means.
type DecodedCode struct {
	Code    string `json:"code"`   // such as 0x803b0006
	Symbol  string `json:"symbol"` // such as HCN_E_ADAPTER_NOT_FOUND
	Meaning string `json:"meaning"`
}

// decode finds the codes in the texts of a finding.
func decode(texts ...string) []DecodedCode {
	var found []DecodedCode
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, c := range Codes {
		for _, form := range c.Forms {
			if at := strings.Index(all, strings.ToLower(form)); at >= 0 &&
				!insideNumber(all, at, at+len(form)) {
				found = append(found, DecodedCode{strings.Trim(form, "()"), c.Symbol, c.Meaning})
				break
			}
		}
	}
	return found
}

// insideNumber tells whether text[from:to] goes on into a longer number.
func insideNumber(text string, from, to int) bool {
	digit := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] >= 'a' &&
			text[i] <= 'f')
	}
	return digit(from) && digit(from-1) || digit(to-1) && digit(to)
}
