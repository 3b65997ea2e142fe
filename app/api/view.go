package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"paraph/app/signing"
	"paraph/app/signing/detect"
	"paraph/app/signing/record"
)

// Views of records in the API. Each is written by hand, so that a new field of a record
// is exposed only on purpose.

func when(t time.Time) string { return record.FormatTime(t) }

func maybe(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := when(*t)
	return &s
}

func orNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

type documentView struct {
	ID               string            `json:"id"`
	Title            string            `json:"title"`
	StatusID         int               `json:"status_id" minimum:"1" maximum:"8" doc:"1 to 8, in the order of the values of status"`
	Status           string            `json:"status" enum:"draft,pending_approval,approved,rejected,sent,completed,expired,voided"`
	Subject          *string           `json:"subject" doc:"Subject of the messages"`
	Message          *string           `json:"message"`
	SigningOrder     string            `json:"signing_order" enum:"parallel,sequential"`
	ExternalID       *string           `json:"external_id" doc:"Your own reference"`
	Metadata         map[string]string `json:"metadata" doc:"Your own key-value pairs"`
	Locale           *string           `json:"locale"`
	Owner            PersonView        `json:"owner"`
	Approver         *approverView     `json:"approver"`
	ExpiresAt        *string           `json:"expires_at" format:"date-time"`
	RemindEveryDays  *int              `json:"remind_every_days"`
	RedirectURL      *string           `json:"redirect_url" format:"uri" doc:"Where recipients are redirected after signing, declining or saving"`
	AllowDecline     bool              `json:"allow_decline"`
	AllowDelegation  bool              `json:"allow_delegation"`
	DeclineReason    bool              `json:"decline_reason_required"`
	OnDecline        *string           `json:"on_decline" enum:"notify,void" doc:"What happens when somebody declines; null leaves that to the setting of the company"`
	ReadToEnd        bool              `json:"read_to_end" doc:"Whether recipients can only sign, approve or confirm once they have read all pages"`
	SendEmails       bool              `json:"send_emails" doc:"Whether recipients are written to; if not, pass on their links"`
	SignatureTypes   []string          `json:"signature_types" enum:"drawn,typed,image" doc:"What is accepted as signatures and initials"`
	Files            []fileView        `json:"files"`
	Invitations      []invitationView  `json:"invitations"`
	Fields           []fieldView       `json:"fields"`
	Progress         record.Progress   `json:"progress"`
	CreatedAt        string            `json:"created_at" format:"date-time"`
	UpdatedAt        string            `json:"updated_at" format:"date-time"`
	SubmittedAt      *string           `json:"submitted_at" format:"date-time"`
	ApprovedAt       *string           `json:"approved_at" format:"date-time"`
	RejectedAt       *string           `json:"rejected_at" format:"date-time"`
	RejectedReason   *string           `json:"rejected_reason"`
	SendAt           *string           `json:"send_at" format:"date-time" doc:"When it will be sent, if that is scheduled"`
	SentAt           *string           `json:"sent_at" format:"date-time"`
	CompletedAt      *string           `json:"completed_at" format:"date-time"`
	ExpiredAt        *string           `json:"expired_at" format:"date-time"`
	VoidedAt         *string           `json:"voided_at" format:"date-time"`
	VoidedReason     *string           `json:"voided_reason"`
	ArchivedAt       *string           `json:"archived_at" format:"date-time"`
	DeletedAt        *string           `json:"deleted_at" format:"date-time"`
	Version          int64             `json:"version" doc:"Version number, also the ETag"`
	Attention        *string           `json:"attention" enum:"declined,sealing,sealing_failed,mail_failed,access_code,overdue,not_sent"`
	AttentionMessage *string           `json:"attention_message"`
	Template         bool              `json:"template" doc:"Whether it is a template"`
	TemplateID       *string           `json:"template_id" doc:"The template it was created from"`
	TemplateVersion  *int64            `json:"template_version" doc:"The version of the template it was created from"`
	OtherFields      []otherFieldView  `json:"other_fields" doc:"For a recipient: the fields of other people, filled in or to come; fields has their own"`
	FormVersion      *string           `json:"form_version" doc:"For a recipient who is asked to act: the version of what they are shown, to send with the act"`
	AllowedActions   []record.Action   `json:"allowed_actions" doc:"Actions that the caller can take on this document now"`
}

// PersonView is a member as they were when they acted. Its name is exported because it is
// embedded: the description omits unexported types.
type PersonView struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// recorder is a member who has recorded an act in somebody's name.
type recorder struct {
	PersonView
	Doubt  *string `json:"doubt" enum:"made_by_company,unproven" doc:"As of the actor of an event"`
	Reason *string `json:"reason" doc:"Why the recipient declines, as the member stated it"`
}

type approverView struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Schema allows null for no approver, which a referenced schema can't.
func (approverView) Schema(huma.Registry) *huma.Schema {
	text := func() *huma.Schema { return &huma.Schema{Type: huma.TypeString} } // each has an example of its own
	return &huma.Schema{
		Type: huma.TypeObject, Nullable: true, Required: []string{"id", "name"},
		Properties: map[string]*huma.Schema{"id": text(), "name": text()},
	}
}

// viewDocument renders a document for the caller. A signatory sees only the names and
// states of other people, and only their own fields. links are those of showLinks.
func (r *request) viewDocument(d *record.Document, links map[string]string) documentView {
	v := documentView{
		ID: d.ID, Title: d.Title, StatusID: int(d.Status), Status: d.Status.String(), Subject: orNull(d.Subject),
		Message: orNull(d.Message), SigningOrder: d.SigningOrder, ExternalID: orNull(d.ExternalID), Metadata: d.Metadata,
		Locale: orNull(d.Locale), Owner: PersonView(d.Owner), ExpiresAt: maybe(d.ExpiresAt),
		Progress: d.Progress(), CreatedAt: when(d.CreatedAt), UpdatedAt: when(d.UpdatedAt),
		SubmittedAt: maybe(d.SubmittedAt), ApprovedAt: maybe(d.ApprovedAt), RejectedAt: maybe(d.RejectedAt),
		RejectedReason: orNull(d.RejectedReason), SendAt: maybe(d.SendAt),
		SentAt: maybe(d.SentAt), CompletedAt: maybe(d.CompletedAt),
		ExpiredAt: maybe(d.ExpiredAt), VoidedAt: maybe(d.VoidedAt),
		VoidedReason: orNull(d.WhyVoided().Sentence(r.server.english())),
		ArchivedAt:   maybe(d.ArchivedAt), DeletedAt: maybe(d.DeletedAt), Version: d.Version,
		RedirectURL: orNull(d.RedirectURL), AllowDecline: !d.NoDecline, AllowDelegation: !d.NoDelegation, DeclineReason: d.DeclineReason, OnDecline: orNull(d.OnDecline),
		ReadToEnd:  d.ReadToEnd,
		SendEmails: !d.NoMails, SignatureTypes: typesOrAll(d.SignatureTypes),
		Attention: orNull(string(d.Attention.Kind)), AttentionMessage: orNull(d.AttentionSentence(r.server.english())),
		Files: []fileView{}, Invitations: []invitationView{}, Fields: []fieldView{},
	}
	if v.Metadata == nil || r.who.IsSignatory() {
		v.Metadata = map[string]string{}
	}
	if d.RemindEveryDays > 0 {
		v.RemindEveryDays = &d.RemindEveryDays
	}
	if v.Template = d.Template; d.MadeFrom != nil {
		v.TemplateID, v.TemplateVersion = &d.MadeFrom.Template, &d.MadeFrom.Version
	}
	if d.Approver != nil {
		v.Approver = &approverView{d.Approver.ID, d.Approver.Name}
	}
	if r.who.IsSignatory() {
		v.ExternalID, v.Approver, v.TemplateID, v.TemplateVersion = nil, nil, nil, nil
	}
	for i := range d.Files {
		v.Files = append(v.Files, r.viewFile(d, &d.Files[i]))
	}
	v.Invitations = r.viewInvitations(d, d.Invitations, links)
	v.OtherFields = othersFor(r.who, d)
	v.Fields = r.viewFields(d)
	return v
}

type fileView struct {
	ID          string        `json:"id"`
	DocumentID  string        `json:"document_id"`
	Name        string        `json:"name"`
	ContentType string        `json:"content_type" doc:"As uploaded"`
	Size        int64         `json:"size" doc:"Size of the upload in bytes"`
	SHA256      string        `json:"sha256" doc:"SHA-256 of the upload"`
	Pages       int           `json:"pages"`
	PageSizes   []sizeView    `json:"page_sizes"`
	Appended    int           `json:"appended_pages" doc:"Signature pages added at sending, for recipients without a field"`
	Position    int           `json:"position" doc:"Starts at 1"`
	ConvertedBy *string       `json:"converted_by" enum:"image,libreoffice,builtin" doc:"Converter to PDF; null for a PDF"`
	Confirmed   bool          `json:"confirmed" doc:"Whether somebody has checked the pages made by the built-in renderer"`
	Findings    []findingView `json:"findings" doc:"Findings about the file"`
	Arranged    *arrangedView `json:"arranged" doc:"The choice of the upload's pages that the file has; null if it has all of them as they were"`
	Merged      []partView    `json:"merged" doc:"The uploads that the file was made of, by merging them in their order or by blacking out parts; none if it is an upload as it was"`
	UnfitFields []string      `json:"unfit_fields,omitempty" doc:"Only when a file was replaced: the fields whose page or phrase the new file doesn't have"`
	CreatedAt   string        `json:"created_at" format:"date-time"`
}

type arrangedView struct {
	Of    int          `json:"of" doc:"Number of pages of the upload"`
	Pages []pageChoice `json:"pages"`
}

func viewArranged(a *record.Arrangement) *arrangedView {
	if a == nil {
		return nil
	}
	v := arrangedView{len(a.Whole.Pages), make([]pageChoice, len(a.Pages))}
	for i, p := range a.Pages {
		v.Pages[i] = pageChoice(p)
	}
	return &v
}

type partView struct {
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size" doc:"In bytes"`
	SHA256      string `json:"sha256"`
	Pages       int    `json:"pages" doc:"Number of pages of the upload"`
}

func viewMerged(parts []record.Part) []partView {
	out := make([]partView, len(parts))
	for i, p := range parts {
		out[i] = partView{p.Name, p.ContentType, p.Size, p.Upload, p.Pages}
	}
	return out
}

type sizeView struct {
	Width  float64 `json:"width" doc:"In points, as displayed"`
	Height float64 `json:"height" doc:"In points, as displayed"`
}

type findingView struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

func (r *request) viewFile(d *record.Document, f *record.File) fileView {
	if r.who.IsSignatory() {
		shown := f.WithoutUpload()
		f = &shown
	}
	v := fileView{ID: f.ID, DocumentID: d.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size, SHA256: f.SHA256,
		Pages: len(f.Pages), PageSizes: []sizeView{}, Appended: f.Appended, Position: f.Position, ConvertedBy: orNull(f.ConvertedBy),
		Confirmed: f.Confirmed || f.ConvertedBy != "builtin", Findings: []findingView{}, Arranged: viewArranged(f.Arranged), Merged: viewMerged(f.Merged), CreatedAt: when(f.CreatedAt)}
	for _, p := range f.Pages {
		v.PageSizes = append(v.PageSizes, sizeView{p.Width, p.Height})
	}
	for _, x := range f.Findings {
		v.Findings = append(v.Findings, findingView{x.Code.Word(), x.Severity, x.Sentence(r.server.english())})
	}
	return v
}

type invitationView struct {
	ID             string    `json:"id"`
	DocumentID     string    `json:"document_id"`
	Name           string    `json:"name"`
	Undrawable     *string   `json:"name_undrawable" doc:"Characters of the name that no font has; on paper they are written as their code points"`
	Email          string    `json:"email"`
	Company        *string   `json:"company" doc:"Fills in their company fields"`
	JobTitle       *string   `json:"job_title" doc:"Fills in their job title fields"`
	Role           string    `json:"role" enum:"signer,approver,assistant,reader,viewer"`
	RoleName       *string   `json:"role_name" doc:"The role of a template that this person takes"`
	Group          *string   `json:"group" doc:"Any one of the recipients who name the same group acts for all of them"`
	Named          bool      `json:"named_by_previous" doc:"The recipient before them in the signing order names them"`
	SharesEmail    bool      `json:"shares_email" doc:"Another recipient with the same e-mail address is another person"`
	Names          *string   `json:"names_next" doc:"Role of the recipient whom they have to name when they act"`
	Position       int       `json:"position" doc:"Position in the signing order"`
	Status         string    `json:"status" enum:"pending,notified,viewed,signed,filled_in,read,declined,delegated,replaced,not_needed" doc:"delegated: the recipient passed it on; replaced: a member put somebody else in their place"`
	Authentication string    `json:"authentication" enum:"link,email_code,access_code"`
	AccessCodeHint *string   `json:"access_code_hint" doc:"Shown where the access code is entered"`
	Locale         *string   `json:"locale"`
	Message        *string   `json:"message"`
	SignURL        *string   `json:"sign_url" format:"uri" doc:"While the link works, for callers of the company with scope write or sign; otherwise null"`
	NotifiedAt     *string   `json:"notified_at" format:"date-time"`
	ViewedAt       *string   `json:"viewed_at" format:"date-time"`
	SignedAt       *string   `json:"signed_at" format:"date-time"`
	ReadAt         *string   `json:"read_at" format:"date-time" doc:"When a reader confirmed having read the document"`
	FilledInAt     *string   `json:"filled_in_at" format:"date-time" doc:"When an assistant had filled in fields for others"`
	DeclinedAt     *string   `json:"declined_at" format:"date-time" doc:"When the person declined; null if a member recorded it, see recorded_by"`
	DeclinedReason *string   `json:"declined_reason"`
	RecordedBy     *recorder `json:"recorded_by" doc:"The member who acted, declined or replaced the recipient in their name, themself or with a token; null if the recipient did"`
	RemindedAt     *string   `json:"reminded_at" format:"date-time"`
	RemindersSent  int       `json:"reminders_sent"`
	CreatedAt      string    `json:"created_at" format:"date-time"`
	UpdatedAt      string    `json:"updated_at" format:"date-time"`
}

// viewInvitations renders invitations. links are those of showLinks.
func (r *request) viewInvitations(d *record.Document, all []record.Invitation, links map[string]string) []invitationView {
	out := make([]invitationView, 0, len(all))
	for i := range all {
		v := r.viewInvitation(d, &all[i])
		v.SignURL = orNull(links[all[i].ID])
		out = append(out, v)
	}
	return out
}

// statusOf returns the status of an invitation. Who was replaced has passed nothing on.
func statusOf(inv *record.Invitation) string {
	if inv.Replaced() {
		return "replaced"
	}
	return inv.Status
}

func (r *request) viewInvitation(d *record.Document, inv *record.Invitation) invitationView {
	v := invitationView{ID: inv.ID, DocumentID: d.ID, Name: inv.Name, Email: inv.Email, Role: inv.Role, RoleName: orNull(inv.RoleName),
		Group: orNull(inv.Group), Named: inv.NamedByPrevious, SharesEmail: inv.SharesEmail,
		Company: orNull(inv.Company), JobTitle: orNull(inv.JobTitle),
		Position: inv.Position, Status: statusOf(inv), Authentication: inv.Authentication, AccessCodeHint: orNull(inv.AccessCodeHint), Locale: orNull(inv.Locale),
		Message: orNull(inv.Message), NotifiedAt: maybe(inv.NotifiedAt), ViewedAt: maybe(inv.ViewedAt),
		SignedAt: maybe(inv.SignedAt), ReadAt: maybe(inv.ReadAt),
		FilledInAt: maybe(inv.FilledInAt), DeclinedAt: maybe(inv.DeclinedAt),
		DeclinedReason: orNull(inv.WhyDeclined().Sentence(r.server.english())),
		RemindedAt:     maybe(inv.RemindedAt), RemindersSent: inv.RemindersSent, CreatedAt: when(inv.CreatedAt), UpdatedAt: when(inv.UpdatedAt)}
	v.Undrawable = orNull(r.server.Signing.Drafts.Undrawable(inv.Name))
	if by := inv.RecordedBy; by != nil {
		v.RecordedBy = &recorder{PersonView(by.Person), orNull(by.Doubt), orNull(by.Why.Sentence(r.server.english()))}
	}
	if next := record.Names(d, inv); next != nil && inv.Open() {
		v.Names = &next.RoleName
	}
	if r.who.IsSignatory() && r.who.Invitation != inv.ID {
		v.Email, v.Message, v.DeclinedReason, v.AccessCodeHint = "", nil, nil, nil
		v.Company, v.JobTitle = nil, nil
	}
	return v
}

// viewFields renders the fields that the caller may see.
func (r *request) viewFields(d *record.Document) []fieldView {
	out := []fieldView{}
	for _, x := range fieldsFor(r.who, d) {
		out = append(out, viewField(d, x))
	}
	return out
}

type fieldView struct {
	ID           string         `json:"id"`
	DocumentID   string         `json:"document_id"`
	FileID       string         `json:"file_id"`
	InvitationID string         `json:"invitation_id"`
	Page         int            `json:"page" doc:"Starts at 1"`
	X            float64        `json:"x" doc:"Fraction of the page, from the left"`
	Y            float64        `json:"y" doc:"Fraction of the page, from the top"`
	Width        float64        `json:"width" doc:"Fraction of the page"`
	Height       float64        `json:"height" doc:"Fraction of the page"`
	Formula      *string        `json:"formula" doc:"Computes the value, which the recipient cannot enter"`
	Condition    *conditionView `json:"condition" doc:"When the field is shown or required"`
	Hidden       bool           `json:"hidden" doc:"The recipient has signed and was not asked for it"`
	Anchor       *anchorView    `json:"anchor" doc:"The phrase that determined the place, until the field is moved; with placeholders in the file, a field keeps its distance from it on the same page"`
	Covered      []areaView     `json:"covered" doc:"Parts of the file's pages that are painted white when the document is sent"`
	properties   *record.Field
}

// TransformSchema adds the properties.
func (fieldView) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return addProperties(s, true)
}

// MarshalJSON adds the properties.
func (v fieldView) MarshalJSON() ([]byte, error) {
	type plain fieldView
	return writeProperties(plain(v), v.properties)
}

// fieldSettings are those of a saved field, which has no place.
type fieldSettings struct {
	Width      float64 `json:"width" doc:"Fraction of the page"`
	Height     float64 `json:"height" doc:"Fraction of the page"`
	properties *record.Field
}

// TransformSchema adds the properties.
func (fieldSettings) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return addProperties(s, true)
}

// MarshalJSON adds the properties.
func (v fieldSettings) MarshalJSON() ([]byte, error) {
	type plain fieldSettings
	return writeProperties(plain(v), v.properties)
}

type conditionView struct {
	Then  string     `json:"then" enum:"show,require"`
	Match string     `json:"match" enum:"all,any"`
	When  []testView `json:"when"`
}

type testView struct {
	Field string  `json:"field" doc:"Name of a field, or of a group of radio buttons"`
	Op    string  `json:"op" enum:"equals,not_equals,filled,empty,contains,greater,less"`
	Value *string `json:"value"`
}

func viewCondition(c *record.Condition) *conditionView {
	if c == nil {
		return nil
	}
	return &conditionView{c.Then, c.Match, views(c.When, func(t record.Test) testView {
		return testView{t.Field, t.Op, orNull(t.Value)}
	})}
}

type anchorView struct {
	Text       string  `json:"text"`
	Occurrence int     `json:"occurrence"`
	Position   string  `json:"position" enum:"at,above,below,beside"`
	OffsetX    float64 `json:"offset_x"`
	OffsetY    float64 `json:"offset_y"`
	Cover      bool    `json:"cover"`
}

func viewAnchor(a *detect.Anchor) *anchorView {
	if a == nil || !a.Places() {
		return nil
	}
	return &anchorView{a.Text, a.Occurrence, a.Position, a.X, a.Y, a.Cover}
}

// areaView is a part of a page, in fractions of it.
type areaView struct {
	Page   int     `json:"page" doc:"Starts at 1"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

func viewAreas(areas []detect.Area) []areaView {
	return views(areas, func(a detect.Area) areaView { return areaView(a) })
}

// suggestionView is a field that a file seems to need. Its members but the first four
// can be sent back to add it.
type suggestionView struct {
	Source       string      `json:"source" enum:"form,tag,line,box"`
	Confidence   float64     `json:"confidence" doc:"Between 0 and 1"`
	Recipient    int         `json:"recipient" doc:"Number of the recipient it seems to be for, in signing order"`
	Role         *string     `json:"role" doc:"The recipient, as named by a text tag"`
	FileID       string      `json:"file_id"`
	InvitationID *string     `json:"invitation_id" doc:"null if there is no such recipient"`
	Page         int         `json:"page"`
	X            float64     `json:"x"`
	Y            float64     `json:"y"`
	Width        float64     `json:"width" doc:"Fraction of the page"`
	Height       float64     `json:"height" doc:"Fraction of the page"`
	Formula      *string     `json:"formula"`
	Covered      []areaView  `json:"covered" doc:"The place of a text tag"`
	Anchor       *anchorView `json:"anchor" doc:"The text tag in a file with placeholders, which moves when they are filled in; null elsewhere"`
	properties   *record.Field
}

// TransformSchema adds the properties.
func (suggestionView) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return addProperties(s, true)
}

// MarshalJSON adds the properties.
func (v suggestionView) MarshalJSON() ([]byte, error) {
	type plain suggestionView
	return writeProperties(plain(v), v.properties)
}

func viewSuggestion(x signing.Suggestion) suggestionView {
	field := x.AsField()
	return suggestionView{
		Source: x.Source, Confidence: x.Confidence, Recipient: x.Recipient, Role: orNull(x.Role),
		FileID: x.File, InvitationID: orNull(x.Invitation), Page: x.Page, X: x.X, Y: x.Y, Width: field.Width, Height: field.Height,
		Formula: orNull(x.Formula), Covered: viewAreas(x.Covers), Anchor: viewAnchor(x.Anchor), properties: &field,
	}
}

func viewField(d *record.Document, x *record.Field) fieldView {
	if x.Hidden {
		x = new(*x)
		x.Value = ""
	}
	return fieldView{
		ID: x.ID, DocumentID: d.ID, FileID: x.File, InvitationID: x.Invitation, Page: x.Page, X: x.X, Y: x.Y,
		Width: x.Width, Height: x.Height, Formula: orNull(x.Formula), Condition: viewCondition(x.Condition),
		Hidden: x.Hidden, Covered: viewAreas(x.Covered), Anchor: viewAnchor(x.Anchor), properties: x,
	}
}
