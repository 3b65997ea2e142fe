package app_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"

	"paraph/app/blob"
)

// bareCommand makes the test program the baseline of the benchmark: a Fiber
// handler that verifies a JWT and sends a fixed body of 8 KB, or stores the body it
// gets in the folder that is the next argument.
const bareCommand = "bare-server"

var bareKey = []byte("the key of a server that keeps nothing")

func serveBare() error {
	body := bytes.Repeat([]byte("0123456789abcdef"), 8<<10/16)
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}))
	a := fiber.New(fiber.Config{DisableStartupMessage: true})
	files, err := blob.Open(os.Args[2], blob.Options{Reserve: 1})
	if err != nil {
		return err
	}
	a.Use(func(c *fiber.Ctx) error {
		token := strings.TrimPrefix(c.Get("Authorization"), "Bearer ")
		_, err := parser.ParseWithClaims(token, &jwt.RegisteredClaims{}, func(*jwt.Token) (any, error) { return bareKey, nil })
		if err != nil {
			return fiber.ErrUnauthorized
		}
		return c.Next()
	})
	a.Post("/", func(c *fiber.Ctx) error {
		ref, err := files.Put(c.Context(), bytes.NewReader(c.Body()))
		if err != nil {
			return err
		}
		return c.SendString(ref.Hash)
	})
	a.Get("/", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(body)
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "msg=listening address=%s url=http://%s\n", ln.Addr(), ln.Addr())
	return a.Listener(ln)
}

// bareToken returns a token like those of the appliance.
func bareToken() string {
	claims := jwt.RegisteredClaims{Issuer: "paraph", Subject: "01K9USER000000000000000000", Audience: jwt.ClaimStrings{"paraph"},
		ExpiresAt: jwt.NewNumericDate(time.Now().Add(time.Hour)), IssuedAt: jwt.NewNumericDate(time.Now()), ID: "01K9TOKEN00000000000000000"}
	return must(jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(bareKey))
}
