package evtx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"doctor/fixtures/evtxfile"
)

func sample(t testing.TB) []byte {
	t.Helper()
	content, err := os.ReadFile("testdata/application.evtx")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func eventsOf(t *testing.T, content []byte) (events []Event, unread int) {
	t.Helper()
	unread, err := Read(bytes.NewReader(content), func(e Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	return events, unread
}

// TestAFileOfWindows reads a file that Windows wrote.
func TestAFileOfWindows(t *testing.T) {
	events, unread := eventsOf(t, sample(t))
	if len(events) != 17 || unread != 0 {
		t.Fatalf("%d events, and %d that cannot be read", len(events), unread)
	}
	want := Event{Record: 428, Time: time.Date(2021, 3, 31, 23, 52, 3, 284393400, time.UTC),
		Provider: "Microsoft-Windows-Winlogon", ID: 6000, Level: 4, Channel: "Application",
		Computer: "DESKTOP-0HIJB49", Data: []Datum{{"", "WSearch"}}}
	for i := range events[2].Data {
		events[2].Data[i].Value = strings.TrimSpace(events[2].Data[i].Value)
	}
	if diff := cmp.Diff(want, events[2]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for i, e := range events[1:] {
		if e.Record != events[i].Record+1 || e.Channel != "Application" {
			t.Errorf("after %+v comes %+v", events[i], e)
		}
	}
}

func TestMessages(t *testing.T) {
	for _, row := range []struct {
		name     string
		provider string
		id       int
		data     []string
		want     string
	}{
		{"a service that ended", "Service Control Manager", 7031, []string{"kubelet", "2", "60000", "1", "Restart the service"},
			"The kubelet service terminated unexpectedly.  It has done this 2 time(s).  The following corrective action will be taken in 60000 milliseconds: Restart the service."},
		{"an error by its number", "Service Control Manager", 7000, []string{"containerd", "%%1058"},
			"The containerd service failed to start due to the following error: error 1058"},
		{"an HRESULT of Windows", "Service Control Manager", 7023, []string{"hns", "%%2147942414"},
			"The hns service terminated with the following error: error 2147942414 (0x8007000e)"},
		{"an event without a text here", "Some-Provider", 5, []string{"a", "", "b"}, "param1: a; param3: b"},
	} {
		events, unread := eventsOf(t, evtxfile.File(evtxfile.Event{Time: time.Unix(1e9, 0),
			Provider: row.provider, ID: row.id, Level: 2, Channel: "System", Computer: "win-1", Data: row.data}))
		if len(events) != 1 || unread != 0 {
			t.Fatalf("%s: %d events, %d unread", row.name, len(events), unread)
		}
		if got := events[0].Message(); got != row.want {
			t.Errorf("%s: %q, not %q", row.name, got, row.want)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	two := evtxfile.File(
		evtxfile.Event{Provider: "one", Channel: "System", ID: 1}, evtxfile.Event{Provider: "two", Channel: "System", ID: 2})
	first := int(binary.LittleEndian.Uint32(two[4096+512+4:])) // the size of the first record
	change := func(at int, b ...byte) []byte {
		content := bytes.Clone(two)
		copy(content[at:], b)
		return content
	}
	for _, row := range []struct {
		name           string
		content        []byte
		events, unread int
	}{
		{"whole", two, 2, 0},
		{"cut in the second record", two[:4096+512+first+50], 1, 1},
		{"a record of no size", change(4096+512+4, 0, 0, 0, 0), 0, 1},
		{"a record that is larger than its chunk", change(4096+512+4, 0xff, 0xff, 0xff, 0x7f), 0, 1},
		{"a chunk that is none", change(4096, 'X'), 0, 1},
		{"a chunk without anything", append(bytes.Clone(two), make([]byte, 64<<10)...), 2, 0},
		{"a first record without its template", change(4096+512+24+10, 0xff, 0xff, 0xff, 0x7f), 1, 1},
	} {
		events, unread := eventsOf(t, row.content)
		if len(events) != row.events || unread != row.unread {
			t.Errorf("%s: %d events and %d unread, not %d and %d", row.name, len(events), unread, row.events, row.unread)
		}
	}
	if _, err := Read(strings.NewReader("text"), func(Event) {}); !errors.Is(err, ErrNoLog) {
		t.Errorf("text is a log: %v", err)
	}
}

func TestValues(t *testing.T) {
	for _, row := range []struct {
		kind byte
		of   string
		want string
	}{
		{kindInt8, "\xff", "-1"}, {kindUint8, "\xff", "255"}, {kindInt16, "\xfe\xff", "-2"},
		{kindInt32, "\x00\x00\x00\x80", "-2147483648"}, {kindUint64, "\x01\x00\x00\x00\x00\x00\x00\x00", "1"},
		{kindBool, "\x01\x00\x00\x00", "true"}, {kindHex32, "\x00\x01\x37\xc0", "0xc0370100"},
		{kindReal64, "\x00\x00\x00\x00\x00\x00\xf8\x3f", "1.5"}, {kindANSI, "abc\x00d", "abc"},
		{kindSID, "\x01\x02\x00\x00\x00\x00\x00\x05\x20\x00\x00\x00\x20\x02\x00\x00", "S-1-5-32-544"},
		{kindSID, "\x01\xff\x00", ""}, {kindUint32, "\x01", ""}, {kindSize, "\x10\x00\x00\x00", "0x10"},
		{kindTime, "\x00\x80\x3e\xd5\xde\xb1\x9d\x01", "1970-01-01T00:00:00Z"},
		{kindIsArray | kindUint16, "\x01\x00\x02\x00", "1, 2"},
		{kindIsArray | kindString, "a\x00\x00\x00b\x00\x00\x00", "a, b"},
		{kindGUID, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10",
			"{04030201-0605-0807-090a-0b0c0d0e0f10}"},
	} {
		v := value{kind: row.kind, len: len(row.of)}
		if got := v.say([]byte(row.of)); got != row.want {
			t.Errorf("%#x of %q: %q, not %q", row.kind, row.of, got, row.want)
		}
	}
}

// FuzzRead: no file makes the reader fail or fill the memory.
func FuzzRead(f *testing.F) {
	f.Add(sample(f)[4096 : 4096+20<<10])
	f.Add(evtxfile.File(evtxfile.Event{Provider: "one", Channel: "System", ID: 1, Data: []string{"x"}})[4096:])
	f.Fuzz(func(t *testing.T, chunks []byte) {
		file := append([]byte(Magic), make([]byte, fileHeader-len(Magic))...)
		size := 0
		_, err := Read(bytes.NewReader(append(file, chunks...)), func(e Event) {
			for _, d := range e.Data {
				size += len(d.Value) + len(d.Name)
			}
			_ = e.Message()
		})
		if err != nil || size > 256*(len(chunks)+chunkSize) {
			t.Errorf("%v; %d bytes of %d", err, size, len(chunks))
		}
	})
}
