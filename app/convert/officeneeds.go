package convert

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"paraph/app/confine"
)

// ofMachine lists what LibreOffice reads of a machine: programs and libraries, fonts, languages and its own
// settings. There are no files of people among them.
var ofMachine = []string{
	"/bin", "/lib", "/lib32", "/lib64", "/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/nix/store", "/gnu/store",
	"/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/libreoffice", "/etc/localtime", "/etc/opt",
	"/usr/share/fontconfig", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/texmf/fonts", "/usr/share/X11/fonts",
	"/usr/share/hunspell", "/usr/share/hyphen", "/usr/share/mythes", "/usr/share/myspell", "/usr/share/liblangtag",
	"/usr/share/libreoffice", "/usr/share/locale", "/etc/locale.alias", "/usr/share/zoneinfo",
	"/var/cache/fontconfig", "/usr/lib/fontconfig/cache", "/var/lib/libreoffice", "/var/spool/libreoffice", "/var/lib/fonts",
	"/dev/random", "/dev/urandom", "/dev/zero", "/proc/cpuinfo", "/proc/filesystems", "/proc/meminfo", "/sys/devices/system/cpu",
}

// officeSockets lists where LibreOffice makes the socket by which a second start would find the first. It
// knows no other places.
var officeSockets = []string{"/tmp", "/var/tmp"}

// officeNeeds lists what a LibreOffice at path has to read: of the machine, and the folder it is installed in,
// which may be anywhere.
func officeNeeds(path string) []string {
	needs := append([]string{path}, ofMachine...)
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return needs // It will not start, either.
	}
	if program := filepath.Dir(real); filepath.Base(program) == "program" {
		return append(needs, filepath.Dir(program))
	}
	return append(needs, real)
}

// confined returns the arguments by which this program becomes LibreOffice, confined by rules.
func (o *Office) confined(rules confine.Rules, args ...string) ([]string, error) {
	self := o.Self
	if self == "" {
		var err error
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	return confine.Start(self, rules, o.Path, args...)
}

// Version returns what LibreOffice says it is, when it runs as it does for files.
func (o *Office) Version(ctx context.Context) (version string, err error) {
	args := []string{o.Path, "--version"}
	if confine.Offered() != (confine.Protection{}) {
		rules := confine.Rules{Read: officeNeeds(o.Path), Write: []string{os.DevNull}, Meet: officeSockets}
		if args, err = o.confined(rules, "--version"); err != nil {
			return "", err
		}
	}
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	return strings.TrimSpace(string(out)), err
}
