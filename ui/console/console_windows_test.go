package console

import (
	"os"
	"testing"

	"golang.org/x/sys/windows"
)

func TestAConsoleIsGivenBack(t *testing.T) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("run it in a console: %v", err)
	}
	defer in.Close()
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("run it in a console: %v", err)
	}
	defer out.Close()
	first := Open(in, out)
	defer first.Restore()
	for _, was := range []mode{0x1f7, 0x1b7, 0x1f0} {
		if err := setMode(in, was); err != nil {
			t.Fatal(err)
		}
		wasOut, _ := modeOf(out)
		for name, enter := range map[string]func(*Console){"screen": (*Console).EnterScreen, "text": (*Console).EnterText} {
			c := Open(in, out)
			if now, _ := modeOf(out); now != wasOut {
				t.Errorf("Open leaves the output mode %#x, it was %#x", now, wasOut)
			}
			enter(c)
			if now, _ := modeOf(in); now&windows.ENABLE_QUICK_EDIT_MODE != 0 {
				t.Errorf("%s: QuickEdit is on: %#x", name, now)
			}
			if now, _ := modeOf(out); c.Screen() && now&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING == 0 {
				t.Errorf("%s: sequences are off: %#x", name, now)
			}
			c.Restore()
			c.Restore()
			nowIn, _ := modeOf(in)
			nowOut, _ := modeOf(out)
			if nowIn != was || nowOut != wasOut {
				t.Errorf("%s: modes %#x, %#x; they were %#x, %#x", name, nowIn, nowOut, was, wasOut)
			}
		}
	}
}
