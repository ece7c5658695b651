package foreign

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
)

// convertOutputs gives the readers of other tools' files the outputs under the names that they
// know. Only what there is an output of is read: the rest is asked for in one way.
func (p *pieces) convertOutputs(src *source, out *output, ran time.Time, node string) {
	given := func(name string, kinds ...partKind) textFile {
		t := textFile{name: string(kinds[0])}
		for _, k := range kinds {
			t.content += p.texts[k]
		}
		if t.content == "" {
			t.missing, t.gap = true, missingf("none of the files shows %s", t.name)
		}
		src.texts[name] = t
		return t
	}
	p.texts[partHNSDiag] = withoutOpenEnd(p.texts[partHNSDiag])
	given("hnsdiag.txt", partHNSDiag)
	diag := readHNSDiag(src)
	for i, k := range hnsKinds {
		documents, broken := splitDump(p.hns[i])
		isCut := p.hnsCut[i] || broken != ""
		if len(diag.records[i]) > 0 && (isCut || p.hns[i] == "") { // which shows them whole
			p.hns[i] = ""
			continue
		}
		if !isCut {
			p.hnsOfLists(i, out)
		} else {
			var names []string
			var part []record
			for _, d := range documents {
				list, _ := records(d.document)
				part = append(part, list...)
				for _, r := range list {
					names = append(names, clip(strings.TrimSpace(r.text("Name")+" "+r.text("ID")+" "+r.text("IPAddress"))))
				}
			}
			out.partial(k.path, "JSON that breaks off", names, part)
		}
	}
	for i, k := range hnsKinds {
		if p.hns[i] != "" {
			src.texts[k.file] = textFile{name: k.what, content: p.hns[i]}
		}
	}
	hns := readHNS(src)
	for i, k := range hnsKinds {
		if list, gap := hns.list(i); out.Has(k.path) {
		} else if gap.Kind != "" && k.heading == "endpoint" && len(hns.diag.named) > 0 {
			var names []string
			for _, r := range hns.diag.named {
				names = append(names, clip(strings.TrimSpace(r.text("Name")+" "+r.text("VirtualNetworkName"))))
			}
			out.partial(k.path, "hnsdiag list without -d", names, hns.diag.named)
		} else if p.hns[i] != "" || hns.diag.plain[i] > 0 ||
			p.texts[partHNSDiag] != "" && gap.Kind != evidence.NotCollected {
			out.either(k.path, list, gap)
		}
	}
	if version, ok := hnsVersion(hns.all()); ok {
		out.JSON("hns-globals.json", version)
	}
	p.convertMachine(out, given)

	net := interfaces{ip: given("ip.txt", partIPConfig),
		sections:  parseIPConfig(p.texts[partIPConfig]),
		addresses: addressesOf(p.fieldsOf(psAddresses)),
		adapterOf: netAdaptersOf(p.fieldsOf(psAdapters)),
		mtus:      p.interfacesOf(),
		listed:    listedInterfaces(p.texts[partRoutes])}
	if p.texts[partIPConfig] != "" {
		list, gap := net.adapters()
		var names []string
		for _, a := range list {
			names = append(names, clip(a.Name+" "+strings.Join(a.Addresses, " ")))
		}
		if strings.Contains(p.texts[partIPConfig], notShown+" adapter") { // there may be others above it
			out.partial("adapters.json", "ipconfig without its beginning", names, list)
		} else {
			out.either("adapters.json", list, gap)
		}
		out.write("dns-client.json")(net.dnsClient())
	}
	if routes := given("routes.txt", partRoutes); !routes.missing {
		out.write("routes.json")(readRoutes(routes, net))
	}
	p.convertAdapters(out)
	p.convertPorts(out, given("excluded", partExcluded), given("dynamic", partDynamic))
	if vfp := given("vfp", partVFP); !vfp.missing {
		list, gap := readVFP(vfp, vfp)
		if rules := vfpName.FindAllString(vfp.content, maxShown); gap.Kind != "" && len(rules) > 0 {
			vfp.content = "Policy for port : UNKNOWN\n" + vfp.content
			list, _ = readVFP(textFile{missing: true, gap: gap}, vfp)
			out.partial("vfp.json", "vfpctrl", rules, list)
		} else {
			out.either("vfp.json", list, gap)
		}
	}
	hcs, shims := given("hcsdiag list", partHCSDiag), given("shimdiag list", partShims)
	if !hcs.missing || !shims.missing {
		out.write("compute.json")(readCompute(hcs, shims))
	}
	if probes := p.reached(); len(probes) > 0 {
		out.JSON("probes/reach.json", probes)
	}
	p.convertObjects(out)
	p.convertDocker(out)
	p.convertRuntime(out)
	p.convertKubectl(out, ran, node)
}

func (p *pieces) convertMachine(out *output, given func(string, ...partKind) textFile) {
	si, known := readSysteminfo(given("systeminfo", partSystem))
	version := given("winver.txt", partVer)
	switch {
	case known:
		out.JSON("os.json", si.startedAt(si.booted))
		if len(si.hotfixes) > 0 {
			out.JSON("hotfixes.json", hotfixesOf(si.hotfixes))
		}
		if si.memory.TotalBytes > 0 {
			out.JSON("memory.json", si.memoryAndPageFiles())
		}
	case !version.missing:
		out.write("os.json")(readOS(version))
	}
	if hotfixes := given("hotfixes", partHotfixes); !hotfixes.missing && !out.Has("hotfixes.json") {
		list, gap := readHotfixes(hotfixes)
		if ids := hotfixID.FindAllString(hotfixes.content, maxObjects); gap.Kind != "" && len(ids) > 0 {
			list, gap = hotfixesOf(ids), evidence.Gap{} // of wmic, or with the properties that somebody chose
		}
		out.either("hotfixes.json", list, gap)
	}
	processes := joined(func(have, more evidence.Process) bool { return have.PID == more.PID },
		printedProcesses(p.fieldsOf(psProcesses))) // of Get-Process and tasklist
	if len(processes) >= enoughProcesses {
		out.JSON("processes.json", processes)
	}
	processes = append(processes, commandLines(p.texts[partCommand])...)
	var running []string
	for _, process := range processes {
		running = append(running, process.Name+" "+strconv.Itoa(process.PID))
	}
	out.partial("processes.json", "the list of processes", running, processes)
	p.convertServices(out, given("sc query", partSC))
}

// hnsDocument is the number in hnsKinds of what a JSON document of HNS holds, by its first object.
func hnsDocument(document string) (int, bool) {
	list, _ := records(firstElement(document))
	for _, r := range list {
		if k := kindOf(r); k >= 0 && !r.has("apiVersion") {
			return k, true
		}
	}
	return -1, false
}

// firstElement is the first element of an array, or the document that is none.
func firstElement(document string) json.RawMessage {
	trimmed := strings.TrimSpace(document)
	if !strings.HasPrefix(trimmed, "[") {
		return json.RawMessage(trimmed)
	}
	var first json.RawMessage
	if json.NewDecoder(strings.NewReader(trimmed[1:])).Decode(&first) != nil {
		return nil
	}
	return first
}

// criDocument reads crictl's answers in JSON: info, and the lists of pods, containers and images.
func criDocument(document string) (state evidence.CRIState, ok bool) {
	var answer struct {
		criInfo
		Items      []evidence.CRISandbox   `json:"items"`
		Containers []evidence.CRIContainer `json:"containers"`
		Images     []evidence.CRIImage     `json:"images"`
		ImageBOM   []evidence.CRIImage     // of the release notes of AKS
		APIVersion string                  `json:"apiVersion"`
	}
	json.Unmarshal([]byte(document), &answer)
	if answer.APIVersion != "" {
		return state, false
	}
	if strings.Contains(string(answer.Status), `"RuntimeReady"`) {
		state.Status, state.Config = answer.status(), answer.Config
	}
	if len(answer.Items) > 0 && strings.HasPrefix(answer.Items[0].State, "SANDBOX_") {
		state.Sandboxes = answer.Items
	}
	if len(answer.Containers) > 0 && strings.HasPrefix(answer.Containers[0].State, "CONTAINER_") {
		state.Containers = answer.Containers
	}
	answer.Images = append(answer.Images, answer.ImageBOM...)
	if len(answer.Images) > 0 && answer.Images[0].RepoTags != nil {
		state.Images = answer.Images
	}
	return state, !reflect.ValueOf(state).IsZero()
}

// convertRuntime adds crictl's tables to its answers in JSON.
func (p *pieces) convertRuntime(out *output) {
	p.takeCRI(evidence.CRIState{Sandboxes: readCrictlPods(p.texts[partCrictlPods]),
		Containers: append(readCrictlContainers(p.texts[partCrictlPS]), dockerContainers(p.texts[partContainers])...)})
	if len(p.cri.Images) == 0 { // otherwise crictl showed them in JSON
		takeRows(&p.cri.Images, criImages(readCtrImages(p.texts[partCtrImages]))) // the least first
		takeRows(&p.cri.Images, pulledImages(p.texts[partPulled]))
		takeRows(&p.cri.Images, readCrictlImages(p.texts[partImages]))
	}
	if !reflect.ValueOf(p.cri).IsZero() {
		out.JSON("cri.json", p.cri)
	}
	for _, t := range []struct {
		path string
		kind partKind
	}{{"cri.json", partContainers}, {"cri.json", partCrictlPS}, {"cri.json", partCrictlPods}, {"cri.json", partCtrImages},
		{"hns-networks.json", partNetworks}, {"memory.json", partTop}} {
		if rows := rowsOf(p.texts[t.kind]); p.texts[t.kind] != "" {
			out.partial(t.path, string(t.kind), rows, nil)
		}
	}
	out.partial("cri.json", "inspect", p.inspected, nil)
}

// rowsOf are the rows of a table below its heads, or the words that there is none.
func rowsOf(s string) (rows []string) {
	for line := range strings.Lines(s) {
		if fields := strings.Fields(line); len(fields) > 0 && strings.ToUpper(fields[0]) != fields[0] {
			rows = append(rows, clip(strings.Join(fields, " ")))
		}
	}
	if rows == nil {
		rows = []string{"no row"}
	}
	return rows
}

// takeCRI adds what an answer holds to what is known.
func (p *pieces) takeCRI(more evidence.CRIState) {
	if more.Status.Conditions != nil {
		p.cri.Status, p.cri.Config = more.Status, more.Config
	}
	takeRows(&p.cri.Sandboxes, joined(func(have, more evidence.CRISandbox) bool {
		return sameID(have.ID, more.ID)
	}, p.cri.Sandboxes, more.Sandboxes))
	takeRows(&p.cri.Containers, joined(func(have, more evidence.CRIContainer) bool {
		return sameID(have.ID, more.ID)
	}, p.cri.Containers, more.Containers))
	takeRows(&p.cri.Images, more.Images)
}

// sameID tells that two outputs show the same object: tables shorten identifiers.
func sameID(a, b string) bool {
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// Of `docker info` and `docker version`.
var (
	dockerField = regexp.MustCompile(
		`(?m)^ {0,2}(Server Version|Operating System|Kernel Version|Name): +(\S.*?)\s*$`)
	dockerServer = regexp.MustCompile(
		`(?m)^Server:[^\n]*\n(?: Engine:\n)?(?: .*\n)*? +Version: +(\S+)`)
	dockerComplaint = regexp.MustCompile(
		`(?i)^ {0,2}(?:warning|error)[: ]|^Cannot connect to the Docker daemon`)
	dockerBuild = regexp.MustCompile(`\(OS Build (\d+)(?:\.(\d+))?\)|^10\.0 (\d+) (?:\(\d+\.(\d+))?`)
)

// dockerFields are the first values of docker info.
func dockerFields(s string) map[string]string {
	fields := map[string]string{}
	for _, m := range dockerField.FindAllStringSubmatch(s, maxFields) {
		if fields[m[1]] == "" {
			fields[m[1]] = m[2]
		}
	}
	if m := dockerServer.FindStringSubmatch(s); m != nil && fields["Server Version"] == "" {
		fields["Server Version"] = m[1]
	}
	return fields
}

func (p *pieces) convertDocker(out *output) {
	fields := dockerFields(p.texts[partDocker])
	if v := ctrVersion(p.texts[partDocker]); v.RuntimeName != "" {
		p.cri.Version = v
	} else if version := fields["Server Version"]; version != "" {
		p.cri.Version = evidence.CRIVersion{RuntimeName: "docker", RuntimeVersion: version}
	}
	product, _, _ := strings.Cut(strings.TrimPrefix(fields["Operating System"], "Microsoft "),
		" (OS Build")
	for _, value := range []string{fields["Operating System"], fields["Kernel Version"]} {
		m := dockerBuild.FindStringSubmatch(value)
		if m == nil || !strings.HasPrefix(product, "Windows") || out.Has("os.json") {
			continue
		}
		name, version, _ := strings.Cut(product, " Version ")
		os := evidence.OS{ProductName: name, DisplayVersion: version, Build: number(m[1] + m[3]),
			UBR: number(m[2] + m[4])}
		if clientWindows(name) {
			os.InstallationType = "Client"
		}
		out.JSON("os.json", os)
	}
}

// clientWindows tells Windows 10 and 11 from Windows Server.
func clientWindows(product string) bool { return strings.HasPrefix(product, "Windows 1") }

// pulledImages reads `docker images`.
func pulledImages(s string) []evidence.CRIImage {
	rows, _ := readColumns(s, 2, "REPOSITORY", "TAG", "IMAGE ID")
	return imagesOf(rows, "REPOSITORY")
}

// A row of `docker ps` that is too wide for the console, in two lines.
var (
	foldedHead = regexp.MustCompile(`^CONTAINER ID .*\n +NAMES`)
	foldedRow  = regexp.MustCompile(`(?m)^(\S.*)\n( +\S.*)$`)
)

func unfoldedTable(s string) string {
	if wide := strings.Index(s, "\n"); foldedHead.MatchString(s) {
		return foldedRow.ReplaceAllStringFunc(s, func(row string) string {
			start, end, _ := strings.Cut(row, "\n")
			return fmt.Sprintf("%-*s%s", wide, strings.TrimRight(start, " "), end)
		})
	}
	return s
}

// dockerContainers reads `docker ps`.
func dockerContainers(s string) []evidence.CRIContainer {
	rows, _ := readColumns(s, 2, "CONTAINER ID", "IMAGE", "STATUS", "NAMES")
	return ofRows(rows, func(row map[string]string) evidence.CRIContainer {
		state := "CONTAINER_EXITED"
		if strings.HasPrefix(row["STATUS"], "Up ") {
			state = "CONTAINER_RUNNING"
		}
		return evidence.CRIContainer{ID: row["CONTAINER ID"], State: state,
			Image:    evidence.CRIImageSpec{Image: row["IMAGE"]},
			Metadata: evidence.CRIMetadata{Name: row["NAMES"]}}
	})
}
