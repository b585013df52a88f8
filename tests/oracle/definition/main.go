// The oracle of CustomResourceDefinitions: reads lines of JSON, each with a definition that is
// created, or that replaces another one; takes it through upstream's defaults and strategy; and
// answers one line of JSON each.
//
//	{"crd": {...}, "old": {...}, "established": true}
//	{"errors": ["spec.group: Required value"], "warnings": []}
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type question struct {
	CRD         json.RawMessage `json:"crd"`
	Old         json.RawMessage `json:"old"`         // absent: the definition is new
	Established bool            `json:"established"` // the old one
}

type answer struct {
	Failure  string   `json:"failure,omitempty"`  // it cannot be decoded
	Unstable bool     `json:"unstable,omitempty"` // depends on the order of a Go map
	Errors   []string `json:"errors"`
	Warnings []string `json:"warnings"`
}

// Names of types of schemas have a random number.
var anySelfType = regexp.MustCompile(`selfType[0-9]*[\w.@]*`)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
}

var (
	scheme   = newScheme()
	strategy = customresourcedefinition.NewStrategy(scheme)
)

func read(text json.RawMessage) (*apiextensions.CustomResourceDefinition, error) {
	external := &v1.CustomResourceDefinition{}
	if err := json.Unmarshal(text, external); err != nil {
		return nil, err
	}
	// As it would be stored: ours decodes to that at once, without empty lists and maps.
	stored, err := json.Marshal(external)
	if err != nil {
		return nil, err
	}
	external = &v1.CustomResourceDefinition{}
	if err := json.Unmarshal(stored, external); err != nil {
		return nil, err
	}
	scheme.Default(external)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(external, internal, nil); err != nil {
		return nil, err
	}
	return internal, nil
}

// Of several rules that are equally expensive, the first four of a map are named.
func ask(q question) answer {
	a := askOnce(q)
	if !strings.Contains(strings.Join(a.Errors, "\n"), "contributed to estimated rule cost total") {
		return a
	}
	for i := 0; i < 7 && !a.Unstable; i++ {
		a.Unstable = !reflect.DeepEqual(askOnce(q), a)
	}
	return a
}

func askOnce(q question) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a.Failure = fmt.Sprintf("panic: %v", r)
		}
	}()
	crd, err := read(q.CRD)
	if err != nil {
		return answer{Failure: err.Error()}
	}
	ctx := context.Background()
	var errs field.ErrorList
	if len(q.Old) == 0 || bytes.Equal(q.Old, []byte("null")) {
		strategy.PrepareForCreate(ctx, crd)
		errs = strategy.Validate(ctx, crd)
		a.Warnings = strategy.WarningsOnCreate(ctx, crd)
	} else {
		old, err := read(q.Old)
		if err != nil {
			return answer{Failure: err.Error()}
		}
		strategy.PrepareForCreate(ctx, old)
		if q.Established {
			old.Status.Conditions = append(old.Status.Conditions, apiextensions.CustomResourceDefinitionCondition{
				Type: apiextensions.Established, Status: apiextensions.ConditionTrue,
			})
		}
		old.ResourceVersion = "1"
		crd.ResourceVersion = "1"
		crd.Generation = old.Generation
		strategy.PrepareForUpdate(ctx, crd, old)
		errs = strategy.ValidateUpdate(ctx, crd, old)
		a.Warnings = strategy.WarningsOnUpdate(ctx, crd, old)
	}
	a.Errors = []string{}
	for _, err := range errs {
		a.Errors = append(a.Errors, anySelfType.ReplaceAllString(err.Error(), "selfType"))
	}
	sort.Strings(a.Errors)
	if a.Warnings == nil {
		a.Warnings = []string{}
	}
	sort.Strings(a.Warnings)
	return a
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			if err := json.Unmarshal(line, &q); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			if err := encoder.Encode(ask(q)); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
