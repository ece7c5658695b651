package tui

// takeFile shows the file that was opened, at the place that it was opened for.
func (v viewer) takeFile(e env, o openedFile) viewer {
	v.gap = o.gap
	if o.gap.Kind != "" {
		return v
	}
	v.file, v.state, v.win = o.file, o.state, o.win
	v.tree, v.cites = o.tree, o.cites
	v = v.cited(e).settled(e).(viewer) // the report may have changed since
	if at := v.aimed(); at >= 0 {
		v = v.goTo(at)
	}
	return v
}

// aimed is the place that the viewer was opened for, from 0, or -1.
func (v viewer) aimed() int {
	switch {
	case v.aims && v.inTree():
		return v.tree.rowOf(v.aim)
	case v.aim.Line > 0:
		return v.aim.Line - 1
	}
	for _, c := range v.cites { // the first that is at a place
		if at := v.place(c); at >= 0 {
			return at
		}
	}
	return -1
}
