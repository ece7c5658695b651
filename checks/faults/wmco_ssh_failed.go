package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/node"
)

// wmcoConfigured is what the Windows Machine Config Operator logs of an instance at the end.
var wmcoConfigured = []string{"instance has been configured as a worker node"}

var _ = register(&checks.Check{
	ID:       "wmco-ssh-failed",
	Title:    "OpenShift cannot connect to the Windows instance over SSH",
	Healthy:  "OpenShift connects to the Windows instance over SSH",
	Category: checks.CategoryComponents,
	Doc: `The Windows Machine Config Operator (WMCO) of OpenShift sets a Windows node up over SSH: port 22
of the instance must be open to the cluster, an SSH server must run, and the public key that belongs
to the Secret cloud-private-key must be authorized for the user. If it cannot connect for ten
minutes, or the instance does not accept the key, the machine stays Provisioned and no node joins. A
Machine whose key is not accepted is deleted and made again.

The check looks for the error in the log of the operator.`,
	Fix: checks.Steps(
		checks.Inspect("Get-Service sshd; Get-NetFirewallRule -DisplayGroup *OpenSSH*",
			"On the instance, check that the SSH server runs and that the firewall allows port 22."),
		checks.Run("Set-Service sshd -StartupType Automatic; Start-Service sshd; New-NetFirewallRule -DisplayName sshd -Direction Inbound -Protocol TCP -LocalPort 22 -Action Allow",
			"If not, start it and open the port.").
			Costs("The instance accepts SSH connections."),
		checks.Do("Allow TCP 22 from the nodes of the cluster to the instance in the security group or firewall of the cloud."),
		checks.Verify("oc logs -n openshift-windows-machine-config-operator deployment/windows-machine-config-operator", "instance has been configured as a worker node")),
	Links: []string{
		"https://github.com/openshift/windows-machine-config-operator/blob/master/pkg/windows/connectivity.go",
		"https://github.com/openshift/terraform-windows-provisioner",
		"https://docs.okd.io/latest/windows_containers/byoh-windows-instance.html",
	},
	Breaks:  []*checks.Effect{effectKubeletStart, effectRuntime},
	Applies: checks.UnlessElsewhere(node.OpenShift),
	Needs:   []evidence.Need{evidence.Any(evidence.Logs("wmco"), evidence.Logs("other"))},
	Uses:    []evidence.Need{evidence.Node},
	Run: func(s evidence.Snapshot) ([]*checks.Finding, error) {
		if ready, told := evidence.Node.In(s).Condition("Ready"); !told || ready.Status != "True" {
			return nil, checks.Unknown(evidence.NotShown.Gap("whether the operator reaches the instance"))
		}
		return nil, nil // the log is of all machines, and this one is a node
	},
	Signs: []checks.Sign{
		{Text: "unable to connect to Windows VM", Also: []string{"unable to authenticate"},
			Until: wmcoConfigured,
			Says:  "the Windows instance does not accept the SSH key of the Windows Machine Config Operator",
			Fix: checks.Steps(
				checks.Inspect(`Get-Content C:\ProgramData\ssh\administrators_authorized_keys`,
					"On the instance, read the public keys that are authorized."),
				checks.Do("Add the public key that belongs to the Secret cloud-private-key, or replace the Secret by the private key of the instance."),
				checks.Do("If a Machine was made with an older key, delete it, so that it is made again."),
				checks.Verify("oc logs -n openshift-windows-machine-config-operator deployment/windows-machine-config-operator", "instance has been configured as a worker node"))},
		{Text: "unable to connect to Windows VM", Not: []string{"unable to authenticate"},
			Until: wmcoConfigured,
			Says:  "the Windows Machine Config Operator cannot connect to the instance over SSH"},
	},
})
