package foreign

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// What outputs show of drives, the clock, the environment, Defender and the runtime's version.
var (
	dismFeature = regexp.MustCompile(`(?m)^Feature Name : (\S+)\s+(?:[A-Z][\w ]* :.*\s+)*?State : (.+?)\s*$|^(\S+) +\| (\w+) *$`)
	timeSource  = regexp.MustCompile(`(?m)^Source: *(\S.*?) *$`)
	// w32tm asks the service of Windows Time, and no other program answers with these words.
	timeStopped = regexp.MustCompile(
		`(?m)^The following error occurred: The service has not been started\. \(0x80070426\)$`)
	// What Install-WindowsFeature and the package of Docker print when a feature needs a reboot.
	restartNeeded = regexp.MustCompile(`^WARNING: (?:You must restart this server to finish the installation process|` +
		`A restart is required to enable the containers feature)\.`)
	criRuntime   = regexp.MustCompile(`(?m)^RuntimeName: +(\S+)\s+RuntimeVersion: +(\S+)|^(containerd)(?:\.exe)? github\.com/containerd/\S+ (v?\d\S+)`)
	shownSize    = regexp.MustCompile(`^(\d+(?:[.,]\d{1,2})?) ?([KMGT]B)?$`) // 1,024 could be two numbers
	sizesInBytes = map[string]float64{"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
)

// Of outputs that few lists of the layout have a place for: what each shows becomes a part of one.
var (
	freeBytes   = regexp.MustCompile(`(?m)^Total (?:# of )?free bytes +: *([\d.,]+)`)
	allBytes    = regexp.MustCompile(`(?m)^Total (?:# of )?bytes +: *([\d.,]+)`)
	diskOf      = regexp.MustCompile(`(?i)\bdiskfree ([a-z]):`)
	dumpedRow   = regexp.MustCompile(`(?m)^(?:set interface|add (?:address|route)) .*$`)
	dumpedValue = regexp.MustCompile(`(\w+)=(?:"([^"]*)"|(\S+))`)
	// commandLine is that of a component, as the list of processes shows it.
	commandLine = regexp.MustCompile(
		`(?i)^(?:CommandLine *(?:: *)?)?"?(?:[a-z]:\\[^"|<>:]*\\)?((?:kubelet|kube-proxy|containerd|flanneld)\.exe)"? +(-{1,2}[a-z][^$]*)$|^CommandLine *$|^-{11} *$`)
	certified     = regexp.MustCompile(`(?m)^ Not(Before|After): (\S.*?) *$`)
	certifiedName = regexp.MustCompile(`(?m)^(Issuer|Subject):\n((?:    \S.*\n)+)`)
	americanDate  = regexp.MustCompile(`^[1-9]\d?/[1-9]\d?/\d{4} `)
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
		if _, ofK2s := o.fields["FreeSpace(GB)"]; ofK2s {
			free, ok = sizeOf(o.get("FreeSpace(GB)"), "GB")
			total, known = sizeOf(o.get("Size(GB)"), "GB")
		}
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
	if d, known := diskFree(p.texts[partDiskFree]); known {
		disks, drives = append(disks, d), append(drives, d.Drive+" "+evidence.SizeText(d.FreeBytes)+" free")
	}
	out.partial("disks.json", "the list of drives", drives, disks)
	env, names, whole := environmentOf(p.shown[psVariables])
	if whole {
		out.JSON("env.json", env)
	}
	out.partial("env.json", "the list of variables", names, env)
	certificates, dated := p.certificates()
	out.partial("certificates.json", "the certificates", dated, certificates)
	for _, f := range partForms {
		if f.rows == nil {
			continue
		}
		var rows []string
		for _, row := range f.rows.FindAllStringSubmatch(p.texts[f.kind], maxObjects) {
			rows = append(rows, clip(strings.Join(strings.Fields(cmp.Or(row[len(row)-1], row[1%len(row)])), " ")))
		}
		out.partial(f.path, string(f.kind), rows, nil)
	}
	source := "the text"
	if len(p.plainOf) == 1 {
		source = p.plainOf[0]
	}
	out.partial("env.json", source, p.plain, nil)
	out.partial("services.json", "the text, before their first start,", p.created, nil)
	out.partial("env.json", psTasks, p.namesOf(psTasks, "TaskPath", "", "TaskName", "State"), nil)
	out.partial("memory.json", psCounters, p.namesOf(psCounters, "CounterSamples", ""), nil)
	out.partial("processes.json", psGroups, p.namesOf(psGroups, "Count", "", "Name", "ProcessName"), nil)
	out.partial("routes.json", psNeighbors, p.namesOf(psNeighbors, "IPAddress", "", "LinkLayerAddress", "State"), nil)
	out.partial("hns-endpoints.json", psEndpoints, p.namesOf(psEndpoints, "Name", "", "IPAddress", "State"), nil)
	out.partial("hns-networks.json", psSwitches, p.namesOf(psSwitches, "Name", "", "SwitchType"), nil)
	out.partial("hns-networks.json", psNAT, p.namesOf(psNAT, "Name", "", "InternalIPInterfaceAddressPrefix"), nil)
	if len(p.lookups) == 0 {
		out.partial("probes/dns.json", psAnswers, p.namesOf(psAnswers, "Name", "", "Type", "IPAddress", "NameHost"), nil)
	}
	for _, o := range p.shown[psDefender] {
		if d, known := defenderOf(o); known {
			out.partial("security.json", "Get-MpPreference", []string{"the exclusions of Defender"},
				evidence.Security{ACLs: []evidence.ACL{}, Defender: d})
		}
	}
	if m := timeSource.FindStringSubmatch(p.texts[partW32tm]); m != nil {
		out.JSON("time.json", evidence.TimeState{Service: "running", Source: m[1]}) // or it answers nothing
	} else if timeStopped.MatchString(p.texts[partW32tm]) {
		out.JSON("time.json", evidence.TimeState{Service: "stopped"})
	}
	if p.texts[partRestart] != "" {
		out.JSON("pending-reboot.json", evidence.Reboot{Pending: true,
			Reasons: []string{"feature-installation"}})
	}
	if m := criRuntime.FindStringSubmatch(p.texts[partCRIVersion]); m != nil {
		p.cri.Version = evidence.CRIVersion{RuntimeName: m[1] + m[3], RuntimeVersion: m[2] + m[4]}
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
		list = append(list, psObject{fields: map[string]string{"FeatureName": m[1] + m[3], "State": m[2] + m[4]}})
	}
	return list
}

// diskFree is the drive of `fsutil volume diskfree C:`, whose command names it.
func diskFree(s string) (d evidence.Disk, known bool) {
	drive, free, all := diskOf.FindStringSubmatch(s), freeBytes.FindStringSubmatch(s), allBytes.FindStringSubmatch(s)
	if drive == nil || free == nil || all == nil {
		return d, false
	}
	bytes := func(m []string) int64 { return int64(number(strings.NewReplacer(",", "", ".", "").Replace(m[1]))) }
	d = evidence.Disk{Drive: strings.ToUpper(drive[1]) + ":", FreeBytes: bytes(free), TotalBytes: bytes(all)}
	return d, d.TotalBytes > 0 && d.FreeBytes <= d.TotalBytes
}

// commandLines are the processes of components of which the text shows the command line.
func commandLines(s string) (list []evidence.Process) {
	for line := range strings.Lines(s) {
		if m := commandLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil && m[1] != "" && len(list) < maxObjects {
			args, _, _ := strings.Cut(m[2], "  ") // the other columns of wmic
			list = append(list, evidence.Process{Name: m[1], Args: evidence.SplitArgs(args)})
		}
	}
	return list
}

// certificates are those of certutil -dump and of PowerShell's lists, with their dates.
func (p *pieces) certificates() (list []evidence.Certificate, shown []string) {
	add := func(c evidence.Certificate) {
		if list = append(list, c); !c.NotAfter.IsZero() {
			c.Subject += " until " + c.NotAfter.Format(time.DateOnly)
		}
		shown = append(shown, clip(c.Subject))
	}
	for _, text := range strings.Split(p.texts[partCertutil], "X509 Certificate:")[1:] {
		c := evidence.Certificate{Path: "certutil"}
		for _, m := range certifiedName.FindAllStringSubmatch(text, 2) {
			name := strings.Join(strings.Fields(strings.ReplaceAll(m[2], "\n    ", ",")), " ")
			if name = evidence.Clean(name); m[1] == "Issuer" {
				c.Issuer = name
			} else {
				c.Subject = name
			}
		}
		for _, m := range certified.FindAllStringSubmatch(text, 2) {
			if m[1] == "Before" {
				c.NotBefore = americanTime(m[2])
			} else {
				c.NotAfter = americanTime(m[2])
			}
		}
		add(c)
	}
	for _, o := range p.shown[psCertificates] {
		add(evidence.Certificate{Path: evidence.Clean(o.get("Thumbprint")), Subject: evidence.Clean(o.get("Subject")),
			Issuer: evidence.Clean(o.get("Issuer")), NotBefore: americanTime(o.get("NotBefore")), NotAfter: americanTime(o.get("NotAfter"))})
	}
	return list, shown
}

// americanTime reads a time as English Windows of the United States prints it: the only one with a
// slash, the half of the day and no zero in front, whose first number is the month.
func americanTime(s string) evidence.Time {
	for _, layout := range []string{"1/2/2006 3:04 PM", "1/2/2006 3:04:05 PM"} {
		if at, err := time.Parse(layout, s); err == nil && americanDate.MatchString(s) && plausible(at) {
			return evidence.Time{Time: at}
		}
	}
	return evidence.Time{}
}
