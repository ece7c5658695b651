package evidence

import (
	"fmt"
	"slices"
	"testing"
)

func TestScriptFlags(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []string // line name=value, with a question mark where conditional
	}{
		{"a bare command line",
			`C:\k\kubelet.exe --v=6 --windows-service --config C:\k\kubelet.yaml`,
			[]string{"1 v=6", "1 windows-service=true", `1 config=C:\k\kubelet.yaml`}},
		{"an array of strings",
			"$KubeletArgList = @(\r\n  \"--hostname-override=$env:computername\",\r\n  '--resolv-conf=\"\"',\r\n  \"--cluster-dns=10.0.0.10\")",
			[]string{"2 hostname-override=$env:computername", "3 resolv-conf=",
				"4 cluster-dns=10.0.0.10"}},
		{"one string with quotes of its own",
			"$cmd = \"C:\\k\\kubelet.exe --cgroups-per-qos=false --enforce-node-allocatable=`\"`\" --image=`\"a b`\" --v 4\"",
			[]string{"1 cgroups-per-qos=false", "1 enforce-node-allocatable=", "1 image=a b",
				"1 v=4"}},
		{"doubled quotes in a string", `$a = "--cni-bin-dir=""c:\k\cni"" --v=2"`,
			[]string{`1 cni-bin-dir=c:\k\cni`, "1 v=2"}},
		{"a path that ends in a backslash before the closing quote",
			`$a = "--cert-dir=C:\pki\", "--v=2"`, []string{`1 cert-dir=C:\pki\`, "1 v=2"}},
		{"a command in parentheses is one value",
			`kubelet.exe --hostname-override=$(hostname).ToLower() --v=1`,
			[]string{"1 hostname-override=$(hostname).ToLower()", "1 v=1"}},
		{"lists keep their commas", `kubelet.exe --feature-gates=A=true,B=false;echo done`,
			[]string{"1 feature-gates=A=true,B=false"}},
		{"comments are passed over", "# --a=1\n<# --b=2\n--c=3 #> kubelet.exe --d=4 # --e=5\n",
			[]string{"3 d=4"}},
		{"a number sign inside a word is no comment", "kubelet.exe --node-labels=a#b --v=1",
			[]string{"1 node-labels=a#b", "1 v=1"}},
		{"a branch makes its flags conditional",
			"if ($v -lt 1.24) {\n  $args += \"--network-plugin=cni\"\n}\nelse\n{\n $args += '--x'\n}\n$args += \"--v=4\"",
			[]string{"2 network-plugin=cni?", "6 x=true?", "8 v=4"}},
		{"a function is no branch", "function Start([switch]$Wait) {\n  kubelet.exe --v=4\n}",
			[]string{"2 v=4"}},
		{"flags of other programs are left out",
			"docker network ls --format x; kubelet.exe --v=1\nC:\\k\\kube-proxy.exe --v=2 `\n  --proxy-mode=kernelspace\nkubelet.exe --v=3",
			[]string{"1 v=1", "4 v=3"}},
		{"nssm sets the kubelet's", "nssm set kubelet AppParameters --v=5", []string{"1 v=5"}},
		{"an apostrophe in text does not run on", "it's a start\nkubelet.exe --v=1",
			[]string{"2 v=1"}},
		{"dashes inside a word are no flag", "$a--; write-host a--b", nil},
		{"a redirection is no value", "kubelet.exe --windows-service > C:\\k\\log.txt",
			[]string{"1 windows-service=true"}},
		{"a mark in front does not matter", "\ufeffkubelet.exe --v=1", []string{"1 v=1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			for _, f := range ScriptFlags(row.text) {
				s := fmt.Sprintf("%d %s=%s", f.Line, f.Name, f.Value)
				if f.Conditional {
					s += "?"
				}
				got = append(got, s)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}
