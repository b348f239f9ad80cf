// github.com/coreos/go-oidc as a relying party of the OpenID Provider that the environment names.
//
// The program that starts this one plays the browser. A line {"visit": URL} on the output is answered by one line on the
// input, the address at which the browser came back. Every other line is {"told": NAME, "value": WHAT}.
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

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

var (
	issuer = os.Getenv("ISSUER")
	input  = bufio.NewReader(os.Stdin)
	output = json.NewEncoder(os.Stdout)
	ctx    = oidc.ClientContext(context.Background(), &http.Client{Timeout: 20 * time.Second})
)

type relyingParty struct {
	provider *oidc.Provider
	client   *oauth2.Config
}

func main() {
	party := discover()
	token, nonce := party.login()
	first := party.verify(token)
	if first.Nonce != nonce {
		log.Fatal("the ID token of another request")
	}
	tell("ID token", claims(first))
	_, err := party.provider.Verifier(&oidc.Config{ClientID: "other"}).Verify(ctx, rawIDToken(token))
	tell("ID token of another request", refusal(err))
	tell("userinfo", party.userinfo(token, first))
	second, err := party.refresh(token)
	must(err)
	tell("ID token of the refresh", claims(party.verify(second)))
	party.logOut(rawIDToken(second))
	_, err = party.refresh(second)
	tell("refresh after the logout", refusal(err))
}

func discover() relyingParty {
	provider, err := oidc.NewProvider(ctx, issuer)
	must(err)
	var metadata struct {
		Issuer string `json:"issuer"`
	}
	must(provider.Claims(&metadata))
	tell("discovered", metadata.Issuer)
	return relyingParty{provider, &oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Scopes:       strings.Fields(os.Getenv("SCOPE")),
		Endpoint:     provider.Endpoint(),
	}}
}

// The token, and the nonce of the request. The library leaves state, nonce and iss (RFC 9207) to its users.
func (party relyingParty) login() (*oauth2.Token, string) {
	state, nonce, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back := visit(party.client.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))
	if back.Query().Get("state") != state || back.Query().Get("iss") != issuer {
		log.Fatal("an answer to another request, or of another issuer")
	}
	token, err := party.client.Exchange(ctx, back.Query().Get("code"), oauth2.VerifierOption(verifier))
	must(err)
	return token, nonce
}

// By the keys of the provider, with the hash of the access token.
func (party relyingParty) verify(token *oauth2.Token) *oidc.IDToken {
	verifier := party.provider.Verifier(&oidc.Config{ClientID: party.client.ClientID})
	verified, err := verifier.Verify(ctx, rawIDToken(token))
	must(err)
	must(verified.VerifyAccessToken(token.AccessToken))
	return verified
}

func rawIDToken(token *oauth2.Token) string {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		log.Fatal("no ID token")
	}
	return raw
}

func claims(token *oidc.IDToken) (all map[string]any) {
	must(token.Claims(&all))
	return all
}

func (party relyingParty) userinfo(token *oauth2.Token, login *oidc.IDToken) (all map[string]any) {
	found, err := party.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	must(err)
	if found.Subject != login.Subject {
		log.Fatal("the userinfo of another user")
	}
	must(found.Claims(&all))
	return all
}

// The library refreshes expired tokens, so this one has expired.
func (party relyingParty) refresh(token *oauth2.Token) (*oauth2.Token, error) {
	expired := &oauth2.Token{RefreshToken: token.RefreshToken, Expiry: time.Now().Add(-time.Hour)}
	return party.client.TokenSource(ctx, expired).Token()
}

// The library leaves this request to its users.
func (party relyingParty) logOut(hint string) {
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	must(party.provider.Claims(&metadata))
	state := oauth2.GenerateVerifier()
	query := url.Values{
		"id_token_hint":            {hint},
		"post_logout_redirect_uri": {os.Getenv("SIGNED_OUT_URI")},
		"state":                    {state},
	}
	tell("state of the logout", state)
	tell("signed out", visit(metadata.EndSession+"?"+query.Encode()).String())
}

func visit(address string) *url.URL {
	say(map[string]any{"visit": address})
	line, err := input.ReadString('\n')
	must(err)
	back, err := url.Parse(strings.TrimSpace(line))
	must(err)
	return back
}

// The error code as the library reads it, or its message.
func refusal(err error) any {
	if err == nil {
		return nil
	}
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		return refused.ErrorCode
	}
	return fmt.Sprint(err)
}

func tell(name string, value any) { say(map[string]any{"told": name, "value": value}) }

func say(line map[string]any) { must(output.Encode(line)) }

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
