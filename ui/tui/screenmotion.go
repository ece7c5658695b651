package tui

import (
	"math"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// screenMotion turns a key of motion into rows, on a page of that many.
func screenMotion(k tea.KeyMsg, page int) (int, bool) {
	const far = math.MaxInt32 / 2
	switch {
	case key.Matches(k, keys.up):
		return -1, true
	case key.Matches(k, keys.down):
		return 1, true
	case key.Matches(k, keys.top):
		return -far, true
	case key.Matches(k, keys.bottom):
		return far, true
	case key.Matches(k, keys.pageUp):
		return -max(page-1, 1), true
	case key.Matches(k, keys.pageDown):
		return max(page-1, 1), true
	case key.Matches(k, keys.halfUp):
		return -max(page/2, 1), true
	case key.Matches(k, keys.halfDown):
		return max(page/2, 1), true
	}
	return 0, false
}
