//go:build !windows

package probe

import "errors"

// systemLookUp: Go's resolver and libc's complete names by rules of their own,
// so that neither would tell what Windows does.
func systemLookUp(string) ([]string, error) { return nil, errors.ErrUnsupported }
