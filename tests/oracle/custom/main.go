// The oracle of custom resources: reads lines of JSON, each with a schema, an object and what it was
// before; decodes, defaults and validates the object as upstream's API server does, and answers one
// line of JSON each.
//
//	{"schema": {"type": "object", ...}, "object": {...}, "old": {...}, "strict": true}
//	{"object": {...}, "unknown": ["spec.x"], "errors": ["spec.y: Required value"]}
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

type question struct {
	Schema   json.RawMessage                     `json:"schema"`
	Object   json.RawMessage                     `json:"object"`
	Old      json.RawMessage                     `json:"old"`
	Strict   bool                                `json:"strict"`   // unknown fields are reported
	Drop     bool                                `json:"drop"`     // malformed metadata is dropped
	Status   bool                                `json:"status"`   // an update of the status
	Scale    *v1.CustomResourceSubresourceScale  `json:"scale"`    // of the definition
	Columns  []v1.CustomResourceColumnDefinition `json:"columns"`  // of the definition
	Fields   []v1.SelectableField                `json:"fields"`   // of the definition
	Defaults bool                                `json:"defaults"` // those of the schema are validated
}

type answer struct {
	Object        any               `json:"object,omitempty"`
	Unknown       []string          `json:"unknown,omitempty"`
	Problem       string            `json:"problem,omitempty"` // why it cannot be decoded
	Errors        []string          `json:"errors,omitempty"`
	Warnings      []string          `json:"warnings,omitempty"`
	Cells         []any             `json:"cells,omitempty"`
	Selectable    map[string]string `json:"selectable,omitempty"`
	DefaultErrors []string          `json:"defaultErrors,omitempty"`
	Unstable      bool              `json:"unstable,omitempty"` // depends on the order of a Go map
}

// Of the definition that all schemas belong to.
const group, version, kind = "oracle.example.com", "v1", "Case"

func readSchema(raw json.RawMessage) (*apiextensions.JSONSchemaProps, *structuralschema.Structural, error) {
	var external v1.JSONSchemaProps
	if err := json.Unmarshal(raw, &external); err != nil {
		return nil, nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, internal, nil); err != nil {
		return nil, nil, err
	}
	structural, err := structuralschema.NewStructural(internal)
	return internal, structural, err
}

func readObject(raw json.RawMessage) (map[string]any, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var object map[string]any
	err := utiljson.Unmarshal(raw, &object)
	return object, err
}

func ask(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a.Problem = fmt.Sprintf("panic: %v", r)
		}
	}()
	internal, structural, err := readSchema(q.Schema)
	if err != nil {
		return answer{Problem: "schema: " + err.Error()}
	}
	if q.Defaults {
		return askDefaults(structural)
	}
	object, err := readObject(q.Object)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	old, err := readObject(q.Old)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	if a.Unknown, err = decode(object, structural, q.Strict, q.Drop); err != nil {
		return answer{Problem: err.Error()}
	}
	a.Object = object
	a.Errors, a.Warnings = validate(q, internal, structural, object, old)
	a.Cells = cells(q.Columns, object)
	a.Selectable = selectable(q.Fields, object)
	return a
}

// More than once: what depends on the order of a map is not compared.
func askStable(q question) answer {
	first := ask(q)
	for i := 0; i < 4; i++ {
		if again := ask(q); !reflect.DeepEqual(first, again) {
			first.Unstable = true
			break
		}
	}
	return first
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriter(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			if err := json.Unmarshal(line, &q); err != nil {
				fmt.Fprintln(os.Stderr, "oracle:", string(line), err)
				os.Exit(1)
			}
			text, err := json.Marshal(askStable(q))
			if err != nil {
				fmt.Fprintln(os.Stderr, "oracle:", err)
				os.Exit(1)
			}
			output.Write(text)
			output.WriteByte('\n')
			output.Flush()
		}
		if err == io.EOF {
			return
		}
	}
}
