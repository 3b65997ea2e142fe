package pdfium

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"paraph/app/turns"
)

// startTimeout is the time allowed for a worker to become ready; compiling
// PDFium without a cache takes many seconds on a slow or busy machine.
const startTimeout = 2 * time.Minute

// pool keeps worker processes. The holder of a turn may have a process working;
// idle ones are kept for the next.
type pool struct {
	o     Options
	queue *turns.Queue
	life  context.Context // ends when the pool is closed
	end   context.CancelFunc

	mu   sync.Mutex
	idle []*process // most recently used last
	all  map[*process]bool
	wg   sync.WaitGroup // calls of do, and processes
}

func newPool(o Options) *pool {
	life, end := context.WithCancel(context.Background())
	return &pool{
		o:    o,
		life: life, end: end,
		queue: turns.New(turns.Options{
			Slots: int64(o.Workers), Group: int64(max(o.Workers-1, 1)), Patience: o.Patience,
		}),
		all: map[*process]bool{},
	}
}

// do runs one request on a worker of its own and returns the data of the
// answer. Pages are passed to onPage as they arrive.
func (p *pool) do(ctx context.Context, by turns.Key, req request, onPage func([]byte) error) ([]byte, error) {
	if !p.enter() {
		return nil, ErrClosed
	}
	defer p.wg.Done()
	leave, err := p.turn(ctx, by)
	if err != nil {
		return nil, err
	}
	defer leave()
	if req.toEnd {
		ctx = context.WithoutCancel(ctx)
	}
	w, err := p.worker(ctx)
	if err != nil {
		return nil, err
	}
	return p.ask(ctx, w, req, onPage)
}

// turn waits for permission to use a process.
func (p *pool) turn(ctx context.Context, by turns.Key) (leave func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.life, func() { cancel(ErrClosed) })()
	if leave, err = p.queue.Enter(ctx, by); err != nil && p.life.Err() != nil {
		return nil, ErrClosed
	}
	return leave, err
}

// enter counts a caller, unless the pool is closed.
func (p *pool) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.Err() != nil {
		return false
	}
	p.wg.Add(1)
	return true
}

// worker returns an idle process or starts one.
func (p *pool) worker(ctx context.Context) (*process, error) {
	for w := p.takeIdle(); w != nil; w = p.takeIdle() {
		if w.alive() {
			return w, nil
		}
		p.drop(w)
	}
	w, err := startProcess(p.o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	if !p.register(w) {
		w.end()
		return nil, ErrClosed
	}
	hello := settings{
		CacheDir:   p.o.CacheDir,
		FontDir:    p.o.FontDir,
		MemoryMB:   p.o.MemoryMB,
		CPUSeconds: (int(p.o.Timeout/time.Second) + 1) * runtime.NumCPU() * (p.o.RecycleJobs + 1),
	}
	err = p.limited(ctx, w, startTimeout, func() error {
		if err := writeJSON(w.in, frameSettings, hello); err != nil {
			return err
		}
		end, _, err := w.answer(nil)
		return errors.Join(err, end.err())
	})
	if err != nil {
		p.drop(w)
		return nil, p.notStarted(ctx, err)
	}
	return w, nil
}

// notStarted returns the error for a worker that failed before it had seen a file. How it failed
// is only text, so that nobody blames the file for a crash or a timeout.
func (p *pool) notStarted(ctx context.Context, err error) error {
	switch {
	case p.life.Err() != nil:
		return ErrClosed
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrNotStarted, ctx.Err())
	}
	return fmt.Errorf("%w: %v", ErrNotStarted, err)
}

// ask sends one request and collects the answer, then keeps or drops the
// process.
func (p *pool) ask(ctx context.Context, w *process, req request, onPage func([]byte) error) ([]byte, error) {
	var end ending
	var data []byte
	err := p.limited(ctx, w, p.o.Timeout, func() error {
		if err := writeJSON(w.in, frameRequest, req); err != nil {
			return err
		}
		var err error
		end, data, err = w.answer(onPage)
		return err
	})
	w.jobs++
	failure := errors.Join(err, end.err())
	if errors.Is(failure, ErrCrashed) || errors.Is(failure, ErrTimeout) {
		p.o.Log.Warn("pdfium failed", "op", req.Op, "error", failure)
	}
	switch {
	case err != nil:
		p.drop(w)
		return nil, err
	case w.killed, errors.Is(end.err(), ErrCrashed), end.MemoryMB > p.o.RecycleMB, w.jobs >= p.o.RecycleJobs:
		p.drop(w)
	default:
		p.keep(w)
	}
	if err := end.err(); err != nil {
		return nil, err
	}
	return data, nil
}

// limited runs f, which talks to w, and kills w if the time limit passes, the
// context ends or the pool closes. It returns that reason in place of the
// broken pipe that f saw.
func (p *pool) limited(ctx context.Context, w *process, limit time.Duration, f func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, w.kill)
	err := f()
	w.killed = !stop()
	if err == nil {
		return nil
	}
	if p.life.Err() != nil {
		return ErrClosed
	}
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return fmt.Errorf("%w: %s", ErrCrashed, w.failure(err))
	case errors.Is(cause, context.DeadlineExceeded): // the caller's own deadline
		return fmt.Errorf("%w: %w", ErrTimeout, cause)
	default:
		return cause
	}
}
