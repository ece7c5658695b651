package redact_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"doctor/collectors/redact"
)

// places are where a value may stand: § is the value.
var places = []struct{ path, text string }{
	{"files/a.yaml", "password: §\n"},
	{"files/a.yaml", "token: §\n"},
	{"files/a.yaml", "secret: §\n"},
	{"files/a.yaml", "key: §\n"},
	{"logs/a.log", "password: § was given to ops\n"},
	{"logs/a.log", "sets token=§ ok\n"},
	{"logs/a.log", "the password is §\n"},
	{"logs/a.log", "api key §\n"},
	{"files/a.conf", "auth §\n"},
	{"files/a.py", "    token = §\n"},
	{"files/a.go", "\tToken: §,\n"},
	{"files/a.ps1", "Foo -Password § -Force\n"},
	{"files/a.cmd", "psexec \\\\h1 -u ops -p § cmd\n"},
	{"files/a.json", `{"token":"§"}` + "\n"},
	{"files/a.js", "login({token: \"§\"})\n"},
	{"files/a.xml", "<add key=\"Password\" value=\"§\"/>\n"},
}

// settings are what a name may be the name of: § is the name.
var settings = []struct{ path, text string }{
	{"files/a.yaml", "§: swordfish\n"},
	{"files/a.yaml", "§: Tr0ub4dor3x\n"},
	{"files/a.yaml", "§: my-app-secret\n"},
	{"logs/a.log", "uses §=swordfish now\n"},
	{"logs/a.log", "§ is 05dd2080c9fddc1e882cd724\n"},
	{"files/a.sh", "export §=swordfish\n"},
	{"files/a.sh", "foo --§ swordfish --v=2\n"},
	{"files/a.json", `{"§":"my-app-secret"}` + "\n"},
	{"files/a.json", `{"§":"05dd2080c9fddc1e882cd724"}` + "\n"},
	{"files/a.xml", "<§>swordfish</§>\n"},
}

// TestWhereAValueIsMasked and TestWhichNameMasks record what a value and a name decide. The first word
// of a line of the golden file says in which of the texts above the value is masked (x) and in which it
// stays (-). A new line begins with any word; -update writes the right one.
func TestWhereAValueIsMasked(t *testing.T) { holdsMatrix(t, "testdata/values.golden", places) }
func TestWhichNameMasks(t *testing.T)      { holdsMatrix(t, "testdata/names.golden", settings) }

func holdsMatrix(t *testing.T, name string, texts []struct{ path, text string }) {
	t.Helper()
	golden, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(golden)) {
		_, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		marks := ""
		for _, x := range texts {
			r := redact.New(redact.Options{Plain: true})
			var out strings.Builder
			if _, err := r.Copy(&out, strings.NewReader(strings.ReplaceAll(x.text, "§", value)), x.path); err != nil {
				t.Fatal(err)
			}
			marks += map[bool]string{true: "x", false: "-"}[strings.Contains(out.String(), mark)]
		}
		fmt.Fprintf(&b, "%s %s\n", marks, value)
	}
	holdsGolden(t, name, b.String())
}

// shapeTemplates are texts in which the length of a value decides: § is the value.
var shapeTemplates = []string{
	"aes256-cts: §\n", "Bearer § now\n", "sends Basic § now\n", "Authorization: Basic §\n", "Authorization: Foo §\n",
	"X-Api-Key: §\n", "Cookie: sid=§\n", "x?sv=1&sig=§&se=1\n", "x?code=§ ok\n", "GET /hook?key=§ ok\n",
	"https://§@h1/x\n", "https://§:x-oauth-basic@h1/x\n", "https://ops:§@h1/x\n", "ops:§@h1.corp:3306/x\n",
	"ops:§@tcp(h1:3306)/x\n", "CORP/ops:§@h1\n", "https://hooks.slack.com/services/§ ok\n", "boxKEY § ok\n",
	"box key § ok\n", "service-token-§ ok\n", "acme_§ ok\n", "got §-us12 ok\n", "got 12345678:A§ ok\n",
	"got §NRAL ok\n", "got §.atlasv1.§ ok\n", "got abcQ~§ ok\n", "ops:$6$saltsalt$§:\n", "got $6$saltsalt$§ ok\n",
	"got $2y$10$§ ok\n", "ops:{SHA}§\n", "got eyJhbGciOiJSUzI1NiJ9.§ ok\n", "got §.eyJpc3MiOiJrdWJlIn0.§ ok\n",
	"got K10§::server:abcd ok\n", "-----BEGIN PRIVATE KEY-----\n§\nkubelet\n", "§\n-----END PRIVATE KEY-----\n",
	"x MIGHAgEAMBMGByqGSM49AgEG§ ok\n", "01000000d08c9ddf§\n", "AQAAANCMnd8BF§\n", "got ghp_§ ok\n", "got AKIA§ ok\n",
	"got GHP_§ ok\n", "got Xoxb-§ ok\n", "got GLPAT-§ ok\n", "got Sk_live_§ ok\n", "got xoxb-§ ok\n", "got glpat-§ ok\n", "got hvs.§ ok\n", "got SK§ ok\n", "the password is §\n", "the token: §\n",
	"token §\n", "password § was set\n", "password for ops: §\n", "mysql -uops -p§ db\n", "psexec -u ops -p § cmd\n",
	"tool -U ops -P § now\n", "powershell -EncodedCommand §\n", "ConvertTo-SecureString § -AsPlainText\n",
	"onesignal_key: §\n", "acmeKey = \"§\"\n", "key 7 §\n", "snmp-server community § ro\n", "conn ops/§@shop\n",
	"hmac-sha256:name:§\n", "334 UGFzc3dvcmQ6\n§\n", "password:\n§\n", "the initial password:\n\n§\n", "密码§\n",
	"pwd == \"§\"\n", "token = x || \"§\"\n", "auth=('ops', '§')\n", "f(\"token\", \"§\")\n", "GetBytes(\"ops:§\")\n",
	"data §\n", "linear §\n", "linear_key=§\n", "§ § §\n", "kubectl get secret a -o jsonpath='{.data.x}'\n§\n",
	"user: ops / password: §\n", "id/pw ops/§\n", "| token | § |\n", "a,password\n1,§\n", "PASSWORD=§{x}!Q\n", "password = §!Q#z\n",
	"x=\"Server=h;Password=§\"\n", "x=\"Server=h;Password=§;User=x\"\n", "nssm set x ObjectName .\\ops §\n", "NAME  PASSWORD\nops   §\n",
}

// TestHowLongAShapeMustBe records for each text which lengths of a value are masked.
func TestHowLongAShapeMustBe(t *testing.T) {
	const most = 72
	var b strings.Builder
	for _, template := range shapeTemplates {
		fmt.Fprintf(&b, "%q\n", template)
		for _, alphabet := range lengthAlphabets {
			value := chars(newRand(template+alphabet.name), alphabet.letters, most)
			masked := func(n int) bool {
				r := redact.New(redact.Options{Plain: true})
				return n <= most && strings.Contains(r.Text(strings.ReplaceAll(template, "§", value[:n])), mark)
			}
			ranges := ""
			for n := 1; n <= most; n++ {
				if from := n; masked(n) {
					for masked(n + 1) {
						n++
					}
					ranges += fmt.Sprintf(" %d-%d", from, n)
				}
			}
			fmt.Fprintf(&b, "  %s%s\n", alphabet.name, ranges)
		}
	}
	holdsGolden(t, "testdata/shapes.golden", b.String())
}
