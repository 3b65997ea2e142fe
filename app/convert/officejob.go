package convert

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"paraph/app/convert/internal/refuse"
)

// officeJob is the conversion of one file, and its scratch folder (0700).
type officeJob struct{ dir string }

func (j officeJob) input() string   { return filepath.Join(j.dir, "document.docx") }
func (j officeJob) profile() string { return filepath.Join(j.dir, "profile") }
func (j officeJob) out() string     { return filepath.Join(j.dir, "out") }

// output returns the path of the PDF, which exists after a run if LibreOffice could read
// the file.
func (j officeJob) output() string { return filepath.Join(j.out(), "document.pdf") }

func (j officeJob) remove() error { return os.RemoveAll(j.dir) }

func wholePDF(f io.ReaderAt, size int64) error {
	end := make([]byte, min(size, 1024))
	start := make([]byte, 5)
	_, err1 := f.ReadAt(start, 0)
	_, err2 := f.ReadAt(end, size-int64(len(end)))
	if err := errors.Join(ignoreEOF(err1), ignoreEOF(err2)); err != nil {
		return err
	}
	if string(start) != "%PDF-" || !bytes.Contains(end, []byte("%%EOF")) {
		return refuse.Damaged(errors.New("LibreOffice did not finish the converted file"))
	}
	return nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func fileURL(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// tail keeps the last bytes of a process's output.
type tail struct {
	b     []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if over := len(t.b) - t.limit; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

// clean returns the output on one line, without the scratch folder's path. LibreOffice
// mentions files and filters, but never text of the file.
func (t *tail) clean(home string) string {
	s := strings.ReplaceAll(string(t.b), filepath.Dir(home)+string(filepath.Separator), "")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.Join(strings.Fields(s), " ")
}

// writeProfile makes the profile folder. Each setting is documented in
// LibreOffice's own schema, officecfg/registry/schema.
func writeProfile(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "user"), 0o700); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
`)
	for _, s := range officeSettings {
		b.WriteString(`<item oor:path="/org.openoffice.` + s[0] + `"><prop oor:name="` + s[1] + `" oor:op="fuse"><value>` + s[2] + "</value></prop></item>\n")
	}
	b.WriteString("</oor:items>\n")
	return os.WriteFile(filepath.Join(dir, "user", "registrymodifications.xcu"), []byte(b.String()), 0o600)
}

var officeSettings = [][3]string{
	{"Office.Common/Security/Scripting", "MacroSecurityLevel", "3"},
	{"Office.Common/Security/Scripting", "DisableMacrosExecution", "true"},
	{"Office.Common/Security/Scripting", "DisableActiveContent", "true"},
	{"Office.Common/Security/Scripting", "DisablePythonRuntime", "true"},
	{"Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"},
	{"Office.Writer/Content/Update", "Link", "0"}, // never
	{"Office.Writer/Content/Update", "Field", "false"},
	{"Office.Writer/Content/Update", "Chart", "false"},
	{"Office.Calc/Content/Update", "Link", "2"},
	{"Inet/Settings", "ooInetProxyType", "2"}, // manual
	{"Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"},
	{"Inet/Settings", "ooInetHTTPProxyPort", "9"},
	{"Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"},
	{"Inet/Settings", "ooInetHTTPSProxyPort", "9"},
	{"Inet/Settings", "ooInetNoProxy", ""},
	{"Setup/Product", "ooSetupLastVersion", "99.9"},
	{"Office.Common/Misc", "FirstRun", "false"},
	{"Office.Common/Misc", "CrashReport", "false"},
	{"Office.Common/Misc", "CollectUsageInformation", "false"},
	{"Office.Common/Save/Document", "AutoSave", "false"},
	{"Office.Jobs/Jobs/org.openoffice.Office.Jobs:Job['UpdateCheck']/Arguments", "AutoCheckEnabled", "false"},
}
