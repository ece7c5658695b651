package foreign

import (
	"fmt"
)

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
