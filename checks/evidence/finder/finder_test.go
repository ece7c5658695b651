package finder

import (
	"fmt"
	"slices"
	"testing"
)

// naive finds what the finder must find.
func naive(b []byte, texts []string) []string {
	var found []string
	lower := asciiLower(b)
	for i, text := range texts {
		for at := 0; at+len(text) <= len(lower); at++ {
			if lower[at:at+len(text)] == text {
				found = append(found, fmt.Sprint(i, at))
			}
		}
	}
	slices.Sort(found)
	return found
}

func asciiLower(b []byte) string {
	return string(mapBytes(b))
}

func mapBytes(b []byte) []byte {
	out := slices.Clone(b)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c | 0x20
		}
	}
	return out
}

func found(b []byte, texts []string) []string {
	var list []string
	New(texts).Each(b, func(text, start, _ int) { list = append(list, fmt.Sprint(text, start)) })
	slices.Sort(list)
	return list
}

func TestTheFinderFindsWhatALoopFinds(t *testing.T) {
	for name, row := range map[string]struct {
		b     string
		texts []string
	}{
		"one text twice": {"no network here, no network here",
			[]string{"no network"}},
		"texts of the same ending": {"xx hcncreateendpoint yy hcnopenendpoint",
			[]string{"hcncreateendpoint", "hcnopenendpoint", "endpoint"}},
		"a text inside another": {"the network name is gone",
			[]string{"the network name is", "network name", "work name is gone"}},
		"at the very beginning and end": {"abcdefghij", []string{"abcdef", "efghij"}},
		"signs that fold like letters": {"a@b`c[d{e @@@@@@ ``````",
			[]string{"@@@@@@", "``````"}},
		"upper case in the log": {"THE SWITCH-PORT WAS NOT FOUND",
			[]string{"switch-port was"}},
		"nothing, in a log that is short": {"abc", []string{"abcdef"}},
	} {
		if got, want := found([]byte(row.b), row.texts),
			naive([]byte(row.b), row.texts); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestALongTextIsSearchedInOrder: its quarters are searched side by side.
func TestALongTextIsSearchedInOrder(t *testing.T) {
	texts := []string{"endpoint", "no network", "points"}
	var b []byte
	for i := range 3000 {
		b = append(b, "the Endpoints of no network "[i%7:]...)
	}
	for _, size := range []int{0, 5, 4095, 4096, 4099, 4105, len(b)} {
		var list []string
		end := 0
		New(texts).Each(b[:size], func(text, start, stop int) {
			list = append(list, fmt.Sprint(text, start))
			if stop < end-len("no network") {
				t.Fatalf("of %d bytes: one that ends at %d behind one that ends at %d", size, stop, end)
			}
			end = stop
		})
		if want := naive(b[:size], texts); !slices.Equal(slices.Sorted(slices.Values(list)), want) ||
			size == len(b) && len(list) == 0 {
			t.Errorf("of %d bytes: %d found, want %d", size, len(list), len(want))
		}
	}
}

func FuzzFinder(f *testing.F) {
	f.Add([]byte("no network here"), "network", "no netw")
	f.Add([]byte("aaaaaaaaaaaaaaaa"), "aaaaaa", "aaaaaaa")
	f.Add([]byte("A\x80\xffbcdefgh"), "bcdefg", "\xe1bcdef")
	f.Fuzz(func(t *testing.T, b []byte, x, y string) {
		texts := []string{string(mapBytes([]byte(x))), string(mapBytes([]byte(y)))}
		if len(x) < MinText || len(y) < MinText || x == y || len(x) > 200 || len(y) > 200 {
			return
		}
		if got, want := found(b, texts), naive(b, texts); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestTextsThatAreAddedAreFoundInTheirCase(t *testing.T) {
	f := NewExact()
	f.Each([]byte("anything"), func(int, int, int) { t.Error("found before there is a text") })
	b := []byte("Secret-0123456789abcdef== secret-0123456789abcdef== x7Kq-2 x7kq-2")
	for _, step := range []struct {
		text string
		end  int
		want []string // of all texts so far: which, where it begins and ends
	}{
		{"Secret-0123456789abcdef==", 23, []string{"0 0 25"}},
		{"x7Kq-2", 6, []string{"0 0 25", "1 52 58"}}, // shorter than the window
		{"cret-0123", 9, []string{"0 0 25", "1 52 58", "2 2 11", "2 28 37"}},
	} {
		f.Add(step.text, step.end)
		var got []string
		f.Each(b, func(text, start, end int) { got = append(got, fmt.Sprint(text, start, end)) })
		if slices.Sort(got); !slices.Equal(got, step.want) {
			t.Errorf("with %s: %v, want %v", step.text, got, step.want)
		}
	}
	var later []string
	f.EachFrom(b, 20, func(text, start, _ int) { later = append(later, fmt.Sprint(text, start)) })
	if slices.Sort(later); !slices.Equal(later, []string{"1 52", "2 28"}) {
		t.Errorf("from 20 on: %v", later)
	}
}
