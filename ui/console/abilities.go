package console

import "strconv"

// facts are what the system says of the two streams.
type facts struct {
	in, out  bool // they are terminals
	term     string
	noColour bool // NO_COLOR is set, to whatever
	ci       bool // a build server runs the program

	windows   bool
	sequences bool // the console at the output takes escape sequences
	// of the console's output, which is also how a reader of a pipe decodes it; 0 without a console
	codePage uint32
}

// abilities are what follows from them.
type abilities struct {
	screen, colour, ascii bool

	font font // of the console
}

// isCI tells whether a value of CI says that nobody sits at the terminal.
func isCI(value string) bool { return value != "" && value != "false" && value != "0" }

// columnsOf is a width that the environment states, or 0 where it states none.
func columnsOf(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

const utf8CodePage = 65001

func (f facts) abilities() abilities {
	// a console of Windows has no TERM; elsewhere an empty one says that nothing is known of it
	draws := f.out && f.term != "dumb" && (f.windows && f.sequences || !f.windows && f.term != "")
	able := abilities{
		screen: draws && f.in && !f.ci,
		colour: draws && !f.noColour,
		// Go writes to a console in UTF-16, whatever its code page; who reads a pipe decodes it
		ascii: f.term == "dumb" || f.windows && !f.out && f.codePage != utf8CodePage,
	}
	if f.windows && f.out {
		able.font = fontOf(f.codePage)
	}
	return able
}

// The bits of a Windows console's modes that matter here.
const (
	processedOutput = 0x1
	sequenceOutput  = 0x4 // ENABLE_VIRTUAL_TERMINAL_PROCESSING

	quickEdit     = 0x40
	extendedFlags = 0x80 // without it, SetConsoleMode leaves quickEdit as it is
)

// sequencesOn is an output mode in which escape sequences are not printed but done.
func sequencesOn(mode uint32) uint32 { return mode | processedOutput | sequenceOutput }

// quickEditOff is an input mode in which a click selects nothing: while
// something is selected, the console takes no output, and the program stands still.
func quickEditOff(mode uint32) uint32 { return mode&^quickEdit | extendedFlags }
