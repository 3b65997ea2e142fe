package convert

// Loose returns o without what it removes from files.
func (o *Office) Loose() *Office { o.loose = true; return o }
