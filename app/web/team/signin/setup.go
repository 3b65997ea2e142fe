package signin

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/lists"
	"paraph/app/web/page"
)

// Home serves the root of the site.
func (h *Handlers) Home(r *page.Request) error {
	r.TeamWords()
	switch open, err := h.Accounts.Operator.SetupOpen(r.UserContext()); {
	case err != nil:
		return err
	case !open:
		return r.SeeOther("/app/documents")
	}
	return startTemplate.Render(r, http.StatusOK, startPage(r, "start.title"))
}

// setupPage is the form of the first run.
type setupPage struct {
	Token     string
	Languages []page.Option
	Site      string // base address of links in messages
	Plain     bool   // the address is neither encrypted nor local
	Mail      bool   // there is a mail server
}

// ShowSetup serves the form of the first run.
func (h *Handlers) ShowSetup(r *page.Request) error {
	r.TeamWords()
	token := r.Query("token")
	if err := h.Accounts.Operator.CheckSetup(token); err != nil {
		return h.setupUnavailable(r, err)
	}
	return setupTemplate.Render(r, http.StatusOK, h.setupForm(r, token))
}

func (h *Handlers) setupForm(r *page.Request, token string) page.View[setupPage] {
	site := h.Notify.BaseURL
	local := strings.HasPrefix(site, "http://localhost") || strings.HasPrefix(site, "http://127.0.0.1")
	return page.With(page.Page{Title: r.Say("setup.title"), Scripts: []string{"access.js"}}, setupPage{
		Token: token, Languages: r.LanguageOptions(preferred(r)), Site: site,
		Plain: strings.HasPrefix(site, "http:") && !local, Mail: h.Notify.CanSend(),
	})
}

// preferred returns the browser's preferred language.
func preferred(r *page.Request) string {
	tags, _, err := language.ParseAcceptLanguage(r.Get(fiber.HeaderAcceptLanguage))
	if err != nil || len(tags) == 0 {
		return "en"
	}
	return tags[0].String()
}

// setupUnavailable responds to an invalid setup link: either setup is complete, or a
// newer link was printed.
func (h *Handlers) setupUnavailable(r *page.Request, err error) error {
	if fault.KindOf(err) != fault.KindInvalid {
		return err
	}
	open, err := h.Accounts.Operator.SetupOpen(r.UserContext())
	if err != nil {
		return err
	}
	if open {
		return startTemplate.Render(r, http.StatusNotFound, startPage(r, "start.wrong"))
	}
	return overTemplate.Render(r, http.StatusGone, page.With(page.Page{Title: r.Say("setup.done")}, over{
		Text: r.Say("setup.done.text"), Action: r.Say("signin.do"), Href: "/signin"}))
}

// SetUp creates the first company and its owner.
func (h *Handlers) SetUp(r *page.Request) error {
	r.TeamWords()
	token, email, password := r.Form.Value("token"), r.Form.Value("email"), r.Form.Value("password")
	_, err := h.Accounts.Operator.Setup(r.UserContext(), token, account.SetupInput{Company: r.Form.Value("company"), Name: r.Form.Value("name"),
		Email: email, Password: password, Locale: r.Form.Value("locale"), Timezone: r.Form.Value("timezone")})
	if deadLink(err) {
		return h.setupUnavailable(r, err)
	}
	if err != nil {
		return setupTemplate.Again(r, err, h.setupForm(r, token))
	}
	return h.signInWith(r, email, password, "", "/app/welcome")
}

// deadLink reports whether an error is about the link rather than the input.
func deadLink(err error) bool {
	return slices.ContainsFunc(fault.FieldsOf(err), func(f fault.Field) bool { return f.Name == "token" })
}

// over is a page that says that something is no longer possible.
type over struct{ Text, Action, Href string }

// welcomePage is the list of first steps.
type welcomePage struct{ Mail, Sent, Mates bool }

// Welcome serves the list of first steps.
func (h *Handlers) Welcome(r *page.Request) error {
	members, err := h.Accounts.Companies.ListMembers(r.Who.Call, account.MemberQuery{Limit: 1})
	if err != nil {
		return err
	}
	documents, err := h.Lists.List(r.UserContext(), r.Who.Call, lists.Query{Page: 1, PerPage: 1})
	if err != nil {
		return err
	}
	return welcomeTemplate.Render(r, http.StatusOK, page.With(page.Page{Title: r.Say("welcome.title", "name", r.Who.User.Name)},
		welcomePage{Mail: h.Notify.CanSend(), Sent: documents.Total > 0, Mates: members.Total > 1}))
}

// todo is an item in the list of first steps.
type todo struct {
	Done                      bool
	Title, Text, Href, Action string
}

func newTodo(done bool, title, text, href, action string) todo {
	return todo{done, title, text, href, action}
}

// Functions returns the components used only by the first run.
func Functions() template.FuncMap {
	return template.FuncMap{"todo": newTodo}
}

// startPage says where the link to set up the installation is, with an example at this address.
func startPage(r *page.Request, title string) page.View[startData] {
	return page.With(page.Page{Title: r.Say(title)}, startData{Line: r.Say("start.line", "site", r.BaseURL())})
}

// startData is the page of an installation that is not set up yet.
type startData struct{ Line string }
