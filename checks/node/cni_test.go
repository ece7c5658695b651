package node

import (
	"testing"

	"doctor/checks/evidence"
	"doctor/fixtures"

	"golang.org/x/tools/txtar"
)

func TestCNIFolderIsTheOneThatContainerdReads(t *testing.T) {
	const (
		meta = `-- meta.json --
{"layout":"evidence/v1","node":"win-1","collectedAt":"2026-11-20T10:00:00Z"}
`
		usual = `-- files/C/Program Files/containerd/config.toml --
version = 2
[plugins."io.containerd.grpc.v1.cri".cni]
conf_dir = 'C:\old\net.d'
`
		own = `-- files/D/containerd/config.toml --
version = 2
[plugins."io.containerd.grpc.v1.cri".cni]
conf_dir = 'D:\cni\net.d'
`
		process = `-- processes.json --
[{"name":"containerd.exe","pid":7,"args":["-c","D:\\containerd\\config.toml"]}]
`
		service = `-- services.json --
[{"name":"containerd","state":"stopped","binPath":"C:\\bin\\containerd.exe","args":["--run-service","--config","D:\\containerd\\config.toml"]}]
`
		says = `-- cri.json --
{"config":{"cni":{"confDir":"E:\\net.d"}}}
`
	)
	for _, row := range []struct{ name, files, want string }{
		{"of the usual file", usual, `C:\old\net.d`},
		{"of the file that its process names, not of an old one", usual + own + process, `D:\cni\net.d`},
		{"of the file that its service names", usual + own + service, `D:\cni\net.d`},
		{"of its own answer, where the file that it names was not recorded", usual + process + says, `E:\net.d`},
		{"unknown, where nothing but an old file was recorded", usual + process, ""},
	} {
		s, err := evidence.Load(fixtures.Tree(txtar.Parse([]byte(meta + row.files))))
		if err != nil {
			t.Fatal(err)
		}
		if got := About(s).CNIDir.Value; got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}
