package reader

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"io"

	tiff "golang.org/x/image/tiff/lzw"

	"paraph/app/pdf/object"
)

// Decode returns the decoded data of a stream. It supports the filters used for
// structure and text; others result in an error.
func (f *File) Decode(s *Stream) ([]byte, error) {
	filters, params := f.filters(s.Dict)
	data, err := f.Raw(s)
	if err != nil {
		return nil, err
	}
	if len(filters) > 8 {
		return nil, Damaged("%d filters on one stream", len(filters))
	}
	for i, filter := range filters {
		if data, err = f.unfilter(filter, f.Dict(params[i]), data); err != nil {
			return nil, err
		}
		if f.inflated += int64(len(data)); f.inflated > f.Limits.InflateTotal {
			return nil, f.Over("more than %d bytes of decoded streams", f.Limits.InflateTotal)
		}
	}
	return data, nil
}

// filters returns the filters of a stream and their parameters.
func (f *File) filters(d object.Dict) (names []object.Name, params []any) {
	switch x := f.Resolve(d["Filter"]).(type) {
	case object.Name:
		names = []object.Name{x}
		params = []any{f.Resolve(d["DecodeParms"])}
		if a, ok := params[0].(object.Array); ok && len(a) > 0 {
			params[0] = a[0]
		}
	case object.Array:
		given := f.Array(d["DecodeParms"])
		for i, v := range x {
			names = append(names, f.Name(v))
			var p any
			if i < len(given) {
				p = given[i]
			} else if i == 0 {
				p = f.Dict(d["DecodeParms"])
			}
			params = append(params, p)
		}
	}
	return names, params
}

func (f *File) unfilter(filter object.Name, params object.Dict, data []byte) ([]byte, error) {
	switch filter {
	case "FlateDecode", "Fl":
		r, err := f.inflate(data)
		if err != nil {
			return nil, Damaged("deflate: %v", err)
		}
		return f.predicted(r, params)
	case "LZWDecode", "LZW":
		early, ok := f.Int(params["EarlyChange"])
		return f.predicted(lzwReader(data, !ok || early != 0), params)
	case "ASCIIHexDecode", "AHx":
		return hexDecode(data)
	case "ASCII85Decode", "A85":
		data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
		if end := bytes.IndexByte(data, '~'); end >= 0 {
			data = data[:end]
		}
		return f.bounded(ascii85.NewDecoder(bytes.NewReader(data)))
	}
	return nil, Damaged("filter %s", filter)
}

// inflate returns the one reader of the file, which holds 40 KB: a file may have
// thousands of small streams.
func (f *File) inflate(data []byte) (io.Reader, error) {
	r := bytes.NewReader(data)
	if f.inflater == nil {
		made, err := zlib.NewReader(r)
		if err != nil {
			return nil, err
		}
		f.inflater = made
		return made, nil
	}
	return f.inflater, f.inflater.(zlib.Resetter).Reset(r, nil)
}

func hexDecode(data []byte) ([]byte, error) {
	v, err := object.NewLexer(append(append([]byte{'<'}, data...), '>'), 0).Next()
	s, ok := v.(object.String)
	if err != nil || !ok {
		return nil, Damaged("ASCIIHex data")
	}
	return s, nil
}

// bounded reads all of r within the limits. Data before a break in the stream
// still counts, as it does in viewers.
func (f *File) bounded(r io.Reader) ([]byte, error) {
	limit := min(f.Limits.Inflate, f.Limits.InflateTotal-f.inflated)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(data)) > limit {
		return nil, f.Over("a stream decodes to more than %d bytes", limit)
	}
	if err != nil && len(data) == 0 {
		return nil, Damaged("stream data: %v", err)
	}
	return data, nil
}

func (f *File) predicted(r io.Reader, params object.Dict) ([]byte, error) {
	data, err := f.bounded(r)
	if err != nil {
		return nil, err
	}
	predictor := f.param(params, "Predictor", 1)
	if predictor <= 1 {
		return data, nil
	}
	colors, bits := f.param(params, "Colors", 1), f.param(params, "BitsPerComponent", 8)
	columns := f.param(params, "Columns", 1)
	if colors < 1 || colors > 32 || bits < 1 || bits > 16 || columns < 1 || columns > 1<<24 {
		return nil, Damaged("predictor parameters")
	}
	pixel := (colors*bits + 7) / 8
	row := (colors*bits*columns + 7) / 8
	if predictor >= 10 {
		return unPNG(data, row, pixel)
	}
	if predictor != 2 || bits != 8 {
		return nil, Damaged("predictor %d with %d bits", predictor, bits)
	}
	for start := 0; start < len(data); start += row {
		line := data[start:min(start+row, len(data))]
		for i := pixel; i < len(line); i++ {
			line[i] += line[i-pixel]
		}
	}
	return data, nil
}

func (f *File) param(d object.Dict, key object.Name, missing int) int {
	if n, ok := f.Int(d[key]); ok && n >= 0 && n < 1<<30 {
		return int(n)
	}
	return missing
}

// unPNG reverses the PNG predictors (PNG specification §9).
func unPNG(data []byte, row, pixel int) ([]byte, error) {
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 1 {
		kind := data[0]
		line := data[1:min(1+row, len(data))]
		data = data[1+len(line):]
		if kind > 4 {
			return nil, Damaged("PNG predictor %d", kind)
		}
		unPNGLine(kind, line, above, pixel)
		out = append(out, line...)
		above = out[len(out)-len(line):]
		if len(line) < row {
			break
		}
	}
	return out, nil
}

func unPNGLine(kind byte, line, above []byte, pixel int) {
	for i := range line {
		var left, corner byte
		if i >= pixel {
			left, corner = line[i-pixel], above[i-pixel]
		}
		switch kind {
		case 1:
			line[i] += left
		case 2:
			line[i] += above[i]
		case 3:
			line[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			line[i] += paeth(left, above[i], corner)
		}
	}
}

func paeth(left, above, corner byte) byte {
	p := int(left) + int(above) - int(corner)
	toLeft, toAbove, toCorner := abs(p-int(left)), abs(p-int(above)), abs(p-int(corner))
	switch {
	case toLeft <= toAbove && toLeft <= toCorner:
		return left
	case toAbove <= toCorner:
		return above
	}
	return corner
}

func abs(n int) int { return max(n, -n) }

// lzwReader decodes LZW with codes of 9 to 12 bits. By default PDF widens the
// codes one step early, like TIFF (ISO 32000-2 §7.4.4).
func lzwReader(data []byte, early bool) io.Reader {
	if early {
		return tiff.NewReader(bytes.NewReader(data), tiff.MSB, 8)
	}
	return lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8)
}
