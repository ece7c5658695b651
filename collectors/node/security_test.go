package node

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
)

func certificateFor(t *testing.T, name string, authority bool) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{Organization: []string{"system:nodes"},
			CommonName: name}, IsCA: authority, BasicConstraintsValid: true,
		NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2027, 1, 1, 0,
			0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}))
}

func TestCertificates(t *testing.T) {
	client, authority := certificateFor(t, "system:node:win-1", false),
		certificateFor(t, "kubernetes", true)
	out := recorded(t,
		[]evidence.Service{{Name: "kubelet", Args: []string{`--kubeconfig=C:\own\kubeconfig`,
			`--cert-dir=C:\own\pki`}}}, nil, readCertificates(onC(map[string]string{
			`C:\var\lib\kubelet\pki\kubelet-client-current.pem`:             client + authority,
			`C:\var\lib\kubelet\pki\kubelet-client-2026-01-02-03-04-05.pem`: client,
			`C:\var\lib\kubelet\pki\kubelet.key`:                            client,
			`C:\etc\kubernetes\pki\ca.crt`:                                  authority + authority,
			`C:\own\pki\own.crt`:                                            client,
			`C:\own\named.crt`:                                              client,
			`C:\own\kubeconfig`:                                             "certificate-authority: C:\\own\\named.crt\nclient-certificate-data: " + base64.StdEncoding.EncodeToString([]byte(client)) + "\nclient-key-data: eA==\n",
			`C:\k\broken.crt`:                                               "-----BEGIN CERTIFICATE-----\nnonsense\n",
		})), "certificates.json")
	s, err := evidence.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range evidence.Certificates.In(s) {
		got = append(got, c.Path)
		if !strings.HasPrefix(c.Subject, "O=system:nodes,CN=") || c.NotAfter.Year() != 2027 {
			t.Errorf("%+v", c)
		}
	}
	want := []string{`C:\etc\kubernetes\pki\ca.crt`, `C:\etc\kubernetes\pki\ca.crt`,
		`C:\own\kubeconfig`, `C:\own\named.crt`, `C:\own\pki\own.crt`,
		`C:\var\lib\kubelet\pki\kubelet-client-current.pem`}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if text, _ := fs.ReadFile(out, "certificates.json"); strings.Contains(string(text), "KEY") {
		t.Error("a key is in it")
	}
	s, _ = evidence.Load(recorded(t, nil, nil, readCertificates(onC(map[string]string{`C:\x`: ""})),
		"certificates.json"))
	if gap := evidence.Certificates.Gap(s); gap.Kind != evidence.Absent {
		t.Errorf("without any certificate: %q", gap)
	}
}

func TestSecurity(t *testing.T) {
	lists := map[string]string{`C:\k\config`: "D:(A;;FA;;;SY)",
		`C:\own\kubeconfig`: "D:(A;;FA;;;BA)"}
	refused, bitLocker := false, "running"
	calls := securityCalls{
		accessList: func(p string) (string, error) {
			if refused {
				return "", fs.ErrPermission
			}
			if sddl, ok := lists[p]; ok {
				return sddl, nil
			}
			return "", fs.ErrNotExist
		},
		drives: func() ([]string, error) { return []string{"C:", "D:", "E:"}, nil },
		protection: func(drive string) (int32, error) {
			return map[string]int32{"C:": 1, "D:": 2}[drive],
				map[string]error{"E:": errors.New("no property")}[drive]
		},
		service: func(string) (string, error) { return bitLocker, nil },
	}
	services := []evidence.Service{
		{Name: "WinDefend", State: "running"},
		{Name: "kubelet", Args: []string{`--kubeconfig=c:\own\kubeconfig`}},
	}
	const exclusions = `[HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Windows Defender\Exclusions\Paths]
"C:\\ProgramData\\containerd"=dword:00000000
[HKEY_LOCAL_MACHINE\SOFTWARE\Policies\Microsoft\Windows Defender\Exclusions\Processes]
"containerd.exe"="0"
`
	load := func(registry string) evidence.Security {
		s, err := evidence.Load(recorded(t, services, nil,
			readSecurity(calls, regFile(t, registry)), "security.json"))
		if err != nil {
			t.Fatal(err)
		}
		if gap := evidence.SecurityInfo.Gap(s); gap.Kind != "" {
			return evidence.Security{ACLs: []evidence.ACL{{Path: gap.String()}}}
		}
		return evidence.SecurityInfo.In(s)
	}
	got := load(exclusions)
	if want := []evidence.ACL{{Path: `C:\k\config`, SDDL: "D:(A;;FA;;;SY)"},
		{Path: `C:\own\kubeconfig`, SDDL: "D:(A;;FA;;;BA)"}}; !slices.Equal(got.ACLs, want) {
		t.Errorf("access lists: %+v", got.ACLs)
	}
	if want := []evidence.BitLocker{{Drive: "C:", Protection: "on"},
		{Drive: "D:", Protection: "off"},
		{Drive: "E:", Protection: "unknown"}}; !slices.Equal(got.BitLocker, want) {
		t.Errorf("BitLocker: %+v", got.BitLocker)
	}
	if d := got.Defender; d == nil || !d.Running || !slices.Equal(d.Exclusions.Paths,
		[]string{`C:\ProgramData\containerd`}) || !slices.Equal(d.Exclusions.Processes,
		[]string{"containerd.exe"}) {
		t.Errorf("Defender: %+v", d)
	}
	bitLocker = "stopped"
	if got := load(exclusions).BitLocker; !slices.Equal(got, []evidence.BitLocker{
		{Drive: "C:", Protection: "unknown"}, {Drive: "D:", Protection: "unknown"},
		{Drive: "E:", Protection: "unknown"}}) {
		t.Errorf("a service that is stopped was asked: %+v", got)
	}
	const denied = "[!HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows Defender\\Exclusions\\Paths]\n"
	if got := load(denied); got.Defender != nil {
		t.Errorf("exclusions that may not be read: %+v", got.Defender)
	}
	refused = true
	if got := load(denied); len(got.ACLs) != 1 ||
		got.ACLs[0].Path != "denied: run as Administrator" {
		t.Errorf("nothing may be read: %+v", got)
	}
}
