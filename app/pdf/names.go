package pdf

import (
	"fmt"
	"paraph/app/pdf/document"
	"strconv"
	"strings"
)

// ours is the prefix of the names of fields made here. A file that was prepared
// here before already has such fields; numbering continues after them.
const ours = "paraph"

func prefix(round int) string {
	if round <= 1 {
		return ours + "_"
	}
	return fmt.Sprintf("%s%d_", ours, round)
}

// lastRound returns the highest round that has fields in the file, or 0.
func lastRound(fields []document.Field) int {
	last := 0
	for i := range fields {
		rest, ok := strings.CutPrefix(fields[i].Name, ours)
		if !ok {
			continue
		}
		digits, _, ok := strings.Cut(rest, "_")
		if !ok {
			continue
		}
		if digits == "" {
			last = max(last, 1)
		} else if n, err := strconv.Atoi(digits); err == nil && n < 1e6 {
			last = max(last, n)
		}
	}
	return last
}

// clean makes a caller's name usable as the partial name of a field, in which
// full stops are separators.
func clean(s string) string { return strings.ReplaceAll(s, ".", "_") }

// names finds fields by the names that callers chose.
type names struct {
	prefix string
	byName map[string]*document.Field
	kids   map[string]kid // buttons of radio groups, by their own name
}

type kid struct {
	field  *document.Field
	export string
}

func (f *File) names() names {
	all := f.Fields()
	n := names{prefix: prefix(lastRound(all)), byName: make(map[string]*document.Field, len(all)), kids: map[string]kid{}}
	for i := range all {
		fd := &all[i]
		if _, twice := n.byName[fd.Name]; !twice {
			n.byName[fd.Name] = fd
		}
		if fd.Kind == "Btn" && fd.Flags&document.FlagRadio != 0 {
			for _, w := range fd.Widgets {
				if own := f.Text(w.Dict["NM"]); own != "" {
					n.kids[own] = kid{field: fd, export: f.OnState(w.Dict)}
				}
			}
		}
	}
	return n
}

// find returns the field that Prepare made for a name, or the field of the
// upload with that full name, or nil.
func (n names) find(s string) *document.Field {
	if fd := n.byName[n.prefix+clean(s)]; fd != nil {
		return fd
	}
	return n.byName[s]
}
