package apidoc

import (
	"slices"
	"strconv"
	"strings"
)

// program is a Go sample under construction.
type program struct {
	imports, lines []string
	body, kind     string // expressions: of the body, and of its media type
}

func goVariable(s string) string { return `os.Getenv("` + strings.ToUpper(s) + `")` }

func goRaw(s string) string { return "`" + s + "`" }

func (c call) golang(base string) string {
	p := c.goBody()
	url := sum(fill(base+c.url, strconv.Quote, goVariable), "+")
	p.add(`req, err := http.NewRequest("`+c.method+`", `+url+", "+p.body+")", fatal)
	if c.bearer != "" {
		p.add(`req.Header.Set("Authorization", "Bearer "+` + goVariable(c.bearer) + `)`)
	}
	if p.kind != "" {
		p.add(`req.Header.Set("Content-Type", ` + p.kind + `)`)
	}
	p.add("res, err := http.DefaultClient.Do(req)", fatal, "defer res.Body.Close()", "answer, err := io.ReadAll(res.Body)", fatal,
		"if res.StatusCode >= 300 {", "\tlog.Fatalf(\"%s: %s\", res.Status, answer)", "}")
	if c.save != "" {
		p.try(`os.WriteFile("` + c.save + `", answer, 0o600)`)
	} else {
		p.add(`log.Printf("%s: %s", res.Status, answer)`)
	}
	return p.text()
}

// goBody starts a program with the code that builds the body.
func (c call) goBody() *program {
	p := &program{body: "nil"}
	switch {
	case c.file:
		p.imports = []string{"bytes", "mime/multipart"}
		p.body, p.kind = "&body", "form.FormDataContentType()"
		p.add("var body bytes.Buffer", "form := multipart.NewWriter(&body)")
		if c.form != "" {
			p.try(`form.WriteField("data", ` + goRaw(c.form) + ")")
		}
		p.add(`content, err := os.ReadFile("contract.pdf")`, fatal, `part, err := form.CreateFormFile("file", "contract.pdf")`, fatal)
		p.add("if _, err := part.Write(content); err != nil {", "\tlog.Fatal(err)", "}")
		p.try("form.Close()")
	case c.raw != "":
		p.body, p.kind = "body", strconv.Quote(c.raw)
		p.add(`body, err := os.Open("`+csvFile+`")`, fatal, "defer body.Close()")
	case c.hasBody:
		p.imports = []string{"strings"}
		p.body, p.kind = "body", `"application/json"`
		p.add("body := strings.NewReader(" + sum(fill(asJSON.write(c.body, "\t"), goRaw, goVariable), " + ") + ")")
	}
	return p
}

func (p *program) add(lines ...string) { p.lines = append(p.lines, lines...) }

// try adds a call that returns only an error.
func (p *program) try(call string) {
	p.add("if err := "+call+"; err != nil {", "\tlog.Fatal(err)", "}")
}

func (p *program) text() string {
	text := strings.Join(p.lines, "\n")
	imports := append(p.imports, "io", "log", "net/http")
	if strings.Contains(text, "os.") {
		imports = append(imports, "os")
	}
	slices.Sort(imports)
	return "package main\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n\nfunc main() {\n\t" + strings.ReplaceAll(text, "\n", "\n\t") + "\n}"
}

const fatal = "if err != nil {\n\tlog.Fatal(err)\n}"

// expression writes a text with placeholders in a language with string
// interpolation.
func expression(s, open, end string, variable, inside func(string) string) string {
	switch {
	case !named.MatchString(s):
		return strconv.Quote(s)
	case named.FindString(s) == s:
		return variable(s[1 : len(s)-1])
	}
	return open + strings.Join(fill(s, same, inside), "") + end
}

func (c call) python(base string) string {
	text := func(s string) string {
		return expression(s, `f"`, `"`, func(s string) string { return `env["` + strings.ToUpper(s) + `"]` },
			func(s string) string { return "{env['" + strings.ToUpper(s) + "']}" })
	}
	write := notation{open: "{", close: "}", colon: ": ", words: map[string]string{"true": "True", "false": "False", "null": "None"}, text: text, emptyObject: "{}"}
	lines := []string{text(base + c.url)}
	var headers []string
	if c.bearer != "" {
		headers = append(headers, `"Authorization": `+text("Bearer {"+c.bearer+"}"))
	}
	if c.raw != "" {
		headers = append(headers, `"Content-Type": "`+c.raw+`"`)
	}
	if len(headers) > 0 {
		lines = append(lines, "headers={"+strings.Join(headers, ", ")+"}")
	}
	if c.raw != "" {
		lines = append(lines, `data=open("`+csvFile+`", "rb")`)
	}
	if c.form != "" {
		lines = append(lines, `data={"data": '`+single(c.form)+`'}`)
	}
	if c.file {
		lines = append(lines, `files={"file": open("contract.pdf", "rb")}`)
	}
	if c.hasBody {
		lines = append(lines, "json="+write.write(c.body, "    "))
	}
	out := "res = requests." + strings.ToLower(c.method) + "(\n    " + strings.Join(lines, ",\n    ") + ",\n)\nres.raise_for_status()\n"
	if c.save != "" {
		out += `open("` + c.save + `", "wb").write(res.content)`
	} else {
		out += "print(res.text)"
	}
	if strings.Contains(out, "env[") {
		return "from os import environ as env\n\nimport requests\n\n" + out
	}
	return "import requests\n\n" + out
}

func (c call) javascript(base string) string {
	text := func(s string) string {
		return expression(s, "`", "`", func(s string) string { return "env." + strings.ToUpper(s) },
			func(s string) string { return "${env." + strings.ToUpper(s) + "}" })
	}
	write := notation{open: "{ ", close: " }", colon: ": ", text: text, emptyObject: "{}"}
	var imports, before, options, headers []string
	if c.method != "GET" {
		options = append(options, `method: "`+c.method+`"`)
	}
	if c.bearer != "" {
		headers = append(headers, `"Authorization": `+text("Bearer {"+c.bearer+"}"))
	}
	if c.file {
		imports = append(imports, `import { openAsBlob } from "node:fs";`)
		before = append(before, "const form = new FormData();")
		if c.form != "" {
			before = append(before, "form.set(\"data\", '"+strings.ReplaceAll(c.form, "'", `\'`)+"');")
		}
		before = append(before, `form.set("file", await openAsBlob("contract.pdf"), "contract.pdf");`)
		options = append(options, "body: form")
	}
	if c.raw != "" {
		headers = append(headers, `"Content-Type": "`+c.raw+`"`)
		imports = append(imports, `import { readFile } from "node:fs/promises";`)
		options = append(options, `body: await readFile("`+csvFile+`")`)
	}
	if c.hasBody {
		headers = append(headers, `"Content-Type": "application/json"`)
		options = append(options, "body: JSON.stringify("+write.write(c.body, "    ")+")")
	}
	if len(headers) > 0 {
		options = append(options, "headers: { "+strings.Join(headers, ", ")+" }")
	}
	end := ""
	if len(options) > 0 {
		end = ", {\n    " + strings.Join(options, ",\n    ") + ",\n}"
	}
	lines := append(before, "const res = await fetch("+text(base+c.url)+end+");", "if (!res.ok) throw new Error(await res.text());")
	if c.save != "" {
		imports = append(imports, `import { writeFile } from "node:fs/promises";`)
		lines = append(lines, `await writeFile("`+c.save+`", Buffer.from(await res.arrayBuffer()));`)
	} else {
		lines = append(lines, "console.log(await res.text());")
	}
	out := strings.Join(lines, "\n")
	if strings.Contains(out, "env.") {
		imports = append(imports, `import { env } from "node:process";`)
	}
	if len(imports) > 0 {
		return strings.Join(imports, "\n") + "\n\n" + out
	}
	return out
}

func (c call) php(base string) string {
	variable := func(s string) string { return `getenv("` + strings.ToUpper(s) + `")` }
	// A dollar would name a variable inside double quotes.
	plain := func(s string) string { return strings.ReplaceAll(strconv.Quote(s), "$", `\$`) }
	text := func(s string) string { return sum(fill(s, plain, variable), " . ") }
	write := notation{open: "[", close: "]", colon: " => ", text: text, emptyObject: "(object) []"}
	options := []string{`CURLOPT_CUSTOMREQUEST => "` + c.method + `"`}
	var headers []string
	if c.bearer != "" {
		headers = append(headers, text("Authorization: Bearer {"+c.bearer+"}"))
	}
	if c.file {
		form := `"file" => new CURLFile("contract.pdf", "application/pdf")`
		if c.form != "" {
			form = `"data" => '` + strings.ReplaceAll(c.form, "'", `\'`) + "',\n        " + form
		}
		options = append(options, "CURLOPT_POSTFIELDS => [\n        "+form+",\n    ]")
	}
	if c.raw != "" {
		headers = append(headers, `"Content-Type: `+c.raw+`"`)
		options = append(options, `CURLOPT_POSTFIELDS => file_get_contents("`+csvFile+`")`)
	}
	if c.hasBody {
		headers = append(headers, `"Content-Type: application/json"`)
		options = append(options, "CURLOPT_POSTFIELDS => json_encode("+write.write(c.body, "    ")+")")
	}
	if len(headers) > 0 {
		options = append(options, "CURLOPT_HTTPHEADER => ["+strings.Join(headers, ", ")+"]")
	}
	options = append(options, "CURLOPT_FAILONERROR => true", "CURLOPT_RETURNTRANSFER => true")
	out := "<?php\n$curl = curl_init(" + text(base+c.url) + ");\ncurl_setopt_array($curl, [\n    " + strings.Join(options, ",\n    ") + ",\n]);\n" +
		"$answer = curl_exec($curl);\nif ($answer === false) {\n    throw new RuntimeException(curl_error($curl));\n}\n"
	if c.save != "" {
		return out + `file_put_contents("` + c.save + `", $answer);`
	}
	return out + "echo $answer;"
}
