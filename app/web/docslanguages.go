package web

import (
	"strconv"
	"strings"
)

func (c call) golang(base string) string {
	variable := func(s string) string { return `os.Getenv("` + strings.ToUpper(s) + `")` }
	raw := func(s string) string { return "`" + s + "`" }
	imports := []string{"io", "log", "net/http", "os"}
	var before []string
	body, kind := "nil", ""
	switch {
	case c.file:
		imports = append([]string{"bytes"}, "io", "log", "mime/multipart", "net/http", "os")
		body, kind = "&body", "form.FormDataContentType()"
		before = append(before, "var body bytes.Buffer", "form := multipart.NewWriter(&body)")
		if c.form != "" {
			before = append(before, "if err := form.WriteField(\"data\", "+raw(c.form)+"); err != nil {", "\tlog.Fatal(err)", "}")
		}
		before = append(before, "content, err := os.ReadFile(\"contract.pdf\")", fatal, "part, err := form.CreateFormFile(\"file\", \"contract.pdf\")", fatal,
			"if _, err := part.Write(content); err != nil {", "\tlog.Fatal(err)", "}", "if err := form.Close(); err != nil {", "\tlog.Fatal(err)", "}")
	case c.hasBody:
		imports = append(imports, "strings")
		body, kind = "body", `"application/json"`
		before = append(before, "body := strings.NewReader("+sum(fill(asJSON.write(c.body, "\t"), raw, variable), " + ")+")")
	}
	url := sum(fill(base+c.url, strconv.Quote, variable), "+")
	lines := append(before, "req, err := http.NewRequest(\""+c.method+"\", "+url+", "+body+")", fatal)
	if c.bearer != "" {
		lines = append(lines, `req.Header.Set("Authorization", "Bearer "+`+variable(c.bearer)+`)`)
	}
	if kind != "" {
		lines = append(lines, `req.Header.Set("Content-Type", `+kind+`)`)
	}
	lines = append(lines, "res, err := http.DefaultClient.Do(req)", fatal, "defer res.Body.Close()", "answer, err := io.ReadAll(res.Body)", fatal,
		"if res.StatusCode >= 300 {", "\tlog.Fatalf(\"%s: %s\", res.Status, answer)", "}")
	if c.save != "" {
		lines = append(lines, `if err := os.WriteFile("`+c.save+`", answer, 0o600); err != nil {`, "\tlog.Fatal(err)", "}")
	} else {
		lines = append(lines, `log.Printf("%s: %s", res.Status, answer)`)
	}
	if !strings.Contains(strings.Join(lines, "\n"), "os.") {
		imports = without(imports, "os")
	}
	return "package main\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") + "\"\n)\n\nfunc main() {\n\t" + strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n\t") + "\n}"
}

const fatal = "if err != nil {\n\tlog.Fatal(err)\n}"

func without(all []string, one string) []string {
	var out []string
	for _, s := range all {
		if s != one {
			out = append(out, s)
		}
	}
	return out
}

func (c call) python(base string) string {
	variable := func(s string) string { return "{env['" + strings.ToUpper(s) + "']}" }
	text := func(s string) string {
		if !named.MatchString(s) {
			return strconv.Quote(s)
		}
		if name := strings.Trim(s, "{}"); named.FindString(s) == s {
			return `env["` + strings.ToUpper(name) + `"]`
		}
		return `f"` + strings.Join(fill(s, same, variable), "") + `"`
	}
	write := notation{open: "{", close: "}", colon: ": ", words: map[string]string{"true": "True", "false": "False", "null": "None"}, text: text, emptyObject: "{}"}
	lines := []string{text(base + c.url)}
	if c.bearer != "" {
		lines = append(lines, `headers={"Authorization": `+text("Bearer {"+c.bearer+"}")+`}`)
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
	variable := func(s string) string { return "${env." + strings.ToUpper(s) + "}" }
	text := func(s string) string {
		if !named.MatchString(s) {
			return strconv.Quote(s)
		}
		if name := strings.Trim(s, "{}"); named.FindString(s) == s {
			return "env." + strings.ToUpper(name)
		}
		return "`" + strings.Join(fill(s, same, variable), "") + "`"
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
