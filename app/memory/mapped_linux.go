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

// mapping is one entry of /proc/self/smaps.
type mapping struct {
	from, to  uint64
	path      string
	kept      bool // backed by the file: shared, or never written to
	resident  int64
	anonymous int64
}

// drop makes the pages of mapped files non-resident. Their content stays in the system's cache,
// and returns when used. The files must not be unmapped meanwhile, since something else might
// be mapped at their address.
func drop(files map[string]bool) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	all := parseMappings(bufio.NewScanner(f))
	_ = f.Close() // only read
	for _, m := range all {
		if files[m.path] && m.kept && m.resident > 0 && m.anonymous == 0 {
			// Pages that stay resident do no harm.
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(m.from), uintptr(m.to-m.from), unix.MADV_DONTNEED)
		}
	}
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
	m.kept = mode[3] == 's' || mode[1] != 'w'
	return m, true
}
