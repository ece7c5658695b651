package redact

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// klog is a component's log as a node writes it, without secrets but for one
// line in two thousand.
func klog(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b,
			"I1120 09:%02d:%02d.%06d    4242 proxier.go:%d] \"Using source-vip\" sourceVip=\"10.244.%d.2\"\n", i/60%60, i%60, i*37%1000000, 700+i%300, i%255)
		fmt.Fprintf(&b,
			"E1120 09:%02d:%02d.%06d    4242 kuberuntime_manager.go:1172] \"Unhandled Error\" err=\"container start failed: CreateContainerError: hcsshim::CreateComputeSystem %032x: The virtual machine or container exited unexpectedly.\" pod=\"default/web-%05x\"\n", i/60%60, i%60, i*91%1000000, i*7919, i)
		fmt.Fprintf(&b,
			"W1120 09:%02d:%02d.%06d    4242 reflector.go:561] k8s.io/client-go/informers/factory.go:160: failed to list *v1.Service: Get \"https://10.0.0.1:6443/api/v1/services?limit=500&resourceVersion=0\": dial tcp 10.0.0.1:6443: connectex: No connection could be made\n", i/60%60, i%60, i*53%1000000)
		fmt.Fprintf(&b,
			"I1120 09:%02d:%02d.%06d    4242 kubelet.go:2407] \"SyncLoop (PLEG): event for pod\" pod=\"kube-system/kube-proxy-windows-%05x\" event={\"ID\":\"0b1f3a52-8d7c-4b60-9f6e-%012x\",\"Type\":\"ContainerStarted\",\"Data\":\"%064x\"}\n", i/60%60, i%60, i*17%1000000, i, i, i*104729)
		if i%500 == 0 {
			fmt.Fprintf(&b,
				"I1120 09:00:00.000000    4242 round_trippers.go:463]     Authorization: Bearer abcdefgh12345678%08d\n", i%4000)
		}
	}
	return b.Bytes()[:size]
}

func BenchmarkCopyLog(b *testing.B) {
	log := klog(64 << 20)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Options{}).Copy(io.Discard, bytes.NewReader(log),
			"logs/kubelet/kubelet.err.log"); err != nil {
			b.Fatal(err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys-uint64(len(log)))/(1<<20), "MiB-heap")
}

func BenchmarkCopyJSON(b *testing.B) {
	pod := `{"metadata":{"name":"web-1","uid":"0b1f3a52-8d7c-4b60-9f6e-7f1d3c2b1a00","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"registry.example/web:1","args":["--v=2","--port=80"],"env":[{"name":"MODE","value":"x"}]}],"nodeName":"win-1"},"status":{"phase":"Running","podIP":"10.244.1.7"}},`
	doc := []byte(`{"items":[` + strings.TrimSuffix(strings.Repeat(pod, 16<<20/len(pod)), ",") +
		`]}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Options{}).Copy(io.Discard, bytes.NewReader(doc),
			"api/pods.json"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	log := klog(16 << 20)
	r := New(Options{})
	var out bytes.Buffer
	r.Copy(&out, bytes.NewReader(log), "logs/a.log")
	b.SetBytes(int64(out.Len()))
	for b.Loop() {
		if leak, err := r.Search(bytes.NewReader(out.Bytes()), "logs/a.log"); leak != nil ||
			err != nil {
			b.Fatal(leak, err)
		}
	}
}
