package symptom

var networkSymptoms = []Symptom{
	{
		ID: "pod-network-not-created", Question: "The pod network does not come up: flanneld waits, or finds no adapter", FAQ: []int{8, 9, 11},
		Shows: []string{"hns-network-missing", "flannel-waiting-for-network"},
		Checks: []string{"flannel-waiting-for-network", "hns-network-missing", "podcidr-not-assigned", "flannel-subnet-env-missing",
			"subnet-env-stale", "flanneld-not-running", "flannel-interface-not-found", "adapter-not-found", "vethernet-missing",
			"flannel-vxlan-config-invalid", "cni-network-not-found", "kubeproxy-network-name-unset-or-missing", "hns-element-not-found",
			"network-already-exists", "hns-parameter-incorrect", "bridge-endpoint-stale", "static-ip-lost-on-vswitch-creation",
			"hns-wrong-diskette", "calico-vswitch-interface-timeout", "rke2-calico-race", "rke2-flanneld-exit", "overlay-update-missing",
			"win-defaults-path-copy-denied", "antrea-ovs-problem", "ovs-network-missing", "transparent-network-missing", "vxlan-4789-conflict"},
		Next: []Step{
			{"see what HNS holds now", []string{"Get-HnsNetwork | Format-List Name, Type, Subnets", "Get-NetAdapter"}, ""},
			{"read the end of flanneld's (or Calico's) log", []string{`Get-Content C:\k\flanneld.log -Tail 50`}, ""},
			{"when the node is drained, take the network away and let the CNI make it again", []string{"Get-HnsNetwork | Where-Object Name -ne nat | Remove-HnsNetwork", "Restart-Service flanneld"}, "drops the network of every pod on this node, and for a moment the node's own"},
		},
	},
	{
		ID: "pods-no-network", Question: "Pods have no network at all", FAQ: []int{3},
		Checks: []string{"nat-cni-conf-shadows-cni", "windows-update-kb5040437-networking", "hns-network-missing",
			"hns-service-crashed-or-restarted", "vm-mac-spoofing-disabled", "dockerd-removes-foreign-endpoints", "cni-subnet-mismatch",
			"forwarding-disabled-flannel-hostgw", "overlay-update-missing", "acl-or-networkpolicy-blocks", "host-gw-cloud-udr-missing",
			"l2bridge-unstable-21h2", "static-ip-lost-on-vswitch-creation", "route-policy-missing"},
		Next: []Step{
			{"ask the hypervisor: MAC address spoofing (Hyper-V), forged transmits and promiscuous mode (VMware) must be allowed for this machine", nil, ""},
			{"see what address the pod has, and whether it reaches its gateway", []string{"kubectl exec POD -- ipconfig /all", "kubectl get pods -o wide --field-selector spec.nodeName={node}"}, ""},
			{"measure from inside the pod", []string{"doctor --from-pod NAMESPACE/POD"}, ""},
		},
	},
	{
		ID: "external-unreachable", Question: "Pods cannot reach external addresses",
		Checks: []string{"outboundnat-exception-too-broad", "icmp-external-not-snated", "acl-or-networkpolicy-blocks",
			"windows-update-kb5040437-networking", "nat-cni-conf-shadows-cni", "cni-config-invalid", "mtu-mismatch",
			"forwarding-disabled-flannel-hostgw", "vm-mac-spoofing-disabled", "host-gw-cloud-udr-missing", "metadata-route-lost",
			"proxy-not-configured", "cni-nameserver-mismatch", "cluster-dns-unreachable", "l2bridge-unstable-21h2"},
		Next: []Step{
			{"try TCP instead of ping, by address instead of by name: that parts routing from DNS", []string{"kubectl exec POD -- curl.exe -sv --max-time 5 http://ADDRESS/"}, ""},
			{"try the same from the node: if it fails there too, the pod network is not to blame", []string{"Test-NetConnection ADDRESS -Port 443"}, ""},
		},
	},
	{
		ID: "ping-fails", Question: "Pings fail, but does TCP?", FAQ: []int{4},
		Shows: []string{"icmp-external-not-snated"},
		Checks: []string{"icmp-external-not-snated", "outboundnat-exception-missing", "outboundnat-exception-too-broad", "cni-config-invalid",
			"acl-or-networkpolicy-blocks", "node-cannot-use-cluster-ip"},
		Next: []Step{
			{"try TCP: Windows translates the addresses of TCP and UDP, and not those of pings", []string{"kubectl exec POD -- curl.exe -sv --max-time 5 http://ADDRESS/"}, ""},
		},
	},
	{
		ID: "other-nodes-unreachable", Question: "Pods cannot reach pods of other nodes",
		Checks: []string{"route-missing-host-gw", "outboundnat-exception-missing", "forwarding-disabled-flannel-hostgw",
			"vxlan-return-path-missing", "vxlan-4789-conflict", "flannel-vxlan-config-invalid", "flannel-vxlan-node-to-pod",
			"host-gw-cloud-udr-missing", "vm-mac-spoofing-disabled", "mtu-mismatch", "local-and-remote-endpoint-same-ip",
			"overlay-update-missing", "acl-or-networkpolicy-blocks", "cni-subnet-mismatch", "subnet-env-stale",
			"windows-update-kb5040437-networking", "dual-stack-unsupported", "l2bridge-unstable-21h2", "firewall-blocks-10250"},
		Next: []Step{
			{"try both directions, and a Linux node and a Windows node each: one way only points to a route or to the overlay's table", []string{"kubectl get pods -A -o wide"}, ""},
			{"see what leaves the node", []string{"pktmon start --capture --comp nics", "pktmon stop"}, "writes a capture of up to 512 MB to the current folder"},
		},
	},
	{
		ID: "services-unreachable", Question: "Service IPs or NodePorts do not answer", FAQ: []int{5, 10},
		Checks: []string{"kube-proxy-not-running", "node-cannot-use-cluster-ip", "nodeport-local-access", "nodeport-zero-local-pods",
			"hns-lb-missing-or-stale", "source-vip-invalid", "source-vip-json-corrupt", "kubeproxy-network-name-unset-or-missing",
			"kube-proxy-flags-overlay", "hostname-override-mismatch", "kubeproxy-no-host-mac", "kubeproxy-overlay-dsr-gates",
			"dsr-unsupported-build", "lb-port-exhaustion", "lb-port-collision-10256", "eks-kube-proxy-rbac-group",
			"calico-placeholder-service-cidr", "route-policy-missing", "outboundnat-exception-missing",
			"local-and-remote-endpoint-same-ip", "windows-server-2019-decap-in-regression", "session-affinity-timeout",
			"service-switch-missing", "routing-service-off", "dual-stack-unsupported", "acl-or-networkpolicy-blocks", "wsaeacces-excluded-port"},
		Next: []Step{
			{"see whether the Service has endpoints that are ready", []string{"kubectl get endpointslices -l kubernetes.io/service-name=SERVICE -n NAMESPACE"}, ""},
			{"try from inside a pod: from the node's own console a Service address proves nothing on Windows", []string{"kubectl exec POD -- curl.exe -sv --max-time 5 http://SERVICE-IP:PORT/"}, ""},
			{"see whether HNS has the Service", []string{"hnsdiag list loadbalancers", "Get-HnsPolicyList"}, ""},
		},
	},
	{
		ID: "dns-fails", Question: "DNS does not work", FAQ: []int{13},
		Shows: []string{"cluster-dns-unreachable"},
		Checks: []string{"cluster-dns-unreachable", "dns-pqdn-with-dots", "cni-nameserver-mismatch", "hns-lb-missing-or-stale",
			"dns-over-udp-lost", "dns-servers-disagree", "mtu-mismatch", "kube-proxy-not-running", "source-vip-invalid",
			"outboundnat-exception-missing", "outboundnat-exception-too-broad", "acl-or-networkpolicy-blocks", "portproxy-dns-udp",
			"windows-server-2019-decap-in-regression"},
		Next: []Step{
			{"ask with the whole name and a dot at its end: it is asked as it stands", []string{"kubectl exec POD -- nslookup kubernetes.default.svc.cluster.local."}, ""},
			{"see whether CoreDNS is well, and answers from Linux", []string{"kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide"}, ""},
			{"Resolve-DnsName and nslookup differ on Windows: see what the program itself asks", []string{"kubectl exec POD -- powershell Resolve-DnsName kubernetes.default.svc.cluster.local"}, ""},
		},
	},
	{
		ID: "network-went-away", Question: "The network went away after some time, or after the node rejoined", FAQ: []int{6, 7},
		Checks: []string{"hostname-override-mismatch", "node-name-case-mismatch", "subnet-env-stale", "source-vip-invalid", "source-vip-json-corrupt",
			"cni-subnet-mismatch", "hns-service-crashed-or-restarted", "dockerd-removes-foreign-endpoints", "bridge-endpoint-stale",
			"hns-wrong-diskette", "flanneld-not-running", "rke2-flanneld-exit", "felix-hcsshim-panic", "metadata-route-lost",
			"local-and-remote-endpoint-same-ip", "hns-lb-missing-or-stale", "lb-port-exhaustion", "l2bridge-unstable-21h2",
			"windows-update-kb5040437-networking", "windows-server-2019-decap-in-regression", "cert-expired-or-clock-skew", "ipam-range-exhausted"},
		Next: []Step{
			{"see in the timeline what happened just before (t on this screen)", nil, ""},
			{"after a node has left and joined again, its old networks and files must go first", []string{"Get-HnsNetwork | Where-Object Name -ne nat | Remove-HnsNetwork", `Remove-Item C:\k\sourceVip.json, C:\run\flannel\subnet.env -ErrorAction SilentlyContinue`}, "drops the network of every pod on this node, and for a moment the node's own"},
		},
	},
}

var useSymptoms = []Symptom{
	{
		ID: "port-forward-fails", Question: "kubectl port-forward fails", FAQ: []int{14},
		Shows:  []string{"wincat-not-found"},
		Checks: []string{"wincat-not-found", "firewall-blocks-10250", "kubelet-not-running", "pause-os-version-mismatch", "proxy-no-proxy-missing"},
		Next: []Step{
			{"see whether the pod listens on that port at all", []string{"kubectl exec POD -- netstat -an"}, ""},
			{"see whether the API server reaches the kubelet", []string{"kubectl get --raw /api/v1/nodes/{node}/proxy/healthz"}, ""},
		},
	},
	{
		ID: "logs-exec-fail", Question: "kubectl logs or exec fails",
		Checks: []string{"firewall-blocks-10250", "kubelet-not-running", "cert-expired-or-clock-skew", "time-service-not-running",
			"wsaeacces-excluded-port", "container-invalid-state", "node-name-case-mismatch", "proxy-no-proxy-missing", "node-not-ready-lost",
			"flannel-vxlan-node-to-pod"},
		Next: []Step{
			{"see whether the API server reaches the kubelet", []string{"kubectl get --raw /api/v1/nodes/{node}/proxy/healthz"}, ""},
			{"exec needs a program that the image has: cmd in nanoserver, powershell in servercore", []string{"kubectl exec -it POD -- cmd"}, ""},
		},
	},
	{
		ID: "volumes-do-not-mount", Question: "Volumes do not mount",
		Shows: []string{"smb-global-mapping-failed", "mount-path-invalid", "csi-proxy-missing"},
		Checks: []string{"csi-proxy-missing", "smb-global-mapping-failed", "mount-path-invalid", "pod-subpath", "flexvolume-in-use",
			"hostprocess-unsupported", "hostprocess-logon-denied", "gmsa-containerd-share", "disk-pressure-snapshot-leak"},
		Next: []Step{
			{"read the FailedMount events of the pod, and the state of its claim", []string{"kubectl describe pod POD", "kubectl get pvc -n NAMESPACE"}, ""},
			{"see whether the driver runs on this node", []string{"kubectl get csinode {node} -o yaml", "kubectl get pods -A -o wide --field-selector spec.nodeName={node}"}, ""},
			{"map an SMB share by hand on the node", []string{`New-SmbGlobalMapping -RemotePath \\SERVER\SHARE -Credential (Get-Credential)`}, "the mapping stays: Remove-SmbGlobalMapping takes it away"},
		},
	},
	{
		ID: "gmsa-fails", Question: "gMSA or Active Directory does not work in pods",
		Shows: []string{"gmsa-not-working"},
		Checks: []string{"gmsa-not-working", "gmsa-containerd-share", "time-service-not-running", "cert-expired-or-clock-skew",
			"cni-nameserver-mismatch", "cluster-dns-unreachable"},
		Next: []Step{
			{"see whether the node may use the account, and the pod finds a domain controller", []string{"Test-ADServiceAccount ACCOUNT", "kubectl exec POD -- nltest /sc_verify:DOMAIN"}, ""},
			{"see that the pod names the credential spec, and that its service account may use it", []string{"kubectl get gmsacredentialspec", "kubectl get pod POD -o jsonpath='{.spec.securityContext.windowsOptions}'"}, ""},
		},
	},
}
