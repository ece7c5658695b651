package maskname

import "strings"

// serviceDomain are domains of clouds and of Kubernetes itself: the same names for
// all their customers.
var serviceDomain = setOf(
	"cluster.local", "svc", "internal.cloudapp.net", "cloudapp.azure.com", "cloudapp.net",
	"compute.internal", "ec2.internal", "compute.amazonaws.com", "compute-1.amazonaws.com",
	"amazonaws.com", "amazonaws.com.cn", "aws.dev", "azure.com", "azure.net", "azure.us",
	"azure.cn", "azurecr.io", "azmk8s.io", "azureedge.net", "windows.net", "windows.com",
	"microsoft.com", "microsoftonline.com", "windowsupdate.com", "visualstudio.com", "office.com",
	"msftncsi.com", "msftconnecttest.com", "google.internal", "googleapis.com", "gcr.io", "pkg.dev",
	"google.com", "googleusercontent.com", "k8s.io", "kubernetes.io", "x-k8s.io",
	"projectcalico.org", "coreos.com", "antrea.io", "tigera.io", "cattle.io", "rancher.io",
	"rancher.com", "containerd.io", "docker.io", "docker.com", "quay.io", "ghcr.io", "github.com",
	"githubusercontent.com", "gmail.com", "outlook.com", "in-addr.arpa", "ip6.arpa", "nip.io",
	"sslip.io", "xip.io", "vmware.com", "redhat.com", "redhat.io", "openshift.io", "ntp.org",
	"digicert.com", "example.com", "example.org", "example.net")

// splitDomain parts a dotted name in small letters into the customer's own
// labels and what stays, with the dot before it.
func splitDomain(name string) (own, kept string) {
	for i := 0; i >= 0 && i < len(name); {
		if serviceDomain[name[i:]] {
			own = strings.TrimSuffix(name[:i], ".")
			if j := strings.LastIndexByte(own, '.'); isRegion(own[j+1:]) {
				i, own = j+1, own[:max(j, 0)]
			}
			return own, "." + name[i:]
		}
		dot := strings.IndexByte(name[i:], '.')
		if dot < 0 {
			break
		}
		i += dot + 1
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return name, ""
	}
	if j := strings.LastIndexByte(name[:i], '.'); j >= 0 && len(name)-i == 3 {
		switch name[j+1 : i] {
		case "co", "com", "org", "net", "gov", "edu", "ac", "or", "ne", "go":
			i = j
		}
	}
	return name[:i], name[i:]
}

// isRegion tells the regions of AWS: eu-central-1.
func isRegion(label string) bool {
	parts := strings.Split(label, "-")
	return len(parts) >= 3 && len(parts[0]) == 2 && len(parts[len(parts)-1]) == 1 &&
		isDigit(parts[len(parts)-1][0])
}

// parents returns a domain and those above it that are the customer's: for
// a.b.c.com itself, b.c.com and c.com.
func parents(name string) []string {
	own, kept := splitDomain(name)
	var list []string
	for own != "" {
		list = append(list, own+kept)
		_, rest, ok := strings.Cut(own, ".")
		if !ok {
			break
		}
		own = rest
	}
	return list
}
