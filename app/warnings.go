package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"paraph/app/backup"
	"paraph/app/machine"
	"paraph/app/signing/store"
	"paraph/kv"
)

// dangers examines what the people who run the installation have to be warned of before it does
// harm.
type dangers struct {
	app *App
	tls serverTLS
}

// table is the table of all warnings. What doctor, alerts, metrics, pages and messages say of them
// comes from here; their sentences and remedies are the texts mail.warning_KIND of the catalogue.
func (d dangers) table() []machine.Danger {
	return []machine.Danger{
		{Kind: machine.WarningMail, Part: "mail", Confined: true, Unmailed: true, Find: d.unmailed,
			Summary: "The mail server takes no messages.",
			Limit:   "Two attempts in a row fail to reach the mail server or to sign in: messages, or a connection that is tried when none was sent for a quarter of an hour. Urgent from the start."},
		{Kind: machine.WarningTimestamps, Part: "timestamps", Confined: true, Find: d.untimed,
			Summary: "The timestamp authority does not respond.",
			Limit:   "The authority of `signing.timestamp_url` gave no valid timestamp when it was last asked, or can't be reached. Urgent from the start; `/readyz` answers 503 and names it."},
		{Kind: machine.WarningSealing, Part: "sealing", Confined: true, Find: d.unsealed,
			Summary: "Documents that everybody has signed wait to be sealed.",
			Limit:   "A document has waited for 15 minutes. Urgent after a day, or when sealing was given up."},
		{Kind: machine.WarningWebhooks, Part: "webhooks", Find: d.undelivered,
			Summary: "A webhook receives nothing.",
			Limit:   "A webhook was paused because its receiver is gone, or nothing could be delivered for a day."},
		{Kind: machine.WarningBackup, Part: "backup", Confined: true, Find: d.unsaved,
			Summary: "There is no recent backup.",
			Limit:   "There are documents, and the last good backup, or the installation, is seven days old; a quarter of an hour, or three times `--every`, if `paraph backup --follow` made it. Urgent a week later."},
		{Kind: machine.WarningDamage, Part: "check", Confined: true, Find: d.damaged,
			Summary: "The last check found damaged data.",
			Limit:   "The last check of all data found problems. Urgent from the start."},
		{Kind: machine.WarningUnchecked, Part: "check", Confined: true, Find: d.unchecked,
			Summary: "All data has not been checked for long.",
			Limit:   "The last check of all data ended, or the installation is, two weeks longer ago than `data.check_every`. Not if that is 0s."},
		{Kind: machine.WarningPromoted, Part: "promotion", Confined: true, Find: d.promoted,
			Summary: "A standby was promoted, and may lack what was signed last.",
			Limit:   "The server was a standby, promoted in the last seven days."},
		{Kind: machine.WarningSuperseded, Part: "promotion", Confined: true, Find: d.superseded,
			Summary: "Another server was restored or promoted in this one's stead.",
			Limit:   "A backup of this server found that. Urgent from the start; `/readyz` answers 503."},
		{Kind: machine.WarningCold, Part: "cold storage", Confined: true, Find: d.unmoved,
			Summary: "Files do not move to cold storage.",
			Limit:   "Every attempt of a day to move files to `data.cold` has failed. What has moved may be unreadable as well."},
		{Kind: machine.WarningDisk, Part: "disk", Find: d.filling,
			Summary: "The disk is filling up.",
			Limit:   "Less than a twentieth of the disk, or four times `data.reserve`, is free. Urgent below `data.reserve`."},
		{Kind: machine.WarningQuota, Part: "quota", Find: d.exhausted,
			Summary: "A company has used up what it may store.",
			Limit:   "A company uses 90 % of `server.limits.company_documents` or `company_storage`. Urgent at 100 %."},
		{Kind: machine.WarningCertificate, Part: "certificates", Find: d.expiring,
			Summary: "A certificate expires.",
			Limit:   "A signing certificate expires within 60 days, or the server's own for TLS within 21. Urgent in the last seven days."},
		{Kind: machine.WarningTLS, Part: "tls", Confined: true, Find: d.unusable,
			Summary: "The files of the TLS certificate can't be used.",
			Limit:   "The files of `server.tls.certificate` and `server.tls.key` can't be read again. Urgent from the start."},
		{Kind: machine.WarningSearch, Part: "search", Confined: true, Find: d.unindexed,
			Summary: "The search index is behind.",
			Limit:   "A change has been missing from the index for five minutes. Urgent after an hour."},
		{Kind: machine.WarningClock, Part: "clock", Find: d.jumped,
			Summary: "The server's clock jumped.",
			Limit:   "The clock moved by more than two minutes, or stands before the newest records. Urgent from the start."},
	}
}

// unmailed warns that the mail server takes no messages.
func (d dangers) unmailed(ctx context.Context) ([]machine.Warning, error) {
	m := d.app.MailServer.Current()
	var err error
	switch {
	case m.Host == "":
		return nil, nil // messages stay in the outbox, as intended
	case d.app.MailServer.Blocked():
		err = errors.New("network.egress does not allow the connection")
	default:
		err = d.app.mailWatch.check(ctx, m.SMTP())
	}
	if err == nil {
		return nil, nil
	}
	return []machine.Warning{{Key: "mail", Kind: machine.WarningMail, Urgent: true,
		Facts: map[string]string{"server": m.Host, "error": sentence(err)}}}, nil
}

// untimed warns that the configured timestamp authority is down.
func (d dangers) untimed(ctx context.Context) ([]machine.Warning, error) {
	err := d.app.authority.serves(ctx)
	if err == nil {
		return nil, nil
	}
	return []machine.Warning{{Key: "timestamps", Kind: machine.WarningTimestamps, Urgent: true,
		Facts: map[string]string{"authority": d.app.authority.host(), "error": sentence(err)}}}, nil
}

// sentence ends an error as a sentence does.
func sentence(err error) string {
	return strings.TrimRight(strings.ReplaceAll(err.Error(), "\n", "; "), ". ") + "."
}

// Ages at which a document that waits to be sealed is reported.
const (
	sealingLate   = 15 * time.Minute
	sealingUrgent = 24 * time.Hour
)

// unsealed warns of documents that wait to be sealed.
func (d dangers) unsealed(context.Context) ([]machine.Warning, error) {
	u, err := d.app.Signing.Lists.Unsealed()
	age := d.app.Clock.Now().Sub(u.Since)
	if err != nil || u.Since.IsZero() || u.Failed == 0 && age < sealingLate {
		return nil, err
	}
	return []machine.Warning{{Key: "sealing", Kind: machine.WarningSealing, Urgent: u.Failed > 0 || age >= sealingUrgent,
		Facts: map[string]string{"count": strconv.Itoa(u.Waiting + u.Failed), "age": length(age)}}}, nil
}

// undelivered warns of webhooks whose receivers get nothing.
func (d dangers) undelivered(ctx context.Context) (all []machine.Warning, err error) {
	silent, err := d.app.Webhooks.Silent()
	if err != nil || len(silent) == 0 {
		return nil, err
	}
	names, err := d.companyNames(ctx)
	for _, w := range silent {
		since := w.UpdatedAt
		if w.FailingSince != nil {
			since = *w.FailingSince
		}
		all = append(all, machine.Warning{Key: "webhooks/" + w.ID, Kind: machine.WarningWebhooks, Company: w.Company,
			Facts: map[string]string{"host": hostOf(w.URL), "company": names[w.Company], "since": since.UTC().Format(time.RFC3339)}})
	}
	return all, err
}

func (d dangers) companyNames(ctx context.Context) (map[string]string, error) {
	companies, err := d.app.Accounts.Operator.AllCompanies(ctx)
	names := map[string]string{}
	for _, c := range companies {
		names[c.ID] = c.Name
	}
	return names, err
}

// backupLate is how old the last backup of a follower may be: it confirms it every half minute.
const backupLate = 15 * time.Minute

// unsaved warns that the last backup is old, once there is something to lose.
func (d dangers) unsaved(context.Context) ([]machine.Warning, error) {
	if d.app.inMem {
		return nil, nil
	}
	r, _, err := backup.Last(d.app.dir)
	if err != nil {
		return nil, err
	}
	late, since := backupAge, r.Confirmed
	if begun := d.app.Keys.Root().NotBefore; since.Before(begun) {
		since = begun // of the installation
	}
	if r.Every > 0 {
		late = max(backupLate, 3*r.Every)
	}
	age := d.app.Clock.Now().Sub(since)
	if age < late {
		return nil, nil
	}
	documents := 0
	err = d.app.Signing.Store.EachUsage(func(_ string, u store.Usage) { documents += u.Documents })
	if err != nil || documents == 0 {
		return nil, err
	}
	return []machine.Warning{{Key: "backup", Kind: machine.WarningBackup, Urgent: age >= late+backupAge,
		Facts: map[string]string{"age": length(age)}}}, nil
}

// damaged warns of what the last check found.
func (d dangers) damaged(context.Context) ([]machine.Warning, error) {
	c, err := lastCheck(d.app.dir)
	if err != nil || c.Problems == 0 {
		return nil, err
	}
	return []machine.Warning{{Key: "damage", Kind: machine.WarningDamage, Urgent: true, Facts: map[string]string{"count": strconv.Itoa(c.Problems)}}}, nil
}

// uncheckedFor is how much later than it is due the check of all data may end.
const uncheckedFor = 14 * 24 * time.Hour

// unchecked warns that all data was not checked for long.
func (d dangers) unchecked(context.Context) ([]machine.Warning, error) {
	every := d.app.Config.Data.CheckEvery
	if d.app.inMem || every == 0 {
		return nil, nil
	}
	c, err := lastCheck(d.app.dir)
	if err != nil {
		return nil, err
	}
	since := c.At
	if begun := d.app.Keys.Root().NotBefore; since.Before(begun) {
		since = begun // of the installation
	}
	age := d.app.Clock.Now().Sub(since)
	if age < every+uncheckedFor {
		return nil, nil
	}
	return []machine.Warning{{Key: "unchecked", Kind: machine.WarningUnchecked, Facts: map[string]string{"age": length(age)}}}, nil
}

// promotedShown is how long people are told that the server was a standby.
const promotedShown = 7 * 24 * time.Hour

// promoted tells what a promoted standby has.
func (d dangers) promoted(context.Context) ([]machine.Warning, error) {
	if d.app.inMem {
		return nil, nil
	}
	n, was, err := promoted(d.app.dir)
	if err != nil || !was || d.app.Clock.Now().Sub(n.At) > promotedShown {
		return nil, err
	}
	return []machine.Warning{{Key: "promoted", Kind: machine.WarningPromoted, Facts: map[string]string{"since": n.Current.UTC().Format(time.RFC3339)}}}, nil
}

// superseded warns that another server goes on in this one's stead.
func (d dangers) superseded(context.Context) ([]machine.Warning, error) {
	if d.app.inMem {
		return nil, nil
	}
	by, is, err := backup.Superseded(d.app.dir)
	if err != nil || !is {
		return nil, err
	}
	return []machine.Warning{{Key: "superseded", Kind: machine.WarningSuperseded, Urgent: true,
		Facts: map[string]string{"host": by.Host, "since": by.Since.UTC().Format(time.RFC3339)}}}, nil
}

// Percentages of its quota at which a company is reported.
const (
	quotaHigh = 90
	quotaFull = 100
)

// exhausted warns of companies that have used up what they may store.
func (d dangers) exhausted(ctx context.Context) (all []machine.Warning, err error) {
	quota := d.app.quota()
	err = d.app.Signing.Store.EachUsage(func(company string, u store.Usage) {
		if percent := quota.Percent(u); percent >= quotaHigh {
			all = append(all, machine.Warning{Key: "quota/" + company, Kind: machine.WarningQuota, Company: company, Urgent: percent >= quotaFull,
				Facts: map[string]string{"percent": strconv.Itoa(percent)}})
		}
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	names, err := d.companyNames(ctx)
	for i := range all {
		all[i].Facts["company"] = names[all[i].Company]
	}
	return all, err
}

// expiring returns a warning for every certificate that is about to expire.
func (d dangers) expiring(context.Context) (all []machine.Warning, err error) {
	warn := func(key, what, company string, end time.Time, urgent bool) {
		all = append(all, machine.Warning{Key: "certificate/" + key, Kind: machine.WarningCertificate, Company: company, Urgent: urgent,
			Facts: map[string]string{"what": what, "expires_at": end.UTC().Format(time.RFC3339)}})
	}
	found, err := d.app.Keys.Warnings(d.app.Clock.Now())
	if err != nil {
		return nil, err
	}
	for _, w := range found {
		warn(w.Certificate.SerialNumber.Text(16), w.Certificate.Subject.CommonName, w.Company, w.Certificate.NotAfter, w.Urgent)
	}
	address, end, err := d.tls.expiry()
	if err != nil {
		return all, nil // unusable says so
	}
	if left := end.Sub(d.app.Clock.Now()); !end.IsZero() && left < tlsSoon {
		warn("tls", address, "", end, left < tlsSoon/3)
	}
	return all, nil
}

// unusable warns that the next start could not encrypt connections, and that a renewed certificate
// is not in use.
func (d dangers) unusable(context.Context) ([]machine.Warning, error) {
	_, _, err := d.tls.expiry()
	if err == nil {
		return nil, nil
	}
	file, _ := d.tls.files()
	return []machine.Warning{{Key: "tls", Kind: machine.WarningTLS, Urgent: true, Facts: map[string]string{"file": file, "error": sentence(err)}}}, nil
}

// unindexed warns that the search index is behind.
func (d dangers) unindexed(context.Context) ([]machine.Warning, error) {
	at, err := d.app.Signing.Lists.SearchState()
	if err != nil {
		return nil, err
	}
	behind := d.app.searchWatch.behind(at.Place, at.Lag, d.app.Clock.Now())
	if behind < searchLate {
		return nil, nil
	}
	return []machine.Warning{{Key: "search", Kind: machine.WarningSearch, Urgent: behind >= searchUrgent,
		Facts: map[string]string{"changes": strconv.FormatUint(at.Lag, 10)}}}, nil
}

// filling returns a warning if the disk is nearly full.
func (d dangers) filling(context.Context) ([]machine.Warning, error) {
	disk := d.app.disk
	free, size := disk.room()
	scarce, urgent := disk.scarce(free, size)
	if size == 0 || !scarce {
		return nil, nil
	}
	bytes := func(n int64) string { return humanize.Bytes(uint64(max(0, n))) }
	return []machine.Warning{{Key: "disk", Kind: machine.WarningDisk, Urgent: urgent,
		Facts: map[string]string{"free": bytes(free), "size": bytes(size), "reserve": bytes(disk.reserve)}}}, nil
}

// jumped returns a warning if the clock was moved while the server ran, or stands
// before the time at which the records were written.
func (d dangers) jumped(context.Context) ([]machine.Warning, error) {
	by := d.app.pace.jump(d.app.Clock)
	if by == 0 && !d.app.inMem {
		newest, err := newestFile(d.app.path("kv"))
		if err != nil {
			return nil, err
		}
		if ahead := time.Until(newest); ahead > clockLeeway {
			by = -ahead
		}
	}
	if by == 0 {
		return nil, nil
	}
	return []machine.Warning{{Key: "clock", Kind: machine.WarningClock, Urgent: true, Facts: map[string]string{"by": offset(by)}}}, nil
}

// offset writes a deviation of the clock, such as "+1 h 20 min".
func offset(by time.Duration) string {
	if by < 0 {
		return "−" + length(-by)
	}
	return "+" + length(by)
}

// length writes a length of time in units that every language knows, such as "1 h 20 min".
func length(of time.Duration) string {
	of = of.Round(time.Second)
	switch {
	case of >= 24*time.Hour*3:
		of = of.Round(time.Hour)
	case of >= time.Hour:
		of = of.Round(time.Minute)
	}
	var parts []string
	for _, u := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := of / u.length; n > 0 {
			parts = append(parts, fmt.Sprint(int64(n), " ", u.name))
			of -= n * u.length
		}
	}
	return strings.Join(parts, " ")
}

// disk is the disk of the data folder.
type disk struct {
	db        *kv.DB
	reserve   int64                     // below which nothing is written any more
	elsewhere func() (free, size int64) // of a copy, or in tests; nil: that of db
}

// room returns the bytes free and the size; zero if the data is not on a disk.
func (d *disk) room() (free, size int64) {
	if d.elsewhere != nil {
		return d.elsewhere()
	}
	return kv.Room(d.db)
}

// scarce reports whether there is too little room, and whether less than the reserve.
func (d *disk) scarce(free, size int64) (scarce, urgent bool) {
	return free < 4*d.reserve || free < size/20, free < d.reserve
}

// pace compares the clock with the time that really passes.
type pace struct {
	mu    sync.Mutex
	wall  time.Time // of the clock when begun
	begun time.Time // with the reading of the monotonic clock
	since time.Time // when a jump was first seen, likewise; zero for none
}

// jumpKept is how long a jump is reported if nobody sets the clock back: by then it
// was meant.
const jumpKept = 24 * time.Hour

// begin takes the clock to be right from now on.
func (p *pace) begin(c *Clock) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wall, p.begun, p.since = c.Now(), time.Now(), time.Time{}
}

// jump returns by how much the clock has moved against the time that passed, 0 for
// less than clocks may differ.
func (p *pace) jump(c *Clock) time.Duration {
	p.mu.Lock()
	if p.begun.IsZero() || c.IsFrozen() {
		p.mu.Unlock()
		return 0
	}
	by := c.Now().Sub(p.wall) - time.Since(p.begun)
	switch {
	case by.Abs() <= clockLeeway:
		p.since, by = time.Time{}, 0
	case p.since.IsZero():
		p.since = time.Now()
	case time.Since(p.since) >= jumpKept:
		p.mu.Unlock()
		p.begin(c)
		return 0
	}
	p.mu.Unlock()
	return by
}
