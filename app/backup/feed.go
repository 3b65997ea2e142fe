package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"paraph/kv"
)

// Feed is where a standby takes backups from: a place that a server follows into, or the server itself.
type Feed interface {
	// Source returns the address, for people.
	Source() string
	// next returns the backup that brings a standby furthest, or nothing if it has everything.
	next(ctx context.Context, at position) (fed, error)
	// tell says that a standby has been promoted.
	tell(ctx context.Context, by Claim) error
}

// fed is an archive, neither compressed nor encrypted, or says that there is none.
type fed struct {
	stream  io.ReadCloser
	done    func(context.Context, Record) error // nil: nobody has to know that it was applied
	current time.Time                           // without a stream: all that was answered before is applied
}

// NewFeed returns the backups in a folder or bucket.
func (o Buckets) NewFeed(address string, keys Keys) (Feed, error) {
	in, name, err := o.place(address, false)
	if err == nil && name != "" {
		err = fmt.Errorf("%s is not a folder", address)
	}
	if err != nil {
		return nil, err
	}
	return &placeFeed{address: address, in: in, keys: keys, spans: map[string]kv.Span{}}, nil
}

type placeFeed struct {
	address string
	in      location
	keys    Keys
	spans   map[string]kv.Span // of the archives, by ID
}

// Source implements [Feed].
func (f *placeFeed) Source() string { return f.address }

func (f *placeFeed) tell(ctx context.Context, by Claim) error { return by.write(ctx, f.in) }

// next takes the newest increment that begins within what the standby has and ends after it. If there is none,
// the newest backup of all has to be had from its full one on.
func (f *placeFeed) next(ctx context.Context, at position) (fed, error) {
	held, err := claimOf(ctx, f.in) // before the archives, so that it says nothing of later ones
	if err != nil {
		return fed{}, err
	}
	all, err := sorted(ctx, f.in)
	if err != nil {
		return fed{}, err
	}
	if len(all) == 0 {
		return fed{}, fmt.Errorf("%s holds no backups yet", f.address)
	}
	tip := all[len(all)-1]
	current := tip.Time
	if held.ID == at.ID && held.Current.After(current) {
		current = held.Current
	}
	if at.tip == tip.ID {
		return fed{current: current}, nil
	}
	for _, a := range slices.Backward(all) {
		if at.tip == "" {
			break
		}
		span, err := f.span(ctx, a)
		if err != nil {
			return fed{}, err
		}
		if span.ID == at.ID && span.Since > 0 && span.Since <= at.Upto && at.Upto < span.Upto {
			return f.open(ctx, a)
		}
	}
	span, err := f.span(ctx, tip)
	if err != nil {
		return fed{}, err
	}
	if span.ID == at.ID && span.Upto <= at.Upto {
		return fed{current: current}, nil // it merges others, or is a full one beside them
	}
	line, err := ancestors(tip, all)
	if err != nil {
		return fed{}, err
	}
	return f.open(ctx, line[0])
}

// span reads the beginning of an archive.
func (f *placeFeed) span(ctx context.Context, a Archive) (span kv.Span, err error) {
	if span, known := f.spans[a.ID]; known {
		return span, nil
	}
	opened, err := f.open(ctx, a)
	if err != nil {
		return span, err
	}
	found := false
	_, err = read(opened.stream, func(_ Header, name string, r io.Reader) error {
		if !strings.HasPrefix(name, recordsPrefix) {
			return fmt.Errorf("%w: it does not begin with the records", ErrDamaged)
		}
		if span, err = kv.ReadSpan(r); err == nil {
			found, err = true, errFound
		}
		return err
	})
	if errors.Is(err, errFound) && found {
		err = nil
	}
	if err = errors.Join(err, opened.stream.Close()); err != nil {
		return span, fmt.Errorf("%s: %w", a.Where(), err)
	}
	f.spans[a.ID] = span
	return span, nil
}

func (f *placeFeed) open(ctx context.Context, a Archive) (fed, error) {
	from, err := a.open(ctx)
	if err != nil {
		return fed{}, err
	}
	decoded, err := f.keys.Decode(from)
	if err != nil {
		return fed{}, errors.Join(fmt.Errorf("%s: %w", a.Where(), err), from.Close())
	}
	return fed{stream: decodedArchive{decoded, from}}, nil
}

// decodedArchive closes what it was decoded from, too.
type decodedArchive struct {
	io.ReadCloser
	from io.Closer
}

func (d decodedArchive) Close() error { return errors.Join(d.ReadCloser.Close(), d.from.Close()) }

// NewServerFeed returns the backups that a running server makes for its standby.
func NewServerFeed(address string, server Origin, every time.Duration) Feed {
	return &serverFeed{address: address, server: server, every: every}
}

type serverFeed struct {
	address string
	server  Origin
	every   time.Duration
}

// Source implements [Feed].
func (f *serverFeed) Source() string { return f.address }

func (f *serverFeed) tell(ctx context.Context, by Claim) error { return f.server.Superseded(ctx, by) }

func (f *serverFeed) next(ctx context.Context, at position) (fed, error) {
	began := time.Now()
	h, err := f.server.History(ctx)
	if err != nil {
		return fed{}, err
	}
	q := Request{Every: f.every}
	if at.tip != "" && h.ID == at.ID {
		q.Parent, q.OnlyChanged = at.tip, true
	}
	stream, err := f.server.Open(ctx, q)
	if errors.Is(err, ErrUnchanged) {
		return fed{current: began}, nil
	}
	if errors.Is(err, ErrUnknownBackup) && q.Parent != "" {
		stream, err = f.server.Open(ctx, Request{Every: f.every})
	}
	if err != nil {
		return fed{}, err
	}
	counted := &countedReader{ReadCloser: stream}
	return fed{stream: counted, done: func(ctx context.Context, r Record) error {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		r.Where, r.Size = "the standby on "+host, counted.bytes
		return f.server.Done(ctx, r)
	}}, nil
}

// countedReader counts the bytes that are read through it.
type countedReader struct {
	io.ReadCloser
	bytes int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.bytes += int64(n)
	return n, err
}
