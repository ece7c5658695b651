package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"doctor/checks/evidence"
)

// powerShell asks the resolver of Windows, and tells what went wrong by its
// number: the text is in the language of the image. The names that are put into
// it hold nothing but letters, digits, dots, hyphens and underscores.
const powerShell = `$ProgressPreference='SilentlyContinue';ConvertTo-Json -Compress -Depth 3 -InputObject @(%s|ForEach-Object{$n=$_;$w=[Diagnostics.Stopwatch]::StartNew();` +
	`try{$r=@(Resolve-DnsName -Name $n -Type A -DnsOnly -QuickTimeout -ErrorAction Stop);@{name=$n;code=0;ms=$w.ElapsedMilliseconds;ips=@($r|Where-Object{$_.IPAddress}|ForEach-Object{$_.IPAddress})}}` +
	`catch{@{name=$n;code=[int]$_.Exception.NativeErrorCode;ms=$w.ElapsedMilliseconds;ips=@()}}})`

// resolveByPowerShell asks for all names in one process: PowerShell takes a
// second or more to start.
func (p PodPlan) resolveByPowerShell(ctx context.Context, names []string) ([]evidence.DNSProbe,
	error) {
	quoted := "'" + strings.Join(names, "','") + "'"
	stdout, _, _, err := p.run(ctx, []string{"powershell.exe", "-NoProfile", "-NonInteractive",
		"-Command", fmt.Sprintf(powerShell, quoted)})
	if err != nil {
		return nil, err
	}
	return p.readPowerShell(names, stdout)
}

func (p PodPlan) readPowerShell(names []string, stdout string) ([]evidence.DNSProbe, error) {
	type told struct {
		Name string
		Code int
		MS   float64
		IPs  []string
	}
	var list []told
	text := strings.TrimSpace(strings.TrimPrefix(stdout, "\ufeff"))
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("powershell.exe answers no JSON: %w", err)
	}
	byName := map[string]told{}
	for _, t := range list {
		byName[t.Name] = t
	}
	var rows []evidence.DNSProbe
	for _, name := range names {
		row := p.nameRow(name, "windows")
		t, ok := byName[name]
		if !ok {
			row.Outcome, row.Why = outcomeError, "powershell.exe does not speak of it"
			rows = append(rows, row)
			continue
		}
		row.Sent, row.LatencyMS = []string{name}, max(0, t.MS)
		for _, ip := range t.IPs {
			if a, err := netip.ParseAddr(ip); err == nil {
				row.Answers = append(row.Answers, a.String())
			}
		}
		var known bool
		if row.Outcome, row.Rcode, known = outcomeOfCode(t.Code, row.Answers); !known {
			row.Outcome, row.Why = outcomeError,
				fmt.Sprintf("Resolve-DnsName ended with the error %d of Windows", t.Code)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
