package node

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors"
	"doctor/collectors/certfile"
)

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
		own = append(own, flags.All("kubeconfig", "kubeconfig-file")...)
		c.files(flags.All("client-ca-file", "tls-cert-file"))
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
				c.list = append(c.list, certfile.Read(evidence.CleanWinPath(k), content)...)
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
		c.list = append(c.list, certfile.Read(p, content)...)
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
