package redact

import (
	"bytes"
	"strings"
	"testing"
)

func fixed() *Redactor { return New(Options{Plain: true}) }

func copied(t *testing.T, r *Redactor, text, path string) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := r.Copy(&out, strings.NewReader(text), path); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestCopyTakesSecretsOut(t *testing.T) {
	for _, row := range []struct{ name, path, in, want string }{
		{"the key of a kubeconfig", "files/C/k/config",
			"    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo=\n",
			"    client-key-data: <secret:private-key>\n"},
		{"the certificate of a kubeconfig is public", "files/C/k/config",
			"    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=\n",
			"    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=\n"},
		{"a token in YAML", "files/C/k/config", "    token: abc123xyz\n",
			"    token: <secret:token>\n"},
		{"a token in JSON, and what stands beside it", "x.json",
			`{"token":"a\"b","server":"https://x"}`,
			`{"token":"<secret:token>","server":"https://x"}`},
		{"a secret of Azure", "files/C/k/azure.json",
			`{ "aadClientSecret": "hunter2hunter2",  "x": 1}`,
			`{ "aadClientSecret": "<secret:client-secret>",  "x": 1}`},
		{"a password with a blank in TOML", "files/C/c.toml", "password = 'p w'\n",
			"password = '<secret:password>'\n"},
		{"an argument", "logs/a.log", "--token=abcdefghijk --v=4", "--token=<secret:token> --v=4"},
		{"an argument behind a blank", "logs/a.log", "join.exe --token abcdefghijk --v 4",
			"join.exe --token <secret:token> --v 4"},
		{"a block of lines", "files/C/a.yaml", "token: |\r\n  one\r\n  two\r\nserver: x\r\n",
			"token: |\r\n  <secret:token>\r\nserver: x\r\n"},
		{"an environment in the text of a log", "logs/a.log",
			`Env:[]EnvVar{EnvVar{Name:DB_PASSWORD,Value:hunter2,ValueFrom:nil,},}`,
			`Env:[]EnvVar{EnvVar{Name:DB_PASSWORD,Value:<secret:password>,ValueFrom:nil,},}`},
		{"a name and its value over lines", "files/C/a.yaml",
			"- name: DB_PASSWORD\n  value: hunter2\n",
			"- name: DB_PASSWORD\n  value: <secret:password>\n"},
		{"a value before its name", "files/C/a.yaml", "- value: hunter2\n  name: DB_PASSWORD\n",
			"- value: <secret:password>\n  name: DB_PASSWORD\n"},
		{"a value before its name in JSON", "a.json", `[{"value":"hunter2","name":"DB_PASSWORD"}]`,
			`[{"value":"<secret:password>","name":"DB_PASSWORD"}]`},
		{"arguments in JSON", "a.json", `{"args":["--token","x1","--v=2","--password=a b","/p:x"]}`,
			`{"args":["--token","<secret:token>","--v=2","--password=<secret:password>","/p:x"]}`},
		{"a document in a string", "a.json", `{"a":"{\"password\":\"x y\"}"}`,
			`{"a":"{\"password\":\"<secret:password>\"}"}`},
		{"a Secret whose kind stands behind", "a.json",
			`{"apiVersion":"v1","data":{"a":"aHVudGVyMg=="},"kind":"Secret"}`,
			`{"apiVersion":"v1","data":{"a":"<secret:secret>"},"kind":"Secret"}`},
		{"a Secret in YAML", "files/a.yaml",
			"apiVersion: v1\ndata:\n  a: aHVudGVyMg==\nkind: Secret\nmetadata:\n  name: x\n",
			"apiVersion: v1\ndata:\n  a: <secret:secret>\nkind: Secret\nmetadata:\n  name: x\n"},
		{"a ConfigMap in YAML", "files/a.yaml",
			"apiVersion: v1\ndata:\n  a: aHVudGVyMg==\nkind: ConfigMap\nmetadata:\n  name: x\n",
			"apiVersion: v1\ndata:\n  a: aHVudGVyMg==\nkind: ConfigMap\nmetadata:\n  name: x\n"},
		{"the environment of a kubeconfig's command", "files/C/k/config",
			"users:\n- user:\n    exec:\n      command: aws\n      env:\n      - name: AWS_PROFILE\n        value: someprofile\n  name: x\n", "users:\n- user:\n    exec:\n      command: aws\n      env:\n      - name: AWS_PROFILE\n        value: <secret:kubeconfig>\n  name: x\n"},
		{"a key for the activation of Windows", "a.log", `cscript //B "%windir%\system32\slmgr.vbs" /ipk W269N-WFGWX-YVC9B-4J6C9-T83GX`,
			`cscript //B "%windir%\system32\slmgr.vbs" /ipk <secret:password>`},
		{"credentials in a URL", "a.log", "proxy http://user:pa%40ss@10.0.0.1:3128/",
			"proxy http://user:<secret:url-password>@10.0.0.1:3128/"},
		{"a token alone in a URL", "a.log", "https://abcdefgh12345678ijkl@github.com/x",
			"https://<secret:url-token>@github.com/x"},
		{"a connection string", "a.log", `cs="Server=x;Password=a b!c;Encrypt=True"`,
			`cs="Server=x;Password=<secret:password>;Encrypt=True"`},
		{"an unattended setup over lines", "files/unattend.xml",
			"<AdministratorPassword>\r\n  <Value>UABhAHMAcwA=</Value>\r\n  <PlainText>false</PlainText>\r\n</AdministratorPassword>", "<AdministratorPassword>\r\n  <Value><secret:password></Value>\r\n  <PlainText>false</PlainText>\r\n</AdministratorPassword>"},
		{"a file that is a token", "files/C/var/lib/rancher/rke2/server/node-token", "abcdef\n",
			"<secret:token>\n"},
		{"a private key in lines", "a.txt",
			"x\n-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----\ny",
			"x\n<secret:private-key>\ny"},
		{"a command for net use", "a.log", `net use Z: \\host\share hunter2 /user:bob`,
			`net use Z: \\host\share <secret:password> /user:bob`},
		{"a secure string", "a.ps1", `ConvertTo-SecureString "hunter2" -AsPlainText`,
			`ConvertTo-SecureString "<secret:password>" -AsPlainText`},
		{"an encoded command", "a.log", `powershell -enc SQBFAFgAIABhAGIAYwA=`,
			`powershell -enc <secret:encoded-command>`},
		{"JSON in a log with escaped quotes", "a.log",
			`msg="body {\"password\":\"hun ter2\",\"x\":1}"`,
			`msg="body {\"password\":\"<secret:password>\",\"x\":1}"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := copied(t, fixed(), row.in, row.path); got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestCopyLeavesWhatIsNoSecret(t *testing.T) {
	for _, text := range []string{
		`--token-auth-file=C:\k\tokens.csv --authentication-token-webhook=true --anonymous-auth=false --rotate-certificates`,
		`/var/run/secrets/kubernetes.io/serviceaccount/token`,
		"passwordFile: C:\\k\\p", "tokenFile: /var/run/secrets/token", "secretName: x-y",
		"imagePullSecrets:\n- name: regcred\n",
		"a probe with exec:\n  value: Harbor-boat-7\n", "exec:\n  command: a\nvalue: Harbor-boat-7\n",
		"automountServiceAccountToken: false",
		"image: a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"uid: 0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00", "tokenExpirationSeconds: 3607",
		`E1120 09:00:00.1 1 a.go:1] failed to fetch token: Post "https://x": x509: certificate has expired`,
		`"error":"no password"`, "System.Web, Version=4.0.0.0, PublicKeyToken=31bf3856ad364e35",
		`HKLM\SYSTEM\CurrentControlSet\Services\kubelet\Key`,
		"key: node.kubernetes.io/not-ready", "KeyUsage: digitalSignature", "$token = $env:TOKEN",
		"$Token = Get-Content x", "token: <none>",
		"Active Directory does not give out the account's password: the user of the plug-in, or the node, may not retrieve it", "kubeadm join API-SERVER:6443 --token TOKEN", "password=YOUR-PASSWORD", "password: ****", "Authorization: Bearer <masked>",
		`secret "regcred" not found`, `err="secret \"kube-system/regcred\" not found"`,
		`secret="default/regcred"`,
		`WWW-Authenticate: Bearer realm="https://auth.example/token",service="x"`,
		"kube-api-access-x7k2p", "nginx1.17f3b5c7d8e9f0a1", "secret:\n  name: x\n",
		"Flag --token has been deprecated",
		"-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----",
	} {
		for _, path := range []string{"logs/kubelet/a.log", "files/C/k/a.yaml"} {
			if got := copied(t, fixed(), text, path); got != text {
				t.Errorf("%s: got %q\nfrom %q", path, got, text)
			}
		}
	}
}

func TestSamplesDoNotPass(t *testing.T) {
	r := New(Options{})
	text, values := r.Samples()
	out := copied(t, r, text, "logs/x.log")
	for _, v := range values {
		if strings.Contains(out, v) {
			t.Errorf("%q is left", v)
		}
	}
	if leak, err := r.Search(strings.NewReader(out), "logs/x.log"); leak != nil || err != nil {
		t.Errorf("found %+v (%v) in\n%s", leak, err, out)
	}
	t.Log("\n" + out)
}
