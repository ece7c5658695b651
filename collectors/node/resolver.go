package node

import (
	"cmp"
	"strings"

	"doctor/checks/evidence"
)

const (
	tcpipKey         = `SYSTEM\CurrentControlSet\Services\Tcpip\Parameters`
	resolverPolicy   = `SOFTWARE\Policies\Microsoft\Windows NT\DNSClient`
	membershipPolicy = `SOFTWARE\Policies\Microsoft\System\DNSClient`
)

// resolverOf reads how names are completed. A policy takes the place of the
// node's own setting; where neither has a list, the primary suffix is the list,
// or the one that DHCP gave.
func resolverOf(open hive) (evidence.DNSClientSettings, error) {
	own, err := open(tcpipKey)
	if err != nil {
		return evidence.DNSClientSettings{}, err
	}
	// Without a policy there is no key, which reads as an empty one.
	policy, _ := open(resolverPolicy)
	member, _ := open(membershipPolicy)
	primary := cmp.Or(member.text("NV PrimaryDnsSuffix"), own.text("Domain"))
	list := suffixes(policy.text("SearchList"))
	if len(list) == 0 {
		list = suffixes(own.text("SearchList"))
	}
	if len(list) == 0 {
		list = suffixes(cmp.Or(primary, own.text("DhcpDomain")))
	}
	return evidence.DNSClientSettings{SuffixSearchList: list, PrimarySuffix: primary,
		Devolution: new(firstNumber("UseDomainNameDevolution", 1, policy, own) != 0)}, nil
}

func suffixes(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
