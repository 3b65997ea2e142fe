package web

import (
	"paraph/app/web/page"
	"paraph/app/web/team/contacts"
	"paraph/app/web/team/documents"
	"paraph/app/web/team/drafts"
	"paraph/app/web/team/editor"
	"paraph/app/web/team/runs"
	"paraph/app/web/team/templates"
)

// document is the page of one document. The length distinguishes IDs from the names
// of other pages.
const document = "/app/documents/:id<len(26)>"

// documents are the lists of documents and the page of each.
func (p *Pages) documents() []route {
	o := p.options
	s := o.Signing
	h := &documents.Handlers{Accounts: o.Accounts, Log: o.Log, MaxUpload: o.MaxUpload, Notify: o.Notify,
		Now: o.Now, Completion: s.Completion, Drafts: s.Drafts,
		Sending: s.Sending, Lists: s.Lists,
		Trail: s.Trail, Mails: p.options.Mails}
	return []route{
		{get, "/app/documents", member(h.ShowList)},
		{get, "/app/documents/archived", member(h.ShowList)},
		{get, "/app/documents/trash", member(h.ShowList)},
		{post, "/app/documents/bulk", reader(h.Bulk)},
		{post, "/app/documents/sample", author(h.CreateSample)},
		{get, "/app/action", member(h.ShowWaiting)},
		{get, "/app/events", member(h.Events)},
		{get, document, member(h.Show)},
		{get, document + "/menu", member(h.ShowRowMenu)},
		{get, document + "/pages/:file/:page.png", member(h.PagePicture)},
		{get, document + "/download/:what", member(h.Download)},
		{get, document + "/events.json", member(h.DownloadEvents)},
		{post, document + "/people/:invitation/code", author(h.RevealCode)},
		{post, document + "/people/:invitation/link", author(h.ShowLink)},
		{post, document + "/people/:invitation/sign", member(h.Sign)},

		{post, document + "/submit", author(h.Step("submit"))},
		{post, document + "/withdraw", author(h.Step("withdraw"))},
		{post, document + "/approve", author(h.Step("approve"))},
		{post, document + "/reopen", author(h.Step("reopen"))},
		{post, document + "/unschedule", author(h.Step("unschedule"))},
		{post, document + "/remind", author(h.Step("remind"))},
		{post, document + "/seal", author(h.Step("seal"))},
		{post, document + "/archive", author(h.Step("archive"))},
		{post, document + "/restore", author(h.Step("restore"))},
		{post, document + "/delete", author(h.Step("delete"))},
		{post, document + "/duplicate", author(h.Step("duplicate"))},
		{get, document + "/reject", member(h.AskStep("reject"))},
		{post, document + "/reject", author(h.TakeForm("reject"))},
		{get, document + "/void", member(h.AskStep("void"))},
		{post, document + "/void", author(h.TakeForm("void"))},
		{get, document + "/extend", member(h.AskStep("extend"))},
		{post, document + "/extend", author(h.TakeForm("extend"))},
		{get, document + "/replace", member(h.AskStep("replace"))},
		{post, document + "/replace", author(h.TakeForm("replace"))},
		{get, document + "/access_code", member(h.AskStep("access_code"))},
		{post, document + "/access_code", author(h.TakeForm("access_code"))},
		{get, document + "/purge", member(h.AskStep("purge"))},
		{post, document + "/purge", author(h.TakeForm("purge"))},
	}
}

// drafts are the steps for preparing a document: files with recipients, fields, and
// review. Each works without scripts.
func (p *Pages) drafts() []route {
	o := p.options
	s := o.Signing
	h := &drafts.Handlers{Accounts: o.Accounts, Contacts: o.Contacts, Log: o.Log, MaxUpload: o.MaxUpload,
		Notify: o.Notify, Now: o.Now, Drafts: s.Drafts, Sending: s.Sending,
		Intake: s.Intake,
		Mails:  p.options.Mails}
	e := &editor.Handlers{Drafts: s.Drafts, Trail: s.Trail,
		Limits: p.options.Limits, Now: o.Now, Mails: p.options.Mails}
	f := drafts.Form{Handlers: h}
	// The first step is one form. It has an input for new files, and one to replace each file.
	form := func(h page.Handler) page.Access {
		return author(h).With(page.Large).UploadingMany(2*p.options.Limits.Files+1, o.MaxFiles).Interruptible()
	}
	return []route{
		{get, "/app/documents/new", member(f.ShowNew)},
		{upload, "/app/documents/new", form(f.Create)},
		{get, document + "/files", member(f.ShowDraft)},
		{upload, document + "/files", form(f.SaveDraft)},
		{upload, document + "/files/merge", form(f.MergeFiles)},
		{upload, document + "/files/:file", form(f.ChangeFile)},
		{get, document + "/files/:file/pages", member(h.ShowPages)},
		{post, document + "/files/:file/pages", author(h.TakePages).Interruptible()},
		{get, document + "/files/:file/redact", member(h.ShowRedact)},
		{post, document + "/files/:file/redact", author(h.TakeRedact).Interruptible()},
		{upload, document + "/files/:file/content", form(f.ReplaceFile)},
		{post, document + "/uploads", author(h.BeginUpload)},
		{get, document + "/uploads/:upload", member(h.ShowUpload)},
		{upload, document + "/uploads/:upload", author(h.AppendUpload).Uploading(o.MaxUpload)},
		{upload, document + "/uploads/:upload/finish", form(f.FinishUpload)},
		{upload, document + "/uploads/:upload/cancel", form(f.CancelUpload)},
		{get, document + "/people", member(f.ShowPeople)},
		{get, document + "/people/:invitation/mail", member(h.ShowMail)},
		{get, document + "/edit", member(e.Show)},
		{get, document + "/edit/lines", member(e.ShowLines).Interruptible()},
		{get, document + "/edit/list", member(e.ShowList)},
		{post, document + "/edit/list", author(e.SaveList).With(page.Large)},
		{post, document + "/fields", author(e.SaveFields).With(page.Large)},
		{post, document + "/saved-fields", author(e.SaveField)},
		{get, "/app/saved-fields", member(e.ShowSaved)},
		{post, "/app/saved-fields", author(e.ChangeSaved)},
		{post, document + "/recipients", author(e.ChangeRecipients).With(page.Large)},
		{post, document + "/detect", reader(e.Detect).Interruptible()},
		{get, document + "/review", member(h.ShowReview)},
		{post, document + "/review", author(h.Review)},
		{get, document + "/links", member(h.ShowLinks)},
		{post, document + "/links", author(h.RevealLinks)},
	}
}

// templates are the pages about templates, whose content is edited on the pages of drafts.
func (p *Pages) templates() []route {
	s := p.options.Signing
	h := &templates.Handlers{Links: p.options.PublicLinks, Drafts: s.Drafts, Sending: s.Sending,
		Mails: p.options.Mails}
	return []route{
		{get, "/app/templates", member(h.ShowList)},
		{post, "/app/templates/new", author(h.Add)},
		{get, "/app/templates/:id", member(h.Show)},
		{post, "/app/templates/:id", author(h.Save)},
		{get, "/app/templates/:id/use", author(h.ShowUse)},
		{post, "/app/templates/:id/use", author(h.Use).With(page.Large).Interruptible()},
		{post, "/app/templates/:id/archive", author(h.Step("archive"))},
		{post, "/app/templates/:id/restore", author(h.Step("restore"))},
		{post, "/app/templates/:id/delete", author(h.Step("delete"))},
		{post, "/app/templates/:id/duplicate", author(h.Step("duplicate"))},
		{get, "/app/templates/:id/links", member(h.ShowLinks)},
		{get, "/app/templates/:id/links/:link", author(h.ShowLink)},
		{post, "/app/templates/:id/links/:link", author(h.SaveLink)},
		{post, "/app/templates/:id/links/:link/on", author(h.SwitchLink(false))},
		{post, "/app/templates/:id/links/:link/off", author(h.SwitchLink(true))},
		{post, "/app/templates/:id/links/:link/delete", author(h.DeleteLink)},
		{post, document + "/template", author(h.SaveDocument)},
	}
}

// bulk are the pages about sending a template to many people.
func (p *Pages) bulk() []route {
	o := p.options
	h := &runs.Handlers{Accounts: o.Accounts, Bulk: o.Bulk, Drafts: o.Signing.Drafts, Mails: o.Mails}
	return []route{
		{get, "/app/templates/:id/bulk.csv", member(h.Header)},
		{get, "/app/bulk", member(h.ShowList)},
		{get, "/app/bulk/new", author(h.ShowNew)},
		{post, "/app/bulk/new", author(h.Prepare).With(page.Large).Uploading(runs.MaxTable)},
		{get, "/app/bulk/:id", member(h.Show)},
		{get, "/app/bulk/:id/results.csv", reader(h.Results)},
		{get, "/app/bulk/:id/failed.csv", author(h.Leftover)},
		{post, "/app/bulk/:id/cancel", author(h.Cancel)},
		{post, "/app/bulk/:id/retry", author(h.Retry)},
	}
}

// contacts are the pages about a company's contacts.
func (p *Pages) contacts() []route {
	h := &contacts.Handlers{Contacts: p.options.Contacts, Lists: p.options.Signing.Lists, Undrawable: p.options.Signing.Drafts.Undrawable}
	return []route{
		{get, "/app/contacts", member(h.ShowList)},
		{get, "/app/contacts/new", writer(h.ShowNew)},
		{post, "/app/contacts/new", writer(h.Add)},
		{get, "/app/contacts/import", writer(h.ShowImport)},
		{post, "/app/contacts/import", writer(h.Import).With(page.Large).Uploading(page.Large)},
		{get, "/app/contacts/export", member(h.Export)},
		{get, "/app/contacts/suggest", member(h.Suggest)},
		{get, "/app/contacts/:id", member(h.Show)},
		{get, "/app/contacts/:id/edit", writer(h.ShowEdit)},
		{post, "/app/contacts/:id/edit", writer(h.Save)},
		{post, "/app/contacts/:id/archive", writer(h.Archive)},
		{post, "/app/contacts/:id/restore", writer(h.Restore)},
		{post, "/app/contacts/:id/delete", writer(h.Delete)},
	}
}
