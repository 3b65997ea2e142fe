package notify

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/input"
	"paraph/app/list"
	"paraph/app/signing"
	"paraph/kv"
)

// statuses lists all states of a message.
var statuses = []string{Kept, Queued, Sent, Failed, Bounced, Cancelled}

// Get returns one message of the company, for its administrators.
func (s *Messages) Get(who account.Call, id string) (m Message, err error) {
	if err := admin(who); err != nil {
		return Message{}, err
	}
	err = s.db.View(func(tx *kv.Tx) error {
		m, err = s.load(tx, who, id)
		return err
	})
	return m.shownTo(who), err
}

// shownTo returns the message as a reader may see it: a message to an invited person contains
// their link, which is shown only to those who may send or sign. Links and codes that only
// [Service.Reveal] shows are removed.
func (m Message) shownTo(who account.Call) Message {
	switch {
	case m.Private():
		return m.Covered()
	case m.Invitation != "" && !signing.MaySeeLinks(who):
		m.Text, m.HTML, m.Links = "", "", nil
	}
	return m
}

// changedBy returns the message as whoever changed it is shown it: without links and codes.
func (m Message) changedBy(who account.Call) Message {
	if m = m.shownTo(who); !m.Private() {
		m = m.Covered()
	}
	return m
}

func (s *Messages) load(tx *kv.Tx, who account.Call, id string) (Message, error) {
	m, err := s.read(tx, id)
	if errors.Is(err, kv.ErrNotFound) || err == nil && (m.Company == "" || m.Company != who.CompanyID) {
		return Message{}, fault.NotFound("message")
	}
	return m, err
}

// OutboxQuery selects messages of a company, newest first by default.
type OutboxQuery struct {
	Offset, Limit int
	Statuses      []string // any of these; empty: all
	To            string   // the beginning of an address; "" for any
	Document      string   // "" for any
	Ascending     bool
}

// List lists the messages about a company's documents, for its
// administrators. Messages that only their recipient may read (a new password, a
// code) belong to no company and are not listed.
func (s *Messages) List(who account.Call, q OutboxQuery) (list list.Page[Message], err error) {
	if err := admin(who); err != nil {
		return list, err
	}
	if q.Statuses, err = wanted(q.Statuses); err != nil {
		return list, err
	}
	q.Offset, q.Limit = max(q.Offset, 0), max(q.Limit, 0)
	q.Statuses = slices.Compact(slices.Sorted(slices.Values(q.Statuses)))
	err = s.db.View(func(tx *kv.Tx) error {
		switch {
		case q.Document != "":
			list, err = q.walk(s, tx, "document", kv.K(who.CompanyID, q.Document))
		case q.To != "":
			list, err = q.walk(s, tx, "to", kv.K(who.CompanyID).Starting(input.FoldEmail(q.To)))
		case len(q.Statuses) == 0:
			list, err = q.part(s, tx, "created", kv.K(who.CompanyID), q.Offset, q.Limit)
		default:
			list, err = q.union(s, tx, who.CompanyID)
		}
		return err
	})
	for i, m := range list.Items {
		list.Items[i] = m.shownTo(who) // the subject may hold a code
	}
	return list, err
}

// All returns messages, newest first, and their total number. An empty company selects those
// of all companies.
func (s *Messages) All(company string, offset, limit int) ([]Message, int, error) {
	page, err := s.Find(Wanted{Company: company}, offset, limit)
	return page.Items, page.Total, err
}

// Wanted selects messages for a test double, whoever they are for. Empty members select all.
type Wanted struct {
	Company  string
	Document string
	To       string // an address, whatever its case
	Kind     string
}

func (w Wanted) fits(m Message) bool {
	return (w.Document == "" || m.Document == w.Document) && (w.Kind == "" || m.Kind == w.Kind) &&
		(w.To == "" || input.FoldEmail(m.To) == input.FoldEmail(w.To))
}

// Find returns the messages that are wanted, newest first.
func (s *Messages) Find(w Wanted, offset, limit int) (found list.Page[Message], err error) {
	prefix := kv.K(cmp.Or(w.Company, everybody))
	err = s.db.View(func(tx *kv.Tx) error {
		if w == (Wanted{Company: w.Company}) { // the index counts them
			found, err = OutboxQuery{}.part(s, tx, "created", prefix, offset, limit)
			return err
		}
		var all []Message
		err := outbox.Each(tx, "created", prefix, func(_ string, m Message) (bool, error) {
			if w.fits(m) {
				all = append(all, m)
			}
			return true, nil
		})
		found = list.Page[Message]{Items: OutboxQuery{Offset: offset, Limit: limit}.window(all), Total: len(all)}
		return errors.Join(err, s.unsealAll(found.Items))
	})
	return found, err
}

// wanted parses states, including the words that all lists accept: every message is active,
// none is archived or deleted.
func wanted(words []string) (out []string, err error) {
	for _, word := range words {
		switch {
		case word == "active":
			out = append(out, statuses...)
		case word == "archived" || word == "deleted" || slices.Contains(statuses, word):
			out = append(out, word)
		default:
			var f fault.Fields
			f.OneOf("status", append([]string{"active", "archived", "deleted"}, statuses...)...)
			return nil, f.Err()
		}
	}
	return out, nil
}

func admin(who account.Call) error {
	if who.IsSignatory() {
		return fault.Forbidden("signatory_not_allowed")
	}
	return who.Require(account.ScopeAdmin)
}

// part reads a page directly from an index.
func (q OutboxQuery) part(s *Messages, tx *kv.Tx, index string, prefix kv.Key, offset, limit int) (list.Page[Message], error) {
	p, err := outbox.Page(tx, kv.Query{Index: index, Prefix: prefix, Descending: !q.Ascending, Offset: offset, Limit: limit})
	return list.Page[Message]{Items: p.Items, Total: p.Total}, errors.Join(err, s.unsealAll(p.Items))
}

// union merges the messages in several states.
func (q OutboxQuery) union(s *Messages, tx *kv.Tx, company string) (list.Page[Message], error) {
	var all list.Page[Message]
	for _, status := range q.Statuses {
		part, err := q.part(s, tx, "status", kv.K(company, status), 0, q.Offset+q.Limit)
		if err != nil {
			return list.Page[Message]{}, err
		}
		all.Items, all.Total = append(all.Items, part.Items...), all.Total+part.Total
	}
	all.Items = q.window(all.Items)
	return all, nil
}

// walk scans the few messages about one document or to one person.
func (q OutboxQuery) walk(s *Messages, tx *kv.Tx, index string, prefix kv.Key) (list.Page[Message], error) {
	var found []Message
	err := outbox.Each(tx, index, prefix, func(_ string, m Message) (bool, error) {
		fits := len(q.Statuses) == 0 || slices.Contains(q.Statuses, m.Status)
		if fits && strings.HasPrefix(input.FoldEmail(m.To), input.FoldEmail(q.To)) {
			found = append(found, m)
		}
		return true, nil
	})
	total, shown := len(found), q.window(found)
	return list.Page[Message]{Items: shown, Total: total}, errors.Join(err, s.unsealAll(shown))
}

// window sorts messages and returns one page of them.
func (q OutboxQuery) window(all []Message) []Message {
	slices.SortFunc(all, func(a, b Message) int {
		if !q.Ascending {
			a, b = b, a
		}
		return cmp.Compare(a.ID, b.ID)
	})
	all = all[min(q.Offset, len(all)):]
	return all[:min(q.Limit, len(all))]
}
