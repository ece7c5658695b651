package node

import (
	"slices"
	"testing"
)

func TestMaskArgs(t *testing.T) {
	for _, row := range []struct {
		name     string
		in, want []string
	}{
		{"a value behind an equals sign", []string{"--token=abcdef.0123456789abcdef"}, []string{"--token=(masked)"}},
		{"a value that follows", []string{"--password", "s3cret", "--v=2"}, []string{"--password", "(masked)", "--v=2"}},
		{"the end of a name counts", []string{"--registry-password=x", "-ApiKey", "y", "--storage_account_key=z"}, []string{"--registry-password=(masked)", "-ApiKey", "(masked)", "--storage_account_key=(masked)"}},
		{"a file is no secret", []string{"--token-auth-file=C:\\k\\tokens.csv", "--tls-private-key-file", "x.key", "--password-file=p"}, []string{"--token-auth-file=C:\\k\\tokens.csv", "--tls-private-key-file", "x.key", "--password-file=p"}},
		{"a switch is none either", []string{"--authentication-token-webhook=true", "--rotate-token=false", "--token", "--v=2"}, []string{"--authentication-token-webhook=true", "--rotate-token=false", "--token", "--v=2"}},
		{"an empty value stays", []string{"--token="}, []string{"--token="}},
		{"the kubelet's own flags stay", []string{"--bootstrap-kubeconfig=C:\\k\\b.conf", "--feature-gates=RotateKubeletServerCertificate=true,TokenRequest=true"}, []string{"--bootstrap-kubeconfig=C:\\k\\b.conf", "--feature-gates=RotateKubeletServerCertificate=true,TokenRequest=true"}},
		{"a command for a shell", []string{"-Command", `& C:\k\join.exe --token abc.def --v 2; $env:API_TOKEN='xyz'`}, []string{"-Command", `& C:\k\join.exe --token (masked) --v 2; $env:API_TOKEN=(masked)`}},
		{"prose is not a flag", []string{"wait until the token is there"}, []string{"wait until the token is there"}},
		{"credentials in a URL", []string{"--proxy=http://me:pass@proxy:3128/x"}, []string{"--proxy=http://me:(masked)@proxy:3128/x"}},
		{"a header", []string{"-H", "Authorization: Bearer eyJhbGciOi.abc"}, []string{"-H", "Authorization: Bearer (masked)"}},
		{"a path that names a secret", []string{`--kubeconfig=C:\var\run\secrets\token`, "next"}, []string{`--kubeconfig=C:\var\run\secrets\token`, "next"}},
		{"nothing", []string{}, []string{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := maskArgs(row.in); !slices.Equal(got, row.want) {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestMaskJSON(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"a registry's account", `{"registry":{"configs":{"r.example":{"auth":{"username":"u","password":"p","auth":"dTpw","identitytoken":""},"tls":{"keyFile":"k"}}}},"n":9007199254740993}`,
			`{"n":9007199254740993,"registry":{"configs":{"r.example":{"auth":{"auth":"(masked)","identitytoken":"","password":"(masked)","username":"u"},"tls":{"keyFile":"k"}}}}}`},
		{"a mirror with an account", `{"endpoint":["https://u:p@r.example"]}`, `{"endpoint":["https://u:(masked)@r.example"]}`},
		{"nothing", ``, ``},
		{"no JSON", `oops`, ``},
	} {
		if got := maskJSON([]byte(row.in)); string(got) != row.want {
			t.Errorf("%s: got %s", row.name, got)
		}
	}
}
