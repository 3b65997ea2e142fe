package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"paraph/app/backup"
	"paraph/app/mail/sender"
	"paraph/kv"
)

func (a *App) examineSigning(ctx context.Context) Finding {
	if err := a.Signing.Upkeep.SelfTest(ctx); err != nil {
		return Finding{"signing", problem, "A test document cannot be signed: " + err.Error() + ".",
			"Look at keys/ in the data folder, and restore it from a backup if it is damaged; an expired certificate has to be replaced."}
	}
	return Finding{"signing", fine, "A test document was signed, sealed and verified.", ""}
}

func (a *App) examineTimestamps(ctx context.Context) Finding {
	t, err := a.timestamper()
	if t == nil && err == nil {
		return Finding{"timestamps", fine, "They are made by the built-in authority.", ""}
	}
	if err == nil {
		sum := sha256.Sum256([]byte("paraph doctor"))
		_, err = t.Timestamp(ctx, sum[:])
	}
	if err != nil {
		return Finding{"timestamps", problem, fmt.Sprintf("The timestamp authority %s does not serve: %v.", a.Config.Signing.TimestampURL, err),
			"Until it does, documents wait for their last timestamp. See signing.timestamp_url and network.egress."}
	}
	return Finding{"timestamps", fine, "The timestamp authority answered with a timestamp.", ""}
}

func (a *App) examineCertificates(context.Context) Finding {
	warnings, err := a.Keys.Warnings(a.Clock.Now())
	if err != nil {
		return Finding{"certificates", problem, err.Error() + ".", "Restore keys/ in the data folder from a backup."}
	}
	if len(warnings) > 0 {
		state := warning
		if warnings[0].Urgent {
			state = problem
		}
		text, remedy := a.expiryText(warnings[0])
		return Finding{"certificates", state, text, remedy}
	}
	all, err := a.Keys.Expiries()
	if err != nil {
		return Finding{"certificates", problem, err.Error() + ".", "Restore keys/ in the data folder from a backup."}
	}
	var first time.Time
	for _, end := range all {
		if first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return Finding{"certificates", fine, fmt.Sprintf("The first to expire does so in %d days.", int(first.Sub(a.Clock.Now()).Hours()/24)), ""}
}

// tlsSoon is how long before its expiry the server's own certificate is reported.
const tlsSoon = 21 * 24 * time.Hour

func (a *App) examineTLS(context.Context) Finding {
	switch a.Config.Server.TLS.Mode {
	case "acme":
		return Finding{"tls", fine, "The certificate is renewed by itself.", ""}
	case "off":
		if strings.HasPrefix(a.Config.Server.BaseURL, "https://") {
			return Finding{"tls", fine, "A proxy encrypts connections.", ""}
		}
		return Finding{"tls", warning, "Nothing says that connections are encrypted.", "Set server.tls.mode, or put a proxy in front and set server.base_url to its https address."}
	}
	end, err := a.tlsExpiry()
	switch {
	case err != nil:
		return Finding{"tls", problem, "The server's certificate cannot be used: " + err.Error() + ".", "See server.tls.certificate and server.tls.key."}
	case end.IsZero():
		return Finding{"tls", fine, "The certificate is made at the next start.", ""}
	}
	left := end.Sub(a.Clock.Now())
	text := fmt.Sprintf("The server's certificate expires on %s.", end.Format(time.DateOnly))
	switch {
	case left < 0:
		return Finding{"tls", problem, text, "Replace it and restart the server."}
	case left < tlsSoon:
		return Finding{"tls", warning, text, "Replace it and restart the server."}
	}
	return Finding{"tls", fine, text, ""}
}

func (a *App) examinePDF(ctx context.Context) Finding {
	if err := a.pdfium.Warm(ctx); err != nil {
		remedy := "It needs about 200 MB of memory, and a temporary folder that it may write to."
		if errors.Is(err, context.DeadlineExceeded) {
			remedy = "The machine is too busy to start it in time: try again, and give it more processors if that helps nothing."
		}
		return Finding{"pdf", problem, "The PDF engine does not start: " + err.Error() + ".", remedy}
	}
	return Finding{"pdf", fine, "The PDF engine works.", ""}
}

func (a *App) examineOffice(ctx context.Context) Finding {
	const remedy = "Install LibreOffice Writer, or name its soffice in convert.soffice."
	o := a.office()
	switch {
	case o == nil && a.Config.Convert.Soffice == "none":
		return Finding{"libreoffice", fine, "DOCX files are converted by the built-in converter, as configured.", ""}
	case o == nil && a.Config.Convert.Soffice != "":
		return Finding{"libreoffice", problem, a.Config.Convert.Soffice + " is not there; the built-in converter is used.", remedy}
	case o == nil:
		return Finding{"libreoffice", warning, "LibreOffice was not found; the built-in converter does simple DOCX files only.", remedy}
	}
	out, err := exec.CommandContext(ctx, o.Path, "--version").Output()
	if err != nil {
		return Finding{"libreoffice", problem, fmt.Sprintf("%s does not start: %v.", o.Path, err), remedy}
	}
	return Finding{"libreoffice", fine, fmt.Sprintf("%s is %s.", o.Path, strings.TrimSpace(string(out))), ""}
}

// examineFonts checks the languages used by companies and members: the fonts of this program
// for its own pages, those of the machine for LibreOffice.
func (a *App) examineFonts(ctx context.Context) Finding {
	seen, err := a.locales(ctx)
	if err != nil {
		return Finding{"fonts", problem, "The languages in use cannot be read: " + err.Error() + ".", "Run paraph check."}
	}
	var lack []string
	for _, locale := range seen {
		l := a.words.Match(locale)
		if len(a.fonts.Missing(l.Name()+" "+l.Say("mail.invitation.subject", "title", "", "sender", "", "name", "", "company", ""))) > 0 {
			lack = append(lack, locale)
		}
	}
	if len(lack) > 0 {
		return Finding{"fonts", warning, "The built-in fonts lack characters of " + strings.Join(lack, ", ") + ".", "Names in these languages are drawn with boxes; the text of signatures stays correct."}
	}
	fontconfig, err := exec.LookPath("fc-list")
	if err != nil || a.office() == nil {
		return Finding{"fonts", fine, "The built-in fonts have every language in use: " + strings.Join(seen, ", ") + ".", ""}
	}
	for _, locale := range seen {
		language, _, _ := strings.Cut(locale, "-")
		out, err := exec.CommandContext(ctx, fontconfig, ":lang="+language, "family").Output()
		if err != nil || len(strings.TrimSpace(string(out))) == 0 {
			lack = append(lack, locale)
		}
	}
	if len(lack) > 0 {
		return Finding{"fonts", warning, "This machine has no font for " + strings.Join(lack, ", ") + ", which LibreOffice needs to convert files.", "Install fonts, such as the package fonts-noto."}
	}
	return Finding{"fonts", fine, "There are fonts for every language in use: " + strings.Join(seen, ", ") + ".", ""}
}

// locales lists the languages of companies and members.
func (a *App) locales(ctx context.Context) (seen []string, err error) {
	companies, err := a.Accounts.Operator.AllCompanies(ctx)
	if err != nil {
		return nil, err
	}
	users, err := a.Accounts.Operator.AllUsers(ctx)
	for i := range companies {
		seen = append(seen, companies[i].Locale)
	}
	for i := range users {
		seen = append(seen, users[i].Locale)
	}
	slices.Sort(seen)
	return slices.DeleteFunc(slices.Compact(seen), func(s string) bool { return s == "" }), err
}

func (a *App) examineDisk(context.Context) Finding {
	free, size := a.room()
	if size == 0 {
		return Finding{"disk", skipped, "The data is not on a disk.", ""}
	}
	const remedy = "Remove what is not needed, such as old backups on the same disk, or give it more room."
	text := fmt.Sprintf("%s of %s are free.", humanize.Bytes(uint64(free)), humanize.Bytes(uint64(size)))
	switch scarce, urgent := a.scarce(free, size); {
	case urgent:
		return Finding{"disk", problem, text + " Uploads and changes are refused (data.reserve).", remedy}
	case scarce:
		return Finding{"disk", warning, text, remedy}
	}
	return Finding{"disk", fine, text, ""}
}

// clockLeeway is how far clocks may differ.
const clockLeeway = 2 * time.Minute

// examineClock compares the clock with the newest file of the store, which cannot be from the
// future, and with the timestamp authority, the only server with a reliable clock that is
// contacted anyway.
func (a *App) examineClock(ctx context.Context) Finding {
	now := time.Now()
	if f := checkClock(a.dir, now); f.State != fine || a.Config.Signing.TimestampURL == "" {
		return f
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, a.Config.Signing.TimestampURL, nil)
	if err != nil {
		return Finding{"clock", problem, err.Error() + ".", "See signing.timestamp_url."}
	}
	res, err := a.client(a.Config.Signing.TimestampTimeout).Do(req)
	if err != nil {
		return Finding{"clock", fine, "The clock agrees with the files; the timestamp authority did not say its time.", ""}
	}
	if err := res.Body.Close(); err != nil {
		return Finding{"clock", problem, err.Error() + ".", "See signing.timestamp_url."}
	}
	theirs, err := http.ParseTime(res.Header.Get("Date"))
	if off := now.Sub(theirs).Abs(); err == nil && off > clockLeeway {
		return Finding{"clock", problem, fmt.Sprintf("The clock and the timestamp authority differ by %s.", off.Round(time.Second)), clockRemedy}
	}
	return Finding{"clock", fine, "The clock agrees with the files and the timestamp authority.", ""}
}

const clockRemedy = "Set the clock, and have it follow a time server (systemd-timesyncd, chrony): signatures carry its time."

// checkClock compares a time with the newest records.
func checkClock(dir string, now time.Time) Finding {
	newest, err := newestFile(filepath.Join(dir, "kv"))
	if err != nil {
		return Finding{"clock", problem, err.Error() + ".", "Run this command as the user that runs the server."}
	}
	if ahead := newest.Sub(now); ahead > clockLeeway {
		return Finding{"clock", problem, fmt.Sprintf("The clock was set back: the records were written %s in the future.", ahead.Round(time.Second)), clockRemedy}
	}
	return Finding{"clock", fine, "The clock agrees with the files; no other clock was asked.", ""}
}

// newestFile returns the latest modification time in a folder.
func newestFile(dir string) (newest time.Time, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return newest, err
		}
		if info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return newest, nil // in memory
	}
	return newest, err
}

func (a *App) examineMail(ctx context.Context) Finding {
	m := a.MailServer.Current()
	remedy := "Change it at /admin/mail."
	if a.MailServer.IsConfigured() {
		remedy = "See the section mail of the configuration."
	}
	switch {
	case m.Host == "":
		return Finding{"mail", warning, "No mail server is configured: messages stay in the outbox, and links have to be handed over.", "Set mail.host. Or set a server at /admin/mail."}
	case a.MailServer.Blocked():
		return Finding{"mail", problem, "network.egress does not allow connections to the mail server " + m.Host + ", so nothing is sent.", remedy}
	}
	if err := m.SMTP().Check(ctx); err != nil {
		return Finding{"mail", problem, fmt.Sprintf("The mail server %s does not let us in: %v.", m.Host, err), remedy}
	}
	return Finding{"mail", fine, "The mail server " + m.Host + " let us in. Nothing was sent.", ""}
}

// examineSender reports what DNS says about the domain that messages come from.
func (a *App) examineSender(ctx context.Context) Finding {
	report, english := a.MailServer.ExamineSender(ctx), a.words.English()
	if !report.Asked {
		f := Finding{"sender", skipped, english.Say("sender."+report.Why, "domain", report.Domain), ""}
		if key := "sender." + report.Why + ".remedy"; english.Has(key) {
			f.State, f.Remedy = warning, english.Say(key)
		}
		return f
	}
	f := Finding{Part: "sender", State: fine}
	var texts, remedies []string
	for _, found := range report.Findings {
		texts = append(texts, english.Say("sender."+found.Code, "name", found.Name, "cause", found.Cause, "domain", report.Domain))
		if key := "sender." + found.Code + ".remedy"; english.Has(key) {
			remedies = append(remedies, english.Say(key, "name", found.Name, "domain", report.Domain))
		}
		if found.State != sender.Fine { // at most a warning: mail is sent all the same
			f.State = warning
		}
	}
	f.Text, f.Remedy = strings.Join(texts, " "), strings.Join(remedies, " ")
	return f
}

func (a *App) examineBackup(context.Context) Finding {
	const remedy = "Run paraph backup regularly, or paraph backup --follow, to another machine."
	r, found, err := backup.Last(a.dir)
	switch {
	case err != nil:
		return Finding{"backup", problem, err.Error() + ".", "Look at backups/ in the data folder."}
	case !found:
		return Finding{"backup", warning, "There has never been a backup.", remedy}
	}
	text := fmt.Sprintf("The last good backup is from %s, in %s.", r.Confirmed.Local().Format(time.DateTime), r.Where)
	if r.Age(a.Clock.Now()) >= backupAge {
		return Finding{"backup", warning, text, remedy}
	}
	return Finding{"backup", fine, text, ""}
}

func (a *App) examineCheck(context.Context) Finding {
	c, err := lastCheck(a.dir)
	switch {
	case err != nil:
		return Finding{"check", problem, err.Error() + ".", "Run paraph check while the server is stopped."}
	case c.Problems > 0:
		return Finding{"check", problem, fmt.Sprintf("paraph check found %d problems on %s.", c.Problems, c.At.Format(time.DateOnly)), "Run it again, and restore what is damaged from a backup."}
	case c.At.IsZero():
		return Finding{"check", fine, "paraph check has not run on this folder yet; paraph backup verify checks without stopping the server.", ""}
	}
	return Finding{"check", fine, "paraph check found nothing wrong on " + c.At.Format(time.DateOnly) + ".", ""}
}

// examineAddress requests the public address as a browser would.
func (a *App) examineAddress(ctx context.Context) Finding {
	base := a.Config.Server.BaseURL
	if base == "" {
		return Finding{"address", warning, "server.base_url is not set: mails link to " + a.URL() + ".", "Set it to the address under which people reach this server."}
	}
	if !a.Config.Network.AllowsHost(hostOf(base)) {
		return Finding{"address", skipped, "network.egress does not allow to try " + base + " from here.", ""}
	}
	const remedy = "See server.base_url, the name's address, the proxy and the firewall. Some networks do not let a machine reach its own public address."
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL()+"/healthz", nil)
	if err != nil {
		return Finding{"address", problem, err.Error() + ".", remedy}
	}
	res, err := a.client(10 * time.Second).Do(req)
	if err != nil {
		return Finding{"address", problem, fmt.Sprintf("%s cannot be reached from here: %v.", base, err), remedy}
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK || res.Header.Get("X-Request-Id") == "" {
		return Finding{"address", problem, fmt.Sprintf("Something else answers at %s, with status %d.", base, res.StatusCode), remedy}
	}
	return Finding{"address", fine, base + " leads here.", ""}
}

// jobsLate is how long a job may be overdue on a healthy server.
const jobsLate = 15 * time.Minute

func (a *App) examineJobs(context.Context) Finding {
	var s kv.JobStats
	err := a.db.View(func(tx *kv.Tx) (err error) {
		s, err = a.jobs.Stats(tx)
		return err
	})
	if err != nil {
		return Finding{"jobs", problem, err.Error() + ".", "Run paraph check."}
	}
	for kind, k := range s.Kinds {
		if late := a.Clock.Now().Sub(k.Oldest); !k.Oldest.IsZero() && late > jobsLate {
			return Finding{"jobs", problem, fmt.Sprintf("A job of the kind %s has been due for %s.", kind, late.Round(time.Minute)), "Look at the log; restart the server if it says nothing."}
		}
	}
	if s.Dead > 0 {
		return Finding{"jobs", warning, fmt.Sprintf("%d jobs were given up.", s.Dead), "Documents that need attention, failed mails and failing webhooks say why, and offer to try again."}
	}
	return Finding{"jobs", fine, fmt.Sprintf("%d jobs wait for their time, none is late.", s.Waiting), ""}
}
