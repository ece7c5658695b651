package netsh

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
)

// Bounds on `netsh wfp show netevents`: Windows keeps some thousand events.
const (
	maxWFPEvents = 100_000
	maxWFPDrops  = 200 // rows of wfp.json
)

// netEvent is the part of an event that is kept. Older releases call it netEvent, newer ones item.
type netEvent struct {
	Header struct {
		TimeStamp    string `xml:"timeStamp"`
		Protocol     string `xml:"ipProtocol"`
		LocalAddrV4  string `xml:"localAddrV4"`
		RemoteAddrV4 string `xml:"remoteAddrV4"`
		LocalAddrV6  string `xml:"localAddrV6"`
		RemoteAddrV6 string `xml:"remoteAddrV6"`
		LocalPort    int    `xml:"localPort"`
		RemotePort   int    `xml:"remotePort"`
		App          string `xml:"appId>asString"`
	} `xml:"header"`
	Type string `xml:"type"`
	Drop struct {
		Filter    string `xml:"filterId"`
		Direction string `xml:"msFwpDirection"`
	} `xml:"classifyDrop"`
}

// NetEvents counts the drops in what "wfp show netevents" writes. It tells as well whether the text
// is such a list, if only an empty one.
func NetEvents(s string) (evidence.WFP, bool) {
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = false
	// whatever it declares, it is UTF-8 by now
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	w := evidence.WFP{Drops: []evidence.WFPDrop{}}
	at := map[evidence.WFPDrop]int{}
	events, whole := 0, false
	for events < maxWFPEvents {
		token, err := d.Token()
		if err != nil {
			whole = errors.Is(err, io.EOF)
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "netEvent" && start.Name.Local != "item" {
			continue
		}
		var e netEvent
		if err := d.DecodeElement(&e, &start); err != nil {
			break
		}
		events++
		if !strings.HasPrefix(e.Type, "FWPM_NET_EVENT_TYPE_CLASSIFY_DROP") {
			continue
		}
		w.Total++
		row := e.row()
		last := row.Last
		row.Last = evidence.Time{}
		i, known := at[row]
		if !known {
			if len(w.Drops) == maxWFPDrops {
				continue
			}
			i = len(w.Drops)
			at[row] = i
			w.Drops = append(w.Drops, row)
		}
		w.Drops[i].Count++
		if last.After(w.Drops[i].Last.Time) {
			w.Drops[i].Last = last
		}
	}
	sorted.By(w.Drops, func(a, b evidence.WFPDrop) int { return b.Count - a.Count })
	return w, events > 0 || whole && strings.Contains(s, "netEvents")
}

// row is the drop without what differs from packet to packet: the port of the side that chose one.
func (e netEvent) row() evidence.WFPDrop {
	h := e.Header
	row := evidence.WFPDrop{Protocol: evidence.ProtocolName(evidence.Clean(h.Protocol)),
		LocalAddress:  evidence.Clean(h.LocalAddrV4 + h.LocalAddrV6),
		RemoteAddress: evidence.Clean(h.RemoteAddrV4 + h.RemoteAddrV6),
		LocalPort:     h.LocalPort, RemotePort: h.RemotePort,
		Program: programOf(h.App), Filter: evidence.Clean(e.Drop.Filter)}
	switch e.Drop.Direction {
	case "MS_FWP_DIRECTION_IN":
		row.Direction, row.RemotePort = "in", 0
	case "MS_FWP_DIRECTION_OUT":
		row.Direction, row.LocalPort = "out", 0
	}
	if at, err := time.Parse(time.RFC3339Nano, h.TimeStamp); err == nil && at.Year() >= 2016 && at.Year() < 2100 {
		row.Last = evidence.Time{Time: at.UTC()}
	}
	return row
}

// programOf is the program of an application id, in which WFP prints a dot after each character.
func programOf(app string) string {
	app = evidence.Clean(app)
	if strings.HasPrefix(app, `\.d.e.v.`) {
		var b strings.Builder
		for i, r := range app {
			if i%2 == 0 {
				b.WriteRune(r)
			}
		}
		app = strings.TrimRight(b.String(), ".")
	}
	return app[strings.LastIndexByte(app, '\\')+1:]
}
