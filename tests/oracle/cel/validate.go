package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"sort"

	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// An object of a custom resource, checked by all rules of its schema.
type check struct {
	Schema json.RawMessage `json:"schema"`
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old"`
	Budget int64           `json:"budget"`
}

// Ours are named from the root of the object on.
var anySelfType = regexp.MustCompile(`selfType[0-9]*[\w.@]*`)

type warnings struct{ texts []string }

func (w *warnings) AddWarning(agent, text string) { w.texts = append(w.texts, text) }

func askCheck(c check) (a answer) {
	schema, err := readSchema(c.Schema)
	if err != nil {
		return answer{Issues: "schema: " + err.Error()}
	}
	object, err := readObject(c.Object)
	if err != nil {
		return answer{Issues: err.Error()}
	}
	old, err := readObject(c.Old)
	if err != nil {
		return answer{Issues: err.Error()}
	}
	validator := schemacel.NewValidator(schema, true, celconfig.PerCallLimit)
	recorder := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	if c.Budget == 0 {
		c.Budget = celconfig.RuntimeCELCostBudget
	}
	var options []schemacel.Option
	if old != nil {
		options = append(options, schemacel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{Structural: schema})))
	}
	// More than once: what depends on the order of a map is not compared.
	for i := 0; i < 8; i++ {
		recorder.texts = nil
		errs, remaining := validator.Validate(ctx, nil, schema, object, old, c.Budget, options...)
		once := answer{Errors: []string{}, Warnings: []string{}, Remaining: fmt.Sprint(remaining)}
		for _, err := range errs {
			once.Errors = append(once.Errors, anySelfType.ReplaceAllString(err.Error(), "selfType"))
		}
		sort.Strings(once.Errors)
		once.Warnings = append(once.Warnings, recorder.texts...)
		sort.Strings(once.Warnings)
		if i == 0 {
			a = once
		} else if !reflect.DeepEqual(once, a) {
			a.Unstable = true
			return a
		}
	}
	return a
}
