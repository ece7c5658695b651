package faults_test

import "testing"

// TestSignsInOtherWordings: what other releases and other languages of Windows print. The lines are
// quoted from the source beside each row; "formed" ones put Windows' text, in which errcode knows
// it, into the format of the source.
func TestSignsInOtherWordings(t *testing.T) {
	for _, row := range []struct{ check, name, log, line, want string }{
		{"kube-proxy-panic", "klog of Kubernetes 1.36", // kubernetes/kubernetes#141488
			"kube-proxy", "E0817 10:58:16.091918   11772 panic.go:236] \"Observed a panic\"\n" +
				"  panic=\"runtime error: index out of range [0] with length 0\"\n" +
				"  stacktrace=<\n    k8s.io/kubernetes/pkg/proxy/winkernel.hns.getAllLoadBalancers(...)\n" +
				"        /build/kubernetes/pkg/proxy/winkernel/hns.go:352\n  >",
			"fail: kube-proxy panics in its Windows proxier [text]"},
		{"kubelet-perf-counter-missing", "the counter is named since Kubernetes 1.24", // kubernetes#106644
			"kubelet", `E1120 09:58:00.1 1 run.go:74] "command failed" err="failed to run Kubelet: unable to add process counter: \\Processor(_Total)\\% Processor Time. Error code is c0000bb8"`,
			"fail: the kubelet exits: Windows has no such performance counter [text]"},
		{"apiserver-ca-unknown", "Kubernetes until 1.20", // pkg/kubelet/kubelet_node_status.go
			"kubelet", `E1120 09:58:00.1 1399 kubelet_node_status.go:92] Unable to register node "win-1" with API server: Post https://10.0.0.1:6443/api/v1/nodes: x509: certificate signed by unknown authority`,
			"fail: the kubelet refuses the API server's certificate: its CA is not the one of the kubeconfig [text]"},
		{"apiserver-name-not-resolved", "Kubernetes until 1.17", // pkg/kubelet/nodelease/controller.go
			"kubelet", `E1120 09:58:00.1 1399 controller.go:136] failed to ensure node lease exists, will retry in 7s, error: Get https://api.example.org:6443/apis/coordination.k8s.io/v1: dial tcp: lookup api.example.org: no such host`,
			"warn: the kubelet cannot resolve the name of the API server [text]"},
		{"kubelet-credentials-refused", "Kubernetes until 1.20", "kubelet",
			`E1120 09:58:00.1 1399 kubelet_node_status.go:92] Unable to register node "win-1" with API server: Unauthorized`,
			"fail: the API server does not accept the credentials of the kubelet [text]"},
		{"kubelet-credentials-refused", "it was registered, in the words of Kubernetes until 1.20", "kubelet",
			"E1120 09:58:00.1 1399 kubelet_node_status.go:92] Unable to register node \"win-1\" with API server: Unauthorized\n" +
				`I1120 09:59:15.0 3912 kubelet_node_status.go:108] Node win-1 was previously registered`,
			"info: the logs say: the API server does not accept the credentials of the kubelet; it is over: a later line says: was previously registered [text]"},
		{"windows-memory-exhausted", "Windows Server 2016 and 2019", // microsoft/nav-docker#112
			"other", "Not enough storage is available to process this command.",
			"fail: Windows cannot commit the memory of the container [text]"},
		{"windows-memory-exhausted", "Docker 20.10 and before", // microsoft/hcsshim#869
			"docker", "Error response from daemon: hcsshim::CreateComputeSystem 632b34a8d3e9: Insufficient system resources exist to complete the requested service.",
			"warn: Windows has no resources for the container: memory, or kernel memory of drivers [text]"},
		{"windows-memory-exhausted", "Docker 1.13", // moby/moby#30950
			"docker", "container d8648209598d encountered an error during CreateContainer: failure in a Windows system call: Insufficient system resources exist to complete the requested service. (0x5aa)",
			"warn: Windows has no resources for the container: memory, or kernel memory of drivers [text]"},
		{"compute-system-unexpected-exit", "Windows Server 1803", // microsoft/hcsshim#598
			"docker", "container containerID encountered an error during Start: failure in a Windows system call: The compute system exited unexpectedly. (0xc0370106)",
			"fail: the container's system processes exited while Windows started it [text]"},
		{"compute-system-timeout", "Docker 24", // microsoft/Windows-Containers#426
			"other", "docker: Error response from daemon: container 62f69d70bdfc encountered an error during hcs::System::Start: context deadline exceeded.",
			"fail: Windows did not create or start a container in time [text]"},
		{"compute-system-timeout", "a stop", // microsoft/hcsshim, internal/hcs/system.go
			"other", "container 62f69d70bdfc encountered an error during hcs::System::Shutdown: context deadline exceeded", "unknown"},
		{"service-start-timeout", "in Chinese", "other", "[SC] StartService 失败 1053:",
			"fail: a service that sc.exe starts does not answer the service manager (error 1053) [text]"},
		{"service-start-timeout", "in German", "other", "[SC] StartService FEHLER 1053:",
			"fail: a service that sc.exe starts does not answer the service manager (error 1053) [text]"},
		{"service-start-timeout", "another error", "other", "[SC] StartService FAILED 5:", "unknown"},
		{"dns-pqdn-with-dots", "in German", "other",
			`Ping-Anforderung konnte Host "smtp.1und1.de" nicht finden. Überprüfen Sie den Namen, und versuchen Sie es erneut.`,
			"info: a name did not resolve on Windows; a probe is required to find the cause [text]"},
		{"dns-pqdn-with-dots", "Resolve-DnsName", "other", // aws/containers-roadmap#606
			"resolve-dnsname : mysql-0.mysql : DNS name does not exist\nAt line:1 char:1\n+ resolve-dnsname mysql-0.mysql\n" +
				"    + CategoryInfo          : ResourceUnavailable: (mysql-0.mysql:String) [Resolve-DnsName], Win32Exception\n" +
				"    + FullyQualifiedErrorId : DNS_ERROR_RCODE_NAME_ERROR,Microsoft.DnsClient.Commands.ResolveDnsName",
			"info: a name did not resolve on Windows; a probe is required to find the cause [text]"},
		{"cni-folder-missing", "in Chinese", "antrea", `cp : 未能找到路径“C:\opt\cni\bin\”的一部分。`,
			"fail: the start script of a network agent cannot write its CNI plugins or configuration: the folder is missing [text]"},
		{"cni-folder-missing", "in one line, in Russian", "other",
			`    + CategoryInfo          : ObjectNotFound: (C:\etc\cni\net.d\10-flannel.conf:String) [Set-Content], DirectoryNotFoundException`,
			"fail: the start script of a network agent cannot write its CNI plugins or configuration: the folder is missing [text]"},
		{"cni-folder-missing", "the agent started in the end", "flanneld",
			"cp : Could not find a part of the path 'C:\\opt\\cni\\bin\\'.\nI1120 09:59:00.100000 1 main.go:403] Wrote subnet file to /run/flannel/subnet.env",
			"info: the logs say: the start script of a network agent cannot write its CNI plugins or configuration: the folder is missing; it is over: a later line says: Wrote subnet file to [text]"},
		{"cni-folder-missing", "a file that is read", "other",
			"Get-Content : Cannot find path 'C:\\etc\\cni\\net.d\\10-azure.conflist' because it does not exist.\n" +
				`    + CategoryInfo          : ObjectNotFound: (C:\etc\cni\net.d\10-azure.conflist:String) [Get-Content], ItemNotFoundException`, "unknown"},
		{"cni-folder-missing", "a folder of an application", "pods", "Could not find a part of the path 'C:\\app\\data'.", "unknown"},
		{"cni-folder-missing", "the script itself", "other", "mkdir -force $env:CNI_BIN_PATH", "unknown"},
		// formed
		{"kubelet-setting-rejected", "Kubernetes until 1.20",
			"kubelet", `F1120 09:58:00.1 4644 server.go:206] [invalid configuration: KubeAPIQPS (--kube-api-qps) -1 must not be a negative number, invalid configuration: MaxPods (--max-pods) -1 must not be a negative number]`,
			"fail: the kubelet exits: it rejects a setting of its configuration [text]"},
		{"kubelet-setting-rejected", "one setting, Kubernetes until 1.20", "kubelet",
			`F1120 09:58:00.1 4644 server.go:206] invalid configuration: MaxPods (--max-pods) -1 must not be a negative number`,
			"fail: the kubelet exits: it rejects a setting of its configuration [text]"},
		{"kubelet-setting-rejected", "no kubeconfig is no setting", "kubelet",
			`W1120 09:58:00.1 4644 server.go:206] invalid configuration: no configuration has been provided`, "unknown"},
		{"kubelet-setting-rejected", "a word too many, Kubernetes 1.21 to 1.23", "kubelet", // containers-roadmap#1887
			`E1120 09:58:00.1 4796 server.go:166] "Unknown command" command="corp.example.com"`,
			"fail: the kubelet exits: its command line has a word that belongs to no flag [text]"},
		{"kubelet-setting-rejected", "a word too many, Kubernetes since 1.24", "kubelet", // cmd/kubelet/app/server.go
			`E1120 09:58:00.1 4796 run.go:74] "command failed" err="unknown command corp.example.com"`,
			"fail: the kubelet exits: its command line has a word that belongs to no flag [text]"},
		{"kubelet-setting-rejected", "a word too many, Kubernetes until 1.20", "kubelet",
			`F1120 09:58:00.1 4796 server.go:178] unknown command: corp.example.com`,
			"fail: the kubelet exits: its command line has a word that belongs to no flag [text]"},
		{"kubelet-setting-rejected", "a word too many, and a start without it", "kubelet",
			`E1120 09:58:00.1 4796 server.go:166] "Unknown command" command="corp.example.com"` + "\n" +
				`I1120 09:59:15.0 3912 kubelet_node_status.go:75] "Successfully registered node" node="win-1"`,
			"info: the logs say: the kubelet exits: its command line has a word that belongs to no flag; it is over: a later line says: Successfully registered node [text]"},
		{"kubelet-setting-rejected", "a word too many after a start without it, no times", "kubelet",
			`"Successfully registered node" node="win-1"` + "\n" + `"Unknown command" command="corp.example.com"`,
			"fail: the kubelet exits: its command line has a word that belongs to no flag [text]"},
		{"kubelet-setting-rejected", "the same of kube-proxy", "other", // spf13/cobra
			`E1120 09:58:00.1 4796 run.go:74] "command failed" err="unknown command \"corp.example.com\" for \"kube-proxy\""`, "unknown"},
		{"kubelet-setting-rejected", "a cloud that the provider does not know", "kubelet", // rancher#22406
			`F0824 13:26:49.528226   10680 server.go:273] failed to run Kubelet: could not init cloud provider "azure": autorest/azure: There is no cloud environment matching the name "AZURECLOUD"`,
			"fail: the kubelet exits: the configuration of its cloud provider names an unknown cloud [text]"},
		{"kubelet-setting-rejected", "the provider gets no answer", "kubelet",
			`F1120 09:58:00.1 4644 server.go:273] failed to run Kubelet: could not init cloud provider "aws": error finding instance i-0: "error listing AWS instances: \"RequestError: send request failed"`, "unknown"},
		{"calico-node-name-unknown", "the kubelet registers the node later", "calico-node", // libcalico-go, node/pkg/lifecycle/startup
			"2026-11-20 09:58:00.100 [WARNING][4548] startup/node.go 66: Operation Create is not supported on Node type\n" +
				"2026-11-20 09:58:00.100 [ERROR][4548] startup/startup.go 222: Unable to set node resource configuration error=operation Create is not supported on Node(win-1)\n" +
				"2026-11-20 09:58:12.100 [INFO][4612] startup/startup.go 243: Using node name: win-1",
			"info: the logs say: calico-node does not find the Node with the name that it is given; it is over: a later line says: Using node name [text]"},
		{"cloud-provider-uninitialized", "the cloud knows the machine some seconds later", "kubelet",
			`E1120 09:58:00.5 3124 kubelet_node_status.go:71] "Unable to construct v1.Node object for kubelet" err="failed to get instance ID from cloud provider: instance not found"` + "\n" +
				`I1120 09:58:09.5 3124 kubelet_node_status.go:75] "Successfully registered node" node="win-1"`,
			"info: the logs say: the kubelet cannot register the node: its cloud provider does not find the machine; it is over: a later line says: Successfully registered node [text]"},
		{"calico-node-address-unusable", "why no address is found", "calico", // calico#2166
			`Unable to auto-detect an IPv4 address using interface regexes [ib0]: no valid host interfaces found`,
			"warn: calico-node finds no address of this node by its autodetection method [text]"},
		{"calico-node-address-unusable", "no IPv6, which nobody wants", "calico",
			`2020-06-06 01:27:07.682 [WARNING][8] startup.go 617: Unable to auto-detect an IPv6 address: no valid IPv6 addresses found on the host interfaces`, "unknown"},
		{"eks-windows-addresses-insufficient", "of a node that does not exist yet", "other", // kubernetes/autoscaler#2888
			`Normal NotTriggerScaleUp pod didn't trigger scale-up (it wouldn't fit if a new node is added): 1 Insufficient vpc.amazonaws.com/PrivateIPv4Address`, "unknown"},
		{"wsaeacces-excluded-port", "in Russian", "kubelet",
			"E1120 09:58:00.1 1 server.go:1] listen tcp 0.0.0.0:10250: bind: Сделана попытка доступа к сокету методом, запрещенным правами доступа.",
			"fail: a component cannot listen on its port: it is reserved or used by another process [text]"},
		{"kubelet-port-in-use", "in Portuguese", "kubelet",
			"E1120 09:58:00.1 1 server.go:1] listen tcp 0.0.0.0:10250: bind: Normalmente é permitida apenas uma utilização de cada endereço de soquete (protocolo/endereço de rede/porta).",
			"fail: the kubelet cannot listen: another process has its port [text]"},
		{"kubelet-port-in-use", "a later start has the port", "kubelet", // pkg/kubelet/server
			"E1120 09:58:00.1 3088 server.go:220] \"Failed to listen and serve\" err=\"listen tcp 0.0.0.0:10250: bind: Only one usage of each socket address (protocol/network address/port) is normally permitted.\"\n" +
				`I1120 09:58:05.1 3268 kubelet_node_status.go:78] "Successfully registered node" node="win-1"`,
			"info: the logs say: the kubelet cannot listen: another process has its port; it is over: a later line says: Successfully registered node [text]"},
		{"kube-proxy-credentials-refused", "it was accepted after that", "kube-proxy", // client-go
			"E1120 09:58:00.1 4316 reflector.go:200] \"Failed to watch\" err=\"failed to list *v1.Service: Unauthorized\" logger=\"UnhandledError\"\n" +
				`I1120 09:58:01.1 4316 shared_informer.go:357] "Caches are synced" controller="service config"`,
			"info: the logs say: the API server does not accept the token or certificate of kube-proxy; it is over: a later line says: Caches are synced [text]"},
		{"kube-proxy-credentials-refused", "it may list one kind, and another not", "kube-proxy",
			"E1120 09:58:00.1 4316 reflector.go:200] \"Failed to watch\" err=\"failed to list *v1.EndpointSlice: endpointslices.discovery.k8s.io is forbidden: User \\\"system:kube-proxy\\\" cannot list resource \\\"endpointslices\\\"\"\n" +
				`I1120 09:58:01.1 4316 shared_informer.go:357] "Caches are synced" controller="service config"`,
			"warn: the identity of kube-proxy may not list Services, endpoints or nodes [text]"},
		{"rancher-plan-for-linux", "the log of the agent", "rancher-wins", // rancher/rancher#44979, in the format of logrus
			`time="2026-11-20T09:58:00Z" level=error msg="error syncing 'fleet-default/a-machine-plan': handler secret-watch: error executing instruction 0: exec: \"/bin/sh\": file does not exist, requeuing"`,
			"fail: the agent of Rancher cannot run an instruction of its plan: it is for Linux [text]"},
		{"windows-taint-not-tolerated", "Rancher's taint", "other",
			"Warning  FailedScheduling  28s   default-scheduler  0/3 nodes are available: 1 node(s) had untolerated taint {cattle.io/os: windows}, 2 node(s) didn't match Pod's node affinity/selector.",
			"fail: the scheduler finds no node: pods do not tolerate the taint of Windows nodes [text]"},
		{"volume-nfs", "the CSI driver", "kubelet", // pkg/volume/csi
			`E1120 09:58:00.1 1 csi_attacher.go:1] driver name nfs.csi.k8s.io not found in the list of registered CSI drivers`,
			"fail: a pod mounts a volume of a CSI driver for NFS, which has no node plugin for Windows [text]"},
		{"csi-driver-not-registered", "a driver that has no Windows plugin", "kubelet",
			`E1120 09:58:00.1 1 csi_attacher.go:1] driver name nfs.csi.k8s.io not found in the list of registered CSI drivers`, "unknown"},
		{"paging-file-too-small", "in Korean, without a number", "docker",
			"hcs::CreateComputeSystem a: 이 작업을 완료하기 위한 페이징 파일이 너무 작습니다.",
			"fail: Windows refused memory: the commit limit (RAM plus page file) is exhausted [text]"},
		{"antivirus-blocks-files", "in Japanese", "containerd",
			"failed to extract layer: hcsshim::ImportLayer: ファイルにウイルスまたは望ましくない可能性のあるソフトウェアが含まれているため、操作は正常に完了しませんでした。",
			"fail: antivirus software blocks a file of the image [text]"},
		{"container-workingdir-missing", "in Spanish", "containerd",
			"hcs::System::CreateProcess web: El nombre del directorio no es válido.: unknown",
			"fail: the working directory of the container does not exist [text]"},
		{"image-disk-full", "in Spanish", "containerd",
			`failed to extract layer sha256:bc06: hcsshim::ProcessBaseLayer \\?\C:\a: Espacio en disco insuficiente.`,
			"fail: an image layer cannot be unpacked: the disk is full [text]"},
		{"smb-global-mapping-failed", "in German, and its code", "csi-proxy",
			`NewSmbGlobalMapping failed. output: "New-SmbGlobalMapping : Der Benutzername oder das Kennwort ist falsch. FullyQualifiedErrorId : Windows System Error 1326,New-SmbGlobalMapping", err: exit status 1`,
			"fail: file server rejects the user name or password (error 1326) [text]"},
		{"smb-global-mapping-failed", "in a language of which only the code is known", "csi-proxy",
			`NewSmbGlobalMapping failed. output: "FullyQualifiedErrorId : Windows System Error 53,New-SmbGlobalMapping", err: exit status 1`,
			"fail: the node cannot connect to the file server (error 53) [text]"},
		{"proxy-env-not-seen-by-runtime", "in Chinese", "containerd",
			`failed to do request: Head "https://mcr.microsoft.com/v2/a": dial tcp 1.2.3.4:443: connectex: 由于连接方在一段时间后没有正确答复或连接的主机没有反应，连接尝试失败。`,
			"warn: the runtime gets no answer from a registry: a firewall, no route to it, or no proxy setting [text]"},
		{"proxy-env-not-seen-by-runtime", "Docker", "docker", // the same, of Docker 18.09
			`Error response from daemon: Get https://registry-1.docker.io/v2/: dial tcp 1.2.3.4:443: connectex: A connection attempt failed because the connected party did not properly respond after a period of time, or established connection failed because connected host has failed to respond.`,
			"warn: the runtime gets no answer from a registry: a firewall, no route to it, or no proxy setting [text]"},
		{"container-log-not-rotated", "Docker 29", "docker", // daemon/delete.go
			`level=error msg="Handler for DELETE returned error: unable to remove filesystem: unlinkat C:\\ProgramData\\docker\\containers\\a\\a-json.log: Access is denied."`,
			"warn: Docker cannot delete the log of a container: another program has the file open [text]"},
		{"containers-feature-missing", "hcsshim since 0.8.17", "containerd", // internal/hcs/system.go
			"hcs::GetComputeSystems: The specified module could not be found.",
			"fail: the host compute service call found no vmcompute.dll: the Containers feature is not installed [text]"},
		{"entrypoint-not-found", "hcsshim 0.8.7 to 0.8.16", "containerd", // internal/hcs/system.go
			`failed to start containerd task "web": hcsshim::System::CreateProcess web: The system cannot find the file specified.: unknown`,
			"fail: Windows cannot find the program that the container starts [text]"},
		{"entrypoint-not-found", "kubectl describe pod", "other", // moby/moby#31469 for the form
			"    Last State:     Terminated\n      Reason:       ContainerCannotRun\n" +
				"      Message:      container b213132bf22f encountered an error during hcsshim::System::CreateProcess: failure in a Windows system call: The system cannot find the file specified. (0x2)\n",
			"fail: Windows cannot find the program that the container starts [text]"},
		{"exec-program-missing", "Docker's log", "docker", // daemon/exec.go
			`time="2026-11-20T09:58:00.100000000Z" level=error msg="Error running exec a54d9fe8 in container: container fd46cea7 encountered an error during hcsshim::System::CreateProcess: failure in a Windows system call: The system cannot find the file specified. (0x2)"`,
			"warn: a probe or kubectl exec starts a program that the container does not have [text]"},
		{"exec-program-missing", "Docker's log, another error", "docker",
			`time="2026-11-20T09:58:00.100000000Z" level=error msg="Error running exec a54d9fe8 in container: container fd46cea7 encountered an error during hcsshim::System::CreateProcess: failure in a Windows system call: The user name or password is incorrect. (0x52e)"`, "unknown"},
		{"exec-program-missing", "a lifecycle hook", "other", // pkg/kubelet/lifecycle/handlers.go until 1.26
			`Exec lifecycle hook ([sleep 90]) for Container "web" in Pod "web-6c66bd5c75-kjf78_shop(0151f128-c801-4118-978e-e87a134f2f06)" failed - error: command 'sleep 90' exited with 126: , message: "container web encountered an error during hcsshim::System::CreateProcess: failure in a Windows system call: The system cannot find the file specified. (0x2)\r\n"`,
			"warn: a lifecycle hook starts a program that the container does not have [text]"},
		{"entrypoint-not-found", "a lifecycle hook", "other",
			`Exec lifecycle hook ([sleep 90]) for Container "web" in Pod "web-6c66bd5c75-kjf78_shop(0151f128-c801-4118-978e-e87a134f2f06)" failed - error: command 'sleep 90' exited with 126: , message: "container web encountered an error during hcsshim::System::CreateProcess: failure in a Windows system call: The system cannot find the file specified. (0x2)\r\n"`,
			"unknown"},
		{"exec-program-missing", "a lifecycle hook that ends with an error of its own", "other",
			`Exec lifecycle hook ([stop.exe]) for Container "web" in Pod "web-6c66bd5c75-kjf78_shop(0151f128)" failed - error: command 'stop.exe' exited with 1: , message: "cannot stop"`, "unknown"},
		{"pod-field-unsupported", "another webhook", "other",
			`admission webhook "policy.example.org" denied the request: spec.hostAliases is not allowed`, "unknown"},
		{"pod-field-unsupported", "the API server", "other", // pkg/apis/core/validation
			`Pod "web" is invalid: spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod`,
			"fail: the API server refuses a pod: it sets a field that Windows does not support [text]"},
		{"disk-attach-refused", "AWS", "other", // aws/karpenter-provider-aws#1775
			`Could not attach volume "vol-095ece5c3a6da49a8" to node "i-05c99747bf6f7cd0c": UnauthorizedOperation: You are not authorized to perform this operation.`,
			"fail: the cloud denies the identity of the cluster access to the disk [text]"},
		{"disk-attach-refused", "AWS, which refuses to create one", "other", // aws-ebs-csi-driver 963
			`failed to provision volume with StorageClass "ebs-sc": rpc error: code = Internal desc = Could not create volume "pvc-xyz": could not create volume in EC2: UnauthorizedOperation: You are not authorized to perform this operation.`, "unknown"},
		{"disk-attach-refused", "Google Cloud", "other", // gcp-compute-persistent-disk-csi-driver#85
			`GRPC error: rpc error: code = Unknown desc = googleapi: Error 403: Required 'compute.disks.get' permission for 'projects/XPROJECT/zones/europe-west3-a/disks/YDISK`,
			"fail: the cloud denies the identity of the cluster access to the disk [text]"},
		{"disk-attach-refused", "an identity that may not read machines", "other",
			`does not have authorization to perform action 'Microsoft.Compute/virtualMachineScaleSets/read' over scope`, "unknown"},
		{"registry-unauthorized", "Kubernetes 1.10", "kubelet", // pkg/kubelet/remote/remote_image.go
			`E1120 09:58:00.100000    1234 remote_image.go:108] PullImage "r.example.org/a:1" from image service failed: rpc error: code = Unknown desc = Error response from daemon: Get https://r.example.org/v2/a/manifests/1: no basic auth credentials`,
			"fail: the registry denies the image: no credentials, wrong ones, or no permission [text]"},
		{"cni-config-invalid", "the kubelet with docker, half a file, twice", "kubelet", // pkg/kubelet/dockershim/network/cni/cni.go
			"W1120 09:58:00.100000    1234 cni.go:126] Error loading CNI config file C:\\k\\cni\\config\\cni.conf: error parsing configuration: unexpected end of JSON input\n" +
				"W1120 09:58:05.110000    1234 cni.go:126] Error loading CNI config file C:\\k\\cni\\config\\cni.conf: error parsing configuration: unexpected end of JSON input",
			"fail: the kubelet cannot read a CNI configuration [text]"},
		{"cni-config-invalid", "the kubelet with docker, half a file, once", "kubelet",
			"W1120 09:57:50.100000    1234 cni.go:126] Error loading CNI config file C:\\k\\cni\\config\\cni.conf: error parsing configuration: unexpected end of JSON input\n" +
				"I1120 09:58:05.110000    1234 kubelet.go:1900] SyncLoop (ADD, \"api\"): \"\"",
			"info: the logs say: the kubelet cannot read a CNI configuration; it may be over: it lasted 0s, as at a start [text]"},
		{"hostpath-type-mismatch", "a folder that each Linux has", "other", // cilium/cilium#31873
			`MountVolume.SetUp failed for volume "hostproc" : hostPath type check failed: /proc is not a directory`, "unknown"},
		{"hostpath-type-mismatch", "a folder of docker, with containerd", "other", // Azure/aks-engine#4389
			`Error: failed to generate container "40f8" spec: failed to generate spec: failed to stat "C:\\ProgramData\\docker\\containers": CreateFile C:\ProgramData\docker\containers: The system cannot find the path specified.`,
			"fail: a path of the node that a container mounts does not exist [text]"},
		{"hostpath-type-mismatch", "a volume that the kubelet makes", "other",
			`Error: failed to generate container "40f8" spec: failed to generate spec: failed to stat "c:\\var\\lib\\kubelet\\pods\\1\\volumes": CreateFile c:\var\lib\kubelet\pods\1\volumes: The system cannot find the path specified.`, "unknown"},
		{"hostpath-type-mismatch", "a volume of an image, which containerd makes", "other", // containerd/containerd#10001
			`Error: failed to generate container "a160" spec: failed to generate spec: failed to stat "C:\\ProgramData\\containerd\\root\\io.containerd.grpc.v1.cri\\containers\\a160\\volumes\\4c60": CreateFile C:\ProgramData\containerd\root\io.containerd.grpc.v1.cri\containers\a160\volumes\4c60: The system cannot find the path specified.`, "unknown"},
		{"rke2-data-dir-drive", "as the event log has it", "other", // rancher/rke2#9320
			`Error: mkdir c:\E:: The filename, directory name, or volume label syntax is incorrect.`,
			"fail: the RKE2 agent puts C: before a data-dir with a drive letter [text]"},
		{"docker-host-network-missing", "a pod for Linux", "other", // microsoft/SDN#274
			`failed to start sandbox container for pod "kube-flannel-ds-amd64-h6p5c": Error response from daemon: network host not found`, "unknown"},
		{"registry-unauthorized", "containerd 1.7", "containerd", // remotes/docker/resolver.go
			`level=error msg="PullImage \"r.example.org/a:1\" failed" error="failed to pull and unpack image \"r.example.org/a:1\": failed to resolve reference \"r.example.org/a:1\": unexpected status from HEAD request to https://r.example.org/v2/a/manifests/1: 401 Unauthorized"`,
			"fail: the registry denies the image: no credentials, wrong ones, or no permission [text]"},
		{"containerd-config-invalid", "containerd 1.4", "containerd", // services/server/config/config.go
			"containerd: Near line 12 (last key parsed 'plugins'): expected value but found 'n' instead",
			"fail: containerd cannot read its configuration file [text]"},
		{"azure-vnet-state-corrupt", "azure-vnet since 1.5.8", "azure-vnet", // cni/network/network.go
			`{"level":"error","ts":"2026-11-20T09:58:00.100Z","caller":"network/network.go:164","msg":"Failed to initialize network manager","pid":1,"error":"invalid character 'x' looking for beginning of value"}`,
			"fail: azure-vnet cannot read its state file: it is damaged [text]"},
		{"azure-vnet-state-corrupt", "empty, azure-vnet since 1.5.12", "azure-vnet", // network/manager.go
			`{"level":"error","ts":"2026-11-20T09:58:00.100Z","caller":"network/manager.go:200","msg":"Failed to restore state","pid":1,"error":"unexpected end of JSON input"}`,
			"fail: azure-vnet cannot read its state file: it is empty [text]"},
		{"rke2-server-unreachable", "another CA", "rke2",
			`time="2026-11-20T09:58:00Z" level=info msg="Waiting to retrieve agent configuration; server is not ready: CA cert validation failed: Get \"https://127.0.0.1:6444/cacerts\": tls: failed to verify certificate: x509: certificate signed by unknown authority"`, "unknown"},
		{"rke2-runtime-image-missing", "the next start gets it", "rke2",
			`time="2026-11-20T09:50:00Z" level=fatal msg="failed to get runtime image index.docker.io/rancher/rke2-runtime:v1.30.2-rke2r1: Get \"https://index.docker.io/v2/\": dial tcp: lookup index.docker.io: i/o timeout"` + "\n" +
				`time="2026-11-20T09:58:00Z" level=info msg="Running RKE2 kubelet [--address=0.0.0.0]"`,
			"info: the logs say: the agent exits: neither its archives nor the registry have its runtime image; it is over: a later line says: Running RKE2 kubelet [text]"},
		{"rke2-runtime-image-missing", "no archive has it, and the registry does", "rke2", // pkg/bootstrap of RKE2
			`time="2026-11-20T09:58:00Z" level=warning msg="Failed to load runtime image index.docker.io/rancher/rke2-runtime:v1.30.2-rke2r1 from tarball: no local image available for index.docker.io/rancher/rke2-runtime:v1.30.2-rke2r1: directory C:\\var\\lib\\rancher\\rke2\\agent\\images does not exist: image not found"` + "\n" +
				`time="2026-11-20T09:58:01Z" level=info msg="Pulling runtime image index.docker.io/rancher/rke2-runtime:v1.30.2-rke2r1"`, "unknown"},
		{"rke2-flanneld-exit", "RKE2 since 1.34.3", "rke2", // pkg/windows/flannel.go
			"time=\"2026-11-20T09:58:00Z\" level=info msg=\"Flanneld exited, restarting...\" error=\"exit status 1\"\n" +
				`time="2026-11-20T09:59:30Z" level=info msg="Flanneld exited, restarting..." error="exit status 1"`,
			"fail: RKE2 reports that flanneld exited with an error [text]"},
		{"rke2-flanneld-exit", "once, then it runs", "rke2",
			`time="2026-11-20T09:58:00Z" level=info msg="Flanneld exited, restarting..." error="exit status 1"`,
			"info: the logs say: RKE2 reports that flanneld exited with an error; it may be over: it lasted 0s, as at a start [text]"},
		{"calico-endpointslices-forbidden", "Calico 3.22", "calico-node", // libcalico-go/lib/backend/k8s/resources/list_pager.go
			`2026-11-20 09:58:00.100 [INFO][84] felix/watchercache.go 188: Failed to perform list of current data during resync ListRoot="/calico/resources/v3/projectcalico.org/kubernetesendpointslices" error=connection is unauthorized: endpointslices.discovery.k8s.io is forbidden: User "system:serviceaccount:calico-system:calico-node" cannot list resource "endpointslices" in API group "discovery.k8s.io" at the cluster scope`,
			"fail: the role of calico-node does not allow it to list EndpointSlices [text]"},
		{"calico-endpointslices-forbidden", "the role was corrected", "calico-node",
			`2026-11-20 09:58:00.100 [INFO][84] felix/watchercache.go 188: Failed to perform list of current data during resync ListRoot="/calico/resources/v3/projectcalico.org/kubernetesendpointslices" error=connection is unauthorized: endpointslices.discovery.k8s.io is forbidden: User "system:serviceaccount:calico-system:calico-node" cannot list resource "endpointslices" in API group "discovery.k8s.io" at the cluster scope` +
				"\n" + `2026-11-20 09:59:00.100 [INFO][84] felix/watchercache.go 273: Sending synced update ListRoot="/calico/resources/v3/projectcalico.org/kubernetesendpointslices"`,
			"info: the logs say: the role of calico-node does not allow it to list EndpointSlices; it is over: a later line says: Sending synced update ListRoot=\"/calico/resources/v3/projectcalico.org/kubernetesendpointslices\" [text]"},
		{"calico-endpointslices-forbidden", "Calico 3.22 and Kubernetes 1.25", "calico-node",
			`2026-11-20 09:58:00.100 [INFO][84] felix/watchercache.go 188: Failed to perform list of current data during resync ListRoot="/calico/resources/v3/projectcalico.org/kubernetesendpointslices" error=resource does not exist: KubernetesEndpointSlice with error: the server could not find the requested resource`,
			"fail: Felix is too old for this API server: it requests EndpointSlices from an API that was removed [text]"},
		{"aks-provisioning-failed", "the extension's log since 2024", "azure", // parts/windows/csecmd.ps1
			"throw : ExitCode: |49|, Output: |WINDOWS_CSE_ERROR_NO_CUSTOM_DATA_BIN|, Error: |C:\\AzureData\\CustomData.bin does not exist.|",
			"fail: the provisioning script of AKS ended with an exit code [text]"},
		{"aks-provisioning-failed", "the command that starts the script", "azure", cseCommandLine, "unknown"},
		{"aks-cse-parameter-invalid", "the command that starts the script", "azure", cseCommandLine, "unknown"},
		{"aks-cse-download-failed", "certificates of the host of the VM", "azure",
			"ExitCode: |20|, Output: |WINDOWS_CSE_ERROR_DOWNLOAD_CA_CERTIFICATES|, Error: |Failed to download CA certificates rawdata. Error: x|", "unknown"},
		{"aks-cse-download-failed", "a driver", "azure", // staging/cse/windows/nvidiagpudriverfunc.ps1
			"ExitCode: |58|, Output: |WINDOWS_CSE_ERROR_GPU_DRIVER_INSTALLATION_DOWNLOAD_FAILURE|, Error: |Failed in downloading https://example.org/a.exe. Error: x|",
			"fail: the provisioning of AKS cannot download a package [text]"},
		{"aks-cse-download-failed", "until September 2021", "azure", // parts/windows/kuberneteswindowsfunctions.ps1
			"2021-08-20T09:58:00.1000000+00:00: Set ExitCode to 2 and exit. Error: Curl exited with '28' while attemping to downlaod 'https://acs-mirror.azureedge.net/a.zip'",
			"fail: the provisioning of AKS cannot download a package [text]"},
		{"aks-cse-download-failed", "a network isolated cluster", "azure", // staging/cse/windows/containerdfunc.ps1
			"2026-11-20T09:58:00.1000000+00:00: Set ExitCode to 84 and exit. Error: Exhausted retries for oras pull a.azurecr.io/aks/packages/containerd:v2.0.4. Error: x",
			"fail: the provisioning of AKS cannot pull a package from the registry of the network isolated cluster [text]"},
		{"antrea-ovs-problem", "Antrea 0.7 to 1.3", "antrea-agent", // antrea-io/antrea#1528
			"F1110 09:17:32.738719   33300 main.go:58] Error running agent: error initializing agent: Set-NetAdapterAdvancedProperty : No matching MSFT_NetAdapterAdvancedPropertySettingData objects found by CIM query for \n" +
				"instances of the ROOT/StandardCimv2/MSFT_NetAdapterAdvancedPropertySettingData class on the  CIM server: SELECT * FROM \n" +
				"MSFT_NetAdapterAdvancedPropertySettingData  WHERE ((Name LIKE 'br-int')) AND ((RegistryKeyword = 'NetworkAddress')). ",
			"fail: the bridge of Open vSwitch is missing [text]"},
		{"eks-missing-private-ip", "a full node, the controller of 2019", "vpc-resource-controller", // aws/containers-roadmap#463
			"Reconciler failed to create resource vpc.amazonaws.com/PrivateIPv4Address on node ip-192-168-147-36.eu-west-2.compute.internal: node has no open IP address slots.",
			"warn: all address slots of the node's network interface are taken [text]"},
		{"eks-missing-private-ip", "the controller of 2020", "vpc-resource-controller", // eksctl-io/eksctl#2721
			"2020-10-21T14:41:07.072Z [ERROR] \tReconciler failed to create resource vpc.amazonaws.com/PrivateIPv4Address on node ip-192-168-162-32.eu-west-2.compute.internal: failed to assign IP addresses on eni-0e9fe2b712991f2f5: eni wrapper: unable to assign private ipv4 addresses.",
			"fail: the resource controller got no address for a node from AWS [text]"},
		{"image-not-found", "containerd 2.1", "containerd", // core/transfer/local/pull.go
			`level=error msg="PullImage \"r.example.org/a:1\" failed" error="rpc error: code = NotFound desc = failed to pull and unpack image \"r.example.org/a:1\": failed to resolve image: r.example.org/a:1: not found"`,
			"fail: the registry does not have the image or tag [text]"},
		{"image-not-found", "an image of the node is missing", "containerd", // internal/cri/server/container_create.go
			`level=error msg="CreateContainer within sandbox failed" error="failed to resolve image \"r.example.org/a:1\": not found"`, "unknown"},
		{"registry-unauthorized", "containerd 2.1", "containerd", // core/remotes/docker/errcode.go
			`level=error msg="PullImage \"r.example.org/a:1\" failed" error="failed to pull and unpack image \"r.example.org/a:1\": failed to resolve image: unexpected status from HEAD request to https://r.example.org/v2/a/manifests/1: 401 Unauthorized\nunauthorized: access denied"`,
			"fail: the registry denies the image: no credentials, wrong ones, or no permission [text]"},
		{"registry-unauthorized", "no permission", "containerd", // core/remotes/errors/errors.go
			`level=error msg="PullImage \"r.example.org/a:1\" failed" error="failed to pull and unpack image \"r.example.org/a:1\": failed to resolve reference \"r.example.org/a:1\": unexpected status from HEAD request to https://r.example.org/v2/a/manifests/1: 403 Forbidden"`,
			"fail: the registry forbids the image (403): no permission, or network rules of the registry [text]"},
		{"app-image-os-version-mismatch", "containerd 2.1", "containerd", // core/images/image.go
			`level=error msg="PullImage \"r.example.org/a:1\" failed" error="rpc error: code = NotFound desc = get image config descriptor: no match for platform in manifest sha256:bc06: not found"`,
			"fail: an image has no variant for this Windows version, or none for Windows at all [text]"},
		{"registry-ca-unknown", "a ca_file, with Go before 1.18", "containerd", // vmware-tanzu/tanzu-framework#2092
			`level=error msg="PullImage \"r.example.org/a:1\" failed" error="failed to pull and unpack image \"r.example.org/a:1\": failed to resolve reference \"r.example.org/a:1\": get TLSConfig for registry \"https://r.example.org\": failed to get system cert pool: crypto/x509: system root pool is not available on Windows"`,
			"fail: containerd cannot use the ca_file of a registry: it is built with Go before 1.18 [text]"},
		{"registry-ca-unknown", "docker login", "other", // docker/for-win#36
			"Error response from daemon: Get https://r.example.org:5000/v1/users/: x509: certificate signed by unknown authority",
			"fail: the runtime does not trust the certificate of the registry [text]"},
		{"registry-ca-unknown", "it is the client that does not trust the daemon", "other", // moby, client/request.go
			"docker: error during connect: Post https://10.0.0.5:2376/v1.24/containers/create: x509: certificate signed by unknown authority.", "unknown"},
		{"windows-exporter-collector-unknown", "since 0.30", "windows-exporter", // cmd/windows_exporter/main.go
			`time=2026-11-20T09:58:00.100Z level=ERROR source=main.go:208 msg="couldn't enable collectors" err="unknown collector cs"`,
			"warn: windows_exporter is given a collector that it does not have [text]"},
		{"registry-plain-http", "a probe", "kubelet", // pkg/kubelet/prober/prober.go
			`I1120 09:58:00.1 1 prober.go:107] "Probe failed" probeType="Readiness" pod="shop/web" podUID="x" containerName="web" probeResult="failure" output="Get \"https://10.244.1.5:8443/healthz\": http: server gave HTTP response to HTTPS client"`, "unknown"},
		{"disk-full", "Kubernetes 1.35", "kubelet", // pkg/kubelet/images/image_gc_manager.go
			`E1120 09:58:00.1 1 kubelet.go:1652] "Image garbage collection failed multiple times in a row" err="Insufficient free disk space on the node's image filesystem (91.0% of 126.4 GiB used). Failed to free sufficient space by deleting unused images (freed 0 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data."`,
			"warn: the kubelet needs disk space, but removing images frees none [text]"},
		{"runtime-pipe-missing", "Kubernetes 1.27", "kubelet", // pkg/kubelet/apis/config/validation/validation.go
			`E1120 09:58:00.1 1 run.go:74] "command failed" err="failed to validate kubelet configuration, error: invalid configuration: the containerRuntimeEndpoint was not specified or empty, path: &TypeMeta{Kind:,APIVersion:,}"`,
			"fail: the kubelet has no container runtime endpoint [text]"},
		{"hns-lb-missing-or-stale", "the second try", "kube-proxy", // pkg/proxy/winkernel/hns.go
			`E1120 09:58:00.1 1 hns.go:533] "Error deleting Hns loadbalancer policy resource. Attempting one more time..." err="hcnDeleteLoadBalancer failed in Win32: Element not found. (0x490)" loadBalancer="x"`, "unknown"},
		{"hns-lb-missing-or-stale", "a NodePort", "kube-proxy", // pkg/proxy/winkernel/proxier.go
			`E1120 09:58:00.1 1 proxier.go:902] "Error deleting Hns NodePort policy resource." err="hcnDeleteLoadBalancer failed in Win32: The parameter is incorrect. (0x57)" hnsID="x" NodePort=30080`,
			"warn: kube-proxy cannot delete a load balancer in HNS [text]"},
		{"rke2-cni-unsupported", "RKE2 1.30", "rke2", // pkg/pebinaryexecutor/pebinary.go
			`time="2026-11-20T09:58:00Z" level=fatal msg="Unsupported CNI: canal"`,
			"fail: the RKE2 agent exits: the network plugin of the cluster has no support for Windows [text]"},
		{"rke2-cni-unsupported", "RKE2 1.36", "rke2", // pkg/executor/pebinary/pebinary.go
			`time="2026-11-20T09:58:00Z" level=fatal msg="unsupported CNI cilium"`,
			"fail: the RKE2 agent exits: the network plugin of the cluster has no support for Windows [text]"},
		{"rke2-cni-unsupported", "before the servers had deployed it", "rke2",
			"time=\"2026-11-20T09:58:00Z\" level=fatal msg=\"calico chart was not found\"\n" +
				`time="2026-11-20T09:59:00Z" level=info msg="Running RKE2 kubelet [--v=0]"`,
			"info: the logs say: the RKE2 agent exits: the network plugin of the cluster has no support for Windows; it is over: a later line says: Running RKE2 kubelet [text]"},
		{"hostname-override-mismatch", "Kubernetes 1.34", "kube-proxy", // pkg/proxy/node.go
			`E1120 09:58:00.1 1 node.go:121] "Timed out waiting for node %q to exist" WIN-1="(MISSING)"`,
			"warn: kube-proxy waited for a Node that does not exist: its node name is wrong, or it started before the kubelet [text]"},
		{"hostname-override-mismatch", "Kubernetes 1.34, after a restart", "kube-proxy",
			`E1120 09:58:00.1 1 node.go:121] "Timed out waiting for node %q to exist" win-1="(MISSING)"` + "\n" +
				`I1120 09:59:00.1 1 server.go:219] "Successfully retrieved NodeIPs" NodeIPs=["10.0.0.12"]`,
			"info: the logs say: kube-proxy waited for a Node that does not exist: its node name is wrong, or it started before the kubelet; it is over: a later line says: Successfully retrieved NodeIPs [text]"},
		{"podcidr-not-assigned", "Kubernetes 1.34", "kube-proxy", // pkg/proxy/node.go
			`E1120 09:58:00.1 1 server.go:134] "Error running ProxyServer" err="timeout waiting for PodCIDR allocation on node \"win-1\""`,
			"fail: kube-proxy exits: its Node has no podCIDR [text]"},
		{"kubelet-setting-rejected", "a feature gate that is gone", "kubelet", // cmd/kubelet/app/server.go
			`E1120 09:58:00.1 1 run.go:74] "command failed" err="failed to set feature gates from initial flags-based config: unrecognized feature gate: IPv6DualStack"`,
			"fail: the kubelet exits: it rejects a setting of its configuration [text]"},
		{"kubelet-setting-rejected", "a quantity", "kubelet", // cmd/kubelet/app/server.go
			`E1120 09:58:00.1 1 run.go:74] "command failed" err="failed to run Kubelet: --system-reserved value failed to parse: failed to parse quantity \"2GB\" for \"memory\" resource: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"`,
			"fail: the kubelet exits: it rejects a setting of its configuration [text]"},
		{"kubelet-setting-rejected", "an address", "kubelet", // pkg/kubelet/kubelet.go
			`E1120 09:58:00.1 1 run.go:74] "command failed" err="failed to run Kubelet: failed to create kubelet: bad --node-ip \"10.0.0\": must be either a single IP or a dual-stack pair of IPs"`,
			"fail: the kubelet exits: it rejects a setting of its configuration [text]"},
		{"sandbox-image-missing", "containerd's own line", "containerd", // internal/cri/instrument
			`time="2026-11-20T09:58:00.1Z" level=error msg="RunPodSandbox for &PodSandboxMetadata{Name:web,Namespace:default,Attempt:0,} failed, error" error="failed to get sandbox image \"amazonaws.com/eks/pause-windows:latest\": failed to pull image \"amazonaws.com/eks/pause-windows:latest\": failed to pull and unpack image \"amazonaws.com/eks/pause-windows:latest\": failed to resolve reference \"amazonaws.com/eks/pause-windows:latest\": failed to do request: Head \"https://amazonaws.com/v2/eks/pause-windows/manifests/latest\": dial tcp 207.171.166.22:443: connectex: No connection could be made because the target machine actively refused it."`,
			"fail: the pause image of the EKS machine image is not on the node, and no registry has it [text]"},
		{"sandbox-image-missing", "the registry asks for credentials", "kubelet", // amazon-eks-ami 1740
			`E1120 09:58:00.1 1 remote_runtime.go:193] "RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = failed to get sandbox image \"602401143452.dkr.ecr.ca-central-1.amazonaws.com/eks/pause:3.5\" failed to pull and unpack image \"602401143452.dkr.ecr.ca-central-1.amazonaws.com/eks/pause:3.5\": failed to resolve reference \"602401143452.dkr.ecr.ca-central-1.amazonaws.com/eks/pause:3.5\": unexpected status from HEAD request to https://602401143452.dkr.ecr.ca-central-1.amazonaws.com/v2/eks/pause/manifests/3.5: 401 Unauthorized"`,
			"fail: the pause image is not on the node, and the runtime has no credentials for its registry [text]"},
		{"sandbox-image-missing", "the name of the registry does not resolve: registry-name-not-resolved", "kubelet", // sig-windows-dev-tools 64
			`E1120 09:58:00.1 1 pod_workers.go:1] failed to get sandbox image "mcr.microsoft.com/oss/kubernetes/pause:1.4.0": failed to pull image "mcr.microsoft.com/oss/kubernetes/pause:1.4.0": failed to resolve reference "mcr.microsoft.com/oss/kubernetes/pause:1.4.0": failed to do request: Head "https://mcr.microsoft.com/v2/oss/kubernetes/pause/manifests/1.4.0": dial tcp: lookup mcr.microsoft.com: no such host`,
			"unknown"},
		{"program-not-in-path", "what every kubelet looks for", "kubelet", // pkg/util/iptables
			`W1120 09:58:00.1 1 iptables.go:209] Error checking iptables version, assuming version at least 1.4.11: exec: "iptables": executable file not found in %PATH%`,
			"unknown"},
		{"kube-proxy-setting-rejected", "Kubernetes since 1.26", "kube-proxy", // cmd/kube-proxy/app, pkg/proxy/apis/config/validation
			`E1120 09:58:00.1 1 run.go:72] "command failed" err="failed validate: KubeProxyConfiguration.Mode.ProxyMode: Invalid value: \"iptables\": must be kernelspace or blank (blank means the most-available proxy [currently kernelspace])"`,
			"fail: kube-proxy exits: it rejects a setting of its configuration [text]"},
		{"component-panic", "Kubernetes since 1.31", "kubelet", // apimachinery's pkg/util/runtime
			`E1120 09:58:00.1 1 panic.go:262] "Observed a panic" panic="runtime error: invalid memory address or nil pointer dereference" panicGoValue="\"invalid memory address or nil pointer dereference\"" stacktrace=<`,
			"warn: a component of the node panicked: its build has a bug [text]"},
		{"component-panic", "a library that Server Core does not have", "kubelet", // kubernetes 55031
			"panic: The specified module could not be found.\n\ngoroutine 1 [running]:",
			"warn: a component of the node panicked: its build has a bug [text]"},
		{"containers-feature-missing", "an exporter of 32 bits", "windows-exporter", // windows_exporter 588
			`time="2020-08-05T08:35:08Z" level=warning msg="Err in Getting containers:hcsshim::GetComputeSystems: The specified module could not be found." source="container.go:131"`,
			"unknown"},
		{"component-panic", "an operation of a volume", "kubelet", // kubernetes 52246
			`E0910 16:05:37.220884    2178 nestedpendingoperations.go:264] Operation for "\"kubernetes.io/host-path/bc71ebc2-xtables-lock\" (\"bc71ebc2\")" failed. No retries permitted until 2017-09-10 16:05:38.220843924 +0300 EEST (durationBeforeRetry 1s). Error: recovered from panic "runtime error: invalid memory address or nil pointer dereference". (err=<nil>) Call stack:`,
			"warn: a component of the node panicked: its build has a bug [text]"},
		{"component-panic", "a part of that line", "other", // kubernetes 131464
			`retries permitted until 2025-04-24 19:49:18.5800049 +0000 UTC m=+6.097752901 (durationBeforeRetry 500ms). Error: recovered from panic "runtime error: invalid memory address or nil pointer dereference". (err=<nil>) Call stack:`,
			"warn: a component of the node panicked: its build has a bug [text]"},
		{"component-panic", "an application", "other",
			`2025/04/24 19:49:18 [Recovery] recovered from panic "runtime error: index out of range [3] with length 3"`,
			"unknown"},
		{"container-user-access-denied", "wins, quoted once more", "other", // wins 10
			`FATA[2020-11-14T13:09:42+03:00] rpc error: code = Unavailable desc = all SubConns are in TransientFailure, latest connection error: connection error: desc = "transport: Error while dialing open \\\\.\\pipe\\rancher_wins: Access is denied."`,
			"warn: the user of a container has no right to a named pipe of the node [text]"},
		{"container-user-access-denied", "a client of csi-proxy", "pods", // sig-storage-local-static-provisioner 338
			`F1007 12:40:04.1 3796 main.go:1] failed to connect to csi-proxy v1beta with error=open \\.\\pipe\\csi-proxy-volume-v1beta2: Access is denied.`,
			"warn: the user of a container has no right to a named pipe of the node [text]"},
		{"container-user-access-denied", "a server whose pipe another process serves", "other",
			`time="2026-11-20T09:58:00Z" level=fatal msg="could not listen: open \\.\pipe\rancher_wins: Access is denied."`,
			"unknown"},
		{"container-user-access-denied", "a person who is no administrator", "other", // docker for-win 1679
			`error during connect: Get http://%2F%2F.%2Fpipe%2Fdocker_engine/v1.35/version: open //./pipe/docker_engine: Access is denied. In the default daemon configuration on Windows, the docker client must be run elevated to connect.`,
			"unknown"},
		{"aks-provisioning-failed", "AKS Engine has no pause image", "azure", // aks-engine 4330
			`C:\AzureData\CustomDataSetupScript.ps1 : Cannot build pause container without Docker`,
			"fail: the setup script of AKS Engine has no pause image for this version of Windows, and builds one with Docker only [text]"},
		{"aks-provisioning-failed", "the script itself", "other",
			`        throw "Cannot build pause container without Docker"`,
			"unknown"},
		{"component-panic", "of its own code, in a log of any program", "other", // rke2 1954
			"panic: router only implemented in linux\n\ngoroutine 1 [running]:\ngithub.com/google/gopacket/routing.New(...)\n\t/go/pkg/mod/github.com/google/gopacket@v1.1.19/routing/other.go:14\n" +
				"github.com/rancher/rke2/pkg/windows.setMetaDataServerRoute(0xc001626190, 0xc, 0x0, 0x0)\n\t/source/pkg/windows/calico.go:478 +0xcb\n",
			"warn: a component of the node ended with a panic [text]"},
		{"component-panic", "of the runtime of Go, in a log of any program", "other", // antrea 1833
			"panic: runtime error: invalid memory address or nil pointer dereference\n[signal 0xc0000005 code=0x0 addr=0x18 pc=0x11baf06]\n\ngoroutine 1 [running]:\n" +
				"github.com/vmware-tanzu/antrea/pkg/agent/openflow.(*client).generatePipeline(0xc0003a0000)\n",
			"warn: a component of the node panicked: its build has a bug [text]"},
		{"component-panic", "by its path alone, with several panics", "containerd", // hcsshim 539
			"panic: send on closed channel\n\ngoroutine 8 [running]:\nmain.(*hcsExec).waitForExit(0xc000155440)\n\te:/go/src/github.com/Microsoft/hcsshim/cmd/containerd-shim-runhcs-v1/exec_hcs.go:646 +0x62\n" +
				"panic: send on closed channel\n\ngoroutine 9 [running]:\nmain.(*hcsExec).waitForExit(0xc000155440)\n\te:/go/src/github.com/Microsoft/hcsshim/cmd/containerd-shim-runhcs-v1/exec_hcs.go:646 +0x62\n",
			"warn: a component of the node ended with a panic [text]"},
		{"component-panic", "of an application, among lines of the kubelet", "kubelet",
			"panic: open config.yaml: The system cannot find the file specified.\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d\n" +
				"E1120 09:58:00.1 1 reflector.go:126] k8s.io/kubernetes/pkg/kubelet/config/apiserver.go:47: Failed to list *v1.Pod: Unauthorized\n",
			"unknown"},
		{"component-panic", "of an application, and a component that dumps its stacks", "other",
			"panic: no license\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d\n\ngoroutine 1 [running]:\nk8s.io/kubernetes/pkg/kubelet.(*Kubelet).Run(0xc000640a80)\n",
			"unknown"},
		{"component-panic", "logrus ends the program: the line before says why", "felix",
			"panic: (*logrus.Entry) 0xc0003a0000\n\ngoroutine 1 [running]:\ngithub.com/projectcalico/felix/daemon.Run(0xc0003a0000)\n",
			"unknown"},
		{"component-panic", "a server gives up a request", "kubelet", // net/http
			`E1120 09:58:00.1 1 runtime.go:78] Observed a panic: &errors.errorString{s:"net/http: abort Handler"} (net/http: abort Handler)`,
			"unknown"},
		{"container-log-not-rotated", "in German", "kubelet",
			`E1120 09:58:00.1 1 kubelet.go:1] failed to rotate log "C:\\a.log": Der Prozess kann nicht auf die Datei zugreifen, da sie von einem anderen Prozess verwendet wird.`,
			"warn: the kubelet cannot rotate the log of a container: another program has the file open [text]"},
		{"docker-mount-target-linux-path", "another reason: Windows has no such mode", "docker", // kubernetes#60274
			`Error: Error response from daemon: invalid bind mount spec "c:\\var\\lib\\kubelet\\pods\\a260a7c4-1852-11e8-bb1d-000d3a19c1da\\volumes\\kubernetes.io~secret\\default-token-rj7qv:c:/var/run/secrets/kubernetes.io/serviceaccount:ro,rslave": invalid volume specification: 'c:\var\lib\kubelet\pods\a260a7c4-1852-11e8-bb1d-000d3a19c1da\volumes\kubernetes.io~secret\default-token-rj7qv:c:\var\run\secrets\kubernetes.io\serviceaccount:ro,rslave'`,
			"unknown"},
		{"windows-taint-not-tolerated", "a pod for Linux", "other", // ROCm/TheRock#2865
			"0/13 nodes are available: 1 node(s) had untolerated taint {app: bazelremotetaint}, 2 node(s) had untolerated taint {CriticalAddonsOnly: true}, 3 node(s) were unschedulable, 7 node(s) had untolerated taint {kubernetes.io/os: windows}. preemption: 0/13 nodes are available: 13 Preemption is not helpful for scheduling.",
			"unknown"},
		{"pod-config-object-missing", "a driver that starts without an optional one", "csi-driver",
			`W1120 09:58:00.1 1 azure.go:97] read config from secret failed: secrets "azure-cloud-provider" not found`,
			"unknown"},
		{"pod-config-object-missing", "a volume, until Kubernetes 1.10", "kubelet", // pkg/volume/secret
			`E1120 09:58:00.1 1 nestedpendingoperations.go:267] Operation failed. Error: "MountVolume.SetUp failed for volume \"tls\" : secrets \"web-tls\" not found"`,
			"fail: a ConfigMap or Secret that the pod names does not exist [text]"},
		{"pod-config-object-missing", "the kubelet alone", "kubelet", // pkg/kubelet/pod_workers.go
			`E0409 21:46:36.213382    1599 pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \"StartContainer\" for \"httpd\" with CreateContainerConfigError: \"configmap \\\"category\\\" not found\"" pod="application1/api-6768cbb9cc-zc5ht" podUID="7fa2da13-b96c-4017-bad1-0ae34dc071b9"`,
			"fail: a ConfigMap or Secret that the pod names does not exist [text]"},
		{"registry-unauthorized", "Docker, without the kubelet's words", "other", // Azure/AKS#1428
			"rpc error: code = Unknown desc = Error response from daemon: Get https://xxxxxx.azurecr.io/v2/xx/xx/xx: unauthorized: authentication required",
			"fail: the registry denies the image: no credentials, wrong ones, or no permission [text]"},
		{"eks-missing-private-ip", "the plugin since July 2023", "other", // DataDog/test-infra-definitions#1633
			`plugin type="vpc-bridge" name="vpc" failed (add): failed to parse Kubernetes args: failed to get pod IP address dda-windows-datadog-9qfr4: error executing k8s connector: error executing connector binary: exit status 1`,
			"warn: the CNI plugin gets no VPC address for a pod [text]"},
	} {
		t.Run(row.check, func(t *testing.T) {
			runLooks(t, row.check, []look{{row.name, logTelling(row.log, row.line), row.want}})
		})
	}
}

// cseCommandLine is what Windows logs of the command that AKS starts a node with: parts/windows/csecmd.ps1.
const cseCommandLine = `HostApplication=powershell.exe -ExecutionPolicy Unrestricted -command $inputFile = 'C:\AzureData\CustomData.bin'; if (!(Test-Path $inputFile)) { throw 'ExitCode: |49|, Output: |WINDOWS_CSE_ERROR_NO_CUSTOM_DATA_BIN|, Error: |$inputFile does not exist.|' }; if (!(Test-Path C:\AzureData\provision.complete)) { throw 'ExitCode: |50|, Output: |WINDOWS_CSE_ERROR_NO_CSE_RESULT_LOG|, Error: |C:\AzureData\provision.complete is not generated.|'; };`
