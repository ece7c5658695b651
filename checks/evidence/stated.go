package evidence

// A Statement is what the author of a text says about the node in words of their own.
type Statement struct {
	Fact  string `json:"fact"`  // windows, or the component whose version it is
	Value string `json:"value"` // 10.0.17763, v1.18.2
	Text  string `json:"text"`  // the line, bounded
	File  string `json:"file"`
	Line  int    `json:"line"`
}

// StatedWindows is the fact that is the build of Windows.
const StatedWindows = "windows"

// Stated is stated.json: facts that no output shows and a person states. A check may compare with
// them; alone they prove nothing.
var Stated = listKind[Statement]("stated.json")
