// Command client does with the client that oapi-codegen makes of the description what the README does with curl, and
// receives the message of a webhook: client SERVER TOKEN FILE.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"client/paraph"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

// bearer makes calls with a token.
func bearer(token string) paraph.RequestEditorFn {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

func run(ctx context.Context, server, token, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	api, err := paraph.NewClientWithResponses(server)
	if err != nil {
		return err
	}
	received := make(chan message, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, receiver(received))
	hook, err := api.CreateWebhookWithResponse(ctx, paraph.CreateWebhookRequest{
		Url: "http://" + listener.Addr().String(), Events: &[]string{"document.completed"},
	}, bearer(token))
	if err != nil {
		return err
	}
	if hook.JSON201 == nil {
		return refused(hook.Body)
	}

	sent, err := api.CreateDocumentWithResponse(ctx, paraph.CreateDocumentRequest{
		Title:       new("Lease"),
		Files:       &[]paraph.Base64File{{Name: new("lease.pdf"), Content: new(base64.StdEncoding.EncodeToString(content))}},
		Invitations: &[]paraph.InvitationInput{{Name: new("Ben Buyer"), Email: new("ben@example.org")}},
		Send:        new(true),
	}, bearer(token))
	if err != nil {
		return err
	}
	if sent.JSON201 == nil {
		return refused(sent.Body)
	}
	ben := sent.JSON201.Invitations[0]
	_, link, _ := strings.Cut(*ben.SignUrl, "/s/")
	signed, err := api.SignInvitationWithResponse(ctx, sent.JSON201.Id, ben.Id, paraph.SignInvitationJSONRequestBody{}, bearer(link))
	if err != nil {
		return err
	}
	if signed.JSON200 == nil {
		return refused(signed.Body)
	}
	select {
	case m := <-received:
		if err := m.check(*hook.JSON201.Secret, sent.JSON201.Id); err != nil {
			return err
		}
	case <-ctx.Done():
		return errors.New("no message came")
	}
	sealed, err := api.DownloadDocumentWithResponse(ctx, sent.JSON201.Id, paraph.DownloadRequest{}, bearer(token))
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(sealed.Body)
	return err
}

// message is one that a webhook received.
type message struct {
	header http.Header
	body   []byte
	err    error
}

func receiver(to chan<- message) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		to <- message{r.Header, body, err}
	}
}

// check verifies the signature, and reads the message with the types of the description.
func (m message) check(secret, document string) error {
	if m.err != nil {
		return m.err
	}
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	if err := hook.Verify(m.body, m.header); err != nil {
		return err
	}
	if hook.Verify(append(m.body, ' '), m.header) == nil {
		return errors.New("a changed message has a valid signature")
	}
	var any paraph.WebhookMessage
	if err := any.UnmarshalJSON(m.body); err != nil {
		return err
	}
	completed, err := any.AsDocumentCompletedMessage()
	if err != nil {
		return err
	}
	if got := completed.Data.Document; got == nil || got.Id != document {
		return fmt.Errorf("the message is about %v", got)
	}
	return nil
}

func refused(answer []byte) error { return fmt.Errorf("refused: %s", answer) }
