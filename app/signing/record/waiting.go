package record

// WaitingFor returns the names of the people whose turn it is.
func (d *Document) WaitingFor() []string {
	var people []*Invitation
	if d.Status != Sent || d.Declined() != nil {
		return nil
	}
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Open() && d.IsTurnOf(inv) {
			people = append(people, inv)
		}
	}
	return names(people)
}
