package record

import (
	json "github.com/goccy/go-json"

	"paraph/app/fault"
)

// Limits bound what one document may hold. Zero means the default.
type Limits struct {
	UploadBytes   int64 // size of one uploaded file
	Files         int   // files of a document
	Pages         int   // pages of a file
	Invitations   int   // people invited to a document
	Fields        int   // fields of a document
	MetadataBytes int   // keys and values of the metadata together
}

func (l Limits) WithDefaults() Limits {
	or := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	if l.UploadBytes == 0 {
		l.UploadBytes = 500 << 20
	}
	or(&l.Files, 100)
	or(&l.Pages, 5000)
	or(&l.Invitations, 1000)
	or(&l.Fields, 5000)
	or(&l.MetadataBytes, 16<<10)
	return l
}

// maxDraft is the maximum size of a draft's record, in bytes: the record grows
// later and must still fit into one transaction.
const maxDraft = 1 << 20

// Bounded refuses a draft that is too large to be completed later.
func (d *Document) Bounded() error {
	if d.Status != Draft && d.Status != Approved || len(d.Fields)+len(d.Invitations)+len(d.Files) < 200 {
		return nil
	}
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if len(b) > maxDraft {
		return fault.TooLarge("document_too_large")
	}
	return nil
}
