package node

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"doctor/checks/evidence"
)

const currentVersion = `SOFTWARE\Microsoft\Windows NT\CurrentVersion`

// readOS puts together what the kernel says of itself, 0 where it was not
// asked, and what the registry adds.
func readOS(open hive, kernel int, booted time.Time) (evidence.OS, error) {
	o := evidence.OS{Build: kernel, BootedAt: moment(booted), Machine: readMachine(open)}
	k, err := open(currentVersion)
	if err != nil {
		if kernel > 0 {
			return o, nil
		}
		return o, err
	}
	build, _ := strconv.Atoi(k.text("CurrentBuildNumber"))
	o.Build = cmp.Or(o.Build, build)
	// In a container the registry may be of another Windows than the kernel: then
	// its revision and its names say nothing of this machine.
	if build != o.Build {
		return o, nil
	}
	ubr, _ := k.number("UBR")
	o.UBR = int(ubr)
	o.ProductName, o.Edition, o.InstallationType = k.text("ProductName"), k.text("EditionID"),
		k.text("InstallationType")
	o.DisplayVersion = cmp.Or(k.text("DisplayVersion"), k.text("ReleaseId")) // the latter until 2004
	return o, nil
}

// readMachine reads what Windows keeps of the firmware's own description.
func readMachine(open hive) evidence.Machine {
	k, _ := open(`HARDWARE\DESCRIPTION\System\BIOS`)
	m := evidence.Machine{Manufacturer: strings.TrimSpace(k.text("SystemManufacturer")),
		Model: strings.TrimSpace(k.text("SystemProductName"))}
	m.Virtual = isVirtual(m.Manufacturer, m.Model)
	return m
}

// What firmware calls itself, in lower case. A maker of both hardware and
// hypervisors is told apart by the model.
var (
	virtualModels = []string{"virtual machine", "vmware", "virtualbox", "kvm", "hvm domu",
		"standard pc (", "google compute engine",
		"droplet", "openstack", "ahv", "parallels", "bochs", "rhev", "ovirt",
		"apple virtualization"}
	virtualMakers = []string{"vmware", "qemu", "xen", "innotek", "nutanix", "openstack",
		"parallels", "digitalocean", "hetzner", "bochs", "ovirt", "red hat"}
	physicalMakers = []string{"dell", "hp", "hpe", "hewlett", "lenovo", "supermicro", "super micro",
		"fujitsu", "cisco", "gigabyte", "asus", "intel"}
)

// isVirtual judges by the names; nil where they tell nothing.
func isVirtual(maker, model string) *bool {
	maker, model = strings.ToLower(maker), strings.ToLower(model)
	switch {
	case maker == "amazon ec2":
		return new(!strings.Contains(model, ".metal"))
	case slices.ContainsFunc(virtualModels, func(m string) bool { return strings.Contains(model, m) }),
		slices.ContainsFunc(virtualMakers, func(m string) bool {
			return strings.HasPrefix(maker, m) && !(m == "nutanix" && model != "ahv")
		}):
		return new(true)
	case strings.HasPrefix(maker, "microsoft") && strings.HasPrefix(model, "surface"),
		slices.ContainsFunc(physicalMakers, func(m string) bool {
			rest, ok := strings.CutPrefix(maker, m)
			return ok && (rest == "" || strings.IndexByte(" -.,", rest[0]) >= 0 || m == "hewlett")
		}):
		return new(false)
	}
	return nil
}

// readPageFiles lists the page files in use, and tells for each whether
// Windows chooses its size; nil where the registry does not say.
func readPageFiles(open hive, size func(path string) (int64, bool)) []evidence.PageFile {
	k, _ := open(`SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management`)
	settings, asked := k.strings("PagingFiles")
	inUse, ok := k.strings("ExistingPageFiles")
	if !ok {
		if !asked {
			return nil
		}
		for _, s := range settings {
			path, _ := cutPaging(s)
			if strings.HasPrefix(path, "?") {
				return nil // on a drive that Windows chose
			}
			inUse = append(inUse, path)
		}
	}
	files := []evidence.PageFile{}
	for _, path := range inUse {
		path = strings.TrimPrefix(path, `\??\`)
		f := evidence.PageFile{Path: path, Automatic: sizedByWindows(settings, path)}
		if n, ok := size(path); ok {
			f.SizeBytes = n
		}
		files = append(files, f)
	}
	return files
}

// sizedByWindows looks for the file among the settings: "?:\pagefile.sys" is all
// of them, "C:\pagefile.sys 0 0" one without a size of its own.
func sizedByWindows(settings []string, path string) bool {
	for _, s := range settings {
		named, sizes := cutPaging(s)
		if drive, rest, _ := strings.Cut(named, ":"); drive == "?" && len(path) > 2 &&
			strings.EqualFold(path[2:], rest) || strings.EqualFold(named, path) {
			return strings.Trim(sizes, "0 ") == ""
		}
	}
	return false
}

// cutPaging parts a setting into the path, which may hold spaces, and the
// smallest and largest size in megabytes behind it.
func cutPaging(s string) (path, sizes string) {
	if i := strings.Index(strings.ToLower(s), ".sys "); i >= 0 {
		return s[:i+len(".sys")], strings.TrimSpace(s[i+len(".sys "):])
	}
	return strings.TrimSpace(s), ""
}
