package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/pquerna/otp/totp"

	"paraph/app"
	"paraph/app/account"
	"paraph/app/apptest"
)

// secrets maps descriptions to secrets that users have seen.
type secrets map[string]string

func (s secrets) add(t *testing.T, what, secret string) string {
	t.Helper()
	if len(secret) < 4 {
		t.Fatalf("%s: %q is too short for a secret", what, secret)
	}
	s[what] = secret
	return secret
}

// TestStoredDataGrantsNoAccess creates links, codes, tokens and all other secrets, closes
// the appliance, and searches its folder for them: all files, and all keys and values of
// the store including earlier versions.
func TestStoredDataGrantsNoAccess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := app.NewClock()
	s, err := apptest.StartIn(dir, clock, func(c *app.Config) {
		c.Mail.Password, c.Signing.PKCS12Password = "smtp-password-of-ours", ""
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := secrets{"the password for the mail server": "smtp-password-of-ours"}
	makeSecrets(t, s, seen)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(seen) < 20 {
		t.Errorf("only %d secrets were seen", len(seen))
	}
	searchFiles(t, dir, seen)
	searchStore(t, filepath.Join(dir, "kv"), seen)
}

// makeSecrets makes the appliance create one secret of every kind.
func makeSecrets(t *testing.T, s *apptest.Server, seen secrets) {
	t.Helper()
	owner := s.Company(t)
	seen.add(t, "a session", owner.Token)
	seen.add(t, "a password", apptest.Password)
	token := owner.Post(t, "/tokens", apptest.Map{"name": "CI", "scopes": apptest.List{"read"}}, "Idempotency-Key", "token").Want(t, 201)
	seen.add(t, "an API token", token.Text(t, "token"))
	hook := owner.Post(t, "/webhooks", apptest.Map{"url": "https://receiver.example/hook"}, "Idempotency-Key", "hook").Want(t, 201)
	seen.add(t, "the secret of a webhook", hook.Text(t, "secret"))

	owner.Post(t, "/email/reverify", apptest.Map{}).Want(t, 202)
	seen.add(t, "a link to confirm an address", s.Link(t, owner.Email, "/confirm/"))
	owner.Post(t, "/members", apptest.Map{"email": "new@company.example", "role": "admin"}).Want(t, 201)
	seen.add(t, "a link to join", s.Link(t, "new@company.example", "/join/"))
	seen.add(t, "a link to undo", s.Link(t, owner.Email, "/undo/"))
	s.Anonymous().Post(t, "/password/forgot", apptest.Map{"email": owner.Email}).Want(t, 202)
	seen.add(t, "a link to reset a password", s.Link(t, owner.Email, "/reset/"))

	setup := owner.Post(t, "/me/two-factor", apptest.Map{}).Want(t, 200)
	secret := seen.add(t, "the secret of an authenticator app", setup.Text(t, "secret"))
	code, err := totp.GenerateCode(secret, s.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	on := owner.Post(t, "/me/two-factor", apptest.Map{"code": code}, "Idempotency-Key", "codes").Want(t, 200)
	for i := range 3 {
		seen.add(t, "recovery code "+string(rune('0'+i)), on.Text(t, "recovery_codes."+string(rune('0'+i))))
	}
	used := seen["recovery code 0"]
	again := s.Anonymous().Post(t, "/login", apptest.Map{"email": owner.Email, "password": apptest.Password, "code": used}).Want(t, 200)
	seen.add(t, "another session", again.Text(t, "companies.0.token"))
	signSecrets(t, s, owner, seen)

	link := s.Link(t, owner.Email, "/undo/")
	reset, err := s.Accounts.Authentication.Undo(link)
	if err != nil {
		t.Fatal(err)
	}
	seen.add(t, "a link that was used", link)
	seen.add(t, "the link that undoing leads to", reset)
	if err := s.Accounts.Authentication.ResetPassword(t.Context(), reset, account.Reset{Password: seen.add(t, "a new password", "a brand new horse")}); err != nil {
		t.Fatal(err)
	}
}

// signSecrets adds the secrets of signatories.
func signSecrets(t *testing.T, s *apptest.Server, owner *apptest.Client, seen secrets) {
	t.Helper()
	body := apptest.Map{"title": "Contract", "send": true, "invitations": apptest.List{
		apptest.Map{"name": "Link", "email": "link@signer.example"},
		apptest.Map{"name": "Code", "email": "code@signer.example", "authentication": "email_code"},
		apptest.Map{"name": "Known", "email": "known@signer.example", "authentication": "access_code", "access_code": seen.add(t, "an access code", "Zwetschge-88")},
	}}
	sent := owner.Post(t, "/documents", apptest.Multipart(t, body, apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")}), "Idempotency-Key", "document").Want(t, 201)
	for i, who := range []string{"link", "code", "known"} {
		_, link, _ := strings.Cut(sent.Text(t, "invitations."+string(rune('0'+i))+".sign_url"), "/s/")
		seen.add(t, "the link of "+who, link[26:]) // the identifier in front is not secret
		if mailed := s.Link(t, who+"@signer.example", "/s/"); mailed != link {
			t.Errorf("%s was mailed %q", who, mailed)
		}
	}
	id := sent.Text(t, "id")
	invitation := sent.Text(t, "invitations.1.id")
	signer := s.With(s.Link(t, "code@signer.example", "/s/"))
	signer.Post(t, "/documents/"+id+"/invitations/"+invitation+"/code", apptest.Map{})
	for _, m := range s.Mails(t, "code@signer.example") {
		if _, code, ok := strings.Cut(m.Subject, "code: "); ok {
			seen.add(t, "a code by mail", "code: "+code)
			seen.add(t, "the same code alone", code)
		}
	}
	if seen["a code by mail"] == "" {
		t.Error("no code was mailed")
	}
}

// spellings returns the encodings in which a secret may be stored.
func spellings(secret string) [][]byte {
	all := []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)), strings.ReplaceAll(secret, "-", "")}
	for i := range 3 { // within a longer text in base64
		padded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", i) + secret))
		all = append(all, padded[4:len(padded)-4])
	}
	var out [][]byte
	for _, s := range all {
		if len(s) >= 6 {
			out = append(out, []byte(s))
		}
	}
	return out
}

func (s secrets) within(t *testing.T, where string, b []byte) {
	t.Helper()
	for what, secret := range s {
		if what == "the same code alone" && !strings.HasPrefix(where, "value") {
			continue // six digits occur in many files by chance
		}
		if slices.ContainsFunc(spellings(secret), func(x []byte) bool { return bytes.Contains(b, x) }) {
			t.Errorf("%s is stored in %s", what, where)
		}
	}
}

func searchFiles(t *testing.T, dir string, seen secrets) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		seen.within(t, strings.TrimPrefix(path, dir), b)
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%d files were searched: %v", files, err)
	}
}

func searchStore(t *testing.T, dir string, seen secrets) {
	t.Helper()
	db, err := badger.Open(badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	entries, addresses := 0, 0
	begun := time.Now()
	err = db.View(func(tx *badger.Txn) error {
		it := tx.NewIterator(badger.IteratorOptions{AllVersions: true, PrefetchValues: true, PrefetchSize: 100})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			entries++
			key := it.Item().KeyCopy(nil)
			seen.within(t, "a key", key)
			if err := it.Item().Value(func(v []byte) error {
				addresses += bytes.Count(v, []byte("link@signer.example"))
				seen.within(t, "value of "+string(bytes.ToValidUTF8(key, []byte("?"))), v)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || entries < 100 || addresses == 0 { // an address is not secret
		t.Errorf("%d entries were searched in %v, %d addresses found: %v", entries, time.Since(begun), addresses, err)
	}
}

// TestUpgradeEncryptsStoredSecrets stores messages and responses in the clear, as older
// versions did, and searches for their secrets after the next start.
func TestUpgradeEncryptsStoredSecrets(t *testing.T) {
	t.Parallel()
	dir, clock := t.TempDir(), app.NewClock()
	run := func(do func(s *apptest.Server)) {
		s, err := apptest.StartIn(dir, clock)
		if err != nil {
			t.Fatal(err)
		}
		do(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	run(func(s *apptest.Server) {
		owner := s.Company(t)
		body := apptest.Map{"title": "Contract", "send": true, "invitations": apptest.List{apptest.Map{"name": "Link", "email": "link@signer.example"}}}
		file := apptest.File{Name: "contract.pdf", Content: apptest.PDF(t, "The contract.")}
		owner.Post(t, "/documents", apptest.Multipart(t, body, file), "Idempotency-Key", "document").Want(t, 201)
		s.Mails(t, "link@signer.example") // it was written
	})
	const secret = "AnOldLinkThatStillOpensADoor"
	if messages, responses := unsealAll(t, filepath.Join(dir, "kv"), secret); messages == 0 || responses == 0 {
		t.Fatalf("%d messages and %d responses are stored", messages, responses)
	}
	makeOlder(t, dir, 5)
	run(func(*apptest.Server) {})
	searchStore(t, filepath.Join(dir, "kv"), secrets{"an old link": secret})
}

// unsealAll replaces the encrypted parts of messages and responses with a secret in
// the clear, and counts them.
func unsealAll(t *testing.T, dir, secret string) (messages, responses int) {
	t.Helper()
	db, err := badger.OpenManaged(badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	at := db.MaxVersion()
	w := db.NewTransactionAt(at, true)
	it := w.NewIterator(badger.DefaultIteratorOptions)
	changed := map[string][]byte{}
	for it.Rewind(); it.Valid(); it.Next() {
		var record map[string]any
		if err := it.Item().Value(func(v []byte) error { return json.Unmarshal(v, &record) }); err != nil {
			continue // not a record
		}
		switch {
		case record["Sealed"] != nil:
			delete(record, "Sealed")
			record["Text"], record["Links"] = "Go to https://h.example/s/"+secret, []string{"https://h.example/s/" + secret}
			messages++
		case record["fingerprint"] != nil && record["body"] != nil:
			record["body"] = []byte(secret)
			responses++
		default:
			continue
		}
		b, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		changed[string(it.Item().KeyCopy(nil))] = b
	}
	it.Close()
	for key, b := range changed {
		if err := w.Set([]byte(key), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.CommitAt(at+1, nil), db.Close()); err != nil {
		t.Fatal(err)
	}
	return messages, responses
}
