package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
	facts "doctor/checks/node"
	"doctor/checks/sorted"
	"doctor/collectors"
)

const (
	defaultLogBytes = 64 << 20
	maxLogs         = 20 // of one component, the newest
)

// A foundLog is a log file that somebody might read.
type foundLog struct {
	path     string
	name     string // what it is called in the evidence
	modified time.Time
}

// logSearch finds the logs of all components.
type logSearch struct {
	ctx     context.Context
	volumes volumes
	open    hive
	found   map[string][]foundLog // by component
	seen    map[string]bool       // paths in lower case
	refused map[string]error      // why a component's logs were not found, by component
}

// readLogs is the collector "logs". It opens each log to learn whether that is
// allowed; who reads the evidence reads them.
func readLogs(o Options, v volumes, open hive, now func() time.Time) func(context.Context,
	*collectors.Record) error {
	return onVolumes(v, func(ctx context.Context, v volumes, s evidence.Snapshot,
		r *collectors.Record) error {
		l := &logSearch{ctx: ctx, volumes: v, open: open, found: map[string][]foundLog{},
			seen: map[string]bool{}, refused: map[string]error{}}
		l.all(evidence.Services.In(s), evidence.Processes.In(s))
		for component, err := range l.refused {
			if len(l.found[component]) == 0 {
				r.Gap("logs/"+component, err)
			}
		}
		for component, logs := range l.found {
			taken := map[string]bool{}
			for _, log := range newest(logs, o.Since, now()) {
				at := "logs/" + component + "/" + uniqueName(taken, log)
				f, err := logCopy(v, log.path, cmp.Or(o.LogBytes, defaultLogBytes))
				if err != nil {
					r.Gap(at, err)
					continue
				}
				r.File(at, f)
			}
		}
		return nil
	})
}

// newest are the logs that are worth reading, the newest first: those of the
// time that is asked for, and the last one whenever it was written.
func newest(logs []foundLog, since time.Duration, now time.Time) []foundLog {
	logs = slices.Clone(logs)
	sorted.By(logs, func(a, b foundLog) int {
		return cmp.Or(b.modified.Compare(a.modified), compareFold(a.path, b.path))
	})
	for i, log := range logs {
		if i == maxLogs || i > 0 && since > 0 && log.modified.Before(now.Add(-since)) {
			return logs[:i]
		}
	}
	return logs
}

// uniqueName is a log's name, with its folder's in front where another log has it already.
func uniqueName(taken map[string]bool, log foundLog) string {
	name := evidenceName(log.name)
	if taken[strings.ToLower(name)] {
		folder, _ := cutLastElement(log.path)
		name = evidenceName(baseName(folder) + "-" + log.name)
	}
	for i, first := 2, name; taken[strings.ToLower(name)]; i++ {
		name = strconv.Itoa(i) + "-" + first
	}
	taken[strings.ToLower(name)] = true
	return name
}

// evidenceName keeps a log from being taken for the reason why it is not there.
func evidenceName(name string) string {
	if strings.HasSuffix(strings.ToLower(name), ".gap") {
		return name + ".log"
	}
	return name
}

// all looks where the node's own programs write first, then where the layouts do.
func (l *logSearch) all(services []evidence.Service, processes []evidence.Process) {
	for _, p := range runningPrograms(services, processes) {
		l.ofProgram(p)
	}
	for _, known := range knownLogs {
		l.file(known.component, known.path)
	}
	for _, f := range logFolders {
		for _, logs := range f.logs {
			l.folder(f.path, logs, "")
		}
	}
	for _, dir := range facts.CNIFolderPaths {
		l.ofCNI(dir)
	}
	l.pods()
}

// ofProgram looks where a program's arguments, its script's, and nssm's settings send its words.
func (l *logSearch) ofProgram(p runningProgram) {
	l.ofFlags(p, evidence.ParseFlags(p.args))
	l.ofFlags(p, evidence.ParseFlags(p.all[:len(p.all)-len(p.args)])) // of what wraps it
	if script := named(evidence.StartScript(p.all)); script != "" {
		content, _, _ := l.volumes.readVolume(script, maxCopy)
		l.ofFlags(p, evidence.ParseFlags(scriptArgs(string(evidence.DecodeText(content)))))
	}
	if p.service == "" {
		return
	}
	parameters, _ := l.open(servicesKey + p.service + `\Parameters`) // of nssm, where it has a part
	for _, name := range []string{"AppStdout", "AppStderr"} {
		if file, ok := parameters.expanded(name); ok {
			l.file(p.component, file)
		}
	}
}

func (l *logSearch) ofFlags(p runningProgram, flags evidence.Flags) {
	for _, file := range flags.All("log-file", "logfile", "log-file-path") {
		l.file(p.component, file)
	}
	for _, value := range flags.All("log-dir") {
		dir := named(value)
		if dir == "" {
			continue
		}
		var own []string
		for _, program := range p.programs {
			own = append(own, program+"*")
		}
		if last := baseName(dir); facts.EqualsAny(last, p.programs) ||
			facts.EqualsAny(last, p.services) {
			own = nil // the folder is the component's own
		}
		l.folder(dir, componentLogs{p.component, own}, "")
	}
}

// file takes a log and those that were rotated away from it: kubelet.log,
// kubelet.log.1 and kubelet-20261120T020000.log.
func (l *logSearch) file(component, value string) {
	p := named(value)
	if p == "" {
		return
	}
	dir, base := cutLastElement(p)
	info, err := l.volumes.stat(p)
	if err == nil && !info.IsDir() {
		l.add(component, p, base, info)
	} else if errors.Is(err, fs.ErrPermission) {
		l.refused[component] = cmp.Or(l.refused[component], err)
	}
	stem := strings.ToLower(strings.TrimSuffix(base, path.Ext(base)))
	if err == nil && len(stem) > 2 {
		l.folder(dir, componentLogs{component, []string{stem + ".*", stem + "-*"}}, "")
	}
}

func (l *logSearch) add(component, p, name string, info fs.FileInfo) {
	key := strings.ToLower(p)
	if l.seen[key] || info.Size() == 0 {
		return
	}
	l.seen[key] = true
	l.found[component] = append(l.found[component], foundLog{p, name, info.ModTime()})
}

// folder takes the logs of a folder that are a component's. In the evidence, prefix is in front of
// their names.
func (l *logSearch) folder(folder string, logs componentLogs, prefix string) {
	for _, e := range l.list(logs.component, folder) {
		if e.IsDir() || !isLog(e.Name()) || !matches(logs.names, e.Name()) {
			continue
		}
		p := folder + `\` + e.Name()
		// which follows links, and knows the size of what is being written
		info, err := l.volumes.stat(p)
		if err == nil && !info.IsDir() {
			l.add(logs.component, p, prefix+e.Name(), info)
		}
	}
}

func (l *logSearch) list(component, folder string) []fs.DirEntry {
	if l.ctx.Err() != nil {
		return nil
	}
	entries, _, err := l.volumes.list(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.refused[component] = cmp.Or(l.refused[component], fmt.Errorf("%s: %w", folder, err))
	}
	return entries
}

func matches(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := path.Match(pattern, strings.ToLower(name))
		return ok
	})
}

var (
	logName    = regexp.MustCompile(`(?i)\.(log|out|err)([.\-_].*)?$`)
	packedName = regexp.MustCompile(`(?i)\.(gz|zip|7z|tgz|etl|evtx|dmp|exe|dll|lock|tmp)$`)
)

// isLog tells a log by its name: kubelet.log, kubelet.log.1, and glog's
// kubelet.exe.WIN-1.SYSTEM.log.INFO.20261120-020000.3912.
func isLog(name string) bool { return logName.MatchString(name) && !packedName.MatchString(name) }

var cniLogSetting = regexp.MustCompile(`(?i)"log_?file(?:_?path)?"\s*:\s*"([^"]+)"`)

// ofCNI looks where the plugins of a folder's configurations write.
func (l *logSearch) ofCNI(folder string) {
	for _, e := range l.list("cni", folder) {
		if e.IsDir() || len(evidence.CNIFiles([]string{e.Name()})) == 0 {
			continue
		}
		content, _, _ := l.volumes.readVolume(folder+`\`+e.Name(), maxCopy)
		for _, m := range cniLogSetting.FindAllStringSubmatch(string(evidence.DecodeText(content)),
			8) {
			l.file("cni", strings.ReplaceAll(m[1], `\\`, `\`))
		}
	}
}

// pods takes the logs of pods: NAMESPACE_NAME_UID\CONTAINER\RESTARTS.log.
func (l *logSearch) pods() {
	for _, pod := range l.list("pods", podLogs) {
		parts := strings.Split(pod.Name(), "_")
		if len(parts) != 3 {
			continue
		}
		for _, container := range l.list("pods", podLogs+`\`+pod.Name()) {
			component := podComponent(parts[1], container.Name())
			prefix := container.Name() + "-"
			if component == "pods" {
				prefix = parts[0] + "_" + parts[1] + "_" + prefix
			}
			l.folder(podLogs+`\`+pod.Name()+`\`+container.Name(), componentLogs{component: component},
				prefix)
		}
	}
}

func podComponent(pod, container string) string {
	for _, name := range []string{container, pod} {
		for _, c := range podComponents {
			if strings.HasPrefix(name, c.start) && (name == pod || c.component == "ovs") {
				return c.component
			}
		}
	}
	return "pods"
}
