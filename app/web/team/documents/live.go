package documents

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/account"
	"paraph/app/fault"
	"paraph/app/signing/record"
	"paraph/app/signing/trail"
	"paraph/app/web/page"
	"paraph/app/words"
)

// heartbeat is the interval between keep-alive messages. Each one also checks the
// session.
const heartbeat = 15 * time.Second

// liveEvent is a message to the page's script.
type liveEvent struct {
	Document string `json:"document"`
	Text     string `json:"text"`
}

// Events streams the company's events as server-sent events. A page that reconnects
// names the last event it received.
func (h *Handlers) Events(r *page.Request) error {
	after := cmp.Or(strings.Clone(r.Get("Last-Event-ID")), strings.Clone(r.Query("after")))
	watch, err := h.Trail.Watch(r.Who.Call, after)
	if err != nil {
		return err
	}
	r.Set(fiber.HeaderContentType, "text/event-stream")
	r.Set("X-Accel-Buffering", "no")
	s := &liveStream{
		handlers: h,
		words:    r.Words,
		watch:    watch,
		session:  strings.Clone(r.Cookies(page.SessionCookie)),
		company:  r.Who.Call.CompanyID,
		who:      r.Who.Call,
	}
	r.Context().SetBodyStreamWriter(s.run)
	return nil
}

// liveStream outlives the handler, so it doesn't refer to the request.
type liveStream struct {
	handlers *Handlers
	words    *words.Language
	watch    *trail.Watch
	session  string
	company  string
	who      account.Call
	last     uint64
	out      *bufio.Writer
}

// run writes until the browser disconnects, the session ends, or the watch ends.
func (s *liveStream) run(out *bufio.Writer) {
	defer s.watch.Close()
	s.out = out
	// The browser reconnects after this many milliseconds.
	if !s.write("retry: 3000\n\n") || s.watch.Lost && !s.write("event: lost\ndata: {}\n\n") {
		return
	}
	for _, e := range s.watch.Missed {
		if !s.send(e) {
			return
		}
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case e, ok := <-s.watch.Events:
			if !ok || !s.send(e) {
				return
			}
		case <-beat.C:
			if !s.allowed() || !s.write(": here\n\n") {
				return
			}
		}
	}
}

// allowed reports whether the session still grants access to the company.
func (s *liveStream) allowed() bool {
	who, err := s.handlers.Accounts.Authentication.Authenticate(s.session)
	return err == nil && who.CompanyID == s.company && who.Can(account.ScopeRead)
}

// send sends an event unless the page already has it. It reports whether the stream
// can go on.
func (s *liveStream) send(e record.Entry) bool {
	if e.Seq <= s.last || e.Value.Document == "" {
		return true
	}
	s.last = e.Seq
	d, err := s.handlers.Completion.Get(s.who, e.Value.Document)
	if fault.KindOf(err) == fault.KindNotFound {
		d, err = &record.Document{ID: e.Value.Document}, nil
	}
	if err != nil {
		s.handlers.Log.Error("events", "error", err)
		return false
	}
	b, err := json.Marshal(liveEvent{d.ID, eventText(s.words, d, &e)})
	if err != nil {
		s.handlers.Log.Error("events", "error", err)
		return false
	}
	return s.write(fmt.Sprintf("id: %s\ndata: %s\n\n", e.ID, b))
}

// write sends text and reports whether the browser is still connected.
func (s *liveStream) write(text string) bool {
	if _, err := s.out.WriteString(text); err != nil {
		return false
	}
	return s.out.Flush() == nil
}
