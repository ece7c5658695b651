package faults_test

import (
	"slices"
	"testing"

	"doctor/checks/faults"
	"doctor/checks/node"
)

func TestACheckAwaitsWhatItsVerdictRestsOn(t *testing.T) {
	for _, row := range []struct {
		name, id string
		open     []string
		want     bool
	}{
		{"nothing is open", "pagefile-disabled", nil, false},
		{"its own evidence", "pagefile-disabled", []string{"memory.json"}, true},
		{"evidence of others", "reboot-pending", []string{"hns-networks.json"}, false},
		{"the folder in which its file lies", "flannel-subnet-env-missing", []string{"files/"},
			true},
		{"the logs that its signs stand in", "hns-wrong-diskette", []string{"signs.json"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := faults.Catalogue().ByID(row.id).AwaitsAny(row.open); got != row.want {
				t.Errorf("%s awaits any of %v: %v; its verdict rests on %v", row.id, row.open, got,
					faults.Catalogue().ByID(row.id).Reads())
			}
		})
	}
}

func TestRecordersAreToldWhichFilesTheChecksAskFor(t *testing.T) {
	files, folders := faults.Catalogue().Files()
	if !slices.Contains(files, node.SubnetEnv) || !slices.Contains(folders, `C:\etc\cni\net.d`) {
		t.Errorf("asked for are %v, and folders %v", files, folders)
	}
}
