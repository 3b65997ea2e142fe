// Package domain provides the domain's services for tests of their rules: the real
// services over a real store in memory, with a clock that only the test moves. There
// is no HTTP, no PDFium and no background work: the test decides when to follow the
// journal and when to run jobs.
package domain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/apptest/patience"
	"paraph/app/blob"
	"paraph/app/checkpoint"
	"paraph/app/fault"
	"paraph/app/mail"
	"paraph/app/notify"
	"paraph/app/pdf/page"
	"paraph/app/pdf/text"
	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/app/tree"
	"paraph/app/words"
	"paraph/kv"
)

// Start is the initial time of every clock.
var Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// From is the sender of every message.
var From = mail.Address{Name: "Paraph", Email: "paraph@paraph.example"}

// BaseURL is the address in the links of messages.
const BaseURL = "https://paraph.example"

// Options configures the services.
type Options struct {
	Sender  notify.Sender          // nil keeps all messages in the outbox
	Signing func(*signing.Options) // changes the options of the signing service
	Outbox  func(*notify.Options)  // changes the options of the outbox
	Account func(*account.Options) // changes the options of the account service
}

// Services holds the domain's services for one test.
type Services struct {
	DB       *kv.DB
	Jobs     *kv.Jobs
	Accounts *account.Services
	Signing  *signing.Services
	Notify   *notify.Service

	Checkpoints *checkpoint.Service
	Key         []byte // the installation's key

	mu    sync.Mutex
	now   time.Time
	last  ulid.ULID
	names int
}

var (
	catalogue = sync.OnceValues(words.Load)
	fonts     = sync.OnceValue(text.New)
)

// New returns services that end with the test.
func New(t testing.TB, o Options) *Services {
	t.Helper()
	s := &Services{now: Start, Key: []byte("0123456789abcdef0123456789abcdef")}
	if err := s.open(t, o); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Services) open(t testing.TB, o Options) (err error) {
	if s.DB, err = kv.Open(kv.Options{InMemory: true, Now: s.Now}); err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := s.DB.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Jobs = kv.NewJobs(s.DB)
	all, err := catalogue()
	if err != nil {
		return err
	}
	out := notify.Options{DB: s.DB, Jobs: s.Jobs, Words: all, Transport: notify.Transport{Sender: o.Sender, From: From},
		NewID: s.NewID, Key: s.Key, BaseURL: BaseURL, Now: s.Now, Captures: true}
	change(&out, o.Outbox)
	outbox, err := notify.NewOutbox(out)
	if err != nil {
		return err
	}
	people := account.Options{TokenKey: s.Key, Now: s.Now, NewID: s.NewID, Mailer: outbox.Mail, Forget: outbox.Forget,
		Cost: account.Cost{Memory: 8, Passes: 1, Threads: 1}}
	change(&people, o.Account)
	if s.Accounts, err = account.New(s.DB, people); err != nil {
		return err
	}
	if err := s.openSigning(t, all, outbox, o.Signing); err != nil {
		return err
	}
	s.Notify = notify.New(outbox, s.Signing)
	return nil
}

func (s *Services) openSigning(t testing.TB, all *words.Catalogue, outbox *notify.Outbox,
	set func(*signing.Options)) error {
	files, err := blob.Open(t.TempDir(), blob.Options{Now: s.Now})
	if err != nil {
		return err
	}
	keys, err := pki.Open("", pki.Options{Now: s.Now})
	if err != nil {
		return err
	}
	ring, err := tree.OpenKeyring("")
	if err != nil {
		return err
	}
	s.Checkpoints = checkpoint.New(checkpoint.Options{
		DB: s.DB, Jobs: s.Jobs, Trees: store.Journal().Trees(), Keys: ring,
		Companies: s.Accounts.Operator.AllCompanies, Now: s.Now, Every: 24 * time.Hour})
	o := signing.Options{DB: s.DB, Jobs: s.Jobs, Blobs: files, Accounts: s.Accounts, Keys: keys,
		Checkpoints: s.Checkpoints, Words: all, Fonts: fonts(),
		Mailer: outbox.Mail, Mails: outbox.Mails, Forget: outbox.Forget, LinkKey: s.Key, NewID: s.NewID, Now: s.Now,
		BaseURL: BaseURL}
	change(&o, set)
	s.Signing = signing.New(o)
	return nil
}

func change[T any](o *T, set func(*T)) {
	if set != nil {
		set(o)
	}
}

// Now returns the time of the test's clock.
func (s *Services) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Advance moves the clock.
func (s *Services) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// NewID returns a new ID, greater than all before it.
func (s *Services) NewID() ulid.ULID {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := ulid.MustNew(ulid.Timestamp(s.now), ulid.DefaultEntropy())
	if id.Compare(s.last) <= 0 {
		id = s.last
		for i := len(id) - 1; i >= 0; i-- {
			if id[i]++; id[i] != 0 {
				break
			}
		}
	}
	s.last = id
	return id
}

// Work runs the due jobs of documents and messages, and of any other handlers, until
// none is left. It skips reading and rendering pages, which takes PDFium.
func (s *Services) Work(t testing.TB, more ...kv.Handler) {
	t.Helper()
	all := slices.Concat(s.Signing.Handlers(), s.Notify.Handlers(), more)
	for _, kind := range []string{"read", "draw"} {
		all = append(all, kv.Handler{Kind: kind, Run: func(context.Context, kv.Job) error { return nil }})
	}
	run, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Jobs.Run(run, 1, all...) }()
	s.Jobs.Nudge()
	err := s.Jobs.Idle(patience.Context(t))
	end()
	if err := errors.Join(err, <-ended); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// Company creates a company and returns its owner.
func (s *Services) Company(t testing.TB) account.Actor {
	t.Helper()
	c, err := s.Accounts.Operator.AddCompany(t.Context(), "Acme", "en", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	return s.Member(t, c.ID, account.RoleOwner)
}

// Member adds a member to a company and returns them as logged in. Their address begins
// with their role.
func (s *Services) Member(t testing.TB, company string, role account.Role) account.Actor {
	t.Helper()
	s.mu.Lock()
	s.names++
	email := fmt.Sprintf("%s%d@acme.example", role, s.names)
	s.mu.Unlock()
	u, err := s.Accounts.Operator.AddUser(t.Context(), account.UserInput{Name: "The " + string(role), Email: email, Password: "correct horse", CompanyID: company, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return account.Actor{Kind: account.ActorUser, UserID: u.ID, CompanyID: company, Name: u.Name, Email: u.Email,
		Role:   role,
		Scopes: account.Scopes(), ProvenAt: s.Now()}
}

// Person describes a recipient. Only the address is required.
type Person struct {
	Email, Name, Role, Authentication, Code, Locale, Message string
	Position                                                 int
}

func (p Person) input() signing.InvitationInput {
	in := signing.InvitationInput{Email: &p.Email, Name: new(cmp.Or(p.Name, "Name of "+p.Email)), Role: new(cmp.Or(p.Role, record.Signer))}
	for _, v := range []struct {
		from string
		to   **string
	}{{p.Authentication, &in.Authentication}, {p.Code, &in.AccessCode}, {p.Locale, &in.Locale}, {p.Message,
		&in.Message}} {
		if v.from != "" {
			*v.to = &v.from
		}
	}
	if p.Position > 0 {
		in.Position = &p.Position
	}
	return in
}

// Signers returns signers with these addresses.
func Signers(emails ...string) (all []Person) {
	for _, e := range emails {
		all = append(all, Person{Email: e})
	}
	return all
}

// Draft creates a draft with one file and some recipients.
func (s *Services) Draft(t testing.TB, who account.Actor, in signing.DocumentInput,
	people ...Person) *signing.Document {
	t.Helper()
	return s.create(t, who, signing.CreateInput{DocumentInput: in}, people)
}

// Sent creates a document as Draft does, and sends it.
func (s *Services) Sent(t testing.TB, who account.Actor, in signing.DocumentInput, people ...Person) *signing.Document {
	t.Helper()
	return s.create(t, who, signing.CreateInput{DocumentInput: in, Send: true}, people)
}

func (s *Services) create(t testing.TB, who account.Actor, in signing.CreateInput, people []Person) *signing.Document {
	t.Helper()
	for _, p := range people {
		in.Invitations = append(in.Invitations, p.input())
	}
	if in.Title == nil {
		in.Title = new("Contract")
	}
	u, err := s.Signing.Intake.Receive(t.Context(), who, "a.pdf", "application/pdf", bytes.NewReader(sample()))
	if err != nil {
		t.Fatal(err)
	}
	in.Uploads = []*signing.Upload{u}
	d, err := s.Signing.Drafts.Create(t.Context(), who, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	return d
}

// sample is a PDF of one page.
var sample = sync.OnceValue(func() []byte {
	b := page.New(fonts(), page.Info{Title: "Sample", Language: "en"})
	b.NewPage(page.A4Width, page.A4Height)
	b.Text(72, 100, 12, false, false, 0, 0, 0, "A page.")
	var out bytes.Buffer
	if _, err := b.Write(&out); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
})

// Signatory returns an invited person as they are behind their link, identified
// if they have to be.
func (s *Services) Signatory(t testing.TB, d *signing.Document, email string) account.Actor {
	t.Helper()
	for i := range d.Invitations {
		if inv := &d.Invitations[i]; inv.Email == email {
			who, err := s.Signing.Links.Signatory(t.Context(), s.Signing.Links.Token(inv))
			if err != nil {
				t.Fatal(err)
			}
			return who
		}
	}
	t.Fatalf("nobody with the address %s is invited", email)
	return account.Actor{}
}

// Sign signs as an invited person, with a typed signature.
func (s *Services) Sign(t testing.TB, d *signing.Document, email string) *signing.Document {
	t.Helper()
	who := s.Signatory(t, d, email)
	d, err := s.Signing.Signatures.Sign(t.Context(), who, d.ID, who.Invitation, signing.SignInput{
		Consent: new(true), Signature: &signing.Mark{Type: "typed", Text: who.Name}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Messages lists the messages of a company, oldest first, once those about
// everything that happened are written.
func (s *Services) Messages(t testing.TB, company string) []notify.Message {
	t.Helper()
	if err := s.Notify.CaughtUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := s.Notify.ListMessages(t.Context(), account.System(company),
		notify.OutboxQuery{Limit: 1000, Ascending: true})
	if err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// Refusal returns what an error of the domain says, in codes: its own, or each
// faulty field with its code; "" for no error, and the text of any other error.
func Refusal(err error) string {
	switch fields := fault.FieldsOf(err); {
	case err == nil:
		return ""
	case len(fields) > 0:
		var all []string
		for _, f := range fields {
			all = append(all, f.Name+" "+string(f.Code))
		}
		slices.Sort(all)
		return strings.Join(slices.Compact(all), ", ")
	case fault.CodeOf(err) != "":
		return string(fault.CodeOf(err))
	case fault.KindOf(err) != fault.KindInternal:
		return fault.KindOf(err).String()
	}
	return err.Error()
}
