package foreign

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// What outputs show of drives, the clock, the environment, Defender and the runtime's version.
var (
	dismFeature  = regexp.MustCompile(`(?m)^Feature Name : (\S+)\s+(?:[A-Z][\w ]* :.*\s+)*?State : (.+?)\s*$`)
	timeSource   = regexp.MustCompile(`(?m)^Source: *(\S.*?) *$`)
	criRuntime   = regexp.MustCompile(`(?m)^RuntimeName: +(\S+)\s+RuntimeVersion: +(\S+)`)
	ctrServer    = regexp.MustCompile(`(?m)^Server:\s*\n +Version: +(\S+)\s*\n +Revision:`)
	shownSize    = regexp.MustCompile(`^(\d+(?:[.,]\d{1,2})?) ?([KMGT]B)?$`) // 1,024 could be two numbers
	sizesInBytes = map[string]float64{"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
)

// sizeOf reads a size as PowerShell prints it: bytes, or a number of a unit, with the decimal mark
// of its language.
func sizeOf(s, unit string) (int64, bool) {
	m := shownSize.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
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

// environmentOf are the variables of `dir env:`. They are all of them where the list has what stands
// at its beginning and its end on every Windows, and no value is cut.
func environmentOf(list []psObject) (env map[string]string, names []string, whole bool) {
	env, whole = map[string]string{}, true
	for _, o := range list {
		name, value := o.fields["Name"], o.fields["Value"]
		if cutShort(value) {
			whole = false
		} else if name != "" {
			env[name] = value
			names = append(names, name)
		}
	}
	if env["COMPUTERNAME"] == "" && env["SystemRoot"] == "" && env["windir"] == "" {
		return nil, nil, false // any other table of names and values
	}
	return env, names, whole && env["ALLUSERSPROFILE"] != "" && env["windir"] != ""
}

// convertState writes what the machine's own tools show of it.
func (p *pieces) convertState(out *output) {
	disks, drives := disksOf(p.shown[psDisks])
	out.partial("disks.json", "the list of drives", drives, disks)
	env, names, whole := environmentOf(p.shown[psVariables])
	if whole {
		out.JSON("env.json", env)
	}
	out.partial("env.json", "the list of variables", names, env)
	for _, o := range p.shown[psDefender] {
		if d, known := defenderOf(o); known {
			out.partial("security.json", "Get-MpPreference", []string{"the exclusions of Defender"},
				evidence.Security{ACLs: []evidence.ACL{}, Defender: d})
		}
	}
	if m := timeSource.FindStringSubmatch(p.texts[partW32tm]); m != nil {
		out.JSON("time.json", evidence.TimeState{Service: "running", Source: m[1]}) // or it answers nothing
	}
	if m := criRuntime.FindStringSubmatch(p.texts[partCRIVersion]); m != nil {
		p.cri.Version = evidence.CRIVersion{RuntimeName: m[1], RuntimeVersion: m[2]}
	}
}

// defenderOf are the exclusions of Get-MpPreference. Who is no administrator is not shown them.
func defenderOf(o psObject) (d *evidence.Defender, known bool) {
	paths, whole := listValues(o.get("ExclusionPath"))
	processes, all := listValues(o.get("ExclusionProcess"))
	hidden := strings.Contains(o.get("ExclusionPath")+o.get("ExclusionProcess"), "N/A:")
	return &evidence.Defender{Running: !strings.EqualFold(o.get("DisableRealtimeMonitoring"), "True"),
		Exclusions: evidence.DefenderExclusions{Paths: paths, Processes: processes}}, whole && all && !hidden
}

// dismFeatures are the features that dism lists, each with its state.
func dismFeatures(s string) (list []psObject) {
	for _, m := range dismFeature.FindAllStringSubmatch(s, maxObjects) {
		list = append(list, psObject{fields: map[string]string{"FeatureName": m[1], "State": m[2]}})
	}
	return list
}
