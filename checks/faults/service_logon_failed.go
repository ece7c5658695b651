package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "service-logon-failed",
	Title:    "Service of a node component cannot log on",
	Healthy:  "Services of node components can log on",
	Category: checks.CategoryComponents,
	Doc: `The Service Control Manager starts a service under its account. Event 7038 says that the logon
failed: the password was changed or has expired, the account is locked or was deleted, or it has
no right to log on as a service.

The check looks for the event of the services of Kubernetes and the runtime.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-CimInstance Win32_Service -Filter "State='Stopped'" | Select-Object Name, StartName`,
			"Find the services that are stopped, and their accounts."),
		checks.Run("sc.exe config SERVICE obj= LocalSystem",
			"Let the service run as LocalSystem, or give it the new password."),
		checks.Run("Start-Service SERVICE",
			"Start the service."),
		checks.Verify("Get-Service SERVICE", "Status is Running")),
	Links: []string{
		"https://learn.microsoft.com/en-us/troubleshoot/windows-server/system-management-components/service-startup-permissions",
		"https://learn.microsoft.com/en-us/previous-versions/windows/it-pro/windows-server-2008-R2-and-2008/cc756339(v=ws.10)",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "The kubelet service was unable to log on as",
			Until: []string{"The kubelet service entered the running state"},
			Says:  "the service kubelet cannot log on with its account"},
		{Text: "The kube-proxy service was unable to log on as",
			Until: []string{"The kube-proxy service entered the running state"},
			Says:  "the service kube-proxy cannot log on with its account"},
		{Text: "The containerd service was unable to log on as",
			Until: []string{"The containerd service entered the running state"},
			Says:  "the service containerd cannot log on with its account"},
		{Text: "The docker service was unable to log on as",
			Until: []string{"The docker service entered the running state"},
			Says:  "the service docker cannot log on with its account"},
		{Text: "The flanneld service was unable to log on as",
			Until: []string{"The flanneld service entered the running state"},
			Says:  "the service flanneld cannot log on with its account"},
		{Text: "The rke2 service was unable to log on as",
			Until: []string{"The rke2 service entered the running state"},
			Says:  "the service rke2 cannot log on with its account"},
		{Text: "The csi-proxy service was unable to log on as",
			Until: []string{"The csi-proxy service entered the running state"},
			Says:  "the service csi-proxy cannot log on with its account"},
	},
})
