package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"paraph/app/convert/internal/refuse"
	"paraph/app/fault"
)

// ImageLimits bound the input of Image. A zero field means its default.
type ImageLimits struct {
	Pixels int64 // of one picture; default 100 million
	Memory int64 // bytes of decoded pixels held at once, for pictures that cannot be streamed; default 256 MB
	Pages  int   // of a TIFF; default 500
}

func (l ImageLimits) withDefaults() ImageLimits {
	if l.Pixels <= 0 {
		l.Pixels = 100_000_000
	}
	if l.Memory <= 0 {
		l.Memory = 256 << 20
	}
	if l.Pages <= 0 {
		l.Pages = 500
	}
	return l
}

// checkPixels refuses a picture before anything is allocated for it.
func (l ImageLimits) checkPixels(width, height int) error {
	switch {
	case width <= 0 || height <= 0:
		return damagedImage(errors.New("image without pixels"))
	case int64(width) > l.Pixels/int64(height):
		return refuse.TooLarge("image_pixels", fault.Number("width", width), fault.Number("height", height),
			fault.Number("limit", l.Pixels/1_000_000))
	}
	return nil
}

// checkMemory refuses pictures whose decoded form exceeds the limit.
func (l ImageLimits) checkMemory(width, height int, perPixel int64) error {
	if need := int64(width) * int64(height) * perPixel; need > l.Memory {
		return refuse.TooLarge("image_memory", fault.Number("size", need>>20), fault.Number("limit", l.Memory>>20))
	}
	return nil
}

// Image writes a PDF that shows the picture in the size bytes of r: PNG, JPEG, GIF, TIFF (one page per
// picture), WebP or BMP. Animated pictures are refused.
//
// The page size follows from the picture's stated resolution, after applying its EXIF
// orientation; a tall screenshot continues on further pages. JPEG data is copied without decoding and without the surrounding metadata,
// which often says where a photograph was taken. Other pictures stay lossless, except that
// samples of 16 bits are reduced to 8; transparency becomes a soft mask. The same input
// always produces the same bytes.
//
// Memory use is constant for JPEG and non-interlaced PNG, and otherwise bounded by limits.
// If it fails, w holds part of a file.
func Image(ctx context.Context, r io.ReaderAt, size int64, w io.Writer, limits ImageLimits) error {
	return inTime(ctx, timeLimit, func(ctx context.Context) error {
		return convertImage(ctx, r, size, w, limits.withDefaults())
	})
}

func convertImage(ctx context.Context, r io.ReaderAt, size int64, w io.Writer, limits ImageLimits) error {
	head := make([]byte, min(size, HeadSize))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	src := source{r: io.NewSectionReader(r, 0, size), size: size, limits: limits}
	switch kind := Kind(head, ""); kind {
	case "jpeg":
		return writePages(ctx, w, single(src.jpeg))
	case "png":
		return writePages(ctx, w, single(src.png))
	case "gif":
		return writePages(ctx, w, single(src.gif))
	case "webp":
		return writePages(ctx, w, single(src.webp))
	case "bmp":
		return writePages(ctx, w, single(src.bmp))
	case "tiff":
		return writePages(ctx, w, src.tiff)
	case "":
		return refuse.Unsupported(errors.New("not an image"))
	default:
		return refuse.Unsupported(fmt.Errorf("image of the kind %q", kind))
	}
}

// source is an image file being read.
type source struct {
	r      *io.SectionReader
	size   int64
	limits ImageLimits
}

// picture is a future page: an image and its position on the page.
type picture struct {
	colour      layer
	mask        *layer // soft mask, nil if opaque
	resolution  resolution
	orientation int // EXIF, 1 to 8; 0 as 1
}

// layer is an image XObject (ISO 32000-2 §8.9.5).
type layer struct {
	width, height int
	bits          int
	space         string // colour space, as PDF
	profile       []byte // ICC profile that replaces space, which becomes its alternate
	components    int
	more          string // further entries, e.g. Filter and Decode
	encoded       bool   // data is already encoded with the filter in more
	data          func(ctx context.Context, w io.Writer) error
}

// single returns the pages of a format that holds a single picture.
func single(load func(context.Context) (picture, error)) func(context.Context, func(picture) error) error {
	return func(ctx context.Context, yield func(picture) error) error {
		p, err := load(ctx)
		if err != nil {
			return err
		}
		return yield(p)
	}
}

// writePages writes a page for each picture as it arrives, so that only one is in memory
// at a time.
func writePages(ctx context.Context, w io.Writer, pictures func(context.Context, func(picture) error) error) error {
	p := newPDFWriter(w)
	root, tree := p.reserve(), p.reserve()
	var kids []string
	err := pictures(ctx, func(pic picture) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		pages, err := p.pages(ctx, tree, pic)
		for _, page := range pages {
			kids = append(kids, fmt.Sprintf("%d 0 R", page))
		}
		return err
	})
	if err != nil {
		return err
	}
	p.object(tree, "<</Type /Pages /Count %d /Kids [%s]>>", len(kids), strings.Join(kids, " "))
	p.object(root, "<</Type /Catalog /Pages %d 0 R>>", tree)
	return p.close(root)
}

// pages writes a picture on one page, or a tall screenshot on several, which share its data.
func (p *pdfWriter) pages(ctx context.Context, tree int, pic picture) (pages []int, err error) {
	image := p.reserve()
	more := ""
	if pic.mask != nil {
		mask := p.reserve()
		if err := p.layer(ctx, mask, *pic.mask, ""); err != nil {
			return nil, err
		}
		more = fmt.Sprintf(" /SMask %d 0 R", mask)
	}
	if err := p.layer(ctx, image, pic.colour, more); err != nil {
		return nil, err
	}
	width, height := pic.colour.width, pic.colour.height
	res := pic.resolution
	if pic.orientation >= 5 {
		width, height = height, width
		res.x, res.y = res.y, res.x
	}
	w, h, whole, tops := res.sheets(width, height)
	m := matrix(pic.orientation, w, whole)
	for _, top := range tops {
		up := m[5] + h - whole + top // so that the part from top downwards is on the page
		content := fmt.Sprintf("q %s %s %s %s %s %s cm /I Do Q", number(m[0]), number(m[1]), number(m[2]), number(m[3]), number(m[4]), number(up))
		page, body := p.reserve(), p.reserve()
		p.object(body, "<</Length %d>>\nstream\n%s\nendstream", len(content), content)
		p.object(page, "<</Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources <</XObject <</I %d 0 R>>>>>>",
			tree, number(w), number(h), body, image)
		pages = append(pages, page)
	}
	return pages, p.err
}

func (p *pdfWriter) layer(ctx context.Context, id int, l layer, more string) error {
	space := l.space
	if l.profile != nil {
		profile := p.reserve()
		space = fmt.Sprintf("[/ICCBased %d 0 R]", profile)
		err := p.deflate(profile, fmt.Sprintf("/N %d /Alternate %s", l.components, l.space), func(w io.Writer) error {
			_, err := w.Write(l.profile)
			return err
		})
		if err != nil {
			return err
		}
	}
	dict := fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent %d /ColorSpace %s%s%s",
		l.width, l.height, l.bits, space, l.more, more)
	fill := func(w io.Writer) error { return l.data(ctx, w) }
	if l.encoded {
		return p.stream(id, dict, fill)
	}
	return p.deflate(id, dict, fill)
}

// errAnimated refuses moving pictures: paper shows one of them, and nobody can tell which is meant.
var errAnimated = refuse.Feature("animated", errors.New("animated picture"))

// variant refuses pictures stored in a way of their format that is not supported.
func variant(cause error) error { return refuse.Feature("variant", cause) }

func damagedImage(cause error) error { return refuse.Damaged(cause) }
