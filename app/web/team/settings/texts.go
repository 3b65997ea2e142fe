package settings

import (
	"net/http"
	"net/url"

	"paraph/app/fault"
	"paraph/app/notify"
	"paraph/app/web/page"
)

// textsPath is the path of the page about the texts of messages.
const textsPath = "/app/settings/texts"

// textsCards is the page about the texts of messages: the list of kinds, or the text
// of one kind to edit.
type textsCards struct {
	Kinds     []textRow
	Languages []page.Option
	Language  string

	Kind      notify.TextKind // of the text being edited
	Text      notify.MailText
	Changes   []notify.MailText
	Preview   *notify.Message
	Unsaved   bool     // the preview shows another text than is stored
	Variables []string // with their braces
}

// textRow is a kind of message in the list.
type textRow struct {
	Kind, Name string
	Own        bool
}

// ShowTexts serves the list of texts in a language, or one of them.
func (h *Mail) ShowTexts(r *page.Request) error {
	p, err := h.textsPage(r, r.Query("kind"), r.Query("language"))
	if err != nil {
		return err
	}
	if r.Query("kind") == "" {
		return show(h.Frame, r, http.StatusOK, textsTemplate, p)
	}
	return show(h.Frame, r, http.StatusOK, textTemplate, p)
}

func (h *Mail) textsPage(r *page.Request, kind, language string) (s sheet[textsCards], err error) {
	if language == "" {
		language = h.Notify.Texts.Language(r.Who.Company.Locale)
	}
	s.Title, s.Own.Language = r.Say("settings.texts"), language
	if kind == "" {
		s.Own.Languages = r.LanguageOptions(language)
		s.Own.Kinds, err = h.textRows(r, language)
		return s, err
	}
	o := &s.Own
	o.Kind, o.Text, o.Changes, err = h.Notify.Texts.Get(r.Who.Call, kind, language)
	for _, name := range o.Kind.Variables {
		o.Variables = append(o.Variables, "{{"+name+"}}")
	}
	s.Title = r.Say("texts.kind." + kind)
	return s, err
}

func (h *Mail) textRows(r *page.Request, language string) (rows []textRow, err error) {
	own, err := h.Notify.Texts.List(r.Who.Call)
	changed := map[string]bool{}
	for _, t := range own {
		changed[t.Kind] = changed[t.Kind] || t.Language == language
	}
	for _, k := range h.Notify.Texts.Kinds() {
		rows = append(rows, textRow{Kind: k.Kind, Name: r.Say("texts.kind." + k.Kind), Own: changed[k.Kind]})
	}
	return rows, err
}

// textForm reads the form.
func textForm(r *page.Request) (kind, language string, in notify.MailTextInput) {
	return r.Form.Value("kind"), r.Form.Value("language"), notify.MailTextInput{Subject: r.Form.Value("subject"), Body: r.Form.Value("body")}
}

// SaveText stores a company's own text.
func (h *Mail) SaveText(r *page.Request) error {
	kind, language, in := textForm(r)
	return h.textChanged(r, h.Notify.Texts.Save(r.Who.Call, kind, language, in), "settings.saved")
}

// ResetText restores the product's text.
func (h *Mail) ResetText(r *page.Request) error {
	kind, language, _ := textForm(r)
	return h.textChanged(r, h.Notify.Texts.Reset(r.Who.Call, kind, language), "texts.reset.done")
}

func (h *Mail) textChanged(r *page.Request, err error, done string) error {
	kind, language, _ := textForm(r)
	if err != nil {
		return h.textAgain(r, err)
	}
	r.Flash("ok", done)
	return r.SeeOther(textsPath + "?" + url.Values{"kind": {kind}, "language": {language}}.Encode())
}

func (h *Mail) textAgain(r *page.Request, err error) error {
	kind, language, _ := textForm(r)
	if kind == "" {
		return fault.NotFound("message").Because(err)
	}
	p, failed := h.textsPage(r, kind, language)
	if failed != nil {
		return failed
	}
	return again(h.Frame, r, err, textTemplate, p)
}

// PreviewText shows a message with the text in the form as it would be sent.
func (h *Mail) PreviewText(r *page.Request) error {
	kind, language, in := textForm(r)
	m, err := h.Notify.Texts.Preview(r.Who.Call, kind, language, in)
	if err != nil {
		return h.textAgain(r, err)
	}
	s, err := h.textsPage(r, kind, language)
	if err != nil {
		return err
	}
	stored := notify.MailTextInput{Subject: s.Own.Text.Subject, Body: s.Own.Text.Body}
	s.Own.Unsaved = in.Trimmed() != stored.Trimmed()
	s.Own.Preview, s.Own.Text.Subject, s.Own.Text.Body = &m, in.Subject, in.Body
	r.FramesOwnPages()
	return show(h.Frame, r, http.StatusOK, textTemplate, s)
}

// PreviewTextMessage serves the message with its layout, for the frame of the preview.
func (h *Mail) PreviewTextMessage(r *page.Request) error {
	kind, language, in := textForm(r)
	m, err := h.Notify.Texts.Preview(r.Who.Call, kind, language, in)
	if err != nil {
		return err
	}
	return sendLetter(r, m)
}
