package evidence_test

import (
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

func TestANodeWithoutWindowsIsNotJudged(t *testing.T) {
	const meta = `{"layout": "evidence/v1", "collectedAt": "2026-11-20T10:00:00Z"}`
	for name, row := range map[string]struct {
		node   string
		judged bool
	}{
		"nodeInfo says linux": {`"status": {"nodeInfo": {"operatingSystem": "linux", "osImage": "Ubuntu 18.04.4 LTS"}}`, false},
		"a label says linux":  {`"metadata": {"labels": {"kubernetes.io/os": "linux"}}`, false},
		"a table shows image and kernel": {`"status": {"nodeInfo": {"osImage": "Ubuntu 18.04.4 LTS",
			"kernelVersion": "5.0.0-1036-azure"}}`, false},
		"nodeInfo says windows": {`"status": {"nodeInfo": {"operatingSystem": "windows",
			"osImage": "Azure Stack HCI", "kernelVersion": "10.0.20348.2700"}}`, true},
		"a table shows a kernel of Windows": {`"status": {"nodeInfo": {"osImage": "Azure Stack HCI",
			"kernelVersion": "10.0.20348.2700"}}`, true},
		"nothing says what it runs": {`"metadata": {"name": "n"}`, true},
	} {
		s, err := evidence.Load(fstest.MapFS{"meta.json": {Data: []byte(meta)},
			"api/node.json": {Data: []byte(`{` + row.node + `}`)},
			"api/pods.json": {Data: []byte(`{"items": []}`)}})
		if err != nil {
			t.Fatal(err)
		}
		for kind, gap := range map[string]evidence.Gap{"Node": evidence.Node.Gap(s),
			"pods": evidence.Pods.Gap(s)} {
			if judged := gap.Kind == ""; judged != row.judged ||
				!judged && gap.Code != evidence.OtherSystem {
				t.Errorf("%s: %s: %s", name, kind, gap)
			}
		}
	}
}
