package foreign

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"

	"doctor/checks/evidence"
)

// What one output shows is said in a line even where no check judges it, so that a reader sees what was
// read. Beside other outputs it would only repeat them.

// ofLog is the format of a log without anything else.
const ofLog = formatPieces + ": log of "

// showFacts keeps what the only output of a text shows.
func (p *pieces) showFacts(node Node) {
	switch what := strings.TrimPrefix(p.formatOf(node), formatPieces+": "); what {
	case string(partHotfixes):
		p.showPlain(what, newestHotfixes(p.texts[partHotfixes]))
	case string(partIPConfig):
		p.showPlain(what, shownAdapters(p.texts[partIPConfig]))
	case nameOfLog(podIPConfig):
		for _, l := range p.logs {
			p.showPlain(what, shownAdapters(l.text.String()))
		}
	case "crictl info":
		p.showPlain(what, p.criFacts)
	case string(partWevtutil), psEvents:
		for _, o := range append(p.shown[psEvents], wevtutilEvents(p.texts[partWevtutil])...) {
			fields := []string{o.get("TimeCreated", "TimeGenerated", "TimeWritten", "Time"), o.get("ProviderName", "Source"), o.get("Id", "EventID", "InstanceID", "InstanceId"),
				o.get("LevelDisplayName", "EntryType"), o.get("Message", "ReplacementStrings")}
			p.showPlain(what, []string{clip(strings.Join(strings.Fields(strings.Join(fields, " ")), " "))})
		}
	}
}

// newestHotfixes are the updates of Get-HotFix, the newest first, each with its date as it is printed.
func newestHotfixes(s string) (rows []string) {
	list := hotfixRow.FindAllStringSubmatch(s, maxObjects)
	if list == nil { // of wmic
		return hotfixID.FindAllString(s, maxObjects)
	}
	order := dateOrder(list)
	slices.SortStableFunc(list, func(a, b []string) int {
		return cmp.Or(order(b[0]).Compare(order(a[0]).Time), number(strings.TrimPrefix(b[2], "KB"))-number(strings.TrimPrefix(a[2], "KB")))
	})
	for _, row := range list {
		rows = append(rows, strings.TrimSpace(row[2]+" "+hotfixDate.FindString(row[0])))
	}
	return rows
}

// shownAdapters are the adapters of ipconfig that have an address, each with its gateway. A gateway outside
// of their subnets answers nobody there.
func shownAdapters(s string) (rows []string) {
	if strings.Contains(s, notShown+" adapter") { // the gap of the adapters shows them
		return nil
	}
	list, _ := interfaces{sections: parseIPConfig(s)}.adapters()
	for _, a := range list {
		if len(a.Addresses) == 0 {
			continue
		}
		row := a.Name + " " + strings.Join(a.Addresses, " ")
		for _, gateway := range a.Gateways {
			row += ", gateway " + gateway
			if ip, err := netip.ParseAddr(gateway); err == nil && ip.Is4() && !slices.ContainsFunc(a.Addresses, func(address string) bool {
				subnet, err := netip.ParsePrefix(address)
				return err == nil && (subnet.Contains(ip) || subnet.IsSingleIP())
			}) {
				row += " outside of the subnet"
			}
		}
		if len(a.DNSServers) > 0 {
			row += ", DNS " + strings.Join(a.DNSServers, " ")
		}
		if a.DHCP != nil && *a.DHCP {
			row += ", DHCP"
		}
		rows = append(rows, evidence.Clip(evidence.Clean(row), maxQuote))
	}
	return rows
}

// criFactsOf are the conditions of the runtime and the networks of its CNI that crictl info shows.
func criFactsOf(document string) (rows []string) {
	var info struct {
		criInfo
		CNI struct {
			Networks []struct {
				Config struct {
					Name    string
					Plugins []struct{ Source string }
				}
			}
		} `json:"cniconfig"`
	}
	json.Unmarshal([]byte(document), &info)
	for _, c := range info.status().Conditions {
		row := c.Type + " false"
		if c.Status {
			row = c.Type + " true"
		}
		rows = append(rows, clip(strings.TrimSpace(strings.Join([]string{row, c.Reason, c.Message}, " "))))
	}
	for _, n := range info.CNI.Networks {
		row := "CNI network " + n.Config.Name
		for _, plugin := range n.Config.Plugins {
			var conf struct {
				Type string
				IPAM struct {
					Subnet string
					Routes []struct{ Gateway, GW string }
				}
			}
			json.Unmarshal([]byte(plugin.Source), &conf)
			row += " " + strings.TrimSpace(conf.Type+" "+conf.IPAM.Subnet)
			for _, r := range conf.IPAM.Routes {
				row += " gateway " + cmp.Or(r.Gateway, r.GW)
			}
		}
		rows = append(rows, clip(row))
	}
	return rows
}
