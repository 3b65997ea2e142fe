package page

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Notice is a message at the top of a page about what just happened.
type Notice struct {
	Kind  string   `json:"k"` // ok, info, warn, danger
	Key   string   `json:"t"` // of the catalogue
	Pairs []string `json:"p,omitempty"`
	Undo  string   `json:"u,omitempty"` // path to post to in order to undo it
	Do    string   `json:"d,omitempty"` // action to post there, if the path allows several
	IDs   []string `json:"i,omitempty"` // records to post there
	Text  string   `json:"-"`

	Values map[string]string `json:"v,omitempty"` // further inputs to post there
}

const flashCookie = "paraph_flash"

// maxFlash is the maximum length of its value: browsers ignore longer cookies.
const maxFlash = 3900

// MaxUndo is the maximum number of records that a notice offers to restore: it keeps their
// identifiers in a cookie.
const MaxUndo = 80

// Flash stores a notice for the browser's next page.
func (r *Request) Flash(kind, key string, pairs ...string) {
	r.FlashNotice(Notice{Kind: kind, Key: key, Pairs: pairs})
}

// Mailed returns the key of a text about a message: key if messages go out by
// e-mail, else its variant that says who has to pass the message on.
func Mailed(key string, mails bool) string {
	if mails {
		return key
	}
	return key + ".nomail"
}

// FlashUndo is Flash for an action that can be undone by posting to the path undo;
// "" means it can't be.
func (r *Request) FlashUndo(key, undo string, pairs ...string) {
	r.FlashNotice(Notice{Kind: "ok", Key: key, Pairs: pairs, Undo: undo})
}

// Trash returns the notice about a record in the archive or the trash, which posting to the path
// undo restores; "" means there is nothing to restore. One that was archived when it was deleted returns
// to the archive, see Rearchives.
func Trash(key, undo string, archived, deleted *time.Time, pairs ...string) Notice {
	n := Notice{Kind: "ok", Key: key, Pairs: pairs, Undo: undo}
	if archived != nil && deleted != nil {
		n.Do = rearchive
	}
	return n
}

// rearchive is the action of a form that undoes the deletion of an archived record.
const rearchive = "archive"

// Rearchives reports whether the record that the form restores was archived before.
func Rearchives(r *Request) bool { return r.Form.Value("action") == rearchive }

// FlashNotice stores a notice for the browser's next page. One that is too long for a cookie does
// not offer to undo.
func (r *Request) FlashNotice(n Notice) {
	b, err := json.Marshal(n)
	if err != nil {
		r.site.Log.Error("flash", "error", err)
		return
	}
	value := base64.RawURLEncoding.EncodeToString(b)
	if len(value) > maxFlash && n.Undo != "" {
		r.FlashNotice(Notice{Kind: n.Kind, Key: n.Key, Pairs: n.Pairs})
		return
	}
	r.SetCookie(flashCookie, value, "/", time.Minute)
}

// takeFlash returns the stored notice and removes it. An invalid one is dropped.
func (r *Request) takeFlash() *Notice {
	kept := r.Cookies(flashCookie)
	if kept == "" {
		return nil
	}
	r.SetCookie(flashCookie, "", "/", -1)
	b, err := base64.RawURLEncoding.DecodeString(kept)
	if err != nil {
		return nil
	}
	var n Notice
	if err := json.Unmarshal(b, &n); err != nil {
		return nil
	}
	shown := r.Notice(n.Kind, n.Key, n.Pairs...)
	if shown != nil && strings.HasPrefix(n.Undo, "/app/") {
		shown.Undo, shown.Do, shown.IDs, shown.Values = n.Undo, n.Do, n.IDs, n.Values
	}
	return shown
}

// Notice returns a notice for the current page.
func (r *Request) Notice(kind, key string, pairs ...string) *Notice {
	args := make([]any, len(pairs))
	for i, p := range pairs {
		args[i] = p
		if n, err := strconv.Atoi(p); err == nil && i > 0 && pairs[i-1] == "n" {
			args[i] = n // chooses the plural form
		}
	}
	text, err := r.Words.Text(key, args...)
	if err != nil {
		return nil
	}
	switch kind {
	case "ok", "info", "warn", "danger":
	default:
		kind = "info"
	}
	return &Notice{Kind: kind, Text: text}
}
