package node

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// machineCollectors read the machine itself: its Windows, services, memory and disks.
func machineCollectors(Options) []collectors.Collector {
	return []collectors.Collector{
		fromMachine("operating system", "os.json", func(context.Context) (any, error) {
			return readOS(openKey, kernelBuild(), bootTime())
		}),
		fromMachine("services", "services.json", func(context.Context) (any, error) {
			states, err := serviceStates()
			if err != nil {
				return nil, err
			}
			return readServices(openKey, states), nil
		}),
		fromRegistry("environment", "env.json", readEnvironment),
		fromMachine("memory", "memory.json", func(context.Context) (any, error) {
			m, err := memoryStatus()
			if err != nil {
				return nil, err
			}
			m.PageFiles = readPageFiles(openKey, sizeOfFile)
			return m, nil
		}),
		fromMachine("disks", "disks.json", func(context.Context) (any, error) {
			return fixedDisks()
		}),
		fromMachine("updates", "hotfixes.json", func(ctx context.Context) (any, error) {
			return readHotfixes(ctx, openKey, updateManifest)
		}),
		fromServices("features", "features.json", func(list []evidence.Service) (any, error) {
			return readFeatures(openKey, list, fileExists), nil
		}),
		fromRegistry("pending reboot", "pending-reboot.json", readPendingReboot),
		fromServices("time service", "time.json", func(list []evidence.Service) (any, error) {
			return readTimeService(openKey, list)
		}),
	}
}

// fromMachine is a collector of one file of the layout.
func fromMachine(name, path string, read func(context.Context) (any, error)) collectors.Collector {
	return one(name, path, func(ctx context.Context, r *collectors.Record) error {
		v, err := read(ctx)
		if err != nil {
			return err
		}
		r.JSON(path, v)
		return nil
	})
}

// fromRegistry is a collector of what the registry alone tells.
func fromRegistry[T any](name, path string, read func(hive) (T, error)) collectors.Collector {
	return fromMachine(name, path, func(context.Context) (any, error) { return read(openKey) })
}

// fromServices is a collector of what the list of services tells. The service
// manager is asked once.
func fromServices(name, path string, read func([]evidence.Service) (any,
	error)) collectors.Collector {
	return one(name, path, func(_ context.Context, r *collectors.Record) error {
		s, err := r.Snapshot()
		if err != nil {
			return err
		}
		if gap := evidence.Services.Gap(s); gap.Kind != "" {
			return collectors.GapError(gap)
		}
		v, err := read(evidence.Services.In(s))
		if err != nil {
			return err
		}
		r.JSON(path, v)
		return nil
	}, "services")
}

// sizeOfFile asks the folder where the file itself may not be opened, as is so
// with a page file in use.
func sizeOfFile(path string) (int64, bool) {
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return 0, false
	}
	return info.Size(), true
}

// fileExists tells whether something is there, and whether that could be told.
func fileExists(path string) (exists, looked bool) {
	_, err := os.Lstat(path)
	return err == nil, err == nil || errors.Is(err, fs.ErrNotExist)
}

// moment is a time of the layout; zero is one that is not known.
func moment(t time.Time) evidence.Time {
	if y := t.Year(); t.IsZero() || y < 1980 || y > 9999 {
		// A process that ends may report any time, and one such must not cost the list.
		return evidence.Time{}
	}
	return evidence.Time{Time: t.UTC().Truncate(time.Second)}
}

// fromFileTime reads a FILETIME: steps of 100 ns since 1601.
func fromFileTime(n uint64) time.Time {
	const from1601to1970 = 11644473600
	return time.Unix(int64(n/1e7)-from1601to1970, int64(n%1e7)*100)
}
