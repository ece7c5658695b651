package faults

import (
	"doctor/checks"
	"doctor/checks/evidence"
)

var _ = register(&checks.Check{
	ID:       "service-program-missing",
	Title:    "Program of a node component is missing",
	Healthy:  "Programs of node components exist",
	Category: checks.CategoryComponents,
	Doc: `Event 7000 with "cannot find the file specified" says that the program of a service is not where
its configuration says: an update removed or renamed it, antivirus software put it into
quarantine, or the path has blanks and no quotes.

The check looks for the event of the services of Kubernetes and the runtime.`,
	Fix: checks.Steps(
		checks.Inspect(`Get-CimInstance Win32_Service -Filter "State='Stopped'" | Select-Object Name, PathName`,
			"Compare the paths of the stopped services with the files of the node."),
		checks.Do("Put the program back, or correct binPath with sc.exe config; look into the quarantine of the antivirus software."),
		checks.Run("Start-Service SERVICE",
			"Start the service."),
		checks.Verify("Get-Service SERVICE", "Status is Running")),
	Links: []string{
		"https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/sc-config",
		"https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--0-499-",
	},
	Breaks: []*checks.Effect{effectKubeletStart},
	Needs:  []evidence.Need{evidence.Any(evidence.WindowsEvents, evidence.Logs("other"))},
	Signs: []checks.Sign{
		{Text: "The kubelet service failed to start due to the following error",
			Also:  []string{"cannot find the file specified"},
			Until: []string{"The kubelet service entered the running state"},
			Says:  "the program of the service kubelet is missing"},
		{Text: "The kube-proxy service failed to start due to the following error",
			Also:  []string{"cannot find the file specified"},
			Until: []string{"The kube-proxy service entered the running state"},
			Says:  "the program of the service kube-proxy is missing"},
		{Text: "The containerd service failed to start due to the following error",
			Also:  []string{"cannot find the file specified"},
			Until: []string{"The containerd service entered the running state"},
			Says:  "the program of the service containerd is missing"},
		{Text: "The docker service failed to start due to the following error",
			Also:  []string{"cannot find the file specified"},
			Until: []string{"The docker service entered the running state"},
			Says:  "the program of the service docker is missing"},
		{Text: "The flanneld service failed to start due to the following error",
			Also:  []string{"cannot find the file specified"},
			Until: []string{"The flanneld service entered the running state"},
			Says:  "the program of the service flanneld is missing"},
		{Text: "The rke2 service failed to start due to the following error",
			Also:  []string{"cannot find the file specified"},
			Until: []string{"The rke2 service entered the running state"},
			Says:  "the program of the service rke2 is missing"},
		{Text: "The csi-proxy service failed to start due to the following error",
			Also:  []string{"cannot find the file specified"},
			Until: []string{"The csi-proxy service entered the running state"},
			Says:  "the program of the service csi-proxy is missing"},
	},
})
