module gatehouse/test/peers/go-oidc

// The newest go-oidc for the Go of Debian 12.
go 1.19

require (
	github.com/coreos/go-oidc/v3 v3.9.0
	golang.org/x/oauth2 v0.26.0
)

require (
	github.com/go-jose/go-jose/v3 v3.0.4 // indirect
	golang.org/x/crypto v0.19.0 // indirect
)
