package netsh

import (
	"strings"
	"testing"
)

// dropEvent is one event as `netsh wfp show netevents` of Windows 10 and Server 2019 writes it, from
// the documentation of Microsoft about app networking.
const dropEvent = `<netEvent>
    <header>
        <timeStamp>2026-11-20T09:58:41.123Z</timeStamp>
        <flags numItems="2"><item>FWPM_NET_EVENT_FLAG_IP_PROTOCOL_SET</item><item>x</item></flags>
        <ipVersion>FWP_IP_VERSION_V4</ipVersion>
        <ipProtocol>17</ipProtocol>
        <localAddrV4>255.255.255.255</localAddrV4>
        <remoteAddrV4>10.195.33.252</remoteAddrV4>
        <localPort>21</localPort>
        <remotePort>61706</remotePort>
        <appId><data>5c00</data>
            <asString>\.d.e.v.i.c.e.\.s.v.c.h.o.s.t...e.x.e...</asString></appId>
    </header>
    <type>FWPM_NET_EVENT_TYPE_CLASSIFY_DROP</type>
    <classifyDrop>
        <filterId>66241</filterId>
        <layerId>44</layerId>
        <msFwpDirection>MS_FWP_DIRECTION_IN</msFwpDirection>
    </classifyDrop>
    <internalFields><terminatingFiltersInfo numItems="1"><item><filterId>66241</filterId></item></terminatingFiltersInfo></internalFields>
</netEvent>
`

func TestDropsOfWFP(t *testing.T) {
	events := func(list ...string) string {
		return `<?xml version="1.0" encoding="utf-16"?>` + "\n<netEvents>\n" +
			strings.Join(list, "") + "</netEvents>\n"
	}
	allowed := strings.ReplaceAll(dropEvent, "CLASSIFY_DROP", "CLASSIFY_ALLOW")
	again := strings.ReplaceAll(dropEvent, "61706", "61707")
	w, ok := NetEvents(events(dropEvent, allowed, again))
	if !ok || w.Total != 2 || len(w.Drops) != 1 {
		t.Fatalf("%+v, %t", w, ok)
	}
	d := w.Drops[0]
	if d.Program != "svchost.exe" || d.Count != 2 || d.LocalPort != 21 || d.RemotePort != 0 ||
		d.Protocol != "udp" || d.Direction != "in" || d.Filter != "66241" || d.Last.IsZero() {
		t.Errorf("%+v", d)
	}
	items := strings.NewReplacer("<netEvent>", "<item>", "</netEvent>", "</item>").Replace(dropEvent)
	if got, _ := NetEvents(events(items)); got.Total != 1 {
		t.Errorf("the newer form: %+v", got)
	}
	if got, ok := NetEvents(events()); !ok || got.Total != 0 {
		t.Errorf("no events: %+v, %t", got, ok)
	}
	if got, ok := NetEvents("Access is denied."); ok {
		t.Errorf("a refusal becomes %+v", got)
	}
}
