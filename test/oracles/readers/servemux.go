// A Go server that says what a handler behind net/http's ServeMux would go by: host, X-Env, op and r.URL.Path.
package main

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
)

func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return r.Host
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		op := url.QueryEscape(r.URL.Query().Get("op"))
		body := fmt.Sprintf("%s\n%s\n%s\n%s", hostOf(r), r.Header.Get("X-Env"), op, r.URL.Path)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write([]byte(body))
	})
	if err := http.ListenAndServe("127.0.0.1:"+os.Args[1], mux); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
