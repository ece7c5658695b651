// Package evtx reads the files in which Windows keeps its event logs: chunks of 64 KiB with records
// in binary XML. The format is that of Microsoft's [MS-EVEN6], section 2.2.12, and of libevtx's
// description, https://github.com/libyal/libevtx/blob/main/documentation. The texts of messages are
// not in these files, but in the programs that write the events.
//
// A file may come from anybody: sizes, depths and the work on one record are bounded, a record that
// cannot be read is counted and left out, and the others are read.
package evtx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// Magic is what a file begins with.
const Magic = "ElfFile\x00"

// An Event is one record of a log.
type Event struct {
	Record   uint64
	Time     time.Time
	Provider string
	ID       int
	Level    int // 1 critical, 2 error, 3 warning, 4 and 0 information, 5 verbose
	Channel  string
	Computer string
	Data     []Datum // of EventData or UserData, in their order
}

// A Datum is a value of an event. Old events have values without names.
type Datum struct{ Name, Value string }

// Sizes of the format, in bytes.
const (
	fileHeader   = 4096
	chunkSize    = 64 << 10
	chunkHeader  = 512
	recordHeader = 24
)

var (
	chunkMagic  = []byte("ElfChnk\x00")
	recordMagic = []byte("**\x00\x00")
)

// ErrNoLog is said of what is no event log.
var ErrNoLog = errors.New("it does not begin like an event log (.evtx)")

// Read hands on the events of a file in its order, and returns how many records could not be read.
// Chunks of which Windows wrote nothing, or that are damaged, are left out; each counts as a record.
func Read(r io.Reader, take func(Event)) (unread int, err error) {
	head := make([]byte, fileHeader)
	if _, err := io.ReadFull(r, head); err != nil || !bytes.HasPrefix(head, []byte(Magic)) {
		return 0, ErrNoLog
	}
	chunk := make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(r, chunk)
		if n > chunkHeader {
			unread += readChunk(chunk[:n], take)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return unread, nil
		case err != nil:
			return unread, err
		}
	}
}

// readChunk reads the records of a chunk up to the first that is none.
func readChunk(chunk []byte, take func(Event)) (unread int) {
	if !bytes.HasPrefix(chunk, chunkMagic) {
		if bytes.Count(chunk, []byte{0}) == len(chunk) {
			return 0 // room for records that are not there yet
		}
		return 1
	}
	budget := maxSpent
	for at := chunkHeader; at+recordHeader <= len(chunk) &&
		bytes.HasPrefix(chunk[at:], recordMagic); {
		size := int(binary.LittleEndian.Uint32(chunk[at+4:]))
		if size < recordHeader+4 || at+size > len(chunk) {
			return unread + 1
		}
		e := Event{Record: binary.LittleEndian.Uint64(chunk[at+8:]),
			Time: fileTime(binary.LittleEndian.Uint64(chunk[at+16:]))}
		p := parser{chunk: chunk, at: at + recordHeader, end: at + size - 4, budget: &budget}
		root := &node{}
		if p.content(root, nil, 0, true); e.take(root) {
			take(e)
		} else {
			unread++
		}
		at += size
	}
	return unread
}

// take fills the event from its XML, and reports whether it is one.
func (e *Event) take(root *node) bool {
	event := root.child("Event")
	system := event.child("System")
	if system == nil {
		return false
	}
	provider := system.child("Provider")
	e.Provider = provider.attribute("Name")
	if e.Provider == "" {
		e.Provider = provider.attribute("EventSourceName")
	}
	e.ID, _ = strconv.Atoi(system.child("EventID").said())
	e.Level, _ = strconv.Atoi(system.child("Level").said())
	e.Channel, e.Computer = system.child("Channel").said(), system.child("Computer").said()
	for _, name := range []string{"EventData", "UserData", "ProcessingErrorData"} {
		for _, kid := range event.child(name).children() {
			e.addData(kid)
		}
	}
	return e.Provider != "" // without one it was cut while it was written
}

// addData takes the leaves of an element, each under the name that it has.
func (e *Event) addData(n *node) {
	name := n.attribute("Name")
	if name == "" && n.name != "Data" && n.name != "Binary" {
		name = n.name
	}
	if len(n.kids) == 0 {
		if n.name != "Binary" {
			e.Data = append(e.Data, Datum{name, n.said()})
		}
		return
	}
	for _, kid := range n.kids {
		e.addData(kid)
	}
}

// A node is an element of the XML.
type node struct {
	name       string
	attributes []Datum
	text       strings.Builder
	kids       []*node
}

func (n *node) child(name string) *node {
	for _, k := range n.children() {
		if k.name == name {
			return k
		}
	}
	return nil
}

func (n *node) children() []*node {
	if n == nil {
		return nil
	}
	return n.kids
}

func (n *node) attribute(name string) string {
	if n != nil {
		for _, a := range n.attributes {
			if a.Name == name {
				return a.Value
			}
		}
	}
	return ""
}

func (n *node) said() string {
	if n == nil {
		return ""
	}
	return n.text.String()
}

// fileTime is a time as Windows counts it, in 100 ns since 1601. A time that is none is zero.
func fileTime(ticks uint64) time.Time {
	const toUnix = 116444736000000000
	if ticks < toUnix || ticks > 1<<62 {
		return time.Time{}
	}
	since := ticks - toUnix
	return time.Unix(int64(since/1e7), int64(since%1e7)*100).UTC()
}
