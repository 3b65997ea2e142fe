package search

import (
	"strings"

	index "github.com/blevesearch/bleve_index_api"
)

const (
	headField   = "h"  // beginnings of the words of title, texts and body
	wholeField  = "w"  // the rest of words after their head
	exactField  = "f"  // scope, kind and filters
	sortPrefix  = "o." // one field for each sort key
	idField     = "_id"
	maxSortKey  = 256
	maxDocument = 1 << 20 // bytes of text indexed per document

	scopeTerm  = "s\x00"
	kindTerm   = "k\x00"
	filterTerm = "f\x00"
)

// sortOptions make the key of one document readable without decompressing those of a thousand
// others.
const sortOptions = index.IndexField | index.DocValues | index.SkipFreqNorm | index.SkipDVCompression | index.SkipDVChunking

// record is a Document in the form Bleve takes: fields with known terms.
type record struct {
	id     string
	fields []*terms
	size   int
}

func newRecord(d Document) *record {
	heads, wholes := newTextTerms(d)
	exact := newTerms(exactField, index.IndexField|index.SkipFreqNorm, len(d.Filters)+2)
	exact.add([]byte(scopeTerm + d.Scope))
	exact.add([]byte(kindTerm + d.Kind))
	for _, f := range d.Filters {
		exact.add([]byte(filterTerm + f))
	}
	r := &record{id: d.ID, fields: []*terms{heads, wholes, exact}}
	for name, key := range d.Sort {
		t := newTerms(sortPrefix+name, sortOptions, 1)
		t.add([]byte(sortKey(key)))
		r.fields = append(r.fields, t)
	}
	for _, f := range r.fields {
		r.size += f.bytes
	}
	return r
}

// fewTerms are about as many as a document without a body has.
const fewTerms = 8

// newTextTerms splits all the text of a document into words.
func newTextTerms(d Document) (heads, wholes *terms) {
	left := maxDocument
	texts := append([]string{d.Title}, d.Texts...)
	heads = newTerms(headField, index.IndexField|index.SkipFreqNorm, fewTerms+len(d.Body)/16)
	wholes = newTerms(wholeField, index.IndexField|index.SkipFreqNorm, fewTerms)
	for _, text := range append(texts, d.Body) {
		text = cut(text, left)
		left -= len(text)
		for word := range indexWords(text) {
			head := headOf(word)
			heads.add(head)
			if len(head) < len(word) {
				wholes.add(word)
			}
		}
	}
	return heads, wholes
}

// sortKey removes the byte 0xFF, which separates values in Bleve, from keys without changing
// their order.
func sortKey(key string) string {
	key = key[:min(len(key), maxSortKey)]
	if strings.IndexByte(key, 0xff) < 0 && strings.IndexByte(key, 0xfe) < 0 {
		return key
	}
	var b strings.Builder
	for i := range len(key) {
		switch c := key[i]; c {
		case 0xfe:
			b.WriteString("\xfe\x01")
		case 0xff:
			b.WriteString("\xfe\x02")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// ID and the methods below implement Bleve's index.Document.
func (r *record) ID() string { return r.id }

func (r *record) Size() int { return r.size + len(r.id) }

func (r *record) VisitFields(visit index.FieldVisitor) {
	for _, f := range r.fields {
		visit(f)
	}
}

func (r *record) VisitComposite(index.CompositeFieldVisitor) {}

func (r *record) HasComposite() bool { return false }

func (r *record) NumPlainTextBytes() uint64 { return uint64(r.size) }

func (r *record) AddIDField() {
	t := newTerms(idField, index.IndexField|index.StoreField, 1)
	t.add([]byte(r.id))
	t.value = []byte(r.id)
	r.fields = append(r.fields, t)
}

func (r *record) StoredFieldsBytes() uint64 { return uint64(len(r.id)) }

func (r *record) Indexed() bool { return true }

// terms is a field of a record: a set of terms.
type terms struct {
	name    string
	value   []byte
	options index.FieldIndexingOptions
	set     index.TokenFrequencies
	spare   []index.TokenFreq // allocated together
	bytes   int
}

// newTerms returns an empty field. Nearly all have the expected number of terms, most only one.
func newTerms(name string, options index.FieldIndexingOptions, capacity int) *terms {
	set, spare := make(index.TokenFrequencies, capacity), make([]index.TokenFreq, capacity)
	return &terms{name: name, options: options, set: set, spare: spare}
}

// add keeps the slice. Frequencies are not recorded because nothing is scored.
func (t *terms) add(term []byte) {
	if _, ok := t.set[string(term)]; ok {
		return
	}
	if len(t.spare) == 0 {
		t.spare = make([]index.TokenFreq, min(len(t.set), 64))
	}
	f := &t.spare[0]
	t.spare = t.spare[1:]
	f.Term = term
	f.SetFrequency(1)
	t.set[string(term)] = f
	t.bytes += len(term)
}

// Name and the methods below implement Bleve's index.Field.
func (t *terms) Name() string { return t.name }

func (t *terms) Value() []byte { return t.value }

func (t *terms) ArrayPositions() []uint64 { return nil }

func (t *terms) EncodedFieldType() byte { return 't' }

// Analyze does nothing: the terms are known.
func (t *terms) Analyze() {}

func (t *terms) Options() index.FieldIndexingOptions { return t.options }

func (t *terms) AnalyzedLength() int { return len(t.set) }

func (t *terms) AnalyzedTokenFrequencies() index.TokenFrequencies { return t.set }

func (t *terms) NumPlainTextBytes() uint64 { return uint64(t.bytes) }
