package page

import (
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"paraph/app/markup"
	"paraph/app/words"
)

// pages holds the templates, one set per language, built on first use: most installations use two or
// three languages, and one that only serves the API none. A set takes 5 MB, which each garbage
// collection has to look through.
type pages struct {
	assets  *assets
	sources func() ([]source, error)
	more    template.FuncMap // functions of the packages that have pages

	mu   sync.Mutex
	sets map[*words.Language]*template.Template
}

// source is the source of one template.
type source struct{ name, text string }

// loadPages prepares to read all templates, on first use as well.
func loadPages(files fs.FS, a *assets, more template.FuncMap) *pages {
	sources := sync.OnceValues(func() ([]source, error) { return readTemplates(files) })
	return &pages{assets: a, more: more, sources: sources, sets: map[*words.Language]*template.Template{}}
}

// overridden lists the parts of the layout that a page may define.
var overridden = []string{"main", "header", "sheets"}

// readTemplates reads the components and the pages, each with a copy of the layout.
// They form one set, because a set per page would duplicate every component. The white space that
// makes them readable is removed.
func readTemplates(from fs.FS) ([]source, error) {
	layout, err := readTemplate(from, "templates/layout.html")
	if err != nil {
		return nil, err
	}
	var all []source
	for _, folder := range []string{"parts", "pages"} {
		files, err := fs.Glob(from, "templates/"+folder+"/*.html")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := readTemplate(from, file)
			if err != nil {
				return nil, err
			}
			name := strings.TrimSuffix(path.Base(file), ".html")
			if folder == "pages" {
				own := layout
				for _, part := range overridden {
					define := `{{define "` + part + `"}}`
					if strings.Contains(text, define) {
						text = strings.ReplaceAll(text, define, `{{define "`+name+"/"+part+`"}}`)
						own = strings.ReplaceAll(own, `{{template "`+part+`" .}}`, `{{template "`+name+"/"+part+`" .}}`)
					}
				}
				all = append(all, source{"page/" + name, own})
			}
			all = append(all, source{file, text})
		}
	}
	return all, nil
}

func readTemplate(from fs.FS, file string) (string, error) {
	raw, err := fs.ReadFile(from, file)
	if err != nil {
		return "", err
	}
	text, err := markup.Squeeze(string(raw))
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return text, nil
}

// in returns the templates of a language.
func (p *pages) in(l *words.Language) (*template.Template, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if set := p.sets[l]; set != nil {
		return set, nil
	}
	sources, err := p.sources()
	if err != nil {
		return nil, err
	}
	set := template.New("").Funcs(functions(l, p.assets)).Funcs(p.more).Option("missingkey=error")
	for _, s := range sources {
		if _, err := set.New(s.name).Parse(s.text); err != nil {
			return nil, err
		}
	}
	p.sets[l] = set
	return set, nil
}

// functions returns the template functions for a language.
func functions(l *words.Language, a *assets) template.FuncMap {
	f := template.FuncMap{
		"t": l.Text, "words": l.JSON, "asset": a.address, "icon": icon, "avatar": avatar, "drawing": drawing, "bytes": FormatBytes,
		"day":  func(t time.Time) string { return l.Date(t) },
		"when": func(p Framed, t time.Time) template.HTML { return when(l, t.In(p.Frame().zone())) },
		"ago":  func(p Framed, t time.Time) template.HTML { return ago(l, t.In(p.Frame().zone()), p.Frame().now) },
		"join": strings.Join, "list": func(s ...string) []string { return s },
		"fieldid": idOf, "letter": LetterOf, "hue": HueOf,
		"status": func(s string) (Chip, error) { return StatusChip(l, s) }, "telephone": telephone,
		"add":        func(a, b int) int { return a + b },
		"zones":      zones,
		"keys":       l.Keys,
		"paragraphs": func(s string) []string { return strings.Split(s, "\n\n") },
	}
	for name, fn := range components {
		f[name] = fn
	}
	return f
}

// FormatBytes formats a size in decimal units, as in the configuration: 500 MB
// are 500,000,000 bytes.
func FormatBytes(n int64) string {
	switch {
	case n >= 1e6:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e6), ".0") + " MB"
	case n >= 1e3:
		return fmt.Sprintf("%d KB", (n+999)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// telephone returns a tel: address (RFC 3966).
func telephone(number string) template.URL {
	return template.URL("tel:" + strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c == '+' {
			return c
		}
		return -1
	}, number))
}
