package foreign

import (
	"cmp"
	"path"
	"regexp"
	"strings"

	"doctor/checks/evidence"
)

// capz is what the log collector of Cluster API Azure's end-to-end tests leaves of a Windows
// machine (test/e2e/azure_logcollector.go): artifacts/clusters/CLUSTER/machines/MACHINE, or
// machine-pools/POOL/MACHINE.
var capz = format{
	name:      "capz-artifacts",
	marks:     "a Windows machine in the artifacts of Cluster API Azure's tests (network-detailed.log, hnsendpolicy-detailed.log and scm.log in one folder)",
	recognise: func(folder listing) bool { return folder.count(capzNames...) >= 2 },
	inside:    func(string) bool { return true },
	nodeName:  capzName,
	convert:   convertCAPZ,
}

const capzTool = "the log collector of Cluster API Azure"

var capzNames = []string{"network-detailed.log", "network-individual-detailed.log",
	"hnsendpoints.log", "hnsendpolicy-detailed.log", "hyperv-operation.log", "containers-hcs.log",
	"scm.log", "reboots.log"}

func capzName(src *source) string {
	// that of the folder is the machine's own
	return cmp.Or(hostName(src.text("ipconfig.log").content), path.Base(src.root))
}

func convertCAPZ(src *source, out *output) {
	named := map[string]string{"network.txt": "network-detailed.log",
		"networkdetailed.txt": "network-individual-detailed.log",
		"endpoint.txt":        "hnsendpoints.log", "policy.txt": "hnsendpolicy-detailed.log"}
	for name, file := range named {
		src.texts[name] = src.readText(file, maxDump)
	}
	hns := readHNS(src)
	hns.convert(out, unversioned(capzTool))

	ip := src.text("ipconfig.log")
	net := interfaces{ip: ip, sections: parseIPConfig(ip.content),
		addresses: addressesOf(printed(src.text("ips.log").content))}
	out.write("adapters.json")(net.adapters())
	out.write("dns-client.json")(net.dnsClient())
	out.write("services.json")(readGetService(src.text("services.log")))

	files := sortedValues(src.names.files)
	compute := readWrapped(src, "hyperv-operation.log", "Microsoft-Windows-Hyper-V-Compute")
	system := append(readWrapped(src, "scm.log", "Service Control Manager").excerpt("System"),
		readWrapped(src, "reboots.log", "").excerpt("System")...)
	events := append(system, compute.excerpt("Microsoft-Windows-Hyper-V-Compute-Operational")...)
	if len(events) > 0 {
		out.JSON("events.json", events)
	} else {
		out.Gap("events.json", missingf(
			"scm.log, reboots.log and hyperv-operation.log show no event; %s", runBundle))
	}
	inUse := readCtrContainers(src.text("containerd-containers.log").content)
	if image := pauseImage(inUse, nil); image != "" {
		out.JSON("cri.json", evidence.CRIState{Config: sandboxImage(image)})
	}
	for _, log := range []string{"kubelet.log", "containerd.log", "cni.log"} {
		out.log(src, log, logComponent(log, "other"))
	}
	out.meta(src, "capz-artifacts", capzName(src), src.newest(files...), hns.answered())
	out.uncollected(capzTool, map[string]evidence.Gap{"cri.json": missingf(
		"%s shows no sandbox image in containerd-containers.log; collect `crictl info`", capzTool)})
}

// A ruler of four columns or more below the heads of a table.
var wrappedHeads = regexp.MustCompile(`(?m)^ *TimeCreated +Id +LevelDisplayName +Message *\n([- ]+)\n`)

// readWrapped reads events that `Format-Table -Wrap` printed: a row goes on in lines that have a
// message alone.
func readWrapped(src *source, name, provider string) export {
	t := src.text(name)
	e := export{name: t.name, gap: t.gap}
	at := wrappedHeads.FindStringSubmatchIndex(t.content)
	if e.gap.Kind != "" || at == nil {
		return e
	}
	columns, starts := splitHeads(t.content[at[2]:at[3]], 1)
	if len(columns) != 4 {
		return e
	}
	for line := range strings.Lines(t.content[at[1]:]) {
		line = strings.TrimRight(line, " \n")
		// numbers stand on the right, so the Id begins left of its head
		front := strings.TrimSpace(line[:min(len(line), starts[2])])
		level := strings.TrimSpace(line[min(len(line), starts[2]):min(len(line), starts[3])])
		message := strings.TrimSpace(line[min(len(line), starts[3]):])
		stamp, id := "", front
		if space := strings.LastIndexByte(front, ' '); space >= 0 {
			stamp, id = strings.TrimSpace(front[:space]), front[space+1:]
		}
		last := len(e.events) - 1
		switch {
		case line == "" || len(e.events) == maxExported:
		case number(id) > 0 && stamp != "":
			e.events = append(e.events, exported{stamp, evidence.WindowsEvent{
				ID: number(id), Level: level, Provider: provider, Message: message}})
		case last >= 0 && len(e.events[last].Message) < maxListValue:
			e.events[last].Message += " " + message
		}
	}
	inOrder(e.events, src.newest(name))
	return e
}
