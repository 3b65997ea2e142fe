package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"paraph/app/backup"
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

// control serves commands on this machine until ctx ends. A server that can't create the socket
// runs without it.
func (a *App) control(ctx context.Context) error {
	if a.inMem {
		return nil
	}
	ln, err := listenControl(a.dir)
	if err != nil {
		a.log.Warn("commands cannot reach the running server", "error", err)
		return nil
	}
	s := &http.Server{Handler: a.controls(), ReadHeaderTimeout: 10 * time.Second}
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

// backupSource returns the open data folder as a source of backups.
func (a *App) backupSource() *backup.Source {
	return &backup.Source{
		DB: a.db, Blobs: a.blobs, Dir: a.dir, Settings: a.Config.File,
		DataVersion: dataVersion(), Program: Version(), Now: time.Now,
	}
}
