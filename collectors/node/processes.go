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
		if row.PID == 0 { // the idle process is none
			continue
		}
		detail, err := processOf(uint32(row.PID))
		if errors.Is(err, fs.ErrPermission) {
			denied++
		}
		row.Exe = detail.image
		if detail.commandLine != "" {
			row.Args = argsOf(detail.commandLine)
			told++
		}
		list = append(list, row)
	}
	sorted.By(list, func(a, b evidence.Process) int { return a.PID - b.PID })
	r.JSON(evidence.Processes.Path(), list)
	switch elevated, _ := Elevated(); {
	case denied > 0 && !elevated: // some refuse an administrator too
		return fmt.Errorf("the command lines of %d processes: %w", denied, fs.ErrPermission)
	case told == 0: // not even this one's own
		return collectors.GapError(evidence.NotSupported.Gap(
			"this Windows does not show the command lines of processes"))
	}
	return nil
}

// argsOf are the arguments without the program.
func argsOf(line string) []string {
	args := evidence.SplitArgs(line)
	if len(args) > 0 && !strings.HasPrefix(strings.TrimLeft(line, " \t\r\n"), "-") {
		args = args[1:]
	}
	return append([]string{}, args...)
}

// started is when a process began; the idle process never did, which is a time before 1980.
func started(created int64) evidence.Time { return moment(fromFileTime(uint64(created))) }
