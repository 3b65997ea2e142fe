package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/dustin/go-humanize/english"

	"paraph/app/backup"
	"paraph/app/blob"
	"paraph/app/control"
	"paraph/app/folder"
	"paraph/kv"
)

// fileKeeper is an installation whose stored files can be mended: the open data folder, or the server that
// has it open.
type fileKeeper interface {
	// Lost lists the files that the records need and that are missing or damaged.
	Lost(ctx context.Context) ([]string, error)
	// Keep stores a file, and refuses one with another hash.
	Keep(ctx context.Context, hash string, r io.Reader) error
}

// MendFiles brings back what is missing or damaged of the stored files from a backup. The backup is read, and
// decrypted, by this process, whoever has the data folder open.
func MendFiles(ctx context.Context, cfg Config, from string, keys backup.Keys, w io.Writer) error {
	return withFiles(ctx, cfg, func(files fileKeeper) error {
		lost, err := files.Lost(ctx)
		if err != nil || len(lost) == 0 {
			return err
		}
		lacking, err := buckets(cfg).Files(ctx, from, keys, lost, func(hash string, r io.Reader) error { return files.Keep(ctx, hash, r) })
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "Brought back %s from %s.\n", english.Plural(len(lost)-len(lacking), "file", ""), from)
		for _, hash := range lacking {
			fmt.Fprintf(w, "The file %s is not there; an earlier backup may hold it.\n", hash)
		}
		return nil
	})
}

func withFiles(ctx context.Context, cfg Config, run func(fileKeeper) error) error {
	if err := mustExist(cfg.Data.Dir); err != nil {
		return err
	}
	a, err := Open(cfg.aside(), Options{})
	if errors.Is(err, folder.ErrLocked) {
		if err := awaitControl(ctx, cfg.Data.Dir, err); err != nil {
			return err
		}
		return run(remoteFiles{serverOf(cfg.Data.Dir)})
	}
	if err != nil {
		return err
	}
	return errors.Join(run(localFiles{a}), a.Close())
}

// localFiles are the files of an open data folder.
type localFiles struct{ app *App }

// Lost implements [fileKeeper].
func (f localFiles) Lost(ctx context.Context) (lost []string, err error) {
	err = f.app.db.View(func(tx *kv.Tx) error {
		return neededFiles{}.Each(tx, 0, func(hash string) error {
			switch err := f.app.blobs.Verify(hash); {
			case errors.Is(err, blob.ErrCorrupt) || errors.Is(err, blob.ErrNotFound):
				lost = append(lost, hash)
			case err != nil:
				return err
			}
			return ctx.Err()
		})
	})
	return lost, err
}

// Keep implements [fileKeeper].
func (f localFiles) Keep(ctx context.Context, hash string, r io.Reader) error {
	ref, err := f.app.blobs.Put(ctx, r)
	if err == nil && ref.Hash != hash {
		err = fmt.Errorf("the backup holds another file as %s", hash) // a sweep removes it
	}
	return err
}

// remoteFiles are those of a running server.
type remoteFiles struct{ server *control.Client }

// Lost implements [fileKeeper].
func (f remoteFiles) Lost(ctx context.Context) (lost []string, err error) {
	body, err := f.server.Do(ctx, http.MethodGet, "/files/lost", nil)
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(body).Decode(&lost)
	return lost, errors.Join(err, body.Close())
}

// Keep implements [fileKeeper].
func (f remoteFiles) Keep(ctx context.Context, hash string, r io.Reader) error {
	body, err := f.server.Do(ctx, http.MethodPut, "/files/"+hash, r)
	if err != nil {
		return err
	}
	return body.Close()
}

// serveFiles serves [remoteFiles].
func (a *App) serveFiles(mux *http.ServeMux) {
	files := localFiles{a}
	mux.HandleFunc("GET /files/lost", func(w http.ResponseWriter, r *http.Request) {
		lost, err := files.Lost(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if err := json.NewEncoder(w).Encode(lost); err != nil {
			a.log.Debug("answering a command", "error", err)
		}
	})
	mux.HandleFunc("PUT /files/{hash}", func(w http.ResponseWriter, r *http.Request) {
		err := files.Keep(r.Context(), r.PathValue("hash"), r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		a.log.Info("a file was brought back from a backup", "hash", r.PathValue("hash"))
		w.WriteHeader(http.StatusNoContent)
	})
}
