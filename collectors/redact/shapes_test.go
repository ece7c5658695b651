package redact

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf16"
)

// wide is base64 of UTF-16, as PowerShell and Windows' setup have it.
func wide(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// TestEachShapeIsCaught: § stands for the secret.
func TestEachShapeIsCaught(t *testing.T) {
	const pw = "Tr0ub4dor7x"
	key64 := base64.StdEncoding.EncodeToString([]byte("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIAbc\n-----END EC PRIVATE KEY-----\n"))
	jwt := "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJlMTIz"
	for _, row := range []struct{ path, text, secret string }{
		{"logs/a.log", `curl -k -v -XGET -H "Authorization: Bearer §" 'https://10.0.0.1:6443/api'`, "abcdefghijklmnopqr"},
		{"logs/a.log", `headers: map[Accept:[*/*] Authorization:[Bearer §] User-Agent:[x]]`, jwt},
		{"logs/a.log", `Authorization: Basic §`, "dXNlcjpUcjB1YjRkb3I="},
		{"logs/a.log", `{"Authorization":"Basic §"}`, "dXNlcjpUcjB1YjRkb3I="},
		{"logs/a.log", `Proxy-Authorization: Basic §`, "dXNlcjpUcjB1YjRkb3I="},
		{"logs/a.log", `Cookie: session=§; other=1`, "abcdef123456"},
		{"logs/a.log", `Set-Cookie: sid=§; Path=/; HttpOnly`, "abcdef123456"},
		{"logs/a.log", `> X-Auth-Token: §`, "gAAAAABk"},
		{"logs/a.log", `-H "X-Vault-Token: §"`, "hvs.CAESIJlmn0"},
		{"logs/a.log", `X-aws-ec2-metadata-token: §`, "AQAEAJlmn0p1q2r3=="},
		{"logs/a.log", `X-Api-Key: §`, "q1w2e3r4t5y6"},
		{"logs/a.log", "mounted " + "§", jwt},
		{"logs/a.log", `{"token-id":"abcdef","token-secret":"§"}`, "0123456789abcdef"},
		{"files/a.yaml", "stringData:\n  token-id: abcdef\n  token-secret: §\n", "0123456789abcdef"},
		{"logs/a.log", "rke2 agent --token §", "K10" + strings.Repeat("ab12", 16) + "::server:0123abcd0123abcd0123abcd0123abcd"},
		{"logs/a.log", "got § here", "K10" + strings.Repeat("ab12", 16) + "::abcdef.0123456789abcdef"},
		{"files/C/etc/rancher/rke2/config.yaml", "server: https://x:9345\ntoken: §\n", "supersecretjoin"},
		{"files/C/etc/rancher/rke2/config.yaml", "server: https://x:9345\ntoken: \"§\"\n", "my join secret"},
		{"files/C/var/lib/rancher/rke2/agent/agent-token", "§\n", "justaword"},
		{"files/C/var/lib/rancher/k3s/server/cred/passwd", "§,server,server,k3s:server\n", "0123abcd"},
		{"files/C/x/token", "§", "with no line end"},
		{"files/a.yaml", "client-key-data: §", key64},
		{"files/a.yaml", `{client-key-data: §, x: y}`, key64},
		{"logs/a.log", `secret data §`, key64},
		{"a.json", `{"x":{"tls.key":"§"}}`, key64},
		{"a.json", `{"x":"-----BEGIN OPENSSH PRIVATE KEY-----\n§\n-----END OPENSSH PRIVATE KEY-----\n"}`, "b3BlbnNzaC1rZXktdjEAAAA"},
		{"logs/a.log", `"x":"-----BEGIN OPENSSH PRIVATE KEY-----\n§\n-----END OPENSSH PRIVATE KEY-----\n"`, "b3BlbnNzaC1rZXktdjEAAAA"},
		{"logs/a.log", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00FF\n\n§\n-----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA"},
		{"files/a.yaml", "x:\n  key: |\n    -----BEGIN PRIVATE KEY-----\n    §\n    -----END PRIVATE KEY-----\n", "MIIEpAIBAAKCAQEA"},
		{"logs/a.log", "-----BEGIN PRIVATE KEY-----\n§\nE1120 09:00:00 the key was cut\n", "MIIEpAIBAAKCAQEAMIIEpAIBAAKCAQEA"},
		{"files/a.ppk", "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n§\nAAABAQ==\nPrivate-MAC: 0011\n", "AAABAHJk"},
		{"a.json", `{"pfx":"§"}`, "MIIKcQIBAzCCCjcGCSqGSIb3DQEHAaCCCigEggok"},
		{"files/C/Users/x/.docker/config.json", `{"auths":{"r.example":{"auth":"§"}}}`, "dTpw"},
		{"files/C/Users/x/.docker/config.json", `{"auths":{"r.example":{"identitytoken":"§"}}}`, "justaword"},
		{"files/C/Users/x/.docker/config.json", `{"auths":{"r.example":{"registrytoken":"§"}}}`, "justaword"},
		{"logs/a.log", `{"auths":{"r.example":{"auth":"§"}}}`, "dXNlcjpUcjB1YjRkb3I="},
		{"files/a.toml", "[plugins.\"io.containerd.grpc.v1.cri\".registry.configs.\"x\".auth]\n  username = \"u\"\n  password = \"§\"\n", "qz"},
		{"files/a.toml", "  auth = \"§\"\n", "dXNlcjpUcjB1YjRkb3I="},
		{"files/a.toml", "  identitytoken = \"§\"\n", "someword"},
		{"files/hosts.toml", "[host.\"https://x\".header]\n  Authorization = \"Basic §\"\n", "dXNlcjpUcjB1YjRkb3I="},
		{"files/hosts.toml", "[host.\"https://x\".header]\n  X-Auth-Token = [\"§\"]\n", "q1w2e3r4"},
		{"logs/a.log", `crictl pull --creds user:§ image`, pw},
		{"a.json", `{"args":["crictl","pull","--creds","user:§","image"]}`, pw},
		{"logs/a.log", `crictl.exe --creds=user:§ pull image`, pw},
		{"logs/a.log", `x.exe --registry-password=§ --v=2`, "p@ss,w;x"},
		{"logs/a.log", `x.exe --password § --v=2`, "swordfish"},
		{"logs/a.log", `x.exe "--password=§" --v=2`, "a b c"},
		{"logs/a.log", `x.exe --password "§" --v=2`, "a b c"},
		{"logs/a.log", `winrs -r:host -u:me /p:§ cmd`, "swordfish"},
		{"logs/a.log", `psexec.exe \\host -u dom\me -p § cmd`, "swordfish"},
		{"logs/a.log", `C:\t\PsExec64.exe -accepteula \\host -u me -p "§" cmd`, "sword fish"},
		{"logs/a.log", `mysql -uroot -p§ db`, "swordfish"},
		{"logs/a.log", `docker login -u me -p § r.example`, "swordfish"},
		{"logs/a.log", `sshpass -p § ssh x`, "swordfish"},
		{"logs/a.log", `plink -pw § host`, "swordfish"},
		{"logs/a.log", `sqlcmd -S x -U sa -P §`, "swordfish"},
		{"logs/a.log", `curl -u me:§ https://x`, "swordfish"},
		{"logs/a.log", `curl.exe --user me:§ https://x`, "swordfish"},
		{"logs/a.log", `New-LocalUser -Name x -Password §`, "swordfish"},
		{"logs/a.log", `net use Z: \\host\s § /user:dom\me`, "swordfish"},
		{"logs/a.log", `net use \\host\s /user:dom\me §`, "swordfish"},
		{"logs/a.log", `net user me § /add`, "swordfish"},
		{"files/a.ps1", `ConvertTo-SecureString '§' -AsPlainText -Force`, "sword fish"},
		{"files/a.ps1", `ConvertTo-SecureString -String "§" -AsPlainText -Force`, "sword fish"},
		{"files/a.ps1", `ConvertTo-SecureString -AsPlainText § -Force`, "swordfish"},
		{"files/a.ps1", `"§" | ConvertTo-SecureString -AsPlainText -Force`, "sword fish"},
		{"files/a.ps1", `New-Object Net.NetworkCredential("me", "§")`, "sword fish"},
		{"files/a.ps1", `$env:DB_PASSWORD = "§"`, "sword fish"},
		{"files/a.ps1", `$Password='§'`, "swordfish"},
		{"files/a.ps1", `[Environment]::SetEnvironmentVariable("DB_PASSWORD", "§", "Machine")`, "sword fish"},
		{"files/a.ps1", `@{ Password = '§'; User = 'x' }`, "swordfish"},
		{"logs/a.log", `sc.exe config x obj= .\me password= §`, "swordfish"},
		{"logs/a.log", `sc config x obj= .\me password= "§"`, "sword fish"},
		{"logs/a.log", `cmdkey /add:host /user:me /pass:§`, "swordfish"},
		{"logs/a.log", `schtasks /create /tn x /ru me /rp § /f`, "swordfish"},
		{"logs/a.log", `nssm set kubelet AppEnvironmentExtra DB_PASSWORD=§ MODE=x`, "swordfish"},
		{"logs/a.log", `nssm set kubelet ObjectName .\me §`, "swordfish"},
		{"logs/a.log", `setx DB_PASSWORD § /M`, "swordfish"},
		{"logs/a.log", "    DefaultPassword    REG_SZ    §", "sword fish"},
		{"files/a.reg", `"DefaultPassword"="§"`, "sword fish"},
		{"files/a.env", "DB_PASSWORD=§\nMODE=x\n", "sword fish"},
		{"files/a.env", "export API_KEY='§'\n", "q1w2e3r4"},
		{"env.json", `{"DB_PASSWORD":"§","MODE":"x"}`, "qz"},
		{"env.json", `{"MYSQL_PWD":"§","PWD":"C:\\k"}`, "swordfish"},
		{"services.json", `[{"name":"x","env":{"AWS_SESSION_TOKEN":"§"}}]`, "FwoGZXIvYXdz"},
		{"services.json", `[{"name":"x","binPath":"C:\\x.exe --password § --v=2"}]`, "swordfish"},
		{"services.json", `[{"args":["--registry-password","§"]}]`, "--odd"[2:] + "word"},
		{"api/pods.json", `{"env":[{"name":"DB_PASSWORD","value":"§"}]}`, "s w"},
		{"api/pods.json", "{\"env\":[\n {\n  \"value\": \"§\",\n  \"name\": \"DB_PASSWORD\"\n }]}", "s w"},
		{"logs/a.log", `env=[{\"name\":\"DB_PASSWORD\",\"value\":\"§\"}]`, "s w"},
		{"logs/a.log", "    {\n      \"name\": \"DB_PASSWORD\",\n      \"value\": \"§\"\n    }", "swordfish"},
		{"logs/a.log", "    {\n      \"value\": \"§\",\n      \"name\": \"DB_PASSWORD\"\n    }", "swordfish"},
		{"files/web.config", `<add key="DbPassword" value="§" />`, "sword fish"},
		{"files/web.config", `<add value="§" key="DbPassword" />`, "sword fish"},
		{"files/web.config", `<add name="x" connectionString="Server=s;Uid=u;Pwd=§;" />`, "sword!fish"},
		{"logs/a.log", `proxy=https://me:§@proxy:3128`, "swordfish"},
		{"logs/a.log", `https://me:§@host/x`, "p%40ss%2Fw"},
		{"logs/a.log", `git clone https://§@github.com/x/y`, "abcdefabcdef1234567890abcdef"},
		{"logs/a.log", `amqp://me:§@mq:5672/v`, "swordfish"},
		{"logs/a.log", `Server=tcp:s;Database=d;User ID=u;Password=§;Encrypt=True`, "sword fish"},
		{"logs/a.log", `Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey=§`, "q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c="},
		{"logs/a.log", `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§;EndpointSuffix=x`, strings.Repeat("q1W2e3R4/+", 8) + "q1W2e3=="},
		{"logs/a.log", `https://a.blob.example/c?sv=2020&sig=§&se=2026`, "abcDEF123%2Bxyz%2F0987654321ABCDEF%3D"},
		{"logs/a.log", `https://a.example/c?X-Amz-Signature=§`, strings.Repeat("a1b2", 16)},
		{"logs/a.log", `key § used`, "AKIAIOSFODNN7EXAMPLE"},
		{"logs/a.log", `aws_secret_access_key = §`, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		{"logs/a.log", `aws configure set aws_secret_access_key §`, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"},
		{"files/gcp.json", `{"type":"service_account","private_key_id":"§"}`, strings.Repeat("a1b2", 10)},
		{"logs/a.log", `x § y`, "AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q"},
		{"logs/a.log", `x § y`, "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
		{"logs/a.log", `x § y`, "glpat-a1B2c3D4e5F6g7H8i9J0"},
		{"logs/a.log", `x § y`, "xoxb-123456789012-1234567890123-a1B2c3D4e5F6"},
		{"files/.npmrc", `//registry.npmjs.org/:_authToken=§`, "npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"},
		{"files/.npmrc", `//registry.example/:_auth=§`, "dXNlcjpUcjB1YjRkb3I="},
		{"logs/a.log", `x § y`, "abc8Q~" + strings.Repeat("a1B2", 8) + "xy"},
		{"files/C/k/azure.json", `{"aadClientId":"0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00","aadClientSecret":"§"}`, "swordfish"},
		{"logs/a.log", `az login --service-principal -u x --client-secret §`, "swordfish"},
		{"files/a.yaml", "providers:\n- name: x\n  env:\n  - name: AZURE_CLIENT_SECRET\n    value: §\n", "swordfish"},
		{"a.json", `{"PluginInput":"§"}`, "ObjectId=1;SecretUri=https://v"},
		{"logs/a.log", `msDS-ManagedPassword: §`, "AQAAACQCAAAQABIBFAIcAhu"},
		{"logs/a.log", `protected: §`, "01000000d08c9ddf0115d1118c7a00c04fc297eb010000001234567890abcdef"},
		{"logs/a.log", `protected: §`, "AQAAANCMnd8BFdERjHoAwE/Cl+sBAAAA1234567890abcdefAA=="},
		{"files/a.reg", "\"x\"=hex:§\n", `01,00,00,00,d0,8c,9d,df,01,15,d1,11,8c,7a,00,c0,4f,c2,97,eb,01,00,\` + "\n  00,00,12,34,56"},
		{"files/a.xml", `<S N="User">x</S><SS N="Password">§</SS>`, "01000000d08c9ddf0115d1118c7a00c04fc297eb010000001234567890abcdef"},
		{"files/unattend.xml", `<AdministratorPassword><Value>§</Value><PlainText>false</PlainText></AdministratorPassword>`, wide("hunter2AdministratorPassword")},
		{"files/unattend.xml", `<AutoLogon><Password><Value>§</Value></Password><Username>x</Username></AutoLogon>`, "swordfish"},
		{"files/unattend.xml", "<wcm:Password>\n\t<wcm:Value>§</wcm:Value>\n</wcm:Password>", "swordfish"},
		{"files/unattend.xml", `<Credentials><Domain>d</Domain><Password>§</Password></Credentials>`, "swordfish"},
		{"files/wifi.xml", `<sharedKey><keyType>passPhrase</keyType><keyMaterial>§</keyMaterial></sharedKey>`, "swordfish"},
		{"logs/a.log", `powershell.exe -NoProfile -EncodedCommand § -x`, wide("Get-Item x")},
		{"logs/a.log", `powershell -e §`, wide("Get-Item x")},
		{"a.json", `{"args":["powershell","-EncodedCommand","§"]}`, wide("Get-Item x")},
		{"logs/a.log", `NTLM : §`, "8846f7eaee8fb117ad06bdd830b7586c"},
		{"logs/a.log", `aes256_hmac       §`, "4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d"},
		{"logs/a.log", `aes256-cts-hmac-sha1-96:§`, "4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d4b1f3c2d"},
		{"files/.htpasswd", `me:§`, "$apr1$abcdefgh$0123456789abcdefghijk."},
		{"files/.htpasswd", `me:§`, "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="},
		{"files/a.yaml", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  a: §\n", "plain words here"},
		{"files/a.yaml", "apiVersion: v1\nkind: Secret\ndata:\n  .dockerconfigjson: |\n    §\n", "eyJhdXRocyI6e319"},
		{"files/a.yaml", "metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"apiVersion\":\"v1\",\"data\":{\"a\":\"§\"},\"kind\":\"Secret\"}\n", "aHVudGVyMg=="},
		{"a.json", `{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"data\":{\"a\":\"§\"},\"kind\":\"Secret\",\"metadata\":{}}\n"}}`, "aHVudGVyMg=="},
		{"a.json", `{"items":[{"kind":"Secret","data":{"a":"§"}}]}`, "aHVudGVyMg=="},
		{"a.json", `{"kind":"SecretList","items":[{"metadata":{},"data":{"a":"§"}}]}`, "aHVudGVyMg=="},
		{"a.json", `{"users":[{"user":{"exec":{"env":[{"name":"AWS_PROFILE","value":"§"}]}}}]}`, "someprofile"},
		{"a.json", `{"password":123§}`, "4567"},
		{"a.json", `{"config":"apiVersion: v1\nusers:\n- user:\n    token: §\n"}`, "q1w2e3r4"},
		{"files/a.yaml", "args:\n- --token\n- §\n- --v=2\n", "q1w2e3r4"},
		{"files/a.yaml", "users:\n- user:\n    auth-provider:\n      config:\n        access-token: §\n", "q1w2e3r4"},
		{"files/a.yaml", "    password: §\n", "correct horse battery"},
		{"logs/a.log", "kubectl create secret generic x --from-literal=a=§", "swordfish"},
		{"files/.netrc", "machine x login me password §\n", "swordfish"},
		{"logs/a.log", `klog "starting" password="§" pod="x"`, "swordfish"},
		{"logs/a.log", `User: x Password: §`, "Tr0ub4dor!"},
	} {
		text := strings.ReplaceAll(row.text, "§", row.secret)
		got := copied(t, fixed(), text, row.path)
		if strings.Contains(got, row.secret) || !strings.Contains(got, tokenStart) {
			t.Errorf("%s: %q is left\nof %s\nin %s", row.path, row.secret, text, got)
			continue
		}
		if strings.Contains(text, "-----BEGIN") || strings.Contains(text, "ookie:") || strings.Contains(text, "Private-Lines") || strings.HasSuffix(row.path, "passwd") {
			continue // what is around is part of it
		}
		if before, after, _ := strings.Cut(row.text, "§"); !strings.HasPrefix(got, before[:min(len(before), 6)]) || !strings.HasSuffix(got, after[max(0, len(after)-6):]) {
			t.Errorf("%s: more went than the secret\nof %s\nin %s", row.path, text, got)
		}
	}
}
