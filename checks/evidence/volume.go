package evidence

// Volume is a volume of a pod; several kinds count only as they are there.
type Volume struct {
	VolumeSources
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
	PersistentVolumeClaim *struct {
		ClaimName string `json:"claimName"`
		ReadOnly  bool   `json:"readOnly,omitempty"`
	} `json:"persistentVolumeClaim,omitempty"`
	// which the kubelet writes itself
	ConfigMap   *struct{} `json:"configMap,omitempty"`
	Secret      *struct{} `json:"secret,omitempty"`
	DownwardAPI *struct{} `json:"downwardAPI,omitempty"`
	Projected   *struct{} `json:"projected,omitempty"`
}

// PersistentVolume is a volume and the claim that it is bound to.
type PersistentVolume struct {
	Placed   `json:"-"`
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		VolumeSources
		ClaimRef struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"claimRef"`
	} `json:"spec"`
}

// VolumeSources are the kinds of storage that a pod names itself or through its claim.
type VolumeSources struct {
	NFS *struct {
		Server string `json:"server"`
	} `json:"nfs,omitempty"`
	CSI       *VolumeSource `json:"csi,omitempty"`
	AzureDisk *VolumeSource `json:"azureDisk,omitempty"`
	EBS       *VolumeSource `json:"awsElasticBlockStore,omitempty"`
	GCE       *VolumeSource `json:"gcePersistentDisk,omitempty"`
	VSphere   *VolumeSource `json:"vsphereVolume,omitempty"`
}

// VolumeSource is what a volume of a driver and of the plugins within Kubernetes have in common.
type VolumeSource struct {
	Driver   string `json:"driver,omitempty"`
	FSType   string `json:"fsType,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	// csi: the Secret with the user of a share
	NodeStageSecretRef *struct {
		Name string `json:"name"`
	} `json:"nodeStageSecretRef,omitempty"`
}

// FSType is the file system that the volume is to have, and the kind that names it.
func (v VolumeSources) FSType() (system, kind string) {
	if s, kind := v.Source(); s != nil {
		return s.FSType, kind
	}
	return "", ""
}

// Source is what a driver or a plugin of Kubernetes mounts, and its kind; nil for others.
func (v VolumeSources) Source() (source *VolumeSource, kind string) {
	for _, s := range []struct {
		kind string
		*VolumeSource
	}{{"csi", v.CSI}, {"azureDisk", v.AzureDisk}, {"awsElasticBlockStore", v.EBS},
		{"gcePersistentDisk", v.GCE}, {"vsphereVolume", v.VSphere}} {
		if s.VolumeSource != nil {
			return s.VolumeSource, s.kind
		}
	}
	return nil, ""
}
