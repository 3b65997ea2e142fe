package account

import (
	"context"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"paraph/app/fault"
	"paraph/app/turns"
	"paraph/kv"
)

// Cost is the cost of checking one password (argon2id, RFC 9106).
type Cost struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// DefaultCost is the first choice of the OWASP password storage cheat sheet:
// 19 MiB, two passes.
func DefaultCost() Cost { return Cost{Memory: 19 * 1024, Passes: 2, Threads: 1} }

// Lengths of a password, in characters and bytes. The upper bound keeps requests
// from consuming unlimited hashing time.
const (
	minPassword = 8
	maxPassword = 1024
)

const (
	saltSize = 16
	hashSize = 32
)

var errBadHash = errors.New("account: a stored password hash cannot be read")

// passwordMemory is how much memory all concurrent password checks may take, as long as one of them fits.
const passwordMemory = 256 << 20

// passwordPatience is how long a check waits for its turn.
const passwordPatience = 10 * time.Second

// hasher hashes and checks passwords, at most a few at a time: each takes tens of
// megabytes, and a burst of logins must wait rather than fill the memory.
type hasher struct {
	cost   Cost
	random func(n int) ([]byte, error)
	queue  *turns.Queue
	dummy  string // a hash matching no password, so that unknown users take the same time
}

// newHasher makes a hasher for a number of concurrent passwords. If there is more than one slot, one is reserved for
// known callers.
func newHasher(cost Cost, workers int, random func(int) ([]byte, error)) *hasher {
	blank := make([]byte, saltSize+hashSize)
	slots := cost.atATime(workers)
	return &hasher{
		cost: cost, random: random, dummy: encodeHash(cost, blank[:saltSize], blank[saltSize:]),
		queue: turns.New(turns.Options{Slots: slots, Strangers: max(slots-1, 1), Patience: passwordPatience}),
	}
}

// atATime returns how many passwords of this cost are checked at a time.
func (c Cost) atATime(workers int) int64 {
	fit := passwordMemory / max(int64(c.Memory)<<10, 1)
	return max(min(int64(workers), fit), 1)
}

// normal normalises a password, so that the same keys produce the same password on every system
// (NFC, following RFC 8265 §4.2).
func normal(password string) []byte { return norm.NFC.Bytes([]byte(password)) }

func (h *hasher) derive(ctx context.Context, who turns.Key, password string, salt []byte, c Cost, size uint32) ([]byte, error) {
	leave, err := h.queue.Enter(ctx, who)
	if err != nil {
		return nil, err
	}
	defer leave()
	return argon2.IDKey(normal(password), salt, c.Passes, c.Memory, c.Threads, size), nil
}

// hash returns the PHC string of a password, including parameters and salt.
func (h *hasher) hash(ctx context.Context, who turns.Key, password string) (string, error) {
	salt, err := h.random(saltSize)
	if err != nil {
		return "", err
	}
	sum, err := h.derive(ctx, who, password, salt, h.cost, hashSize)
	if err != nil {
		return "", err
	}
	return encodeHash(h.cost, salt, sum), nil
}

// verify reports whether the password matches the hash. An empty hash (no user, or no password
// chosen yet) takes as long and returns false.
func (h *hasher) verify(ctx context.Context, who turns.Key, password, encoded string) (bool, error) {
	nobody := encoded == ""
	if nobody {
		encoded = h.dummy
	}
	cost, salt, want, err := decodeHash(encoded)
	if err != nil {
		return false, err
	}
	if len(password) > maxPassword {
		password = "" // longer than any password; the time must not reveal the reason
		nobody = true
	}
	got, err := h.derive(ctx, who, password, salt, cost, uint32(len(want)))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && !nobody, nil
}

// memberTurn returns the key under which a signed-in person's password check queues.
func memberTurn(who Call) turns.Key { return turns.Member(who.CompanyID, who.UserID) }

// linkTurn returns the key for the holder of a valid link.
func linkTurn(token string) turns.Key { return turns.Guest("", linkKey(token)) }

// outdated reports whether a hash was made at another cost than the current one.
func (h *hasher) outdated(encoded string) bool {
	cost, _, _, err := decodeHash(encoded)
	return err == nil && cost != h.cost
}

func encodeHash(c Cost, salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Passes, c.Threads,
		b64.EncodeToString(salt), b64.EncodeToString(sum))
}

func decodeHash(encoded string) (c Cost, salt, sum []byte, err error) {
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return Cost{}, nil, nil, errBadHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Passes, &c.Threads); err != nil {
		return Cost{}, nil, nil, fmt.Errorf("%w: %w", errBadHash, err)
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	sane := c.Passes >= 1 && c.Threads >= 1 && c.Memory <= 4<<20 && len(salt) >= 8 && len(sum) >= 16
	if saltErr != nil || sumErr != nil || !sane {
		return Cost{}, nil, nil, errBadHash
	}
	return c, salt, sum, nil
}

// checkPassword adds the faults of a newly chosen password.
func checkPassword(f *fault.Fields, password, email string) {
	const field = "password"
	switch {
	case password == "":
		f.Required(field)
	case utf8.RuneCountInString(password) < minPassword:
		f.Add(field, "too_short", fault.Number("limit", minPassword))
	case len(password) > maxPassword:
		f.TooLong(field, maxPassword)
	case !utf8.ValidString(password):
		f.Add(field, "not_text")
	case strings.EqualFold(password, email):
		f.Add(field, "same_as_email")
	case isCommon(password):
		f.Add(field, "too_common")
	}
}

// common lists widely used passwords, one a line.
//
//go:embed common-passwords.txt
var common string

// isCommon reports whether a password is among those that attackers try first, or one of them followed by digits and
// punctuation.
func isCommon(password string) bool {
	folded := strings.ToLower(password)
	word := strings.TrimRightFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) })
	return strings.Contains(common, "\n"+folded+"\n") || word != "" && strings.Contains(common, "\n"+word+"\n") ||
		strings.Trim(folded, folded[:1]) == ""
}

// credentials checks and changes the passwords of accounts.
type credentials struct {
	db        *kv.DB
	records   *records
	tokens    *tokenStore
	attempts  *attempts
	links     *linkStore
	passwords *hasher
}

// provePassword returns nil if it is the caller's password, else a fault of the
// field. The caller of provePassword counts the attempt.
func (s *credentials) provePassword(ctx context.Context, who Call, field, password string) error {
	var u userRecord
	err := s.db.View(func(tx *kv.Tx) (err error) {
		u, err = users.Get(tx, who.UserID)
		return found(err, "user")
	})
	if err != nil {
		return err
	}
	ok, err := s.passwords.verify(ctx, memberTurn(who), password, u.Password)
	if err == nil && !ok {
		err = fault.Invalid(field, "not_correct")
	}
	return err
}

// setPassword invalidates everything the old password gave access to: reset and setup links,
// and all sessions except the one with the ID keep. It also ends any wait after failed logins.
func (s *credentials) setPassword(tx *kv.Tx, u userRecord, hash, keep string) error {
	u.Password, u.PasswordAt, u.Fresh = hash, new(tx.Now), false
	if err := errors.Join(
		s.links.drop(tx, u.ID, LinkReset, ""), s.links.drop(tx, u.ID, LinkSetup, ""),
		s.tokens.revokeAll(tx, u.ID, "", ActorUser, keep), s.records.putUser(tx, u),
	); err != nil {
		return err
	}
	tx.OnCommit(func() { s.attempts.forgive(u) })
	return nil
}
