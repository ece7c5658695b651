package outfile

import (
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// createPrivate makes the file with its access list, so that at no time anybody else can open it.
func createPrivate(name string) (*os.File, error) {
	f, err := create(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(f), name), nil
}

// ownRights is the private access list of the user of this process.
func ownRights() (*windows.SECURITY_DESCRIPTOR, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString(privateRights(user.User.Sid.String()))
}

func closeFolder(name string) error {
	rights, err := ownRights()
	if err != nil {
		return err
	}
	list, _, err := rights.DACL()
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(name, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}

func create(name string) (windows.Handle, error) {
	rights, err := ownRights()
	if err != nil {
		return 0, err
	}
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return 0, err
	}
	attributes := windows.SecurityAttributes{SecurityDescriptor: rights}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	return windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, &attributes, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_NORMAL, 0)
}

// renameNew gives a file a name that no other file has.
func renameNew(from, to string) error {
	old, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(old, name, 0)
}
