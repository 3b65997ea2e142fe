package document

import "paraph/app/pdf/object"

const (
	nameTreeDepth = 32
	nameCost      = 512 // of a name that is kept in memory
)

// A NameEntry is one entry of a name tree.
type NameEntry struct {
	Key   object.String
	Value any
}

// NameTree returns the entries of a name tree (ISO 32000-2 §7.9.6).
func (f *File) NameTree(v any) []NameEntry {
	var out []NameEntry
	seen := map[int]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		if r, ok := v.(ref); ok {
			if seen[r.Number] {
				return
			}
			seen[r.Number] = true
		}
		if depth > nameTreeDepth {
			return
		}
		d := f.Dict(v)
		for pairs := f.Array(d["Names"]); len(pairs) >= 2; pairs = pairs[2:] {
			if key, ok := f.Resolve(pairs[0]).(object.String); ok && f.Spend(nameCost) == nil {
				out = append(out, NameEntry{key, pairs[1]})
			}
		}
		for _, k := range f.Array(d["Kids"]) {
			walk(k, depth+1)
		}
	}
	walk(v, 0)
	return out
}

// Attachment returns the content of an embedded file, and whether there is one of
// that name.
func (f *File) Attachment(name string) (content []byte, found bool, err error) {
	for _, e := range f.NameTree(f.Dict(f.Catalog()["Names"])["EmbeddedFiles"]) {
		if string(e.Key) != name {
			continue
		}
		files := f.Streams(array{f.Dict(f.Dict(e.Value)["EF"])["F"]})
		if len(files) == 1 {
			return files[0], true, f.Fault
		}
	}
	return nil, false, f.Fault
}
