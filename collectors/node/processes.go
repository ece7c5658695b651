package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"doctor/checks/evidence"
	"doctor/checks/sorted"
	"doctor/collectors"
)

// A processRow is one process in the system's own list, which everybody may read.
type processRow struct {
	pid, parent uint32
	name        string
	created     int64 // FILETIME; 0 for those that began with the system
	threads     uint32
	workingSet  uint64
	private     uint64 // bytes
	handles     uint32
}

// A processDetail is what only its owner or an administrator may ask.
type processDetail struct{ image, commandLine string }

// readProcesses lists all processes. What may not be asked of one of them is
// left out of it, and costs the others nothing.
func readProcesses(ctx context.Context, r *collectors.Record) error {
	rows, err := listProcesses()
	if err == nil {
		rows, err = bounded(rows, "processes")
	}
	if err != nil {
		return fmt.Errorf("the list of processes: %w", err)
	}
	list, told, denied := make([]evidence.Process, 0, len(rows)), 0, 0
	for _, row := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if row.pid == 0 { // the idle process is none
			continue
		}
		detail, err := processOf(row.pid)
		if errors.Is(err, fs.ErrPermission) {
			denied++
		}
		if detail.commandLine != "" {
			told++
		}
		list = append(list, row.process(detail))
	}
	sorted.By(list, func(a, b evidence.Process) int { return a.PID - b.PID })
	r.JSON(evidence.Processes.Path(), list)
	switch {
	case denied > 0 && !runsElevated(): // some refuse an administrator too
		return fmt.Errorf("the command lines of %d processes: %w", denied, fs.ErrPermission)
	case told == 0: // not even this one's own
		return collectors.GapError(
			evidence.NotSupported.Gap("this Windows does not show the command lines of processes"))
	}
	return nil
}

func (row processRow) process(d processDetail) evidence.Process {
	p := evidence.Process{
		PID: int(row.pid), PPID: int(row.parent), Name: row.name, Exe: d.image,
		StartedAt: started(row.created), Threads: int(row.threads),
		WorkingSetBytes: int64(row.workingSet), PrivateBytes: int64(row.private),
		Handles: int(row.handles),
	}
	if d.commandLine != "" {
		p.Args = argsOf(d.commandLine)
	}
	return p
}

// argsOf are the arguments without the program.
func argsOf(line string) []string {
	args := evidence.SplitArgs(line)
	if len(args) > 0 && !strings.HasPrefix(strings.TrimLeft(line, " \t\r\n"), "-") {
		args = args[1:]
	}
	return append([]string{}, args...)
}

// started is when a process began; the idle process never did.
func started(created int64) evidence.Time {
	if created <= 0 {
		return evidence.Time{}
	}
	return moment(fromFileTime(uint64(created)))
}
