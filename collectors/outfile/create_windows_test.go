package outfile

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

func TestOnlyTheUserAndAdministratorsCanRead(t *testing.T) {
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		t.Skip("Wine keeps no access lists: it shows the Unix mode as one")
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, row := range []struct {
		name, path string
		make       func(string) error
	}{
		{"a file", filepath.Join(folder, "out"),
			func(name string) error {
				err := Write(name, []byte("new"), Options{})
				wantContent(t, name, "new")
				return err
			}},
		{"a folder", filepath.Join(folder, "ring"), Folder},
		{"a folder that was there", folder, Folder},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := row.make(row.path); err != nil {
				t.Fatal(err)
			}
			rights, err := windows.GetNamedSecurityInfo(row.path, windows.SE_FILE_OBJECT,
				windows.DACL_SECURITY_INFORMATION)
			if err != nil {
				t.Fatal(err)
			}
			got := rights.String()
			t.Log(got)
			if control, _, err := rights.Control(); err != nil || control&windows.SE_DACL_PROTECTED == 0 {
				t.Errorf("the folder hands rights down: %s", got)
			}
			if strings.Count(got, "(A;") != 2 || !strings.Contains(got, ";;;BA)") ||
				!strings.Contains(got, ";;;"+user.User.Sid.String()+")") {
				t.Errorf("the rights are %s", got)
			}
		})
	}
}

func TestDevicesOfWindowsStay(t *testing.T) {
	for _, name := range []string{"NUL", "CON", `C:\CON`, "COM1"} {
		if err := Write(name, []byte("new"), Options{Force: true}); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}
