package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"paraph/app/client"
	"paraph/app/input"
)

// Client returns the commands for people and scripts that use an installation, wherever it runs.
func Client() []*cobra.Command {
	return []*cobra.Command{login(), send(), list(), get(), download(), remind(), void(), templates(), bulk()}
}

// using runs a command with the client of the last login.
func using(do func(c *cobra.Command, server *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		server, err := client.Load()
		if err != nil {
			return err
		}
		return do(c, server, args)
	}
}

func login() *cobra.Command {
	var email, company, code, token string
	c := &cobra.Command{Use: "login URL", Short: "Log in to an installation, for send, list and the other commands that use it",
		Long: `Log in to an installation, for send, list and the other commands that use it. The
password is read from PARAPH_PASSWORD, or else from the first line of the
standard input. With --token nobody logs in: the token is kept. Without a login,
the commands use PARAPH_URL and PARAPH_TOKEN.`,
		Example: "  paraph login https://sign.example.org --email ada@example.org\n  paraph login https://sign.example.org --token \"$TOKEN\"", Args: Args(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			server := &client.Client{URL: strings.TrimSuffix(args[0], "/"), Token: token}
			u, err := url.Parse(server.URL)
			if err != nil || u.Host == "" {
				return UsageError{fmt.Errorf("%q is no address such as https://sign.example.org", args[0])}
			}
			if ip, err := netip.ParseAddr(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
				fmt.Fprintln(c.ErrOrStderr(), "Warning: anybody on the way reads the password, the token and the documents that go to an http address.")
			}
			if token == "" {
				if email == "" {
					return UsageError{errors.New("give --email or --token")}
				}
				if err := logIn(c, server, email, company, code); err != nil {
					return err
				}
			}
			var me struct{ Name, Email string }
			if err := server.Do(c.Context(), http.MethodGet, "/me", nil, &me); err != nil {
				return err
			}
			if err := server.Save(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "Logged in to %s as %s.\n", server.URL, cmp.Or(me.Email, me.Name))
			return err
		}}
	c.Flags().StringVar(&email, "email", "", "e-mail address of the account")
	c.Flags().StringVar(&company, "company", "", "ID or name of the company, if the account has several")
	c.Flags().StringVar(&code, "code", "", "code of the authenticator app, if the account has one")
	c.Flags().StringVar(&token, "token", "", "API token, in place of a password")
	return c
}

func logIn(c *cobra.Command, server *client.Client, email, company, code string) error {
	password := os.Getenv("PARAPH_PASSWORD")
	if password == "" {
		b, err := io.ReadAll(io.LimitReader(c.InOrStdin(), 4<<10))
		if err != nil {
			return err
		}
		password, _, _ = strings.Cut(string(b), "\n")
	}
	body := map[string]any{"email": email, "password": strings.TrimSuffix(password, "\r")}
	if code != "" {
		body["code"] = code
	}
	var user struct {
		Companies []struct{ ID, Name, Token string }
	}
	if err := server.Do(c.Context(), http.MethodPost, "/login", body, &user); err != nil {
		return err
	}
	for _, k := range user.Companies {
		if company == "" || strings.EqualFold(company, k.ID) || company == k.Name {
			server.Token = k.Token
			return nil
		}
	}
	return fmt.Errorf("%s is in no company %s", email, company)
}

func send() *cobra.Command {
	var to []string
	var title, message, external, output string
	var ordered, wait bool
	var within time.Duration
	c := &cobra.Command{Use: "send FILE...", Short: "Send files for signing",
		Long: `Send files for signing. With --wait the command ends when all have signed, with
exit code 1 if somebody declines, the deadline passes or the document is voided;
with -o it saves the signed file then.`,
		Example: "  paraph send contract.pdf --to \"Ben Buyer <ben@example.org>\" --wait -o signed.pdf", Args: Args(1, -1),
		RunE: using(func(c *cobra.Command, server *client.Client, args []string) error {
			people, err := addresses(to)
			if err != nil {
				return err
			}
			name := filepath.Base(args[0])
			data := map[string]any{"title": cmp.Or(title, strings.TrimSuffix(name, filepath.Ext(name))), "invitations": people, "send": true}
			if message != "" {
				data["message"] = message
			}
			if external != "" {
				data["external_id"] = external
			}
			if ordered {
				data["signing_order"] = "sequential"
				for i := range people {
					people[i]["position"] = i + 1
				}
			}
			made, err := server.Create(c.Context(), data, args)
			if err != nil {
				return err
			}
			if !wait && output == "" {
				return document(c, made)
			}
			return awaited(c, server, made, within, output)
		})}
	c.Flags().StringArrayVar(&to, "to", nil, "who signs, as \"Name <address>\" (repeatable)")
	c.Flags().StringVar(&title, "title", "", "title (default: the name of the first file)")
	c.Flags().StringVar(&message, "message", "", "message to the people who sign")
	c.Flags().StringVar(&external, "external-id", "", "your own reference")
	c.Flags().BoolVar(&ordered, "ordered", false, "they sign one after the other")
	c.Flags().BoolVar(&wait, "wait", false, "wait until it is completed")
	c.Flags().DurationVar(&within, "timeout", 0, "how long to wait, such as 2h (default: until it is over)")
	c.Flags().StringVarP(&output, "output", "o", "", "file to save the signed document in; implies --wait")
	asJSON(c)
	return c
}

// addresses returns the people whom --to names.
func addresses(to []string) (people []map[string]any, err error) {
	for _, text := range to {
		a, err := mail.ParseAddress(text)
		if err != nil {
			return nil, UsageError{fmt.Errorf("--to %q: write \"Name <address>\"", text)}
		}
		name := a.Name
		if name == "" {
			name, _, _ = strings.Cut(a.Address, "@")
		}
		people = append(people, map[string]any{"name": name, "email": a.Address})
	}
	if len(people) == 0 {
		return nil, UsageError{errors.New("say with --to who signs")}
	}
	return people, nil
}

// awaited waits until a document is completed, and saves it.
func awaited(c *cobra.Command, server *client.Client, made json.RawMessage, within time.Duration, output string) error {
	var d client.Document
	if err := json.Unmarshal(made, &d); err != nil {
		return err
	}
	ctx := c.Context()
	if within > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, within)
		defer stop()
	}
	told := ""
	raw, d, err := server.Wait(ctx, d.ID, func(d client.Document) {
		if now := fmt.Sprintf("%s: %d of %d signed", d.Status, d.Progress.Signed, d.Progress.Total); now != told {
			fmt.Fprintln(c.ErrOrStderr(), now)
			told = now
		}
	})
	if errors.Is(err, context.DeadlineExceeded) && c.Context().Err() == nil {
		return fmt.Errorf("%s is not completed after %s; it is still out for signing", d.ID, within)
	}
	if err != nil {
		return err
	}
	if d.Status == "completed" && output != "" {
		if _, err := server.Download(c.Context(), d.ID, "", output); err != nil {
			return err
		}
	}
	if err := document(c, raw); err != nil {
		return err
	}
	if d.Status != "completed" {
		return ErrNo
	}
	return nil
}

func list() *cobra.Command {
	var status, search, external string
	var limit int
	c := &cobra.Command{Use: "list", Short: "List documents, newest first", Example: "  paraph list --status sent\n  paraph list --json | jq -r '.data[].id'", Args: Args(0, 0),
		RunE: using(func(c *cobra.Command, server *client.Client, _ []string) error {
			q := url.Values{"per_page": {fmt.Sprint(limit)}}
			for name, value := range map[string]string{"status": status, "search": search, "external_id": external} {
				if value != "" {
					q.Set(name, value)
				}
			}
			return rows(c, server, "/documents?"+q.Encode())
		})}
	c.Flags().StringVar(&status, "status", "", "only these states, such as sent,completed")
	c.Flags().StringVar(&search, "search", "", "only those with these words")
	c.Flags().StringVar(&external, "external-id", "", "only those with this reference of your own")
	c.Flags().IntVar(&limit, "limit", 50, "how many at most, up to 1000")
	asJSON(c)
	return c
}

func get() *cobra.Command {
	c := &cobra.Command{Use: "get ID", Short: "Show a document and who has signed", Example: "  paraph get 01JZ0000000000000000000000", Args: Args(1, 1),
		RunE: using(func(c *cobra.Command, server *client.Client, args []string) error {
			var raw json.RawMessage
			if err := server.Do(c.Context(), http.MethodGet, "/documents/"+url.PathEscape(args[0]), nil, &raw); err != nil {
				return err
			}
			return document(c, raw)
		})}
	asJSON(c)
	return c
}

func download() *cobra.Command {
	var output, content string
	c := &cobra.Command{Use: "download ID", Short: "Save the signed document, or what proves it",
		Example: "  paraph download 01JZ0000000000000000000000 -o signed.pdf\n  paraph download 01JZ0000000000000000000000 --content evidence", Args: Args(1, 1),
		RunE: using(func(c *cobra.Command, server *client.Client, args []string) error {
			saved, err := server.Download(c.Context(), args[0], content, output)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), saved)
			return err
		})}
	c.Flags().StringVarP(&output, "output", "o", "", "file to save it in (default: the name that the server proposes)")
	c.Flags().StringVar(&content, "content", "", "document, certificate or evidence (default: document)")
	return c
}

func remind() *cobra.Command {
	c := &cobra.Command{Use: "remind ID", Short: "Remind those who have not signed yet", Example: "  paraph remind 01JZ0000000000000000000000", Args: Args(1, 1),
		RunE: using(func(c *cobra.Command, server *client.Client, args []string) error {
			return act(c, server, args[0], "remind", map[string]any{})
		})}
	asJSON(c)
	return c
}

func void() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "void ID", Short: "Stop a document that is out for signing", Example: "  paraph void 01JZ0000000000000000000000 --reason \"A wrong price\"", Args: Args(1, 1),
		RunE: using(func(c *cobra.Command, server *client.Client, args []string) error {
			body := map[string]any{}
			if reason != "" {
				body["reason"] = reason
			}
			return act(c, server, args[0], "void", body)
		})}
	c.Flags().StringVar(&reason, "reason", "", "what the people invited are told")
	asJSON(c)
	return c
}

func templates() *cobra.Command {
	c := &cobra.Command{Use: "templates", Short: "List templates", Example: "  paraph templates", Args: Args(0, 0),
		RunE: using(func(c *cobra.Command, server *client.Client, _ []string) error {
			return rows(c, server, "/templates?per_page=1000")
		})}
	asJSON(c)
	return c
}

func bulk() *cobra.Command {
	var check bool
	c := &cobra.Command{Use: "bulk TEMPLATE FILE.csv", Short: "Make and send a document for each row of a table", Example: "  paraph bulk 01JZ0000000000000000000000 tenants.csv --check\n  paraph bulk 01JZ0000000000000000000000 tenants.csv", Args: Args(2, 2),
		RunE: using(func(c *cobra.Command, server *client.Client, args []string) error {
			table, err := os.ReadFile(args[1])
			if err != nil {
				return err
			}
			var said json.RawMessage
			body := map[string]any{"csv": string(table), "check": check, "send": true}
			if err := server.Do(c.Context(), http.MethodPost, "/templates/"+url.PathEscape(args[0])+"/bulk", body, &said); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), string(said))
			return err
		})}
	c.Flags().BoolVar(&check, "check", false, "check the table and start nothing")
	return c
}

// act does something with a document and shows what became of it.
func act(c *cobra.Command, server *client.Client, id, action string, body any) error {
	var raw json.RawMessage
	if err := server.Do(c.Context(), http.MethodPost, "/documents/"+url.PathEscape(id)+"/"+action, body, &raw); err != nil {
		return err
	}
	return document(c, raw)
}

func asJSON(c *cobra.Command) { c.Flags().Bool("json", false, "print the answer of the API") }

// document prints a document.
func document(c *cobra.Command, raw json.RawMessage) error {
	w := c.OutOrStdout()
	if plain, err := c.Flags().GetBool("json"); err != nil || plain {
		_, printed := fmt.Fprintln(w, string(raw))
		return errors.Join(err, printed)
	}
	var d client.Document
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	lines := []string{summary(d)}
	for _, inv := range d.Invitations {
		lines = append(lines, fmt.Sprintf("  %-10s %s <%s>  %s", inv.Status, inv.Name, inv.Email, inv.SignURL))
	}
	return printLines(w, lines)
}

func summary(d client.Document) string { return fmt.Sprintf("%s  %-16s  %s", d.ID, d.Status, d.Title) }

// printLines prints lines with what a server says, which stay single lines.
func printLines(w io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, input.OneLine(line)); err != nil {
			return err
		}
	}
	return nil
}

// rows prints a list.
func rows(c *cobra.Command, server *client.Client, path string) error {
	var raw json.RawMessage
	if err := server.Do(c.Context(), http.MethodGet, path, nil, &raw); err != nil {
		return err
	}
	w := c.OutOrStdout()
	if plain, err := c.Flags().GetBool("json"); err != nil || plain {
		_, printed := fmt.Fprintln(w, string(raw))
		return errors.Join(err, printed)
	}
	var found struct{ Data []client.Document }
	if err := json.Unmarshal(raw, &found); err != nil {
		return err
	}
	var lines []string
	for _, d := range found.Data {
		lines = append(lines, summary(d))
	}
	return printLines(w, lines)
}
