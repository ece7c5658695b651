package evidence

import "strings"

// A Code names the sentence of a gap. It is searchable, stays the same when the
// sentence is reworded, and is what programs and translations go by.
type Code string

// A Remedy is what closes a gap.
type Remedy string

// The remedies. A code without one is closed by what its kind suggests.
const (
	Elevate        Remedy = "elevate"         // run as Administrator
	ClusterRights  Remedy = "cluster-rights"  // get the rights, or log in again
	ViaAPI         Remedy = "via-api"         // read the cluster too
	FromPod        Remedy = "from-pod"        // probe from inside a pod
	OnNode         Remedy = "on-node"         // run doctor on the node itself
	MoreTime       Remedy = "more-time"       // a longer --timeout
	WithoutPassive Remedy = "without-passive" // let it send probes
	ReadFile       Remedy = "read-file"       // see why the file cannot be read
	ByHand         Remedy = "by-hand"         // this Windows does not show it to a program
	RunCommand     Remedy = "run-command"     // give doctor the output of a command too
	WindowsNode    Remedy = "windows-node"    // give doctor a node that runs Windows
	WholeLog       Remedy = "whole-log"       // give doctor all of a log
	OpenCheck      Remedy = "open-check"      // see what the check lacks
)

// A wording is what a code stands for, declared once: the kind that it has, the
// English sentence, and what closes the gap where the kind does not tell. With
// phrase, the first argument is a phrase of its own: its format, which the next
// arguments fill in; what is left of them is for the sentence.
type wording struct {
	kind   string
	text   string
	closes Remedy
	phrase bool
}

// codes holds what each code stands for.
var codes = map[Code]wording{}

func declare(c Code, kind string, closes Remedy, text string) Code {
	codes[c] = wording{kind: kind, text: text, closes: closes}
	return c
}

// phrased declares a code whose first argument is a phrase of its own.
func phrased(c Code, kind string, closes Remedy, text string) Code {
	codes[c] = wording{kind: kind, text: text, closes: closes, phrase: true}
	return c
}

// Codes that hold a text from outside, shown as it stands.
var (
	AsRecorded = declare("as-recorded", "", "", "%s") // a .gap file that says nothing of its code
	Reported   = declare("reported", "", "", "%s")    // an error of the operating system or of a library
	ToolOutput = phrased("tool-output", "", "", "%s") // what the recording of another tool lacks
)

// Codes of evidence that was never asked for, or does not show what a check needs.
var (
	// see Remedy
	NotInRecording = declare("not-in-recording", NotCollected, OnNode,
		"this recording contains no %s")
	// several files that were never asked for
	NotPart        = declare("not-part-of-recording", NotCollected, OnNode, "not part of this recording")
	NotShown       = phrased("not-shown", NotCollected, "", "this recording does not show %s")
	NotDecided     = phrased("not-decided", NotCollected, "", "%s")
	NotProbed      = phrased("not-probed", NotCollected, FromPod, "this recording has no probe of %s")
	ListIncomplete = phrased("list-incomplete", NotCollected, "",
		"this recording lists only some of the %s")
	CutByRecorder = phrased("cut-by-recorder", NotCollected, "",
		"the recorder cut off %s (ConvertTo-Json without -Depth)")
	LogNotSearched = declare("log-not-searched", Error, "", "%s: %s")
	LogInPart      = declare("log-in-part", NotCollected, WholeLog,
		"only a part of the log is recorded (%s), and what it does not show may be in the rest")
	Passive         = declare("passive", NotCollected, WithoutPassive, "--passive sends no probes")
	NoReason        = declare("no-reason", Error, "", "the gap file gives no reason")
	Interrupted     = declare("interrupted", NotCollected, "", "the run was interrupted")
	LeftOutOfBundle = declare("left-out-of-bundle", NotCollected, OnNode,
		"left out of the bundle: %s")
	NotProbedHere = declare("not-probed-from-here", NotCollected, FromPod,
		"probes from this machine say nothing about %s; run doctor there, or name one of its pods with --from-pod")
	OnlyOnNode = declare("only-on-node", NotCollected, OnNode,
		"only the node itself shows this; run doctor on %s as Administrator")
	NoProbeTarget = declare("no-probe-target", NotCollected, "",
		"no host to probe is known; name one with --target")
	NoDNSServer = declare("no-dns-server", NotCollected, "",
		"no DNS server is known: neither the cluster's Services, nor the kubelet, the CNI configuration or an adapter name one")
	NotAmongFiles = phrased("not-among-files", NotCollected, RunCommand,
		"none of the files shows %s; run `%s`, and give doctor its output too")
	OtherSystem = declare("other-system", NotCollected, WindowsNode,
		"node %s runs %s, and doctor judges Windows nodes only")
)

// NotFound is the code of what was looked for and is not there.
var NotFound = phrased("not-found", Absent, "", "%s was not found")

// Codes of what was refused.
var (
	NeedsAdministrator  = declare("needs-administrator", Denied, Elevate, "run as Administrator")
	KubeconfigProtected = declare("kubeconfig-protected", Denied, Elevate,
		"the kubeconfig is readable by administrators only; run as Administrator")
	NotAuthorized = declare("not-authorized", Denied, ClusterRights,
		"may not %s %s: %s; `doctor explain rbac` prints the required role")
	SomeNamespaces = declare("some-namespaces", Denied, ClusterRights,
		"the account may list %s in these namespaces alone: %s; `doctor explain rbac` prints the required role")
	ClientCertRefused = declare("client-certificate-refused", Denied, ClusterRights,
		"%s does not accept the client certificate of the kubeconfig: %s")
	ClientCertExpired = declare("client-certificate-expired", Denied, ClusterRights,
		"the client certificate of the kubeconfig expired at %s, and %s does not accept it (401); renew it, or name another --context")
	CredentialsRefused = declare("credentials-refused", Denied, ClusterRights,
		"%s does not accept the kubeconfig's credentials (401); renew them, or name another --context")
	LoginProgramFailed = declare("login-program-failed", Denied, ClusterRights,
		"the kubeconfig's login program returns no credentials: %s; run it by hand to see why")
	OtherToolNotElevated = declare("other-tool-not-elevated", Denied, Elevate,
		"%s: %s; run the tool as Administrator")
)

// Codes of what did not answer.
var (
	NoAnswerWithin = phrased("no-answer-within", Timeout, MoreTime, "%s did not answer within %s")
	NoAnswer       = phrased("no-answer-in-time", Timeout, MoreTime, "%s did not answer in time")
	RunTimedOut    = phrased("run-timed-out", Timeout, MoreTime,
		"%s had not answered when the time limit of the whole run ended")
)

// NotSupported is the code of what cannot be had at all on this system.
var NotSupported = phrased("not-supported", Unsupported, ByHand, "%s")

// Codes of what went wrong.
var (
	Unreadable     = declare("unreadable", Error, ReadFile, "%s: %s")
	TooLargeToCopy = declare("too-large-to-copy", Error, ReadFile, "%s is too large to copy")
	TreeTooLarge   = declare("tree-too-large", Error, "",
		"the recording has more than %s MiB of structured evidence")
	TreeTooManyValues = declare("tree-too-many-objects", Error, "",
		"the recording has more than %s objects")
	FolderCut       = declare("folder-cut", Error, "", "the folder has more files than are listed here")
	NotRedacted     = declare("not-redacted", Error, "", "could not be redacted: %s")
	CollectorSilent = declare("collector-silent", Error, "", "the collector returned no data")
	CheckPanicked   = declare("check-panicked", Error, "",
		"the check panicked (%s), which is a bug in doctor; please report it with the bundle")
	NotAQuantity      = declare("not-a-quantity", Error, "", "%s is not a quantity of memory: %s")
	ServerCertExpired = declare("server-certificate-expired", Error, "",
		"the certificate of %s has expired, or this machine's clock is wrong: %s")
	ServerCertRefused = declare("server-certificate-untrusted", Error, "",
		"the certificate of %s is not trusted: %s")
	NameNotResolved  = declare("name-not-resolved", Error, "", "the name of %s does not resolve")
	Unreachable      = declare("unreachable", Error, "", "%s cannot be reached: %s")
	ProxyUnreachable = declare("proxy-unreachable", Error, "",
		"%s cannot be reached through the proxy %s (proxy-url of the kubeconfig, or HTTPS_PROXY): %s")
	NotAnAPIServer = declare("not-an-api-server", Error, "",
		"what answers at %s to %s %s is not an API server (%s); it may be a proxy that requires a login")
	NotALog = declare("not-a-log", Error, "",
		"what answers for the logs of %s is %s and no log; a proxy in between may require a login")
	AnotherNode = declare("another-node", Error, "",
		"the answer is about node %s, and the question was about %s")
	ConnectionCut = declare("connection-cut", Error, "",
		"%s closed the connection in the middle of the answer to %s %s")
	TooManyRequests = declare("too-many-requests", Error, "",
		"%s has too many requests (429) and did not answer %s %s; try again later")
	APIError      = declare("api-error", Error, "", "%s answered %s %s with %s: %s")
	APIFailed     = declare("api-failed", Error, "", "%s: %s %s: %s")
	APINoAnswer   = declare("api-no-answer", Timeout, MoreTime, "%s did not answer %s %s in time")
	APIHasNone    = declare("api-has-none", Absent, "", "%s has no %s")
	HNSNotRunning = declare("hns-not-running", Error, "",
		"the Host Networking Service is not running (%s): find out why, and start the service hns")
	HNSMissing = declare("hns-missing", Absent, "",
		"this Windows has no Host Networking Service (%s): install the feature Containers")
	HNSStateUnknown = declare("hns-state-unknown", Error, "",
		"the Host Networking Service was not asked, because a question starts it where it is stopped: %v")
)

// Codes of probes from inside a pod.
var (
	PodUnusable     = phrased("pod-unusable", NotCollected, FromPod, "%s")
	NotAskedFromPod = declare("not-asked-from-pod", NotCollected, FromPod,
		"no probe of this kind ran from the pod")
)

// Codes of evidence that a pod on the node was to bring.
var (
	// to any node
	NoPodSent = phrased("no-pod-sent", "", ClusterRights, "--on-node cannot send pods: %s")
	// from this one
	NoPodEvidence = phrased("no-pod-evidence", "", OnNode, "no evidence from inside the node: %s")
)

// kindRemedies is what closes a gap whose code does not say.
var kindRemedies = map[string]Remedy{
	Denied: Elevate, Timeout: MoreTime, Unsupported: ByHand, Error: ReadFile,
}

// Remedy is what closes the gap.
func (g Gap) Remedy() Remedy {
	closes := codes[g.Code].closes
	switch {
	case g.Code == NotInRecording && strings.HasPrefix(g.Args[0], "api/"):
		return ViaAPI
	case g.Code == NotInRecording && strings.HasPrefix(g.Args[0], "probes/"):
		return FromPod
	case closes != "":
		return closes
	case kindRemedies[g.Kind] != "":
		return kindRemedies[g.Kind]
	}
	return OpenCheck
}

// Command is the command whose output closes the gap, where its remedy is RunCommand.
func (g Gap) Command() string {
	if g.Code != NotAmongFiles {
		return ""
	}
	return g.Args[1]
}

// EachCode calls do with every code, its English sentence, and whether that takes a phrase.
func EachCode(do func(code Code, text string, phrase bool)) {
	for code, w := range codes {
		do(code, w.text, w.phrase)
	}
}
