package foreign

import (
	"regexp"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// readDescribedPods makes pods of `kubectl describe pod`, as far as it prints them: their
// containers with images, states, exit codes and restarts. It leaves out most of the rest of the
// spec, so that only what is there may be judged. node selects the
// pods of one node; "" selects all.
func readDescribedPods(s, node string) []map[string]any {
	var list []map[string]any
	for _, object := range splitDescribed(s) {
		sections := describeSections(object)
		onNode, hostIP, scheduled := strings.Cut(sections["Node"].value, "/")
		if sections["Containers"].lines == nil || sections["Namespace"].value == "" ||
			sections["Namespace"].value == notShown ||
			node != "" && scheduled && !strings.EqualFold(onNode, node) {
			continue
		}
		if len(list) == maxObjects {
			break
		}
		list = append(list, describedPod(sections, onNode, hostIP))
	}
	return list
}

func describedPod(sections map[string]described, node, hostIP string) map[string]any {
	value := func(key string) string {
		if v := sections[key].value; v != "<none>" {
			return v
		}
		return ""
	}
	meta := map[string]any{"name": value("Name"), "namespace": value("Namespace"),
		"labels":      sections["Labels"].pairs("="),
		"annotations": sections["Annotations"].pairs(": ")}
	meta["annotations"].(map[string]string)[evidence.DescribedPod] = "true"
	if kind, name, ok := strings.Cut(value("Controlled By"), "/"); ok {
		meta["ownerReferences"] = []map[string]string{{"kind": kind, "name": name}}
	}
	spec := map[string]any{"nodeSelector": sections["Node-Selectors"].pairs("=")}
	if node != "" && node != "<none>" {
		spec["nodeName"] = node
	}
	if hostIP != "" && value("IP") == hostIP {
		// not printed, and told by the address: on Windows only HostProcess pods have the host's
		spec["hostNetwork"] = true
		spec["securityContext"] = map[string]any{"windowsOptions": map[string]any{"hostProcess": true}}
	}
	status := map[string]any{"phase": value("Status"), "reason": value("Reason"),
		"message": value("Message"), "podIP": value("IP"), "hostIP": hostIP}
	if at, ok := describedTime(value("Start Time")); ok {
		status["startTime"] = at
	}
	if conditions := describedPodConditions(sections["Conditions"]); conditions != nil {
		status["conditions"] = conditions
	}
	for key, names := range map[string][2]string{"Containers": {"containers", "containerStatuses"},
		"Init Containers": {"initContainers", "initContainerStatuses"}} {
		containers, statuses := []map[string]any{}, []map[string]any{}
		list := describedContainers(sections[key])
		if key == "Containers" && breaksOff(sections) {
			list[len(list)-1].breaksOff = true
		}
		for _, c := range list {
			// what a paste that breaks off does not show is not missing: kubectl leaves out limits that
			// are not set, and prints the environment below them
			if !c.breaksOff || c.has("Environment") || c.has("Environment Variables from") {
				containers = append(containers, c.spec())
			}
			if !c.breaksOff || c.has("State") {
				statuses = append(statuses, c.status())
			}
		}
		if len(containers) > 0 {
			spec[names[0]] = containers
		}
		if len(statuses) > 0 {
			status[names[1]] = statuses
		}
	}
	return map[string]any{"metadata": meta, "spec": spec, "status": status}
}

func describedPodConditions(d described) []map[string]string {
	var list []map[string]string
	for _, row := range d.table("Type", "Status") {
		list = append(list, map[string]string{"type": row["Type"], "status": row["Status"]})
	}
	return list
}

// A describedContainer is the block of one container: its fields, and below State and Last State
// what belongs to them, under "State/Exit Code".
type describedContainer struct {
	name      string
	fields    map[string]string
	breaksOff bool // the description ends within it
}

func (c describedContainer) has(field string) bool {
	_, ok := c.fields[field]
	return ok
}

// breaksOff tells whether a description ends within its last container: kubectl prints the mounts of
// a container last, and the conditions and volumes of the pod below.
func breaksOff(sections map[string]described) bool {
	containers := describedContainers(sections["Containers"])
	for _, below := range []string{"Conditions", "Volumes", "QoS Class", "Node-Selectors",
		"Tolerations", "Events"} {
		if sections[below].key != "" {
			return false
		}
	}
	return len(containers) > 0 && !containers[len(containers)-1].has("Mounts")
}

// How far kubectl indents the name of a container, its fields, and what belongs to a field.
const (
	containerIndent = 2
	fieldIndent     = 4
	innerIndent     = 6
)

func describedContainers(d described) []describedContainer {
	var list []describedContainer
	outer := ""
	for _, line := range d.lines {
		text := strings.TrimLeft(line, " ")
		indent := len(line) - len(text)
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch {
		case indent == containerIndent && value == "":
			if len(list) == maxFields {
				return list
			}
			list = append(list, describedContainer{name: key, fields: map[string]string{}})
			outer = ""
		case len(list) == 0:
		case indent == fieldIndent:
			outer = key
			list[len(list)-1].fields[key] = value
		case indent == innerIndent && (outer == "State" || outer == "Last State" ||
			outer == "Limits" || outer == "Requests"):
			list[len(list)-1].fields[outer+"/"+key] = value
		}
	}
	return list
}

func (c describedContainer) spec() map[string]any {
	resources := map[string]map[string]string{}
	for field, value := range c.fields {
		for key, name := range map[string]string{"Limits/": "limits", "Requests/": "requests"} {
			if resource, ok := strings.CutPrefix(field, key); ok {
				if resources[name] == nil {
					resources[name] = map[string]string{}
				}
				resources[name][resource] = value
			}
		}
	}
	spec := map[string]any{"name": c.name, "image": c.fields["Image"], "resources": resources}
	for field, name := range map[string]string{"Liveness": "livenessProbe", "Startup": "startupProbe"} {
		if m := describedProbe.FindStringSubmatch(c.fields[field]); m != nil {
			probe := map[string]int{}
			for i, setting := range []string{"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "failureThreshold"} {
				probe[setting], _ = strconv.Atoi(m[i+1])
			}
			spec[name] = probe
		}
	}
	return spec
}

// describedProbe reads what describe prints behind the handler of a probe.
var describedProbe = regexp.MustCompile(`delay=(\d{1,6})s timeout=(\d{1,6})s period=(\d{1,6})s #success=\d+ #failure=(\d{1,6})`)

func (c describedContainer) status() map[string]any {
	restarts, _ := strconv.Atoi(c.fields["Restart Count"])
	status := map[string]any{"name": c.name, "image": c.fields["Image"],
		"imageID": c.fields["Image ID"], "ready": c.fields["Ready"] == "True",
		"restartCount": restarts}
	for key, field := range map[string]string{"State": "state", "Last State": "lastState"} {
		if state := c.state(key); state != nil {
			status[field] = state
		}
	}
	return status
}

// state reads "Waiting", "Running" or "Terminated" with what stands below it.
func (c describedContainer) state(key string) map[string]any {
	inner := map[string]any{}
	for label, field := range map[string]string{"Reason": "reason", "Message": "message"} {
		if v := c.fields[key+"/"+label]; v != "" {
			inner[field] = v
		}
	}
	for label, field := range map[string]string{"Started": "startedAt", "Finished": "finishedAt"} {
		if at, ok := describedTime(c.fields[key+"/"+label]); ok {
			inner[field] = at
		}
	}
	if n, err := strconv.ParseInt(c.fields[key+"/Exit Code"], 10, 64); err == nil {
		inner["exitCode"] = n
	}
	switch c.fields[key] {
	case "Waiting":
		return map[string]any{"waiting": inner}
	case "Running":
		return map[string]any{"running": inner}
	case "Terminated":
		return map[string]any{"terminated": inner}
	}
	return nil
}
