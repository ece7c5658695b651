package windows_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures/program"
	"doctor/fixtures/wine"
)

// TestWineEventLogs reads the event logs of a node through Windows' own interface, which a stand-in
// serves: more events than one batch has, texts in English, in another language, with an insert that
// misses, of a provider that is not installed, a long one, and a channel that may not be read.
func TestWineEventLogs(t *testing.T) {
	wine.Require(t)
	n := wine.Start(t, wineFixture(t, "healthy"), program.BuildFor(t, "windows", "amd64"))
	if err := os.RemoveAll(n.Path("events")); err != nil { // those of the recording
		t.Fatal(err)
	}
	write := func(name, content string) {
		t.Helper()
		path := n.Path("events/" + name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	event := func(channel string, number, id, second int, provider, data string) {
		write(fmt.Sprintf("%s/%04d.xml", channel, number), fmt.Sprintf(`<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='%s'/><EventID>%d</EventID><Level>2</Level><TimeCreated SystemTime='2026-11-20T09:00:%02d.1234567Z'/><Channel>%s</Channel><Computer>win-1</Computer></System><EventData><Data Name='param1'>%s</Data></EventData></Event>`,
			provider, id, second, strings.ReplaceAll(channel, ";", "/"), data))
	}
	const events = 70 // more than a batch
	for i := range events {
		event("System", i+1, 7000, i%60, "Service Control Manager", "a value")
		write(fmt.Sprintf("System/%04d.409.txt", i+1), fmt.Sprintf("The service %d failed to start.", i))
	}
	write("providers/Service Control Manager.409", "")
	long := strings.Repeat("a long value ", 2000)
	event("Application", 1, 1, 1, "Langer Text", long) // larger than the first buffer
	write("Application/0001.409.txt", "It failed at %9.")
	write("providers/Langer Text.409", "")
	event("Application", 2, 2, 2, "Nur Deutsch", "x")
	write("Application/0002.0.txt", "Der Dienst wurde beendet. ★")
	write("providers/Nur Deutsch.0", "")
	event("Application", 3, 3, 3, "Not Installed", "what it would say")
	event("Application", 4, 4, 4, "Not Installed", long)
	write("Microsoft-Windows-Hyper-V-Compute-Admin/error", "5")
	event("Microsoft-Windows-Containers-CCG;Admin", 1, 5, 5, "CCG", "of a channel with a slash")

	r := n.Run("bundle", `C:\b.zip`, "--max-size", "0", "--verbose")
	if r.Status != program.Fine || !strings.Contains(r.Stderr, "(denied: run as Administrator)") {
		t.Fatalf("exit status %d:\n%s%s", r.Status, r.Stdout, r.Stderr)
	}
	list := map[string]string{}
	z, err := zip.OpenReader(n.Path("b.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if filepath.Base(f.Name) != "events.json" || strings.Contains(f.Name, "api/") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		var all []evidence.WindowsEvent
		if err := json.Unmarshal(content, &all); err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			list[fmt.Sprint(e.Log, " ", e.Provider, " ", e.ID, " ", e.Message)] = e.Level
		}
	}
	for _, want := range []string{
		"System Service Control Manager 7000 The service 0 failed to start.",
		"System Service Control Manager 7000 The service 69 failed to start.",
		"Application Langer Text 1 It failed at %9.",
		"Application Nur Deutsch 2 Der Dienst wurde beendet. ★",
		"Application Not Installed 3 param1: what it would say",
		"Microsoft-Windows-Containers-CCG/Admin CCG 5 param1: of a channel with a slash",
	} {
		if list[want] != "error" {
			t.Errorf("there is no %q of level error", want)
		}
	}
	if want := events + 5; len(list) != want {
		t.Errorf("%d events, not %d", len(list), want)
		for e := range list {
			t.Log(e[:min(len(e), 120)])
		}
	}
	left, err := os.ReadFile(n.Path("events/handles"))
	if err != nil || !strings.HasPrefix(string(left), "0 of ") || string(left) == "0 of 0" {
		t.Errorf("handles left open: %s, %v", left, err)
	}
}
