package foreign

// Pieces that people put into threads, shortened. The sources: hnsdiag in
// kubernetes-sigs/sig-windows-tools#168, kubernetes/kubernetes#101680 and Rancher's notes on
// windows nodes; `kubectl get nodes -o wide` in kubernetes/kubernetes#109780; kube-proxy and Felix
// in projectcalico/calico#7305; the forms of kubectl and crictl are those of their sources.

const plainHNSDiag = `Networks:
Name             ID
vpcbr06684cbed472 B5A22566-BEBC-400C-ABEF-B6717DE7AF59
nat              F413E630-CC75-4B89-9ED4-FCD57324153B

Endpoints:
Name             ID                                   Virtual Network Name
Ethernet         865986bc-8a40-4ebc-9916-c2c54e31e011 vpcbr06684cbed472
cid-69c0f0e20c3fa8664ea297a06f7c73b205ac053f0928219c333731aa9f7ecd81 391799da-1903-461b-9fb7-8562ab235445 vpcbr06684cbed472

Namespaces:
ID                                   | Endpoint IDs

LoadBalancers:
ID                                   | Virtual IPs      | Direct IP IDs
326f84d7-35ec-4355-a60a-e82e2b05ec24 |  10.96.0.1       | ba06178e-11e9-4ba3-931d-7c2989b51dd7
`

const newHNSDiag = `
Network          : 06560ccd-89f3-4c69-a1a1-0e6c2f1e8a11
    Name             : Calico
    Type             : Overlay

Endpoint         : c9385412-bdef-49f5-88b0-c9d484ef6716
    Name             : 4a625a2b10a33b0dea96fe8743fb8e13504481ee9f481d179f8e75b8c98611d2_Calico
    IP Address       : 10.42.213.221

Load Balancer    : 326f84d7-35ec-4355-a60a-e82e2b05ec24
    Virtual IPs      : 10.43.0.1
    Direct IP IDs    : c9385412-bdef-49f5-88b0-c9d484ef6716
`

const wideNodes = `NAME                                STATUS   ROLES   AGE    VERSION   INTERNAL-IP    EXTERNAL-IP     OS-IMAGE                         KERNEL-VERSION     CONTAINER-RUNTIME
aks-agentpool-85901646-vmss000000   Ready    agent   114m   v1.22.6   10.240.0.35    <none>          Ubuntu 18.04.6 LTS               5.4.0-1078-azure   containerd://1.5.11+azure-1
akswin2000000                       Ready    agent   80m    v1.22.6   10.240.0.146   20.107.1.2      Windows Server 2019 Datacenter   10.0.17763.2928    containerd://1.5.11
`

const kubeProxyLines = `I1107 06:45:21.073167    3112 hns.go:398] "Created Hns loadbalancer policy resource" loadBalancer={"ID":"0be07c06-353c-4fbf-8ebc-5531f877e68a"}
I1107 06:45:21.073167    3112 proxier.go:1507] "Hns LoadBalancer resource created for nodePort resources" clusterIP="10.97.59.147" nodeport=31416
`

const felixLines = `2023-11-07 06:49:53.027 [INFO][3488] felix/win_dataplane.go 256: Received *proto.ServiceUpdate update from calculation graph msg=name:"win-core-pod-svc"
2023-11-07 06:49:53.027 [INFO][3488] felix/win_dataplane.go 314: Finished applying updates to dataplane. msecToApply=0
`

const kubeletLines = `I0409 13:33:53.461032    3560 server.go:412] "Kubelet version" kubeletVersion="v1.22.6"
E0409 13:33:58.461032    3560 pod_workers.go:191] "Error syncing pod" err="failed to \"CreatePodSandbox\""
`

const containerdLines = `time="2024-05-20T09:12:11.305Z" level=info msg="RunPodSandbox for &PodSandboxMetadata{Name:win-web}"
time="2024-05-20T09:12:12.305Z" level=error msg="RunPodSandbox failed" error="failed to setup network for sandbox"
`

const describedPodText = `Name:             win-webserver-76c7f9b9b6-7tjxk
Namespace:        default
Priority:         0
Service Account:  default
Node:             win-1/10.240.0.5
Start Time:       Tue, 03 Sep 2024 10:02:00 +0000
Labels:           app=win-webserver
Annotations:      <none>
Status:           Running
IP:               10.244.3.7
IPs:
  IP:           10.244.3.7
Controlled By:  ReplicaSet/win-webserver-76c7f9b9b6
Containers:
  web:
    Container ID:  containerd://4f2c
    Image:         mcr.microsoft.com/windows/servercore:ltsc2022
    Image ID:      mcr.microsoft.com/windows/servercore@sha256:1234
    Port:          80/TCP
    Command:
      powershell.exe
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    3221225794
      Started:      Tue, 03 Sep 2024 10:02:00 +0000
      Finished:     Tue, 03 Sep 2024 10:02:01 +0000
    Ready:          False
    Restart Count:  12
    Liveness:       http-get http://:8080/healthz delay=5s timeout=1s period=5s #success=1 #failure=9
    Limits:
      memory:  1Gi
    Requests:
      memory:     1Gi
    Environment:  <none>
Conditions:
  Type              Status
  Initialized       True
  Ready             False
Volumes:
  kube-api-access-x:
    Type:                    Projected (a volume that contains injected data from multiple sources)
QoS Class:                   Burstable
Node-Selectors:              kubernetes.io/os=windows
Tolerations:                 os=windows:NoSchedule
Events:
  Type     Reason     Age                   From     Message
  ----     ------     ----                  ----     -------
  Warning  BackOff    2m3s (x5 over 10m)    kubelet  Back-off restarting failed container
`

const eventTable = `NAMESPACE   LAST SEEN   TYPE      REASON                   OBJECT                               MESSAGE
default     2m3s        Warning   FailedCreatePodSandBox   pod/win-webserver-76c7f9b9b6-7tjxk   Failed to create pod sandbox: rpc error: code = Unknown
            5m          Normal    NodeNotReady             node/win-1                           Node win-1 status is now: NodeNotReady
`

const crictlPodsText = `POD ID              CREATED             STATE               NAME                        NAMESPACE           ATTEMPT             RUNTIME
8f3e1d2c3b4a5       2 hours ago         NotReady            win-webserver-76c7-7tjxk    default             3                   runhcs-wcow-process
`

const windowsPod = `apiVersion: v1
kind: Pod
metadata:
  name: win-web
  namespace: default
  uid: 6a1b
spec:
  nodeName: win-1
  containers:
  - name: web
    image: mcr.microsoft.com/windows/servercore:ltsc2022
  nodeSelector:
    kubernetes.io/os: windows
status:
  phase: Running
  containerStatuses:
  - name: web
    ready: false
    restartCount: 9
    lastState:
      terminated:
        exitCode: 1
        finishedAt: "2024-09-03T10:02:01Z"
`

const pastedThread = "The pods of my node do not start.\n\n```console\nPS C:\\k> hnsdiag list all\n" +
	plainHNSDiag + "```\n\n<details>\n<summary>describe</summary>\n\n```\n$ kubectl describe pod win-webserver\n" +
	describedPodText + "```\n</details>\n\nkubelet:\n\n~~~\n" + kubeletLines + kubeProxyLines +
	"~~~\n\n```yaml\n" + windowsPod + "```\n\n```powershell\nPS C:\\k> Get-HnsNetwork | ConvertTo-Json\n" +
	`[ { "ID": "11111111-AAAA-4B4B-8C8C-000000000001", "Name": "nat", "Type": "nat", "Subnets": [ { "AddressPrefix": "172.21.16.0/20" } ] } ]` +
	"\n```\nI think `cni config uninitialized` is not my problem.\n"
