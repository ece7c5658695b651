package onnode

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"time"
)

// Labels of everything that a run creates.
const (
	nameLabel = "app.kubernetes.io/name"
	partLabel = "app.kubernetes.io/component"
	runLabel  = "doctor/run"

	part = "on-node"
)

// Bounds of a run. The kubelet ends a pod that hangs, and the control plane a run without a client.
const (
	podTime    = 90 * time.Second
	anchorTime = 15 * time.Minute
)

// object is a Kubernetes object as JSON has it.
type object = map[string]any

func (o Options) container(args ...string) object {
	return object{"name": "doctor", "image": o.Image, "imagePullPolicy": "IfNotPresent",
		"command":                  append([]string{`%CONTAINER_SANDBOX_MOUNT_POINT%\doctor.exe`}, args...),
		"terminationMessagePolicy": "FallbackToLogsOnError"}
}

// podSpec is that of a pod that reads its node: a HostProcess container as SYSTEM, which no taint
// keeps away. It has no working directory: Server 2019 would look for that below the mount.
func (o Options) podSpec(args ...string) object {
	spec := object{"os": object{"name": "windows"}, "hostNetwork": true, "restartPolicy": "Never",
		"securityContext": object{"windowsOptions": object{"hostProcess": true,
			"runAsUserName": `NT AUTHORITY\SYSTEM`}},
		"nodeSelector":                  object{"kubernetes.io/os": "windows"},
		"tolerations":                   []object{{"operator": "Exists"}},
		"automountServiceAccountToken":  false,
		"enableServiceLinks":            false,
		"terminationGracePeriodSeconds": 5,
		"activeDeadlineSeconds":         int(podTime.Seconds()),
		"containers":                    []object{o.container(args...)}}
	var secrets []object
	for _, name := range o.PullSecrets {
		secrets = append(secrets, object{"name": name})
		spec["imagePullSecrets"] = secrets
	}
	return spec
}

// anchorJob runs nothing. It owns what a run creates, and expires: so nothing stays where the client
// is gone.
func (o Options) anchorJob() object {
	labels := object{nameLabel: "doctor", partLabel: part}
	spec := o.podSpec()
	delete(spec, "activeDeadlineSeconds")
	return object{"apiVersion": "batch/v1", "kind": "Job",
		"metadata": object{"generateName": "doctor-run-", "labels": labels},
		"spec": object{"parallelism": 0, "completions": 1, "backoffLimit": 0,
			"activeDeadlineSeconds":   int(cmp.Or(o.Deadline, anchorTime).Seconds()),
			"ttlSecondsAfterFinished": 0,
			"template":                object{"metadata": object{"labels": labels}, "spec": spec}}}
}

// pod reads one node. Its name follows from the run and the node, so that a request that is sent
// twice creates one pod.
func (o Options) pod(anchor, uid, node string) object {
	spec := o.podSpec("pod-evidence", "--max-size", fmt.Sprint(cmp.Or(o.MaxZip, MaxZip)),
		"--timeout", "30s")
	spec["nodeName"] = node
	delete(spec, "nodeSelector") // no scheduler is asked
	metadata := object{"name": podName(anchor, node),
		"labels":      object{nameLabel: "doctor", partLabel: part, runLabel: anchor},
		"annotations": object{"doctor/node": node}}
	if uid != "" {
		metadata["ownerReferences"] = []object{{"apiVersion": "batch/v1", "kind": "Job",
			"name": anchor, "uid": uid}}
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
}

func podName(anchor, node string) string {
	h := fnv.New64a()
	h.Write([]byte(node))
	return fmt.Sprintf("%s-%x", anchor, h.Sum64())
}
