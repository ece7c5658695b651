package collectors_test

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"doctor/checks/evidence"
	"doctor/collectors"
	"doctor/collectors/tree"
)

// Collectors run side by side. What one of them cannot read becomes a gap, and costs the others
// nothing.
func ExampleRun() {
	features := func(_ context.Context, r *collectors.Record) error {
		r.JSON("features.json", map[string]string{"Containers": "installed"})
		return nil
	}
	routes := func(context.Context, *collectors.Record) error {
		return collectors.GapError(evidence.NeedsAdministrator.Gap())
	}
	hotfixes := func(ctx context.Context, _ *collectors.Record) error {
		<-ctx.Done() // Windows does not answer
		return ctx.Err()
	}
	list := []collectors.Collector{
		{Name: "features", Answers: []string{"features.json"}, Read: features},
		{Name: "routes", Answers: []string{"routes.json"}, Read: routes},
		{Name: "updates", Answers: []string{"hotfixes.json"}, Deadline: time.Millisecond,
			Read: hotfixes},
	}
	t := tree.New()
	collectors.Run(context.Background(), t, list, func([]collectors.Reading) {})
	names, err := fs.Glob(t.FS(), "*")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range names {
		fmt.Println(name)
	}
	// Output:
	// features.json
	// gaps.json
	// hotfixes.json.gap
	// routes.json.gap
}
