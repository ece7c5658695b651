package foreign

import (
	"fmt"
	"path"
	"regexp"
)

// aksGenerated are the outputs of loggenerator.ps1, which writes the same as the script without
// stamps and next to links to the logs: in WindowsAzure\Logs\aks, which goes into GuestVMLogs and
// into disk inspections.
var aksGenerated = []string{"containerd-info.txt", "cri-containerd-pods.txt",
	"cri-containerd-images.txt", "cri-containerd-containers.txt", "containerd-tasks.txt",
	"containerd-snapshot.txt", "process-vmcompute.txt", "process-cexecsvc.txt",
	"process-containerd-shim-runhcs-v1.txt"}

var aksGuestFolder = regexp.MustCompile(`(?i)(?:^|/)windowsazure/logs/aks$`)

// disk is the folder of the disk's root around WindowsAzure\Logs\aks, where an inspection copied
// other folders too; nil where there is none.
func (s *source) disk() *source {
	if !aksGuestFolder.MatchString(s.root) {
		return nil
	}
	root, err := openSource(s.fsys, path.Join(s.root, "../../.."))
	if err != nil {
		return nil
	}
	root.placed = s.placed
	return root
}

// placeDiskLogs places the logs that an inspection of the disk copied from where they are written.
func (s *source) placeDiskLogs(out *output) {
	disk := s.disk()
	if disk == nil {
		return
	}
	for _, dir := range []string{"k", "k/azurecns"} {
		out.logs(disk.folder(dir), aksLog, func(file string) string { return logComponent(file, "aks") })
	}
}

// kernelOf is the version of Windows in `kubectl get nodes -o wide`, or otherwise what was asked
// before it.
func kernelOf(table textFile, node string, otherwise textFile) textFile {
	if os, ok := osOfNode(table.content, node); ok {
		return textFile{name: table.name, content: fmt.Sprintf("10.0.%d.%d\n", os.Build, os.UBR)}
	}
	return otherwise
}
