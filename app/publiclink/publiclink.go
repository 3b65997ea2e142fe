// Package publiclink publishes templates: whoever opens a public link states their name and
// address, and becomes a signatory of a new document in one role of the template.
//
// Callers may rely on this: a link never makes more documents than its limit, because a use is
// counted in the transaction that stores the document; and nothing is stored, drawn or mailed for
// a visitor before the link, the visitor's network and the code are checked.
package publiclink

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/limit"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/turns"
	"paraph/app/variable"
	"paraph/kv"
)

// Limits that are not settings.
const (
	MaxLinks   = 20        // of a template
	MaxUses    = 1_000_000 // of a link
	MaxClosing = 1_000     // characters of the closing text
	perNetwork = 60        // visitors and codes of one network in an hour
	perDay     = 200       // documents of one network and link in a day
	perAddress = 20        // codes and documents of one address in a day, from all links of all companies
	perLink    = 1_000     // visitors and codes of a link in an hour, from all networks
)

// Options are the dependencies of the service.
type Options struct {
	DB       *kv.DB
	Accounts *account.Services
	Drafts   *signing.Drafts
	Signing  *signing.Signing
	Sending  *signing.Sending
	Mails    func() bool // reports whether e-mails reach their recipients
	Key      []byte      // of the installation; addresses of links are derived from it
	BaseURL  string      // configured, "" if it is that of each request
	NewID    func() ulid.ULID
	Now      func() time.Time
	NowIn    func(company string) time.Time
}

// Service implements the rules for public links. It is safe for concurrent use.
type Service struct {
	Options
	making  *turns.Queue   // for making documents
	visits  *limit.Limiter // by network
	crowds  *limit.Limiter // by link
	visited *limit.Daily   // documents by network and link, for restarts not to clear them
	written *limit.Daily   // codes and documents by address
}

// New returns the service.
func New(o Options) *Service {
	return &Service{o, turns.New(turns.Options{Slots: 2, Group: 1}), limit.New(perNetwork, time.Hour, o.Now),
		limit.New(perLink, time.Hour, o.Now), limit.NewDaily("visitors of public links", perDay, o.Key),
		limit.NewDaily("addresses of public links", perAddress, o.Key)}
}

// Load returns how many documents are being made.
func (s *Service) Load() turns.Load { return s.making.Load() }

// Link is a public link of one role of a template.
type Link struct {
	ID           string
	Company      string
	Template     string
	Role         string   // ID of the role that visitors take
	People       []Person // in the other roles
	Variables    map[string]string
	By           record.Person // who owns its documents
	Token        string        `json:",omitempty"` // ID of the API token that made it; "" if a person did
	MaxUses      int           // 0 for no limit
	Uses         int
	ExpiresAt    *time.Time
	Off          bool
	CheckAddress bool // by a code, if e-mail works
	ClosingText  string
	BaseURL      string     // the request's, for links in messages
	FullAt       *time.Time `json:",omitempty"` // when its owner was last told that there is no room
	Moved        []string   `json:",omitempty"` // hashes of its codes on installations that the company has left
	CreatedAt    time.Time
	UpdatedAt    time.Time

	Title    string `json:"-"` // of the template, read along with the link
	RoleName string `json:"-"` // likewise
	Status   Status `json:"-"` // likewise
}

// Person is somebody in another role of the template.
type Person struct{ Role, Name, Email, Locale string }

// Status tells whether a link works.
type Status string

// The statuses of a link.
const (
	Open    Status = "open"
	Off     Status = "off"
	Expired Status = "expired"
	UsedUp  Status = "used_up"
	Full    Status = "full"   // there is no room for more documents of the company
	Closed  Status = "closed" // its template is archived or deleted, or its owner may no longer send documents
)

// links holds all links. Keys begin with the company, so that no scan crosses into another.
var links = kv.NewCollection("public_links", kv.JSON[Link](),
	kv.Index[Link]{Name: "id", Keys: func(l Link) []kv.Key { return []kv.Key{kv.K(l.ID)} }},
	kv.Index[Link]{Name: "template", Counted: true, Depth: 2, Keys: func(l Link) []kv.Key {
		return []kv.Key{kv.K(l.Company, l.Template, kv.KeyTime(l.CreatedAt))}
	}})

// Collections lists the collections of this package, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{links} }

func (l *Link) key() string { return l.Company + "/" + l.ID }

// codeOf returns the part of a link's address that only this installation can make. Addresses
// are not stored, so the store can't leak them, and yet the company can see them again.
func (s *Service) codeOf(id string) string {
	m := hmac.New(sha256.New, s.Key)
	m.Write([]byte("public link\x00" + id))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil)[:24])
}

// Token returns the secret part of a link's address.
func (s *Service) Token(l *Link) string { return l.ID + s.codeOf(l.ID) }

// URL returns the address of a link, for members who may write templates; "" for others.
func (s *Service) URL(who account.Call, l *Link, base string) string {
	if !who.Can(account.ScopeWrite) {
		return ""
	}
	return base + "/p/" + s.Token(l)
}

// load reads a link of a template of the company.
func load(tx *kv.Tx, company, template, id string) (Link, error) {
	l, err := links.Get(tx, company+"/"+id)
	if errors.Is(err, kv.ErrNotFound) || err == nil && l.Template != template {
		return Link{}, fault.NotFound("public_link").Because(err)
	}
	return l, err
}

// opened reads the link with a token. All tokens that don't work get the same error.
func (s *Service) opened(tx *kv.Tx, token string) (l Link, err error) {
	if len(token) != ulid.EncodedSize+32 {
		return Link{}, fault.NotFound("public_link")
	}
	id, code := token[:ulid.EncodedSize], token[ulid.EncodedSize:]
	err = links.Each(tx, "id", kv.K(id), func(_ string, found Link) (bool, error) {
		l = found
		return false, nil
	})
	own := subtle.ConstantTimeCompare([]byte(s.codeOf(id)), []byte(code)) == 1
	if err == nil && (l.ID == "" || !own && !slices.Contains(l.Moved, store.HashLink(code))) {
		return Link{}, fault.NotFound("public_link")
	}
	return l, err
}

// status returns whether the link itself works, regardless of its template and owner.
func (l *Link) status(now time.Time) Status {
	switch {
	case l.Off:
		return Off
	case l.ExpiresAt != nil && !l.ExpiresAt.After(now):
		return Expired
	case l.MaxUses > 0 && l.Uses >= l.MaxUses:
		return UsedUp
	}
	return Open
}

// describe adds what a link takes from its template and its owner.
func (s *Service) describe(tx *kv.Tx, l *Link, t *record.Document) error {
	l.Status = l.status(tx.NowIn(l.Company))
	l.Title = l.titleOf(t)
	i := t.RoleIndex(l.Role)
	if i >= 0 {
		l.RoleName = t.Invitations[i].RoleName
	}
	_, may, err := l.owner(tx)
	if !may || t.Live() != nil || i < 0 || !mayVisit(t, &t.Invitations[i]) {
		l.Status = Closed
	}
	if err == nil && l.Status == Open {
		switch err = s.Drafts.TemplateRoom(tx, t); {
		case isFull(err):
			l.Status, err = Full, nil
		}
	}
	return err
}

// isFull reports whether there is no room for more documents of the company.
func isFull(err error) bool {
	var refusal *fault.Error
	return errors.As(err, &refusal) && refusal.Code == "company_full"
}

// titleOf returns the title of the link's documents, as far as it is known before a visitor starts.
func (l *Link) titleOf(t *record.Document) string {
	values := variable.Folded(l.Variables)
	for _, name := range variable.Names(t.Title) {
		if _, ok := values[name]; !ok {
			values[name] = "…"
		}
	}
	return variable.Fill(t.Title, values)
}

// owner returns the member who owns the link's documents, with the rights they have now, and
// whether they may send documents. What a program opened ends with its token.
func (l *Link) owner(tx *kv.Tx) (who account.Actor, may bool, err error) {
	if who, may, err = account.Writer(tx, l.Company, l.By.ID); err != nil || !may || l.Token == "" {
		return who, may, err
	}
	may, err = account.Works(tx, l.Company, account.ActorToken, l.Token)
	return who, may, err
}

// own makes somebody the owner of the link's documents.
func (l *Link) own(who account.Call) {
	l.By, l.Token = record.PersonOf(who.Actor), ""
	if who.Kind == account.ActorToken {
		l.Token = who.TokenID
	}
}
