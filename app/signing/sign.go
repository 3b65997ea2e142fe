package signing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/blob"
	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/pki"
	"paraph/app/signing/disk"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/signing/store"
	"paraph/kv"
)

// SignInput holds the values and marks that a person submits to sign.
type SignInput struct {
	Fields    map[string]string // by field identifier, name, or group of radio buttons
	Written   bool              // dates may be written as in the document's language, not as programs write them
	Signature *mark.Mark
	Initials  *mark.Mark
	Consent   *bool
	Next      *record.InvitationInput // name and address of the person they name, see [record.Names]
	Read      record.Reading          // of a document that has to be read to the end
	Code      string                  // e-mail code or access code, if the invitation asks for one
	Shown     string                  // version of what the form showed, see [Visit]; "" if it doesn't say
}

// Sign records one person's signature: their values and their own PAdES signature in every
// file they sign. The last one completes the document, and Sign returns once the sealed
// files are on disk.
func (s *Signing) Sign(
	ctx context.Context, who account.Call, id, invitation string, in SignInput,
) (*record.Document, error) {
	return s.act(ctx, who, id, invitation, record.ActionSign, in)
}

// Confirm records that a reader has read the document. Of the input only Next, Read, Code and Shown
// count.
// Like the last signature, the last confirmation completes the document.
func (s *Signing) Confirm(
	ctx context.Context, who account.Call, id, invitation string, in SignInput,
) (*record.Document, error) {
	in = SignInput{Next: in.Next, Read: in.Read, Code: in.Code, Shown: in.Shown}
	return s.act(ctx, who, id, invitation, record.ActionRead, in)
}

// FillIn records what an assistant has filled in for recipients who sign later. Of the input only
// Fields, Next, Code and Shown count.
func (s *Signing) FillIn(
	ctx context.Context, who account.Call, id, invitation string, in SignInput,
) (*record.Document, error) {
	only := SignInput{Fields: in.Fields, Written: in.Written, Next: in.Next, Code: in.Code, Shown: in.Shown}
	return s.act(ctx, who, id, invitation, record.ActionFillIn, only)
}

// act records that a person has done what they were asked to do.
func (s *Signing) act(
	ctx context.Context, who account.Call, id, invitation string, action record.Action, in SignInput,
) (*record.Document, error) {
	if err := mayAct(who, id, invitation); err != nil {
		return nil, err
	}
	defer s.changes.lock(id)()
	proven := false // a code is accepted once, even if the work is repeated
	d, err := retry(func() (*record.Document, error) {
		return s.actOnce(ctx, who, id, invitation, action, in, &proven)
	})
	if err != nil || d.Attention.Kind != record.AttentionSealing {
		return d, err
	}
	// The act is on disk and is not lost if sealing fails.
	return s.completion.sealNow(ctx, d), nil
}

// mayAct admits the invited person, and members of the company who may sign through the API.
func mayAct(who account.Call, document, invitation string) error {
	if who.IsSignatory() {
		if who.Document != document || who.Invitation != invitation {
			return fault.NotFound("invitation")
		}
		return nil
	}
	return who.Require(account.ScopeSign)
}

// act is one signature, or another act of an invited person, in progress.
type act struct {
	document *record.Document
	inv      *record.Invitation
	asked    []record.Asked
	values   map[string]string // by field identifier
	assisted []string          // names of the fields that an assistant has filled in
	marks    marks
	handed   []handedIn     // files of fields, not stored yet
	named    []record.Event // of the person whom they named
	now      time.Time
	zone     *time.Location
	company  string // its name
	shown    string // version of what the form showed

	files []*blob.Writer // on disk, and removed unless the act is recorded
}

func (s *Signing) actOnce(
	ctx context.Context, who account.Call, id, invitation string, action record.Action, in SignInput, proven *bool,
) (out *record.Document, err error) {
	d, err := s.store.Get(who, id)
	if err != nil {
		return nil, err
	}
	version := d.Version
	a, err := s.check(ctx, who, d, invitation, action, in, proven)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.dropFiles()) }()
	if err := s.storeFiles(a); err != nil {
		return nil, err
	}
	if a.inv.Signs() {
		err = s.signFiles(ctx, a)
	}
	if err != nil {
		return nil, err
	}
	if err := a.commitFiles(); err != nil {
		return nil, err
	}
	events := append([]record.Event{a.event()}, record.ActForGroup(d, a.inv, a.now)...)
	events = append(events, a.named...)
	if p := d.Progress(); p.Signed == p.Total {
		d.SetAttention(record.Attention{Kind: record.AttentionSealing, Code: "sealing"})
	}
	err = s.db.For(who.CompanyID).Update(func(tx *kv.Tx) error {
		stored, err := store.Load(tx, who, id)
		if err != nil {
			return err
		}
		if err := store.RequireVersion(stored, version); err != nil {
			return err
		}
		if err := stored.Signable(stored.Invitation(invitation), tx.Now); err != nil {
			return err
		}
		events = append(events, d.Notify(tx.Now)...)
		if err := s.schedule.plan(tx, d); err != nil {
			return err
		}
		if err := s.spendCode(tx, invitation); err != nil {
			return err
		}
		return s.store.Save(tx, who, d, events...)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// event returns the event that records the act.
func (a *act) event() record.Event {
	kind, evidence := record.EventInvitationSigned, a.inv.Evidence
	switch a.inv.Action() {
	case record.ActionRead:
		kind = record.EventInvitationRead
	case record.ActionFillIn:
		kind = record.EventInvitationFilledIn
	}
	e := record.NewEvent(kind).To(a.inv.ID).With("email", a.inv.Email).With("method", evidence.Method).Recorded(a.inv)
	if evidence.Serial != "" {
		e = e.With("certificate", evidence.Serial)
	}
	if evidence.Host != "" {
		e = e.With("host", evidence.Host)
	}
	if len(a.assisted) > 0 {
		e = e.With("fields", strings.Join(a.assisted, ", "))
	}
	if evidence.Reading != "" {
		e = e.With("reading", evidence.Reading)
	}
	return e
}

// check checks the act against the state, the turn, the proof of identity and the fields'
// rules, in this order, and writes the values to the record. Nothing is stored: a request
// costs nothing until its sender has proven who they are and all of it is valid.
func (s *Signing) check(
	ctx context.Context, who account.Call, d *record.Document, invitation string, action record.Action, in SignInput, proven *bool,
) (*act, error) {
	inv := d.Invitation(invitation)
	if inv == nil {
		return nil, fault.NotFound("invitation")
	}
	now := s.now(d.Company)
	if err := d.Signable(inv, now); err != nil {
		return nil, err
	}
	if err := inv.Asks(action); err != nil {
		return nil, err
	}
	if !record.IsIdentified(who.Actor, inv) && !*proven {
		if err := s.prove(who, inv, in.Code, keepsCode); err != nil {
			return nil, err
		}
		*proven = true
	}
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	if err := s.current(in.Shown, company, d, inv); err != nil {
		return nil, err
	}
	a := &act{document: d, inv: inv, shown: in.Shown, asked: record.AskedOf(d, inv), now: now, zone: company.Zone(), company: company.Name}
	if action != record.ActionSign {
		return a, s.checkUnsigned(who, a, in)
	}
	var faults fault.Fields
	reading := in.Read.Check(&faults, d, who.IsSignatory())
	consent := s.consentText(company)
	consented := in.Consent != nil && *in.Consent || consent != "" && company.ConsentMode == account.ConsentGate && inv.AgreedTo(consent)
	if who.IsSignatory() && consent != "" && !consented {
		faults.Add("consent", "consent_missing")
	}
	if err := s.fill(ctx, &faults, who, a, in); err != nil {
		return nil, err
	}
	a.marks = s.readMarks(&faults, inv, in)
	a.checkMarks(&faults)
	s.legible(&faults, a)
	a.nameNext(&faults, in.Next)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	inv.Status, inv.SignedAt = record.Signed, &now
	a.note(who, &record.Evidence{Consent: consented, ConsentText: consent, Reading: reading,
		SignatureType: a.marks.signature.Type, Typed: a.marks.signature.Text,
		Face: a.marks.signature.Font, Ink: a.marks.signature.Ink, Strokes: mark.Pack(a.marks.signature.Strokes)})
	return a, nil
}

// checkUnsigned checks the act of somebody who does not sign: what an assistant has filled in, or
// that a reader has read the document.
func (s *Signing) checkUnsigned(who account.Call, a *act, in SignInput) error {
	var faults fault.Fields
	evidence := &record.Evidence{}
	if a.inv.Action() == record.ActionRead {
		evidence.Reading = in.Read.Check(&faults, a.document, who.IsSignatory())
	}
	if a.inv.Action() == record.ActionFillIn {
		today := a.now.In(a.zone)
		a.values = record.EnteredIn(a.asked, s.given(&faults, a, in), today)
		a.assisted = record.Prefill(&faults, a.document, a.inv, a.asked, a.values, today)
		s.legible(&faults, a)
	}
	a.nameNext(&faults, in.Next)
	if err := faults.Err(); err != nil {
		return err
	}
	if a.inv.Action() == record.ActionFillIn {
		a.inv.Status, a.inv.FilledInAt = record.FilledIn, &a.now
	} else {
		a.inv.Status, a.inv.ReadAt = record.Read, &a.now
	}
	a.note(who, evidence)
	return nil
}

// nameNext names the person of the next invitation if the signatory has to.
func (a *act) nameNext(f *fault.Fields, in *record.InvitationInput) {
	next := record.Names(a.document, a.inv)
	switch {
	case next == nil && in != nil:
		f.Add("next", "nobody_to_name")
	case next != nil:
		if in == nil {
			in = &record.InvitationInput{}
		}
		next.UpdatedAt = a.now
		a.named = []record.Event{in.NamePerson(f.Under("next"), a.document, next)}
	}
}

// note records who acted, when, and from where.
func (a *act) note(who account.Call, e *record.Evidence) {
	e.Form = a.shown
	e.At, e.IP, e.UserAgent, e.Host, e.HostDoubt = a.now, who.IP, who.UserAgent, who.Host, who.HostDoubt
	e.Method, e.Through = method(who, a.inv), through(who)
	a.inv.Evidence, a.inv.UpdatedAt = e, a.now
	if a.inv.Recorded(who.Actor) {
		e.Consent, e.ConsentText = false, "" // nobody asked them
	}
}

func method(who account.Call, inv *record.Invitation) string {
	if who.Host != "" && inv.Authentication == record.ByLink {
		return "in_person"
	}
	if who.IsSignatory() {
		return inv.Authentication
	}
	return "api"
}

func through(who account.Call) string {
	if who.IsSignatory() {
		return "signatory"
	}
	return fmt.Sprintf("%s <%s>, token %s", who.Name, who.Email, who.TokenID)
}

// given reads the values of an act.
func (s *Signing) given(f *fault.Fields, a *act, in SignInput) map[string]string {
	values := a.given(f, in.Fields)
	if !in.Written {
		return values
	}
	written := record.Writing{Language: s.words.Match(a.document.Locale), Today: a.now.In(a.zone)}
	for _, x := range record.FieldsIn(a.asked) {
		if v, said := values[x.ID]; said {
			values[x.ID] = written.Read(x, v)
		}
	}
	return values
}

// given reads a person's values, keyed by identifier, name or group, and refuses those for
// fields that are not theirs to fill in.
func (a *act) given(f *fault.Fields, given map[string]string) map[string]string {
	own := record.FieldsIn(a.asked)
	values, named := map[string]string{}, map[string]string{}
	keys := slices.Sorted(maps.Keys(given))
	slices.Reverse(keys) // in one order, so that of two values for a field the same always counts: that by identifier
	for _, key := range keys {
		v := given[key]
		if !record.SetValue(own, named, key, v) && !a.setGroup(values, key, v) {
			f.Add("fields."+key, a.refusal(key))
		}
	}
	maps.Copy(values, named) // a button's own value takes precedence, whatever the order of the map
	for _, x := range own {
		if _, said := values[x.ID]; said && x.Settled() {
			f.Add("fields."+x.Key(), "read_only", x.Arg())
		}
	}
	return values
}

// setGroup selects a radio button for everybody who has such a group.
func (a *act) setGroup(values map[string]string, group, choice string) (done bool) {
	for _, part := range a.asked {
		done = record.SetGroup(part.Fields, values, group, choice) || done
	}
	return done
}

// refusal returns the code for a value for something else than the fields that the person is
// asked for.
func (a *act) refusal(key string) fault.Code {
	for _, part := range a.asked {
		if record.SetValue(part.Reserved, map[string]string{}, key, "") {
			return "only_its_recipient"
		}
	}
	return "no_such_field"
}

// fill accepts the values of a person who signs, validates them, and writes them to the record
// and to the act.
func (s *Signing) fill(
	ctx context.Context, f *fault.Fields, who account.Call, a *act, in SignInput,
) (err error) {
	own := record.FieldsIn(a.asked)
	values := s.given(f, a, in)
	today := a.now.In(a.zone)
	entered := record.Entered(own, a.inv, values, today)
	rules := record.RulesFor(a.document, a.inv.ID, entered, today)
	shown := slices.DeleteFunc(slices.Clone(own), func(x *record.Field) bool { return !rules.Shown(x) })
	if a.handed, err = s.readFiles(ctx, f, who, shown, values); err != nil {
		return err
	}
	for _, x := range own {
		v, said := values[x.ID]
		if said && x.Settled() {
			continue
		}
		if !said {
			v = entered[x.ID]
		}
		x.Fill(f, rules, v, values)
	}
	record.CheckGroups(f, rules, own, values)
	a.values = values
	return nil
}

// untimedValidity is how long a signatory's certificate is valid if no timestamp proves
// when it was used, until a later timestamp of the file does.
const untimedValidity = 366 * 24 * time.Hour

// signFiles appends the person's revision to every file they sign. If the timestamp
// authority does not respond, their act is recorded without a timestamp, and a later
// timestamp of the file covers it.
func (s *Signing) signFiles(ctx context.Context, a *act) error {
	before := slices.Clone(a.document.Files)
	err := s.signFilesFor(ctx, a, s.keys.SignatoryValidity(), s.revisions.authority(a.document.Company))
	if errors.Is(err, pki.ErrTimestamp) {
		s.log.Warn("timestamp authority does not respond", "document", a.document.ID, "error", err)
		copy(a.document.Files, before)
		err = s.signFilesFor(ctx, a, untimedValidity, nil)
	}
	return err
}

// subject returns whom the certificate of the act names: the person, or who recorded it for them.
func (a *act) subject() pki.Person {
	if by := a.inv.RecordedBy; by != nil {
		p := pki.Person{Name: by.Name, Email: by.Email, RecordedFor: a.inv.Name}
		if by.Doubt != "" {
			p.Email = "" // the certificate would state that it is theirs
		}
		if p.Name == "" {
			p.Name = by.Email
		}
		return p
	}
	return pki.Person{Name: a.inv.Name, Email: a.inv.Email}
}

// actor returns the name of who acted.
func (a *act) actor() string {
	subject := a.subject()
	return cmp.Or(subject.Name, subject.Email)
}

func (s *Signing) signFilesFor(ctx context.Context, a *act, validity time.Duration, ts pki.Timestamper) error {
	signer, err := s.keys.SignatoryFor(a.subject(), a.now, validity)
	if err != nil {
		return fmt.Errorf("signing: the signatory's certificate: %w", err)
	}
	a.inv.Evidence.Serial = signer.Certificate.SerialNumber.Text(16)
	for _, f := range a.document.SignsFiles(a.inv.ID) {
		if err := s.signFile(ctx, a, f, signer, ts); err != nil {
			return err
		}
	}
	return nil
}

func (s *Signing) signFile(ctx context.Context, a *act, f *record.File, signer *pki.Signer, ts pki.Timestamper) error {
	field, ok := a.inv.SignatureField(f.ID)
	if !ok {
		return fmt.Errorf("signing: %s has no signature field for %s", f.ID, a.inv.ID)
	}
	reason := s.signedBy(a)
	base, closeBase, err := s.revisions.baseOf(f)
	if err != nil {
		return err
	}
	spec, err := s.drawAct(a, f, field)
	if err != nil {
		return disk.Closing(err, closeBase)
	}
	spec.Seal = sealBy(ctx, f, signer, ts, a.now, a.actor(), reason)
	rev, err := pdf.Sign(base, spec)
	if err := disk.Closing(err, closeBase); err != nil {
		return fmt.Errorf("signing: sign %s: %w", f.ID, err)
	}
	return s.revisions.append(f, "signature", a.inv.ID, rev, a.now)
}
