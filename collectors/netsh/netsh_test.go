package netsh

import (
	"fmt"
	"strings"
	"testing"
)

const (
	excludedEN = "\r\nProtocol tcp Port Exclusion Ranges\r\n\r\nStart Port    End Port      \r\n----------    --------      \r\n      5985        5985      \r\n     50000       50059     *\r\n\r\n* - Administered port exclusions.\r\n\r\n"
	excludedZH = "\n协议 tcp 端口排除范围\n\n开始端口    结束端口\n----------    --------\n      1145        1244\n     50000       50059     *\n\n* - 管理的端口排除。\n"
	dynamicEN  = "\r\nProtocol tcp Dynamic Port Range\r\n---------------------------------\r\nStart Port      : 49152\r\nNumber of Ports : 16384\r\n\r\n"
	dynamicZH  = "\n协议 tcp 动态端口范围\n---------------------------------\n启动端口        : 1024\n端口数          : 13977\n"
)

func TestExcluded(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"English, as the program prints it", excludedEN,
			"[{tcp 5985 5985} {tcp 50000 50059}] map[tcp:true]"},
		{"two protocols in Chinese", excludedZH + strings.ReplaceAll(excludedZH, "tcp", "udp"),
			"[{tcp 1145 1244} {tcp 50000 50059} {udp 1145 1244} {udp 50000 50059}] map[tcp:true udp:true]"},
		{"an empty table is a table", "Protocol udp\n----------    --------\n\n",
			"[] map[udp:true]"},
		{"an error text is no table", "The request is not supported.\n", "[] map[]"},
		{"nothing", "", "[] map[]"},
		{"what cannot be ports is left out", "tcp\n-----\n 9 7\n 60000 70000\n",
			"[] map[tcp:true]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			list, tables := Excluded(row.in)
			if got := fmt.Sprint(list, tables); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestDynamic(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"English, as the program prints it", dynamicEN, "map[tcp:{49152 16384}]"},
		{"two protocols in Chinese", dynamicZH + strings.ReplaceAll(dynamicZH, "tcp", "udp"),
			"map[tcp:{1024 13977} udp:{1024 13977}]"},
		{"an error text", "The request is not supported.\n", "map[]"},
		{"no ports at all are no range", "tcp\nStart : 1\nNumber : 0\n", "map[]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := fmt.Sprint(Dynamic(row.in)); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
