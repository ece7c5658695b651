package node

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors"
)

const (
	defaultSince = 24 * time.Hour
	maxEvents    = 2000    // of one channel, the newest
	maxMessage   = 8 << 10 // bytes of one message
)

// An eventQuery gives the events of a channel, the newest first, as XML and as
// the message that their provider makes of them, which may be empty. It ends
// when take says so. A channel that is not there is fs.ErrNotExist.
type eventQuery func(channel, query string, take func(event, message string) bool) error

// An eventChannel is an event log, and which of its events are worth reading;
// all of them where none is named.
type eventChannel struct {
	name   string
	events []string // conditions on System
}

var eventChannels = []eventChannel{
	{"System", []string{
		// services that fail, end, start and change
		eventIDs("Service Control Manager", 7000, 7001, 7009, 7011, 7022, 7023, 7024, 7031, 7034,
			7036, 7040, 7045),
		// ports that run out, an address that two have
		eventIDs("Tcpip", 4199, 4227, 4231),
		// starts, shutdowns, crashes
		eventIDs("", 12, 13, 41, 1001, 1074, 6005, 6006, 6008),
		// memory, disks
		eventIDs("", 2004, 7, 11, 51, 55, 130, 153),
		providers("Microsoft-Windows-Hyper-V-VmSwitch", "Microsoft-Windows-Host-Network-Service",
			"RemoteAccess"),
		"(Level=1 or Level=2)",
	}},
	{"Application", []string{
		providers("nssm", "rke2", "rancher-wins", "containerd", "docker", "kubelet", "kube-proxy",
			"csi-proxy", "flanneld", "Application Error", "Windows Error Reporting", "WLMS"),
		"(Level=1 or Level=2)",
	}},
	{"EKS", nil},
	{"Microsoft-Windows-Host-Network-Service-Admin", nil},
	{"Microsoft-Windows-Host-Network-Service-Operational", nil},
	{"Microsoft-Windows-Hyper-V-Compute-Admin", nil},
	{"Microsoft-Windows-Hyper-V-Compute-Operational", nil},
	{"Microsoft-Windows-Hyper-V-VmSwitch-Operational", nil},
	{"Microsoft-Windows-Containers-CCG/Admin", nil},
	{"Microsoft-AKSGMSAPlugin/Admin", nil},
}

func eventIDs(provider string, ids ...int) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf("EventID=%d", id))
	}
	condition := "(" + strings.Join(list, " or ") + ")"
	if provider != "" {
		condition = providers(provider) + " and " + condition
	}
	return condition
}

func providers(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf("@Name='%s'", name))
	}
	return "Provider[" + strings.Join(list, " or ") + "]"
}

// query is Windows' form for a question with several parts, of which each
// event that fits one is given once.
func (c eventChannel) query(since time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<QueryList><Query Id="0" Path="%s">`, c.name)
	conditions := c.events
	if len(conditions) == 0 {
		conditions = []string{""}
	}
	for _, condition := range conditions {
		if condition != "" {
			condition += " and "
		}
		fmt.Fprintf(&b,
			`<Select Path="%s">*[System[%sTimeCreated[timediff(@SystemTime) &lt;= %d]]]</Select>`,
			c.name, condition, since.Milliseconds())
	}
	b.WriteString(`</Query></QueryList>`)
	return b.String()
}

// readEvents is the collector "event logs": all channels side by side, and what
// they gave before the time was over.
func readEvents(o Options, ask eventQuery) func(context.Context, *collectors.Record) error {
	return func(ctx context.Context, r *collectors.Record) error {
		ctx, cancel := collectors.BeforeDeadline(ctx, margin)
		defer cancel()
		events, err := readChannels(ctx, eventChannels, cmp.Or(o.Since, defaultSince), ask)
		if events != nil {
			r.JSON(evidence.WindowsEvents.Path(), events)
		}
		return err
	}
}

// readChannels gives the events in order of time, and the error of a channel
// that did not answer, or not to its end. Without any event, such a channel
// leaves it open whether there are some: then the list is nil.
func readChannels(ctx context.Context, channels []eventChannel, since time.Duration,
	ask eventQuery) ([]evidence.WindowsEvent, error) {
	var (
		mu       sync.Mutex
		events   = []evidence.WindowsEvent{}
		errs     = make([]error, len(channels))
		answered bool
		all      sync.WaitGroup
		over     bool
	)
	for i, c := range channels {
		// until it is done
		errs[i] = fmt.Errorf("event log %s: %w", c.name, context.DeadlineExceeded)
		all.Go(func() {
			count := 0
			err := ask(c.name, c.query(since), func(event, message string) bool {
				mu.Lock()
				defer mu.Unlock()
				if over {
					return false
				}
				if e, ok := parseEvent(event, message); ok {
					events = append(events, e)
				}
				answered = true
				count++
				return count < maxEvents
			})
			mu.Lock()
			defer mu.Unlock()
			if over {
				return
			}
			switch {
			case err == nil:
				answered, errs[i] = true, nil
			case errors.Is(err, fs.ErrNotExist): // a channel belongs to what is installed
				errs[i] = nil
			default:
				errs[i] = fmt.Errorf("event log %s: %w", c.name, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done(): // a channel that hangs is left alone
	}
	mu.Lock()
	defer mu.Unlock()
	over = true
	err := worst(errs)
	switch {
	case len(events) > 0:
	case err != nil:
		return nil, err
	case !answered:
		return nil, collectors.GapError(evidence.NotFound.Gap("any event log"))
	}
	sorted.By(events, func(a, b evidence.WindowsEvent) int {
		return a.Time.Compare(b.Time.Time)
	})
	return events, err
}

// worst is the error that says most: that one may not read, or else the first.
func worst(errs []error) error {
	for _, err := range errs {
		if errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return cmp.Or(errs...)
}

// windowsEvent is the part of an event's XML that is kept.
type windowsEvent struct {
	System struct {
		Provider struct {
			Name   string `xml:"Name,attr"`
			Source string `xml:"EventSourceName,attr"`
		}
		EventID     int
		Level       int
		TimeCreated struct {
			SystemTime time.Time `xml:"SystemTime,attr"`
		}
		Channel string
	}
	EventData struct {
		Data []struct {
			Name string `xml:"Name,attr"`
			Text string `xml:",chardata"`
		}
	}
	UserData struct {
		Inner struct {
			Values []struct {
				XMLName xml.Name
				Text    string `xml:",chardata"`
			} `xml:",any"`
		} `xml:",any"`
	}
}

var eventLevels = map[int]string{1: "critical", 2: "error", 3: "warning", 4: "information",
	5: "verbose"}

func parseEvent(text, message string) (evidence.WindowsEvent, bool) {
	var e windowsEvent
	if err := xml.Unmarshal([]byte(plainXML(text)), &e); err != nil ||
		e.System.TimeCreated.SystemTime.IsZero() {
		return evidence.WindowsEvent{}, false
	}
	if message == "" { // the provider's texts are not installed: its values are the best there is
		message = e.values()
	}
	message = strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n"))
	return evidence.WindowsEvent{
		Log: e.System.Channel, Provider: cmp.Or(e.System.Provider.Name, e.System.Provider.Source),
		ID:    e.System.EventID,
		Level: cmp.Or(eventLevels[e.System.Level], "information"),
		Time:  evidence.Time{Time: e.System.TimeCreated.SystemTime.UTC()}, Message: evidence.Clip(message, maxMessage),
	}, true
}

var controlReference = regexp.MustCompile(
	`&#(?:x(?:0*(?:[0-8bcefBCEF]|1[0-9a-fA-F])|[fF]{3}[eEfF])|0*(?:[0-8]|1[1245-9]|2[0-9]|3[01]));`)

// plainXML drops the characters that XML 1.0 does not know, also where they are
// written as numbers. Services write what they like into their messages.
func plainXML(s string) string {
	s = controlReference.ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
}

func (e windowsEvent) values() string {
	var list []string
	add := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" && name != "" {
			text = name + ": " + text
		}
		if text != "" {
			list = append(list, text)
		}
	}
	for _, d := range e.EventData.Data {
		add(d.Name, d.Text)
	}
	for _, v := range e.UserData.Inner.Values {
		add(v.XMLName.Local, v.Text)
	}
	return strings.Join(list, "\n")
}
