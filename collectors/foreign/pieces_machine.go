package foreign

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// What outputs show of drives, the clock, the environment, Defender, name servers and the runtime's
// version.
var (
	dismFeature  = regexp.MustCompile(`(?m)^Feature Name : (\S+)\s+(?:[A-Z][\w ]* :.*\s+)*?State : (.+?)\s*$`)
	timeSource   = regexp.MustCompile(`(?m)^Source: *(\S.*?) *$`)
	criRuntime   = regexp.MustCompile(`(?m)^RuntimeName: +(\S+)\s+RuntimeVersion: +(\S+)`)
	ctrServer    = regexp.MustCompile(`(?m)^Server:\s*\n +Version: +(\S+)\s*\n +Revision:`)
	shownSize    = regexp.MustCompile(`^([\d.,]+) ?([KMGT]B)?$`)
	sizesInBytes = map[string]float64{"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
)

// sizeOf reads a size as PowerShell prints it: bytes, or a number of a unit.
func sizeOf(s, unit string) (int64, bool) {
	m := shownSize.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	digits := m[1]
	if m[2]+unit != "" {
		digits = strings.Replace(digits, ",", ".", 1) // the decimal mark of most of Europe
	}
	n, err := strconv.ParseFloat(digits, 64)
	return int64(n * sizesInBytes[cmp.Or(m[2], unit)]), err == nil
}

// disksOf are the drives of Get-PSDrive, Get-Volume and Win32_LogicalDisk.
func disksOf(list []psObject) (disks []evidence.Disk, shown []string) {
	for _, o := range list {
		drive := strings.TrimRight(o.get("DriveLetter", "DeviceID", "Root"), `:\ `)
		d := evidence.Disk{Drive: strings.ToUpper(drive) + ":", FileSystem: o.get("FileSystem", "FileSystemType")}
		free, ok := sizeOf(o.get("SizeRemaining", "FreeSpace"), "")
		total, known := sizeOf(o.get("Size"), "")
		if _, drives := o.fields["Free (GB)"]; drives {
			var used int64
			used, known = sizeOf(o.get("Used (GB)"), "GB")
			free, ok = sizeOf(o.get("Free (GB)"), "GB")
			total = used + free
		}
		if len(drive) != 1 || !ok || !known || total <= 0 {
			continue
		}
		d.FreeBytes, d.TotalBytes = free, total
		disks = append(disks, d)
		shown = append(shown, d.Drive+" "+evidence.SizeText(free)+" free")
	}
	return disks, shown
}

// environmentOf are the variables of `dir env:`: the value of one that the table cuts is not known.
func environmentOf(list []psObject) map[string]string {
	env := map[string]string{}
	for _, o := range list {
		if name, value := o.fields["Name"], o.fields["Value"]; name != "" && !cutShort(value) {
			env[name] = value
		}
	}
	if env["COMPUTERNAME"] == "" && env["SystemRoot"] == "" && env["windir"] == "" {
		return nil // any other table of names and values
	}
	return env
}

// convertState writes what the machine's own tools show of it.
func (p *pieces) convertState(out *output) {
	disks, drives := disksOf(p.shown[psDisks])
	out.partial("disks.json", "the list of drives", drives, disks)
	if env := environmentOf(p.shown[psVariables]); env != nil {
		out.JSON("env.json", env)
	}
	for _, o := range p.shown[psDefender] {
		paths, whole := listValues(o.get("ExclusionPath"))
		processes, all := listValues(o.get("ExclusionProcess"))
		if d := (&evidence.Defender{Running: !strings.EqualFold(o.get("DisableRealtimeMonitoring"),
			"True"), Exclusions: evidence.DefenderExclusions{Paths: paths, Processes: processes}}); whole && all {
			out.partial("security.json", "Get-MpPreference", paths, evidence.Security{
				ACLs: []evidence.ACL{}, Defender: d})
		}
	}
	if m := timeSource.FindStringSubmatch(p.texts[partW32tm]); m != nil {
		out.JSON("time.json", evidence.TimeState{Service: "running", Source: m[1]}) // or it answers nothing
	}
	if m := criRuntime.FindStringSubmatch(p.texts[partCRIVersion]); m != nil {
		p.cri.Version = evidence.CRIVersion{RuntimeName: m[1], RuntimeVersion: m[2]}
	}
}

// dismFeatures are the features that dism lists, each with its state.
func dismFeatures(s string) (list []psObject) {
	for _, m := range dismFeature.FindAllStringSubmatch(s, maxObjects) {
		list = append(list, psObject{fields: map[string]string{"FeatureName": m[1], "State": m[2]}})
	}
	return list
}
