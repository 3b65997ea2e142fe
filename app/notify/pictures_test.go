package notify

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"paraph/app/signing/record"
)

// genuine are facts such as people's messages have, some of them long.
func genuine() map[string]string {
	return map[string]string{"title": "Lease of the flat at 12 Harbour Street", "message": "Please sign by the end of the week.\n\nThe keys are with the caretaker.",
		"reason": "The deposit is not what we agreed on.", "name": "Maria Silva", "sender": "Ana Archer", "sender_email": "ana@harbour.example", "signatory": "Ben Buyer",
		"inviter": "Ana Archer", "inviter_email": "ana@harbour.example", "company": "Harbour Homes", "email": "a.rather.long.name.of.a.person@department.harbour-homes.example", "code": "493 201", "minutes": "10",
		"link": "https://sign.harbour.example/s/8qJt3yXkq0Wm1n5v7z9BcDfGhJkLmNpQrStVwXyZ", "expires": "2027-01-31T23:30:00Z", "expires_at": "2027-01-31T23:30:00Z", "timezone": "Europe/Vienna",
		"what": "Laptop in the office", "scopes": "read, write", "date": "25 November 2026", "free": "1.2 GB", "size": "40 GB", "reserve": "512 MB", "by": "+20 min", "named": "Clara Cole <clara@signer.example>",
		"logo":     "https://sign.harbour.example/logo/1?v=2",
		"verbatim": "paraph-checkpoint 1\nharbour 2026-11-25 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03\n"}
}

// TestMessagesToLookAt writes every kind of message as an HTML file into mails, a folder in the one
// that PARAPH_PICTURES names; TestPicturesOfMessages in app/web takes the pictures.
func TestMessagesToLookAt(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PARAPH_PICTURES")
	if dir == "" {
		dir = t.TempDir()
	}
	dir = filepath.Join(dir, "mails")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, _ := service(t)
	w := s.Texts.wording
	for _, language := range []string{"en", "de", "ar"} {
		for _, kind := range kinds(s.Words) {
			for _, role := range append([]string{""}, record.Roles()...) {
				if role != "" && !w.hasFor(kind, role) {
					continue
				}
				facts := genuine()
				facts["role"] = role
				facts["cause"] = map[bool]string{true: "problems", false: "timestamp"}[kind == "not_sent"]
				v, err := w.word(kind, language, facts, nil)
				if err != nil {
					t.Fatal(err)
				}
				var page bytes.Buffer
				if err := w.layout.Execute(&page, v); err != nil {
					t.Fatal(err)
				}
				if v.Preview() == "" || v.text() == "" {
					t.Errorf("%s in %s has no preview or text: %q, %q", kind, language, v.Preview(), v.text())
				}
				name := language + "-" + kind
				if role != "" {
					name += "-" + role
				}
				if err := os.WriteFile(filepath.Join(dir, name+".html"), page.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
