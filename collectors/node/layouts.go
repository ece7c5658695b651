package node

import facts "doctor/checks/node"

// Where the ways to set up a node keep what they need: start.ps1 of the SDN
// repository, kubeadm with sig-windows-tools, AKS, EKS, GKE, RKE2, Calico,
// Antrea and OpenShift. What the node's own programs name comes before these.

// knownFiles are copied where they are there, and recorded as absent where not.
var knownFiles = []string{
	// start.ps1, AKS and OpenShift share a folder.
	`C:\k\azure-vnet-ipam.json`, `C:\k\azure-vnet.json`, `C:\k\azure-vnet.json.lock`,
	`C:\k\azure.json`, `C:\k\bootstrap-config`, `C:\k\config`,
	`C:\k\containerd\containerd_conf.toml`, `C:\k\credential-provider-config.yaml`,
	`C:\k\helper.psm1`, `C:\k\kube-proxy.conf`, `C:\k\kubeclusterconfig.json`,
	`C:\k\kubeconfig`, `C:\k\kubelet.conf`, `C:\k\kubeletstart.ps1`, `C:\k\kubeproxystart.ps1`,
	`C:\k\net-conf.json`, `C:\k\sourceVip.json`,
	`C:\k\sourceVipRequest.json`, `C:\k\start-kube-proxy.ps1`, `C:\k\start-kubelet.ps1`,
	`C:\k\start-kubeproxy.ps1`, `C:\k\start.ps1`, `C:\k\StartKubelet.ps1`,
	`C:\k\windowsnodereset.log`,

	// kubeadm, flannel and GKE.
	`C:\etc\kube-flannel\net-conf.json`, `C:\etc\kubernetes\bootstrap-kubelet.conf`,
	`C:\etc\kubernetes\kubelet-config.yaml`, `C:\etc\kubernetes\kubelet.conf`,
	`C:\etc\kubernetes\kubelet.kubeconfig`, `C:\etc\kubernetes\kubeproxy.kubeconfig`,
	`C:\etc\kubernetes\node-problem-detector.kubeconfig`,
	`C:\run\flannel\subnet.env`, `C:\sourcevip\sourceVip.json`,
	`C:\sourcevip\sourceVipRequest.json`, `C:\var\lib\kube-proxy\config.conf`,
	`C:\var\lib\kube-proxy\kubeconfig.conf`, `C:\var\lib\kubelet\config.yaml`,
	`C:\var\lib\kubelet\kubeadm-flags.env`,

	// EKS.
	`C:\ProgramData\Amazon\EKS\image-credential-provider\config.json`,
	`C:\ProgramData\kubernetes\kube-proxy-config.yaml`, `C:\ProgramData\kubernetes\kubeconfig`,
	`C:\ProgramData\kubernetes\kubelet-config.json`,

	// RKE2.
	`C:\etc\rancher\rke2\config.yaml`, `C:\etc\rancher\rke2\registries.yaml`,
	`C:\etc\rancher\wins\config`, `C:\var\lib\rancher\rke2\agent\etc\containerd\config.toml`,
	`C:\var\lib\rancher\rke2\agent\flanneld-net-conf.json`,
	`C:\var\lib\rancher\rke2\agent\kubelet.kubeconfig`,
	`C:\var\lib\rancher\rke2\agent\kubeproxy.kubeconfig`,

	// k3s.
	`C:\var\lib\rancher\k3s\agent\etc\flannel\net-conf.json`,
	`C:\var\lib\rancher\k3s\agent\kubelet.kubeconfig`,

	// Calico and Antrea.
	`C:\CalicoWindows\config.ps1`, `C:\CalicoWindows\cni.conf.template`,
	`C:\CalicoWindows\nodename`, `C:\etc\antrea\antrea-agent.conf`,
	`C:\k\antrea\etc\antrea-agent.conf`, `C:\var\lib\calico\nodename`, `C:\var\run\calico\nodename`,

	// The runtimes, and Windows itself.
	`C:\Program Files\containerd\config.toml`, `C:\ProgramData\docker\config\daemon.json`,
	`C:\Windows\System32\drivers\etc\hosts`,
}

// knownNames are recorded by name and size only: programs, libraries, keys, and
// what is read as a log.
var knownNames = []string{
	`C:\CalicoWindows\calico-node.exe`, `C:\CalicoWindows\install-calico.ps1`,
	`C:\CalicoWindows\uninstall-calico.ps1`,
	`C:\ProgramData\containerd\root\panic.log`, `C:\var\lib\kubelet\pki\kubelet-client-current.pem`,
	`C:\Windows\System32\computenetwork.dll`, `C:\Windows\System32\vmcompute.dll`,
}

// knownFolders hold files that are copied, one level deep.
var knownFolders = append([]string{
	`C:\etc\kubernetes\kubelet.conf.d`, `C:\var\lib\rancher\rke2\agent\etc\kubelet.conf.d`,
	`C:\var\lib\rancher\k3s\agent\etc\kubelet.conf.d`,
	`C:\etc\rancher\rke2\config.yaml.d`, `C:\Program Files\containerd\conf.d`, `C:\run\flannel`,
	`C:\sourcevip`,
}, facts.CNIFolderPaths...)

// programFolders hold programs, of which the names and sizes are recorded.
var programFolders = []string{
	`C:\k`, `C:\k\cni`, `C:\opt\cni\bin`, `C:\k\azurecni\bin`, `C:\Program Files\Amazon\EKS`,
	`C:\Program Files\Amazon\EKS\bin`, `C:\Program Files\Amazon\EKS\cni`,
	`C:\Program Files\kubernetes`, `C:\etc\kubernetes\cni`, `C:\etc\kubernetes\node\bin`,
	`C:\var\lib\rancher\rke2\bin`, `C:\Program Files\containerd`,
	`C:\Program Files\containerd\cni\bin`, `C:\AzureData`,
}

// A nodeProgram is one of the programs that make a machine a node.
type nodeProgram struct {
	component string   // the name of its logs' folder
	programs  []string // without .exe
	services  []string
	files     []string // its flags that name a file
	folders   []string // and a folder of files
}

// configFlags are the flags of which Kubernetes' own programs have some.
var configFlags = []string{
	"config", "kubeconfig", "bootstrap-kubeconfig", "authentication-kubeconfig",
	"authorization-kubeconfig", "cloud-config", "image-credential-provider-config",
	"resolv-conf",
}

var nodePrograms = []nodeProgram{
	{"kubelet", []string{"kubelet"}, []string{"kubelet"}, configFlags,
		[]string{"cni-conf-dir", "config-dir"}},
	{"kube-proxy", []string{"kube-proxy", "kubeproxy"}, []string{"kube-proxy", "kubeproxy"},
		configFlags, nil},
	{"containerd", []string{"containerd"}, []string{"containerd"}, []string{"config", "c"}, nil},
	{"docker", []string{"dockerd"}, []string{"docker", "dockerd"}, []string{"config-file"}, nil},
	{"flanneld", []string{"flanneld"}, []string{"flanneld", "flannel"},
		[]string{"kubeconfig-file", "net-config-path", "subnet-file"}, nil},
	{"calico-node", []string{"calico-node", "calico-felix"}, []string{"CalicoNode", "CalicoFelix",
		"CalicoConfd"}, []string{"config", "c"}, nil},
	{"antrea-agent", []string{"antrea-agent"}, []string{"antrea-agent"}, []string{"config"}, nil},
	{"ovs", []string{"ovs-vswitchd", "ovsdb-server"}, []string{"ovs-vswitchd", "ovsdb-server"}, nil,
		nil},
	{"csi-proxy", []string{"csi-proxy"}, []string{"csi-proxy", "csiproxy"}, nil, nil},
	{"hybrid-overlay", []string{"hybrid-overlay-node"}, []string{"hybrid-overlay-node"},
		[]string{"k8s-kubeconfig", "config-file"}, nil},
	{"wicd", []string{"windows-instance-config-daemon"}, []string{"windows-instance-config-daemon"},
		[]string{"kubeconfig"}, nil},
	{"rke2", []string{"rke2"}, []string{"rke2"}, []string{"config", "c"}, nil},
	{"wins", []string{"wins"}, []string{"rancher-wins"}, []string{"config"}, nil},
	{"windows-exporter", []string{"windows_exporter", "windows-exporter"},
		[]string{"windows_exporter", "windows-exporter"}, nil, nil},
	{"hosts-config-agent", []string{"hosts-config-agent"}, []string{"hosts-config-agent"}, nil,
		nil},
}

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
