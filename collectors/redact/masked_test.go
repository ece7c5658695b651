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
