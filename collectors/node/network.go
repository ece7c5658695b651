package node

import (
	"context"
	"fmt"

	"doctor/checks/evidence"
	"doctor/collectors"
)

// networkCollectors read its processes and networks: adapters, HNS, the container runtime.
func networkCollectors(Options) []collectors.Collector {
	quiet()
	one := func(name, path string, read func(context.Context, *collectors.Record) error,
		after ...string) collectors.Collector {
		return collectors.Collector{Name: name, Answers: []string{path}, After: after,
			Deadline: deadline, Read: read}
	}
	return []collectors.Collector{
		one("processes", evidence.Processes.Path(), readProcesses),
		one("adapters", evidence.Adapters.Path(), readAdapters),
		one("routes", evidence.Routes.Path(), readRoutes),
		one("resolver", evidence.DNSClient.Path(), readResolver),
		one("ports", evidence.Ports.Path(), readPorts),
		one("VFP ports", evidence.VFPPorts.Path(), vfpReader(runSystem)),
		one("WFP drops", evidence.WFPInfo.Path(), wfpReader(runSystem)),
		one("HNS version", evidence.HNSVersion.Path(), readHNSVersion),
		one("HNS networks", evidence.HNSNetworks.Path(), hnsReader(hnsNetworks)),
		one("HNS endpoints", evidence.HNSEndpoints.Path(), hnsReader(hnsEndpoints)),
		one("HNS load balancers", evidence.HNSLoadBalancers.Path(), hnsReader(hnsLoadBalancers)),
		one("HNS namespaces", evidence.HNSNamespaces.Path(), hnsReader(hnsNamespaces)),
		one("compute systems", evidence.ComputeInfo.Path(), readCompute),
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
