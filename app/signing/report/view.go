package report

import (
	"strings"
	"time"

	"paraph/app/pki"
	"paraph/app/words"
)

// View is a report as JSON, the same for the API, the command and the page.
type View struct {
	Sound        bool        `json:"sound" doc:"There is a signature, every one is intact, none is by a revoked certificate, and nothing forbidden was changed. A root that is not trusted here does not count"`
	SHA256       string      `json:"sha256" doc:"Of the file, in hexadecimal"`
	Pages        int         `json:"pages"`
	Integrity    string      `json:"integrity" enum:"intact,broken,not_judged" doc:"The worst answer of all signatures"`
	Identity     string      `json:"identity" enum:"trusted,no_revocation_data,unknown_root,expired,untrusted,revoked,not_judged" doc:"The worst answer of all signatures"`
	LaterChanges string      `json:"later_changes" enum:"none,permitted,not_permitted,not_judged" doc:"The worst answer of all signatures"`
	Findings     []Said      `json:"findings" doc:"What is unusual about the file as a whole"`
	SignedHere   *OriginView `json:"signed_here" doc:"The document of this installation that the file is, or begins with; null where there is none"`
	Signatures   []Signature `json:"signatures"`
}

// OriginView names a document that was completed here.
type OriginView struct {
	Document    string `json:"document" doc:"Its identifier"`
	CompletedAt string `json:"completed_at" format:"date-time"`
	Whole       bool   `json:"whole" doc:"The file is the completed one, byte for byte; otherwise something was appended"`
}

// Signature is a verdict as JSON.
type Signature struct {
	Field        string    `json:"field"`
	Kind         string    `json:"kind" enum:"signature,certification,timestamp"`
	Signer       string    `json:"signer"`
	Email        *string   `json:"email"`
	Issuer       string    `json:"issuer"`
	Root         *string   `json:"root"`
	Reason       *string   `json:"reason"`
	ClaimedAt    *string   `json:"claimed_at" format:"date-time"`
	TimestampAt  *string   `json:"timestamp_at" format:"date-time"`
	Authority    *string   `json:"timestamp_authority"`
	Revision     int       `json:"revision"`
	CoversAll    bool      `json:"covers_whole_file"`
	Integrity    Integrity `json:"integrity" doc:"Is what was signed what the file holds?"`
	Identity     Identity  `json:"identity" doc:"Can the signer's certificate be believed?"`
	LaterChanges Later     `json:"later_changes" doc:"What was changed in the file after this signature?"`
	Intact       bool      `json:"intact" doc:"Integrity is intact, and no later change is forbidden"`
	Trusted      bool      `json:"trusted" doc:"Intact, and the chain leads to a trusted root and was not revoked"`
	Revocation   string    `json:"revocation" enum:"good,short-term,unknown,revoked"`
	Algorithm    string    `json:"algorithm"`
	Level        *string   `json:"level" enum:"B-B,B-T,B-LT,B-LTA" doc:"As in ETSI EN 319 142-1; null for a document timestamp and for what is not PAdES"`
	Changes      []Change  `json:"changes" doc:"All later changes, permitted or not"`
	Problems     []string  `json:"problems" doc:"Everything wrong or unusual, in sentences"`
	Notes        []string  `json:"notes" doc:"Algorithms and keys that no longer resist forgery, in sentences"`
	Findings     []Said    `json:"findings" doc:"The problems and notes, with codes for programs"`
}

// Integrity is the first answer.
type Integrity struct {
	Result  string `json:"result" enum:"intact,broken,not_judged"`
	Reasons []Said `json:"reasons"`
}

// Identity is the second answer.
type Identity struct {
	Result  string `json:"result" enum:"trusted,no_revocation_data,unknown_root,expired,untrusted,revoked,not_judged"`
	Reasons []Said `json:"reasons"`
}

// Later is the third answer.
type Later struct {
	Result       string   `json:"result" enum:"none,permitted,not_permitted,not_judged"`
	Permitted    []Change `json:"permitted"`
	NotPermitted []Change `json:"not_permitted"`
}

// Said is a finding with its sentence.
type Said struct {
	Code    string            `json:"code"`
	Args    map[string]string `json:"args"`
	Message string            `json:"message"`
}

// Change is a later change with its sentence.
type Change struct {
	Revision  int     `json:"revision"`
	What      string  `json:"what" doc:"The kind and the place in English words"`
	Kind      string  `json:"kind"`
	Page      *int    `json:"page"`
	Field     *string `json:"field"`
	Object    *int    `json:"object" doc:"Number of the object in the file; null where several are concerned"`
	Rule      string  `json:"rule" doc:"The rule that permits or forbids the change"`
	Permitted bool    `json:"permitted"`
	Message   string  `json:"message"`
}

// View renders a report in the given language.
func (r *Report) View(l *words.Language) View {
	out := View{
		Sound: r.Sound, SHA256: r.SHA256, Pages: r.Pages, Integrity: string(r.Integrity()), Identity: string(r.Identity()),
		LaterChanges: string(r.LaterChanges()), Findings: Say(l, r.Findings), Signatures: []Signature{},
	}
	if o := r.Origin; o != nil {
		out.SignedHere = &OriginView{Document: o.Document, CompletedAt: clock(o.CompletedAt), Whole: o.Whole}
	}
	for i := range r.Signatures {
		out.Signatures = append(out.Signatures, r.Signatures[i].view(l))
	}
	return out
}

func (v *SignatureVerdict) view(l *words.Language) Signature {
	out := Signature{
		Field: v.Field, Kind: v.Kind, Signer: v.Signer, Email: orNull(v.Email), Issuer: v.Issuer, Root: orNull(v.Root),
		Reason: orNull(v.Reason), ClaimedAt: maybe(v.ClaimedAt), TimestampAt: maybe(v.TimestampAt), Authority: orNull(v.Authority),
		Revision: v.Revision, CoversAll: v.CoversAll,
		Integrity: Integrity{string(v.Integrity), Say(l, v.IntegrityReasons)},
		Identity:  Identity{string(v.Identity), Say(l, v.IdentityReasons)},
		Intact:    v.Intact(), Trusted: v.Trusted, Revocation: string(v.Revocation), Algorithm: v.Algorithm, Level: orNull(v.Level),
		Changes: []Change{}, Problems: sentences(l, v.Problems), Notes: sentences(l, v.Notes),
		Findings: append(Say(l, v.Problems), Say(l, v.Notes)...),
	}
	out.LaterChanges = Later{string(v.Later), []Change{}, []Change{}}
	for _, c := range v.Changes {
		said := c.view(l)
		out.Changes = append(out.Changes, said)
		if c.Permitted {
			out.LaterChanges.Permitted = append(out.LaterChanges.Permitted, said)
		} else {
			out.LaterChanges.NotPermitted = append(out.LaterChanges.NotPermitted, said)
		}
	}
	return out
}

func (c *ChangeVerdict) view(l *words.Language) Change {
	return Change{
		Revision: c.Revision, What: c.what(), Kind: c.Kind, Page: number(c.Page), Field: orNull(c.Field), Object: number(c.Object),
		Rule: c.Rule, Permitted: c.Permitted, Message: c.Sentence(l),
	}
}

// what returns the kind and place in the form used by the API from the start.
func (c *ChangeVerdict) what() string {
	kind := strings.ReplaceAll(c.Kind, "_", " ")
	if at := c.place(); at != "" {
		return kind + ": " + at
	}
	return kind
}

// Sentence describes what was changed and where.
func (c *ChangeVerdict) Sentence(l *words.Language) string {
	what := l.Say("verdict.change." + c.Kind)
	switch {
	case c.Field != "":
		return l.Say("verdict.at.field", "what", what, "field", c.Field)
	case c.Page > 0:
		return l.Say("verdict.at.page", "what", what, "page", c.Page)
	}
	return what
}

// Say adds the sentences to findings.
func Say(l *words.Language, all []pki.Finding) []Said {
	out := make([]Said, len(all))
	for i, f := range all {
		out[i] = Said{Code: f.Code, Args: f.Args, Message: Sentence(l, f)}
		if f.Args == nil {
			out[i].Args = map[string]string{}
		}
	}
	return out
}

func sentences(l *words.Language, all []pki.Finding) []string {
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = Sentence(l, f)
	}
	return out
}

// Sentence describes a finding in the given language.
func Sentence(l *words.Language, f pki.Finding) string {
	args := map[string]any{}
	for name, value := range f.Args {
		args[name] = value
		if at, err := time.Parse(time.RFC3339, value); err == nil {
			args[name] = l.Moment(at)
		}
	}
	if f.Code == "forbidden_change" {
		args["what"], args["rule"] = l.Say("verdict.change."+f.Args["kind"]), l.Say("verdict.rule."+f.Args["rule"])
	}
	return l.SayOf("verdict."+f.Code, args)
}

func clock(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func maybe(at *time.Time) *string {
	if at == nil {
		return nil
	}
	s := clock(*at)
	return &s
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func number(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
