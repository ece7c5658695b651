package faults_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"doctor/checks/evidence"
	"doctor/checks/faults"
	"doctor/checks/signs"
	"doctor/fixtures"
)

// BenchmarkSignsBesideRipgrep scans the same logs for the same texts, once with
// the doctor and once with `rg -F -f`, turn and turn about, and prints how many
// times as fast as ripgrep the doctor was.
func BenchmarkSignsBesideRipgrep(b *testing.B) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("no ripgrep to compare with: apt-get install ripgrep")
	}
	dir := b.TempDir()
	size := writeLogs(b, dir, 4, 32<<20)
	list := faults.Catalogue().Signs()
	var texts []string
	for _, s := range list {
		texts = append(texts, s.Text)
	}
	patterns := filepath.Join(dir, "patterns")
	if err := os.WriteFile(patterns, []byte(strings.Join(texts, "\n")+"\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	var ours, theirs time.Duration
	for b.Loop() {
		start := time.Now()
		s, err := evidence.Load(os.DirFS(dir))
		if err != nil {
			b.Fatal(err)
		}
		if _, unread := signs.Record(s, list); len(unread) > 0 {
			b.Fatal(unread)
		}
		ours += time.Since(start)

		b.StopTimer()
		start = time.Now()
		out, err := exec.Command(rg, "-c", "-F", "-f", patterns,
			filepath.Join(dir, "logs")).CombinedOutput()
		// 1: nothing found
		if exit, ok := errors.AsType[*exec.ExitError](err); err != nil &&
			(!ok || exit.ExitCode() != 1) {
			b.Fatalf("rg: %v\n%s", err, out)
		}
		theirs += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "x-ripgrep")
	b.ReportMetric(float64(len(texts)), "texts")
}

var digits = regexp.MustCompile(`\d{4,}`)

// writeLogs makes an evidence tree whose logs are those of the healthy nodes,
// line by line in any order and with other numbers.
func writeLogs(b *testing.B, dir string, files int, size int) int64 {
	var lines []string
	for _, name := range healthyNodes {
		r, err := fixtures.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		err = fs.WalkDir(r.FS(), "logs", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := fs.ReadFile(r.FS(), path)
			lines = append(lines, strings.Split(strings.TrimSpace(string(content)), "\n")...)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	meta := `{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}`
	if err := os.WriteFile(filepath.Join(dir, "meta.json"), []byte(meta), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "logs", "kubelet"), 0o755); err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	total := int64(0)
	for i := range files {
		var log bytes.Buffer
		for log.Len() < size {
			log.WriteString(digits.ReplaceAllStringFunc(lines[random.IntN(len(lines))],
				func(n string) string {
					return strconv.Itoa(1000 + random.IntN(1e6))
				}))
			log.WriteByte('\n')
		}
		total += int64(log.Len())
		if err := os.WriteFile(filepath.Join(dir, "logs", "kubelet",
			fmt.Sprintf("kubelet-%d.log", i)), log.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return total
}
