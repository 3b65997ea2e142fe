package web

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// notice is a line at the top of a page that says what just happened.
type notice struct {
	Kind  string   `json:"k"` // ok, info, warn, danger
	Key   string   `json:"t"` // of the catalogue
	Pairs []string `json:"p,omitempty"`
	Text  string   `json:"-"`
}

const flashCookie = "paraph_flash"

// flash puts a notice on the next page that this browser is shown.
func (r *request) flash(kind, key string, pairs ...string) {
	b, err := json.Marshal(notice{Kind: kind, Key: key, Pairs: pairs})
	if err != nil {
		r.door.Log.Error("flash", "error", err)
		return
	}
	r.keep(flashCookie, base64.RawURLEncoding.EncodeToString(b), "/", time.Minute)
}

// takeFlash gives the notice that waits, once. What is not one of ours is
// dropped.
func (r *request) takeFlash() *notice {
	kept := r.Cookies(flashCookie)
	if kept == "" {
		return nil
	}
	r.keep(flashCookie, "", "/", -1)
	b, err := base64.RawURLEncoding.DecodeString(kept)
	if err != nil {
		return nil
	}
	var n notice
	if err := json.Unmarshal(b, &n); err != nil {
		return nil
	}
	return r.notice(n.Kind, n.Key, n.Pairs...)
}

// notice words a notice for this very page.
func (r *request) notice(kind, key string, pairs ...string) *notice {
	args := make([]any, len(pairs))
	for i, p := range pairs {
		args[i] = p
	}
	text, err := r.words.say(key, args...)
	if err != nil {
		return nil
	}
	switch kind {
	case "ok", "info", "warn", "danger":
	default:
		kind = "info"
	}
	return &notice{Kind: kind, Text: text}
}
