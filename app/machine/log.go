package machine

import (
	"bytes"
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"

	"paraph/app/account"
)

// Limits of the log in memory, about two megabytes in total.
const (
	ringLines = 1000 // lines of each kind
	ringLine  = 1000 // bytes per line
)

// Ring keeps the latest lines of a log in memory. Warnings and errors have a ring of
// their own, so that ordinary lines don't displace them.
type Ring struct {
	mu       sync.Mutex
	count    uint64
	ordinary lineRing
	serious  lineRing
}

// line is a line of the log with its number.
type line struct {
	number uint64
	text   string
}

// lineRing is a ring buffer of lines.
type lineRing struct {
	lines []line
	next  int
}

func (s *lineRing) put(l line) {
	if len(s.lines) < ringLines {
		s.lines = append(s.lines, l)
		return
	}
	s.lines[s.next] = l
	s.next = (s.next + 1) % ringLines
}

// NewRing returns an empty ring.
func NewRing() *Ring { return &Ring{} }

// Handler returns a handler that keeps records as lines and passes them on.
func (r *Ring) Handler(to slog.Handler) slog.Handler {
	text := func(s *lineRing, low slog.Level) slog.Handler {
		return slog.NewTextHandler(ringWriter{r, s}, &slog.HandlerOptions{Level: low})
	}
	return &ringHandler{to: to, ordinary: text(&r.ordinary, slog.LevelInfo), serious: text(&r.serious, slog.LevelWarn)}
}

type ringWriter struct {
	ring *Ring
	to   *lineRing
}

// Write adds one line.
func (w ringWriter) Write(b []byte) (int, error) {
	text := strings.ToValidUTF8(string(bytes.TrimSpace(b[:min(len(b), ringLine)])), "")
	w.ring.mu.Lock()
	defer w.ring.mu.Unlock()
	w.ring.count++
	w.to.put(line{w.ring.count, text})
	return len(b), nil
}

var address = regexp.MustCompile(`[^\s<>"'=(),;:/\\]+@([^\s<>"'=(),;:/\\]+)`)

// masked masks the local parts of e-mail addresses.
func masked(s string) string { return address.ReplaceAllString(s, "…@$1") }

// latest returns at most most lines that contain a text, newest first.
func (r *Ring) latest(with string, most int) []string {
	r.mu.Lock()
	all := slices.Concat(r.ordinary.lines, r.serious.lines)
	r.mu.Unlock()
	all = slices.DeleteFunc(all, func(l line) bool { return !strings.Contains(l.text, with) })
	slices.SortFunc(all, func(a, b line) int { return int(int64(b.number) - int64(a.number)) })
	out := []string{}
	for _, l := range all[:min(most, len(all))] {
		out = append(out, masked(l.text))
	}
	return out
}

type ringHandler struct{ to, ordinary, serious slog.Handler }

func (h *ringHandler) ringFor(l slog.Level) slog.Handler {
	if l >= slog.LevelWarn {
		return h.serious
	}
	return h.ordinary
}

// Enabled implements [slog.Handler].
func (h *ringHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return h.to.Enabled(ctx, l) || h.ringFor(l).Enabled(ctx, l)
}

// Handle implements [slog.Handler].
func (h *ringHandler) Handle(ctx context.Context, rec slog.Record) error {
	if ringFor := h.ringFor(rec.Level); ringFor.Enabled(ctx, rec.Level) {
		if err := ringFor.Handle(ctx, rec); err != nil {
			return err
		}
	}
	if !h.to.Enabled(ctx, rec.Level) {
		return nil
	}
	return h.to.Handle(ctx, rec)
}

// WithAttrs implements [slog.Handler].
func (h *ringHandler) WithAttrs(a []slog.Attr) slog.Handler {
	return &ringHandler{h.to.WithAttrs(a), h.ordinary.WithAttrs(a), h.serious.WithAttrs(a)}
}

// WithGroup implements [slog.Handler].
func (h *ringHandler) WithGroup(name string) slog.Handler {
	return &ringHandler{h.to.WithGroup(name), h.ordinary.WithGroup(name), h.serious.WithGroup(name)}
}

// maxLines is the maximum number of lines returned.
const maxLines = 500

// ListLines returns the latest lines of the log, newest first: those of one request,
// or all for "".
func (s *Service) ListLines(who account.Call, request string) ([]string, error) {
	if err := requireOperator(who); err != nil {
		return nil, err
	}
	return s.Log.latest(strings.ToUpper(strings.TrimSpace(request)), maxLines), nil
}
