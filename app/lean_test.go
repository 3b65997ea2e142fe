package app_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lean is a keep-alive connection that speaks just enough HTTP/1.1 to measure a
// server: net/http would take as much processor time as the server itself.
type lean struct {
	net.Conn
	r    *bufio.Reader
	body []byte          // of the last response, valid until the next
	took []time.Duration // by each request so far
}

func dialLean(url string) (*lean, error) {
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil, err
	}
	return &lean{Conn: c, r: bufio.NewReaderSize(c, 64<<10)}, nil
}

// errStatus means that a response has an error status.
var errStatus = errors.New("error status")

// do sends an encoded request, and reads the response.
func (l *lean) do(request []byte) error {
	began := time.Now()
	defer func() { l.took = append(l.took, time.Since(began)) }()
	if _, err := l.Write(request); err != nil {
		return err
	}
	status, length := "", -1
	for {
		line, err := l.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if status == "" {
			status = string(line[min(9, len(line)):])
		} else if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("a response without a length")
	}
	l.body = slices.Grow(l.body[:0], length)[:length]
	if _, err := io.ReadFull(l.r, l.body); err != nil {
		return err
	}
	if !strings.HasPrefix(status, "2") {
		return fmt.Errorf("%w: %s: %.300s", errStatus, status, l.body)
	}
	return nil
}

// id returns the n-th identifier in the last response.
func (l *lean) id(n int) string {
	rest := l.body
	for {
		_, after, ok := bytes.Cut(rest, []byte(`"id":"`))
		if !ok {
			return ""
		}
		if n == 0 {
			return string(after[:26])
		}
		rest, n = after, n-1
	}
}

// get returns a request without a body.
func get(path, token string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
}

// post returns a request with a body.
func post(path, token, contentType string, body []byte) []byte {
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", path, token, contentType, len(body))
	return append(head, body...)
}

// measured is the result of a load.
type measured struct {
	perSecond float64
	took      []time.Duration // sorted
}

func (m measured) p(percent int) time.Duration {
	if len(m.took) == 0 {
		return 0
	}
	return m.took[min(len(m.took)*percent/100, len(m.took)-1)]
}

// load lets connections repeat an action for some time, each as fast as possible.
func load(url string, connections int, d time.Duration, act func(l *lean, worker, i int) error) (measured, error) {
	all := make([][]time.Duration, connections)
	errs := make([]error, connections)
	var workers sync.WaitGroup
	began := time.Now()
	for w := range connections {
		workers.Go(func() { all[w], errs[w] = repeat(url, began.Add(d), w, act) })
	}
	workers.Wait()
	m := measured{took: slices.Concat(all...)}
	m.perSecond = float64(len(m.took)) / time.Since(began).Seconds()
	slices.Sort(m.took)
	return m, errors.Join(errs...)
}

func repeat(url string, until time.Time, worker int, act func(l *lean, worker, i int) error) (took []time.Duration, err error) {
	l, err := dialLean(url)
	if err != nil {
		return nil, err
	}
	last := time.Now()
	for i := 0; last.Before(until) && err == nil; i++ {
		err = act(l, worker, i)
		now := time.Now()
		took = append(took, now.Sub(last))
		last = now
	}
	return took, errors.Join(err, l.Close())
}
