package tui

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestThemeIsChosenByFlagThenEnvironment(t *testing.T) {
	for _, row := range []struct {
		name, flag string
		env        map[string]string
		want, err  string
	}{
		{name: "nothing says", want: ""},
		{name: "the flag", flag: "light", want: "light"},
		{name: "the environment", env: map[string]string{"DOCTOR_THEME": "dark"}, want: "dark"},
		{name: "the flag goes before the environment", flag: "high-contrast",
			env: map[string]string{"DOCTOR_THEME": "dark", "NO_COLOR": "1"}, want: "high-contrast"},
		{name: "NO_COLOR goes before DOCTOR_THEME",
			env: map[string]string{"DOCTOR_THEME": "dark", "NO_COLOR": "1"}, want: "none"},
		{name: "a terminal that says its background is white",
			env: map[string]string{"COLORFGBG": "0;default;15"}, want: "light"},
		{name: "a terminal that says its background is black",
			env: map[string]string{"COLORFGBG": "15;0"}, want: ""},
		{name: "the environment goes before the terminal",
			env:  map[string]string{"COLORFGBG": "0;15", "DOCTOR_THEME": "dark"},
			want: "dark"},
		{name: "an unknown flag", flag: "solarized",
			err: `--theme takes dark, light, high-contrast, none, not "solarized"`},
		{name: "an unknown name in the environment", env: map[string]string{"DOCTOR_THEME": "x"},
			err: `DOCTOR_THEME takes dark, light, high-contrast, none, not "x"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := Theme(row.flag, func(name string) string { return row.env[name] })
			said := ""
			if err != nil {
				said = err.Error()
			}
			if got != row.want || said != row.err {
				t.Errorf("%q and %q, want %q and %q", got, said, row.want, row.err)
			}
		})
	}
}

// TestThemesAreLegible measures the contrast as WCAG defines it: 4.5 for text, 7 for high contrast.
func TestThemesAreLegible(t *testing.T) {
	for _, row := range []struct {
		theme  string
		papers []int // the backgrounds that it is made for, as 0xRRGGBB
		least  float64
	}{
		{themeDark, []int{0x000000, 0x1e1e1e, 0x002b36, 0x012456}, 4.5},
		{themeLight, []int{0xffffff, 0xfdf6e3, 0xf0f0f0}, 4.5},
		{themeHighContrast, nil, 7},
	} {
		for ink := range inkSkip + 1 {
			p, ok := paints[row.theme][ink]
			if !ok && ink != plain {
				t.Errorf("%s has no paint for ink %d", row.theme, ink)
			}
			papers := row.papers
			if p.back != "" {
				papers = []int{rgb(t, p.back)}
			}
			for _, paper := range papers {
				if p.fore == "" {
					continue // the terminal's own
				}
				if got := contrast(rgb(t, p.fore), paper); got < row.least {
					t.Errorf("%s: ink %d has a contrast of %.1f on #%06x, less than %.1f",
						row.theme, ink, got, paper, row.least)
				}
			}
		}
	}
}

func TestThemesDraw(t *testing.T) {
	lines := []line{{{"fault", inkFail}, {" ", plain}, {"key", accent}, {"note", faint}}}
	for theme, want := range map[string]string{
		themeDark:         "\x1b[1;38;5;210m",
		themeLight:        "\x1b[1;38;5;124m",
		themeHighContrast: "\x1b[1;38;5;231;48;5;124m",
		themeNone:         "\x1b[1mfault",
		"":                "\x1b[1;31m",
	} {
		if got := newStyles(nil, theme).frame(lines); !strings.Contains(got, want) {
			t.Errorf("theme %q draws %q, without %q", theme, got, want)
		}
	}
}

// rgb is one of the colors from 16 to 255, which are the same in every terminal.
func rgb(t *testing.T, name string) int {
	t.Helper()
	n, err := strconv.Atoi(name)
	if err != nil || n < 16 || n > 255 {
		t.Fatalf("%q is no color that is the same in every terminal", name)
	}
	if n >= 232 {
		return (8 + 10*(n-232)) * 0x010101
	}
	level := [...]int{0, 95, 135, 175, 215, 255}
	n -= 16
	return level[n/36]<<16 | level[n/6%6]<<8 | level[n%6]
}

func contrast(a, b int) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c int) float64 {
	part := func(shift int) float64 {
		v := float64(c>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
