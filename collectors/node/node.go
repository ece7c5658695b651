// Package node reads the Windows node that the program runs on, through
// Windows' own interfaces, and writes what they say as evidence.
//
// Files named _windows.go hold the calls and nothing else. What parses or
// decides is in the neutral file beside them, and is tested everywhere; on
// another system the calls answer errors.ErrUnsupported.
package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// Options bound what is read.
type Options struct {
	// Windows paths that the checks ask for, besides those that the node itself names
	Files    []string
	Folders  []string      // likewise, folders whose files they read
	Since    time.Duration // how far back event logs are read
	LogBytes int64         // how much of the end of each log is read
}

// deadline is what one collector may take. All of them together, with what
// comes after another, stay below the ten seconds that a run may take.
const deadline = 3 * time.Second

// margin is what is left of it to write what was read until then.
const margin = deadline / 8

// one is a collector that answers for one path.
func one(name, path string, read func(context.Context, *collectors.Record) error,
	after ...string) collectors.Collector {
	return collectors.Collector{Name: name, Answers: []string{path}, After: after,
		Deadline: deadline, Read: read}
}

// Collectors are all that read a node.
func Collectors(o Options) []collectors.Collector {
	return slices.Concat(machineCollectors(o), networkCollectors(o), fileCollectors(o))
}

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

// networkCollectors read its processes and networks: adapters, HNS, the container runtime.
func networkCollectors(Options) []collectors.Collector {
	quiet()
	return []collectors.Collector{
		one("processes", evidence.Processes.Path(), readProcesses),
		fromMachine("adapters", evidence.Adapters.Path(), readAdapters),
		fromMachine("routes", evidence.Routes.Path(), readRoutes),
		fromRegistry("resolver", evidence.DNSClient.Path(), resolverOf),
		one("ports", evidence.Ports.Path(), readPorts),
		one("VFP ports", evidence.VFPPorts.Path(), vfpReader(runSystem)),
		one("WFP drops", evidence.WFPInfo.Path(), wfpReader(runSystem)),
		fromMachine("HNS version", evidence.HNSVersion.Path(), readHNSVersion),
		one("HNS networks", evidence.HNSNetworks.Path(), hnsReader(hnsNetworks)),
		one("HNS endpoints", evidence.HNSEndpoints.Path(), hnsReader(hnsEndpoints)),
		one("HNS load balancers", evidence.HNSLoadBalancers.Path(), hnsReader(hnsLoadBalancers)),
		one("HNS namespaces", evidence.HNSNamespaces.Path(), hnsReader(hnsNamespaces)),
		fromMachine("compute systems", evidence.ComputeInfo.Path(), readCompute),
		one("container runtime", evidence.CRI.Path(), readCRI, "services", "processes"),
	}
}

// maxRows bounds every table that Windows hands out: a node has thousands of
// sockets and routes, and not millions.
const maxRows = 200_000

// bounded cuts a table that cannot be real, and says so.
func bounded[T any](list []T, what string) ([]T, error) {
	if len(list) > maxRows {
		return nil, fmt.Errorf("%d %s are more than the %d that are read of a node", len(list),
			what, maxRows)
	}
	return list, nil
}

// fileCollectors read its files: configuration, logs, event logs, certificates and who may read them.
func fileCollectors(o Options) []collectors.Collector {
	after := []string{"services", "processes"}
	return []collectors.Collector{
		{Name: "files", Answers: []string{evidence.FileIndex.Path(), "files/"}, After: after,
			Deadline: deadline, Read: readFiles(o, localVolumes)},
		one("logs", "logs/", readLogs(o, localVolumes, openKey, time.Now), after...),
		one("certificates", evidence.Certificates.Path(), readCertificates(localVolumes), after...),
		one("security", evidence.SecurityInfo.Path(), readSecurity(windowsSecurity, openKey)),
		fromRegistry("firewall", evidence.FirewallInfo.Path(), firewall),
		one("event logs", evidence.WindowsEvents.Path(), readEvents(o, askEventLog)),
	}
}
