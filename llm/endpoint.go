package llm

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// An Endpoint is a server and the model that it is asked for.
type Endpoint struct {
	URL   string // up to and with the version, as http://127.0.0.1:8080/v1
	Key   string // sent as a bearer token; may be empty on this machine
	Model string // may be empty where the server has one model only
	// Sidecar tells that the server is our own llama-server, which
	// understands more than the common protocol.
	Sidecar bool
}

// ErrNoKey says that an endpoint beyond this machine has no key, so that no
// text is sent to it.
var ErrNoKey = errors.New("an endpoint beyond this machine needs a key")

// Check tells what is wrong with the endpoint.
func (e Endpoint) Check() error {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil:
		// The error of url.Parse quotes the URL, which may hold a password.
		return errors.New("the endpoint is not a URL")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return fmt.Errorf("the endpoint %q is not an http or https URL", u.Redacted())
	case e.Key == "" && !e.Local():
		return fmt.Errorf("the endpoint %q: %w", u.Redacted(), ErrNoKey)
	}
	return nil
}

// Local tells whether the endpoint is on this machine.
func (e Endpoint) Local() bool {
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Host is the endpoint's host and port, for a person.
func (e Endpoint) Host() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

func (e Endpoint) path(name string) string { return strings.TrimRight(e.URL, "/") + "/" + name }
