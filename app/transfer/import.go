package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"paraph/app/account"
	"paraph/app/archive"
	"paraph/app/checkpoint"
	"paraph/app/publiclink"
	"paraph/app/signing"
	"paraph/app/signing/record"
	"paraph/app/tree"
	"paraph/kv"
)

// Result describes an import.
type Result struct {
	Header
	People, Documents int
	Passkeys          bool // they still work
}

// Import brings in a company from an export, neither compressed nor encrypted. If it fails
// before the company is accepted, nothing of it remains; a later failure wraps [ErrUnfinished].
func (i *Installation) Import(ctx context.Context, r io.Reader) (Result, error) {
	defer i.Blobs.Hold()() // until records name the files
	if err := os.MkdirAll(i.Dir, 0o700); err != nil {
		return Result{}, fmt.Errorf("transfer: %w", err)
	}
	s, err := i.stage(ctx, r)
	if err != nil {
		return Result{}, errors.Join(err, s.remove())
	}
	if err := i.accept(s); err != nil {
		return Result{}, errors.Join(err, s.remove())
	}
	if err := i.apply(ctx, s.Company); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnfinished, err)
	}
	return s.Result, nil
}

// ErrUnfinished reports that an accepted import could not be completed yet.
var ErrUnfinished = errors.New("the company was accepted but could not be stored completely; the next start of the server will continue")

// staged is an import that was received and not yet accepted.
type staged struct {
	Result
	path   string // of the records
	public []byte
	people []kv.Item
	files  hashes // named by documents
	got    hashes
	seed   maphash.Seed
	seen   map[uint64]struct{} // hashes of the items' identifiers
	who    account.Arrivals
	chains map[string]string // of the audit trail: the head so far, by document
	heads  map[string]string // as stated by the documents

	attested map[int64]tree.Head // by the company's checkpoints, by size
	history  tree.Frontier       // of the audit trails of all documents
}

func (s *staged) remove() error {
	if s.path == "" {
		return nil
	}
	err := os.Remove(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// stage receives and checks an export. Files go straight to the store, where they are swept
// unless a record names them.
func (i *Installation) stage(ctx context.Context, r io.Reader) (s *staged, err error) {
	s = &staged{files: hashes{}, got: hashes{}, chains: map[string]string{}, heads: map[string]string{},
		attested: map[int64]tree.Head{}, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}}
	f, err := os.CreateTemp(i.Dir, "staged-*.tmp")
	if err != nil {
		return s, fmt.Errorf("transfer: %w", err)
	}
	s.path = f.Name()
	err = archive.Reader{Head: s.parse, Visit: func(name string, r io.Reader) error {
		return i.entry(ctx, s, f, name, r)
	}}.Read(r)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return s, err
	}
	s.who.Company = s.Company
	if s.DataVersion != i.DataVersion {
		return s, fmt.Errorf("%w: it was made by %s; bring both installations to the same version and export again", ErrVersion, s.Program)
	}
	s.Passkeys = s.Address != "" && s.Address == i.address()
	if err := s.each(func(it kv.Item) error { return i.examine(s, it) }); err != nil {
		return s, err
	}
	return s, s.complete()
}

func (i *Installation) entry(ctx context.Context, s *staged, records io.Writer, name string, r io.Reader) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	hash, isFile := strings.CutPrefix(name, archive.Files)
	switch {
	case strings.HasPrefix(name, recordsPrefix):
		return s.receive(records, i.Blobs.CheckSpace, r)
	case isFile:
		_, err := i.Blobs.Put(ctx, r)
		return errors.Join(err, s.got.add(hash))
	case name == keysEntry:
		var err error
		s.public, err = io.ReadAll(io.LimitReader(r, maxPublic))
		return err
	}
	return errors.New("unknown to this version of Paraph")
}

const (
	// maxPublic bounds the certificates and revocation lists.
	maxPublic = 16 << 20
	// maxLine bounds one record.
	maxLine = 64 << 20
	// maxObjects bounds the objects in one record: decoded they take far more memory.
	maxObjects = 100_000
	// spaceEvery is the number of bytes of records after which the free space is checked.
	spaceEvery = 16 << 20
)

// receive stores records while there is space: compressed, they may be a thousandth of their size.
func (s *staged) receive(to io.Writer, space func() error, r io.Reader) error {
	for {
		if err := space(); err != nil {
			return err
		}
		switch _, err := io.CopyN(to, r, spaceEvery); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// each reads the staged records.
func (s *staged) each(visit func(kv.Item) error) (err error) {
	f, err := os.Open(s.path)
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = eachLine(f, func(it kv.Item, _ int64) (bool, error) { return true, visit(it) })
	return err
}

// eachLine reads records, and passes visit the number of bytes read so far. It returns the
// number of bytes of the records that visit accepted.
func eachLine(r io.Reader, visit func(it kv.Item, upto int64) (more bool, err error)) (read int64, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		if bytes.Count(lines.Bytes(), []byte("{")) > maxObjects {
			return read, fmt.Errorf("%w: a record has too many parts", archive.ErrDamaged)
		}
		var it kv.Item
		if err := json.Unmarshal(lines.Bytes(), &it); err != nil {
			return read, fmt.Errorf("%w: cannot read a record: %w", archive.ErrDamaged, err)
		}
		upto := read + int64(len(lines.Bytes())) + 1
		more, err := visit(it, upto)
		if err != nil || !more {
			return read, err
		}
		read = upto
	}
	return read, lines.Err()
}

// examine checks one record by itself, and notes what it refers to.
func (i *Installation) examine(s *staged, it kv.Item) error {
	if i.importRecord(s.recordImport(), it) == nil {
		return fmt.Errorf("%w: records of %q are unknown to this version of Paraph", archive.ErrDamaged, it.In)
	}
	if err := errors.Join(s.once(it), s.who.Add(it)); err != nil {
		return err
	}
	if account.IsPerson(it) {
		s.people = append(s.people, it)
		s.People++
		return nil
	}
	h, err := checkpoint.HeadOf(s.Company, it)
	if err != nil {
		return err
	}
	if h != nil {
		s.attested[h.Size] = *h
		return nil
	}
	e, err := signing.EntryOf(s.Company, it)
	if err != nil {
		return err
	}
	if e != nil {
		return s.link(e)
	}
	d, err := signing.DocumentOf(s.Company, it)
	if err != nil || d == nil {
		return err
	}
	for n := range d.Invitations {
		if err := s.once(kv.Item{In: "invitation", ID: d.Invitations[n].ID}); err != nil {
			return err
		}
	}
	s.Documents++
	s.heads[d.ID] = d.Head
	for b := range d.Blobs {
		if err := s.files.add(b); err != nil {
			return err
		}
	}
	return nil
}

// once refuses an identifier that occurs twice.
func (s *staged) once(it kv.Item) error {
	key := maphash.Comparable(s.seed, [2]string{it.In, it.ID})
	if _, twice := s.seen[key]; twice {
		return fmt.Errorf("%w: %s %q occurs twice", archive.ErrDamaged, it.In, it.ID)
	}
	s.seen[key] = struct{}{}
	return nil
}

// link checks that an entry continues the audit trail of its document.
func (s *staged) link(e *record.Entry) error {
	before := s.chains[e.Chain]
	if before == "" {
		before = hex.EncodeToString(make([]byte, 32))
	}
	if hex.EncodeToString(e.ChainPrevious[:]) != before {
		return fmt.Errorf("%w: the audit trail of document %s has a gap before %s", archive.ErrDamaged, e.Chain, e.ID)
	}
	s.chains[e.Chain] = hex.EncodeToString(e.Hash[:])
	s.history.Add(kv.Leaf(e.Hash))
	if h, ok := s.attested[s.history.Size()]; ok {
		if s.history.Root() != h.Root {
			return fmt.Errorf("%w: the audit trail is not what the checkpoint at event %d attests", archive.ErrDamaged, h.Size)
		}
		delete(s.attested, h.Size)
	}
	return nil
}

// complete compares the records with each other and with the files.
func (s *staged) complete() error {
	if err := s.who.Complete(); err != nil {
		return err
	}
	for size := range s.attested {
		return fmt.Errorf("%w: the checkpoint at event %d attests more than the audit trail has", archive.ErrDamaged, size)
	}
	for id, head := range s.heads {
		if s.chains[id] != head {
			return fmt.Errorf("%w: the audit trail of document %s does not end where the document says", archive.ErrDamaged, id)
		}
	}
	for hash := range s.files {
		if _, ok := s.got[hash]; !ok {
			return fmt.Errorf("%w: the file %x is missing", archive.ErrDamaged, hash)
		}
	}
	return nil
}

func (s *staged) recordImport() account.RecordImport {
	return account.RecordImport{Company: s.Company, Passkeys: s.Passkeys}
}

// importRecord returns the function that stores an item, nil if no package handles it.
func (i *Installation) importRecord(a account.RecordImport, it kv.Item) func(tx *kv.Tx) error {
	for _, put := range []func(tx *kv.Tx) error{
		i.Accounts.Upkeep.ImportRecord(a, it), i.Checkpoints.ImportRecord(a.Company, it),
		i.Upkeep.ImportRecord(a.Company, it), i.Contacts.ImportRecord(a.Company, it),
		i.Webhooks.ImportRecord(a.Company, it), i.PublicLinks.ImportRecord(a.Company, it),
	} {
		if put != nil {
			return put
		}
	}
	return nil
}

// pending is an accepted import. Its existence means that the import will be completed in any
// case.
type pending struct {
	Company   string
	Passkeys  bool
	Newcomers []string // people who had no account here before
	Place     int64    // in the staged records: everything before it is stored
}

func (p pending) recordImport() account.RecordImport {
	return account.RecordImport{Company: p.Company, Passkeys: p.Passkeys, Newcomers: p.Newcomers}
}

var imports = kv.NewCollection("imports", kv.JSON[pending]())

// Collections lists the collections of this package, for the check of the data folder.
func Collections() []kv.Checker { return []kv.Checker{imports} }

// path returns the path of an accepted import's records.
func (i *Installation) path(company string) string { return filepath.Join(i.Dir, company+".records") }

// accept decides, in one transaction, that the company comes in: its people are added and the
// import is recorded, or neither.
func (i *Installation) accept(s *staged) error {
	if err := i.checkFree(s); err != nil {
		return err
	}
	if err := i.Keys.Adopt(s.Company, s.public); err != nil {
		return err
	}
	path := i.path(s.Company)
	if err := errors.Join(os.Rename(s.path, path), archive.SyncDir(i.Dir)); err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	s.path = path
	err := i.DB.Update(func(tx *kv.Tx) error {
		newcomers, err := i.Accounts.Upkeep.Reserve(tx, s.Company, s.people)
		if err != nil {
			return err
		}
		return imports.Add(tx, s.Company, pending{Company: s.Company, Passkeys: s.Passkeys, Newcomers: newcomers})
	})
	if err != nil {
		return errors.Join(err, i.Keys.Disown(s.Company))
	}
	return nil
}

// checkFree refuses a company, or any of its records, whose identifier already exists here.
func (i *Installation) checkFree(s *staged) error {
	if strings.ContainsAny(s.Company, `/\.`) || s.Company == "" {
		return fmt.Errorf("%w: %q is not a company identifier", archive.ErrDamaged, s.Company)
	}
	return i.DB.View(func(tx *kv.Tx) error {
		if busy, err := imports.Has(tx, s.Company); err != nil || busy {
			return errors.Join(err, fmt.Errorf("the company %s is already being imported", s.Company))
		}
		if err := i.Accounts.Upkeep.Free(tx, s.Company); err != nil {
			return err
		}
		return s.each(func(it kv.Item) error {
			if account.IsShared(it) {
				return nil
			}
			return errors.Join(publiclink.CheckImport(tx, s.Company, it), signing.CheckImport(tx, s.Company, it))
		})
	})
}
