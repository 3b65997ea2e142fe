// Package examples completes the description of the API with example values and with the
// messages that webhooks receive.
package examples

import (
	"fmt"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// exampleTime is the time of everything in the examples.
const exampleTime = "2026-05-04T09:30:00.000Z"

// values holds the example values of members, by name. Of several, the first that the member can
// have is taken; those of times are all exampleTime.
var values = map[string]any{
	"id": "01K8XN2V7Q3J5T9B4C6D8E0F1G", "document_id": "01K8XN2V7Q3J5T9B4C6D8E0F1G", "file_id": "01K8XN2V8A2M4P6R8T0W2Y4Z6B", "invitation_id": "01K8XN2V8C5N7Q9S1V3X5Z7A9C",
	"user_id": "01K8XN2V6H8K0M2P4R6T8W0Y2A", "title": "Lease", "name": "Ben Buyer", "email": "ben@example.org", "user_name": "Ada Lovelace", "to": "ben@example.org", "to_name": "Ben Buyer",
	"status_id": 5, "status": []string{"sent", "notified", "active", "ok", "kept"}, "role": []string{"signer", "owner"}, "locale": "en", "timezone": "Europe/Amsterdam",
	"sent_at": "", "notified_at": "", "joined_at": "", "last_used_at": "", "email_verified_at": "", "claimed_at": "", "timestamp_at": "",
	"sign_url": "https://sign.example.org/s/01K8XN2V8C5N7Q9S1V3X5Z7A9C5f1c", "content_type": "application/pdf", "size": 48213, "pages": 2,
	"sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hash": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
	"previous_hash": "fd61a03af4f77d870fc21e05e7e80678095c92d808cfb3b5c279ee04c74aca13", "width": 0.3, "height": 0.06, "x": 0.1, "y": 0.8, "page": 1, "total": 1, "signed": 0, "version": 4,
	"first": "https://sign.example.org/documents?page=1", "last": "https://sign.example.org/documents?page=1", "current_page": 1, "last_page": 1, "per_page": 20, "from": 1,
	"recorded_by": "Ada Lovelace", "recorded_for": "Ben Buyer", "files_count": 1, "type": []string{"signature", "user", "invitation.signed"}, "required": true, "enabled": true, "confirmed": true, "intact": true, "trusted": true, "sound": true, "covers_whole_file": true,
	"level": "B-LTA", "algorithm": "ECDSA P-256, SHA-256", "issuer": "Acme signing", "signer": "Ben Buyer", "field": "Signature 1", "revocation": "good", "revision": 2, "subject": "Please sign: Lease",
	"text": "Please sign: Lease", "html": "<p>Please sign: Lease</p>", "kind": "invitation", "token": "eyJhbGciOiJFUzI1NiJ9…", "message": "Please sign by Friday.", "brand_color": "#1d5bd1",
	"ip": "203.0.113.7", "user_agent": "curl/8.5.0", "secret": "JBSWY3DPEHPK3PXP", "url": "otpauth://totp/Paraph:ada", "now": "", "default_expiry_days": 30, "recovery_codes": "x7f2-9qkd", "scopes": "read", "links": "https://sign.example.org/s/…",
	"events": "document.completed", "event_id": "01K8XN2V9E7R9T1V3X5Z7B9D1F", "timestamp": "", "after": "01K8XN2V9E7R9T1V3X5Z7B9D1F", "status_code": 200, "duration_ms": 84, "attempt": 1, "delivered": 41, "failed": 1, "count": 3,
	"reminder_days": 3, "code": "fonts_not_embedded", "severity": "info", "attempts": 1,
}

// Add adds an example to each member of all records that has none. Members that may be null
// and have no example here are null in examples.
func Add(schemas map[string]*huma.Schema) {
	for _, s := range schemas {
		addTo(s)
	}
}

func addTo(s *huma.Schema) {
	for name, member := range s.Properties {
		addTo(member)
		if len(member.Examples) > 0 {
			continue
		}
		if v := exampleOf(member, name); v != nil {
			member.Examples = []any{v}
		}
	}
}

// exampleOf returns an example of a member, nil if there is none.
func exampleOf(s *huma.Schema, name string) any {
	v, known := values[name]
	switch {
	case s.Ref != "" || !known && s.Nullable:
		return nil
	case s.Type == huma.TypeArray:
		if v := exampleOf(s.Items, name); known && v != nil {
			return []any{v}
		}
		return nil
	case s.Type == huma.TypeInteger || s.Type == huma.TypeNumber:
		switch v.(type) {
		case int, float64:
			return v
		}
	case s.Type == huma.TypeBoolean && known:
		return v == true
	case s.Type == huma.TypeString:
		return textOf(s, v)
	}
	return nil
}

// textOf returns an example of a string.
func textOf(s *huma.Schema, v any) any {
	all, ok := v.([]string)
	if one, single := v.(string); single {
		all, ok = []string{one}, true
	}
	switch {
	case s.Format == "date-time" || ok && slices.Equal(all, []string{""}):
		return exampleTime
	case len(s.Enum) > 0:
		for _, x := range all {
			if slices.ContainsFunc(s.Enum, func(choice any) bool { return fmt.Sprint(choice) == x }) {
				return x
			}
		}
		return s.Enum[0]
	case !ok:
		return nil
	}
	return all[len(all)-1]
}
