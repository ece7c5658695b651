package checks

import (
	"strings"
	"testing"
)

func TestFaultsExplainWhatTheyBreak(t *testing.T) {
	dns := &Effect{ID: "dns"}
	services := &Effect{ID: "services", Implies: []*Effect{dns}}
	proxy := &Effect{ID: "proxy", Implies: []*Effect{services}}
	effects := func(list ...*Effect) []*Effect { return list }
	for _, row := range []struct {
		name string
		list []*Check
		want string // what each explains
	}{
		{"a fault explains the check that shows what it breaks",
			[]*Check{
				{ID: "fault", Breaks: effects(dns)},
				{ID: "sign", Shows: effects(dns)},
				{ID: "other", Shows: effects(services)},
			},
			"fault: sign"},
		{"and the check that shows what breaks along",
			[]*Check{
				{ID: "fault", Breaks: effects(proxy)},
				{ID: "sign", Shows: effects(dns)},
			},
			"fault: sign"},
		{"a sign alone breaks nothing",
			[]*Check{
				{ID: "sign", Shows: effects(services)},
				{ID: "follows", Shows: effects(dns)},
			},
			""},
		{"a fault never explains itself",
			[]*Check{
				{ID: "fault", Breaks: effects(proxy), Shows: effects(services)},
				{ID: "sign", Shows: effects(services)},
			},
			"fault: sign"},
		{"ids come first, then what is nearest, and each once",
			[]*Check{
				{ID: "fault", Breaks: effects(proxy, dns), Explains: []string{"named", "far"}},
				{ID: "far", Shows: effects(dns)},
				{ID: "middle", Shows: effects(services)},
				{ID: "named"},
				{ID: "near", Shows: effects(proxy)},
			},
			"fault: named far near middle"},
		{"what a check judges is entered through that check alone",
			[]*Check{
				{ID: "fault", Breaks: effects(proxy)},
				{ID: "judge", Judges: proxy},
				{ID: "near", Shows: effects(proxy)},
				{ID: "sign", Shows: effects(services)},
			},
			"fault: judge; judge: near sign"},
		{"unless the fault breaks what follows in another way too",
			[]*Check{
				{ID: "fault", Breaks: effects(proxy, services)},
				{ID: "judge", Judges: proxy},
				{ID: "sign", Shows: effects(services)},
			},
			"fault: judge sign; judge: sign"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := NewCatalogue(row.list...)
			var got []string
			for _, check := range row.list {
				if follow := c.Explains(check.ID); len(follow) > 0 {
					got = append(got, check.ID+": "+strings.Join(follow, " "))
				}
			}
			if have := strings.Join(got, "; "); have != row.want {
				t.Errorf("explains %q, want %q", have, row.want)
			}
		})
	}
}

func TestASelectionExplainsAsTheWholeDoes(t *testing.T) {
	dns := &Effect{ID: "dns"}
	fault, sign := &Check{ID: "fault", Breaks: []*Effect{dns}},
		&Check{ID: "sign", Shows: []*Effect{dns}}
	c := NewCatalogue(fault, sign).Only("fault")
	if got := c.Explains("fault"); len(got) != 1 || got[0] != "sign" {
		t.Errorf("explains %q", got)
	}
	if got := c.Effects(); len(got) != 1 || got[0] != dns {
		t.Errorf("effects %v", got)
	}
}

func TestOneCheckJudgesAnEffect(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two checks judge one effect")
		}
	}()
	dns := &Effect{ID: "dns"}
	NewCatalogue(&Check{ID: "a", Judges: dns}, &Check{ID: "b", Judges: dns})
}
