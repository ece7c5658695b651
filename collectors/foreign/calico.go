package foreign

import (
	"cmp"
	"encoding/json"
	"regexp"
)

// calicoInstallation is the kind of the operator's settings.
const calicoInstallation = "Installation"

// poolModes are the modes of an IPPool by the encapsulation of the operator's Installation.
var poolModes = map[string][2]string{ // ipipMode, vxlanMode
	"": {"Always", "Never"}, "IPIP": {"Always", "Never"}, "IPIPCrossSubnet": {"CrossSubnet", "Never"},
	"VXLAN": {"Never", "Always"}, "VXLANCrossSubnet": {"Never", "CrossSubnet"}, "None": {"Never", "Never"},
}

// poolsOf are the IPPools that the operator of Calico makes of an Installation.
func poolsOf(installation kubeObject) (pools []kubeObject) {
	var spec struct {
		CalicoNetwork struct {
			IPPools []struct{ Name, CIDR, Encapsulation, NodeSelector string }
		}
	}
	if json.Unmarshal(installation["spec"], &spec) != nil {
		return nil
	}
	for _, p := range spec.CalicoNetwork.IPPools {
		if modes, known := poolModes[p.Encapsulation]; known {
			pools = append(pools, ipPool(cmp.Or(p.Name, p.CIDR), p.CIDR, modes[0], modes[1], p.NodeSelector))
		}
	}
	return pools
}

func ipPool(name, cidr, ipip, vxlan, selector string) kubeObject {
	return kubeObject{"kind": jsonOf("IPPool"), "metadata": jsonOf(map[string]string{"name": name}),
		"spec": jsonOf(map[string]string{"cidr": cidr, "ipipMode": ipip, "vxlanMode": vxlan,
			"nodeSelector": selector})}
}

// readPoolTable reads `calicoctl get ippool -o wide`. Pools that give no more addresses are left out.
func readPoolTable(s string) (pools []kubeObject) {
	rows, _ := readColumns(s, 2, "NAME", "CIDR", "IPIPMODE", "VXLANMODE", "DISABLED", "SELECTOR")
	for _, row := range rows {
		if row["DISABLED"] != "true" {
			pools = append(pools, ipPool(row["NAME"], row["CIDR"], row["IPIPMODE"], row["VXLANMODE"],
				row["SELECTOR"]))
		}
	}
	return pools
}

// affinity is the row of `calicoctl ipam show --show-configuration`.
var affinity = regexp.MustCompile(`(?m)^\|? *StrictAffinity *\|? *(true|false)\b`)

// readIPAM reads what calicoctl prints of the IPAM configuration.
func readIPAM(s string) (configs []kubeObject) {
	if m := affinity.FindStringSubmatch(s); m != nil {
		configs = append(configs, kubeObject{"kind": jsonOf("IPAMConfig"),
			"metadata": jsonOf(map[string]string{"name": "default"}),
			"spec":     jsonOf(map[string]bool{"strictAffinity": m[1] == "true"})})
	}
	return configs
}
