package signer

import (
	"encoding/base64"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// documentPage is the page on which somebody signs, or sees who will.
type documentPage struct {
	visitPage
	Sign  *signPage
	Other *otherReader // who is signed in, if it is somebody else
}

// showSign is the page on which somebody signs, with what they filled in so far
// and with what was wrong with it, if it was sent.
func (h *Handlers) showSign(v *Visitor, status int, sent page.Form, fault error) error {
	p := frame(v, v.Say("sign.title", "title", v.Document.Title))
	s := h.signPage(v, sent, fault)
	if s.Required > 0 {
		p.Title += " (" + v.Say("js.progress", "done", s.Done, "n", s.Required) + ")"
	}
	if len(s.Sheets) <= textsInline {
		all, err := h.texts(v)
		if err != nil {
			return err
		}
		for i := range s.Sheets {
			s.Sheets[i].Text = all[s.Sheets[i].File][s.Sheets[i].Number-1]
		}
	} else {
		s.TextApart = true
	}
	p.Data, p.Scripts = documentPage{visitPageOf(v), s, otherReaderOf(v)}, []string{"sign.js"}
	p.Styles += s.places()
	return v.Render(status, "sign", p)
}

// textsInline is the number of pages up to which their text is on the page
// itself; of longer documents it has pages of its own.
const textsInline = 60

// Answer takes what was filled in: to sign with it, or to keep it.
func (h *Handlers) Answer(v *Visitor) error {
	if v.Stage != signing.StageSign {
		if v.Scripted() {
			return fault.Conflict("not_to_sign")
		}
		return v.SeeOther(v.base)
	}
	if v.Form.Value("do") == "finish" {
		return h.finish(v)
	}
	err := h.Signing.SaveAnswers(v.UserContext(), v.who, v.who.Document, v.who.Invitation, h.answers(v))
	if err != nil {
		return err
	}
	if err := h.noteConsent(v); err != nil {
		return err
	}
	if v.Scripted() {
		return v.SendStatus(http.StatusNoContent)
	}
	v.Flash("ok", "sign.saved")
	return v.SeeOther(v.base)
}

func (h *Handlers) finish(v *Visitor) error {
	yes := v.Form.Value("consent") == "yes"
	a := h.answers(v)
	in := signing.SignInput{Fields: a.Values, Signature: a.Signature, Initials: a.Initials, Consent: &yes}
	attachments(v, in.Fields)
	if in.Signature == nil && v.Invitation.Role == signing.Signer {
		// Signing without saying with what is refused together with all else.
		in.Signature = &signing.Mark{Type: "drawn"}
	}
	_, err := h.Signing.Sign(v.UserContext(), v.who, v.who.Document, v.who.Invitation, in)
	switch fault.KindOf(err) {
	case fault.KindInvalid:
		return h.showSign(v, http.StatusUnprocessableEntity, v.Form, err)
	case fault.KindConflict:
		return v.SeeOther(v.base) // signed in another window, voided, expired: the page says which
	}
	if err != nil {
		return err
	}
	return v.SeeOther(v.base + "?just=signed")
}

// answers reads what was filled in.
func (h *Handlers) answers(v *Visitor) signing.Answers {
	saved := h.ownMarks(v)
	out := signing.Answers{Values: map[string]string{}, Signature: Mark(v.Request, "signature", saved), Initials: Mark(v.Request, "initials", saved)}
	for _, x := range v.Document.FieldsOf(v.who.Invitation) {
		if x.ReadOnly {
			continue
		}
		name := inputName(x)
		switch {
		case x.Type == "checkbox":
			out.Values[x.ID] = truth(v.Form.Value(name) == "yes")
		case x.Type == "radio" && len(x.Options) == 0:
			out.Values[x.ID] = truth(v.Form.Value(name) == x.ID)
		case isFilled(x.Type) && v.Form.Has(name):
			out.Values[x.ID] = strings.ReplaceAll(v.Form.Value(name), "\r\n", "\n")
		}
	}
	return out
}

func truth(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// isFilled says whether a person writes the value of a field of this type.
func isFilled(kind string) bool {
	return !slices.Contains([]string{"signature", "initials", "stamp", "date_signed", "attachment"}, kind)
}

// attachments adds the files that were handed in, in the form that the heart
// takes them.
func attachments(v *Visitor, values map[string]string) {
	for _, x := range v.Document.FieldsOf(v.who.Invitation) {
		f, ok := v.Form.Files[inputName(x)]
		if x.Type != "attachment" || !ok || len(f.Data) == 0 {
			continue
		}
		kind := mime.TypeByExtension("." + f.Name[strings.LastIndexByte(f.Name, '.')+1:])
		media, _, err := mime.ParseMediaType(kind)
		if err != nil {
			media = "application/octet-stream"
		}
		values[x.ID] = "data:" + media + ";name=" + url.QueryEscape(f.Name) + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
	}
}

// Mark reads what a person signs with: strokes or a picture that a script put
// into the form, a picture that was chosen, or a name. Nil is nothing of it.
func Mark(r *page.Request, name string, saved signing.SavedMarks) *signing.Mark {
	kind, data := r.Form.Value(name+".type"), r.Form.Value(name+".data")
	if kind == "saved" || r.Form.Value(name+".saved") == "yes" {
		return saved.Mark(name)
	}
	if (kind == "drawn" || kind == "image") && data != "" {
		m := &signing.Mark{Type: kind, Data: data}
		if kind == "drawn" && r.Form.Value(name+".ink") == signing.InkBlack {
			m.Ink = signing.InkBlack
		}
		return m
	}
	if f, ok := r.Form.Files[name+".file"]; ok && len(f.Data) > 0 {
		return &signing.Mark{Type: "image", Data: base64.StdEncoding.EncodeToString(f.Data)}
	}
	if text := strings.TrimSpace(r.Form.Value(name + ".text")); text != "" {
		return &signing.Mark{Type: "typed", Text: text, Font: r.Form.Value(name + ".font")}
	}
	return nil
}

// faultOf is one message with the place it is about.
type faultOf struct{ Href, Text string }

// explainFaults sorts faults to the fields they are about. Programs know a field by
// its name, people by its label.
func (s *signPage) explainFaults(r *page.Request, err error) {
	at, labels := map[string]*fieldView{}, map[string]string{"signature.data": r.Say("sign.signature.name"), "initials.data": r.Say("sign.initials.name")}
	for _, f := range s.Fields {
		labels[f.key] = f.Label
		if at["fields."+f.key] == nil {
			at["fields."+f.key] = f
		}
		if f.group != "" && at["fields."+f.group] == nil {
			at["fields."+f.group] = f
		}
	}
	said := map[string][]string{}
	for _, f := range fault.FieldsOf(err) {
		said[f.Name] = append(said[f.Name], r.Sentence(f, labels))
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		text := strings.Join(said[name], " ")
		switch f := at[name]; {
		case f != nil:
			f.Errors = append(f.Errors, text)
			s.Faults = append(s.Faults, faultOf{"#" + f.Input, text})
		case name == "consent":
			s.ConsentError = r.Say("sign.consent.missing")
			s.Faults = append(s.Faults, faultOf{"#consent", s.ConsentError})
		case strings.HasPrefix(name, "signature."):
			s.Signature.Error = markFault(r, name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Signature.Input, s.Signature.Error})
		case strings.HasPrefix(name, "initials."):
			s.Initials.Error = markFault(r, name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Initials.Input, s.Initials.Error})
		default:
			s.Faults = append(s.Faults, faultOf{"#main", text})
		}
	}
}

func markFault(r *page.Request, name, text string) string {
	kind, field, _ := strings.Cut(name, ".")
	if field == "data" && r.Form.Value(kind+".data") == "" && len(r.Form.Files[kind+".file"].Data) == 0 {
		return r.Say("sign." + kind + ".missing")
	}
	return text
}

// SavedAddress is where the picture of what is kept is found: another one for
// every other one, so that no old one is shown.
func SavedAddress(kind string, m *signing.Mark) string {
	return "/app/me/signature/" + kind + "?v=" + account.ConsentName(m.Type+m.Data+m.Text+m.Font)
}

// ownMarks are what the person invited keeps to sign with, if they are a member who
// is signed in here.
func (h *Handlers) ownMarks(v *Visitor) signing.SavedMarks {
	who, u, ok := v.SignedIn()
	if !ok || !strings.EqualFold(u.Email, v.Invitation.Email) {
		return signing.SavedMarks{}
	}
	saved, err := h.Signing.SavedMarks(v.UserContext(), who)
	if err != nil {
		h.Log.Error("saved signature", "request_id", v.RequestID(), "error", err)
	}
	return saved
}
