package signing

import (
	"archive/zip"
	"cmp"
	"context"
	"io"

	"paraph/app/account"
)

// DownloadMany returns several documents as one ZIP with a folder each: sealed
// and with all their parts once they are completed, otherwise as they stand.
func (s *Service) DownloadMany(_ context.Context, who account.Actor, ids []string) (*Download, error) {
	if err := member(who, account.ScopeRead); err != nil {
		return nil, err
	}
	var all []*Document
	for _, id := range ids {
		d, err := s.get(who, id)
		if err != nil {
			return nil, err
		}
		if d.downloadable() == nil {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil, conflict("document_without_files.all")
	}
	return &Download{Name: "documents.zip", ContentType: "application/zip", Size: -1,
		Write: func(w io.Writer) error {
			z := zip.NewWriter(w)
			used := map[string]int{}
			for _, d := range all {
				if err := s.addDocument(z, used, d, "current", cmp.Or(d.fileTitle(), d.ID)+"/"); err != nil {
					return err
				}
			}
			return z.Close()
		}}, nil
}
