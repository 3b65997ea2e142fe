package words

import (
	"errors"
	"fmt"
	"io/fs"
)

// LoadFrom reads all languages of a catalogue from other files than the program's.
func LoadFrom(from fs.FS) (*Catalogue, error) {
	c, err := load(from)
	if err != nil {
		return nil, err
	}
	folders, err := fs.ReadDir(from, ".")
	for _, folder := range folders {
		if _, bad := read(from, folder.Name()); bad != nil {
			err = errors.Join(err, fmt.Errorf("words: %w", bad))
		}
	}
	return c, err
}
