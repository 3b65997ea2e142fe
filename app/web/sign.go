package web

import (
	"encoding/base64"
	"errors"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"paraph/app/account"
	"paraph/app/signing"
)

// showSign is the page on which somebody signs, with what they filled in so far
// and with what was wrong with it, if it was sent.
func (r *request) showSign(v *visitor, status int, sent form, fault error) error {
	p := r.frame(v, r.say("sign.title", "title", v.Document.Title))
	s := r.signPage(v, sent, fault)
	if s.Required > 0 {
		p.Title += " (" + r.say("js.progress", "done", s.Done, "n", s.Required) + ")"
	}
	if len(s.Sheets) <= textsInline {
		all, err := r.texts(v)
		if err != nil {
			return err
		}
		for i := range s.Sheets {
			s.Sheets[i].Text = all[s.Sheets[i].File][s.Sheets[i].Number-1]
		}
	} else {
		s.TextApart = true
	}
	data := p.Data.(visitPage)
	data.Sign, data.Other = s, r.otherReader(v)
	p.Data, p.Scripts = data, []string{"sign.js"}
	p.Styles += s.places()
	return r.render(status, "sign", p)
}

// textsInline is the number of pages up to which their text is on the page
// itself; of longer documents it has pages of its own.
const textsInline = 60

// answer takes what was filled in: to sign with it, or to keep it.
func (r *request) answer(v *visitor) error {
	if v.Stage != signing.StageSign {
		if r.scripted() {
			return account.Conflict("not_to_sign", r.say("sign.gone"))
		}
		return r.redirect(v.base)
	}
	if r.form.value("do") == "finish" {
		return r.finish(v)
	}
	err := r.door.Signing.SaveAnswers(r.UserContext(), v.who, v.who.Document, v.who.Invitation, r.answers(v))
	if err != nil {
		return err
	}
	if err := r.noteConsent(v); err != nil {
		return err
	}
	if r.scripted() {
		return r.SendStatus(http.StatusNoContent)
	}
	r.flash("ok", "sign.saved")
	return r.redirect(v.base)
}

func (r *request) finish(v *visitor) error {
	yes := r.form.value("consent") == "yes"
	a := r.answers(v)
	in := signing.SignInput{Fields: a.Values, Signature: a.Signature, Initials: a.Initials, Consent: &yes}
	r.attachments(v, in.Fields)
	if in.Signature == nil && v.Invitation.Role == signing.Signer {
		// Signing without saying with what is refused together with all else.
		in.Signature = &signing.Mark{Type: "drawn"}
	}
	_, err := r.door.Signing.Sign(r.UserContext(), v.who, v.who.Document, v.who.Invitation, in)
	switch account.KindOf(err) {
	case account.KindInvalid:
		return r.showSign(v, http.StatusUnprocessableEntity, r.form, err)
	case account.KindConflict:
		return r.redirect(v.base) // signed in another window, voided, expired: the page says which
	}
	if err != nil {
		return err
	}
	return r.redirect(v.base + "?just=signed")
}

// answers reads what was filled in.
func (r *request) answers(v *visitor) signing.Answers {
	saved := r.ownMarks(v)
	out := signing.Answers{Values: map[string]string{}, Signature: r.mark("signature", saved), Initials: r.mark("initials", saved)}
	for _, x := range v.Document.FieldsOf(v.who.Invitation) {
		if x.ReadOnly {
			continue
		}
		name := inputName(x)
		switch {
		case x.Type == "checkbox":
			out.Values[x.ID] = truth(r.form.value(name) == "yes")
		case x.Type == "radio" && len(x.Options) == 0:
			out.Values[x.ID] = truth(r.form.value(name) == x.ID)
		case isFilled(x.Type) && r.form.has(name):
			out.Values[x.ID] = strings.ReplaceAll(r.form.value(name), "\r\n", "\n")
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
func (r *request) attachments(v *visitor, values map[string]string) {
	for _, x := range v.Document.FieldsOf(v.who.Invitation) {
		f, ok := r.form.files[inputName(x)]
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

// mark reads what a person signs with: strokes or a picture that a script put
// into the form, a picture that was chosen, or a name. Nil is nothing of it.
func (r *request) mark(name string, saved signing.SavedMarks) *signing.Mark {
	kind, data := r.form.value(name+".type"), r.form.value(name+".data")
	if kind == "saved" || r.form.value(name+".saved") == "yes" {
		return saved.Mark(name)
	}
	if (kind == "drawn" || kind == "image") && data != "" {
		m := &signing.Mark{Type: kind, Data: data}
		if kind == "drawn" && r.form.value(name+".ink") == signing.InkBlack {
			m.Ink = signing.InkBlack
		}
		return m
	}
	if f, ok := r.form.files[name+".file"]; ok && len(f.Data) > 0 {
		return &signing.Mark{Type: "image", Data: base64.StdEncoding.EncodeToString(f.Data)}
	}
	if text := strings.TrimSpace(r.form.value(name + ".text")); text != "" {
		return &signing.Mark{Type: "typed", Text: text, Font: r.form.value(name + ".font")}
	}
	return nil
}

// faultOf is one message with the place it is about.
type faultOf struct{ Href, Text string }

// explainFaults sorts the heart's messages to the fields they are about. The
// heart calls a field by what programs call it; people are told its label.
func (s *signPage) explainFaults(r *request, err error) {
	e, ok := errors.AsType[*account.Error](err)
	if !ok {
		return
	}
	at, labels := map[string]*fieldView{}, map[string]string{"signature.data": r.say("sign.signature.name"), "initials.data": r.say("sign.initials.name")}
	for _, f := range s.Fields {
		labels[f.key] = f.Label
		if at["fields."+f.key] == nil {
			at["fields."+f.key] = f
		}
		if f.group != "" && at["fields."+f.group] == nil {
			at["fields."+f.group] = f
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		var said []string
		for _, sentence := range e.Fields[name] {
			said = append(said, r.translate(sentence, labels))
		}
		text := strings.Join(said, " ")
		switch f := at[name]; {
		case f != nil:
			f.Errors = append(f.Errors, text)
			s.Faults = append(s.Faults, faultOf{"#" + f.Input, text})
		case name == "consent":
			s.ConsentError = r.say("sign.consent.missing")
			s.Faults = append(s.Faults, faultOf{"#consent", s.ConsentError})
		case strings.HasPrefix(name, "signature."):
			s.Signature.Error = r.markFault(name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Signature.Input, s.Signature.Error})
		case strings.HasPrefix(name, "initials."):
			s.Initials.Error = r.markFault(name, text)
			s.Faults = append(s.Faults, faultOf{"#" + s.Initials.Input, s.Initials.Error})
		default:
			s.Faults = append(s.Faults, faultOf{"#main", text})
		}
	}
}

func (r *request) markFault(name, text string) string {
	kind, field, _ := strings.Cut(name, ".")
	if field == "data" && r.form.value(kind+".data") == "" && len(r.form.files[kind+".file"].Data) == 0 {
		return r.say("sign." + kind + ".missing")
	}
	return text
}
