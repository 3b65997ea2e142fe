package lists

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"paraph/app/account"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
	"paraph/search"
)

// Marker finds the words of a search in a text, and Span is a part of the text that it found.
type (
	Marker = search.Marker
	Span   = search.Span
)

// NewMarker returns the marker of the text of a search.
func NewMarker(searched string) *Marker { return search.NewMarker(searched) }

// MatchKind names the part of a document in which a search found a word.
type MatchKind string

// The parts of a document that are searched besides its title.
const (
	MatchPerson    MatchKind = "person"
	MatchFile      MatchKind = "file"
	MatchOwner     MatchKind = "owner"
	MatchReference MatchKind = "reference"
	MatchSubject   MatchKind = "subject"
	MatchMessage   MatchKind = "message"
	MatchAnswer    MatchKind = "answer" // what a recipient entered into a field
	MatchMetadata  MatchKind = "metadata"
	MatchText      MatchKind = "text" // the text of the files
)

// Match is an excerpt of a document with the words that a search found in it.
type Match struct {
	Kind  MatchKind
	Text  string
	Spans []Span // of Text
}

// matchSource is a text of a document under which it is found.
type matchSource struct {
	kind MatchKind
	text string
}

// sourcesOf returns the texts of a document that are searched besides its title and its files.
func sourcesOf(d *record.Document) []matchSource {
	var out []matchSource
	add := func(kind MatchKind, texts ...string) {
		for _, s := range texts {
			if s != "" {
				out = append(out, matchSource{kind, s})
			}
		}
	}
	for _, inv := range d.Invitations {
		add(MatchPerson, inv.Name, inv.Email)
	}
	for _, f := range d.Files {
		add(MatchFile, f.Name)
	}
	add(MatchReference, d.ExternalID)
	add(MatchSubject, d.Subject)
	add(MatchMessage, d.Message)
	for _, x := range d.Fields {
		if x.Filled && x.HasAnswer() {
			add(MatchAnswer, x.Masked(x.Value))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(d.Metadata)) {
		add(MatchMetadata, k, d.Metadata[k])
	}
	add(MatchOwner, d.Owner.Name, d.Owner.Email)
	return out
}

// Limits of the text of files that is read to explain the results on one page.
const (
	maxExplained = 256 << 10 // bytes of one document
	maxExplainer = 2 << 20   // bytes altogether
)

// Explain returns, by document, an excerpt with words that a search found, for the markers of those
// words that a row doesn't show. A document whose words are nowhere, perhaps because it changed
// since, is left out.
func (s *Lists) Explain(ctx context.Context, who account.Call, missing map[string]*Marker) (map[string]Match, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return nil, err
	}
	out := map[string]Match{}
	budget := maxExplainer
	err := s.DB.View(func(tx *kv.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(missing)) {
			if err := ctx.Err(); err != nil {
				return err
			}
			d, err := store.Documents.Get(tx, store.DocumentKey(who.CompanyID, id))
			if errors.Is(err, kv.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			m, found := explain(sourcesOf(&d), missing[id])
			if !found && budget > 0 {
				body, err := bodyOf(tx, &d)
				if err != nil {
					return err
				}
				body = body[:min(len(body), maxExplained, budget)]
				budget -= len(body)
				m, found = explain([]matchSource{{MatchText, body}}, missing[id])
			}
			if found {
				out[id] = m
			}
		}
		return nil
	})
	return out, err
}

// explain returns an excerpt of the first text that contains a word.
func explain(sources []matchSource, marker *Marker) (Match, bool) {
	for _, x := range sources {
		if spans, _ := marker.Find(x.text, 1); len(spans) > 0 {
			text := excerpt(x.text, spans[0])
			spans, _ = marker.Find(text, 5)
			return Match{x.kind, text, spans}, true
		}
	}
	return Match{}, false
}

// An excerpt has about this many bytes before and after what was found.
const (
	excerptBefore = 24
	excerptAfter  = 80
)

// excerpt returns a part of a text around a span, on one line.
func excerpt(text string, at Span) string {
	from, to := max(0, at.From-excerptBefore), min(len(text), at.To+excerptAfter)
	before, after := "", ""
	if from > 0 {
		before = "… "
		for !utf8.RuneStart(text[from]) {
			from--
		}
		if i := strings.IndexAny(text[from:at.From], " \n\t"); i >= 0 {
			from += i + 1
		}
	}
	if to < len(text) {
		after = " …"
		for to < len(text) && !utf8.RuneStart(text[to]) {
			to++
		}
		if i := strings.LastIndexAny(text[at.To:to], " \n\t"); i >= 0 {
			to = at.To + i
		}
	}
	return before + strings.Join(strings.Fields(text[from:to]), " ") + after
}
