package redact

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// Samples returns a text with one fresh random secret of each kind in its usual
// surroundings, and those secrets: canaries, for whoever proves that nothing
// passes.
func (r *Redactor) Samples() (text string, values []string) {
	var b strings.Builder
	plant := func(format string, secret string) {
		values = append(values, secret)
		fmt.Fprintf(&b, format+"\n", secret)
	}
	password := func() string { return "Pw" + random(lowers+digits, 14) + "7" }
	word := func(n int) string { return "q7" + random(lowers+uppers+digits, n-2) }
	plant("token: %s", word(24))
	plant("    client-key-data: %s",
		encoded("-----BEGIN RSA PRIVATE KEY-----\n"+random(lowers+uppers+digits, 64)+
			"\n-----END RSA PRIVATE KEY-----\n"))
	plant("I1120 09:00:00.000000    4242 round_trippers.go:463] Authorization: Bearer %s", word(40))
	plant("Authorization: Basic %s", encoded("sample:"+password()))
	plant("the server sent %s and closed", encodedURL(`{"alg":"RS256"}`)+"."+
		encodedURL(`{"iss":"`+word(12)+`"}`)+"."+word(43))
	plant("kubeadm join 10.0.0.1:6443 --discovery %s", random(lowers+digits, 5)+"4."+
		random(lowers+digits, 15)+"7")
	plant("server: %s", "K10"+random(digits+"abcdef", 64)+"::server:"+random(digits+"abcdef", 32))
	plant("%s", "-----BEGIN PRIVATE KEY-----\n"+random(lowers+uppers+digits, 64)+"\n"+
		random(lowers+uppers+digits, 40)+"\n-----END PRIVATE KEY-----")
	plant(`{"auths":{"registry.example":{"auth":"%s"}}}`, encoded("sample:"+password()))
	plant(`kubelet.exe --registry-password=%s --v=2`, password())
	plant(`sc.exe config kubelet obj= .\sample password= %s`, password())
	plant(`$p = ConvertTo-SecureString "%s" -AsPlainText -Force`, password())
	plant("DB_PASSWORD=%s", password())
	plant(`{"name":"API_TOKEN","value":"%s"}`, word(20))
	plant("https://sample:%s@registry.example/v2/", password())
	plant("Server=tcp:db.example;User ID=sample;Password=%s;Encrypt=True", password())
	plant("https://sample.blob.example/c?sv=2022-11-02&sig=%s", random(lowers+uppers+digits, 42)+
		"7%3D")
	plant("AccountKey=%s", base64.StdEncoding.EncodeToString(randomBytes(64)))
	plant("aws_access_key_id = %s", "AKIA"+random(uppers+"234567", 16))
	plant("aws_secret_access_key = %s", word(40))
	plant(`"aadClientSecret": "%s",`, random(lowers+uppers, 3)+"8Q~"+random(lowers+uppers+digits,
		34))
	plant("GH_TOKEN=%s", "ghp_"+word(36))
	plant("key %s", "AIzaSy"+word(33))
	plant("blob: %s", "01000000d08c9ddf0115d1118c7a00c04fc297eb"+
		hex.EncodeToString(randomBytes(40)))
	plant("<AdministratorPassword><Value>%s</Value><PlainText>true</PlainText></AdministratorPassword>", password())
	plant("PluginInput: %s", word(24))
	plant("sample:%s", "$2y$10$"+word(53))
	return b.String(), values
}

const (
	lowers = "abcdefghijklmnopqrstuvwxyz"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

func random(alphabet string, n int) string {
	b := randomBytes(n)
	for i := range b {
		b[i] = alphabet[int(b[i])%len(alphabet)]
	}
	return string(b)
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func encodedURL(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
