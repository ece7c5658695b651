package lang

import (
	"errors"
	"testing"

	"doctor/checks"
	"doctor/checks/evidence"
	"doctor/checks/faults"
)

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		name, asked string
		env         map[string]string
		system      string
		want        string
	}{
		{"the flag wins", "en", map[string]string{"LC_ALL": "zh_CN.UTF-8"}, "zh-CN", "en"},
		{"and forces Chinese", "zh", map[string]string{"LANG": "en_GB.UTF-8"}, "", "zh"},
		{"LANG says so", "", map[string]string{"LANG": "zh_CN.UTF-8"}, "", "zh"},
		{"LC_MESSAGES outweighs LANG", "", map[string]string{"LC_MESSAGES": "en_US",
			"LANG": "zh_CN"}, "", "en"},
		{"LC_ALL outweighs all", "", map[string]string{"LC_ALL": "ZH-Hans", "LC_MESSAGES": "de_DE",
			"LANG": "C"}, "", "zh"},
		{"an empty variable says nothing", "", map[string]string{"LC_ALL": "", "LANG": "zh"}, "", "zh"},
		{"C is English", "", map[string]string{"LC_ALL": "C.UTF-8", "LANG": "zh_CN"}, "zh-CN", "en"},
		{"nothing is English", "", nil, "", "en"},
		{"a Chinese Windows has no variables", "", nil, "zh-Hans-CN", "zh"},
		{"a German Windows is English", "", nil, "de-DE", "en"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Choose(tt.asked, func(k string) string { return tt.env[k] },
				func() string { return tt.system })
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestNoCatalogueIsEnglish(t *testing.T) {
	var c *Catalogue
	f := checks.ReportFinding{Message: "the node has no page file", Format: "%s", Args: []any{"x"}}
	for got, want := range map[string]string{
		c.T("and %d more", 3): "and 3 more", c.Count(1, "check"): "1 check",
		c.Count(2, "check"): "2 checks",
		c.Message(f):        f.Message,
		c.Gap(evidence.Reported.OfKind(evidence.Denied, "x")): "denied: x",
		c.Phrase("x"):               "x",
		c.Status(checks.StatusFail): "fail", c.Category(checks.CategoryDNS): "dns",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMessagesAndReasons(t *testing.T) {
	c := Of("zh", faults.Catalogue())
	finding := func(format string, args ...any) string {
		return c.Message(checks.ReportFinding{Message: "in English", Format: format, Args: args})
	}
	for got, want := range map[string]string{
		finding("service %s is %s; %s", "kubelet", "stopped",
			evidence.Phrasef(
				"pods on this node are not started or reported")): "服务 kubelet 的状态是 stopped；本节点的 Pod 既不启动也不上报",
		finding("Container %s of %s exits at start: DLL initialization failed (0xc0000142)", "web",
			"a/b"): "a/b 的容器 web 启动即退出：DLL 初始化失败（0xc0000142）",
		finding("%s is not valid JSON: %v", "a.conf", &evidence.SyntaxFault{Line: 3,
			Err: errors.New(
				"unexpected end of JSON input")}): "a.conf 不是有效的 JSON：第 3 行：unexpected end of JSON input",
		finding("host-local reserved %s for container %.12s, but the host's endpoint %s already uses it", "10.0.0.2", "0123456789abcdef", "cbr0_ep"): "host-local 为容器 0123456789ab 预留了 10.0.0.2，而主机的端点 cbr0_ep 已在使用它",
		finding("%s",
			evidence.Phrasef("Windows reports low virtual memory")): "Windows 报告虚拟内存不足",
		finding("nobody has said this of %s",
			"x"): "nobody has said this of x",
		c.Gap(evidence.NotShown.Gap(
			"the MTU of any pod")): "缺少证据：采集数据中没有体现任何 Pod 的 MTU",
		c.Gap(evidence.NeedsAdministrator.Gap()): "无权限：请以管理员身份运行",
		c.Gap(evidence.AsRecorded.OfKind(evidence.Error,
			"a line that nobody knows")): "出错：a line that nobody knows",
		c.Say(evidence.Phrasef("the node uses %s, not %s", "azure",
			"flannel")): "节点使用的是 azure，不是 flannel",
		c.Phrase("E1120 09:21:22 failed to parse kubelet flag: unknown flag"): "E1120 09:21:22 failed to parse kubelet flag: unknown flag",
		finding("%s", evidence.Joined([]string{"cbr0", "vxlan0"},
			" or ")): "cbr0 或 vxlan0",
		c.Gap(evidence.NoAnswerWithin.Gap("HNS networks",
			"5s")): "超时：HNS 网络在 5s 内没有应答",
		c.Gap(evidence.NotShown.Gap("whether %s holds a file",
			"C:\\k")): `缺少证据：采集数据中没有体现 C:\k 中是否有文件`,
		c.Phrase("100%, not more"): "100%, not more",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAFixIsFilledInChineseToo(t *testing.T) {
	c := Of("zh", faults.Catalogue())
	names := []checks.Placeholder{{Name: "{network}", Value: "cbr0", Known: true},
		{Name: "{clusterCIDR}", Value: "<cluster CIDR>"}}
	fix := checks.Steps(
		checks.Run("Start-Service kubelet", "Set service %s to start automatically.", "kubelet").
			Costs("Running containers are not affected."),
		checks.Do("what another version of doctor said of {network} and {clusterCIDR}"))
	fix.Names = names
	got := c.Fix(fix).Steps
	if got[0].Text != "将服务 kubelet 设为自动启动。" || got[0].Command != "Start-Service kubelet" ||
		got[0].Impact != "不影响运行中的容器。" {
		t.Errorf("%+v", got[0])
	}
	if want := "what another version of doctor said of cbr0 and <集群 CIDR>"; got[1].Text != want {
		t.Errorf("%q, want %q", got[1].Text, want)
	}
}

// FuzzPhrase: what stands in a sentence comes from the node, and a gap of an index is all from outside.
func FuzzPhrase(f *testing.F) {
	for _, seed := range []string{"the node uses %s, not %d", "%!s(MISSING) and 3 more",
		"this recording contains no %[9]s", "%[0]d %[-1]s %[1", "{node} ｛"} {
		f.Add(seed)
	}
	c := Of("zh", faults.Catalogue())
	f.Fuzz(func(t *testing.T, s string) {
		c.Phrase(s)
		c.Word(s)
		for _, code := range []evidence.Code{evidence.NotShown, evidence.NoAnswerWithin,
			evidence.AsRecorded} {
			g := evidence.GapRecord{Kind: evidence.Error, Code: code, Args: []string{s, s}}.Gap()
			c.Gap(g)
			_ = g.String()
		}
		c.Message(checks.ReportFinding{Message: s, Format: "service %s is %s; %s",
			Args: []any{s, s}})
	})
}
