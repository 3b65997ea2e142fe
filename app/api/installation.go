package api

import (
	"net/http"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/machine"
	"paraph/app/notify"
	"paraph/app/signing/lists"
)

type installationView struct {
	Program   string           `json:"program" doc:"Version"`
	Go        string           `json:"go"`
	Badger    string           `json:"badger"`
	Format    int              `json:"format" doc:"Version of the records"`
	Upgrade   *upgradeView     `json:"last_upgrade"`
	StartedAt string           `json:"started_at" format:"date-time"`
	Companies int              `json:"companies"`
	People    int              `json:"people"`
	Jobs      jobFigures       `json:"jobs"`
	Messages  messageFigures   `json:"messages"`
	Attention int              `json:"attention" doc:"Documents that need attention"`
	Search    searchFigures    `json:"search"`
	Backup    *installedBackup `json:"last_backup"`
	Check     *installedCheck  `json:"last_check"`
	Checking  bool             `json:"checking" doc:"Whether a check is running or due"`
	Growth    *growthView      `json:"growth" doc:"What 1,000 documents take up on disk, in bytes; null until a check found a hundred documents"`
	Warnings  []warningView    `json:"warnings"`
}

type warningView struct {
	Kind   string `json:"kind" enum:"certificate,tls,disk,quota,clock,mail,webhooks,backup,sealing,search,timestamps,damage,unchecked,promoted,superseded"`
	Urgent bool   `json:"urgent"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
	Since  string `json:"since" format:"date-time"`
}

func viewWarning(w machine.Warning) warningView {
	return warningView{string(w.Kind), w.Urgent, w.Text, w.Remedy, when(w.Since)}
}

type jobFigures struct {
	Dead    int `json:"dead" doc:"Given up"`
	Running int `json:"running"`
	Waiting int `json:"waiting"`
}

type messageFigures struct {
	Failed int `json:"failed" doc:"Not delivered, or bounced"`
	Held   int `json:"held" doc:"Messages with a link that an administrator of the installation has to pass on"`
}

type searchFigures struct {
	Lag       int `json:"lag" doc:"Changes not yet in the index"`
	Indexed   int `json:"indexed" doc:"Documents in the index"`
	Documents int `json:"documents" doc:"Documents in total; while the index is rebuilt, indexed grows to this number"`

	Rebuilding bool `json:"rebuilding" doc:"Whether the index is being rebuilt, because it was deleted or damaged"`
}

type upgradeView struct {
	From int     `json:"from" doc:"Version of the records before"`
	To   int     `json:"to"`
	At   string  `json:"at" format:"date-time"`
	Took float64 `json:"seconds" doc:"How long it took, the copy of the records not included"`
}

type installedBackup struct {
	At        string `json:"at" format:"date-time"`
	Where     string `json:"where"`
	Size      int64  `json:"size" doc:"Bytes"`
	Encrypted bool   `json:"encrypted"`
}

type installedCheck struct {
	At       string `json:"at" format:"date-time"`
	Problems int    `json:"problems"`
}

type growthView struct {
	Documents    int   `json:"documents" doc:"That it was measured on"`
	Uploads      int64 `json:"uploads"`
	Revisions    int64 `json:"revisions" doc:"What signing added"`
	Certificates int64 `json:"certificates" doc:"Of completion"`
	Pictures     int64 `json:"pictures" doc:"Of pages: a cache of limited size"`
	Records      int64 `json:"records"`
	Search       int64 `json:"search" doc:"The index"`
}

func viewInstallation(o machine.Overview) installationView {
	v := installationView{Program: o.Program, Go: o.Go, Badger: o.Badger, Format: o.Data, StartedAt: when(o.Started), Companies: o.Companies, People: o.People,
		Jobs: jobFigures{o.Dead, o.Running, o.Waiting}, Messages: messageFigures{o.Failed, o.Held}, Attention: o.Attention,
		Search: searchFigures{int(o.Search.Lag), o.Search.Indexed, o.Search.Documents, o.Search.Rebuilding}, Checking: o.Checking, Warnings: views(o.Warnings, viewWarning)}
	if u := o.Upgrade; u.To > 0 {
		v.Upgrade = &upgradeView{u.From, u.To, when(u.At), u.Took.Seconds()}
	}
	if b := o.Backup; b != nil && !b.At.IsZero() {
		v.Backup = &installedBackup{when(b.At), b.Where, b.Size, b.Encrypted}
	}
	if c := o.Check; c != nil && !c.At.IsZero() {
		v.Check = &installedCheck{when(c.At), c.Problems}
	}
	if g := o.Growth; g != nil {
		v.Growth = &growthView{g.Documents, g.Uploads, g.Revisions, g.Certificates, g.Pictures, g.Records, g.Search}
	}
	return v
}

type tenantView struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Members   int    `json:"members" doc:"Active members"`
	Documents int    `json:"documents"`
	Bytes     int64  `json:"bytes" doc:"Size of the documents' files in bytes"`
	CreatedAt string `json:"created_at" format:"date-time"`
}

func viewTenant(c machine.Company) tenantView {
	return tenantView{c.ID, c.Name, c.Members, c.Documents, c.Bytes, when(c.CreatedAt)}
}

type tenantBody struct {
	Name     string `json:"name,omitempty" doc:"Required"`
	Email    string `json:"email,omitempty" doc:"E-mail address of the first owner; required"`
	Owner    string `json:"owner,omitempty" doc:"Name of the first owner"`
	Locale   string `json:"locale,omitempty" doc:"Language of messages"`
	Timezone string `json:"timezone,omitempty" doc:"For example Europe/Amsterdam"`
}

func (b *tenantBody) company() account.CompanyInput {
	return account.CompanyInput{Name: b.Name, Locale: b.Locale, Timezone: b.Timezone, Email: b.Email, Owner: b.Owner}
}

type foundedView struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Owner    string  `json:"owner_email"`
	SetupURL *string `json:"setup_url" format:"uri" doc:"For a new person: the link for choosing a password"`
}

type personRow struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Email      string      `json:"email"`
	Companies  []belongsTo `json:"companies"`
	LastSignIn *string     `json:"last_sign_in_at" format:"date-time"`
	TwoFactor  bool        `json:"two_factor"`
	Operator   bool        `json:"installation" doc:"Whether this person administers the installation"`
	Disabled   *string     `json:"deactivated_at" format:"date-time" doc:"Time since which this person can't log in"`
	CreatedAt  string      `json:"created_at" format:"date-time"`
}

type belongsTo struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role" enum:"owner,admin,approver,member,viewer"`
}

func viewPersonRow(p account.Person) personRow {
	v := personRow{ID: p.ID, Name: p.Name, Email: p.Email, Companies: []belongsTo{}, LastSignIn: maybe(p.LastSignIn), TwoFactor: p.TwoFactor,
		Operator: p.Installation, Disabled: maybe(p.DeactivatedAt), CreatedAt: when(p.CreatedAt)}
	for _, c := range p.Companies {
		v.Companies = append(v.Companies, belongsTo{c.ID, c.Name, string(c.Role)})
	}
	return v
}

type jobView struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	CompanyID *string `json:"company_id"`
	Status    string  `json:"status" enum:"dead,running,waiting"`
	Attempts  int     `json:"attempts"`
	LastError *string `json:"last_error"`
	CreatedAt string  `json:"created_at" format:"date-time"`
	DueAt     string  `json:"due_at" format:"date-time"`
}

func viewJob(j machine.Job) jobView {
	return jobView{j.ID, j.Kind, orNull(j.Company), j.State, j.Attempts, orNull(j.LastError), when(j.CreatedAt), when(j.Due)}
}

type mailRow struct {
	ID        string  `json:"id"`
	CompanyID *string `json:"company_id" doc:"null for the installation itself"`
	Kind      string  `json:"kind"`
	To        string  `json:"to"`
	Status    string  `json:"status" enum:"kept,queued,sent,failed,bounced,cancelled"`
	Attempts  int     `json:"attempts"`
	LastError *string `json:"last_error"`
	CreatedAt string  `json:"created_at" format:"date-time"`
}

func viewMailRow(m machine.Mail) mailRow {
	return mailRow{m.ID, orNull(m.Company), m.Kind, m.To, m.Status, m.Attempts, orNull(m.LastError), when(m.CreatedAt)}
}

type ailingView struct {
	DocumentID string `json:"document_id"`
	CompanyID  string `json:"company_id"`
	Attention  string `json:"attention"`
	Since      string `json:"since" format:"date-time"`
}

func viewAiling(a lists.AttentionItem) ailingView {
	return ailingView{a.Document, a.Company, string(a.Attention), when(a.Since)}
}

type handedView struct {
	To    string   `json:"to"`
	Kind  string   `json:"kind"`
	Links []string `json:"links"`
}

// installationHandlers serves the administration of the installation.
type installationHandlers struct {
	accounts *account.Services
	lists    *lists.Lists
	machine  *machine.Service
	notify   *notify.Service
}

func (h *installationHandlers) routes(s *server) {
	const tag = "Installation"
	search := append([]parameter{{name: "search", kind: "string", description: "How the name or address begins."}}, pageParameters...)
	status := append([]parameter{{name: "status", kind: "string", description: "One state."}}, pageParameters...)
	handle(s, operation{method: http.MethodGet, path: "/installation", rule: operators(), id: "getInstallation", summary: "Get the state of the installation", tag: tag}, func(r *request, _ *nothing) (installationView, error) {
		o, err := h.machine.Overview(r.UserContext(), r.who)
		return viewInstallation(o), err
	})
	handle(s, operation{method: http.MethodGet, path: "/installation/companies", rule: operators(), id: "listCompanies", summary: "List all companies", tag: tag, query: search, list: true}, h.listTenants)
	handle(s, operation{method: http.MethodPost, path: "/installation/companies", rule: operators().Hashing(), id: "addCompany", summary: "Add a company", tag: tag, status: http.StatusCreated}, h.addTenant)
	handle(s, operation{method: http.MethodPatch, path: "/installation/companies/{company}", rule: operators(), id: "renameCompany", summary: "Rename a company", tag: tag}, h.renameTenant)
	handle(s, operation{method: http.MethodGet, path: "/installation/people", rule: operators(), id: "listAccounts", summary: "List everybody with an account", tag: tag, query: search, list: true}, h.listPeople)
	handle(s, operation{method: http.MethodGet, path: "/installation/jobs", rule: operators(), id: "listJobs", summary: "List jobs", tag: tag, query: status, list: true}, h.listJobs)
	handle(s, operation{method: http.MethodPost, path: "/installation/jobs/{job}/retry", rule: operators(), id: "retryJob", summary: "Retry a job", tag: tag}, func(r *request, _ *nothing) (nothing, error) {
		return nothing{}, h.machine.RetryJob(r.UserContext(), r.who, r.Params("job"))
	})
	handle(s, operation{method: http.MethodGet, path: "/installation/messages", rule: operators(), id: "listFailedMessages", summary: "List messages that failed", tag: tag, query: status, list: true}, h.listMails)
	handle(s, operation{method: http.MethodPost, path: "/installation/messages/{message}/retry", rule: operators(), id: "retryFailedMessage", summary: "Send a failed message again", tag: tag}, h.onInstallation("message", h.notify.RetryFailed))
	handle(s, operation{method: http.MethodPost, path: "/installation/messages/{message}/reveal", rule: operators(), id: "revealFailedMessage", summary: "Show a held link to hand it over", tag: tag}, h.revealHeld)
	handle(s, operation{method: http.MethodGet, path: "/installation/attention", rule: operators(), id: "listDocumentsNeedingAttention", summary: "List documents that need attention", tag: tag, query: pageParameters, list: true}, h.listAiling)
	handle(s, operation{method: http.MethodPost, path: "/installation/companies/{company}/documents/{document}/retry", rule: operators(), id: "retryDocument", summary: "Retry what failed for a document", tag: tag}, h.retryDocument)
	handle(s, operation{method: http.MethodGet, path: "/installation/log", rule: operators(), id: "getLog", summary: "Read the log", tag: tag,
		query: []parameter{{name: "request_id", kind: "string", description: "Only what concerns this request."}}}, func(r *request, _ *nothing) (all[string], error) {
		lines, err := h.machine.ListLines(r.who, r.query.text("request_id"))
		return all[string]{lines}, err
	})
	handle(s, operation{method: http.MethodPost, path: "/installation/check", rule: operators(), id: "startCheck", summary: "Check all data", tag: tag, status: http.StatusAccepted}, func(r *request, _ *nothing) (message, error) {
		return message{"The check runs."}, h.machine.StartCheck(r.who)
	})
}

// onInstallation returns the handler of an operation whose only input is a record.
func (h *installationHandlers) onInstallation(name string, do func(account.Call, string) error) func(*request, *nothing) (nothing, error) {
	return func(r *request, _ *nothing) (nothing, error) {
		id, err := r.id(name)
		if err != nil {
			return nothing{}, err
		}
		return nothing{}, do(r.who, id)
	}
}

func (h *installationHandlers) listTenants(r *request, _ *nothing) (envelope[tenantView], error) {
	p := r.query.page()
	if err := r.query.faults.Err(); err != nil {
		return envelope[tenantView]{}, err
	}
	list, err := h.machine.ListCompanies(r.who, r.query.text("search"), p.offset(), p.size)
	return enclose(r, p, views(list.Items, viewTenant), list.Total), err
}

func (h *installationHandlers) addTenant(r *request, in *tenantBody) (foundedView, error) {
	b, err := h.machine.AddCompany(r.UserContext(), r.who, in.company())
	v := foundedView{ID: b.Company.ID, Name: b.Company.Name, Owner: b.User.Email}
	if b.Setup != "" {
		v.SetupURL = orNull(r.site() + "/setup?token=" + b.Setup)
	}
	return v, err
}

func (h *installationHandlers) renameTenant(r *request, in *nameBody) (tenantView, error) {
	id, err := r.id("company")
	if err != nil {
		return tenantView{}, err
	}
	c, err := h.machine.RenameCompany(r.who, id, in.Name)
	return viewTenant(c), err
}

func (h *installationHandlers) listPeople(r *request, _ *nothing) (envelope[personRow], error) {
	p := r.query.page()
	if err := r.query.faults.Err(); err != nil {
		return envelope[personRow]{}, err
	}
	list, err := h.accounts.Companies.ListPeople(r.who, r.query.text("search"), p.offset(), p.size)
	return enclose(r, p, views(list.Items, viewPersonRow), list.Total), err
}

func (h *installationHandlers) listJobs(r *request, _ *nothing) (envelope[jobView], error) {
	p := r.query.page()
	if err := r.query.faults.Err(); err != nil {
		return envelope[jobView]{}, err
	}
	list, err := h.machine.ListJobs(r.who, r.query.text("status"), p.offset(), p.size)
	return enclose(r, p, views(list.Items, viewJob), list.Total), err
}

func (h *installationHandlers) listMails(r *request, _ *nothing) (envelope[mailRow], error) {
	p, status := r.query.page(), r.query.text("status")
	if status != "" && status != notify.Failed && status != held {
		r.query.faults.OneOf("status", notify.Failed, held)
	}
	if err := r.query.faults.Err(); err != nil {
		return envelope[mailRow]{}, err
	}
	list, err := h.machine.ListMails(r.UserContext(), r.who, status == held, p.offset(), p.size)
	return enclose(r, p, views(list.Items, viewMailRow), list.Total), err
}

// held selects the messages whose link has to be passed on.
const held = "held"

func (h *installationHandlers) revealHeld(r *request, _ *provenBody) (handedView, error) {
	id, err := r.id("message")
	if err != nil {
		return handedView{}, err
	}
	m, err := h.notify.RevealHeld(r.who, id)
	return handedView{m.To, m.Kind, m.Links}, err
}

func (h *installationHandlers) listAiling(r *request, _ *nothing) (envelope[ailingView], error) {
	p := r.query.page()
	if err := r.query.faults.Err(); err != nil {
		return envelope[ailingView]{}, err
	}
	list, err := h.lists.ListAttention(r.who, p.offset(), p.size)
	return enclose(r, p, views(list.Items, viewAiling), list.Total), err
}

func (h *installationHandlers) retryDocument(r *request, _ *nothing) (nothing, error) {
	company, ok := parseID(r.Params("company"))
	if !ok {
		return nothing{}, fault.NotFound("document")
	}
	document, err := r.document()
	if err != nil {
		return nothing{}, err
	}
	return nothing{}, h.machine.RetryDocument(r.UserContext(), r.who, company, document)
}
