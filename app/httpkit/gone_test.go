package httpkit_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"paraph/app/apptest/patience"
	"paraph/app/httpkit"
)

// TestWorkThatMustNotBeHalfDoneGoesOn looks at the context of a route that changes something.
func TestWorkThatMustNotBeHalfDoneGoesOn(t *testing.T) {
	t.Parallel()
	s := serve(t, httpkit.Options{}, everyone(httpkit.Small), func(c *fiber.Ctx, b *httpkit.Body) error {
		if c.UserContext().Done() != nil {
			t.Error("it can be canceled")
		}
		return nil
	})
	if status, _ := answer(t, s.say(t, post(0))); status != http.StatusOK {
		t.Error(status)
	}
}

// TestAResponseThatNobodyReadsIsGivenUp requests far more than the buffers between the two
// sides hold, and doesn't read.
func TestAResponseThatNobodyReadsIsGivenUp(t *testing.T) {
	t.Parallel()
	closed := make(chan bool, 1)
	s := serve(t, httpkit.Options{ReadTimeout: 300 * time.Millisecond}, everyone(httpkit.Small), func(c *fiber.Ctx, _ *httpkit.Body) error {
		c.Context().SetBodyStream(&endless{closed: closed}, -1)
		return nil
	})
	s.say(t, post(0))
	patience.Receive(t, "the end of the response", closed)
}

// endless is a body without end.
type endless struct{ closed chan<- bool }

func (e *endless) Read(p []byte) (int, error) { return len(p), nil }

func (e *endless) Close() error {
	e.closed <- true
	return nil
}
