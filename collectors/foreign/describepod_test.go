package foreign

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"doctor/checks/evidence"
	"doctor/fixtures"
)

func TestADescribedPodIsAPod(t *testing.T) {
	list := readDescribedPods(describedPodText, "WIN-1")
	if len(list) != 1 || len(readDescribedPods(describedPodText, "win-2")) != 0 {
		t.Fatalf("the pods are %v", list)
	}
	var got, want any
	if err := json.Unmarshal([]byte(asJSON(t, list[0])), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{
		"metadata": {"name": "win-webserver-76c7f9b9b6-7tjxk", "namespace": "default",
			"labels": {"app": "win-webserver"}, "annotations": {"doctor/described": "true"},
			"ownerReferences": [{"kind": "ReplicaSet", "name": "win-webserver-76c7f9b9b6"}]},
		"spec": {"nodeName": "win-1", "nodeSelector": {"kubernetes.io/os": "windows"},
			"containers": [{"name": "web", "image": "mcr.microsoft.com/windows/servercore:ltsc2022",
				"livenessProbe": {"initialDelaySeconds": 5, "timeoutSeconds": 1, "periodSeconds": 5, "failureThreshold": 9},
				"resources": {"limits": {"memory": "1Gi"}, "requests": {"memory": "1Gi"}}}]},
		"status": {"phase": "Running", "reason": "", "message": "", "podIP": "10.244.3.7", "hostIP": "10.240.0.5",
			"startTime": "2024-09-03T10:02:00Z",
			"conditions": [{"type": "Initialized", "status": "True"},
				{"type": "Ready", "status": "False"}],
			"containerStatuses": [{"name": "web", "ready": false, "restartCount": 12,
				"image": "mcr.microsoft.com/windows/servercore:ltsc2022",
				"imageID": "mcr.microsoft.com/windows/servercore@sha256:1234",
				"state": {"waiting": {"reason": "CrashLoopBackOff"}},
				"lastState": {"terminated": {"reason": "Error", "exitCode": 3221225794,
					"startedAt": "2024-09-03T10:02:00Z", "finishedAt": "2024-09-03T10:02:01Z"}}}]}}`),
		&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDescriptionsThatAreNotWhole(t *testing.T) {
	for name, text := range map[string]string{
		"of a node":           "Name:  win-1\nRoles:  <none>\n",
		"cut in its head":     describedPodText[:strings.Index(describedPodText, "Containers:")],
		"of a service":        "Name:      web\nNamespace: default\nType:      ClusterIP\n",
		"containers and none": "Name:  p\nNamespace:  x\nContainers:\nEvents:  <none>\n",
	} {
		if list := readDescribedPods(text, ""); len(list) != 0 {
			t.Errorf("%s: %v", name, list)
		}
	}
	for at, want := range map[string]string{"    State:": "", "    Limits:": "status"} {
		cut := describedPodText[:strings.Index(describedPodText, at)]
		pod := asJSON(t, readDescribedPods(cut, "")[0])
		if strings.Contains(pod, `"containers":`) || strings.Contains(pod, "containerStatuses") != (want != "") {
			t.Errorf("cut before %q, so that what follows is not missing: %s", at, pod)
		}
	}
	cut := describedPodText[:strings.Index(describedPodText, "      Exit Code")]
	list := readDescribedPods(cut, "")
	if len(list) != 1 || strings.Contains(asJSON(t, list[0]), "exitCode") {
		t.Errorf("cut in a state: %v", list)
	}
}

// TestWhatKubectlLeavesOutAccusesNobody reduces the pods of each healthy recording to what
// `kubectl describe` prints of them: no check may take the rest for missing.
func TestWhatKubectlLeavesOutAccusesNobody(t *testing.T) {
	for _, name := range fixtures.Names() {
		if !strings.HasPrefix(name, "healthy-") {
			continue
		}
		r, err := fixtures.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, all := range []bool{true, false} {
			files := fstest.MapFS{}
			fs.WalkDir(r.FS(), ".", func(file string, d fs.DirEntry, _ error) error {
				if d.IsDir() || !all && file != "meta.json" && file != "api/pods.json" {
					return nil
				}
				content, err := fs.ReadFile(r.FS(), file)
				if err != nil {
					t.Fatal(err)
				}
				if file == "api/pods.json" {
					content = []byte(asDescribed(t, content))
				}
				files[file] = &fstest.MapFile{Data: content}
				return nil
			})
			s, err := evidence.Load(files)
			if err != nil {
				t.Fatal(err)
			}
			if found, _ := judged(t, s); len(found) > 0 {
				t.Errorf("%s (with all else: %v) has the faults %q", name, all, found)
			}
		}
	}
}

func asDescribed(t *testing.T, content []byte) string {
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(content, &list); err != nil || len(list.Items) == 0 {
		t.Fatalf("there are no pods: %v", err)
	}
	for _, pod := range list.Items {
		spec := pod["spec"].(map[string]any)
		for key := range spec {
			switch key {
			case "nodeName", "nodeSelector", "containers", "initContainers":
			default:
				delete(spec, key)
			}
		}
		if status := pod["status"].(map[string]any); status["podIP"] == status["hostIP"] {
			spec["hostNetwork"] = true // the two addresses are printed
			spec["securityContext"] = map[string]any{
				"windowsOptions": map[string]any{"hostProcess": true}}
		}
		for _, key := range []string{"containers", "initContainers"} {
			containers, _ := spec[key].([]any)
			for _, c := range containers {
				for field := range c.(map[string]any) {
					if field != "name" && field != "image" && field != "resources" {
						delete(c.(map[string]any), field)
					}
				}
			}
		}
	}
	return asJSON(t, map[string]any{"items": list.Items})
}

func FuzzDescribedPods(f *testing.F) {
	f.Add(describedPodText)
	f.Add("Name: a\nNamespace: b\nContainers:\n  c:\n    State: Waiting\n      Reason: x\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, pod := range readDescribedPods(s, "") {
			var p evidence.Pod
			if err := json.Unmarshal([]byte(asJSON(t, pod)), &p); err != nil {
				t.Errorf("it is no pod: %v", err)
			}
		}
	})
}
