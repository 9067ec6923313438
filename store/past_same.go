package store

// Same tells whether two Pasts of one store answer alike: nothing was written,
// by hand or by us, between them.
func (p *Past) Same(o *Past) bool {
	if p.s != o.s || p.view != o.view {
		return false
	}
	for i, l := range p.names {
		if !l.same(o.names[i]) {
			return false
		}
	}
	return true
}

// same tells whether two listings of a folder found the same revisions.
func (l *listed) same(o *listed) bool {
	if l == o {
		return true
	}
	if l == nil || o == nil || len(l.groups) != len(o.groups) {
		return false
	}
	for i, g := range l.groups {
		if g.id != o.groups[i].id || g.sum != o.groups[i].sum {
			return false
		}
	}
	return true
}
