package node

import "testing"

func TestRedactSecrets(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"the key of a kubeconfig", "    client-key-data: LS0tLS1CRUdJTg==\n", "    client-key-data: REDACTED\n"},
		{"the certificate of a kubeconfig is public", "client-certificate-data: LS0tLS1CRUdJTg==\n", "client-certificate-data: LS0tLS1CRUdJTg==\n"},
		{"a token in YAML", "    token: abc123xyz\n", "    token: REDACTED\n"},
		{"a token in JSON, and what stands beside it", `{"token":"a\"b","server":"https://x"}`, `{"token":"REDACTED","server":"https://x"}`},
		{"a secret of Azure", `  "aadClientSecret": "hunter2hunter2",`, `  "aadClientSecret": "REDACTED",`},
		{"a secret that is not there", `"aadClientSecret": "",`, `"aadClientSecret": "",`},
		{"a password of a registry", "password = 'p w'\n", "password = 'REDACTED'\n"},
		{"an argument", "--token=abcdefghijk --v=4", "--token=REDACTED --v=4"},
		{"an argument behind a blank", "join.exe --token abcdefghijk --v 4", "join.exe --token REDACTED --v 4"},
		{"a flag without a value", "--use-token --v=4", "--use-token --v=4"},
		{"a key of AWS", "aws_secret_access_key = abcdefghijk", "aws_secret_access_key = REDACTED"},
		{"a flag that is no secret", "--authentication-token-webhook=true --anonymous-auth=false", "--authentication-token-webhook=true --anonymous-auth=false"},
		{"a file that holds a token is named", `tokenFile: C:\k\token`, `tokenFile: C:\k\token`},
		{"a variable of a script stays", "$token = $env:TOKEN", "$token = $env:TOKEN"},
		{"a command of a script stays", "$Token = Get-Content x", "$Token = Get-Content x"},
		{"a bootstrap token by its shape", "kubeadm join --discovery abcdef.0123456789abcdef", "kubeadm join --discovery REDACTED"},
		{"a credential in a URL", "proxy http://user:pass@10.0.0.1:3128/", "proxy http://REDACTED@10.0.0.1:3128/"},
		{"a block of lines", "token: |\r\n  one\r\n  two\r\nserver: x\r\n", "token: |\r\n  REDACTED\r\n  REDACTED\r\nserver: x\r\n"},
		{"a mapping under the name of a secret", "secret:\n  name: x\n", "secret:\n  name: x\n"},
		{"the settings of the kubelet", "authentication:\n  webhook:\n    enabled: true\nserverTLSBootstrap: true\n", "authentication:\n  webhook:\n    enabled: true\nserverTLSBootstrap: true\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := redactSecrets(c.text); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
