package lists

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	json "github.com/goccy/go-json"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
	"paraph/search"
)

// Counts holds the number of documents in each list.
type Counts struct {
	All       int // active, in any state
	ByStatus  map[string]int
	Scheduled int // to be sent, counted by state, too, unless that is [Query.ScheduledApart]
	Archived  int
	Deleted   int
}

// Counts returns the sizes of the lists under the search and the filters of a
// query. The query's state and page are ignored.
func (s *Lists) Counts(ctx context.Context, who account.Call, q Query) (Counts, error) {
	if err := who.RequireMember(account.ScopeRead); err != nil {
		return Counts{}, err
	}
	var f fault.Fields
	filters := q.filters(&f, who)
	if err := f.Err(); err != nil {
		return Counts{}, err
	}
	c := Counts{ByStatus: map[string]int{}}
	count := s.countStored
	if q.searches() {
		s.waitForIndex(ctx, who.CompanyID)
		count = func(company string, of cell) (n int, err error) {
			_, n, err = s.query(ctx, who, search.Query{
				Scope: company, Kind: documentKind, Text: q.Search,
				Filters: append([][]string{{of.term()}}, filters...),
			})
			return n, err
		}
	}
	var err error
	of := func(visibility, status string) (n int) {
		if err == nil {
			n, err = count(who.CompanyID, cell{visibility, status})
		}
		return n
	}
	c.All, c.Archived, c.Deleted = of("active", store.AnyStatus), of("archived", store.AnyStatus), of("deleted", store.AnyStatus)
	for _, status := range record.Statuses() {
		n := of("active", status.String())
		if record.CanBeScheduled(status) {
			scheduled := of("active", store.Scheduled(status))
			if c.Scheduled += scheduled; !q.ScheduledApart {
				n += scheduled
			}
		}
		c.ByStatus[status.String()] = n
	}
	return c, err
}

func (s *Lists) countStored(company string, of cell) (n int, err error) {
	err = s.DB.View(func(tx *kv.Tx) (err error) {
		n, err = store.Rows.Count(tx, "created_at", kv.K(company, of.visibility, of.status))
		return err
	})
	return n, err
}

// Items decodes the rows of a page.
func (p Page) Items() ([]record.Row, error) {
	out := make([]record.Row, len(p.Rows))
	for i, b := range p.Rows {
		if err := json.Unmarshal(b, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// searches reports whether the query requires the search index.
func (q *Query) searches() bool {
	return !blank(q.Search) || q.Owner+q.ExternalID+q.Attention+q.Recipient+q.Template != "" || len(q.Metadata) > 0 ||
		q.CreatedFrom+q.CreatedTo+q.ExpiresFrom+q.ExpiresTo != ""
}

// filters returns the index terms for the query's filters.
func (q *Query) filters(f *fault.Fields, who account.Call) [][]string {
	var out [][]string
	switch q.Owner {
	case "":
	case "me":
		out = append(out, []string{ownerTerm + who.UserID})
	default:
		out = append(out, []string{ownerTerm + q.Owner})
	}
	if kinds := record.AttentionKinds(); q.Attention != "" && !slices.Contains(kinds, q.Attention) {
		f.OneOf("attention", kinds...)
	}
	exact := map[string]string{referenceTerm: q.ExternalID, attentionTerm: q.Attention, recipientTerm: strings.ToLower(q.Recipient), templateTerm: q.Template}
	for kind, value := range exact {
		if value != "" {
			out = append(out, []string{exactTerm(kind, value)})
		}
	}
	for key, value := range q.Metadata {
		out = append(out, []string{metadataTermOf(key, value)})
	}
	for _, of := range []struct{ kind, from, to, name string }{
		{createdTerm, q.CreatedFrom, q.CreatedTo, "created"}, {expiresTerm, q.ExpiresFrom, q.ExpiresTo, "expires"},
	} {
		if of.from+of.to == "" {
			continue
		}
		from, to := day(f, of.name+"_from", of.from, firstDay), day(f, of.name+"_to", of.to, lastDay)
		out = append(out, spanTerms(of.kind, from, to))
	}
	return out
}

// Prefixes of terms in the search index.
const (
	ownerTerm     = "owner:"
	createdTerm   = "created:"
	expiresTerm   = "expires:"
	referenceTerm = "reference:"
	attentionTerm = "attention:"
	recipientTerm = "recipient:"
	templateTerm  = "template:"
	metadataTerm  = "metadata:"
)

// The range of days that can be searched.
const (
	firstDay = "1970-01-01"
	lastDay  = "2199-12-31"
)

func day(f *fault.Fields, field, v, otherwise string) time.Time {
	if v == "" {
		v = otherwise
	}
	t, err := time.Parse(time.DateOnly, v)
	if err != nil || v < firstDay || v > lastDay {
		f.Add(field, "not_a_day")
	}
	return t
}

// dayTerms returns the index terms of a time: its year, month and day in UTC.
func dayTerms(kind string, at *time.Time) []string {
	if at == nil {
		return nil
	}
	t := at.UTC()
	return []string{kind + t.Format("2006"), kind + t.Format("2006-01"), kind + t.Format(time.DateOnly)}
}

// spanTerms returns the smallest set of terms that covers every day in a range.
func spanTerms(kind string, from, to time.Time) []string {
	out := []string{}
	for !from.After(to) {
		next, layout := from.AddDate(0, 0, 1), time.DateOnly
		if month := from.AddDate(0, 1, 0); from.Day() == 1 && !month.AddDate(0, 0, -1).After(to) {
			next, layout = month, "2006-01"
		}
		if year := from.AddDate(1, 0, 0); from.YearDay() == 1 && !year.AddDate(0, 0, -1).After(to) {
			next, layout = year, "2006"
		}
		out = append(out, kind+from.Format(layout))
		from = next
	}
	return out
}

// attributeTerms returns the terms of a document apart from its visibility and state.
func attributeTerms(d *record.Document) []string {
	out := slices.Concat([]string{ownerTerm + d.Owner.ID},
		dayTerms(createdTerm, &d.CreatedAt), dayTerms(expiresTerm, d.ExpiresAt))
	if d.ExternalID != "" {
		out = append(out, exactTerm(referenceTerm, d.ExternalID))
	}
	if d.Attention.Kind != "" {
		out = append(out, exactTerm(attentionTerm, string(d.Attention.Kind)))
	}
	if d.MadeFrom != nil {
		out = append(out, exactTerm(templateTerm, d.MadeFrom.Template))
	}
	for i := range d.Invitations {
		if email := d.Invitations[i].Email; email != "" {
			out = append(out, exactTerm(recipientTerm, strings.ToLower(email)))
		}
	}
	for key, value := range d.Metadata {
		out = append(out, metadataTermOf(key, value))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// exactTerm returns the term of a value that is only compared as a whole. A digest stands for it,
// because values can be long.
func exactTerm(kind, value string) string {
	sum := sha256.Sum256([]byte(value))
	return kind + base64.RawURLEncoding.EncodeToString(sum[:12])
}

func metadataTermOf(key, value string) string { return exactTerm(metadataTerm, key+"\x00"+value) }
