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

// Codes that hold a text from outside, shown as it stands.
const (
	AsRecorded Code = "as-recorded" // a .gap file that says nothing of its code
	Reported   Code = "reported"    // an error of the operating system or of a library
	ToolOutput Code = "tool-output" // what the recording of another tool lacks
)

// Codes of evidence that was never asked for, or does not show what a check needs.
const (
	NotInRecording  Code = "not-in-recording"
	NotPart         Code = "not-part-of-recording" // several files that were never asked for
	NotShown        Code = "not-shown"
	NotDecided      Code = "not-decided"
	NotProbed       Code = "not-probed"
	ListIncomplete  Code = "list-incomplete"
	CutByRecorder   Code = "cut-by-recorder"
	LogNotSearched  Code = "log-not-searched"
	LogInPart       Code = "log-in-part"
	Passive         Code = "passive"
	NoReason        Code = "no-reason"
	Interrupted     Code = "interrupted"
	LeftOutOfBundle Code = "left-out-of-bundle"
	NotProbedHere   Code = "not-probed-from-here"
	OnlyOnNode      Code = "only-on-node"
	NoProbeTarget   Code = "no-probe-target"
	NoDNSServer     Code = "no-dns-server"
	NotAmongFiles   Code = "not-among-files"
	OtherSystem     Code = "other-system"
)

// Codes of what was looked for and is not there.
const (
	NotFound Code = "not-found"
)

// Codes of what was refused.
const (
	NeedsAdministrator   Code = "needs-administrator"
	KubeconfigProtected  Code = "kubeconfig-protected"
	NotAuthorized        Code = "not-authorized"
	SomeNamespaces       Code = "some-namespaces"
	ClientCertRefused    Code = "client-certificate-refused"
	ClientCertExpired    Code = "client-certificate-expired"
	CredentialsRefused   Code = "credentials-refused"
	LoginProgramFailed   Code = "login-program-failed"
	OtherToolNotElevated Code = "other-tool-not-elevated"
)

// Codes of what did not answer.
const (
	NoAnswerWithin Code = "no-answer-within"
	NoAnswer       Code = "no-answer-in-time"
	RunTimedOut    Code = "run-timed-out"
)

// Codes of what cannot be had at all on this system.
const (
	NotSupported Code = "not-supported"
)

// Codes of what went wrong.
const (
	Unreadable        Code = "unreadable"
	TooLargeToCopy    Code = "too-large-to-copy"
	TreeTooLarge      Code = "tree-too-large"
	TreeTooManyValues Code = "tree-too-many-objects"
	FolderCut         Code = "folder-cut"
	NotRedacted       Code = "not-redacted"
	CollectorSilent   Code = "collector-silent"
	CheckPanicked     Code = "check-panicked"
	NotAQuantity      Code = "not-a-quantity"
	ServerCertExpired Code = "server-certificate-expired"
	ServerCertRefused Code = "server-certificate-untrusted"
	NameNotResolved   Code = "name-not-resolved"
	Unreachable       Code = "unreachable"
	ProxyUnreachable  Code = "proxy-unreachable"
	NotAnAPIServer    Code = "not-an-api-server"
	NotALog           Code = "not-a-log"
	AnotherNode       Code = "another-node"
	ConnectionCut     Code = "connection-cut"
	TooManyRequests   Code = "too-many-requests"
	APIError          Code = "api-error"
	APIFailed         Code = "api-failed"
	APINoAnswer       Code = "api-no-answer"
	APIHasNone        Code = "api-has-none"
	HNSNotRunning     Code = "hns-not-running"
	HNSMissing        Code = "hns-missing"
	HNSStateUnknown   Code = "hns-state-unknown"
)

// Codes of probes from inside a pod.
const (
	PodUnusable     Code = "pod-unusable"
	NotAskedFromPod Code = "not-asked-from-pod"
)

// Codes of evidence that a pod on the node was to bring.
const (
	NoPodSent     Code = "no-pod-sent"     // to any node
	NoPodEvidence Code = "no-pod-evidence" // from this one
)

// codes declares each code: its kind ("" where the collector says), its sentence, what closes it.
var codes = map[Code]wording{
	AsRecorded: {"", "%s", "", false},
	Reported:   {"", "%s", "", false},
	ToolOutput: {"", "%s", "", true},

	NotInRecording: {NotCollected, "this recording contains no %s", OnNode, false}, // see Remedy
	NotPart:        {NotCollected, "not part of this recording", OnNode, false},
	NotShown:       {NotCollected, "this recording does not show %s", "", true},
	NotDecided:     {NotCollected, "%s", "", true},
	NotProbed:      {NotCollected, "this recording has no probe of %s", FromPod, true},
	ListIncomplete: {NotCollected, "this recording lists only some of the %s", "", true},
	CutByRecorder: {NotCollected, "the recorder cut off %s (ConvertTo-Json without -Depth)", "",
		true},
	NotAmongFiles: {NotCollected, "none of the files shows %s; run `%s`, and give doctor its output too",
		RunCommand, true},
	OtherSystem: {NotCollected,
		"node %s runs %s, and doctor judges Windows nodes only", WindowsNode, false},
	LogNotSearched: {Error, "%s: %s", "", false},
	LogInPart: {NotCollected,
		"only a part of the log is recorded (%s), and what it does not show may be in the rest",
		WholeLog, false},
	Passive:         {NotCollected, "--passive sends no probes", WithoutPassive, false},
	NoReason:        {Error, "the gap file gives no reason", "", false},
	Interrupted:     {NotCollected, "the run was interrupted", "", false},
	LeftOutOfBundle: {NotCollected, "left out of the bundle: %s", OnNode, false},

	NotProbedHere: {NotCollected,
		"probes from this machine say nothing about %s; run doctor there, or name one of its pods with --from-pod", FromPod, false},
	OnlyOnNode: {NotCollected,
		"only the node itself shows this; run doctor on %s as Administrator", OnNode, false},
	NoProbeTarget: {NotCollected, "no host to probe is known; name one with --target", "",
		false},
	NoDNSServer: {NotCollected,
		"no DNS server is known: neither the cluster's Services, nor the kubelet, the CNI configuration or an adapter name one", "", false},

	NotFound: {Absent, "%s was not found", "", true},

	NeedsAdministrator: {Denied, "run as Administrator", Elevate, false},
	KubeconfigProtected: {Denied,
		"the kubeconfig is readable by administrators only; run as Administrator", Elevate, false},
	NotAuthorized: {Denied,
		"may not %s %s: %s; `doctor explain rbac` prints the required role", ClusterRights, false},
	SomeNamespaces: {Denied,
		"the account may list %s in these namespaces alone: %s; `doctor explain rbac` prints the required role", ClusterRights, false},
	ClientCertRefused: {Denied,
		"%s does not accept the client certificate of the kubeconfig: %s", ClusterRights, false},
	ClientCertExpired: {Denied,
		"the client certificate of the kubeconfig expired at %s, and %s does not accept it (401); renew it, or name another --context", ClusterRights, false},
	CredentialsRefused: {Denied,
		"%s does not accept the kubeconfig's credentials (401); renew them, or name another --context", ClusterRights, false},
	LoginProgramFailed: {Denied,
		"the kubeconfig's login program returns no credentials: %s; run it by hand to see why",
		ClusterRights, false},
	OtherToolNotElevated: {Denied, "%s: %s; run the tool as Administrator", Elevate, false},

	NoAnswerWithin: {Timeout, "%s did not answer within %s", MoreTime, true},
	NoAnswer:       {Timeout, "%s did not answer in time", MoreTime, true},
	RunTimedOut: {Timeout, "%s had not answered when the time limit of the whole run ended",
		MoreTime, true},

	NotSupported: {Unsupported, "%s", ByHand, true},

	Unreadable:     {Error, "%s: %s", ReadFile, false},
	TooLargeToCopy: {Error, "%s is too large to copy", ReadFile, false},
	TreeTooLarge: {Error, "the recording has more than %s MiB of structured evidence", "",
		false},
	TreeTooManyValues: {Error, "the recording has more than %s objects", "", false},
	FolderCut:         {Error, "the folder has more files than are listed here", "", false},
	NotRedacted:       {Error, "could not be redacted: %s", "", false},
	CollectorSilent:   {Error, "the collector returned no data", "", false},
	CheckPanicked: {Error,
		"the check panicked (%s), which is a bug in doctor; please report it with the bundle", "",
		false},
	NotAQuantity: {Error, "%s is not a quantity of memory: %s", "", false},
	ServerCertExpired: {Error,
		"the certificate of %s has expired, or this machine's clock is wrong: %s", "", false},
	ServerCertRefused: {Error, "the certificate of %s is not trusted: %s", "", false},
	NameNotResolved:   {Error, "the name of %s does not resolve", "", false},
	Unreachable:       {Error, "%s cannot be reached: %s", "", false},
	ProxyUnreachable: {Error,
		"%s cannot be reached through the proxy %s (proxy-url of the kubeconfig, or HTTPS_PROXY): %s", "", false},
	NotAnAPIServer: {Error,
		"what answers at %s to %s %s is not an API server (%s); it may be a proxy that requires a login", "", false},
	NotALog: {Error,
		"what answers for the logs of %s is %s and no log; a proxy in between may require a login", "", false},
	AnotherNode: {Error, "the answer is about node %s, and the question was about %s", "", false},
	ConnectionCut: {Error, "%s closed the connection in the middle of the answer to %s %s", "",
		false},
	TooManyRequests: {Error,
		"%s has too many requests (429) and did not answer %s %s; try again later", "", false},
	APIError:    {Error, "%s answered %s %s with %s: %s", "", false},
	APINoAnswer: {Timeout, "%s did not answer %s %s in time", MoreTime, false},
	APIHasNone:  {Absent, "%s has no %s", "", false},
	APIFailed:   {Error, "%s: %s %s: %s", "", false},

	HNSMissing: {Absent,
		"this Windows has no Host Networking Service (%s): install the feature Containers", "",
		false},
	HNSStateUnknown: {Error,
		"the Host Networking Service was not asked, because a question starts it where it is stopped: %v",
		"", false},
	HNSNotRunning: {Error,
		"the Host Networking Service is not running (%s): find out why, and start the service hns",
		"", false},

	PodUnusable:     {NotCollected, "%s", FromPod, true},
	NotAskedFromPod: {NotCollected, "no probe of this kind ran from the pod", FromPod, false},

	NoPodSent:     {"", "--on-node cannot send pods: %s", ClusterRights, true},
	NoPodEvidence: {"", "no evidence from inside the node: %s", OnNode, true},
}

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
