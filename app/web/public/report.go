package public

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"

	"paraph/app/pki"
	"paraph/app/reportjson"
	"paraph/app/signing/report"
	"paraph/app/web/page"
)

// ReportView is a report on a file's signatures, in words.
type ReportView struct {
	ID                              string // ID of its heading
	Name, Kind, Icon, Verdict, Text string
	Pages                           int
	SHA256                          string
	Findings                        []string // about the file as a whole
	Origin                          string   // statement that the file was signed here
	Compared                        []comparedView
	Signatures                      []signatureView
	JSON                            template.URL // the report as JSON, embedded because nothing is stored
	File                            string       // name for saving it
}

// reportOn is the component "report": a report on a page that shows its times.
type reportOn struct {
	Page   page.Page
	Report ReportView
}

// Functions returns the components used only by reports on signatures.
func Functions() template.FuncMap {
	return template.FuncMap{"report": func(p page.Framed, r ReportView) reportOn { return reportOn{p.Frame(), r} }}
}

type signatureView struct {
	report.SignatureVerdict
	Title, Verdict, Text, Icon string
	Revocation                 string
	Answers                    []answerView
	Changes                    []changeView
	Alarms, Remarks, Notes     []string
}

// comparedView shows a page as it was signed beside the same page as it is now. The
// pictures are embedded, because nothing is stored.
type comparedView struct {
	SignedText, NowText string
	Signed, Now         template.URL // "" where there is no such page
}

// answerView is the answer to one of the three questions about a signature.
type answerView struct {
	Question, Answer, Icon string
	Reasons                []string
}

// changeView is a change made to the file after a signature.
type changeView struct {
	Text, Rule string
	Permitted  bool
}

// Report returns the view of a report on a file.
func Report(r *page.Request, name string, from *report.Report) (ReportView, error) {
	raw, err := json.MarshalIndent(struct {
		Name string `json:"name"`
		reportjson.View
	}{name, reportjson.Describe(from, r.Words)}, "", "  ")
	if err != nil {
		return ReportView{}, err
	}
	v := ReportView{
		ID: "verdict", Name: name, Pages: from.Pages, SHA256: from.SHA256, File: strings.TrimSuffix(name, ".pdf") + " – report.json",
		JSON:     template.URL("data:application/json;base64," + base64.StdEncoding.EncodeToString(raw)),
		Findings: sentences(r, from.Findings),
	}
	if o := from.Origin; o != nil {
		key := "verdict.origin"
		if !o.Whole {
			key += ".appended"
		}
		v.Origin = r.Words.Say(key, "date", r.Words.Date(o.CompletedAt), "document", o.Document)
	}
	for _, c := range from.Compared {
		v.Compared = append(v.Compared, comparedView{
			r.Words.Say("verdict.page.signed", "page", c.Page), r.Words.Say("verdict.page.now", "page", c.Page), inline(c.Signed), inline(c.Now),
		})
	}
	for i := range from.Signatures {
		v.Signatures = append(v.Signatures, signature(r, &from.Signatures[i]))
	}
	word := "problem"
	v.Kind, v.Icon = "danger", "alert"
	switch {
	case len(from.Signatures) == 0:
		word, v.Kind, v.Icon = "none", "info", "info"
	case from.Sound && !known(from.Identity()):
		word, v.Kind, v.Icon = "unknown", "warn", "shield"
	case from.Sound && from.LaterChanges() == report.Permitted:
		word, v.Kind, v.Icon = "added", "ok", "shield-ok"
	case from.Sound:
		word, v.Kind, v.Icon = "valid", "ok", "shield-ok"
	}
	v.Verdict, v.Text = r.Say("verify."+word), r.Say("verify."+word+".text")
	return v, nil
}

// known reports whether the name in a certificate can be trusted.
func known(i pki.Identity) bool { return i == pki.Trusted || i == pki.NoRevocationData }

func signature(r *page.Request, from *report.SignatureVerdict) signatureView {
	s := signatureView{SignatureVerdict: *from, Title: from.Signer, Text: r.Say("verify.kind." + from.Kind)}
	if s.Title == "" {
		s.Title = r.Say("verify.nobody")
	}
	s.Verdict, s.Icon = summary(r, from)
	if s.Revocation = string(from.Revocation); r.Say("verify.revocation."+s.Revocation) != "" {
		s.Revocation = r.Say("verify.revocation." + s.Revocation)
	}
	s.Answers = answers(r, from)
	s.Alarms, s.Notes = sentences(r, from.IntegrityReasons), sentences(r, from.Notes)
	s.Remarks = remarks(r, from)
	for _, c := range from.Changes {
		s.Changes = append(s.Changes, changeView{c.Sentence(r.Words), r.Words.Say("verdict.rule." + c.Rule), c.Permitted})
	}
	return s
}

// summary describes the validity of a signature in one sentence.
func summary(r *page.Request, v *report.SignatureVerdict) (sentence, icon string) {
	switch {
	case v.Integrity == pki.Broken:
		return r.Say("verify.signature.broken"), "cross"
	case v.Integrity == pki.NotJudged:
		return r.Words.Say("verdict.integrity") + ": " + r.Words.Say("verdict.integrity.not_judged"), "info"
	case v.Later == report.NotPermitted:
		return r.Say("verify.signature.changed"), "cross"
	case !known(v.Identity):
		return r.Say("verify.signature.stranger"), "info"
	}
	return r.Say("verify.signature.valid"), "check"
}

func answers(r *page.Request, v *report.SignatureVerdict) []answerView {
	l := r.Words
	say := func(question, answer string, good, bad bool, reasons []string) answerView {
		icon := "info"
		switch {
		case good:
			icon = "check"
		case bad:
			icon = "cross"
		}
		return answerView{l.Say("verdict." + question), l.Say("verdict." + question + "." + answer), icon, reasons}
	}
	return []answerView{
		say("integrity", string(v.Integrity), v.Integrity == pki.Intact, v.Integrity == pki.Broken, nil),
		say("identity", string(v.Identity), known(v.Identity), v.Identity == pki.RevokedIdentity || v.Identity == pki.Untrusted,
			sentences(r, v.IdentityReasons)),
		say("later", string(v.Later), v.Later == report.NoChanges || v.Later == report.Permitted, v.Later == report.NotPermitted, nil),
	}
}

// remarks returns the problems that none of the three answers mentions.
func remarks(r *page.Request, v *report.SignatureVerdict) []string {
	said := map[string]bool{}
	for _, s := range append(sentences(r, v.IntegrityReasons), sentences(r, v.IdentityReasons)...) {
		said[s] = true
	}
	var out []string
	for _, f := range v.Problems {
		if s := report.Sentence(r.Words, f); f.Code != "forbidden_change" && !said[s] {
			out = append(out, s)
		}
	}
	return out
}

func sentences(r *page.Request, all []pki.Finding) []string {
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = report.Sentence(r.Words, f)
	}
	return out
}

// inline returns a picture as a data URL.
func inline(png []byte) template.URL {
	if len(png) == 0 {
		return ""
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
}
