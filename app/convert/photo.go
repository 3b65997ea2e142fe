package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"

	"paraph/app/convert/internal/refuse"
)

// Photo returns the picture in the size bytes of r ready to be drawn: upright, no longer than longest
// pixels, and without metadata. The result is a JPEG, or a PNG if anything beneath the picture can be
// seen through it. Photo accepts what [Image] does; of several pictures it takes the first.
//
// Memory use is bounded by limits, as every picture is decoded whole.
func Photo(ctx context.Context, r io.ReaderAt, size int64, longest int, limits ImageLimits) (out []byte, kind string, err error) {
	err = inTime(ctx, timeLimit, func(ctx context.Context) error {
		src := source{r: io.NewSectionReader(r, 0, size), size: size, limits: limits.withDefaults()}
		img, orientation, err := src.photo()
		if err != nil {
			return err
		}
		small, err := reduce(ctx, img, longest)
		if err != nil {
			return err
		}
		out, kind, err = encodePhoto(upright(small, orientation))
		return err
	})
	return out, kind, err
}

func encodePhoto(img *image.NRGBA) (out []byte, kind string, err error) {
	var b bytes.Buffer
	if img.Opaque() {
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 90})
		return b.Bytes(), "jpeg", err
	}
	err = png.Encode(&b, img)
	return b.Bytes(), "png", err
}

// photo decodes the first picture of a file and reads its EXIF orientation.
func (s source) photo() (img image.Image, orientation int, err error) {
	head := make([]byte, min(s.size, HeadSize))
	if _, err := s.r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	switch kind := Kind(head, ""); kind {
	case "jpeg":
		return s.photoJPEG()
	case "png":
		return s.photoPNG()
	case "gif":
		img, err = s.decodeGIF()
	case "webp":
		var around webpChunks
		img, around, err = s.decodeWebP()
		orientation = around.orientation
	case "bmp":
		img, err = s.decodeBMP()
	case "tiff":
		return s.photoTIFF()
	default:
		err = refuse.Unsupported(fmt.Errorf("picture of the kind %q", kind))
	}
	return img, orientation, err
}

func (s source) photoJPEG() (image.Image, int, error) {
	j := jpegFile{profile: map[int][]byte{}}
	if err := j.walk(s); err != nil {
		return nil, 0, err
	}
	img, err := s.decode(j.perPixel(), jpeg.DecodeConfig, jpeg.Decode)
	return img, j.orientation, err
}

func (s source) photoPNG() (image.Image, int, error) {
	f := &pngFile{r: s.r}
	if err := f.read(s.size); err != nil {
		return nil, 0, err
	}
	// Except for gray and palettes, the decoder makes four channels, and of an interlaced picture
	// it also holds one of the passes.
	perPixel := int64(4 * max(1, f.depth/8))
	if f.interlaced {
		perPixel *= 2
	}
	img, err := s.decode(perPixel, png.DecodeConfig, png.Decode)
	return img, f.orientation, err
}

func (s source) photoTIFF() (image.Image, int, error) {
	img, err := s.decodeTIFF()
	orientation, _ := exif(s.r)
	return img, orientation, err
}

// reduce returns a picture no longer than a number of pixels. Each pixel is the average of those that
// it replaces.
func reduce(ctx context.Context, img image.Image, longest int) (*image.NRGBA, error) {
	from := img.Bounds()
	width, height := from.Dx(), from.Dy()
	to := fit(width, height, longest)
	out := image.NewNRGBA(to)
	line := image.NewRGBA(image.Rect(0, 0, width, 1))
	sums := make([]sum, to.Dx())
	next := 0 // row of img
	for y := range to.Dy() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(sums)
		for ; next < (y+1)*height/to.Dy(); next++ {
			draw.Draw(line, line.Rect, img, image.Pt(from.Min.X, from.Min.Y+next), draw.Src)
			for x := range width {
				sums[x*to.Dx()/width].add(line.Pix[4*x:])
			}
		}
		for x := range sums {
			sums[x].write(out.Pix[out.PixOffset(x, y):])
		}
	}
	return out, nil
}

// fit returns the size of a picture that is at most longest pixels wide and high.
func fit(width, height, longest int) image.Rectangle {
	long := max(width, height)
	if long <= longest {
		return image.Rect(0, 0, width, height)
	}
	return image.Rect(0, 0, max(1, width*longest/long), max(1, height*longest/long))
}

// sum adds up the colours of pixels, each as much as it is opaque.
type sum struct{ r, g, b, a, n uint64 }

// add adds a pixel whose colours are multiplied by its opacity.
func (s *sum) add(rgba []byte) {
	s.r, s.g, s.b = s.r+uint64(rgba[0]), s.g+uint64(rgba[1]), s.b+uint64(rgba[2])
	s.a, s.n = s.a+uint64(rgba[3]), s.n+1
}

func (s *sum) write(nrgba []byte) {
	if s.a == 0 {
		clear(nrgba[:4])
		return
	}
	of := func(v uint64) byte { return byte(min((v*255+s.a/2)/s.a, 255)) }
	nrgba[0], nrgba[1], nrgba[2], nrgba[3] = of(s.r), of(s.g), of(s.b), byte((s.a+s.n/2)/s.n)
}

// upright turns a picture as its EXIF orientation says.
func upright(img *image.NRGBA, orientation int) *image.NRGBA {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	right, bottom := width-1, height-1
	from := map[int]func(x, y int) (int, int){
		2: func(x, y int) (int, int) { return right - x, y },
		3: func(x, y int) (int, int) { return right - x, bottom - y },
		4: func(x, y int) (int, int) { return x, bottom - y },
		5: func(x, y int) (int, int) { return y, x },
		6: func(x, y int) (int, int) { return y, bottom - x },
		7: func(x, y int) (int, int) { return right - y, bottom - x },
		8: func(x, y int) (int, int) { return right - y, x },
	}[orientation]
	if from == nil {
		return img
	}
	if orientation >= 5 {
		width, height = height, width
	}
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			out.SetNRGBA(x, y, img.NRGBAAt(from(x, y)))
		}
	}
	return out
}
