package node

import (
	"bytes"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors"
)

const maxBundle = 20 // certificates of one file

// Where the layouts keep certificates.
var certificateFolders = []string{
	`C:\var\lib\kubelet\pki`, `C:\k\pki`, `C:\k`, `C:\etc\kubernetes\pki`,
	`C:\ProgramData\Amazon\EKS`, `C:\ProgramData\kubernetes\pki`,
	`C:\var\lib\rancher\rke2\agent`,
}

// kubeconfigs are the files with which the node signs in, by layout.
var kubeconfigs = []string{
	`C:\k\config`, `C:\k\kubeconfig`, `C:\k\bootstrap-config`, `C:\etc\kubernetes\kubelet.conf`,
	`C:\etc\kubernetes\bootstrap-kubelet.conf`,
	`C:\etc\kubernetes\kubelet.kubeconfig`, `C:\ProgramData\kubernetes\kubeconfig`,
	`C:\var\lib\rancher\rke2\agent\kubelet.kubeconfig`,
	`C:\etc\cni\net.d\calico-kubeconfig`,
}

// certificates are those of the node that were found.
type certificates struct {
	ctx     context.Context
	volumes volumes
	seen    map[string]bool
	list    []evidence.Certificate
	refused error
}

// readCertificates is the collector "certificates". Of files that hold a key
// too, only what the certificate says goes on.
func readCertificates(v volumes) func(context.Context, *collectors.Record) error {
	return onVolumes(v, func(ctx context.Context, v volumes, s evidence.Snapshot,
		r *collectors.Record) (err error) {
		c := &certificates{ctx: ctx, volumes: v, seen: map[string]bool{}}
		c.all(runningPrograms(evidence.Services.In(s), evidence.Processes.In(s)))
		switch {
		case ctx.Err() != nil:
			err = ctx.Err()
		case c.refused != nil:
			err = c.refused // one that was not seen may be the one that expired
		case len(c.list) == 0:
			err = collectors.GapError(evidence.NotFound.Gap("a certificate of the node's programs"))
		}
		r.Either(evidence.Certificates.Path(), c.list, err)
		return nil
	})
}

func (c *certificates) all(programs []runningProgram) {
	own := slices.Clone(kubeconfigs)
	for _, p := range programs {
		flags := evidence.ParseFlags(p.args)
		for _, name := range []string{"kubeconfig", "kubeconfig-file"} {
			own = append(own, flags.All(name)...)
		}
		for _, name := range []string{"client-ca-file", "tls-cert-file"} {
			c.files(flags.All(name))
		}
		for _, dir := range flags.All("cert-dir") {
			c.folder(dir)
		}
		for _, config := range flags.All("config") {
			c.files(c.settings(config, namesCertificate))
		}
	}
	for _, dir := range certificateFolders {
		c.folder(dir)
	}
	for _, k := range own {
		c.files(c.settings(k, namesCertificate))
		for _, data := range c.settings(k, holdsCertificate) {
			if content, err := base64.StdEncoding.DecodeString(data); err == nil {
				c.add(evidence.CleanWinPath(k), content)
			}
		}
	}
	sorted.By(c.list, func(a, b evidence.Certificate) int {
		return compareFold(a.Path, b.Path)
	})
}

var (
	namesCertificate = regexp.MustCompile(
		`(?m)["']?\b(?:client-certificate|certificate-authority|clientCAFile|tlsCertFile)["']?[ \t]*:[ \t]*["']?([^"'\r\n,]+)`)
	holdsCertificate = regexp.MustCompile(
		`(?m)["']?\bclient-certificate-data["']?[ \t]*:[ \t]*["']?([A-Za-z0-9+/=]+)`)
)

// settings lists the values of a setting in a configuration file.
func (c *certificates) settings(file string, setting *regexp.Regexp) []string {
	p := named(file)
	if p == "" || c.ctx.Err() != nil {
		return nil
	}
	content, _, err := c.volumes.readVolume(p, maxCopy)
	c.note(err)
	var values []string
	for _, m := range setting.FindAllStringSubmatch(string(evidence.DecodeText(content)), 16) {
		values = append(values, strings.ReplaceAll(strings.TrimSpace(m[1]), `\\`, `\`))
	}
	return values
}

func (c *certificates) note(err error) {
	if errors.Is(err, fs.ErrPermission) && c.refused == nil {
		c.refused = err
	}
}

func (c *certificates) files(names []string) {
	for _, name := range names {
		p := named(name)
		key := strings.ToLower(p)
		if p == "" || c.seen[key] || c.ctx.Err() != nil {
			continue
		}
		c.seen[key] = true
		content, _, err := c.volumes.readVolume(p, maxCopy)
		c.note(err)
		c.add(p, content)
	}
}

// earlierGeneration is a certificate that the kubelet has renewed since.
var earlierGeneration = regexp.MustCompile(`(?i)^kubelet-(client|server)-\d{4}-`)

func (c *certificates) folder(name string) {
	dir := named(name)
	if dir == "" || c.ctx.Err() != nil {
		return
	}
	entries, _, err := c.volumes.list(dir)
	c.note(err)
	for _, e := range entries {
		isCertificate := slices.Contains([]string{".crt", ".cer", ".cert", ".pem"},
			strings.ToLower(path.Ext(e.Name())))
		if isCertificate && !e.IsDir() && !earlierGeneration.MatchString(e.Name()) {
			c.files([]string{dir + `\` + e.Name()})
		}
	}
}

// add takes the certificates of a file: of a chain the first, for the rest
// belong to others; of a bundle of authorities all of them.
func (c *certificates) add(p string, content []byte) {
	for _, cert := range parseCertificates(content) {
		c.list = append(c.list, evidence.Certificate{
			Path: p, Subject: nameOf(cert.RawSubject), Issuer: nameOf(cert.RawIssuer),
			NotBefore: evidence.Time{Time: cert.NotBefore.UTC()},
			NotAfter:  evidence.Time{Time: cert.NotAfter.UTC()},
		})
		if !cert.IsCA {
			return
		}
	}
}

func parseCertificates(content []byte) []*x509.Certificate {
	if !bytes.Contains(content, []byte("-----BEGIN")) {
		cert, err := x509.ParseCertificate(content) // .cer and .crt may be bare DER
		if err != nil {
			return nil
		}
		return []*x509.Certificate{cert}
	}
	var list []*x509.Certificate
	for len(list) < maxBundle {
		var block *pem.Block
		if block, content = pem.Decode(content); block == nil {
			break
		}
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil &&
			block.Type == "CERTIFICATE" {
			list = append(list, cert)
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
