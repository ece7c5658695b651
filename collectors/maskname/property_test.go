package maskname

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// sentence strings tokens together, with what stands between words in logs,
// paths, URLs and JSON.
func sentence(r *rand.Rand) string {
	tokens := []string{"fra-win01", "FRA-WIN01", "Fra-Win01", "ber-old7", "corp.contoso.com",
		"CONTOSO", "jdoe", "JDoe", "akswinpool-12345678-vmss000001", "akswinpool-1234", "52.1.2.3",
		"52.1.0.0/16", "10.0.0.1", "2a01:4f8::7", "00-15-5D-0A-0B-0C", "00155d0a0b0c",
		"S-1-5-21-1-2-3-500", "C:\\Users\\asmith\\x", "node", "x", "kubelet", "4.18.0.1", "jürgen",
		"JÜRGEN",
		"ip-10-0-0-1.ec2.internal", "ec2-52-1-2-3", "a@tailspin.org", "dc01", "ノード", "é"}
	between := []string{" ", ".", "-", "_", "/", "\\", "\\\\", ":", "@", "\"", "=", "\n", "\t",
		"%20", "%5C", "(", "$", ",", "::", "%", ""}
	var b strings.Builder
	for range 1 + r.IntN(8) {
		b.WriteString(tokens[r.IntN(len(tokens))])
		b.WriteString(between[r.IntN(len(between))])
	}
	return b.String()
}

func TestWhateverStandsAroundThem(t *testing.T) {
	n := learnt(t)
	r := rand.New(rand.NewPCG(7, 7))
	for range 60_000 {
		plain := sentence(r)
		quoted, err := json.Marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		got, inJSON := n.text(plain), string(n.Append(nil, quoted))
		var back string
		if err := json.Unmarshal([]byte(inJSON), &back); err != nil {
			t.Fatalf("%s gives %s: %v", quoted, inJSON, err)
		}
		for _, name := range []string{"fra-win01", "ber-old7", "corp.contoso.com", "contoso",
			"jdoe", "akswinpool-12345678-vmss000001", "akswinpool-1234", "asmith", "jürgen"} {
			if holdsWord(strings.ToLower(got), name) {
				t.Errorf("%q gives %q, which holds %s", plain, got, name)
			}
			if holdsWord(strings.ToLower(back), name) {
				t.Errorf("in JSON, %q gives %q, which holds %s", plain, back, name)
			}
		}
		// Where the place tells a name, this test has numbers for names that change what they are.
		if again := n.text(got); !strings.ContainsAny(plain, `@\`) && again != got {
			t.Errorf("%q gives %q, and masked again %q", plain, got, again)
		}
		if t.Failed() {
			return
		}
	}
}
