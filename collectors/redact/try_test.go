package redact

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTry(t *testing.T) {
	b, _ := os.ReadFile("/tmp/fl14.try")
	for text := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n") {
		text = strings.ReplaceAll(text, `␤`, "\n")
		fmt.Println(copied(t, fixed(), text, "logs/a.log"))
	}
}
