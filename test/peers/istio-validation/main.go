// Reads YAML documents with Istio objects from standard input, and judges each with Istio's own validators, like the
// webhook of istiod. For each object it prints one line: {"kind", "name", "errors", "warnings"}. An unknown kind or an
// unknown field is an error.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/hashicorp/go-multierror"
	"istio.io/istio/pkg/config"
	"istio.io/istio/pkg/config/schema/collections"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type verdict struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Errors   []string `json:"errors"`
	Warnings []string `json:"warnings"`
}

func main() {
	documents := kubeyaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	output := json.NewEncoder(os.Stdout)
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		var object unstructured.Unstructured
		if err := yaml.UnmarshalStrict(document, &object.Object); err != nil {
			log.Fatal(err)
		}
		if object.Object == nil {
			continue
		}
		warnings, err := judge(object)
		told := verdict{object.GetKind(), object.GetName(), sentences(err), sentences(warnings)}
		if err := output.Encode(told); err != nil {
			log.Fatal(err)
		}
	}
}

func judge(object unstructured.Unstructured) (warnings error, err error) {
	kind := object.GroupVersionKind()
	schema, isKnown := collections.Pilot.FindByGroupVersionAliasesKind(
		config.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind})
	if !isKnown {
		return nil, fmt.Errorf("Istio has no kind %s", kind)
	}
	for field := range object.Object {
		switch field {
		case "apiVersion", "kind", "metadata", "spec":
		default:
			return nil, fmt.Errorf("unknown field %q", field)
		}
	}
	text, err := json.Marshal(object.Object["spec"])
	if err != nil {
		return nil, err
	}
	spec, err := schema.NewInstance()
	if err != nil {
		return nil, err
	}
	if err := config.ApplyJSONStrict(spec, string(text)); err != nil {
		return nil, err
	}
	return schema.ValidateConfig(config.Config{
		Meta: config.Meta{
			GroupVersionKind: schema.GroupVersionKind(),
			Name:             object.GetName(),
			Namespace:        object.GetNamespace(),
			Labels:           object.GetLabels(),
			Annotations:      object.GetAnnotations(),
		},
		Spec: spec,
	})
}

func sentences(err error) []string {
	told := []string{}
	var several *multierror.Error
	switch {
	case err == nil:
	case errors.As(err, &several):
		for _, each := range several.Errors {
			told = append(told, sentences(each)...)
		}
	default:
		told = append(told, err.Error())
	}
	return told
}
