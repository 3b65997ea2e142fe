// Command tidy lays out HTML templates. Without -w it names those that are not laid out so, and fails.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"paraph/app/markup"
)

func main() {
	write := flag.Bool("w", false, "write the files instead of naming them")
	flag.Parse()
	wrong := 0
	for _, root := range flag.Args() {
		n, err := tidy(root, *write)
		if err != nil {
			fmt.Fprintln(os.Stderr, "tidy:", err)
			os.Exit(2)
		}
		wrong += n
	}
	if wrong > 0 && !*write {
		os.Exit(1)
	}
}

// tidy lays out the templates in a folder, and returns how many were not yet.
func tidy(root string, write bool) (wrong int, err error) {
	return wrong, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		is, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		want, err := markup.Format(string(is))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if want == string(is) {
			return nil
		}
		wrong++
		fmt.Println(path)
		if !write {
			return nil
		}
		return os.WriteFile(path, []byte(want), 0o644)
	})
}
