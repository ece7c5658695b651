package regressions_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/regressions"
)

// TestTheStateThatShowsARow: each row's state on a node with an affected version, what is like it and
// shows nothing, and that the fixed version passes in any case.
func TestTheStateThatShowsARow(t *testing.T) {
	const (
		info, fail, warn = checks.StatusInfo, checks.StatusFail, checks.StatusWarn

		ended     = `"state":{"terminated":{"exitCode":1,"finishedAt":"2026-11-20T09:33:00Z"}}`
		justEnded = `"state":{"terminated":{"exitCode":1,"finishedAt":"2026-11-20T09:58:00Z"}}`
		sidecar   = `"initContainers":[{"name":"log","restartPolicy":"Always"}],`
		logRuns   = `"initContainerStatuses":[{"name":"log","state":{"running":{"startedAt":"2026-11-20T08:00:00Z"}}}],`

		running    = `"phase":"Running","containerStatuses":[{"name":"app","state":{"running":{"startedAt":"2026-11-20T08:00:00Z"}}}]`
		startedNow = `"phase":"Running","containerStatuses":[{"name":"app","state":{"running":{"startedAt":"2026-11-20T09:59:00Z"}}}]`
		notFound   = `"phase":"Running","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":128,"reason":"StartError","message":"failed to start containerd task \"7e2b\": hcs::System::CreateProcess 7e2b: The system cannot find the file specified.: unknown"}}}]`
		incorrect  = `"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"RunContainerError","message":"failed to create containerd task: failed to create shim task: hcs::CreateComputeSystem app: The parameter is incorrect.: unknown"}}}]`
		npm        = `"phase":"Running","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"RunContainerError","message":"failed to get application name from commandline \"npm.exe start\": failed to find executable \"npm.exe\": unknown"}}}]`
		onHost     = `"hostNetwork":true,"securityContext":{"windowsOptions":{"hostProcess":true}},`

		pending = `"phase":"Pending"`
		sleeps  = `"containers":[{"name":"app","lifecycle":{"postStart":{"sleep":{"seconds":15}}}}]`
		inCRI   = `-- cri.json --
{"sandboxes":[{"id":"s1","state":"SANDBOX_READY","metadata":{"name":"web","namespace":"shop"}}],
"containers":[{"id":"c1","podSandboxId":"s1","state":"CONTAINER_RUNNING","metadata":{"name":"app"}}]}
`
		setUp = `MountVolume.SetUp failed for volume \"secrets\" : rpc error: code = `
	)
	pod := func(spec, status string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"shop","creationTimestamp":"2026-11-20T08:00:00Z"},"spec":{"nodeName":"win-1","restartPolicy":"Always",` +
			spec + `},"status":{` + status + "}}]}\n"
	}
	containers := func(fields string) string { return `"containers":[{"name":"app","image":"shop/web:1"` + fields + `}]` }
	// kubernetes issue 97802
	subPath := func(path, source string) string {
		return pod(containers(`,"volumeMounts":[{"name":"v","mountPath":"C:\\test","subPath":"`+path+`"}]`)+`,"volumes":[{"name":"v","`+source+`":{}}]`,
			strings.Replace(incorrect, "The parameter is incorrect.", "The filename, directory name, or volume label syntax is incorrect.", 1))
	}
	core := func(message string) string {
		return `-- api/events.json --
{"items":[{"metadata":{"name":"e1","namespace":"shop"},"type":"Warning","reason":"FailedMount","message":"` + message +
			`","involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"lastTimestamp":"2026-11-20T09:40:00Z"}]}
`
	}
	newer := func(message string) string {
		return `-- api/events.json --
{"items":[{"metadata":{"name":"e1","namespace":"shop"},"type":"Warning","reason":"FailedMount","note":"` + message +
			`","regarding":{"kind":"Pod","namespace":"shop","name":"web"},"eventTime":"2026-11-20T09:40:00Z"}]}
`
	}
	const fromImage = `,"args":[".\\node\\node-service.ps1"],"workingDir":"$env:CONTAINER_SANDBOX_MOUNT_POINT/CalicoWindows/"`
	scriptEnds := func(code string) string {
		return `"phase":"Running","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":` + code + `}}}]`
	}
	remote := func(ips ...string) string {
		list := ""
		for i, ip := range ips {
			list += `,{"ID":"r` + string(rune('0'+i)) + `","IpConfigurations":[{"IpAddress":"` + ip +
				`","PrefixLength":24}],"Flags":1,"SchemaVersion":{"Major":2}}`
		}
		return `-- hns-endpoints.json --
[{"ID":"e1","IpConfigurations":[{"IpAddress":"10.244.1.9","PrefixLength":24}],"Flags":1,"SchemaVersion":{"Major":2}}` + list + `]
-- hns-loadbalancers.json --
[{"ID":"L","FrontendVIPs":["10.96.7.7"],"HostComputeEndpoints":["e1"],"PortMappings":[{"Protocol":6,"InternalPort":80,"ExternalPort":80}],"SchemaVersion":{"Major":2}}]
-- api/endpointslices.json --
{"items":[{"metadata":{"namespace":"a"},"endpoints":[{"addresses":["10.244.1.9"]},{"addresses":["10.244.1.10"]}]}]}
`
	}
	adapters := func(gateway, pods string) string {
		return `-- adapters.json --
[{"name":"antrea-gw0","mtu":` + gateway + `,"addresses":["10.244.9.1/24"],"gateways":[],"compartment":1},
{"name":"vEthernet (web-1)","mtu":` + pods + `,"addresses":["10.244.9.2/24"],"gateways":[],"compartment":2}]
`
	}
	endpoint := func(gateway string) string {
		return `-- hns-endpoints.json --
[{"ID":"e1","Name":"8ef8ce18-eth0","IpConfigurations":[{"IpAddress":"10.244.3.17","PrefixLength":16}],
"Routes":[{"NextHop":"` + gateway + `","DestinationPrefix":"0.0.0.0/0"}],"SchemaVersion":{"Major":2}}]
`
	}
	services := func(policy string) string {
		return `-- api/services.json --
{"items":[{"metadata":{"namespace":"a","name":"web"},"spec":{"clusterIP":"10.96.7.7","internalTrafficPolicy":"` + policy + `","ports":[{"port":80,"protocol":"TCP"}]}}]}
-- api/endpointslices.json --
{"items":[{"metadata":{"namespace":"a","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[
{"addresses":["10.244.1.9"],"nodeName":"win-1","conditions":{"ready":true}}],"ports":[{"port":8080,"protocol":"TCP"}]}]}
-- hns-endpoints.json --
[{"ID":"e1","IpConfigurations":[{"IpAddress":"10.244.1.9","PrefixLength":24}],"SchemaVersion":{"Major":2}}]
-- hns-loadbalancers.json --
[{"ID":"L","FrontendVIPs":["10.96.0.1"],"HostComputeEndpoints":["e1"],"PortMappings":[{"Protocol":6,"InternalPort":443,"ExternalPort":443}],"SchemaVersion":{"Major":2}}]
`
	}
	balancer := func(vip, backend string) string {
		return `-- hns-endpoints.json --
[{"ID":"e1","IpConfigurations":[{"IpAddress":"` + backend + `","PrefixLength":64}],"SchemaVersion":{"Major":2}}]
-- hns-loadbalancers.json --
[{"ID":"L","FrontendVIPs":["` + vip + `"],"HostComputeEndpoints":["e1"],"PortMappings":[{"Protocol":6,"InternalPort":80,"ExternalPort":80}],"SchemaVersion":{"Major":2}}]
`
	}
	dualStack := func(service, balanced string) string {
		tree := services("Cluster")
		for _, change := range [][2]string{{`"clusterIP":"10.96.7.7"`, `"clusterIP":"` + service + `"`},
			{`{"addresses":["10.244.1.9"]`, `{"addresses":["10.244.1.9","fd00:1::9"]`},
			{`{"IpAddress":"10.244.1.9","PrefixLength":24}`, `{"IpAddress":"10.244.1.9","PrefixLength":24},{"IpAddress":"fd00:1::9","PrefixLength":64}`},
			{`[{"ID":"e1",`, `[{"ID":"e1","HostComputeNetwork":"N",`},
			{`"FrontendVIPs":["10.96.0.1"]`, `"FrontendVIPs":["` + balanced + `"]`}} {
			tree = strings.Replace(tree, change[0], change[1], 1)
		}
		return tree + `-- hns-networks.json --
[{"ID":"N","Name":"cbr0","Type":"L2Bridge","SchemaVersion":{"Major":2}}]
`
	}
	proxy := func(arg string) string {
		return "-- processes.json --\n[{\"pid\":9,\"name\":\"kube-proxy.exe\",\"args\":[\"kube-proxy.exe\",\"" + arg + "\"]}]\n"
	}
	shim := func(handles string) string {
		return "-- processes.json --\n[{\"pid\":9,\"name\":\"containerd-shim-runhcs-v1.exe\",\"handles\":" + handles + "}]\n"
	}
	forwarding := func(on, kind string) string {
		return `-- adapters.json --
[{"name":"br-int","addresses":["10.0.0.9/24"],"gateways":[],"forwarding":` + on + `}]
-- api/services.json --
{"items":[{"metadata":{"namespace":"a","name":"web"},"spec":{"type":"` + kind + `","clusterIP":"10.96.7.7"}}]}
`
	}
	kept := func(endpoints string) string {
		return strings.Replace(strings.Replace(services("Cluster"), `["10.96.0.1"]`, `["10.96.7.7"]`, 1), `["e1"],"PortMappings":[{"Protocol":6,"InternalPort":443,"ExternalPort":443}]`,
			"["+endpoints+`],"PortMappings":[{"Protocol":6,"InternalPort":8080,"ExternalPort":80}]`, 1)
	}
	restarted := func(at string) string {
		return "-- logs/rke2/rke2-service.log --\n" + `time="` + at + `" level=info msg="Starting rke2 agent v1.30.3+rke2r1"` + "\n"
	}
	lostPod := pod(containers(""), `"podIP":"10.42.57.67","conditions":[{"type":"Ready","status":"True"}],`+running) +
		`-- hns-endpoints.json --
[{"ID":"e1","IpConfigurations":[{"IpAddress":"10.42.57.2","PrefixLength":24}],"SchemaVersion":{"Major":2}}]
`
	// rancher/rke2 issue 5551
	stays := func(start, said string) string {
		return strings.Replace(pod(containers(""), `"startTime":"`+start+`","phase":"Running","containerStatuses":[{"name":"app","state":{"terminated":{"exitCode":3221225786}}}]`),
			`"metadata":{`, `"metadata":{"deletionTimestamp":"2026-11-20T09:20:00Z",`, 1) + core(said)
	}
	const hcnDelete = `error killing pod: failed to \"KillPodSandbox\" for \"b28e3662\" with KillPodSandboxError: \"rpc error: code = Unknown desc = failed to remove network namespace for sandbox 49413d: hcnDeleteNamespace failed in Win32: The specified request is unsupported. (0x803b0015)\"`
	largest := func(processes string) string { return "-- processes.json --\n[" + processes + "]\n" }
	const leaks, database = `{"pid":9,"name":"kubelet.exe","privateBytes":10811160064}`, `{"pid":7,"name":"sqlservr.exe","workingSetBytes":12811160064}`
	pull := func(url string) string {
		return core(`Failed to pull image \"quay.io/openshift/web:1.4\": failed to resolve reference \"quay.io/openshift/web:1.4\": unexpected status from HEAD request to ` + url + `: 404 Not Found`)
	}
	call := func(started string) string {
		return "-- processes.json --\n[{\"pid\":9,\"name\":\"azure-vnet.exe\",\"startedAt\":\"" + started + "\"}]\n-- logs/kubelet/kubelet.log --\nI1120 09:59:00.000000 1 x.go:1] Failed to initialize key-value store of network plugin: timed out locking store\n"
	}
	for _, row := range []struct {
		id, affected, fixed, name, tree string
		want                            checks.Status
	}{
		{"kubelet-sidecar-restart", "1.35.2", "1.35.4", "it ended long ago", pod(sidecar+containers(""),
			`"phase":"Running",`+logRuns+`"containerStatuses":[{"name":"app",`+ended+`}]`), fail},
		{"kubelet-sidecar-restart", "1.35.2", "1.35.4", "it has just ended", pod(sidecar+containers(""),
			`"phase":"Running",`+logRuns+`"containerStatuses":[{"name":"app",`+justEnded+`}]`), info},
		{"kubelet-sidecar-restart", "1.35.2", "1.35.4", "no sidecar", pod(containers(""),
			`"phase":"Running","containerStatuses":[{"name":"app",`+ended+`}]`), info},
		{"kubelet-post-start", "1.32.1", "1.32.3", "its container runs", pod(sleeps, pending) + inCRI, fail},
		{"kubelet-post-start", "1.32.1", "1.32.3", "its container does not", pod(sleeps, pending), info},
		{"kubelet-post-start", "1.32.1", "1.32.3", "no hook", pod(containers(""), pending) + inCRI, info},
		{"kubelet-republish-deletes-mount", "1.36.1", "1.36.2", "a final error", pod(containers(""), running) +
			core(setUp+"Unknown desc = failed to mount secrets store objects"), fail},
		{"kubelet-republish-deletes-mount", "1.36.1", "1.36.2", "an event of events.k8s.io", pod(containers(""), running) +
			newer(setUp+"Internal desc = failed to mount secrets store objects"), fail},
		{"kubelet-republish-deletes-mount", "1.36.1", "1.36.2", "an error that is not final", pod(containers(""), running) +
			core(setUp+"Unavailable desc = connection error"), info},
		{"kubelet-republish-deletes-mount", "1.36.1", "1.36.2", "before it was started", pod(containers(""), startedNow) +
			core(setUp+"Unknown desc = failed to mount secrets store objects"), info},
		{"kubelet-nested-sub-path", "1.22.4", "1.23.0", "below a folder", subPath("downward/podname", "downwardAPI"), fail},
		{"kubelet-nested-sub-path", "1.22.4", "1.23.0", "of a ConfigMap", subPath("conf.d/web.conf", "configMap"), fail},
		{"kubelet-nested-sub-path", "1.22.4", "1.23.0", "a file at the root", subPath("podname", "downwardAPI"), info},
		{"kubelet-nested-sub-path", "1.22.4", "1.23.0", "a volume that the kubelet does not write", subPath("a/b", "emptyDir"), info},
		{"containerd-args-escaped", "1.6.18", "1.6.21", "the command of the image", pod(containers(""), notFound), fail},
		{"containerd-args-escaped", "1.6.18", "1.6.21", "a command of the pod", pod(containers(`,"command":["x.exe"]`), notFound), info},
		{"containerd-drive-mounts", "1.6.4", "1.6.5", "a drive", pod(containers(`,"volumeMounts":[{"name":"d","mountPath":"D:"}]`), incorrect), fail},
		{"containerd-drive-mounts", "1.5.5", "1.6.14", "a drive of 1.5", pod(containers(`,"volumeMounts":[{"name":"d","mountPath":"D:"}]`), incorrect), fail},
		{"containerd-drive-mounts", "1.6.4", "1.6.5", "a folder", pod(containers(`,"volumeMounts":[{"name":"d","mountPath":"D:\\data"}]`), incorrect), info},
		{"containerd-host-process-folder", "1.7.10", "1.7.16", "a name alone", pod(onHost+containers(`,"command":["npm.exe"],"args":["start"]`), npm), fail},
		{"containerd-host-process-folder", "1.7.10", "1.7.16", "another program", pod(onHost+containers(`,"command":["powershell.exe"],"args":["npm.exe"]`), npm), info},
		{"containerd-host-process-folder", "1.7.0-beta.3", "1.7.16", "a script of the image's folder", pod(onHost+containers(fromImage), scriptEnds("-196608")), fail},
		{"containerd-host-process-folder", "1.7.0-beta.3", "1.7.16", "the same without a sign", pod(onHost+containers(fromImage), scriptEnds("4294770688")), fail},
		{"containerd-host-process-folder", "1.7.0-beta.3", "1.7.16", "the script itself fails", pod(onHost+containers(fromImage), scriptEnds("1")), info},
		{"containerd-exec-memory-leak", "1.6.12", "1.6.13", "600 MB", "-- processes.json --\n[{\"pid\":9,\"name\":\"containerd-shim-runhcs-v1.exe\",\"workingSetBytes\":629145600}]\n", warn},
		{"containerd-exec-memory-leak", "1.6.12", "1.6.13", "60 MB", "-- processes.json --\n[{\"pid\":9,\"name\":\"containerd-shim-runhcs-v1.exe\",\"workingSetBytes\":62914560},{\"pid\":7,\"name\":\"sqlservr.exe\",\"workingSetBytes\":6291456000}]\n", info},
		{"containerd-process-handle-leak", "1.7.18", "1.7.19", "25,000 handles", pod(onHost+containers(""), running) + shim("25000"), warn},
		{"containerd-process-handle-leak", "1.7.18", "1.7.19", "900 handles", pod(onHost+containers(""), running) + shim("900"), info},
		{"containerd-process-handle-leak", "1.7.18", "1.7.19", "another program", pod(onHost+containers(""), running) +
			strings.Replace(shim("25000"), "containerd-shim-runhcs-v1", "sqlservr", 1), info},
		{"antrea-bridge-forwarding", "1.5.1", "1.6.0", "a bridge that does not forward", forwarding("false", "LoadBalancer"), fail},
		{"antrea-bridge-forwarding", "1.5.1", "1.6.0", "a bridge that does", forwarding("true", "LoadBalancer"), info},
		{"antrea-bridge-forwarding", "1.5.1", "1.6.0", "no Service needs it", forwarding("false", "ClusterIP"), info},
		{"kube-proxy-stale-vips", "1.24.8", "1.24.9", "a backend without an endpoint", kept(`"e1","gone"`), fail},
		{"kube-proxy-stale-vips", "1.24.8", "1.24.9", "all backends have one", kept(`"e1"`), info},
		{"azure-cns-state-lock", "1.4.22", "1.4.40", "a call that does not end", call("2026-11-20T09:00:00Z"), info},
		{"azure-cns-state-lock", "1.4.22", "1.4.40", "a call at work", call("2026-11-20T09:59:57Z"), fail},
		{"azure-cns-overlay-gateway", "1.4.39", "1.4.44.5", "the gateway of Linux", endpoint("169.254.1.1"), fail},
		{"azure-cns-overlay-gateway", "1.4.39", "1.4.44.5", "that of its subnet", endpoint("10.244.0.1"), info},
		{"kube-proxy-cluster-ip-deleted", "1.34.0", "1.34.2", "a Service of local policy", services("Local"), fail},
		{"kube-proxy-cluster-ip-deleted", "1.34.0", "1.34.2", "another Service", services("Cluster"), info},
		{"kube-proxy-terminated-endpoints", "1.33.5", "1.33.6", "two of no slice", remote("10.244.1.77", "10.244.1.78"), warn},
		{"kube-proxy-terminated-endpoints", "1.33.5", "1.33.6", "one of no slice", remote("10.244.1.77", "10.244.1.10"), info},
		{"kube-proxy-dual-stack-missing", "1.25.5", "1.25.8", "none of IPv6", dualStack("fd00:10::7", "10.96.0.1"), fail},
		{"kube-proxy-dual-stack-missing", "1.25.5", "1.25.8", "one of IPv4 is missing", dualStack("10.96.7.7", "10.96.0.1"), info},
		{"kube-proxy-dual-stack-missing", "1.25.5", "1.25.8", "another of IPv6 is there", dualStack("fd00:10::7", "fd00:10::1"), info},
		{"kube-proxy-dual-stack-shared", "1.34.1", "1.34.4", "backends of the other family", balancer("fd00:10::7", "10.244.1.9"), fail},
		{"kube-proxy-dual-stack-shared", "1.34.1", "1.34.4", "backends of its family", balancer("10.96.7.7", "10.244.1.9"), info},
		{"kube-proxy-dual-stack-shared", "1.34.1", "1.34.4", "IPv4 alone is served", dualStack(`10.96.7.7","clusterIPs":["10.96.7.7","fd00:10::7"],"x":"`, "10.96.7.7"), fail},
		{"kube-proxy-dual-stack-shared", "1.34.1", "1.34.4", "both are", dualStack(`10.96.7.7","clusterIPs":["10.96.7.7","fd00:10::7"],"x":"`, `10.96.7.7","fd00:10::7`), info},
		{"kube-proxy-dual-stack-shared", "1.34.1", "1.34.4", "neither is", dualStack(`10.96.7.7","clusterIPs":["10.96.7.7","fd00:10::7"],"x":"`, "10.96.0.1"), info},
		{"kube-proxy-endpoint-slices", "1.17.3", "1.17.5", "the gate is on", proxy("--feature-gates=EndpointSlice=true"), fail},
		{"kube-proxy-endpoint-slices", "1.17.3", "1.17.5", "the gate is off", proxy("--feature-gates=EndpointSlice=false"), info},
		// a line of every kube-proxy since 1.19
		{"kube-proxy-endpoint-slices", "1.17.3", "1.17.5", "the line of a gate that is on", proxy("--v=4") +
			"-- logs/kube-proxy/2.log --\nI1120 03:05:23.004420    4388 config.go:220] Starting endpoint slice config controller\n", info},
		{"antrea-gateway-mtu", "1.3.0", "1.5.0", "the gateway has more", adapters("1500", "1450"), fail},
		{"antrea-gateway-mtu", "1.3.0", "1.5.0", "the same", adapters("1450", "1450"), info},
		{"antrea-container-mtu-unset", "1.0.1", "1.1.0", "pods have more", adapters("1450", "1500"), warn},
		{"antrea-container-mtu-unset", "1.0.1", "1.1.0", "the same", adapters("1500", "1500"), info},
		{"rke2-hns-cleaned-at-restart", "1.30.3+rke2r1", "1.30.4+rke2r1", "RKE2 is younger than the pod", lostPod + restarted("2026-11-20T09:00:00Z"), fail},
		{"rke2-hns-cleaned-at-restart", "1.30.3+rke2r1", "1.30.4+rke2r1", "the pod is younger", lostPod + restarted("2026-11-20T07:00:00Z"), info},
		{"rke2-hns-cleaned-at-restart", "1.26.14+rke2r1", "1.28.13+rke2r1", "a pod that is older cannot end", stays("2026-11-20T08:00:00Z", hcnDelete) + restarted("2026-11-20T09:00:00Z"), fail},
		{"rke2-hns-cleaned-at-restart", "1.26.14+rke2r1", "1.28.13+rke2r1", "a pod that cannot end is younger", stays("2026-11-20T09:10:00Z", hcnDelete) + restarted("2026-11-20T09:00:00Z"), info},
		{"rke2-hns-cleaned-at-restart", "1.26.14+rke2r1", "1.28.13+rke2r1", "a pod does not end for another reason",
			stays("2026-11-20T08:00:00Z", "error killing pod: context deadline exceeded") + restarted("2026-11-20T09:00:00Z"), info},
		{"kubelet-metrics-memory-leak", "1.14.3", "1.14.4", "it holds most", largest(leaks), warn},
		{"kubelet-metrics-memory-leak", "1.14.3", "1.14.4", "another program holds more", largest(leaks + "," + database), info},
		{"kubelet-metrics-memory-leak", "1.14.3", "1.14.4", "it has grown a little", largest(strings.Replace(leaks, "10811160064", "811160064", 1)), info},
		{"wmco-mirror-path", "10.18.0", "10.18.1", "the path in front of /v2", pod(containers(""), pending) + pull("https://mirror.corp.example/ocp/v2/openshift/web/manifests/1.4?ns=quay.io"), fail},
		{"wmco-mirror-path", "10.18.0", "10.18.1", "the path behind it", pod(containers(""), pending) + pull("https://mirror.corp.example/v2/ocp/openshift/web/manifests/1.4?ns=quay.io"), info},
	} {
		t.Run(row.id+" "+row.name, func(t *testing.T) {
			for version, want := range map[string]checks.Status{row.affected: row.want, row.fixed: checks.StatusPass} {
				if got := judgeState(t, row.id, version, row.tree); got.Status != want {
					t.Errorf("with version %s it is %s, want %s (%s%s)", version, got.Status, want, got.Reason, got.Gap)
				}
			}
		})
	}
}

// judgeState judges a row on a node with that version, and that evidence beside, in which VERSION
// stands for it.
func judgeState(t *testing.T, id, version, tree string) checks.Result {
	t.Helper()
	rows := regressions.Rows()
	row := rows[slices.IndexFunc(rows, func(r regressions.Row) bool { return r.ID == id })]
	archive, own := txtar.Parse([]byte(nodeWith(row, version))), txtar.Parse([]byte(strings.ReplaceAll(tree, "VERSION", version)))
	archive.Files = append(slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
		return slices.ContainsFunc(own.Files, func(o txtar.File) bool { return o.Name == f.Name })
	}), own.Files...)
	return judgeTree(t, id, string(txtar.Format(archive)))
}
