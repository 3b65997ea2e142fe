package app

import (
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"paraph/app/backup"
	"paraph/app/machine"
	"paraph/app/signing/record"
	"paraph/kv"
)

// figures collects the state of the appliance whenever Prometheus requests it.
type figures struct {
	app *App

	mu    sync.Mutex
	place uint64 // in the journal
	seen  map[record.EventType]uint64
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("paraph_"+name, help, labels, nil)
}

var (
	jobsDesc       = desc("jobs", "Jobs by kind and state: waiting, running, or dead, which is given up.", "kind", "state")
	jobAgeDesc     = desc("job_oldest_due_seconds", "How long the first waiting job of a kind has been due; 0 if it is not yet.", "kind")
	lagDesc        = desc("search_lag_changes", "Changes that the search index does not contain yet.")
	searchDesc     = desc("search_documents", "Documents in the search index.")
	sizeDesc       = desc("store_bytes", "Disk space taken, by part: records (Badger), search (Bleve), pictures of pages (a cache).", "part")
	freeDesc       = desc("disk_free_bytes", "Disk space free for the data folder.")
	diskDesc       = desc("disk_size_bytes", "Size of the disk that holds the data folder.")
	reserveDesc    = desc("disk_reserve_bytes", "Free space below which uploads and changes are refused (data.reserve).")
	eventsDesc     = desc("events_total", "Entries of the audit trail written since the start, by event.", "event")
	signaturesDesc = desc("signatures_total", "Signatures made by signatories since the start.")
	slotsDesc      = desc("queue_slots", "How much a queue runs at a time: pdfium, libreoffice, verify, search, detect.", "queue")
	usedDesc       = desc("queue_used", "Slots of a queue in use.", "queue")
	waitingDesc    = desc("queue_waiting", "Callers that wait for a slot of a queue.", "queue")
	backupDesc     = desc("last_backup_timestamp_seconds", "When the last good backup was made; 0 if never.")
	checkDesc      = desc("last_check_timestamp_seconds", "When paraph check last ran on the data folder; 0 if never.")
	problemsDesc   = desc("last_check_problems", "Problems that it found.")
	documentsDesc  = desc("last_check_documents", "Documents that it read, trash and templates included.")
	growthDesc     = desc("growth_bytes", "What 1,000 documents take up on disk, by kind: uploads, revisions, certificates, pictures (a cache), records, search. Files are measured by the last check.", "kind")
	warningDesc    = desc("warning", "Whether there is a warning of a kind with that urgency: warning or urgent; see Warnings in the operator's manual.", "kind", "urgency")
	examinedDesc   = desc("examined_timestamp_seconds", "When everything that could cause a warning was last examined; 0 if never.")
	certDesc       = desc("certificate_expiry_timestamp_seconds", "When a certificate that is not renewed by itself expires: root, issuer, company (the first of all).", "certificate")
)

// Describe implements [prometheus.Collector].
func (f *figures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{jobsDesc, jobAgeDesc, lagDesc, searchDesc, sizeDesc, freeDesc, diskDesc, reserveDesc, eventsDesc,
		signaturesDesc, slotsDesc, usedDesc, waitingDesc, backupDesc, checkDesc, problemsDesc, documentsDesc, growthDesc, warningDesc, examinedDesc, certDesc} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (f *figures) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, part := range []func(gaugeFunc) error{f.jobs, f.search, f.disk, f.notes, f.warnings, f.certificates} {
		if err := part(gauge); err != nil {
			f.app.log.Error("cannot collect some metrics", "error", err)
		}
	}
	f.queues(gauge)
	if err := f.events(to); err != nil {
		f.app.log.Error("cannot count the events", "error", err)
	}
}

type gaugeFunc func(d *prometheus.Desc, v float64, labels ...string)

func (f *figures) jobs(gauge gaugeFunc) error {
	return f.app.db.View(func(tx *kv.Tx) error {
		s, err := f.app.jobs.Stats(tx)
		for kind, k := range s.Kinds {
			for state, n := range map[string]int{kv.JobWaiting: k.Waiting, kv.JobRunning: k.Running, kv.JobDead: k.Dead} {
				gauge(jobsDesc, float64(n), kind, state)
			}
			age := 0.0
			if !k.Oldest.IsZero() {
				age = max(0, f.app.Clock.Now().Sub(k.Oldest).Seconds())
			}
			gauge(jobAgeDesc, age, kind)
		}
		return err
	})
}

func (f *figures) search(gauge gaugeFunc) error {
	at, err := f.app.Signing.Lists.SearchState()
	if err != nil {
		return err
	}
	s, err := f.app.index.Stats()
	if err != nil {
		return err
	}
	gauge(lagDesc, float64(at.Lag))
	gauge(searchDesc, float64(at.Indexed))
	gauge(sizeDesc, float64(s.DiskBytes), "search")
	_, pictures := f.app.pictures.Stats()
	gauge(sizeDesc, float64(pictures), "pictures")
	return nil
}

func (f *figures) disk(gauge gaugeFunc) error {
	s := f.app.db.Stats()
	gauge(sizeDesc, float64(s.Disk), "records")
	gauge(freeDesc, float64(s.Free))
	gauge(diskDesc, float64(s.Size))
	gauge(reserveDesc, float64(f.app.Config.Data.Reserve))
	return nil
}

// seconds returns a time in seconds since 1970, 0 for the zero time.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

func (f *figures) notes(gauge gaugeFunc) error {
	r, _, err := backup.Last(f.app.dir)
	gauge(backupDesc, seconds(r.Confirmed))
	c, checkErr := lastCheck(f.app.dir)
	gauge(checkDesc, seconds(c.At))
	gauge(problemsDesc, float64(c.Problems))
	gauge(documentsDesc, float64(c.Documents))
	growth, growthErr := f.app.growth()
	if growth != nil {
		for kind, n := range map[string]int64{"uploads": growth.Uploads, "revisions": growth.Revisions, "certificates": growth.Certificates,
			"pictures": growth.Pictures, "records": growth.Records, "search": growth.Search} {
			gauge(growthDesc, float64(n), kind)
		}
	}
	return errors.Join(err, checkErr, growthErr)
}

// growthLeast is how many documents it takes to say what a thousand take up.
const growthLeast = 100

// growth returns what 1,000 documents take up on disk: their files as the last check found them, and the rest
// as it is. It returns nil until a check found a hundred documents.
func (a *App) growth() (*machine.Growth, error) {
	c, err := lastCheck(a.dir)
	if err != nil || c.Documents < growthLeast {
		return nil, err
	}
	index, err := a.index.Stats()
	if err != nil {
		return nil, err
	}
	_, pictures := a.pictures.Stats()
	per := func(bytes int64) int64 { return int64(float64(bytes) * 1000 / float64(c.Documents)) }
	return &machine.Growth{
		Documents: c.Documents,
		Sizes:     record.Sizes{Uploads: per(c.Uploads), Revisions: per(c.Revisions), Certificates: per(c.Certificates)},
		Pictures:  per(pictures), Records: per(a.db.Stats().Disk), Search: per(index.DiskBytes),
	}, nil
}

func (f *figures) warnings(gauge gaugeFunc) error {
	count := map[machine.WarningKind]map[string]float64{}
	for _, kind := range machine.WarningKinds() {
		count[kind] = map[string]float64{}
	}
	for _, w := range f.app.Machine.Holding() {
		count[w.Kind][w.Urgency()] = 1
	}
	for kind, urgencies := range count {
		for _, urgency := range machine.Urgencies() {
			gauge(warningDesc, urgencies[urgency], string(kind), urgency)
		}
	}
	gauge(examinedDesc, seconds(f.app.Machine.Examined()))
	return nil
}

func (f *figures) certificates(gauge gaugeFunc) error {
	all, err := f.app.Keys.Expiries()
	for what, end := range all {
		gauge(certDesc, float64(end.Unix()), what)
	}
	return err
}

func (f *figures) queues(gauge gaugeFunc) {
	all := f.app.Signing.Queues()
	all["pdfium"], all["bulk"] = f.app.pdfium.Load(), f.app.Bulk.Load()
	all["public links"] = f.app.PublicLinks.Load()
	for name, l := range all {
		gauge(slotsDesc, float64(l.Slots), name)
		gauge(usedDesc, float64(l.Used), name)
		gauge(waitingDesc, float64(l.Waiting), name)
	}
}

// begin finds the place from which to count events.
func (f *figures) begin() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, f.place, _, err = f.app.Signing.Trail.EventsSince(0, false)
	return err
}

// events counts the journal entries since the last time.
func (f *figures) events(to chan<- prometheus.Metric) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for more := true; more; {
		var types []record.EventType
		var err error
		if types, f.place, more, err = f.app.Signing.Trail.EventsSince(f.place, true); err != nil {
			return err
		}
		for _, t := range types {
			f.seen[t]++
		}
	}
	for _, t := range record.EventTypes() {
		to <- prometheus.MustNewConstMetric(eventsDesc, prometheus.CounterValue, float64(f.seen[t]), string(t))
	}
	to <- prometheus.MustNewConstMetric(signaturesDesc, prometheus.CounterValue, float64(f.seen[record.EventInvitationSigned]))
	return nil
}
