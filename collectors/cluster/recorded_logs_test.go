package cluster_test

import (
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheNodesLogsComeFromTheKubelet(t *testing.T) {
	const root = "/api/v1/nodes/" + recordedNode + "/proxy/logs/"
	line := "I1121 10:00:00.000000    1 kubelet.go:1] a line of the log\n"
	// serving is an older kubelet: it lists the folder, whatever it is asked for.
	serving := func(files map[string]string) http.HandlerFunc {
		dir := t.TempDir()
		write(t, dir, files)
		return http.StripPrefix(strings.TrimSuffix(root, "/"),
			http.FileServer(http.Dir(dir))).ServeHTTP
	}
	for _, row := range []struct {
		name    string
		kubelet http.HandlerFunc
		limit   int64
		want    map[string]string
		gap     string
	}{
		{"a component without a log is left out", queryKubelet, 1 << 20,
			map[string]string{"logs/kubelet/query.log": "I1121 10:00:00.000000    1 " +
				"kubelet.go:1] started\n",
				"logs/containerd/query.log": "I1121 10:00:00.000000    1 containerd.go:1] started\n"},
			""},
		{"a query that finds nothing", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w,
				"\n")
		}, 1 << 20, nil,
			"absent: a log of kubelet, kube-proxy, containerd in the kubelet's log query was not found"},
		{"no log is asked for", queryKubelet, 0, nil, ""},
		{"an older kubelet's own file", serving(map[string]string{"kubelet.log": line,
			"kubelet.log.1": "older", "kube-proxy.log": "x"}), 1 << 20,
			map[string]string{"logs/kubelet/kubelet.log": line}, ""},
		{"of dated files the newest", serving(map[string]string{"kubelet.exe.log.20261119": "older",
			"kubelet.exe.log.20261121": line}), 1 << 20,
			map[string]string{"logs/kubelet/kubelet.exe.log.20261121": line}, ""},
		{"a folder of the kubelet's", serving(map[string]string{"kubelet/kubelet.log": line,
			"pods/x": ""}), 1 << 20, map[string]string{"logs/kubelet/kubelet.log": line}, ""},
		{"a file before a folder of the name",
			serving(map[string]string{"kubelet/other.log": "x", "kubelet.log": line}), 1 << 20,
			map[string]string{"logs/kubelet/kubelet.log": line}, ""},
		{"nothing of the kubelet's", serving(map[string]string{"readme.txt": ""}), 1 << 20, nil,
			`absent: a log of the kubelet below C:\var\log ` +
				`(its log query is off: enableSystemLogQuery) was not found`},
		{"of a long log the end, from the start of a line",
			serving(map[string]string{"kubelet.log": strings.Repeat(line, 100)}),
			int64(10*len(line) + 5),
			map[string]string{"logs/kubelet/kubelet.log": fmt.Sprintf("[doctor: the first %d "+
				"bytes are left out]\n", 90*len(line)) + strings.Repeat(line, 10)}, ""},
		{"of a log as long as the limit all",
			serving(map[string]string{"kubelet.log": strings.Repeat(line, 10)}),
			int64(10 * len(line)),
			map[string]string{"logs/kubelet/kubelet.log": strings.Repeat(line, 10)}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := recordedServer(t, instead(root, row.kubelet))
			l := see(t, kubeconfigOf(t, server.url), recordedNode, row.limit)
			if gap := l.gaps(t)["logs/"]; gap != row.gap {
				t.Errorf("the gap is %q, want %q", gap, row.gap)
			}
			got := map[string]string{}
			fs.WalkDir(l.tree, "logs", func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".gap") {
					got[path] = l.text(t, path)
				}
				return nil
			})
			if diff := cmp.Diff(row.want, got, cmp.Transformer("empty",
				func(m map[string]string) []string {
					return append([]string{fmt.Sprint(len(m))}, slices.Sorted(maps.Keys(m))...)
				})); diff != "" {
				t.Error(diff)
			}
			for path, want := range row.want {
				if got[path] != want {
					t.Errorf("%s is %q, want %q", path, got[path], want)
				}
			}
		})
	}
}

func TestTheKubeletIsToldSinceWhen(t *testing.T) {
	var since atomic.Value
	server := recordedServer(t, instead("/api/v1/nodes/"+recordedNode+"/proxy",
		func(w http.ResponseWriter, r *http.Request) {
			if at := r.URL.Query().Get("sinceTime"); at != "" {
				since.Store(at)
			}
			queryKubelet(w, r)
		}))
	before := time.Now().Add(-time.Hour).Truncate(time.Second)
	see(t, kubeconfigOf(t, server.url), recordedNode, 1<<20)
	at, err := time.Parse(time.RFC3339, fmt.Sprint(since.Load()))
	if err != nil || at.Before(before) || at.After(time.Now().Add(-time.Hour)) {
		t.Errorf("logs are asked for since %v, an hour back is %s", since.Load(), before)
	}
}
