package foreign

import "regexp"

// A partKind is what a part shows. Most are the output of one command.
type partKind string

const (
	partLog         partKind = "log"
	partJSON        partKind = "json"
	partYAML        partKind = "yaml"
	partDescribe    partKind = "kubectl describe"
	partEvents      partKind = "kubectl get events"
	partEventRows   partKind = "rows of events"
	partNodes       partKind = "kubectl get nodes"
	partPods        partKind = "kubectl get pods"
	partHNSDiag     partKind = "hnsdiag list"
	partIPConfig    partKind = "ipconfig"
	partRoutes      partKind = "route print"
	partTable       partKind = "Format-Table"
	partSC          partKind = "sc query"
	partList        partKind = "Format-List"
	partSystem      partKind = "systeminfo"
	partVer         partKind = "ver"
	partHotfixes    partKind = "Get-HotFix"
	partCrictlPods  partKind = "crictl pods"
	partCrictlPS    partKind = "crictl ps"
	partImages      partKind = "crictl images"
	partCtrImages   partKind = "ctr images"
	partExcluded    partKind = "netsh excludedportrange"
	partDynamic     partKind = "netsh dynamicport"
	partNetstat     partKind = "netstat"
	partDocker      partKind = "docker info"
	partContainers  partKind = "the list of containers"
	partPulled      partKind = "docker images"
	partNetworks    partKind = "docker network ls"
	partNSSM        partKind = "nssm"
	partVFP         partKind = "vfpctrl"
	partHCSDiag     partKind = "hcsdiag list"
	partTop         partKind = "kubectl top"
	partVersion     partKind = "kubectl version"
	partNetsh       partKind = "netsh show interfaces"
	partWevtutil    partKind = "wevtutil"
	partAdvFirewall partKind = "netsh advfirewall"
	partW32tm       partKind = "w32tm"
	partRestart     partKind = "a warning to restart"
	partStripchart  partKind = "w32tm /stripchart (delay, offset in seconds)"
	partDISM        partKind = "dism"
	partCRIVersion  partKind = "crictl version"
	partServices    partKind = "kubectl get services"
	partEndpoints   partKind = "kubectl get endpoints"
	partDaemonSets  partKind = "kubectl get daemonsets"
	partIPPools     partKind = "calicoctl get ippool"
	partIPAM        partKind = "calicoctl ipam show"
	partLookup      partKind = "DNS lookup"
	partARP         partKind = "arp"
	partBoot        partKind = "bcdedit"
	partCertutil    partKind = "certutil"
	partDiskFree    partKind = "fsutil"
	partNetshDump   partKind = "netsh dump"
	partProxy       partKind = "netsh winhttp"
	partPktmon      partKind = "pktmon"
	partShims       partKind = "shimdiag list"
	partCommand     partKind = "command lines"
	partRegistry    partKind = "reg query"
	partNetStart    partKind = "net start"
	partCSR         partKind = "kubectl get csr"
	partDeployments partKind = "kubectl get deployments"
	partNetshConfig partKind = "netsh show config"
	partNetshRoutes partKind = "netsh show route"
	partServers     partKind = "Get-DnsClientServerAddress"
	partFolder      partKind = "a list of files"
	partPing        partKind = "ping"
	partTasks       partKind = "schtasks"
	partTickets     partKind = "klist"
	partStats       partKind = "crictl stats"
	partNames       partKind = "kubectl get -o name"
	partCounts      partKind = "netstat -s"
	partPester      partKind = "tests of Pester"
	partDrops       partKind = "netsh wfp"
	partMetrics     partKind = "metrics"
	partPlugins     partKind = "ctr plugins"
	partSet         partKind = "set"
	partWhoami      partKind = "whoami"
	partRows        partKind = "rows of kubectl"
	partColumns     partKind = "kubectl get"
	partDrives      partKind = "net use"
	partTypeperf    partKind = "typeperf"
	partPackets     partKind = "a capture of packets"
	partStates      partKind = "conditions of nodes"
	partVnet        partKind = "azure-vnet.json"
	partCSV         partKind = "rows of CSV"
	partClixml      partKind = "Export-Clixml"
	partKeyed       partKind = "events of Splunk"
	partConfig      partKind = "a configuration file"
	partOther       partKind = ""
)

// starters tell by its first line where a part of each kind begins, in the order in which they
// are asked. All of them begin at the start of a line.
var starters = []struct {
	kind  partKind
	start *regexp.Regexp
}{
	{partEvents, regexp.MustCompile(`^(NAMESPACE +)?LAST ?SEEN +.*\bREASON\b.*\bMESSAGE`)},
	{partNodes, regexp.MustCompile(`^NAME +STATUS +(?:ROLES +)?AGE +VERSION`)},
	{partPods, regexp.MustCompile(`^(NAMESPACE +)?NAME +READY +STATUS +RESTARTS +AGE`)},
	{partIPPools, regexp.MustCompile(`^NAME +CIDR +NAT +IPIPMODE +VXLANMODE`)},
	{partIPAM, regexp.MustCompile(`^\| +PROPERTY +\| VALUE +\||^PROPERTY +VALUE|^\|? *StrictAffinity\b`)},
	{partServices, regexp.MustCompile(`^(NAMESPACE +)?NAME +TYPE +CLUSTER-IP`)},
	{partEndpoints, regexp.MustCompile(`^(NAMESPACE +)?NAME +(ADDRESSTYPE +PORTS +)?ENDPOINTS +AGE`)},
	{partDaemonSets, regexp.MustCompile(`^(NAMESPACE +)?NAME +DESIRED +CURRENT +READY`)},
	{partCrictlPods, regexp.MustCompile(`^POD ID +CREATED +STATE +NAME`)},
	{partCrictlPS, regexp.MustCompile(`^CONTAINER(?: ID)? +IMAGE +CREATED +STATE`)},
	{partContainers, regexp.MustCompile(
		`^CONTAINER ID +IMAGE +COMMAND|^CONTAINER +IMAGE +RUNTIME|^TASK +PID +STATUS`)},
	{partPulled, regexp.MustCompile(`^REPOSITORY +TAG +IMAGE ID`)},
	{partVersion, regexp.MustCompile(`^(?:Client|Server) Version: (?:v\d|version\.Info)`)},
	{partDocker, regexp.MustCompile(
		`^ ?Containers: \d+$|^Server Version: \S|^(?:Client|Server):(?: (?:Docker|Mirantis) .*)?$`)},
	{partVersion, regexp.MustCompile(`^(?:client|server)Version:\s*$`)},
	{partNetworks, regexp.MustCompile(`^NETWORK ID +NAME +DRIVER`)},
	{partTop, regexp.MustCompile(`^(?:NAMESPACE +)?(?:NAME|POD) +(?:NAME +)?CPU\(cores\)`)},
	{partNSSM, regexp.MustCompile(
		`(?i)^(?:& )?(?:"[^"]*\\|\S*\\)?nssm(?:\.exe)?"? (?:install|set) \S+ `)},
	{partVFP, regexp.MustCompile(`^(?:> )?\s*Port name +: [0-9A-Fa-f]{8}-|^ITEM LIST|^ *(?:LAYER|GROUP) : \S`)},
	{partNetsh, regexp.MustCompile(`^ *Idx +\S+ +MTU +`)},
	{partNetsh, netshMTUFirst},
	{partWevtutil, regexp.MustCompile(`^Event\[\d+\]:?$|^Log Name: +\S|^<Events?>|^<Event xmlns=`)},
	{partAdvFirewall, regexp.MustCompile(`^Rule Name: +\S|^(?:Domain|Private|Public) Profile Settings: *$`)},
	{partW32tm, regexp.MustCompile(`^Leap Indicator: \d`)},
	{partW32tm, timeStopped},
	{partStripchart, clockOffset},
	{partRestart, restartNeeded},
	{partDISM, regexp.MustCompile(`^Feature Name : \S|^Features listing for package`)},
	{partCRIVersion, regexp.MustCompile(`^Version: +0\.1\.0$|^RuntimeName: +\S|^containerd(?:\.exe)? github\.com/containerd/`)},
	{partARP, regexp.MustCompile(`^\S[^:]*: \d+(?:\.\d+){3} --- 0x[0-9a-f]+$`)},
	{partBoot, regexp.MustCompile(`^Windows(?: Boot (?:Manager|Loader)|-Start(?:-Manager|ladeprogramm)| 启动(?:管理|加载)器)$`)},
	{partCertutil, regexp.MustCompile(`^X509 Certificate:$|^={4,} Certificate \d+ ={4,}$`)},
	{partDiskFree, regexp.MustCompile(`^Total (?:# of )?(?:free )?bytes +: *\d`)},
	{partNetshDump, regexp.MustCompile(`^# IPv[46] Configuration$|^pushd interface ipv[46]$`)},
	{partProxy, regexp.MustCompile(`^Current WinHTTP proxy settings:$`)},
	{partPktmon, regexp.MustCompile(`^Network Adapters:$|^ *Id +(?:MAC Address +)?Name *$`)},
	{partShims, shimRow},
	{partCommand, commandLine},
	{partRegistry, regexp.MustCompile(`^\[?HKEY_LOCAL_MACHINE\\`)},
	{partNetStart, regexp.MustCompile(`^These Windows services are started:$`)},
	{partCSR, regexp.MustCompile(`^NAME +AGE +SIGNERNAME`)},
	{partDeployments, regexp.MustCompile(`^(NAMESPACE +)?NAME +READY +UP-TO-DATE`)},
	{partNetshConfig, regexp.MustCompile(`^Configuration for interface "`)},
	{partNetshRoutes, regexp.MustCompile(`^Publish +Type +Met +Prefix`)},
	{partServers, regexp.MustCompile(`^InterfaceAlias +Interface +Address +ServerAddresses`)},
	{partFolder, regexp.MustCompile(`^    Directory: [A-Z]:\\|^\d\d/\d\d/\d{4}  \d\d:\d\d [AP]M +(?:<DIR>|[\d,]+) +\S`)},
	{partPing, regexp.MustCompile(`^Pinging \S+ (?:\[\S+\] )?with \d+ bytes of data:$`)},
	{partNetstat, regexp.MustCompile(
		`^Active Connections$|^ *Proto +Local Address +Foreign|^ *Proto +Lokale Adresse|` +
			`^ *(?:TCP|UDP) +\S+:\d+ +\S+:(?:\d+|\*)(?: |$)`)},
	{partImages, regexp.MustCompile(`^IMAGE +TAG +IMAGE ID`)},
	{partCtrImages, regexp.MustCompile(`^REF +TYPE +DIGEST`)},
	{partHNSDiag, regexp.MustCompile(
		`(?i)^(Networks|Endpoints|Namespaces|Load ?Balancers) *:\s*$|^(Network|Endpoint|Load ?Balancer) *: *[0-9a-f]{8}-[0-9a-f]{4}-`)},
	{partRoutes, regexp.MustCompile(
		`^(?:Interface List|Schnittstellenliste)$|^IPv4[ -].*[Tt]ab|^(?:Active Routes|Aktive Routen):|^Network Destination +Netmask|` +
			`^ifIndex +DestinationPrefix|^ *0\.0\.0\.0 +0\.0\.0\.0 +\d+\.\d+\.`)},
	{partSC, regexp.MustCompile(`^SERVICE_NAME *: *\S|^\[SC\] \w+ SUCCESS$`)},
	{partVer, regexp.MustCompile(`^Microsoft Windows \[\S+ 10\.0\.\d+`)},
	{partHotfixes, regexp.MustCompile(`^(?:\w+ +)*HotFixID(?:=|\s|$)`)},
	{partSystem, regexp.MustCompile(`^Host Name: +\S`)},
	{partIPConfig, regexp.MustCompile(
		`^Windows[- ]IP[- ](?:Configuration|Konfiguration|配置|構成|設定)|` +
			`^Configura(?:tion|ción|zione) IP (?:de|di) Windows|` +
			`^(\S.*(?: adapter |-Adapter |适配器 |アダプター )|Carte |Adaptador |Scheda ).*[:：]\s*$`)},
	{partLookup, lookupBegins},
	{partTasks, regexp.MustCompile(`^Folder: \\|^TaskName: +\\|^HostName: +\S`)},
	{partTickets, regexp.MustCompile(`^Current LogonId is \d`)},
	{partStats, regexp.MustCompile(`^CONTAINER(?: ID)? +(?:NAME +)?CPU %`)},
	{partNames, regexp.MustCompile(`^(?:node|pod|service|namespace|event|(?:deployment|daemonset|statefulset)\.apps)/[a-z0-9.-]+$`)},
	{partCounts, regexp.MustCompile(`^Interface Statistics$|^IPv[46] Statistics$`)},
	{partPester, regexp.MustCompile(`^ *\[[+-]\] \S.* \d+(?:\.\d+)?m?s(?: \(.*\))?$`)},
	{partDrops, regexp.MustCompile(`^<wfpdiag>|^<\?xml[^>]*\?><wfpdiag>`)},
	{partMetrics, regexp.MustCompile(`^[a-z]\w+\{\w+="[^}]*\} [\d.e+-]+$`)},
	{partPlugins, regexp.MustCompile(`^TYPE +ID +PLATFORMS +STATUS`)},
	{partSet, regexp.MustCompile(`^ALLUSERSPROFILE=\S`)},
	{partWhoami, regexp.MustCompile(`^(?:USER|GROUP|PRIVILEGES) INFORMATION$`)},
	{partRows, kubectlRow},
	{partDrives, regexp.MustCompile(`^Status +Local +Remote +Network`)},
	{partTypeperf, regexp.MustCompile(`^"\(PDH-CSV `)},
	{partPackets, packetRow}, {partStates, stateRow},
	{partColumns, regexp.MustCompile(`^(?:NAMESPACE +)?NAME {2,}[A-Z][A-Z -]+$`)},
	{partClixml, regexp.MustCompile(`^<Objs Version=`)},
	{partKeyed, regexp.MustCompile(`^LogName=\S`)},
	{partDescribe, regexp.MustCompile(`^Name: {2,}\S`)},
	{partYAML, regexp.MustCompile(`^(- )?apiVersion: *\S|^kind: *[A-Z]\w+\s*$|^items:\s*$`)},
}

// linesOf are the lines of the parts that have no others.
var linesOf = map[partKind]*regexp.Regexp{partYAML: yamlLine, partDescribe: describeLine,
	partConfig: tomlLine, partLookup: lookupLine, partCommand: commandLine,
	partARP:       regexp.MustCompile(`^ |: \d+(?:\.\d+){3} --- 0x`),
	partDiskFree:  regexp.MustCompile(`^Total .*: *\d`),
	partNetshDump: regexp.MustCompile(`^(?:#|(?:pushd|popd|reset|set|add)\b)`),
	partRegistry:  regexp.MustCompile(`^ |^\[?HKEY_|^["@][^=]*"?=`), partNetStart: regexp.MustCompile(`^ |^The command completed`),
	partNetshConfig: regexp.MustCompile(`^ |^Configuration for interface "`),
	partPing:        regexp.MustCompile(`^ |^Reply from |^Request timed out|^Ping statistics|^Approximate round|^General failure`),
	partTickets:     regexp.MustCompile(`^\s|^#\d|^Cached Tickets|^Current LogonId`), partNames: regexp.MustCompile(`^[a-z.]+/\S+$`),
	partTasks: regexp.MustCompile(`^\s|^[A-Z][\w '.:,-]*: `), partPester: regexp.MustCompile(`^\s|^Describing |^Context `),
	partDrops: regexp.MustCompile(`^\s|^<`), partSet: regexp.MustCompile(`^\w[\w()]*=`), partRows: kubectlRow,
	partPackets: packetRow, partStates: stateRow, partTypeperf: regexp.MustCompile(`^"`),
	partMetrics: regexp.MustCompile(`^\w+(?:\{.*\})? \S+$`),
	partKeyed:   regexp.MustCompile(`^\w+=|^\s`),
	partProxy:   regexp.MustCompile(`^ `), partPktmon: regexp.MustCompile(`^ `)}
