package signing

import (
	"encoding/hex"
)

// The machine-readable evidence of a document: what the certificate of
// completion says, in JSON, so that a program can check it without us.
type evidenceJSON struct {
	Document    evidenceDocument    `json:"document"`
	Company     string              `json:"company"`
	Files       []evidenceFile      `json:"files"`
	Signatories []evidenceSignatory `json:"signatories"`
	Events      []evidenceEvent     `json:"events"`
	ChainHead   string              `json:"chain_head"`
	HashRule    string              `json:"hash_rule"`
}

type evidenceDocument struct {
	ID           string  `json:"id"`
	Title        string  `json:"title"`
	Status       string  `json:"status"`
	SigningOrder string  `json:"signing_order"`
	Owner        string  `json:"owner"`
	CreatedAt    string  `json:"created_at"`
	SentAt       *string `json:"sent_at"`
	CompletedAt  *string `json:"completed_at"`
}

type evidenceFile struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	ContentType string             `json:"content_type"`
	Size        int64              `json:"size"`
	SHA256      string             `json:"sha256"`
	ConvertedBy *string            `json:"converted_by"`
	BaseSHA256  string             `json:"base_sha256"`
	Pages       int                `json:"pages"`
	Revisions   []evidenceRevision `json:"revisions"`
}

type evidenceRevision struct {
	Kind   string `json:"kind"`
	Signer string `json:"signer,omitempty"`
	Size   int64  `json:"size"`   // bytes appended
	Total  int64  `json:"total"`  // bytes of the file up to here
	SHA256 string `json:"sha256"` // of the file up to here
	At     string `json:"at"`
}

type evidenceSignatory struct {
	ID             string            `json:"id"`
	Name           string            `json:"name"`
	Email          string            `json:"email"`
	Role           string            `json:"role"`
	Status         string            `json:"status"`
	Authentication string            `json:"authentication"`
	NotifiedAt     *string           `json:"notified_at"`
	ViewedAt       *string           `json:"viewed_at"`
	SignedAt       *string           `json:"signed_at"`
	DeclinedAt     *string           `json:"declined_at"`
	Method         string            `json:"method,omitempty"`
	Through        string            `json:"through,omitempty"`
	Host           string            `json:"host,omitempty"`
	IP             string            `json:"ip,omitempty"`
	UserAgent      string            `json:"user_agent,omitempty"`
	Consent        bool              `json:"consent"`
	ConsentText    string            `json:"consent_text,omitempty"`
	ConsentSHA256  string            `json:"consent_sha256,omitempty"`
	SignatureType  string            `json:"signature_type,omitempty"`
	Certificate    string            `json:"certificate_serial,omitempty"`
	Values         map[string]string `json:"values,omitempty"`
}

type evidenceEvent struct {
	ID           string            `json:"id"`
	Seq          uint64            `json:"seq"`
	Type         string            `json:"type"`
	At           string            `json:"at"`
	ActorType    string            `json:"actor_type"`
	ActorID      string            `json:"actor_id,omitempty"`
	ActorName    string            `json:"actor_name"`
	ActorEmail   string            `json:"actor_email,omitempty"`
	IP           string            `json:"ip,omitempty"`
	UserAgent    string            `json:"user_agent,omitempty"`
	Data         map[string]string `json:"data,omitempty"`
	Hash         string            `json:"hash"`
	PreviousHash string            `json:"previous_hash"`
	// What is hashed besides the above; see hashRule.
	Scope       string `json:"scope"`
	Chain       string `json:"chain"`
	JournalHash string `json:"journal_previous_hash"`
	Raw         string `json:"raw"`
}

// hashRule is how kv.HashEntry hashes, in terms of the members here.
const hashRule = "hash of an event is the SHA-256 of these parts, each preceded by its length in bytes as an 8-byte big-endian number: " +
	"the text \"kv log entry 1\"; seq as an 8-byte big-endian number; id; scope; chain; at in milliseconds since 1970-01-01T00:00:00Z as an 8-byte big-endian number; " +
	"the 32 bytes of journal_previous_hash; the 32 bytes of previous_hash; raw, which holds the event as it was stored. " +
	"previous_hash is the hash of the document's event before it, and 32 zero bytes for the first; the hash of the last event is chain_head. " +
	"sha256 of a revision covers the file from its first byte to the revision's end, which is total bytes."

// evidence gathers everything that is known of a document.
func (s *Service) evidence(d *Document) (*evidenceJSON, error) {
	company, err := s.companyOf(d.Company)
	if err != nil {
		return nil, err
	}
	entries, err := s.trail(d.ID)
	if err != nil {
		return nil, err
	}
	e := &evidenceJSON{Company: company.Name, ChainHead: d.Head, HashRule: hashRule, Document: evidenceDocument{
		ID: d.ID, Title: d.Title, Status: d.Status.String(), SigningOrder: d.SigningOrder,
		Owner: d.Owner.Name + " <" + d.Owner.Email + ">", CreatedAt: FormatTime(d.CreatedAt),
		SentAt: formatTime(d.SentAt), CompletedAt: formatTime(d.CompletedAt)}}
	for i := range d.Files {
		e.Files = append(e.Files, d.evidenceOfFile(&d.Files[i]))
	}
	for i := range d.Invitations {
		e.Signatories = append(e.Signatories, d.evidenceOfSignatory(&d.Invitations[i]))
	}
	for _, x := range entries {
		e.Events = append(e.Events, evidenceOfEvent(x))
	}
	return e, nil
}

func (d *Document) evidenceOfFile(f *File) evidenceFile {
	out := evidenceFile{ID: f.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size, SHA256: f.SHA256,
		ConvertedBy: optional(f.ConvertedBy), BaseSHA256: f.Base, Pages: len(f.Pages)}
	for _, r := range f.Revisions {
		rev := evidenceRevision{Kind: r.Kind, Size: r.Size, Total: r.Total, SHA256: r.SHA256, At: FormatTime(r.At)}
		if inv := d.invitation(r.Invitation); inv != nil {
			rev.Signer = inv.Name + " <" + inv.Email + ">"
		}
		out.Revisions = append(out.Revisions, rev)
	}
	return out
}

func (d *Document) evidenceOfSignatory(inv *Invitation) evidenceSignatory {
	out := evidenceSignatory{ID: inv.ID, Name: inv.Name, Email: inv.Email, Role: inv.Role, Status: inv.Status,
		Authentication: inv.Authentication, NotifiedAt: formatTime(inv.NotifiedAt), ViewedAt: formatTime(inv.ViewedAt),
		SignedAt: formatTime(inv.SignedAt), DeclinedAt: formatTime(inv.DeclinedAt)}
	if ev := inv.Evidence; ev != nil {
		out.Method, out.Through, out.Host, out.IP, out.UserAgent = ev.Method, ev.Through, ev.Host, ev.IP, ev.UserAgent
		if ev.Consent {
			out.ConsentSHA256 = consentVersion(ev.ConsentText)
		}
		out.Consent, out.ConsentText, out.SignatureType, out.Certificate = ev.Consent, ev.ConsentText, ev.SignatureType, ev.Serial
	}
	for _, x := range d.fieldsOf(inv.ID) {
		if x.Filled && !x.drawn() {
			if out.Values == nil {
				out.Values = map[string]string{}
			}
			out.Values[x.label()] = x.Value
		}
	}
	return out
}

func evidenceOfEvent(x Entry) evidenceEvent {
	return evidenceEvent{ID: x.ID, Seq: x.Seq, Type: x.Value.Type, At: FormatTime(x.At), ActorType: x.Value.ActorKind,
		ActorID: x.Value.ActorID, ActorName: x.Value.ActorName, ActorEmail: x.Value.ActorEmail, IP: x.Value.IP,
		UserAgent: x.Value.UserAgent, Data: x.Value.Data, Hash: hex.EncodeToString(x.Hash[:]),
		PreviousHash: hex.EncodeToString(x.ChainPrevious[:]), Scope: x.Scope, Chain: x.Chain,
		JournalHash: hex.EncodeToString(x.Previous[:]), Raw: string(x.Raw)}
}
