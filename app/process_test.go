package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/apptest"
	"paraph/app/apptest/patience"
	"paraph/app/confine"
)

// These tests run the appliance as its users do: the binary, its arguments, its
// exit codes, its signals. It is built once per run of the tests.

var (
	scratch string // for the binary; removed with the tests
	build   = sync.OnceValues(func() (string, error) {
		if built := os.Getenv(apptest.ProgramEnv); built != "" {
			return built, nil
		}
		path := filepath.Join(scratch, "paraph")
		cmd := exec.Command("go", "build", "-o", path, "..")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
		return path, nil
	})
)

func TestMain(m *testing.M) {
	others := map[string]func() error{
		app.WorkerCommand: func() error { return app.ServeWorker(os.Stdin, os.Stdout) },
		confine.Command:   func() error { return confine.Become(os.Args[2:]) },
		bareCommand:       serveBare,
	}
	if len(os.Args) > 1 && others[os.Args[1]] != nil {
		if err := others[os.Args[1]](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(inScratch(m.Run))
}

func inScratch(run func() int) int {
	dir, err := os.MkdirTemp("", "paraph-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	scratch = dir
	code := run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func binary(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// environ returns the environment without any settings in it.
func environ(more ...string) (env []string) {
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PARAPH_") {
			env = append(env, kv)
		}
	}
	return append(env, more...)
}

// outcome is the result of a command.
type outcome struct {
	code     int
	out, err string
}

// call runs a command to completion, in a separate folder without a configuration
// file.
func call(t testing.TB, args ...string) outcome {
	t.Helper()
	return callWith(t, nil, args...)
}

func callWith(t testing.TB, env []string, args ...string) outcome {
	t.Helper()
	program := binary(t) // the first call builds it, which must not count as the command's time
	ctx := patience.Context(t)
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.TempDir(), environ(env...), &out, &errs
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// output is the file that a process writes to: a pipe would have to be read,
// which would distort measurements.
type output struct{ *os.File }

func newOutput(t testing.TB) output {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return output{f}
}

// String returns the output so far.
func (o output) String() string {
	b, err := os.ReadFile(o.Name())
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// process is a running appliance.
type process struct {
	testing.TB
	cmd      *exec.Cmd
	out, err output
	url      string
	http     *http.Client
	done     chan struct{} // closed when it has ended
	waited   error
}

// admin is the first administrator of every data folder in these tests.
const (
	adminEmail    = "admin@test.example"
	adminPassword = "correct horse battery staple"
)

// serve starts an appliance on a data folder and waits until it listens.
func serve(t testing.TB, dir string, settings ...string) *process {
	t.Helper()
	env := []string{"PARAPH_ADMIN_EMAIL=" + adminEmail, "PARAPH_ADMIN_PASSWORD=" + adminPassword}
	return launch(t, env, dir, "serve", settings...)
}

func launch(t testing.TB, env []string, dir, command string, settings ...string) *process {
	t.Helper()
	if _, judged := t.(*testing.T); judged { // benchmarks measure the folder unchanged
		if err := apptest.ShareCompiled(dir); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{command, "--set", "data.dir=" + dir, "--set", "server.listen=127.0.0.1:0", "--set", "data.reserve=1MB"}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	cmd := exec.Command(binary(t), args...)
	cmd.Env = environ(env...)
	return begin(t, cmd)
}

// begin starts a server and waits until it prints its address.
func begin(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{TB: t, cmd: cmd, out: newOutput(t), err: newOutput(t), done: make(chan struct{}),
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 2 * time.Minute}}
	if cmd.Dir == "" {
		cmd.Dir = t.TempDir()
	}
	cmd.Stdout, cmd.Stderr = p.out.File, p.err.File
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.waited = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.kill()
		p.http.CloseIdleConnections()
		if t.Failed() {
			t.Logf("the log of the appliance ended with\n%s", tail(p.err.String(), 1500))
		}
	})
	p.awaitURL()
	return p
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

var (
	listening = regexp.MustCompile(`msg=listening address=\S+ url=(\S+)`)
	double    = regexp.MustCompile(`test double on (\S+):`)
)

// awaitURL waits for the line with the appliance's address.
func (p *process) awaitURL() {
	p.Helper()
	p.until("it listens", func() (string, bool) {
		for _, m := range [][]string{listening.FindStringSubmatch(p.err.String()), double.FindStringSubmatch(p.out.String())} {
			if m != nil {
				p.url = m[1]
			}
		}
		return p.out.String(), p.url != ""
	})
}

// until polls for an effect of the process. look describes what it sees, for the
// failure message, and reports whether it is done.
func (p *process) until(what string, look func() (saw string, ok bool)) {
	p.Helper()
	ended := false
	patience.Until(p, what, func() (string, bool) {
		saw, ok := look()
		if !ok && ended {
			p.Fatalf("the appliance ended before %s: %v; last seen: %s\n%s", what, p.waited, saw, tail(p.err.String(), 3000))
		}
		select {
		case <-p.done:
			ended = true // look once more
		default:
		}
		return saw, ok
	})
}

// kill ends the process as a power cut would, and waits for its end.
func (p *process) kill() {
	// It may have ended already.
	_ = p.cmd.Process.Kill()
	<-p.done
}

// stop asks the process to end and returns its exit code.
func (p *process) stop() int {
	p.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.Fatal(err)
	}
	patience.Receive(p, "the end of the appliance", p.done)
	return p.cmd.ProcessState.ExitCode()
}

// status returns a line of /proc/PID/status, in KiB.
func (p *process) status(key string) int {
	p.Helper()
	n, err := p.readStatus(key)
	if err != nil {
		p.Fatal(err)
	}
	return n
}

func (p *process) readStatus(key string) (int, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
		}
	}
	return 0, fmt.Errorf("no %s", key)
}

// inUse returns how much memory a process uses, in KiB: its heap and stacks, without mapped
// files, of which as much is resident as the system likes.
func (p *process) inUse() int { return p.status("RssAnon") }

// usage watches how much memory a process uses, since the system keeps no peak of that. All
// figures are in KiB.
type usage struct {
	first int
	peak  atomic.Int64
}

// watch watches the memory of a process until it ends.
func (p *process) watch() *usage {
	p.Helper()
	u := &usage{first: p.inUse()}
	u.peak.Store(int64(u.first))
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			now, err := p.readStatus("RssAnon")
			if err != nil {
				return // the process has ended
			}
			u.peak.Store(max(u.peak.Load(), int64(now)))
		}
	}()
	return u
}

// most returns the peak so far.
func (u *usage) most() int { return int(u.peak.Load()) }

// grown returns by how much the peak exceeds what was in use at first.
func (u *usage) grown() int { return u.most() - u.first }

// processor returns the processor time used by the process so far.
func (p *process) processor() time.Duration {
	p.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		p.Fatal(err)
	}
	// proc(5): the name may contain blanks; utime and stime are the 12th and 13th after it.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	total := 0
	for _, field := range fields[11:13] {
		ticks, err := strconv.Atoi(field)
		if err != nil {
			p.Fatal(err)
		}
		total += ticks
	}
	return time.Duration(total) * time.Second / 100
}

// client talks to an appliance as one of its users.
type client struct {
	http       *http.Client
	url, token string
}

// login returns a client of the administrator.
func (p *process) login() *client {
	p.Helper()
	c, err := logIn(p.http, p.url, adminEmail, adminPassword)
	if err != nil {
		p.Fatal(err)
	}
	return c
}

func logIn(h *http.Client, url, email, password string) (*client, error) {
	c := &client{http: h, url: url}
	var user struct{ Companies []struct{ Token string } }
	if err := c.do(http.MethodPost, "/login", map[string]string{"email": email, "password": password}, &user); err != nil {
		return nil, err
	}
	c.token = user.Companies[0].Token
	return c, nil
}

// refusal is an unsuccessful response.
type refusal struct {
	status int
	body   string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.body) }

func statusOf(err error) int {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.status
	}
	return 0
}

// do sends JSON and reads JSON. An error other than a refusal means that there
// was no response.
func (c *client) do(method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	answer, err := c.send(method, path, "application/json", body)
	if err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// send sends a body of any type and returns the whole response.
func (c *client) send(method, path, contentType string, body io.Reader) ([]byte, error) {
	answer, err := c.open(method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(answer)
	return b, errors.Join(err, answer.Close())
}

// open sends a body and returns the response as a stream.
func (c *client) open(method, path, contentType string, body io.Reader) (io.ReadCloser, error) {
	r, err := http.NewRequest(method, c.url+path, body)
	if err != nil {
		return nil, err
	}
	if b, ok := body.(sized); ok {
		r.ContentLength = b.n
	}
	r.Header.Set("Content-Type", contentType)
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 {
		return answer.Body, nil
	}
	b, err := io.ReadAll(answer.Body)
	return nil, errors.Join(&refusal{answer.StatusCode, string(b)}, err, answer.Body.Close())
}
