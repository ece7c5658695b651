package node

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestPortRanges(t *testing.T) {
	dynamic := func(p string) string {
		return "\r\nProtocol " + p +
			" Dynamic Port Range\r\n----------------------\r\nStart Port      : 49152\r\nNumber of Ports : 16384\r\n"
	}
	excluded := func(p, rows string) string {
		return "\r\nProtocol " + p +
			" Port Exclusion Ranges\r\n\r\nStart Port    End Port\r\n----------    --------\r\n" +
			rows
	}
	for _, row := range []struct {
		name    string
		answers map[string]string
		want    string
		wrong   bool
	}{
		{"all four answer", map[string]string{"dynamicport tcp": dynamic("tcp"),
			"dynamicport udp": dynamic("udp"), "excludedportrange tcp": excluded("tcp",
				"  5985  5985\r\n"), "excludedportrange udp": excluded("udp", "")},
			`{"dynamic":{"tcp":{"start":49152,"count":16384},"udp":{"start":49152,"count":16384}},"excluded":[{"protocol":"tcp","start":5985,"end":5985}]}`, false},
		{"nothing is excluded", map[string]string{"dynamicport tcp": dynamic("tcp"),
			"dynamicport udp": dynamic("udp"), "excludedportrange tcp": excluded("tcp", ""),
			"excludedportrange udp": excluded("udp", "")},
			`{"dynamic":{"tcp":{"start":49152,"count":16384},"udp":{"start":49152,"count":16384}},"excluded":[]}`, false},
		{"half of the exclusions are none", map[string]string{"dynamicport tcp": dynamic("tcp"),
			"dynamicport udp": dynamic("udp"), "excludedportrange tcp": excluded("tcp",
				"  5985  5985\r\n")},
			`{"dynamic":{"tcp":{"start":49152,"count":16384},"udp":{"start":49152,"count":16384}}}`,
			true},
		{"a netsh that prints nothing", nil, `{}`, true},
		{"a netsh that complains",
			map[string]string{"dynamicport tcp": "The request is not supported.\r\n"}, `{}`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			table, err := portRanges(t.Context(), func(_ context.Context, _ string, args ...string) (string,
				error) {
				return row.answers[args[3]+" "+strings.TrimPrefix(args[4], "protocol=")], nil
			})
			got, _ := json.Marshal(table)
			if string(got) != row.want || (err != nil) != row.wrong {
				t.Errorf("got  %s, %v\nwant %s", got, err, row.want)
			}
		})
	}
	_, err := portRanges(t.Context(), func(context.Context, string, ...string) (string, error) {
		return "", errors.ErrUnsupported
	})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("no netsh at all: %v", err)
	}
}

func TestSocketTables(t *testing.T) {
	any6, one6 := strings.Repeat("00", 16), strings.Repeat("00", 15)+"01"
	for i, row := range []struct{ name, table, want string }{
		{"TCP", "01000000" + "02000000" + "7f000001" + "28080000" + "00000000" + "00000000" +
			"c40c0000", "[{127.0.0.1 10248 3268}]"},
		{"TCP over IPv6", "01000000" + any6 + "00000000" + "280a0000" + any6 + "00000000" +
			"00000000" + "02000000" + "c40c0000", "[{:: 10250 3268}]"},
		{"UDP, two rows", "02000000" + "00000000" + "007b0000" + "64040000" + "0a012432" +
			"12b50000" + "04000000", "[{0.0.0.0 123 1124} {10.1.36.50 4789 4}]"},
		{"UDP over IPv6, and a count that promises more", "09000000" + one6 + "00000000" +
			"00350000" + "01000000" + "0000", "[{::1 53 1}]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b, err := hex.DecodeString(row.table)
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, s := range socketTables[i].parse(b) {
				list = append(list, fmt.Sprintf("{%s %d %d}", s.address, s.port, s.pid))
			}
			if got := fmt.Sprint(list); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
	if got := socketTables[0].parse([]byte{1, 0}); got != nil {
		t.Errorf("of two bytes: %v", got)
	}
}

// As the copy of a program's output does it.
func TestWhatACommandPrintsIsBounded(t *testing.T) {
	var out firstBytes
	n, err := io.Copy(&out, strings.NewReader(strings.Repeat("x", maxPrinted+1000)))
	if n != maxPrinted+1000 || err != nil || len(out.kept) != maxPrinted {
		t.Errorf("copied %d, %v, kept %d", n, err, len(out.kept))
	}
}
