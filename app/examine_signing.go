package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"paraph/app/pki"
	"paraph/app/signing"
	"paraph/app/words"
)

// signingExam examines whether documents can be signed.
type signingExam struct {
	signing *signing.Services
	keys    *pki.Authority
	clock   *Clock
	config  SigningConfig
	keep    keyRegister
	out     outgoing
	english *words.Language
}

// present looks for the keys that the records need: a running server goes on with those in its
// memory, and the next one would not start.
func (x signingExam) present(context.Context) Finding {
	err := x.keep.check()
	if lost, ok := errors.AsType[*lostKeys](err); ok {
		return lost.finding()
	}
	if err != nil {
		return Finding{"keys", problem, err.Error() + ".", "Run this command as the user that runs the server."}
	}
	return Finding{"keys", fine, "Every key that the records need is there.", ""}
}

func (l *lostKeys) finding() Finding {
	what := l.what()
	return Finding{"keys", problem, strings.ToUpper(what[:1]) + what[1:] + ".", l.remedy()}
}

func (x signingExam) test(ctx context.Context) Finding {
	if err := x.signing.Upkeep.SelfTest(ctx); err != nil {
		return Finding{"signing", problem, "A test document cannot be signed: " + err.Error() + ".",
			"Look at keys/ in the data folder, and restore it from a backup if it is damaged; an expired certificate has to be replaced."}
	}
	return Finding{"signing", fine, "A test document was signed, sealed and verified.", ""}
}

func (x signingExam) timestamps(ctx context.Context) Finding {
	t, err := x.out.timestamper(x.config, x.clock.Now)
	if t == nil && err == nil {
		return Finding{"timestamps", fine, "They are made by the built-in authority.", ""}
	}
	if err == nil {
		sum := sha256.Sum256([]byte("paraph doctor"))
		_, err = t.Timestamp(ctx, sum[:])
	}
	if err != nil {
		return Finding{"timestamps", problem, fmt.Sprintf("The timestamp authority %s does not serve: %v.", x.config.TimestampURL, err),
			"Until it does, documents wait for their last timestamp. See signing.timestamp_url and network.egress."}
	}
	return Finding{"timestamps", fine, "The timestamp authority answered with a timestamp.", ""}
}

func (x signingExam) certificates(context.Context) Finding {
	warnings, err := x.keys.Warnings(x.clock.Now())
	if err != nil {
		return Finding{"certificates", problem, err.Error() + ".", "Restore keys/ in the data folder from a backup."}
	}
	if len(warnings) > 0 {
		state := warning
		if warnings[0].Urgent {
			state = problem
		}
		text, remedy := expiryText(x.english, warnings[0])
		return Finding{"certificates", state, text, remedy}
	}
	all, err := x.keys.Expiries()
	if err != nil {
		return Finding{"certificates", problem, err.Error() + ".", "Restore keys/ in the data folder from a backup."}
	}
	var first time.Time
	for _, end := range all {
		if first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return Finding{"certificates", fine, fmt.Sprintf("The first to expire does so in %s.", english.Plural(int(first.Sub(x.clock.Now()).Hours()/24), "day", "")), ""}
}
