package evidence

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

func FuzzSplitArgs(f *testing.F) {
	for _, s := range []string{`"C:\a b\k.exe" --x="y z" \\" ""`, `--a=\"b\"`,
		"powershell -Command & { x.ps1 }", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := SplitArgs(line)
		flags := ParseFlags(args)
		for _, name := range flags.Names() {
			if _, ok := flags.Get(name); !ok {
				t.Fatalf("%q is listed and not there", name)
			}
		}
		StartScript(args)
		KubeadmFlags(line)
	})
}

func FuzzScriptFlags(f *testing.F) {
	for _, s := range []string{
		"$a = @(\"--x=`\"`\"\", '--y=\"\"')\nif ($b) { kubelet.exe --z $(hostname) }",
		"<# --a #> --b=\\\"c", "\"--a=\"\"\"", "`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, fl := range ScriptFlags(text) {
			if fl.Name == "" || strings.ContainsAny(fl.Name, " =\"_") || fl.Line < 1 ||
				fl.Line > lines {
				t.Fatalf("%+v of %d lines", fl, lines)
			}
		}
	})
}

func FuzzEvidencePath(f *testing.F) {
	for _, s := range []string{`C:\k\..\x`, `\\?\UNC\a\b`, "%ProgramFiles%/x", "${env:x", "$env:",
		`\\.\pipe\x`, "a\x00b\xff", "%\x83%", "files/C/x", `\\\?\UC`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		stored := EvidencePath(p)
		if !fs.ValidPath(stored) || stored != path.Clean(stored) ||
			!strings.HasPrefix(stored, "files/") {
			t.Fatalf("EvidencePath(%q) = %q", p, stored)
		}
		if strings.ContainsAny(stored, `"'%$`+"\ufeff") {
			return // what a second look would expand or strip once more
		}
		if back, ok := WindowsPath(stored); ok && strings.TrimSpace(back) == back &&
			EvidencePath(back) != stored {
			t.Fatalf("%q is %q, is %q, is %q", p, stored, back, EvidencePath(back))
		}
	})
}

func FuzzDecodeCNI(f *testing.F) {
	for _, s := range []string{overlayConf, `{"plugins":[{"type":"flannel","delegate":{}}]}`,
		`{"plugins":{"type":1}}`, "\ufeff{}",
		`{"policies":{"value":{"type":"OutBoundNAT"}},"ipam":{"ranges":[[{}]]}}`, "{# x\n}", `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeCNI(b)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if c != nil {
			c.EffectiveType()
			Placeholder(c.Name)
		}
		if _, err := DecodeSourceVIP(b); err != nil && err.Error() == "" {
			t.Fatal("an error without a text")
		}
		DecodeFlannelNetConf(b)
	})
}

func FuzzFlannelSubnet(f *testing.F) {
	f.Add("FLANNEL_NETWORK=10.0.0.0/8\r\nFLANNEL_MTU=1\nFLANNEL_IPMASQ=true")
	f.Fuzz(func(t *testing.T, text string) {
		if got := DecodeFlannelSubnet(text); len(got.Missing) > 4 {
			t.Fatal(got.Missing)
		}
	})
}

func FuzzDecodeYAML(f *testing.F) {
	for _, s := range []string{winkernelConf, "a: &a [*a]", "clusterDNS: [a]\ncgroupsPerQOS: false",
		"{\t\"a\":1}", "? - : x", "networking: {podSubnet: a}", "<<: *x",
		"%YAML 1.2\n---\na: !!binary x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := DecodeKubeletConfig(b); (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if c, err := DecodeKubeProxyConfig(b); (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		KubeadmSubnets(string(b))
	})
}

func FuzzDecodeContainerdConfig(f *testing.F) {
	for _, s := range []string{
		"version = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image='x'\n",
		"a.b.c={d=[1,[2]]}", "[[a]]\n[a.b]\n", "version='x'\nplugins=1", "a='''\n\"'''"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeContainerdConfig(b)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if c != nil && (len(c.BinDirs()) == 0 || c.ConfDir() == "" || c.Version < 1) {
			t.Fatalf("%+v", c)
		}
	})
}

func FuzzParseQuantity(f *testing.F) {
	for _, s := range []string{"2Gi", "1e30", "-.5Ki", "1E", "v1.28.4+rke2",
		"mcr.microsoft.com/oss/kubernetes/pause:3.6"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ParseQuantity(s)
		PauseBuilds(s)
		Placeholder(s)
		if v, ok := ParseVersion(s); ok {
			if again, ok := ParseVersion(v.String()); !ok || again != v {
				t.Fatalf("%q is %v, is %v", s, v, again)
			}
		}
	})
}
