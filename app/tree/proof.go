package tree

import (
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Proof proves that an event is in a company's journal at the time of a
// checkpoint.
type Proof struct {
	Checkpoint string   `json:"checkpoint"` // signed note
	Key        string   `json:"key"`        // verifies its signature
	Index      int64    `json:"index"`      // of the event in the company's journal, from 0
	EventHash  string   `json:"event_hash"` // hexadecimal
	Hashes     []string `json:"hashes"`     // inclusion proof of RFC 6962, base64
	Rule       string   `json:"rule,omitempty"`
}

// Rule describes how to check a proof without Paraph.
const Rule = "checkpoint is a signed note (c2sp.org/tlog-checkpoint) whose signature key verifies; its lines are the origin, the number of events, " +
	"the root hash in base64, and the time. hashes is the audit path (RFC 9162, 2.1.3) of the leaf with the number index " +
	"in the tree with that root; the leaf is the SHA-256 of a zero byte followed by the 32 bytes of event_hash, which is the hash of an event."

// NewProof proves the event with a number in the tree of a checkpoint.
func NewProof(c Head, signed, key string, index int64, event [32]byte, r tlog.HashReader) (Proof, error) {
	path, err := tlog.ProveRecord(c.Size, index, r)
	if err != nil {
		return Proof{}, err
	}
	hash := hex.EncodeToString(event[:])
	p := Proof{Checkpoint: signed, Key: key, Index: index, EventHash: hash, Hashes: []string{}, Rule: Rule}
	for _, h := range path {
		p.Hashes = append(p.Hashes, h.String())
	}
	return p, nil
}

// Check verifies the proof by itself, and returns the head it leads to: the
// signature is that of Key, whoever that belongs to.
func (p Proof) Check() (Head, error) {
	v, err := note.NewVerifier(p.Key)
	if err != nil {
		return Head{}, fmt.Errorf("%w: its key: %w", ErrCheckpoint, err)
	}
	h, err := Open(p.Checkpoint, v)
	if err != nil {
		return Head{}, err
	}
	return h, p.Leads(h)
}

// Leads verifies that the proof leads from the event to a head.
func (p Proof) Leads(to Head) error {
	event, err := ParseHex(p.EventHash)
	if err != nil {
		return err
	}
	var path tlog.RecordProof
	for _, s := range p.Hashes {
		h, err := tlog.ParseHash(s)
		if err != nil {
			return fmt.Errorf("%w: a hash of the proof cannot be read", ErrProof)
		}
		path = append(path, h)
	}
	if err := tlog.CheckRecord(path, to.Size, to.Root, p.Index, tlog.RecordHash(event[:])); err != nil {
		return fmt.Errorf("%w: event %d is not under the checkpoint at event %d", ErrProof, p.Index, to.Size)
	}
	return nil
}

// ErrProof says that a proof does not prove what it is for.
var ErrProof = errors.New("the proof is wrong")

// ParseHex reads the hash of an event.
func ParseHex(s string) (hash [32]byte, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(hash) {
		return hash, fmt.Errorf("%w: %q is not the hash of an event", ErrProof, s)
	}
	return [32]byte(b), nil
}
