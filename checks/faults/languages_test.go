package faults_test

import (
	"testing"

	"doctor/checks/errcode"
)

// TestSignsInEachLanguageOfWindows: a fault that is told by a message of Windows alone is found
// wherever Windows speaks another language.
func TestSignsInEachLanguageOfWindows(t *testing.T) {
	for _, row := range []struct{ id, component, line, want string }{
		{"layer-import-access-denied", "containerd",
			`hcsshim::ImportLayer \\?\C:\a: Access is denied.: unknown`,
			"fail: an image layer cannot be unpacked: access denied [text]"},
		{"image-disk-full", "containerd",
			`hcsshim::ImportLayer \\?\C:\a: There is not enough space on the disk.: unknown`,
			"fail: an image layer cannot be unpacked: the disk is full [text]"},
		{"containers-feature-missing", "containerd",
			`hcsshim::ProcessBaseLayer \\?\C:\a: The specified module could not be found.: unknown`,
			"fail: the host compute service call found no vmcompute.dll: the Containers feature is not installed [text]"},
		{"mount-path-invalid", "containerd",
			"hcs::CreateComputeSystem web: The parameter is incorrect.: unknown",
			"warn: Windows rejects a container parameter, most often the path of a mount [text]"},
	} {
		looks := []look{{"English", logTelling(row.component, row.line), row.want}}
		for language := range errcode.Languages() {
			if line := errcode.Translated(row.line, language); line != row.line {
				looks = append(looks, look{line, logTelling(row.component, line), row.want})
			}
		}
		if len(looks) < 6 {
			t.Errorf("%s: the table has %d languages of %q", row.id, len(looks)-1, row.line)
		}
		runLooks(t, row.id, looks)
	}
}
