package regressions_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"doctor/checks"
	"doctor/checks/regressions"
)

// TestQuotedLinesShowTheirRow runs whole lines of public threads: a sign's own texts, side by side,
// would match it in whatever form they are.
func TestQuotedLinesShowTheirRow(t *testing.T) {
	quoted, err := txtar.ParseFile("testdata/shown.txtar")
	if err != nil {
		t.Fatal(err)
	}
	rows := regressions.Rows()
	for _, f := range quoted.Files {
		t.Run(f.Name, func(t *testing.T) {
			at := slices.IndexFunc(rows, func(r regressions.Row) bool { return r.ID == f.Name })
			if at < 0 {
				t.Fatal("the table has no such row")
			}
			source, lines, _ := strings.Cut(string(f.Data), "\n")
			if !strings.HasPrefix(source, "https://") || lines == "" {
				t.Fatal("name the thread in the first line, and quote its lines below")
			}
			want := checks.StatusFail
			if rows[at].Warn {
				want = checks.StatusWarn
			}
			first, rest, _ := strings.Cut(rows[at].From, " < ")
			fixed, _, _ := strings.Cut(rest, ", ")
			for line := range strings.Lines(lines) {
				try(t, rows[at], first, strings.TrimSuffix(line, "\n"), want)
				try(t, rows[at], fixed, strings.TrimSuffix(line, "\n"), checks.StatusPass)
			}
		})
	}
}

// TestALineOfAnotherDriver: CSI drivers share libraries and words, so that the disk or the volume that a line
// names tells whose it is; where it names none, the version of the driver on the node does.
func TestALineOfAnotherDriver(t *testing.T) {
	const resize = `NodeExpandVolume.NodeExpandVolume failed for volume "pvc-1" : Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = could not resize volume "%s" ("1"):  Resize is not supported for this build`
	const mount = `rpc error: code = Internal desc = Could not mount "\\var\\lib\\kubelet\\plugins\\kubernetes.io\\csi\\%s\\globalmount" at "c:\\var\\lib\\kubelet\\pods\\p\\mount": file does not exist`
	azure, aws := strings.Replace(resize, "%s", "/subscriptions/0/resourceGroups/vol-1/providers/Microsoft.Compute/disks/pvc-1", 1), strings.Replace(resize, "%s", "vol-0a7c4be21d93f5586", 1)
	for _, row := range []struct {
		id, version, line string
		want              checks.Status
	}{
		{"azure-disk-resize-fails", "1.17.0", azure, checks.StatusFail},
		{"azure-disk-resize-fails", "latest", azure, checks.StatusWarn},
		{"azure-disk-resize-fails", "latest", aws, checks.StatusSkip},
		{"ebs-resize-fails", "1.5.1", aws, checks.StatusFail},
		{"ebs-resize-fails", "latest", aws, checks.StatusWarn},
		{"ebs-resize-fails", "latest", azure, checks.StatusSkip},
		{"ebs-publish-target", "1.3.0", strings.Replace(mount, "%s", `pv\\pvc-1`, 1), checks.StatusFail},
		{"ebs-publish-target", "1.3.0", strings.Replace(mount, "%s", `ebs.csi.aws.com\\1`, 1), checks.StatusFail},
		{"ebs-publish-target", "1.3.0", strings.Replace(mount, "%s", `smb.csi.k8s.io\\1`, 1), checks.StatusInfo},
		{"ebs-publish-target", "1.3.0", strings.Replace(mount, "%s", `csi.vsphere.vmware.com\\1`, 1), checks.StatusInfo},
		{"ebs-publish-target", "latest", strings.Replace(mount, "%s", `pv\\pvc-1`, 1), checks.StatusSkip},
		{"azure-disk-wrong-number", "1.31.2", `I1120 11:07:58.1 1 nodeserver.go:165] NodeStageVolume: formatting 0 and mounting at C:\m with mount options([])`, checks.StatusFail},
		{"azure-disk-wrong-number", "1.31.2", `I1120 11:07:58.1 1 node.go:208] NodeStageVolume: formatting 0 and mounting at C:\m with fstype ntfs`, checks.StatusInfo},
	} {
		rows := regressions.Rows()
		r := rows[slices.IndexFunc(rows, func(r regressions.Row) bool { return r.ID == row.id })]
		if got := judge(t, r, row.version, row.line); got.Status != row.want {
			t.Errorf("%s %s: %s is %s, want %s (%s%s)", row.id, row.version, row.line, got.Status, row.want, got.Reason, got.Gap)
		}
	}
}
