package kv

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// format is the version of this package's layout of keys and values.
const format = 1

var formatKey = space(spaceMeta, "format") // format and version of the data

// migrate refuses newer data and runs the missing migrations. An empty store starts with the
// newest version.
func (db *DB) migrate(migrations []Migration, before func(db *DB, from int) error) error {
	newest := 0
	for _, m := range migrations {
		if m.To <= newest {
			return fmt.Errorf("kv: migration to %d comes after %d", m.To, newest)
		}
		newest = m.To
	}
	version, err := db.version()
	if errors.Is(err, ErrNotFound) {
		return db.setVersion(newest)
	}
	if err != nil {
		return err
	}
	if version > newest {
		return fmt.Errorf("%w: version %d, this program knows %d", ErrNewerFormat, version, newest)
	}
	if version < newest && before != nil {
		if err := before(db, version); err != nil {
			return fmt.Errorf("kv: before migrating: %w", err)
		}
	}
	if version == newest {
		return nil
	}
	return upgrade(db, version, migrations)
}

// Upgrade describes an upgrade of older data.
type Upgrade struct {
	From, To int       // versions of the data
	At       time.Time // when it ended
	Took     time.Duration
}

var upgradeKey = space(spaceMeta, "upgrade") // the last Upgrade

// upgrade runs the missing migrations and records how long they took.
func upgrade(db *DB, from int, migrations []Migration) error {
	began, to := time.Now(), from
	if err := forgetDeletions(db); err != nil { // keys may be what a migration removes
		return err
	}
	for _, m := range migrations {
		if m.To <= from {
			continue
		}
		step := time.Now()
		db.log.Info("kv: migrating", "to", m.To)
		if err := m.Run(db); err != nil {
			return fmt.Errorf("kv: migration to %d: %w", m.To, err)
		}
		if err := db.setVersion(m.To); err != nil {
			return err
		}
		to = m.To
		db.log.Info("kv: migrated", "to", m.To, "took", time.Since(step).Round(time.Millisecond))
	}
	b, err := json.Marshal(Upgrade{from, to, db.now(), time.Since(began)})
	if err != nil {
		return err
	}
	return db.Update(func(tx *Tx) error { return tx.set(upgradeKey, b) })
}

// LastUpgrade returns the last upgrade of the data, or the zero value if there was none.
func LastUpgrade(db *DB) (u Upgrade, err error) {
	err = db.View(func(tx *Tx) error {
		b, err := tx.get(upgradeKey)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(b, &u); err != nil {
			return fmt.Errorf("%w: last upgrade: %w", ErrCorrupt, err)
		}
		return nil
	})
	return u, err
}

// version returns the version of the data.
func (db *DB) version() (version int, err error) {
	err = db.View(func(tx *Tx) error {
		b, err := tx.get(formatKey)
		if err != nil {
			return err
		}
		if len(b) != 16 {
			return fmt.Errorf("%w: format is %x", ErrCorrupt, b)
		}
		if f := binary.BigEndian.Uint64(b); f != format {
			return fmt.Errorf("%w: format %d, this program knows %d", ErrNewerFormat, f, format)
		}
		version = int(binary.BigEndian.Uint64(b[8:]))
		return nil
	})
	return version, err
}

func (db *DB) setVersion(version int) error {
	return db.Update(func(tx *Tx) error {
		return tx.set(formatKey, append(number(format), number(uint64(version))...))
	})
}

// Rebuild recreates all index entries and counts of the collection, many records per call, for
// a migration after an index was added or its keys changed. Indexes that no longer exist are
// dropped. Nothing else may use the collection meanwhile.
func (c *Collection[T]) Rebuild(db *DB) error {
	if err := db.drop(space(spaceIndex, c.name)); err != nil {
		return err
	}
	if err := db.dropCounters(c.name + "/"); err != nil {
		return err
	}
	for from, more := "", true; more; {
		err := db.Update(func(tx *Tx) (err error) {
			from, more, err = c.reindex(tx, from)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rebuildBytes is how much one step of a rebuild writes at most.
const rebuildBytes = MaxUpdateBytes / 2

// reindex writes the entries of records starting at an ID, until the call is full.
func (c *Collection[T]) reindex(tx *Tx, from string) (next string, more bool, err error) {
	scan, err := tx.scan(c.records, false)
	if err != nil {
		return "", false, err
	}
	defer scan.close()
	for scan.seek(c.record(from)); scan.valid(); scan.next() {
		id := string(scan.key()[len(c.records):])
		if tx.own.size > rebuildBytes || len(tx.own.writes) > MaxUpdateKeys/2 {
			return id, true, nil
		}
		raw, err := scan.value()
		if err != nil {
			return "", false, err
		}
		v, err := c.decode(id, raw)
		if err != nil {
			return "", false, err
		}
		changes, err := c.plan(id, nil, raw, &v)
		if err != nil {
			return "", false, err
		}
		if err := c.checkUnique(tx, id, changes); err != nil {
			return "", false, err
		}
		if err := tx.apply(changes); err != nil {
			return "", false, err
		}
	}
	return "", false, nil
}

// drop deletes every key under a prefix, many per call.
func (db *DB) drop(prefix []byte) error {
	for more := true; more; {
		err := db.Update(func(tx *Tx) error {
			scan, err := tx.scan(prefix, false)
			if err != nil {
				return err
			}
			defer scan.close()
			n := 0
			for scan.begin(); scan.valid() && n < MaxUpdateKeys/2; scan.next() {
				if err := tx.del(append([]byte{}, scan.key()...)); err != nil {
					return err
				}
				n++
			}
			more = n > 0
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropCounters forgets the counts whose names begin with prefix.
func (db *DB) dropCounters(prefix string) error {
	var names []string
	db.slots.numbers.Range(func(name, _ any) bool {
		if strings.HasPrefix(name.(string), prefix) {
			names = append(names, name.(string))
		}
		return true
	})
	for _, name := range names {
		c := newCounter(name, nil, 1)
		for more := true; more; {
			err := db.Update(func(tx *Tx) error {
				more = tx.rank(c) != nil
				for n := 0; tx.rank(c) != nil && n < MaxUpdateKeys/2; n++ {
					if err := tx.setBlock(c, tx.rank(c).low, 0); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
