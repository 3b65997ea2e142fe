package signer

import (
	"encoding/base64"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"paraph/app/fault"
	"paraph/app/pdf"
	"paraph/app/signing"
	"paraph/app/signing/mark"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// documentPage is the signing page, or its preview.
type documentPage struct {
	visitPage
	Sign  *signPage
	Other *otherReader // the signed-in member, if they are not the person invited
	onward
}

// showSign renders the signing page with the values entered so far and the errors
// of a refused submission.
func (h *Handlers) showSign(v *Visitor, status int, sent page.Form, fault error) error {
	p := frame(v, v.Say(forRole(v, "sign.title"), "title", v.Document.Title))
	s, err := h.signPage(v, sent, fault)
	if err != nil {
		return err
	}
	if s.Required > 0 {
		p.Title += " (" + v.Say("js.progress", "done", s.Done, "n", s.Required) + ")"
	}
	if len(s.Sheets) <= textsInline {
		all, err := h.texts(v)
		if err != nil {
			return err
		}
		for i := range s.Sheets {
			s.Sheets[i].Text = all[s.Sheets[i].File][s.Sheets[i].Number-1] + labelsOn(v.Document, &s.Sheets[i])
		}
	} else {
		s.TextApart = true
	}
	p.Scripts = []string{"sign.js"}
	p.Values, p.Faults = sent, s.namedFaults
	p.Styles += s.places()
	var left onward
	if v.Query("just") == leftSaved {
		left = onwardOf(v, leftSaved)
	}
	return signTemplate.Render(v.Request, status, page.With(p, documentPage{visitPageOf(v), s, otherReaderOf(v), left}))
}

// labelsOn returns the fixed texts of a page: they are part of its picture, but not of the
// text of the upload.
func labelsOn(d *record.Document, on *Sheet) string {
	var out strings.Builder
	for _, x := range record.FixedOn(d, on.File) {
		if x.Page == on.Number && x.Value != "" {
			out.WriteString("\n" + x.Value)
		}
	}
	return out.String()
}

// textsInline is the number of pages up to which the signing page includes their
// text. The text of longer documents has a page of its own.
const textsInline = 60

// Answer signs or saves the submitted form.
func (h *Handlers) Answer(v *Visitor) error {
	if v.Stage == record.StageConsent && v.Form.Has(shownVersion) && !v.Scripted() {
		return h.askForConsentAgain(v)
	}
	if v.Stage != record.StageSign {
		if v.Scripted() {
			return fault.Conflict("not_to_sign")
		}
		return v.SeeOther(v.base)
	}
	if v.Form.Value("do") == "finish" {
		return h.finish(v)
	}
	answers := h.answers(v)
	err := h.Signing.SaveAnswers(v.who, v.who.Document, v.who.Invitation, answers)
	if err != nil {
		return err
	}
	if err := h.recordConsent(v); err != nil {
		return err
	}
	if v.Scripted() {
		return h.sendChecked(v, answers.Values)
	}
	v.Flash("ok", "sign.saved")
	return v.SeeOther(v.base + "?just=" + leftSaved)
}

// checked answers the script with the faults in the values entered so far and the computed
// values. The keys are the IDs that fields have on the page.
type checked struct {
	Errors map[string]string        `json:"errors"`
	Values map[string]computedValue `json:"values"` // of computed fields
	Read   map[string]readValue     `json:"read"`   // of numbers and dates, as they were understood
	Full   []string                 `json:"full"`   // fields whose space is full, which is said while people type
}

// computedValue is a value as conditions compare it, and as it is shown.
type computedValue struct {
	Value string `json:"value"`
	Shown string `json:"shown"`
}

// readValue is the value of a number or a date.
type readValue struct {
	computedValue
	Understood string `json:"understood"` // for people, "" if it is none
}

// sendChecked answers the script with the faults of the values and the values computed from them.
func (h *Handlers) sendChecked(v *Visitor, values map[string]string) error {
	var faults fault.Fields
	h.Signing.CheckEntered(&faults, v.Document, v.Invitation, values, h.Now(v.Company.ID).In(v.Company.Zone()))
	if faults.Empty() && !computes(record.AskedOf(v.Document, v.Invitation)) && !understands(values, v.Document) {
		return v.SendStatus(http.StatusNoContent)
	}
	s, err := h.signPage(v, v.Form, faults.Err())
	if err != nil {
		return err
	}
	out := checked{map[string]string{}, map[string]computedValue{}, map[string]readValue{}, []string{}}
	full := map[string]bool{}
	for _, found := range fault.FieldsOf(faults.Err()) {
		full[found.Name] = full[found.Name] || found.Code == "no_room"
	}
	for _, f := range s.Fields {
		if len(f.Errors) > 0 {
			out.Errors[f.ID] = strings.Join(f.Errors, " ")
		}
		if full["fields."+f.key] {
			out.Full = append(out.Full, f.ID)
		}
		if f.Computed {
			out.Values[f.ID] = computedValue{f.Value, f.Shown}
		}
		if f.Understands() {
			out.Read[f.ID] = readValue{computedValue{f.Canonical, f.Drawn}, f.Understood}
		}
	}
	return v.JSON(out)
}

// computes reports whether some of the fields follow from others.
func computes(asked []record.Asked) bool {
	return slices.ContainsFunc(asked, func(of record.Asked) bool {
		repeats := record.Repeats(of.Fields)
		return slices.ContainsFunc(of.Fields, func(x *record.Field) bool { return x.Formula != "" || repeats[x.ID] })
	})
}

// understands reports whether some of the values are typed in one form and drawn in another.
func understands(values map[string]string, d *record.Document) bool {
	for id := range values {
		if x := d.Field(id); x != nil && (x.Type == pdf.FieldNumber || x.Type == pdf.FieldDate) {
			return true
		}
	}
	return false
}

// seen refuses numbers and dates that will be drawn otherwise than they were typed, if the page with the form didn't
// show how they were understood.
func (h *Handlers) seen(v *Visitor) error {
	var f fault.Fields
	drawn, today := page.WordsIn(v.Request, v.Document.Locale), h.Now(v.Company.ID).In(v.Company.Zone())
	for _, of := range record.AskedOf(v.Document, v.Invitation) {
		for _, x := range of.Fields {
			name, _ := inputOf(&of, x)
			typed := strings.TrimSpace(v.Form.Value(name))
			if x.ReadOnly || typed == "" || x.Type != pdf.FieldNumber && x.Type != pdf.FieldDate {
				continue
			}
			value := x.Typed(typed, v.Words, today)
			if x.Accepts(value, today) && x.Shown(value, drawn) != typed && x.Understood(value, v.Words, drawn) != v.Form.Value(understood(name)) {
				f.Add("fields."+x.ID, "form_unread")
			}
		}
	}
	return f.Err()
}

// understood names the input with what a page showed below a field: how its value was understood.
func understood(field string) string { return "understood." + field }

func (h *Handlers) finish(v *Visitor) error {
	if err := h.seen(v); err != nil {
		return h.finished(v, err)
	}
	switch v.Invitation.Role {
	case record.Reader:
		in := signing.SignInput{Next: next(v), Read: reading(v), Shown: v.Form.Value(shownVersion)}
		_, err := h.Signing.Confirm(v.UserContext(), v.who, v.who.Document, v.who.Invitation, in)
		return h.finished(v, err)
	case record.Assistant:
		in := signing.SignInput{Fields: h.valuesOf(v), Next: next(v), Shown: v.Form.Value(shownVersion)}
		_, err := h.Signing.FillIn(v.UserContext(), v.who, v.who.Document, v.who.Invitation, in)
		return h.finished(v, err)
	}
	yes := v.Form.Value("consent") == "yes"
	a := h.answers(v)
	in := signing.SignInput{Fields: a.Values, Signature: a.Signature, Initials: a.Initials, Consent: &yes,
		Next: next(v), Read: reading(v), Shown: v.Form.Value(shownVersion)}
	files(v, in.Fields)
	if in.Signature == nil && v.Invitation.Role == record.Signer {
		// A missing signature is reported together with all other errors.
		in.Signature = &mark.Mark{Type: signing.MarkDrawn}
	}
	_, err := h.Signing.Sign(v.UserContext(), v.who, v.who.Document, v.who.Invitation, in)
	return h.finished(v, err)
}

// finished redirects to the next page, or shows why the visitor could not finish.
func (h *Handlers) finished(v *Visitor, err error) error {
	if outdated(err) {
		return h.showAnew(v, err)
	}
	switch fault.KindOf(err) {
	case fault.KindInvalid:
		return h.showSign(v, http.StatusUnprocessableEntity, v.Form, err)
	case fault.KindConflict:
		return v.SeeOther(v.base) // signed in another window, voided, expired: the page says which
	}
	if err != nil {
		return err
	}
	return v.SeeOther(v.base + "?just=" + leftSigned)
}

// shownVersion is the input with the version of what the page showed.
const shownVersion = "shown"

// outdated reports whether a form was refused because something that it showed has changed since.
func outdated(err error) bool { return fault.CodeOf(err) == "form_outdated" }

// showAnew shows the page as it is now, with what was entered. What was confirmed about the page before
// has to be confirmed again.
func (h *Handlers) showAnew(v *Visitor, err error) error {
	for _, confirmed := range []string{"consent", "read_all", "pages"} {
		v.Form.Values.Del(confirmed)
	}
	return h.showSign(v, http.StatusConflict, v.Form, err)
}

// askForConsentAgain keeps what was entered on a page whose consent text has changed since it was shown,
// and asks for consent to the new one before the page is shown again.
func (h *Handlers) askForConsentAgain(v *Visitor) error {
	answers := h.answers(v)
	for name := range v.Form.Values {
		value := strings.ReplaceAll(v.Form.Value(name), "\r\n", "\n")
		if id, ok := strings.CutPrefix(name, "f."); ok {
			if x := v.Document.Field(id); x != nil {
				value = x.Typed(value, v.Words, h.Now(v.Company.ID).In(v.Company.Zone()))
			}
			answers.Values[id] = value
		} else if strings.HasPrefix(name, "g.") {
			answers.Values[value] = strconv.FormatBool(true) // the name of a chosen radio button
		}
	}
	if err := h.Signing.SaveAnswers(v.who, v.who.Document, v.who.Invitation, answers); err != nil {
		return err
	}
	return showConsentGate(v, http.StatusConflict, v.Notice("warn", "fault.form_outdated"))
}

// next returns the person whom the visitor names, nil if they need not name anyone.
func next(v *Visitor) *record.InvitationInput {
	if record.Names(v.Document, v.Invitation) == nil {
		return nil
	}
	return &record.InvitationInput{Name: new(v.Form.Value("next.name")), Email: new(v.Form.Value("next.email"))}
}

// forRole returns the key of the text for readers or assistants if the visitor is one.
func forRole(v *Visitor, key string) string {
	if role := v.Invitation.Role; role == record.Reader || role == record.Assistant {
		return key + "." + role
	}
	return key
}

// answers reads the values of the form.
func (h *Handlers) answers(v *Visitor) record.Answers {
	saved := h.ownMarks(v)
	return record.Answers{
		Values:    h.valuesOf(v),
		Signature: Mark(v.Request, "signature", saved),
		Initials:  Mark(v.Request, "initials", saved),
	}
}

// valuesOf reads the values of the fields in the form.
func (h *Handlers) valuesOf(v *Visitor) map[string]string {
	out, today := map[string]string{}, h.Now(v.Company.ID).In(v.Company.Zone())
	for _, of := range record.AskedOf(v.Document, v.Invitation) {
		for _, x := range of.Fields {
			if x.ReadOnly {
				continue
			}
			name, choice := inputOf(&of, x)
			switch {
			case x.Type == pdf.FieldCheckbox:
				out[x.ID] = strconv.FormatBool(v.Form.Value(name) == "yes")
			case x.Type == pdf.FieldRadio && len(x.Options) == 0:
				out[x.ID] = strconv.FormatBool(v.Form.Value(name) == choice)
			case isFilled(x.Type) && v.Form.Has(name):
				out[x.ID] = x.Typed(strings.ReplaceAll(v.Form.Value(name), "\r\n", "\n"), v.Words, today)
			}
		}
	}
	return out
}

// files adds the uploaded files as data URLs.
func files(v *Visitor, values map[string]string) {
	for _, x := range v.Document.FieldsOf(v.who.Invitation) {
		f, ok := v.Form.Files["f."+x.ID]
		if !x.TakesFile() || !ok || len(f.Data) == 0 {
			continue
		}
		kind := mime.TypeByExtension("." + f.Name[strings.LastIndexByte(f.Name, '.')+1:])
		media, _, err := mime.ParseMediaType(kind)
		if err != nil {
			media = "application/octet-stream"
		}
		content := base64.StdEncoding.EncodeToString(f.Data)
		values[x.ID] = "data:" + media + ";name=" + url.QueryEscape(f.Name) + ";base64," + content
	}
}
