package apidoc

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// call is one request of the samples. Names in braces are placeholders, which
// every language reads from the environment.
type call struct {
	method, url string // url without the base
	bearer      string // name of the token, "" for none
	body        value
	hasBody     bool
	file        bool   // sends contract.pdf
	form        string // JSON sent with it
	raw         string // media type of the file that is the body, "" for none
	save        string // name of the file that the response is stored in, "" prints it
}

// saved names the files in which non-JSON responses are stored.
var saved = map[string]string{"application/pdf": "lease.pdf", "image/png": "page.png", "application/x-pem-file": "root.pem", "application/octet-stream": "upload.pdf", "text/csv": "contacts.csv"}

// csvFile is the file sent as a request body.
const csvFile = "contacts.csv"

func newCall(v *operationView, op apiOperation) (c call, err error) {
	c = call{method: v.Method, url: strings.NewReplacer("{token}", "{token_id}", "{page}", "1").Replace(v.Path), save: saved[v.Gives]}
	switch {
	case v.Bearer != "":
		c.bearer = v.Bearer
	case !v.Public:
		c.bearer = "token"
	}
	var query []string
	for _, p := range op.Parameters {
		if p.Example != nil {
			s := fmt.Sprint(p.Example)
			if !named.MatchString(s) {
				s = strings.ReplaceAll(url.QueryEscape(s), "%2C", ",")
			}
			query = append(query, p.Name+"="+s)
		}
	}
	if len(query) > 0 {
		c.url += "?" + strings.Join(query, "&")
	}
	if op.RequestBody == nil {
		return c, nil
	}
	if form, ok := op.RequestBody.Content["multipart/form-data"]; ok {
		c.file = true
		var parts struct{ Data string }
		err = json.Unmarshal(form.Example, &parts)
		c.form = parts.Data
		return c, err
	}
	if c.raw = v.Takes; c.raw != "" {
		return c, nil
	}
	if raw := op.RequestBody.Content["application/json"].Example; len(raw) > 2 {
		c.hasBody = true
		c.body, err = parseValue(raw)
	}
	return c, err
}

// named matches a placeholder.
var named = regexp.MustCompile(`\{[a-z_]+\}`)

// fill splits a text with placeholders, passing literal parts through plain and
// names through name.
func fill(s string, plain, name func(string) string) []string {
	var out []string
	for {
		at := named.FindStringIndex(s)
		if at == nil {
			break
		}
		if at[0] > 0 {
			out = append(out, plain(s[:at[0]]))
		}
		out = append(out, name(s[at[0]+1:at[1]-1]))
		s = s[at[1]:]
	}
	if s != "" {
		out = append(out, plain(s))
	}
	return out
}

func same(s string) string { return s }

// sampleLanguages are the languages of the samples by their name in addresses.
var sampleLanguages = []sampleLanguage{
	{"curl", "curl", call.curl}, {"go", "Go", call.golang}, {"python", "Python", call.python}, {"javascript", "JavaScript", call.javascript}, {"php", "PHP", call.php},
}

type sampleLanguage struct {
	ID, Name string
	write    func(c call, base string) string
}

func languageOf(id string) sampleLanguage {
	if i := slices.IndexFunc(sampleLanguages, func(l sampleLanguage) bool { return l.ID == id }); i >= 0 {
		return sampleLanguages[i]
	}
	return sampleLanguages[0]
}

// curl quotes literals with single quotes and uses a here-document for a body with
// variables.
func (c call) curl(base string) string {
	variable := func(s string) string { return "$" + strings.ToUpper(s) }
	lines := []string{"curl"}
	if c.method != "GET" && !(c.method == "POST" && (c.hasBody || c.file || c.raw != "")) {
		lines[0] += " -X " + c.method
	}
	lines[0] += ` "` + base + strings.Join(fill(c.url, same, variable), "") + `"`
	if c.bearer != "" {
		lines = append(lines, `-H "Authorization: Bearer `+variable(c.bearer)+`"`)
	}
	if c.save != "" {
		lines = append(lines, "-o "+c.save)
	}
	if c.form != "" {
		lines = append(lines, "-F 'data="+single(c.form)+"'")
	}
	if c.file {
		lines = append(lines, "-F file=@contract.pdf")
	}
	if c.raw != "" {
		lines = append(lines, `-H "Content-Type: `+c.raw+`"`, "--data-binary @"+csvFile)
	}
	document := ""
	if c.hasBody {
		lines = append(lines, `-H "Content-Type: application/json"`)
		body := asJSON.write(c.body, "")
		if named.MatchString(body) {
			document = "\n" + strings.Join(fill(body, same, variable), "") + "\nEND"
			lines = append(lines, "-d @- <<END")
		} else {
			lines = append(lines, "-d '"+single(body)+"'")
		}
	}
	return strings.Join(lines, " \\\n    ") + document
}

// single escapes a text for single quotes in a shell.
func single(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }

// sum joins string parts with a language's concatenation operator.
func sum(parts []string, operator string) string {
	if len(parts) == 0 {
		return `""`
	}
	return strings.Join(parts, operator)
}
