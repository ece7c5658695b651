package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
)

const endpointsOnNAT = `C:\Users\Administrator>hnsdiag list all
Networks:
Name             ID
nat              FD741616-F4D9-40F2-8090-D280C3B15D69
cbr0             50C2A967-5E00-46EF-99B0-41DB00C30DFC

Endpoints:
Name             ID                                   Virtual Network Name
6b7293ffab3a5ab7ea5163f2eac8cebbb7dcb2d61de9135ff9424770c980fc0a_nat eb3b4758-6ea0-497f-838f-dda5e0ae68cf nat
911b46c0d4a609fe119d0baf3ebf7e97cf73f8df09f728a0f701b6491bb336bd_nat 592369c6-4583-48e8-8ffc-b87459e8dd80 nat
`

// onlyWindowsNodes is as in Azure/AKS issue 121, in a block of Markdown.
const onlyWindowsNodes = `The nodes are there, but CoreDNS does not start:

    $ kubectl get nodes -o wide
    NAME                                       STATUS   ROLES    AGE   VERSION               INTERNAL-IP   EXTERNAL-IP   OS-IMAGE                         KERNEL-VERSION    CONTAINER-RUNTIME
    ip-10-80-1-31.eu-west-1.compute.internal   Ready    <none>   24m   v1.33.5-eks-113cf36   10.80.1.31    <none>        Windows Server 2022 Datacenter   10.0.20348.4294   containerd://1.7.28
    ip-10-80-2-77.eu-west-1.compute.internal   Ready    <none>   24m   v1.33.5-eks-113cf36   10.80.2.77    <none>        Windows Server 2022 Datacenter   10.0.20348.4294   containerd://1.7.28

    $ kubectl get pods -A
    NAMESPACE     NAME                              READY   STATUS    RESTARTS   AGE
    kube-system   coredns-6b9575c64c-7gt2m          0/1     Pending   0          25m
    kube-system   coredns-6b9575c64c-xq5zd          0/1     Pending   0          25m
    kube-system   metrics-server-7c54786d5b-8sd4k   0/1     Pending   0          25m
`

// TestVerdictsOverPastes judges what people pasted, word for word, with the address of the thread.
func TestVerdictsOverPastes(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"https://github.com/Azure/azure-container-networking/issues/335", restartingIIS,
			"fail pods-restarting, warn image-tag-latest"},
		{"https://github.com/kubernetes-sigs/sig-windows-tools/issues/72", restartingFlannel, "fail pods-restarting"},
		{"https://github.com/microsoft/Windows-Containers/issues/68, which breaks off", webserverCut, ""},
		{"https://github.com/Azure/acs-engine/issues/2711, which breaks off", metricsServerCut, ""},
		{"https://github.com/microsoft/SDN/blob/master/Kubernetes/windows/kubeadm/Kubecluster.md",
			"Status      : Stopped\nName        : Kubelet\nDisplayName : Kubelet\n", "fail kubelet-not-running"},
		{"the next service of that page, beside which a pod may run", "Status      : Stopped\nName        : Kubeproxy\nDisplayName : Kubeproxy\n", ""},
		{"https://github.com/MicrosoftDocs/PowerShell-Docs/blob/main/reference/docs-conceptual/learn/ps101/03-discovering-objects.md",
			"Status   Name               DisplayName\n------   ----               -----------\nStopped  w32time            Windows Time\n",
			"warn time-service-not-running"},
		{"w32tm without the service",
			"$ w32tm /query /status\nThe following error occurred: The service has not been started. (0x80070426)\n",
			"warn time-service-not-running"},
		{"https://raw.githubusercontent.com/pjh/SDN/mtu-with-new-hnsnetwork/mtu-with-new-hnsnetwork.txt", installedDocker,
			"warn reboot-pending"},
		{"a feature that needs a reboot", installedFeature, "warn reboot-pending"},
		{"https://github.com/projectcalico/calico/issues/11203", endpointColumns, ""},
		{"nodes with Windows alone", onlyWindowsNodes, "warn linux-node-missing"},
		{"a pod of kube-system has a node", strings.Replace(onlyWindowsNodes, "8sd4k   0/1     Pending", "8sd4k   1/1     Running", 1), ""},
		{"a node with Linux", strings.Replace(onlyWindowsNodes, "10.80.2.77    <none>        Windows Server 2022 Datacenter   10.0.20348.4294  ", "10.80.2.77    <none>        Amazon Linux 2023.9.20251027     6.1.156-177.286  ", 1), ""},
		{"a node of September 2020", nodeOf2020, "warn windows-server-2019-decap-in-regression"},
		{"https://github.com/kubernetes/kubernetes/issues/106467", bugcheckOfViewer, "warn unexpected-reboot"},
		{"https://github.com/microsoft/Windows-Containers/issues/502, the newer one", bugcheckRow, "warn unexpected-reboot"},
		{"https://github.com/docker/for-win/issues/14902", dockerInfoBlocked, "warn program-blocked-by-policy"},
		{"https://github.com/Azure/aks-engine/issues/1029", hypervPod, "warn hyperv-annotation, warn pod-limits-unequal, warn pod-os-not-selected"},
		{"https://github.com/Mirantis/cri-dockerd/issues/372, the pod", pinnedPod, "warn pod-limits-unequal"},
		{"https://github.com/kubernetes/kubernetes/issues/101680", endpointsOnNAT, "fail nat-cni-conf-shadows-cni"},
		{"one endpoint is on the network of the cluster", strings.Replace(endpointsOnNAT, "fc0a_nat", "fc0a_cbr0", 1), ""},
		{"https://learn.microsoft.com/en-us/azure/iot-edge/troubleshoot-common-errors", edgeHubPort,
			"fail hostport-conflict-or-not-published"},
		{"https://github.com/microsoft/hcsshim/issues/1386, a test that goes on",
			"May  4 11:42:01.242: INFO: At 2022-05-04 11:41:57 +0000 UTC - event for pod-host-path-test: {kubelet capz-conf-jkltp} Failed: Error: failed to create containerd task: failed to create shim task: " +
				"hcs::CreateComputeSystem test-container-2: The filename, directory name, or volume label syntax is incorrect.: unknown\nMay  4 11:42:01.300: INFO: POD  NODE  PHASE  GRACE  CONDITIONS\n",
			"fail mount-path-invalid, fail pods-stuck-creating"},
		{"https://github.com/kubernetes/test-infra/pull/24887, with the end of its line",
			"Jan 13 18:23:06.475: INFO: At 2022-01-13 18:19:11 +0000 UTC - event for concurrent-1642097940-btmdk: {kubelet 2641k8s001} Failed: Failed to pull image \"docker.io/library/busybox:1.29\": " +
				"rpc error: code = NotFound desc = failed to pull and unpack image \"docker.io/library/busybox:1.29\": no match for platform in manifest: not found\n",
			"fail app-image-os-version-mismatch, fail linux-pod-on-windows, fail pods-stuck-creating"},
		{"sc answers to a start while the service starts", "C:\\>sc start kubelet\n" + kubeletStarts, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"a.txt": row.content}))
			s, err := evidence.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			s, _ = signs.Record(s, faults.Catalogue().Signs())
			found := []string{}
			for _, r := range checks.Diagnose(s, faults.Catalogue(), checks.Source{Kind: "foreign"}, checks.Program{}).Results {
				if status := fmt.Sprint(r.Status); status == "fail" || status == "warn" {
					found = append(found, status+" "+r.ID)
				}
			}
			slices.Sort(found)
			if got := strings.Join(found, ", "); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// TestFewFilesMayHoldAMessage puts an error message beside an output, as people do.
func TestFewFilesMayHoldAMessage(t *testing.T) {
	const message = `Failed to pull image "ghcr.io/nginx/nginx-gateway-fabric:2.0.2": rpc error: code = NotFound desc = failed to pull and unpack image ` +
		`"ghcr.io/nginx/nginx-gateway-fabric:2.0.2": no match for platform in manifest: not found` + "\n"
	_, tree := looseTree(t, loose(map[string]string{"describe-pod.txt": gatewayCut, "message.txt": message}))
	s, err := evidence.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := judged(t, s); !slices.Contains(found, "fail app-image-os-version-mismatch") {
		t.Errorf("found %v", found)
	}
}

const bugcheckOfViewer = `Log Name:      System
Source:        Microsoft-Windows-WER-SystemErrorReporting
Date:          11/14/2021 7:58:18 AM
Event ID:      1001
Task Category: None
Level:         Error
Keywords:      Classic
User:          N/A
Computer:      4231k8s001
Description:
The computer has rebooted from a bugcheck.  The bugcheck was: 0x00000139 (0x0000000000000003, 0xffffc488ac08e310, 0xffffc488ac08e268, 0x0000000000000000). A dump was saved in: C:\Windows\MEMORY.DMP. Report Id: 5b3f361b-97b3-490e-81d4-02be2bb3367a.
`

const bugcheckRow = `TimeCreated           ProviderName                               EventID DiagnosticID                         Message
-----------           ------------                               ------- ------------                         -------
5/23/2024 10:00:38 PM Microsoft-Windows-WER-SystemErrorReporting    1001 fed6e402-0998-4987-a650-fda41d8ca074 0x0000000a (0x000000000000004c, 0x0000000000000002, 0x0000000000000001, 0xfffff8007f90b8ba)
`

const dockerInfoBlocked = `$ docker info
Client:
 Version:    28.3.2
 Context:    desktop-linux
 Debug Mode: false
 Plugins:
WARNING: Plugin "C:\\Users\\MyName\\.docker\\cli-plugins\\docker-ai.exe" is not valid: failed to fetch metadata: fork/exec C:\Users\MyName\.docker\cli-plugins\docker-ai.exe: This program is blocked by group policy. For more information, contact your system administrator.
`

const hypervPod = `apiVersion: v1
kind: Pod
metadata:
  name: hyperv
  annotations:
    "experimental.windows.kubernetes.io/isolation-type": hyperv
spec:
  containers:
   - name: hyperv
     image: mcr.microsoft.com/windows/servercore:ltsc2019
  restartPolicy: Never
`

const pinnedPod = `apiVersion: v1
kind: Pod
metadata:
  name: ping
  labels:
    app: ping
spec:
  containers:
  - name: ping
    image: mcr.microsoft.com/windows/servercore:ltsc2019 
    imagePullPolicy: IfNotPresent
    command: ["ping", "-t", "127.0.0.1"]
  nodeSelector:
    kubernetes.io/hostname: "win2019-1"
`

const restartingIIS = `Name:               iis-site-74545b4d66-xsphc
Namespace:          default
Priority:           0
PriorityClassName:  <none>
Node:               3845k8s001/10.3.12.187
Start Time:         Mon, 15 Apr 2019 13:02:03 -0400
Labels:             app=iis-site
                    pod-template-hash=74545b4d66
Annotations:        <none>
Status:             Running
IP:
Controlled By:      ReplicaSet/iis-site-74545b4d66
Containers:
  iis-site:
    Container ID:   docker://ec43c0eda2d17535e0093c489bf127f56bd165ea984f9c0bb04d7f384e62c809
    Image:          mcr.microsoft.com/windows/servercore/iis:latest
    Image ID:       docker-pullable://mcr.microsoft.com/windows/servercore/iis@sha256:7db5b8976b34f5e0ce4c3338af3b71b7d05661e9becaa2fe6130a3e690d29bc7
    Port:           80/TCP
    Host Port:      0/TCP
    State:          Terminated
      Reason:       Error
      Exit Code:    -1073741510
      Started:      Mon, 15 Apr 2019 14:04:35 -0400
      Finished:     Mon, 15 Apr 2019 14:04:38 -0400
    Ready:          False
    Restart Count:  27
    Environment:    <none>
    Mounts:
      /var/run/secrets/kubernetes.io/serviceaccount from default-token-gs6lp (ro)
`

const restartingFlannel = `Name:         kube-flannel-ds-windows-amd64-plqfh
Namespace:    kube-system
Priority:     0
Node:         w1/10.7.1.221
Start Time:   Fri, 01 May 2020 09:16:35 -0400
Labels:       app=flannel
              controller-revision-hash=6bb76d646c
              pod-template-generation=2
              tier=node
Annotations:  <none>
Status:       Running
IP:           10.7.1.221
IPs:
  IP:           10.7.1.221
Controlled By:  DaemonSet/kube-flannel-ds-windows-amd64
Containers:
  kube-flannel:
    Container ID:  docker://9cf004315094ca910a76eedc99db142e2ac1d47068e848286c60ef4ed446104a
    Image:         sigwindowstools/flannel:0.12.0
    Image ID:      docker://sha256:9499a92cb176d6f24ecec3d651f5f019bdbaa87dc4d6e599fd31ec4a7bb4baaf
    Port:          <none>
    Host Port:     <none>
    Command:
      powershell
    Args:
      -file
      /etc/kube-flannel-windows/run.ps1
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      Fri, 01 May 2020 09:25:05 -0400
      Finished:     Fri, 01 May 2020 09:25:30 -0400
    Ready:          False
    Restart Count:  6
`

const webserverCut = `Name:         win-webserver-7df5765678-vpzx6
Namespace:    default
Priority:     0
Node:         winworker-tgk4d/172.31.251.167
Start Time:   Mon, 26 Oct 2020 22:03:40 +0000
Labels:       app=win-webserver
              pod-template-hash=7df5765678
Annotations:  <none>
Status:       Running
IP:           10.132.2.48
IPs:
  IP:           10.132.2.48
Controlled By:  ReplicaSet/win-webserver-7df5765678
Containers:
  windowswebserver:
    Container ID:  docker://be362ce11a522fabbfa3c474b25ae4040877c89ce9271bf840b39071a9b2db8e
    Image:         mcr.microsoft.com/powershell:lts-nanoserver-1909
    Image ID:      docker-pullable://mcr.microsoft.com/powershell@sha256:8067cc3b119547b148433a8fb934cf1407669fe61ad81364ecb68b59298c800d
    Port:          <none>
    Host Port:     <none>
`

const metricsServerCut = `Name:           metrics-server-7fcdc5dbb9-97wtx
Namespace:      kube-system
Node:           10932k8s9013/10.240.0.220
Start Time:     Tue, 17 Apr 2018 09:09:45 -0700
Labels:         k8s-app=metrics-server
                pod-template-hash=3978718665
Annotations:    <none>
Status:         Pending
IP:
Controlled By:  ReplicaSet/metrics-server-7fcdc5dbb9
Containers:
  metrics-server:
    Container ID:
    Image:         k8s-gcrio.azureedge.net/metrics-server-amd64:v0.2.1
    Image ID:
    Port:          <none>
    Host Port:     <none>
    Command:
      /metrics-server
      --source=kubernetes.summary_api:''
    State:          Waiting
`

const installedDocker = `PS C:\Windows\system32> Install-Package -Name docker -ProviderName DockerMsftProvider -Force -RequiredVersion ${docker_version}
WARNING: A restart is required to enable the containers feature. Please restart your machine.

Name                           Version          Source           Summary
----                           -------          ------           -------
Docker                         18.09.6          DockerDefault    Contains Docker EE for use with Windows Server.
`

const nodeOf2020 = `$ oc get nodes -l kubernetes.io/os=windows -o wide
NAME                                        STATUS   ROLES    AGE   VERSION                            INTERNAL-IP   EXTERNAL-IP   OS-IMAGE                         KERNEL-VERSION    CONTAINER-RUNTIME
ip-10-0-147-19.us-east-2.compute.internal   Ready    worker   46h   v1.19.0-rc.2.1023+f5121a6a6a02dd   10.0.147.19   <none>        Windows Server 2019 Datacenter   10.0.17763.1457   docker://19.3.11
`

const kubeletStarts = `SERVICE_NAME: kubelet
        TYPE               : 10  WIN32_OWN_PROCESS
        STATE              : 2  START_PENDING
                                (NOT_STOPPABLE, NOT_PAUSABLE, IGNORES_SHUTDOWN)
        WIN32_EXIT_CODE    : 0  (0x0)
        SERVICE_EXIT_CODE  : 0  (0x0)
        CHECKPOINT         : 0x0
        WAIT_HINT          : 0x7d0
        PID                : 4624
        FLAGS              :
`

// https://github.com/nginx/nginx-gateway-fabric/issues/3661
const gatewayCut = `Name:             ngf-nginx-gateway-fabric-cert-generator-gwg9d
Namespace:        nginx-gateway
Priority:         0
Service Account:  ngf-nginx-gateway-fabric-cert-generator
Node:             akswin000034/10.40.112.10
Start Time:       Wed, 23 Jul 2025 16:37:34 -0500
Labels:           batch.kubernetes.io/controller-uid=52801f29-66d5-4c0e-8afe-f9b9bbf7a0eb
                  batch.kubernetes.io/job-name=ngf-nginx-gateway-fabric-cert-generator
`

// The words of Windows stand in a line of their own.
const edgeHubPort = `info: edgelet_docker::runtime -- Starting module edgeHub...
warn: edgelet_utils::logging -- Could not start module edgeHub
warn: edgelet_utils::logging --     caused by: failed to create endpoint edgeHub on network nat: hnsCall failed in Win32:  
        The process cannot access the file because it is being used by another process. (0x20)
`
