package evidence

// Volume is one volume of a pod.
type Volume struct {
	Name     string `json:"name"`
	EmptyDir *struct {
		Medium string `json:"medium,omitempty"`
	} `json:"emptyDir,omitempty"`
	HostPath *struct {
		Path string `json:"path"`
	} `json:"hostPath,omitempty"`
	FlexVolume *struct {
		Driver string `json:"driver"`
	} `json:"flexVolume,omitempty"`
	CSI                   *struct{} `json:"csi,omitempty"`
	PersistentVolumeClaim *struct {
		ClaimName string `json:"claimName"`
	} `json:"persistentVolumeClaim,omitempty"`
}

// PersistentVolume is a volume, the claim that it is bound to, and its file system.
type PersistentVolume struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		ClaimRef struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"claimRef"`
		NFS *struct {
			Server string `json:"server"`
		} `json:"nfs"`
		CSI       *VolumeSource `json:"csi"`
		AzureDisk *VolumeSource `json:"azureDisk"`
		EBS       *VolumeSource `json:"awsElasticBlockStore"`
		GCE       *VolumeSource `json:"gcePersistentDisk"`
		VSphere   *VolumeSource `json:"vsphereVolume"`
	} `json:"spec"`
}

// VolumeSource is what a volume of a driver and of the plugins within Kubernetes have in common.
type VolumeSource struct {
	Driver string `json:"driver"`
	FSType string `json:"fsType"`
}

// FSType is the file system that the volume is to have, and where it is written.
func (v PersistentVolume) FSType() (string, Place) {
	for _, s := range []struct {
		field string
		*VolumeSource
	}{{"csi", v.Spec.CSI}, {"azureDisk", v.Spec.AzureDisk}, {"awsElasticBlockStore", v.Spec.EBS},
		{"gcePersistentDisk", v.Spec.GCE}, {"vsphereVolume", v.Spec.VSphere}} {
		if s.VolumeSource != nil {
			return s.FSType, v.Field("spec", s.field, "fsType")
		}
	}
	return "", Place{}
}
