// Package tree is about checkpoints: signed heads of the Merkle tree over a
// company's journal. It holds their text, the keys that sign them, the proofs that
// lead from an event to a checkpoint, and the folder they are published to.
//
// The leaves of the tree are the hashes of the company's journal entries in order
// (see kv.Trees), each hashed as in RFC 6962. A checkpoint is a signed note as
// described by https://c2sp.org/tlog-checkpoint, with the time in an extension
// line:
//
//	paraph/company/01JZ…
//	4711
//	wxyz…=
//	time 2026-11-22T12:00:00.000Z
//
//	— paraph/company/01JZ… AbCd…
//
// Each company has a tree of its own, so that it takes its history along when it
// moves, and no checkpoint tells one company anything about another. A checkpoint
// commits to the rest of the installation's journal all the same: the hash of an
// entry covers the hash of the entry before it, whichever company that belongs to.
package tree

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// ErrCheckpoint says that a checkpoint cannot be read or is not signed by a known
// key.
var ErrCheckpoint = errors.New("not a valid checkpoint")

const (
	originPrefix = "paraph/company/"
	timePrefix   = "time "
	timeLayout   = "2006-01-02T15:04:05.000Z07:00"
)

// Origin returns the first line of a company's checkpoints, which is the name of
// its keys too.
func Origin(company string) string { return originPrefix + company }

// Head is the content of a checkpoint.
type Head struct {
	Company string
	Size    int64 // number of events
	Root    tlog.Hash
	At      time.Time
}

// Text returns the text that is signed.
func (h Head) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\n%s%s\n", Origin(h.Company), h.Size, h.Root, timePrefix, h.At.UTC().Format(timeLayout))
}

// Same reports whether both are heads of the same history at the same size.
func (h Head) Same(o Head) bool {
	return h.Company == o.Company && h.Size == o.Size && h.Root == o.Root
}

func parseText(text string) (h Head, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[len(lines)-1] != "" {
		return h, fmt.Errorf("%w: it has too few lines", ErrCheckpoint)
	}
	company, ok := strings.CutPrefix(lines[0], originPrefix)
	if !ok || company == "" || strings.ContainsAny(company, `/\. +`) {
		return h, fmt.Errorf("%w: its origin is %q", ErrCheckpoint, lines[0])
	}
	h.Company = company
	h.Size, err = strconv.ParseInt(lines[1], 10, 64)
	if err != nil || h.Size < 0 || strconv.FormatInt(h.Size, 10) != lines[1] {
		return h, fmt.Errorf("%w: its size is %q", ErrCheckpoint, lines[1])
	}
	if h.Root, err = tlog.ParseHash(lines[2]); err != nil {
		return h, fmt.Errorf("%w: its hash is %q", ErrCheckpoint, lines[2])
	}
	for _, line := range lines[3 : len(lines)-1] {
		if at, ok := strings.CutPrefix(line, timePrefix); ok {
			if h.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
				return h, fmt.Errorf("%w: its time is %q", ErrCheckpoint, at)
			}
		}
	}
	return h, nil
}

// Open reads a signed checkpoint. One of the keys must have signed it.
func Open(signed string, keys ...note.Verifier) (Head, error) {
	n, err := note.Open([]byte(signed), note.VerifierList(keys...))
	if err != nil {
		return Head{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return parseText(n.Text)
}

// Read reads a checkpoint without verifying who signed it.
func Read(signed string) (Head, error) {
	_, err := note.Open([]byte(signed), note.VerifierList())
	if unverified, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		return parseText(unverified.Note.Text)
	}
	return Head{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
}

// Consistent proves, by the hashes of a tree, that the later of two heads
// continues the history of the earlier.
func Consistent(earlier, later Head, r tlog.HashReader) error {
	if earlier.Company != later.Company {
		return errors.New("the checkpoints belong to two companies")
	}
	if earlier.Size == 0 {
		return nil
	}
	p, err := tlog.ProveTree(later.Size, earlier.Size, r)
	if err != nil {
		return fmt.Errorf("the checkpoint at event %d does not continue that of %d: %w", later.Size, earlier.Size, err)
	}
	if err := tlog.CheckTree(p, later.Size, later.Root, earlier.Size, earlier.Root); err != nil {
		return fmt.Errorf("the checkpoint at event %d does not continue that of %d: the history was changed", later.Size, earlier.Size)
	}
	return nil
}

// Find returns the signed checkpoints in a text, such as a file or a mail that holds
// several among other lines.
func Find(text string) (all []string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], originPrefix) {
			continue
		}
		end := i
		for end < len(lines) && lines[end] != "" {
			end++
		}
		for end++; end < len(lines) && strings.HasPrefix(lines[end], "— "); end++ {
		}
		if end <= len(lines) && strings.HasPrefix(lines[end-1], "— ") {
			all = append(all, strings.Join(lines[i:end], "\n")+"\n")
			i = end - 1
		}
	}
	return all
}
