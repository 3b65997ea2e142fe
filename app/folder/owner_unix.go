//go:build unix

package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ActAsOwner makes the process, if it runs as root, that of the user to whom the records in a data
// folder belong: whatever root left there, the server could not open. A folder without records,
// or one still to be made, counts as its own or its parent's.
func ActAsOwner(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := ownerOf(filepath.Join(dir, "kv"), dir, filepath.Dir(dir))
	if err != nil || uid == 0 {
		return err
	}
	groups, home := []int{gid}, "/"
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		home = u.HomeDir
		if ids, err := u.GroupIds(); err == nil {
			groups = groups[:0]
			for _, id := range ids {
				if n, err := strconv.Atoi(id); err == nil {
					groups = append(groups, n)
				}
			}
		}
	}
	if err := errors.Join(syscall.Setgroups(groups), syscall.Setgid(gid), syscall.Setuid(uid), os.Setenv("HOME", home)); err != nil {
		return fmt.Errorf("cannot act as %s, to whom %s belongs: %w", userName(uid), dir, err)
	}
	return nil
}

// ownerOf returns the user and group of the first path that exists.
func ownerOf(paths ...string) (uid, gid int, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		s := info.Sys().(*syscall.Stat_t)
		return int(s.Uid), int(s.Gid), nil
	}
	return 0, 0, nil
}

func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "user " + strconv.Itoa(uid)
}

// used lists the folders whose files the appliance opens for writing. It only adds to others, which
// can have very many files.
var used = []string{"kv", "search", "keys"}

// MayUse returns an error that says what to do if this process may not read and write what the
// appliance has to in a data folder.
func MayUse(dir string) error { return mayOpen(dir, os.O_RDWR) }

// MayRead returns such an error if this process may not read that.
func MayRead(dir string) error { return mayOpen(dir, os.O_RDONLY) }

func mayOpen(dir string, as int) error {
	dir = filepath.Clean(dir)
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) {
			return notOurs(dir, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
		if d.IsDir() && path != dir && !slices.Contains(used, top) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.OpenFile(path, as, 0)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return notOurs(dir, path)
		case err != nil:
			return nil // whoever opens it says what is wrong
		}
		return f.Close()
	})
}

func notOurs(dir, path string) error {
	uid, _, err := ownerOf(path)
	if err != nil {
		return err
	}
	me := userName(os.Geteuid())
	return fmt.Errorf("%s belongs to %s and can't be opened by %s: %w; as root, run chown -R %s: %s",
		path, userName(uid), me, fs.ErrPermission, me, dir)
}

// MayWrite reports whether this process may write to a file.
func MayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }
