package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"paraph/app/control"
	"paraph/app/folder"
)

// ErrNo ends a command that did its work, with a negative result.
var ErrNo = errors.New("no")

// orderFunc carries out a command on an open installation, and prints what it says.
type orderFunc func(ctx context.Context, a *App, input json.RawMessage, w io.Writer) error

// orders lists the commands that work on an open installation: the server that has the data folder open
// carries them out, or the command itself, if there is no server.
func orders() map[string]orderFunc {
	return map[string]orderFunc{
		"check":             order(check),
		"cold":              order(coldStorage),
		"checkpoint key":    order(printCheckpointKeys),
		"checkpoint rotate": order(rotateCheckpointKey),
		"outbox":            order(printOutbox),
		"reindex":           order(reindex),
		"token add":         order(addToken),
		"token list":        order(listTokens),
		"token revoke":      order(revokeToken),
		"user add":          order(addUser),
		"user list":         order(listUsers),
		"user password":     order(setPassword),
		"user revoke":       order(revokeUser),
		"user role":         order(setRole),
	}
}

func order[T any](do func(context.Context, *App, T, io.Writer) error) orderFunc {
	return func(ctx context.Context, a *App, input json.RawMessage, w io.Writer) error {
		var in T
		if err := json.Unmarshal(input, &in); err != nil {
			return err
		}
		return do(ctx, a, in, w)
	}
}

// Order carries out a command of [orders] on a data folder.
func Order(ctx context.Context, cfg Config, name string, input any, w io.Writer) error {
	if err := mustExist(cfg.Data.Dir); err != nil {
		return err
	}
	in, err := json.Marshal(input)
	if err != nil {
		return err
	}
	a, err := openFor(cfg, name, in)
	if errors.Is(err, folder.ErrLocked) {
		if err := awaitControl(ctx, cfg.Data.Dir, err); err != nil {
			return err
		}
		return orderServer(ctx, cfg.Data.Dir, name, in, w)
	}
	if err != nil {
		return err
	}
	a.Config = cfg // what aside changed is of no concern to a command
	return errors.Join(sayFaults(a.words.English(), orders()[name](ctx, a, in, w)), a.Close())
}

// openFor opens a data folder for a command.
func openFor(cfg Config, name string, input []byte) (*App, error) {
	reads := slices.Contains([]string{"checkpoint key", "token list", "user list"}, name)
	if name == "check" {
		var o CheckOrder
		if err := json.Unmarshal(input, &o); err != nil {
			return nil, err
		}
		reads = !o.Repair && !o.Renew
	}
	if name == "cold" {
		reads = string(input) == "{}"
	}
	if reads {
		return openAside(cfg)
	}
	return Open(cfg.aside(), Options{})
}

// wanted asks a server to carry out a command.
type wanted struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// said is a part of what a command says. The last one has End.
type said struct {
	Text  string `json:"text,omitempty"`
	End   bool   `json:"end,omitempty"`
	No    bool   `json:"no,omitempty"`    // see [ErrNo]
	Error string `json:"error,omitempty"` // why it failed
}

// orderServer has the running server carry out a command.
func orderServer(ctx context.Context, dir, name string, input []byte, w io.Writer) (err error) {
	b, err := json.Marshal(wanted{name, input})
	if err != nil {
		return err
	}
	body, err := serverOf(dir).Do(ctx, http.MethodPost, "/orders", bytes.NewReader(b))
	if refusal, ok := errors.AsType[*control.Refusal](err); ok && refusal.Status == http.StatusNotFound {
		return errors.New("the running server is of another version; restart it with this one")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	for d := json.NewDecoder(body); ; {
		var s said
		if err := d.Decode(&s); err != nil {
			return fmt.Errorf("the server ended before the command did: %w", err)
		}
		if _, err := io.WriteString(w, s.Text); err != nil {
			return err
		}
		switch {
		case s.Error != "":
			return errors.New(s.Error)
		case s.No:
			return ErrNo
		case s.End:
			return nil
		}
	}
}

// serveOrder carries out a command for [orderServer]. It ends with the connection.
func (a *App) serveOrder(w http.ResponseWriter, r *http.Request) {
	var q wanted
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	do, known := orders()[q.Name]
	if !known {
		http.NotFound(w, r)
		return
	}
	out := &saying{json.NewEncoder(w), http.NewResponseController(w)}
	err := sayFaults(a.words.English(), do(r.Context(), a, q.Input, out))
	last := said{End: true, No: errors.Is(err, ErrNo)}
	if err != nil && !last.No {
		last.Error = err.Error()
	}
	if err := out.say(last); err != nil {
		a.log.Debug("answering a command", "command", q.Name, "error", err)
	}
}

// saying sends what a command prints at once.
type saying struct {
	to   *json.Encoder
	wire *http.ResponseController
}

func (s *saying) say(what said) error {
	return errors.Join(s.to.Encode(what), s.wire.Flush())
}

// Write sends text.
func (s *saying) Write(b []byte) (int, error) { return len(b), s.say(said{Text: string(b)}) }
