package notify

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSealedMessagesAreSmall seals the content of a message as it is now, and as it was before
// it was compressed, and reads both.
func TestSealedMessagesAreSmall(t *testing.T) {
	t.Parallel()
	s, err := newMessages(nil, []byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	html := strings.Repeat(`<td style="padding:0 24px">Sign</td>`, 100)
	plain, err := json.Marshal(content{Subject: "Sign", HTML: html, Links: []string{"https://h.example/s/TOKEN"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, stored := range map[string][]byte{"now": pack(plain), "before": plain} {
		m := Message{ID: "m"}
		if m.Sealed, err = s.box.Seal(m.ID, stored); err != nil {
			t.Fatal(err)
		}
		size := len(m.Sealed)
		if err := s.unseal(&m); err != nil || m.HTML != html || len(m.Links) != 1 || m.Sealed != nil {
			t.Errorf("%s: read %+v, %v", name, m, err)
		}
		if name == "now" && size > len(html)/5 {
			t.Errorf("%d bytes are stored for %d", size, len(html))
		}
	}
	for name, damaged := range map[string][]byte{"empty": {}, "cut": pack(plain)[:20]} {
		m := Message{ID: "m"}
		if m.Sealed, err = s.box.Seal(m.ID, damaged); err != nil {
			t.Fatal(err)
		}
		if err := s.unseal(&m); err == nil {
			t.Errorf("%s: read %+v", name, m)
		}
	}
}
