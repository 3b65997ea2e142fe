package api

import (
	"hash"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/oklog/ulid/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/httpkit"
	"paraph/app/limit"
	"paraph/app/signing"
	"paraph/app/signing/record"
)

// request is one call of an endpoint.
type request struct {
	*fiber.Ctx
	server  *server
	op      *operation
	who     account.Call
	body    *httpkit.Body
	uploads uploads
	sum     hash.Hash       // of the body; nil without an Idempotency-Key
	echoed  map[string]bool // members of the answers, which clients may send back
	members map[string]bool // known members of the body; true if null
	plain   []byte          // the body of an endpoint with a non-JSON body
	isPlain bool            // it was not JSON
	seen    []int64         // versions of the document in If-Match; none means any
	etag    string
	query   query
}

// companyKey is the local under which the log finds the request's company.
const companyKey = "company"

// authenticate finds the caller from the bearer token: a JWT of this service, or
// the token of a signatory's link.
func (s *server) authenticate(c *fiber.Ctx) (account.Call, error) {
	scheme, token, ok := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	token = strings.TrimSpace(token)
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return account.Call{}, fault.NotAccepted("token_missing")
	}
	var who account.Actor
	var err error
	if signing.IsLinkToken(token) {
		who, err = s.Signing.Sending.Signatory(token)
	} else {
		who, err = s.Accounts.Authentication.Authenticate(token)
	}
	if err != nil {
		return account.Call{}, err
	}
	return who.CallFrom(account.From{IP: s.Kit.Address(c), UserAgent: httpkit.Agent(c)})
}

// call returns the call of a service that acts on the document as the caller has seen it.
func (r *request) call() account.Call { return r.who.At(r.seen...) }

// admit finds the caller and checks their access to the endpoint, before any of
// the body is read.
func (r *request) admit() (err error) {
	if r.op.rule.For == httpkit.Everyone {
		return nil
	}
	if r.who, err = r.server.authenticate(r.Ctx); err != nil {
		return err
	}
	if err := r.pace(); err != nil {
		return err
	}
	r.seen = ifMatch(r.Get(fiber.HeaderIfMatch))
	r.Locals(companyKey, r.who.CompanyID)
	if err := r.op.rule.Admit(r.who); err != nil {
		return err
	}
	if err := r.confine(); err != nil {
		return err
	}
	if id, ok := parseID(r.Params("document")); ok && r.who.IsSignatory() && id != r.who.Document {
		return fault.NotFound("document")
	}
	return nil
}

// pace counts the request, and refuses it if its token has made as many as it may in the last minute.
func (r *request) pace() error {
	l := r.server.paces
	if l == nil || r.who.TokenID == "" {
		return nil
	}
	remaining, wait, ok := l.Allow(r.who.TokenID)
	if !ok {
		return fault.Throttled(l.Limit(), wait)
	}
	r.rate(limit.Rate{Limit: l.Limit(), Remaining: remaining})
	return nil
}

// base returns the address of the API as the caller used it, for links.
func (r *request) base() string {
	base := r.site()
	if r.Path() == "/api" || strings.HasPrefix(r.Path(), "/api/") {
		base += "/api"
	}
	return base
}

// site returns the address of the appliance as the caller used it.
func (r *request) site() string { return r.server.Kit.Site(r.Ctx) }

// id reads an ID in the path: a ULID in either of its forms. Anything else is not found.
func (r *request) id(name string) (string, error) {
	id, ok := parseID(r.Params(name))
	if !ok {
		return "", fault.NotFound(name)
	}
	return id, nil
}

// parseID reads a ULID as 26 Crockford characters of either case, or as the
// 8-4-4-4-12 hexadecimal rendering of the same 128 bits.
func parseID(s string) (string, bool) {
	if len(s) == 36 {
		return parseUUID(s)
	}
	u, err := ulid.ParseStrict(s)
	if err != nil {
		return "", false
	}
	return u.String(), true
}

func parseUUID(s string) (string, bool) {
	var u ulid.ULID
	digits := make([]byte, 0, 32)
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return "", false
			}
		default:
			digits = append(digits, s[i])
		}
	}
	for i := range u {
		v, err := strconv.ParseUint(string(digits[2*i:2*i+2]), 16, 8)
		if err != nil {
			return "", false
		}
		u[i] = byte(v)
	}
	return u.String(), true
}

// idOr reads an ID in a body. It normalizes both forms of a ULID, and leaves anything
// else for the service to refuse.
func idOr(s string) string {
	if id, ok := parseID(s); ok {
		return id
	}
	return s
}

// document reads the ID of the document in the path.
func (r *request) document() (string, error) { return r.id("document") }

// within returns the document in the path, and what the path names in it.
func (r *request) within(name string) (document, id string, err error) {
	if document, err = r.document(); err == nil {
		id, err = r.id(name)
	}
	return document, id, err
}

// ifMatch returns the versions in the If-Match header (RFC 9110 §13.1.1); none means
// any. Tags that aren't ours match nothing.
func ifMatch(header string) []int64 {
	if header == "" || header == "*" {
		return nil
	}
	var seen []int64
	for tag := range strings.SplitSeq(header, ",") {
		v, err := strconv.ParseInt(strings.Trim(strings.TrimSpace(tag), `"`), 10, 64)
		if err != nil {
			v = -1
		}
		seen = append(seen, v)
	}
	return seen
}

// version sets the ETag of a document.
func (r *request) version(d *record.Document) { r.etag = `"` + strconv.FormatInt(d.Version, 10) + `"` }
