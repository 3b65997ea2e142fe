package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"paraph/app/control"
	"paraph/app/folder"
	"paraph/app/machine"
)

// States of a finding.
const (
	fine    = "ok"
	warning = "warning" // needs attention, but everything works
	problem = "problem" // something does not work, or will not
	skipped = "skipped"
)

// Finding describes the state of one part of an installation.
type Finding struct {
	Part   string `json:"part"`
	State  string `json:"state"` // ok, warning, problem or skipped
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// Doctor examines an installation, whether a server runs or not, and prints the findings. It
// reports whether there are no problems; warnings don't count.
func Doctor(ctx context.Context, cfg Config, asJSON bool, w io.Writer) (healthy bool, err error) {
	if err := mustExist(cfg.Data.Dir); err != nil {
		return false, err
	}
	all, err := findings(ctx, cfg)
	if err != nil {
		return false, err
	}
	healthy = true
	for _, f := range all {
		healthy = healthy && f.State != problem
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return healthy, e.Encode(all)
	}
	for _, f := range all {
		fmt.Fprintf(w, "%-8s %-12s %s\n", f.State, f.Part, f.Text)
		if f.Remedy != "" {
			fmt.Fprintf(w, "%21s %s\n", "", f.Remedy)
		}
	}
	return healthy, nil
}

// findings examines a data folder through the server that has it open, so that the server's
// configuration and environment count, or by opening it.
func findings(ctx context.Context, cfg Config) ([]Finding, error) {
	modes, clock := checkModes(cfg.Data.Dir), checkClock(cfg.Data.Dir, time.Now())
	a, err := openAside(cfg)
	if errors.Is(err, folder.ErrLocked) {
		if err := awaitControl(ctx, cfg.Data.Dir, err); err != nil {
			return nil, err
		}
		all, err := askServer(ctx, cfg.Data.Dir)
		return append([]Finding{{"server", fine, "A server runs and answers.", ""}, modes}, all...), err
	}
	if lost, ok := errors.AsType[*lostKeys](err); ok {
		return []Finding{modes, lost.finding()}, nil
	}
	if err != nil {
		return []Finding{modes, {"start", problem, "The server would not start: " + err.Error() + ".",
			"If it speaks of damage, run paraph check, or restore a backup into another folder."}}, nil
	}
	all := append([]Finding{{"server", skipped, "No server runs; what only a running one shows is left out.", ""}, modes}, a.examine(ctx, false)...)
	if i := slices.IndexFunc(all, func(f Finding) bool { return f.Part == clock.Part }); clock.State != fine {
		all[i] = clock
	}
	return all, a.Close()
}

// askServer has the running server examine itself.
func askServer(ctx context.Context, dir string) (all []Finding, err error) {
	body, err := serverOf(dir).Do(ctx, http.MethodGet, "/doctor", nil)
	if _, refused := errors.AsType[*control.Refusal](err); refused {
		return nil, errors.New("the running server is too old for paraph doctor; restart it with this version")
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	return all, json.NewDecoder(body).Decode(&all)
}

// checkModes looks for secrets that other users of the machine can read.
func checkModes(dir string) Finding {
	open, err := folder.OpenToOthers(dir)
	switch {
	case err != nil:
		return Finding{"permissions", problem, "The data folder cannot be read: " + err.Error() + ".", "Run this command as the user that runs the server."}
	case len(open) > 0:
		return Finding{"permissions", problem, fmt.Sprintf("Other users of this machine can read %s.", open[0]),
			"Run chmod -R go= " + dir + "; whoever read the keys can sign as you."}
	}
	if !folder.MayWrite(dir) {
		return Finding{"permissions", problem, "The data folder cannot be written.", "Run this command, and the server, as the user that owns it, and look at its disk."}
	}
	return Finding{"permissions", fine, "Only its owner can read the data folder.", ""}
}

// examination is the timeout for examining one part.
const examination = 30 * time.Second

// examine checks everything that the server needs. running says whether it is serving.
func (a *App) examine(ctx context.Context, running bool) (all []Finding) {
	out, english := outgoing{a.Config.Network}, a.words.English()
	signing := signingExam{a.Signing, a.Keys, a.Clock, a.Config.Signing, a.register(), out, english}
	server := serverExam{a.Config.Server, newServerTLS(a.Config, a.dir, a.log), a.Clock, a.URL(), out}
	files := conversionExam{a.Config.Convert, a.pdfium, a.words, a.fonts, a.Accounts}
	machine := machineExam{a.disk, a.dir, a.Config.Signing, out}
	mail := mailExam{a.MailServer, english}
	upkeep := upkeepExam{a.dir, a.Clock, a.db, a.jobs}
	parts := []func(context.Context) Finding{
		signing.present, signing.test, signing.timestamps, signing.certificates, server.encryption, files.pdf, files.office, files.languages,
		machine.room, machine.time, mail.connection, mail.sender, upkeep.backup, upkeep.check, a.moving, a.caches, a.growing,
	}
	if running {
		parts = append(parts, server.address, upkeep.overdue)
	}
	for _, part := range parts {
		ctx, cancel := context.WithTimeout(ctx, examination)
		all = append(all, part(ctx))
		cancel()
	}
	if left := a.leftBehind(); left.Text != "" {
		all = append(all, left)
	}
	return a.withWarnings(ctx, all, running)
}

// withWarnings adds what administrators are warned of, unless a finding about the same part says more
// than that all is well. Nobody has looked yet if no server runs: then what no finding is about is
// examined now.
func (a *App) withWarnings(ctx context.Context, all []Finding, running bool) []Finding {
	examined, warned := slices.Clone(all), a.Machine.Holding()
	parts := map[machine.WarningKind]string{}
	for _, d := range a.dangers().table() {
		parts[d.Kind] = d.Part
		if running || slices.ContainsFunc(examined, func(f Finding) bool { return f.Part == d.Part }) {
			continue
		}
		found, err := d.Find(ctx)
		if err != nil {
			all = append(all, Finding{d.Part, problem, sentence(err), "Run paraph check."})
		}
		warned = append(warned, found...)
	}
	for _, w := range warned {
		f := Finding{Part: parts[w.Kind], State: warning}
		if w.Urgent {
			f.State = problem
		}
		var err error
		if f.Text, f.Remedy, err = a.Notify.Texts.Warning(string(w.Kind), w.Facts); err != nil {
			f.Text, f.Remedy = sentence(err), "This is a fault of the program; please report it."
		}
		switch i := slices.IndexFunc(examined, func(known Finding) bool { return known.Part == f.Part }); {
		case i < 0:
			all = append(all, f)
		case all[i].State == fine:
			all[i] = f
		}
	}
	return all
}
