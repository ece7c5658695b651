package node

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	wevtapi           = windows.NewLazySystemDLL("wevtapi.dll")
	procEvtQuery      = wevtapi.NewProc("EvtQuery")
	procEvtNext       = wevtapi.NewProc("EvtNext")
	procEvtRender     = wevtapi.NewProc("EvtRender")
	procEvtOpenTexts  = wevtapi.NewProc("EvtOpenPublisherMetadata")
	procFormatMessage = wevtapi.NewProc("EvtFormatMessage")
	procEvtClose      = wevtapi.NewProc("EvtClose")
)

const (
	evtQueryChannel       = 1
	evtQueryNewestFirst   = 0x200
	evtRenderXML          = 1
	evtFormatMessageEvent = 1

	evtBatch = 64
	// until the first of a batch is found, in a log that may be long; later nobody listens
	evtTimeout = deadline / time.Millisecond
	maxEvtText = 1 << 20 // units of one event

	english = 0x409

	errEvtInvalidPath    = syscall.Errno(15000)
	errEvtChannelMissing = syscall.Errno(15007)

	errEvtUnresolvedValue     = syscall.Errno(15029)
	errEvtUnresolvedParameter = syscall.Errno(15030)
	errEvtTooManyInserts      = syscall.Errno(15031)
)

// askEventLog is an eventQuery.
func askEventLog(channel, query string, take func(event, message string) bool) error {
	if err := cmp.Or(procEvtQuery.Find(), procEvtNext.Find(), procEvtRender.Find(),
		procEvtOpenTexts.Find(), procFormatMessage.Find(), procEvtClose.Find()); err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	question, err := windows.UTF16PtrFromString(query)
	if err != nil {
		return err
	}
	// Errors are not to be tolerated: then a channel that is not there, or may not
	// be read, would answer like one without events.
	result, _, err := procEvtQuery.Call(0, 0, uintptr(unsafe.Pointer(question)),
		evtQueryChannel|evtQueryNewestFirst)
	if result == 0 {
		return noEvents(err)
	}
	defer procEvtClose.Call(result)
	texts := &eventTexts{open: map[string]uintptr{}}
	defer texts.close()
	var batch [evtBatch]uintptr
	for {
		var count uint32
		ok, _, err := procEvtNext.Call(result, evtBatch, uintptr(unsafe.Pointer(&batch[0])),
			uintptr(evtTimeout), 0, uintptr(unsafe.Pointer(&count)))
		if ok == 0 {
			if errors.Is(err, windows.ERROR_NO_MORE_ITEMS) {
				return nil
			}
			return noEvents(err)
		}
		more := true
		for _, event := range batch[:min(count, evtBatch)] {
			if more {
				if text, err := render(event); err == nil {
					more = take(text, texts.message(event, text))
				}
			}
			procEvtClose.Call(event)
		}
		if !more || count == 0 {
			return nil
		}
	}
}

// noEvents is why there are none. A stand-in for Windows may answer without a
// handle and without a reason.
func noEvents(err error) error {
	switch {
	case errors.Is(err, errEvtChannelMissing), errors.Is(err, errEvtInvalidPath):
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case err == nil || errors.Is(err, syscall.Errno(0)) ||
		errors.Is(err, windows.ERROR_CALL_NOT_IMPLEMENTED):
		return fmt.Errorf("the event log service gives no answer: %w", errors.ErrUnsupported)
	}
	return err
}

// grown calls with a larger buffer until the text fits.
func grown(call func(buffer []uint16, used *uint32) (ok uintptr, err error)) (string, error) {
	buffer := make([]uint16, 4<<10)
	for {
		var used uint32 // what call counts in: both kinds are asked for units here
		ok, err := call(buffer, &used)
		if ok != 0 {
			// up to its end: half an answer does not always tell its length
			return windows.UTF16ToString(buffer), nil
		}
		if !errors.Is(err, windows.ERROR_INSUFFICIENT_BUFFER) || int(used) <= len(buffer) ||
			used > maxEvtText {
			return "", err
		}
		buffer = make([]uint16, used)
	}
}

// render gives an event as XML.
func render(event uintptr) (string, error) {
	return grown(func(buffer []uint16, used *uint32) (uintptr, error) {
		var bytes, properties uint32
		ok, _, err := procEvtRender.Call(0, event, evtRenderXML, uintptr(2*len(buffer)),
			uintptr(unsafe.Pointer(&buffer[0])),
			uintptr(unsafe.Pointer(&bytes)), uintptr(unsafe.Pointer(&properties)))
		*used = (bytes + 1) / 2
		return ok, err
	})
}

// eventTexts are the providers' texts that were opened, by provider; 0 for those
// that are not installed.
type eventTexts struct{ open map[string]uintptr }

func (t *eventTexts) close() {
	for _, h := range t.open {
		if h != 0 {
			procEvtClose.Call(h)
		}
	}
}

var providerOf = regexp.MustCompile(`<Provider\s[^>]*?\bName=['"]([^'"]+)['"]`)

// message is what the provider makes of the event, in English where it can:
// that is what the texts that checks look for are written in.
func (t *eventTexts) message(event uintptr, text string) string {
	m := providerOf.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	for _, language := range []uintptr{english, 0} {
		h := t.provider(m[1], language)
		if h == 0 {
			continue
		}
		message, err := grown(func(buffer []uint16, used *uint32) (uintptr, error) {
			ok, _, err := procFormatMessage.Call(h, event, 0, 0, 0, evtFormatMessageEvent,
				uintptr(len(buffer)),
				uintptr(unsafe.Pointer(&buffer[0])), uintptr(unsafe.Pointer(used)))
			if errors.Is(err, errEvtUnresolvedValue) || errors.Is(err, errEvtUnresolvedParameter) ||
				errors.Is(err, errEvtTooManyInserts) {
				ok = 1 // the text is there, with %1 in it
			}
			return ok, err
		})
		if err == nil && message != "" {
			return message
		}
	}
	return ""
}

func (t *eventTexts) provider(name string, language uintptr) uintptr {
	key := fmt.Sprint(language, " ", name)
	h, known := t.open[key]
	if !known {
		if ptr, err := windows.UTF16PtrFromString(name); err == nil {
			h, _, _ = procEvtOpenTexts.Call(0, uintptr(unsafe.Pointer(ptr)), 0, language, 0)
		}
		t.open[key] = h
	}
	return h
}
