package confine

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// architectures are those on which every network system call begins with socket.
var architectures = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64,
}

// Offsets in the data that a filter sees (struct seccomp_data), of little-endian machines.
const (
	atNumber       = 0
	atArchitecture = 4
	atFirst        = 16
)

// x32 marks system calls of another interface of amd64, which have other numbers.
const x32 = 0x40000000

// cutOff installs a filter that leaves only sockets of this machine, and none of the ways around it: calls
// of another architecture, rings of calls, and the memory of other processes.
func cutOff() error {
	forbidden := []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV,
		unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF}
	const refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	end := func(how uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: how} }
	test := func(how uint16, value uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | how, K: value, Jt: yes, Jf: no}
	}
	program := []unix.SockFilter{
		load(atArchitecture),
		test(unix.BPF_JEQ, architectures[runtime.GOARCH], 1, 0),
		end(refuse),
		load(atNumber),
		test(unix.BPF_JGE, x32, 0, 1),
		end(refuse),
	}
	for _, call := range forbidden {
		program = append(program, test(unix.BPF_JEQ, call, 0, 1), end(refuse))
	}
	program = append(program,
		test(unix.BPF_JEQ, unix.SYS_SOCKET, 0, 3),
		load(atFirst),
		test(unix.BPF_JEQ, unix.AF_UNIX, 1, 0),
		end(refuse),
		end(unix.SECCOMP_RET_ALLOW),
	)
	rule := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&rule)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return errno
	}
	return nil
}
