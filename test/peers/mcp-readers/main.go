// Reads messages as a server in Go does: encoding/json into structs with tags. Each line of the input is a body in Base64,
// and each line of the output is what was found in it.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
)

type ref struct {
	Type string `json:"type"`
	Name string `json:"name"`
	URI  string `json:"uri"`
}

type filter struct {
	ResourceSubscriptions []string `json:"resourceSubscriptions"`
}

type meta struct {
	Version string `json:"io.modelcontextprotocol/protocolVersion"`
}

type params struct {
	Name          string                     `json:"name"`
	URI           string                     `json:"uri"`
	TaskID        string                     `json:"taskId"`
	Arguments     map[string]json.RawMessage `json:"arguments"`
	Ref           json.RawMessage            `json:"ref"`
	Notifications json.RawMessage            `json:"notifications"`
	Meta          meta                       `json:"_meta"`
}

type message struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id"`
	Method  string           `json:"method"`
	Params  params           `json:"params"`
	Result  *json.RawMessage `json:"result"`
	Error   *json.RawMessage `json:"error"`
}

type found struct {
	Fault   string   `json:"fault,omitempty"`
	Method  string   `json:"method"`
	Names   []string `json:"names"`
	Version string   `json:"version"`
}

func named(m message) ([]string, error) {
	switch m.Method {
	case "tools/call", "prompts/get":
		return []string{m.Params.Name}, nil
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return []string{m.Params.URI}, nil
	case "tasks/get", "tasks/result", "tasks/update", "tasks/cancel":
		return []string{m.Params.TaskID}, nil
	case "completion/complete":
		var r ref
		if err := json.Unmarshal(m.Params.Ref, &r); err != nil {
			return nil, err
		}
		if r.Type == "ref/resource" {
			return []string{r.URI}, nil
		}
		return []string{r.Name}, nil
	case "subscriptions/listen":
		var f filter
		if m.Params.Notifications != nil {
			if err := json.Unmarshal(m.Params.Notifications, &f); err != nil {
				return nil, err
			}
		}
		if f.ResourceSubscriptions != nil {
			return f.ResourceSubscriptions, nil
		}
	}
	return []string{}, nil
}

func read(body []byte) found {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return found{Fault: err.Error()}
	}
	names, err := named(m)
	if err != nil {
		return found{Fault: err.Error()}
	}
	return found{Method: m.Method, Names: names, Version: m.Params.Meta.Version}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 1<<20), 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		if lines.Text() == "" {
			out.Flush()
			continue
		}
		body, err := base64.StdEncoding.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		if err := encoder.Encode(read(body)); err != nil {
			panic(err)
		}
	}
}
