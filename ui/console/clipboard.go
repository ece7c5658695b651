package console

import "errors"

// ErrNoClipboard says that the system has no clipboard that the user of this terminal sees.
var ErrNoClipboard = errors.New("the system has no clipboard for this terminal")
