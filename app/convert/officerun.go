package convert

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"paraph/app/confine"
	"paraph/app/convert/internal/refuse"
)

// shareOfTime is the fraction of a single file's processor time that a run of several gets. It
// should hold up others little longer than one file does, and those that it doesn't get to can be
// run alone.
const shareOfTime = 6

// Run runs LibreOffice once for one or more jobs. Starting it takes as long as converting many
// small files. Files of people who must not affect each other don't belong in the same run: a
// hostile one might read or change the others.
//
// All together have the limits of a single file, and several have less processor time. Whatever a
// run makes of a job before it fails can be delivered. If a run of several makes nothing of a job,
// that may be due to another; only a run of the job alone can tell.
func (o *Office) Run(ctx context.Context, jobs ...*OfficeJob) (err error) {
	r := officeRun{Office: o, jobs: jobs, processor: o.Timeout, output: o.MaxOutput / int64(len(jobs))}
	if len(jobs) > 1 {
		r.processor = o.Timeout / shareOfTime
	}
	if r.dir, err = os.MkdirTemp(o.Dir, "office-run-"); err != nil {
		return err
	}
	err = r.run(ctx)
	for _, j := range jobs {
		err = errors.Join(err, j.take(r.out()))
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// officeRun is one run of LibreOffice, with a scratch folder (0700) that is its home.
type officeRun struct {
	*Office
	dir       string
	jobs      []*OfficeJob
	processor time.Duration // time that a process may use
	output    int64         // bytes of each PDF
}

func (r *officeRun) profile() string { return filepath.Join(r.dir, "profile") }
func (r *officeRun) out() string     { return filepath.Join(r.dir, "out") }

// run runs LibreOffice within the time limit and ctx.
func (r *officeRun) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.Timeout, ErrTimeout)
	defer cancel()
	if err := writeProfile(r.profile()); err != nil {
		return err
	}
	fonts, err := r.fontDir(ctx)
	if err != nil {
		return err
	}
	said := &tail{limit: 2000}
	args, err := r.command(fonts)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, officeEnv(r.dir, fonts), said, said
	cmd.WaitDelay = 5 * time.Second
	isolate(cmd)
	err = r.start(cmd)
	switch {
	case errors.Is(context.Cause(ctx), ErrTimeout):
		return tooSlow(r.Timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return refuse.Damaged(fmt.Errorf("LibreOffice failed: %w: %s", err, said.clean(r.dir)))
	}
	return nil
}

// command returns the program and its arguments, by which it confines itself before it becomes LibreOffice.
func (r *officeRun) command(fonts string) ([]string, error) {
	if r.Unconfined || confine.Offered() == (confine.Protection{}) {
		return append([]string{r.Path}, r.arguments()...), nil
	}
	rules := confine.Rules{Read: officeNeeds(r.Path), Write: []string{r.dir, os.DevNull}, Meet: officeSockets}
	if fonts != "" {
		rules.Read = append(rules.Read, fonts)
	}
	for _, j := range r.jobs {
		rules.Read = append(rules.Read, j.input())
	}
	return r.confined(rules, r.arguments()...)
}

func (r *officeRun) arguments() []string {
	args := []string{"-env:UserInstallation=" + fileURL(r.profile()),
		"--headless", "--invisible", "--nologo", "--nodefault", "--nolockcheck", "--norestore", "--nofirststartwizard",
		"--infilter=MS Word 2007 XML", "--convert-to", "pdf:writer_pdf_Export", "--outdir", r.out()}
	for _, j := range r.jobs {
		args = append(args, j.input())
	}
	return args
}

func (r *officeRun) start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	limited := limitProcess(cmd.Process.Pid, r.Memory, r.output, r.processor)
	err := cmd.Wait()
	killGroup(cmd) // children that outlived it
	return errors.Join(err, limited)
}

func officeEnv(home, fonts string) []string {
	const nowhere = "http://127.0.0.1:9" // the discard port: nothing listens
	env := []string{
		"HOME=" + home, "TMPDIR=" + home, "TMP=" + home, "TEMP=" + home,
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "SystemRoot=" + os.Getenv("SystemRoot"),
		"http_proxy=" + nowhere, "https_proxy=" + nowhere, "ftp_proxy=" + nowhere, "all_proxy=" + nowhere,
		"SAL_USE_VCLPLUGIN=svp", "SAL_DISABLE_OPENCL=1", "MALLOC_ARENA_MAX=2",
		"OOO_DISABLE_RECOVERY=1", "SOURCE_DATE_EPOCH=" + strconv.Itoa(0),
	}
	if fonts != "" {
		env = append(env, "FONTCONFIG_FILE="+fontConfig(fonts))
	}
	return env
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
