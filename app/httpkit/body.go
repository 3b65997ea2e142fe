package httpkit

import (
	"bufio"
	"context"
	"errors"
	"hash"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/fault"
	"paraph/app/turns"
)

// minRate is the average number of bytes per second that a body must reach once its
// sender has used up the idle time allowed.
const minRate = 2 * KB

// maxStep is the largest initial size of a body's buffer, small so that stalled bodies hold little
// memory.
const maxStep = 4 * KB

// decoding is the factor by which a body may grow when decoded.
const decoding = 4

// Body reads the body of a request, up to the limit of its route's rule. The
// memory is charged to the caller's share of the budget.
type Body struct {
	c    *fiber.Ctx
	rule Rule
	hold *turns.Hold
	idle time.Duration
	// visit is the caller's turn, which lasts while what was read is being processed.
	visit *turns.Visit

	source io.Reader
	length int64         // as announced, -1 if unknown
	read   int64         // so far
	files  int           // so far
	waited time.Duration // total time spent waiting for the sender
	ended  bool
	err    error     // why reading failed, except for limits
	sum    hash.Hash // of everything read, if requested
}

// Body opens the body of a request without reading it. If its announced length is
// over the limit, it is refused.
func (k *Kit) Body(c *fiber.Ctx, rule Rule, caller turns.Key) (*Body, error) {
	b := newBody(c)
	b.rule, b.idle, b.hold = rule, k.idle, k.budget.Hold(caller)
	b.visit = k.visit(c, rule, caller)
	c.Locals(bodyKey, b)
	if b.length > rule.Size() {
		return nil, tooLarge(rule.Size())
	}
	return b, nil
}

// bodyKey is the key under which a request holds its body until [Finish].
const bodyKey = "httpkit.body"

func newBody(c *fiber.Ctx) *Body {
	source := c.Context().RequestBodyStream()
	if source == nil {
		return &Body{c: c, ended: true}
	}
	length := int64(max(c.Request().Header.ContentLength(), -1))
	return &Body{c: c, source: source, length: length, ended: length == 0}
}

// Empty reports whether the body is empty.
func (b *Body) Empty() bool { return b.length == 0 }

// Sum adds everything that is read to a hash, if there is one.
func (b *Body) Sum(h hash.Hash) { b.sum = h }

// Err returns the error that reading failed with, if the sender or the connection is
// to blame. It tells a broken connection from a full disk.
func (b *Body) Err() error { return b.err }

// Read reads from the connection. It fails if the sender is too slow, or sends
// more than is allowed.
func (b *Body) Read(p []byte) (int, error) {
	switch left := b.rule.Size() - b.read; {
	case b.err != nil:
		return 0, b.err
	case b.ended:
		return 0, io.EOF
	case left < 0:
		return 0, b.fail(tooLarge(b.rule.Size()))
	case int64(len(p)) > left+1:
		p = p[:left+1]
	}
	n, err := b.receive(p)
	b.read += int64(n)
	if b.sum != nil {
		b.sum.Write(p[:n])
	}
	switch {
	case b.read > b.rule.Size():
		return 0, b.fail(tooLarge(b.rule.Size()))
	case errors.Is(err, io.EOF) && b.read < b.length:
		return n, b.fail(readError(io.ErrUnexpectedEOF))
	case errors.Is(err, io.EOF):
		b.ended = true
	case err != nil:
		return n, b.fail(readError(err))
	}
	return n, err
}

func (b *Body) fail(err error) error {
	b.err = err
	return err
}

// receive reads once and waits no longer than the time that the sender has left.
func (b *Body) receive(p []byte) (int, error) {
	began := time.Now()
	earned := b.idle + time.Duration(float64(b.read)/minRate*float64(time.Second))
	if err := b.c.Context().Conn().SetReadDeadline(began.Add(min(b.idle, earned-b.waited))); err != nil {
		return 0, err
	}
	b.visit.Leave()
	n, err := b.source.Read(p)
	b.waited += time.Since(began)
	if err := b.visit.Enter(b.c.UserContext()); err != nil {
		return n, err
	}
	return n, err
}

// step returns the initial size of a buffer: the announced length, and a byte to see the end.
func (b *Body) step() int64 {
	if b.length < 0 {
		return maxStep
	}
	return min(b.length+1, maxStep)
}

// Buffered returns a reader of the body with a buffer.
func (b *Body) Buffered() *bufio.Reader { return bufio.NewReaderSize(b, int(b.step())) }

// Whole reads a whole body that contains no files.
func (b *Body) Whole(ctx context.Context) ([]byte, error) {
	return b.Gather(ctx, b, b.rule.Body)
}

// Gather reads a part of the body up to a limit, and charges for decoding it.
func (b *Body) Gather(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	var all []byte
	for {
		if len(all) == cap(all) {
			more := min(max(int64(cap(all)), b.step()), limit+1-int64(len(all)))
			if err := b.hold.Take(ctx, more*decoding); err != nil {
				return nil, err
			}
			grown := make([]byte, len(all), int64(len(all))+more)
			copy(grown, all)
			all = grown
		}
		n, err := r.Read(all[len(all):cap(all)])
		all = all[:len(all)+n]
		switch {
		case int64(len(all)) > limit:
			return nil, tooLarge(limit)
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
	}
}

// skippable is the largest unread rest that is skipped to keep the connection.
const skippable = Small

// Finish releases what the request holds, and disposes of the unread rest of its body,
// which the server would otherwise take for the next request (request smuggling). A
// small rest is skipped; a larger one ends the connection.
func Finish(c *fiber.Ctx) {
	turns.VisitOf(c.UserContext()).Leave()
	b, ok := c.Locals(bodyKey).(*Body)
	if ok {
		b.hold.Close()
	} else {
		b = newBody(c)
	}
	if b.ended || b.skip() {
		return
	}
	c.Context().SetConnectionClose()
	linger(c.Context().Conn())
}

// skip skips the unread rest if it is known to be small, and reports whether it did.
func (b *Body) skip() bool {
	left := b.length - b.read
	if b.length < 0 || left > skippable || b.err != nil {
		return false
	}
	if err := b.c.Context().Conn().SetReadDeadline(time.Now().Add(lingerTime)); err != nil {
		return false
	}
	_, err := io.CopyN(io.Discard, b.source, left)
	return err == nil
}

func tooLarge(limit int64) error {
	return fault.TooLarge("body_too_large", fault.Number("limit", limit))
}

// readError returns the error for a body that was cut short or can't be read. A refusal stays what
// it is.
func readError(err error) error {
	if refusal, ok := errors.AsType[*fault.Error](err); ok {
		return refusal
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fault.Malformed("body_cut_short").Because(err)
	}
	return fault.Malformed("body_unreadable").Because(err)
}
