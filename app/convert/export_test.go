package convert

// Loose returns o without what it removes from files.
func (o *Office) Loose() *Office { o.loose = true; return o }

// Free returns o without what confines its process.
func (o *Office) Free() *Office { o.Unconfined = true; return o }
