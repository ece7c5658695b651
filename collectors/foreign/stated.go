package foreign

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// What the author of a text states about the node: fields of an issue's template, and sentences that say
// where something runs.

var (
	templateMark = strings.NewReplacer("**", "", "__", "", "`", "")
	htmlComment  = regexp.MustCompile(`<!--.*?(?:-->|$)`)
	// A field with its value, behind what the template asks: (use `kubectl version`), (e.g. ...).
	statedField = regexp.MustCompile(`^([A-Za-z][\w/ -]{1,40}?) *(?:\([^()]*\))? *[:=] *(?:\((?:use|e\.g|i\.e)[^()]*\) *:? *)?(.*)$`)
	ofField     = regexp.MustCompile(`^(?:what |the |your |version of )*(.*?)(?: server)?(?: and)?(?: version)?$`)
	// What `rke2 --version` prints, without its prompt.
	rke2Version   = regexp.MustCompile(`^rke2(?:\.exe)? version (v1\.\d+\.\d+\S*)`)
	aboutWindows  = regexp.MustCompile(`^(?:(?:host|node|worker|worker node|windows|windows node) )?(?:os|operating system|kernel)(?: (?:sku|name|image|build))?$|^windows(?: os| build)?$|^host$`)
	statedNumber  = regexp.MustCompile(`\bv?\d+(?:\.\d+)+[-+.\w]*`)
	statedBuild   = regexp.MustCompile(`(?i)\b(?:10\.0[. ]|(?:build|version) )(\d{5})(?:\.(\d{1,6}))?\b`)
	statedRelease = regexp.MustCompile(`(?i)(?:^|[^\d.])(20(?:16|19|22|25)|1[78]09|1803|190[39]|2004|2[03]H2)\b`)
	namedRelease  = regexp.MustCompile(`(?i)\b(?:windows|server|ltsc)[ _-]*(?:server)?[ _-]*(?:core)?[ ,_-]*(?:version )?(?:20\d\d|1[789]0\d|2\dH2)\b`)
	// A value that is no answer, or one of several.
	openValue = regexp.MustCompile(`(?i)[<>≥~?]|\d\+?\.x\b|\d\+(?:\s|$)|\b(?:e\.g|or|and) (?:later|newer|above|up|higher)\b|\be\.g\b|\bclient\b|\bwindows 1[01]\b`)
	eachSide  = regexp.MustCompile(`(?i)\(?both client ?(?:/|and|&) ?server\)?`)
	// A sentence that says where it all runs, and words with which it may say something else.
	runsOn    = regexp.MustCompile(`(?i)(?:\b(?:running|runs) (?:in|on|under)?|^on) ?(?:a |an |the )?(?:windows|server)\b`)
	otherwise = regexp.MustCompile(`(?i)\bnot\b|n't\b|\?|\b(?:without|works?|working|fine|instead|needs?|support\w*|should|if|when|containers?|images?|base|before|earlier|also|other|another)\b`)
	// The image that docker pulls or builds from, in a command, a Dockerfile or docker's own step.
	pulledImage = regexp.MustCompile(`(?im)^(?:.*\bstep \d+/\d+ ?: ?)?FROM +(\S+:\S+)|\bdocker(?:\.exe)? pull +(\S+:[\w.-]+)`)
	imageOrPath = regexp.MustCompile(`\S*[/:\\]\S*`)
)

// statedOf is what the fields of templates call the components whose versions they ask for; of some the
// value names the component.
var (
	statedOf = map[string]string{"kubernetes": "kubelet", "k8s": "kubelet", "kubelet": "kubelet", "server": "kubelet",
		"aks": "kubelet", "eks": "kubelet", "gke": "kubelet", "orchestrator": "kubelet", "rke2": "rke2", "containerd": "containerd",
		"calico": "calico", "flannel": "flannel", "antrea": "antrea", "csi-proxy": "csi-proxy", "kube-proxy": "kube-proxy",
		"container runtime": "named", "network plugin": "named", "cni": "named", "cni plugin": "named"}
	named = map[string]string{"containerd": "containerd", "docker": "docker", "calico": "calico", "flannel": "flannel",
		"antrea": "antrea"}
	firstWord = regexp.MustCompile(`^[A-Za-z]+`)
)

// takeStated keeps what the lines state that no reader takes.
func (p *pieces) takeStated(file, text string, parts []part) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := pulledImage.FindStringSubmatch(line); m != nil {
			p.stated = append(p.stated, evidence.Statement{Fact: evidence.StatedImage, Value: m[1] + m[2], Text: clip(strings.TrimSpace(line)), File: file, Line: i + 1})
		}
	}
	for _, found := range parts {
		if found.shows() || found.kind == partGrid {
			clear(lines[found.line-1 : min(found.line-1+strings.Count(found.text, "\n"), len(lines))])
		}
	}
	kubectl := strings.Contains(text, "kubectl version")
	var sentences []evidence.Statement
	releases := map[string]bool{}
	for i, line := range lines {
		if isLogLine(line) {
			continue
		}
		clean := strings.TrimLeft(strings.TrimSpace(templateMark.Replace(htmlComment.ReplaceAllString(line, ""))), "-*+>•# \t")
		state := func(fact, value string) {
			if fact != "" && value != "" {
				p.stated = append(p.stated, evidence.Statement{Fact: fact, Value: value, Text: clip(clean), File: file, Line: i + 1})
			}
		}
		if m := rke2Version.FindStringSubmatch(clean); m != nil {
			state("rke2", m[1])
		} else if m := statedField.FindStringSubmatch(clean); m != nil {
			value := m[2]
			if next := strings.TrimSpace(strings.Join(lines[i+1:min(i+3, len(lines))], "\n")); value == "" && !strings.Contains(next, ":") {
				value = firstLine(next)
				clean += " " + value
			}
			state(statedFact(strings.ToLower(m[1]), value, kubectl))
		}
		prose := imageOrPath.ReplaceAllString(clean, "")
		for _, name := range namedRelease.FindAllString(prose, maxFields) {
			releases[statedWindows(name)] = true
		}
		if runsOn.MatchString(prose) && !otherwise.MatchString(prose) {
			if value := statedWindows(prose); value != "" {
				sentences = append(sentences, evidence.Statement{Fact: evidence.StatedWindows, Value: value, Text: clip(clean), File: file, Line: i + 1})
			}
		}
	}
	if len(releases) == 1 && !slices.ContainsFunc(p.stated, func(s evidence.Statement) bool { return s.Fact == evidence.StatedWindows }) {
		p.stated = append(p.stated, sentences...)
	}
}

// statedFact is the fact that a field and its value state, or none.
func statedFact(field, value string, kubectl bool) (fact, found string) {
	value = eachSide.ReplaceAllString(value, "")
	name := ofField.FindStringSubmatch(field)[1]
	if openValue.MatchString(value) || name == "server" && !kubectl { // of another program
		return "", ""
	}
	if aboutWindows.MatchString(name) {
		if strings.HasPrefix(name, "windows") {
			value = "Windows " + value
		}
		return evidence.StatedWindows, statedWindows(value)
	}
	if fact = statedOf[name]; fact == "named" {
		fact = named[strings.ToLower(firstWord.FindString(value))]
	}
	numbers := statedNumber.FindAllString(value, maxFields)
	if len(numbers) != 1 || strings.Count(numbers[0], ".") < 2 {
		return "", ""
	}
	return fact, numbers[0]
}

// statedWindows is the build of the only release of Windows that a text names, or "".
func statedWindows(text string) string {
	var builds, revisions []string
	for _, m := range statedBuild.FindAllStringSubmatch(text, maxFields) {
		builds = append(builds, m[1])
		if m[2] != "" {
			revisions = append(revisions, m[2])
		}
	}
	if strings.Contains(strings.ToLower(text), "windows") || namedRelease.MatchString(text) {
		for _, m := range statedRelease.FindAllStringSubmatch(text, maxFields) {
			builds = append(builds, strconv.Itoa(evidence.WindowsBuild(m[1])))
		}
	}
	builds, revisions = evidence.Unique(builds), evidence.Unique(revisions)
	if len(builds) != 1 || len(revisions) > 1 {
		return ""
	}
	return strings.Join(append([]string{"10.0", builds[0]}, revisions...), ".")
}

// convertStated writes what is stated once, or several times in the same way.
func (p *pieces) convertStated(out *output) {
	runtimes := []string{"containerd", "docker"}
	list := slices.DeleteFunc(slices.Clone(p.stated), func(s evidence.Statement) bool {
		return slices.ContainsFunc(p.stated, func(o evidence.Statement) bool {
			longer, shorter := strings.TrimPrefix(s.Value, "v"), strings.TrimPrefix(o.Value, "v")
			if s.Fact == o.Fact { // of the images that an author pulls in turn, the error stands below its own
				return !(s.Fact == evidence.StatedImage && strings.Contains(s.Text, " pull ") && strings.Contains(o.Text, " pull ")) && !strings.HasPrefix(longer+".", shorter+".") && !strings.HasPrefix(shorter+".", longer+".")
			}
			return slices.Contains(runtimes, s.Fact) && slices.Contains(runtimes, o.Fact)
		})
	})
	slices.SortStableFunc(list, func(a, b evidence.Statement) int { return len(b.Value) - len(a.Value) })
	if len(list) > 0 {
		out.JSON(evidence.Stated.Path(), list)
	}
}
