package ui

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"doctor/checks"
)

// BundleReadme writes the README.txt of a bundle, for somebody who opens the
// archive by hand and may never have heard of doctor.
func BundleReadme(w io.Writer, r checks.Report, about About) error {
	r = plainly(r, false)
	d := &readme{newPage(Style{Width: readmeWidth}), r, plainAbout(about, r)}
	d.gutter = 26
	d.head()
	d.reading()
	d.folders()
	d.secrets()
	d.leftOut()
	d.heading("Where to file the bug")
	d.para(`issue.md is the bug form, filled in as far as the evidence goes. Complete what says "not recorded", read the rest, and post it with this bundle at https://github.com/kubernetes/kubernetes/issues/new/choose, or at the project of the network plugin where the fault is the plugin's. #sig-windows on the Kubernetes Slack (https://slack.k8s.io) answers questions; ask there first if you are not sure.`)
	return d.writeTo(w)
}

type readme struct {
	*page
	r     checks.Report
	about About
}

// readmeWidth is narrow enough for an editor's window.
const readmeWidth = 78

func (d *readme) heading(text string) {
	fmt.Fprintf(&d.b, "\n%s\n%s\n", text, strings.Repeat("-", len(text)))
}

func (d *readme) para(text string) { d.page.para(text, nil) }

// item writes a name and what it is, beneath each other's columns.
func (d *readme) item(name, text string) {
	if width(name) > d.gutter-4 {
		d.line("  ", name)
		name = ""
	}
	d.prose("  "+name, nil, text, nil)
}

func (d *readme) head() {
	title := "State of a Kubernetes Windows node"
	if d.r.Node.Name != "" {
		title += ": " + clip(d.r.Node.Name, maxValue)
	}
	d.b.WriteString(title + "\n" + strings.Repeat("=", min(width(title), readmeWidth)) + "\n\n")
	d.para("This is a bundle of doctor, which finds out what is wrong with Windows nodes of Kubernetes. It holds what was read of one node, and what doctor made of it. Nothing was changed on the node.")
	d.blank()
	facts := Style{}.NodeFacts(d.r)
	if d.r.Node.Name != "" && len(facts) > 0 {
		facts = facts[1:]
	}
	from := cmp.Or(strings.TrimSpace(d.r.Source.Kind+" "+d.r.Source.Name), "not recorded")
	if f := d.r.Source.Format; f != "" {
		from += " (" + f + ")"
	}
	for _, row := range [][2]string{
		{"node", cmp.Or(d.r.Node.Name, "not recorded")},
		{"what it is", cmp.Or(strings.Join(facts, ", "), "not recorded")},
		{"recorded at", cmp.Or(recordedAt(d.r), "not recorded")},
		{"recorded from", from},
		{"written by", "doctor " + d.about.Version},
		{"in short", Style{}.Counts(d.r)},
	} {
		d.item(row[0], clip(row[1], 3*maxValue))
	}
}

func (d *readme) reading() {
	file := argument(d.about.Bundle)
	d.heading("To read it")
	d.para("report.txt is the diagnosis: the causes first, then what follows from them, each with the lines that show it. doctor says the same of the bundle on any system (Linux, macOS, Windows):")
	fmt.Fprintf(&d.b,
		"\n    doctor --from %s          on screen\n    doctor --from %s --json   for programs\n\n",
		file, file)
	d.para("A newer doctor may find more in the same bundle. To read it by hand, unpack it: all files are text. A place such as logs/kubelet/kubelet.log:41 is line 41 of that file here, which need not be that of the file on the node. In events.json and below api/ the number counts the records of the list instead.")
}

// plainName is what a shell takes for a file name and nothing else, at least in quotes.
var plainName = regexp.MustCompile(`^[\w.-][\w. ()-]*$`)

// argument writes a file name for a command line that somebody will copy.
func argument(s string) string {
	switch {
	case !plainName.MatchString(s):
		return "BUNDLE.zip"
	case strings.ContainsAny(s, " ()"):
		return `"` + s + `"`
	}
	return s
}

var bundleHolds = []struct{ name, what string }{
	{"README.txt", "this text"},
	{"report.txt, report.json", "the diagnosis, for people and for programs"},
	{"issue.md", "the bug form of kubernetes/kubernetes, filled in"},
	{"manifest.json",
		"for each file: where it came from, its size there and here, its SHA-256, what was cut or replaced in it, and what went wrong"},
	{"meta.json",
		"the node's name, when the evidence was collected, and by what: all times are judged by this one"},
	{"*.json", "what Windows and HNS report: os, services, processes, adapters, routes, hns-networks, hns-endpoints, hns-loadbalancers and so on; cri.json is what the container runtime reports, events.json has excerpts of the event logs"},
	{"files/C/...",
		"copies of files of the node, each beneath its own path: files/C/k/config is C:\\k\\config. files.json says what was looked for, and what was not there"},
	{"logs/COMPONENT/...", "logs of kubelet, kube-proxy, containerd, flanneld and so on, as UTF-8"},
	{"api/...", "objects of the cluster as kubectl get -o json prints them: the Node, its pods and their events, services, and others"},
	{"probes/...",
		"probes from the node or from its pods: DNS names, and addresses to reach"},
	{"*.gap", "takes the place of a file that could not be collected: one line with the reason. Absent means that the file is not on the node; denied, that it may be there"},
}

func (d *readme) folders() {
	d.heading("What is in it")
	for _, f := range bundleHolds {
		d.item(f.name, f.what)
	}
	d.blank()
	d.para("The state of HNS is there a second time under the names that collectlogs.ps1 of microsoft/SDN gives it (network.txt, endpoint.txt, policy.txt and others), where it was recorded. Not every bundle holds every file.")
}

func (d *readme) secrets() {
	d.heading("Secrets and names")
	d.para("Passwords, tokens and keys were replaced before anything was written, by marks such as <secret:bearer:3fa2c1>: the kind of the secret, and six digits. The same secret has the same digits all over this bundle, so that you can see whether two places hold the same one. The digits cannot be turned back into the secret, and another bundle has other digits.")
	d.blank()
	if d.about.Masked {
		d.para("Names of hosts and users, SIDs, MAC addresses and public IP addresses are masked: the same name has the same mask all over this bundle, and addresses of one subnet stay together.")
	} else {
		d.para("Names of hosts, users, namespaces and pods, and addresses, are as they were. If they must not leave your organization, create the bundle with --mask-names.")
	}
	d.blank()
	d.para("No list of secrets is complete: look through the bundle before you publish it.")
}

const maxReadmeLeftOut = 500

func (d *readme) leftOut() {
	d.heading("What was left out")
	if len(d.about.LeftOut) == 0 {
		d.para("Nothing that was collected. What could not be collected is named in the *.gap files and in report.txt.")
		return
	}
	for _, l := range d.about.LeftOut[:min(len(d.about.LeftOut), maxReadmeLeftOut)] {
		d.item(l.Path, l.Reason)
	}
	if more := len(d.about.LeftOut) - maxReadmeLeftOut; more > 0 {
		d.para("and " + count(more, "other file") + ": manifest.json has them all.")
	}
}
