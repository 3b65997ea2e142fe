// Package apptest runs a whole appliance for tests: in memory, with its own clock and
// captured mail, on a local port.
//
//	func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }
//
//	func TestList(t *testing.T) {
//		s := apptest.New(t)
//		c := s.Company(t)
//		c.Get(t, "/documents").Want(t, 200)
//	}
//
// An appliance returned by New is ready to use and ends with the test. Appliances don't
// share any state, and leave nothing in the folder of the tests.
package apptest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"paraph/app"
	"paraph/app/confine"
	"paraph/app/pdf/pdfium"
)

// Main runs the tests of a package that uses this one, for its TestMain. The appliance
// starts PDF workers and converters by running the test binary again; Main serves those too.
func Main(m *testing.M) int {
	if len(os.Args) > 1 && os.Args[1] == confine.Command {
		fmt.Fprintln(os.Stderr, confine.Become(os.Args[2:]))
		return 1
	}
	if len(os.Args) > 1 && os.Args[1] == app.WorkerCommand {
		if err := app.ServeWorker(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	debug.SetGCPercent(400) // tests start many appliances and don't measure memory
	code := m.Run()
	if e, err := engine(); err == nil {
		e.Close()
	}
	return code
}

// Password is the password of every user created by this package.
const Password = app.SeedPassword

// Server is a running appliance.
type Server struct {
	*app.App
	URL    string // without a trailing slash
	client *http.Client
	stop   func() error
	made   atomic.Int64
}

// Config returns the configuration that New starts with: mostly the defaults, on a
// free port.
func Config() app.Config {
	cfg := app.Default()
	cfg.Server.Listen = "127.0.0.1:0"
	cfg.Server.TestControls = true
	cfg.Data.Reserve = 0
	cfg.Auth.LoginAttemptsPerAddress = 1 << 20
	cfg.Network.Egress = []string{"none"}
	return cfg
}

// New starts an appliance that ends with the test. The changes are applied to its
// configuration first.
func New(t testing.TB, change ...func(*app.Config)) *Server {
	t.Helper()
	s, err := Start(change...)
	if err != nil {
		t.Fatal(err)
	}
	s.closeAfter(t)
	return s
}

func (s *Server) closeAfter(t testing.TB) {
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the appliance: %v", err)
		}
	})
}

// Empty starts an appliance as just installed, without the users that other appliances
// are seeded with.
func Empty(t testing.TB, change ...func(*app.Config)) *Server {
	t.Helper()
	s, err := start(false, change)
	if err != nil {
		t.Fatal(err)
	}
	s.closeAfter(t)
	return s
}

// WithWorker starts an appliance whose PDF engine is run by a command of the test's own.
func WithWorker(t testing.TB, command ...string) *Server {
	t.Helper()
	s, err := run(Config(), app.Options{InMemory: true, Seed: true, Cheap: true, Worker: command})
	if err != nil {
		t.Fatal(err)
	}
	s.closeAfter(t)
	return s
}

// Start starts an appliance for the caller to close, such as one shared by several
// tests.
func Start(change ...func(*app.Config)) (*Server, error) { return start(true, change) }

// StartIn starts an appliance on a data folder with a clock, for the caller to close.
// The changes are applied to its configuration first.
func StartIn(dir string, clock *app.Clock, change ...func(*app.Config)) (*Server, error) {
	if err := ShareCompiled(dir); err != nil {
		return nil, err
	}
	cfg := Config()
	cfg.Data.Dir = dir
	for _, f := range change {
		f(&cfg)
	}
	return run(cfg, app.Options{Clock: clock, Cheap: true})
}

// ShareCompiled makes a data folder use the shared cache of compiled PDFium. Compiling
// takes seconds, and far longer with the race detector.
func ShareCompiled(dir string) error {
	kept, err := os.UserCacheDir()
	if err != nil {
		return nil // without a shared cache each appliance compiles its own
	}
	kept = filepath.Join(kept, "paraph")
	if err := errors.Join(os.MkdirAll(kept, 0o700), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	if err := os.Symlink(kept, filepath.Join(dir, "cache")); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func start(seed bool, change []func(*app.Config)) (*Server, error) {
	cfg := Config()
	for _, f := range change {
		f(&cfg)
	}
	return run(cfg, app.Options{InMemory: true, Seed: seed, Cheap: true})
}

// ProgramEnv is the environment variable that names the program, if it is built already. PDF
// workers are then started from it instead of from the test binary: with the race detector each
// would take four times as long to start, and find nothing that the tests of the engine, whose
// workers have it, don't.
const ProgramEnv = "PARAPH_TEST_PROGRAM"

// engine is the PDF engine of all appliances of a test binary. Starting a worker takes longer
// than starting an appliance, and a worker knows nothing of the appliance that it works for.
var engine = sync.OnceValues(func() (*pdfium.Engine, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if built := os.Getenv(ProgramEnv); built != "" {
		program = built
	}
	o := pdfium.Options{Command: []string{program, app.WorkerCommand}}
	if kept, err := os.UserCacheDir(); err == nil { // without it every worker compiles PDFium
		o.CacheDir = filepath.Join(kept, "paraph")
	}
	return pdfium.Open(o)
})

func run(cfg app.Config, o app.Options) (_ *Server, err error) {
	if o.Worker == nil {
		if o.PDFium, err = engine(); err != nil {
			return nil, err
		}
	}
	a, err := app.Open(cfg, o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	s := &Server{App: a, URL: a.URL(), client: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, Timeout: 2 * time.Minute}}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.stop = func() error {
		s.client.CloseIdleConnections()
		cancel()
		return <-ended
	}
	return s, nil
}

// Close stops the appliance and removes its data.
func (s *Server) Close() error {
	err := s.stop()
	if e := s.App.Close(); err == nil {
		err = e
	}
	return err
}

// Advance moves the clock. When it returns, everything that has become due is done.
func (s *Server) Advance(t testing.TB, d string) {
	t.Helper()
	s.Anonymous().Post(t, "/test/clock", Map{"advance": d}).Want(t, http.StatusOK)
}
