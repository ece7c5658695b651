package foreign

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"doctor/checks/evidence"
)

const ipChinese = `
Windows IP 配置

   主机名  . . . . . . . . . . . . . : WIN-8OJ2
   主 DNS 后缀 . . . . . . . . . . . : 
   节点类型  . . . . . . . . . . . . : 混合
   IP 路由已启用 . . . . . . . . . . : 否
   WINS 代理已启用 . . . . . . . . . : 否
   DNS 后缀搜索列表  . . . . . . . . : corp.example.com

以太网适配器 以太网:

   媒体状态  . . . . . . . . . . . . : 媒体已断开连接
   连接特定的 DNS 后缀 . . . . . . . : 
   描述. . . . . . . . . . . . . . . : Microsoft Hyper-V Network Adapter
   物理地址. . . . . . . . . . . . . : 00-15-5D-00-00-09
   DHCP 已启用 . . . . . . . . . . . : 是
   自动配置已启用. . . . . . . . . . : 是

以太网适配器 vEthernet (以太网):

   连接特定的 DNS 后缀 . . . . . . . : corp.example.com
   描述. . . . . . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter
   物理地址. . . . . . . . . . . . . : 00-15-5D-00-00-01
   DHCP 已启用 . . . . . . . . . . . : 否
   自动配置已启用. . . . . . . . . . : 是
   本地链接 IPv6 地址. . . . . . . . : fe80::1%7(首选) 
   IPv4 地址 . . . . . . . . . . . . : 192.168.10.21(首选) 
   子网掩码  . . . . . . . . . . . . : 255.255.255.0
   默认网关. . . . . . . . . . . . . : 192.168.10.1
   DHCPv6 IAID . . . . . . . . . . . : 100668765
   DNS 服务器  . . . . . . . . . . . : 192.168.10.2
                                       192.168.10.3
   TCPIP 上的 NetBIOS  . . . . . . . : 已启用
`

const ipGerman = `
Windows-IP-Konfiguration

   Hostname  . . . . . . . . . . . . : knoten-7
   Primäres DNS-Suffix . . . . . . . : 
   Knotentyp . . . . . . . . . . . . : Hybrid

Ethernet-Adapter vEthernet (Ethernet):

   Verbindungsspezifisches DNS-Suffix: firma.example
   Beschreibung. . . . . . . . . . . : Hyper-V Virtual Ethernet Adapter
   Physische Adresse . . . . . . . . : 00-15-5D-00-00-02
   DHCP aktiviert. . . . . . . . . . : Ja
   IPv4-Adresse  . . . . . . . . . . : 169.254.7.9(Bevorzugt) 
   Subnetzmaske  . . . . . . . . . . : 255.255.0.0
   Lease erhalten. . . . . . . . . . : Dienstag, 3. September 2024 08:00:00
   Standardgateway . . . . . . . . . : 
   DHCP-Server . . . . . . . . . . . : 10.0.0.2
   DNS-Server  . . . . . . . . . . . : fec0:0:0:ffff::1%1
`

// ipRussian is the beginning of a public paste, of a machine with Windows 10.
const ipRussian = `PS C:\Users\User> ipconfig

Настройка протокола IP для Windows


Адаптер Ethernet Ethernet:

   DNS-суффикс подключения . . . . . :
   Локальный IPv6-адрес канала . . . : fe80::24d1:3ec7:6b4:89bf%7
   IPv4-адрес. . . . . . . . . . . . : 192.168.0.110
   Маска подсети . . . . . . . . . . : 255.255.255.0
   Основной шлюз. . . . . . . . . : 192.168.0.1
`

func TestIPConfigInOtherLanguages(t *testing.T) {
	tests := []struct{ name, ip, host, adapters string }{
		{"Chinese", ipChinese, "WIN-8OJ2",
			"以太网/Microsoft Hyper-V Network Adapter/00-15-5D-00-00-09/true/[]/[]/[]/ " +
				"vEthernet (以太网)/Hyper-V Virtual Ethernet Adapter/00-15-5D-00-00-01/false/[192.168.10.21/24]/[192.168.10.1]/[192.168.10.2 192.168.10.3]/corp.example.com"},
		{"German, with the address that Windows gives itself", ipGerman, "knoten-7",
			"vEthernet (Ethernet)/Hyper-V Virtual Ethernet Adapter/00-15-5D-00-00-02/true/[169.254.7.9/16]/[]/[fec0:0:0:ffff::1]/firma.example"},
		{"Chinese with the line ends that ipconfig writes into a pipe",
			strings.ReplaceAll(ipChinese, "\n", "\r\r\n"), "WIN-8OJ2", "以太网/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, recording(t, "", with(l2bridge2018(), "ip.txt", tt.ip)))
			if got := s.Meta().Node; got != tt.host {
				t.Errorf("node is %q", got)
			}
			var got []string
			for _, a := range evidence.Adapters.In(s) {
				dhcp := "unknown"
				if a.DHCP != nil {
					dhcp = fmt.Sprint(*a.DHCP)
				}
				got = append(got, fmt.Sprint(a.Name, "/", a.Description, "/", a.MAC, "/", dhcp, "/",
					a.Addresses, "/", a.Gateways, "/", a.DNSServers, "/", *a.DNSSuffix))
			}
			if text := strings.Join(got, " "); !strings.HasPrefix(text, tt.adapters) {
				t.Errorf("adapters\n got %s\nwant %s", text, tt.adapters)
			}
		})
	}
}

func TestIPConfigThatWasPastedInRussian(t *testing.T) {
	_, tree := looseTree(t, loose(map[string]string{"a.txt": ipRussian}))
	list := evidence.Adapters.In(load(t, tree))
	if len(list) != 1 || list[0].Name != "Ethernet" || !slices.Equal(list[0].Gateways, []string{"192.168.0.1"}) {
		t.Errorf("adapters are %+v", list)
	}
}

func TestAdaptersAreUnknownWithoutIPConfig(t *testing.T) {
	for name, content := range map[string]string{"no file": "-",
		"another text": "'ipconfig' is not recognized as a command\n"} {
		s := load(t, recording(t, "WIN-7", with(overlay2022(), "ip.txt", content)))
		if evidence.Adapters.Known(s) || evidence.DNSClient.Known(s) {
			t.Errorf("%s: adapters %v, dns client %v", name, evidence.Adapters.In(s),
				evidence.DNSClient.In(s))
		}
		if got := s.Meta().Node; got != "WIN-1" {
			t.Errorf("%s: the updates' computer is WIN-1, the node %q", name, got)
		}
	}
}

func TestNodeNameFallsBackToTheFolder(t *testing.T) {
	files := map[string]string{"network.txt": "", "endpoint.txt": "",
		"ip.txt": "Windows IP Configuration\n\n   Host Name : a b c\n"}
	if got := load(t, recording(t, "x/rack-4", files)).Meta().Node; got != "rack-4" {
		t.Errorf("node is %q", got)
	}
	if got := load(t, recording(t, "", files)).Meta().Node; got != "unknown" {
		t.Errorf("node is %q", got)
	}
	if got := load(t,
		recording(t, "",
			with(files, "systeminfo.txt",
				"\nHostname:                    knoten-9\nBetriebssystemname: x\n"))).Meta().Node; got != "knoten-9" {
		t.Errorf("node is %q", got)
	}
}

func TestRoutes(t *testing.T) {
	index := func(ip netip.Addr) int {
		if ip.String() == "192.168.10.21" {
			return 7
		}
		return 0
	}
	got := parseRoutePrint(
		"IPv4 路由表\n活动路由:\n网络目标        网络掩码          网关       接口   跃点数\n          0.0.0.0          0.0.0.0   192.168.10.1   192.168.10.21    100\n     192.168.10.0    255.255.255.0            在链路上    192.168.10.21    356\n        127.0.0.0        255.0.0.0            在链路上         127.0.0.1    331\n  0.0.0.0  255.0.255.0  1.2.3.4  1.2.3.4  1\n永久路由:\n          0.0.0.0          0.0.0.0   192.168.10.1     默认\n", index)
	if text := routesText(
		got); text != "[{0.0.0.0/0 192.168.10.1 7 100} {192.168.10.0/24 0.0.0.0 7 356} {127.0.0.0/8 0.0.0.0 0 331}]" {
		t.Errorf("routes are %s", text)
	}
	got = parseNetRoutes(
		"ifIndex DestinationPrefix NextHop RouteMetric ifMetric PolicyStore\n12      10.244.0.0/24      10.1.36.43        256\n12      10.244.1.0/24      10.1.3...         256 25   ActiveStore\n")
	if text := routesText(got); text != "[{10.244.0.0/24 10.1.36.43 12 256}]" {
		t.Errorf("a narrow console: %s", text)
	}
}

func TestPortTables(t *testing.T) {
	for _, change := range [][]string{{"excludedportrange.txt", "-"}, {"excludedportrange.txt", ""},
		{"dynamicportrange.txt", "x"}} {
		s := load(t, recording(t, "", with(overlay2022(), change...)))
		if evidence.Ports.Known(s) {
			t.Errorf("%q: half a table is presented as whole: %+v", change, evidence.Ports.In(s))
		}
	}
}
