package memory

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mappedPages returns how many bytes of mapped files are resident.
func mappedPages() int64 {
	b, err := os.ReadFile("/proc/self/statm") // proc(5): size, resident, shared, …
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 3 {
		return 0
	}
	n, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// mapping is one entry of /proc/self/maps or /proc/self/smaps (proc(5)). Only smaps has sizes.
type mapping struct {
	from, to  uint64
	path      string
	shared    bool
	writable  bool
	resident  int64
	anonymous int64
}

// drop makes the pages of files that are mapped shared non-resident. Their content stays in the
// system's cache, and returns when used. The files must not be unmapped meanwhile, since something
// else might be mapped at their address.
func drop(files map[string]bool) {
	for _, m := range mappings("/proc/self/maps") {
		if files[m.path] && m.shared {
			m.drop()
		}
	}
}

// dropProgram makes the pages of the executable non-resident that were never written to, not even
// before they became read-only. To find that out takes the system milliseconds.
func dropProgram() {
	path, err := os.Executable()
	if err != nil {
		return
	}
	for _, m := range mappings("/proc/self/smaps") {
		if m.path == path && !m.writable && m.anonymous == 0 {
			m.drop()
		}
	}
}

// drop makes the pages of a mapping non-resident. Pages that stay resident do no harm.
func (m *mapping) drop() {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(m.from), uintptr(m.to-m.from), unix.MADV_DONTNEED)
}

func mappings(file string) []mapping {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	all := parseMappings(bufio.NewScanner(f))
	_ = f.Close() // only read
	return all
}

func parseMappings(lines *bufio.Scanner) (all []mapping) {
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		if m, ok := parseMapping(fields); ok {
			all = append(all, m)
			continue
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || len(all) == 0 {
			continue
		}
		switch last := &all[len(all)-1]; fields[0] {
		case "Rss:":
			last.resident = n << 10
		case "Anonymous:":
			last.anonymous = n << 10
		}
	}
	return all
}

// parseMapping reads "00400000-0048a000 r-xp 00000000 fd:03 960637 /bin/bash".
func parseMapping(fields []string) (m mapping, ok bool) {
	from, to, ok := strings.Cut(fields[0], "-")
	if !ok || len(fields[1]) != 4 {
		return m, false
	}
	var err error
	if m.from, err = strconv.ParseUint(from, 16, 64); err != nil {
		return m, false
	}
	if m.to, err = strconv.ParseUint(to, 16, 64); err != nil {
		return m, false
	}
	if len(fields) >= 6 {
		m.path = strings.Join(fields[5:], " ")
	}
	mode := fields[1]
	m.shared, m.writable = mode[3] == 's', mode[1] == 'w'
	return m, true
}
