package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// An expression of x-kubernetes-validations: the schema it stands in, and the values it sees.
type rule struct {
	Schema          json.RawMessage `json:"schema"`
	ResourceRoot    bool            `json:"resourceRoot"`
	OptionalOldSelf bool            `json:"optionalOldSelf"`
	Self            json.RawMessage `json:"self"`
	OldSelf         json.RawMessage `json:"oldSelf"`
}

func readSchema(raw json.RawMessage) (*structural.Structural, error) {
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &props); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
		return nil, err
	}
	return structural.NewStructural(&internal)
}

// Numbers are int64 or float64, as the API server reads them.
func readObject(raw json.RawMessage) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	var value any
	err := utiljson.Unmarshal(raw, &value)
	return value, err
}

var selfTypeName = regexp.MustCompile(`selfType[0-9]+`)

// The estimate and the refusal of a rule are those of Compile. Type, value and cost come from an
// environment that is made in the same way, since Compile takes boolean expressions only.
func askRule(q question) (a answer) {
	schema, err := readSchema(q.Rule.Schema)
	if err != nil {
		return answer{Issues: "schema: " + err.Error()}
	}
	declared := model.SchemaDeclType(schema, q.Rule.ResourceRoot)
	if declared == nil {
		return answer{Issues: "no type"}
	}
	set := environment.MustBaseEnvSet(version.MustParseGeneric(q.Version))
	schema.XValidations = apiextensionsv1.ValidationRules{{Rule: q.Expression, OptionalOldSelf: &q.Rule.OptionalOldSelf}}
	results, err := schemacel.Compile(schema, declared, celconfig.PerCallLimit, set, schemacel.NewExpressionsEnvLoader())
	if err != nil {
		return answer{Issues: err.Error()}
	}
	compiled := results[0]
	env, err := ruleEnvironment(set, declared, q.Rule.OptionalOldSelf)
	if err != nil {
		return answer{Issues: err.Error()}
	}
	if compiled.Error != nil && !strings.Contains(compiled.Error.Detail, "must evaluate to a bool") {
		detail := selfTypeName.ReplaceAllString(compiled.Error.Detail, "selfType")
		if text, found := strings.CutPrefix(detail, "program instantiation failed: "); found {
			return answer{Program: text}
		}
		return answer{Issues: strings.TrimPrefix(detail, "compilation failed: ")}
	}
	ast, issues := env.Compile(q.Expression)
	if issues.Err() != nil {
		return answer{Issues: issues.String()}
	}
	a.Type = selfTypeName.ReplaceAllString(checker.FormatCELType(ast.OutputType()), "selfType")
	if compiled.Error == nil {
		a.Estimate = fmt.Sprint(compiled.MaxCost)
		a.Cardinality = fmt.Sprint(compiled.MaxCardinality)
		a.UsesOldSelf = compiled.UsesOldSelf
	}
	program, err := env.Program(ast)
	if err != nil {
		a.Program = err.Error()
		return a
	}
	if q.Rule.ResourceRoot {
		schema = model.WithTypeAndObjectMeta(schema)
	}
	self, err := readObject(q.Rule.Self)
	if err != nil || self == nil {
		return a
	}
	old, err := readObject(q.Rule.OldSelf)
	if err != nil {
		return a
	}
	values := map[string]any{"self": schemacel.UnstructuredToVal(self, schema)}
	switch {
	case q.Rule.OptionalOldSelf && old == nil:
		values["oldSelf"] = types.OptionalNone
	case q.Rule.OptionalOldSelf:
		values["oldSelf"] = types.OptionalOf(schemacel.UnstructuredToVal(old, schema))
	case old != nil:
		values["oldSelf"] = schemacel.UnstructuredToVal(old, schema)
	default:
		values["oldSelf"] = schemacel.UnstructuredToVal(self, schema)
	}
	evaluate(program, values, &a)
	return a
}

func ruleEnvironment(set *environment.EnvSet, declared *apiservercel.DeclType, optional bool) (*cel.Env, error) {
	scoped := declared.MaybeAssignTypeName("selfType1")
	old := scoped.CelType()
	if optional {
		old = types.NewOptionalType(old)
	}
	extended, err := set.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", scoped.CelType()), cel.Variable("oldSelf", old)},
		DeclTypes:         []*apiservercel.DeclType{scoped},
	})
	if err != nil {
		return nil, err
	}
	return extended.NewExpressionsEnv(), nil
}
