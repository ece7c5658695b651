package certfile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"slices"
	"testing"
	"time"
)

func certificate(t *testing.T, name string, isCA bool) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: isCA, BasicConstraintsValid: true,
		Subject:  pkix.Name{Organization: []string{"system:nodes"}, CommonName: name},
		NotAfter: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestCertificatesOfAFile(t *testing.T) {
	node, a, b := certificate(t, "system:node:win-1", false), certificate(t, "a", true),
		certificate(t, "b", true)
	inPEM := func(list ...[]byte) (text []byte) {
		for _, der := range list {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
		}
		return text
	}
	const of = "O=system:nodes,CN="
	for _, row := range []struct {
		name    string
		content []byte
		want    []string
	}{
		{"of a chain the first", inPEM(node, a, b), []string{of + "system:node:win-1"}},
		{"of a bundle of authorities all", inPEM(a, b), []string{of + "a", of + "b"}},
		{"bare DER", node, []string{of + "system:node:win-1"}},
		{"another block is passed over", append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST",
			Bytes: a}), inPEM(b)...), []string{of + "b"}},
		{"no more than the most", inPEM(slices.Repeat([][]byte{a}, maxCertificates+1)...),
			slices.Repeat([]string{of + "a"}, maxCertificates)},
		{"no certificate", []byte("-----BEGIN nonsense"), nil},
	} {
		var got []string
		for _, c := range Read(`C:\k\a.crt`, row.content) {
			got = append(got, c.Subject)
			if c.Path != `C:\k\a.crt` || c.NotAfter.Year() != 2030 {
				t.Errorf("%s: %+v", row.name, c)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
