package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// Where the recipes keep the files with which a node proves who it is.
var kubeconfigs = []string{
	`C:\k\config`, `C:\k\kubeconfig`, `C:\k\bootstrap-config`,
	`C:\etc\kubernetes\kubelet.conf`, `C:\etc\kubernetes\bootstrap-kubelet.conf`,
	// GKE: kubernetes/kubernetes, cluster/gce/windows/k8s-node-setup.psm1
	`C:\etc\kubernetes\kubelet.kubeconfig`, `C:\etc\kubernetes\kubelet.bootstrap-kubeconfig`,
	`C:\etc\kubernetes\kubeproxy.kubeconfig`,
	`C:\var\lib\rancher\rke2\agent\kubelet.kubeconfig`,
	`C:\ProgramData\kubernetes\kubeconfig`, `C:\etc\cni\net.d\calico-kubeconfig`,
	`C:\var\lib\kubelet\pki\kubelet-client-current.pem`,
	`C:\k\pki\kubelet-client-current.pem`,
}

var _ = register(&checks.Check{
	ID:       "kubeconfig-readable",
	Title:    "Every user of the node can read its kubeconfig",
	Healthy:  "Only administrators can read the kubeconfig files",
	Category: checks.CategorySecurity,
	Doc: `A kubeconfig contains, or refers to, the key with which the node authenticates to the API
server. A bootstrap kubeconfig contains a token that can create nodes. Anyone who can read it can act as the node.

The check reads the recorded access control lists: that of the file, or, where only its folder's is
recorded and the file exists, what files inherit from the folder's list. It warns if Everyone, or a group that somebody
added, can read the file. Folders on drive C:, such as C:\k, inherit that Users may read everything in them, and the scripts
of AKS, EKS, GKE, OpenShift and kubeadm leave it so: this is reported as info.`,
	Fix: checks.Steps(
		checks.Do("Restrict the kubeconfig to SYSTEM and Administrators.").
			Costs("Programs that read the file as an ordinary user lose access."),
		checks.Do("Replace a key that other users could read.")),
	Links: []string{"https://kubernetes.io/docs/concepts/security/windows-security/",
		"https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/",
		"https://github.com/Azure/aks-engine/pull/4633", "https://github.com/kubernetes/kubernetes/issues/126161"},
	Needs: []evidence.Need{evidence.SecurityInfo},
	Uses:  slices.Concat([]evidence.Need{evidence.FileIndex, evidence.Certificates}, node.AsFiles(kubeconfigs)),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		type list struct {
			evidence.ACL
			number int
		}
		lists := map[string]list{}
		for i, acl := range evidence.SecurityInfo.In(s).ACLs {
			if hasAccessList(acl.SDDL) {
				lists[strings.ToLower(evidence.CleanWinPath(acl.Path))] = list{acl, i}
			}
		}
		var findings []*checks.Finding
		looked := false
		for _, file := range kubeconfigs {
			acl, own := lists[strings.ToLower(file)]
			sddl := acl.SDDL
			if !own {
				folder := file[:strings.LastIndex(file, `\`)]
				inherited, ok := lists[strings.ToLower(folder)]
				there, _ := s.File(file).Exists()
				there = there || slices.ContainsFunc(evidence.Certificates.In(s),
					func(c evidence.Certificate) bool { return strings.EqualFold(c.Path, file) })
				if !ok || !there {
					continue
				}
				acl, sddl = inherited, handedToFiles(inherited.SDDL)
			}
			looked = true
			if who, byDefault := readers(sddl); len(who) > 0 {
				f := checks.Findingf(checks.Warn, file,
					"%s can read %s (expected: SYSTEM and Administrators only)",
					evidence.Joined(wordings(who), " and "), file)
				if byDefault {
					f = checks.Findingf(checks.Info, file,
						"%s can read %s (inherited from drive C:, normal on Windows; a hardened node allows SYSTEM and Administrators only)",
						evidence.Joined(wordings(who), " and "), file)
				}
				findings = append(findings, f.
					At(evidence.SecurityInfo.Field(s, "acls", acl.number, "sddl"), "%s: %s",
						acl.Path, acl.SDDL).Cure(checks.Steps(
					checks.Run("icacls "+file+
						` /inheritance:r /grant:r "SYSTEM:F" "Administrators:F"`,
						"Restrict the kubeconfig to SYSTEM and Administrators.").
						Costs("Programs that read the file as an ordinary user lose access."),
					checks.Do("Replace a key that other users could read."),
					checks.Verify("icacls "+file, "SYSTEM and Administrators only"))))
			}
		}
		if !looked {
			return nil, checks.Unknown(evidence.NotShown.Gap("the access list of a kubeconfig"))
		}
		return findings, nil
	},
})

// handedToFiles keeps of a folder's access list the entries that its files
// inherit: those with OI, "object inherit".
func handedToFiles(sddl string) string {
	if strings.Contains(strings.ToUpper(sddl), noAccessControl) {
		return sddl
	}
	var kept strings.Builder
	kept.WriteString("D:")
	for entry := range strings.SplitSeq(sddl, "(") {
		fields := strings.Split(entry, ";")
		if len(fields) < 6 {
			continue
		}
		if hasFlag(fields[1], "OI") {
			kept.WriteString("(" + entry)
		}
	}
	return kept.String()
}
