package windows_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"doctor/fixtures/program"
	"doctor/fixtures/wine"
)

// toldCost is a line of --verbose.
var toldCost = regexp.MustCompile(`(?m)^doctor: (.+?): ([0-9.]+) ms(?:  \((.*)\))?\r?$`)

// BenchmarkWine is a whole live run on a staged node, with a table of what each
// collector took in the fastest run.
func BenchmarkWine(b *testing.B) {
	wine.Require(b)
	n := wine.Start(b, wineFixture(b, "healthy"), program.BuildFor(b, "windows", "amd64"))
	best := map[string]float64{}
	gaps := map[string]string{}
	var peak int64
	wall := time.Hour
	measure := func() {
		r := n.Run("--json", "--verbose", "--passive")
		wall, peak = min(wall, r.Wall), max(peak, r.Peak)
		for _, m := range toldCost.FindAllStringSubmatch(r.Stderr, -1) {
			took, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				b.Fatal(err)
			}
			if before, ok := best[m[1]]; !ok || took < before {
				best[m[1]] = took
			}
			gaps[m[1]] = m[3]
		}
	}
	for range 3 { // the first one also loads Wine
		measure()
	}
	for b.Loop() {
		measure()
	}
	if len(best) == 0 {
		b.Fatal("--verbose told nothing of collectors")
	}
	names := make([]string, 0, len(best))
	for name := range best {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(-cmp.Compare(best[x], best[y]), cmp.Compare(x, y))
	})
	var table strings.Builder
	for _, name := range names {
		fmt.Fprintf(&table, "%10.1f ms  %-24s %.60s\n", best[name], name, gaps[name])
	}
	// A benchmark's log would be cut after ten lines.
	fmt.Printf("\neach collector at its fastest, side by side with the others; the whole process %v, %d MB at most\n%s", wall.Round(time.Millisecond), peak/1e6, table.String())
	b.ReportMetric(float64(peak)/1e6, "peak-MB")
	b.ReportMetric(best[names[0]], "slowest-ms")
}

// BenchmarkWineWatch is what a watch with a recorder costs on a staged node with 100 pods, at its own
// pace.
func BenchmarkWineWatch(b *testing.B) {
	wine.Require(b)
	n := wine.Start(b, wineFixture(b, "healthy"), program.BuildFor(b, "windows", "amd64"))
	hundredPods(b, n.Path("hns/endpoints"))
	for b.Loop() {
		r := n.Run("watch", "--bundle", `C:\rec`, "--for", "2m")
		if r.Status != 0 {
			b.Fatalf("exit status %d: %s%s", r.Status, r.Stdout, r.Stderr)
		}
		b.ReportMetric(100*r.CPU.Seconds()/r.Wall.Seconds(), "%-of-a-core")
		b.ReportMetric(float64(r.Peak)/1e6, "peak-MB")
	}
}

// hundredPods adds endpoints of pods to those that HNS has.
func hundredPods(b *testing.B, folder string) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range files {
		var endpoint map[string]any
		content, err := os.ReadFile(name)
		if err != nil || json.Unmarshal(content, &endpoint) != nil {
			b.Fatal(name, err)
		}
		if endpoint["HostComputeNamespace"] == nil {
			continue // is no pod's
		}
		for i := range 100 {
			id := fmt.Sprintf("%08X-0000-4000-8000-000000000000", i)
			endpoint["ID"], endpoint["IpConfigurations"] = id, []map[string]any{{
				"IpAddress": fmt.Sprintf("10.244.3.%d", 100+i), "PrefixLength": 24}}
			if content, err = json.Marshal(endpoint); err != nil {
				b.Fatal(err)
			}
			program.Write(b, filepath.Join(folder, id+".json"), string(content))
		}
		return
	}
	b.Fatal("HNS has no endpoint of a pod")
}
