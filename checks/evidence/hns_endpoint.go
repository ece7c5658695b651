package evidence

import (
	"cmp"
	"strconv"
	"strings"
)

// DecodeHNSEndpoints decodes a listing of endpoints.
func DecodeHNSEndpoints(b []byte) ([]HNSEndpoint, error) {
	return decodeHNS(b, "endpoint", []string{"ID", "Name", "IPAddress", "IpConfigurations"},
		func(o *hnsObject) (HNSEndpoint, bool) {
			e := HNSEndpoint{
				ID: o.id("ID"), Name: o.text("Name"),
				NetworkID:   o.id("HostComputeNetwork", "VirtualNetwork"),
				NamespaceID: o.id("HostComputeNamespace"),
				MAC:         hnsMAC(o.text("MacAddress")),
				Gateway:     unspecified(o.text("GatewayAddress")),
				DNS:         hnsDNS(o), Routes: listOf(o, "Routes", hnsRoute), Flags: o.uint("Flags"),
				State:       o.number("State"),
				Policies:    listOf(o, "Policies", hnsPolicy),
				SchemaMajor: hnsSchema(o, "HostComputeNetwork", "IpConfigurations"),
			}
			if ns := o.object("Namespace"); ns != nil && e.NamespaceID == "" {
				e.NamespaceID = ns.id("ID")
			}
			e.addAddress(o, "IPAddress", "PrefixLength")
			e.addAddress(o, "IPv6Address", "IPv6PrefixLength")
			for _, c := range o.objects("IpConfigurations") {
				e.addAddress(c, "IpAddress", "PrefixLength")
			}
			e.Gateway = cmp.Or(e.Gateway, defaultGateway(e.Routes), unspecified(o.text("GatewayAddressV6")))
			e.Remote = o.bool("IsRemoteEndpoint") || e.SchemaMajor >= 2 && e.Flags&1 != 0
			e.Truncated = o.state.cut
			return e, true
		})
}

func (e *HNSEndpoint) addAddress(o *hnsObject, addressKey, lengthKey string) {
	address, length := o.text(addressKey), o.uint(lengthKey)
	if address == "" {
		return
	}
	bits := uint64(32)
	if strings.Contains(address, ":") {
		bits = 128
	}
	if length > 0 && length <= bits && !strings.Contains(address, "/") {
		address += "/" + strconv.FormatUint(length, 10)
	}
	e.Addresses = append(e.Addresses, address)
}
