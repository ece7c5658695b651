package cluster

import (
	"context"
	"encoding/json"
	"net/url"

	"doctor/checks/evidence"
	"doctor/checks/node"
	"doctor/collectors"
)

// maxVolumes bounds the requests for volumes: of a node that does not start any pod, a few are enough.
const maxVolumes = 20

// readVolumes reads the volumes of the pods that do not run, by their claims: a kubelet may get these,
// and may not list those of the cluster.
func readVolumes(ctx context.Context, t Target, r *collectors.Record) (any, error) {
	s, err := r.Snapshot()
	if err != nil {
		return nil, err
	}
	if gap := evidence.Pods.Gap(s); gap.Kind != "" {
		return nil, collectors.GapError(gap)
	}
	l, asked := &list{}, map[string]bool{}
	for _, p := range evidence.Pods.In(s) {
		for _, v := range p.Spec.Volumes {
			if v.PersistentVolumeClaim == nil || !node.PodDown(p) || len(asked) >= maxVolumes {
				continue
			}
			claim := p.Metadata.Namespace + "/" + v.PersistentVolumeClaim.ClaimName
			if asked[claim] {
				continue
			}
			asked[claim] = true
			volume, err := t.volumeOf(ctx, p.Metadata.Namespace, v.PersistentVolumeClaim.ClaimName)
			switch {
			case IsNotFound(err):
			case err != nil:
				return nil, err
			case volume != nil:
				if err := l.add(volume); err != nil {
					return nil, err
				}
			}
		}
	}
	return l, nil
}

// volumeOf is the volume that a claim is bound to, nil where there is none yet.
func (t Target) volumeOf(ctx context.Context, namespace, claim string) (json.RawMessage, error) {
	object, err := t.Client.Object(ctx, "/api/v1/namespaces/"+url.PathEscape(namespace)+
		"/persistentvolumeclaims/"+url.PathEscape(claim), "persistentvolumeclaim "+namespace+"/"+claim)
	if err != nil {
		return nil, err
	}
	var c struct{ Spec struct{ VolumeName string } }
	if err := json.Unmarshal(object, &c); err != nil || c.Spec.VolumeName == "" {
		return nil, err
	}
	return t.Client.Object(ctx, "/api/v1/persistentvolumes/"+url.PathEscape(c.Spec.VolumeName),
		"persistentvolume "+c.Spec.VolumeName)
}
