package convert

import (
	"bufio"
	"bytes"
	"errors"
	"html"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"paraph/app/convert/docx"
	"paraph/app/convert/internal/refuse"
)

// relationTypes lists the parts of a DOCX that are shown without reaching out, by the last element of the
// type of their relationship. Others hold templates, further documents, programs, media and their sources.
var relationTypes = []string{
	"chart", "chartColorStyle", "chartStyle", "chartUserShapes", "comments", "commentsExtended", "commentsExtensible", "commentsIds",
	"core-properties", "custom-properties", "customXml", "customXmlProps", "diagramColors", "diagramData", "diagramDrawing",
	"diagramLayout", "diagramQuickStyle", "endnotes", "extended-properties", "font", "fontTable", "footer", "footnotes",
	"glossaryDocument", "header", "hyperlink", "image", "numbering", "officeDocument", "people", "settings", "styles",
	"stylesWithEffects", "theme", "themeOverride", "webSettings",
}

// pictures are the beginnings of the picture formats that can't refer to anything.
var pictures = []string{
	"\x89PNG", "\xff\xd8\xff", "GIF8", "BM", "II*\x00", "MM\x00*", "RIFF", "\xd7\xcd\xc6\x9a", "\x01\x00\x09\x00", "\x02\x00\x09\x00", "\x01\x00\x00\x00",
}

// drawing matches the start of an SVG, which may refer to any file, whatever the name of its part.
var drawing = regexp.MustCompile(`(?i)<([\w.-]+:)?svg[\s>/]|<!doctype`)

// drawn reports whether a part of a DOCX, which begins with start, is a drawing that may refer to anything.
// Programs store a picture of pixels beside each, which is shown instead.
func drawn(start []byte) bool { return drawing.Match(bytes.ReplaceAll(start, []byte{0}, nil)) }

// opaque reports whether a part is neither markup that is read through, nor a picture of pixels, nor a font:
// a further document or a program, which no page shows.
func opaque(name string, start []byte) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".xml", ".rels":
		return false
	case ".odttf":
		return bytes.HasPrefix(start, []byte("\x1f\x8b")) || bytes.HasPrefix(start, []byte("PK")) || bytes.HasPrefix(start, []byte("%"))
	}
	return !slices.ContainsFunc(pictures, func(p string) bool { return bytes.HasPrefix(start, []byte(p)) })
}

// reaching lists the elements that name something outside of the document, or a further document in it, by
// attributes that they lose. The relationships of those that a page would show are counted.
var reaching = map[string]bool{
	"altChunk": true, "subDoc": true, "OLEObject": true, "control": true, "externalData": true, "attachedTemplate": true,
	"svgBlip": true, "audioFile": true, "videoFile": true, "wavAudioFile": true, "quickTimeFile": true, "media": true,
	"sourceFileName": true, "dataSource": true, "headerSource": true, "src": true, "contentPart": true, "objectEmbed": true,
	"objectLink": true, "movie": true, "printerSettings": true, "webVideoPr": true, "saveThroughXslt": true, "query": true,
	"connectString": true, "linkedToFile": true,
}

// references lists the attributes that name a picture outside of the document.
var references = map[string]bool{"link": true, "src": true, "althref": true, "href": true, "pict": true}

// links lists the elements whose references are shown as links, and fetched by nobody.
var links = map[string]bool{"hyperlink": true, "shape": true, "rect": true, "oval": true, "group": true, "line": true, "polyline": true, "roundrect": true, "arc": true, "curve": true}

// fetching lists the fields whose result comes from outside of the document.
var fetching = []string{"INCLUDEPICTURE", "INCLUDETEXT", "INCLUDE", "IMPORT", "DDE", "DDEAUTO", "LINK", "DATABASE", "RD"}

// frozen lists further fields that show the result that their author saved: those that would show the day of
// the conversion or the name of the copy that is converted, those of programs that aren't here, and those that
// LibreOffice shows as nothing, as an error or as what it counts itself.
var frozen = []string{
	"DATE", "TIME", "FILENAME", "EMBED", "AUTOTEXT", "AUTOTEXTLIST", "GLOSSARY", "PRIVATE", "ADDIN", "CONTROL", "HTMLCONTROL",
	"IF", "COMPARE", "REF", "TEMPLATE", "EDITTIME", "REVNUM", "NUMWORDS", "NUMCHARS", "FILESIZE", "SAVEDATE", "CREATEDATE", "PRINTDATE",
	"TITLE", "SUBJECT", "AUTHOR", "KEYWORDS", "COMMENTS", "LASTSAVEDBY", "DOCPROPERTY", "DOCVARIABLE", "INFO",
}

// fetches reports whether the instruction of a field makes it fetch its result.
func fetches(instruction string) bool { return names(instruction, fetching) }

// changes reports whether a field would show anything but the result that is stored with it.
func changes(instruction string) bool { return fetches(instruction) || names(instruction, frozen) }

func names(instruction string, fields []string) bool {
	word := strings.Fields(strings.ReplaceAll(instruction, `"`, " "))
	return len(word) > 0 && slices.Contains(fields, strings.ToUpper(word[0]))
}

// Limits of the markup of a part.
const (
	maxTag   = 1 << 20 // bytes of a tag
	maxField = 8 << 20 // bytes of markup between the start of a field and the end of its instruction
)

// scrubber copies the markup of a part without what reaches out of the document.
type scrubber struct {
	from    *bufio.Reader
	to      io.Writer
	held    bytes.Buffer // while the instruction of a field is read
	open    []*fieldCode
	inside  bool // of an instruction's text
	written bool // within a text that pages show
	name    string
	changed Changed

	disguised bool // the prefix w stands for what no program uses it for
}

// fieldCode is the instruction of a field. Runs may divide it anywhere.
type fieldCode struct {
	text   strings.Builder
	places [][2]int // in what is held
	done   bool     // all of it was read
	result bool     // what comes is its result
	shown  bool     // which has a text
	named  bool     // it shows the name of the file
	dated  bool     // it shows a day that was saved with it
}

// is notes what kind of field it is.
func (f *fieldCode) is(instruction, name string) {
	f.named = name != "" && names(instruction, []string{"FILENAME"})
	f.dated = names(instruction, docx.Days)
}

var errMarkup = errors.New("part of the DOCX is not well-formed")

// scrub copies markup of a file with a name, and returns how it was changed.
func scrub(to io.Writer, from io.Reader, name string) (changed Changed, err error) {
	s := &scrubber{from: bufio.NewReaderSize(from, 64<<10), to: to, name: name}
	if start, _ := s.from.Peek(2); len(start) == 2 && (start[0] >= 0xfe || start[0] == 0 || start[1] == 0) {
		return changed, refuse.Damaged(errMarkup) // Of all encodings, programs write only UTF-8.
	}
	for {
		text, err := s.until('<')
		if writing := s.text(text); writing != nil {
			return s.changed, writing
		}
		if err == io.EOF {
			return s.changed, s.flush(true)
		}
		if err != nil {
			return s.changed, err
		}
		tag, err := s.tag()
		if err == io.EOF {
			err = refuse.Damaged(errMarkup)
		}
		if err != nil {
			return s.changed, err
		}
		if err := s.markup(tag); err != nil {
			return s.changed, err
		}
	}
}

// until reads up to a byte, which is left.
func (s *scrubber) until(end byte) ([]byte, error) {
	var out []byte
	for {
		part, err := s.from.ReadSlice(end)
		out = append(out, part...)
		switch {
		case err == bufio.ErrBufferFull && s.held.Len() == 0 && !s.inside:
			if err := s.text(out); err != nil {
				return nil, err
			}
			out = out[:0]
		case err == bufio.ErrBufferFull:
		case err != nil:
			return out, err
		default:
			return out[:len(out)-1], s.from.UnreadByte()
		}
		if len(out) > maxField {
			return nil, refuse.Damaged(errMarkup)
		}
	}
}

// tag reads a tag, a comment or another piece of markup.
func (s *scrubber) tag() ([]byte, error) {
	var out []byte
	var quote byte
	for {
		b, err := s.from.ReadByte()
		if err != nil {
			return nil, err
		}
		if out = append(out, b); len(out) > maxTag {
			return nil, refuse.Damaged(errMarkup)
		}
		special := len(out) > 1 && (out[1] == '!' || out[1] == '?')
		switch {
		case !special && quote != 0:
			if b == quote {
				quote = 0
			}
		case !special && (b == '"' || b == '\''):
			quote = b
		case b == '>' && ended(out):
			return out, nil
		}
	}
}

func ended(tag []byte) bool {
	switch {
	case bytes.HasPrefix(tag, []byte("<!--")):
		return len(tag) >= 7 && bytes.HasSuffix(tag, []byte("-->"))
	case bytes.HasPrefix(tag, []byte("<![CDATA[")):
		return bytes.HasSuffix(tag, []byte("]]>"))
	case bytes.HasPrefix(tag, []byte("<?")):
		return bytes.HasSuffix(tag, []byte("?>"))
	}
	return true
}

// encodings are those in which markup is as readable as in ASCII.
var encodings = regexp.MustCompile(`(?i)encoding\s*=\s*["'](utf-8|us-ascii|iso-8859-\d+|windows-125\d)["']`)

func (s *scrubber) markup(tag []byte) error {
	switch {
	case tag[1] == '?' && bytes.Contains(tag, []byte("encoding")) && !encodings.Match(tag):
		return refuse.Damaged(errMarkup)
	case bytes.HasPrefix(tag, []byte("<!--")):
		return nil
	case bytes.HasPrefix(tag, []byte("<![CDATA[")):
		return s.text(tag)
	case tag[1] == '!': // A document type, which no DOCX has, may include files.
		return refuse.Damaged(errMarkup)
	case tag[1] == '?' && !bytes.HasPrefix(tag, []byte("<?xml ")):
		return nil // Instructions to programs may name style sheets.
	case tag[1] == '?':
		return s.write(tag)
	}
	name, own := local(tag), tag[1] != '/'
	if name == "instrText" {
		s.inside = own && !bytes.HasSuffix(tag, []byte("/>"))
		return s.write(tag)
	}
	if name == "t" {
		s.written = own && !bytes.HasSuffix(tag, []byte("/>"))
	}
	if name == "fldSimple" {
		return s.simple(tag, own)
	}
	if !own {
		return s.write(tag)
	}
	if tag = s.scrubbed(name, tag); s.disguised {
		return refuse.Damaged(errMarkup)
	}
	if name != "fldChar" {
		return s.write(tag)
	}
	return s.fieldMark(tag)
}

// simple follows a field that is one element around its result.
func (s *scrubber) simple(tag []byte, own bool) error {
	prefix, _, _ := strings.Cut(strings.TrimLeft(string(tag), "</"), ":")
	empty := bytes.HasSuffix(tag, []byte("/>"))
	if own {
		f := &fieldCode{done: true, result: true}
		if m := instructionOf.FindSubmatch(tag); m != nil {
			f.is(unescape(string(m[1][1:len(m[1])-1])), s.name)
		}
		if tag = s.scrubbed("fldSimple", tag); s.disguised {
			return refuse.Damaged(errMarkup)
		}
		if s.open = append(s.open, f); !empty {
			return s.write(tag)
		}
	}
	var f *fieldCode
	if n := len(s.open); n > 0 {
		f, s.open = s.open[n-1], s.open[:n-1]
	}
	switch {
	case f != nil && f.named && !f.shown:
		run := "<" + prefix + ":r>" + s.nameElement(prefix) + "</" + prefix + ":r>"
		if empty {
			return s.write([]byte(run))
		}
		return s.write(append([]byte(run), tag...))
	case f != nil && f.dated && !f.shown:
		s.changed.Undated++
	}
	return s.write(tag)
}

var instructionOf = regexp.MustCompile(`\sw:instr\s*=\s*("[^"]*"|'[^']*')`)

// nameElement returns the text of the file's name as markup.
func (s *scrubber) nameElement(prefix string) string {
	return "<" + prefix + `:t xml:space="preserve">` + html.EscapeString(s.name) + "</" + prefix + ":t>"
}

// fieldMark follows the marks between which the instruction of a field is.
func (s *scrubber) fieldMark(tag []byte) error {
	kind := ""
	if m := kindOfMark.FindSubmatch(tag); m != nil {
		kind = string(m[1])
	}
	switch kind {
	case "begin":
		if err := s.write(tag); err != nil {
			return err
		}
		s.open = append(s.open, new(fieldCode))
		return nil
	case "separate", "end":
		if n := len(s.open); n > 0 {
			f := s.open[n-1]
			s.decide(f)
			f.result = true
			if kind == "end" {
				s.open = s.open[:n-1]
				switch {
				case f.shown:
				case f.named:
					prefix, _, _ := strings.Cut(string(tag[1:]), ":")
					tag = append(tag, s.nameElement(prefix)...)
				case f.dated:
					s.changed.Undated++
				}
			}
		}
	}
	if err := s.write(tag); err != nil {
		return err
	}
	return s.flush(false)
}

var kindOfMark = regexp.MustCompile(`fldCharType\s*=\s*["'](\w+)["']`)

// decide blanks the instruction of a field that would show something else. Its last result stays.
func (s *scrubber) decide(f *fieldCode) {
	if code := unescape(f.text.String()); !f.done && changes(code) {
		if fetches(code) {
			s.changed.Removed++
		}
		held := s.held.Bytes()
		for _, p := range f.places {
			for i := p[0]; i < p[1]; i++ {
				held[i] = ' '
			}
		}
	}
	if !f.done {
		f.is(unescape(f.text.String()), s.name)
	}
	f.done = true
}

var sections = strings.NewReplacer("<![CDATA[", "", "]]>", "")

// unescape returns the text that markup stands for.
func unescape(s string) string { return html.UnescapeString(sections.Replace(s)) }

// text writes text, and remembers that of an instruction.
func (s *scrubber) text(b []byte) error {
	n := len(s.open)
	if s.inside && n > 0 && !s.open[n-1].done && len(b) > 0 {
		f := s.open[n-1]
		f.text.Write(b)
		f.places = append(f.places, [2]int{s.held.Len(), s.held.Len() + len(b)})
	} else if s.written && len(b) > 0 {
		b = s.result(b)
	} else if s.inside && fetches(unescape(string(b))) {
		s.changed.Removed++
		return nil
	}
	return s.write(b)
}

// result returns a text as it is shown, which is the file's name in a field of that.
func (s *scrubber) result(b []byte) []byte {
	named, before := false, false
	for _, f := range s.open {
		if f.result {
			named, before = named || f.named, before || f.named && f.shown
			f.shown = true
		}
	}
	switch {
	case !named:
		return b
	case before:
		return nil
	}
	return []byte(html.EscapeString(s.name))
}

func (s *scrubber) holding() bool {
	return slices.ContainsFunc(s.open, func(f *fieldCode) bool { return !f.done })
}

func (s *scrubber) write(b []byte) error {
	if !s.holding() {
		_, held := s.held.WriteTo(s.to)
		_, err := s.to.Write(b)
		return errors.Join(held, err)
	}
	if s.held.Len()+len(b) > maxField {
		return refuse.Damaged(errMarkup)
	}
	s.held.Write(b)
	return nil
}

// flush writes what was held, once no instruction is being read or at the end.
func (s *scrubber) flush(end bool) error {
	if end {
		for i := range s.open {
			s.decide(s.open[i])
		}
	}
	if s.holding() {
		return nil
	}
	_, err := s.held.WriteTo(s.to)
	return err
}

// local returns the name of an element without its prefix.
func local(tag []byte) string {
	name := strings.TrimLeft(string(tag[:min(len(tag), 200)]), "</")
	if i := strings.IndexAny(name, " \t\r\n/>"); i >= 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, ':')+1:]
}

var attribute = regexp.MustCompile(`\s+([^\s=]+)\s*=\s*("[^"]*"|'[^']*')`)

// scrubbed returns the tag of an element without the attributes that reach out.
func (s *scrubber) scrubbed(name string, tag []byte) []byte {
	return attribute.ReplaceAllFunc(tag, func(all []byte) []byte {
		m := attribute.FindSubmatch(all)
		key, value := string(m[1]), unescape(string(m[2][1:len(m[2])-1]))
		if key == "xmlns" || strings.HasPrefix(key, "xmlns:") {
			s.disguised = s.disguised || key == "xmlns:w" && !strings.Contains(value, "wordprocessingml")
			return all
		}
		prefix, short, prefixed := strings.Cut(key, ":")
		if !prefixed {
			prefix, short = "", key
		}
		drop, counts := false, true
		switch {
		case reaching[name]:
			drop, counts = true, false
		case short == "instr":
			drop, counts = changes(value), fetches(value)
		case references[short] && !links[name]:
			drop = prefix != "w" // where these are numbers and names of styles
		}
		if !drop {
			return all
		}
		if counts {
			s.changed.Removed++
		}
		return nil
	})
}
