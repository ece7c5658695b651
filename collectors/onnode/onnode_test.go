package onnode

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"doctor/checks/evidence"
	"doctor/collectors"
)

func frame(t *testing.T, zip []byte, causes ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFrame(&b, zip, causes); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func bytesOf(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	r.Read(b)
	return b
}

func TestAFrameReturnsWhatWasWritten(t *testing.T) {
	for _, size := range []int{0, 1, lineBytes - 1, lineBytes, lineBytes + 1, 100_000} {
		zip := bytesOf(size)
		log := "the runtime says hello\r\n" + strings.ReplaceAll(frame(t, zip, "a"), "\n", "\r\n")
		if got, err := ReadFrame([]byte(log)); err != nil || !bytes.Equal(got, zip) {
			t.Errorf("of %d bytes come %d: %v", size, len(got), err)
		}
	}
}

func TestAFrameThatIsNotWholeIsRefused(t *testing.T) {
	whole := frame(t, bytesOf(20_000))
	lines := strings.SplitAfter(whole, "\n")
	without := func(i int) string { return strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "") }
	for _, c := range []struct{ name, log, says string }{
		{"nothing", "", "no evidence"},
		{"no beginning", without(0), "no evidence"},
		{"a line is missing", without(2), "its digest does not match; 14000 of 20000 bytes"},
		{"the end is missing", strings.Join(lines[:3], ""), "it ends after 12000 of 20000 bytes"},
		{"two lines are exchanged", lines[0] + lines[2] + lines[1] + strings.Join(lines[3:], ""), "digest"},
		{"a line twice", lines[0] + lines[1] + strings.Join(lines[1:], ""), "longer than the 20000"},
		{"another program's line", lines[0] + "panic: no\n" + strings.Join(lines[1:], ""), "no base64"},
		{"a size that nobody sends", strings.Replace(whole, "size=20000", "size=99999999999", 1),
			`a size of "99999999999"`},
		{"a size below zero", strings.Replace(whole, "size=20000", "size=-1", 1), `a size of "-1"`},
	} {
		if zip, err := ReadFrame([]byte(c.log)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d bytes, %v", c.name, len(zip), err)
		}
	}
}

// TestTheCausesFitIntoATerminationMessage: of a log the kubelet takes the last 2,048 bytes.
func TestTheCausesFitIntoATerminationMessage(t *testing.T) {
	var many []string
	for range 200 {
		many = append(many, "flannel-subnet-env-missing")
	}
	log := frame(t, bytesOf(20_000), many...)
	ids, told := causesIn(log[len(log)-2048:])
	if !told || len(ids) < 50 || ids[0] != "flannel-subnet-env-missing" {
		t.Errorf("%v: %v", told, ids)
	}
	log = frame(t, bytesOf(20_000))
	if ids, told := causesIn(log[len(log)-2048:]); !told || len(ids) > 0 {
		t.Errorf("without a cause: %v: %v", told, ids)
	}
	if _, told := causesIn("The container could not be located"); told {
		t.Error("a message of the runtime's tells causes")
	}
	if ids, _ := causesIn(causesLine + " a\x1b[31mb\n"); len(ids) != 1 || strings.Contains(ids[0], "\x1b") {
		t.Errorf("what drives a terminal passes: %q", ids)
	}
}

func FuzzReadFrame(f *testing.F) {
	var b bytes.Buffer
	if err := WriteFrame(&b, []byte("PK"), []string{"a"}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(beginLine + " size=4194304\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		if zip, err := ReadFrame(log); err == nil && len(zip) > len(log) {
			t.Errorf("%d bytes of a log of %d", len(zip), len(log))
		}
	})
}

func TestObstacle(t *testing.T) {
	for _, c := range []struct{ name, system, ready, runtime, kubelet, says string }{
		{"a node that can run one", "windows", "True", "containerd://1.6.0", "v1.23.0", ""},
		{"the newest", "windows", "True", "containerd://2.1.4", "v1.36.3", ""},
		{"a fork's version", "windows", "True", "containerd://1.7.22+azure", "v1.31.4-eks-1", ""},
		{"a version that cannot be read", "windows", "True", "containerd://unknown", "devel", ""},
		{"Linux", "linux", "True", "containerd://1.7.0", "v1.31.4", "runs linux"},
		{"not ready", "windows", "False", "containerd://1.7.0", "v1.31.4", "not ready"},
		{"no condition", "windows", "", "containerd://1.7.0", "v1.31.4", "not ready"},
		{"Docker", "windows", "True", "docker://20.10.9", "v1.22.4", "Docker"},
		{"containerd before 1.6", "windows", "True", "containerd://1.5.13", "v1.31.4", "containerd 1.5.13"},
		{"a kubelet before 1.23", "windows", "True", "containerd://1.6.8", "v1.22.9", "kubelet v1.22.9"},
	} {
		var node evidence.NodeObject
		node.Status.NodeInfo.OperatingSystem = c.system
		node.Status.NodeInfo.ContainerRuntimeVersion = c.runtime
		node.Status.NodeInfo.KubeletVersion = c.kubelet
		if c.ready != "" {
			node.Status.Conditions = []evidence.Condition{{Type: "Ready", Status: c.ready}}
		}
		err := Obstacle(node)
		if (err == nil) != (c.says == "") || err != nil &&
			!strings.Contains(collectors.GapOf(err).Reason(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestWhyAPodBringsNothing(t *testing.T) {
	stuck := func(p pod) error { return p.stuck() }
	late := (&Run{}).tooLate
	waiting := func(reason, message string) string {
		return `{"containerStatuses":[{"image":"doctor:1","state":{"waiting":{"reason":"` + reason +
			`","message":"` + message + `"}}}]}`
	}
	for _, c := range []struct {
		name, status string
		why          func(pod) error
		says         string // "" while waiting may help
	}{
		{"the container is created", waiting("ContainerCreating", ""), stuck, ""},
		{"a pull failed once", waiting("ErrImagePull", "unauthorized"), stuck, ""},
		{"no image for this version of Windows", waiting("ErrImagePull",
			"no matching manifest for windows/amd64"), stuck, "no variant for this node"},
		{"a name that is none", waiting("InvalidImageName", "x"), stuck, "cannot be pulled: x"},
		{"an image that must be there", waiting("ErrImageNeverPull", "x"), stuck, "cannot be pulled: x"},
		{"no HostProcess containers", waiting("CreateContainerError", "hcs: denied"), stuck,
			"the container does not start: hcs: denied"},
		{"a pull that takes too long", waiting("ErrImagePull", "slow"), late,
			"did not start in time: slow"},
		{"a pod that runs too long", `{"containerStatuses":[{"state":{"running":{}}}]}`, late,
			"did not finish in time"},
		{"a kubelet that does not hear of the pod", `{}`, late, "the kubelet did not start the pod"},
	} {
		var p pod
		if err := json.Unmarshal([]byte(`{"status":`+c.status+`}`), &p.Pod); err != nil {
			t.Fatal(err)
		}
		if err := c.why(p); (err == nil) != (c.says == "") || err != nil &&
			!strings.Contains(collectors.GapOf(err).Reason(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
