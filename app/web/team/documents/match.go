package documents

import (
	"html/template"
	"strings"

	"paraph/app/signing/lists"
	"paraph/app/web/page"
)

// rowMatch is an excerpt of a document that shows why a search found it.
type rowMatch struct {
	Label string
	Text  template.HTML
}

// maxMarks is the maximum number of marked words in a title or a list of people.
const maxMarks = 10

// mark marks the words of a search in what the row shows anyway. It returns the marker of those that
// it doesn't show.
func (v *rowView) mark(m *lists.Marker) *lists.Marker {
	spans, rest := m.Find(v.Title, maxMarks)
	v.Name = page.Marked(v.Title, spans)
	var names []string
	for _, p := range v.Signatories {
		names = append(names, p.Name)
	}
	v.People, rest = markNames(v.people, names, m, rest)
	return rest
}

// markNames marks the words of a search in the names that a sentence contains, but not in the words
// around them. It returns what is left of rest.
func markNames(sentence string, names []string, m, rest *lists.Marker) (template.HTML, *lists.Marker) {
	var spans []lists.Span
	at := 0
	for _, name := range names {
		i := strings.Index(sentence[at:], name)
		if name == "" || i < 0 {
			continue
		}
		found, _ := m.Find(name, maxMarks)
		_, rest = rest.Find(name, maxMarks)
		for _, s := range found {
			spans = append(spans, lists.Span{From: at + i + s.From, To: at + i + s.To})
		}
		at += i + len(name)
	}
	return page.Marked(sentence, spans), rest
}

// explain adds an excerpt to the rows that don't show every word of a search.
func (h *Handlers) explain(r *page.Request, rows []rowView, missing map[string]*lists.Marker) error {
	if len(missing) == 0 {
		return nil
	}
	found, err := h.Lists.Explain(r.UserContext(), r.Who.Call, missing)
	if err != nil {
		return err
	}
	for i := range rows {
		if m, ok := found[rows[i].ID]; ok {
			rows[i].Match = &rowMatch{r.Say("documents.match." + string(m.Kind)), page.Marked(m.Text, m.Spans)}
		}
	}
	return nil
}
