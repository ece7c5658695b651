package evidence

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Time is a moment as recorders write it: RFC 3339, nothing, or the
// "/Date(1700000000000)/" of Windows PowerShell.
type Time struct{ time.Time }

// UnmarshalJSON makes null and "" the zero time. Any other text that is no time is an error.
func (t *Time) UnmarshalJSON(b []byte) error {
	t.Time = time.Time{}
	var s *string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a time is a string such as \"2026-01-31T10:00:00Z\"")
	}
	if s == nil || *s == "" {
		return nil
	}
	if ms, ok := strings.CutPrefix(*s, "/Date("); ok {
		n, err := strconv.ParseInt(strings.TrimSuffix(ms, ")/"), 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a time", *s)
		}
		t.Time = time.UnixMilli(n).UTC()
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05",
		time.DateOnly} {
		if v, err := time.Parse(layout, *s); err == nil {
			t.Time = v.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is not a time such as \"2026-01-31T10:00:00Z\"", *s)
}
