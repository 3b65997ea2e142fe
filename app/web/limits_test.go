package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"paraph/app/account"
	"paraph/app/apptest"
)

// request is an HTTP request, with headers in pairs.
func (v *visitor) request(method, path, body string, headers ...string) *http.Response {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestAFormThatIsTooLargeIsRefusedWithAPage(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	v := invited(t, s)
	body := url.Values{"email": {"a@b.example"}, "password": {strings.Repeat("x", 20_000)}}.Encode()
	res := v.request(http.MethodPost, "/signin", body, "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(page), "<main") {
		t.Errorf("got %d %.300s", res.StatusCode, page)
	}
}

func TestSignatoriesResumeTheirDownloads(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	c := s.Company(t)
	d := c.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Contract", "send": true,
		"invitations": apptest.List{apptest.Map{"name": "Sam", "email": "sam@signer.example"}}},
		apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, http.StatusCreated)
	link := path(t, d.Text(t, "invitations.0.sign_url"))
	c.Post(t, "/documents/"+d.Text(t, "id")+"/"+d.Text(t, "invitations.0.id")+"/sign", apptest.Map{}).Want(t, http.StatusOK)
	v := invited(t, s)
	whole := v.request(http.MethodGet, link+"/files/document", "")
	all, err := io.ReadAll(whole.Body)
	if err != nil || whole.StatusCode != http.StatusOK || whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Fatalf("%d %v %v", whole.StatusCode, whole.Header, err)
	}
	rest := v.request(http.MethodGet, link+"/files/document", "", "Range", "bytes=1000-", "If-Range", whole.Header.Get("ETag"))
	tail, err := io.ReadAll(rest.Body)
	if err != nil || rest.StatusCode != http.StatusPartialContent || string(tail) != string(all[1000:]) {
		t.Errorf("got %d, %d bytes of %d: %v", rest.StatusCode, len(tail), len(all), err)
	}
	if want := fmt.Sprintf("bytes 1000-%d/%d", len(all)-1, len(all)); rest.Header.Get("Content-Range") != want {
		t.Errorf("Content-Range %q, want %q", rest.Header.Get("Content-Range"), want)
	}
}

func TestTheRightIsCheckedBeforeAFormIsRead(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	viewer := browse(t, owner.Member(t, account.RoleViewer))
	// Neither a form nor a token: callers without access learn nothing more.
	if res := viewer.request(http.MethodPost, "/app/documents/new", "x", "Content-Type", "text/plain"); res.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer: %d", res.StatusCode)
	}
	if res := browse(t, owner).request(http.MethodPost, "/app/documents/new", "x", "Content-Type", "text/plain"); res.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("the owner: %d", res.StatusCode)
	}
	if res := invited(t, s).request(http.MethodPost, "/s/no-such-link", "x", "Content-Type", "text/plain"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a link that opens nothing: %d", res.StatusCode)
	}
}

// TestTheEditorReadsNoMoreFieldsThanADocumentHas sends far too many tiny fields followed by
// invalid JSON, which must never be reached.
func TestTheEditorReadsNoMoreFieldsThanADocumentHas(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	at := "/app/documents/" + owner.Post(t, "/documents", apptest.Map{"title": "Many"}).Want(t, http.StatusCreated).Text(t, "id")
	v := browse(t, owner)
	for fields, want := range map[string]int{
		"[" + strings.Repeat("{},", 100_000) + "!": http.StatusUnprocessableEntity, "[!": http.StatusBadRequest, "": http.StatusBadRequest,
		"[]]": http.StatusBadRequest, "{}": http.StatusBadRequest, "[": http.StatusBadRequest,
	} {
		if status, html := v.send(at+"/fields", "fields", fields, "version", "1"); status != want {
			t.Errorf("%.9s: %d, want %d: %.200s", fields, status, want, html)
		}
	}
}
