package foreign

import (
	"regexp"
	"slices"
)

// A partKind is what a part shows. Most are the output of one command. Those that nothing but the table
// below speaks of have no name of their own.
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
	partDISM        partKind = "dism"
	partCRIVersion  partKind = "crictl version"
	partServices    partKind = "kubectl get services"
	partEndpoints   partKind = "kubectl get endpoints"
	partDaemonSets  partKind = "kubectl get daemonsets"
	partIPPools     partKind = "calicoctl get ippool"
	partIPAM        partKind = "calicoctl ipam show"
	partLookup      partKind = "DNS lookup"
	partCertutil    partKind = "certutil"
	partDiskFree    partKind = "fsutil"
	partNetshDump   partKind = "netsh dump"
	partShims       partKind = "shimdiag list"
	partCommand     partKind = "command lines"
	partFolder      partKind = "a list of files"
	partPing        partKind = "ping"
	partMetrics     partKind = "metrics"
	partSet         partKind = "set"
	partRows        partKind = "rows of kubectl"
	partVnet        partKind = "azure-vnet.json"
	partCSV         partKind = "rows of CSV"
	partClixml      partKind = "Export-Clixml"
	partKeyed       partKind = "events of Splunk"
	partConfig      partKind = "a configuration file"
	partGrid        partKind = "a table"
	partOther       partKind = ""
)

// A partForm is how the parts of a kind look, and what becomes of them where no reader knows more.
type partForm struct {
	kind   partKind
	start  *regexp.Regexp // tells by its first line where a part begins; all begin at the start of a line
	line   *regexp.Regexp // of the parts that have no other lines
	traits partTraits
	path   string         // of the evidence that the rows are a part of
	rows   *regexp.Regexp // by their last group, or the first where that is empty
}

type partTraits int

const (
	endsAtGap    partTraits = 1 << iota // no empty line is in it: what follows one is something else
	ownIndent                           // the program itself indents the first line
	hasTables                           // heads of tables are in it
	quotesErrors                        // texts of other programs can stand in it
)

// Lines that begin a part and are its rows.
var (
	clockOffset = regexp.MustCompile(`(?m)^(?:\d+, ){3}([+-]\d\d\.\d+, [+-]\d\d\.\d+)$|^\d\d:\d\d:\d\d,? ((?:d:\S+ o:)?[+-]\d\d\.\d+s)`)
	packetRow   = regexp.MustCompile(`(?m)^(\d\d:\d\d:\d\d\.\d{6,9} (?:IP6?|ARP|[0-9A-F-]{17}) .*)$`)
	// The heads of any program's table: words in capitals, two blanks apart, or between bars.
	gridHeads    = regexp.MustCompile(`^\|? *[A-Z][A-Z0-9_./()%#-]+(?: [A-Z0-9_./()%#-]+)*(?:(?: {2,}|\t+ *| *\| *)[A-Z0-9_./()%#-]+(?: [A-Z0-9_./()%#-]+)*)+ *\|?$`)
	ipconfigHead = regexp.MustCompile(`^Windows[- ]IP[- ](?:Configuration|Konfiguration|配置|構成|設定)|` +
		`^Configura(?:tion|ción|zione) IP (?:de|di) Windows|^Configuração de IP do Windows|^Windows IP 구성|` +
		`^Настройка протокола IP для Windows|^Konfiguracja IP systemu Windows`)
	// a field of ipconfig, whose dots go up to the colon
	ipconfigField = regexp.MustCompile(`^ *\p{L}[^:]*[^: .][ .]*(?:\. ){3,}\.? *:`)
	stateRow      = regexp.MustCompile(`(?m)^(\S+[:\s]\s*(?:[A-Z]\w+=(?:True|False|Unknown)[;,\s]*)+)$`)
)

// partForms are asked in order where a part begins.
var partForms = []partForm{
	{kind: partEvents, start: regexp.MustCompile(`^(NAMESPACE +)?LAST ?SEEN +.*\bREASON\b.*\bMESSAGE`), traits: quotesErrors},
	{kind: partNodes, start: regexp.MustCompile(`^NAME +STATUS +(?:ROLES +)?AGE +VERSION`), traits: endsAtGap},
	{kind: partPods, start: regexp.MustCompile(`^(NAMESPACE +)?NAME +READY +STATUS +RESTARTS +AGE`), traits: endsAtGap},
	{kind: partIPPools, start: regexp.MustCompile(`^NAME +CIDR +NAT +IPIPMODE +VXLANMODE`)},
	{kind: partIPAM, start: regexp.MustCompile(`^\| +PROPERTY +\| VALUE +\||^PROPERTY +VALUE|^\|? *StrictAffinity\b`)},
	{kind: partServices, start: regexp.MustCompile(`^(NAMESPACE +)?NAME +TYPE +CLUSTER-IP`), traits: endsAtGap},
	{kind: partEndpoints, start: regexp.MustCompile(`^(NAMESPACE +)?NAME +(ADDRESSTYPE +PORTS +)?ENDPOINTS +AGE`), traits: endsAtGap},
	{kind: partDaemonSets, start: regexp.MustCompile(`^(NAMESPACE +)?NAME +DESIRED +CURRENT +READY`), traits: endsAtGap},
	{kind: partCrictlPods, start: regexp.MustCompile(`^POD ID +CREATED +STATE +NAME`), traits: endsAtGap},
	{kind: partCrictlPS, start: regexp.MustCompile(`^CONTAINER(?: ID)? +IMAGE +CREATED +STATE`), traits: endsAtGap},
	{kind: partContainers, start: regexp.MustCompile(`^CONTAINER ID +IMAGE +COMMAND|^CONTAINER +IMAGE +RUNTIME|^TASK +PID +STATUS`), traits: endsAtGap},
	{kind: partPulled, start: regexp.MustCompile(`^REPOSITORY +TAG +IMAGE ID`), traits: endsAtGap},
	{kind: partVersion, start: regexp.MustCompile(`^(?:Client|Server) Version: (?:v\d|version\.Info)`), traits: endsAtGap},
	{kind: partVersion, start: regexp.MustCompile(`^(?:client|server)Version:\s*$`)},
	{kind: partDocker, start: regexp.MustCompile(`^ ?Containers: \d+$|^Server Version: \S|^(?:Client|Server):(?: (?:Docker|Mirantis) .*)?$`), traits: ownIndent,
		path: "memory.json", rows: regexp.MustCompile(`(?m)^ *((?:Total Memory|CPUs|Storage Driver|Default Isolation): \S.*?) *$`)},
	{kind: partNetworks, start: regexp.MustCompile(`^NETWORK ID +NAME +DRIVER`), traits: endsAtGap},
	{kind: partTop, start: regexp.MustCompile(`^(?:NAMESPACE +)?(?:NAME|POD) +(?:NAME +)?CPU\(cores\)`), traits: endsAtGap},
	{kind: partNSSM, start: regexp.MustCompile(`(?i)^(?:& )?(?:"[^"]*\\|\S*\\)?nssm(?:\.exe)?"? (?:install|set) \S+ `), traits: endsAtGap},
	{kind: partVFP, start: regexp.MustCompile(`^(?:> )?\s*Port name +: [0-9A-Fa-f]{8}-|^ITEM LIST|^ *(?:LAYER|GROUP) : \S`), traits: ownIndent},
	{kind: partNetsh, start: regexp.MustCompile(`^ *Idx +\S+ +MTU +`), traits: ownIndent | hasTables},
	{kind: partNetsh, start: netshMTUFirst},
	{kind: partWevtutil, start: regexp.MustCompile(`^Event\[\d+\]:?$|^Log Name: +\S|^(?:<\?xml[^>]*\?>|[-+] ?)?<Events?(?:>| xmlns=)`), traits: quotesErrors},
	{kind: partAdvFirewall, start: regexp.MustCompile(`^Rule Name: +\S|^(?:Domain|Private|Public) Profile Settings: *$`), traits: hasTables},
	{kind: partW32tm, start: regexp.MustCompile(`^Leap Indicator: \d`)},
	{kind: partW32tm, start: timeStopped},
	{kind: "w32tm /stripchart (delay, offset in seconds)", start: clockOffset,
		path: "time.json", rows: clockOffset},
	{kind: partRestart, start: restartNeeded},
	{kind: partDISM, start: regexp.MustCompile(`^Feature Name : \S|^Features listing for package`), traits: hasTables},
	{kind: partCRIVersion, start: regexp.MustCompile(`^Version: +0\.1\.0$|^RuntimeName: +\S|^containerd(?:\.exe)? github\.com/containerd/`)},
	{kind: "netsh show route", start: regexp.MustCompile(`^Publish +Type +Met +Prefix`), traits: endsAtGap | hasTables,
		path: "routes.json", rows: regexp.MustCompile(`(?m)^(?:No|Yes) +\w+ +\d+ +(\S+/\d+ .*?) *$`)},
	{kind: "arp", start: regexp.MustCompile(`^\S[^:]*: \d+(?:\.\d+){3} --- 0x[0-9a-f]+$`),
		line: regexp.MustCompile(`^ |: \d+(?:\.\d+){3} --- 0x`),
		path: "routes.json", rows: regexp.MustCompile(`(?m)^ +(\d+(?:\.\d+){3} +[0-9a-f]{2}(?:-[0-9a-f]{2}){5})`)},
	{kind: "bcdedit", start: regexp.MustCompile(`^Windows(?: Boot (?:Manager|Loader)|-Start(?:-Manager|ladeprogramm)| 启动(?:管理|加载)器)$`),
		path: "features.json", rows: regexp.MustCompile(`(?m)^((?:hypervisorlaunchtype|testsigning|nointegritychecks|safeboot|description|nx) +\S.*)$`)},
	{kind: partCertutil, start: regexp.MustCompile(`^X509 Certificate:$|^={4,} Certificate \d+ ={4,}$`)},
	{kind: partDiskFree, start: regexp.MustCompile(`^Total (?:# of )?(?:free )?bytes +: *\d`),
		line: regexp.MustCompile(`^Total .*: *\d`)},
	{kind: partNetshDump, start: regexp.MustCompile(`^# IPv[46] Configuration$|^pushd interface ipv[46]$`),
		line: regexp.MustCompile(`^(?:#|(?:pushd|popd|reset|set|add)\b)`), path: "routes.json", rows: dumpedRow},
	{kind: "netsh winhttp", start: regexp.MustCompile(`^Current WinHTTP proxy settings:$`),
		line: regexp.MustCompile(`^ `),
		path: "env.json", rows: regexp.MustCompile(`(?m)^ +(Proxy Server\(s\) *: *\S+|Direct access)`)},
	{kind: "pktmon", start: regexp.MustCompile(`^Network Adapters:$|^ *Id +(?:MAC Address +)?Name *$`), traits: ownIndent | hasTables,
		line: regexp.MustCompile(`^ `)},
	{kind: partShims, start: shimRow},
	{kind: partCommand, start: commandLine, line: commandLine},
	{kind: "reg query", start: regexp.MustCompile(`^\[?HKEY_LOCAL_MACHINE\\`),
		line: regexp.MustCompile(`^ |^\[?HKEY_|^["@][^=]*"?=`),
		path: "services.json", rows: regexp.MustCompile(`(?m)^(?: +|")((?:App\w+|ImagePath|Start|DependOnService|NO_PROXY|HTTPS?_PROXY)(?: +REG_\w+ +|"=)\S.*?) *$`)},
	{kind: "net start", start: regexp.MustCompile(`^These Windows services are started:$`),
		line: regexp.MustCompile(`^ |^The command completed`),
		path: "services.json", rows: regexp.MustCompile(`(?m)^   (\S.*?) *$`)},
	{kind: "kubectl get csr", start: regexp.MustCompile(`^NAME +AGE +SIGNERNAME`), traits: endsAtGap,
		path: "certificates.json", rows: regexp.MustCompile(`(?m)^([a-z0-9].*?) *$`)},
	{kind: "kubectl get deployments", start: regexp.MustCompile(`^(NAMESPACE +)?NAME +READY +UP-TO-DATE`), traits: endsAtGap},
	{kind: "netsh show config", start: regexp.MustCompile(`^Configuration for interface "`),
		line: regexp.MustCompile(`^ |^Configuration for interface "`),
		path: "adapters.json", rows: regexp.MustCompile(`(?m)^(?:Configuration for interface (".*")| +((?:IP Address|Default Gateway): +\S+)) *$`)},
	{kind: "Get-DnsClientServerAddress", start: regexp.MustCompile(`^InterfaceAlias +Interface +Address +ServerAddresses`), traits: endsAtGap | ownIndent | hasTables,
		path: "dns-client.json", rows: regexp.MustCompile(`(?m)^(.*\{[^}]+\}) *$`)},
	{kind: partFolder, start: regexp.MustCompile(`^    Directory: [A-Z]:\\|^\d\d/\d\d/\d{4}  \d\d:\d\d [AP]M +(?:<DIR>|[\d,]+) +\S`), traits: ownIndent | hasTables,
		path: "files.json", rows: regexp.MustCompile(`(?m)^(?:[d-][\w-]{4,6}|\d\d/\d\d/\d{4}) .*?(\S+) *$`)},
	{kind: partPing, start: regexp.MustCompile(`^Pinging \S+ (?:\[\S+\] )?with \d+ bytes of data:$`),
		line: regexp.MustCompile(`^ |^Reply from |^Request timed out|^Ping statistics|^Approximate round|^General failure`),
		path: "probes/reach.json", rows: regexp.MustCompile(`(?m)^(?:Pinging (\S+) .*| +Packets: (.*?)) *$`)},
	{kind: partNetstat, start: regexp.MustCompile(`^Active Connections$|^ *Proto +Local Address +Foreign|^ *Proto +Lokale Adresse|` +
		`^ *(?:TCP|UDP) +\S+:\d+ +\S+:(?:\d+|\*)(?: |$)`), traits: ownIndent},
	{kind: partImages, start: regexp.MustCompile(`^IMAGE +TAG +IMAGE ID`), traits: endsAtGap},
	{kind: partCtrImages, start: regexp.MustCompile(`^REF +TYPE +DIGEST`), traits: endsAtGap},
	{kind: partHNSDiag, start: regexp.MustCompile(`(?i)^(Networks|Endpoints|Namespaces|Load ?Balancers) *:\s*$|^(Network|Endpoint|Load ?Balancer) *: *[0-9a-f]{8}-[0-9a-f]{4}-`)},
	{kind: partRoutes, start: regexp.MustCompile(`^(?:Interface List|Schnittstellenliste)$|^IPv4[ -].*[Tt]ab|^(?:Active Routes|Aktive Routen):|^Network Destination +Netmask|` +
		`^ifIndex +DestinationPrefix|^ *0\.0\.0\.0 +0\.0\.0\.0 +\d+\.\d+\.`), traits: ownIndent},
	{kind: partSC, start: regexp.MustCompile(`^SERVICE_NAME *: *\S|^\[SC\] \w+ SUCCESS$`)},
	{kind: partVer, start: regexp.MustCompile(`^Microsoft Windows \[\S+ 10\.0\.\d+`), traits: endsAtGap},
	{kind: partHotfixes, start: regexp.MustCompile(`^(?:\w+ +)*HotFixID(?:=|\s|$)`), traits: hasTables},
	{kind: partSystem, start: regexp.MustCompile(`^Host Name: +\S`)},
	{kind: partIPConfig, start: regexp.MustCompile(ipconfigHead.String() + `|` +
		`^(\S.*(?: adapter |-Adapter |适配器 |アダプター | 어댑터 )|Carte |Adaptador |Scheda |Karta |Адаптер ).*[:：]\s*$|` + ipconfigField.String())},
	{kind: partLookup, start: lookupBegins, line: lookupLine},
	{kind: "schtasks", start: regexp.MustCompile(`^Folder: \\|^TaskName: +\\|^HostName: +\S`),
		line: regexp.MustCompile(`^\s|^[A-Z][\w '.:,-]*: `),
		path: "services.json", rows: regexp.MustCompile(`(?m)^(?:TaskName|Status|Last Run Time|Last Result|Task To Run|Scheduled Task State): +(\S.*?) *$`)},
	{kind: "klist", start: regexp.MustCompile(`^Current LogonId is \d`),
		line: regexp.MustCompile(`^\s|^#\d|^Cached Tickets|^Current LogonId`),
		path: "security.json", rows: regexp.MustCompile(`(?m)^(?:#\d+>)?\s+((?:Client|Server|End Time|Kdc Called): .*?) *$`)},
	{kind: "container stats", start: regexp.MustCompile(`^CONTAINER(?: ID)? +(?:NAME +)?CPU %`),
		path: "memory.json", rows: regexp.MustCompile(`(?m)^([0-9a-f]{8,} .*?) *$`)},
	{kind: "kubectl get -o name", start: regexp.MustCompile(`^(?:node|pod|service|namespace|event|(?:deployment|daemonset|statefulset)\.apps)/[a-z0-9.-]+$`),
		line: regexp.MustCompile(`^[a-z.]+/\S+$`),
		path: "api/pods.json", rows: regexp.MustCompile(`(?m)^([a-z.]+/\S+)$`)},
	{kind: "netstat -s", start: regexp.MustCompile(`^Interface Statistics$|^IPv[46] Statistics$`),
		path: "adapters.json", rows: regexp.MustCompile(`(?m)^ *((?:\w+ )*(?:Errors|Discards|Discarded|Failed|Failures|No Routes?|Retransmitted)\b.*\d) *$`)},
	{kind: "tests of Pester", start: regexp.MustCompile(`^ *\[[+-]\] \S.* \d+(?:\.\d+)?m?s(?: \(.*\))?$`),
		line: regexp.MustCompile(`^\s|^Describing |^Context `),
		path: "features.json", rows: regexp.MustCompile(`(?m)^ *\[-\] (\S.*?) \d+(?:\.\d+)?m?s\b`)},
	{kind: "netsh wfp", start: regexp.MustCompile(`^<wfpdiag>|^<\?xml[^>]*\?><wfpdiag>`),
		line: regexp.MustCompile(`^\s|^<`),
		path: "firewall.json", rows: regexp.MustCompile(`<(?:type|remoteAddrV4|remotePort|name)>([^<]+)<`)},
	{kind: partMetrics, start: regexp.MustCompile(`^[a-z]\w+\{\w+="[^}]*\} [\d.e+-]+$`),
		line: regexp.MustCompile(`^\w+(?:\{.*\})? \S+$`),
		path: "services.json", rows: regexp.MustCompile(`(?m)^(windows_service_state\{.*\} 1|windows_(?:logical_disk_free|memory_available|os_physical_memory_free)_bytes\S* \S+|node_\w+_bytes \d+)$`)},
	{kind: "ctr plugins", start: regexp.MustCompile(`^TYPE +ID +PLATFORMS +STATUS`),
		path: "cri.json", rows: regexp.MustCompile(`(?m)^(\S+ .*(?:ok|error|skip)) *$`)},
	{kind: partSet, start: regexp.MustCompile(`^ALLUSERSPROFILE=\S`), line: regexp.MustCompile(`^\w[\w()]*=`)},
	{kind: "whoami", start: regexp.MustCompile(`^(?:USER|GROUP|PRIVILEGES) INFORMATION$`), traits: hasTables,
		path: "security.json", rows: regexp.MustCompile(`(?m)^([^\n\\]+\\\S.*?) *$`)},
	{kind: partRows, start: kubectlRow, line: kubectlRow},
	{kind: "net use", start: regexp.MustCompile(`^Status +Local +Remote +Network`),
		path: "files.json", rows: regexp.MustCompile(`(?m)^((?:OK|Disconnected|Unavailable|Reconnecting|Error|Paused) .*?) *$`)},
	{kind: "typeperf", start: regexp.MustCompile(`^"\(PDH-CSV `), line: regexp.MustCompile(`^"`),
		path: "memory.json", rows: regexp.MustCompile(`(?m)^"(.*)"$`)},
	{kind: "a capture of packets", start: packetRow, line: packetRow,
		path: "probes/dns.json", rows: packetRow},
	{kind: "conditions of nodes", start: stateRow, line: stateRow,
		path: "api/node.json", rows: stateRow},
	{kind: partGrid, start: gridHeads, traits: endsAtGap},
	{kind: partClixml, start: regexp.MustCompile(`^<Objs Version=`)},
	{kind: partKeyed, start: regexp.MustCompile(`^LogName=\S`), line: regexp.MustCompile(`^\w+=|^\s`)},
	{kind: partDescribe, start: regexp.MustCompile(`^Name: {2,}\S`), traits: ownIndent | quotesErrors, line: describeLine},
	{kind: partYAML, start: regexp.MustCompile(`^(- )?apiVersion: *\S|^kind: *[A-Z]\w+\s*$|^items:\s*$|` + partOfYAML.String()), traits: quotesErrors, line: yamlLine},
	{kind: partLog, traits: quotesErrors},
	{kind: partJSON, traits: quotesErrors},
	{kind: partEventRows, traits: quotesErrors},
	{kind: partTable, traits: ownIndent | quotesErrors},
	{kind: partList, traits: quotesErrors},
	{kind: partExcluded, traits: hasTables},
	{kind: partDynamic, traits: hasTables},
	{kind: partVnet, path: "hns-endpoints.json", rows: regexp.MustCompile(`"(?:Mode|PODName|HnsId)": *"([^"]+)"`)},
	{kind: partConfig, traits: quotesErrors, line: tomlLine},
	{kind: partOther, traits: quotesErrors},
}

// formOf are the forms by their kinds. Of several of one kind, only the first has more than a start.
var formOf = func() map[partKind]partForm {
	forms := map[partKind]partForm{}
	for _, f := range slices.Backward(partForms) {
		forms[f.kind] = f
	}
	return forms
}()

func (k partKind) is(trait partTraits) bool { return formOf[k].traits&trait != 0 }
