package redact

import (
	"strings"
	"testing"
)

// TestWhichValuesAreSoughtElsewhere: a password that one file holds is looked for in the next, unless
// it is a word that stands everywhere. § stands for the value.
func TestWhichValuesAreSoughtElsewhere(t *testing.T) {
	const log = "logs/a.log"
	for _, row := range []struct {
		name, value, text string
		found             bool
	}{
		{"a word is common", "swordfish", "reads § now", false},
		{"twelve letters are", "swordfishtun", "reads § now", false},
		{"thirteen are not", "swordfishtuna", "reads § now", true},
		{"a digit makes it one of its own", "swordfish7", "reads § now", true},
		{"letters of both cases in turns do", "sWoRdFiShX", "reads § now", true},
		{"a name of an object is common", "my-app-name", "reads § now", false},
		{"one with a digit is not", "my-app-name7", "reads § now", true},
		{"an address is common", "10.20.30.40", "reads § now", false},
		{"the name of a component is", "containerd", "reads § now", false},
		{"and a version of Windows", "win-2022", "reads § now", false},
		{"six letters are few enough", "ab12cd", "reads § now", true},
		{"five are too few", "ab12c", "reads § now", false},
		{"a short value stands alone", "swordfish7", "reads x§ now", false},
		{"and ends where it ends", "swordfish7", "reads §x now", false},
		{"no underscore stands beside it", "swordfish7", "reads _§ now", false},
		{"nor behind it", "swordfish7", "reads §_ now", false},
		{"signs may stand beside it", "swordfish7", "reads -§- now", true},
		{"twelve letters and digits may stand in a word", "swordfish7ab", "reads x§x now", true},
		{"eleven may not", "swordfish7a", "reads x§x now", false},
		{"eight with a sign may", "sword!f7", "reads x§x now", true},
		{"seven may not", "sword!7", "reads x§x now", false},
		{"words tied by an underscore may be chosen", "swift_river_boat", "reads § now", true},
		{"so may words with capitals", "SwiftRiverBoats", "reads § now", true},
		{"but no name of a setting", "swift_river_token", "reads § now", false},
		{"nor one of a password", "MyPasswordWord", "reads § now", false},
		{"a piece of JSON is no value", `a":{b1c2d3`, "reads § now", false},
		{"nor is one behind a comma", `ab,"c1d2e3`, "reads § now", false},
		{"a quote alone is a sign", `ab"c1d2e3!`, "reads § now", true},
		{"a value in JSON has escapes", `ab"c1d2e3`, `{"x":"reads ab\"c1d2e3 now"}`, true},
		{"one in a URL has others", "ab/c1 d2!e3", "GET /?x=ab%2Fc1+d2%21e3 ok", true},
		{"which may be in lower case", "ab/c1 d2!e3", "GET /?x=ab%2fc1+d2%21e3 ok", true},
		{"and one in a page", "ab<c1&d2!e3", "<x>ab&lt;c1&amp;d2!e3</x>", true},
	} {
		r := fixed()
		copied(t, r, `{"password":`+string(quoteJSON([]byte(row.value)))+"}\n", "a.json")
		text := strings.ReplaceAll(row.text, "§", row.value)
		if got := copied(t, r, text+"\n", log); strings.Contains(got, tokenStart) != row.found {
			t.Errorf("%s: %q becomes %q", row.name, text, got)
		}
	}
}

// TestNoWordOfCodeIsSoughtElsewhere: a token that was read in code may be a word of it.
func TestNoWordOfCodeIsSoughtElsewhere(t *testing.T) {
	for _, row := range []struct {
		value string
		found bool
	}{
		{"swift_river_boat", false},
		{"SwiftRiverBoats", false},
		{"SwRiBoTaXeLuMiPo", true}, // letters in turns are no words
		{"SwiftRiverBoats7", true},
		{"xkcdqwrtzpsdfg", true},
		{"Xkcdqwr-Tzpsdfg", true},
	} {
		r := fixed()
		copied(t, r, `{"accountKey":"`+row.value+"\"}\n", "a.json")
		if got := copied(t, r, "reads "+row.value+" now\n", "logs/a.log"); strings.Contains(got, tokenStart) != row.found {
			t.Errorf("got %s", got)
		}
	}
}

// TestWhatIsNoJSONIsReadAsText: from where a file breaks the rules of JSON it is text, in which
// secrets are masked too.
func TestWhatIsNoJSONIsReadAsText(t *testing.T) {
	for _, text := range []string{
		`{"a":[1},"password":"§"}`,
		`{"a":{1],"password":"§"}`,
		`["x":1,"password":"§"]`,
		`{"a" "b","password":"§"}`,
		`{"a":1 "password":"§"}`,
		`{,"password":"§"}`,
		`}"password":"§"`,
		`],"password":"§"`,
		`:{"password":"§"}`,
		`,{"password":"§"}`,
		`{{"password":"§"}}`,
		`{[1],"password":"§"}`,
		`{1:2,"password":"§"}`,
		`{"a":01,"password":"§"}`,
		`{"a":x,"password":"§"}`,
		`{"a":"b"c,"password":"§"}`,
		`{"a":"\x","password":"§"}`,
		`"a" : 1, "password":"§"`,
		`{"a":1}{"password":"§"}`,
		`{"a":1} then "password":"§"`,
		`[1, {"password":"§"}`,
		"\ufeff{\"password\":\"§\"}",
		"\ufeff[{\"password\":\"§\"}]",
		` {"password":"§"}`,
	} {
		got := copied(t, fixed(), strings.ReplaceAll(text, "§", "swordfish"), "a.json")
		if want := strings.ReplaceAll(text, "§", "<secret:password>"); got != want {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}
