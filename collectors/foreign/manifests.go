package foreign

import (
	"io/fs"

	"doctor/collectors/manifest"
)

const formatManifests = "kubernetes-manifests"

// readManifests reads the manifests of a tree that holds nothing else: the pods that somebody means
// to run on Windows, of no node.
func readManifests(fsys fs.FS) manifest.Manifests {
	var m manifest.Manifests
	fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !fs.ValidPath(name) || !workloadKind.MatchString(headOf(fsys, name)) {
			return nil
		}
		if f, err := fsys.Open(name); err == nil {
			defer f.Close()
			m.Read(name, f) // what cannot be read of it is no manifest
		}
		if len(m.Pods) > maxNodes {
			return fs.SkipAll
		}
		return nil
	})
	return m
}
