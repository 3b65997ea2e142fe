package web

import (
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"

	"paraph/app/account"
	"paraph/app/signing"
)

// setupRoutes are the pages of the first run.
func (d *Door) setupRoutes(app *fiber.App) {
	d.get(app, "/", (*request).home)
	d.get(app, "/setup", (*request).showSetup)
	d.post(app, "/setup", (*request).setUp)
	d.teamGet(app, "/app/welcome", (*request).welcome)
}

// home is what a browser finds that knows nothing but the address.
func (r *request) home() error {
	r.teamWords()
	switch open, err := r.door.Accounts.SetupOpen(r.UserContext()); {
	case err != nil:
		return err
	case !open:
		return r.redirect("/app/documents")
	}
	return r.render(http.StatusOK, "start", page{Title: r.say("start.title")})
}

// teamWords is for pages that stand outside the team's but belong to its people.
func (r *request) teamWords() { r.words = r.door.books.forTeam(r.words) }

// setupPage is the form of the first run.
type setupPage struct {
	Token     string
	Languages []option
	Site      string // what links in messages begin with
	Plain     bool   // that is not encrypted, and not this machine
	Mail      bool   // there is a mail server
}

func (r *request) showSetup() error {
	r.teamWords()
	token := r.Query("token")
	if err := r.door.Accounts.CheckSetup(r.UserContext(), token); err != nil {
		return r.noSetup(err)
	}
	return r.render(http.StatusOK, "setup", r.setupForm(token))
}

func (r *request) setupForm(token string) page {
	site := r.door.Notify.BaseURL
	local := strings.HasPrefix(site, "http://localhost") || strings.HasPrefix(site, "http://127.0.0.1")
	return page{Title: r.say("setup.title"), Scripts: []string{"access.js"}, Data: setupPage{
		Token: token, Languages: mailLanguages(r.door.Notify.Words.Tags(), r.preferred()), Site: site,
		Plain: strings.HasPrefix(site, "http:") && !local, Mail: r.door.Notify.Sender != nil,
	}}
}

// preferred is the language that the browser asks for first.
func (r *request) preferred() string {
	tags, _, err := language.ParseAcceptLanguage(r.Get(fiber.HeaderAcceptLanguage))
	if err != nil || len(tags) == 0 {
		return "en"
	}
	return tags[0].String()
}

// noSetup answers a link to set up that does not work: because that is done, or
// because it is not the one that was printed last.
func (r *request) noSetup(err error) error {
	if account.KindOf(err) != account.KindInvalid {
		return err
	}
	open, err := r.door.Accounts.SetupOpen(r.UserContext())
	if err != nil {
		return err
	}
	if open {
		return r.render(http.StatusNotFound, "start", page{Title: r.say("start.wrong")})
	}
	return r.render(http.StatusGone, "over", page{Title: r.say("setup.done"), Data: over{
		Text: r.say("setup.done.text"), Action: r.say("signin.do"), Href: "/signin"}})
}

func (r *request) setUp() error {
	r.teamWords()
	token, email, password := r.form.value("token"), r.form.value("email"), r.form.value("password")
	_, err := r.door.Accounts.Setup(r.UserContext(), token, account.SetupInput{Company: r.form.value("company"), Name: r.form.value("name"),
		Email: email, Password: password, Locale: r.form.value("locale"), Timezone: r.form.value("timezone")})
	if deadLink(err) {
		return r.noSetup(err)
	}
	if err != nil {
		return r.again(err, "setup", r.setupForm(token))
	}
	return r.signInWith(email, password, "", "/app/welcome")
}

// deadLink says whether an error is about the link that somebody followed, and not
// about what they entered.
func deadLink(err error) bool {
	e, ok := errors.AsType[*account.Error](err)
	return ok && len(e.Fields["token"]) > 0
}

// over is a page that says that something can't be done any more.
type over struct{ Text, Action, Href string }

// welcomePage is the list of what to do after the first run.
type welcomePage struct{ Mail, Sent, Mates bool }

func (r *request) welcome() error {
	members, err := r.door.Accounts.ListMembers(r.UserContext(), r.who.Actor, account.ListQuery{Limit: 1})
	if err != nil {
		return err
	}
	documents, err := r.door.Signing.List(r.UserContext(), r.who.Actor, signing.ListQuery{Page: 1, PerPage: 1})
	if err != nil {
		return err
	}
	return r.render(http.StatusOK, "welcome", page{Title: r.say("welcome.title", "name", r.who.User.Name),
		Data: welcomePage{Mail: r.door.Notify.Sender != nil, Sent: documents.Total > 0, Mates: members.Total > 1}})
}

// todo is one thing on the list of what to do first.
type todo struct {
	Done                      bool
	Title, Text, Href, Action string
}

func newTodo(done bool, title, text, href, action string) todo {
	return todo{done, title, text, href, action}
}

// Functions are the components that only the first run has.
func setupFunctions() template.FuncMap {
	return template.FuncMap{"todo": newTodo}
}
