package windows_test

import (
	"os"
	"strings"
	"testing"

	"doctor/fixtures/program"
	"doctor/fixtures/wine"
)

// TestWineLanguage: doctor speaks the language of Windows (GetUserPreferredUILanguages) where no
// variable of the environment names one.
func TestWineLanguage(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, wineFixture(t, "healthy"), program.BuildFor(t, "windows", "amd64"))
	const chinese, english = "组件", "components"
	for _, c := range []struct{ name, windows, environment, want, never string }{
		{"a Chinese Windows", "zh_CN.UTF-8", "LANG=", chinese, english},
		{"a German Windows, whose language doctor does not speak", "de_DE.UTF-8", "LANG=", english, chinese},
		{"English is asked for on a Chinese Windows", "zh_CN.UTF-8", "LANG=en_US", english, chinese},
		{"Chinese is asked for on a German Windows", "de_DE.UTF-8", "LANG=zh_CN", chinese, english},
	} {
		t.Run(c.name, func(t *testing.T) {
			n.Env = []string{"LC_ALL=" + c.windows}
			// The shell takes from the program what tells Wine its language.
			r := n.RunIn("", "cmd", "/c", `set LC_ALL=&set LC_MESSAGES=&set `+c.environment+
				`&C:\doctor.exe --demo kubelet-removed-flag -o text --force --output-file C:\said.txt`)
			said, err := os.ReadFile(n.Path("said.txt"))
			if err != nil || r.Status != program.Fail {
				t.Fatalf("exit status %d, %v\n%s%s", r.Status, err, r.Stdout, r.Stderr)
			}
			if !strings.Contains(string(said), c.want) || strings.Contains(string(said), c.never) {
				t.Errorf("it says\n%s", said)
			}
		})
	}
}
