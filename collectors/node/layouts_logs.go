package node

// componentLogs are what a component calls its logs, wherever these lie.
type componentLogs struct {
	component string
	names     []string // patterns, in lower case; every log where there is none
}

var (
	kubeletLogs    = componentLogs{"kubelet", []string{"kubelet*"}}
	kubeProxyLogs  = componentLogs{"kube-proxy", []string{"kube-proxy*", "kubeproxy*"}}
	containerdLogs = componentLogs{"containerd", []string{"containerd*"}}
	csiProxyLogs   = componentLogs{"csi-proxy", []string{"csi-proxy*", "csiproxy*"}}
	calicoLogs     = componentLogs{"calico-node", []string{"calico*", "felix*", "confd*"}}
	cniLogs        = componentLogs{"cni", []string{"*cni*", "azure-vnet*", "vpc*", "*ipam*"}}
)

// logFolders are searched in order. A file belongs to the first component that fits.
var logFolders = []struct {
	path string
	logs []componentLogs
}{
	// start.ps1 and AKS.
	{`C:\k`, []componentLogs{kubeletLogs, kubeProxyLogs, containerdLogs,
		{"flanneld", []string{"start*", "flannel*"}}, cniLogs, csiProxyLogs, calicoLogs,
		{"docker", []string{"docker*"}},
		{"hosts-config-agent", []string{"hosts-config-agent*", "hostsconfigagent*"}},
		{"windows-exporter", []string{"*windows-exporter*", "*windows_exporter*"}},
		{"hnsremediator", []string{"hnsremediator*"}}, {"other", nil}}},
	{`C:\AzureData`, []componentLogs{{"azure", nil}}},
	{`C:\WindowsAzure\Logs`, []componentLogs{{"azure", nil}}},
	// kubeadm and OpenShift.
	{`C:\var\log\kubelet`, []componentLogs{{"kubelet", nil}}},
	{`C:\var\log\kube-proxy`, []componentLogs{{"kube-proxy", nil}}},
	{`C:\var\log\containerd`, []componentLogs{{"containerd", nil}}},
	{`C:\var\log\csi-proxy`, []componentLogs{{"csi-proxy", nil}}},
	{`C:\var\log\flanneld`, []componentLogs{{"flanneld", nil}}},
	{`C:\var\log\hybrid-overlay`, []componentLogs{{"hybrid-overlay", nil}}},
	{`C:\var\log\wicd`, []componentLogs{{"wicd", nil}}},
	{`C:\var\log\windows_exporter`, []componentLogs{{"windows-exporter", nil}}},
	{`C:\ProgramData\containerd\root`, []componentLogs{{"containerd", nil}}},
	{`C:\ProgramData\docker`, []componentLogs{{"docker", nil}}},
	// GKE.
	{`C:\etc\kubernetes\logs`, []componentLogs{kubeletLogs, kubeProxyLogs, containerdLogs,
		csiProxyLogs, {"other", nil}}},
	// EKS.
	{`C:\ProgramData\Amazon\EKS\logs`, []componentLogs{kubeletLogs, kubeProxyLogs, csiProxyLogs,
		cniLogs, {"eks", nil}}},
	// RKE2.
	{`C:\var\lib\rancher\rke2\agent\logs`, []componentLogs{kubeletLogs, kubeProxyLogs,
		{"flanneld", []string{"flannel*"}}, calicoLogs, {"rke2", nil}}},
	{`C:\var\lib\rancher\rke2\agent\containerd`, []componentLogs{{"containerd", nil}}},
	{`C:\etc\rancher\wins`, []componentLogs{{"wins", nil}}},
	// Calico and Antrea.
	{`C:\CalicoWindows\logs`, []componentLogs{kubeletLogs, kubeProxyLogs, {"cni", []string{"cni*"}},
		{"calico-node", nil}}},
	{`C:\var\log\calico\cni`, []componentLogs{{"cni", nil}}},
	{`C:\var\log\calico`, []componentLogs{{"calico-node", nil}}},
	{`C:\var\log\antrea`, []componentLogs{{"antrea-agent", nil}}},
	{`C:\k\antrea\logs`, []componentLogs{{"antrea-agent", nil}}},
	{`C:\var\log\openvswitch`, []componentLogs{{"ovs", nil}}},
	{`C:\var\log\antrea\openvswitch`, []componentLogs{{"ovs", nil}}},
	{`C:\openvswitch\var\log\openvswitch`, []componentLogs{{"ovs", nil}}},
}

// knownLogs lie in folders that hold too much to be listed.
var knownLogs = []struct{ path, component string }{
	{`C:\Windows\System32\azure-vnet.log`, "cni"},
	{`C:\Windows\System32\azure-vnet-ipam.log`, "cni"},
	{`C:\Windows\System32\azure-vnet-telemetry.log`, "cni"},
}

// podLogs is where the runtime writes what containers say.
const podLogs = `C:\var\log\pods`

// podComponents tell by a pod's name, or else its container's, whose logs these
// are. All others are logs of "pods".
var podComponents = []struct{ start, component string }{
	{"kube-flannel", "flanneld"}, {"flannel", "flanneld"},
	{"kube-proxy", "kube-proxy"},
	{"calico", "calico-node"},
	{"antrea-ovs", "ovs"}, {"antrea", "antrea-agent"},
	{"ovnkube", "ovn"}, {"hybrid-overlay", "hybrid-overlay"},
	{"csi-proxy", "csi-proxy"}, {"csi-", "csi-driver"}, {"ebs-csi", "csi-driver"},
	{"smb-csi", "csi-driver"},
}
