package evidence

import (
	"slices"
	"testing"
)

func TestDecodeAzureState(t *testing.T) {
	state, err := DecodeAzureNetworks(
		[]byte(`{"Network":{"Version":"v1.6.21","ExternalInterfaces":{"Ethernet":{"Networks":{"azure":{"HnsId":"d2dab241"}}}}}}`))
	if err != nil || state.Version != "v1.6.21" || len(state.Networks) != 1 ||
		state.Networks[0] != (AzureNetwork{"azure", "d2dab241", "Ethernet", "azure"}) {
		t.Errorf("azure-vnet.json is read as %+v, %v", state, err)
	}
	pools, err := DecodeAzurePools(
		[]byte(`{"IPAM":{"AddressSpaces":{"local":{"Pools":{"10.224.4.0/22":{"Addresses":{"10.224.4.41":{"InUse":true},"10.224.4.42":{"InUse":false}}}}}}}}`))
	if err != nil || len(pools) != 1 || pools[0].ID != "10.224.4.0/22" || pools[0].Space != "local" ||
		pools[0].Total != 2 || !slices.Equal(pools[0].InUse, []string{"10.224.4.41"}) {
		t.Errorf("azure-vnet-ipam.json is read as %+v, %v", pools, err)
	}
	for _, broken := range []string{"", "[]", `{"Network":7}`, `{"IPAM":[]}`} {
		_, networkErr := DecodeAzureNetworks([]byte(broken))
		_, poolErr := DecodeAzurePools([]byte(broken))
		if networkErr == nil && poolErr == nil {
			t.Errorf("both take %q", broken)
		}
	}
}
