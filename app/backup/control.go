package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"paraph/app/control"
	"paraph/kv"
)

// Handler lets commands on the same machine make backups of a server's data, over its control
// socket.
func Handler(s *Source, log *slog.Logger) http.Handler {
	c := &controls{s, log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /backups", c.known)
	mux.HandleFunc("POST /backups", c.archive)
	mux.HandleFunc("PUT /backups", c.done)
	mux.HandleFunc("GET /history", c.history)
	mux.HandleFunc("PUT /history", c.superseded)
	mux.HandleFunc("POST /history", c.takeOver)
	return mux
}

type controls struct {
	*Source
	log *slog.Logger
}

func (c *controls) known(w http.ResponseWriter, r *http.Request) {
	all, err := c.Known(r.Context())
	c.answer(w, all, err)
}

func (c *controls) history(w http.ResponseWriter, r *http.Request) {
	h, err := c.History(r.Context())
	c.answer(w, h, err)
}

func (c *controls) superseded(w http.ResponseWriter, r *http.Request) {
	var by Claim
	err := json.NewDecoder(r.Body).Decode(&by)
	if err == nil {
		c.log.Error("another server was restored or promoted in this one's stead", "on", by.Host, "since", by.Since)
		err = c.Superseded(r.Context(), by)
	}
	c.answer(w, by, err)
}

func (c *controls) takeOver(w http.ResponseWriter, r *http.Request) {
	var after uint64
	err := json.NewDecoder(r.Body).Decode(&after)
	var h kv.History
	if err == nil {
		h, err = c.TakeOver(r.Context(), after)
		c.log.Warn("this server takes over from another one", "epoch", h.Epoch)
	}
	c.answer(w, h, err)
}

func (c *controls) answer(w http.ResponseWriter, with any, err error) {
	if err != nil {
		c.refuse(w, err)
		return
	}
	if err := json.NewEncoder(w).Encode(with); err != nil {
		c.log.Debug("backup: answering", "error", err)
	}
}

func (c *controls) archive(w http.ResponseWriter, r *http.Request) {
	var q Request
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	run, err := c.prepare(q)
	if err != nil {
		c.refuse(w, err)
		return
	}
	if err := run.write(r.Context(), w); err != nil {
		c.log.Error("backup failed", "error", err)
		panic(http.ErrAbortHandler) // so that the client does not mistake it for the end
	}
}

func (c *controls) done(w http.ResponseWriter, r *http.Request) {
	var record Record
	err := json.NewDecoder(r.Body).Decode(&record)
	if err == nil {
		err = c.Done(r.Context(), record)
	}
	if err != nil {
		c.refuse(w, err)
		return
	}
	level := slog.LevelInfo
	if !record.Full() {
		level = slog.LevelDebug // there may be one every minute
	}
	c.log.Log(r.Context(), level, "backup made", "kind", record.Kind(), "where", record.Where, "bytes", record.Size)
	w.WriteHeader(http.StatusNoContent)
}

// statuses map each error to a status for the client.
var statuses = map[int]error{
	http.StatusNotModified: ErrUnchanged,
	http.StatusNotFound:    ErrUnknownBackup,
}

func (c *controls) refuse(w http.ResponseWriter, err error) {
	for status, known := range statuses {
		if errors.Is(err, known) {
			w.WriteHeader(status)
			return
		}
	}
	c.log.Error("backup failed", "error", err)
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

// Remote is a running server, reached over its control socket.
type Remote struct{ server *control.Client }

// NewRemote returns a running server.
func NewRemote(server *control.Client) *Remote { return &Remote{server} }

func (o *Remote) do(ctx context.Context, method string, in any) (io.ReadCloser, error) {
	return o.call(ctx, method, "/backups", in)
}

func (o *Remote) call(ctx context.Context, method, path string, in any) (io.ReadCloser, error) {
	b, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	body, err := o.server.Do(ctx, method, path, bytes.NewReader(b))
	if refusal, ok := errors.AsType[*control.Refusal](err); ok {
		if known := statuses[refusal.Status]; known != nil {
			return nil, known
		}
		err = fmt.Errorf("the server refused: %w", err)
	}
	return body, err
}

// Known implements [Origin].
func (o *Remote) Known(ctx context.Context) (all []Record, err error) {
	body, err := o.do(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(body).Decode(&all)
	return all, errors.Join(err, body.Close())
}

// Open implements [Origin].
func (o *Remote) Open(ctx context.Context, q Request) (io.ReadCloser, error) {
	return o.do(ctx, http.MethodPost, q)
}

// Done implements [Origin].
func (o *Remote) Done(ctx context.Context, r Record) error {
	body, err := o.do(ctx, http.MethodPut, r)
	if err != nil {
		return err
	}
	return body.Close()
}

// History implements [Origin].
func (o *Remote) History(ctx context.Context) (h kv.History, err error) {
	err = o.ask(ctx, http.MethodGet, nil, &h)
	return h, err
}

// Superseded implements [Origin].
func (o *Remote) Superseded(ctx context.Context, by Claim) error {
	return o.ask(ctx, http.MethodPut, by, &by)
}

// TakeOver implements [Origin].
func (o *Remote) TakeOver(ctx context.Context, after uint64) (h kv.History, err error) {
	err = o.ask(ctx, http.MethodPost, after, &h)
	return h, err
}

func (o *Remote) ask(ctx context.Context, method string, in, out any) error {
	body, err := o.call(ctx, method, "/history", in)
	if errors.Is(err, ErrUnknownBackup) { // there is no such path
		return errors.New("the running server is of another version; restart it with this one")
	}
	if err != nil {
		return err
	}
	return errors.Join(json.NewDecoder(body).Decode(out), body.Close())
}
