package node

import (
	"fmt"

	"doctor/checks/evidence"
	"doctor/collectors"
)

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
