package probe

import (
	"cmp"
	"net/netip"

	"golang.org/x/sys/windows"
)

var (
	dnsapi     = windows.NewLazySystemDLL("dnsapi.dll")
	dnsQuery   = dnsapi.NewProc("DnsQuery_W")
	freeRecord = dnsapi.NewProc("DnsRecordListFree")
)

// answersQuestion tells by its flags whether a record is an answer. Windows makes those of its own
// name up itself, and puts them into the section of the question, which holds no records otherwise.
func answersQuestion(flags uint32) bool {
	const sectionBits = 3
	section := flags & sectionBits
	return section == windows.DnsSectionAnswer || section == windows.DnsSectionQuestion
}

// freeRecordList is DnsFreeRecordList: the records and all that they point to.
const freeRecordList = 1

func systemLookUp(name string) ([]string, error) {
	if err := cmp.Or(dnsQuery.Find(), freeRecord.Find()); err != nil {
		return nil, err
	}
	var records *windows.DNSRecord
	if err := windows.DnsQuery(name, windows.DNS_TYPE_A, 0, nil, &records, nil); err != nil {
		return nil, err
	}
	defer windows.DnsRecordListFree(records, freeRecordList)
	var list []string
	for r := records; r != nil && len(list) < maxAnswers; r = r.Next {
		if r.Type == windows.DNS_TYPE_A && answersQuestion(r.Dw) {
			list = append(list, netip.AddrFrom4([4]byte(r.Data[:4])).String())
		}
	}
	return list, nil
}
