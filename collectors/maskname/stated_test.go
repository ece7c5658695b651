package maskname

import (
	"strings"
	"testing"
)

// TestPlacesTellNames: § stands before and behind the name that its place tells.
func TestPlacesTellNames(t *testing.T) {
	for _, row := range []struct{ name, text string }{
		{"the account of a security event", "Account Name:\t\t§jsmith§\n"},
		{"the domain of a security event", "Account Domain:\t\t§FABRIKAM§\n"},
		{"an event as XML", "<Data Name='TargetUserName'>§maria.lopez§</Data>"},
		{"an event as JSON", `"SubjectUserName": "§svc-copy§$"`},
		{"the station of a logon", "Workstation Name: §DESK-0042§"},
		{"net user", "net user §jdoe77§ /domain"},
		{"a share", `copy \\§fileserver07§\share$\x`},
		{"a share in JSON", `"path": "\\\\§fileserver07§\\share"`},
		{"the server of a connection string", "Server=§sqlprod03§;Database=x"},
		{"the source of a connection string", "Data Source=§sqlprod03§;Initial Catalog=x"},
		{"a variable", "COMPUTERNAME=§DESK-0042§"},
		{"a name with its domain", "dial tcp: lookup §db1.internal.fabrikam§.com: no such host"},
		{"the host of a URL", "https://§git.build.fabrikam§.com/x.git"},
		{"a registry", "§fabrikamimages§.azurecr.io/app:1"},
		{"a vault", "§fabrikamkeys§.vault.azure.net"},
		{"a storage account", "§fabrikamlogs§.blob.core.windows.net"},
		{"a database", "§orders.c9a8b7§.us-east-1.rds.amazonaws.com"},
		{"a card of a virtual machine without separators", "mac=§00155d0a0b0c§"},
	} {
		t.Run(row.name, func(t *testing.T) {
			before, rest, _ := strings.Cut(row.text, "§")
			name, behind, _ := strings.Cut(rest, "§")
			n := New([]byte("a key"))
			got := n.text(before + name + behind)
			if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, behind) || strings.Contains(got, name) ||
				len(got) != len(before+name+behind) {
				t.Errorf("%s gives %s", row.text, got)
			}
			if again := n.text(got); again != got {
				t.Errorf("masked again it is %s", again)
			}
		})
	}
}

func TestWhatStandsInSuchPlacesAndIsNoName(t *testing.T) {
	for _, text := range []string{
		"Account Name: SYSTEM", "Account Domain: NT AUTHORITY", "Account Name: -", "Server: nginx", "--server=https://10.0.0.1",
		"Server=localhost", "Server=10.0.0.4", `\\.\pipe\containerd-containerd`, `\\?\C:\x`, `C:\\k\\kubelet.exe`,
		`"\\Hns\\Endpoint\\Attach"`, "k8s.io/client-go/tools/cache.go:12", "kubelet.exe.log.INFO", "time.windows.com",
		"login.microsoftonline.com", "sts.us-east-1.amazonaws.com", "kube-dns.kube-system.svc.cluster.local",
		"mcr.microsoft.com/windows/nanoserver", "1.2.3.4-beta.com", "field.spec.nodeName", "user name", "net use",
		"digest 0123456789ab",
	} {
		if got := New([]byte("a key")).text(text); got != text {
			t.Errorf("%s gives %s", text, got)
		}
	}
}

// TestABinarySIDHasTheMaskOfItsText: an event and a registry value tell of one account.
func TestABinarySIDHasTheMaskOfItsText(t *testing.T) {
	n := New([]byte("a key"))
	// the bytes of S-1-5-21-1111111111-2222222222-3333333333-1001
	got := n.text("sid 010500000000000515000000c7353a428e6b748455a1aec6e9030000")
	if strings.Contains(got, "c7353a428e6b748455a1aec6") || !strings.HasSuffix(got, "e9030000") {
		t.Errorf("it gives %s", got)
	}
	if plain := n.text(n.text(got)); plain != got {
		t.Errorf("masked again it is %s", plain)
	}
}

func TestAnAccountBehindItsDomainIsMasked(t *testing.T) {
	n := New([]byte("a key"))
	for _, text := range []string{`Account Name: CONTOSO\jsmith`, `"TargetUserName":"CONTOSO\\jsmith"`} {
		if got := n.text(text); strings.Contains(got, "CONTOSO") || strings.Contains(got, "jsmith") {
			t.Errorf("%s gives %s", text, got)
		}
	}
}
