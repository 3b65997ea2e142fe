package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"paraph/app/backup"
	"paraph/app/control"
	"paraph/app/transfer"
	"paraph/app/words"
)

// controlName is the socket in the data folder over which commands reach a running
// server. The folder is closed to other users.
const controlName = "control"

// socketPath is the longest socket path accepted by every system.
const socketPath = 100

// inFolder calls fn with a sufficiently short path to the socket, however long the path of the
// data folder is.
func inFolder(dir string, fn func(path string) error) (err error) {
	path := filepath.Join(dir, controlName)
	if len(path) <= socketPath || runtime.GOOS != "linux" {
		return fn(path)
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return fn("/proc/self/fd/" + strconv.Itoa(int(d.Fd())) + "/" + controlName)
}

// commands lets commands on this machine reach the running server.
type commands struct {
	dir     string // the data folder
	log     *slog.Logger
	english *words.Language
	source  *backup.Source
	site    *transfer.Installation
	examine func(context.Context) []Finding
	order   http.HandlerFunc
	files   func(*http.ServeMux)
}

func (a *App) commands() commands {
	return commands{
		a.dir, a.log, a.words.English(), a.backupSource(), a.installation(),
		func(ctx context.Context) []Finding { return a.examine(ctx, true) },
		a.serveOrder, a.serveFiles,
	}
}

// serve serves commands until ctx ends. A server that can't create the socket runs without it.
func (c commands) serve(ctx context.Context) error {
	ln, err := listenControl(c.dir)
	if err != nil {
		c.log.Warn("commands cannot reach the running server", "error", err)
		return nil
	}
	s := &http.Server{Handler: c.handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		// Ends running backups and closes the listener.
		_ = s.Close()
	})
	defer stop()
	if err := s.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the control socket: %w", err)
	}
	return nil
}

func (c commands) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", backup.Handler(c.source, c.log))
	companies := transfer.Handler(c.site, func(err error) error { return sayFaults(c.english, err) })
	for _, path := range []string{"/companies", "/companies/", "/administrators"} {
		mux.Handle(path, companies)
	}
	mux.HandleFunc("POST /orders", c.order)
	c.files(mux)
	mux.HandleFunc("GET /doctor", func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewEncoder(w).Encode(c.examine(r.Context())); err != nil {
			c.log.Debug("answering the doctor", "error", err)
		}
	})
	return mux
}

// listenControl replaces a socket left by a killed server.
func listenControl(dir string) (ln net.Listener, err error) {
	if err := os.Remove(filepath.Join(dir, controlName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = inFolder(dir, func(path string) (err error) {
		if ln, err = net.Listen("unix", path); err != nil {
			return err
		}
		return os.Chmod(path, 0o600)
	})
	return ln, err
}

// dialControl connects to the server that holds a data folder.
func dialControl(ctx context.Context, dir string) (c net.Conn, err error) {
	err = inFolder(dir, func(path string) (err error) {
		c, err = new(net.Dialer).DialContext(ctx, "unix", path)
		return err
	})
	return c, err
}

// serverOf returns the server that holds a data folder.
func serverOf(dir string) *control.Client {
	return control.NewClient(func(ctx context.Context) (net.Conn, error) { return dialControl(ctx, dir) })
}

// backupSource returns the open data folder as a source of backups.
func (a *App) backupSource() *backup.Source {
	return &backup.Source{
		DB: a.db, Blobs: a.blobs, Files: neededFiles{}, Dir: a.dir, Settings: a.Config.File,
		DataVersion: dataVersion(), Program: Version(), Now: time.Now, LostKeys: a.register().lostNames,
	}
}
