package faults

import (
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "secrets-clear-text-on-disk",
	Title:    "Every user of the node can read mounted Secrets",
	Healthy:  "Only administrators can read mounted Secrets",
	Category: checks.CategorySecurity,
	Doc: `Linux keeps mounted Secrets in memory. Windows has no such file system, so the kubelet
writes them in clear text below its pods folder. Access control lists must allow only the system and
the administrators, and on a volume without encryption anyone who gets the disk can read them.

If Everyone, or a group that somebody added, can read the kubelet's folders, the check warns. What folders inherit
from drive C: on Windows, reading for Users, is reported as info only, and so is a volume without BitLocker: most
nodes have both.`,
	Fix: checks.Steps(
		checks.Run(`icacls C:\var\lib\kubelet /inheritance:r /grant:r "SYSTEM:(OI)(CI)F" "Administrators:(OI)(CI)F"`,
			"Restrict the kubelet's folder to SYSTEM and Administrators.").
			Costs("Containers that run as ContainerUser lose access to their tokens, Secrets and ConfigMaps."),
		checks.Run("Enable-BitLocker -MountPoint C: -UsedSpaceOnly -RecoveryPasswordProtector",
			"Encrypt the volume where your policy requires it."),
		checks.Verify(`icacls C:\var\lib\kubelet`, "SYSTEM and Administrators only")),
	Links: []string{"https://kubernetes.io/docs/concepts/security/windows-security/",
		"https://github.com/openshift/windows-machine-config-operator/blob/master/docs/projected-volume.md"},
	Explains: []string{"kubeconfig-readable"}, // by the same inherited permission
	Needs:    []evidence.Need{evidence.SecurityInfo},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		sec := evidence.SecurityInfo.In(s)
		var findings []*checks.Finding
		looked := false
		near := 0
		for _, acl := range sec.ACLs {
			near = max(near, nearSecrets(acl.Path))
		}
		for i, acl := range sec.ACLs {
			if near == 0 || nearSecrets(acl.Path) < near {
				continue
			}
			if !hasAccessList(acl.SDDL) {
				continue // the owner alone was recorded
			}
			looked = true
			if who, byDefault := readers(acl.SDDL); len(who) > 0 {
				f := checks.Findingf(checks.Warn, acl.Path,
					"%s can read %s, which contains Secrets in clear text",
					evidence.Joined(wordings(who), " and "), acl.Path)
				if byDefault {
					f = checks.Findingf(checks.Info, acl.Path,
						"%s can read %s, which contains Secrets in clear text (inherited from drive C:, normal on Windows)",
						evidence.Joined(wordings(who), " and "), acl.Path)
				}
				findings = append(findings, f.
					At(evidence.SecurityInfo.Field(s, "acls", i, "sddl"), "%s: %s", acl.Path,
						acl.SDDL))
			}
		}
		for i, b := range sec.BitLocker {
			if strings.EqualFold(b.Drive, "C:") && strings.EqualFold(b.Protection, "off") {
				findings = append(findings, checks.Findingf(checks.Info, b.Drive,
					"drive %s is not encrypted: mounted Secrets are on it in clear text (normal on Windows)", b.Drive).
					At(evidence.SecurityInfo.Field(s, "bitLocker", i, "protection"),
						"bitLocker: %s protection is off", b.Drive))
			}
		}
		if !looked {
			return nil, checks.Unknown(
				evidence.NotShown.Gap("the access list of the kubelet's folder"))
		}
		return findings, nil
	},
})

// nearSecrets tells how near the path is to the Secrets, 0 where it has nothing
// to do with them. A folder above theirs hands its access list down, unless
// theirs is closed: so only the nearest that are recorded count.
func nearSecrets(path string) int {
	p := strings.ToLower(evidence.CleanWinPath(path))
	switch {
	case p == `c:\var\lib\kubelet\pods`, strings.HasPrefix(p, `c:\var\lib\kubelet\pods\`),
		strings.Contains(p, "kubernetes.io~secret"):
		return 3
	case p == `c:\var\lib\kubelet`:
		return 2
	case p == `c:\var\lib`:
		return 1
	}
	return 0
}

// The groups to which every user of a machine belongs, by their short names in
// a security descriptor and by their identifiers.
var everybody = map[string]string{
	"BU": "Users", "AU": "Authenticated Users", "WD": "Everyone", "IU": "Interactive users",
	"BG": "Guests", "DU": "Domain Users",
	"S-1-5-32-545": "Users", "S-1-5-11": "Authenticated Users", "S-1-1-0": "Everyone",
	"S-1-5-4": "Interactive users", "S-1-5-32-546": "Guests",
}

// noAccessControl is how a descriptor writes an access list that is not there: everybody may do everything.
const noAccessControl = "D:NO_ACCESS_CONTROL"

func hasAccessList(sddl string) bool { return strings.Contains(strings.ToUpper(sddl), "D:") }

// readers lists the groups of everybody that the descriptor's access list allows to read. byDefault tells that Windows itself gives
// all of them this right in folders on drive C:.
func readers(sddl string) (who []string, byDefault bool) {
	if strings.Contains(strings.ToUpper(sddl), noAccessControl) {
		return []string{"Everyone"}, false
	}
	byDefault = true
	for entry := range strings.SplitSeq(sddl, "(") {
		fields := strings.Split(strings.TrimRight(entry, ")"), ";")
		if len(fields) < 6 || !strings.EqualFold(fields[0], "A") {
			continue
		}
		name := everybody[strings.TrimRight(strings.ToUpper(fields[5]), ") ")]
		if name == "" || !allowsRead(fields[2]) {
			continue
		}
		byDefault = byDefault && ofDriveC(name, fields[1], fields[2])
		if !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	return who, byDefault && len(who) > 0
}

// ofDriveC tells an entry that no one had to add. A new folder on drive C: lets Users read and, on images of clouds, Authenticated
// Users modify everything in it (Azure/aks-engine, pull request 4633). The scripts of GKE, EKS, OpenShift and kubeadm leave it so, and that of
// AKS grants Users the same for C:\k (Azure/AgentBaker, parts/windows/kuberneteswindowssetup.ps1.template).
func ofDriveC(name, flags, rights string) bool {
	const modify, modifyInherited = "0X1301BF", "SDGXGWGR"
	return name == "Users" || name == "Authenticated Users" && hasFlag(flags, "ID") &&
		slices.Contains([]string{modify, modifyInherited}, strings.ToUpper(rights))
}

// hasFlag tells whether an entry has this flag: each is two letters, so that "CIIO" does not contain OI.
func hasFlag(flags, flag string) bool {
	flags = strings.ToUpper(flags)
	for i := 0; i+2 <= len(flags); i += 2 {
		if flags[i:i+2] == flag {
			return true
		}
	}
	return false
}
