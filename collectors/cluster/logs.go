package cluster

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
)

// LogComponents are the services whose logs the kubelet serves.
var LogComponents = []string{"kubelet", "kube-proxy", "containerd"}

// readLogs asks the kubelet for the logs of the node's services: by its log query (Kubernetes 1.27
// and later, where it is switched on), else from the folder that it has served for longer.
func (t Target) readLogs(ctx context.Context, r *collectors.Record) error {
	if s, err := r.Snapshot(); err == nil {
		if ready, ok := evidence.Node.In(s).Condition("Ready"); ok && ready.Status == "Unknown" {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, patienceWithLost)
			defer cancel()
		}
	}
	root := "/api/v1/nodes/" + url.PathEscape(t.Node) + "/proxy/logs/"
	brought := false
	var failed error
	for i, component := range LogComponents {
		query := url.Values{"query": {component},
			"sinceTime": {time.Now().Add(-t.Since).UTC().Format(time.RFC3339)}}
		text, err := t.Client.text(ctx, root, query, component, t.LogBytes)
		if err != nil {
			if i == 0 { // what the kubelet refuses once it refuses always
				return err
			}
			if !IsNotFound(err) {
				failed = cmp.Or(failed, err)
			}
			continue
		}
		if i == 0 {
			if node := t.answering(ctx); node != "" && node != t.Node {
				return collectors.GapError(evidence.AnotherNode.Gap(node, t.Node))
			}
		}
		if isListing(text) {
			return t.readServed(ctx, r, root, listed(text))
		}
		if err := notALog(text, component); err != nil {
			return err
		}
		if len(bytes.TrimSpace(text)) > 0 {
			r.File("logs/"+component+"/query.log", tree.File{Content: text})
			brought = true
		}
	}
	if failed == nil && !brought {
		return collectors.GapError(evidence.NotFound.Gap("a log of %s in the kubelet's log query",
			strings.Join(LogComponents, ", ")))
	}
	return failed
}

// kubeletNode is the metric in which a kubelet names its node.
var kubeletNode = regexp.MustCompile(`^kubelet_node_name\{node="([^"]+)"\}`)

// answering is the node whose kubelet answers, "" where that does not show: the address of a node that
// is gone may be another one's by now.
func (t Target) answering(ctx context.Context) string {
	body, err := t.Client.open(ctx, "/api/v1/nodes/"+url.PathEscape(t.Node)+"/proxy/metrics", nil, "get",
		"nodes/proxy for the metrics of the kubelet")
	if err != nil {
		return ""
	}
	defer body.Close()
	for lines := bufio.NewScanner(&bounded{body, maxAnswer}); lines.Scan(); {
		if m := kubeletNode.FindSubmatch(lines.Bytes()); m != nil {
			return string(m[1])
		}
	}
	return ""
}

// patienceWithLost is for the kubelet of a node that the control plane has not heard of for a while:
// it hardly ever answers, and the API server would wait for it until all time is over.
const patienceWithLost = 2 * time.Second

// readServed fetches the kubelet's log from the served folder: its name there is
// kubelet.log, or it lies in a folder kubelet.
func (t Target) readServed(ctx context.Context, r *collectors.Record, root string,
	names []string) error {
	name, folder := newest(names, "kubelet")
	if folder {
		text, err := t.Client.text(ctx, root+name, nil, "the folder of logs", t.LogBytes)
		if err != nil {
			return err
		}
		inside, _ := newest(listed(text), "")
		name = path.Join(name, inside)
	}
	if name == "" {
		return collectors.GapError(evidence.NotFound.Gap(
			"a log of the kubelet below C:\\var\\log (its log query is off: enableSystemLogQuery)"))
	}
	text, err := t.Client.text(ctx, root+name, nil, "kubelet", t.LogBytes)
	if err == nil {
		err = notALog(text, "kubelet")
	}
	if err == nil {
		r.File("logs/kubelet/"+path.Base(name), tree.File{Content: text})
	}
	return err
}

// notALog is the error for what answers in a kubelet's place, such as the login page of a proxy: a
// web page, or one JSON document, such as the server's Status.
func notALog(text []byte, component string) error {
	start := bytes.ToLower(bytes.TrimSpace(text[:min(len(text), 512)]))
	for _, page := range []string{"<!doctype", "<html", "<?xml"} {
		if bytes.HasPrefix(start, []byte(page)) {
			return collectors.GapError(evidence.NotALog.Gap(component, "a web page"))
		}
	}
	// a log in JSON has an object a line, with a time; whoever refuses writes one without
	var object map[string]any
	if json.Unmarshal(text, &object) == nil && object["ts"] == nil && object["time"] == nil {
		return collectors.GapError(evidence.NotALog.Gap(component, "a JSON object"))
	}
	return nil
}

// text reads the end of a text.
func (c *Client) text(ctx context.Context, path string, query url.Values, component string,
	limit int64) ([]byte, error) {
	body, err := c.open(ctx, path, query, "get", "nodes/proxy for the logs of "+component)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	end, err := lastOf(&bounded{body, maxAnswer}, limit)
	if err != nil && !errors.Is(err, errTooLarge) {
		return nil, c.explain(ctx, err, "get", "the logs of "+component)
	}
	return end, nil
}

// lastOf keeps the last bytes of what is read, from the start of a line.
func lastOf(r io.Reader, limit int64) ([]byte, error) {
	var kept []byte
	buf := make([]byte, 64<<10)
	dropped := int64(0)
	for {
		n, err := r.Read(buf)
		kept = append(kept, buf[:n]...)
		if over := int64(len(kept)) - limit; over > limit || over > 0 && err != nil {
			dropped += over
			kept = append(kept[:0], kept[over:]...)
		}
		if err == nil {
			continue
		}
		if dropped > 0 {
			if at := bytes.IndexByte(kept, '\n'); at >= 0 {
				dropped += int64(at + 1)
				kept = kept[at+1:]
			}
			kept = append(fmt.Appendf(nil, "[doctor: the first %d bytes are left out]\n",
				dropped), kept...)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return kept, err
	}
}

// A listing is what Go's file server writes of a folder: a pre with an anchor a line.
var anchor = regexp.MustCompile(`(?m)^<a href="([^"]{1,255})">`)

// Before the pre, Go 1.23 and later write a doctype and one meta element.
var listingHead = regexp.MustCompile(
	`^(?i:\s*(<!doctype html>\s*<meta name="viewport"[^>]*>\s*)?<pre>)`)

func isListing(text []byte) bool { return listingHead.Match(text[:min(len(text), 512)]) }

func listed(text []byte) []string {
	var names []string
	for _, m := range anchor.FindAllSubmatch(text, 2000) {
		name, err := url.PathUnescape(string(m[1]))
		clean := strings.TrimSuffix(name, "/")
		if err != nil || clean == "" || clean == ".." || strings.ContainsAny(clean, "/\\?#") {
			continue
		}
		names = append(names, name)
	}
	return names
}

// newest finds the log of a component among the names: the one without a date,
// or the last by name. A folder of its name is the answer where no file is.
func newest(names []string, component string) (name string, folder bool) {
	dir := ""
	for _, n := range names {
		lower := strings.ToLower(n)
		switch {
		case lower == component+"/":
			dir = n
		case strings.HasSuffix(n, "/") || !strings.HasPrefix(lower, component) ||
			!strings.Contains(lower, ".log"):
		case lower == component+".log", name == "", n > name && strings.ToLower(name) != component+
			".log":
			name = n
		}
	}
	if name == "" && dir != "" {
		return dir, true
	}
	return name, false
}
