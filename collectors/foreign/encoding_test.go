package foreign

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"doctor/checks/evidence"
)

func TestEncodings(t *testing.T) {
	json := l2bridge2018()["network.txt"]
	tests := []struct {
		name string
		data []byte
		want int
		gap  string
	}{
		{"UTF-16 with a BOM", utf16(t, json), 2, ""},
		{"UTF-8 with a BOM", []byte("\xef\xbb\xbf" + json), 2, ""},
		{"UTF-8", []byte(json), 2, ""},
		{"a UTF-16 table, then UTF-8 that another tool appended",
			append(utf16(t, "Name Type\n---- ----\ncbr0 L2Bridge\n"), json...), 2, ""},
		{"nothing but a BOM", []byte("\xff\xfe"), 0, "error: network.txt is empty"},
		{"no byte", nil, 0, "error: network.txt is empty"},
		{"too large", bytes.Repeat([]byte(" "), maxDump+1), 0,
			"error: network.txt: it is larger than 65536 KiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := load(t, fstest.MapFS{"network.txt": {Data: tt.data}, "endpoint.txt": {},
				"ip.txt": {}})
			if n := len(evidence.HNSNetworks.In(s)); n != tt.want {
				t.Errorf("%d networks, want %d", n, tt.want)
			}
			if gap := evidence.HNSNetworks.Gap(s); (gap.Kind == "") != (tt.gap == "") ||
				!strings.HasPrefix(gap.String(), tt.gap) {
				t.Errorf("gap is %q, want %q", gap, tt.gap)
			}
		})
	}
}
