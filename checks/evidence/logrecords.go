package evidence

// LogRecords is logs.json: what is known of the logs beside what they hold. A
// bundle writes it, whose logs may be parts of what the node has.
var LogRecords = jsonKind[LogIndex]("logs.json")

// A LogIndex tells how far each log was searched where it was whole, and for what.
type LogIndex struct {
	// SearchedFor is a digest of the texts that were searched for, by check. What
	// was not found is not there only as far as the texts are the same.
	SearchedFor map[string]string `json:"searchedFor,omitempty"`
	Logs        []LogRecord       `json:"logs"`
}

// A LogRecord is one log that is not here in full, or was not searched in full.
type LogRecord struct {
	Path         string `json:"path"` // such as logs/kubelet/kubelet.log
	LeftOutLines int    `json:"leftOutLines,omitempty"`
	LeftOutBytes int64  `json:"leftOutBytes,omitempty"`
	Unsearched   string `json:"unsearched,omitempty"` // why the search did not come to its end
	Excerpt      bool   `json:"excerpt,omitempty"`    // lines that somebody copied from where they stood
}

// LeftOut begins the line that stands in a log where a bundle leaves lines out.
const LeftOut = "[doctor left out "
