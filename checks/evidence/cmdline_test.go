package evidence

import (
	"slices"
	"testing"
)

func TestSplitArgs(t *testing.T) {
	for _, row := range []struct {
		name, line string
		want       []string
	}{
		{"nothing gives no argument", "  ", nil},
		{"a quoted program keeps its backslashes and blanks",
			`"C:\Program Files\k\kubelet.exe" --v=4`, []string{`C:\Program Files\k\kubelet.exe`,
				"--v=4"}},
		{"a program ends at a blank", "C:\\k\\kubelet.exe\t--v=4 ",
			[]string{`C:\k\kubelet.exe`, "--v=4"}},
		{"a program that ends in a backslash is no escape", `"C:\k\" x`, []string{`C:\k\`, "x"}},
		{"quotes inside a flag hold its blanks", `x --cni-bin-dir="C:\my plugins" -y`,
			[]string{"x", `--cni-bin-dir=C:\my plugins`, "-y"}},
		{"empty quotes are an argument", `x "" --resolv-conf=""`,
			[]string{"x", "", "--resolv-conf="}},
		{"an odd backslash makes a quote plain", `x a\"b c\\"d e"`, []string{"x", `a"b`, `c\d e`}},
		{"backslashes before anything else are plain", `x C:\\a\b\ y`,
			[]string{"x", `C:\\a\b\`, "y"}},
		{"a doubled quote inside quotes is one, and ends them", `x "a b"" c`,
			[]string{"x", `a b"`, "c"}},
		{"flags without a program are split by the common rules", `--a="b c" --d`,
			[]string{"--a=b c", "--d"}},
		{"an open quote runs to the end", `x "a b`, []string{"x", "a b"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := SplitArgs(row.line); !slices.Equal(got, row.want) {
				t.Errorf("SplitArgs(%q) = %q, want %q", row.line, got, row.want)
			}
		})
	}
}

func TestParseFlags(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		want []string // name=value in order
	}{
		{"the program is no flag", []string{`C:\k\kubelet.exe`, "--v=6"}, []string{"v=6"}},
		{"a value may follow", []string{"--kubeconfig", `C:\k\config`, "--v", "2"},
			[]string{`kubeconfig=C:\k\config`, "v=2"}},
		{"a negative number is a value", []string{"--oom-score-adj", "-999"},
			[]string{"oom-score-adj=-999"}},
		{"a flag before a flag is true", []string{"--windows-service", "--log-file=x"},
			[]string{"windows-service=true", "log-file=x"}},
		{"one dash does for Go", []string{"-kube-subnet-mgr", "-iface=10.0.0.4"},
			[]string{"kube-subnet-mgr=true", "iface=10.0.0.4"}},
		{"quotes around a value are dropped",
			[]string{`--resolv-conf=""`, `--cni-bin-dir="c:\k\cni"`},
			[]string{"resolv-conf=", `cni-bin-dir=c:\k\cni`}},
		{"underscores are dashes", []string{"--log_dir=C:\\k"}, []string{`log-dir=C:\k`}},
		{"case counts", []string{"--V=1", "--v=2"}, []string{"V=1", "v=2"}},
		{"the last of a repeated flag counts", []string{"--node-labels=a=b", "--v=1",
			"--node-labels=c=d"}, []string{"node-labels=c=d", "v=1"}},
		{"two dashes end the flags", []string{"--v=1", "--", "--w=2"}, []string{"v=1"}},
		{"PowerShell's switches are not flags of the kubelet",
			[]string{"powershell.exe", "-ExecutionPolicy", "Bypass", "-NoProfile",
				`C:\k\StartKubelet.ps1`}, nil},
		{"nor when the recorder split off the program", []string{"-ExecutionPolicy", "Bypass",
			"-NoProfile", `C:\k\StartKubelet.ps1`}, nil},
		{"a command behind PowerShell is read", []string{"powershell", "-NoP", "-Command",
			`& 'C:\k\kubelet.exe' --v=4 --resolv-conf=""`}, []string{"v=4", "resolv-conf="}},
		{"arguments of a script are", []string{"pwsh.exe", "-File", `C:\k\start.ps1`,
			"-ManagementIP", "10.0.0.4"}, []string{"ManagementIP=10.0.0.4"}},
		{"cmd.exe is no obstacle", []string{`C:\Windows\system32\cmd.exe`, "/c", `C:\k\kubelet.exe`,
			"--v=3"}, []string{"v=3"}},
		{"-config of a Go program is not PowerShell's", []string{"-config", `C:\k\kube-proxy.conf`},
			[]string{`config=C:\k\kube-proxy.conf`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := ParseFlags(row.args)
			var got []string
			for _, name := range f.Names() {
				value, ok := f.Get(name)
				if !ok || !f.Has(name) {
					t.Fatalf("%s is listed and not there", name)
				}
				got = append(got, name+"="+value)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	f := ParseFlags([]string{"--node-labels=a=b", "--node_labels=c=d"})
	if got := f.All("node-labels"); !slices.Equal(got, []string{"a=b", "c=d"}) {
		t.Errorf("All = %q", got)
	}
	if _, ok := f.Get("absent"); ok || f.Has("absent") {
		t.Error("an absent flag is there")
	}
	if (Flags{}).Has("x") {
		t.Error("the zero Flags has a flag")
	}
}

func TestStartScript(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"behind switches", []string{"powershell.exe", "-ExecutionPolicy", "Bypass", "-NoProfile",
			`C:\k\StartKubelet.ps1`}, `C:\k\StartKubelet.ps1`},
		{"behind -File with arguments", []string{"-NonInteractive", "-File",
			`c:\k\kubeletstart.ps1`, "-x"}, `c:\k\kubeletstart.ps1`},
		{"inside a command", []string{"powershell", "-Command", `"& { C:\k\start-kubelet.ps1 }"`},
			`C:\k\start-kubelet.ps1`},
		{"a kubelet of its own has none", []string{`C:\k\kubelet.exe`, "--v=2"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := StartScript(row.args); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestKubeadmFlags(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"as kubeadm writes it",
			"KUBELET_KUBEADM_ARGS=\"--container-runtime-endpoint=npipe:////./pipe/containerd-containerd --node-ip=10.1.2.3\"\n",
			[]string{"--container-runtime-endpoint=npipe:////./pipe/containerd-containerd",
				"--node-ip=10.1.2.3"}},
		{"its Go quoting is undone",
			`KUBELET_KUBEADM_ARGS="--root-dir=C:\\var\\lib --resolv-conf=\"\""`,
			[]string{`--root-dir=C:\var\lib`, "--resolv-conf="}},
		{"backslashes that an editor wrote survive",
			`KUBELET_KUBEADM_ARGS="--root-dir=C:\var\kube"`, []string{`--root-dir=C:\var\kube`}},
		{"a mark, comments and other lines are passed over",
			"\ufeff# KUBELET_KUBEADM_ARGS=\"--x\"\r\nPATH=C:\\\r\nKUBELET_EXTRA_ARGS=--v=4\r\n",
			[]string{"--v=4"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := KubeadmFlags(row.text); !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
