package machine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"paraph/app/account"
	"paraph/kv"
)

// WarningKind is the subject of a warning, as in texts and metrics.
type WarningKind string

// The kinds of warnings.
const (
	WarningCertificate WarningKind = "certificate" // it expires; facts: what, expires_at
	WarningDisk        WarningKind = "disk"        // it is filling up; facts: free, size, reserve
	WarningClock       WarningKind = "clock"       // it jumped; facts: by
	WarningMail        WarningKind = "mail"        // nothing can be sent; facts: server, error
	WarningWebhooks    WarningKind = "webhooks"    // a receiver gets nothing; facts: host, company, since
	WarningBackup      WarningKind = "backup"      // there is no recent one; facts: age
	WarningSealing     WarningKind = "sealing"     // documents wait; facts: count, age
	WarningSearch      WarningKind = "search"      // the index is behind; facts: changes
	WarningTLS         WarningKind = "tls"         // the server's certificate can't be used; facts: file, error
	WarningQuota       WarningKind = "quota"       // of a company; facts: company, percent
	WarningTimestamps  WarningKind = "timestamps"  // the authority is down; facts: authority, error
	WarningDamage      WarningKind = "damage"      // found by the last check; facts: count
	WarningUnchecked   WarningKind = "unchecked"   // the check has not ended for long; facts: age
	WarningPromoted    WarningKind = "promoted"    // the server was a standby; facts: since
	WarningCold        WarningKind = "cold"        // files do not move; facts: place, error
	WarningSuperseded  WarningKind = "superseded"  // another server goes on in its stead; facts: host, since
)

// Danger is a row of the table of what administrators are warned of. Its sentence and its
// remedy are the texts mail.warning_KIND of the catalogue.
type Danger struct {
	Kind    WarningKind
	Part    string // of the installation, as paraph doctor names it
	Summary string // in English, without the facts, for rules of alerts
	Limit   string // in English, when the warning begins and when it becomes urgent
	// Confined hides the warning from administrators of companies: it is about the machine, and
	// its facts may name what they should not see.
	Confined bool
	// Unmailed tells that mail could not carry the warning.
	Unmailed bool
	// Find returns the warnings that apply now.
	Find func(context.Context) ([]Warning, error)
}

// WarningKinds lists the kinds of warnings.
func WarningKinds() []WarningKind {
	return []WarningKind{WarningCertificate, WarningTLS, WarningDisk, WarningQuota, WarningClock, WarningMail, WarningWebhooks, WarningBackup,
		WarningSealing, WarningSearch, WarningTimestamps, WarningDamage, WarningUnchecked, WarningPromoted, WarningSuperseded, WarningCold}
}

// Warning is a problem that needs somebody's action before it does harm.
type Warning struct {
	Key     string // identifies the cause
	Kind    WarningKind
	Company string `json:",omitempty"` // the only company it concerns, "" for all
	Facts   map[string]string
	Urgent  bool
	Since   time.Time
	Mended  *time.Time `json:",omitempty"` // when it ceased to apply

	Text, Remedy string `json:"-"`
}

// Urgencies lists the urgencies of warnings.
func Urgencies() []string { return []string{"warning", "urgent"} }

// Urgency returns one of [Urgencies].
func (w Warning) Urgency() string {
	if w.Urgent {
		return "urgent"
	}
	return "warning"
}

var warnings = kv.NewCollection("warnings", kv.JSON[Warning]())

// Collections lists what this package stores, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{warnings} }

// recurrenceGap is how long a cause must be gone before its return counts as new, so
// that a value hovering around a limit causes only one mail.
const recurrenceGap = time.Hour

// examineInterval is the time between examinations of the machine.
const examineInterval = time.Minute

// Run examines the machine periodically until ctx is done.
func (s *Service) Run(ctx context.Context) error {
	if _, err := s.look(ctx); err != nil {
		s.Logger.Error("examining the machine", "error", err)
	}
	t := time.NewTicker(examineInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		if err := s.Watch(ctx); err != nil && ctx.Err() == nil {
			s.Logger.Error("examining the machine", "error", err)
		}
	}
}

// look examines the machine now, and logs what began and ended. It also keeps the warnings in
// memory, because a full disk can't store them.
func (s *Service) look(ctx context.Context) (found []Warning, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	before := s.Holding()
	if found, err = s.examine(ctx, before); err != nil {
		return nil, err
	}
	known, err := s.known()
	if err != nil {
		return nil, err
	}
	held := slices.Clone(found)
	for i := range held {
		held[i].Since = s.Now()
		same := func(w Warning) bool { return w.Key == held[i].Key && w.Mended == nil }
		if k := slices.IndexFunc(known, same); k >= 0 {
			held[i].Since = known[k].Since
		}
	}
	s.mu.Lock()
	s.held = held
	s.mu.Unlock()
	return found, s.logChanges(before, held)
}

// examine goes through the table of dangers. What can't be told stays as it was before, and
// keeps the time of the last complete examination from advancing.
func (s *Service) examine(ctx context.Context, before []Warning) (found []Warning, err error) {
	complete := true
	for _, d := range s.Dangers {
		some, err := d.Find(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			s.Logger.Error("cannot tell whether to warn", "kind", d.Kind, "error", err)
			complete = false
			some = slices.DeleteFunc(slices.Clone(before), func(w Warning) bool { return w.Kind != d.Kind })
		}
		found = append(found, some...)
	}
	if complete {
		s.mu.Lock()
		s.examined = s.Now()
		s.mu.Unlock()
	}
	return found, nil
}

// logChanges logs the warnings that began, became more or less urgent, or ended.
func (s *Service) logChanges(before, now []Warning) error {
	for _, w := range now {
		i := slices.IndexFunc(before, func(b Warning) bool { return b.Key == w.Key })
		if i >= 0 && before[i].Urgent == w.Urgent {
			continue
		}
		text, remedy, err := s.Notify.Texts.Warning(string(w.Kind), w.Facts)
		if err != nil {
			return err
		}
		level := slog.LevelWarn
		if w.Urgent {
			level = slog.LevelError
		}
		s.Logger.Log(context.Background(), level, "warning", "kind", w.Kind, "urgency", w.Urgency(), "text", text, "remedy", remedy)
	}
	for _, w := range before {
		if holds(now, w.Key) {
			continue
		}
		text, _, err := s.Notify.Texts.Warning(string(w.Kind), w.Facts)
		if err != nil {
			return err
		}
		s.Logger.Info("warning ended", "kind", w.Kind, "text", text)
	}
	return nil
}

// Watch examines the machine now, and mails the installation's administrators once
// about each cause, and again if it becomes urgent or returns after it was resolved.
func (s *Service) Watch(ctx context.Context) error {
	found, err := s.look(ctx)
	if err != nil {
		return err
	}
	known, err := s.known()
	if err != nil || !hasChanged(known, found) {
		return err // usually there is nothing to write
	}
	return s.DB.Update(func(tx *kv.Tx) error {
		for _, w := range found {
			if err := s.warn(tx, w); err != nil {
				return err
			}
		}
		return markMended(tx, found)
	})
}

// known returns the stored warnings.
func (s *Service) known() (all []Warning, err error) {
	err = s.DB.View(func(tx *kv.Tx) error {
		return warnings.Each(tx, "", nil, func(_ string, w Warning) (bool, error) {
			all = append(all, w)
			return true, nil
		})
	})
	return all, err
}

// hasChanged reports whether the warnings found differ from those stored.
func hasChanged(known, found []Warning) bool {
	for _, f := range found {
		i := slices.IndexFunc(known, func(k Warning) bool { return k.Key == f.Key })
		if i < 0 || known[i].Mended != nil || known[i].Urgent != f.Urgent {
			return true
		}
	}
	return slices.ContainsFunc(known, func(k Warning) bool { return k.Mended == nil && !holds(found, k.Key) })
}

func holds(found []Warning, key string) bool {
	return slices.ContainsFunc(found, func(f Warning) bool { return f.Key == key })
}

// warn stores a warning, and mails it if it is new or has become urgent.
func (s *Service) warn(tx *kv.Tx, w Warning) error {
	before, err := warnings.Get(tx, w.Key)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	isNew := err != nil || before.Mended != nil && tx.Now.Sub(*before.Mended) >= recurrenceGap
	if w.Since = before.Since; isNew {
		w.Since = tx.Now
	}
	if isNew || w.Urgent && !before.Urgent {
		if err := s.mail(tx, w); err != nil {
			return err
		}
	}
	if !isNew && before.Mended != nil && before.Urgent {
		w.Urgent = true // it was mailed as urgent a moment ago
	}
	return warnings.Put(tx, w.Key, w)
}

// danger returns the row of a kind of warning.
func (s *Service) danger(kind WarningKind) Danger {
	i := slices.IndexFunc(s.Dangers, func(d Danger) bool { return d.Kind == kind })
	if i < 0 {
		return Danger{}
	}
	return s.Dangers[i]
}

func (s *Service) mail(tx *kv.Tx, w Warning) error {
	if s.danger(w.Kind).Unmailed {
		return nil
	}
	to, err := account.Administrators(tx)
	for _, u := range to {
		err = errors.Join(err, s.Notify.Warn(tx, u, string(w.Kind), w.Facts))
	}
	return err
}

// markMended marks the warnings whose cause is gone as resolved.
func markMended(tx *kv.Tx, found []Warning) error {
	var gone []Warning
	err := warnings.Each(tx, "", nil, func(_ string, w Warning) (bool, error) {
		if w.Mended == nil && !holds(found, w.Key) {
			gone = append(gone, w)
		}
		return true, nil
	})
	for _, w := range gone {
		w.Mended = new(tx.Now)
		err = errors.Join(err, warnings.Put(tx, w.Key, w))
	}
	return err
}

// Warnings returns the warnings that apply, for administrators of the installation and
// of companies. Nobody else sees any.
func (s *Service) Warnings(who account.Call) ([]Warning, error) {
	if !who.RunsInstallation() && !who.IsAdmin() {
		return nil, nil
	}
	all := slices.DeleteFunc(s.Holding(), func(w Warning) bool {
		return !who.RunsInstallation() && (w.Company != "" && w.Company != who.CompanyID || s.danger(w.Kind).Confined)
	})
	for i := range all {
		var err error
		if all[i].Text, all[i].Remedy, err = s.Notify.Texts.Warning(string(all[i].Kind), all[i].Facts); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Examined returns when all dangers could last be examined, the zero time for never.
func (s *Service) Examined() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.examined
}

// Holding returns the warnings that apply, for metrics.
func (s *Service) Holding() []Warning {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.held)
}
