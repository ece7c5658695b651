package tui

import (
	"fmt"
	"testing"
)

// TestGoldenMap: the map of a node whose HNS network is missing, and where the next mark is.
func TestGoldenMap(t *testing.T) {
	for _, size := range goldenSizes {
		for _, s := range []struct {
			name, node string
			keys       []string
		}{
			{"map", "hns-network-missing", []string{"p"}},
			{"map-next", "outboundnat-exception-missing", []string{"p", "n"}},
			{"map-end", "healthy-calico", []string{"p", "G"}},
		} {
			name := fmt.Sprintf("%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden(t, name, seen(withTasks(ofNode(t, s.node,
					Options{Width: size[0], Height: size[1]}), s.keys...)))
			})
			t.Run("zh-"+name, func(t *testing.T) {
				golden(t, "zh-"+name, seen(withTasks(inChinese(t, s.node, size), s.keys...)))
			})
		}
	}
}
