package httpkit_test

import (
	"context"
	"io"
	"net"
	"testing"

	"github.com/gofiber/fiber/v2"

	"paraph/app/apptest/patience"
	"paraph/app/httpkit"
)

// TestWorkStopsWhenItsClientHangsUp closes connections during requests.
func TestWorkStopsWhenItsClientHangsUp(t *testing.T) {
	t.Parallel()
	began, stopped := make(chan bool), make(chan error, 1)
	s := serve(t, httpkit.Options{}, everyone(httpkit.Small).Interruptible(), func(c *fiber.Ctx, b *httpkit.Body) error {
		if _, err := b.Whole(c.UserContext()); err != nil {
			return err
		}
		ctx, done := context.WithTimeoutCause(c.UserContext(), patience.Limit(), context.DeadlineExceeded)
		defer done()
		began <- true
		<-ctx.Done()
		stopped <- ctx.Err()
		return nil
	})
	for name, more := range map[string]string{"plain": "", "with another request sent ahead": post(0)} {
		conn := s.say(t, post(2)+"{}"+more)
		patience.Receive(t, "the request", began)
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		if err := patience.Receive(t, "the end of the work", stopped); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAConnectionWithMoreToReadIsOpen sends data that nobody reads before closing.
func TestAConnectionWithMoreToReadIsOpen(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(client, "more"); err != nil {
		t.Fatal(err)
	}
	if httpkit.HungUp(conn) {
		t.Error("an open connection counts as closed")
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "it counts as closed", func() (string, bool) { return "open", httpkit.HungUp(conn) })
}
