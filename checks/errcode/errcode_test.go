package errcode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/errcode"
)

func TestCodesAreFoundInTheirForms(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"hex of HNS", "hnsCall failed in Win32: (0x803b0010)", []string{"HCN_E_NETWORK_ALREADY_EXISTS"}},
		{"capital hex", "HRESULT 0x803B002F", []string{"HCN_E_ADDR_INVALID_OR_RESERVED"}},
		{"decimal with a sign", "Exception: -2143617023", []string{"HCN_E_NETWORK_NOT_FOUND"}},
		{"decimal without a sign", "exit code 3221225794", []string{"STATUS_DLL_INIT_FAILED"}},
		{"hcsshim's form of a Windows error", "Element not found. (0x490)", []string{"ERROR_NOT_FOUND"}},
		{"an HRESULT of a Windows error", "returned 0x80070005", []string{"ERROR_ACCESS_DENIED"}},
		{"HNS's JSON", `{"Success":false,"Error":"x","ErrorCode":87}`, []string{"ERROR_INVALID_PARAMETER"}},
		{"JSON in JSON", `{\"Success\":false,\"ErrorCode\":34}`, []string{"ERROR_WRONG_DISK"}},
		{"an NTSTATUS of HCS", "hcs::CreateComputeSystem x: 0xc0370101", []string{"HCS_E_IMAGE_MISMATCH"}},
		{"gRPC's name", "rpc error: code = Unavailable desc = connection error", []string{"Unavailable"}},
		{"an exit code", `"exitCode": 137`, []string{"SIGKILL"}},
		{"a Winsock error", "os error 10061", []string{"WSAECONNREFUSED"}},
		{"two of one kind", "0x803b0001 and 0x803b0002", []string{"HCN_E_NETWORK_NOT_FOUND",
			"HCN_E_ENDPOINT_NOT_FOUND"}},
		{"one code twice", "0x803b0001 is 2151350273", []string{"HCN_E_NETWORK_NOT_FOUND"}},
		{"Python's form", "[WinError 10013] Tentativo di accesso al socket con modalità non consentite",
			[]string{"WSAEACCES"}},
		{".NET's form", "System.ComponentModel.Win32Exception (5): Zugriff verweigert",
			[]string{"ERROR_ACCESS_DENIED"}},
		{"a message that is not in English, without its number", "open C:\\k: Le chemin d'accès spécifié est introuvable.",
			[]string{"ERROR_PATH_NOT_FOUND"}},
		{"a message in English", "Access is denied.", nil},
		{"a part of a longer number", "id 0x803b00010000 or 121513502730", nil},
		{"a short number that nothing announces", "5 pods, port 10061", nil},
		{"a time", "took 2147483647 ns", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, f := range errcode.In(row.text) {
				got = append(got, f.Symbol)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryCodeIsFoundByEachOfItsForms(t *testing.T) {
	for _, c := range errcode.All() {
		for _, form := range c.Forms() {
			found := errcode.In("x: " + form)
			if !slices.ContainsFunc(found, func(f errcode.Found) bool {
				return f.Meaning == c.Meaning || f.Number == c.Number
			}) {
				t.Errorf("%s: %v in %q", c.Symbol, found, form)
			}
			if got := errcode.Search(form); c.Kind != errcode.Win32 && !slices.Contains(got, c) {
				t.Errorf("%s: %v for %q", c.Symbol, got, form)
			}
		}
		if !slices.Contains(errcode.Search(c.Symbol), c) || !slices.Contains(
			errcode.Search(c.String()), c) {
			t.Errorf("%s is not found by its symbol and its number %s", c.Symbol, c)
		}
	}
}

func TestEachSpellingShowsTheMessage(t *testing.T) {
	for _, text := range []string{"Access is denied", "The paging file is too small",
		"The system cannot find the", "exited unexpectedly", "bind: Only one usage of each"} {
		for _, spelling := range errcode.Spellings(text) {
			for line, want := range map[string]bool{"bind: " + spelling + ".": true,
				"something else": false, "bind: " + spelling[:len(spelling)-3]: false} {
				if got := errcode.Shows(strings.ToLower(line), text); got != want {
					t.Errorf("%q shows %q: %v", line, text, got)
				}
			}
		}
	}
	for line, want := range map[string]bool{
		"[winerror 5] odmowa dostępu":   true,
		"[winerror 53] nie znaleziono":  false,
		"[winerror 15]":                 false,
		"win32exception (5): ei onnaa":  true,
		"windows system error 5, a":     true,
		"5 errors":                      false,
		"error 5":                       false, // of any program
		"failed in win32: brak (0x5)":   true,
		"failed in win32: brak (0x52e)": false,
	} {
		if got := errcode.Shows(line, "Access is denied"); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestWhatIsAMessageOfWindows(t *testing.T) {
	for text, want := range map[string]string{
		"Access is denied":                       "",
		"denied":                                 "",
		"used by another process":                "",
		"connectex: A connection attempt failed": "connectex: ",
		"open C:\\k: The system cannot find the path specified": "open c:\\k: ",
		"failed in Win32": "no", "is": "no", "Access is allowed": "no",
	} {
		before, localized := errcode.Localized(text)
		if !localized {
			before = "no"
		}
		if before != want {
			t.Errorf("%q: %q, want %q", text, before, want)
		}
	}
}

func FuzzIn(f *testing.F) {
	f.Add("(0x490) 0x803b0001 -2143617023 code = Internal exitCode: 137")
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range errcode.In(text) {
			if found.Symbol == "" {
				t.Error(fmt.Sprint(found))
			}
		}
	})
}
