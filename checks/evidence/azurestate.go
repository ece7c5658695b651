package evidence

import (
	"cmp"
	"maps"
	"slices"
)

// AzureNetworks is azure-vnet.json: what the plugin remembers of HNS.
type AzureNetworks struct {
	Version  string
	Networks []AzureNetwork
}

// AzureNetwork is one network of azure-vnet.
type AzureNetwork struct {
	ID    string // azure
	HNSID string // the id of the HNS network behind it

	Interface, Key string // under which it is kept
}

// HNSIDField is where the file has the id of the HNS network.
func (n AzureNetwork) HNSIDField(f NodeFile) Place {
	return f.Field("Network", "ExternalInterfaces", n.Interface, "Networks", n.Key, "HnsId")
}

// DecodeAzureNetworks reads azure-vnet.json.
func DecodeAzureNetworks(b []byte) (AzureNetworks, error) {
	var file struct {
		Network struct {
			Version            string
			ExternalInterfaces map[string]struct {
				Networks map[string]struct {
					ID    string `json:"Id"`
					HNSID string `json:"HnsId"`
				}
			}
		}
	}
	if err := decodeJSON(b, &file); err != nil {
		return AzureNetworks{}, err
	}
	state := AzureNetworks{Version: file.Network.Version}
	for _, nic := range slices.Sorted(maps.Keys(file.Network.ExternalInterfaces)) {
		networks := file.Network.ExternalInterfaces[nic].Networks
		for _, name := range slices.Sorted(maps.Keys(networks)) {
			n := networks[name]
			state.Networks = append(state.Networks, AzureNetwork{cmp.Or(n.ID, name), n.HNSID, nic, name})
		}
	}
	return state, nil
}

// AzurePool is one pool of azure-vnet-ipam.json.
type AzurePool struct {
	ID    string   // 10.224.4.0/22
	InUse []string // addresses that a container holds
	Total int      // addresses that the node was given
	Space string   // under which it is kept
}

// AddressesField is where the file has the pool's addresses.
func (p AzurePool) AddressesField(f NodeFile) Place {
	return f.Field("IPAM", "AddressSpaces", p.Space, "Pools", p.ID, "Addresses")
}

// DecodeAzurePools reads azure-vnet-ipam.json.
func DecodeAzurePools(b []byte) ([]AzurePool, error) {
	var file struct {
		IPAM struct {
			AddressSpaces map[string]struct {
				Pools map[string]struct {
					Addresses map[string]struct{ InUse bool }
				}
			}
		}
	}
	if err := decodeJSON(b, &file); err != nil {
		return nil, err
	}
	var pools []AzurePool
	for _, space := range slices.Sorted(maps.Keys(file.IPAM.AddressSpaces)) {
		list := file.IPAM.AddressSpaces[space].Pools
		for _, id := range slices.Sorted(maps.Keys(list)) {
			p := AzurePool{ID: id, Total: len(list[id].Addresses), Space: space}
			for address, a := range list[id].Addresses {
				if a.InUse {
					p.InUse = append(p.InUse, address)
				}
			}
			pools = append(pools, p)
		}
	}
	return pools, nil
}
