package bundle

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// mountAll mounts whatever turns up, and tells how many archives that were.
func mountAll(a *Archive) int {
	mounted := 0
	for nested := a.Nested(); len(nested) > 0; nested = a.Nested() {
		for _, path := range nested {
			if a.Mount(path) {
				mounted++
			}
		}
	}
	return mounted
}

// agents is a support bundle: an archive for each node, inside of one for all.
func agents(t testing.TB) []member {
	agent := makeTar(t, member{name: `logs\agent\antrea-agent.log`, content: "klog"},
		member{name: "../evil", content: "1"})
	return []member{
		{name: "sb/clusterinfo", content: "yaml"},
		{name: "sb/agent_win-1.tar.gz", content: string(makeGzip(t, agent))},
		{name: "sb/agent_win-2.tar", content: string(agent)},
		{name: "sb/win-3.zip",
			content: string(makeZip(t, member{name: `k\kubelet.log`, content: "three"}))},
	}
}

func TestMount(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	members := agents(t)
	plain := makeTar(t, members...)
	for name, path := range map[string]string{
		"in a folder": makeFolder(t, members...),
		"in a zip":    save(t, makeZip(t, members...)),
		"in a tar":    save(t, plain),
		"in a tar.gz": save(t, makeGzip(t, plain)),
	} {
		t.Run(name, func(t *testing.T) {
			a, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			want := []string{"sb/agent_win-1.tar.gz", "sb/agent_win-2.tar", "sb/win-3.zip"}
			if got := a.Nested(); !slices.Equal(got, want) {
				t.Errorf("the archives inside are %q", got)
			}
			if got := contents(t, a); got != "sb/clusterinfo=yaml" {
				t.Errorf("before, it holds %q", got)
			}
			if len(a.Refused()) != 3 {
				t.Errorf("before, left out:\n%s", refusals(a))
			}
			if n := mountAll(a); n != 3 {
				t.Errorf("%d were mounted: %s", n, refusals(a))
			}
			if got := contents(t,
				a); got != "sb/agent_win-1.tar.gz/logs/agent/antrea-agent.log=klog sb/agent_win-2.tar/logs/agent/antrea-agent.log=klog sb/clusterinfo=yaml sb/win-3.zip/k/kubelet.log=three" {
				t.Errorf("it holds %q", got)
			}
			checkRefusals(t, a, []string{"sb/agent_win-1.tar.gz/../evil: its name leads upwards",
				"sb/agent_win-2.tar/../evil: its name leads"})
			if err := fstest.TestFS(a.FS(), "sb/clusterinfo",
				"sb/win-3.zip/k/kubelet.log"); err != nil {
				t.Error(err)
			}
			if a.Mount("sb/win-3.zip") || a.Mount("sb/clusterinfo") || a.Mount("sb/gone.zip") {
				t.Error("what is mounted, is no archive or is not there was mounted")
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
				t.Errorf("%s was left behind", left[0].Name())
			}
			if f, err := a.FS().Open("sb/win-3.zip/k/kubelet.log"); err == nil {
				if n, err := f.Read(make([]byte, 8)); err == nil {
					t.Errorf("a closed archive gave %d bytes", n)
				}
			}
		})
	}
}

func TestMountThatComesToNothing(t *testing.T) {
	sound := makeZip(t, member{name: "a", content: "1"})
	locked := rawZip(t, "x", zip.FileHeader{Name: "secret", Flags: 1, UncompressedSize64: 1})
	for name, row := range map[string]struct {
		content []byte
		want    string
	}{
		"it is empty":  {nil, "it is empty"},
		"it is a text": {[]byte("no archive"), "it is no folder and no archive that doctor reads"},
		"it is a 7z":   {[]byte("7z\xbc\xaf\x27\x1c\x00\x04"), "it is a 7z file"},
		"it is cut":    {sound[:len(sound)-10], "it is cut short or is not a zip"},
		"all in it is locked": {locked,
			"it contains no file that doctor can read; the first of 1 left out is in.zip/secret: it is encrypted"},
		"it holds bad names": {makeZip(t, member{name: "../x"}),
			"it contains no file that doctor can read; the first of 1 left out is in.zip/../x: its name leads upwards"},
		"it holds nothing": {makeZip(t), "it contains no file"},
		"it is a gzip of words": {makeGzip(t, []byte(strings.Repeat("words ", 300))),
			"it unpacks to something other than a tar"},
		"it is a cut gzip": {makeGzip(t, makeTar(t, member{name: "a"}))[:20],
			"it is cut short or is no gzip file"},
	} {
		t.Run(name, func(t *testing.T) {
			a := mustOpen(t,
				save(t, makeZip(t, member{name: "in.zip", content: string(row.content)},
					member{name: "z", content: "2"},
					member{name: "z.zip", content: string(sound)})), standard)
			if a.Mount("in.zip") {
				t.Errorf("it was mounted")
			}
			if !a.Mount("z.zip") {
				t.Errorf("its neighbour was not mounted: %s", refusals(a))
			}
			if got := contents(t, a); got != "z=2 z.zip/a=1" {
				t.Errorf("it holds %q", got)
			}
			checkRefusals(t, a, []string{"in.zip: " + row.want})
		})
	}
}

func TestMountOfACutArchiveKeepsWhatCameBefore(t *testing.T) {
	agent := makeTar(t, member{name: "a", content: "1"},
		member{name: "b", content: strings.Repeat("b", 900)})
	a := mustOpen(t, save(t, makeZip(t, member{name: "n.tar", content: string(agent[:1800])},
		member{name: "../x"})), standard)
	if !a.Mount("n.tar") {
		t.Fatal(refusals(a))
	}
	if got := contents(t, a); got != "n.tar/a=1" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a,
		[]string{"../x: ", "n.tar: it is cut short at byte 1800 of the tar, after b",
			"n.tar/b: the archive is cut short after 264 of its 900 bytes"})
}

// nest puts content into so many zips, each in the next.
func nest(t testing.TB, content []byte, times int) []byte {
	for i := range times {
		content = makeZip(t, member{name: fmt.Sprintf("%d.zip", i), content: string(content)})
	}
	return content
}

func TestMountGoesThreeArchivesDeep(t *testing.T) {
	sound := makeZip(t, member{name: "a", content: "1"})
	a := mustOpen(t, save(t, nest(t, sound, 3)), standard)
	mountAll(a)
	if got := contents(t, a); got != "2.zip/1.zip/0.zip/a=1" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a, nil)

	a = mustOpen(t, save(t, makeZip(t, member{name: "4.zip", content: string(nest(t, sound, 3))},
		member{name: "b", content: "2"})), standard)
	mountAll(a)
	if got := contents(t, a); got != "b=2" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a,
		[]string{"4.zip/2.zip/1.zip: it contains no file that doctor can read; the first of 1 left out is 4.zip/2.zip/1.zip/0.zip: an archive inside of more than 3 others is not opened"})
}

// A zip of 16 zips of 16 zips and so on is bounded by their number, whatever each unpacks to.
func TestMountOfAZipOfManyZips(t *testing.T) {
	level := makeZip(t, member{name: "a", content: "1"})
	for range 3 {
		var members []member
		for i := range 16 {
			members = append(members, member{name: fmt.Sprintf("lib %d.zip", i),
				content: string(level)})
		}
		level = makeZip(t, members...)
	}
	a := mustOpen(t, save(t, level), standard)
	if n := mountAll(a); n != maxMounts {
		t.Errorf("%d were mounted", n)
	}
	if got := refusals(a); !strings.Contains(got, "it is not opened, after 512 other archives") {
		t.Errorf("left out %.300s", got)
	}
}

func TestMountUnpacksToTheLimitOnly(t *testing.T) {
	small := standard
	small.unpacked, small.nested = 20<<10, 12<<10
	big := makeGzip(t, makeTar(t, member{name: "a", content: "1"},
		member{name: "zeros", content: strings.Repeat("\x00", 1<<20)}))
	var members []member
	for _, name := range []string{"1.tgz", "2.tgz", "3.tgz"} {
		members = append(members, member{name: name, content: string(big)})
	}
	a := mustOpen(t, makeFolder(t, members...), small)
	mountAll(a)
	if got := contents(t, a); got != "1.tgz/a=1 2.tgz/a=1" {
		t.Errorf("it holds %q", got)
	}
	got := refusals(a)
	for _, want := range []string{
		"1.tgz: it unpacks to more than doctor takes (12 KiB) at byte 12288",
		"2.tgz: it unpacks to more than doctor takes (8 KiB)",
		"3.tgz: it unpacks to more than doctor takes, in all; extract it and pass it to doctor"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// What an archive takes that is given up is there for the next one.
func TestMountGivesBackWhatItTook(t *testing.T) {
	few := standard
	few.entries = 40
	var many []member
	for i := range 35 {
		many = append(many, member{name: fmt.Sprint(i), content: "x"})
	}
	members := []member{{name: "z.zip", content: string(makeZip(t, many[:20]...))}}
	for i := range maxTooBig - 1 {
		members = append(members, member{name: fmt.Sprintf("b%d.zip", i),
			content: string(makeZip(t, many...))})
	}
	a := mustOpen(t, save(t, makeZip(t, members...)), few)
	if n := mountAll(a); n != 1 || !strings.HasSuffix(contents(t, a), "z.zip/9=x") {
		t.Errorf("%d were mounted: %s", n, refusals(a))
	}
	if got := refusals(a); strings.Count(got,
		"it holds more than 40; give doctor the recording of one node") != maxTooBig-1 {
		t.Errorf("left out\n%s", got)
	}
}

func TestMountGivesUpAfterManyThatAreTooBig(t *testing.T) {
	few := standard
	few.entries = 20
	var many, members []member
	for i := range 25 {
		many = append(many, member{name: fmt.Sprint(i)})
	}
	for i := range maxTooBig {
		members = append(members, member{name: fmt.Sprintf("b%d.zip", i),
			content: string(makeZip(t, many...))})
	}
	members = append(members, member{name: "z.zip", content: string(makeZip(t, many[:1]...))})
	a := mustOpen(t, save(t, makeZip(t, members...)), few)
	mountAll(a)
	if got := refusals(a); !strings.Contains(got,
		"z.zip: it is not opened, after 8 other archives that are too big") {
		t.Errorf("left out\n%s", got)
	}
}

func TestMountOfPathsThatGrowTooLong(t *testing.T) {
	long := strings.Repeat("n", 600)
	in := makeZip(t, member{name: long, content: "1"}, member{name: "short", content: "2"},
		member{name: strings.Repeat("d/", 40) + "x", content: "3"})
	a := mustOpen(t,
		save(t, makeZip(t, member{name: strings.Repeat("e/", 30) + long + ".zip",
			content: string(in)})), standard)
	mountAll(a)
	if got := contents(t, a); !strings.HasSuffix(got, ".zip/short=2") ||
		strings.Count(got, "=") != 1 {
		t.Errorf("it holds %q", got)
	}
	if got := refusals(a); !strings.Contains(got, "its path is longer than 1024 bytes") ||
		!strings.Contains(got, "more than 64 folders deep") {
		t.Errorf("left out %s", got)
	}
}

func TestNamesOfArchivesInside(t *testing.T) {
	sound := string(makeZip(t, member{name: "a", content: "1"}))
	a := mustOpen(t,
		save(t, makeZip(t, member{name: "in.zip", content: sound},
			member{name: "IN.ZIP", content: sound}, member{name: "in.zip/b", content: "2"},
			member{name: "x.zip/y", content: "3"}, member{name: "x.zip", content: sound})),
		standard)
	mountAll(a)
	if got := contents(t, a); got != "in.zip/a=1 x.zip/y=3" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a, []string{"IN.ZIP: a second entry of this name",
		"in.zip/b: it needs a folder where a file",
		"x.zip: it is a file, and a folder of this name"})
}

// An archive in a folder is read where it lies: it may be larger than what fits beside it.
func TestMountInAFolderNeedsNoCopy(t *testing.T) {
	none := standard
	none.unpacked = 0
	dir := makeFolder(t,
		member{name: "n.zip",
			content: string(makeZip(t, member{name: "a", content: "1"},
				member{name: "t.tar",
					content: string(makeTar(t, member{name: "b", content: "2"}))}))})
	a := mustOpen(t, dir, none)
	mountAll(a)
	if got := contents(t, a); got != "n.zip/a=1" {
		t.Errorf("it holds %q", got)
	}
	checkRefusals(t, a, []string{"n.zip/t.tar: it unpacks to more than doctor takes, in all"})
	if _, err := os.Stat(filepath.Join(dir, "n.zip")); err != nil {
		t.Error(err)
	}
}

// The files of a folder have their sizes; those of an archive in it claim theirs.
func TestMountInAFolderBelievesNoClaim(t *testing.T) {
	in := rawZip(t, "1", zip.FileHeader{Name: "a", UncompressedSize64: 3 << 30},
		zip.FileHeader{Name: "b", UncompressedSize64: 3 << 30})
	a := mustOpen(t, makeFolder(t, member{name: "n.zip", content: string(in)}), standard)
	mountAll(a)
	checkRefusals(t, a,
		[]string{"n.zip/b: it declares 3 GiB, and the archive may hold 4 GiB in all"})
}
