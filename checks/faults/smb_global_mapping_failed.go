package faults

import (
	"cmp"
	"slices"
	"strings"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// smbFailure is one way in which Windows refuses to map a share, with its cure.
type smbFailure struct {
	texts []string
	says  string
	fix   checks.Fix
}

const (
	smbMapping = "SmbGlobalMapping"
	smbOther   = "New-SmbGlobalMapping failed on this node"
	// The kubelet (mount_windows.go) warns so of a share that it has mapped before, and goes on.
	smbMapsAgain = "SMB Mapping("
)

// smbNoUser is what drivers write before they map a share, where the volume names no Secret, or one
// without a user and a password: Trident (mount_windows.go), csi-driver-smb and the Azure Files driver
// (pkg/mounter/safe_mounter_windows.go), mount-utils (newSMBMapping). They map no share without a user.
var smbNoUser = []string{"empty username or password is not allowed",
	"empty mountOptions(len: ", "invalid parameter(username: , "}

// flexSlashes is mklink's answer to a share with slashes. The FlexVolume plugin makes backslashes of
// them since 0.0.3.
const flexSlashes = `Invalid switch - "/"`

// Without the Workstation service, which is the SMB client, Windows maps no share.
var (
	noWorkstation = []string{"The Workstation service has not been started", "Windows System Error 2138,"}
	noProvider    = []string{"the network provider is not currently available", "Windows System Error 1203,"}
)

var smbFailures = []smbFailure{
	{[]string{"The user name or password is incorrect"},
		"file server rejects the user name or password (error 1326)", smbCredentials()},
	{[]string{"The specified network password is not correct"},
		"file server rejects the password (error 86)", smbCredentials()},
	{[]string{"account is currently locked out", "account is currently disabled",
		"password must be changed", "password for this account has expired",
		"Windows System Error 1909,", "Windows System Error 1331,", "Windows System Error 1907,",
		"Windows System Error 1330,"},
		"the account of the volume is locked or disabled, or its password expired", checks.Steps(
			checks.Do("Unlock or enable the account at the file server or in Active Directory, or set a new password."),
			checks.Run("kubectl -n NAMESPACE edit secret SECRET",
				"If the password is a new one, write it into the volume's Secret."), mapped)},
	{[]string{"security policies block unauthenticated guest access", "Windows System Error 1272,"},
		"Windows blocks guest access to shares, and the volume names no user (error 1272)", smbSecret()},
	{smbNoUser, "the driver gets no user name and password for the share", smbSecret()},
	{[]string{"The network name cannot be found"},
		"the share does not exist on the file server (error 67)", checks.Steps(
			checks.Inspect(
				"kubectl get pv -o custom-columns=NAME:.metadata.name,SOURCE:.spec.csi.volumeAttributes.source,SHARE:.spec.csi.volumeAttributes.shareName",
				"Read which share the volume names."),
			checks.Do("Create the share or its folder on the file server, or correct the name in the volume.").
				Costs("The PersistentVolume must be created again."), mapped)},
	{[]string{"Network access is denied"},
		"access denied, usually because of another mapping of the same server (error 65)",
		checks.Steps(
			showMappings,
			removeMapping("Remove the old mapping. Use the same credentials for all shares of a server: Windows allows only one set."), mapped)},
	{[]string{"Multiple connections to a server or shared resource"},
		"the node already has a mapping of this server: of another user, or left over from before a reboot (error 1219)",
		checks.Steps(
			showMappings,
			removeMapping("Remove the old mapping, also of a folder above or below the share."),
			checks.Do("Update the SMB driver and csi-proxy, or use the same user for all shares of a server: Windows allows only one."), mapped)},
	{[]string{"The network path was not found"},
		"the node cannot connect to the file server (error 53)", smbReach()},
	{[]string{"The network location cannot be reached", "Windows System Error 1231,"},
		"the node has no route to the file server (error 1231)", smbReach()},
	{noWorkstation, "the Workstation service of Windows does not run, or must be restarted (error 2138)", smbWorkstation()},
	{noProvider, "Windows finds no SMB client for the path of the share (error 1203)", checks.Steps(
		checks.Inspect("Get-Service LanmanWorkstation", "Check that the Workstation service runs."),
		checks.Do("If it runs, write the source of the volume as //SERVER/SHARE.").
			Costs("The PersistentVolume must be created again."), mapped)},
	{[]string{"The parameter is incorrect"},
		`the name of the share is malformed: "The parameter is incorrect"`, checks.Steps(
			checks.Inspect(
				"kubectl get pv -o custom-columns=NAME:.metadata.name,SOURCE:.spec.csi.volumeAttributes.source",
				"Find the volume whose source is malformed."),
			checks.Do("Write the source of the volume as //SERVER/SHARE, without a slash at the end.").
				Costs("The PersistentVolume must be created again."), mapped)},
	{[]string{flexSlashes},
		"the share is written with slashes, and the driver does not make backslashes of them", checks.Steps(
			checks.Do(`Write the source of the volume as \\SERVER\SHARE, or update the driver.`).
				Costs("The PersistentVolume must be created again."), mapped)},
	{[]string{"Generic failure"},
		"the kubelet's own Azure Files driver maps a share twice (0x80041001)", checks.Steps(
			showMappings,
			removeMapping("Remove the mapping of the share if no running pod uses it."),
			checks.Do("Move the volumes to the Azure Files CSI driver: the driver in old kubelets does not lock its mappings."), mapped)},
	{[]string{"0xc0000142", "3221225794", "-1073741502"},
		"the mapping was not tried: no new process starts on this node (0xc0000142)",
		checks.Steps(
			checks.Run("kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
				"Drain and reboot the node: its desktop heap or memory is exhausted. Run fewer pods on it.").
				Costs("All pods of this node are evicted, and their emptyDir volumes are lost."),
			checks.Run("Restart-Computer", "Reboot the node."),
			checks.Run("kubectl uncordon {node}", "Allow pods on the node again."), mapped)},
}

var (
	showMappings = checks.Inspect("Get-SmbGlobalMapping", "Find the mapping of the share's server.")
	mapped       = checks.Verify("Get-SmbGlobalMapping", "the share with Status OK")
)

func smbSecret() checks.Fix {
	return checks.Steps(
		checks.Run("kubectl -n NAMESPACE create secret generic SECRET --from-literal username=USER --from-literal password=PASSWORD",
			"Create a Secret with a user of the file server."),
		checks.Do("Name the Secret in the StorageClass (csi.storage.k8s.io/node-stage-secret-name and -namespace), or in nodeStageSecretRef of the PersistentVolume.").
			Costs("The PersistentVolume must be created again."), mapped)
}

func smbCredentials() checks.Fix {
	return checks.Steps(
		checks.Run("kubectl -n NAMESPACE edit secret SECRET",
			`Correct the volume's Secret: user name DOMAIN\user, for Azure Files AZURE\ACCOUNT with the account's key.`),
		showMappings, removeMapping("Remove the mapping with the old credentials, if there is one."), mapped)
}

func smbReach() checks.Fix {
	return checks.Steps(
		checks.Inspect("Resolve-DnsName SERVER", "Check that the node resolves the server's name."),
		checks.Inspect("Test-NetConnection SERVER -Port 445",
			"Check that the node reaches TCP port 445 of the server."),
		checks.Do("Use a server name that the node resolves (not ….svc.cluster.local), and allow TCP 445 to the server."),
		mapped)
}

func smbWorkstation() checks.Fix {
	return checks.Steps(
		checks.Run("Set-Service LanmanWorkstation -StartupType Automatic", "Let Windows start the Workstation service."),
		checks.Run("Restart-Service LanmanWorkstation -Force", "Start the service again, and those that depend on it.").
			Costs("Pods of this node lose the SMB shares that are mapped until they are mapped again."), mapped)
}

func removeMapping(text string) *checks.Step {
	return checks.Run(`Remove-SmbGlobalMapping -RemotePath \\SERVER\SHARE -Force`, text).
		Costs("Pods that use the removed mapping lose their volume until it is mapped again.")
}

var _ = register(&checks.Check{
	ID:       "smb-global-mapping-failed",
	Title:    "SMB share mapping fails",
	Healthy:  "SMB shares can be mapped",
	Category: checks.CategoryStorage,
	Doc: `SMB and Azure Files volumes are mapped once for the whole node with New-SmbGlobalMapping and
then linked into pods. Windows reports the reason as a number after its localized message: 1326 is a
wrong user name or password, 1219 and usually 65 a second mapping of the same server with other
credentials, or one that is Disconnected since a reboot, 53 a server that the node cannot find, 67 a share that does not exist, 86 a wrong
password. Exit status 0xc0000142 is not related to shares: no new process starts on the node.

A driver that gets no user name and password, because neither the StorageClass nor the PersistentVolume
names a Secret for the stage on the node, does not try to map the share. Windows maps none while its
Workstation service is stopped (error 2138 or 1203).

The number is in the pod's event (FailedMount) and in the logs of the kubelet, the driver and
csi-proxy; nothing else in the evidence shows the mapping. A pod that became Ready since shows that
the mapping works.`,
	Fix: checks.Steps(
		checks.Run(`New-SmbGlobalMapping -RemotePath \\SERVER\SHARE -Credential (Get-Credential)`,
			"Map the share by hand, and fix the error that the command reports."),
		checks.Verify("Get-SmbGlobalMapping", "the share with Status OK")),
	Links: []string{
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/655",
		"https://github.com/Azure/aks-engine/issues/327",
		"https://github.com/kubernetes/kubernetes/issues/73087",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/453",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/219",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/520",
		"https://github.com/kubernetes-csi/csi-proxy/issues/311",
		"https://github.com/kubernetes-sigs/azuredisk-csi-driver/issues/2082",
		"https://github.com/NetApp/trident/issues/827",
		"https://github.com/microsoft/K8s-Storage-Plugins/issues/13",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/885",
		"https://github.com/kubernetes-csi/csi-driver-smb/issues/754",
		"https://github.com/MicrosoftDocs/SupportArticles-docs/pull/1480",
	},
	Breaks: []*checks.Effect{effectPodStart},
	Needs: []evidence.Need{evidence.Any(evidence.PodEvents, evidence.Logs("kubelet"),
		evidence.Logs("csi-proxy"))},
	Uses:  []evidence.Need{evidence.Services, evidence.Processes, evidence.Pods, evidence.PersistentVolumes},
	Moot:  noShares,
	Signs: smbSigns(),
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		var findings []*checks.Finding
		for _, m := range s.Signs("smb-global-mapping-failed") {
			if m.Over != "" {
				continue
			}
			f := smbFinding(s, m)
			if i := slices.IndexFunc(findings, func(g *checks.Finding) bool {
				return g.Message() == f.Message()
			}); i >= 0 {
				if len(findings[i].Because) < checks.MaxQuotes {
					findings[i] = findings[i].With(checks.Quote(m))
				}
				continue
			}
			findings = append(findings, f.With(checks.Quote(m)))
		}
		return findings, nil
	},
})

// smbSigns makes a sign of each failure, and one of those that are none of them.
func smbSigns() []checks.Sign {
	var signs, plain []checks.Sign
	var known []string
	for _, failure := range smbFailures {
		signs = append(signs, checks.Sign{Text: failure.texts[0], Or: failure.texts[1:],
			Also: []string{smbMapping}, Not: []string{smbMapsAgain}, Says: failure.says})
		// the Azure Files driver that calls WMI (pkg/os/smb/smb_cim.go) does not name the command
		plain = append(plain, checks.Sign{Text: failure.texts[0], Or: failure.texts[1:],
			Also: []string{"SMB global mapping"}, Not: []string{smbMapping}, Says: failure.says})
		known = append(known, failure.texts...)
	}
	signs = append(signs, plain...)
	// without PowerShell the driver never gets as far as the share
	other := checks.Sign{Text: "NewSmbGlobalMapping failed",
		Or: []string{"azureMount: SmbGlobalMapping failed", "create SMB mapping failed for ",
			// the kubelet's own mounts: pkg/util/mount/mount_windows.go until 1.17, then mount-utils
			"New-SmbGlobalMapping failed: ", "New-SmbGlobalMapping remount failed: ", "New-SmbGlobalMapping("},
		Not:  append([]string{"executable file not found"}, known...),
		Says: smbOther}
	// The kubelet's own driver and PowerShell: the end of a FullyQualifiedErrorId.
	command := checks.Sign{Text: ",New-SmbGlobalMapping", Also: []string{"Windows System Error "},
		Not: slices.Concat(other.Not, []string{other.Text, smbMapsAgain}, other.Or), Says: smbOther}
	// The FlexVolume driver of microsoft/K8s-Storage-Plugins (issue 14) does not name the command.
	flexVolume := checks.Sign{Text: "Multiple connections to a server or shared resource",
		Also: []string{"mount command failed"},
		Says: "the node already has a mapping of this server: of another user, or left over from before a reboot (error 1219)"}
	const noUser = "the driver gets no user name and password for the share"
	trident := checks.Sign{Text: smbNoUser[0], Also: []string{"mounting SMB volume"}, Says: noUser}
	options := checks.Sign{Text: smbNoUser[1], Also: []string{"sensitiveMountOptions(len: "}, Says: noUser}
	const slashes = "the share is written with slashes, and the driver does not make backslashes of them"
	link := checks.Sign{Text: flexSlashes, Also: []string{"at MakeSymLink"}, Says: slashes}
	return append(signs, other, command, flexVolume, trident, options, link)
}

func smbFinding(s evidence.Snapshot, m evidence.SignMatch) *checks.Finding {
	f := checks.Findingf(checks.Fail, "SMB share", "%s", smbOther)
	for _, failure := range smbFailures {
		if slices.Contains(failure.texts, m.Text) {
			f = checks.Findingf(checks.Fail, "SMB share", "%s",
				evidence.Phrasef(failure.says)).Cure(failure.fix)
		}
	}
	for _, svc := range evidence.Services.In(s) {
		if strings.EqualFold(svc.Name, "LanmanWorkstation") && svc.State == "stopped" && unreachedShare(m.Text) {
			f = checks.Findingf(checks.Fail, "SMB share", "SMB shares cannot be mapped: the Workstation service of Windows is stopped").
				At(svc.Field("state"), "LanmanWorkstation is stopped (start type: %s)", svc.StartType).Cure(smbWorkstation())
			f.Subject, f.Basis = cmp.Or(smbShare(m.Found), f.Subject), checks.ByBoth
			return f
		}
	}
	f.Subject = cmp.Or(smbShare(m.Found), f.Subject)
	f.Basis = checks.ByText
	if slices.Contains(smbNoUser, m.Text) {
		for _, v := range evidence.PersistentVolumes.In(s) {
			if v.Spec.CSI != nil && v.Spec.CSI.NodeStageSecretRef == nil && strings.Contains(m.Found, v.Metadata.Name) {
				f.Basis = checks.ByBoth
				return f.At(v.Field("spec", "csi"), "%s: volume of %s without nodeStageSecretRef", v.Metadata.Name, v.Spec.CSI.Driver)
			}
		}
	}
	return f
}

// unreachedShare tells whether a failure can be one of the client, and is no answer of the file server.
func unreachedShare(text string) bool {
	return slices.Contains(slices.Concat(noWorkstation, noProvider, []string{"The network path was not found",
		"The network location cannot be reached", "Windows System Error 1231,"}), text) ||
		!slices.ContainsFunc(smbFailures, func(failure smbFailure) bool { return slices.Contains(failure.texts, text) })
}

// smbShare takes the share out of `mount "//server/share" on`, as the driver writes it.
func smbShare(line string) string {
	line = strings.ReplaceAll(line, `\"`, `"`)
	_, rest, ok := strings.Cut(line, `mount "//`)
	if !ok {
		return ""
	}
	share, _, ok := strings.Cut(rest, `"`)
	if !ok || len(share) > node.MaxFact {
		return ""
	}
	return "//" + share
}
