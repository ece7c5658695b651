package faults_test

import (
	"strings"
	"testing"
)

func TestThePauseImageOfANodeWithoutInternet(t *testing.T) {
	const says = `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox image \"IMAGE\": failed to pull image \"IMAGE\": failed to pull and unpack image \"IMAGE\": failed to resolve reference \"IMAGE\": failed to do request: Head \"https://HOST/v2/pause/manifests/3.9\": dial tcp: lookup HOST: no such host`
	web := podsJSON(podJSON("", "", `{"phase":"Pending","startTime":"2026-11-20T09:00:00Z","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ContainerCreating"}}}]}`))
	core := func(text string) string {
		return `-- api/events.json --
{"items":[{"involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"reason":"FailedCreatePodSandBox","message":"` + text + `","lastTimestamp":"2026-11-20T09:55:00Z"}]}
`
	}
	newer := func(text string) string {
		return `-- api/events.json --
{"items":[{"regarding":{"kind":"Pod","namespace":"shop","name":"web"},"reason":"FailedCreatePodSandBox","note":"` + text + `","eventTime":"2026-11-20T09:55:00Z"}]}
`
	}
	node := func(image, host, has string, events func(string) string) string {
		return web + events(strings.NewReplacer("IMAGE", image, "HOST", host).Replace(says)) + `-- cri.json --
{"version":{"runtimeName":"containerd"},"config":{"sandboxImage":"` + image + `"},"images":[{"repoTags":["` + has + `"]}]}
`
	}
	const hub, own = "rancher/mirrored-pause:3.10.1", "registry.corp.example/shop/c:1"
	found := "fail: shop/web waits: the pause image " + hub + " is not on the node [state]"
	runLooks(t, "sandbox-image-missing", []look{
		{"its own registry works", node(hub, "registry-1.docker.io", own, core), found},
		{"in the other form of events", node(hub, "registry-1.docker.io", own, newer), found},
		{"the node has images of public registries only", node(hub, "registry-1.docker.io", "mcr.microsoft.com/x:1", core), "pass"},
		{"the name of the private registry does not resolve",
			node("registry.corp.example/pause:3.9", "registry.corp.example", own, core), "pass"},
		{"the image is there", node(own, "registry-1.docker.io", own, core), "pass"},
	})
}

func TestAPodForLinuxByItsTag(t *testing.T) {
	const waits = `{"phase":"Pending","startTime":"2026-11-20T09:00:00Z","containerStatuses":[{"name":"c","image":"x","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
	chown := `-- api/events.json --
{"items":[{"involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"reason":"FailedMount","message":"MountVolume.SetUp failed for volume \"kube-api-access\" : chown c:\\var\\lib\\kubelet\\pods\\1\\token: not supported by windows","lastTimestamp":"2026-11-20T09:55:00Z"}]}
`
	pod := func(image, fields string) string {
		return podsJSON(podJSON(fields, `"image":"`+image+`"`, waits))
	}
	const found = "fail: pod shop/web is for Linux (image IMAGE) and is on this Windows node: it has no OS selector [state]"
	var looks []look
	for _, image := range []string{"registry.gitlab.com/gitlab-org/gitlab-runner:alpine-v15.1.0", "python:3.12-slim-bookworm",
		"nginx:1.27-alpine3.20", "ubuntu", "docker.io/library/debian:12", "registry.corp:5000/base/ubi9:9.4", "redis:7.2-bookworm@sha256:1"} {
		looks = append(looks, look{image, pod(image, "") + chown, strings.Replace(found, "IMAGE", image, 1)})
	}
	runLooks(t, "linux-pod-on-windows", append(looks,
		look{"without the error it only waits", pod("nginx:1.27-alpine", "") + noEvents, "pass"},
		look{"it selects Windows", pod("nginx:1.27-alpine", `"nodeSelector":{"kubernetes.io/os":"windows"}`) + chown, "pass"},
		look{"no distribution in the tag", pod("shop/alpineski:1.0", "") + chown, "pass"},
		look{"a registry of that name", pod("debian.corp.example/shop:1", "") + chown, "pass"},
		look{"a folder of that name", pod("corp.example/ubuntu/shop:1", "") + chown, "pass"},
	))
}

func TestPodsOfOpenShiftHaveUsers(t *testing.T) {
	pod := func(annotation, fields string) string {
		return replace(podsJSON(podJSON(fields, "", "")), `"name":"web"`, `"name":"web","annotations":{`+annotation+`}`)
	}
	const scc = `"openshift.io/scc":"restricted-v2"`
	runLooks(t, "pod-field-unsupported", []look{
		{"what the constraint sets", pod(scc, `"securityContext":{"runAsUser":1000680000,"fsGroup":1000680000,"seLinuxOptions":{"level":"s0:c26,c15"}}`),
			"info: shop/web sets fields that Windows ignores: spec.securityContext.fsGroup (volumes have no group; use windowsOptions.runAsUserName), spec.securityContext.runAsUser (use windowsOptions.runAsUserName), spec.securityContext.seLinuxOptions [state]"},
		{"what it does not set", pod(scc, `"securityContext":{"runAsUser":1000680000},"hostPID":true`),
			"warn: shop/web sets fields that Windows ignores: spec.hostPID (use windowsOptions.hostProcess), spec.securityContext.runAsUser (use windowsOptions.runAsUserName) [state]"},
		{"elsewhere", pod(`"x":"y"`, `"securityContext":{"runAsUser":1000}`),
			"warn: shop/web sets fields that Windows ignores: spec.securityContext.runAsUser (use windowsOptions.runAsUserName) [state]"},
	})
}

func TestKubectlSeesAnExpiredCertificate(t *testing.T) {
	const refused = "Unable to connect to the server: x509: certificate has expired or is not yet valid: current time 2022-07-26T12:24:15-04:00 is "
	runLooks(t, "cert-expired-or-clock-skew", []look{
		{"it has expired", logTelling("other", refused+"after 2022-07-15T15:01:07Z"), "fail: the certificate of the API server has expired [text]"},
		{"the clock is behind", logTelling("other", refused+"before 2022-07-27T15:01:07Z"),
			"fail: a certificate of the cluster is not yet valid for this node: its clock is behind [text]"},
		{"another program, of a server that it does not name", logTelling("other", "Get \"https://shop\": x509: certificate has expired or is not yet valid: current time is after"), "unknown"},
	})
}

func TestCalicoWithBGPNeedsRemoteAccess(t *testing.T) {
	node := func(mode, service string) string {
		return nodeOf("v1.31.2", "containerd://1.7.20") + "-- files/C/Program Files/containerd/config.toml --\nversion = 2\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\nconf_dir = 'C:\\etc\\cni\\net.d'\n" +
			"-- files/C/etc/cni/net.d/10-calico.conflist --\n{\"name\":\"Calico\",\"cniVersion\":\"1.0.0\",\"plugins\":[{\"name\":\"Calico\",\"type\":\"calico\",\"mode\":\"" + mode + "\"}]}\n" +
			"-- services.json --\n[" + strings.Repeat(`{"name":"x","state":"running"},`, 8) + `{"name":"kubelet","state":"running"}` + service + "]\n"
	}
	const off = `,{"name":"RemoteAccess","state":"stopped","startType":"manual"}`
	runLooks(t, "routing-service-off", []look{
		{"it is stopped", node("windows-bgp", off), "fail: Service RemoteAccess is stopped: no routing between the pod network and other nodes [state]"},
		{"it is not installed", node("windows-bgp", ""), "fail: Service RemoteAccess is missing: no routing between the pod network and other nodes [state]"},
		{"Calico starts it", node("windows-bgp", strings.Replace(off, "stopped", "running", 1)), "pass"},
		{"Calico with VXLAN", node("vxlan", off), "skip"},
	})
}

func TestACSIDriverRestartsWithoutCSIProxy(t *testing.T) {
	pod := func(path, state string) string {
		return podsJSON(podJSON(`"volumes":[{"name":"p","hostPath":{"path":"`+path+`"}}]`, "",
			`{"phase":"Running","containerStatuses":[{"name":"c","restartCount":9,"state":`+state+`}]}`))
	}
	const (
		pipe    = `\\\\.\\pipe\\csi-proxy-disk-v1`
		crashes = `{"waiting":{"reason":"CrashLoopBackOff"}}`
		none    = "-- services.json --\n[]\n-- processes.json --\n[{\"name\":\"System\"},{\"name\":\"services.exe\"},{\"name\":\"lsass.exe\"},{\"name\":\"svchost.exe\"}]\n"
		found   = "fail: shop/web exits again and again: it uses pipes of csi-proxy, and csi-proxy is not on this node [state]"
	)
	runLooks(t, "csi-proxy-missing", []look{
		{"no csi-proxy", pod(pipe, crashes) + none, found},
		{"with slashes", pod("//./pipe/csi-proxy-disk-v1", crashes) + none, found},
		{"its service is stopped", pod(pipe, crashes) + replace(none, "[]", `[{"name":"csi-proxy","state":"stopped","startType":"manual"}]`),
			"fail: shop/web exits again and again: it uses pipes of csi-proxy, and service csi-proxy is stopped [state]"},
		{"csi-proxy runs", pod(pipe, crashes) + replace(none, `{"name":"System"}`, `{"name":"csi-proxy.exe"}`), "pass"},
		{"it runs", pod(pipe, `{"running":{}}`) + none, "pass"},
		{"another pipe", pod(`\\\\.\\pipe\\containerd-containerd`, crashes) + none, "pass"},
	})
}

func TestKubeletClusterDNSWrong(t *testing.T) {
	kubelet := func(dns string) string {
		return nodeOf("v1.31.2", "containerd://1.7.20") +
			"-- processes.json --\n[{\"name\":\"kubelet.exe\",\"args\":[\"--cluster-dns=" + dns + "\"]}]\n"
	}
	const services = `-- api/services.json --
{"items":[{"metadata":{"name":"kubernetes","namespace":"default"},"spec":{"clusterIP":"10.96.0.1","clusterIPs":["10.96.0.1"]}},
{"metadata":{"name":"second-dns","namespace":"kube-system"},"spec":{"clusterIP":"10.96.0.11","clusterIPs":["10.96.0.11"]}},
{"metadata":{"name":"kube-dns","namespace":"kube-system","labels":{"k8s-app":"kube-dns"}},"spec":{"clusterIP":"10.96.0.10","clusterIPs":["10.96.0.10"]}}]}
`
	probe := func(outcome, from string) string {
		return `-- probes/dns.json --
[{"name":"kubernetes.default.svc.cluster.local","type":"A","server":"10.0.0.10:53","transport":"udp","from":"` + from +
			`","form":"plain","sent":["kubernetes.default.svc.cluster.local."],"outcome":"` + outcome + `","latencyMs":5000}]
`
	}
	const (
		text = "clusterDNS of the kubelet is 10.0.0.10, expected the cluster DNS 10.96.0.10: no Service has that address [state]"
		cidr = `-- api/servicecidrs.json --
{"items":[{"metadata":{"name":"kubernetes"},"spec":{"cidrs":["10.0.0.0/8"]}}]}
`
	)
	runLooks(t, "kubelet-cluster-dns-wrong", []look{
		{"the right one", kubelet("10.96.0.10") + services, "pass"},
		{"another DNS Service", kubelet("10.96.0.11") + services, "pass"},
		{"a cache on the node", kubelet("169.254.20.10") + services, "pass"},
		{"nobody has the address", kubelet("10.0.0.10") + services, "warn: " + text},
		{"it is in the service network", kubelet("10.0.0.10") + services + cidr, "fail: " + text},
		{"pods get no answer", kubelet("10.0.0.10") + services + probe("timeout", "shop/web"), "fail: " + text},
		{"the node gets no answer", kubelet("10.0.0.10") + services + probe("timeout", "node"), "warn: " + text},
		{"a resolver outside of the cluster answers", kubelet("10.0.0.10") + services + probe("ok", "shop/web"), "pass"},
		{"no Service is known as the cluster DNS", kubelet("10.0.0.10") + replace(services, "kube-dns", "names"), "unknown"},
		{"the Services are not recorded", kubelet("10.0.0.10"), "unknown"},
		{"nothing says what the kubelet gives", nodeOf("v1.31.2", "containerd://1.7.20") + services, "unknown"},
	})
}

func TestOverlayOfAKSOnAnOldBuild(t *testing.T) {
	node := func(kind, build, ubr string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1","labels":{"kubernetes.io/os":"windows","kubernetes.azure.com/cluster":"mc","kubernetes.azure.com/podnetwork-type":"` + kind + `"}}}
-- os.json --
{"build":` + build + `,"ubr":` + ubr + "}\n"
	}
	runLooks(t, "aks-overlay-host-snat", []look{
		{"before the update", node("overlay", "20348", "1607"),
			"warn: Windows build is 10.0.20348.1607 (Azure CNI Overlay requires 10.0.20348.1668 or later): connections from host network pods fail [state]"},
		{"the update", node("overlay", "20348", "1668"), "pass"},
		{"Windows Server 2025", node("overlay", "26100", "1"), "skip"},
		{"no overlay", node("vnet", "20348", "1607"), "skip"},
	})
}

func TestOpenShiftRefusesPodsOfADaemonSet(t *testing.T) {
	tree := func(event, system, pods string) string {
		return `-- api/daemonsets.json --
{"items":[{"metadata":{"name":"agent","namespace":"ops"},"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/os":"` + system + `"},"containers":[{"name":"c","image":"x/y:1"}]}}}}]}
-- api/events.json --
{"items":[` + event + `]}
` + podsJSON(pods)
	}
	const (
		words  = `Error creating: pods \"agent-\" is forbidden: unable to validate against any security context constraint: [spec.volumes[0]: Invalid value: \"hostPath\": hostPath volumes are not allowed to be used]`
		core   = `{"involvedObject":{"kind":"DaemonSet","namespace":"ops","name":"agent"},"reason":"FailedCreate","message":"` + words + `","lastTimestamp":"2026-11-20T09:55:00Z"}`
		newer  = `{"regarding":{"kind":"DaemonSet","namespace":"ops","name":"agent"},"reason":"FailedCreate","note":"` + words + `","eventTime":"2026-11-20T09:55:00Z"}`
		found  = "fail: DaemonSet ops/agent has no pod on this node: no security context constraint allows its pods [state]"
		itsPod = `{"metadata":{"namespace":"ops","name":"agent-x","ownerReferences":[{"kind":"DaemonSet","name":"agent"}]},"spec":{"nodeName":"win-1"}}`
	)
	runLooks(t, "scc-refuses-windows-pod", []look{
		{"of a DaemonSet for Windows", tree(core, "windows", ""), found},
		{"in the other form of events", tree(newer, "windows", ""), found},
		{"of a DaemonSet for Linux", tree(core, "linux", ""), "pass"},
		{"it has a pod since", tree(core, "windows", itsPod), "pass"},
		{"of another object", tree(strings.Replace(core, "DaemonSet", "ReplicaSet", 1), "windows", ""), "pass"},
		{"pasted", logTelling("other", strings.NewReplacer(`\"`, `"`, "agent-", "agent-windows-").Replace(words)),
			"fail: no security context constraint allows a pod for Windows [text]"},
		{"no event is recorded", strings.ReplaceAll(tree(core, "windows", ""), "api/events.json", "api/other.json") +
			"-- logs/other/o.log --\nnothing\n", "unknown"},
		{"pasted, of Linux", logTelling("other", strings.ReplaceAll(words, `\"`, `"`)), "unknown"},
	})
}

func TestKubeProxyOfEKSSetsUpNothing(t *testing.T) {
	tree := func(roles, balancers, services string) string {
		return eksNode(twenty) + `-- services.json --
[{"name":"kube-proxy","state":"running"}]
-- processes.json --
[{"name":"System"},{"name":"services.exe"},{"name":"lsass.exe"},{"name":"kube-proxy.exe","startedAt":"2026-11-20T02:00:00Z"}]
-- events.json --
[{"log":"EKS","provider":"kubelet","message":"ok","time":"2026-11-20T09:00:00Z"}]
-- hns-networks.json --
[{"Name":"vpcbr1","Type":"L2Bridge"}]
-- hns-loadbalancers.json --
[` + balancers + `]
-- api/services.json --
{"items":[{"metadata":{"name":"kubernetes","namespace":"default"},"spec":{"clusterIP":"172.20.0.1"}}` + services + `]}
-- api/configmaps.json --
{"items":[{"metadata":{"name":"aws-auth","namespace":"kube-system"},"data":{"mapRoles":"- rolearn: a\n  groups: [` + roles + `]\n"}}]}
`
	}
	const dns = `,{"metadata":{"name":"kube-dns","namespace":"kube-system"},"spec":{"clusterIP":"172.20.0.10"}}`
	runLooks(t, "eks-kube-proxy-rbac-group", []look{
		{"no role has the group", tree("system:nodes", "", dns),
			"warn: kube-proxy has set up no Service, and aws-auth maps no role to eks:kube-proxy-windows [state]"},
		{"a role has it", tree("system:nodes, eks:kube-proxy-windows", "", dns), "unknown"},
		{"it has set up one", tree("system:nodes", `{"ID":"1","FrontendVIPs":["172.20.0.1"]}`, dns), "unknown"},
		{"no Service but that of the API server", tree("system:nodes", "", ""), "unknown"},
	})
}

func TestTheVolumesOfAPodThatWaits(t *testing.T) {
	const waits = `{"phase":"Pending","startTime":"2026-11-20T09:00:00Z","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ContainerCreating"}}}]}`
	const volumes = `"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data"}}]`
	tree := func(status, events, source string) string {
		return podsJSON(podJSON(volumes, "", status)) + events + `-- api/persistentvolumes.json --
{"items":[{"metadata":{"name":"pv-other"},"spec":{"claimRef":{"namespace":"shop","name":"other"},"csi":{"driver":"d","fsType":"ext4"}}},
{"metadata":{"name":"pv-1"},"spec":{"claimRef":{"namespace":"shop","name":"data"},` + source + `}}]}
`
	}
	const (
		ext4   = `"csi":{"driver":"ebs.csi.aws.com","fsType":"ext4"}`
		nfs    = `"nfs":{"server":"10.0.0.9","path":"/x"}`
		onlyFS = "fail: shop/web waits: its volume pv-1 requires the file system "
		isNFS  = "fail: shop/web waits: its volume pv-1 is NFS, which Kubernetes does not support on Windows [state]"
	)
	sandbox := eventTelling("FailedCreatePodSandBox", "no network", now)
	sandbox = strings.Replace(sandbox, `"namespace":"default"`, `"namespace":"shop"`, 1)
	inPod := func(status, source string) string {
		return podsJSON(podJSON(`"volumes":[{"name":"data","emptyDir":{}},{"name":"d",`+source+`}]`, "", status)) + noEvents
	}
	runLooks(t, "volume-fstype-linux", []look{
		// https://cloud.google.com/kubernetes-engine/docs/concepts/windows-server-gke
		{"in the pod itself", inPod(waits, `"gcePersistentDisk":{"pdName":"d","fsType":"ext4"}`),
			"fail: shop/web waits: its volume d requires the file system ext4 of Linux [state]"},
		{"in a pod that runs", inPod("", `"gcePersistentDisk":{"pdName":"d","fsType":"ext4"}`), "pass"},
		{"of a driver", tree(waits, noEvents, ext4), onlyFS + "ext4 of Linux [state]"},
		{"of a plugin within Kubernetes", tree(waits, noEvents, `"awsElasticBlockStore":{"volumeID":"v","fsType":"xfs"}`), onlyFS + "xfs of Linux [state]"},
		{"of Windows", tree(waits, noEvents, `"csi":{"driver":"ebs.csi.aws.com","fsType":"ntfs"}`), "pass"},
		{"the driver's default", tree(waits, noEvents, `"csi":{"driver":"ebs.csi.aws.com"}`), "pass"},
		{"it is mounted, and the sandbox fails", tree(waits, sandbox, ext4), "pass"},
		{"the pod runs", tree("", noEvents, ext4), "pass"},
		{"its volume is not recorded", podsJSON(podJSON(volumes, "", waits)) + noEvents, "unknown"},
	})
	runLooks(t, "volume-nfs", []look{
		// kubernetes-sigs/nfs-subdir-external-provisioner issue 364
		{"in the pod itself", inPod(waits, nfs),
			"fail: shop/web waits: its volume d is NFS, which Kubernetes does not support on Windows [state]"},
		{"of Kubernetes itself", tree(waits, noEvents, nfs), isNFS},
		{"of a driver", tree(waits, noEvents, `"csi":{"driver":"efs.csi.aws.com"}`), isNFS},
		{"a disk", tree(waits, noEvents, ext4), "pass"},
		{"the pod runs", tree("", noEvents, nfs), "pass"},
		{"its volume is not recorded", podsJSON(podJSON(volumes, "", waits)) + noEvents, "unknown"},
	})
}
