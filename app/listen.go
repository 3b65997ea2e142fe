package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/coreos/go-systemd/v22/activation"

	"paraph/app/httpkit"
)

// Forms of server.listen besides an address and port.
const (
	unixListen    = "unix:"   // followed by the path of a socket
	systemdListen = "systemd" // optionally followed by a colon and the socket's name
)

// listen opens the listeners, so that a port in use is an error at the start and the address is
// known when the rest is opened.
func (a *App) listen(Options) (err error) {
	s := a.Config.Server
	var passed map[string][]net.Listener
	if isSystemd(s.Listen) || isSystemd(s.PublicListen) {
		if passed, err = activation.ListenersWithNames(); err != nil {
			return fmt.Errorf("sockets passed by systemd: %w", err)
		}
	}
	opened, encryption := sockets{s.SocketMode, passed}, newServerTLS(a.Config, a.dir, a.log)
	ln, err := a.open(s.Listen, opened)
	if err != nil {
		return err
	}
	a.ln = httpkit.Listen(ln, s.ReadTimeout)
	if a.secured, err = encryption.secure(a.ln); err != nil || s.PublicListen == "" {
		return err
	}
	if ln, err = a.open(s.PublicListen, opened); err != nil {
		return err
	}
	a.public, err = encryption.secure(httpkit.ListenForSignatories(ln, s.ReadTimeout))
	return err
}

// open opens a listener that is closed with the appliance.
func (a *App) open(at string, s sockets) (net.Listener, error) {
	ln, err := s.listen(at)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s: %w", at, err)
	}
	a.onClose(func() error {
		if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	})
	return ln, nil
}

// sockets opens the addresses that the server listens on.
type sockets struct {
	mode   string                    // of the file of a Unix socket, in octal
	passed map[string][]net.Listener // by systemd
}

func (s sockets) listen(at string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(at, unixListen); ok {
		return s.listenUnix(path)
	}
	if isSystemd(at) {
		_, name, _ := strings.Cut(at, ":")
		return takePassed(s.passed, name)
	}
	ln, err := net.Listen("tcp", at)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w; the server runs as the owner of the data folder: for a port below 1024, that user needs CAP_NET_BIND_SERVICE, or the port comes from a systemd socket", err)
	}
	return ln, err
}

// listenUnix replaces a socket left by a killed server, but no other file and no socket in use.
func (s sockets) listenUnix(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		if c, err := net.Dial("unix", path); err == nil {
			return nil, errors.Join(errors.New("another process listens there"), c.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	// Validated with the configuration.
	mode, err := strconv.ParseUint(s.mode, 8, 9)
	if err == nil {
		err = os.Chmod(path, fs.FileMode(mode))
	}
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return ln, nil
}

// takePassed returns the socket with a name (FileDescriptorName) among those passed by systemd;
// without a name, the only one.
func takePassed(passed map[string][]net.Listener, name string) (net.Listener, error) {
	names := slices.Sorted(maps.Keys(passed))
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	if all := passed[name]; len(all) == 1 {
		return all[0], nil
	}
	return nil, fmt.Errorf("systemd has to pass exactly one stream socket of that name; it passed %q", names)
}

func isSystemd(listen string) bool {
	return listen == systemdListen || strings.HasPrefix(listen, systemdListen+":")
}

// aside returns the configuration for a process beside the server that serves no requests.
func (c Config) aside() Config {
	c.Server.Listen, c.Server.PublicListen = "127.0.0.1:0", ""
	c.Server.TLS.Mode, c.Metrics.Listen = "off", ""
	return c
}
