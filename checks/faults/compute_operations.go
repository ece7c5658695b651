package faults

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// A computeOperation is one event of the host compute service: 2000 creates a compute system, 2001
// starts it, 2002 shuts it down, 2003 terminates it. Their messages read "[ID] Create compute
// system, result 0xC0370103" in the language of Windows; without its texts they are the values.
type computeOperation struct {
	event  evidence.WindowsEvent
	system string // its id, "" where the message has none
	code   string // in upper case behind 0x; "" where the message has none
}

const (
	computeCreate = 2000 + iota
	computeStart
	computeShutdown
	computeTerminate
)

var (
	computeID = regexp.MustCompile(`(?i)\b(?:[0-9a-f]{64}|` +
		`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:_\w+)?)\b`)
	computeCode = regexp.MustCompile(`0[xX]([0-9a-fA-F]{8})\b`)
)

// computeOperations are the operations of the last day, in order.
func computeOperations(s evidence.Snapshot) []computeOperation {
	var list []computeOperation
	for _, e := range evidence.WindowsEvents.In(s) {
		if e.ID < computeCreate || e.ID > computeTerminate || !ofHostCompute(e) ||
			s.Now().Sub(e.Time.Time) > checks.LongAgo {
			continue
		}
		o := computeOperation{event: e, system: strings.ToLower(computeID.FindString(e.Message))}
		if m := computeCode.FindAllStringSubmatch(e.Message, -1); len(m) > 0 {
			o.code = strings.ToUpper(m[len(m)-1][1])
		}
		list = append(list, o)
	}
	sorted.By(list, func(a, b computeOperation) int {
		return a.event.Time.Compare(b.event.Time.Time)
	})
	return list
}

// ofHostCompute: other providers, such as the resource exhaustion detector, use the same numbers.
func ofHostCompute(e evidence.WindowsEvent) bool {
	return strings.Contains(strings.ToLower(e.Log), "hyper-v-compute") ||
		strings.Contains(strings.ToLower(e.Provider), "hyper-v-compute")
}

// Results that are no failure: done, and going on (hcsshim calls 0xC0370103
// ErrVmcomputeOperationPending; every asynchronous call begins with it).
var computeSuccess = []string{"00000000", "C0370103", "80370103"}

// What a stop answers for a container that has ended by itself.
var computeStopped = []string{"C0370110", "80370110", "C037010E", "8037010E", "C037011F",
	"8037011F"}

// failed tells whether the operation failed in a way that matters.
func (o computeOperation) failed() bool {
	switch {
	case o.code == "":
		level := strings.ToLower(o.event.Level)
		return level == "error" || level == "critical"
	case slices.Contains(computeSuccess, o.code):
		return false
	case o.event.ID >= computeShutdown:
		return !slices.Contains(computeStopped, o.code)
	}
	return true
}

// computeNames are what events 2000 to 2003 do.
var computeNames = map[int]evidence.Phrase{
	computeCreate:    evidence.Phrasef("create"),
	computeStart:     evidence.Phrasef("start"),
	computeShutdown:  evidence.Phrasef("shut down"),
	computeTerminate: evidence.Phrasef("terminate"),
}

// creationToStart is how long a container took from its creation to its start.
type creationToStart struct {
	event evidence.WindowsEvent // the start
	took  time.Duration
}

// computeStarts pairs each start that succeeded with the creation before it.
func computeStarts(operations []computeOperation) []creationToStart {
	created := map[string]time.Time{}
	var list []creationToStart
	for _, o := range operations {
		switch {
		case o.system == "" || o.event.Time.IsZero():
		case o.event.ID == computeCreate && !o.failed():
			if created[o.system].IsZero() {
				created[o.system] = o.event.Time.Time
			}
		case o.event.ID == computeStart && !o.failed():
			if at := created[o.system]; !at.IsZero() {
				list = append(list, creationToStart{o.event, o.event.Time.Sub(at)})
			}
			delete(created, o.system)
		case o.event.ID == computeTerminate:
			delete(created, o.system)
		}
	}
	return list
}
