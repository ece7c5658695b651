package node

// A logRule tells which component's logs the files of a folder are. A file
// belongs to the first rule that fits.
type logRule struct {
	folder    string
	names     []string // patterns, in lower case; every log where there is none
	component string
}

// What components call their logs, wherever these lie.
var (
	kubeletLogs    = []string{"kubelet*"}
	kubeProxyLogs  = []string{"kube-proxy*", "kubeproxy*"}
	containerdLogs = []string{"containerd*"}
	csiProxyLogs   = []string{"csi-proxy*", "csiproxy*"}
	flanneldLogs   = []string{"flannel*"}
	calicoLogs     = []string{"calico*", "felix*", "confd*"}
	cniLogs        = []string{"*cni*", "azure-vnet*", "vpc*", "*ipam*"}
)

var logRules = []logRule{
	// start.ps1 and AKS.
	{`C:\k`, kubeletLogs, "kubelet"},
	{`C:\k`, kubeProxyLogs, "kube-proxy"},
	{`C:\k`, containerdLogs, "containerd"},
	{`C:\k`, append([]string{"start*"}, flanneldLogs...), "flanneld"},
	{`C:\k`, cniLogs, "cni"},
	{`C:\k`, csiProxyLogs, "csi-proxy"},
	{`C:\k`, calicoLogs, "calico-node"},
	{`C:\k`, []string{"docker*"}, "docker"},
	{`C:\k`, []string{"hosts-config-agent*", "hostsconfigagent*"}, "hosts-config-agent"},
	{`C:\k`, []string{"*windows-exporter*", "*windows_exporter*"}, "windows-exporter"},
	{`C:\k`, []string{"hnsremediator*"}, "hnsremediator"},
	{`C:\k`, nil, "other"},
	{`C:\AzureData`, nil, "azure"},
	{`C:\WindowsAzure\Logs`, nil, "azure"},

	// kubeadm and OpenShift.
	{`C:\var\log\kubelet`, nil, "kubelet"},
	{`C:\var\log\kube-proxy`, nil, "kube-proxy"},
	{`C:\var\log\containerd`, nil, "containerd"},
	{`C:\var\log\csi-proxy`, nil, "csi-proxy"},
	{`C:\var\log\flanneld`, nil, "flanneld"},
	{`C:\var\log\hybrid-overlay`, nil, "hybrid-overlay"},
	{`C:\var\log\wicd`, nil, "wicd"},
	{`C:\var\log\windows_exporter`, nil, "windows-exporter"},
	{`C:\ProgramData\containerd\root`, nil, "containerd"},
	{`C:\ProgramData\docker`, nil, "docker"},

	// GKE.
	{`C:\etc\kubernetes\logs`, kubeletLogs, "kubelet"},
	{`C:\etc\kubernetes\logs`, kubeProxyLogs, "kube-proxy"},
	{`C:\etc\kubernetes\logs`, containerdLogs, "containerd"},
	{`C:\etc\kubernetes\logs`, csiProxyLogs, "csi-proxy"},
	{`C:\etc\kubernetes\logs`, nil, "other"},

	// EKS.
	{`C:\ProgramData\Amazon\EKS\logs`, kubeletLogs, "kubelet"},
	{`C:\ProgramData\Amazon\EKS\logs`, kubeProxyLogs, "kube-proxy"},
	{`C:\ProgramData\Amazon\EKS\logs`, csiProxyLogs, "csi-proxy"},
	{`C:\ProgramData\Amazon\EKS\logs`, cniLogs, "cni"},
	{`C:\ProgramData\Amazon\EKS\logs`, nil, "eks"},

	// RKE2.
	{`C:\var\lib\rancher\rke2\agent\logs`, kubeletLogs, "kubelet"},
	{`C:\var\lib\rancher\rke2\agent\logs`, kubeProxyLogs, "kube-proxy"},
	{`C:\var\lib\rancher\rke2\agent\logs`, flanneldLogs, "flanneld"},
	{`C:\var\lib\rancher\rke2\agent\logs`, calicoLogs, "calico-node"},
	{`C:\var\lib\rancher\rke2\agent\logs`, nil, "rke2"},
	{`C:\var\lib\rancher\rke2\agent\containerd`, nil, "containerd"},
	{`C:\etc\rancher\wins`, nil, "wins"},

	// Calico and Antrea.
	{`C:\CalicoWindows\logs`, kubeletLogs, "kubelet"},
	{`C:\CalicoWindows\logs`, kubeProxyLogs, "kube-proxy"},
	{`C:\CalicoWindows\logs`, []string{"cni*"}, "cni"},
	{`C:\CalicoWindows\logs`, nil, "calico-node"},
	{`C:\var\log\calico\cni`, nil, "cni"},
	{`C:\var\log\calico`, nil, "calico-node"},
	{`C:\var\log\antrea`, nil, "antrea-agent"},
	{`C:\k\antrea\logs`, nil, "antrea-agent"},
	{`C:\var\log\openvswitch`, nil, "ovs"},
	{`C:\var\log\antrea\openvswitch`, nil, "ovs"},
	{`C:\openvswitch\var\log\openvswitch`, nil, "ovs"},
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
