package signer

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"paraph/app/account"
	"paraph/app/pdf"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/web/page"
)

// signPage is the data of the signing page.
type signPage struct {
	Sheets       []Sheet
	Fields       []*fieldView // of all sheets, in reading order
	Loose        bool         // the pages have no signature field: the signature goes on a page of its own
	Approves     bool
	Reads        bool // they only confirm having read the document
	FillsIn      bool // they fill in fields for others
	Signs        bool // a signature is required
	Initialled   bool
	Signature    markView
	Initials     markView
	Consented    bool
	ConsentError string
	Faults       []faultOf
	Required     int
	Done         int    // number of required inputs filled in
	First        string // ID of the first required input not filled in
	Name, Email  string
	Legal        string // what finishing means
	TextApart    bool   // the text has a page of its own
	Attaches     bool
	Reading      *readingView
	Named        string // role of the person whom they have to name
	namedFaults  map[string][]string
}

// Sheet is one page of one file.
type Sheet struct {
	ID, Label, File, Src string
	Number               int // page number in its file, from 1
	Width, Height        int // of the picture, pixels
	Lazy                 bool
	FileName             string // on the first page of each of several files
	Fields               []*fieldView
	Fixed                []fixedView // on previews; once sent, they are part of the picture
	Others               []otherView // fields of other people, filled in or to come
	Text                 string
	points               float64 // width of the page
}

// fixedView is a fixed field on a preview, in pixels of the page's picture.
type fixedView struct {
	X, Y, Width   float64
	Size          float64 // of the text
	Color, Weight string
	Text          string // one line; "" for a line through the text underneath
}

// otherView is a field of somebody else, in pixels of the page's picture.
type otherView struct {
	X, Y, Width, Height, Size float64
	Label                     string // with whose it is
	Text                      string // says also whether it is filled in
	Filled                    bool
}

// addOthers adds the fields of other people to the sheets.
func addOthers(v *Visitor, sheets []Sheet) {
	for _, x := range v.Document.OthersFields(v.Invitation) {
		i := slices.IndexFunc(sheets, func(s Sheet) bool { return s.File == x.File && s.Number == x.Page })
		of := v.Document.Invitation(x.Invitation)
		if i < 0 || of == nil {
			continue
		}
		on := &sheets[i]
		width, height := float64(on.Width), float64(on.Height)
		o := otherView{X: x.X * width, Y: x.Y * height, Width: x.Width * width, Height: x.Height * height,
			Size: min(9*width/max(on.points, 1), .8*x.Height*height), Filled: v.Document.Entered(x),
			Label: v.Say("sign.field.of", "field", cmp.Or(x.Label, v.Say("field."+string(x.Type))), "name", of.DisplayName())}
		key := "sign.others.todo"
		if o.Filled {
			key = "sign.others.done"
		}
		o.Text = v.Say(key, "field", o.Label)
		on.Others = append(on.Others, o)
	}
}

// signPage collects the pages and fields of one recipient. Fields have the submitted
// value, or else the saved one, or else the automatic one.
func (h *Handlers) signPage(v *Visitor, sent page.Form, fault error) (*signPage, error) {
	s := &signPage{
		Name:      v.Invitation.Name,
		Email:     v.Invitation.Email,
		Approves:  v.Invitation.Role == record.Approver,
		Reads:     v.Invitation.Role == record.Reader,
		FillsIn:   v.Invitation.Role == record.Assistant,
		Consented: sent.Value("consent") == "yes" || sent.Values == nil && v.Agreed,
	}
	if next := record.Names(v.Document, v.Invitation); next != nil {
		s.Named = next.DisplayName()
	}
	asked := record.AskedOf(v.Document, v.Invitation)
	rules := record.RulesFor(v.Document, v.who.Invitation, nil, time.Time{})
	s.Signs = v.Invitation.Role == record.Signer
	s.Loose = s.Signs && len(record.FieldsIn(asked)) == 0
	s.Sheets = sheetsOf(v)
	addOthers(v, s.Sheets)
	parts, repeats := map[string]*record.Asked{}, map[string]bool{}
	for i := range asked {
		part := &asked[i]
		part.Fields = rules.Told(part.Fields)
		maps.Copy(repeats, record.Repeats(part.Fields))
		for _, x := range part.Fields {
			parts[x.ID] = part
		}
	}
	own := record.InReadingOrder(v.Document, record.FieldsIn(asked))
	for _, x := range own {
		s.addField(v, parts[x.ID], x, repeats[x.ID], sent, h.Now(v.Company.ID).In(v.Company.Zone()))
	}
	if len(asked) > 1 {
		s.nameOwners(v, parts)
	}
	values := v.Answers.Values
	if sent.Values != nil {
		values = h.valuesOf(v)
	}
	s.compute(v, asked, values, h.Now(v.Company.ID))
	if err := s.depend(rules, own); err != nil {
		return nil, err
	}
	s.requireTicks(own)
	s.requireReading(v, sent)
	saved := h.ownMarks(v)
	s.Signature = h.markViewOf(v, "signature", v.Invitation.Name, v.Answers.Mark("signature"), sent)
	s.Initials = h.markViewOf(v, "initials", signing.Initials(v.Invitation.Name), v.Answers.Mark("initials"), sent)
	s.Signature.offer(saved.Signature)
	s.Initials.offer(saved.Initials)
	s.Legal = v.Say("sign.legal."+string(v.Invitation.Role), "name", s.Name, "email", s.Email)
	s.Signature.Legal, s.Initials.Legal = s.Legal, s.Legal
	if visitPageOf(v).AsksHere() {
		s.Signature.Consent = v.base + "/disclosure"
		s.Initials.Consent = s.Signature.Consent
	}
	s.explainFaults(v.Request, fault)
	s.count(v.Consent != "" && v.Company.ConsentMode != account.ConsentGate)
	return s, nil
}

// nameOwners adds to the label of each field whose it is.
func (s *signPage) nameOwners(v *Visitor, parts map[string]*record.Asked) {
	for _, f := range s.Fields {
		f.Label = v.Say("sign.field.of", "field", f.Label, "name", parts[f.field].Name)
	}
}

// sheetsOf returns the pages of all files, as they are now.
func sheetsOf(v *Visitor) (all []Sheet) {
	total := record.CountPages(v.Document)
	for i := range v.Document.Files {
		f := &v.Document.Files[i]
		for n, size := range f.Pages {
			k := len(all) + 1
			x := Sheet{ID: "p" + strconv.Itoa(k), File: f.ID, Number: n + 1, Lazy: k > 1, points: size.Width,
				Label: v.Say("sign.page", "n", k, "total", total),
				Src:   fmt.Sprintf("%s/pages/%s/%d.png?v=%.8s", v.base, f.ID, n+1, f.Current()),
				Width: 1240, Height: max(1, int(1240*size.Height/max(size.Width, 1)+.5))}
			if n == 0 && len(v.Document.Files) > 1 {
				x.FileName = f.Name
			}
			all = append(all, x)
		}
	}
	return all
}

// addFixed adds the fixed fields of a document that has not been sent.
func (s *signPage) addFixed(d *record.Document) {
	for i := range s.Sheets {
		on := &s.Sheets[i]
		for _, x := range record.FixedOn(d, on.File) {
			if x.Page == on.Number {
				on.Fixed = append(on.Fixed, on.fixed(x)...)
			}
		}
	}
}

// fixed returns the lines of a fixed field.
func (on *Sheet) fixed(x *record.Field) (out []fixedView) {
	width, height := float64(on.Width), float64(on.Height)
	v := fixedView{X: x.X * width, Width: x.Width * width, Color: cmp.Or(x.Color, "#000000"), Weight: cmp.Or(x.Weight, "normal")}
	if x.Type == pdf.FieldStrikethrough {
		v.Y = (x.Y + x.Height/2) * height
		return []fixedView{v}
	}
	v.Size = min(cmp.Or(x.FontSize, 10)*width/max(on.points, 1), x.Height*height)
	for n, line := range strings.Split(x.Value, "\n") {
		v.Y, v.Text = x.Y*height+float64(n+1)*v.Size, line
		out = append(out, v)
	}
	return out
}

func (s *signPage) sheetOf(x *record.Field) *Sheet {
	for i := range s.Sheets {
		if s.Sheets[i].File == x.File && s.Sheets[i].Number == x.Page {
			return &s.Sheets[i]
		}
	}
	return nil
}

// count counts the required inputs and those already filled in.
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
	boxes, ticked := map[string]int{}, map[string]int{}
	for _, f := range s.Fields {
		chosen[f.Name] = chosen[f.Name] || f.Checked
		if f.Least > 0 {
			boxes[f.group]++
		}
		if f.Least > 0 && f.Checked {
			ticked[f.group]++
		}
	}
	groups := map[string]bool{}
	for _, f := range s.Fields {
		if f.Kind == "mark" && f.When == "" {
			f.Required = true
		}
		if f.Least > 0 && !f.Required && boxes[f.group] > 0 {
			need(f.ID, ticked[f.group] >= min(f.Least, boxes[f.group]))
			boxes[f.group] = 0 // the group is one thing to fill in
			continue
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

// isDone reports whether a field is filled in.
func (s *signPage) isDone(f *fieldView, chosen bool) bool {
	switch f.Kind {
	case "mark":
		return f.Mark == "initials" && s.Initials.Made || f.Mark == "signature" && s.Signature.Made
	case "checkbox", "radio":
		return chosen
	}
	return f.Value != ""
}

// shapes returns the aspect ratios of the pages, so that the space of a page, and the fields
// on it, don't depend on when its picture arrives: that of the first page, and those that differ.
func (s *signPage) shapes() string {
	var out strings.Builder
	for i, x := range s.Sheets {
		switch first := s.Sheets[0]; {
		case i == 0:
			fmt.Fprintf(&out, ".im img{aspect-ratio:%d/%d}", x.Width, x.Height)
		case x.Width*first.Height != x.Height*first.Width:
			fmt.Fprintf(&out, "#%s .im img{aspect-ratio:%d/%d}", x.ID, x.Width, x.Height)
		}
	}
	return out.String()
}

// places returns the positions of the fields. On narrow screens the fields are below
// the page, and numbers on the page link to them.
func (s *signPage) places() template.CSS {
	var wide, narrow strings.Builder
	for i := range s.Sheets {
		pins := s.Sheets[i].pins()
		for k, f := range s.Sheets[i].Fields {
			// --z is the font size relative to the width of the page.
			fmt.Fprintf(&wide, "#%s{left:%.3f%%;top:%.3f%%;width:%.3f%%;height:%.3f%%;--z:%.3fcqw}",
				f.ID, 100*f.x, 100*f.y, 100*f.width, 100*f.height, 100*f.size/max(s.Sheets[i].points, 1))
			fmt.Fprintf(&narrow, "#n%d{left:%.3f%%;top:%.3f%%}", f.N, 100*f.x, 100*pins[k])
		}
	}
	if wide.Len() == 0 {
		return template.CSS(s.shapes())
	}
	return template.CSS(s.shapes() + "@media (min-width:40.01rem){" + wide.String() + "}" +
		"@media (max-width:40rem){" + narrow.String() + "}")
}

// Width of the narrowest page, and the size of a number on it, in pixels.
const (
	narrowPage = 290.0
	pinSize    = 26.0
)

// pins returns the vertical position of each field's number as a fraction of the
// page. Numbers that would overlap on the narrowest screen are moved down.
func (x *Sheet) pins() []float64 {
	height := narrowPage * float64(x.Height) / float64(max(x.Width, 1))
	tops := make([]float64, len(x.Fields))
	for i, f := range x.Fields {
		tops[i] = f.y * height
		for moved := true; moved && tops[i] < height; {
			moved = false
			for k := range i {
				if math.Abs(x.Fields[k].x-f.x)*narrowPage < pinSize && math.Abs(tops[k]-tops[i]) < pinSize-.01 {
					tops[i], moved = tops[k]+pinSize, true
				}
			}
		}
	}
	for i := range tops {
		tops[i] /= height
	}
	return tops
}
