package signer

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/pdf/text"
	"paraph/app/signing"
	"paraph/app/web/page"
)

// signPage is what the page for signing shows.
type signPage struct {
	Sheets       []Sheet
	Fields       []*fieldView // of all sheets, in reading order
	Loose        bool         // there is no place for a signature on the pages: it goes onto a page of its own
	Approves     bool
	Signs        bool // a signature is asked for
	Initialled   bool
	Signature    markView
	Initials     markView
	Consented    bool
	ConsentError string
	Faults       []faultOf
	Required     int
	Done         int    // of the required
	First        string // where the first required input is
	Name, Email  string
	TextApart    bool // the text of the pages is on other pages
	Attaches     bool
}

// Sheet is one page of one file.
type Sheet struct {
	ID, Label, File, Src string
	Number               int // in its file, from 1
	Width, Height        int // of the picture, pixels
	Lazy                 bool
	FileName             string // where a file begins
	Fields               []*fieldView
	Text                 string
	points               float64 // width of the page
}

// fieldView is a field as an input on a page.
type fieldView struct {
	N                                       int
	ID, Input, Name                         string
	Kind                                    string // text, textarea, number, date, email, checkbox, radio, select, mark, fixed, file
	Mark                                    string // signature or initials
	Label, Value, Autocomplete              string
	Checked, Required                       bool
	Options                                 []page.Option
	Errors                                  []string
	Min, Max, Pattern, Maxlength, Minlength string
	key, group                              string
	x, y, width, height, size               float64 // fractions of the page; size in points
}

// markView is the part of the page where a signature or initials are made.
type markView struct {
	Kind, Input, Text, Font string
	Type, Data, Ink         string // of one that was drawn or uploaded before
	Error                   string
	Styles                  []markStyle
	Saved                   string // address of the picture of what they keep, "" for none
	Made                    bool   // was chosen before
}

type markStyle struct {
	Value, Label, Src string
	Checked           bool
}

// inputName is the name of a field's input. Buttons of one group share theirs.
func inputName(x *signing.Field) string {
	if x.Type == "radio" && len(x.Options) == 0 && x.Group != "" {
		return "g." + x.Group
	}
	return "f." + x.ID
}

// signPage gathers the pages and the fields of one person. Values are what was
// sent just now, else what was saved, else what is known.
func (h *Handlers) signPage(v *Visitor, sent page.Form, fault error) *signPage {
	s := &signPage{Name: v.Invitation.Name, Email: v.Invitation.Email, Approves: v.Invitation.Role == signing.Approver,
		Consented: sent.Value("consent") == "yes" || sent.Values == nil && v.Agreed}
	own := v.Document.FieldsOf(v.who.Invitation)
	s.Loose = len(own) == 0 && !s.Approves
	s.Signs = !s.Approves
	s.addSheets(v)
	for _, x := range own {
		s.addField(v, x, sent, h.Now())
	}
	saved := h.ownMarks(v)
	s.Signature = markViewOf(v, "signature", v.Invitation.Name, v.Answers.Mark("signature"), sent)
	s.Initials = markViewOf(v, "initials", signing.Initials(v.Invitation.Name), v.Answers.Mark("initials"), sent)
	s.Signature.offer(saved.Signature)
	s.Initials.offer(saved.Initials)
	s.explainFaults(v.Request, fault)
	s.count(v.Consent != "" && v.Company.ConsentMode != account.ConsentGate)
	return s
}

func (s *signPage) addSheets(v *Visitor) {
	total := 0
	for i := range v.Document.Files {
		total += len(v.Document.Files[i].Pages)
	}
	for i := range v.Document.Files {
		f := &v.Document.Files[i]
		for n, size := range f.Pages {
			k := len(s.Sheets) + 1
			x := Sheet{ID: "p" + strconv.Itoa(k), File: f.ID, Number: n + 1, Lazy: k > 1, points: size.Width,
				Label: v.Say("sign.page", "n", k, "total", total),
				Src:   fmt.Sprintf("%s/pages/%s/%d.png?v=%.8s", v.base, f.ID, n+1, f.Current()),
				Width: 1240, Height: max(1, int(1240*size.Height/max(size.Width, 1)+.5))}
			if n == 0 && len(v.Document.Files) > 1 {
				x.FileName = f.Name
			}
			s.Sheets = append(s.Sheets, x)
		}
	}
}

func (s *signPage) sheetOf(x *signing.Field) *Sheet {
	for i := range s.Sheets {
		if s.Sheets[i].File == x.File && s.Sheets[i].Number == x.Page {
			return &s.Sheets[i]
		}
	}
	return nil
}

func (s *signPage) addField(v *Visitor, x *signing.Field, sent page.Form, now time.Time) {
	on := s.sheetOf(x)
	if on == nil {
		return
	}
	n := len(s.Fields) + 1
	f := &fieldView{N: n, ID: "f" + strconv.Itoa(n), Input: "i" + strconv.Itoa(n), Name: inputName(x), key: x.Key(), group: x.Group,
		Label: cmp.Or(x.Label, x.Name, v.Say("field."+x.Type)), Required: x.Required && !x.ReadOnly, Pattern: x.Pattern,
		x: x.X, y: x.Y, width: x.Width, height: x.Height, size: cmp.Or(x.FontSize, 10)}
	f.Value = x.Automatic(v.Invitation, now)
	if saved, ok := v.Answers.Values[x.ID]; ok {
		f.Value = saved
	}
	if sent.Values != nil && !x.ReadOnly && isFilled(x.Type) {
		f.Value = sent.Value(f.Name)
	}
	f.shape(x, x.Height*float64(on.Height)/float64(on.Width)*on.points)
	if f.Kind == "radio" && f.Name != "f."+x.ID {
		f.Checked = f.Value == "true" || f.Value == x.ID
		f.Value = x.ID
	}
	s.Initialled = s.Initialled || f.Mark == "initials"
	s.Attaches = s.Attaches || f.Kind == "file"
	s.Signs = s.Signs || f.Mark == "signature"
	s.Fields = append(s.Fields, f)
	on.Fields = append(on.Fields, f)
}

// shape chooses the input for a field; high is its height in points.
func (f *fieldView) shape(x *signing.Field, high float64) {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	f.Kind = "text"
	switch x.Type {
	case "signature", "initials":
		f.Kind, f.Mark = "mark", x.Type
	case "date_signed", "stamp":
		f.Kind = "fixed"
	case "attachment":
		f.Kind, f.Value = "file", ""
	case "checkbox":
		f.Kind, f.Checked, f.Value = "checkbox", f.Value == "true" || f.Value == "yes", "yes"
	case "radio":
		f.Kind = "radio"
		if len(x.Options) > 0 {
			f.Kind = "select"
		} else if x.Group == "" {
			f.Checked = f.Value == "true" || f.Value == x.ID
			f.Value = x.ID
		}
	case "select":
		f.Kind = "select"
	case "date", "email":
		f.Kind = x.Type
	case "number":
		f.Kind, f.Min, f.Max = "number", number(x.Min), number(x.Max)
	case "text":
		f.Minlength, f.Maxlength = number(x.Min), number(x.Max)
		if high >= 3*f.size || strings.Contains(f.Value, "\n") {
			f.Kind = "textarea"
		}
	}
	f.Autocomplete = map[string]string{"name": "name", "email": "email", "company": "organization", "job_title": "organization-title"}[x.Type]
	if f.Kind == "select" {
		f.Options = []page.Option{{}}
		for _, o := range x.Options {
			f.Options = append(f.Options, page.Option{Value: o, Label: o, Selected: o == f.Value})
		}
	}
	if x.ReadOnly && f.Mark == "" {
		f.Kind = "fixed"
	}
}

// count finds what has to be filled in.
func (s *signPage) count(consent bool) {
	need := func(id string, done bool) {
		if s.Required++; done {
			s.Done++
		} else if s.First == "" {
			s.First = id
		}
	}
	if consent {
		need("consent", s.Consented)
	}
	chosen := map[string]bool{}
	for _, f := range s.Fields {
		chosen[f.Name] = chosen[f.Name] || f.Checked
	}
	groups := map[string]bool{}
	for _, f := range s.Fields {
		if f.Kind == "mark" {
			f.Required = true
		}
		if f.Kind == "radio" && groups[f.Name] || !f.Required {
			continue
		}
		groups[f.Name] = true
		need(f.ID, s.isDone(f, chosen[f.Name]))
	}
	if s.Loose {
		need(s.Signature.Input, s.Signature.Made)
	}
}

// isDone says whether a field is filled in.
func (s *signPage) isDone(f *fieldView, chosen bool) bool {
	switch f.Kind {
	case "mark":
		return f.Mark == "initials" && s.Initials.Made || f.Mark == "signature" && s.Signature.Made
	case "checkbox", "radio":
		return chosen
	}
	return f.Value != ""
}

// offer adds what the person keeps to sign with.
func (m *markView) offer(saved *signing.Mark) {
	if saved != nil {
		m.Saved = SavedAddress(m.Kind, saved)
	}
}

func markViewOf(v *Visitor, kind, name string, saved *signing.Mark, sent page.Form) markView {
	m := markView{Kind: kind, Input: kind + "-text", Font: text.Script1, Made: saved != nil}
	if kind == "initials" {
		m.Text = name
	}
	if saved != nil {
		m.Text, m.Font = cmp.Or(saved.Text, m.Text), cmp.Or(saved.Font, m.Font)
		if saved.Type == "drawn" || saved.Type == "image" {
			m.Type, m.Data, m.Ink = saved.Type, saved.Data, saved.Ink
		}
	}
	if sent.Values != nil {
		m.Text, m.Font = sent.Value(kind+".text"), cmp.Or(sent.Value(kind+".font"), m.Font)
		m.Type, m.Data, m.Ink = sent.Value(kind+".type"), sent.Value(kind+".data"), sent.Value(kind+".ink")
	}
	for i, face := range text.Scripts() {
		m.Styles = append(m.Styles, markStyle{Value: face, Label: v.Say("mark.style", "n", i+1), Checked: face == m.Font,
			Src: v.base + "/typed.svg?font=" + face + "&text=" + url.QueryEscape(cmp.Or(m.Text, name))})
	}
	return m
}

// places puts every field where it is on its page. On narrow screens the fields
// stand under the page, and what is on it is a number that leads to them.
func (s *signPage) places() template.CSS {
	var wide, narrow strings.Builder
	for i := range s.Sheets {
		pins := s.Sheets[i].pins()
		for k, f := range s.Sheets[i].Fields {
			// A point is that much of the page's width.
			fmt.Fprintf(&wide, "#%s{left:%.3f%%;top:%.3f%%;width:%.3f%%;height:%.3f%%;--z:%.3fcqw}", f.ID, 100*f.x, 100*f.y, 100*f.width, 100*f.height, 100*f.size/max(s.Sheets[i].points, 1))
			fmt.Fprintf(&narrow, "#n%d{left:%.3f%%;top:%.3f%%}", f.N, 100*f.x, 100*pins[k])
		}
	}
	if wide.Len() == 0 {
		return ""
	}
	return template.CSS("@media (min-width:40.01rem){" + wide.String() + "}@media (max-width:40rem){" + narrow.String() + "}")
}

// The narrowest page and the room that a number on it needs, in pixels.
const (
	narrowPage = 290.0
	pinRoom    = 26.0
)

// pins finds how far down the number of each field stands, as a fraction of the
// page: those that would cover another one on the narrowest screen stand below it.
func (x *Sheet) pins() []float64 {
	high := narrowPage * float64(x.Height) / float64(max(x.Width, 1))
	tops := make([]float64, len(x.Fields))
	for i, f := range x.Fields {
		tops[i] = f.y * high
		for moved := true; moved && tops[i] < high; {
			moved = false
			for k := range i {
				if math.Abs(x.Fields[k].x-f.x)*narrowPage < pinRoom && math.Abs(tops[k]-tops[i]) < pinRoom-.01 {
					tops[i], moved = tops[k]+pinRoom, true
				}
			}
		}
	}
	for i := range tops {
		tops[i] /= high
	}
	return tops
}
