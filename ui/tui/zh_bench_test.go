package tui

import (
	"testing"

	"doctor/checks/faults"
	"doctor/ui/lang"
)

// BenchmarkAnUpdateInChinese is what an update of a live run takes, of which
// twelve come in a second.
func BenchmarkAnUpdateInChinese(b *testing.B) {
	m := ofNode(b, "podcidr-not-assigned", Options{Width: 120, Height: 40,
		Lang: lang.Of("zh", faults.Catalogue())})
	for b.Loop() {
		m, _ = m.update(m.shown)
	}
}
