// Package certfile reads the certificates of a file as evidence: what they say, and not what they sign.
package certfile

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"strings"

	"doctor/checks/evidence"
)

const maxCertificates = 20 // of one file

// Read lists the certificates of a file of the node: of a chain the first, for the rest
// belong to others; of a bundle of authorities all of them.
func Read(windowsPath string, content []byte) (list []evidence.Certificate) {
	for _, c := range parse(content) {
		list = append(list, evidence.Certificate{
			Path: windowsPath, Subject: nameOf(c.RawSubject), Issuer: nameOf(c.RawIssuer),
			NotBefore: evidence.Time{Time: c.NotBefore.UTC()},
			NotAfter:  evidence.Time{Time: c.NotAfter.UTC()},
		})
		if !c.IsCA {
			break
		}
	}
	return list
}

func parse(content []byte) []*x509.Certificate {
	if !bytes.Contains(content, []byte("-----BEGIN")) {
		c, err := x509.ParseCertificate(content) // .cer and .crt may be bare DER
		if err != nil {
			return nil
		}
		return []*x509.Certificate{c}
	}
	var list []*x509.Certificate
	for len(list) < maxCertificates {
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

// nameOf writes a name in its own order: O=system:nodes,CN=system:node:win-1.
func nameOf(raw []byte) string {
	var sequence pkix.RDNSequence
	if _, err := asn1.Unmarshal(raw, &sequence); err != nil {
		return fmt.Sprintf("a name that cannot be read: %v", err)
	}
	var parts []string
	for _, part := range sequence {
		parts = append(parts, pkix.RDNSequence{part}.String())
	}
	return strings.Join(parts, ",")
}
