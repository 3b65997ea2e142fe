package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offered returns what this kernel offers.
func Offered() Protection {
	_, filter := architectures[runtime.GOARCH]
	return Protection{Files: landlock() > 0, Network: filter && filtering()}
}

// landlock returns the version of Landlock's interface, 0 if the kernel lacks it or it is switched off.
var landlock = sync.OnceValue(func() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
})

// filtering reports whether the kernel filters system calls.
var filtering = sync.OnceValue(func() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
})

// become confines the thread that then becomes the program.
func become(rules Rules, program string, args, env []string) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up rights: %w", err)
	}
	offered := Offered()
	if offered.Files {
		if err := hideFiles(rules); err != nil {
			return fmt.Errorf("hide files: %w", err)
		}
	}
	if offered.Network {
		if err := cutOff(); err != nil {
			return fmt.Errorf("cut off the network: %w", err)
		}
	}
	return syscall.Exec(program, args, env)
}

// The rights of Landlock, by what they are for.
const (
	toReadFile  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	toRead      = toReadFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	toWriteFile = toReadFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	toMeet  = unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
	toWrite = toRead | toWriteFile | toMeet | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER
	everything = toWrite | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// attributes returns what a version of Landlock can forbid.
func attributes(version int) (a unix.LandlockRulesetAttr, size uintptr) {
	a.Handled_access_fs = everything
	for _, later := range []struct {
		version int
		right   uint64
	}{
		{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	} {
		if version < later.version {
			a.Handled_access_fs &^= later.right
		}
	}
	size = unsafe.Offsetof(a.Handled_access_net)
	if version >= 4 {
		a.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(a.Scoped)
	}
	if version >= 6 {
		a.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(a.Quiet_access_fs)
	}
	return a, size
}

// hideFiles hides all files from this thread but those of the rules.
func hideFiles(rules Rules) error {
	a, size := attributes(landlock())
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&a)), size, 0)
	if errno != 0 {
		return errno
	}
	defer func() { _ = unix.Close(int(set)) }() // holds nothing that is not in force already
	for _, allowed := range []struct {
		paths        []string
		file, folder uint64
	}{
		{rules.Read, toReadFile, toRead}, {rules.Write, toWriteFile, toWrite}, {rules.Meet, 0, toMeet},
	} {
		for _, path := range allowed.paths {
			if err := allow(int(set), path, allowed.file&a.Handled_access_fs, allowed.folder&a.Handled_access_fs); err != nil {
				return err
			}
		}
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allow adds rights to a set: those for a file or those for a folder.
func allow(set int, path string, file, folder uint64) error {
	at, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = unix.Close(at) }() // nothing was written through it
	var info unix.Stat_t
	if err := unix.Fstat(at, &info); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: file, Parent_fd: int32(at)}
	if info.Mode&unix.S_IFMT == unix.S_IFDIR {
		rule.Allowed_access = folder
	}
	if rule.Allowed_access == 0 {
		return nil
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("%s: %w", path, errno)
	}
	return nil
}
