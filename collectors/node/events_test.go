package node

import (
	"encoding/xml"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/fixtures/wait"
)

const eventOfSCM = `<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Service Control Manager' Guid='{555908d1-a6d7-4695-8e1e-26931d2012f4}' EventSourceName='Service Control Manager'/><EventID Qualifiers='49152'>7031</EventID><Version>0</Version><Level>2</Level><Task>0</Task><Opcode>0</Opcode><Keywords>0x8080000000000000</Keywords><TimeCreated SystemTime='2026-11-20T09:58:11.1234567Z'/><EventRecordID>4711</EventRecordID><Correlation/><Execution ProcessID='704' ThreadID='1'/><Channel>System</Channel><Computer>win-1</Computer><Security/></System><EventData><Data Name='param1'>Host Network Service</Data><Data Name='param2'>1</Data><Binary>68006E007300</Binary></EventData></Event>`

func TestParseEvent(t *testing.T) {
	event := func(log, provider string, id int, level, message string) evidence.WindowsEvent {
		at := evidence.Time{Time: time.Date(2026, 11, 20, 9, 58, 11, 123456700, time.UTC)}
		return evidence.WindowsEvent{Log: log, Provider: provider, ID: id, Level: level, Time: at,
			Message: message}
	}
	for _, c := range []struct {
		name, text, message string
		want                evidence.WindowsEvent
		ok                  bool
	}{
		{"an event with its message", eventOfSCM,
			"The Host Network Service service terminated unexpectedly.\r\n",
			event("System", "Service Control Manager", 7031, "error",
				"The Host Network Service service terminated unexpectedly."), true},
		{"an event whose provider is not installed", eventOfSCM, "",
			event("System", "Service Control Manager", 7031, "error",
				"param1: Host Network Service\nparam2: 1"), true},
		{"an event of a service's own words",
			`<Event><System><Provider Name='kubelet'/><EventID>1</EventID><Level>4</Level><TimeCreated SystemTime='2026-11-20T09:58:11.1234567Z'/><Channel>EKS</Channel></System><EventData><Data>I1120 one&#x1b;[0m</Data></EventData></Event>`, "",
			event("EKS", "kubelet", 1, "information", "I1120 one[0m"), true},
		{"an event with data of its user",
			`<Event><System><Provider Name='p'/><EventID>2</EventID><Level>0</Level><TimeCreated SystemTime='2026-11-20T09:58:11.1234567Z'/><Channel>C/Admin</Channel></System><UserData><E xmlns='x'><Account>gmsa01</Account></E></UserData></Event>`, "",
			event("C/Admin", "p", 2, "information", "Account: gmsa01"), true},
		{"something else", "<Event><System>", "", evidence.WindowsEvent{}, false},
		{"an event without a time", "<Event><System><EventID>1</EventID></System></Event>", "",
			evidence.WindowsEvent{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := parseEvent(c.text, c.message)
			if got != c.want || ok != c.ok {
				t.Errorf("got  %+v, %t\nwant %+v, %t", got, ok, c.want, c.ok)
			}
		})
	}
	if got, _ := parseEvent(eventOfSCM,
		strings.Repeat("ä", maxMessage)); len(got.Message) > maxMessage+8 {
		t.Errorf("a message of %d bytes is kept", len(got.Message))
	}
}

func TestQueriesAreXML(t *testing.T) {
	for _, c := range eventChannels {
		var list struct {
			Query struct {
				Path   string `xml:",attr"`
				Select []string
			}
		}
		if err := xml.Unmarshal([]byte(c.query(time.Hour)), &list); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if list.Query.Path != c.name || len(list.Query.Select) != max(1, len(c.events)) {
			t.Errorf("%s: %+v", c.name, list)
		}
		for _, s := range list.Query.Select {
			if !strings.HasSuffix(s, "TimeCreated[timediff(@SystemTime) <= 3600000]]]") ||
				strings.Count(s, "(") != strings.Count(s, ")") ||
				strings.Count(s, "[") != strings.Count(s, "]") {
				t.Errorf("%s: %s", c.name, s)
			}
			// Windows takes a few more, and then none of them
			if n := strings.Count(s, "="); n > 20 {
				t.Errorf("%s: %d comparisons in %s", c.name, n, s)
			}
		}
	}
}

func TestReadChannels(t *testing.T) {
	channels := []eventChannel{{name: "one"}, {name: "two"}}
	gives := func(n int) eventQuery {
		return func(_, _ string, take func(string, string) bool) error {
			for range n {
				if !take(eventOfSCM, "message") {
					return nil
				}
			}
			return nil
		}
	}
	both := func(one, two eventQuery) eventQuery {
		return func(channel, query string, take func(string, string) bool) error {
			if channel == "one" {
				return one(channel, query, take)
			}
			return two(channel, query, take)
		}
	}
	refuses := func(err error) eventQuery {
		return func(string, string, func(string, string) bool) error { return err }
	}
	ctx, expire := wait.Deadline(t)
	hung := make(chan bool) // the other channel has answered, this one for a moment
	hangs := func(_, _ string, take func(string, string) bool) error {
		take(eventOfSCM, "before it hangs")
		close(hung)
		select {}
	}
	gone := func(ask eventQuery) eventQuery {
		return func(channel, query string, take func(string, string) bool) error {
			defer func() {
				<-hung
				expire()
			}()
			return ask(channel, query, take)
		}
	}
	for _, c := range []struct {
		name  string
		ask   eventQuery
		count int
		gap   string // its kind
	}{
		{"both answer", gives(3), 6, ""},
		{"one is not there", both(gives(3), refuses(fs.ErrNotExist)), 3, ""},
		{"one refuses", both(gives(3), refuses(fs.ErrPermission)), 3, "denied"},
		{"one is empty, and one is not there", both(gives(0), refuses(fs.ErrNotExist)), 0, ""},
		{"one is empty, and one refuses: nobody knows", both(gives(0), refuses(fs.ErrPermission)),
			0, "denied"},
		{"one is empty, and one breaks off: nobody knows", both(gives(0), refuses(errors.New("x"))),
			0, "error"},
		{"both are empty", gives(0), 0, ""},
		{"no more than enough of each", gives(maxEvents + 500), 2 * maxEvents, ""},
		{"none answers", refuses(errors.New("the service is stopped")), 0, "error"},
		{"all refuse", both(refuses(errors.New("x")), refuses(fs.ErrPermission)), 0, "denied"},
		{"none is known", refuses(errors.ErrUnsupported), 0, "unsupported"},
		{"none is there", refuses(fs.ErrNotExist), 0, "absent"},
		// the last one: the time is over
		{"one hangs after its first event", both(gone(gives(3)), hangs), 4, "timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readChannels(ctx, channels, time.Hour, c.ask)
			kind := ""
			if err != nil {
				kind = collectors.GapOf(err).Kind
			}
			if len(got) != c.count || kind != c.gap {
				t.Errorf("%d events, %v; want %d, %q", len(got), err, c.count, c.gap)
			}
		})
	}
}
