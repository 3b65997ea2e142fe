package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/log"
)

// Line is one line of a conversation with a mail server.
type Line struct {
	Ours bool // sent by us; otherwise the server's
	Text string
}

// maxDialogue is how many lines of a conversation are recorded. A proper one has some twenty.
const maxDialogue = 200

// Talk delivers a message as [SMTP.Deliver] does, and returns the conversation with the server, without the
// credentials and the message itself.
func (s SMTP) Talk(ctx context.Context, m Message) ([]Line, error) {
	s.dialogue = &dialogue{}
	reply, err := s.Deliver(ctx, m)
	if err == nil {
		s.dialogue.answer(s.dialogue.sent(), "250 "+reply)
	}
	lines := s.dialogue.lines
	for i := range lines {
		lines[i].Text = s.clean(lines[i].Text)
	}
	return lines, err
}

// refused records the reply that ended the conversation, which the library puts into the error instead of its log.
func (d *dialogue) refused(err error) {
	if d == nil {
		return
	}
	code := 0
	var send *gomail.SendError
	var reply *textproto.Error
	switch {
	case errors.As(err, &send):
		code = send.ErrorCode()
	case errors.As(err, &reply):
		code = reply.Code
	}
	text, _, _ := strings.Cut(err.Error(), ", affected recipient")
	_, text, found := strings.Cut(text, strconv.Itoa(code)+" ")
	if code == 0 || !found {
		return
	}
	if plain, err := strconv.Unquote(text); err == nil {
		text = plain
	}
	d.answer(d.unanswered(), strconv.Itoa(code)+" "+text)
}

// answer inserts a line of the server that was not logged.
func (d *dialogue) answer(at int, text string) {
	d.lines = slices.Insert(d.lines, at, Line{Text: text})
}

// sent returns the place behind the message, which follows the reply to DATA.
func (d *dialogue) sent() int {
	for i := len(d.lines) - 1; i >= 0; i-- {
		if !d.lines[i].Ours && strings.HasPrefix(d.lines[i].Text, "354") {
			return i + 1
		}
	}
	return len(d.lines)
}

// unanswered returns the place behind the first line of ours that was not answered, else behind the message.
func (d *dialogue) unanswered() int {
	for i, l := range d.lines {
		if l.Ours && (i+1 == len(d.lines) || d.lines[i+1].Ours) {
			return i + 1
		}
	}
	return d.sent()
}

// dialogue records a conversation. It is the logger of the SMTP library, which leaves credentials out.
type dialogue struct{ lines []Line }

func (d *dialogue) hear(ours bool, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		if line = strings.TrimRight(line, "\r"); line != "" && len(d.lines) < maxDialogue {
			d.lines = append(d.lines, Line{ours, line})
		}
	}
}

// Debugf implements the library's logger.
func (d *dialogue) Debugf(l log.Log) {
	d.hear(l.Direction == log.DirClientToServer, fmt.Sprintf(l.Format, l.Messages...))
}

// Infof implements the library's logger.
func (d *dialogue) Infof(l log.Log) { d.Debugf(l) }

// Warnf implements the library's logger.
func (d *dialogue) Warnf(l log.Log) { d.Debugf(l) }

// Errorf implements the library's logger.
func (d *dialogue) Errorf(l log.Log) { d.Debugf(l) }

// greeted records what the server says before it is spoken to, which the library does not log. A connection that is
// encrypted from the first byte must reach the library as it is, and is left out.
func (l *line) greeted(conn net.Conn) net.Conn {
	if l.dialogue == nil {
		return conn
	}
	return &greeted{Conn: conn, dialogue: l.dialogue}
}

type greeted struct {
	net.Conn
	dialogue *dialogue // nil once we have spoken
	heard    string    // a line that is not complete yet
}

// Read implements [net.Conn].
func (g *greeted) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if g.dialogue == nil {
		return n, err
	}
	g.heard += string(p[:n])
	for {
		line, rest, complete := strings.Cut(g.heard, "\n")
		if !complete {
			return n, err
		}
		g.dialogue.hear(false, line)
		g.heard = rest
	}
}

// Write implements [net.Conn].
func (g *greeted) Write(p []byte) (int, error) {
	g.dialogue, g.heard = nil, ""
	return g.Conn.Write(p)
}
