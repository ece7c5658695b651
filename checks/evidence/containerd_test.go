package evidence

import (
	"slices"
	"strings"
	"testing"
)

func TestDecodeContainerdConfig(t *testing.T) {
	for _, row := range []struct {
		name, text             string
		version                int
		sandbox, conf, runtime string
		bins, ignored          []string
	}{
		{"the first version",
			"[plugins.cri]\nsandbox_image = 'x/pause:3.6'\n[plugins.cri.cni]\nbin_dir='C:/k/cni'\nconf_dir='C:/k/cni/config'\n[plugins.cri.containerd.default_runtime]\nruntime_type='io.containerd.runhcs.v1'\n",
			1, "x/pause:3.6", "C:/k/cni/config", "default", []string{"C:/k/cni"},
			nil},
		{"the table default_runtime of the second, which wins over the name",
			"version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".containerd]\ndefault_runtime_name='wcow'\n[plugins.\"io.containerd.grpc.v1.cri\".containerd.default_runtime]\nruntime_type='io.containerd.runhcs.v1'\n",
			2, "", "", "default", nil, nil},
		{"the same table, and nothing in it, as containerd itself writes it",
			"version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".containerd]\ndefault_runtime_name='wcow'\n[plugins.\"io.containerd.grpc.v1.cri\".containerd.default_runtime]\nruntime_type=''\n",
			2, "", "", "wcow", nil, nil},
		{"the second",
			"version = 2\n[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = \"x/pause:3.8\"\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\nbin_dir = \"C:\\\\opt\"\n[plugins.\"io.containerd.grpc.v1.cri\".containerd]\ndefault_runtime_name = \"runhcs-wcow-process\"\n",
			2, "x/pause:3.8", "", "runhcs-wcow-process", []string{`C:\opt`}, nil},
		{"the third",
			"version = 3\n[plugins.'io.containerd.cri.v1.images'.pinned_images]\nsandbox = 'x/pause:3.10'\n[plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dirs = ['C:/a','C:/b']\nconf_dir='C:/c'\n",
			3, "x/pause:3.10", "C:/c", "", []string{"C:/a", "C:/b"}, nil},
		{"names of the second in a file that says nothing",
			"[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = 'p'\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\nconf_dir='d'\n",
			1, "", "", "", nil, []string{`plugins."io.containerd.grpc.v1.cri".sandbox_image`,
				`plugins."io.containerd.grpc.v1.cri".cni.conf_dir`}},
		{"names of the first in the second", "version=2\n[plugins.cri.cni]\nbin_dir='x'\n", 2, "",
			"", "", nil, []string{`plugins."cri".cni.bin_dir`}},
		{"the sandbox image in the runtime section of the third",
			"version=3\n[plugins.'io.containerd.cri.v1.runtime']\nsandbox_image='p'\n", 3, "", "",
			"", nil, []string{`plugins."io.containerd.cri.v1.runtime".sandbox_image`}},
		{"nothing at all", "", 1, "", "", "", nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := DecodeContainerdConfig([]byte(row.text))
			if err != nil {
				t.Fatal(err)
			}
			if c.Version != row.version || c.SandboxImage != row.sandbox ||
				c.CNIConfDir != row.conf || c.DefaultRuntime != row.runtime ||
				!slices.Equal(c.CNIBinDirs, row.bins) || !slices.Equal(c.Ignored, row.ignored) {
				t.Errorf("got %+v", c)
			}
		})
	}
}

func TestMisspeltKeys(t *testing.T) {
	const cri = "version = 2\n[plugins.\"io.containerd.grpc.v1.cri\""
	for _, row := range []struct{ name, text, want string }{
		{"the table of all plugins", "version = 2\n[plugin.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = 'p'\n",
			"plugin: plugins"},
		{"letters that are swapped", cri + ".conatinerd.runtimes.wcow]\nruntime_type = 'io.containerd.runhcs.v1'\n",
			`plugins."io.containerd.grpc.v1.cri".conatinerd: containerd`},
		{"the same table, and nothing in it", cri + ".conatinerd.runtimes]\n" +
			"[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.wcow]\nruntime_type = 'x'\n", ""},
		{"a letter that is missing", cri + "]\nsandbox_imge = 'p'\n",
			`plugins."io.containerd.grpc.v1.cri".sandbox_imge: sandbox_image`},
		{"in a table of the third version",
			"version = 3\n[plugins.'io.containerd.cri.v1.runtime'.cni]\nconf_dirr = 'd'\n",
			`plugins."io.containerd.cri.v1.runtime".cni.conf_dirr: conf_dir`},
		{"in a handler", cri + ".containerd.runtimes.wcow]\nruntime_typ = 'x'\n",
			`plugins."io.containerd.grpc.v1.cri".containerd.runtimes.wcow.runtime_typ: runtime_type`},
		{"the name of the plugin", "version = 2\n[plugins.\"io.containerd.grpc.v1.crio\"]\nsandbox_image = 'p'\n",
			"plugins.io.containerd.grpc.v1.crio: io.containerd.grpc.v1.cri"},
		{"a plural that a later version may have", cri + ".cni]\nconf_dirs = ['d']\n", ""},
		{"the other keys of the plugin", cri + "]\nenable_criu = true\nenable_selinux = false\n" +
			"selinux_category_range = 1\nrestrict_oom_score_adj = false\ndisable_cgroup = false\n" +
			"disable_proc_mount = false\nunset_seccomp_profile = ''\nnetns_mounts_under_state_dir = true\n" +
			"enable_unprivileged_ports = true\nenable_unprivileged_icmp = true\n" +
			"device_ownership_from_security_context = true\ntolerate_missing_hugetlb_controller = true\n" +
			"disable_hugetlb_controller = true\ndisable_apparmor = true\nenable_cdi = true\n" +
			"cdi_spec_dirs = ['c']\nsystemd_cgroup = false\nstats_collect_period = 10\n" +
			"stream_server_address = 'a'\nstream_server_port = '0'\nmax_container_log_line_size = 1\n" +
			"image_pull_with_sync_fs = true\nconcurrent_layer_fetch_buffer = 1\n", ""},
		{"a handler's name resembles a key", cri + ".containerd.runtimes.runtime]\nruntime_type = 'x'\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := DecodeContainerdConfig([]byte(row.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range c.Misspelt {
				got = append(got, m.Name+": "+m.Meant)
			}
			if strings.Join(got, "; ") != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestContainerdDefaults(t *testing.T) {
	c := &ContainerdConfig{}
	if c.ConfDir() != `C:\Program Files\containerd\cni\conf` ||
		!slices.Equal(c.BinDirs(), []string{`C:\Program Files\containerd\cni\bin`}) {
		t.Errorf("got %s, %s", c.ConfDir(), c.BinDirs())
	}
	c, err := DecodeContainerdConfig(
		[]byte("\ufeffversion=3\nroot='C:/r'\nstate='C:/s'\nimports=['conf.d/*.toml']\ndisabled_plugins=['cri']\n[grpc]\naddress='pipe'\n[plugins.'io.containerd.cri.v1.runtime'.cni]\nbin_dir='C:/a'\nmax_conf_num=5\n" +
			"[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runhcs-wcow-process]\nruntime_type='x'\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Root != "C:/r" || c.PipeAddress != "pipe" || len(c.Imports) != 1 {
		t.Errorf("got %+v", c)
	}
	if len(c.Ignored) != 0 || !slices.Equal(c.BinDirs(), []string{"C:/a"}) {
		t.Errorf("bin_dir of a later version: %+v", c)
	}
}

func TestDecodeContainerdConfigRefuses(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"broken TOML with its line", "version = 2\n\n[plugins\n", "line 3"},
		{"brackets in brackets", "a = " + strings.Repeat("[", 300) + strings.Repeat("]", 300),
			"nested deeper"},
		{"tables in tables", "a = " + strings.Repeat("{b=", 300) + "1" + strings.Repeat("}", 300),
			"nested deeper"},
		{"brackets behind a quote that misleads", "a = '''\nx\" ''' \nb = " + strings.Repeat("[",
			30_000), "brackets"},
		{"a chain of dots", strings.Repeat("a.", 30_000) + "b = 1", "dotted"},
		{"a giant", "a = '" + strings.Repeat("x", maxTOML) + "'", "too many"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if c, err := DecodeContainerdConfig([]byte(row.text)); err == nil ||
				!strings.Contains(err.Error(), row.want) {
				t.Errorf("got %+v, %v, want an error with %q", c, err, row.want)
			}
		})
	}
}
