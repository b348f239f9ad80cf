// golang.org/x/oauth2 as a client of the authorization service that the environment names.
//
// Whoever started it plays the browser: a line {"visit": URL, "decision": WORD} on the output is answered by one line on
// the input, the address at which the browser came back. Every other line is {"told": NAME, "value": WHAT}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

var (
	issuer = os.Getenv("ISSUER")
	secret = os.Getenv("CLIENT_SECRET")
	input  = bufio.NewReader(os.Stdin)
	output = json.NewEncoder(os.Stdout)
	direct = &http.Client{Timeout: 20 * time.Second}
	ctx    = context.WithValue(context.Background(), oauth2.HTTPClient, direct)
)

// What the library leaves to its users: discovery (RFC 8414), revocation (RFC 7009), introspection (RFC 7662).
type metadata struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Revocation    string `json:"revocation_endpoint"`
	Introspection string `json:"introspection_endpoint"`
}

type answer struct {
	values   url.Values
	verifier string
}

func main() {
	found := discover()
	tell("discovered", found.Issuer)
	client := &oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: secret,
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Scopes:       scopes(),
		Endpoint:     oauth2.Endpoint{AuthURL: found.Authorization, TokenURL: found.Token},
	}
	refusals(client)
	userGrant(client, found)
	if secret != "" {
		clientCredentials(found)
	}
}

func discover() (found metadata) {
	response, err := direct.Get(issuer + "/.well-known/oauth-authorization-server")
	must(err)
	defer response.Body.Close()
	must(json.NewDecoder(response.Body).Decode(&found))
	if found.Issuer != issuer {
		log.Fatal("the metadata is of another issuer (RFC 8414, section 3.3)")
	}
	return found
}

// One authorization request and its answer; the library leaves state and iss (RFC 9207) to its users.
func ask(client *oauth2.Config, decision string) answer {
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	say(map[string]any{"visit": client.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), "decision": decision})
	line, err := input.ReadString('\n')
	must(err)
	back, err := url.Parse(strings.TrimSpace(line))
	must(err)
	values := back.Query()
	if values.Get("state") != state || values.Get("iss") != issuer {
		log.Fatal("an answer to another request, or of another issuer")
	}
	return answer{values, verifier}
}

func exchange(client *oauth2.Config, code, verifier string) (*oauth2.Token, error) {
	return client.Exchange(ctx, code, oauth2.VerifierOption(verifier))
}

func refusals(client *oauth2.Config) {
	tell("denied", ask(client, "deny").values.Get("error"))
	_, err := exchange(client, ask(client, "allow").values.Get("code"), oauth2.GenerateVerifier())
	tell("wrong verifier", refusal(err))
}

func userGrant(client *oauth2.Config, found metadata) {
	used := ask(client, "allow")
	first, err := exchange(client, used.values.Get("code"), used.verifier)
	must(err)
	tell("code", granted(first))
	_, err = exchange(client, used.values.Get("code"), used.verifier)
	tell("code twice", refusal(err))

	fresh := ask(client, "allow")
	first, err = exchange(client, fresh.values.Get("code"), fresh.verifier)
	must(err)
	second, err := refresh(client, first)
	must(err)
	tell("rotated", second.RefreshToken != first.RefreshToken)
	if secret != "" {
		introspect(client, found, second.AccessToken)
	}
	status, _ := post(client, found.Revocation, second.RefreshToken)
	tell("revoked", status)
	_, err = refresh(client, second)
	tell("refresh after revocation", refusal(err))
}

// The library refreshes what has expired, so the token is said to have.
func refresh(client *oauth2.Config, token *oauth2.Token) (*oauth2.Token, error) {
	expired := &oauth2.Token{RefreshToken: token.RefreshToken, Expiry: time.Now().Add(-time.Hour)}
	return client.TokenSource(ctx, expired).Token()
}

func introspect(client *oauth2.Config, found metadata, token string) {
	_, active := post(client, found.Introspection, token)
	tell("introspected", active)
	post(client, found.Revocation, token)
	_, revoked := post(client, found.Introspection, token)
	tell("introspected after revocation", revoked)
}

func clientCredentials(found metadata) {
	config := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: secret,
		TokenURL:     found.Token,
		Scopes:       scopes(),
	}
	token, err := config.Token(ctx)
	must(err)
	tell("client credentials", granted(token))
	config.ClientSecret = "wrong"
	_, err = config.Token(ctx)
	tell("wrong secret", refusal(err))
}

// A request that the library does not make, with the client authentication that it does.
func post(client *oauth2.Config, endpoint, token string) (int, map[string]any) {
	form := url.Values{"token": {token}}
	if secret == "" {
		form.Set("client_id", client.ClientID)
	}
	request, err := http.NewRequest(http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	must(err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if secret != "" {
		request.SetBasicAuth(url.QueryEscape(client.ClientID), url.QueryEscape(secret))
	}
	response, err := direct.Do(request)
	must(err)
	defer response.Body.Close()
	if response.ContentLength == 0 {
		return response.StatusCode, nil
	}
	body := map[string]any{}
	must(json.NewDecoder(response.Body).Decode(&body))
	return response.StatusCode, body
}

func granted(token *oauth2.Token) map[string]any {
	return map[string]any{"token_type": token.Type(), "scope": token.Extra("scope"), "fresh": token.Valid()}
}

// The error code as the library reads it, or the words of whatever else it was.
func refusal(err error) any {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return refused.ErrorCode
	}
	return fmt.Sprint(err)
}

func scopes() []string { return strings.Fields(os.Getenv("SCOPE")) }

func tell(name string, value any) { say(map[string]any{"told": name, "value": value}) }

func say(line map[string]any) { must(output.Encode(line)) }

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
