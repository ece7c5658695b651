package regressions_test

import (
	"fmt"
	"strings"
	"testing"

	"doctor/checks"
)

// TestTheNodeShowsARow: what the node's own files, processes, ports and routes show, what is like it
// and shows nothing, and that the fixed version passes in any case. Sources: antrea issues 3636, 4466
// and 5852 and pull request 8251, kubernetes pull requests 100228 and 130305, kubernetes issue 104584,
// azuredisk-csi-driver pull request 3038 with the words of its nodeserver.go, csi-driver-smb issue 219
// with those of its nodeserver.go and of csi-proxy's pkg/os/smb/api.go, rke2 issue 5335 with those of
// its pkg/windows/utils.go, runner-images issue 11582, moby issue 48093, and the fixes that the rows
// link to.
func TestTheNodeShowsARow(t *testing.T) {
	const (
		info, fail, warn = checks.StatusInfo, checks.StatusFail, checks.StatusWarn

		up    = `{"running":{"startedAt":"2026-11-20T08:00:00Z"}}`
		young = `{"running":{"startedAt":"2026-11-20T09:59:00Z"}}`
		down  = `{"waiting":{"reason":"CrashLoopBackOff"}}`

		kubeletSince = "-- processes.json --\n[{\"pid\":7,\"name\":\"kubelet.exe\",\"startedAt\":\"2026-11-20T%s:00Z\"}]\n"
		apiServer    = `-- api/services.json --
{"items":[{"metadata":{"namespace":"default","name":"kubernetes"},"spec":{"type":"ClusterIP","clusterIP":"10.96.0.1","ports":[{"port":443}]}}]}
`
	)
	agent := func(state, more string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"antrea-agent-windows-x","namespace":"kube-system"},"spec":{"nodeName":"win-1",
"containers":[{"name":"antrea-agent","image":"antrea/antrea-windows:vVERSION"}` + more + `]},
"status":{"phase":"Running","containerStatuses":[{"name":"antrea-agent","state":` + state + `}]}}]}
`
	}
	overlay := func(service, pod, outside string) string {
		return apiServer + `-- hns-networks.json --
[{"ID":"N","Name":"flannel.4096","Type":"Overlay","SchemaVersion":{"Major":2}}]
-- files/C/etc/kube-flannel/net-conf.json --
{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan","Name":"flannel.4096"}}
-- probes/reach.json --
[{"from":"a/p","protocol":"tcp","target":"10.96.0.1:443","outcome":"` + service + `"},
{"from":"a/p","protocol":"tcp","target":"10.244.1.9:80","outcome":"` + pod + `"},
{"from":"a/p","protocol":"tcp","target":"mcr.microsoft.com:443","outcome":"` + outside + `"}]
`
	}
	const ovs = `,{"name":"antrea-ovs","image":"antrea/antrea-windows:vVERSION"}`
	routes := func(to ...string) string {
		list := `{"destination":"192.168.2.0/24","nextHop":"192.168.2.1","metric":50}`
		for _, prefix := range to {
			list += `,{"destination":"` + prefix + `","nextHop":"169.254.0.253","metric":50}`
		}
		return "-- routes.json --\n[" + list + "]\n"
	}
	cards := func(mac string) string {
		return `-- adapters.json --
[{"name":"Ethernet","mac":"06-05-9D-C4-A4-11","addresses":["10.0.0.24/24"],"gateways":["10.0.0.1"]},
{"name":"vEthernet (Ethernet)","mac":"` + mac + `","addresses":[],"gateways":[]}]
`
	}
	service := func(state string) string {
		return `-- services.json --
[{"name":"ovsdb-server","state":"` + state + `","binPath":"C:\\openvswitch\\usr\\sbin\\ovsdb-server.exe"}]
`
	}
	listens := func(address, process string) string {
		return `-- ports.json --
{"listeners":[{"protocol":"tcp","address":"` + address + `","port":6640,"process":"` + process + `"}]}
`
	}
	calico := func(status, err string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"NetworkUnavailable","status":"` + status + `","reason":"CalicoIsDown"}],"nodeInfo":{"kernelVersion":"10.0.20348.2700"}}}
-- logs/calico-node/node.log --
2026-11-20 09:16:16.341 [ERROR][4388] startup/startup.go 232: Unable to set NetworkUnavailable to False error=timed out patching node, last error was: ` + err + "\n"
	}
	balancer := func(vips, port string) string {
		return `-- api/services.json --
{"items":[{"metadata":{"namespace":"shop","name":"web"},"spec":{"type":"LoadBalancer","clusterIP":"10.96.7.7","ports":[{"port":80,"nodePort":31416}]},
"status":{"loadBalancer":{"ingress":[{"hostname":"a1b2.elb.example"}]}}}]}
-- hns-loadbalancers.json --
[{"ID":"L","FrontendVIPs":[` + vips + `],"HostComputeEndpoints":["e1"],"PortMappings":[{"Protocol":6,"InternalPort":80,"ExternalPort":` + port + `}],"SchemaVersion":{"Major":2}}]
`
	}
	nodePort := func(port string, rules ...string) string {
		list := ""
		for i, vips := range rules {
			list += fmt.Sprintf(`,{"ID":"L%d","FrontendVIPs":[%s],"HostComputeEndpoints":["e1"],"PortMappings":[{"Protocol":6,"InternalPort":80,"ExternalPort":%s}],"SchemaVersion":{"Major":2}}`, i, vips, port)
		}
		return `-- api/services.json --
{"items":[{"metadata":{"namespace":"shop","name":"web"},"spec":{"type":"NodePort","clusterIP":"10.96.7.7","ports":[{"port":` + port + `,"targetPort":80,"nodePort":31416}]}}]}
-- hns-loadbalancers.json --
[{"ID":"L","FrontendVIPs":["10.96.0.1"],"HostComputeEndpoints":["e1"],"PortMappings":[{"Protocol":6,"InternalPort":443,"ExternalPort":443}],"SchemaVersion":{"Major":2}}` + list + "]\n"
	}
	targetPort := func(port string) string {
		return `-- api/services.json --
{"items":[{"metadata":{"namespace":"shop","name":"web"},"spec":{"clusterIP":"10.96.7.7","ports":[{"port":80,"targetPort":` + port + `}]}}]}
`
	}
	withSlice := func(services string) string {
		return services + `-- api/endpointslices.json --
{"items":[{"metadata":{"namespace":"shop","labels":{"kubernetes.io/service-name":"web"}},"endpoints":[
{"addresses":["10.244.1.9"],"nodeName":"win-1","conditions":{"ready":true}}],"ports":[{"port":8080,"protocol":"TCP"}]}]}
-- hns-endpoints.json --
[{"ID":"e1","IpConfigurations":[{"IpAddress":"10.244.1.9","PrefixLength":24}],"SchemaVersion":{"Major":2}}]
-- hns-loadbalancers.json --
[{"ID":"L","FrontendVIPs":["10.96.0.1"],"HostComputeEndpoints":["e1"],"PortMappings":[{"Protocol":6,"InternalPort":443,"ExternalPort":443}],"SchemaVersion":{"Major":2}}]
`
	}
	const refused = `-- logs/kube-proxy/1.log --
E1107 18:16:59.424231    4036 proxier.go:1034] Policy creation failed: hnsCall failed in Win32: The provided policy configuration is invalid or missing parameters. (0x803b000d)
`
	probe := func(outcome string) string {
		return `-- os.json --
{"build":18363,"ubr":1000}
-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"addresses":[{"type":"InternalIP","address":"10.0.0.10"}],"nodeInfo":{"kubeletVersion":"vVERSION","kernelVersion":"10.0.18363.1000"}}}
-- api/services.json --
{"items":[{"metadata":{"namespace":"shop","name":"web"},"spec":{"type":"NodePort","clusterIP":"10.96.7.7","ports":[{"port":80,"nodePort":30080}]}}]}
-- probes/reach.json --
[{"from":"node","target":"10.0.0.10:30080","protocol":"tcp","outcome":"` + outcome + `"}]
`
	}
	reported := func(at, renewed string) string {
		return `-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"2026-11-20T` + at + `:00Z"}],
"nodeInfo":{"kubeletVersion":"vVERSION","kernelVersion":"10.0.20348.4405"}}}
-- api/lease.json --
{"metadata":{"name":"win-1"},"spec":{"renewTime":"2026-11-20T` + renewed + `:55.000000Z"}}
`
	}
	starts := func(image string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"shop"},"spec":{"nodeName":"win-1","containers":[{"name":"web","image":"` + image + `"}]},
"status":{"phase":"Pending","containerStatuses":[{"name":"web","state":{"waiting":{"reason":"RunContainerError","message":"container web encountered an error during hcs::System::Start: failure in a Windows system call: The virtual machine or container exited unexpectedly. (0xc0370106)."}}}]}}]}
`
	}
	file := func(path, more string) string {
		return "-- files.json --\n" + `[{"path":"` + strings.ReplaceAll(path, `\`, `\\`) + `","outcome":"copied",` + more + "}]\n"
	}
	temp := func(build, folder string) string {
		return `-- os.json --
{"build":` + build + `}
-- api/node.json --
{"metadata":{"name":"win-1"},"status":{"nodeInfo":{"containerRuntimeVersion":"containerd://VERSION","kernelVersion":"10.0.` + build + `.100"}}}
-- files/C/Program Files/containerd/config.toml --
version = 3
temp = '` + folder + `'
`
	}
	daemon := func(root string) string {
		return "-- files/C/ProgramData/docker/config/daemon.json --\n{\"data-root\": \"" + root + "\"}\n"
	}
	// Azure/secrets-store-csi-driver-provider-azure issue 2029
	keyVault := func(status, probe string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"azure","namespace":"kube-system"},"spec":{"nodeName":"win-1","containers":[{"name":"azure","image":"example/secrets-store/provider-azure:vVERSION"}]},
"status":{"phase":"Running","containerStatuses":[{"name":"azure","restartCount":31,"state":` + status + `}]}}]}
-- api/events.json --
{"items":[{"reason":"Unhealthy","type":"Warning","lastTimestamp":"2026-11-20T09:50:00Z","involvedObject":{"kind":"Pod","namespace":"kube-system","name":"azure"},
"message":"Liveness probe failed: ` + probe + `"}]}
`
	}
	// kubernetes issue 104584: the kubelet does not know a driver whose pod runs
	driver := func(image, name, registrar string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"shop"},"spec":{"nodeName":"win-1","containers":[{"name":"web"}]},"status":{"phase":"Pending","containerStatuses":[{"name":"web","state":{"waiting":{"reason":"ContainerCreating"}}}]}},
{"metadata":{"name":"driver","namespace":"kube-system"},"spec":{"nodeName":"win-1","containers":[{"name":"driver","image":"example/` + image + `:vVERSION"},
{"name":"node-driver-registrar","image":"example/csi-node-driver-registrar:` + registrar + `","args":["--kubelet-registration-path=C:\\var\\lib\\kubelet\\plugins\\` + name + `\\csi.sock"]}]},
"status":{"phase":"Running","containerStatuses":[{"name":"driver","ready":true,"state":` + up + `}]}}]}
-- api/events.json --
{"items":[{"reason":"FailedMount","type":"Warning","lastTimestamp":"2026-11-20T09:50:00Z","involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},
"message":"MountVolume.MountDevice failed for volume \"pvc-1\" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name ` + name + ` not found in the list of registered CSI drivers"}]}
`
	}
	share := func(source, state, fields string) string {
		return `-- api/pods.json --
{"items":[{"metadata":{"name":"web","namespace":"shop"},"spec":{"nodeName":"win-1","containers":[{"name":"web"}]},"status":{"phase":"Running","containerStatuses":[{"name":"web","state":` + state + `}]}},
{"metadata":{"name":"csi-proxy"},"spec":{"nodeName":"win-1","containers":[{"name":"p","image":"example/csi-proxy:vVERSION"}]}}]}
-- api/events.json --
{"items":[{"reason":"FailedMount","type":"Warning",` + fields + `:"MountVolume.MountDevice failed for volume \"pv-smb\" : rpc error: code = Internal desc = volume(vol) mount \"` + source +
			`\" on \"\\\\var\\\\lib\\\\kubelet\\\\plugins\\\\kubernetes.io\\\\csi\\\\pv\\\\pv-smb\\\\globalmount\" failed with smb mapping failed with error: rpc error: code = Unknown desc = NewSmbGlobalMapping failed. output: \"New-SmbGlobalMapping : Multiple connections to a server or shared resource by the same user, using more than one user name, are not allowed. Disconnect all \\r\\nprevious connections to the server or shared resource and try again."}]}
`
	}
	stages := func(disk string) string {
		return "-- logs/csi-driver/azuredisk.log --\n" + `I0419 14:02:49.553069     752 nodeserver.go:164] NodeStageVolume: formatting ` + disk +
			` and mounting at \var\lib\kubelet\plugins\kubernetes.io\csi\disk.csi.azure.com\a63e2d3886284cfbdb45cce97cb66a469f363a5574afdefac52747fc5ca18b42\globalmount with mount options([])` + "\n"
	}
	const (
		core    = `"lastTimestamp":"2026-11-20T09:50:00Z","involvedObject":{"kind":"Pod","namespace":"shop","name":"web"},"message"`
		newer   = `"eventTime":"2026-11-20T09:50:00.000000Z","regarding":{"kind":"Pod","namespace":"shop","name":"web"},"note"`
		waiting = `{"waiting":{"reason":"ContainerCreating"}}`
	)
	rke2 := func(address, networks string) string {
		return `-- events.json --
[{"log":"Application","provider":"rke2","id":1,"level":"error","time":"2026-11-20T09:50:00Z","message":"no interface has the ip: 10.10.1.9"}]
-- adapters.json --
[{"name":"Ethernet","addresses":["` + address + `/24"],"gateways":["10.10.1.1"]}]
-- hns-networks.json --
[` + networks + `]
`
	}
	const nat, external = `{"ID":"N","Name":"nat","Type":"NAT","SchemaVersion":{"Major":2}}`,
		`{"ID":"E","Name":"External","Type":"Overlay","SchemaVersion":{"Major":2}}`
	since := func(hour string) string { return fmt.Sprintf(kubeletSince, hour) }
	sessions := func(n int) string {
		return "-- processes.json --\n[" + strings.TrimSuffix(strings.Repeat(`{"pid":9,"name":"sshd.exe"},`, n), ",") + "]\n"
	}
	cni := func(at string) string {
		return file(`C:\k\cni\config\cni.conf`, `"modifiedAt":"2026-11-20T`+at+`:00Z"`)
	}
	log := func(bytes string) string {
		return file(`C:\ProgramData\containerd\root\panic.log`, `"bytes":`+bytes)
	}
	for _, row := range []struct {
		id, affected, fixed, name, tree string
		want                            checks.Status
	}{
		{"antrea-service-routes-deleted", "1.9.0", "1.9.1", "no route to the API server", agent(up, "") + apiServer + routes("169.254.0.252/32", "10.96.0.10/32"), fail},
		{"antrea-service-routes-deleted", "1.9.0", "1.9.1", "all routes", agent(up, "") + apiServer + routes("169.254.0.252/32", "10.96.0.1/32"), info},
		{"antrea-service-routes-deleted", "1.9.0", "1.9.1", "without proxyAll", agent(up, "") + apiServer + routes(), info},
		{"antrea-service-routes-deleted", "1.9.0", "1.9.1", "the agent has just started", agent(young, "") + apiServer + routes("169.254.0.252/32"), info},
		{"antrea-adapter-not-found", "1.6.0", "1.7.0", "the name is taken", agent(down, "") + cards("00-15-5D-24-6D-AE"), fail},
		{"antrea-adapter-not-found", "1.6.0", "1.7.0", "that of its network", agent(down, "") + cards("06-05-9D-C4-A4-11"), info},
		{"antrea-adapter-not-found", "1.6.0", "1.7.0", "the agent runs", agent(up, "") + cards("00-15-5D-24-6D-AE"), info},
		{"antrea-clean-script-path", "1.14.1", "1.14.2", "a service beside the container", agent(up, ovs) + service("stopped"), warn},
		{"antrea-clean-script-path", "1.14.1", "1.14.2", "no container of OVS", agent(up, "") + service("stopped"), info},
		{"antrea-clean-script-path", "1.14.1", "1.14.2", "it runs", agent(up, ovs) + service("running"), info},
		{"antrea-ovsdb-listens", "2.5.1", "2.5.3", "on all addresses", agent(up, "") + listens("0.0.0.0", "ovsdb-server.exe"), warn},
		{"antrea-ovsdb-listens", "2.5.1", "2.5.3", "on the loopback address", agent(up, "") + listens("127.0.0.1", "ovsdb-server.exe"), info},
		{"antrea-ovsdb-listens", "2.5.1", "2.5.3", "another program", agent(up, "") + listens("0.0.0.0", "app.exe"), info},
		{"windows-2025-overlay", "26100.4652", "26100.6899", "Services and pods of other nodes are silent", overlay("timeout", "timeout", "ok"), warn},
		{"windows-2025-overlay", "26100.4652", "26100.6899", "Services answer", overlay("ok", "timeout", "ok"), info},
		{"windows-2025-overlay", "26100.4652", "26100.6899", "nothing answers pods", overlay("timeout", "timeout", "timeout"), info},
		{"windows-2025-images-of-may", "26100.2894", "26100.4061", "the newest image", starts("mcr.microsoft.com/windows/servercore:ltsc2025"), fail},
		{"windows-2025-images-of-may", "26100.2894", "26100.4061", "an image of that build", starts("mcr.microsoft.com/windows/servercore:10.0.26100.4061"), fail},
		{"windows-2025-images-of-may", "26100.2894", "26100.4061", "a later one, for one processor", starts("mcr.microsoft.com/windows/servercore:10.0.26100.32230-amd64"), fail},
		{"windows-2025-images-of-may", "26100.2894", "26100.4061", "an image that stays", starts("mcr.microsoft.com/windows/servercore:10.0.26100.2894"), info},
		{"kube-proxy-local-process", "1.20.5", "1.20.6", "a rule for the port of the Service", balancer("", "80"), warn},
		{"kube-proxy-local-process", "1.20.5", "1.20.6", "the rule of its NodePort", balancer("", "31416"), info},
		{"kube-proxy-local-process", "1.20.5", "1.20.6", "the rule of its address", balancer(`"10.96.7.7"`, "80"), info},
		{"kube-proxy-node-port-equals-port", "1.14.5", "1.14.6", "a rule for the cluster IP alone", nodePort("31416", `"10.96.7.7"`), fail},
		{"kube-proxy-node-port-equals-port", "1.15.2", "1.15.3", "the same in 1.15", nodePort("31416", `"10.96.7.7"`), fail},
		{"kube-proxy-node-port-equals-port", "1.14.5", "1.14.6", "and one for the node", nodePort("31416", `"10.96.7.7"`, ""), info},
		{"kube-proxy-node-port-equals-port", "1.14.5", "1.14.6", "and one for an address of the node", nodePort("31416", `"10.96.7.7"`, `"10.0.0.4"`), info},
		{"kube-proxy-node-port-equals-port", "1.14.5", "1.14.6", "another port", nodePort("80", `"10.96.7.7"`), info},
		{"kube-proxy-node-port-equals-port", "1.14.5", "1.14.6", "kube-proxy has made no rules yet", nodePort("31416"), info},
		{"kube-proxy-named-target-port", "1.12.10", "1.13.0", "HNS refuses a load balancer", targetPort(`"http"`) + refused, fail},
		{"kube-proxy-named-target-port", "1.12.10", "1.13.0", "HNS refuses one, and none names its port", targetPort("80") + refused, info},
		{"kube-proxy-named-target-port", "1.12.10", "1.13.0", "HNS has no load balancer", withSlice(targetPort(`"http"`)), fail},
		{"kube-proxy-named-target-port", "1.12.10", "1.13.0", "HNS has none of another Service", withSlice(targetPort("80")), info},
		{"kube-proxy-named-target-port", "1.12.10", "1.13.0", "HNS refuses none", targetPort(`"http"`), info},
		{"kube-proxy-named-target-port", "1.12.10", "1.13.0", "HNS refuses an endpoint of a pod", targetPort(`"http"`) +
			strings.Replace(refused, "Policy creation failed", "calico: hcnCreateEndpoint failed", 1), info},
		{"calico-network-unavailable-kept", "3.25.2", "3.29.0", "the API server did not answer", calico("True", "context deadline exceeded"), fail},
		{"calico-network-unavailable-kept", "3.25.2", "3.29.0", "another start cleared it", calico("False", "context deadline exceeded"), info},
		{"calico-network-unavailable-kept", "3.25.2", "3.29.0", "it has another name", calico("True", `nodes "WIN-1" not found`), info},
		{"kube-proxy-own-node-port", "1.16.0", "1.16.2", "it does not answer", probe("timeout"), warn},
		{"kube-proxy-own-node-port", "1.16.0", "1.16.2", "it answers", probe("ok"), info},
		{"kubelet-status-after-restart", "1.32.1", "1.32.3", "a status from before the start", since("09:00") + reported("08:58", "09:59"), warn},
		{"kubelet-status-after-restart", "1.32.1", "1.32.3", "a status from after it", since("09:00") + reported("09:01", "09:59"), info},
		{"kubelet-status-after-restart", "1.32.1", "1.32.3", "a kubelet that does not reach the API server", since("09:00") + reported("08:58", "08:59"), info},
		{"kubelet-status-after-restart", "1.32.1", "1.32.3", "it has just started", since("09:57") + reported("09:55", "09:59"), info},
		{"containerd-shim-logs-in-panic-log", "1.6.4", "1.6.7", "200 MB", log("209715200"), warn},
		{"containerd-shim-logs-in-panic-log", "1.6.4", "1.6.7", "200 kB", log("204800"), info},
		{"containerd-shim-logs-in-panic-log", "1.5.8", "1.6.7", "2.7 GB, containerd 6990", log("2895196160"), warn},
		{"containerd-temp-ignored", "2.3.1", "2.3.3", "another drive", temp("20348", `D:\containerd\tmp`), warn},
		{"containerd-temp-ignored", "2.3.1", "2.3.3", "the system drive", temp("20348", `C:\containerd\tmp`), info},
		{"containerd-temp-ignored", "2.3.1", "2.3.3", "a Windows without SystemTemp", temp("17763", `D:\containerd\tmp`), info},
		{"docker-temp-ignored", "29.1.0", "29.4.0", "another drive", daemon(`D:\\docker`), warn},
		{"docker-temp-ignored", "29.1.0", "29.4.0", "the system drive", daemon(`C:\\docker`), info},
		{"azure-disk-registration", "1.5.1", "1.6.0", "it is not registered", driver("azuredisk-csi", "disk.csi.azure.com", "v2.2.0"), fail},
		{"azure-disk-registration", "1.5.1", "1.6.0", "another driver", driver("azuredisk-csi", "file.csi.azure.com", "v2.2.0"), info},
		{"azure-disk-wrong-number", "1.31.5", "1.31.8", "the disk of Windows", stages("0"), fail},
		{"azure-disk-wrong-number", "1.31.5", "1.31.8", "a data disk", stages("2"), info},
		{"azure-file-registration", "1.5.0", "1.6.0", "it is not registered", driver("azurefile-csi", "file.csi.azure.com", "v2.2.0"), fail},
		{"azure-file-registration", "1.5.0", "1.6.0", "its driver is not ready", strings.Replace(driver("azurefile-csi", "file.csi.azure.com", "v2.2.0"), `"ready":true`, `"ready":false`, 1), info},
		{"smb-registration", "1.2.0", "1.3.0", "it is not registered", driver("smbplugin", "smb.csi.k8s.io", "v2.2.0"), fail},
		{"smb-registration", "1.2.0", "1.3.0", "its driver is not ready", strings.Replace(driver("smbplugin", "smb.csi.k8s.io", "v2.2.0"), `"ready":true`, `"ready":false`, 1), info},
		{"keyvault-provider-health-check", "1.8.1", "1.8.2", "it is not healthy", keyVault(down, "HTTP probe failed with statuscode: 503"), fail},
		{"keyvault-provider-health-check", "1.8.1", "1.8.2", "it does not answer", keyVault(down, "context deadline exceeded"), info},
		{"keyvault-provider-health-check", "1.8.1", "1.8.2", "it runs", keyVault(up, "HTTP probe failed with statuscode: 503"), info},
		{"csi-proxy-share-twice", "1.1.1", "1.1.2", "a folder of the share", share("//20.0.0.56/share/test", waiting, core), fail},
		{"csi-proxy-share-twice", "1.1.1", "1.1.2", "with backslashes, in the newer form", share(`\\\\\\\\20.0.0.56\\\\share\\\\test`, waiting, newer), fail},
		{"csi-proxy-share-twice", "1.1.1", "1.1.2", "the share itself", share("//20.0.0.56/share", waiting, core), info},
		{"csi-proxy-share-twice", "1.1.1", "1.1.2", "the pod runs now", share("//20.0.0.56/share/test", up, core), info},
		{"rke2-hns-delete-race", "1.28.6", "1.28.7", "the address came back", rke2("10.10.1.9", nat), fail},
		{"rke2-hns-delete-race", "1.28.6", "1.28.7", "no adapter has it", rke2("10.10.1.10", nat), info},
		{"rke2-hns-delete-race", "1.28.6", "1.28.7", "the next start succeeded", rke2("10.10.1.9", nat+","+external), info},
		{"wmco-cni-config-rewritten", "9.0.0", "9.0.1", "two minutes ago", since("07:00") + cni("09:58"), warn},
		{"wmco-cni-config-rewritten", "9.0.0", "9.0.1", "when the node was set up", since("07:00") + cni("07:00"), info},
		{"wmco-cni-config-rewritten", "9.0.0", "9.0.1", "a new node", since("09:57") + cni("09:58"), info},
		{"wmco-ssh-leak", "10.19.0", "10.19.1", "sixty connections", sessions(121), warn},
		{"wmco-ssh-leak", "10.19.0", "10.19.1", "two", sessions(5), info},
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
