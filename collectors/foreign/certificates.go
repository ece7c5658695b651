package foreign

import (
	"fmt"
	"path"
	"strings"

	"doctor/checks/evidence"
	"doctor/collectors/certfile"
)

const maxCertificateFile = 1 << 20

// readCertificate reads the certificates of a file.
func readCertificate(src *source, file, windowsPath string) ([]evidence.Certificate, error) {
	stored, ok := src.names.files[strings.ToLower(file)]
	if !ok {
		return nil, fmt.Errorf("%s is not in the recording", file)
	}
	content, err := readBounded(src.fsys, path.Join(src.root, stored), maxCertificateFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stored, err)
	}
	list := certfile.Read(windowsPath, content)
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no certificate", stored)
	}
	return list, nil
}
