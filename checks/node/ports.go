package node

import (
	"strconv"
	"strings"

	"doctor/checks/evidence"
)

// An OwnPort is a TCP port of a component: the one that is configured, or the default.
type OwnPort struct {
	Number int              // 0 where it is switched off
	From   evidence.Because // what sets it; of a default it has no place
	Gap    evidence.Gap     // what may set it and was not seen
}

// Because is what sets the port, for a finding.
func (p OwnPort) Because() []evidence.Because {
	if p.From.Path == "" {
		return nil
	}
	return []evidence.Because{p.From}
}

// KubeletPort is where the kubelet serves: the port that the Node object announces, or that of its
// flags or configuration.
func (n *Node) KubeletPort(s evidence.Snapshot) OwnPort {
	object := evidence.Node.In(s)
	if port := object.Status.DaemonEndpoints.KubeletEndpoint.Port; port > 0 {
		return OwnPort{Number: port, From: object.Field("status", "daemonEndpoints",
			"kubeletEndpoint", "Port").Because("kubeletEndpoint: port %d", port)}
	}
	if f, ok := n.KubeletFlag("port"); ok {
		if port, err := strconv.Atoi(f.Value); err == nil && port > 0 && port < 1<<16 {
			return OwnPort{Number: port, From: f.From}
		}
	}
	config := n.KubeletConfig(s)
	if config.Port > 0 {
		return OwnPort{Number: config.Port, From: config.Field("port").Because("port is %d",
			config.Port)}
	}
	return OwnPort{Number: 10250, Gap: config.unseen()}
}

// KubeletHealthPort is that of the kubelet's own health endpoint.
func (n *Node) KubeletHealthPort(s evidence.Snapshot) OwnPort {
	if f, ok := n.KubeletFlag("healthz-port"); ok {
		if port, err := strconv.Atoi(f.Value); err == nil {
			return OwnPort{Number: port, From: f.From}
		}
		return OwnPort{}
	}
	config := n.KubeletConfig(s)
	if config.HealthzPort != nil {
		return OwnPort{Number: *config.HealthzPort, From: config.Field("healthzPort").Because(
			"healthzPort is %d", *config.HealthzPort)}
	}
	return OwnPort{Number: 10248, Gap: config.unseen()}
}

// unseen is the gap of a configuration that the flags name.
func (k KubeletSettings) unseen() evidence.Gap {
	if k.Named {
		return k.Gap
	}
	return evidence.Gap{}
}

// ProxyHealthPort is what load balancers ask whether kube-proxy works.
func (n *Node) ProxyHealthPort() OwnPort {
	return n.proxyPort("healthz-bind-address", 10256, n.proxy.HealthzAddress)
}

// ProxyMetricsPort is that of kube-proxy's metrics.
func (n *Node) ProxyMetricsPort() OwnPort {
	return n.proxyPort("metrics-bind-address", 10249, n.proxy.MetricsAddress)
}

func (n *Node) proxyPort(flag string, usual int, inFile ProxySetting) OwnPort {
	port, address := OwnPort{Number: usual, Gap: n.UnseenProxy()}, ""
	if f, ok := n.proxy.Flag("config"); ok && f.Value != "" { // and no other flag counts
		if address, port.From = inFile.Value, inFile.From; address == "" {
			port.Gap = evidence.NotShown.Gap("the command line or the configuration of kube-proxy")
		}
	} else if f, ok := n.proxy.Flag(flag); ok {
		address, port.From = f.Value, f.From
	}
	if port.From.Path != "" {
		port.Number, _ = strconv.Atoi(address[strings.LastIndex(address, ":")+1:])
	}
	return port
}
