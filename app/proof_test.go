package app_test

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"paraph/app"
	"paraph/app/apptest"
)

// signatory is a person with a link, and its target.
type signatory struct {
	*apptest.Client
	owner                *apptest.Client
	document, invitation string // paths of the API
}

// invite sends a document to one person.
func invite(t *testing.T, owner *apptest.Client, person apptest.Map, fields ...any) signatory {
	t.Helper()
	all := apptest.Map{"name": "Sam", "email": "sam@signer.example"}
	maps.Copy(all, person)
	for _, f := range fields {
		maps.Copy(f.(apptest.Map), apptest.Map{"invitation_id": "0", "x": 0, "y": 0, "width": .1, "height": .1})
	}
	d := owner.Post(t, "/documents", apptest.Multipart(t, apptest.Map{"title": "Contract", "send": true, "invitations": apptest.List{all}, "fields": fields},
		apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")})).Want(t, 201)
	_, link, _ := strings.Cut(d.Text(t, "invitations.0.sign_url"), "/s/")
	at := "/documents/" + d.Text(t, "id")
	return signatory{owner.Server.With(link), owner, at, at + "/" + d.Text(t, "invitations.0.id")}
}

// onDisk returns the total size of the files stored in a data folder.
func onDisk(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "files"), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // removed meanwhile
		}
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestLinksWithoutTheirCodeFillNoDisk sends large attachments and pictures with
// links whose code is unknown, and with values that are refused.
func TestLinksWithoutTheirCodeFillNoDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := apptest.StartIn(dir, app.NewClock())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	owner := s.Company(t)
	attachment := func() any {
		return apptest.Map{"type": "attachment", "name": "plan"}
	}
	number := apptest.Map{"type": "number", "name": "rooms"}
	file := func(i int) string {
		return "data:application/pdf;name=plan.pdf;base64," + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(fmt.Sprintf("%08d", i), 1<<17)))
	}
	coded := invite(t, owner, apptest.Map{"access_code": "open sesame"}, attachment())
	open := invite(t, owner, apptest.Map{}, attachment(), number)
	before := onDisk(t, dir)
	for i := range 20 {
		fields := apptest.Map{"plan": file(i)}
		if r := coded.Post(t, coded.invitation+"/sign", apptest.Map{"consent": true, "code": "wrong", "fields": fields}); r.Status != 422 && r.Status != 429 {
			t.Fatalf("with a wrong code: %d %.200s", r.Status, r.Body)
		}
		coded.Post(t, coded.invitation+"/sign", apptest.Map{"consent": true, "fields": fields}).Want(t, 422)
		open.Post(t, open.invitation+"/sign", apptest.Map{"fields": fields}).Want(t, 422) // no consent
		fields["rooms"] = "many"
		open.Post(t, open.invitation+"/sign", apptest.Map{"consent": true, "fields": fields}).Want(t, 422)
	}
	if grown := onDisk(t, dir) - before; grown > 64<<10 {
		t.Errorf("80 refused requests left %d KB on disk", grown>>10)
	}
	open.Post(t, open.invitation+"/sign", apptest.Map{"consent": true, "fields": apptest.Map{"plan": file(0), "rooms": 3}}).Want(t, 200)
	if grown := onDisk(t, dir) - before; grown < 1<<20 || grown > 4<<20 {
		t.Errorf("one signature with an attachment of 1 MB took %d KB", grown>>10)
	}
}

// TestDocumentIsHiddenUntilTheCodeIsEntered looks for field names in what a link shows
// before its code is entered.
func TestDocumentIsHiddenUntilTheCodeIsEntered(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	p := invite(t, s.Company(t), apptest.Map{"access_code": "open sesame"}, apptest.Map{"type": "text", "name": "diagnosis"})
	for _, body := range []apptest.Map{{}, {"consent": true}, {"consent": true, "code": "wrong"}, {"fields": apptest.Map{"diagnosis": "x", "no such": "y"}}} {
		r := p.Post(t, p.invitation+"/sign", body).Want(t, 422)
		if errors, _ := r.At(t, "errors").(apptest.Map); len(errors) != 1 || errors["code"] == nil {
			t.Errorf("%v: %s", body, r.Body)
		}
	}
}

// TestRightCodesSurviveWrongValues enters a code by e-mail together with a value
// that is refused: it is accepted once more, and then not again.
func TestRightCodesSurviveWrongValues(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	p := invite(t, s.Company(t), apptest.Map{"authentication": "email_code"}, apptest.Map{"type": "number", "name": "rooms"})
	p.Post(t, p.invitation+"/code", nil).Want(t, 202)
	code := sixDigits(t, s, "sam@signer.example")
	sign := func(rooms string) *apptest.Response {
		return p.Post(t, p.invitation+"/sign", apptest.Map{"consent": true, "code": code, "fields": apptest.Map{"rooms": rooms}})
	}
	sign("many").Want(t, 422)
	sign("3").Want(t, 200)
	p.Post(t, p.invitation+"/identify", apptest.Map{"code": code}).Want(t, 422)
	s.Advance(t, "1m")
	p.Post(t, p.invitation+"/code", nil).Want(t, 202) // for the completed file
	p.Post(t, p.invitation+"/identify", apptest.Map{"code": sixDigits(t, s, "sam@signer.example")}).Want(t, 200)
}

var sixInARow = regexp.MustCompile(`\b\d{6}\b`)

// sixDigits returns the code in the newest message that has one.
func sixDigits(t *testing.T, s *apptest.Server, to string) string {
	t.Helper()
	for _, m := range s.Mails(t, to) {
		if m.Kind == "signing_code" {
			return sixInARow.FindString(m.Text)
		}
	}
	t.Fatalf("no code was sent to %s", to)
	return ""
}

// usedUp expects a refusal that names the exhausted limit and when to retry.
func usedUp(t *testing.T, r *apptest.Response, code string) {
	t.Helper()
	r.Want(t, http.StatusTooManyRequests)
	if wait, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || wait < 60 || wait > 24*60*60 || r.Text(t, "code") != code {
		t.Errorf("%s: %v %s", r.What, r.Header, r.Body)
	}
}

// TestCodesAreCountedByTheDay guesses and requests codes as fast as allowed, also
// across a restart.
func TestCodesAreCountedByTheDay(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	start := func() *apptest.Server {
		s, err := apptest.StartIn(dir, clock)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start()
	owner := s.Company(t)
	mailed := invite(t, owner, apptest.Map{"authentication": "email_code"})
	coded := invite(t, owner, apptest.Map{"access_code": "open sesame"})
	sends, guesses, tries := 0, 0, 0
	for range 12 {
		if mailed.Post(t, mailed.invitation+"/code", nil).Status == 202 {
			sends++
		}
		for range 6 {
			if mailed.Post(t, mailed.invitation+"/identify", apptest.Map{"code": "0000000"}).Status == 422 {
				guesses++
			}
			if coded.Post(t, coded.invitation+"/identify", apptest.Map{"code": "guess"}).Status == 422 {
				tries++
			}
		}
		s.Advance(t, "11m")
	}
	if sends != 5 || guesses != 25 || tries != 25 {
		t.Errorf("%d codes were sent, %d guesses and %d access codes tried", sends, guesses, tries)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = start()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	mailed.Client, coded.Client = s.With(mailed.Token), s.With(coded.Token)
	usedUp(t, mailed.Post(t, mailed.invitation+"/code", nil), "codes_used_up")
	usedUp(t, mailed.Post(t, mailed.invitation+"/identify", apptest.Map{"code": "1"}), "tries_used_up")
	usedUp(t, coded.Post(t, coded.invitation+"/identify", apptest.Map{"code": "open sesame"}), "tries_used_up")
	usedUp(t, coded.Post(t, coded.invitation+"/sign", apptest.Map{"code": "open sesame", "consent": true}), "tries_used_up")
	s.Advance(t, "24h")
	mailed.Post(t, mailed.invitation+"/code", nil).Want(t, 202)
	coded.Post(t, coded.invitation+"/identify", apptest.Map{"code": "open sesame"}).Want(t, 200)
}

// TestCodesAreCountedByAddress requests codes for many invitations of one person.
func TestCodesAreCountedByAddress(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner, other := s.Company(t), s.Company(t)
	var all []signatory
	for i := range 11 {
		// Different spellings of the same address.
		email := []string{"sam@signer.example", "Sam@Signer.example"}[i%2]
		all = append(all, invite(t, owner, apptest.Map{"email": email, "authentication": "email_code"}))
	}
	sent := 0
	for range 5 {
		for _, p := range all {
			if p.Post(t, p.invitation+"/code", nil).Status == 202 {
				sent++
			}
		}
		s.Advance(t, "1m")
	}
	if sent != 50 {
		t.Errorf("%d codes were sent to one address, want 50", sent)
	}
	usedUp(t, all[10].Post(t, all[10].invitation+"/code", nil), "codes_used_up")
	elsewhere := invite(t, other, apptest.Map{"authentication": "email_code"})
	elsewhere.Post(t, elsewhere.invitation+"/code", nil).Want(t, 202)
	s.Advance(t, "24h")
	all[10].Post(t, all[10].invitation+"/code", nil).Want(t, 202)
}

// TestCodesAreCountedByNetwork checks that a collection of links does not multiply
// the guesses of their holder, and that others on the same network are not shut out.
func TestCodesAreCountedByNetwork(t *testing.T) {
	t.Parallel()
	s := apptest.New(t)
	owner := s.Company(t)
	const invitations, window = 5, 5
	var all []signatory
	for range invitations {
		all = append(all, invite(t, owner, apptest.Map{"access_code": "open sesame"}))
	}
	other := invite(t, owner, apptest.Map{"access_code": "open sesame"})
	identify := func(p signatory, code string) *apptest.Response {
		return p.Post(t, p.invitation+"/identify", apptest.Map{"code": code})
	}
	wrong, refused := 0, 0
	for range 5 {
		identify(other, "open sesame").Want(t, 200) // correct codes do not count
		for _, p := range all {
			for range window {
				if r := identify(p, "guess"); r.Status == 422 {
					wrong++
				} else {
					usedUp(t, r, "tries_used_up")
					refused++
				}
			}
		}
		s.Advance(t, "11m")
	}
	if wrong != 100 || refused != 25 {
		t.Errorf("%d codes were tried and %d refused, want 100 and 25", wrong, refused)
	}
	usedUp(t, identify(all[0], "open sesame"), "tries_used_up")
	identify(other, "open sesame").Want(t, 200)
	identify(other, "gess").Want(t, 422)
	usedUp(t, identify(other, "open sesame"), "tries_used_up")
	s.Advance(t, "24h")
	identify(other, "open sesame").Want(t, 200)
}
