package node

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"doctor/checks/evidence"
	facts "doctor/checks/node"
	"doctor/collectors"
)

// securityCalls are what Windows answers about the safety of files and drives.
type securityCalls struct {
	accessList func(path string) (sddl string, err error)
	drives     func() ([]string, error)                    // C:
	protection func(drive string) (state int32, err error) // System.Volume.BitLockerProtection
	service    func(name string) (state string, err error)
}

var windowsSecurity = securityCalls{accessListOf, fixedDrives, protectionOf, serviceState}

// Who may read these decides who can act as the node, or replace its programs.
var guardedPaths = slices.Concat(kubeconfigs, []string{
	`C:\k`, `C:\k\pki`, `C:\k\cni`, `C:\k\azurecni\bin`, `C:\k\azurecni\netconf`,
	`C:\etc\kubernetes`, `C:\etc\kubernetes\pki`, `C:\etc\cni\net.d`, `C:\opt\cni\bin`,
	`C:\run\flannel`, `C:\var\lib\kubelet`, `C:\var\lib\kubelet\pki`,
	`C:\var\lib\kubelet\pki\kubelet-client-current.pem`, `C:\var\lib\kubelet\pods`,
	`C:\var\lib\rancher\rke2\agent`, `C:\ProgramData\kubernetes`,
	`C:\ProgramData\Amazon\EKS\cni\config`, `C:\Program Files\Amazon\EKS\cni`,
	`C:\ProgramData\containerd`,
	`C:\ProgramData\docker`, `C:\CalicoWindows`,
})

// readSecurity is the collector "security".
func readSecurity(calls securityCalls, open hive) func(context.Context, *collectors.Record) error {
	return func(ctx context.Context, r *collectors.Record) error {
		ctx, cancel := collectors.BeforeDeadline(ctx, margin)
		defer cancel()
		// The shell asks whoever hooked into it, and what it says is a hint, not worth more than a third
		// of the collector's time.
		left := deadline
		if end, ok := ctx.Deadline(); ok {
			left = time.Until(end)
		}
		shell, stopShell := context.WithTimeout(ctx, left/3)
		defer stopShell()
		// which takes the longest, so it begins before anything else is known
		drives, _ := calls.drives()
		protections := make([]func() int32, len(drives))
		for i, drive := range drives {
			protections[i] = inTime(shell, func() (int32, error) { return askDrive(calls, drive) })
		}
		told, stop := context.WithTimeout(ctx, patience)
		defer stop()
		r.Await(told, "services", "processes")
		s, err := r.Snapshot()
		if err != nil {
			return err
		}
		var found evidence.Security
		found.ACLs, err = accessLists(ctx, calls, guarded(evidence.Services.In(s),
			evidence.Processes.In(s)))
		found.Defender = defender(s, open)
		for i, drive := range drives {
			found.BitLocker = append(found.BitLocker, evidence.BitLocker{Drive: drive,
				Protection: protectionName(protections[i]())})
		}
		if len(found.ACLs) == 0 && found.Defender == nil && err != nil {
			return err
		}
		r.JSON(evidence.SecurityInfo.Path(), found)
		return err
	}
}

// patience is how long the access lists wait to hear which files the node's
// programs name; without that they are read of the known ones.
const patience = deadline / 2

// guarded lists the known paths, and the kubeconfigs that the node's programs name.
func guarded(services []evidence.Service, processes []evidence.Process) []string {
	paths := slices.Clone(guardedPaths)
	for _, p := range runningPrograms(services, processes) {
		for _, value := range evidence.ParseFlags(p.args).All("kubeconfig", "bootstrap-kubeconfig",
			"kubeconfig-file", "cert-dir", "root-dir") {
			if file := named(value); file != "" && !facts.EqualsAny(file, paths) {
				paths = append(paths, file)
			}
		}
	}
	return paths
}

// accessLists reads those of the paths that are there. The error is why the
// first of them could not be read.
func accessLists(ctx context.Context, calls securityCalls, paths []string) (list []evidence.ACL,
	err error) {
	list = []evidence.ACL{}
	for _, p := range paths {
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
		sddl, e := calls.accessList(p)
		switch {
		case e == nil:
			list = append(list, evidence.ACL{Path: p, SDDL: sddl})
		case !errors.Is(e, fs.ErrNotExist) && err == nil:
			err = e
		}
	}
	return list, err
}

// askDrive asks the shell about a drive. The answer comes from the service BDESVC, which the question
// would start where it is stopped; then the drive's protection stays unknown.
func askDrive(calls securityCalls, drive string) (int32, error) {
	if state, err := calls.service("BDESVC"); err != nil || state != "running" {
		return 0, err
	}
	return calls.protection(drive)
}

// protectionName reads the shell's numbers: 1 on, 2 off, 3 and 4 on the way
// from one to the other, 5 suspended, 6 on and locked, 8 waiting for a key.
func protectionName(state int32) string {
	switch state {
	case 1, 6:
		return "on"
	case 2, 5, 8: // the key is next to the data
		return "off"
	}
	return "unknown"
}

// Where the exclusions are: those of the machine, and those of the domain.
var defenderKeys = []string{`SOFTWARE\Microsoft\Windows Defender\Exclusions`,
	`SOFTWARE\Policies\Microsoft\Windows Defender\Exclusions`}

// defender is nil where one of its parts may not be read: half a list of exclusions would accuse.
func defender(s evidence.Snapshot, open hive) *evidence.Defender {
	if !evidence.Services.Known(s) {
		return nil
	}
	d := evidence.Defender{Exclusions: evidence.DefenderExclusions{Paths: []string{},
		Processes: []string{}}}
	for _, service := range evidence.Services.In(s) {
		if strings.EqualFold(service.Name, "WinDefend") {
			d.Running = service.Running()
		}
	}
	for _, root := range defenderKeys {
		for kind, list := range map[string]*[]string{"Paths": &d.Exclusions.Paths,
			"Processes": &d.Exclusions.Processes} {
			k, err := open(root + `\` + kind)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil
			}
			for _, name := range k.names() {
				if !facts.EqualsAny(name, *list) {
					*list = append(*list, name)
				}
			}
		}
	}
	return &d
}
