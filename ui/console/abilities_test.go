package console

import "testing"

func TestAbilities(t *testing.T) {
	for _, row := range []struct {
		name string
		f    facts
		want abilities
	}{
		{"a terminal of any other system", facts{in: true, out: true, term: "xterm-256color"},
			abilities{screen: true, colour: true}},
		{"a terminal that says nothing of itself", facts{in: true, out: true}, abilities{}},
		{"a terminal of a build server", facts{in: true, out: true, term: "xterm", ci: true},
			abilities{colour: true}},
		{"a Windows console of a build server", facts{in: true, out: true, windows: true,
			sequences: true, codePage: 65001, ci: true}, abilities{colour: true, font: westernFont}},
		{"a dumb terminal", facts{in: true, out: true, term: "dumb"}, abilities{ascii: true}},
		{"NO_COLOR still has a screen", facts{in: true, out: true, term: "xterm", noColour: true},
			abilities{screen: true}},
		{"output into a pipe", facts{in: true, term: "xterm"}, abilities{}},
		{"input from a pipe: colour, and nobody to press keys", facts{out: true, term: "xterm"},
			abilities{colour: true}},
		{"output of a dumb terminal into a pipe", facts{in: true, term: "dumb"},
			abilities{ascii: true}},
		{"other systems have no code page",
			facts{in: true, out: true, term: "xterm", codePage: 437},
			abilities{screen: true, colour: true}},

		{"a Windows console in UTF-8", facts{in: true, out: true, windows: true, sequences: true,
			codePage: 65001}, abilities{screen: true, colour: true, font: westernFont}},
		{"a Windows console as it is set up in America", facts{in: true, out: true, windows: true,
			sequences: true, codePage: 437},
			abilities{screen: true, colour: true, font: westernFont}},
		{"a Windows console in GBK", facts{in: true, out: true, windows: true, sequences: true,
			codePage: 936}, abilities{screen: true, colour: true, font: wideFont}},
		{"a Windows console in legacy mode prints sequences",
			facts{in: true, out: true, windows: true, codePage: 65001},
			abilities{font: westernFont}},
		{"a Windows console over ssh from a dumb terminal",
			facts{in: true, out: true, windows: true, sequences: true, codePage: 65001,
				term: "dumb"}, abilities{ascii: true, font: westernFont}},
		{"a Windows console with NO_COLOR", facts{in: true, out: true, windows: true,
			sequences: true, codePage: 65001, noColour: true},
			abilities{screen: true, font: westernFont}},
		{"a pipe is read in the console's code page", facts{in: true, windows: true, codePage: 850},
			abilities{ascii: true}},
		{"a pipe that is read as UTF-8", facts{in: true, windows: true, codePage: 65001},
			abilities{}},
		{"PowerShell remoting has pipes and no console", facts{windows: true},
			abilities{ascii: true}},
		{"input into a Windows console from a pipe", facts{out: true, windows: true,
			sequences: true, codePage: 65001}, abilities{colour: true, font: westernFont}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.f.abilities(); got != row.want {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

func TestModesOfAWindowsConsole(t *testing.T) {
	for _, row := range []struct {
		name     string
		of       func(uint32) uint32
		was, now uint32
	}{
		{"a console as it comes, with QuickEdit", quickEditOff, 0x1f7, 0x1b7},
		{"a console without QuickEdit stays as it is", quickEditOff, 0x1b7, 0x1b7},
		{"a console whose mode tells nothing of QuickEdit", quickEditOff, 0x7, 0x87},
		{"output as it comes", sequencesOn, 0x3, 0x7},
		{"output that takes sequences already", sequencesOn, 0x7, 0x7},
		{"output without anything", sequencesOn, 0, 0x5},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.of(row.was); got != row.now {
				t.Errorf("%#x becomes %#x, want %#x", row.was, got, row.now)
			}
		})
	}
}
