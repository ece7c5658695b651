package evidence

// A Statement is what the author of a text says about the node in words of their own.
type Statement struct {
	Fact  string `json:"fact"`  // windows, image, or the component whose version it is
	Value string `json:"value"` // 10.0.17763, v1.18.2
	Text  string `json:"text"`  // the line, bounded
	File  string `json:"file"`
	Line  int    `json:"line"`
}

// The facts that are no version of a component: the build of Windows, and the image that is pulled.
const (
	StatedWindows = "windows"
	StatedImage   = "image"
)

// Stated is stated.json: facts that no output shows and a person states. A check may compare with
// them; alone they prove nothing.
var Stated = listKind[Statement]("stated.json")
