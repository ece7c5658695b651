package foreign

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"path"
	"strings"

	"doctor/checks/evidence"
)

const (
	maxCertificateFile = 1 << 20
	maxChain           = 20 // certificates of one file
)

// readCertificate reads the certificates of a file: of a chain the first, for
// the rest belong to others; of a bundle of authorities all of them.
func readCertificate(src *source, file, windowsPath string) ([]evidence.Certificate, error) {
	stored, ok := src.names.files[strings.ToLower(file)]
	if !ok {
		return nil, fmt.Errorf("%s is not in the recording", file)
	}
	content, err := readBounded(src.fsys, path.Join(src.root, stored), maxCertificateFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stored, err)
	}
	var list []evidence.Certificate
	for _, c := range parseCertificates(content) {
		list = append(list, evidence.Certificate{
			Path: windowsPath, Subject: distinguishedName(c.RawSubject),
			Issuer:    distinguishedName(c.RawIssuer),
			NotBefore: evidence.Time{Time: c.NotBefore.UTC()},
			NotAfter:  evidence.Time{Time: c.NotAfter.UTC()},
		})
		if !c.IsCA {
			break
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no certificate", stored)
	}
	return list, nil
}

func parseCertificates(content []byte) []*x509.Certificate {
	if !bytes.Contains(content, []byte("-----BEGIN")) {
		c, err := x509.ParseCertificate(content)
		if err != nil {
			return nil
		}
		return []*x509.Certificate{c}
	}
	var list []*x509.Certificate
	for range maxChain {
		var block *pem.Block
		if block, content = pem.Decode(content); block == nil {
			break
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil && block.Type == "CERTIFICATE" {
			list = append(list, c)
		}
	}
	return list
}

// distinguishedName writes a name in its own order: O=system:nodes,CN=system:node:win-1.
func distinguishedName(raw []byte) string {
	var sequence pkix.RDNSequence
	if _, err := asn1.Unmarshal(raw, &sequence); err != nil {
		return ""
	}
	var parts []string
	for _, part := range sequence {
		parts = append(parts, pkix.RDNSequence{part}.String())
	}
	return strings.Join(parts, ",")
}
