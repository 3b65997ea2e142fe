package pdfium

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// process is one worker as seen by its parent. It is used by one caller at a
// time.
type process struct {
	in   io.WriteCloser
	out  *bufio.Reader
	pipe *os.File // the file underlying out
	jobs int
	idle *time.Timer // ends the process when unused

	killed bool // just after its answer arrived

	os     *os.Process
	done   chan struct{} // closed when the process has exited
	exit   error         // how it exited; set before done is closed
	stderr *head
}

// startProcess starts a worker with an empty environment.
func startProcess(o Options) (*process, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, err
	}
	p := &process{in: inW, out: bufio.NewReaderSize(outR, 64<<10), pipe: outR, done: make(chan struct{})}
	p.stderr = &head{}
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Env = []string{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, p.stderr
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = time.Second
	started := make(chan error, 1)
	go p.run(cmd, started)
	err = <-started
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		return nil, err
	}
	return p, nil
}

// run starts the process and waits for it on one thread: the kernel sends the
// parent death signal when the thread that started the process ends.
func (p *process) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	p.os = cmd.Process
	started <- nil
	p.exit = cmd.Wait()
	close(p.done)
}

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// kill ends the process at once. It has no effect after the process has exited.
func (p *process) kill() {
	_ = p.os.Kill() // fails only after the process has exited
}

// end kills the process, waits until it has exited and frees its pipes.
func (p *process) end() {
	p.kill()
	<-p.done
	p.in.Close()
	p.pipe.Close()
}

// failure describes how the process ended, for the log.
func (p *process) failure(err error) string {
	p.kill()
	<-p.done
	how := "ended"
	if p.exit != nil {
		how = p.exit.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%v) %s", how, err, p.stderr))
}

// head keeps the first bytes written to it, which hold the reason if a Go
// program dies, and discards the rest.
type head struct {
	mu sync.Mutex
	b  []byte
}

const headBytes = 1 << 10

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.b = append(h.b, b[:min(len(b), headBytes-len(h.b))]...)
	return len(b), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.b)
}

// answer reads frames up to the end of the answer.
func (w *process) answer(onPage func([]byte) error) (ending, []byte, error) {
	var data []byte
	for {
		kind, b, err := readFrame(w.out)
		if err != nil {
			return ending{}, nil, err
		}
		switch {
		case kind == framePage && onPage != nil:
			if err := onPage(b); err != nil {
				return ending{}, nil, err
			}
		case kind == frameData && data == nil:
			data = b
		case kind == frameEnd:
			var end ending
			err := json.Unmarshal(b, &end)
			return end, data, err
		default:
			return ending{}, nil, fmt.Errorf("frame %q out of place", kind)
		}
	}
}
