package faults

import (
	"encoding/json"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

var _ = register(&checks.Check{
	ID:       "pod-field-unsupported",
	Title:    "Pod sets fields that Windows does not support",
	Healthy:  "Pods set only fields that Windows supports",
	Category: checks.CategoryWorkloads,
	Lints:    true,
	Doc: `Many fields of a pod's securityContext, and some others, are for Linux: numeric users and
groups, capabilities, seccomp, SELinux, sysctls, a read-only root file system, shared process
namespaces. Windows has none of these. If spec.os.name is windows, the API server rejects a pod that
sets them. Otherwise the kubelet ignores them, and they have no effect: the root file system stays
writable, a volume gets no group. Fields that only remove Linux privileges (drop capabilities,
forbid privilege escalation, the default seccomp profile) are reported as info. So are the user, the
groups and the SELinux options of a pod on OpenShift, which sets them on every pod. Older versions of
the kubelet refuse to start a container with runAsUser and a pod with an AppArmor annotation: that is a
fault.

The check reports the path of each field, and the Windows setting for the same purpose if there is
one. Fields with the value that applies anyway (privileged: false, an empty list) are ignored,
except in manifests with spec.os.name windows: the API server rejects these too.`,
	Fix: checks.Steps(
		checks.Do("Remove the fields from the pod template. Use securityContext.windowsOptions.runAsUserName instead of users and groups.").
			Costs("The pods of the workload are recreated."),
		checks.Do("If the pod manages the node, make it a HostProcess pod."),
		checks.Verify("doctor lint MANIFEST", "no finding of this check")),
	Links: []string{
		"https://github.com/kubernetes/kubernetes/issues/93165",
		"https://github.com/signalfx/splunk-otel-collector-chart/issues/382",
		"https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod-spec-containers",
		"https://kubernetes.io/docs/concepts/workloads/pods/#pod-os",
		"https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/",
		"https://github.com/openshift/openshift-windows/issues/21",
		"https://docs.openshift.com/container-platform/4.9/windows_containers/windows-containers-release-notes-4-x.html",
		"https://docs.gitlab.com/runner/executors/kubernetes/troubleshooting/#services-not-supported-with-windows-containers"},
	Needs: []evidence.Need{needPodSpecs},
	Uses:  []evidence.Need{evidence.Pods, evidence.Manifests},
	Signs: slices.Concat(refusedByKubelet, []checks.Sign{
		// dockershim hands seLinuxOptions on: daemon/oci_windows.go of moby takes credentialspec only
		{Text: "security option not supported: label",
			Says: "Docker refuses seLinuxOptions, which the pod or the policy of its namespace sets",
			Fix: checks.Steps(
				checks.Do("Remove seLinuxOptions from the pod template. On OpenShift the security context constraint of the pod adds them: give its service account one that does not. Or move the node to containerd, which ignores them.").
					Costs("The pods of the workload are recreated."),
				checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}",
					"all pods are Running"))},
		// GKE's webhook, of any field, and the API server of pods with spec.os.name windows
		// (pkg/apis/core/validation): the pod is not created
		{Text: "Windows does not support this field", Also: []string{"denied the request"},
			Says: "GKE refuses a pod: it sets a field that Windows does not support", Fix: refusedFieldFix},
		{Text: "cannot be set for a windows pod", Also: []string{"Forbidden"},
			Says: "the API server refuses a pod: it sets a field that Windows does not support", Fix: refusedFieldFix},
	}),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, p := range podSpecs(s) {
			fields := unsupported(p)
			if f := refusedFinding(p, fields); f != nil {
				findings = append(findings, f)
			} else if len(fields) > 0 {
				findings = append(findings, unsupportedFinding(p, fields))
			}
		}
		return findings, nil
	},
})

// refusedByKubelet are the words with which the kubelet does not start a pod for a field:
// pkg/kubelet/kuberuntime/kuberuntime_container_windows.go and pkg/security/apparmor.
var refusedByKubelet = []checks.Sign{
	{Text: "run as uid (", Also: []string{") is not supported on Windows"},
		Says: "the kubelet does not start a container with runAsUser on Windows"},
	{Text: "Cannot enforce AppArmor: Binary not compiled for linux",
		Says: "the kubelet blocks a pod with an AppArmor annotation on Windows",
		Fix: checks.Steps(
			checks.Do("Remove the annotation container.apparmor.security.beta.kubernetes.io from the pod template. If a PodSecurityPolicy adds it, let pods for Windows use a policy without AppArmor.").
				Costs("The pods of the workload are recreated."),
			checks.Verify("kubectl get pods -A -o wide --field-selector spec.nodeName={node}", "all pods are Running"))},
}

// refusedFinding is of a pod that the kubelet does not start for one of its fields, or nil.
func refusedFinding(p podSpec, fields []setField) *checks.Finding {
	if p.isManifest() || !node.PodDown(p.Pod) {
		return nil
	}
	texts := []stateMessage{{p.Status.Message, p.Field("status", "message")}}
	for i, st := range p.Statuses() {
		if node.ContainerDown(st) {
			texts = append(texts, stateMessages(p.Pod, i)...)
		}
	}
	for _, m := range texts {
		sign, ok := fits(refusedByKubelet, m.text)
		if !ok {
			continue
		}
		f := checks.Findingf(checks.Fail, p.Name(), "%s does not start: %s", p.phrase(),
			evidence.Phrasef(sign.Says)).At(m.at, "%s: %s", p.FullName(), folded(m.text)).
			Explaining("pods-stuck-creating")
		for _, field := range fields[:min(len(fields), maxFieldEvidence)] {
			f = f.With(p.because(field.podField))
		}
		if len(sign.Fix.Steps) > 0 {
			f = f.Cure(sign.Fix.Clone())
		}
		return f
	}
	return nil
}

var refusedFieldFix = checks.Steps(
	checks.Do("Remove the field that the error names from the pod template. A CI job sets hostAliases for its services: run it without services."),
	checks.Do("If the program that creates the pods adds the field, change its settings for Windows."),
	checks.Verify("kubectl get pods -A -o wide", "the pod is created and Running"))

// A linuxField is one field of the documentation's list.
type linuxField struct {
	name     string
	rejected bool     // by the API server, if spec.os.name is windows
	defaults []string // values that change nothing, as JSON
	instead  string   // the Windows way, where there is one
}

// rejectedAtAll: if spec.os.name is windows, the API server rejects most fields when they are set,
// even to the value that applies anyway.
func (f linuxField) rejectedAtAll(raw json.RawMessage) bool {
	return f.rejected && f.name != "hostPID" && f.name != "hostIPC" && f.name != "sysctls" &&
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
		"Windows has no such privilege escalation"},
		func(c *evidence.SecurityContext) json.RawMessage {
			return always(c.AllowPrivilegeEscalation)
		}},
	{linuxField{"appArmorProfile", true, nil, ""},
		func(c *evidence.SecurityContext) json.RawMessage { return c.AppArmorProfile }},
	{linuxField{"capabilities", true, nil, "Windows has no capabilities"},
		func(c *evidence.SecurityContext) json.RawMessage { return c.Capabilities }},
	{linuxField{"fsGroup", true, nil,
		"volumes have no group; use windowsOptions.runAsUserName"},
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

// always distinguishes a false from a field that is not set: a false is a request, too.
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
		if isSet(raw, f.defaults...) || p.isManifest() && p.forWindows() && f.rejectedAtAll(raw) {
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
				"Windows has no memory file system; the folder is on disk"},
				json.RawMessage(`"Memory"`))
		}
		if v.EmptyDir != nil && strings.HasPrefix(v.EmptyDir.Medium, "HugePages") {
			add(p.At.to("volumes", i, "emptyDir"), linuxField{"medium", false, nil, ""},
				json.RawMessage(v.EmptyDir.Medium))
		}
	}
	p.containers(func(at fieldPath, c evidence.Container) {
		security(at, c.SecurityContext)
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

func unsupportedFinding(p podSpec, fields []setField) *checks.Finding {
	rejected, level := false, checks.Info
	var names []evidence.Phrase
	for i, f := range fields {
		rejected = rejected || f.rejected && p.forWindows()
		if !onlyHardens(f) && !p.fromOpenShift(f) {
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
	// A pod that is on the node was accepted by the API server, which is too old to reject the field.
	f := checks.Findingf(level, p.Name(), "%s sets fields that Windows ignores: %s", p.phrase(),
		list)
	if rejected && p.isManifest() {
		f = checks.Findingf(checks.Fail, p.Name(),
			"the API server rejects %s: pods for Windows must not set %s", p.phrase(), list)
	}
	for _, field := range fields[:min(len(fields), maxFieldEvidence)] {
		f = f.With(p.because(field.podField))
	}
	return f
}

const maxFieldEvidence = 20

// fromOpenShift reports whether a setting is one that the security context constraint of the pod
// adds, whatever the template says. The kubelet ignores it on Windows.
func (p podSpec) fromOpenShift(f setField) bool {
	return p.Metadata.Annotations["openshift.io/scc"] != "" &&
		slices.Contains([]string{"runAsUser", "fsGroup", "supplementalGroups", "seLinuxOptions"}, f.name)
}

// onlyHardens reports whether a setting is one that policies require of every pod. Nothing is lost
// when Windows ignores it, because Windows does not have what it removes.
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
