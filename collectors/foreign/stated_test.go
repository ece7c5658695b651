package foreign

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

// oneError makes a paste of a text that only states something.
const oneError = "```\nhcsshim::CreateComputeSystem: 0xc0370106\n```\n"

func TestAuthorsStateFacts(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"the template of Kubernetes", "- Kubernetes version (use `kubectl version`): 1.18.2 (both client/server)\n" +
			"- OS (e.g: `cat /etc/os-release`): Windows Server 2019\n- Kernel (e.g. `uname -a`):\n", "windows 10.0.17763, kubelet 1.18.2"},
		{"the template of Calico", "* Calico version: **3.20.2**\n* Orchestrator version (e.g. kubernetes, mesos, rkt): **kubernetes v1.21.4**\n" +
			"* Operating System and version: **Windows server 2022**\n", "windows 10.0.20348, kubelet v1.21.4, calico 3.20.2"},
		{"the question asks again behind the colon", "- Kubernetes version: (use `kubectl version`): 1.21.2\n", "kubelet 1.21.2"},
		{"the answer is below", "**RKE2 Version:**\nv1.30.1+rke2r1\n", "rke2 v1.30.1+rke2r1"},
		{"rke2 --version", "rke2 version v1.27.3+rke2r1 (abc)\ngo version go1.20.4\n", "rke2 v1.27.3+rke2r1"},
		{"the build and its revision in two fields", "OS Version: Windows Server 2019, 1809\nKernel version: 10.0.17763.2803\n",
			"windows 10.0.17763.2803, windows 10.0.17763"},
		{"the host of workers", "- Worker OS : Windows Server core 1903\n- Master OS : Ubuntu 18.04 LTS\n", "windows 10.0.18362"},
		{"the runtime by its name", "Container runtime: containerd 1.6.6\n- Network plugin and version (if this is network-related): flannel v0.14.0\n",
			"flannel v0.14.0, containerd 1.6.6"},
		{"a sentence", "Running in Server 2016, trying to pull microsoft/aspnet:4.7.1-windowsservercore-1709\n", "windows 10.0.14393"},
		{"the image of a build", "PS> docker pull microsoft/iis:windowsservercore-1709\n", "image microsoft/iis:windowsservercore-1709"},

		{"two releases of Windows", "OS: Windows Server 2019 and 2022\n", ""},
		{"two versions", "Kubernetes version: v1.21.1\n\nlater:\nKubernetes version: v1.22.3\n", ""},
		{"a range", "- Kubernetes version: v1.7.1 - v1.11.0\n", ""},
		{"any later one", "Kubernetes version: >= 1.20.0\nkubelet version: 1.20.1 and newer\n", ""},
		{"a release without its patch", "Kubernetes version: 1.16\n", ""},
		{"the client", "kubectl version: 1.16.2\nClient version: 1.16.2\nKubernetes version: 1.16.2 (client)\n", ""},
		{"the server of another program", "Server version: 1.10.2\n", ""},
		{"a placeholder", "- OS: <!-- e.g. Windows Server 2019 -->\n- Kubernetes version: e.g. 1.20.1\n- Host OS: ?\n", ""},
		{"a desktop", "OS: Windows 10 1809\n", ""},
		{"another system", "OS: Ubuntu 20.04.2\nKernel: 5.4.0-1046\n", ""},
		{"an operating system of something else", "Container OS: Windows Server 2019\nGuest OS: Windows Server 2019\n", ""},
		{"a sentence that says where it works", "It works fine running on Windows Server 2019.\nIs it running on Windows Server 2019?\n", ""},
		{"a sentence beside another release", "I am running windows server 2019.\nWindows Server 2022 is the same.\n", ""},
		{"a sentence about containers", "We are running Windows Server 2019 containers.\n", ""},
		{"two pulls", "docker pull a/b:1803\nno\ndocker pull a/b:1709\nyes\n", "image a/b:1803, image a/b:1709"},
		{"it begins with where it was", "On Windows Server 2016 Version 1607:\n", "windows 10.0.14393"},
		{"a system on which it works", "On Windows Server 2016 it works.\n", ""},
		{"two images", "FROM a/b:ltsc2019 AS build\nFROM a/c:ltsc2022\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"paste.txt": oneError + row.text}))
			var list []evidence.Statement
			if content, err := fs.ReadFile(tree, evidence.Stated.Path()); err == nil {
				if err := json.Unmarshal(content, &list); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, s := range list {
				got = append(got, s.Fact+" "+s.Value)
				line := strings.Split(oneError+row.text, "\n")[s.Line-1]
				if first, _, _ := strings.Cut(s.Text, " "); !strings.Contains(line, first) || s.File != "paste.txt" {
					t.Errorf("%q is in line %q of %s", s.Text, line, s.File)
				}
			}
			if strings.Join(got, ", ") != row.want {
				t.Errorf("it states %q, want %q", got, row.want)
			}
		})
	}
}

// TestStatedFactsCompare: with what is stated, a text is judged as with what is recorded; alone it says nothing.
func TestStatedFactsCompare(t *testing.T) {
	const (
		layer = "failed to register layer: re-exec error: exit status 1: output: hcsshim::ImportLayer failed in Win32: " +
			"The system cannot find the file specified. (0x2) layerId=\\\\?\\C:\\ProgramData\\docker\\windowsfilter\\ef0c flavour=1\n"
		pull  = "PS C:\\> docker pull microsoft/dotnet-framework:3.5-windowsservercore-1709\n" + layer
		ended = "The metrics-server says `hcsshim::OpenComputeSystem 1e6d: A virtual machine or container with the specified identifier does not exist.`\n"
		stats = "regression-kubelet-stats-ended-container"
	)
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"a newer image", "Host OS: Windows Server 2016\n\n" + pull, []string{"fail app-image-os-version-mismatch"}},
		{"the host of the image", "OS: Windows Server, version 1709\n\n" + pull, nil},
		{"a newer host", "OS: Windows Server 2019\n\n" + pull, nil},
		{"a host of nobody knows which Windows", pull, nil},
		{"another error", "OS: Windows Server 2016\n\n" + strings.Replace(pull, "file specified. (0x2)", "path specified. (0x3)", 1), nil},
		{"the version of a regression", ended + "- Kubernetes version (use `kubectl version`): 1.18.2\n", []string{"fail " + stats}},
		{"a version with its fix", ended + "- Kubernetes version (use `kubectl version`): 1.18.8\n", nil},
		{"no version", ended, nil},
		{"dockerd says so itself", strings.Replace(ended, "The metrics-server says `",
			`time="2020-07-17T15:32:53Z" level=error msg="Handler for POST /v1.39/containers/1e6d/exec returned error: `, 1) +
			"- Kubernetes version (use `kubectl version`): 1.18.2\n", nil},
		{"dockerd answers a command", strings.Replace(ended, "The metrics-server says `", "Error response from daemon: ", 1) +
			"- Kubernetes version (use `kubectl version`): 1.18.2\n", nil},
		{"versions that do not fit", "OS: Windows Server 1803\nkubelet: v1.24.2\ncontainerd: 1.2.0\n" + oneError,
			[]string{"fail compute-system-unexpected-exit"}},
		{"versions that fit", "OS: Windows Server 2019\nkubelet: v1.24.2\n" + oneError, []string{"fail compute-system-unexpected-exit"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, tree := looseTree(t, loose(map[string]string{"paste.txt": row.text}))
			s, err := evidence.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			found, report := judged(t, s)
			if !slices.Equal(found, row.want) {
				t.Errorf("found %q, want %q", found, row.want)
			}
			for _, r := range report.Results {
				if r.ID == "os-version-unsupported" && r.Status == "pass" {
					t.Error("what nobody looked at passes")
				}
			}
		})
	}
}
