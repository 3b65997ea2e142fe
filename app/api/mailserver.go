package api

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/mail"
	"paraph/app/mail/sender"
	"paraph/app/mailserver"
	"paraph/app/notify"
)

type mailServerView struct {
	Host       *string `json:"host" doc:"null if there is no mail server: messages stay in the outbox"`
	Port       int     `json:"port"`
	TLS        string  `json:"tls" enum:"starttls,tls,none"`
	Username   *string `json:"username"`
	Password   bool    `json:"password" doc:"Whether a password is stored; it is never returned"`
	From       string  `json:"from" doc:"Sender of every message"`
	Configured bool    `json:"configured" doc:"Whether the configuration names the server, so that it can't be changed here"`
	Blocked    bool    `json:"blocked" doc:"Whether network.egress forbids connections to the server, so that nothing is sent"`
	ChangedAt  *string `json:"changed_at" format:"date-time"`
	ChangedBy  *string `json:"changed_by"`
}

func viewMailServer(s mailserver.State) mailServerView {
	v := mailServerView{Host: orNull(s.Host), Port: s.Port, TLS: s.TLS, Username: orNull(s.Username), Password: s.Password, From: s.From,
		Configured: s.Configured, Blocked: s.Blocked, ChangedBy: orNull(s.ChangedBy)}
	if !s.ChangedAt.IsZero() {
		v.ChangedAt = maybe(&s.ChangedAt)
	}
	return v
}

type mailServerBody struct {
	Host     string  `json:"host,omitempty" doc:"Required"`
	Port     int     `json:"port,omitempty" doc:"Defaults to 587, 465 with tls, or 25 with none"`
	TLS      string  `json:"tls,omitempty" enum:"starttls,tls,none" doc:"starttls (default), tls from the first byte, or none"`
	Username string  `json:"username,omitempty" doc:"Empty to send without logging in"`
	Password *string `json:"password,omitempty" doc:"If omitted, the stored password is kept, provided that host, port, tls and username are unchanged"`
	From     string  `json:"from,omitempty" doc:"Sender of every message, such as Contracts <contracts@example.org>"`

	CurrentPassword string `json:"current_password,omitempty" doc:"Required if you last proved who you are more than five minutes ago"`
}

func (b *mailServerBody) proof() account.Proof { return account.Proof{Password: b.CurrentPassword} }

func (b *mailServerBody) input() mailserver.Input {
	return mailserver.Input{Host: b.Host, Port: b.Port, TLS: b.TLS, Username: b.Username, Password: b.Password, From: b.From}
}

type mailTestBody struct {
	Email  string          `json:"email,omitempty" doc:"Recipient; defaults to your own address"`
	Server *mailServerBody `json:"server,omitempty" doc:"Settings to try without storing them; defaults to those in use"`
}

func (b *mailTestBody) proof() account.Proof {
	if b.Server == nil {
		return account.Proof{}
	}
	return b.Server.proof()
}

type mailLine struct {
	From string `json:"from" enum:"client,server"`
	Text string `json:"text"`
}

type mailTestView struct {
	Accepted bool       `json:"accepted" doc:"Whether the server accepted the message"`
	Error    *string    `json:"error" doc:"In the server's words"`
	Lines    []mailLine `json:"lines" doc:"The conversation, without the password and the message"`
}

func (h *mailServerHandlers) viewMailTest(t mailserver.Test) mailTestView {
	return mailTestView{Accepted: t.Accepted(), Error: orNull(t.Problem(h.english())), Lines: views(t.Lines, func(l mail.Line) mailLine {
		if l.Ours {
			return mailLine{"client", l.Text}
		}
		return mailLine{"server", l.Text}
	})}
}

// senderView describes the DNS records of the sender's domain.
type senderView struct {
	Domain  string         `json:"domain"`
	Asked   bool           `json:"asked" doc:"Whether DNS was asked"`
	Message *string        `json:"message" doc:"Why it was not"`
	Records []senderRecord `json:"records"`
}

type senderRecord struct {
	Kind    string   `json:"kind" enum:"spf,dkim,dmarc"`
	Name    *string  `json:"name" doc:"The name that was looked up"`
	State   string   `json:"state" enum:"ok,warning,problem,unknown"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Remedy  *string  `json:"remedy"`
	Found   []string `json:"found" doc:"The texts under the name"`
}

func (h *mailServerHandlers) viewSender(r mailserver.SenderReport) senderView {
	english := h.speech.words.English()
	v := senderView{Domain: r.Domain, Asked: r.Asked, Records: views(r.Findings, func(f sender.Finding) senderRecord {
		facts := map[string]any{"name": f.Name, "cause": f.Cause, "domain": r.Domain}
		record := senderRecord{Kind: f.Kind, Name: orNull(f.Name), State: string(f.State), Code: f.Code, Message: english.SayOf("sender."+f.Code, facts), Found: orEmpty(f.Record)}
		if key := "sender." + f.Code + ".remedy"; english.Has(key) {
			record.Remedy = orNull(english.SayOf(key, facts))
		}
		return record
	})}
	if !r.Asked {
		v.Message = orNull(english.Say("sender."+r.Why, "domain", r.Domain))
	}
	return v
}

// mailServerHandlers serves the settings of the mail server.
type mailServerHandlers struct {
	speech
	mailServer *mailserver.Service
	notify     *notify.Service
}

// routes registers the operations for administrators of the installation. For others they don't exist.
func (h *mailServerHandlers) routes(s *server) {
	const path, tag = "/installation/mail", "Installation"
	handle(s, operation{method: http.MethodGet, path: path, rule: operators(), id: "getMailServer", summary: "Get the mail server", tag: tag}, func(r *request, _ *nothing) (mailServerView, error) {
		state, err := h.mailServer.Get(r.who)
		return viewMailServer(state), err
	})
	handle(s, operation{method: http.MethodPut, path: path, rule: operators(), id: "setMailServer", summary: "Set the mail server", tag: tag}, func(r *request, in *mailServerBody) (mailServerView, error) {
		state, err := h.mailServer.Save(r.UserContext(), r.who, in.input())
		return viewMailServer(state), err
	})
	handle(s, operation{method: http.MethodDelete, path: path, rule: operators(), id: "deleteMailServer", summary: "Stop sending mail", tag: tag}, func(r *request, _ *provenBody) (nothing, error) {
		return nothing{}, h.mailServer.TurnOff(r.UserContext(), r.who)
	})
	handle(s, operation{method: http.MethodPost, path: path + "/test", rule: operators(), id: "testMailServer", summary: "Send a test message and see what the mail server answers", tag: tag}, h.testMailServer)
	handle(s, operation{method: http.MethodGet, path: path + "/sender", rule: operators(), id: "getSenderDomain", summary: "Look up the sender's domain", tag: tag}, func(r *request, _ *nothing) (senderView, error) {
		report, err := h.mailServer.Sender(r.UserContext(), r.who)
		return h.viewSender(report), err
	})
}

func (h *mailServerHandlers) testMailServer(r *request, in *mailTestBody) (mailTestView, error) {
	var tried *mailserver.Input
	if in.Server != nil {
		server := in.Server.input()
		tried = &server
	}
	compose := func(to string) (mail.Message, error) { return h.notify.TestMessage(r.who, to) }
	test, err := h.mailServer.Try(r.UserContext(), r.who, tried, in.Email, compose)
	return h.viewMailTest(test), err
}
