package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/lipgloss"

	"doctor/checks/faults"
	"doctor/ui/lang"
)

// inChinese is the screen of a recorded node for a reader of Chinese.
func inChinese(t testing.TB, name string, size [2]int) model {
	return ofNode(t, name, Options{Width: size[0], Height: size[1],
		Lang: lang.Of("zh", faults.Catalogue())})
}

func TestGoldenScreensInChinese(t *testing.T) {
	for _, size := range goldenSizes {
		for _, s := range []struct {
			name, node string
			keys       []string
		}{
			{"overview", "podcidr-not-assigned", nil},
			{"detail", "podcidr-not-assigned", []string{"enter"}},
			{"symptoms", "podcidr-not-assigned", []string{"s"}},
			{"symptom-found", "podcidr-not-assigned", []string{"s", "enter"}},
			{"symptom-unknown", "cni-binary-missing-from-logs",
				[]string{"s", "G", "k", "k", "enter"}},
			{"timeline", "podcidr-not-assigned", []string{"t"}},
			{"browser", "podcidr-not-assigned", []string{"e"}},
			{"viewer", "podcidr-not-assigned", []string{"t", "enter"}},
			{"help", "podcidr-not-assigned", []string{"?"}},
			{"viewer-help", "podcidr-not-assigned", []string{"t", "enter", "?"}},
		} {
			name := fmt.Sprintf("zh-%s-%dx%d", s.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				golden(t, name, seen(through(inChinese(t, s.node, size), s.keys...)))
			})
		}
	}
}

func TestGoldenBundleInChinese(t *testing.T) {
	b := packer(func(_ context.Context, path string, _ func(BundleProgress)) (BundleDone, error) {
		return written(`C:\Users\Administrator\` + path), nil
	})
	half := BundleProgress{Phase: "writing", Files: 31, Of: 131, Bytes: 12 << 20,
		Total: 40 << 20, Left: 12 * time.Second}
	for _, size := range goldenSizes {
		m := inChinese(t, "podcidr-not-assigned", size)
		m.bundler = b
		asking := after(m, "b")
		writing, task := pressed(asking, "enter")
		halfWay, _ := writing.update(answer{writing.layers[0].number, half})
		done, _ := worked(writing, task)
		for name, m := range map[string]model{"asking": asking, "writing": halfWay,
			"written": done} {
			name := fmt.Sprintf("zh-bundle-%s-%dx%d", name, size[0], size[1])
			t.Run(name, func(t *testing.T) { golden(t, name, seen(m)) })
		}
	}
}

func TestGoldenLiveInChinese(t *testing.T) {
	for _, size := range goldenSizes {
		m := newModel(Options{Width: size[0], Height: size[1],
			Lang: lang.Of("zh", faults.Catalogue())}, true)
		m, _ = m.update(halfRead())
		name := fmt.Sprintf("zh-live-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) { golden(t, name, seen(m)) })
	}
}

// TestEveryFrameInChineseFits goes through all screens at many sizes.
func TestEveryFrameInChineseFits(t *testing.T) {
	t.Parallel()
	base := inChinese(t, "podcidr-not-assigned", [2]int{80, 24})
	for _, keys := range append(walks, []string{"e"}, []string{"e", "f", "G", "enter"},
		[]string{"t", "enter", "/"}) {
		for _, size := range sizes([][2]int{{20, 5}, {30, 8}, {31, 9}, {40, 15}, {57, 20}, {80, 24},
			{99, 24}, {100, 24}, {120, 40}, {200, 60}}) {
			m := base
			m.width, m.height = size[0], size[1]
			lines := draw(through(m.settled(), keys...))
			if len(lines) != size[1] {
				t.Fatalf("%v after %q: %d lines", size, keys, len(lines))
			}
			for i, l := range lines {
				if n := lipgloss.Width(l.String()); n > size[0] {
					t.Errorf("%v after %q: line %d takes %d cells: %q", size, keys, i, n, l)
				}
			}
		}
	}
}

func TestALineOfChineseBreaksBetweenCharactersAndKeepsItsMarks(t *testing.T) {
	for _, row := range []struct {
		text string
		w    int
		want string
	}{
		{"节点没有分配到网段，所以没有网络", 10, "节点没有分|配到网段，|所以没有网|络"},
		{"重启 kubelet 之后再看（需要管理员）", 12, "重启 kubelet|之后再看（需|要管理员）"},
		{"plain English words stay whole", 12, "plain|English|words stay|whole"},
	} {
		if got := strings.Join(wrap(row.text, row.w), "|"); got != row.want {
			t.Errorf("%q in %d cells is %q, want %q", row.text, row.w, got, row.want)
		}
	}
}

func TestAsciiTerminalsAreSpokenToInEnglish(t *testing.T) {
	m := ofNode(t, "podcidr-not-assigned", Options{Width: 80, Height: 24, ASCII: true,
		Lang: lang.Of("zh", faults.Catalogue())})
	if got := seen(after(m, "?")); !strings.Contains(got, "by symptom") {
		t.Errorf("the help is not in English:\n%s", got)
	}
}

// TestTheReportThatIsLeftStaysAsItCame: who writes it translates it.
func TestTheReportThatIsLeftStaysAsItCame(t *testing.T) {
	m := inChinese(t, "podcidr-not-assigned", [2]int{80, 24})
	if strings.ContainsFunc(m.shown.Report.Results[0].Title, func(r rune) bool {
		return unicode.Is(unicode.Han, r)
	}) {
		t.Errorf("the report was changed: %q", m.shown.Report.Results[0].Title)
	}
}
