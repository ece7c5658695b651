package timeline

import (
	"slices"
	"strings"
	"time"

	"doctor/checks"
	"doctor/checks/evidence"
)

func (b *builder) windowsEvents() {
	for _, e := range slices.Concat(evidence.WindowsEvents.In(b.s), evidence.EarlierEvents.In(b.s)) {
		kind, level := classified(e)
		text := e.Message
		if kind == Event {
			text = e.Provider + ": " + text
		}
		if strings.TrimSpace(e.Message) == "" {
			text = b.said.T("%s: event %d", e.Provider, e.ID)
		}
		component := componentOf(e.Provider+" "+e.Message[:min(len(e.Message), 200)], "windows")
		if kind == Update {
			component = "updates"
		}
		b.add(Entry{At: e.Time.Time, Kind: kind, Level: level, Component: component, Text: text,
			Place:   e.Field(),
			changed: kind == Service && (e.ID == 7040 || e.ID == 7045)})
	}
}

// classified tells by its number what an event of Windows is, for its message
// comes in the language of the node.
func classified(e evidence.WindowsEvent) (Kind, checks.Status) {
	provider := strings.ToLower(e.Provider)
	switch {
	case strings.Contains(provider, "service control manager"):
		return Service, serviceLevel(e)
	case strings.Contains(provider, "eventlog") && e.ID == 6008,
		strings.Contains(provider, "kernel-power") && e.ID == 41:
		return Boot, checks.StatusFail // it went down without being told to
	case strings.Contains(provider, "user32") && e.ID == 1074,
		strings.Contains(provider, "eventlog") && (e.ID == 6005 || e.ID == 6006),
		strings.Contains(provider, "kernel-general") && (e.ID == 12 || e.ID == 13):
		return Boot, ""
	case strings.Contains(provider, "windowsupdateclient"):
		if e.ID == 20 {
			return Update, checks.StatusFail
		}
		return Update, ""
	}
	switch strings.ToLower(e.Level) {
	case "error", "critical":
		return Event, checks.StatusFail
	case "warning":
		return Event, checks.StatusWarn
	}
	return Event, ""
}

func serviceLevel(e evidence.WindowsEvent) checks.Status {
	switch e.ID {
	case 7000, 7001, 7009, 7011, 7022, 7023, 7024, 7031, 7032, 7034:
		return checks.StatusFail
	case 7036:
		message := strings.ToLower(e.Message)
		switch {
		case strings.Contains(message, "running"):
			return checks.StatusPass
		case strings.Contains(message, "stopped"), strings.Contains(message, "paused"):
			return checks.StatusWarn
		}
		return ""
	case 7040:
		if strings.Contains(strings.ToLower(e.Message), "to disabled") {
			return checks.StatusWarn
		}
	}
	return ""
}

// components are words by which a component is known in providers, messages, services and logs.
var components = []struct {
	name  string
	words []string
}{
	{"kubelet", []string{"kubelet"}},
	{"kube-proxy", []string{"kube-proxy", "kubeproxy"}},
	{"flanneld", []string{"flannel"}},
	{"calico", []string{"calico", "felix"}},
	{"antrea", []string{"antrea", "openvswitch", "open vswitch", "ovs-"}},
	{"containerd", []string{"containerd"}},
	{"docker", []string{"docker"}},
	{"csi-proxy", []string{"csi-proxy", "csiproxy"}},
	{"cni", []string{"azure-vnet", "azure-cni", "cni"}},
	{"hns", []string{"host network service", "host-network-service", "hns", "vfp",
		"hyper-v-vmswitch"}},
	{"hcs", []string{"host compute service", "hyper-v-compute", "vmcompute"}},
	{"rke2", []string{"rke2"}},
}

// componentOf finds the component that a name or a text speaks of.
func componentOf(text, otherwise string) string {
	text = strings.ToLower(text)
	for _, c := range components {
		for _, w := range c.words {
			if strings.Contains(text, w) {
				return c.name
			}
		}
	}
	return otherwise
}

// sameBoot is how far the records of one start of Windows lie apart.
const sameBoot = 3 * time.Minute

// nearExpiry is how long before and after a certificate's end it is worth a line.
const nearExpiry = 30 * 24 * time.Hour

// machine adds what single files tell of the machine.
func (b *builder) machine() {
	booted := evidence.OSInfo.In(b.s).BootedAt.Time
	if !booted.IsZero() && !slices.ContainsFunc(b.list, func(e Entry) bool {
		return e.Kind == Boot && e.Level == "" && e.At.Sub(booted).Abs() < sameBoot
	}) {
		b.add(Entry{At: booted, Kind: Boot, Component: "windows", Text: b.said.T("Windows started"),
			Place: evidence.OSInfo.Field(b.s, "bootedAt")})
	}
	for _, p := range evidence.Processes.In(b.s) {
		if name := componentOf(p.Name, ""); name != "" {
			b.add(Entry{At: p.StartedAt.Time, Kind: Process, Component: name, Place: p.Field(),
				Text: b.said.T("process %s (%d) started, and runs since", p.Name, p.PID)})
		}
	}
	for _, h := range evidence.Hotfixes.In(b.s) {
		text := b.said.T("%s was installed", h.ID)
		if at := h.InstalledAt; at.Equal(at.Truncate(24 * time.Hour)) { // nobody recorded the hour
			text = b.said.T("%s was installed on that day", h.ID)
		}
		b.add(Entry{At: h.InstalledAt.Time, Kind: Update, Component: "updates", Place: h.Field(),
			Text: text})
	}
	for _, c := range evidence.Certificates.In(b.s) {
		end := c.NotAfter.Time
		if off := end.Sub(b.now); off > nearExpiry || off < -nearExpiry &&
			b.faults["cert-expired-or-clock-skew"] == nil {
			continue
		}
		e := Entry{At: end, Kind: Cert, Component: componentOf(c.Path, "windows"),
			Level: checks.StatusWarn, Place: c.Field(),
			Text: b.said.T("certificate runs out: %s (%s)", c.Path, c.Subject)}
		if !end.After(b.now) {
			e.Level, e.Text = checks.StatusFail, b.said.T("certificate ran out: %s (%s)", c.Path,
				c.Subject)
		}
		b.add(e)
	}
	for _, f := range evidence.FileIndex.In(b.s) {
		if f.Outcome == "copied" {
			b.add(Entry{At: f.ModifiedAt.Time, Kind: File, Component: "files",
				Place: evidence.InFile(evidence.EvidencePath(f.Path)),
				Text:  b.said.T("changed: %s", f.Path)})
		}
	}
}
