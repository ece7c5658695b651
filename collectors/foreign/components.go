package foreign

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"doctor/collectors/tree"
)

// How lines of the components' logs begin.
var (
	klogLine = regexp.MustCompile(`^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{3,9}\s+\d+ ([\w.-]+\.go):\d+\]`)
	logfmt   = regexp.MustCompile(`(?i)^time="?\d{4}-\d\d-\d\d[T ]\S+ level=\w+ `)
	isoLine  = regexp.MustCompile(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d|` + // or of an end-to-end test, of fluent-bit, or a trace
		`^ *[A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d\.\d{3}: [A-Z]+: |` +
		`^\[\d+\] \S+: \[\[?\d{10}\b|^\[\d+\][0-9A-F]+\.[0-9A-F]+::\d{4}-\d\d-\d\d `)
	// an event of which Get-EventLog shows the time and the strings
	stringsLine = regexp.MustCompile(`^\d{1,2}[/.]\d{1,2}[/.]\d{4} \d{1,2}:\d\d:\d\d(?: [AP]M)? +\{[^"{}]`)
	nestedKlog  = regexp.MustCompile(`^time="\d{4}-\S+ ?\S*" level=\w+ msg="([IWEF]\d{4} .*)`)
	zapCaller   = regexp.MustCompile(`"caller": ?"(?:[\w.-]+/)*([\w.-]+\.go):`)
	zapLine     = regexp.MustCompile(`^\{"(?:level|ts|time|msg)":.*"(?:msg|message)":`)
)

// isLogLine tells whether a line is the first of an entry of a log.
func isLogLine(line string) bool {
	return klogLine.MatchString(line) || logfmt.MatchString(line) || isoLine.MatchString(line) ||
		zapLine.MatchString(line) || stringsLine.MatchString(line)
}

// klogFiles are source files whose lines only one component writes. A file of a name that several
// have, such as server.go or server_windows.go, says nothing: lineWords has what they write.
var klogFiles = componentByFile(map[string]string{
	"kubelet": `pod_workers.go kubelet_node_status.go kubelet.go remote_runtime.go remote_image.go
		log.go kuberuntime_manager.go kuberuntime_sandbox.go kuberuntime_container.go
		kuberuntime_gc.go kuberuntime_image.go operation_generator.go reconciler.go
		reconciler_common.go generic.go eviction_manager.go prober.go setters.go
		nestedpendingoperations.go container_manager_windows.go cri_stats_provider.go
		cri_stats_provider_windows.go pod_container_deletor.go csi_plugin.go
		pod_startup_latency_tracker.go kubelet_pods.go kubelet_volumes.go status_manager.go
		desired_state_of_world_populator.go docker_sandbox.go fs_windows.go image_gc_manager.go
		goroutinemap.go csi_attacher.go csi_mounter.go csi_client.go csi_drivers_store.go
		plugin_watcher.go plugin_manager.go volume_manager.go kubelet_network.go kubelet_getters.go
		cni.go docker_service.go winstats.go perfcounter_nodestats_windows.go mount_windows.go
		subpath_windows.go`,
	"kube-proxy": `proxier.go hns.go hnsV1.go hnsV2.go metaproxier.go
		endpointslicecache.go service_health.go proxier_health.go`,
	"flanneld": `vxlan_network.go vxlan_windows.go vxlan_network_windows.go device_windows.go
		hostgw_windows.go kube.go subnet.go`,
})

func componentByFile(files map[string]string) map[string]string {
	by := map[string]string{}
	for component, list := range files {
		for _, file := range strings.Fields(list) {
			by[file] = component
		}
	}
	return by
}

// A writer is a component, and words that tell that it wrote a line.
type writer struct {
	component string
	words     *regexp.Regexp
}

// writerIn is the first component whose words are in the text.
func writerIn(writers []writer, text string) string {
	if i := slices.IndexFunc(writers, func(w writer) bool { return w.words.MatchString(text) }); i >= 0 {
		return writers[i].component
	}
	return ""
}

// wholePrograms have code of another component in them, as antrea-agent has a kube-proxy: lines of
// their own source files say whose log the others are.
var wholePrograms = []writer{
	{"antrea", regexp.MustCompile(`\b(?:networkpolicy_controller|node_route_controller|ofctrl_bridge|` +
		`ovs_client|traceflow_controller|net_windows|route_windows)\.go:`)},
	{"kube-proxy", regexp.MustCompile(`(?m)^Running kub-proxy service|\\kube-proxy\\start\.ps1:\d`)},
	{"ovs", regexp.MustCompile(`(?m)^\d{4}-\S+Z\|\d{5}\|[\w()]+\|[A-Z]+\|`)},
	{"hybrid-overlay", regexp.MustCompile(`\b(?:ho_node_windows|hybrid-overlay-node)\.go:`)},
	// what the agent writes to the Application log, as Get-EventLog shows its strings
	{"rke2", regexp.MustCompile(`(?m)^(?:\d\S+ \d\S+(?: [AP]M)? +)?\{(?:containerd exited: |Running containerd -c |Waiting for containerd startup|` +
		`Calico (?:exited|Envs): |Tunnel authorizer set Kubelet Port|Annotations and labels have been set successfully on node|` +
		`Running (?:kubelet|kube-proxy) --|Starting rke2 agent|Connecting to proxy|Remotedialer )`)},
	{"rancher-log-collector", regexp.MustCompile(`(?m)^Running Rancher (?:RKE2 )?Log Collection|^Collecting RKE2 agent component logs`)},
	{"eks", regexp.MustCompile(`(?m)^(?:Initializing AWS default configurations|Creating/Updating EKS CNI plugin config|` +
		`Registering kub(?:e)?let and kube-proxy services|Using cluster information to get APIServer Endpoint)`)}, // Start-EKSBootstrap.ps1
}

// programOf is the program that the log is of, "" where no line shows one of wholePrograms.
func programOf(text string) string {
	return writerIn(wholePrograms, text)
}

// kubeadmOutput is a line of kubeadm join, which has no time: the phase is before it.
var kubeadmOutput = regexp.MustCompile(
	`(?m)^\[(?:discovery|bootstrap|preflight|kubelet-start|kubelet-check)\] `)

// lineWords name the writer of a line, in the order in which they are looked for.
var lineWords = []writer{
	// cmd/kubelet/app and cmd/kube-proxy/app have files of the same names: that of the kubelet names it
	{"kubelet", regexp.MustCompile(`^[IWEF]\d{4} [^\]]*\b(?:server(?:_windows)?|init_windows)\.go:\d+\] ` +
		`.*(?:\b[Kk]ubelet (?:version|is running as|process|needs to run)|Started kubelet|Unable to get current user|Standalone mode, no API client|no events will be sent to API server)`)},
	{"kube-proxy", regexp.MustCompile(`^[IWEF]\d{4} [^\]]*\b(?:server_windows\.go:\d+\] |server\.go:\d+\] "?Error running ProxyServer)`)},
	{"kube-proxy", regexp.MustCompile(`FLAG: --(?:ipvs|iptables|conntrack|proxy|cleanup|network-name|` +
		`source-vip|enable-dsr|masquerade|nodeport|config-sync|detect-local|root-hnsendpoint|metrics-bind)`)},
	{"kubelet", regexp.MustCompile(`FLAG: --(?:pod-|cni-|node-|register-|image-|eviction-|max-pods|` +
		`container-|cgroup|system-|kube-reserved|volume-|resolv-conf|cluster-d|hairpin|runtime|serialize|` +
		`streaming|rotate-|read-only|seccomp|topology|cpu-|memory-|fail-swap|file-check|sync-freq|` +
		`network-plugin|enforce-|allow-|tls-|authorization-|authentication-|anonymous-|really-|reserved-)`)},
	{"", regexp.MustCompile(`FLAG: --`)},
	{"kubelet", regexp.MustCompile(`(?i)the kubelet's --config flag|^ +kubelet \[flags\]|failed to run kubelet|\(--cgroups-per-qos\)|unable to register node with api server`)},
	{"antrea", regexp.MustCompile(`(?i)antrea`)},
	{"csi-proxy", regexp.MustCompile(`(?i)csi-proxy server`)},
	{"csi-driver", regexp.MustCompile(`\b(?:azurefile|azuredisk|smb|nodeserver|controllerserver)\.go:`)},
	{"flanneld", regexp.MustCompile(`(?i)flannel`)},
	// Calico's plugin, whose lines name a folder since 3.20
	{"cni", regexp.MustCompile(`^\S+ \S+ \[[A-Z]+\]\[\d+\] ` +
		`(?:cni-plugin/|(?:dataplane_(?:windows|linux)|plugin|ipam_plugin)\.go \d+: |k8s\.go \d+: .*ContainerID=")`)},
	{"calico", regexp.MustCompile(`(?:felix|startup|confd|cni-plugin)/`)},
	{"cni", regexp.MustCompile(`(?i)azure-vnet|azure cni|vpc-bridge|vpc-shared-eni|` +
		`azure/azure-container-networking/|` +
		`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?:\[\d+\] )?\[(?:cni|cni-net|net|ipam)\] `)},
	// CustomDataSetupScript.log of acs-engine, AKS Engine and AKS
	{"aks", regexp.MustCompile(`(?i)^\d{4}-\d\d-\d\dT[\d:]+\.\d{7}(?:[+-]\d\d:\d\d|Z): (?:.*CustomDataSetupScript|.*CSE(?:Result|ScriptsPackage)|Getting CSE|` +
		`Provisioning .* with IP|apply telemetry data|resize os drive|write (?:azure|kube) config|.*windowsnodereset|.*kubletwin/pause|Set ExitCode to \d)`)},
	{"kubeadm", kubeadmOutput},
	{"hybrid-overlay", regexp.MustCompile(`(?i)hybrid-overlay`)},
}

// logfmtWords are the writers of lines of logrus and slog, which several programs use.
var logfmtWords = []writer{
	{"rancher-wins", regexp.MustCompile(`(?i)rancher_wins|windows service|rancher system agent|csi proxy will|` +
		`connection info file|connecting to kubernetes cluster|nullified CA data`)},
	{"windows-exporter", regexp.MustCompile(`windows_exporter|collector \w+ (?:succeeded|failed)|` +
		`source=(?:"?exporter|collect|prometheus)\.go`)},
	{"docker", regexp.MustCompile(`(?i)docker_engine|dockerd|graph ?driver|libcontainerd|libnetwork|` +
		`API listen on|Loading containers|Daemon has completed|default isolation|logging driver`)},
	{"rke2", regexp.MustCompile(`(?i)\brke2\b|calico exited|HNS endpoint for network|running kube|` +
		`running containerd|waiting for containerd|connecting to proxy|remotedialer|tunnel|cattle|` +
		`unsupported CNI|the CNI \w+ isn't|source vip|calico startup|error in cni start|/cacerts|` +
		`validate connection to cluster|failed to start networking|--token is required`)},
	{"containerd", regexp.MustCompile(`(?i)containerd|sandbox|snapshot|PullImage|ImageUpdate|ImageCreate|` +
		`(?:Create|Start|Stop|Remove)Container|ExecSync|\bshim\b|\bcni\b|\bCRI\b|streaming server|` +
		`loading plugin|TaskExit|\bcleanup|runhcs|metrics|schedulers?\b|image_gc|garbage`)},
}

// componentOfLine is whose log a line is of, "" where that does not show.
func componentOfLine(line string) string {
	line = line[:min(len(line), maxQuote)]
	words := lineWords
	if m := nestedKlog.FindStringSubmatch(line); m != nil { // k0s writes the lines of what it starts
		line = m[1]
	}
	m := klogLine.FindStringSubmatch(line)
	if m == nil && zapLine.MatchString(line) {
		m = zapCaller.FindStringSubmatch(line)
	}
	if m != nil {
		if c := klogFiles[m[1]]; c != "" {
			return c
		}
	} else if logfmt.MatchString(line) {
		words = logfmtWords
	}
	return writerIn(words, line)
}

// componentOfFile is whose log a file is by its name, or by the folder that it is in.
func componentOfFile(name string) string {
	return cmp.Or(logComponent(path.Base(name), ""), logComponent(path.Base(path.Dir(name)), ""))
}

// componentOfText is the component of most lines, at their beginning.
func componentOfText(text string) string {
	if program := programOf(text); program != "" {
		return program
	}
	votes, best, seen := map[string]int{}, "", 0
	for line := range strings.Lines(text) {
		if c := componentOfLine(line); c != "" {
			if votes[c]++; votes[c] > votes[best] || best == "" {
				best = c
			}
		}
		if seen++; seen == maxFields {
			break
		}
	}
	return best
}

// placeNodeLog places the node's lines of a file that `oc adm node-logs` wrote for all nodes:
// "NODE " is in front of each. One that has no such line may be of the only node.
func placeNodeLog(out *output, src *source, f looseFile, node string) {
	info, err := fs.Stat(src.fsys, f.path)
	if err != nil || node == "" {
		return
	}
	component := f.component
	if component == "wicd" {
		component = "windows-instance-config-daemon"
	}
	if !hasLineOf(src.fsys, f.path, node) {
		return
	}
	out.Add("logs/"+component+"/"+path.Base(f.path), tree.File{Size: info.Size(),
		Modified: info.ModTime(), Open: func() (io.ReadCloser, error) {
			file, err := src.fsys.Open(f.path)
			if err != nil {
				return nil, err
			}
			return nodeLines(file, node), nil
		}})
}

const maxLogLine = 1 << 20

// eachLine reads lines, and of one that is too long its beginning.
func eachLine(r io.Reader, do func(line string) bool) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		chunk, err := lines.ReadSlice('\n')
		if len(line) < maxLogLine {
			line = append(line, chunk...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && err != io.EOF:
			return err
		case len(line) > 0 && !do(string(line)), err == io.EOF:
			return nil
		}
		line = line[:0]
	}
}

func hasLineOf(fsys fs.FS, name, node string) (found bool) {
	file, err := fsys.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	eachLine(file, func(line string) bool {
		found = found || strings.HasPrefix(line, node+" ")
		return !found
	})
	return found
}

// loggedNodes are the nodes whose lines are at the beginning of a file for all nodes.
func loggedNodes(head string) (names []string) {
	for line := range strings.Lines(head) {
		name, rest, ok := strings.Cut(line, " ")
		if ok && hostNamePattern.MatchString(name) && isLogLine(rest) &&
			!slices.Contains(names, name) && len(names) < maxNodes {
			names = append(names, name)
		}
	}
	return names
}

// nodeLines streams the lines of one node, without its name.
func nodeLines(file io.ReadCloser, node string) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		err := eachLine(file, func(line string) bool {
			rest, ok := strings.CutPrefix(line, node+" ")
			if !ok {
				return true
			}
			_, err := io.WriteString(w, rest)
			return err == nil
		})
		file.Close()
		w.CloseWithError(err)
	}()
	return r
}
