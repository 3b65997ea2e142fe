// Package bucket reaches S3-compatible storage.
package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Scheme begins the address of a bucket: s3://BUCKET/PREFIX.
const Scheme = "s3://"

// Is reports whether an address is a bucket's.
func Is(address string) bool { return strings.HasPrefix(address, Scheme) }

// Access describes how storage is reached.
type Access struct {
	// Environ holds the variables that AWS's own tools use: AWS_ACCESS_KEY_ID,
	// AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL.
	Environ   map[string]string
	Transport http.RoundTripper
}

// defaultEndpoint is the address of AWS.
const defaultEndpoint = "https://s3.amazonaws.com"

// Place is the objects of a bucket whose names begin with a prefix, which ends with a slash
// unless it is empty.
type Place struct {
	Client       *minio.Client
	Name, Prefix string
}

// Parse splits an address such as s3://bucket/folder.
func Parse(address string) (name, prefix string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme+"://" != Scheme || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return "", "", fmt.Errorf("%s is not an address such as s3://bucket/folder", address)
	}
	if prefix = strings.Trim(u.Path, "/"); prefix != "" {
		prefix += "/"
	}
	return u.Host, prefix, nil
}

// Open returns the place of an address. It does not connect yet.
func (a Access) Open(address string) (Place, error) {
	name, prefix, err := Parse(address)
	if err != nil {
		return Place{}, err
	}
	key, secret := a.Environ["AWS_ACCESS_KEY_ID"], a.Environ["AWS_SECRET_ACCESS_KEY"]
	if key == "" || secret == "" {
		return Place{}, errors.New("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	at, err := url.Parse(cmp.Or(a.Environ["AWS_ENDPOINT_URL_S3"], a.Environ["AWS_ENDPOINT_URL"], defaultEndpoint))
	if err != nil || at.Host == "" || at.Path != "" && at.Path != "/" || at.Scheme != "http" && at.Scheme != "https" {
		return Place{}, errors.New("AWS_ENDPOINT_URL has to be an address such as https://s3.example.org")
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds:      credentials.NewStaticV4(key, secret, a.Environ["AWS_SESSION_TOKEN"]),
		Secure:     at.Scheme == "https",
		Transport:  a.Transport,
		Region:     cmp.Or(a.Environ["AWS_REGION"], a.Environ["AWS_DEFAULT_REGION"]),
		MaxRetries: 4,
	})
	if err != nil {
		return Place{}, fmt.Errorf("%s: %w", address, err)
	}
	return Place{Client: client, Name: name, Prefix: prefix}, nil
}

// Address returns the address of an object, or of the place for "".
func (p Place) Address(object string) string { return Scheme + p.Name + "/" + p.Prefix + object }

// Explain adds the address of an object to an error of the storage.
func (p Place) Explain(object string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", p.Address(object), err)
}

// Missing reports whether an error of the storage says that there is no such object.
func Missing(err error) bool {
	return err != nil && minio.ToErrorResponse(err).StatusCode == http.StatusNotFound
}
