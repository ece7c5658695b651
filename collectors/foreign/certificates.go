package foreign

import (
	"fmt"
	"path"

	"doctor/checks/evidence"
	"doctor/collectors/certfile"
)

const maxCertificateFile = 1 << 20

// readCertificate reads the certificates of a file.
func readCertificate(src *source, file, windowsPath string) ([]evidence.Certificate, error) {
	at := src.at(file)
	if at == "" {
		return nil, fmt.Errorf("%s is not in the recording", file)
	}
	content, err := readBounded(src.fsys, at, maxCertificateFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Base(at), err)
	}
	list := certfile.Read(windowsPath, content)
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no certificate", path.Base(at))
	}
	return list, nil
}
