package faults

import (
	"encoding/json"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(checks.Check{
	ID:       "pod-field-unsupported",
	Title:    "a pod sets fields that do nothing on Windows",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `Much of a pod's securityContext, and some other fields, speak of Linux: users and
groups by number, capabilities, seccomp, SELinux, sysctls, a read-only root file system, shared
process namespaces. Windows has none of these. With spec.os.name set to windows the API server
refuses a pod that sets them; without it the kubelet ignores them, and what the author wanted does
not come about: a root file system that was meant to be read-only can be written, a group that was
meant to own a volume does not. What merely takes Linux rights away (drop capabilities, forbid
privilege escalation, the default seccomp profile) is told and no more.

The check names each field by its path, and the way that Windows has for the same end, where it has
one. Fields that are set to what holds anyway (privileged: false, an empty list) are left alone, but
for manifests of pods that say they are for Windows: there the API server refuses them too.`,
	Fix: checks.Steps(
		checks.Run("kubectl explain pod.spec.securityContext.windowsOptions",
			"take the fields out of pods for Windows, and use securityContext.windowsOptions.runAsUserName in place of users and groups; a pod that has to manage the node runs as a HostProcess container").
			Costs("changing a pod template recreates the pods of the workload"),
		checks.Run("doctor lint MANIFEST", "")),
	Links: []string{
		"https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers",
		"https://kubernetes.io/docs/concepts/workloads/pods/#pod-os",
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Run: func(s evidence.Snapshot) ([]checks.Finding, error) {
		var findings []checks.Finding
		for _, p := range podSpecs(s) {
			if fields := unsupported(p); len(fields) > 0 {
				findings = append(findings, unsupportedFinding(p, fields))
			}
		}
		return findings, nil
	},
})

// A linuxField is one field of the documentation's list.
type linuxField struct {
	name     string
	refused  bool     // by the API server, where spec.os.name is windows
	defaults []string // values that change nothing, as JSON
	instead  string   // the Windows way, where there is one
}

// refusedAtAll: where a pod says that it is for Windows, the API server refuses
// most fields for being set, even to what holds anyway.
func (f linuxField) refusedAtAll(raw json.RawMessage) bool {
	return f.refused && f.name != "hostPID" && f.name != "hostIPC" && f.name != "sysctls" &&
		len(raw) > 0 && string(raw) != "null"
}

const (
	byUserName    = "use windowsOptions.runAsUserName"
	byHostProcess = "use windowsOptions.hostProcess"
)

// The fields of a securityContext, in the order of the API's documentation.
var securityFields = []struct {
	linuxField
	of func(*evidence.SecurityContext) json.RawMessage
}{
	{linuxField{"allowPrivilegeEscalation", true, []string{"true"},
		"a process cannot gain rights on Windows this way"},
		func(c *evidence.SecurityContext) json.RawMessage {
			return always(c.AllowPrivilegeEscalation)
		}},
	{linuxField{"appArmorProfile", true, nil, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.AppArmorProfile }},
	{linuxField{"capabilities", true, nil, "Windows has no capabilities"},
		func(c *evidence.SecurityContext) json.RawMessage { return c.Capabilities }},
	{linuxField{"fsGroup", true, nil,
		"volumes belong to no group: use windowsOptions.runAsUserName"},
		func(c *evidence.SecurityContext) json.RawMessage { return c.FSGroup }},
	{linuxField{"fsGroupChangePolicy", true, nil, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.FSGroupChangePolicy }},
	{linuxField{"privileged", true, nil, byHostProcess},
		func(c *evidence.SecurityContext) json.RawMessage { return c.Privileged }},
	{linuxField{"procMount", true, []string{`"Default"`}, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.ProcMount }},
	{linuxField{"readOnlyRootFilesystem", true, nil,
		"the registry and system processes must write"},
		func(c *evidence.SecurityContext) json.RawMessage { return c.ReadOnlyRootFilesystem }},
	{linuxField{"runAsGroup", true, nil, byUserName},
		func(c *evidence.SecurityContext) json.RawMessage { return c.RunAsGroup }},
	{linuxField{"runAsUser", true, nil, byUserName},
		func(c *evidence.SecurityContext) json.RawMessage { return c.RunAsUser }},
	{linuxField{"seLinuxChangePolicy", true, nil, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.SELinuxChangePolicy }},
	{linuxField{"seLinuxOptions", true, nil, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.SELinuxOptions }},
	{linuxField{"seccompProfile", true, []string{`{"type":"Unconfined"}`}, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.SeccompProfile }},
	{linuxField{"supplementalGroups", true, nil, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.SupplementalGroups }},
	{linuxField{"supplementalGroupsPolicy", true, nil, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.SupplementalGroupsPolicy }},
	{linuxField{"sysctls", true, nil, ""}, func(c *evidence.SecurityContext) json.RawMessage {
		return c.Sysctls
	}},
}

// always keeps a false apart from a field that is not set: to forbid is to ask for something.
func always(raw json.RawMessage) json.RawMessage {
	if strings.TrimSpace(string(raw)) == "false" {
		return json.RawMessage(`"false"`)
	}
	return raw
}

// The fields of the spec itself.
var specFields = []struct {
	linuxField
	of func(evidence.PodSpec) json.RawMessage
}{
	{linuxField{"hostPID", true, nil, byHostProcess}, func(p evidence.PodSpec) json.RawMessage {
		return p.HostPID
	}},
	{linuxField{"hostIPC", true, nil, byHostProcess}, func(p evidence.PodSpec) json.RawMessage {
		return p.HostIPC
	}},
	{linuxField{"hostUsers", true, []string{"true"}, ""}, func(p evidence.PodSpec) json.RawMessage {
		return always(p.HostUsers)
	}},
	{linuxField{"shareProcessNamespace", true, nil, ""}, func(p evidence.PodSpec) json.RawMessage {
		return p.ShareProcessNamespace
	}},
}

// A setField is a field of the list that a pod sets.
type setField struct {
	podField
	linuxField
}

// unsupported lists what the pod sets of the list, in the order in which it is written.
func unsupported(p podSpec) []setField {
	var found []setField
	add := func(at fieldPath, f linuxField, raw json.RawMessage) {
		if isSet(raw, f.defaults...) || p.isManifest() && p.forWindows() && f.refusedAtAll(raw) {
			found = append(found, setField{podField{at.to(f.name), strings.Trim(string(raw), `"`)},
				f})
		}
	}
	security := func(at fieldPath, c *evidence.SecurityContext) {
		for _, f := range securityFields {
			if c != nil {
				add(at.to("securityContext"), f.linuxField, f.of(c))
			}
		}
	}
	for _, f := range specFields {
		add(p.At, f.linuxField, f.of(p.Spec))
	}
	security(p.At, p.Spec.SecurityContext)
	for i, v := range p.Spec.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.Medium == "Memory" {
			add(p.At.to("volumes", i, "emptyDir"), linuxField{"medium", false, nil,
				"Windows has no memory file system: the folder lies on disk"},
				json.RawMessage(`"Memory"`))
		}
		if v.EmptyDir != nil && strings.HasPrefix(v.EmptyDir.Medium, "HugePages") {
			add(p.At.to("volumes", i, "emptyDir"), linuxField{"medium", false, nil, ""},
				json.RawMessage(v.EmptyDir.Medium))
		}
	}
	p.containers(func(at fieldPath, c evidence.Container) {
		security(at, c.SecurityContext)
		add(at, linuxField{"volumeDevices", false, nil, "mount the volume as a file system"},
			c.VolumeDevices)
		for i, m := range c.VolumeMounts {
			add(at.to("volumeMounts", i), linuxField{"mountPropagation", false, []string{`"None"`},
				""}, quoteJSON(m.MountPropagation))
		}
		for _, name := range hugepages(c.Resources) {
			add(at.to("resources"),
				linuxField{name, false, nil, "Windows has no huge pages for containers"},
				json.RawMessage(`"set"`))
		}
	})
	return found
}

func quoteJSON(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }

func hugepages(r evidence.Resources) []string {
	var names []string
	for _, list := range []struct {
		kind string
		of   map[string]evidence.Quantity
	}{{"limits", r.Limits}, {"requests", r.Requests}} {
		for _, size := range []string{"hugepages-2Mi", "hugepages-1Gi"} {
			if v := list.of[size]; v != "" && v != "0" {
				names = append(names, list.kind+"."+size)
			}
		}
	}
	return names
}

// maxFieldsNamed bounds the fields in a message; all of them are in the evidence.
const maxFieldsNamed = 3

func unsupportedFinding(p podSpec, fields []setField) checks.Finding {
	refused, level := false, checks.Info
	var names []evidence.Phrase
	for i, f := range fields {
		refused = refused || f.refused && p.forWindows()
		if !onlyHardens(f) {
			level = checks.Warn
		}
		name := verbatim(f.Path.String())
		if f.instead != "" {
			name = evidence.Phrasef("%s (%s)", f.Path.String(), evidence.Phrasef(f.instead))
		}
		if i < maxFieldsNamed {
			names = append(names, name)
		}
	}
	var list any = evidence.Listed(names)
	if more := len(fields) - len(names); more > 0 {
		list = evidence.Phrasef("%s and %d more", list, more)
	}
	// A pod that is on the node got past the API server, which is older than its refusal or was asked before the field was set.
	f := checks.Findingf(level, p.Name(), "%s sets what Windows ignores: %s", p.phrase(), list)
	if refused && p.isManifest() {
		f = checks.Findingf(checks.Fail, p.Name(),
			"the API server refuses %s, which is for Windows and sets %s", p.phrase(), list)
	}
	for _, field := range fields[:min(len(fields), maxFieldEvidence)] {
		f = f.With(p.because(field.podField))
	}
	return f
}

const maxFieldEvidence = 20

// onlyHardens tells the settings that policies ask of every pod, Linux or not.
// Nothing is lost where Windows ignores them: it has neither what they take away.
func onlyHardens(f setField) bool {
	switch value := strings.Join(strings.Fields(f.Value), ""); f.name {
	case "allowPrivilegeEscalation":
		return value == "false"
	case "capabilities":
		return !strings.Contains(value, `"add":["`)
	case "seccompProfile", "appArmorProfile":
		return strings.Contains(value, "RuntimeDefault")
	}
	return false
}
